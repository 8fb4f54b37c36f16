//! Lists that are searched: the form above one, and the page of rows that it finds.

use std::sync::Arc;

use stend_lab::browse::{self, Choices, Found, List, Search};
use stend_lab::{Lab, LabError, RecordedKind};

use super::fields::{Fields, Pager, field};
use crate::app::App;
use crate::trouble::Trouble;
use crate::words;

/// What a search of a list finds in a lab: so many rows after the first ones.
type Find<T> = fn(&Lab, &Search, u64, u64) -> Result<Found<T>, LabError>;

/// The rows of a page, and what stands above them.
pub(crate) struct Listed<T> {
    pub rows: Vec<T>,
    /// What was searched.
    pub search: Search,
    pub above: Above,
    /// What there is to choose from.
    pub choices: Choices,
}

/// What stands above a list.
pub(crate) struct Above {
    /// How many rows there are, in words.
    pub count: String,
    pub pager: Pager,
    /// Whether there is no row at all, whatever is searched.
    pub empty: bool,
    /// Whether there are rows, but none so far behind.
    pub beyond: bool,
}

/// The rows of a list that fields ask for; `noun` is what one is called.
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

/// What is searched, of the fields of a form.
fn search(fields: &Fields) -> Search {
    let text = |name: &str| field(fields, name).to_owned();
    let year = |name: &str| field(fields, name).parse().ok();
    // Jobs are of a kind, and on drives of a kind.
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
    /// The address of the list.
    pub address: &'static str,
    /// Words that are looked for.
    pub text: &'a str,
    /// In what.
    pub hint: &'static str,
    pub inputs: Vec<Input<'a>>,
    /// Whether anything is searched.
    pub searched: bool,
}

/// A field of the form.
pub(crate) struct Input<'a> {
    pub label: &'static str,
    pub name: &'static str,
    pub value: &'a str,
    /// An example of what may be typed.
    pub hint: &'static str,
    /// What may be chosen; of what is typed, nothing.
    pub choices: Vec<String>,
}

impl<'a> SearchForm<'a> {
    /// With a field for words.
    pub fn new(address: &'static str, fields: &'a Fields, hint: &'static str) -> SearchForm<'a> {
        SearchForm {
            fields,
            address,
            text: field(fields, "text"),
            hint,
            inputs: Vec::new(),
            searched: search(fields) != Search::default(),
        }
    }

    /// With a field for the drive's name.
    pub fn drive(self) -> SearchForm<'a> {
        self.input("Drive", "drive", "", Vec::new())
    }

    /// With fields for what a drive is made of, and when it was released.
    pub fn made_of(self, years: &[i32]) -> SearchForm<'a> {
        self.input("Interface", "interface", "SATA, PCIe", Vec::new())
            .input("Flash", "flash", "TLC, V-NAND", Vec::new())
            .choice("Drive released", "drive_year", years)
    }

    /// With a field of which one value is chosen; without values, there is none.
    pub fn choice<T: ToString>(
        self,
        label: &'static str,
        name: &'static str,
        values: &[T],
    ) -> SearchForm<'a> {
        match values.is_empty() {
            true => self,
            false => {
                let values = values.iter().map(T::to_string);
                self.input(label, name, "", values.collect())
            }
        }
    }

    fn input(
        mut self,
        label: &'static str,
        name: &'static str,
        hint: &'static str,
        choices: Vec<String>,
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

/// The name of the field that tells real drives from simulated ones, and its values.
pub(crate) const KINDS: [&str; 2] = ["real", "simulated"];

/// Its label.
pub(crate) const KIND: &str = "Real or simulated";
