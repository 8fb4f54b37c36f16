//! Rounds of a load that count as repetitions of the last one, without simulation: the wear of a
//! round is added again and again, block by block, with the blocks that go bad and those that
//! replace them. Data stays where the last round left it, and no virtual time passes.
//!
//! That replaces a simulated round only while nothing new happens. So it ends at the first block
//! that goes bad, at the first read retry, when reads would take another number of passes, before
//! the spare blocks of a die fall below the threshold at which the drive warns, and before a block
//! fails on a die that has none left.
//!
//! Simplified: the erases of a round are spread evenly over the superblocks of a pool, as a load
//! over the whole drive with dynamic wear levelling spreads them; the time of failed erases and
//! programs is left out.

use stend_base::Nanos;
use stend_model::health::Health;

use crate::sim::counters::Counters;
use crate::sim::env::Env;
use crate::sim::geometry::layout::Pool;
use crate::sim::ids::{IdRange, SuperblockId};
use crate::sim::media::wear;
use crate::sim::store::Store;

/// Denominator of `program_failure_ppb`.
const PPB: u64 = 1_000_000_000;

/// State of a drive at the beginning of a round.
#[derive(Clone, Debug)]
pub struct RoundStart {
    health: Health,
    counters: Counters,
    erase_counts: Vec<u32>,
}

impl RoundStart {
    pub(in crate::sim) fn new(health: Health, counters: Counters, erase_counts: &[u32]) -> Self {
        RoundStart {
            health,
            counters,
            erase_counts: erase_counts.to_vec(),
        }
    }
}

/// Amounts that rounds without simulation add to the health of a drive.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Repeated {
    host_read_bytes: u64,
    host_written_bytes: u64,
    host_reads: u64,
    host_writes: u64,
    nand_written_bytes: u64,
    power_on: Nanos,
    core_busy: Nanos,
    /// Fraction of a failed program, as a multiple of 1/[`PPB`], that is not a whole one yet.
    failed_ppb: u64,
}

impl Repeated {
    /// The health of a drive after these rounds.
    pub fn added_to(&self, health: Health) -> Health {
        Health {
            host_read_bytes: health.host_read_bytes + self.host_read_bytes,
            host_written_bytes: health.host_written_bytes + self.host_written_bytes,
            host_reads: health.host_reads + self.host_reads,
            host_writes: health.host_writes + self.host_writes,
            nand_written_bytes: health.nand_written_bytes + self.nand_written_bytes,
            power_on: health.power_on + self.power_on,
            core_busy: health.core_busy + self.core_busy,
            ..health
        }
    }

    /// Adds the difference between two instants, `times` times.
    fn add(&mut self, before: &Health, after: &Health, times: u32) {
        let more = |of: fn(&Health) -> u64| (of(after) - of(before)) * u64::from(times);
        self.host_read_bytes += more(|h| h.host_read_bytes);
        self.host_written_bytes += more(|h| h.host_written_bytes);
        self.host_reads += more(|h| h.host_reads);
        self.host_writes += more(|h| h.host_writes);
        self.nand_written_bytes += more(|h| h.nand_written_bytes);
        self.power_on += Nanos(more(|h| h.power_on.0));
        self.core_busy += Nanos(more(|h| h.core_busy.0));
    }

    /// Repeats the round between two instants up to `most` times. Returns the number of
    /// repetitions: 0 if something happened in the round that happens only once.
    pub fn repeat(
        &mut self,
        env: &mut Env,
        store: &mut Store,
        start: &RoundStart,
        end: &RoundStart,
        most: u32,
    ) -> u32 {
        let happened = |of: fn(&Health) -> u64| of(&end.health) > of(&start.health);
        let first_retry = start.counters.read_retries == 0 && end.counters.read_retries > 0;
        let is_special = happened(|h| h.media_errors)
            || happened(|h| h.retired_superblocks.into())
            || first_retry
            || end.health.read_only;
        if is_special {
            return 0;
        }
        let mut round = Round::new(env, store, start, end);
        let mut rounds = 0;
        while rounds < most && round.may_go_on(env, store) {
            rounds += 1;
            round.wear(env, store);
            self.failed_ppb += round.failed_ppb;
            while self.failed_ppb >= PPB {
                self.failed_ppb -= PPB;
                let superblocks = &mut store.ftl.superblocks;
                wear::fail_some_program(&mut store.ftl.media, env, superblocks);
            }
        }
        round.wear_rest(env, store);
        self.add(&start.health, &end.health, rounds);
        rounds
    }
}

/// Wear of a round, and the state that must not change while it is repeated.
struct Round {
    wear: [Wear; 2],
    /// Failed programs of a round, as a multiple of 1/[`PPB`].
    failed_ppb: u64,
    /// True if no block has gone bad: the first one would be something new.
    sound: bool,
    /// Spare blocks of the die with the fewest at which the drive warns; `None` if it warns
    /// already.
    spares_low: Option<u32>,
    /// Passes of a read in the most worn superblock of each pool.
    passes: [Option<u32>; 2],
}

