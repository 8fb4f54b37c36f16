//! Throttling of arrivals: a drive that is too warm admits commands for a share of the time.
//!
//! A throttled drive works and rests in turn. It admits commands for the share of a period. Then it
//! waits until all admitted commands have ended, however long they take, and rests until the time
//! of this work is the share of the whole. So the share holds for commands of any size and for any
//! queue depth.

use stend_base::{Nanos, SimTime};

use stend_model::spec::WHOLE_PPM;

/// State of a drive that works and rests in turn.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct ArrivalThrottle {
    /// Start and end of the last interval in which commands are admitted.
    opened_at: SimTime,
    closes_at: SimTime,
    /// Instant at which all admitted commands had ended.
    drained_at: SimTime,
    /// True if an arrival waits until all admitted commands have ended.
    held: bool,
}

/// Decision on a command that arrives at a throttled drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Admitted,
    /// The command waits until all admitted commands have ended.
    Held,
    /// The command arrives again at this instant.
    Again(SimTime),
}

impl ArrivalThrottle {
    /// Begins to admit commands for a share of a period, in parts per million.
    pub fn open(&mut self, now: SimTime, period: Nanos, share_ppm: u32) {
        let open = period.0 * u64::from(share_ppm) / u64::from(WHOLE_PPM);
        self.opened_at = now;
        self.closes_at = now + Nanos(open);
        self.drained_at = now;
    }

    /// Decides on a command that arrives; `others`: commands are in the drive.
    pub fn arrival(
        &mut self,
        now: SimTime,
        period: Nanos,
        share_ppm: u32,
        others: bool,
    ) -> Verdict {
        if now < self.closes_at {
            return Verdict::Admitted;
        }
        if others {
            self.held = true;
            return Verdict::Held;
        }
        let rested = self.rested_at(share_ppm);
        if rested > now {
            return Verdict::Again(rested);
        }
        self.open(now, period, share_ppm);
        Verdict::Admitted
    }

    /// Instant after which the drive's work is the share of the time since it opened.
    fn rested_at(&self, share_ppm: u32) -> SimTime {
        let worked = u128::from(self.drained_at.since(self.opened_at).0);
        let whole = (worked * u128::from(WHOLE_PPM) / u128::from(share_ppm)) as u64;
        (self.opened_at + Nanos(whole)).max(self.closes_at)
    }

    /// Notes that all admitted commands have ended. Returns the instant at which the held arrival
    /// comes again, if there is one.
    pub fn drained(&mut self, now: SimTime, share_ppm: u32) -> Option<SimTime> {
        self.drained_at = now;
        std::mem::take(&mut self.held).then(|| match share_ppm {
            WHOLE_PPM => now,
            _ => self.rested_at(share_ppm).max(now),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: Nanos = Nanos(1_000);
    const QUARTER_PPM: u32 = WHOLE_PPM / 4;

    fn opened() -> ArrivalThrottle {
        let mut throttle = ArrivalThrottle::default();
        throttle.open(SimTime(5_000), PERIOD, QUARTER_PPM);
        throttle
    }

    #[test]
    fn commands_are_admitted_for_the_share_of_a_period() {
        let mut throttle = opened();
        let mut arrival = |at| throttle.arrival(SimTime(at), PERIOD, QUARTER_PPM, true);
        assert_eq!(arrival(5_249), Verdict::Admitted);
        assert_eq!(arrival(5_250), Verdict::Held);
    }

    #[test]
    fn rest_makes_the_work_the_share_of_the_time() {
        let mut throttle = opened();
        let arrival = |throttle: &mut ArrivalThrottle, at, others| {
            throttle.arrival(SimTime(at), PERIOD, QUARTER_PPM, others)
        };
        assert_eq!(arrival(&mut throttle, 5_400, true), Verdict::Held);
        // 600 ns of work are a quarter of 2,400.
        let again = throttle.drained(SimTime(5_600), QUARTER_PPM);
        assert_eq!(again, Some(SimTime(7_400)));
        let early = arrival(&mut throttle, 7_399, false);
        assert_eq!(early, Verdict::Again(SimTime(7_400)));
        assert_eq!(arrival(&mut throttle, 7_400, false), Verdict::Admitted);
        // It has opened again.
        assert_eq!(arrival(&mut throttle, 7_649, true), Verdict::Admitted);
        assert_eq!(arrival(&mut throttle, 7_650, true), Verdict::Held);
    }

    #[test]
    fn a_held_arrival_comes_at_once_when_throttling_has_ended() {
        let mut throttle = opened();
        assert_eq!(throttle.drained(SimTime(5_100), WHOLE_PPM), None);
        throttle.arrival(SimTime(5_300), PERIOD, QUARTER_PPM, true);
        let again = throttle.drained(SimTime(5_600), WHOLE_PPM);
        assert_eq!(again, Some(SimTime(5_600)));
        assert_eq!(throttle.drained(SimTime(5_700), WHOLE_PPM), None);
    }
}
