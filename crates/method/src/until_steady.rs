//! A state that is made by writing until the speed is steady.

use stend_analysis::steady::{DRIFT_SHARE_MAX, SPREAD_SHARE_MAX, WINDOW, Window};
use stend_target::{Target, TargetError};

use crate::edition::Load;
use crate::outcome;
use crate::run::Runner;

impl Runner<'_> {
    /// Writes round after round; an error where the speed does not become steady, so that no
    /// test starts from a state that is not what it is called.
    pub(crate) fn until_steady(
        &self,
        target: &mut dyn Target,
        state: &str,
        load: &Load,
        round_s: f64,
        rounds_max: u32,
    ) -> Result<(), TargetError> {
        let runtime_s = self.plan.runtime_s(round_s);
        let mut speeds = Vec::new();
        for round in 1..=rounds_max {
            let seed_name = format!("steady/{state}/round-{round}");
            let done = self.job(target, load, &seed_name, Some(runtime_s), 0)?;
            let point = outcome::point(load, runtime_s, self.plan.capacity_bytes, &done)?;
            speeds.push(point.iops);
            if let Some(window) = Window::last(&speeds).filter(Window::is_steady) {
                self.recorder.note(
                    format!("steady state of `{state}`"),
                    format!(
                        "reached after {round} rounds of {runtime_s} s of {}, at {:.0} IOPS: {}",
                        load.describe(),
                        window.mean,
                        shape(&window)
                    ),
                );
                return Ok(());
            }
        }
        let last = Window::last(&speeds).map_or_else(String::new, |w| format!(" ({})", shape(&w)));
        Err(TargetError::Failed(format!(
            "state `{state}`: steady state not achieved in {rounds_max} rounds of {runtime_s} s{last}; longer rounds (`round_s`) scatter less"
        )))
    }
}

fn shape(window: &Window) -> String {
    format!(
        "over the last {WINDOW} rounds greatest less least is {:.1} % of the mean (at most {:.0} %), the rise of the line {:.1} % (at most {:.0} %)",
        100.0 * window.spread_share,
        100.0 * SPREAD_SHARE_MAX,
        100.0 * window.drift_share,
        100.0 * DRIFT_SHARE_MAX
    )
}
