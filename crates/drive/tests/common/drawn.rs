//! Mechanisms of random drives, and those that had an effect.

use stend_drive::SimDrive;
use stend_drive::sim::Counters;
use stend_model::spec::*;

use super::cuts::Tried;

/// A drive at the end of its run.
pub struct Seen<'a> {
    pub spec: &'a Spec,
    pub drive: &'a SimDrive,
    pub counters: Counters,
    pub tried: Tried,
}

impl<'a> Seen<'a> {
    pub fn new(drive: &'a SimDrive, tried: Tried) -> Seen<'a> {
        Seen {
            spec: drive.spec(),
            drive,
            counters: drive.counters(),
            tried,
        }
    }

    fn cache(&self, is: impl Fn(&CacheSpec) -> bool) -> bool {
        self.spec.cache.as_ref().is_some_and(is)
    }

    fn media(&self, is: impl Fn(&MediaSpec) -> bool) -> bool {
        self.spec.media.as_ref().is_some_and(is)
    }

    fn loss(&self, is: impl Fn(&PowerLossSpec) -> bool) -> bool {
        self.spec.power_loss.as_ref().is_some_and(is)
    }

    fn blocks(&self, is: impl Fn(&BlocksSpec) -> bool) -> bool {
        self.spec.blocks.as_ref().is_some_and(is)
    }

    fn streams(&self, is: impl Fn(&StreamsSpec) -> bool) -> bool {
        self.spec.streams.as_ref().is_some_and(is)
    }

    fn work(&self, is: impl Fn(&TrimWorkSpec) -> bool) -> bool {
        self.spec.trim.work.as_ref().is_some_and(is)
    }

    fn protocol(&self) -> Option<Protocol> {
        self.spec.host.pcie.as_ref().map(|pcie| pcie.protocol)
    }

    /// Number of dies on which a stripe lies, compared with all dies.
    fn stripe(&self) -> Option<std::cmp::Ordering> {
        Some((self.spec.parity_data? + 1).cmp(&self.spec.dies))
    }

    fn suspends(&self, is: impl Fn(&stend_model::nand::Suspend) -> bool) -> bool {
        self.spec.abilities.suspend.as_ref().is_some_and(is)
    }

    /// Erase cycles of the superblocks of the cache's own.
    fn cache_is_erased(&self) -> bool {
        self.drive.health().slc_cycles.is_some_and(|c| c.max > 0)
    }

    fn throttled(&self) -> bool {
        self.drive
            .inspect()
            .temperature()
            .is_some_and(|t| t.throttled.0 > 0)
    }
}

type Is = fn(&Seen<'_>) -> bool;

/// A name, the test that a mechanism is drawn, and the test that it had an effect; `None` without a
/// counter for that.
type Mechanism = (&'static str, Is, Option<Is>);

fn relocates(seen: &Seen<'_>) -> bool {
    seen.counters.pages_relocated > 0
}

fn folds(seen: &Seen<'_>) -> bool {
    seen.counters.pages_folded > 0
}

fn trims(seen: &Seen<'_>) -> bool {
    seen.counters.pages_trimmed > 0
}

/// All mechanisms.
pub const MECHANISMS: &[Mechanism] = &[
    ("cells of one bit", |s| bits(s) == 1, None),
    ("cells of several bits", |s| bits(s) > 1, None),
    (
        "cache: static",
        |s| s.cache(|c| c.pool.superblocks > 0),
        Some(|s| s.cache_is_erased()),
    ),
    (
        "cache: dynamic",
        |s| s.cache(|c| c.dynamic_superblocks > 0),
        Some(folds),
    ),
    (
        "cache: both",
        |s| s.cache(|c| c.dynamic_superblocks > 0 && c.pool.superblocks > 0),
        Some(folds),
    ),
    (
        "cache: bypassed when full",
        |s| s.cache(|c| c.when_full == WhenFull::Bypass),
        Some(folds),
    ),
    (
        "cache: bypassed by long requests",
        |s| s.cache(|c| c.bypass_from_bytes.is_some()),
        Some(folds),
    ),
    (
        "cache: on-chip copy",
        |s| s.cache(|c| c.emptying == Emptying::OnChip),
        Some(|s| s.counters.folds > 0),
    ),
    (
        "cache: through the controller",
        |s| s.cache(|c| c.emptying == Emptying::Controller),
        Some(folds),
    ),
    (
        "cache: folding limited in multi-plane pages",
        |s| s.cache(|c| matches!(c.fold_limit, FoldLimit::MpPages(_))),
        Some(folds),
    ),
    (
        "cache: room by whole blocks",
        |s| s.cache(|c| !c.frees_per_page),
        Some(folds),
    ),
    (
        "cache: few dies fold",
        |s| s.cache(|c| matches!(c.fold_limit, FoldLimit::Dies { .. })),
        Some(folds),
    ),
    (
        "cache: rests between copies",
        |s| s.cache(|c| c.fold_pause.0 > 0),
        Some(folds),
    ),
    (
        "cache: takes relocated data",
        |s| s.cache(|c| c.takes_gc),
        Some(relocates),
    ),
    (
        "cache: the same, dynamic",
        |s| s.cache(|c| c.takes_gc && c.dynamic_superblocks > 0),
        Some(relocates),
    ),
    (
        "cache: the same, bypassed",
        |s| s.cache(|c| c.takes_gc && c.opens_data()),
        Some(relocates),
    ),
    (
        "parity: fewer dies than there are",
        |s| s.stripe() == Some(std::cmp::Ordering::Less),
        Some(|s| s.counters.parity_programs > 0),
    ),
    (
        "parity: as many dies",
        |s| s.stripe() == Some(std::cmp::Ordering::Equal),
        Some(|s| s.counters.parity_programs > 0),
    ),
    (
        "parity: more than one page a die",
        |s| s.stripe() == Some(std::cmp::Ordering::Greater),
        Some(|s| s.counters.parity_programs > 0),
    ),
    (
        "parity: rebuilds",
        |s| s.media(|_| true) && s.stripe().is_some(),
        Some(|s| s.counters.rebuilt_pages > 0),
    ),
    (
        "parity: partial",
        |s| s.media(|_| true) && s.stripe().is_some() && s.spec.power_loss.is_some(),
        Some(|s| s.counters.partial_parity_programs > 0),
    ),
    ("word lines at once", |s| s.spec.one_shot.is_some(), None),
    ("cells: cache read", |s| s.spec.abilities.cache_read, None),
    (
        "cells: cache program",
        |s| s.spec.abilities.cache_program,
        None,
    ),
    (
        "cells: programs suspended",
        |s| s.suspends(|a| a.program.is_some()),
        Some(|s| s.counters.suspensions > 0),
    ),
    (
        "cells: erases suspended",
        |s| s.suspends(|a| a.erase.is_some()),
        Some(|s| s.counters.suspensions > 0),
    ),
    (
        "L2P on flash",
        |s| s.spec.l2p_cache.is_some(),
        Some(|s| s.counters.l2p_misses > 0 && s.counters.l2p_programs > 0),
    ),
    (
        "buffer: coalesces",
        |s| s.spec.buffer.coalesces,
        Some(|s| s.counters.pages_coalesced > 0),
    ),
    (
        "buffer: one direction",
        |s| s.spec.buffer.half_duplex,
        Some(|s| s.counters.turnarounds > 1),
    ),
    ("buffer: protected", |s| s.spec.buffer.plp, None),
    (
        "buffer: reads ahead",
        |s| s.spec.buffer.read_ahead_pages > 0,
        Some(|s| s.counters.read_ahead_hits > 0),
    ),
    ("parts of pages", |_| true, Some(|s| s.counters.merges > 0)),
    ("FUA", |s| s.tried.forced > 0, None),
    ("write cache off", |s| !s.spec.host.write_cache, None),
    (
        "flash: errors beyond ECC",
        |s| s.media(|m| m.data_area.spread_percent > 0),
        Some(|s| s.counters.uncorrectable_pages > 0),
    ),
    (
        "flash: losses beyond parity",
        |s| s.media(|_| true),
        Some(|s| s.tried.lost_pages > 0),
    ),
    (
        "flash: read again",
        |s| s.media(|m| m.data_area.fresh.0 > 0),
        Some(|s| s.counters.read_retries > 0),
    ),
    (
        "flash: ages",
        |s| s.media(|m| m.data_area.year_fresh.0 > 0),
        Some(|s| s.tried.days_off > 0),
    ),
    (
        "flash: wears",
        |s| s.media(|m| m.data_area.worn.0 > 0),
        Some(|s| s.drive.health().cycles.max > 0),
    ),
    (
        "flash: disturbed by reads",
        |s| s.media(|m| m.data_area.reads_100k.0 > 0),
        Some(|s| s.counters.nand_reads > 0),
    ),
    (
        "flash: refreshed",
        |s| s.media(|m| m.refresh.is_some()),
        Some(|s| s.counters.pages_refreshed > 0),
    ),
    (
        "flash: patrolled",
        |s| s.media(|m| m.patrol_interval.is_some()),
        Some(|s| s.counters.patrol_reads > 0),
    ),
    (
        "flash: a die fails",
        |s| s.tried.die_failures > 0,
        Some(|s| s.counters.uncorrectable_pages > 0),
    ),
    (
        "flash: dies fail beyond parity",
        |s| s.tried.die_failures > 1,
        Some(|s| s.tried.lost_pages > 0),
    ),
    (
        "superblocks of a limited life",
        |s| s.spec.health.is_some() && s.spec.blocks.is_none(),
        Some(|s| s.drive.health().retired_superblocks > 0),
    ),
    (
        "blocks: a life of their own",
        |s| s.blocks(|b| b.life_cycles[1] < u32::MAX),
        Some(|s| s.tried.grown_bad > 0),
    ),
    (
        "blocks: bad from the factory",
        |s| s.blocks(|b| b.factory_bad_ppm > 0),
        Some(|s| s.drive.health().blocks.is_some_and(|b| b.factory_bad > 0)),
    ),
    (
        "blocks: programs fail",
        |s| s.blocks(|b| b.program_failure_ppb > 0),
        Some(|s| s.counters.block_copies > 0),
    ),
    (
        "blocks: of a spare superblock",
        |s| {
            s.blocks(|_| true)
                && s.spec
                    .health
                    .as_ref()
                    .is_some_and(|h| h.spare_superblocks > 0)
        },
        Some(|s| s.drive.health().retired_superblocks > 0),
    ),
    (
        "worn out",
        |s| s.tried.worn_out > 0,
        Some(|s| s.tried.refused > 0),
    ),
    (
        "streams of the host",
        |s| s.streams(|x| x.host_streams > 1),
        Some(relocates),
    ),
    (
        "streams of GC",
        |s| s.streams(|x| x.gc_streams > 1),
        Some(relocates),
    ),
    (
        "policy: greedy",
        |s| s.spec.gc.policy == Policy::Greedy,
        Some(relocates),
    ),
    (
        "policy: FIFO",
        |s| s.spec.gc.policy == Policy::Fifo,
        Some(relocates),
    ),
    (
        "policy: cost-benefit",
        |s| s.spec.gc.policy == Policy::CostBenefit,
        Some(relocates),
    ),
    (
        "policy: d-choices",
        |s| matches!(s.spec.gc.policy, Policy::DChoices { .. }),
        Some(relocates),
    ),
    (
        "wear levelling: dynamic",
        |s| s.spec.wear.as_ref().is_some_and(|w| w.dynamic),
        None,
    ),
    (
        "wear levelling: static",
        |s| s.spec.wear.as_ref().is_some_and(|w| w.static_spread > 0),
        Some(|s| s.counters.pages_levelled > 0),
    ),
    (
        "over-provisioning by the user",
        |s| s.drive.native_bytes() > s.spec.user_bytes,
        None,
    ),
    (
        "TRIM: at once",
        |s| s.spec.trim.enabled && s.spec.trim.work.is_none(),
        Some(trims),
    ),
    ("TRIM: in chunks", |s| s.work(|w| !w.lazy), Some(trims)),
    ("TRIM: lazy", |s| s.work(|w| w.lazy), Some(trims)),
    (
        "TRIM: rests between chunks",
        |s| s.work(|w| w.pause.is_some()),
        Some(trims),
    ),
    (
        "TRIM: not deterministic",
        |s| s.work(|w| !w.deterministic),
        Some(trims),
    ),
    (
        "TRIM: alone in the drive",
        |s| !s.spec.trim.queued,
        Some(trims),
    ),
    (
        "TRIM: does not reach the cache",
        |s| !s.spec.trim.reaches_cache && s.spec.cache.is_some(),
        Some(|s| s.counters.invalid_pages_folded > 0),
    ),
    (
        "TRIM: erases what it empties",
        |s| s.spec.trim.erase_pause.is_some(),
        Some(|s| s.counters.superblocks_trimmed > 0),
    ),
    ("TRIM: forgotten", |s| !s.spec.trim.enabled, None),
    (
        "flush: alone in the drive",
        |s| !s.spec.host.flush_queued,
        Some(|s| s.tried.flushes > 0),
    ),
    ("link: SATA", |s| s.protocol().is_none(), None),
    (
        "link: AHCI over PCIe",
        |s| s.protocol() == Some(Protocol::Ahci),
        None,
    ),
    ("link: NVMe", |s| s.protocol() == Some(Protocol::Nvme), None),
    (
        "host processors",
        |s| s.spec.host.driver.is_some(),
        Some(|s| s.counters.cpu_busy_ns > 0),
    ),
    ("several cores", |s| s.spec.controller.cores > 1, None),
    ("idle work", |s| s.spec.idle.enabled, None),
    (
        "idle states",
        |s| !s.spec.idle_states.is_empty(),
        Some(|s| s.tried.slept > 0),
    ),
    (
        "heat: in steps",
        |s| matches!(throttle(s), Some(Throttle::Stepwise { .. })),
        Some(|s| s.throttled()),
    ),
    (
        "heat: in proportion",
        |s| matches!(throttle(s), Some(Throttle::Gradual { .. })),
        Some(|s| s.throttled()),
    ),
    ("requests that overlap", |s| s.tried.overlapping > 0, None),
    (
        "power: journal",
        |s| s.loss(|_| true),
        Some(|s| s.counters.journal_programs > 0),
    ),
    (
        "power: checkpoints",
        |s| s.loss(|_| true),
        Some(|s| s.counters.checkpoint_programs > 0),
    ),
    (
        "power: journal blocks erased",
        |s| s.loss(|_| true),
        Some(|s| s.counters.journal_erases > 0),
    ),
    (
        "power: capacitors",
        |s| s.loss(|l| l.hold_up.is_some()),
        Some(|s| s.counters.save_ns_last > 0),
    ),
    (
        "power: pairs filled up",
        |s| s.loss(|l| l.paired_pages == PairedPages::Pad),
        Some(|s| s.counters.filler_mp_pages > 0),
    ),
    (
        "power: a cut before the start has ended",
        |s| s.tried.cuts_in_start > 0,
        None,
    ),
    ("power: a shutdown", |s| s.tried.shutdowns > 0, None),
];

fn bits(seen: &Seen<'_>) -> usize {
    seen.spec.data.timing.program.len()
}

fn throttle<'a>(seen: &'a Seen<'_>) -> Option<&'a Throttle> {
    seen.spec.thermal.as_ref().map(|thermal| &thermal.throttle)
}

/// For each mechanism, the number of drives with it, and of drives on which it had an effect.
#[derive(Clone)]
pub struct Account(Vec<[u64; 2]>);

impl Default for Account {
    fn default() -> Account {
        Account(vec![[0; 2]; MECHANISMS.len()])
    }
}

impl Account {
    pub fn of(seen: &Seen<'_>) -> Account {
        let row = |(_, drawn, acted): &Mechanism| {
            let drawn = drawn(seen);
            let acted = drawn && acted.is_some_and(|acted| acted(seen));
            [u64::from(drawn), u64::from(acted)]
        };
        Account(MECHANISMS.iter().map(row).collect())
    }

    pub fn add(&mut self, other: &Account) {
        for (row, more) in self.0.iter_mut().zip(&other.0) {
            row[0] += more[0];
            row[1] += more[1];
        }
    }

    /// Names of the mechanisms that were never drawn, or that never had an effect by their counter.
    pub fn lacking(&self) -> Vec<&'static str> {
        let rows = MECHANISMS.iter().zip(&self.0);
        let lacks =
            |row: &[u64; 2], acted: &Option<Is>| row[0] == 0 || acted.is_some() && row[1] == 0;
        rows.filter(|((_, _, acted), row)| lacks(row, acted))
            .map(|((name, ..), _)| *name)
            .collect()
    }
}

impl std::fmt::Display for Account {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{:40} {:>8} {:>8}", "mechanism", "drives", "it acted")?;
        for ((name, _, acted), [drawn, did]) in MECHANISMS.iter().zip(&self.0) {
            let did = acted.map_or("-".to_string(), |_| did.to_string());
            writeln!(f, "{name:40} {drawn:8} {did:>8}")?;
        }
        Ok(())
    }
}
