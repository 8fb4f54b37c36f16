//! A target that may only be read: which tests are left of an edition, and what is said of
//! those that are not.

use stend_record::review::{Condition, PointOp};

use crate::edition::{Load, TestKind};

/// Whether a load reads and nothing else. A mixed one does not count with all of its requests
/// reads either: fio takes its job for one that writes.
pub(crate) fn only_reads(load: &Load) -> bool {
    load.op == PointOp::Read
}

/// Why a test cannot be done without writing; `None` if it, or a part of it, can.
pub(crate) fn missing(kind: &TestKind) -> Option<String> {
    let what = match kind {
        TestKind::Sweeps(sweeps) => {
            let mut loads = sweeps.iter().flat_map(|sweep| &sweep.loads);
            if loads.any(only_reads) {
                return None;
            }
            "every point of it writes or mixes"
        }
        TestKind::Curve(curve) if only_reads(&curve.load) => return None,
        TestKind::Rounds(rounds) if rounds.loads.iter().all(only_reads) => return None,
        TestKind::Curve(_) | TestKind::Rounds(_) | TestKind::Ladder(_) | TestKind::Endurance(_) => {
            "it writes"
        }
        TestKind::Continue(_) => "it goes on with a drive that was written, and gives it TRIM",
        TestKind::Response(_) => "it writes a file and gives its space TRIM",
        TestKind::Benchmark(_) => "it writes its file first",
        TestKind::Traces(_) => "its traces write",
        TestKind::Files(_) => "it makes files",
    };
    Some(format!(
        "left out: {what}, and the target was opened with --read-only"
    ))
}

/// What is said of a test without some of its points.
pub(crate) fn left_out(points: usize) -> String {
    let (points, are) = match points {
        1 => ("one point".to_owned(), "is"),
        n => (format!("{n} points"), "are"),
    };
    format!(
        "{points} of this test that {} {are} left out: the target was opened with --read-only",
        if are == "is" {
            "writes"
        } else {
            "write or mix"
        }
    )
}

/// How the target was prepared: not at all.
pub(crate) fn conditions(pause_s: f64) -> [Condition; 2] {
    let condition = |name: &str, value: String| Condition {
        name: name.to_owned(),
        value,
    };
    [
        condition(
            "preparation",
            "none, by --read-only: nothing was written and no TRIM given, the state is what it was; \
             the edition's states were not made, so that figures are not those of the edition. \
             Where a drive knows that nothing was written, it answers reads without its flash"
                .to_owned(),
        ),
        condition(
            "order",
            format!(
                "one drive: the points that only read, one after the other; between two tests it \
                 rests {pause_s:.0} s"
            ),
        ),
    ]
}
