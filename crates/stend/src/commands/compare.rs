//! `stend compare`: compares reviews in the lab.

use std::path::PathBuf;

use serde::Serialize;
use stend_analysis::compare::{
    Row, Side, Unlike, by_whom, key_rows, point_rows, together, told, unlike, unlike_models,
};
use stend_analysis::{figure_name, figure_title, words};
use stend_lab::others::others;
use stend_lab::{Lab, RunId};
use stend_language::{Language, numeral, say, text, within};
use stend_record::review::{Condition, Review};
use stend_report::{Comparison, side_name};

use crate::args::CompareArgs;
use crate::failure::Failure;
use crate::folder::Folder;
use crate::laboratory;
use crate::output::{json_line, note, print};

pub fn run(args: &CompareArgs) -> Result<(), Failure> {
    let lab = laboratory::look(&args.lab)?;
    let sides = args.sides.iter();
    let runs: Result<Vec<RunId>, Failure> =
        sides.map(|side| laboratory::find(&lab, side)).collect();
    let runs = runs?;
    if let Some(same) = same_run(&args.sides, &runs) {
        note(&same);
    }
    let compared = Compared::load(&lab, &runs)?;
    let language = args.language.lang;
    let out = args.out.clone();
    let page = out.map(|out| compared.save(out, language)).transpose()?;
    let page = page.map(|page| {
        let path = page.display().to_string();
        within(language, || text!("terminal-report", path = path))
    });
    let rows = || match args.points {
        true => point_rows(&compared.sides()),
        false => key_rows(&compared.sides()),
    };
    if args.json {
        let json = json_line(&compared.document(&rows()))?;
        if let Some(page) = page {
            note(&page);
        }
        return print(&json);
    }
    let mut text = within(language, || {
        compared.conditions_text() + &compared.rows_text(&rows())
    });
    if let Some(page) = page {
        text += &format!("\n{page}\n");
    }
    print(&text)
}

/// Returns a note if two sides are the same run.
fn same_run(sides: &[String], runs: &[RunId]) -> Option<String> {
    let earlier = |at: usize| runs[..at].iter().position(|run| *run == runs[at]);
    let (first, second) = (1..runs.len()).find_map(|at| Some((earlier(at)?, at)))?;
    Some(format!(
        "`{}` and `{}` are the same run, {}: their figures do not differ",
        sides[first], sides[second], runs[second]
    ))
}

/// Reviews, with additional conditions that the lab stores.
pub struct Compared {
    reviews: Vec<(RunId, Review, Vec<Condition>)>,
}

impl Compared {
    pub fn load(lab: &Lab, runs: &[RunId]) -> Result<Compared, Failure> {
        let load = |&run: &RunId| -> Result<_, Failure> {
            let summary = lab.run(run)?;
            Ok((run, lab.review(run)?, summary.facts()))
        };
        let reviews: Result<Vec<_>, Failure> = runs.iter().map(load).collect();
        let mut reviews = reviews?;
        if let [(run, review, _)] = reviews.as_mut_slice() {
            review.others = others(lab, *run)?;
        }
        Ok(Compared { reviews })
    }

