//! The table `[slc_cache]`.

use serde::Deserialize;
use stend_base::Nanos;
use stend_nand::CellTiming;

use super::check::Checker;
use super::resolve::micros;
use super::schema::Model;
use super::sourced::{Field, Value};
use crate::spec::{CacheSpec, Emptying, FoldLimit, PoolSpec, Spec, UNIT_BYTES, WhenFull};

/// An SLC cache.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlcCache {
    /// Switch.
    pub enabled: Field<bool>,
    /// Blocks of a plane that are kept in SLC mode.
    pub blocks_per_plane: Field<u32>,
    /// Pages of a block in SLC mode.
    pub pages_per_block: Field<u32>,
    /// tR in SLC mode, µs.
    pub read_us: Field<f64>,
    /// tPROG in SLC mode, µs.
    pub program_us: Field<f64>,
    /// tBERS in SLC mode, µs.
    pub erase_us: Field<f64>,
    /// Blocks of a plane in the main area that may be used in SLC mode at the same time; none
    /// if not named.
    pub dynamic_blocks_per_plane: Option<Field<u32>>,
    /// `on-chip` (if not named) or `controller`: how it is emptied.
    pub emptied_by: Option<Field<String>>,
    /// `wait` (if not named) or `bypass`: what the host does where it has no room.
    pub when_full: Option<Field<String>>,
    /// Write requests at least so long, KiB, go to the main area directly; none if not named.
    pub bypass_from_kib: Option<Field<u32>>,
    /// Whether collected data enters it; if not named, it does where on-chip copy empties
    /// it and it has blocks of its own.
    pub takes_collected: Option<Field<bool>>,
    /// Whether the host is given room in it as pages are emptied, or only as blocks are erased;
    /// if not named, it is.
    pub paced: Option<Field<bool>>,
    /// Folding begins when more of the cache than this is occupied, percent; either this or
    /// `fold_start_free_mib` is named.
    pub fold_start_percent: Option<Field<f64>>,
    /// By on-chip copy: folding begins when less than this is free for the host, MiB, parity
    /// included.
    pub fold_start_free_mib: Option<Field<u32>>,
    /// Dies that fold at once while the host still finds room.
    pub fold_dies_background: Field<u32>,
    /// Rest of such folding after each word line of a die, µs.
    pub fold_pause_us: Field<u64>,
    /// Emptied through the controller: multi-plane pages under way at once while the host
    /// still finds room; `collection.depth` if not named.
    pub fold_slots_background: Option<Field<u32>>,
    /// By on-chip copy: dies that fold at once at most, whatever asks for it; all if not named.
    pub fold_dies_max: Option<Field<u32>>,
    /// By on-chip copy: what of it idle work makes free for the host, MiB, parity included; all
    /// if not named.
    pub idle_free_mib: Option<Field<u32>>,
}

/// How an SLC cache is emptied, by the names a model gives it; the first if none.
const EMPTYING: [(&str, Emptying); 2] = [
    ("on-chip", Emptying::OnChip),
    ("controller", Emptying::Controller),
];

/// What happens where it is full, likewise.
const WHEN_FULL: [(&str, WhenFull); 2] = [("wait", WhenFull::Wait), ("bypass", WhenFull::Bypass)];

fn named<T: Copy>(names: &[(&str, T)], name: Option<String>) -> T {
    let found = name.and_then(|name| names.iter().find(|(n, _)| *n == name));
    found.unwrap_or(&names[0]).1
}

pub(super) fn check(c: &mut Checker<'_>, model: &Model) {
    let Some(s) = &model.slc_cache else {
        return;
    };
    c.source("slc_cache.enabled", &s.enabled);
    kind(c, s);
    c.range("slc_cache.pages_per_block", &s.pages_per_block, 4..=4096);
    c.range("slc_cache.read_us", &s.read_us, 1.0..=10_000.0);
    c.range("slc_cache.program_us", &s.program_us, 1.0..=10_000.0);
    c.range("slc_cache.erase_us", &s.erase_us, 1.0..=100_000.0);
    fold_start(c, s);
    let dies = model.nand.dies.get();
    c.range(
        "slc_cache.fold_dies_background",
        &s.fold_dies_background,
        0..=dies,
    );
    c.range("slc_cache.fold_pause_us", &s.fold_pause_us, 0..=10_000_000);
    let bits = model.nand.program_us.get().len() as u32;
    if s.pages_per_block.get() * bits != model.nand.pages_per_block.get() {
        let message = format!(
            "{} is not allowed; a block has nand.pages_per_block / bits of a cell = {} / \
             {bits} word lines, and as many pages in SLC mode",
            s.pages_per_block.get(),
            model.nand.pages_per_block.get()
        );
        c.report("slc_cache.pages_per_block", &s.pages_per_block, message);
    }
}

