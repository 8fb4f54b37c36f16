//! Whether a command that has arrived is looked at now: not by a drive that sleeps, and by
//! one that is too warm only for a share of the time.
//!
//! A throttled drive works and rests in turn. It admits commands for the share of a period;
//! then it waits until all that was admitted has ended, however large that was, and rests
//! for so long that its work was the share of the whole. So the share holds for small
//! commands and for large ones, and for any number of them at once.
//!
//! Most drives never do either; they pay for one look at a flag.

use stend_base::{Lane, Nanos, SimTime};

use crate::sim::power::thermal::WHOLE_PPM;
use crate::sim::{SimDrive, kind};

/// Work and rest of a throttled drive.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Admission {
    /// When it last began to admit commands, and until when it did.
    opened_at: SimTime,
    closes_at: SimTime,
    /// When all that was admitted had ended.
    drained_at: SimTime,
    /// The command that has arrived waits for this.
    held: bool,
}

impl SimDrive {
    /// Whether the command at hand has to wait; if so, it comes again.
    #[cold]
    pub(in crate::sim) fn arrival_waits(&mut self) -> bool {
        self.heat_resumes();
        let now = self.now();
        let awake = self.wake();
        if awake > now {
            self.arrives_again(awake);
            return true;
        }
        self.woke();
        if self.share_ppm() == WHOLE_PPM {
            self.holds_arrivals = false;
            return false;
        }
        if now < self.admission.closes_at {
            return false;
        }
        if self.commands.any() {
            self.admission.held = true;
            return true;
        }
        let rested = self.rested_at();
        if rested > now {
            self.arrives_again(rested);
            return true;
        }
        self.admission_opens();
        false
    }

    fn arrives_again(&mut self, at: SimTime) {
        self.env.queue.schedule(Lane::Arrival, at, kind::ARRIVAL, 0);
    }

    /// Begins to admit commands for the share of a period.
    pub(in crate::sim) fn admission_opens(&mut self) {
        let spec = self.env.spec.thermal.as_ref().expect("it is throttled");
        let open = spec.period.0 * u64::from(self.share_ppm()) / u64::from(WHOLE_PPM);
        let now = self.now();
        self.admission.opened_at = now;
        self.admission.closes_at = now + Nanos(open);
        self.admission.drained_at = now;
    }

    /// When the work since the last opening has been the share of the time.
    fn rested_at(&self) -> SimTime {
        let Admission {
            opened_at,
            drained_at,
            ..
        } = self.admission;
        let share = u128::from(self.share_ppm());
        let worked = u128::from(drained_at.since(opened_at).0);
        let whole = (worked * u128::from(WHOLE_PPM) / share) as u64;
        (opened_at + Nanos(whole)).max(self.admission.closes_at)
    }

    /// All that was admitted has ended.
    #[cold]
    pub(in crate::sim) fn commands_drained(&mut self) {
        self.admission.drained_at = self.now();
        if std::mem::replace(&mut self.admission.held, false) {
            let at = match self.share_ppm() {
                WHOLE_PPM => self.now(),
                _ => self.rested_at().max(self.now()),
            };
            self.arrives_again(at);
        }
    }
}
