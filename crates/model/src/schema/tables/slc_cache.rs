//! `[slc_cache]`.

use crate::nand::CellTiming;
use stend_base::Nanos;

use super::super::convert::{given, micros, or_default, value, whole_micros};
use super::super::key::{Field, Problems, named, table};
use super::super::rules::OneOf;
use super::super::types::{Emptying, FoldLimit, PoolSpec, WhenFull};
use super::Model;
use super::nand::{mp_page_kib, superblocks};

table! {
    /// An SLC cache.
    pub struct SlcCache = "slc_cache" => CacheSpec {
        /// Switch.
        enabled: Field<bool>;
        /// Blocks of a plane that are always in SLC mode (static cache): with on-chip copy at least
        /// 12 + `gc.slc_reserve_superblocks`, else 4; 0 where there are dynamic ones.
        blocks_per_plane: Field<u32> => |cache, model|
            /// Its own superblocks, and cells in SLC mode; the rows are a block's word lines.
            pool: PoolSpec = cache.pool(model);
        /// Flash pages of a block in SLC mode: its word lines.
        pages_per_block: Field<u32>, 4..=4096;
        /// tR in SLC mode, µs.
        read_us: Field<f64>, 1.0..=10_000.0;
        /// tPROG in SLC mode, µs.
        program_us: Field<f64>, 1.0..=10_000.0;
        /// tBERS in SLC mode, µs.
        erase_us: Field<f64>, 1.0..=100_000.0;
        /// Blocks of a plane in the data area that may be in SLC mode at the same time (dynamic
        /// cache): with on-chip copy at least 2 more than the bits of a cell, else 2. More than
        /// `nand.blocks_per_plane` means all of them.
        dynamic_blocks_per_plane: Option<Field<u32>>, 1..=65_536 => |cache, model|
            /// Superblocks of the data area that may be used in SLC mode at the same time.
            dynamic_superblocks: u32 = cache.dynamic_superblocks(model),
            /// Write requests at least so long go to the data area directly; `None`: all enter it.
            bypass_from_bytes: Option<u64> =
                given(&cache.bypass_from_kib).map(|kib| u64::from(kib) * 1024);
        /// Way of data from the cache to the data area: by on-chip copy, within a die, or through
        /// the controller, as in garbage collection.
        fold_by: Field<String> = "on-chip".to_owned(), OneOf(&FOLD_BY) => |cache, _|
            /// Way of emptying.
            emptying: Emptying = named(&FOLD_BY, &cache.fold_by);
        /// Action of the host while the cache is full: it waits, or writes to the data area.
        when_full: Field<String> = "wait".to_owned(), OneOf(&WHEN_FULL) => |cache, _|
            /// Action of the host while it is full.
            when_full: WhenFull = named(&WHEN_FULL, &cache.when_full);
        /// Write requests at least so long, KiB, go to the data area directly.
        bypass_from_kib: Option<Field<u32>>, 1..=1_048_576;
        /// `true`: data relocated by garbage collection enters the cache. Without the key it does
        /// where the cache has blocks of its own and on-chip copy folds it; it needs both.
        takes_gc: Option<Field<bool>> => |cache, _|
            /// True if relocated data enters it, as host data does, or the data area.
            takes_gc: bool = takes_gc(cache);
        /// `true`: the host is given room in the cache page by page as it is folded; else only as
        /// blocks are erased, so that its speed comes in bursts: with `when_full = "wait"` alone,
        /// without `takes_gc` and `dynamic_blocks_per_plane`.
        frees_per_page: Field<bool> = true => frees_per_page: bool = value;
        /// Folding in the background begins when more of the cache than this is occupied, percent,
        /// and goes on beside the host's writes: not beside reads alone, once no write has come for
        /// `idle.delay_ms`. Either this or the next key.
        fold_start_percent: Option<Field<f64>>, 0.0..=100.0 => |cache, model|
            /// Folding starts when more multi-plane pages than this are taken.
            fold_start_mp_pages: u64 = cache.fold_start_mp_pages(model);
        /// On-chip copy: folding in the background begins when less than this is free for the host,
        /// MiB, parity included, beside what the drive keeps for itself. Drives of several sizes
        /// can share it. Not with `dynamic_blocks_per_plane`.
        fold_start_free_mib: Option<Field<u32>>, 1..=1_048_576;
        /// Dies that fold at once in the background, while the host still finds room: at most
        /// `nand.dies`.
        fold_dies_background: Field<u32> => fold_dies_background: u32 = value;
        /// Rest of such folding after each word line of a die, µs.
        fold_pause_us: Field<u64>, 0..=10_000_000 => fold_pause: Nanos = whole_micros;
        /// Through the controller: multi-plane pages read or written at once while the host still
        /// finds room; `gc.depth` without the key.
        fold_pages_background: Option<Field<u32>>, 1..=1024 => |cache, model|
            /// Limit of emptying.
            fold_limit: FoldLimit = cache.fold_limit(model);
        /// On-chip copy: dies that fold at once at most, in the background or not; all without the
        /// key. Not below `fold_dies_background`; more than there are is no error, so that drives
        /// of several sizes can share it.
        fold_dies_max: Option<Field<u32>>, 1..=1024;
        /// On-chip copy: what of the cache idle time makes free for the host, MiB, parity included,
        /// beside what the drive keeps for itself; all without the key.
        idle_free_mib: Option<Field<u32>>, 1..=1_048_576;
    }
}

