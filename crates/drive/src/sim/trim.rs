//! TRIM: pages are unmapped at once, or in chunks that cost a core time; superblocks that it
//! empties may be erased at once.
//!
//! With chunks, the range of a command is first pending: from then on it reads as trimmed (unless
//! the drive is not deterministic), and data written to it meanwhile stays. Chunks follow one
//! another on a core, at once or after a pause; each waits for the jobs that the core already has.

use std::collections::VecDeque;
use std::ops::Range;

use stend_model::spec::{Emptying, TrimWorkSpec};

use crate::sim::controller::{CoreWork, Job};
use crate::sim::counters::Counters;
use crate::sim::due::Due;
use crate::sim::env::Env;
use crate::sim::frontend::Frontend;
use crate::sim::geometry::layout::Pool;
use crate::sim::ids::{CommandId, IdRange, Lpn, SuperblockId};
use crate::sim::kind;
use crate::sim::store::Store;

/// The pending range of a command.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Pending {
    pages: Range<Lpn>,
    /// The command that ends with the range; `None` if it has ended.
    command: Option<CommandId>,
}

impl Pending {
    /// Pages of the next chunk.
    fn chunk(&self, env: &Env) -> Range<Lpn> {
        let first = self.pages.start;
        let most = first.0.saturating_add(work(env).chunk_pages);
        first..self.pages.end.min(Lpn(most))
    }
}

/// TRIM.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Trim {
    ranges: VecDeque<Pending>,
    /// True while a core works on a chunk.
    working: bool,
    /// True during the pause between two chunks.
    between: bool,
    /// True if superblocks may have become empty since the last search.
    look: bool,
    /// The superblock being erased, if there is one.
    erasing: Option<SuperblockId>,
    /// True during the pause between two erases.
    resting: bool,
    pub counted: Counters,
}

impl Trim {
    /// True if TRIM works, or pauses between two chunks or erases.
    pub fn is_busy(&self) -> bool {
        self.working || self.between || self.resting || self.erasing.is_some()
    }

    /// Executes a TRIM command that the firmware has processed, and marks the work that may follow
    /// as due. The command ends now or, if its range is pending, perhaps with its last chunk.
    pub fn begin(
        &mut self,
        env: &mut Env,
        store: &mut Store,
        front: &mut Frontend,
        due: &mut Due,
        id: CommandId,
    ) {
        let spec = &env.spec.trim;
        if !spec.enabled {
            front.done(env, store, id);
            due.mark(Due::SPACE);
            return;
        }
        // Only whole pages lose their data.
        let command = front.host.commands.get(id);
        let first = Lpn::from_byte(command.offset_bytes);
        let pages = first..Lpn::of_byte(command.end_byte());
        front.reads.forget(&pages);
        self.counted.pages_trimmed += u64::from(pages.count());
        // For a power cut, the whole range is trimmed from now on.
        store.log_trim(env, pages.clone());
        let Some(work) = &spec.work else {
            trim_now(env, store, pages);
            front.done(env, store, id);
            due.mark(Due::SPACE | Due::TRIM);
            return;
        };
        store.ftl.l2p.trim_later(pages.clone());
        let waits = !work.lazy && !pages.is_empty();
        if !pages.is_empty() {
            self.ranges.push_back(Pending {
                pages,
                command: waits.then_some(id),
            });
        }
        if !waits {
            front.done(env, store, id);
        }
        self.go_on(env, store);
    }

    /// Submits the next chunk to a core, if there is one.
    fn go_on(&mut self, env: &mut Env, store: &mut Store) {
        let Some(range) = self.ranges.front() else {
            return;
        };
        if self.working || self.between {
            return;
        }
        let pages = store.ftl.l2p.pending_in(range.chunk(env));
        let spec = work(env);
        let core = match spec.lazy {
            true => env.spec.controller.core_background,
            false => env.spec.controller.core_write,
        };
        let (job, time) = (Job::Trimmed, spec.per_page * u64::from(pages));
        self.working = true;
        let work = CoreWork { job, core, time };
        store.controller.submit(&mut env.queue, work);
    }

