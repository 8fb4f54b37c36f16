//! A target that takes real time is probed within the time limit.

use std::cell::Cell;

use stend_identify::observed::Observed;
use stend_identify::{Options, probe};
use stend_simulated::SimulatedTarget;

use crate::common::{Hidden, small};

/// Observations of the small drive, as one that cannot be copied, with a constant number of seconds
/// left: `first_s` at first, and `later_s` from the group `from` on.
fn seen_with(first_s: f64, (from, later_s): (&str, f64)) -> Observed {
    // With much spare space, random writes become slow late.
    let model = small(&[("capacity.user_bytes", "1700003840")]);
    let target = SimulatedTarget::new(model).single();
    let left = Cell::new(first_s);
    let left_s = || left.get();
    let mut go_on = |group: &str| {
        if group == from {
            left.set(later_s);
        }
        true
    };
    let mut options = Options {
        seed: 1,
        go_on: &mut go_on,
        left_s: Some(&left_s),
    };
    probe(&mut Hidden(Box::new(target)), &mut options).expect("the drive is probed")
}

#[test]
fn what_does_not_fit_is_left_out_and_what_can_be_is_shortened() {
    let seen = seen_with(60.0, ("random", 24.0));
    let left_out = ["pairs", "after"];
    assert_eq!(seen.left_out, left_out);
    // A quarter of the time each.
    assert!(
        (14.0..=15.0).contains(&seen.settled_s),
        "{}",
        seen.settled_s
    );
    let reads = seen.long_reads.len();
    assert!((13..=16).contains(&reads), "{reads} s");
    let random = seen.random.expect("looked at");
    let took_s = random.samples.last().map_or(0.0, |last| last.t_s);
    assert!(
        (11.0..=12.5).contains(&took_s),
        "half of the rest: {took_s} s"
    );
    // The place of new data is determined in the data written to the full drive.
    let map = seen.full_map.expect("looked at");
    assert_eq!(map.written_bytes / 1_000_000, 425);
    let all = seen_with(1e6, ("", 0.0));
    assert!(all.left_out.is_empty() && all.settled_s > 100.0);
    assert!(all.long_reads.len() > 50);
}

#[test]
fn a_fill_that_is_cut_off_leaves_the_full_drive_unknown() {
    // It writes the cache at 225 MB/s, and then 44 MB/s: 1.7 GB take longer than the first speed
    // suggests.
    let seen = seen_with(25.0, ("", 0.0));
    assert!(seen.fill.is_none());
    let left_out = |name: &str| seen.left_out.iter().any(|left| left == name);
    assert!(left_out("fill") && left_out("settled"));
    assert!(left_out("durable") && !left_out("burst"));
    assert!(seen.settled_reads.is_none() && seen.flushes.is_empty());
}