/// From where it is emptied in the background.
fn fold_start(c: &mut Checker<'_>, cache: &SlcCache) {
    let (percent, free) = (&cache.fold_start_percent, &cache.fold_start_free_mib);
    c.optional("slc_cache.fold_start_percent", percent, 0.0..=100.0);
    c.optional("slc_cache.fold_start_free_mib", free, 1..=1_048_576);
    match (percent, free) {
        (Some(_), None) => {}
        (None, None) => {
            let message = "is missing: it says when more of the cache is taken than is left \
                           alone, 0 to 100; a drive whose firmware counts what is free has \
                           fold_start_free_mib instead"
                .to_string();
            c.report("slc_cache.fold_start_percent", &cache.enabled, message);
        }
        (Some(_), Some(free)) => {
            let message = "slc_cache.fold_start_percent says the same: leave one of them out";
            c.report("slc_cache.fold_start_free_mib", free, message.to_string());
        }
        (None, Some(free)) => {
            let emptied_by = cache.emptied_by.as_ref().map(Value::get);
            let dynamic = &cache.dynamic_blocks_per_plane;
            if emptied_by.as_deref() == Some("controller") || dynamic.is_some() {
                let message = "it counts what is free of blocks of the cache's own that on-chip \
                               copy empties: write slc_cache.fold_start_percent";
                c.report("slc_cache.fold_start_free_mib", free, message.to_string());
            }
        }
    }
}

/// What kind of cache it is.
fn kind(c: &mut Checker<'_>, cache: &SlcCache) {
    if let Some(field) = &cache.emptied_by {
        c.one_of("slc_cache.emptied_by", field, &EMPTYING.map(|e| e.0));
    }
    if let Some(field) = &cache.when_full {
        c.one_of("slc_cache.when_full", field, &WHEN_FULL.map(|e| e.0));
    }
    if let Some(field) = &cache.takes_collected {
        c.source("slc_cache.takes_collected", field);
        let through = cache.emptied_by.as_ref().map(Value::get);
        if field.get() && through.as_deref() == Some("controller") {
            let message = "a cache that is emptied through the controller takes no collected \
                           data: write false"
                .to_string();
            c.report("slc_cache.takes_collected", field, message);
        } else if field.get() && cache.blocks_per_plane.get() == 0 {
            let message = "collected data enters only blocks of the cache's own, of which there \
                           are none: write false, or a slc_cache.blocks_per_plane above 0"
                .to_string();
            c.report("slc_cache.takes_collected", field, message);
        }
    }
    if let Some(field) = &cache.paced {
        c.source("slc_cache.paced", field);
        let waits = named(&WHEN_FULL, cache.when_full.as_ref().map(Value::get));
        let dynamic = cache.dynamic_blocks_per_plane.as_ref();
        let other = if waits != WhenFull::Wait {
            Some("slc_cache.when_full = \"bypass\", where the host does not wait")
        } else if takes_collected(cache) {
            Some("slc_cache.takes_collected, for which room is kept")
        } else if dynamic.is_some_and(|blocks| blocks.get() > 0) {
            Some("slc_cache.dynamic_blocks_per_plane")
        } else {
            None
        };
        if let (false, Some(other)) = (field.get(), other) {
            let message = format!("false is not allowed with {other}");
            c.report("slc_cache.paced", field, message);
        }
    }
    let from = &cache.bypass_from_kib;
    c.optional("slc_cache.bypass_from_kib", from, 1..=1_048_576);
    if let Some(field) = &cache.fold_slots_background {
        c.range("slc_cache.fold_slots_background", field, 1..=1024);
        let emptied_by = cache.emptied_by.as_ref().map(Value::get);
        if emptied_by.as_deref() != Some("controller") {
            let message = "it paces a cache that is emptied through the controller: write \
                           slc_cache.emptied_by = \"controller\", or fold_dies_background"
                .to_string();
            c.report("slc_cache.fold_slots_background", field, message);
        }
    }
    fold_limits(c, cache);
    let least = match &cache.dynamic_blocks_per_plane {
        Some(field) => {
            c.range("slc_cache.dynamic_blocks_per_plane", field, 1..=65_536);
            0
        }
        None => 2,
    };
    c.range(
        "slc_cache.blocks_per_plane",
        &cache.blocks_per_plane,
        least..=65_536,
    );
}