/// Ways of folding an SLC cache, by name.
const FOLD_BY: [(&str, Emptying); 2] = [
    ("on-chip", Emptying::OnChip),
    ("controller", Emptying::Controller),
];

/// Actions of the host while it is full, by name.
const WHEN_FULL: [(&str, WhenFull); 2] = [("wait", WhenFull::Wait), ("bypass", WhenFull::Bypass)];

impl SlcCache {
    fn is_folded_on_chip(&self) -> bool {
        self.fold_by.value != "controller"
    }

    fn pool(&self, model: &Model) -> PoolSpec {
        PoolSpec {
            superblocks: superblocks(model, self.blocks_per_plane.value),
            rows: self.pages_per_block.value,
            timing: CellTiming {
                read: vec![micros(&self.read_us)],
                program: vec![micros(&self.program_us)],
                erase: micros(&self.erase_us),
            },
        }
    }

    fn dynamic_superblocks(&self, model: &Model) -> u32 {
        let blocks = or_default(&self.dynamic_blocks_per_plane);
        superblocks(model, blocks.min(model.nand.blocks_per_plane.value))
    }

    fn fold_start_mp_pages(&self, model: &Model) -> u64 {
        let own = superblocks(model, self.blocks_per_plane.value);
        let all = u64::from(own + self.dynamic_superblocks(model));
        let rows = u64::from(self.pages_per_block.value);
        let mp_pages = all * rows * u64::from(model.nand.dies.value);
        (mp_pages as f64 * or_default(&self.fold_start_percent) / 100.0) as u64
    }

    fn fold_limit(&self, model: &Model) -> FoldLimit {
        if !self.is_folded_on_chip() {
            let background = given(&self.fold_pages_background);
            return background.map_or(FoldLimit::None, FoldLimit::MpPages);
        }
        let (dies, free_mib) = (given(&self.fold_dies_max), given(&self.idle_free_mib));
        if dies.is_none() && free_mib.is_none() {
            return FoldLimit::None;
        }
        let mp_pages = |mib: u32| u64::from(mib) * 1024 / u64::from(mp_page_kib(model));
        FoldLimit::Dies {
            most: dies.unwrap_or(u32::MAX),
            idle_free_mp_pages: free_mib.map(mp_pages),
        }
    }
}

/// True if relocated data enters it: if nothing is said, where it has blocks of its own that
/// on-chip copy folds.
pub(in super::super) fn takes_gc(cache: &SlcCache) -> bool {
    let usual = cache.is_folded_on_chip() && cache.blocks_per_plane.value > 0;
    cache.takes_gc.as_ref().map_or(usual, |takes| takes.value)
}

