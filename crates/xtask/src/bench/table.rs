//! The figures for people: a row a case, and one below it that compares.

use super::cases::CASES;
use super::record::{Figures, Record};

/// Said on every line of a smoke run.
const SMOKE: &str = "  [smoke run: the figures mean nothing]";

/// Prints rows of one kind of run.
pub struct Table<'a> {
    smoke: bool,
    against: Option<&'a Record>,
}

impl Table<'_> {
    /// For a run that is compared with `against`.
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
                record.versions.stend,
                record.versions.git_commit.as_deref().unwrap_or("no commit"),
                record.machine.cpu,
            ));
        }
        text += &self.line(&format!(
            "{:<24} | {:<49} | {:<19} | {:<17} |",
            "", "measured phase", "whole process", "peak memory"
        ));
        let columns = row(
            "case",
            [
                "M requests",
                "wall s",
                "M/s",
                "M events",
                "M/s",
                "M requests",
                "wall s",
                "MB",
                "B/4 KiB",
            ]
            .map(str::to_owned),
        );
        text + &self.line(&format!("{columns}aim (M: 10^6)"))
    }

    /// A case.
    pub fn case(&self, figures: &Figures) -> String {
        let (phase, process) = (&figures.phase, &figures.process);
        let millions = |n: u64| format!("{:.3}", n as f64 / 1e6);
        let mut end = figures.aim.to_string();
        if let Some(ratio) = figures.cost_ratio {
            end += &format!(" ({ratio:.2} times)");
        }
        end += &format!("; memory {}", figures.memory_aim);
        let columns = row(
            &figures.name,
            [
                millions(phase.requests),
                format!("{:.3}", phase.wall_s),
                format!("{:.3}", phase.requests_per_s / 1e6),
                millions(phase.events),
                format!("{:.2}", phase.events_per_s / 1e6),
                millions(process.requests),
                format!("{:.2}", process.wall_s),
                format!("{:.1}", figures.peak_rss_bytes as f64 / 1e6),
                format!("{:.2}", figures.peak_rss_per_4kib_bytes),
            ],
        );
        let mut text = self.line(&(columns + &end));
        if let Some(record) = self.against {
            text += &match record.find(&figures.name) {
                Some(before) => self.line(&(compared(figures, before) + "times the record")),
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

fn row(name: &str, cells: [String; 9]) -> String {
    let [
        requests,
        wall,
        rate,
        events,
        event_rate,
        all,
        all_wall,
        mb,
        per_unit,
    ] = cells;
    format!(
        "{name:<24} | {requests:>10} {wall:>8} {rate:>7} {events:>12} {event_rate:>8} | \
         {all:>10} {all_wall:>8} | {mb:>9} {per_unit:>7} | "
    )
}

/// Each figure as a multiple of the recorded one.
fn compared(now: &Figures, before: &Figures) -> String {
    let ratio = |now: f64, before: f64| format!("{:.3}", now / before);
    let count = |now: u64, before: u64| ratio(now as f64, before as f64);
    row(
        "",
        [
            count(now.phase.requests, before.phase.requests),
            ratio(now.phase.wall_s, before.phase.wall_s),
            ratio(now.phase.requests_per_s, before.phase.requests_per_s),
            count(now.phase.events, before.phase.events),
            ratio(now.phase.events_per_s, before.phase.events_per_s),
            count(now.process.requests, before.process.requests),
            ratio(now.process.wall_s, before.process.wall_s),
            count(now.peak_rss_bytes, before.peak_rss_bytes),
            ratio(now.peak_rss_per_4kib_bytes, before.peak_rss_per_4kib_bytes),
        ],
    )
}

/// The cases without their figures.
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
