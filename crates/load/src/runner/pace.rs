//! Limits that delay a job's requests: rates, thinking, flushes.

use stend_base::exponential::{LN_BITS, minus_ln};
use stend_base::{Nanos, Rng, SimTime};

use super::plan::Plan;
use super::request::{DATASYNC, Next, SYNC, flush};
use crate::jobfile::{Direction, Rate, RateProcess, Spec};

/// Longest time after the start of a job at which a request is due, ns: no run lasts so long.
const DUE_MAX: u64 = u64::MAX / 4;

/// All limits of a job; most jobs have none.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// True if there is any limit, or if the job's writes are noted.
    pub any: bool,
    rates: [Option<RatePace>; 3],
    rate_begin: SimTime,
    /// Requests completed without an error.
    pub completed: u64,
    think: Think,
    /// `number_ios`; the largest number for no limit.
    requests_max: u64,
    requests: u64,
    batch: Batch,
    flush: FlushPace,
}

/// Pauses between the requests.
#[derive(Clone, Copy, Debug, Default)]
struct Think {
    time: Nanos,
    blocks: u64,
    /// True if requests count when they are issued.
    by_issue: bool,
    /// Requests that had counted at the last pause, before those in flight completed.
    before: u64,
    /// True if a request was issued since a pause was last considered.
    considers: bool,
    /// True from the decision on a pause until its end.
    pauses: bool,
}

/// Completions that a job with a full queue waits for.
#[derive(Clone, Copy, Debug, Default)]
struct Batch {
    /// Requests in flight of a full queue.
    full: u32,
    /// Requests in flight at which it is filled again.
    low: u32,
    drains: bool,
}

impl Batch {
    /// As in fio, `iodepth_batch_complete_min` requests are awaited, again and again until no more
    /// than `iodepth_low` are in flight.
    fn new(spec: &Spec) -> Batch {
        let full = spec.iodepth;
        let step = spec.complete_batch.clamp(1, full);
        let low = match spec.iodepth_low {
            0 => full,
            low => low.min(full),
        };
        let steps = (full - low).div_ceil(step).max(1);
        Batch {
            full,
            low: full.saturating_sub(steps.saturating_mul(step)),
            drains: false,
        }
    }

    /// True if completions do not lead to requests one by one.
    fn is_any(self) -> bool {
        self.low + 1 < self.full
    }

    /// True while a job waits for more completions.
    fn holds(&mut self, outstanding: u32) -> bool {
        self.drains &= outstanding > self.low;
        self.drains
    }
}

/// The rate of one direction.
#[derive(Debug)]
enum RatePace {
    /// Each of the requests so far takes the time of its bytes at this rate.
    Linear { bytes_a_second: u64, issued: u64 },
    /// The times between the requests are exponentially distributed.
    Poisson(Poisson),
}

/// A Poisson process.
#[derive(Debug)]
struct Poisson {
    rng: Rng,
    /// Mean time between two requests, in units of 2^-16 ns.
    mean: u128,
    /// Time from the start of the job to the next request, in the same units: without binary
    /// places, each time would be half a nanosecond too short on average.
    due: u128,
}

/// Conditions for flushes between the requests.
#[derive(Clone, Copy, Debug, Default)]
struct FlushPace {
    /// `fsync` and `fdatasync`: a flush after this number of writes; 0 for never.
    every: [u32; 2],
    writes: u64,
    /// True if nothing was issued since the last flush.
    flushed: bool,
}

impl Pace {
    /// The limits of a job; `stream` returns the random stream with a name.
    pub fn new(plan: &Plan<'_>, stream: impl Fn(&str) -> Rng) -> Pace {
        let spec = plan.spec;
        let rates = Direction::ALL.map(|d| {
            let rate = spec.rate[d as usize].filter(|_| spec.rw.uses(d))?;
            let block_bytes = spec.block_sizes[d as usize].min();
            let bytes_a_second = match rate {
                Rate::Bytes(bytes) => bytes,
                Rate::Requests(requests) => requests.saturating_mul(block_bytes),
            };
            Some(match spec.rate_process {
                RateProcess::Linear => RatePace::Linear {
                    bytes_a_second,
                    issued: 0,
                },
                RateProcess::Poisson => {
                    let rng = stream(&format!("arrivals/{}", d.name()));
                    RatePace::Poisson(Poisson::new(block_bytes, bytes_a_second, rng))
                }
            })
        });
        let flushes = [spec.fsync_every, spec.fdatasync_every];
        let batch = Batch::new(spec);
        Pace {
            any: rates.iter().any(Option::is_some)
                || spec.thinktime > Nanos::ZERO
                || spec.number_ios > 0
                || batch.is_any()
                || spec.verifies()
                || flushes != [0, 0],
            batch,
            requests_max: match spec.number_ios {
                0 => u64::MAX,
                // As in fio, the time alone ends such a job.
                _ if spec.time_based => u64::MAX,
                number => number.into(),
            },
            rates,
            think: Think {
                time: spec.thinktime,
                blocks: spec.thinktime_blocks.into(),
                by_issue: spec.thinktime_by_issue,
                ..Think::default()
            },
            flush: FlushPace {
                every: flushes,
                ..FlushPace::default()
            },
            ..Pace::default()
        }
    }

