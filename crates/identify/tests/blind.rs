//! Identifies all shipped models and random ones from their behaviour alone. Takes long:
//!
//! ```text
//! cargo test --release -p stend-identify --test main blind -- --ignored --nocapture
//! ```
//!
//! `STEND_BLIND` selects the models: `shipped`, `random`, `half-duplex` (random ones that are
//! half-duplex, with the capacitors of the shipped model), a model's name, or seeds separated by
//! commas. `STEND_BLIND_SEEDS=200` sets the number of random models, with seeds from
//! `STEND_BLIND_FROM=1` on. The number of models identified in parallel is that of the CPUs, or
//! `STEND_BLIND_THREADS`; it does not change the output. Observations are stored in the folder
//! `STEND_BLIND_KEEP`, and read from there the next time. With `STEND_BLIND_ALL=1` all properties
//! are printed, not only wrong ones.

use std::collections::BTreeMap;
use std::io::Write;
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::Duration;
use std::{env, fs, thread};

use stend_identify::infer;
use stend_identify::observed::Observed;
use stend_identify::property::{Property, Value};
use stend_model::spec::PowerLossSpec;
use stend_model::{Model, SHIPPED};

use crate::common::{model, seen, small};
use crate::truth::{Truth, truth};

/// Some of the random models with seeds up to this one were examined while the inference rules were
/// developed. Results for later seeds are reported separately.
const SEEDS_LOOKED_AT: u64 = 1056;

/// Results for one property.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    right: u32,
    wrong: u32,
    unknown: u32,
    /// Only a range is known.
    ranges: u32,
    /// Number of intervals, and of those that contain the true value.
    intervals: u32,
    covering: u32,
}

