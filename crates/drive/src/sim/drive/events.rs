//! The handler of each event, and the work that has become possible after it.

use stend_base::{Completion, Event, Lane, Op, SimTime};

use super::SimDrive;
use crate::sim::controller::Job;
use crate::sim::due::Due;
use crate::sim::env::Env;
use crate::sim::failures::Ended;
use crate::sim::host::LinkDone;
use crate::sim::ids::{CommandId, DieId, SuperblockId};
use crate::sim::kind;
use crate::sim::media::op::NandOp;
use crate::sim::store::Store;
use crate::sim::writes::admission::Next;

/// Events.
impl SimDrive {
    /// Handles the next event only. Returns the completion, if the event is one.
    #[inline(never)]
    pub(super) fn step(&mut self) -> Option<Completion> {
        let event = self.env.queue.pop().expect("the caller saw an event");
        if event.lane == Lane::Completion || event.lane == Lane::Timer {
            return self.host_or_timer(event, SimTime::ZERO);
        }
        self.step_within(event);
        None
    }

    /// Handles an event at which the host may receive a completion. Its consequences may be handled
    /// at once if they come before all other events and by `limit`.
    #[inline(always)]
    pub(super) fn host_or_timer(&mut self, event: Event, limit: SimTime) -> Option<Completion> {
        let (env, store) = (&mut self.env, &mut self.store);
        let (timer, index) = match event.lane {
            Lane::Completion => (kind::COMPLETION, 0),
            _ => env.queue.kind_and_index(event.source),
        };
        match timer {
            kind::COMPLETION | kind::CPU => {
                let completion = match timer {
                    kind::COMPLETION => self.front.host.interrupt(env, limit),
                    _ => {
                        env.trace(kind::CPU, index);
                        self.front.host.cpu_done(env, index)
                    }
                };
                if completion.is_some() && self.front.host.is_silent() {
                    self.host_fell_silent();
                }
                return completion;
            }
            kind::FOLD_PAUSE => {
                self.reclaim.folder.pause_ends();
                self.due.mark(Due::FOLD);
                self.settle();
            }
            kind::IDLE_SLICE => {
                if self.idle.slice_ends(env)
                    && self.reclaim.slice_begins(env, store, &mut self.idle)
                {
                    self.settle_all();
                }
            }
            kind::IDLE_BEGIN => self.idle_timer_ends(),
            kind::TRIM_PAUSE => self.trim.pause_ends(env, store),
            kind::TRIM_CHUNK_PAUSE => self.trim.chunk_pause_ends(env, store),
            kind::SLEEP => self.sleep_timer_ends(),
            kind::HEAT => {
                let energy_pj = self.inspect().energy_pj();
                let host = &mut self.front.host;
                self.power.heat_step_ends(&mut self.env, host, energy_pj);
            }
            kind::POWER => self.power_timer_ends(),
            other => unreachable!("no timer has the kind {other}"),
        }
        self.keep_durable();
        None
    }

    /// Handles an event within the drive.
    #[inline(always)]
    pub(super) fn step_within(&mut self, event: Event) {
        let (env, store) = (&mut self.env, &mut self.store);
        // Dies are the first kind: the number of the source is the number of the die.
        match event.lane {
            Lane::Sense => {
                // Only the media is affected.
                store.ftl.media.sensed(env, DieId(event.source));
                return;
            }
            Lane::Move | Lane::Work => {
                env.trace(kind::DIE, event.source);
                let op = store.ftl.media.ended(env, event.lane, DieId(event.source));
                self.nand_done_inlined(op);
            }
            Lane::Core => {
                let core = env.queue.index(kind::CORE, event.source);
                env.trace(kind::CORE, core);
                self.core_done(core);
            }
            Lane::Link => {
                let source = env.queue.index(kind::LINK, event.source);
                env.trace(kind::LINK, source);
                let done = self.front.host.link_done(env, source);
                let LinkDone::WriteReceived { command, bytes } = done else {
                    // It has no effect on durability.
                    return self.front.link_done(env, store, done);
                };
                let front = &mut self.front;
                let placed = self.writes.received(env, store, front, command, bytes);
                let Some(makes_room) = placed else {
                    return;
                };
                self.admit_if(makes_room);
            }
            Lane::Arrival => {
                env.trace(kind::ARRIVAL, 0);
                if !self.command_arrives() {
                    // A core or the link starts it: no effect on durability.
                    return;
                }
            }
            Lane::Completion | Lane::Timer => unreachable!("the host may receive a completion"),
        }
        self.keep_durable();
    }