pub(crate) fn check(problems: &mut Problems, model: &Model) {
    let Some(cache) = &model.slc_cache else {
        return;
    };
    check_blocks(problems, cache, model);
    check_takes_gc(problems, cache);
    check_frees_per_page(problems, cache);
    check_fold_start(problems, cache);
    check_fold_limits(problems, cache, model);
}

fn check_blocks(problems: &mut Problems, cache: &SlcCache, model: &Model) {
    let least = if cache.dynamic_blocks_per_plane.is_some() {
        0
    } else {
        2
    };
    problems.check(&cache.blocks_per_plane, least..=65_536);
    let bits = model.nand.program_us.value.len() as u32;
    let (pages, native) = (
        cache.pages_per_block.value,
        model.nand.pages_per_block.value,
    );
    if pages * bits != native {
        let message = format!(
            "{pages} is not allowed; a block has nand.pages_per_block / bits of a cell = {native} \
             / {bits} word lines, and as many pages in SLC mode"
        );
        problems.report(&cache.pages_per_block, message);
    }
}

fn check_takes_gc(problems: &mut Problems, cache: &SlcCache) {
    let Some(takes) = cache.takes_gc.as_ref().filter(|takes| takes.value) else {
        return;
    };
    if !cache.is_folded_on_chip() {
        let message = "a cache that is folded through the controller takes no relocated data: \
                       write false";
        problems.report(takes, message);
    } else if cache.blocks_per_plane.value == 0 {
        let message = "relocated data enters only blocks of the cache's own, of which there are \
                       none: write false, or a slc_cache.blocks_per_plane above 0";
        problems.report(takes, message);
    }
}

fn check_frees_per_page(problems: &mut Problems, cache: &SlcCache) {
    let dynamic = cache.dynamic_blocks_per_plane.as_ref();
    let other = if cache.when_full.value != "wait" {
        "slc_cache.when_full = \"bypass\", where the host does not wait"
    } else if takes_gc(cache) {
        "slc_cache.takes_gc, for which room is kept"
    } else if dynamic.is_some_and(|blocks| blocks.value > 0) {
        "slc_cache.dynamic_blocks_per_plane"
    } else {
        return;
    };
    if !cache.frees_per_page.value {
        let message = format!("false is not allowed with {other}");
        problems.report(&cache.frees_per_page, message);
    }
}

/// True if it says when folding in the background begins.
fn check_fold_start(problems: &mut Problems, cache: &SlcCache) {
    let free = &cache.fold_start_free_mib;
    match (&cache.fold_start_percent, free) {
        (Some(_), None) => {}
        (None, None) => {
            let message = "is missing: it says when more of the cache is taken than is left alone, \
                           0 to 100; a drive whose firmware counts what is free has \
                           fold_start_free_mib instead";
            problems.report_key(&cache.enabled, "slc_cache.fold_start_percent", message);
        }
        (Some(_), Some(_)) => {
            let message = "slc_cache.fold_start_percent says the same: leave one of them out";
            problems.needs(&[free], message);
        }
        (None, Some(_)) => {
            if !cache.is_folded_on_chip() || cache.dynamic_blocks_per_plane.is_some() {
                let message = "it counts what is free of blocks of the cache's own that on-chip \
                               copy folds: write slc_cache.fold_start_percent";
                problems.needs(&[free], message);
            }
        }
    }
}

/// Limit of folding. More dies, or more MiB, than there are is no error: drives of several
/// sizes share their firmware.
fn check_fold_limits(problems: &mut Problems, cache: &SlcCache, model: &Model) {
    let background = &cache.fold_dies_background;
    problems.check(background, 0..=model.nand.dies.value);
    if cache.is_folded_on_chip() {
        let message = "it limits folding through the controller: write slc_cache.fold_by = \
                       \"controller\", or fold_dies_background";
        problems.needs(&[&cache.fold_pages_background], message);
    } else {
        let message = "it limits on-chip copy: leave it out, or write slc_cache.fold_by = \
                       \"on-chip\"";
        problems.needs(&[&cache.fold_dies_max, &cache.idle_free_mib], message);
    }
    if let Some(most) = &cache.fold_dies_max
        && most.value < background.value
    {
        let message = format!(
            "{} is not allowed; slc_cache.fold_dies_background is more: {}",
            most.value, background.value
        );
        problems.report(most, message);
    }
}

