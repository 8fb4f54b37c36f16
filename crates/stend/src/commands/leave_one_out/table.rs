//! The table of drives left out: as JSON, text and Markdown.

use std::fs;
use std::path::Path;
use stend_language::counted;

use serde::{Deserialize, Serialize};
use stend_fit::compare::median;
use stend_fit::fitting::{Chosen, LeftOut, LeftOutRow, Origin, Plan, SearchOptions};
use stend_fit::{Measured, Outcome};

use crate::failure::Failure;
use crate::output::table;

/// Schema of the result.
const SCHEMA: &str = "stend.fit-leave-one-out/1";

/// Result for all drives.
#[derive(Serialize, Deserialize)]
pub struct Document {
    schema: String,
    seed: u64,
    generations: usize,
    all: Errors,
    changed: Errors,
    drives: Vec<Drive>,
}

/// Median errors over the rows of several drives.
#[derive(Serialize, Deserialize)]
struct Errors {
    drives: usize,
    answered: usize,
    error_median_shipped: Option<f64>,
    error_median_left_out: Option<f64>,
}

/// A drive that was left out.
#[derive(Serialize, Deserialize)]
pub struct Drive {
    /// Name of the drive.
    pub drive: String,
    predicted: bool,
    answered: usize,
    error_median_shipped: Option<f64>,
    error_median_left_out: Option<f64>,
    shared: usize,
    fitted: usize,
    middle: usize,
    fitted_on: Vec<String>,
    generations: usize,
    population: usize,
    problem: Option<String>,
    figures: Vec<Figure>,
    rows: Vec<Row>,
}

#[derive(Serialize, Deserialize)]
struct Figure {
    file: String,
    table: String,
    key: String,
    index: Option<usize>,
    free: [f64; 2],
    shipped: f64,
    left_out: f64,
    origin: String,
    models: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Row {
    drive: String,
    model: Option<String>,
    what: String,
    published: String,
    shipped: Option<Answer>,
    left_out: Option<Answer>,
}

#[derive(Serialize, Deserialize)]
struct Answer {
    predicted: f64,
    error: f64,
}

impl Answer {
    fn of(outcome: &Outcome) -> Option<Answer> {
        let answer = outcome.answer()?;
        Some(Answer {
            predicted: answer.predicted,
            error: answer.error,
        })
    }
}

/// Median absolute error. A row without an answer counts as an infinite error.
fn error_median<'r>(answers: impl Iterator<Item = &'r Option<Answer>>) -> Option<f64> {
    let size = |answer: &Option<Answer>| answer.as_ref().map_or(f64::INFINITY, |a| a.error.abs());
    median(answers.map(size).collect()).filter(|median| median.is_finite())
}

fn figure(chosen: &Chosen) -> Figure {
    let figure = &chosen.parameter.figure;
    let origin = match chosen.origin {
        Origin::Fitted => "fitted",
        Origin::Middle => "middle",
        Origin::Shipped => "shipped",
    };
    Figure {
        file: figure.file.clone(),
        table: figure.table.clone(),
        key: figure.key.clone(),
        index: figure.index,
        free: figure.bounds,
        shipped: figure.value,
        left_out: chosen.value,
        origin: origin.to_owned(),
        models: chosen.parameter.models.clone(),
    }
}

impl Drive {
    /// Creates the result of a drive.
    pub fn new(measured: &Measured, plan: &Plan, left_out: &LeftOut) -> Drive {
        let row = |of: &LeftOutRow| {
            let row = &measured.rows[of.row];
            Row {
                drive: row.drive.clone(),
                model: row.model.clone(),
                what: row.what.clone(),
                published: row.published.clone(),
                shipped: Answer::of(&of.shipped),
                left_out: Answer::of(&of.left_out),
            }
        };
        let rows: Vec<Row> = left_out.rows.iter().map(row).collect();
        let count = |origin: Origin| {
            let figures = left_out.figures.iter();
            figures.filter(|chosen| chosen.origin == origin).count()
        };
        Drive {
            drive: plan.drive.clone(),
            predicted: plan.predicted,
            answered: rows.len(),
            error_median_shipped: error_median(rows.iter().map(|row| &row.shipped)),
            error_median_left_out: error_median(rows.iter().map(|row| &row.left_out)),
            shared: left_out.shared,
            fitted: count(Origin::Fitted),
            middle: count(Origin::Middle),
            fitted_on: left_out.others.clone(),
            generations: left_out.generations,
            population: left_out.population,
            problem: left_out.problem.clone(),
            figures: left_out.figures.iter().map(figure).collect(),
            rows,
        }
    }