impl Tally {
    /// Counts a property; returns true if it is wrong. A range is wrong if it does not contain the
    /// truth.
    fn count(&mut self, property: &Property, truth: &Truth) -> bool {
        if !property.told {
            self.unknown += 1;
            return false;
        }
        let covers = match (truth, property.low, property.high) {
            (Truth::Quantity(least, most), Some(low), Some(high)) => {
                Some(low <= *most && high >= *least)
            }
            (Truth::Quantity(_, most), Some(low), None) => Some(low <= *most),
            _ => None,
        };
        self.intervals += u32::from(covers.is_some());
        self.covering += u32::from(covers == Some(true));
        if property.ends().is_some() || property.least().is_some() {
            self.ranges += 1;
            return covers != Some(true);
        }
        let right = match (truth, &property.value, property.present) {
            (Truth::Present(there), _, Some(told)) => *there == told,
            (Truth::Kind(kind), Some(Value::Kind(told)), _) => kind == told,
            (Truth::Quantity(least, most), Some(Value::Quantity(told)), _) => {
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

/// A model and its name.
struct Subject {
    name: String,
    model: Model,
    /// True if nobody examined it while the rules were developed.
    unseen: bool,
    /// True if it is half-duplex and keeps its own capacitors.
    half_duplex: bool,
}

/// Properties of a model, each with the truth.
type Judged = Vec<(Property, Truth)>;

fn judged(name: &str, model: Model) -> Judged {
    let mut truths = truth(&model);
    let properties = infer("hidden", &kept(name, model)).properties.into_iter();
    let judged = properties.filter_map(|property| {
        let truth = truths.remove(property.id.as_str())?;
        Some((property, truth))
    });
    judged.collect()
}

/// Observations of a model: read from, and stored in, a file in the folder `STEND_BLIND_KEEP`.
fn kept(name: &str, model: Model) -> Observed {
    let Ok(folder) = env::var("STEND_BLIND_KEEP") else {
        return seen(model);
    };
    let name = name.split(' ').take(2).collect::<Vec<_>>().join("");
    let path = Path::new(&folder).join(format!("{}.json", name.replace(':', "-")));
    if let Ok(text) = fs::read(&path) {
        return serde_json::from_slice(&text).expect("a file of this version");
    }
    let seen = seen(model);
    let text = serde_json::to_vec(&seen).expect("it has a form in JSON");
    fs::write(&path, text).expect("the folder is there");
    seen
}

/// Judges subjects on `threads` threads, and passes on the results in the order of the subjects.
fn in_order<S, J>(
    subjects: S,
    threads: usize,
    judge: impl Fn(&str, Model) -> J + Sync,
    mut each: impl FnMut(&str, bool, J),
) where
    S: Iterator<Item = Subject> + Send,
    J: Send,
{
    let next = Mutex::new(subjects.enumerate());
    let (send, receive) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..threads {
            let send = send.clone();
            scope.spawn(|| {
                let send = send;
                loop {
                    let taken = next.lock().expect("no thread panicked").next();
                    let Some((index, subject)) = taken else {
                        return;
                    };
                    let Subject {
                        name,
                        model,
                        unseen,
                        ..
                    } = subject;
                    let judged = judge(&name, model);
                    send.send((index, (name, unseen, judged)))
                        .expect("the receiver waits for all threads");
                }
            });
        }
        drop(send);
        let mut waiting = BTreeMap::new();
        let mut due = 0;
        for (index, finished) in receive {
            waiting.insert(index, finished);
            while let Some((name, unseen, judged)) = waiting.remove(&due) {
                each(&name, unseen, judged);
                due += 1;
            }
        }
    });
}

/// Results for several models.
#[derive(Default)]
struct Table {
    models: u32,
    properties: BTreeMap<String, Tally>,
    /// Number of claims that a mechanism is present or absent, and of wrong ones.
    claims: u32,
    wrong_claims: u32,
}

impl Table {
    /// Counts a property; returns true if it is wrong.
    fn count(&mut self, property: &Property, truth: &Truth) -> bool {
        let tally = self.properties.entry(property.id.clone()).or_default();
        let wrong = tally.count(property, truth);
        if property.told && property.present.is_some() {
            self.claims += 1;
            self.wrong_claims += u32::from(wrong);
        }
        wrong
    }

    fn print(&self, of: &str, out: &mut dyn Write) {
        let mut line = |text: String| writeln!(out, "{text}").expect("it is written");
        let Self {
            models,
            claims,
            wrong_claims,
            ..
        } = self;
        line(format!("{of}: {models} models"));
        line("| property | right | wrong | range | not told | intervals that hold |".to_owned());
        line("|---|---|---|---|---|---|".to_owned());
        let (mut all, mut held) = (0, 0);
        for (id, t) in &self.properties {
            let Tally {
                right,
                wrong,
                unknown,
                ranges,
                intervals,
                covering,
            } = t;
            all += intervals;
            held += covering;
            let of = match intervals {
                0 => String::new(),
                _ => format!("{covering} of {intervals}"),
            };
            line(format!(
                "| `{id}` | {right} | {wrong} | {ranges} | {unknown} | {of} |"
            ));
        }
        line(format!(
            "{wrong_claims} of {claims} claims of presence are wrong; {held} of {all} intervals \
             hold the truth"
        ));
    }
}

/// Identifies models; writes the errors for each, and tables of the results, to `out`.
fn trial<S>(subjects: S, threads: usize, out: &mut dyn Write)
where
    S: Iterator<Item = Subject> + Send,
{
    let (mut table, mut later) = (Table::default(), Table::default());
    let all = env::var("STEND_BLIND_ALL").is_ok();
    in_order(subjects, threads, judged, |name, unseen, judged| {
        table.models += 1;
        later.models += u32::from(unseen);
        writeln!(out, "{name}").expect("it is written");
        for (property, truth) in judged {
            if table.count(&property, &truth) || all {
                let id = &property.id;
                writeln!(out, "  {id} is {truth:?}: {property:?}").expect("it is written");
            }
            if unseen {
                later.count(&property, &truth);
            }
        }
    });
    table.print("All", out);
    if later.models > 0 {
        later.print("Of seeds that were never looked at", out);
    }
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

/// A random model: a shipped one with different spare space and SLC cache size, and mechanisms
/// switched on or off; `None` if these are incompatible.
fn random(seed: u64) -> Option<Subject> {
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
    let cache_blocks;
    let idle = draws.one_of(&["true", "true", "false"]);
    let read_ahead = draws.one_of(&["0", "256", "1024", "2048"]);
    let plp = draws.one_of(&["true", "false", "false"]);
    let mut set = vec![
        ("capacity.user_bytes", user.as_str()),
        ("idle.enabled", idle),
        ("dram.read_ahead_kib", read_ahead),
        ("dram.plp", plp),
        ("dram.half_duplex", half_duplex),
    ];
    // Keys that are valid only together with these.
    if half_duplex == "true" {
        set.push(("dram.turnaround_ns", "2600000"));
    }
    let has_none = |loss: &PowerLossSpec| loss.hold_up.is_none();
    let capacitors = plp == "true" && spec.power_loss.as_ref().is_some_and(has_none);
    if capacitors {
        set.push(("power_loss.capacitors", "true"));
        set.push(("power_loss.hold_up_ms", "10000"));
    }
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
    Some(Subject {
        name: format!("{seed}: {shipped} {set:?}"),
        model,
        unseen: seed > SEEDS_LOOKED_AT,
        half_duplex: half_duplex == "true" && !capacitors,
    })
}

#[test]
fn models_are_told_of_in_their_order() {
    let subjects = (0..6_u64).map(|number| Subject {
        name: number.to_string(),
        model: small(&[]),
        unseen: number > 3,
        half_duplex: false,
    });
    // The first to begin is the last to end.
    let begun = AtomicU64::new(0);
    let judge = |_: &str, _: Model| {
        let begun = begun.fetch_add(1, Ordering::Relaxed);
        thread::sleep(Duration::from_millis(10 * 6_u64.saturating_sub(begun)));
    };
    let mut told = Vec::new();
    in_order(subjects, 3, judge, |name, unseen, ()| {
        told.push((name.to_owned(), unseen));
    });
    let expected: Vec<_> = (0..6)
        .map(|number| (number.to_string(), number > 3))
        .collect();
    assert_eq!(told, expected);
}

#[test]
fn random_models_have_and_lack_each_mechanism() {
    let seeds = 1..=60;
    let models: Vec<Model> = seeds.filter_map(|seed| Some(random(seed)?.model)).collect();
    assert!(models.len() >= 40, "{} of 60 are sound", models.len());
    let mut there: BTreeMap<&str, [u32; 2]> = BTreeMap::new();
    for model in &models {
        for (id, truth) in truth(model) {
            if let Truth::Present(present) = truth {
                there.entry(id).or_default()[usize::from(present)] += 1;
            }
        }
    }
    let drawn = [
        "half-duplex",
        "idle-gc",
        "power-loss-protection",
        "read-ahead",
        "slc-cache",
    ];
    for id in drawn {
        assert!(there[id].iter().all(|count| *count >= 8), "{id}: {there:?}");
    }
}

#[test]
#[ignore = "minutes for each set of drives, in a release build: see the module"]
fn blind() {
    let wanted = env::var("STEND_BLIND").unwrap_or_else(|_| "shipped".to_owned());
    let number = |name: &str, usual: u64| {
        let given = env::var(name).map(|n| n.parse().expect("a number"));
        given.unwrap_or(usual)
    };
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = number("STEND_BLIND_THREADS", processors as u64) as usize;
    let mut out = std::io::stdout();
    if let Ok(seeds) = wanted
        .split(',')
        .map(str::parse)
        .collect::<Result<Vec<u64>, _>>()
    {
        trial(seeds.into_iter().filter_map(random), threads, &mut out);
        return;
    }
    if wanted == "random" || wanted == "half-duplex" {
        let seeds = number("STEND_BLIND_SEEDS", 200) as usize;
        let models = (number("STEND_BLIND_FROM", 1)..).filter_map(random);
        let models = models.filter(|model| wanted == "random" || model.half_duplex);
        trial(models.take(seeds), threads, &mut out);
        return;
    }
    let chosen = SHIPPED.iter().map(|shipped| shipped.name);
    let chosen = chosen.filter(|name| wanted == "shipped" || *name == wanted);
    let shipped = chosen.map(|name| Subject {
        name: name.to_owned(),
        model: Model::shipped(name).expect("shipped"),
        unseen: false,
        half_duplex: false,
    });
    trial(shipped, threads, &mut out);
}