    /// Handles the next arrival. Returns true if the drive does more than start the command.
    #[inline(always)]
    fn command_arrives(&mut self) -> bool {
        if self.front.host.holds_arrivals() {
            let energy_pj = match self.power.is_at_rest(&self.env) {
                true => self.inspect().energy_pj(),
                false => 0,
            };
            let host = &mut self.front.host;
            if self.power.arrival_waits(&mut self.env, host, energy_pj) {
                return true;
            }
        }
        let request = self.front.host.take_arrival(&mut self.env);
        let was_idle = self.idle.working();
        if was_idle {
            self.idle.end(&mut self.env);
            self.settle_all();
        }
        self.front.arrived(&mut self.env, &mut self.store, &request);
        was_idle
    }

    /// Continues a command that the firmware has processed.
    #[inline(always)]
    fn command_handled(&mut self, id: CommandId) {
        let (env, store, front) = (&mut self.env, &mut self.store, &mut self.front);
        let command = front.host.commands.get(id);
        match command.op {
            Op::Read => front.reads.begin(env, store, &mut front.host, id),
            Op::Write | Op::Trim if store.ftl.space.is_read_only() => {
                front.refuse(env, store, id, 0);
            }
            Op::Write => {
                let first = command.logical_pages().start;
                store.ftl.l2p.prefetch_invalid(first);
                self.idle.host_writes(env);
                self.writes.admission.wait(id);
                self.due.mark(Due::WRITES);
                self.settle();
            }
            Op::Trim => {
                if !self.writes.admission.holds_trim(store, command, id) {
                    self.trim.begin(env, store, front, &mut self.due, id);
                    self.settle();
                }
            }
            Op::Flush => front.flush(env, store, id),
        }
    }

    #[cold]
    fn nand_done(&mut self, op: NandOp) {
        self.nand_done_inlined(op);
    }

    /// Handles the end of an operation of the flash.
    #[inline(always)]
    fn nand_done_inlined(&mut self, op: NandOp) {
        let (env, store, front) = (&mut self.env, &mut self.store, &mut self.front);
        match op {
            NandOp::HostRead { command, bytes } => front.host.send_read(env, command, bytes),
            NandOp::ReadAhead { entry } => front.reads.arrived(env, &mut front.host, entry),
            NandOp::Merge { program } => store.merge_done(env, program),
            NandOp::Program { program } => self.program_done(program),
            NandOp::Parity { mp_page } => {
                let ended = Ended::parity(env, store, mp_page);
                self.programmed(ended);
            }
            NandOp::Gc { mp_page } => self.reclaim.gc.read_done(env, store, mp_page),
            NandOp::Fold { within } => {
                let (writes, folder) = (&mut self.writes, &mut self.reclaim.folder);
                let mut wear_out =
                    |env: &mut Env, store: &mut Store| writes.wear_out(env, store, front);
                let failures = &mut self.failures;
                if !store.ftl.media.has_blocks()
                    || !failures.fold_fails(env, store, folder, within, &mut wear_out)
                {
                    folder.copied(env, store, within);
                }
            }
            NandOp::Erase { superblock, die } => self.erase_done(superblock, die),
            NandOp::Unreadable { rebuild } => {
                if self.failures.page_unreadable(env, store, rebuild) {
                    let op = self.failures.rebuild_ends(env, store, front, rebuild);
                    self.nand_done(op);
                }
            }
            NandOp::Rebuild { rebuild } => {
                if store.ftl.media.rebuild_read(rebuild) {
                    let op = self.failures.rebuild_ends(env, store, front, rebuild);
                    self.nand_done(op);
                }
            }
            NandOp::L2pRead { waiting } => {
                let cache = store.ftl.l2p_cache.as_mut();
                let cache = cache.expect("the L2P lies on flash");
                cache.segment_read(env, &mut store.controller, waiting);
            }
            NandOp::L2pWritten => {}
            NandOp::Upkeep { what } => {
                if store.upkeep_done(env, what) {
                    front.check_flushes(env, store);
                    store.checkpoint_if_due(env);
                    if self.writes.admission.waits_for_journal() {
                        self.settle_all();
                    }
                }
            }
            NandOp::Patrol { superblock } => {
                self.reclaim.gc.patrolled(env, store, superblock);
                self.settle_all();
            }
        }
    }

    /// Handles the end of a program of data.
    #[inline(always)]
    fn program_done(&mut self, number: u32) {
        let program = self.store.ftl.buffer.get(number);
        let stream = program.stream;
        let mut waiters = self.store.ftl.buffer.waiters_of(number);
        if !self.programmed(Ended::data(number, program)) {
            return;
        }
        self.store.ftl.buffer.release(number);
        if stream.is_host() {
            self.due.mark(Due::SPACE);
        } else {
            let gc = &mut self.reclaim.gc;
            gc.release_emptied(&mut self.env, &mut self.store);
            self.due.mark(Due::GC);
        }
        self.settle();
        let (env, store, front) = (&mut self.env, &mut self.store, &mut self.front);
        while let Some(id) = store.ftl.buffer.take_waiter(&mut waiters) {
            if front.host.commands.get_mut(id).programmed() {
                front.done(env, store, id);
            }
        }
        front.check_flushes(env, store);
    }

