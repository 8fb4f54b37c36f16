//! TRIM: pages are unmapped at once, or in chunks that cost a core time; superblocks that it
//! empties may be erased at once.
//!
//! With chunks, the range of a command is first pending: from then on it reads as trimmed (unless
//! the drive is not deterministic), and data written to it meanwhile stays. Chunks follow one
//! another on a core, at once or after a pause; each waits for the jobs that the core already has.

use std::collections::VecDeque;

use stend_base::Nanos;
use stend_model::spec::{Emptying, TrimWorkSpec};

use crate::sim::controller::{Controller, Job};
use crate::sim::env::Env;
use crate::sim::geometry::layout::Pool;
use crate::sim::host::Command;
use crate::sim::ids::{CommandId, IdRange, Lpn, SuperblockId};
use crate::sim::kind;
use crate::sim::store::Store;

/// The pending range of a command.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Range {
    next: Lpn,
    end: Lpn,
    /// The command that ends with the range; `None` if it has ended.
    command: Option<CommandId>,
}

/// Outcome of a TRIM command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sim) enum Begun {
    /// Its pages are unmapped: it ends, and space may have been freed.
    Done,
    /// Its range is pending: it ends now or, if it `waits`, with its last chunk.
    Pending { waits: bool },
}

/// TRIM.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Trim {
    ranges: VecDeque<Range>,
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
}

impl Trim {
    pub fn new() -> Trim {
        Trim {
            ranges: VecDeque::with_capacity(64),
            working: false,
            between: false,
            look: false,
            erasing: None,
            resting: false,
        }
    }

    /// True if TRIM works, or pauses between two chunks or erases.
    pub fn is_busy(&self) -> bool {
        self.working || self.between || self.resting || self.erasing.is_some()
    }

    /// Time of a TRIM command itself on a core.
    pub fn command_time(env: &Env, command: &Command) -> Nanos {
        let spec = &env.spec.trim;
        if !spec.enabled {
            return spec.command;
        }
        let (first, end) = command.logical_pages();
        let pages = u64::from(end - first);
        let ranges = command.len_bytes.div_ceil(spec.range_bytes_max);
        spec.command + spec.per_range * ranges + Nanos(spec.per_1024_pages.0 * pages / 1024)
    }

    /// Logical pages that a command trims. Only whole pages lose their data: a partly trimmed page
    /// keeps its data.
    pub fn pages(command: &Command) -> (Lpn, Lpn) {
        let first = Lpn::from_byte(command.offset_bytes);
        (first, Lpn::of_byte(command.end_byte()))
    }

    /// Begins a command of these pages.
    pub fn begin(
        &mut self,
        env: &mut Env,
        store: &mut Store,
        command: CommandId,
        (first, end): (Lpn, Lpn),
    ) -> Begun {
        env.counters.pages_trimmed += u64::from((first..end).count());
        let Some(work) = &env.spec.trim.work else {
            trim_now(env, store, first, end);
            return Begun::Done;
        };
        let waits = !work.lazy && first < end;
        // For a power cut, the whole range is trimmed from now on.
        store.log_trim(env, first, end);
        store.ftl.l2p.trim_later(first, end);
        if first < end {
            self.ranges.push_back(Range {
                next: first,
                end,
                command: waits.then_some(command),
            });
        }
        Begun::Pending { waits }
    }

    /// Submits the next chunk to a core, if there is one.
    pub fn go_on(&mut self, env: &mut Env, store: &Store, controller: &mut Controller) {
        let Some(range) = self.ranges.front() else {
            return;
        };
        if self.working || self.between {
            return;
        }
        let pages = store.ftl.l2p.pending_in(range.next, chunk_end(env, range));
        let work = work(env);
        let core = match work.lazy {
            true => env.spec.controller.core_background,
            false => env.spec.controller.core_write,
        };
        let time = work.per_page * u64::from(pages);
        self.working = true;
        controller.submit(&mut env.queue, core, Job::Trimmed, time);
    }

    /// Unmaps a chunk that a core has worked on. Returns the command that ends with it.
    pub fn chunk_done(&mut self, env: &Env, store: &mut Store) -> Option<CommandId> {
        self.working = false;
        let front = self.ranges.front_mut().expect("a core worked on a chunk");
        let (next, end) = (front.next, chunk_end(env, front));
        let keep = stays_in_cache(env);
        store.ftl.l2p.unmap_pending(next, end, keep);
        if end < front.end {
            front.next = end;
            return None;
        }
        self.ranges.pop_front().and_then(|range| range.command)
    }

    /// Pauses after a chunk, if the drive does so.
    pub fn pause(&mut self, env: &mut Env) {
        if let Some(pause) = work(env).pause {
            self.between = true;
            env.set_timer(pause, kind::TRIM_CHUNK_PAUSE);
        }
    }

    /// Ends the pause after a chunk.
    pub fn chunk_pause_ends(&mut self, env: &mut Env, store: &Store, controller: &mut Controller) {
        self.between = false;
        self.go_on(env, store, controller);
    }

    /// Drops all work at a power cut. The caller cancels the timers.
    pub fn power_cut(&mut self) {
        *self = Trim::new();
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
        env.counters.superblocks_trimmed += 1;
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

/// End of the next chunk of a range.
fn chunk_end(env: &Env, range: &Range) -> Lpn {
    let most = range.next.0.saturating_add(work(env).chunk_pages);
    range.end.min(Lpn(most))
}

/// True if pages in the SLC cache keep their place until they are folded.
fn stays_in_cache(env: &Env) -> bool {
    !env.spec.trim.reaches_cache && env.limits.emptying == Some(Emptying::OnChip)
}

fn trim_now(env: &Env, store: &mut Store, first: Lpn, end: Lpn) {
    let keep = stays_in_cache(env);
    store.log_trim(env, first, end);
    let l2p = &mut store.ftl.l2p;
    if first == Lpn(0) && end == Lpn(l2p.logical_pages()) {
        l2p.unmap_all(keep);
        return;
    }
    for lpn in (first..end).each() {
        l2p.unmap(lpn, keep);
    }
}