/// What holds on-chip copy. More dies, or more MiB, than there are is no error: drives of
/// several sizes share their firmware.
fn fold_limits(c: &mut Checker<'_>, cache: &SlcCache) {
    let emptied_by = cache.emptied_by.as_ref().map(Value::get);
    let on_chip = emptied_by.as_deref() != Some("controller");
    let fields = [
        ("slc_cache.fold_dies_max", &cache.fold_dies_max, 1..=1024),
        (
            "slc_cache.idle_free_mib",
            &cache.idle_free_mib,
            1..=1_048_576,
        ),
    ];
    for (key, field, allowed) in fields {
        c.optional(key, field, allowed);
        if let (Some(field), false) = (field, on_chip) {
            let message = "it holds on-chip copy: leave it out, or write \
                           slc_cache.emptied_by = \"on-chip\""
                .to_string();
            c.report(key, field, message);
        }
    }
    let background = cache.fold_dies_background.get();
    if let Some(field) = cache
        .fold_dies_max
        .as_ref()
        .filter(|f| f.get() < background)
    {
        let message = format!(
            "{} is not allowed; slc_cache.fold_dies_background is more: {background}",
            field.get()
        );
        c.report("slc_cache.fold_dies_max", field, message);
    }
}

/// Whether its superblocks are enough for what is open and emptied at once, when every figure
/// on its own is sane.
pub(super) fn check_sizes(c: &mut Checker<'_>, model: &Model, spec: &Spec) {
    let (Some(cache), Some(field)) = (&spec.cache, &model.slc_cache) else {
        return;
    };
    let bits = spec.main.timing.pages_per_word_line();
    // What is folded together, what is filled, and what comes next.
    let dynamic_need = match cache.emptying {
        Emptying::OnChip => bits + 2,
        Emptying::Controller => 2,
    };
    let static_need = match (cache.emptying, cache.pool.superblocks) {
        (_, 0) if cache.dynamic_superblocks > 0 => 0,
        // Five that may be half folded or open, two open, a cell's worth to fold, one.
        (Emptying::OnChip, _) => spec.collect.cache_reserve_superblocks + 12,
        (Emptying::Controller, _) => 4,
    };
    if let Some(dynamic) = &field.dynamic_blocks_per_plane
        && cache.dynamic_superblocks < dynamic_need
    {
        let message = format!(
            "{} is not allowed; what is written and emptied at once needs at least {}",
            dynamic.get(),
            dynamic_need
        );
        c.report("slc_cache.dynamic_blocks_per_plane", dynamic, message);
    }
    if cache.pool.superblocks < static_need {
        let message = format!(
            "{} is not allowed; what is written and emptied at once needs at least \
             {static_need}",
            cache.pool.superblocks
        );
        c.report(
            "slc_cache.blocks_per_plane",
            &field.blocks_per_plane,
            message,
        );
    }
}

/// Whether collected data enters it: if nothing is said, where it has blocks of its own that
/// on-chip copy empties.
pub(super) fn takes_collected(cache: &SlcCache) -> bool {
    let emptied_by = cache.emptied_by.as_ref().map(Value::get);
    let on_chip = emptied_by.as_deref() != Some("controller");
    let named = cache.takes_collected.as_ref().map(Value::get);
    named.unwrap_or(on_chip && cache.blocks_per_plane.get() > 0)
}

/// What emptying is held to; a slot holds `slot_kib`.
fn fold_limit(cache: &SlcCache, emptying: Emptying, slot_kib: u32) -> FoldLimit {
    let value = |field: &Option<Field<u32>>| field.as_ref().map(Value::get);
    if emptying == Emptying::Controller {
        let background = value(&cache.fold_slots_background);
        return background.map_or(FoldLimit::None, FoldLimit::Slots);
    }
    let (dies, free) = (value(&cache.fold_dies_max), value(&cache.idle_free_mib));
    if dies.is_none() && free.is_none() {
        return FoldLimit::None;
    }
    FoldLimit::Dies {
        most: dies.unwrap_or(u32::MAX),
        idle_free_slots: free.map(|mib| u64::from(mib) * 1024 / u64::from(slot_kib)),
    }
}

