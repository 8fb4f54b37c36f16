//! Follow-up of each event: starts, in a fixed order and without recursion, the work that has
//! become possible.

use super::SimDrive;
use crate::sim::admission::{self, Needed, Next};
use crate::sim::fold::{Folder, Folding};
use crate::sim::geometry::layout::Pool;
use crate::sim::ids::CommandId;
use crate::sim::store::Store;
use crate::sim::trim::{Begun, Trim};

/// Work that may have become possible, one bit each. All bits are in one byte: flags that were just
/// stored one by one can be loaded together only after all stores have ended (store-to-load
/// forwarding).
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Due(u8);

impl Due {
    /// Garbage collection may continue.
    const GC: u8 = 1;
    /// Folding of the SLC cache may continue.
    const FOLD: u8 = 2;
    /// Writes that wait for room may be admitted.
    const WRITES: u8 = 4;
    /// TRIM may have emptied superblocks that can be erased.
    const TRIM: u8 = 8;
    /// Work that may continue when space is freed.
    const SPACE: u8 = Due::GC | Due::FOLD | Due::WRITES;

    /// Marks all work that may wait for freed space.
    #[inline(always)]
    pub fn all(&mut self) {
        self.0 |= Due::SPACE;
    }

    /// Marks GC as due.
    #[inline(always)]
    pub fn gc(&mut self) {
        self.0 |= Due::GC;
    }

    /// Marks folding as due.
    pub fn fold(&mut self) {
        self.0 |= Due::FOLD;
    }

    /// Marks the admission of writes as due.
    #[inline(always)]
    pub fn writes(&mut self) {
        self.0 |= Due::WRITES;
    }

    /// Marks the erase of superblocks that TRIM may have emptied as due.
    pub fn trim(&mut self) {
        self.0 |= Due::TRIM;
    }

    /// Removes and returns the due bits of `of`.
    #[inline(always)]
    fn take(&mut self, of: u8) -> Due {
        let due = self.0 & of;
        self.0 &= !of;
        Due(due)
    }

    /// True if any bit of `of` is due.
    #[inline(always)]
    fn has(self, of: u8) -> bool {
        self.0 & of != 0
    }
}

impl SimDrive {
    /// Does the due work; the superblocks that TRIM has emptied come last.
    #[inline(always)]
    pub(super) fn settle(&mut self) {
        let due = self.due.take(Due::SPACE);
        let mut settled = due.has(Due::GC) && self.collect();
        settled &= match due.has(Due::FOLD) {
            true => self.fold(),
            false => !Folder::may_run(&self.env, &self.store),
        };
        if due.has(Due::WRITES) {
            self.admit_writes(settled);
        }
        if self.due.take(Due::TRIM).has(Due::TRIM) {
            self.trim.emptied(&mut self.env, &mut self.store);
        }
    }

    /// Does the work that may wait for freed space.
    #[inline(never)]
    pub(super) fn settle_all(&mut self) {
        self.due.all();
        self.settle();
    }

    /// Continues GC. Returns true if it cannot continue until something changes.
    #[inline(always)]
    fn collect(&mut self) -> bool {
        let host_waits = self.admission.is_waiting();
        self.gc
            .run(&mut self.env, &mut self.store, &self.idle, host_waits)
    }

    /// Continues folding, for caches that are folded. Returns true if it cannot continue until
    /// something changes.
    #[inline(always)]
    fn fold(&mut self) -> bool {
        let may_run =
            Folder::may_run(&self.env, &self.store) && self.folder.has_idle_dies(&self.env);
        !may_run || self.fold_on()
    }

    #[inline(never)]
    fn fold_on(&mut self) -> bool {
        let free =
            |store: &Store| [Pool::Data, Pool::SlcCache].map(|pool| store.ftl.space.free(pool));
        let before = free(&self.store);
        let folding = self.folder.run(&mut self.env, &mut self.store, &self.idle);
        if folding == Folding::NeedsGc {
            self.collect();
        }
        // Space used or freed by folding may let GC continue.
        folding == Folding::Waits && free(&self.store) == before
    }

    /// Continues GC and folding as far as possible. Returns true if they cannot continue until
    /// something changes.
    #[inline(always)]
    pub(super) fn make_space(&mut self) -> bool {
        let settled = self.collect();
        self.fold() && settled
    }

    /// Admits writes, and starts the work that they wait for. `settled`: GC and folding have just
    /// been found unable to continue.
    #[inline(always)]
    fn admit_writes(&mut self, settled: bool) {
        if self.admission.may_admit(&self.store.buffer) {
            self.admit_on(settled);
        }
    }

    #[inline(never)]
    fn admit_on(&mut self, mut settled: bool) {
        loop {
            let buffered = self.store.buffer.pages();
            let (env, store) = (&mut self.env, &mut self.store);
            match self.admission.run(env, store, &mut self.host, settled) {
                Next::Nothing => return,
                Next::Space(needed) => {
                    // Admitted data occupies the buffer, and changes the state for others.
                    settled &= self.store.buffer.pages() == buffered;
                    if !self.find_space(needed, settled) {
                        return;
                    }
                    settled = false;
                }
                Next::Trim(command) => {
                    self.trim_begins(command);
                    let due = self.due.take(Due::SPACE);
                    settled = due.has(Due::GC) && self.make_space();
                }
            }
        }
    }

    /// Starts work that makes space for the host. Returns true if there is space now.
    #[inline(always)]
    fn find_space(&mut self, needed: Needed, settled: bool) -> bool {
        let Needed { stream, pages } = needed;
        let has_room =
            |drive: &SimDrive| drive.store.ftl.stream_has_room(&drive.env, stream, pages);
        if self.store.may_request_release() && !has_room(self) {
            self.store.request_release();
        }
        if settled {
            return false;
        }
        // No work may be under way that would start it later.
        self.make_space();
        // Folding may have skipped word lines without valid pages: that frees space at once, and no
        // event need follow.
        admission::has_space(&self.env, &self.store, needed)
    }
}

/// TRIM.
impl SimDrive {
    /// Continues a TRIM command that the firmware has processed.
    pub(super) fn trim_handled(&mut self, id: CommandId) {
        let command = self.host.command(id);
        if self.admission.trim_must_wait(&self.store, command) {
            self.admission.wait(id);
            return;
        }
        self.trim_begins(id);
        self.settle();
    }

    /// Executes a TRIM command.
    fn trim_begins(&mut self, id: CommandId) {
        if !self.env.spec.trim.enabled {
            self.command_done(id);
            self.due.all();
            return;
        }
        let (first, end) = Trim::pages(self.host.command(id));
        self.reads.forget(first, end);
        let (env, store) = (&mut self.env, &mut self.store);
        match self.trim.begin(env, store, id, (first, end)) {
            Begun::Done => {
                self.command_done(id);
                self.due.all();
                self.due.trim();
            }
            Begun::Pending { waits } => {
                if !waits {
                    self.command_done(id);
                }
                let (env, store) = (&mut self.env, &self.store);
                self.trim.go_on(env, store, &mut self.controller);
            }
        }
    }

    /// Handles the end of a core's work on a chunk of a trimmed range.
    pub(super) fn trim_chunk_done(&mut self) {
        if let Some(command) = self.trim.chunk_done(&self.env, &mut self.store) {
            self.command_done(command);
        }
        self.trim.pause(&mut self.env);
        let (env, store) = (&mut self.env, &self.store);
        self.trim.go_on(env, store, &mut self.controller);
        self.due.all();
        self.due.trim();
        self.settle();
    }
}