    /// Repeats a program that has failed, and returns false. Otherwise notes its end: GC or folding
    /// may start on its superblock if it is full.
    #[inline(always)]
    fn programmed(&mut self, program: Ended) -> bool {
        let (env, store, writes) = (&mut self.env, &mut self.store, &mut self.writes);
        if store.ftl.media.has_blocks() {
            let front = &mut self.front;
            let mut wear_out =
                |env: &mut Env, store: &mut Store| writes.wear_out(env, store, front);
            let failures = &mut self.failures;
            if failures.repeats(env, store, program, &mut wear_out) {
                return false;
            }
        }
        store.programmed(env, program.op);
        if store.ftl.superblocks.program_ends(program.at.superblock) {
            let host_waits = self.writes.admission.is_waiting();
            self.reclaim.make_space(env, store, &self.idle, host_waits);
        }
        true
    }

    /// Handles the erase of a die's block of a superblock.
    fn erase_done(&mut self, superblock: SuperblockId, die: DieId) {
        let (env, store) = (&mut self.env, &mut self.store);
        if store.block_erased(env, superblock, die).is_none() {
            return;
        }
        self.trim.erased(env, superblock);
        if store.ftl.superblocks.worn_out() {
            self.writes.wear_out(env, store, &mut self.front);
        }
        self.settle_all();
    }

    /// Handles the end of a job of a core.
    #[inline(always)]
    fn core_done(&mut self, core: u32) {
        let (env, store, front) = (&mut self.env, &mut self.store, &mut self.front);
        match store.controller.finish(&mut env.queue, core) {
            Job::Command { command } => self.command_handled(command),
            Job::Received { command, bytes } => {
                let makes_room = self.writes.processed(env, store, front, command, bytes);
                self.admit_if(makes_room);
            }
            Job::Gc { mp_page } => {
                self.reclaim.gc.relocate(env, store, mp_page);
                self.due.mark(Due::SPACE);
                self.settle();
            }
            Job::Folded { within } => {
                self.reclaim.folder.map(env, store, within);
                self.settle_all();
            }
            Job::Trimmed => {
                self.trim.chunk_done(env, store, front, &mut self.due);
                self.settle();
            }
        }
    }
}

/// Follow-up of events: starts, in a fixed order and without recursion, the work that has become
/// possible.
impl SimDrive {
    /// Does the due work; the superblocks that TRIM has emptied come last.
    #[inline(always)]
    fn settle(&mut self) {
        let due = self.due.take(Due::SPACE);
        let (env, store) = (&mut self.env, &mut self.store);
        let host_waits = self.writes.admission.is_waiting();
        let settled = self.reclaim.run(env, store, &self.idle, host_waits, due);
        if due.has(Due::WRITES) && self.writes.admission.may_admit(&store.ftl.buffer) {
            self.admit(settled);
        }
        if self.due.take(Due::TRIM).has(Due::TRIM) {
            self.trim.emptied(&mut self.env, &mut self.store);
        }
    }

    /// Does the work that may wait for freed space.
    #[inline(never)]
    pub(super) fn settle_all(&mut self) {
        self.due.mark(Due::SPACE);
        self.settle();
    }

    /// Admits writes if there may be room for them.
    #[inline(always)]
    fn admit_if(&mut self, makes_room: bool) {
        if makes_room {
            self.due.mark(Due::WRITES);
            self.settle();
        }
    }

    /// Admits writes, and starts the work that they wait for. `settled`: GC and folding have just
    /// been found unable to continue.
    #[inline(never)]
    fn admit(&mut self, mut settled: bool) {
        let (env, store, front) = (&mut self.env, &mut self.store, &mut self.front);
        loop {
            let buffered = store.ftl.buffer.pages();
            let admission = &mut self.writes.admission;
            match admission.run(env, store, &mut front.host, settled) {
                Next::Nothing => return,
                Next::Space(needed) => {
                    // Admitted data occupies the buffer, and changes the state for others.
                    settled &= store.ftl.buffer.pages() == buffered;
                    let reclaim = &mut self.reclaim;
                    if !reclaim.find_space(env, store, &self.idle, needed, settled) {
                        return;
                    }
                    settled = false;
                }
                Next::Trim(command) => {
                    self.trim.begin(env, store, front, &mut self.due, command);
                    let host_waits = admission.is_waiting();
                    let reclaim = &mut self.reclaim;
                    settled = self.due.take(Due::SPACE).has(Due::GC)
                        && reclaim.make_space(env, store, &self.idle, host_waits);
                }
            }
        }
    }

    /// After an event, finds changes that have become durable, ends what waits for them, and
    /// continues.
    #[inline(always)]
    pub(super) fn keep_durable(&mut self) {
        if !self.store.is_quiet(&self.env) {
            self.write_journal();
        }
    }

    #[inline(never)]
    fn write_journal(&mut self) {
        while self.store.write_journal(&mut self.env) {
            self.settle_all();
        }
    }
}
