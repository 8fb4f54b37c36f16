//! Searchable lists: the form above one, and the page of rows that match.

use std::sync::Arc;

use stend_lab::browse::{self, Choices, Found, List, Search};
use stend_lab::{Lab, LabError, RecordedKind};
use stend_language::{Language, current, say};

use super::fields::{Fields, Pager, field};
use crate::app::App;
use crate::trouble::Trouble;
use crate::words;

/// Searches a list of a lab; the numbers are the rows to skip and the most rows to return.
type Find<T> = fn(&Lab, &Search, u64, u64) -> Result<Found<T>, LabError>;

/// The rows of a page, and the data above them.
pub(crate) struct Listed<T> {
    pub rows: Vec<T>,
    /// The search.
    pub search: Search,
    pub above: Above,
    /// Values for the menus.
    pub choices: Choices,
}

/// Data above a list.
pub(crate) struct Above {
    /// Number of rows.
    pub rows: u64,
    /// The same in English words.
    pub count: String,
    pub pager: Pager,
    /// True if the list has no row for any search.
    pub empty: bool,
    /// True if there are rows, but none on this page.
    pub beyond: bool,
}

/// Returns the rows of a list that the fields select; `noun` is the name of one row.
pub(crate) async fn listed<T: Send + 'static>(
    app: &Arc<App>,
    (list, address, noun): (List, &str, &str),
    find: Find<T>,
    fields: &Fields,
) -> Result<Listed<T>, Trouble> {
    let search = search(fields);
    let (wanted, skip) = (search.clone(), Pager::skip(fields));
    let found = app.read(move |lab| {
        let found = find(lab, &wanted, skip, Pager::ROWS)?;
        Ok(Some((found, browse::choices(lab, list)?)))
    });
    let (found, choices) = match found.await? {
        None => (None, Choices::default()),
        Some((found, choices)) => (Some(found), choices),
    };
    let (rows, count) = found.map_or((Vec::new(), 0), |found| (found.rows, found.count));
    Ok(Listed {
        above: Above {
            rows: count,
            count: words::count(count, noun),
            pager: Pager::of(address, fields, rows.len(), count),
            empty: count == 0 && search == Search::default(),
            beyond: count > 0 && rows.is_empty(),
        },
        rows,
        search,
        choices,
    })
}

/// Returns the search in the fields of a form.
fn search(fields: &Fields) -> Search {
    let text = |name: &str| field(fields, name).to_owned();
    let year = |name: &str| field(fields, name).parse().ok();
    // Jobs have a kind, and their drives have one.
    let is = |word: &str| ["kind", "on"].iter().any(|of| field(fields, of) == word);
    let mut kinds = RecordedKind::ALL.into_iter();
    Search {
        text: text("text"),
        drive: text("drive"),
        interface: text("interface"),
        flash: text("flash"),
        drive_year: year("drive_year"),
        year: year("year"),
        edition: text("edition"),
        recorded: kinds.find(|kind| is(kind.name())),
        simulated: match (is("simulated"), is("real")) {
            (false, false) => None,
            (simulated, _) => Some(simulated),
        },
    }
}

/// The form above a list.
pub(crate) struct SearchForm<'a> {
    fields: &'a Fields,
    /// Address of the list.
    pub address: &'static str,
    /// Words to search.
    pub text: &'a str,
    /// Examples of searchable texts.
    pub hint: String,
    pub inputs: Vec<Input<'a>>,
    /// True if there is a search.
    pub searched: bool,
    /// Address of the list without a search.
    pub all: String,
    /// Language of the page, unless it is English.
    pub language: Option<Language>,
}

/// A field of the form.
pub(crate) struct Input<'a> {
    pub label: String,
    pub name: &'static str,
    pub value: &'a str,
    /// Example of a value.
    pub hint: &'static str,
    /// Values to choose from, with their texts; empty for a text field.
    pub choices: Vec<(String, String)>,
}

impl<'a> SearchForm<'a> {
    /// Creates a form with a field for words.
    pub fn new(
        address: &'static str,
        fields: &'a Fields,
        hint: impl Into<String>,
    ) -> SearchForm<'a> {
        SearchForm {
            fields,
            address,
            text: field(fields, "text"),
            hint: hint.into(),
            inputs: Vec::new(),
            searched: search(fields) != Search::default(),
            all: address.to_owned(),
            language: Some(current()).filter(|language| *language != Language::default()),
        }
    }

    /// Adds a field for the drive's name.
    pub fn drive(self) -> SearchForm<'a> {
        self.input(say("lab-drive"), "drive", "", Vec::new())
    }

    /// Adds fields for interface, flash and release year of a drive.
    pub fn made_of(self, years: &[i32]) -> SearchForm<'a> {
        self.input(say("lab-interface"), "interface", "SATA, PCIe", Vec::new())
            .input(say("lab-flash"), "flash", "TLC, V-NAND", Vec::new())
            .choice(say("lab-drive-released"), "drive_year", years)
    }

    /// Adds a field with a menu of values; none without values.
    pub fn choice<T: ToString>(
        self,
        label: impl Into<String>,
        name: &'static str,
        values: &[T],
    ) -> SearchForm<'a> {
        match values.is_empty() {
            true => self,
            false => {
                let values = values
                    .iter()
                    .map(|value| (value.to_string(), value.to_string()));
                self.input(label.into(), name, "", values.collect())
            }
        }
    }

    /// Adds a field that distinguishes real drives from simulated ones.
    pub fn kind(self, name: &'static str) -> SearchForm<'a> {
        let choices = [("real", "lab-real"), ("simulated", "lab-simulated")];
        let choices = choices.map(|(value, id)| (value.to_owned(), say(id)));
        self.input(say("lab-kind"), name, "", choices.into())
    }

    /// Sets the address of the list without a search.
    pub fn all_at(mut self, address: String) -> SearchForm<'a> {
        self.all = address;
        self
    }

    fn input(
        mut self,
        label: String,
        name: &'static str,
        hint: &'static str,
        choices: Vec<(String, String)>,
    ) -> SearchForm<'a> {
        self.inputs.push(Input {
            label,
            name,
            value: field(self.fields, name),
            hint,
            choices,
        });
        self
    }
}
