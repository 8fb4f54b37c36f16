//! After each event: what has become possible is done, in one order, without recursion.

use super::SimDrive;
use crate::sim::admission::{self, Needed, Next};
use crate::sim::fold::{Folder, Folding};
use crate::sim::ids::CommandId;
use crate::sim::trim::{Begun, Trim};

/// What may have become possible.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Due {
    /// Garbage collection may continue.
    gc: bool,
    /// Folding of the SLC cache may continue.
    fold: bool,
    /// Writes that wait for room may be admitted.
    writes: bool,
    /// TRIM may have emptied superblocks that can be erased.
    trim: bool,
}

impl Due {
    /// Space was freed: whoever waits for it may continue.
    #[inline(always)]
    pub fn all(&mut self) {
        (self.gc, self.fold, self.writes) = (true, true, true);
    }

    /// Garbage collection may continue.
    #[inline(always)]
    pub fn gc(&mut self) {
        self.gc = true;
    }

    /// Folding may continue.
    pub fn fold(&mut self) {
        self.fold = true;
    }

    /// Writes may be admitted.
    #[inline(always)]
    pub fn writes(&mut self) {
        self.writes = true;
    }
}

impl SimDrive {
    /// Does what is due.
    #[inline(always)]
    pub(super) fn settle(&mut self) {
        let due = self.take_due();
        let settled = due.gc && self.collect();
        if due.fold {
            self.fold();
        }
        if due.writes {
            self.admit_writes(settled);
        }
        if std::mem::take(&mut self.due.trim) {
            self.trim.emptied(&mut self.env, &mut self.store);
        }
    }

    /// Space was freed: does what may follow from it.
    #[inline(never)]
    pub(super) fn settle_all(&mut self) {
        self.due.all();
        self.settle();
    }

    /// Takes what is due now; what TRIM has emptied comes after the rest.
    #[inline(always)]
    fn take_due(&mut self) -> Due {
        let later = Due {
            trim: self.due.trim,
            ..Due::default()
        };
        std::mem::replace(&mut self.due, later)
    }

    /// Continues GC. Returns whether it cannot continue until something changes.
    #[inline(always)]
    fn collect(&mut self) -> bool {
        let host_waits = self.admission.is_waiting();
        self.gc
            .run(&mut self.env, &mut self.store, &self.idle, host_waits)
    }

    /// Folding continues, of caches that are folded.
    #[inline(always)]
    fn fold(&mut self) {
        if Folder::may_run(&self.env, &self.store) {
            self.fold_on();
        }
    }

    #[inline(never)]
    fn fold_on(&mut self) {
        let folding = self.folder.run(&mut self.env, &mut self.store, &self.idle);
        if folding == Folding::NeedsGc {
            self.collect();
        }
    }

    /// Continues GC and folding, as far as they may. Returns whether GC cannot continue until
    /// something changes.
    #[inline(always)]
    pub(super) fn make_space(&mut self) -> bool {
        let settled = self.collect();
        self.fold();
        settled
    }

    /// Admits writes, and does what they wait for. `settled`: GC has just been found unable to go
    /// on.
    #[inline(always)]
    fn admit_writes(&mut self, settled: bool) {
        if self.admission.is_waiting() {
            self.admit_on(settled);
        }
    }

    #[inline(never)]
    fn admit_on(&mut self, mut settled: bool) {
        loop {
            let (env, store) = (&mut self.env, &mut self.store);
            match self.admission.run(env, store, &mut self.host, settled) {
                Next::Nothing => return,
                Next::Space(needed) => {
                    if !self.find_space(needed) {
                        return;
                    }
                    settled = false;
                }
                Next::Trim(command) => {
                    self.trim_begins(command);
                    settled = self.take_due().gc && self.make_space();
                }
            }
        }
    }

    /// Starts what makes space for the host. Returns whether there is some now.
    #[inline(always)]
    fn find_space(&mut self, needed: Needed) -> bool {
        let Needed { stream, pages } = needed;
        let has_room =
            |drive: &SimDrive| drive.store.ftl.stream_has_room(&drive.env, stream, pages);
        if self.store.may_request_release() && !has_room(self) {
            self.store.request_release();
        }
        // Nothing else may be under way that would start it.
        self.make_space();
        // Folding may have skipped word lines without valid pages: that makes space at once, and no
        // event need follow.
        admission::has_space(&self.env, &self.store, needed)
    }
}

/// TRIM.
impl SimDrive {
    /// The firmware has looked at a TRIM command.
    pub(super) fn trim_handled(&mut self, id: CommandId) {
        let command = self.host.command(id);
        if self.admission.trim_must_wait(&self.store, command) {
            self.admission.wait(id);
            return;
        }
        self.trim_begins(id);
        self.settle();
    }

    /// A TRIM command takes effect.
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
                self.due.trim = true;
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

    /// A core has worked on a chunk of a trimmed range.
    pub(super) fn trim_chunk_done(&mut self) {
        if let Some(command) = self.trim.chunk_done(&self.env, &mut self.store) {
            self.command_done(command);
        }
        self.trim.pause(&mut self.env);
        let (env, store) = (&mut self.env, &self.store);
        self.trim.go_on(env, store, &mut self.controller);
        self.due.all();
        self.due.trim = true;
        self.settle();
    }
}
