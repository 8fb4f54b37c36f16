//! What the engine reports while it works. It prints nothing itself.

use stend_load::target::TargetError;
use stend_record::review::TestResult;

use crate::cost::Cost;

/// Something happened. With several threads, events of different tests interleave;
/// shares of work done never fall.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// It is known what is to be done; told once, before anything is.
    Planned {
        /// The cost of everything.
        whole: Cost,
        /// Whether it happens in virtual time.
        simulated: bool,
    },
    /// A repetition of all tests begins, where there are several.
    Repetition {
        /// Its number, from 0.
        number: u32,
        /// How many there are.
        count: u32,
    },
    /// Work begins of which nothing is measured.
    Preparing {
        /// Id of the state that is being made, or of the test that this is a part of.
        state: &'a str,
        /// What is done, `filling`.
        step: &'a str,
        /// What this costs.
        part: Cost,
        /// What is left of the whole work, with this.
        left: Cost,
        /// Share of the whole work that is done, by estimated cost, 0 to 1.
        share_done: f64,
    },
    /// A test begins.
    TestStarted {
        /// Id of the test.
        test: &'a str,
        /// Its title.
        title: &'a str,
    },
    /// A point or a curve begins.
    PointStarted {
        /// Id of the test.
        test: &'a str,
        /// `random read, 4 KiB, queue depth 8`.
        point: &'a str,
        /// What this costs.
        part: Cost,
        /// What is left of the whole work, with this.
        left: Cost,
    },
    /// A curve is measured up to an instant: told only if
    /// [`crate::ReviewOptions::curves_grow`], and of targets that know it before the end, which are
    /// simulated drives that never throttle, and real ones where the kernel counts.
    CurveGrew {
        /// Id of the test.
        test: &'a str,
        /// As in [`Event::PointStarted`].
        curve: &'a str,
        /// The instant, s since the curve's beginning.
        t_s: f64,
        /// Requests a second since the last such event.
        iops: f64,
        /// Whether it is counted otherwise than the result will be.
        preliminary: bool,
    },
    /// A curve is measured: what takes the place of [`Event::CurveGrew`], and is told under the
    /// same condition.
    CurveMeasured {
        /// Id of the test.
        test: &'a str,
        /// As in [`Event::PointStarted`].
        curve: &'a str,
        /// Ends of intervals, s since the curve's beginning, and requests a second in them.
        points: &'a [(f64, f64)],
    },
    /// A point or a curve is measured.
    PointFinished {
        /// Id of the test.
        test: &'a str,
        /// As in [`Event::PointStarted`].
        point: &'a str,
        /// What is left of the whole work.
        left: Cost,
        /// Share of the whole work that is done, by estimated cost, 0 to 1.
        share_done: f64,
    },
    /// A test is complete.
    TestFinished {
        /// Its result.
        result: &'a TestResult,
        /// Share of the whole work that is done, by estimated cost, 0 to 1.
        share_done: f64,
    },
    /// A test will not be complete.
    TestFailed {
        /// Id of the test.
        test: &'a str,
        /// Why.
        error: &'a TargetError,
    },
    /// Something the user should know.
    Warning {
        /// What, why, and what to do.
        text: &'a str,
    },
}
