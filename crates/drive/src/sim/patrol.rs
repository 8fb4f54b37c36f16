//! Patrol reads (background media scan): firmware reads a page of each block in turn, of its
//! weakest word line, to find data that has to be refreshed before the host reads it. The host's
//! reads wait for patrol reads that have begun.
//!
//! Sampled pages represent their block, as in US patent 10,545,810. Simplified: patrol reads keep
//! pace with the host's commands; in silence no command waits for them, and none are made.

use stend_base::{Nanos, SimTime};
use stend_model::nand::Class;
use stend_model::spec::Spec;

use crate::sim::counters::Counters;
use crate::sim::env::Env;
use crate::sim::ids::{DieId, MpPage, Row, SuperblockId};
use crate::sim::media::Part;
use crate::sim::media::op::NandOp;
use crate::sim::store::Store;

/// Maximum of superblocks that one patrol read skips while it looks for one that holds data.
const PASSED_OVER_MAX: u32 = 64;

/// Position of the patrol.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Patrol {
    interval: Nanos,
    next_at: SimTime,
    superblock: SuperblockId,
    die: DieId,
    pub counted: Counters,
}

impl Patrol {
    /// The patrol of a new drive; `None` if there are no patrol reads.
    pub fn new(spec: &Spec) -> Option<Patrol> {
        let interval = spec.media.as_ref()?.patrol_interval?;
        Some(Patrol {
            interval,
            next_at: SimTime::ZERO + interval,
            superblock: SuperblockId(0),
            die: DieId(0),
            counted: Counters::default(),
        })
    }

    /// Begins a patrol read, if one is due.
    #[inline]
    pub fn advance(&mut self, env: &mut Env, store: &mut Store) {
        if env.now() >= self.next_at {
            self.next_at = env.now() + self.interval;
            self.read_next(env, store);
        }
    }

    fn read_next(&mut self, env: &mut Env, store: &mut Store) {
        let Some((superblock, die)) = self.next(env, store) else {
            return;
        };
        let Some(mp_page) = sample(env, store, superblock, die) else {
            return;
        };
        self.counted.patrol_reads += 1;
        let (part, op) = (Part::whole(env, mp_page), NandOp::Patrol { superblock });
        let ftl = &mut store.ftl;
        ftl.media
            .read(env, &ftl.superblocks, part, Class::Background, op);
    }

    /// The next block of a superblock that holds data.
    fn next(&mut self, env: &Env, store: &Store) -> Option<(SuperblockId, DieId)> {
        let ftl = &store.ftl;
        for _ in 0..PASSED_OVER_MAX.min(env.layout.superblocks()) {
            let (superblock, die) = (self.superblock, self.die);
            if ftl.superblocks.is_closed(superblock) && ftl.l2p.valid_in(superblock) > 0 {
                self.die.0 += 1;
                if self.die.0 == env.spec.dies {
                    self.pass_over(env);
                }
                return Some((superblock, die));
            }
            self.pass_over(env);
        }
        None
    }

    /// Advances to the next superblock.
    fn pass_over(&mut self, env: &Env) {
        self.die = DieId(0);
        self.superblock = SuperblockId((self.superblock.0 + 1) % env.layout.superblocks());
    }
}

/// The page that represents a block: the valid page of the weakest row, or of the next row with
/// one.
fn sample(env: &Env, store: &Store, superblock: SuperblockId, die: DieId) -> Option<MpPage> {
    let mode = store.ftl.superblocks.mode(superblock);
    let shape = env.layout.shape(mode);
    let first = env.layout.first_mp_page(superblock);
    let (rows, weakest) = (
        shape.mp_pages / env.spec.dies,
        store.ftl.media.weakest_row(mode),
    );
    (0..rows)
        .map(|nth| Row((weakest.0 + nth) % rows))
        .map(|row| MpPage(first.0 + shape.at(row, die)))
        .find(|&mp_page| store.ftl.l2p.valid_bits(mp_page) != 0)
}