/// The erases of a pool.
struct Wear {
    pool: Pool,
    superblocks: Vec<SuperblockId>,
    /// Erases in a round.
    erases: usize,
    /// Erases of rounds so far that do not yet make one erase of every superblock.
    due: usize,
}

impl Round {
    fn new(env: &Env, store: &Store, start: &RoundStart, end: &RoundStart) -> Round {
        let failure_ppb = env
            .spec
            .blocks
            .as_ref()
            .map_or(0, |b| b.program_failure_ppb);
        let programs = |c: &Counters| c.nand_programs + c.folds;
        let blocks = store.ftl.media.block_health();
        let threshold = env
            .spec
            .health
            .as_ref()
            .map_or(0, |h| h.spare_threshold_percent);
        Round {
            wear: [Pool::SlcCache, Pool::Data].map(|pool| Wear::new(env, store, pool, start, end)),
            failed_ppb: (programs(&end.counters) - programs(&start.counters))
                .saturating_mul(failure_ppb.into()),
            sound: blocks.is_none_or(|b| b.grown_bad == 0),
            spares_low: blocks.and_then(|b| {
                let low = (b.spares_least_new * threshold).div_ceil(100);
                (b.spares_least > low).then_some(low)
            }),
            passes: passes(env, store),
        }
    }

    fn may_go_on(&self, env: &Env, store: &Store) -> bool {
        let goes_on = |(spares, grown_bad)| {
            self.spares_low.is_none_or(|low| spares > low) && (grown_bad == 0 || !self.sound)
        };
        wear::spares_and_grown_bad(&store.ftl.media).is_none_or(goes_on)
            && passes(env, store) == self.passes
            && self.wear.iter().all(|wear| wear.retires_none(env, store))
    }

    /// Adds the wear of one more round.
    fn wear(&mut self, env: &mut Env, store: &mut Store) {
        for wear in &mut self.wear {
            wear.due += wear.erases;
            while wear.due >= wear.superblocks.len() && wear.due > 0 {
                wear.due -= wear.superblocks.len();
                for &superblock in &wear.superblocks {
                    let superblocks = &mut store.ftl.superblocks;
                    wear::erase_once_more(&mut store.ftl.media, env, superblocks, superblock);
                }
            }
        }
    }

    /// Adds the rest of the erases, less than one of every superblock, to the least worn
    /// superblocks.
    fn wear_rest(&mut self, env: &mut Env, store: &mut Store) {
        for wear in &mut self.wear {
            let counts = store.ftl.superblocks.erase_counts();
            wear.superblocks.sort_by_key(|s| counts[s.index()]);
            for &superblock in &wear.superblocks[..wear.due] {
                let superblocks = &mut store.ftl.superblocks;
                wear::erase_once_more(&mut store.ftl.media, env, superblocks, superblock);
            }
        }
    }
}

impl Wear {
    fn new(env: &Env, store: &Store, pool: Pool, start: &RoundStart, end: &RoundStart) -> Wear {
        let superblocks: Vec<SuperblockId> = env.layout.superblocks_of(pool).each().collect();
        let erases = |counts: &[u32]| -> usize {
            let of_pool = superblocks.iter().map(|s| counts[s.index()] as usize);
            of_pool.sum()
        };
        let erases = erases(&end.erase_counts) - erases(&start.erase_counts);
        let in_use = superblocks.into_iter();
        let in_use = in_use.filter(|&s| store.ftl.superblocks.is_in_use(s));
        Wear {
            pool,
            superblocks: in_use.collect(),
            erases,
            due: 0,
        }
    }

    /// True if no superblock comes near the cycles after which it is retired, or near the end of a
    /// block that no other can replace.
    fn retires_none(&self, env: &Env, store: &Store) -> bool {
        let health = env.spec.health.as_ref();
        let end = health.map_or(u32::MAX, |h| h.end_of_life_cycles[self.pool as usize]);
        let each = self.erases.div_ceil(self.superblocks.len().max(1)) as u32;
        let cycles = cycles_max(env, store, self.pool).unwrap_or(0);
        cycles.saturating_add(each + 1) < end
            && !wear::may_lack_a_block(&store.ftl.media, self.pool, &self.superblocks, each + 1)
    }
}

/// Erase cycles of the most worn superblock of a pool.
fn cycles_max(env: &Env, store: &Store, pool: Pool) -> Option<u32> {
    let counts = store.ftl.superblocks.erase_counts();
    let of_pool = env.layout.superblocks_of(pool).each();
    of_pool.map(|s| counts[s.index()]).max()
}

/// Passes of a read of a page that was just written, one of the worst of the most worn superblock
/// of each pool.
fn passes(env: &Env, store: &Store) -> [Option<u32>; 2] {
    [Pool::SlcCache, Pool::Data].map(|pool| {
        let cycles = cycles_max(env, store, pool)?;
        wear::passes_when_written(&store.ftl.media, pool, cycles)
    })
}