/// Where folding begins by what is free for the host, beside what the drive keeps for itself.
pub(super) fn starts_by_free(cache: &SlcCache, slot_kib: u32, spec: &mut Spec) {
    let Some(free) = &cache.fold_start_free_mib else {
        return;
    };
    let kept = crate::sim::cache_superblocks_kept(spec);
    let dies = spec.dies;
    if let Some(cache) = &mut spec.cache {
        let slots = |superblocks: u32| {
            u64::from(superblocks) * u64::from(cache.pool.rows) * u64::from(dies)
        };
        let free = u64::from(free.get()) * 1024 / u64::from(slot_kib);
        cache.fold_start_slots = slots(cache.pool.superblocks).saturating_sub(slots(kept) + free);
    }
}

pub(super) fn resolve(cache: &SlcCache, dies: u32, apart: u32, slot_kib: u32) -> CacheSpec {
    let superblocks = cache.blocks_per_plane.get() * apart;
    let dynamic = cache.dynamic_blocks_per_plane.as_ref();
    let dynamic_superblocks = dynamic.map_or(0, |field| field.get() * apart);
    let all = u64::from(superblocks + dynamic_superblocks);
    let slots = all * u64::from(cache.pages_per_block.get()) * u64::from(dies);
    let name = |field: &Option<Field<String>>| field.as_ref().map(Value::get);
    let emptying = named(&EMPTYING, name(&cache.emptied_by));
    let start = cache.fold_start_percent.as_ref().map_or(0.0, Value::get);
    CacheSpec {
        pool: PoolSpec {
            superblocks,
            rows: cache.pages_per_block.get(),
            timing: CellTiming {
                read: vec![micros(cache.read_us.get())],
                program: vec![micros(cache.program_us.get())],
                erase: micros(cache.erase_us.get()),
            },
        },
        dynamic_superblocks,
        bypass_from_bytes: cache
            .bypass_from_kib
            .as_ref()
            .map(|field| u64::from(field.get()) * 1024),
        emptying,
        when_full: named(&WHEN_FULL, name(&cache.when_full)),
        takes_collected: takes_collected(cache),
        paced: cache.paced.as_ref().is_none_or(Value::get),
        fold_start_slots: (slots as f64 * start / 100.0) as u64,
        fold_dies_background: cache.fold_dies_background.get(),
        fold_pause: Nanos::from_micros(cache.fold_pause_us.get()),
        fold_limit: fold_limit(cache, emptying, slot_kib),
    }
}

