//! A mechanism is found if it is switched on, and not found if it is switched off.

use stend_identify::infer;
use stend_identify::property::Identification;

use crate::common::{identified, seen_plain, small};

fn present(identification: &Identification, id: &str) -> Option<bool> {
    identification.property(id).expect("a known id").present
}

/// Each mechanism of the small drive as it is, and all of them switched; the blind trial
/// (`blind.rs`) switches them one by one.
#[test]
fn mechanisms_are_found_where_they_are() {
    let plain = infer("plain", seen_plain());
    let changes = [
        ("slc-cache", true, ("slc_cache.enabled", "false")),
        ("idle-gc", true, ("idle.enabled", "false")),
        ("read-ahead", true, ("dram.read_ahead_kib", "0")),
        ("power-loss-protection", false, ("dram.plp", "true")),
        ("half-duplex", false, ("dram.half_duplex", "true")),
    ];
    for changes in changes.chunks(4) {
        let set: Vec<_> = changes.iter().map(|(_, _, change)| *change).collect();
        let changed = identified(small(&set));
        for (id, before, change) in changes {
            assert_eq!(present(&plain, id), Some(*before), "{id} as it is");
            let found = changed.property(id);
            assert_eq!(
                present(&changed, id),
                Some(!before),
                "{change:?}: {found:?}"
            );
        }
    }
}

#[test]
fn quantities_follow_what_they_are_of() {
    let plain = infer("plain", seen_plain());
    let changed = identified(small(&[
        ("nand.read_us", "[110.0, 110.0, 110.0]"),
        ("capacity.user_bytes", "1900003328"),
        ("slc_cache.blocks_per_plane", "30"),
    ]));
    let more = |id: &str| {
        let of = |seen: &Identification| {
            let property = seen.property(id)?;
            let middle = || property.ends().map(|(low, high)| f64::midpoint(low, high));
            property.number().or_else(middle)
        };
        of(&changed).expect("told") - of(&plain).expect("told")
    };
    let slower_ns = more("flash-read-ns");
    assert!(
        (38_000.0..42_000.0).contains(&slower_ns),
        "40 µs more of tR: {slower_ns} ns"
    );
    // 17.9 % and 12.0 % of a data area of 2.24 GB.
    let spare = more("over-provisioning-percent");
    assert!((4.5..7.5).contains(&spare), "{spare}");
    // Two planes of 16 KiB: no page that is read crosses two of them.
    let unit = plain
        .property("stripe-bytes")
        .and_then(|unit| unit.number());
    assert_eq!(unit, Some(32768.0));
    // Ten blocks of 32 pages in each of two planes of four dies; part of it is not for the host,
    // and part is emptied before it is full.
    let cache = more("slc-cache-bytes") / f64::from(10 * 32 * 2 * 4 * 16 * 1024);
    assert!((-1.2..-0.8).contains(&cache), "{cache}");
}
