//! The cases, and the requests of each, which are the same in every program.

use stend_base::{Nanos, Op};
use stend_config::FileError;
use stend_load::trace::{Requests, Trace, TraceRequest};

use super::drive::Drive;

/// State of a drive before the requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// New: nothing was ever written.
    Fresh,
    /// Written once, sequentially.
    Filled,
    /// Filled, then the same amount written at random.
    Overwritten,
}

/// Pacing of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// As soon as fewer than this are outstanding.
    Depth(u32),
    /// At intervals of this number of ns, independent of outstanding requests.
    Interval(u64),
}

/// A case of the benchmark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Short name.
    pub name: &'static str,
    /// State of the drive before the requests.
    pub state: State,
    /// Operation: reads or writes.
    pub op: Op,
    /// True if offsets are sequential from byte 0, false if random.
    pub sequential: bool,
    /// Bytes of a request.
    pub bytes: u64,
    /// Pacing of the requests.
    pub pace: Pace,
    /// Number of requests.
    pub requests: u64,
    /// Bytes that the host can address.
    pub capacity_bytes: u64,
    /// Seed of the random offsets.
    pub seed: u64,
}

const KIB: u64 = 1024;

/// All cases, ordered by the preparation that they need.
pub fn all(drive: &Drive, requests: u64, depth: u32, seed: u64) -> Vec<Case> {
    // A request takes about tR, its transfer and the drive's overhead: less than half of this.
    let interval_ns = 4 * drive.read_ns.iter().max().copied().unwrap_or(0);
    let case = |name, state, op, sequential, bytes, pace| Case {
        name,
        state,
        op,
        sequential,
        bytes,
        pace,
        requests: match sequential {
            true => requests.min(drive.user_bytes / bytes),
            false => requests,
        },
        capacity_bytes: drive.user_bytes,
        seed,
    };
    let (reads, paced) = ("random-read", "random-read-paced");
    let depth = Pace::Depth(depth);
    let interval = Pace::Interval(interval_ns);
    vec![
        case(
            "sequential-write",
            State::Fresh,
            Op::Write,
            true,
            128 * KIB,
            depth,
        ),
        case(reads, State::Filled, Op::Read, false, 4 * KIB, depth),
        case(paced, State::Filled, Op::Read, false, 4 * KIB, interval),
        case(
            "random-write",
            State::Overwritten,
            Op::Write,
            false,
            4 * KIB,
            depth,
        ),
    ]
}

impl Case {
    /// Describes the case.
    pub fn words(&self) -> String {
        let order = match self.sequential {
            true => "sequential",
            false => "random",
        };
        let op = match self.op {
            Op::Read => "reads",
            _ => "writes",
        };
        let state = match self.state {
            State::Fresh => "on the fresh drive",
            State::Filled => "on the drive filled in order",
            State::Overwritten => "on the drive filled in order and overwritten once at random",
        };
        let pace = match self.pace {
            Pace::Depth(depth) => format!("{depth} outstanding"),
            Pace::Interval(ns) => format!("one every {} us", ns as f64 / 1e3),
        };
        format!(
            "{} {order} {op} of {} KiB, {pace}, {state}",
            self.requests,
            self.bytes / KIB
        )
    }

    /// Bytes of all requests.
    pub fn total_bytes(&self) -> u64 {
        self.requests * self.bytes
    }

    /// Returns the request `index`. If times do not matter, requests are 1 ns apart, so that a
    /// program that follows times has all of them queued at once.
    pub fn request(&self, index: u64) -> TraceRequest {
        let places = (self.capacity_bytes / self.bytes).max(1);
        let place = match self.sequential {
            true => index % places,
            // Scales the 64-bit number to the number of places.
            false => {
                let drawn = u128::from(drawn(self.seed, index)) * u128::from(places);
                (drawn >> 64) as u64
            }
        };
        let interval_ns = match self.pace {
            Pace::Depth(_) => 1,
            Pace::Interval(ns) => ns,
        };
        TraceRequest {
            at: Nanos((index + 1) * interval_ns),
            op: self.op,
            offset_bytes: place * self.bytes,
            len_bytes: self.bytes,
            fua: false,
            line: index + 1,
        }
    }
}

impl Trace for Case {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn requests(&self) -> Result<Requests<'_>, FileError> {
        Ok(Box::new((0..self.requests).map(|i| Ok(self.request(i)))))
    }
}

/// A 64-bit number that depends on both arguments: SplitMix64 (Steele et al., OOPSLA 2014). Its
/// states are equally spaced, so that each number can be computed without its predecessors.
fn drawn(seed: u64, index: u64) -> u64 {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    let state = mixed(seed).wrapping_add(GOLDEN.wrapping_mul(index + 1));
    mixed(state)
}

fn mixed(mut state: u64) -> u64 {
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::bench::drive::tests::drive;

    #[test]
    fn requests_lie_within_the_drive_and_depend_on_the_seed() {
        let drive = drive();
        for case in all(&drive, 5_000, 32, 1) {
            let mut last = Nanos::ZERO;
            for request in case.requests().unwrap() {
                let request = request.unwrap();
                let end = request.offset_bytes + request.len_bytes;
                assert!(end <= drive.user_bytes, "{request:?}");
                assert_eq!(request.offset_bytes % request.len_bytes, 0);
                assert!(request.at >= last);
                last = request.at;
            }
            let other = Case {
                seed: 2,
                ..case.clone()
            };
            let differs = (0..100).any(|i| case.request(i) != other.request(i));
            assert_eq!(differs, !case.sequential, "{}", case.name);
        }
    }

    #[test]
    fn random_places_are_uniform() {
        let case = all(&drive(), 80_000, 32, 7).remove(1);
        let mut eighths = [0_u32; 8];
        for index in 0..case.requests {
            let offset = case.request(index).offset_bytes;
            eighths[(offset * 8 / case.capacity_bytes) as usize] += 1;
        }
        // The expected count is 10,000 each, with a standard deviation of about 94.
        assert!(
            eighths.iter().all(|n| n.abs_diff(10_000) < 500),
            "{eighths:?}"
        );
    }

    #[test]
    fn a_sequential_case_ends_with_the_drive() {
        let drive = drive();
        let case = all(&drive, u64::MAX, 32, 1).remove(0);
        assert_eq!(case.requests, drive.user_bytes / case.bytes);
    }
}