impl Model {
    /// The cache in words for a report.
    pub(super) fn cache_in_words(&self) -> String {
        let spec = self.spec();
        let Some(cache) = &spec.cache else {
            return "none".to_string();
        };
        let row_bytes = u64::from(spec.dies * spec.units_per_slot) * UNIT_BYTES;
        let gb = |superblocks: u32| {
            let rows = u64::from(superblocks) * u64::from(cache.pool.rows);
            format!(
                "{:.1} GB (10^9) with parity",
                (rows * row_bytes) as f64 / 1e9
            )
        };
        let own = cache.pool.superblocks;
        let mut words = Vec::new();
        if own > 0 {
            words.push(format!("static, {}, in every die", gb(own)));
        }
        if cache.dynamic_superblocks > 0 {
            let most = gb(cache.dynamic_superblocks);
            words.push(format!("dynamic, up to {most}, in the main area"));
        }
        let enters = match cache.bypass_from_bytes {
            None => "every write enters it".to_string(),
            Some(bytes) => format!("writes below {} KiB enter it", bytes / 1024),
        };
        let full = match cache.when_full {
            WhenFull::Wait => "",
            WhenFull::Bypass => " while there is room",
        };
        let empties = match cache.emptying {
            Emptying::OnChip => "on-chip copy",
            Emptying::Controller => "the controller",
        };
        format!(
            "{}; {enters}{full}, {empties} empties it",
            words.join(", and ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Model, demo};
    use crate::spec::FoldLimit;

    /// The demonstration drive with more keys of its cache.
    fn parse(keys: &str) -> Result<Model, String> {
        let mut table = "[slc_cache]\n".to_string();
        for line in keys.lines() {
            let (key, value) = line.split_once(" = ").expect("a key and its value");
            table += &format!("{key} = {{ value = {value}, source = \"assumed\" }}\n");
        }
        let text = demo();
        assert!(text.contains("[slc_cache]\n"));
        let text = text.replace("[slc_cache]\n", &table);
        Model::parse(&text, "m.toml").map_err(|error| error.to_string())
    }

    fn words(keys: &str) -> String {
        let facts = parse(keys).expect("it is sound").facts();
        let fact = facts.into_iter().find(|(name, _)| name == "SLC cache");
        fact.expect("it is a fact").1
    }

    #[test]
    fn optional_keys_change_nothing_when_they_are_absent() {
        let cache = parse("").expect("it is sound").spec().cache;
        let cache = cache.expect("it has a cache");
        assert_eq!(cache.bypass_from_bytes, None);
        assert_eq!(cache.fold_limit, FoldLimit::None);
        assert!(!cache.opens_main());
        assert_eq!(
            words(""),
            "static, 0.5 GB (10^9) with parity, in every die; every write enters it, on-chip \
             copy empties it"
        );
    }

    #[test]
    fn a_way_past_it_and_a_pace_are_facts() {
        let keys = "bypass_from_kib = 128\nemptied_by = \"controller\"\n\
                    fold_slots_background = 3\nwhen_full = \"bypass\"\n\
                    dynamic_blocks_per_plane = 220";
        let with = parse(keys).expect("it is sound").spec();
        let cache = with.cache.as_ref().expect("it has a cache");
        assert_eq!(cache.bypass_from_bytes, Some(131_072));
        assert_eq!(cache.fold_limit, FoldLimit::Slots(3));
        assert!(cache.opens_main());
        assert_eq!((with.host_streams(), with.further_streams()), (2, 1));
        assert_eq!(
            words(keys),
            "static, 0.5 GB (10^9) with parity, in every die, and dynamic, up to 0.9 GB (10^9) \
             with parity, in the main area; writes below 128 KiB enter it while there is room, \
             the controller empties it"
        );
        // An open superblock more is kept back.
        let most = |keys: &str| {
            let spec = parse(keys).expect("it is sound").spec();
            crate::sim::user_units_max(&spec).expect("it is small")
        };
        let bypass = "emptied_by = \"controller\"\nwhen_full = \"bypass\"";
        let both = format!("{bypass}\nbypass_from_kib = 128");
        let one = crate::sim::capacity(&with).expect("it is small");
        assert_eq!(most(bypass) - most(&both), one.main_superblock_units);
    }

    #[test]
    fn dies_that_fold_are_limited_in_drives_of_any_size() {
        let limit = |keys: &str| {
            let model = parse(keys)?;
            Ok::<_, String>(model.spec().cache.expect("it has one").fold_limit)
        };
        let dies = |most, idle_free_slots| {
            Ok(FoldLimit::Dies {
                most,
                idle_free_slots,
            })
        };
        // Four dies, one of which folds in the background.
        assert_eq!(limit("fold_dies_max = 1"), dies(1, None));
        assert_eq!(limit("fold_dies_max = 16"), dies(16, None));
        // Of 32 KiB each.
        assert_eq!(limit("idle_free_mib = 200"), dies(u32::MAX, Some(6_400)));
        assert_eq!(
            limit("idle_free_mib = 2000\nfold_dies_max = 3"),
            dies(3, Some(64_000))
        );
        let text = demo().replace(
            "fold_dies_background = { value = 1",
            "fold_dies_background = { value = 3",
        );
        let text = text.replace(
            "[slc_cache]\n",
            "[slc_cache]\nfold_dies_max = { value = 2, source = \"assumed\" }\n",
        );
        let said = Model::parse(&text, "m.toml").expect_err("more in the background");
        let said = said.to_string();
        assert!(
            said.contains("slc_cache.fold_dies_max: 2 is not allowed"),
            "{said}"
        );
    }

    #[test]
    fn folding_begins_by_a_share_or_by_what_is_free() {
        let share = "fold_start_percent = ";
        let text = demo();
        let line = text.lines().find(|line| line.starts_with(share));
        let line = format!("{}\n", line.expect("it has a share"));
        let start = |instead: &str| {
            let model = Model::parse(&text.replace(&line, instead), "m.toml");
            let spec = model.map_err(|error| error.to_string())?.spec();
            let cache = spec.cache.as_ref().expect("it has a cache");
            let slots = u64::from(cache.pool.superblocks * cache.pool.rows * spec.dies);
            let kept = spec.collect.cache_reserve_superblocks + 5;
            let kept = u64::from(kept * cache.pool.rows * spec.dies);
            Ok::<_, String>((slots, kept, cache.fold_start_slots))
        };
        let free =
            |mib: u32| format!("fold_start_free_mib = {{ value = {mib}, source = \"assumed\" }}\n");
        let (slots, kept, taken) = start(&free(100)).expect("it is sound");
        // Of 32 KiB each.
        assert_eq!(taken, slots - kept - 3_200);
        // More than there is: it is folded as soon as anything is taken.
        assert_eq!(start(&free(100_000)).expect("it is sound").2, 0);
        for (keys, part) in [
            (String::new(), "fold_start_percent: is missing"),
            (line.clone() + &free(100), "leave one of them out"),
            (free(0), "from 1 to"),
            (
                free(100) + "emptied_by = { value = \"controller\", source = \"assumed\" }\n",
                "write slc_cache.fold_start_percent",
            ),
            (
                free(100) + "dynamic_blocks_per_plane = { value = 220, source = \"assumed\" }\n",
                "write slc_cache.fold_start_percent",
            ),
        ] {
            let said = start(&keys).expect_err(&keys);
            assert!(said.contains(part), "{said}");
        }
    }

    #[test]
    fn what_cannot_be_is_said() {
        for (keys, key, part) in [
            ("bypass_from_kib = 0", "bypass_from_kib", "from 1 to"),
            (
                "fold_slots_background = 2",
                "fold_slots_background",
                "emptied_by = \"controller\"",
            ),
            (
                "emptied_by = \"controller\"\nfold_slots_background = 0",
                "fold_slots_background",
                "from 1 to 1024",
            ),
            ("fold_dies_max = 0", "fold_dies_max", "from 1 to 1024"),
            (
                "emptied_by = \"controller\"\nfold_dies_max = 2",
                "fold_dies_max",
                "it holds on-chip copy",
            ),
            ("idle_free_mib = 0", "idle_free_mib", "from 1 to"),
            (
                "emptied_by = \"controller\"\nidle_free_mib = 200",
                "idle_free_mib",
                "it holds on-chip copy",
            ),
        ] {
            let said = parse(keys).expect_err(keys);
            assert!(said.contains(&format!("slc_cache.{key}: ")), "{said}");
            assert!(said.contains(part), "{said}");
        }
    }

    #[test]
    fn collected_data_enters_blocks_of_its_own() {
        let of = |keys: &str| {
            let mut model = parse(keys).expect("it is sound");
            let cache = model.slc_cache.as_mut().expect("it has a cache");
            cache.blocks_per_plane.get_mut().value = 0;
            let problems = super::super::check::problems(&model, &model.text);
            let said = problems.into_iter().map(|p| (p.key, p.message));
            let said = said.filter(|(key, _)| *key == "slc_cache.takes_collected");
            (model.spec().cache, said.map(|s| s.1).collect::<Vec<_>>())
        };
        let dynamic = "dynamic_blocks_per_plane = 220";
        let (cache, said) = of(dynamic);
        assert!(!cache.expect("it has a cache").takes_collected);
        assert!(said.is_empty(), "{said:?}");
        let (_, said) = of(&format!("{dynamic}\ntakes_collected = true"));
        assert!(
            said.len() == 1 && said[0].contains("write false"),
            "{said:?}"
        );
    }

    #[test]
    fn the_buffer_holds_a_slot_of_each_stream() {
        // Programs of a die take 32 KiB in this drive.
        let buffer = |keys: &str, kib: u32| {
            let mut model = parse(keys).expect("it is sound");
            model.dram.write_buffer_kib.get_mut().value = kib;
            super::super::check::problems(&model, &model.text)
                .iter()
                .any(|problem| problem.key == "dram.write_buffer_kib")
        };
        let past = "bypass_from_kib = 128";
        let either = "bypass_from_kib = 128\nwhen_full = \"bypass\"";
        assert!(!buffer("", 64) && buffer(past, 64) && !buffer(past, 96));
        assert!(buffer(either, 96) && !buffer(either, 128));
    }
}
