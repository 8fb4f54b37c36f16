//! The figures as a table: one row per case, and a row below it that compares.

use super::cases::CASES;
use super::record::{Figures, Record};

/// Remark on every line of a smoke run.
const SMOKE: &str = "  [smoke run: the figures mean nothing]";

/// Prints rows of one kind of run.
pub struct Table<'a> {
    smoke: bool,
    against: Option<&'a Record>,
}

impl Table<'_> {
    /// Creates the table of a run that is compared with `against`.
    pub fn new(smoke: bool, against: Option<&Record>) -> Table<'_> {
        Table { smoke, against }
    }

    /// The head of the table.
    pub fn head(&self) -> String {
        let mut text = String::new();
        if let Some(record) = self.against {
            text += &self.line(&format!(
                "compared with the record of {}: stend {}, {}, {}",
                record.recorded_at,
                record.versions.build.stend,
                record.versions.git_commit.as_deref().unwrap_or("no commit"),
                record.machine.cpu,
            ));
        }
        text += &self.line(&format!(
            "{:<24} | {:<49} | {:<19} | {:<17} |",
            "", "measured phase", "whole process", "peak memory"
        ));
        let heads = row("case", |column| column.head.to_owned());
        text + &self.line(&format!("{heads}aim (M: 10^6)"))
    }

    /// Formats a case.
    pub fn case(&self, figures: &Figures) -> String {
        let mut end = figures.aim.to_string();
        if let Some(ratio) = figures.cost_ratio {
            end += &format!(" ({ratio:.2} times)");
        }
        end += &format!("; memory {}", figures.memory_aim);
        let columns = row(&figures.name, |column| {
            format!("{:.*}", column.decimals, (column.figure)(figures))
        });
        let mut text = self.line(&(columns + &end));
        if let Some(record) = self.against {
            text += &match record.find(&figures.name) {
                Some(before) => {
                    let ratios = row("", |column| {
                        let of = column.figure;
                        format!("{:.3}", of(figures) / of(before))
                    });
                    self.line(&(ratios + "times the record"))
                }
                None => self.line("  not in the record"),
            };
        }
        text
    }

    fn line(&self, text: &str) -> String {
        let text = text.trim_end();
        let smoke = if self.smoke { SMOKE } else { "" };
        format!("{text}{smoke}\n")
    }
}

/// A column of figures.
struct Column {
    head: &'static str,
    width: usize,
    decimals: usize,
    /// True if a bar follows the column.
    is_last_of_group: bool,
    figure: fn(&Figures) -> f64,
}

const fn column(
    head: &'static str,
    width: usize,
    decimals: usize,
    figure: fn(&Figures) -> f64,
) -> Column {
    Column {
        head,
        width,
        decimals,
        is_last_of_group: false,
        figure,
    }
}

const fn last(column: Column) -> Column {
    Column {
        is_last_of_group: true,
        ..column
    }
}

const COLUMNS: [Column; 9] = [
    column("M requests", 10, 3, |f| f.phase.requests as f64 / 1e6),
    column("wall s", 8, 3, |f| f.phase.wall_s),
    column("M/s", 7, 3, |f| f.phase.requests_per_s / 1e6),
    column("M events", 12, 3, |f| f.phase.events as f64 / 1e6),
    last(column("M/s", 8, 2, |f| f.phase.events_per_s / 1e6)),
    column("M requests", 10, 3, |f| f.process.requests as f64 / 1e6),
    last(column("wall s", 8, 2, |f| f.process.wall_s)),
    column("MB", 9, 1, |f| f.peak_rss_bytes as f64 / 1e6),
    last(column("B/4 KiB", 7, 2, |f| f.peak_rss_per_4kib_bytes)),
];

fn row(name: &str, cell: impl Fn(&Column) -> String) -> String {
    let mut text = format!("{name:<24} |");
    for column in &COLUMNS {
        let bar = if column.is_last_of_group { " |" } else { "" };
        text += &format!(" {:>width$}{bar}", cell(column), width = column.width);
    }
    text + " "
}

/// Lists the cases without figures.
pub fn list() -> String {
    CASES
        .iter()
        .map(|case| {
            let why = case
                .only_by_name
                .map_or_else(String::new, |why| format!("    only with --only: {why}\n"));
            format!(
                "{}\n    {}\n    aim: {}\n{why}",
                case.name, case.what, case.aim
            )
        })
        .collect()
}