#[cfg(test)]
mod tests {
    use crate::Model;
    use crate::schema::key::Problems;
    use crate::schema::spec::FoldLimit;
    use crate::testing::{self, assert_refused, demo, figures};

    /// The demonstration drive with more keys of its cache.
    fn parse(keys: &str) -> Result<Model, String> {
        assert!(demo().contains("[slc_cache]\n"));
        let table = format!("[slc_cache]\n{}", figures(keys));
        testing::parse(&demo().replace("[slc_cache]\n", &table))
    }

    /// Problems of a key of a model.
    fn problems_of(model: &Model, key: &str) -> Vec<String> {
        let mut problems = Problems::default();
        crate::check::model(&mut problems, model);
        let mine = problems
            .0
            .into_iter()
            .filter(|problem| problem.key.as_deref() == Some(key));
        mine.map(|problem| problem.message).collect()
    }

    fn words(keys: &str) -> String {
        let facts = parse(keys).expect("it is sound").facts();
        let fact = facts.into_iter().find(|(id, _)| *id == "slc-cache");
        fact.expect("it is a fact").1.in_english()
    }

    #[test]
    fn optional_keys_change_nothing_when_they_are_absent() {
        let cache = parse("").expect("it is sound").spec().cache;
        let cache = cache.expect("it has a cache");
        assert_eq!(cache.bypass_from_bytes, None);
        assert_eq!(cache.fold_limit, FoldLimit::None);
        assert!(!cache.opens_data());
        assert_eq!(
            words(""),
            "static, 0.46 GB with parity, in every die; every write enters it, on-chip copy folds \
             it"
        );
    }

    #[test]
    fn bypass_and_background_folding_are_facts() {
        let keys = "bypass_from_kib = 128\nfold_by = \"controller\"\n\
                    fold_pages_background = 3\nwhen_full = \"bypass\"\n\
                    dynamic_blocks_per_plane = 220";
        let with = parse(keys).expect("it is sound").spec();
        let cache = with.cache.as_ref().expect("it has a cache");
        assert_eq!(cache.bypass_from_bytes, Some(131_072));
        assert_eq!(cache.fold_limit, FoldLimit::MpPages(3));
        assert!(cache.opens_data());
        assert_eq!((with.host_streams(), with.further_streams()), (2, 1));
        assert_eq!(
            words(keys),
            "static, 0.46 GB with parity, in every die, and dynamic, up to 0.92 GB with parity, in \
             the data area; writes below 128 KiB enter it while there is room, the controller \
             folds it"
        );
        // An open superblock more is kept back, whatever bypasses.
        let further = |keys: &str| parse(keys).expect("it is sound").spec().further_streams();
        let waits = "fold_by = \"controller\"";
        let bypass = format!("{waits}\nwhen_full = \"bypass\"");
        assert_eq!((further(waits), further(&bypass)), (0, 1));
        assert_eq!(further(&format!("{bypass}\nbypass_from_kib = 128")), 1);
    }

