//! Flushes and power-loss protection, simultaneous reads and writes, and short writes.

use stend_language::{say, text};

use super::margins::{Ends, around};
use super::words::{fixed, speed, us};
use crate::observed::{Flush, Observed};
use crate::property::Property;

pub(super) fn properties(seen: &Observed) -> Vec<Property> {
    let mut properties = flushes(seen);
    properties.push(half_duplex(seen));
    properties.push(short_writes(seen));
    properties
}

/// A shorter flush, ns, has not waited for a program of flash: even the fastest SLC programs take
/// longer. Assumed: the margin; a smaller time misses protected drives with slow firmware.
const NO_PROGRAM_NS: f64 = 75_000.0;

/// Ends for the time of a flush: of the fastest, and of the flush after a single write. Assumed:
/// flushes differ by the work that they find under way.
const FLUSH_ENDS: Ends = (0.5, 2.0);

fn flushes(seen: &Observed) -> Vec<Property> {
    let (time, program, protection, ignored) = (
        "flush-latency-ns",
        "program-ns",
        "power-loss-protection",
        "flush-ignored",
    );
    let no_one = say("identify-flush-unseen");
    let single = seen.flushes.iter().find(|flush| flush.every == 1);
    let fastest = seen
        .flushes
        .iter()
        .map(|flush| flush.flush_ns)
        .reduce(f64::min);
    let (Some(single), Some(fastest)) = (single, fastest) else {
        return [time, program, protection]
            .map(|id| Property::unknown(id, say("identify-flushes-missing")))
            .into_iter()
            .chain([Property::unknown(ignored, no_one)])
            .collect();
    };
    let taken = us(single.flush_ns);
    let interval = (FLUSH_ENDS.0 * fastest, FLUSH_ENDS.1 * single.flush_ns);
    let evidence = text!("identify-flush", time = &taken);
    if writes_wait(seen) {
        let why = text!("identify-written-through", time = us(single.write_ns));
        return vec![
            Property::quantity(time, single.flush_ns, interval, "ns", evidence),
            program_time(program, single.write_ns, false),
            Property::unknown(protection, why),
            Property::unknown(ignored, no_one),
        ];
    }
    let protected = fastest < NO_PROGRAM_NS;
    let why = match protected {
        true => text!("identify-flush-short", time = taken),
        false => text!("identify-flush-waits", time = taken),
    };
    vec![
        Property::quantity(time, single.flush_ns, interval, "ns", evidence),
        program_time(program, fastest, protected),
        Property::presence(protection, protected, why),
        Property::unknown(ignored, no_one),
    ]
}

/// True if each write waits for the flash, so that a flush has nothing to wait for: the write cache
/// is off.
pub(super) fn writes_wait(seen: &Observed) -> bool {
    let waits = |flush: &Flush| flush.write_ns >= NO_PROGRAM_NS && flush.flush_ns < NO_PROGRAM_NS;
    !seen.flushes.is_empty() && seen.flushes.iter().all(waits)
}

/// Range of a flash program's time, as shares of the fastest flush, or of a write that waits: a
/// drive may wait for several programs, of data and of its L2P. Assumed: ten; the blind trial has
/// drives whose programs are shorter (`docs/identify.md`).
const PROGRAM_SHARES: Ends = (0.1, 1.0);

fn program_time(id: &str, waited_ns: f64, protected: bool) -> Property {
    if protected {
        return Property::unknown(id, say("identify-no-program"));
    }
    let evidence = text!("identify-program", time = us(waited_ns));
    Property::range(id, around(waited_ns, PROGRAM_SHARES), "ns", evidence)
}

/// On a half-duplex drive, simultaneous reads and writes reach less than this share of the speed of
/// alternating ones. Assumed: turnarounds cost the rest, which no other drive loses.
const HALF_SHARE: f64 = 0.7;

/// Shortest duration of a mixed load, s: hosts count whole milliseconds, a twentieth of this.
const MIXED_S_MIN: f64 = 0.02;

fn half_duplex(seen: &Observed) -> Property {
    let id = "half-duplex";
    let Some(mixed) = seen.mixed else {
        return Property::unknown(id, say("identify-mixed-missing"));
    };
    let fastest = mixed.reads.max(mixed.writes).max(mixed.both);
    let took_s = mixed.bytes.map(|bytes| bytes as f64 / fastest);
    if let Some(took_s) = took_s.filter(|took_s| *took_s < MIXED_S_MIN) {
        let why = text!("identify-mixed-short", ms = fixed(1e3 * took_s, 0));
        return Property::unknown(id, why);
    }
    let turns = 2.0 / (1.0 / mixed.reads + 1.0 / mixed.writes);
    let evidence = text!(
        "identify-mixed",
        reads = speed(mixed.reads),
        writes = speed(mixed.writes),
        turns = speed(turns),
        both = speed(mixed.both),
    );
    Property::presence(id, mixed.both < HALF_SHARE * turns, evidence)
}

/// Short writes that must read the rest of their page reach less than this share of the rate of
/// whole pages. Assumed: less than the read costs, more than the variation of rates.
const SHORT_SHARE: f64 = 0.8;

fn short_writes(seen: &Observed) -> Property {
    let id = "sub-page-write-penalty";
    let Some((short, long)) = seen.short_writes else {
        return Property::unknown(id, say("identify-short-missing"));
    };
    let evidence = text!(
        "identify-short",
        short = fixed(short, 0),
        page = fixed(long, 0),
    );
    Property::presence(id, short < SHORT_SHARE * long, evidence)
}
