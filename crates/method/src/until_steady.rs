//! A state that is made by writing until the speed is steady.

use stend_analysis::steady::{Window, start_words};
use stend_record::review::SteadyStart;
use stend_target::{Target, TargetError};

use crate::conditions::STEADY_STATE;
use crate::edition::Load;
use crate::outcome::{self, written_bytes};
use crate::rounds::round_load;
use crate::run::Runner;

/// How a state is written until it is steady.
pub(crate) struct Rounds<'a> {
    pub(crate) load: &'a Load,
    pub(crate) round_s: f64,
    pub(crate) rounds_max: u32,
    /// Whether it is an error where the speed does not become steady.
    pub(crate) required: bool,
}

impl Runner<'_> {
    /// Writes round after round. Where the speed must become steady and does not, it is an
    /// error, so that no test starts from a state that is not what it is called.
    pub(crate) fn until_steady(
        &self,
        target: &mut dyn Target,
        state: &str,
        rounds: &Rounds<'_>,
    ) -> Result<(), TargetError> {
        let load = rounds.load;
        let runtime_s = self.plan.runtime_s(rounds.round_s);
        let mut speeds = Vec::new();
        let mut written = 0;
        let mut steady = None;
        while steady.is_none() && speeds.len() < rounds.rounds_max as usize {
            let seed_name = format!("steady/{state}/round-{}", speeds.len() + 1);
            let done = self.job(target, load, &seed_name, Some(runtime_s), 0)?;
            let point = outcome::point(load, runtime_s, self.plan.capacity_bytes, &done)?;
            written += written_bytes(&done);
            speeds.push(point.iops);
            steady = Window::last(&speeds).filter(Window::is_steady);
        }
        let last = steady.or_else(|| Window::last(&speeds));
        let start = SteadyStart {
            state: state.to_owned(),
            load: round_load(load),
            round_s: runtime_s as f64,
            rounds: speeds.len() as u32,
            written_bytes: written,
            reached: steady.is_some(),
            iops_mean: last.map_or(0.0, |w| w.mean),
            spread_share: last.map_or(0.0, |w| w.spread_share),
            drift_share: last.map_or(0.0, |w| w.drift_share),
        };
        if rounds.required && !start.reached {
            return Err(TargetError::Failed(format!(
                "state `{state}`: {}; longer rounds (`round_s`) scatter less",
                start_words(&start)
            )));
        }
        self.recorder
            .note(format!("{STEADY_STATE}`{state}`"), start_words(&start));
        self.recorder.made_steady(start);
        Ok(())
    }
}
