//! Dependencies of the crate, and the parts of a target that it uses.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use stend_identify::observed::Observed;
use stend_identify::{Options, infer, probe};
use stend_simulated::SimulatedTarget;

use crate::common::{seen_plain, small};

/// Crates of the workspace on which a crate depends, without those of its tests.
fn dependencies(name: &str, found: &mut BTreeSet<String>) {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the folder of crates");
    let text = fs::read_to_string(crates.join(name).join("Cargo.toml")).expect("a manifest");
    let own = text
        .split("\n[")
        .find_map(|section| section.strip_prefix("dependencies]\n"));
    for line in own.unwrap_or_default().lines() {
        let Some(rest) = line.strip_prefix("stend-") else {
            continue;
        };
        let other: String = rest.chars().take_while(char::is_ascii_alphabetic).collect();
        if found.insert(other.clone()) {
            dependencies(&other, found);
        }
    }
}

#[test]
fn the_simulator_is_out_of_reach() {
    let mut found = BTreeSet::new();
    dependencies("identify", &mut found);
    assert!(found.contains("load"), "{found:?}");
    for inside in ["drive", "model", "real", "simulated", "fit"] {
        assert!(
            !found.contains(inside),
            "{inside} is within reach: {found:?}"
        );
    }
    // The same search finds the simulator in a crate that links it.
    let mut linked = BTreeSet::new();
    dependencies("simulated", &mut linked);
    assert!(linked.contains("drive"), "{linked:?}");
}

#[test]
fn facts_of_a_target_are_not_looked_at() {
    let mut known = SimulatedTarget::new(small(&[]));
    let mut options = Options {
        seed: 1,
        go_on: &mut |_| true,
        left_s: None,
    };
    let with_facts = probe(&mut known, &mut options).expect("the drive is probed");
    assert_eq!(infer("hidden", &with_facts), infer("hidden", seen_plain()));
}

#[test]
fn every_property_has_a_name_for_people() {
    for property in infer("nothing", &Observed::default()).properties {
        assert_ne!(property.name(), property.id);
        assert!(!property.told, "nothing was seen: {property:?}");
        assert!(property.why_not.is_some_and(|why| !why.is_empty()));
    }
}