    /// Formats the result in one line.
    pub fn told(&self) -> String {
        format!(
            "{}: {} rows, median error {} as shipped, {} when left out; {}",
            self.drive,
            self.answered,
            percent(self.error_median_shipped),
            percent(self.error_median_left_out),
            self.basis()
        )
    }

    /// Describes the origin of the drive's figures.
    fn basis(&self) -> String {
        if self.predicted {
            return "predicted".to_owned();
        }
        let mut text = match (self.fitted, self.shared) {
            (0, 0) => "nothing shared".to_owned(),
            (0, n) => format!("{n} shared, but the others' rows do not depend on them"),
            (n, _) => format!("{n} on {}", self.fitted_on.join(", ")),
        };
        if self.middle > 0 {
            text += &format!("; {} in the middle", self.middle);
        }
        if let Some(problem) = &self.problem {
            text += &format!("; {problem}");
        }
        text
    }

    /// True if any figure differs from the shipped model.
    fn is_changed(&self) -> bool {
        self.fitted + self.middle > 0
    }
}

impl Errors {
    fn of(drives: &[&Drive]) -> Errors {
        let rows = || drives.iter().flat_map(|drive| &drive.rows);
        Errors {
            drives: drives.len(),
            answered: rows().count(),
            error_median_shipped: error_median(rows().map(|row| &row.shipped)),
            error_median_left_out: error_median(rows().map(|row| &row.left_out)),
        }
    }
}

impl Document {
    /// Creates the result for these drives, without those that answer no row.
    pub fn new(options: SearchOptions, mut drives: Vec<Drive>) -> Document {
        drives.retain(|drive| drive.answered > 0);
        let all: Vec<&Drive> = drives.iter().collect();
        let changed: Vec<&Drive> = drives.iter().filter(|drive| drive.is_changed()).collect();
        Document {
            schema: SCHEMA.to_owned(),
            seed: options.seed,
            generations: options.generations_max,
            all: Errors::of(&all),
            changed: Errors::of(&changed),
            drives,
        }
    }

    /// Reads an earlier result.
    pub fn read(path: &Path) -> Result<Document, Failure> {
        let text = fs::read_to_string(path).map_err(|error| {
            let message = format!("cannot read {}: {error}", path.display());
            Failure::Input(message)
        })?;
        let document = serde_json::from_str(&text).map_err(|error| error.to_string());
        let document = document.and_then(|document: Document| match document.schema == SCHEMA {
            true => Ok(document),
            false => Err(format!("its schema is {}", document.schema)),
        });
        document.map_err(|error| {
            Failure::Input(format!(
                "{} is not a result of `stend fit --leave-one-out --json`: {error}; write it with \
                 that",
                path.display()
            ))
        })
    }

    fn headline(&self) -> String {
        let Errors {
            drives,
            answered,
            error_median_shipped: shipped,
            error_median_left_out: left_out,
        } = &self.all;
        let text = format!(
            "Over all {answered} rows of {}, the median error is {} as shipped and {} \
             when each drive's own rows are left out",
            counted(*drives, "drive"),
            percent(*shipped),
            percent(*left_out),
        );
        let changed = &self.changed;
        match changed.drives {
            0 => text + "; this changes no figure.",
            drives if drives == self.all.drives => text + ".",
            drives => format!(
                "{text}; over the {} rows of the {} whose figures this changes, {} and {}.",
                changed.answered,
                counted(drives, "drive"),
                percent(changed.error_median_shipped),
                percent(changed.error_median_left_out),
            ),
        }
    }

    /// Formats the table for a terminal.
    pub fn text(&self) -> String {
        let head = ["drive", "rows", "as shipped", "left out", "figures fitted"];
        let mut rows = vec![head.map(str::to_owned)];
        rows.extend(self.drives.iter().map(|drive| {
            [
                drive.drive.clone(),
                drive.answered.to_string(),
                percent(drive.error_median_shipped),
                percent(drive.error_median_left_out),
                drive.basis(),
            ]
        }));
        table("<30 >5 >12 >12  <", &rows) + &format!("\n{}\n", self.headline())
    }

    /// Formats the table in Markdown.
    pub fn markdown(&self) -> String {
        let mut text = format!(
            "{}\n\n| drive | rows | error as shipped | error when left out | fitted on |\n\
             |---|---|---|---|---|\n",
            self.headline()
        );
        for drive in &self.drives {
            text += &format!(
                "| {} | {} | {} | {} | {} |\n",
                drive.drive,
                drive.answered,
                percent(drive.error_median_shipped),
                percent(drive.error_median_left_out),
                drive.basis().replace('|', "\\|").replace('\n', " ")
            );
        }
        text
    }
}

/// A share in per cent; a dash if too many rows have no answer.
fn percent(share: Option<f64>) -> String {
    share.map_or("–".to_owned(), |share| format!("{:.1} %", share * 100.0))
}
