//! The figures as a table, and as JSON.

use serde_json::{Map, Value, json};
use stend_base::Op;

use super::case::{Case, Pace, State};
use super::figures::Figures;
use crate::output::table;

/// Name of stend among the programs.
pub const STEND: &str = "stend";

/// A case, and its figures by program; stend's come first.
pub struct Done {
    /// The case.
    pub case: Case,
    /// Names of the programs, and their figures.
    pub figures: Vec<(&'static str, Figures)>,
    /// Names of the programs that failed, and their failures in words.
    pub failed: Vec<(&'static str, String)>,
}

const HEAD: [&str; 10] = [
    "program",
    "prepare s",
    "wall s",
    "requests/s",
    "ratio",
    "virtual s",
    "IOPS",
    "MB/s",
    "latency us",
    "WA",
];

impl Done {
    /// Ratio of stend's requests per wall-clock second to those of another program.
    fn times_as_fast(&self, of: &Figures) -> Option<f64> {
        let (_, own) = self.figures.first()?;
        let other = of.requests_per_s();
        (other > 0.0).then(|| own.requests_per_s() / other)
    }

    /// Formats the figures as a table.
    pub fn text(&self) -> String {
        let mut rows = vec![HEAD.map(str::to_owned)];
        let figures = self.figures.iter();
        rows.extend(figures.map(|(program, figures)| self.row(program, figures)));
        let layout = format!("  <*{}", "  >*".repeat(HEAD.len() - 1));
        let table = table(&layout, &rows);
        let mut text = format!("\n{}: {}\n{table}", self.case.name, self.case.words());
        for (program, problem) in &self.failed {
            text += &format!("  {program} failed: {problem}\n");
        }
        text
    }

    fn row(&self, program: &str, figures: &Figures) -> [String; 10] {
        let or_none = |figure: Option<String>| figure.unwrap_or_else(|| "-".to_owned());
        let times = self.times_as_fast(figures).filter(|_| program != STEND);
        [
            program.to_owned(),
            format!("{:.2}", figures.prepare_s),
            format!("{:.3}", figures.wall_s),
            format!("{:.0}", figures.requests_per_s()),
            or_none(times.map(|times| format!("{times:.2}"))),
            format!("{:.4}", figures.virtual_s),
            format!("{:.0}", figures.iops()),
            format!("{:.1}", figures.mb_per_s()),
            or_none(figures.latency_ns_mean.map(|ns| format!("{:.1}", ns / 1e3))),
            or_none(figures.write_amplification.map(|wa| format!("{wa:.3}"))),
        ]
    }

    /// Formats the figures as JSON.
    pub fn json(&self) -> Value {
        let case = &self.case;
        let programs: Map<String, Value> = self
            .figures
            .iter()
            .map(|(program, figures)| (program.to_lowercase(), self.figures_json(program, figures)))
            .chain(
                self.failed.iter().map(|(program, problem)| {
                    (program.to_lowercase(), json!({ "failed": problem }))
                }),
            )
            .collect();
        let (depth, interval_ns) = match case.pace {
            Pace::Depth(depth) => (Some(depth), None),
            Pace::Interval(ns) => (None, Some(ns)),
        };
        json!({
            "name": case.name,
            "op": match case.op { Op::Read => "read", _ => "write" },
            "pattern": if case.sequential { "sequential" } else { "random" },
            "state": match case.state {
                State::Fresh => "fresh",
                State::Filled => "filled",
                State::Overwritten => "overwritten",
            },
            "request_bytes": case.bytes,
            "requests": case.requests,
            "depth": depth,
            "interval_ns": interval_ns,
            "programs": programs,
        })
    }

    fn figures_json(&self, program: &str, figures: &Figures) -> Value {
        json!({
            "prepare_s": figures.prepare_s,
            "wall_s": figures.wall_s,
            "requests_per_s": figures.requests_per_s(),
            "stend_times_as_fast": self.times_as_fast(figures).filter(|_| program != STEND),
            "virtual_s": figures.virtual_s,
            "iops": figures.iops(),
            "mb_per_s": figures.mb_per_s(),
            "latency_ns_mean": figures.latency_ns_mean,
            "write_amplification": figures.write_amplification,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::bench::case;
    use crate::commands::bench::drive::tests::drive;

    fn figures(wall_s: f64) -> Figures {
        Figures {
            prepare_s: 1.0,
            wall_s,
            requests: 1000,
            bytes: 4_096_000,
            virtual_s: 0.01,
            latency_ns_mean: None,
            write_amplification: Some(1.5),
        }
    }

    #[test]
    fn programs_stand_side_by_side_with_the_ratio_of_their_speeds() {
        let done = Done {
            case: case::all(&drive(), 1000, 32, 1).remove(3),
            figures: vec![(STEND, figures(0.5)), ("MQSim", figures(2.0))],
            failed: vec![("SimpleSSD", "no free block".to_owned())],
        };
        let json = done.json();
        let other = &json["programs"]["mqsim"];
        assert_eq!(other["stend_times_as_fast"], 4.0);
        assert_eq!(other["requests_per_s"], 500.0);
        assert_eq!(other["iops"], 100_000.0);
        assert_eq!(other["mb_per_s"], 409.6);
        assert!(json["programs"]["stend"]["stend_times_as_fast"].is_null());
        assert_eq!(json["programs"]["simplessd"]["failed"], "no free block");
        assert_eq!(json["depth"], 32);
        let text = done.text();
        let row = text.lines().find(|line| line.contains("MQSim")).unwrap();
        let cells: Vec<&str> = row.split_whitespace().collect();
        let expected = [
            "MQSim", "1.00", "2.000", "500", "4.00", "0.0100", "100000", "409.6", "-", "1.500",
        ];
        assert_eq!(cells, expected);
        assert!(
            text.ends_with("\n  SimpleSSD failed: no free block\n"),
            "{text}"
        );
    }
}
