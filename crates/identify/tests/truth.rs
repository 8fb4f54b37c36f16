//! True values, from a model, of the properties that are inferred.

use std::collections::BTreeMap;

use stend_model::spec::{PAGE_BYTES, PoolSpec, Throttle, WhenFull};
use stend_model::{Model, Spec};

/// The truth about a property.
#[derive(Clone, Debug, PartialEq)]
pub enum Truth {
    /// True if the mechanism is present.
    Present(bool),
    /// Smallest and largest correct value, if a model has no single figure.
    Quantity(f64, f64),
    /// One of several kinds.
    Kind(&'static str),
    /// Not applicable.
    Nothing,
}

fn pool_bytes(spec: &Spec, pool: &PoolSpec) -> f64 {
    let superblock =
        u64::from(pool.rows) * u64::from(spec.dies) * u64::from(spec.pages_per_mp_page);
    (u64::from(pool.superblocks) * superblock * PAGE_BYTES) as f64
}

/// Share of data in a stripe with parity.
fn data_share(spec: &Spec) -> f64 {
    spec.parity_data
        .map_or(1.0, |data| f64::from(data) / f64::from(data + 1))
}

/// Bytes of user data that fit into an empty cache.
fn cache_bytes(spec: &Spec) -> f64 {
    let Some(cache) = &spec.cache else { return 0.0 };
    let one = pool_bytes(
        spec,
        &PoolSpec {
            superblocks: 1,
            ..cache.pool.clone()
        },
    );
    let dynamic = f64::from(cache.dynamic_superblocks) * one;
    (pool_bytes(spec, &cache.pool) + dynamic) * data_share(spec)
}

fn kind(spec: &Spec) -> Truth {
    let Some(cache) = &spec.cache else {
        return Truth::Nothing;
    };
    let bits = f64::from(spec.data.timing.pages_per_word_line());
    match (cache.pool.superblocks, cache.dynamic_superblocks) {
        (_, 0) => Truth::Kind("static"),
        (0, _) if cache_bytes(spec) * bits > 0.9 * spec.user_bytes as f64 => {
            Truth::Kind("whole-array")
        }
        (0, _) => Truth::Kind("dynamic"),
        _ => Truth::Kind("both"),
    }
}

fn near(value: f64, share: f64) -> Truth {
    Truth::Quantity(value * (1.0 - share), value * (1.0 + share))
}

fn only_if(there: bool, truth: Truth) -> Truth {
    if there { truth } else { Truth::Nothing }
}

/// Truth about a model, by the id of a property.
pub fn truth(model: &Model) -> BTreeMap<&'static str, Truth> {
    let spec = model.spec();
    let held_up = matches!(&spec.power_loss, Some(loss) if loss.hold_up.is_some());
    let mut all = BTreeMap::from([
        ("idle-gc", Truth::Present(spec.idle.enabled)),
        ("parallel-dies", near(f64::from(spec.dies), 0.0)),
        (
            "read-ahead",
            Truth::Present(spec.buffer.read_ahead_pages > 0),
        ),
        // Capacitors that hold the drive up protect the contents of the buffer.
        (
            "power-loss-protection",
            Truth::Present(spec.buffer.plp || held_up),
        ),
        ("half-duplex", Truth::Present(spec.buffer.half_duplex)),
    ]);
    let throttles = matches!(&spec.thermal, Some(t) if t.throttle != Throttle::None);
    all.insert("thermal-throttling", Truth::Present(throttles));
    let data = pool_bytes(&spec, &spec.data) * data_share(&spec);
    let spare = 100.0 * (data / spec.user_bytes as f64 - 1.0);
    all.insert(
        "over-provisioning-percent",
        Truth::Quantity(spare - 2.0, spare + 2.0),
    );
    let buffer = u64::from(spec.buffer.write_pages) * PAGE_BYTES;
    all.insert("write-buffer-bytes", near(buffer as f64, 0.3));
    all.extend(of_cache(&spec));
    all.extend(of_programs(&spec));
    all.extend(of_map(&spec));
    all
}

fn of_cache(spec: &Spec) -> [(&'static str, Truth); 5] {
    let cache = spec.cache.as_ref();
    let there = cache.is_some();
    let when_full = match cache.map(|cache| cache.when_full) {
        None => Truth::Nothing,
        Some(WhenFull::Wait) => Truth::Kind("fold-first"),
        Some(_) => Truth::Kind("direct"),
    };
    [
        ("slc-cache", Truth::Present(there)),
        ("slc-cache-kind", kind(spec)),
        (
            "slc-cache-bytes",
            only_if(there, near(cache_bytes(spec), 0.05)),
        ),
        ("slc-when-full", when_full),
        (
            "slc-idle-emptying",
            only_if(there, Truth::Present(spec.idle.enabled)),
        ),
    ]
}

/// Length of consecutive data in one die, and the time of a program: in the mode of the data, or
/// for any page of a word line.
fn of_programs(spec: &Spec) -> [(&'static str, Truth); 2] {
    let cache = spec.cache.as_ref();
    let most = (u64::from(spec.program_pages()) * PAGE_BYTES) as f64;
    let least = match cache {
        Some(_) => (u64::from(spec.pages_per_mp_page) * PAGE_BYTES) as f64,
        None => most,
    };
    let timing = cache.map_or(&spec.data.timing, |cache| &cache.pool.timing);
    let one_shot = spec.one_shot.filter(|_| cache.is_none());
    let programs = timing.program.iter().copied().chain(one_shot);
    let programs: Vec<f64> = programs.map(|time| time.0 as f64).collect();
    let shortest = programs.iter().copied().fold(f64::INFINITY, f64::min);
    let longest = programs.iter().copied().fold(0.0, f64::max);
    [
        ("stripe-bytes", Truth::Quantity(least, most)),
        ("program-ns", Truth::Quantity(shortest, longest)),
    ]
}

fn of_map(spec: &Spec) -> [(&'static str, Truth); 2] {
    let controller = &spec.controller;
    let mapped = u64::from(controller.l2p_segments) * u64::from(controller.l2p_segment_pages);
    let misses = spec.l2p_cache.is_some() || controller.read_l2p_miss.0 > 0;
    let there = misses && mapped * PAGE_BYTES < spec.user_bytes;
    let size = near((mapped * PAGE_BYTES) as f64, 0.2);
    [
        ("map-cache", Truth::Present(there)),
        ("map-cache-bytes", only_if(there, size)),
    ]
}
