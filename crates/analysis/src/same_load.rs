//! The same load in two tests: differences between its figures, and possible causes.

use stend_language::{say, text};
use stend_record::load::Load;
use stend_record::review::{Point, Review, TargetKind};

use crate::figures::{Interval, Standing};
use crate::load::in_full;
use crate::words;

/// Figures of one load are the same if they differ by at most this share of the least.
pub const SAME_SHARE: f64 = 0.10;

/// A load that several tests measured with different figures.
#[derive(Clone, Debug, PartialEq)]
pub struct UnlikeLoad {
    /// The load.
    pub load: Load,
    /// Figure of each test, in their order.
    pub figures: Vec<LoadFigure>,
    /// Possible causes; empty if no difference between the tests is known.
    pub causes: Vec<Cause>,
}

/// The figure of a load in one test.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadFigure {
    /// Id of the test.
    pub test_id: String,
    /// Title of the test, for people.
    pub title: String,
    /// Requests a second.
    pub iops: f64,
    /// Bytes a second.
    pub bw_bytes_per_s: f64,
    /// Id of the state that the point started from, if known.
    pub state: Option<String>,
    /// Duration of the measurement, s.
    pub duration_s: f64,
}

/// Cause of different figures of one load in two tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The tests start from different states.
    State,
    /// They were measured for different times.
    Duration,
    /// On one target, each test found the state that earlier measurements had left.
    Order,
    /// The target is a file: the host's cache or the file system may have answered.
    Host,
}

impl Cause {
    /// Returns a phrase for people, for the end of a sentence.
    pub fn words(self) -> String {
        say(match self {
            Cause::State => "unlike-cause-state",
            Cause::Duration => "unlike-cause-duration",
            Cause::Order => "unlike-cause-order",
            Cause::Host => "unlike-cause-host",
        })
    }
}

impl UnlikeLoad {
    /// Returns the greatest figure divided by the least.
    pub fn ratio(&self) -> f64 {
        let speeds = || self.figures.iter().map(|figure| figure.bw_bytes_per_s);
        speeds().fold(0.0, f64::max) / speeds().fold(f64::INFINITY, f64::min)
    }

    /// Formats a sentence: `Random write, 4 KiB, depth 1, 1 thread: 9,196 IOPS in "A", 22,700 in
    /// "B"; …`.
    pub fn words(&self) -> String {
        let figures = self.figures.iter().map(|figure| {
            let speed = words::number(figure.iops);
            text!("unlike-figure", speed = speed, test = &figure.title)
        });
        let figures: Vec<String> = figures.collect();
        let causes: Vec<String> = self.causes.iter().map(|c| c.words()).collect();
        let why = match causes.is_empty() {
            true => say("unlike-nothing"),
            false => words::list(&causes),
        };
        text!(
            "unlike-load",
            load = words::capitalised(&in_full(self.load)),
            figures = words::list(&figures),
            why = why
        )
    }
}

/// Returns the loads that several tests of a review's own target measured as points and whose
/// figures differ: by more than [`SAME_SHARE`] or, if repeated, by more than their intervals. In
/// the order of the tests.
pub fn unlike_loads(review: &Review) -> Vec<UnlikeLoad> {
    let mut found: Vec<(UnlikeLoad, Vec<&Point>)> = Vec::new();
    for test in &review.tests {
        for point in test.points() {
            let figure = LoadFigure {
                test_id: test.id.clone(),
                title: test.name(),
                iops: point.iops,
                bw_bytes_per_s: point.bw_bytes_per_s,
                state: point.state.clone(),
                duration_s: point.duration_s,
            };
            let known = found.iter_mut().find(|(other, _)| other.load == point.load);
            match known {
                // The same load twice in one test is not compared.
                Some((other, _)) if other.figures.iter().any(|f| f.test_id == test.id) => {}
                Some((other, points)) => {
                    other.figures.push(figure);
                    points.push(point);
                }
                None => found.push((
                    UnlikeLoad {
                        load: point.load,
                        figures: vec![figure],
                        causes: Vec::new(),
                    },
                    vec![point],
                )),
            }
        }
    }
    let unlike = found.into_iter().filter(|(_, points)| differ(points));
    unlike
        .map(|(load, _)| UnlikeLoad {
            causes: causes(review, &load.figures),
            ..load
        })
        .collect()
}

/// True if the figures of some points differ by more than noise.
fn differ(points: &[&Point]) -> bool {
    let by_speed = |a: &&&Point, b: &&&Point| a.bw_bytes_per_s.total_cmp(&b.bw_bytes_per_s);
    let (Some(least), Some(most)) = (
        points.iter().min_by(by_speed),
        points.iter().max_by(by_speed),
    ) else {
        return false;
    };
    let interval = |point: &Point| Interval::of(&point.repeated_iops);
    match interval(most).zip(interval(least)) {
        Some((most, least)) => {
            let figure = |interval: Interval| (interval.mean, Some(interval.half_width));
            Standing::sure(figure(most), figure(least)) == Standing::Ahead
        }
        None => most.bw_bytes_per_s - least.bw_bytes_per_s > SAME_SHARE * least.bw_bytes_per_s,
    }
}

fn causes(review: &Review, figures: &[LoadFigure]) -> Vec<Cause> {
    let differ = |same: &dyn Fn(&LoadFigure, &LoadFigure) -> bool| {
        figures.windows(2).any(|pair| !same(&pair[0], &pair[1]))
    };
    let copied = review.target.kind == TargetKind::Simulated;
    let on_a_file = matches!(review.target.kind, TargetKind::File | TargetKind::Directory);
    let known = [
        (Cause::State, differ(&|a, b| a.state == b.state)),
        (
            Cause::Duration,
            differ(&|a, b| a.duration_s == b.duration_s),
        ),
        (Cause::Order, !copied),
        (Cause::Host, on_a_file),
    ];
    let known = known.into_iter().filter(|(_, holds)| *holds);
    known.map(|(cause, _)| cause).collect()
}
