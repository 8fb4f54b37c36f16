//! A mechanism that is switched off is no longer found, and one that is switched on is.

use stend_identify::property::Identification;

use crate::common::{identified, small};

fn present(identification: &Identification, id: &str) -> Option<bool> {
    identification.property(id).expect("a known id").present
}

/// Each property of the small drive as it is, and after one of its keys is changed.
#[test]
fn mechanisms_are_found_where_they_are() {
    let plain = identified(small(&[]));
    let changes = [
        ("slc-cache", true, ("slc_cache.enabled", "false")),
        ("idle-gc", true, ("idle.enabled", "false")),
        ("read-ahead", true, ("dram.read_ahead_kib", "0")),
        ("half-duplex", false, ("dram.half_duplex", "true")),
        ("power-loss-protection", false, ("dram.plp", "true")),
    ];
    for (id, before, change) in changes {
        assert_eq!(present(&plain, id), Some(before), "{id} of the drive as it is");
        let changed = identified(small(&[change]));
        assert_eq!(present(&changed, id), Some(!before), "{id} with {change:?}");
    }
}

#[test]
fn quantities_follow_what_they_are_of() {
    let of = |set: &[(&str, &str)], id: &str| {
        let identification = identified(small(set));
        identification.property(id).expect("a known id").number()
    };
    let read = |us| of(&[("nand.read_us", us)], "flash-read-ns").expect("told");
    let slower = read("[120.0, 120.0, 120.0]") - read("[80.0, 80.0, 80.0]");
    assert!((38_000.0..42_000.0).contains(&slower), "40 µs more of tR: {slower} ns");
    let spare = |user| of(&[("capacity.user_bytes", user)], "over-provisioning-percent");
    let (more, less) = (spare("1900003328"), spare("1999998976"));
    let difference = more.expect("told") - less.expect("told");
    // Of a data area of 2.24 GB, 17.9 % and 12.0 %.
    assert!((4.5..7.5).contains(&difference), "{difference}");
}