    fn sides(&self) -> Vec<Side<'_>> {
        self.reviews
            .iter()
            .map(|(_, review, facts)| Side { review, facts })
            .collect()
    }

    /// Names of the sides, for the terminal.
    fn names(&self) -> Vec<String> {
        let reviews = self.reviews.iter();
        let name = |(run, review, _): &(RunId, Review, _)| {
            side_name(&review.target.title, run.0, review.label.as_deref())
        };
        reviews.map(name).collect()
    }

    /// Writes the page of the first review with the others as its rivals, and returns its path.
    pub fn save(&self, folder: PathBuf, language: Language) -> Result<PathBuf, Failure> {
        let reviews: Vec<&Review> = self.reviews.iter().map(|(_, review, _)| review).collect();
        let review = together(&reviews);
        let review = review.ok_or_else(|| Failure::Input("no run was named".to_owned()))?;
        let labels: Vec<_> = reviews.iter().map(|review| review.label.clone()).collect();
        let folder = Folder::open(folder, language)?;
        stend_report::keep_others(folder.path(), &review)?;
        match self.reviews.len() {
            1 => folder.save(&review),
            _ => folder.save_compared(
                &review,
                &Comparison {
                    conditions: &unlike(&self.sides()),
                    models: &unlike_models(&self.sides()),
                    labels: &labels,
                    names: &within(language, || self.names()),
                },
            ),
        }
    }

    fn conditions_text(&self) -> String {
        let mut text = String::new();
        for (nth, side) in (1..).zip(self.names()) {
            text += &format!("[{nth}] {side}\n");
        }
        let models = unlike_models(&self.sides());
        if !models.is_empty() {
            text += &format!("\n{}\n", say("terminal-models"));
            let lines = models.iter().map(|row| format!("  {}\n", against(row)));
            text += &lines.collect::<String>();
        }
        let unlike = unlike(&self.sides());
        if unlike.is_empty() {
            return text + &format!("\n{}\n", say("terminal-same"));
        }
        text += &format!("\n{}\n", say("terminal-unlike"));
        let (of_all, of_some) = by_whom(&unlike);
        for row in of_all {
            text += &format!("  {}\n", row.name);
            for (nth, value) in (1..).zip(told(&row.values)) {
                text += &format!("    [{nth}] {value}\n");
            }
        }
        if !of_some.is_empty() {
            let told = text!("terminal-not-known-of-all", names = of_some.join(", "));
            text += &format!("  {told}\n");
        }
        text
    }

    fn rows_text(&self, rows: &[Row]) -> String {
        let mut text = String::new();
        let mut test = "";
        for row in rows {
            if row.test_id != test {
                test = &row.test_id;
                text += &format!("\n{test}\n");
            }
            text += &format!("  {}\n", figure_title(&row.figure));
            for (at, (value, ratio)) in row.values.iter().zip(row.ratios()).enumerate() {
                let nth = at + 1;
                let value =
                    value.map_or_else(|| say("terminal-not-measured"), |v| row.unit.words(v));
                let value = value + &spread(row, at);
                let ratio = match ratio {
                    Some(ratio) if nth > 1 => {
                        let ratio = numeral(&format!("{ratio:.2}"));
                        format!("{ratio:>9} ×{}", level(row, at))
                    }
                    _ => String::new(),
                };
                text += format!("    [{nth}] {value:>16}{ratio}").trim_end();
                text += "\n";
            }
        }
        text
    }

    fn document(&self, rows: &[Row]) -> Document {
        Document {
            schema: "stend.compare/1",
            sides: self
                .reviews
                .iter()
                .map(|(run, review, _)| DocumentSide {
                    run: run.0,
                    title: review.target.title.clone(),
                    label: review.label.clone(),
                    fingerprint: review.target.fingerprint().to_owned(),
                })
                .collect(),
            models: unlike_models(&self.sides()),
            unlike: unlike(&self.sides()),
            figures: rows
                .iter()
                .map(|row| DocumentRow {
                    test: row.test_id.clone(),
                    name: figure_name(&row.figure),
                    unit: row.unit.key(),
                    values: row.values.clone(),
                    half_widths: row.half_widths.clone(),
                    ratios: row.ratios(),
                })
                .collect(),
        }
    }
}

/// Half the width of a side's 95 % interval, if its tests were repeated.
fn spread(row: &Row, side: usize) -> String {
    let of = row.half_widths[side].zip(row.values[side]);
    of.map_or_else(String::new, |(half, value)| {
        format!(" ± {}", words::spread(half / value.max(f64::MIN_POSITIVE)))
    })
}

/// A remark if a side's figure does not differ from the first's by more than their repetitions
/// differ; without repetitions, by more than figures usually differ between runs.
fn level(row: &Row, side: usize) -> String {
    match row.is_level(side) {
        Some(true) => format!(" {}", say("terminal-level")),
        _ => String::new(),
    }
}

/// `user_bytes: 5.76 GB against 6.4 GB`.
fn against(row: &Unlike) -> String {
    let values = told(&row.values).into_iter();
    let joined =
        values.reduce(|first, others| text!("terminal-against", first = first, others = others));
    format!("{}: {}", row.name, joined.unwrap_or_default())
}

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    sides: Vec<DocumentSide>,
    models: Vec<Unlike>,
    unlike: Vec<Unlike>,
    figures: Vec<DocumentRow>,
}

#[derive(Serialize)]
struct DocumentSide {
    run: i64,
    title: String,
    label: Option<String>,
    fingerprint: String,
}

#[derive(Serialize)]
struct DocumentRow {
    test: String,
    name: String,
    unit: &'static str,
    values: Vec<Option<f64>>,
    /// Half widths of 95 % intervals, of repeated tests.
    half_widths: Vec<Option<f64>>,
    ratios: Vec<Option<f64>>,
}
