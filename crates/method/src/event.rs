//! Events that the engine reports while it works. It prints nothing itself.

use stend_load::target::TargetError;
use stend_record::review::TestResult;
use stend_record::review::Text;

use crate::cost::Cost;

/// An event of a review. With several threads, events of different tests interleave; shares of
/// finished work never decrease.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// The plan is complete; reported once, before any work.
    Planned {
        /// Cost of all work.
        whole: Cost,
        /// True if it happens in virtual time.
        simulated: bool,
    },
    /// A repetition of all tests begins; only if there are several.
    Repetition {
        /// Number of the repetition, from 0.
        number: u32,
        /// Number of all repetitions.
        count: u32,
    },
    /// Work begins that is not measured.
    Preparing {
        /// Id of the state that is being prepared, or of the test that this is a part of.
        state: &'a str,
        /// The step, `filling`.
        step: &'a str,
        /// Cost of this step.
        part: Cost,
        /// Cost of the remaining work, including this.
        left: Cost,
        /// Finished share of all work, by estimated cost, 0 to 1.
        share_done: f64,
    },
    /// A test begins.
    TestStarted {
        /// Id of the test.
        test: &'a str,
        /// Its title.
        title: &'a Text,
    },
    /// A point or a curve begins.
    PointStarted {
        /// Id of the test.
        test: &'a str,
        /// `random read, 4 KiB, queue depth 8`.
        point: &'a Text,
        /// Cost of this point or curve.
        part: Cost,
        /// Cost of the remaining work, including this.
        left: Cost,
    },
    /// A curve has grown; reported only if [`crate::ReviewOptions::curves_grow`] is set, and only
    /// for targets that know it before the end: simulated drives that never throttle, and real ones
    /// for which the kernel counts.
    CurveGrew {
        /// Id of the test.
        test: &'a str,
        /// The curve, in the form of [`Event::PointStarted`].
        curve: &'a str,
        /// Time, s since the curve's start.
        t_s: f64,
        /// Requests a second since the last such event.
        iops: f64,
        /// True if it is counted in another way than the result.
        preliminary: bool,
        /// Cost of the remaining work, without the measured part of this curve.
        left: Cost,
        /// Finished share of all work, by estimated cost, 0 to 1.
        share_done: f64,
    },
    /// The part that began last has made progress, by the bytes that it has moved: a fill, a file
    /// that is written, or a curve that ends with its range; reported under the same condition as
    /// [`Event::CurveGrew`], which reports the others.
    Advanced {
        /// Share of the part that is done, 0 to 1.
        part_share: f64,
        /// Cost of the remaining work, without the finished share of this part.
        left: Cost,
        /// Finished share of all work, by estimated cost, 0 to 1.
        share_done: f64,
    },
    /// A curve is measured: replaces its [`Event::CurveGrew`], and is reported under the same
    /// condition.
    CurveMeasured {
        /// Id of the test.
        test: &'a str,
        /// The curve, in the form of [`Event::PointStarted`].
        curve: &'a str,
        /// Ends of intervals, s since the curve's start, and requests a second in them.
        points: &'a [(f64, f64)],
    },
    /// A point or a curve is measured.
    PointFinished {
        /// Id of the test.
        test: &'a str,
        /// The point or curve, in the form of [`Event::PointStarted`].
        point: &'a Text,
        /// Cost of the remaining work.
        left: Cost,
        /// Finished share of all work, by estimated cost, 0 to 1.
        share_done: f64,
    },
    /// A test is complete.
    TestFinished {
        /// Its result.
        result: &'a TestResult,
        /// Finished share of all work, by estimated cost, 0 to 1.
        share_done: f64,
    },
    /// A test failed.
    TestFailed {
        /// Id of the test.
        test: &'a str,
        /// The error.
        error: &'a TargetError,
    },
    /// A warning for the user.
    Warning {
        /// Problem, reason and advice.
        text: &'a Text,
    },
}
