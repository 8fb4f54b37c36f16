//! All shipped models and random ones, identified by one who sees nothing else of them. Long:
//!
//! ```text
//! cargo test --release -p stend-identify --test main blind -- --ignored --nocapture
//! ```
//!
//! `STEND_BLIND=shipped`, `random` or a model's name chooses; `STEND_BLIND_SEEDS=200`: so many
//! random models, of seeds from `STEND_BLIND_FROM=1` on.

use std::collections::BTreeMap;
use std::env;

use stend_drive::Model;
use stend_drive::model::SHIPPED;
use stend_identify::property::{Property, Value};

use crate::common::{identified, model};
use crate::truth::{Truth, truth};

/// What came of one property.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    right: u32,
    wrong: u32,
    unknown: u32,
    /// Intervals, and those that hold a true value.
    intervals: u32,
    covering: u32,
}

impl Tally {
    /// Counts a property; whether it was wrong.
    fn count(&mut self, property: &Property, truth: &Truth) -> bool {
        if !property.told {
            self.unknown += 1;
            return false;
        }
        let right = match (truth, &property.value, property.present) {
            (Truth::Present(there), _, Some(told)) => *there == told,
            (Truth::Kind(kind), Some(Value::Kind(told)), _) => kind == told,
            (Truth::Quantity(least, most), Some(Value::Quantity(told)), _) => {
                self.intervals += 1;
                let (low, high) = (property.low, property.high);
                let covers =
                    low.is_some_and(|low| low <= *most) && high.is_some_and(|high| high >= *least);
                self.covering += u32::from(covers);
                (least..=most).contains(&told)
            }
            _ => false,
        };
        if right {
            self.right += 1;
        } else {
            self.wrong += 1;
        }
        !right
    }
}

/// Identifies models and prints a table of what was right.
fn trial(models: impl Iterator<Item = (String, Model)>) -> BTreeMap<String, Tally> {
    let mut table: BTreeMap<String, Tally> = BTreeMap::new();
    for (name, model) in models {
        let truths = truth(&model);
        for property in identified(model).properties {
            let Some(truth) = truths.get(property.id.as_str()) else {
                continue;
            };
            let tally = table.entry(property.id.clone()).or_default();
            if tally.count(&property, truth) {
                println!("{name}: {} is {truth:?}: {property:?}", property.id);
            }
        }
    }
    println!("| property | right | wrong | not told | intervals that hold the truth |");
    println!("|---|---|---|---|---|");
    for (id, t) in &table {
        let Tally {
            right,
            wrong,
            unknown,
            intervals,
            covering,
        } = t;
        println!("| `{id}` | {right} | {wrong} | {unknown} | {covering} of {intervals} |");
    }
    table
}

/// Numbers that follow from a seed (SplitMix64).
struct Draws(u64);

impl Draws {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % below
    }

    fn one_of<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.next(of.len() as u64) as usize]
    }
}

/// A random model: a shipped one with another spare space, size of its SLC cache, and mechanisms
/// switched on and off; `None` where these do not fit together.
fn random(seed: u64) -> Option<(String, Model)> {
    let mut draws = Draws(seed);
    let shipped = SHIPPED[draws.next(SHIPPED.len() as u64) as usize].name;
    let whole = Model::shipped(shipped)?;
    let blocks = whole.nand.blocks_per_plane.value;
    let spec = whole.spec();
    let page_bytes = u64::from(spec.pages_per_mp_page) * 4096 * u64::from(spec.dies);
    let parity = spec
        .parity_data
        .map_or(1.0, |data| f64::from(data) / f64::from(data + 1));
    let data = (page_bytes * u64::from(spec.data.rows) * u64::from(blocks)) as f64 * parity;
    let spare = 0.05 + draws.next(230) as f64 / 1000.0;
    let user = (data / (1.0 + spare)) as u64 / 4096 * 4096;
    let user = user.to_string();
    let half_duplex = draws.one_of(&["true", "false", "false"]);
    let turnaround_ns = match half_duplex {
        "true" => "2600000",
        _ => "0",
    };
    let cache_blocks;
    let mut set = vec![
        ("capacity.user_bytes", user.as_str()),
        ("idle.enabled", draws.one_of(&["true", "true", "false"])),
        (
            "dram.read_ahead_kib",
            draws.one_of(&["0", "256", "1024", "2048"]),
        ),
        ("dram.plp", draws.one_of(&["true", "false", "false"])),
        ("dram.half_duplex", half_duplex),
        ("dram.turnaround_ns", turnaround_ns),
    ];
    if let Some(cache) = &whole.slc_cache {
        set.push((
            "slc_cache.enabled",
            draws.one_of(&["true", "true", "false"]),
        ));
        let of = cache.blocks_per_plane.value * (2 + draws.next(7) as u32) / 4;
        cache_blocks = of.to_string();
        if cache.dynamic_blocks_per_plane.is_none() {
            set.push(("slc_cache.blocks_per_plane", cache_blocks.as_str()));
        }
    }
    let model = model(shipped, &set)?;
    Some((format!("{seed}: {shipped} {set:?}"), model))
}

#[test]
#[ignore = "long: see the module"]
fn blind() {
    let wanted = env::var("STEND_BLIND").unwrap_or_else(|_| "shipped".to_owned());
    let number = |name: &str, usual: u64| {
        let given = env::var(name).map(|n| n.parse().expect("a number"));
        given.unwrap_or(usual)
    };
    if wanted == "random" {
        let seeds = number("STEND_BLIND_SEEDS", 200) as usize;
        let models = (number("STEND_BLIND_FROM", 1)..).filter_map(random);
        trial(models.take(seeds));
        return;
    }
    let chosen = SHIPPED.iter().map(|shipped| shipped.name);
    let chosen = chosen.filter(|name| wanted == "shipped" || *name == wanted);
    trial(chosen.map(|name| (name.to_owned(), Model::shipped(name).expect("shipped"))));
}
