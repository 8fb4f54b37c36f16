//! The beginning of a trace, for a shortened run.

use stend_base::Nanos;
use stend_config::FileError;
use stend_language::{Text, recorded};

use super::{Requests, Summary, Timing, Trace};

/// Length of the shortest beginning of a trace if times matter, as for every run: 1 s.
const TIME_MIN: Nanos = Nanos(1_000_000_000);

/// Length of the beginning of a trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    end: End,
    /// Summary of the whole trace.
    whole: Summary,
}

/// End of a beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The beginning ends before the first request after this time.
    Time(Nanos),
    /// The beginning ends after this number of requests.
    Requests(u64),
}

impl Extent {
    /// The first `share` of a trace with the summary `whole`: of its time, at least 1 s; of its
    /// requests if times do not matter; in any case up to the first read or write. `None` for the
    /// whole trace.
    pub fn of(whole: &Summary, share: f64, timing: Timing) -> Option<Extent> {
        let (data_at, data_nth) = whole.first_data?;
        let end = match timing {
            Timing::Fast => {
                let requests = whole.requests.iter().sum::<u64>();
                let first = ((requests as f64 * share).ceil() as u64).max(data_nth);
                (first < requests).then_some(End::Requests(first))
            }
            Timing::Original | Timing::Busy => {
                let time = Nanos((whole.duration.0 as f64 * share) as u64);
                let time = time.max(TIME_MIN).max(data_at);
                (time < whole.duration).then_some(End::Time(time))
            }
        };
        let whole = *whole;
        end.map(|end| Extent { end, whole })
    }

    /// The share of the trace, 0 to 1: of its time, or of its requests.
    pub fn share(&self) -> f64 {
        match self.end {
            End::Time(end) => end.0 as f64 / self.whole.duration.0 as f64,
            End::Requests(end) => end as f64 / self.whole.requests.iter().sum::<u64>() as f64,
        }
    }

    /// Description of the replayed part.
    pub fn describe(&self) -> Text {
        let share = format!("{:.2}", self.share() * 100.0);
        let share = share.trim_end_matches('0').trim_end_matches('.');
        match self.end {
            End::Time(end) => recorded!(
                "limit-beginning-time",
                share = share,
                part = format!("{:.1}", end.as_secs_f64()),
                whole = format!("{:.1}", self.whole.duration.as_secs_f64())
            ),
            End::Requests(end) => recorded!(
                "limit-beginning",
                share = share,
                part = end,
                whole = self.whole.requests.iter().sum::<u64>()
            ),
        }
    }
}

/// The first requests of a trace: up to the end of an [`Extent`].
pub struct Beginning<'t> {
    /// The whole trace.
    pub trace: &'t dyn Trace,
    /// The part of it; `None` for the whole trace.
    pub extent: Option<Extent>,
}

impl Trace for Beginning<'_> {
    fn name(&self) -> String {
        self.trace.name()
    }

    fn requests(&self) -> Result<Requests<'_>, FileError> {
        let requests = self.trace.requests()?;
        let Some(extent) = self.extent else {
            return Ok(requests);
        };
        let (mut last, mut taken) = (Nanos::ZERO, 0);
        Ok(Box::new(requests.take_while(move |request| {
            let Ok(request) = request else {
                return true;
            };
            last = last.max(request.at);
            let ends = match extent.end {
                End::Time(end) => last > end,
                End::Requests(end) => taken >= end,
            };
            taken += u64::from(!ends);
            !ends
        })))
    }
}