    #[test]
    fn dies_that_fold_are_limited_in_drives_of_any_size() {
        let limit = |keys: &str| {
            let model = parse(keys)?;
            Ok::<_, String>(model.spec().cache.expect("it has one").fold_limit)
        };
        let dies = |most, idle_free_mp_pages| {
            Ok(FoldLimit::Dies {
                most,
                idle_free_mp_pages,
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
            "fold_dies_max = { value = 2, source = \"assumed\" }\n\
             fold_dies_background = { value = 3",
        );
        let model = testing::parse(&text);
        assert_refused(model, "slc_cache.fold_dies_max", "2 is not allowed");
    }

    #[test]
    fn folding_begins_by_a_share_or_by_what_is_free() {
        let share = "fold_start_percent = ";
        let text = demo();
        let line = text.lines().find(|line| line.starts_with(share));
        let line = format!("{}\n", line.expect("it has a share"));
        let start = |instead: &str| {
            let spec = testing::parse(&text.replace(&line, instead))?.spec();
            let cache = spec.cache.as_ref().expect("it has a cache");
            let mp_pages = u64::from(cache.pool.superblocks * cache.pool.rows * spec.dies);
            let kept = spec.gc.slc_reserve_superblocks + 5;
            let kept = u64::from(kept * cache.pool.rows * spec.dies);
            Ok::<_, String>((mp_pages, kept, cache.fold_start_mp_pages))
        };
        let free =
            |mib: u32| format!("fold_start_free_mib = {{ value = {mib}, source = \"assumed\" }}\n");
        let (mp_pages, kept, taken) = start(&free(100)).expect("it is sound");
        // Of 32 KiB each.
        assert_eq!(taken, mp_pages - kept - 3_200);
        // More than there is: it is folded as soon as anything is taken.
        assert_eq!(start(&free(100_000)).expect("it is sound").2, 0);
        for (keys, part) in [
            (String::new(), "fold_start_percent: is missing"),
            (line.clone() + &free(100), "leave one of them out"),
            (free(0), "from 1 to"),
            (
                free(100) + "fold_by = { value = \"controller\", source = \"assumed\" }\n",
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
    fn impossible_figures_are_refused() {
        let refuses = |fold_by: &str, key: &str, value: u32, part: &str| {
            let model = parse(&format!("fold_by = \"{fold_by}\"\n{key} = {value}"));
            assert_refused(model, &format!("slc_cache.{key}"), part);
        };
        refuses("on-chip", "bypass_from_kib", 0, "from 1 to");
        refuses(
            "on-chip",
            "fold_pages_background",
            2,
            "fold_by = \"controller\"",
        );
        refuses("on-chip", "fold_dies_max", 0, "from 1 to 1024");
        refuses("on-chip", "idle_free_mib", 0, "from 1 to");
        refuses("controller", "fold_pages_background", 0, "from 1 to 1024");
        refuses("controller", "fold_dies_max", 2, "it limits on-chip copy");
        refuses("controller", "idle_free_mib", 200, "it limits on-chip copy");
    }

    #[test]
    fn a_dynamic_cache_is_at_most_the_whole_plane() {
        let superblocks = |blocks: u32| {
            let model = parse(&format!("dynamic_blocks_per_plane = {blocks}"));
            let cache = model.expect("it is sound").spec().cache;
            cache.expect("it has a cache").dynamic_superblocks
        };
        let demo = Model::shipped("demo-8gb").expect("it is shipped");
        let all = demo.nand.blocks_per_plane.value;
        assert_eq!(superblocks(60_000), superblocks(all));
        assert!(superblocks(all - 1) < superblocks(all));
    }

    #[test]
    fn relocated_data_enters_blocks_of_the_cache_alone() {
        let of = |keys: &str| {
            let mut model = parse(keys).expect("it is sound");
            let cache = model.slc_cache.as_mut().expect("it has a cache");
            cache.blocks_per_plane.value = 0;
            (
                model.spec().cache,
                problems_of(&model, "slc_cache.takes_gc"),
            )
        };
        let dynamic = "dynamic_blocks_per_plane = 220";
        let (cache, said) = of(dynamic);
        assert!(!cache.expect("it has a cache").takes_gc);
        assert!(said.is_empty(), "{said:?}");
        let (_, said) = of(&format!("{dynamic}\ntakes_gc = true"));
        assert!(
            said.len() == 1 && said[0].contains("write false"),
            "{said:?}"
        );
    }

    #[test]
    fn the_buffer_holds_a_program_of_each_stream() {
        // Programs of a die take 32 KiB in this drive.
        let buffer = |keys: &str, kib: u32| {
            let mut model = parse(keys).expect("it is sound");
            model.dram.write_buffer_kib.value = kib;
            !problems_of(&model, "dram.write_buffer_kib").is_empty()
        };
        let past = "bypass_from_kib = 128";
        let either = "bypass_from_kib = 128\nwhen_full = \"bypass\"";
        assert!(!buffer("", 64) && buffer(past, 64) && !buffer(past, 96));
        assert!(buffer(either, 96) && !buffer(either, 128));
    }
}
