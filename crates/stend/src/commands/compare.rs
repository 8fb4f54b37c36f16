//! `stend compare`: reviews in the lab side by side.

use std::path::PathBuf;

use serde::Serialize;
use stend_analysis::LEVEL_SHARE;
use stend_analysis::compare::{
    Row, Side, Unlike, by_whom, key_rows, point_rows, together, told, unlike, unlike_finding,
};
use stend_lab::{Lab, RunId};
use stend_record::review::{Condition, Review};
use stend_report::Finding;

use crate::args::CompareArgs;
use crate::failure::Failure;
use crate::folder::Folder;
use crate::laboratory;
use crate::output::{json_line, note, print};

pub fn run(args: &CompareArgs) -> Result<(), Failure> {
    let lab = laboratory::look(&args.lab)?;
    let runs: Result<Vec<RunId>, Failure> =
        args.sides.iter().map(|side| find(&lab, side)).collect();
    let compared = Compared::load(&lab, &runs?)?;
    let rows = match args.points {
        true => point_rows(&compared.sides()),
        false => key_rows(&compared.sides()),
    };
    let page = args.out.clone().map(|out| compared.save(out)).transpose()?;
    if args.json {
        let json = json_line(&compared.document(&rows))?;
        if let Some(page) = page {
            note(&page);
        }
        return print(&json);
    }
    let mut text = compared.conditions_text();
    text += &compared.rows_text(&rows);
    if let Some(page) = page {
        text += &format!("\n{page}\n");
    }
    print(&text)
}

/// The run that a user names.
fn find(lab: &Lab, side: &str) -> Result<RunId, Failure> {
    if let Ok(number) = side.parse() {
        lab.run(RunId(number))?;
        return Ok(RunId(number));
    }
    lab.last_complete_of(side)?.ok_or_else(|| {
        Failure::Input(format!(
            "{side}: the lab, {}, has no complete review of it; make one with stend review {side}, \
             or name a run (stend lab list)",
            lab.path().display()
        ))
    })
}

/// Reviews with what the lab knows besides.
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
        Ok(Compared { reviews: reviews? })
    }

    fn sides(&self) -> Vec<Side<'_>> {
        self.reviews
            .iter()
            .map(|(_, review, facts)| Side { review, facts })
            .collect()
    }

    fn unlike(&self) -> Vec<Unlike> {
        unlike(&self.sides())
    }

    /// Writes the page of the first review with the others as its rivals; says where it is.
    pub fn save(&self, folder: PathBuf) -> Result<String, Failure> {
        let review = self.together();
        let review = review.ok_or_else(|| Failure::Input("no run was named".to_owned()))?;
        let folder = Folder::open(folder)?;
        folder.keep_others(&review)?;
        let page = folder.save_with(&review, self.finding())?;
        Ok(format!("report: {}", page.display()))
    }

    /// The first review with the others as its rivals.
    fn together(&self) -> Option<Review> {
        let reviews: Vec<&Review> = self.reviews.iter().map(|(_, review, _)| review).collect();
        together(&reviews)
    }

    /// What is unlike, as the first finding of a page.
    fn finding(&self) -> Option<Finding> {
        let (title, text) = unlike_finding(&self.unlike())?;
        Some(Finding { title, text })
    }

    fn conditions_text(&self) -> String {
        let mut text = String::new();
        for (nth, (run, review, _)) in (1..).zip(&self.reviews) {
            text += &format!("[{nth}] {}, run {run}\n", review.target.title);
        }
        let unlike = self.unlike();
        if unlike.is_empty() {
            return text + "\nAll known conditions were the same.\n";
        }
        text += "\nDIFFERING CONDITIONS: differences may not be the drives\u{2019}.\n";
        let (of_all, of_some) = by_whom(&unlike);
        for row in of_all {
            text += &format!("  {}\n", row.name);
            for (nth, value) in (1..).zip(told(&row.values)) {
                text += &format!("    [{nth}] {value}\n");
            }
        }
        if !of_some.is_empty() {
            text += &format!("  not known of all (see --json): {}\n", of_some.join(", "));
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
            text += &format!("  {}\n", row.name);
            for (nth, (value, ratio)) in (1..).zip(row.values.iter().zip(row.ratios())) {
                let value = value.map_or_else(|| "not measured".to_owned(), |v| row.unit.words(v));
                let ratio = match ratio {
                    Some(ratio) if nth > 1 => format!("{ratio:>9.2} ×{}", level(ratio)),
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
                })
                .collect(),
            unlike: self.unlike(),
            figures: rows
                .iter()
                .map(|row| DocumentRow {
                    test: row.test_id.clone(),
                    name: row.name.clone(),
                    unit: row.unit.key(),
                    values: row.values.clone(),
                    ratios: row.ratios(),
                })
                .collect(),
        }
    }
}

/// A bench repeats its figures no better than this.
fn level(ratio: f64) -> &'static str {
    if (ratio - 1.0).abs() <= LEVEL_SHARE {
        " (level)"
    } else {
        ""
    }
}

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    sides: Vec<DocumentSide>,
    unlike: Vec<Unlike>,
    figures: Vec<DocumentRow>,
}

#[derive(Serialize)]
struct DocumentSide {
    run: i64,
    title: String,
}

#[derive(Serialize)]
struct DocumentRow {
    test: String,
    name: String,
    unit: &'static str,
    values: Vec<Option<f64>>,
    ratios: Vec<Option<f64>>,
}