    /// Starts the clock of the rates.
    pub fn start(&mut self, at: SimTime) {
        self.rate_begin = at;
    }

    /// Returns the action before the next request, if there is one: thinking, `fsync` or
    /// `fdatasync`.
    pub fn held(&mut self, now: SimTime, outstanding: u32, last: SimTime) -> Option<Next> {
        if self.batch.holds(outstanding) {
            return Some(Next::Hold);
        }
        if let Some(next) = self.thinks(now, outstanding, last) {
            return Some(next);
        }
        if self.requests >= self.requests_max {
            return Some(Next::Over);
        }
        self.take_flush().map(flush)
    }

    /// Returns the action of a job that thinks: it waits for the requests in flight, the last of
    /// which completed at `last`, then for `thinktime`.
    pub fn thinks(&mut self, now: SimTime, outstanding: u32, last: SimTime) -> Option<Next> {
        let think = &mut self.think;
        if think.time == Nanos::ZERO {
            return None;
        }
        if std::mem::take(&mut think.considers) && !think.pauses {
            let counted = match think.by_issue {
                true => self.requests,
                false => self.completed,
            };
            think.pauses = counted >= think.before + think.blocks;
            if think.pauses {
                think.before = counted;
            }
        }
        if !think.pauses {
            return None;
        }
        if outstanding > 0 {
            return Some(Next::Hold);
        }
        let until = last + think.time;
        if now < until {
            return Some(Next::Wake(until));
        }
        think.pauses = false;
        None
    }

    /// Counts a request that is issued beside others.
    pub fn count(&mut self, direction: Direction, len: u64, outstanding: u32) {
        self.batch.drains = outstanding + 1 == self.batch.full;
        match &mut self.rates[direction as usize] {
            Some(RatePace::Linear { issued, .. }) => *issued += len,
            Some(RatePace::Poisson(process)) => process.draw(),
            None => {}
        }
        self.requests += 1;
        self.think.considers = true;
        self.flush.writes += u64::from(direction == Direction::Write);
        self.flush.flushed = false;
    }

    /// Returns the kind of the flush that is due now. Flushes that are due together are one, of
    /// `fsync`. As in fio, only the number of writes counts, whatever was issued last: each read
    /// after such a write brings a flush.
    fn take_flush(&mut self) -> Option<u8> {
        let flush = &mut self.flush;
        let writes = flush.writes;
        if writes == 0 || flush.flushed {
            return None;
        }
        let at = |&every: &u32| every > 0 && writes.is_multiple_of(u64::from(every));
        let index = flush.every.iter().position(at)?;
        flush.flushed = true;
        Some([SYNC, DATASYNC][index])
    }

    /// The instant at which the next request of a direction is due. A late job catches up.
    pub fn due(&self, direction: Direction) -> SimTime {
        match &self.rates[direction as usize] {
            None => SimTime::ZERO,
            Some(rate) => self.rate_begin + Nanos(rate.due_ns()),
        }
    }
}

impl RatePace {
    /// The time from the start of the job to the next request, ns.
    fn due_ns(&self) -> u64 {
        let ns = match self {
            RatePace::Linear {
                bytes_a_second,
                issued,
            } => u128::from(*issued) * 1_000_000_000 / u128::from(*bytes_a_second),
            RatePace::Poisson(process) => process.due >> Poisson::PLACES,
        };
        u64::try_from(ns).map_or(DUE_MAX, |ns| ns.min(DUE_MAX))
    }
}

impl Poisson {
    /// Binary places of times.
    const PLACES: u32 = 16;

    /// The process of requests of `block_bytes`; the first is due at once.
    fn new(block_bytes: u64, bytes_a_second: u64, rng: Rng) -> Poisson {
        let mean = ((u128::from(block_bytes) * 1_000_000_000) << Self::PLACES)
            / u128::from(bytes_a_second);
        Poisson {
            rng,
            // Nine years, so that the product with a logarithm, of 54 bits, has at most 128 bits.
            mean: mean.min(1 << 74),
            due: 0,
        }
    }

    /// Draws the time to the next request.
    fn draw(&mut self) {
        let exponential = minus_ln(self.rng.next_u64().max(1));
        self.due += (self.mean * u128::from(exponential)) >> LN_BITS;
    }
}