    /// Unmaps a chunk that a core has worked on, and continues, at once or after a pause. The
    /// command that waits for the chunk ends.
    pub fn chunk_done(
        &mut self,
        env: &mut Env,
        store: &mut Store,
        front: &mut Frontend,
        due: &mut Due,
    ) {
        self.working = false;
        let range = self.ranges.front_mut().expect("a core worked on a chunk");
        let chunk = range.chunk(env);
        range.pages.start = chunk.end;
        let ended = range.pages.is_empty();
        store.ftl.l2p.unmap_pending(chunk, stays_in_cache(env));
        if ended
            && let Some(range) = self.ranges.pop_front()
            && let Some(command) = range.command
        {
            front.done(env, store, command);
        }
        if let Some(pause) = work(env).pause {
            self.between = true;
            env.set_timer(pause, kind::TRIM_CHUNK_PAUSE);
        }
        self.go_on(env, store);
        due.mark(Due::SPACE | Due::TRIM);
    }

    /// Ends the pause after a chunk.
    pub fn chunk_pause_ends(&mut self, env: &mut Env, store: &mut Store) {
        self.between = false;
        self.go_on(env, store);
    }

    /// Drops all work and its timers.
    pub fn halt(&mut self, env: &mut Env) {
        let spec = &env.spec.trim;
        if spec.erase_pause.is_some() {
            env.queue.cancel(kind::TRIM_PAUSE, 0);
        }
        if spec.work.as_ref().is_some_and(|work| work.pause.is_some()) {
            env.queue.cancel(kind::TRIM_CHUNK_PAUSE, 0);
        }
        self.power_cut();
    }

    /// Drops all work at a power cut. The caller cancels the timers.
    pub fn power_cut(&mut self) {
        *self = Trim {
            counted: self.counted,
            ..Trim::default()
        };
    }
}

/// Superblocks that TRIM has emptied.
impl Trim {
    /// Notes that pages were unmapped: superblocks may have become empty.
    pub fn emptied(&mut self, env: &mut Env, store: &mut Store) {
        if env.spec.trim.erase_pause.is_some() {
            self.look = true;
            self.erase_next(env, store);
        }
    }

    /// Erases the next superblock of the data area in which nothing is valid.
    fn erase_next(&mut self, env: &mut Env, store: &mut Store) {
        if !self.look || self.resting || self.erasing.is_some() {
            return;
        }
        let ftl = &mut store.ftl;
        let mut all = env.layout.superblocks_of(Pool::Data).each();
        let empty = |&s: &SuperblockId| ftl.superblocks.is_closed(s) && ftl.l2p.valid_in(s) == 0;
        let Some(superblock) = all.find(empty) else {
            self.look = false;
            return;
        };
        ftl.superblocks.begin_emptying(superblock);
        ftl.space
            .add(Pool::Data, env.layout.mp_pages_of(Pool::Data, 1));
        self.erasing = Some(superblock);
        self.counted.superblocks_trimmed += 1;
        store.release(env, superblock);
        // The erase may have to wait until the TRIM is in the journal, which perhaps nothing else
        // requests.
        store.request_release();
    }

    /// Handles the end of a superblock's erase, whatever its reason.
    pub fn erased(&mut self, env: &mut Env, superblock: SuperblockId) {
        if self.erasing != Some(superblock) {
            return;
        }
        self.erasing = None;
        self.resting = true;
        let pause = env.spec.trim.erase_pause;
        env.set_timer(
            pause.expect("only a drive with a pause erases what TRIM emptied"),
            kind::TRIM_PAUSE,
        );
    }

    /// Ends the pause between two erases.
    pub fn pause_ends(&mut self, env: &mut Env, store: &mut Store) {
        self.resting = false;
        self.erase_next(env, store);
    }
}

fn work(env: &Env) -> &TrimWorkSpec {
    let work = env.spec.trim.work.as_ref();
    work.expect("TRIM works by chunks")
}

/// True if pages in the SLC cache keep their place until they are folded.
fn stays_in_cache(env: &Env) -> bool {
    !env.spec.trim.reaches_cache && env.limits.emptying == Some(Emptying::OnChip)
}

fn trim_now(env: &Env, store: &mut Store, pages: Range<Lpn>) {
    let keep = stays_in_cache(env);
    let l2p = &mut store.ftl.l2p;
    if pages == (Lpn(0)..Lpn(l2p.logical_pages())) {
        l2p.unmap_all(keep);
        return;
    }
    for lpn in pages.each() {
        l2p.unmap(lpn, keep);
    }
}
