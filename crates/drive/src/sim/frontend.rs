//! The front end: the path of a command from its arrival through the link to the firmware, and its
//! end.

use stend_base::{Nanos, Op, Request, Status};
use stend_model::spec::{PAGE_BYTES, Spec, TrimSpec};

use crate::sim::controller::{CoreWork, Job};
use crate::sim::counters::Counters;
use crate::sim::env::Env;
use crate::sim::half_duplex::HalfDuplex;
use crate::sim::host::{Command, Handling, Host, LinkDone};
use crate::sim::ids::{CommandId, IdRange, Ppn};
use crate::sim::patrol::Patrol;
use crate::sim::reads::Reads;
use crate::sim::store::Store;

/// Size of a logical block, in which errors of the data are counted.
const SECTOR_BYTES: u64 = 512;

/// The host interface, and the parts of the drive that serve commands in their order.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Frontend {
    pub host: Host,
    pub reads: Reads,
    /// Present only if the buffer is half-duplex.
    half_duplex: Option<Box<HalfDuplex>>,
    /// Present only if there are patrol reads, which keep pace with the commands.
    patrol: Option<Box<Patrol>>,
    /// True if the admission of every write depends on more than room and the journal.
    tracks_writes: bool,
    counted: Counters,
}

impl Frontend {
    pub fn new(spec: &Spec, store: &Store) -> Frontend {
        Frontend {
            host: Host::new(spec),
            reads: Reads::new(),
            half_duplex: (spec.buffer.half_duplex).then(|| Box::new(HalfDuplex::new())),
            patrol: Patrol::new(spec).map(Box::new),
            tracks_writes: spec.buffer.coalesces || store.ftl.sorting.tells_apart(),
            counted: Counters::default(),
        }
    }

    /// Counters of the front end.
    pub fn counters(&self) -> Counters {
        let own = [self.counted, self.reads.counted, self.host.counters()];
        let half_duplex = self.half_duplex.iter().map(|h| h.counted);
        let patrol = self.patrol.iter().map(|p| p.counted);
        own.into_iter().chain(half_duplex).chain(patrol).sum()
    }

    /// Drops everything under way at a power cut.
    pub fn power_cut(&mut self, spec: &Spec) {
        self.host.power_cut(spec);
        self.reads.power_cut();
        if let Some(half_duplex) = &mut self.half_duplex {
            half_duplex.power_cut();
        }
    }
}

/// From the arrival to the firmware.
impl Frontend {
    /// Starts a request that has arrived, or queues it.
    #[inline(always)]
    pub fn arrived(&mut self, env: &mut Env, store: &mut Store, request: &Request) {
        let starting_up = store.is_recovering();
        if self.host.commands.starts_at_once(request, starting_up) {
            self.start(env, store, request);
        }
    }

    #[inline(always)]
    fn start(&mut self, env: &mut Env, store: &mut Store, request: &Request) {
        let handling = self.handling(env, store, request);
        if let Some(command) = self.host.start(env, request, handling) {
            self.fetched(env, store, command);
        }
    }

    /// Options of the buffer for a request.
    #[inline(always)]
    fn handling(&self, env: &Env, store: &Store, request: &Request) -> Handling {
        let spec = &env.spec;
        let fua =
            request.op == Op::Write && (request.fua || !spec.host.write_cache) && !spec.buffer.plp;
        let keeps_account = store.persistence.is_some();
        Handling {
            fua: fua && !keeps_account,
            forced: fua && keeps_account,
            tracked: fua && !keeps_account || self.tracks_writes || request.op == Op::Trim,
        }
    }

    /// Starts the requests that wait in the queue of a sender, as far as they may start.
    #[inline(never)]
    fn start_next(&mut self, env: &mut Env, store: &mut Store, sender: u16) {
        while let Some(request) = self.host.commands.take_waiting(sender) {
            self.start(env, store, &request);
        }
    }

    /// Starts requests that arrived before the drive could serve them.
    pub fn start_waiting(&mut self, env: &mut Env, store: &mut Store) {
        for queue in 0..self.host.commands.queues() {
            self.start_next(env, store, queue);
        }
    }

    /// Handles the end of a link operation other than the arrival of written data.
    #[inline(always)]
    pub fn link_done(&mut self, env: &mut Env, store: &mut Store, done: LinkDone) {
        match done {
            LinkDone::Nothing => {}
            LinkDone::Fetched(command) => self.fetched(env, store, command),
            LinkDone::ReadSent { command, bytes } => {
                if self.host.commands.get_mut(command).moved(bytes) {
                    if store.ftl.media.counted.lost_pages > 0 {
                        self.fail_if_lost(store, command);
                    }
                    self.done(env, store, command);
                }
            }
            LinkDone::Reported(command) => self.reported(env, store, command),
            LinkDone::WriteReceived { .. } => unreachable!("it is placed"),
        }
    }

    /// Handles a command that has reached the controller.
    #[inline(always)]
    fn fetched(&mut self, env: &mut Env, store: &mut Store, id: CommandId) {
        if let Some(half_duplex) = &mut self.half_duplex
            && !half_duplex.takes_write(self.host.commands.get_mut(id))
        {
            let (host, reads) = (&mut self.host, &mut self.reads);
            if half_duplex.keeps_waiting(env, host, &mut store.ftl.buffer, reads, id) {
                return;
            }
        }
        self.take_up(env, store, id);
    }

    /// Starts the work of the firmware on a command.
    #[inline(always)]
    fn take_up(&mut self, env: &mut Env, store: &mut Store, id: CommandId) {
        let command = self.host.commands.get(id);
        let (op, pages) = (command.op, command.logical_pages());
        let further = u64::from((pages.end - pages.start).saturating_sub(1));
        let spec = &env.spec.controller;
        let (core, mut time) = match op {
            Op::Read => {
                self.counted.host_reads += 1;
                let command = env.times.read_command.of(self.counted.host_reads);
                (spec.core_read, command + spec.read_page * further)
            }
            Op::Write => {
                self.counted.host_writes += 1;
                // The time of its further pages passes as they are received.
                let nth = self.counted.host_writes;
                (spec.core_write, env.times.write_command.of(nth))
            }
            Op::Trim => (spec.core_write, trim_time(&env.spec.trim, command)),
            Op::Flush => (spec.core_write, spec.write_command),
        };
        let miss = match op {
            Op::Read => spec.read_l2p_miss,
            Op::Write => spec.write_l2p_miss,
            Op::Trim | Op::Flush => Nanos::ZERO,
        };
        if miss > Nanos::ZERO && store.controller.fetch(pages.start) {
            time += miss;
        }
        if spec.direction_change > Nanos::ZERO && store.controller.changes_direction(core, op) {
            time += spec.direction_change;
        }
        if let (Some(streams), Op::Write) = (&env.spec.streams, op) {
            time += streams.classify;
        }
        if let Some(half_duplex) = &mut self.half_duplex {
            time += half_duplex.take_turnaround();
        }
        if let Some(patrol) = &mut self.patrol {
            patrol.advance(env, store);
        }
        let mapped = match op {
            Op::Read | Op::Trim => pages,
            // Written pages are looked up when they are in the buffer.
            Op::Write | Op::Flush => pages.start..pages.start,
        };
        let job = Job::Command { command: id };
        let work = CoreWork { job, core, time };
        let Store {
            ftl, controller, ..
        } = store;
        ftl.submit_mapped(env, controller, work, mapped, op != Op::Read);
    }
}

/// Time of a TRIM command itself on a core.
fn trim_time(spec: &TrimSpec, command: &Command) -> Nanos {
    if !spec.enabled {
        return spec.command;
    }
    let pages = u64::from(command.logical_pages().count());
    let ranges = command.len_bytes.div_ceil(spec.range_bytes_max);
    spec.command + spec.per_range * ranges + Nanos(spec.per_1024_pages.0 * pages / 1024)
}

/// The end of a command.
impl Frontend {
    /// Ends a command for the controller.
    #[inline(always)]
    pub fn done(&mut self, env: &mut Env, store: &mut Store, id: CommandId) {
        if let Some(half_duplex) = &mut self.half_duplex
            && self.host.commands.get(id).holds_buffer
        {
            half_duplex.ended();
            if half_duplex.somebody_waits() {
                self.buffer_is_free(env, store);
            }
        }
        if self.host.ends(env, id) {
            self.reported(env, store, id);
        }
    }

    /// Continues the commands that waited for the half-duplex buffer, whose holder has ended.
    #[inline(never)]
    fn buffer_is_free(&mut self, env: &mut Env, store: &mut Store) {
        while let Some(half_duplex) = &mut self.half_duplex {
            let reads = &mut self.reads;
            let Some(next) = half_duplex.take_next(env, &self.host, &mut store.ftl.buffer, reads)
            else {
                return;
            };
            self.take_up(env, store, next);
        }
    }

    /// Handles a completion that has crossed the link; starts requests that wait for its queue
    /// slot.
    #[inline(always)]
    fn reported(&mut self, env: &mut Env, store: &mut Store, command: CommandId) {
        if let Some(sender) = self.host.report(env, command) {
            self.start_next(env, store, sender);
        }
        if self.host.has_drained() {
            self.host.drained(env);
        }
    }

    /// Fails a read command, which has all its data, if any of the data is lost.
    #[cold]
    fn fail_if_lost(&mut self, store: &Store, id: CommandId) {
        let l2p = &store.ftl.l2p;
        let command = self.host.commands.get_mut(id);
        let pages = command.logical_pages().each();
        let mut lost = pages.filter(|&lpn| l2p.lookup(lpn) == Ppn::LOST).peekable();
        if command.status() != Status::MediaError && lost.peek().is_none() {
            return;
        }
        command.fail(Status::MediaError);
        self.counted.failed_reads += 1;
        let asked = command.offset_bytes..command.end_byte();
        for lpn in lost {
            let begin = lpn.first_byte();
            let bytes = asked.end.min(begin + PAGE_BYTES) - asked.start.max(begin);
            self.counted.uncorrectable_sectors += bytes / SECTOR_BYTES;
        }
    }

    /// Refuses a command that has not been admitted, except the pages that are `reserved` for it: a
    /// piece of a write that has begun is still written.
    #[cold]
    pub fn refuse(&mut self, env: &mut Env, store: &mut Store, id: CommandId, reserved: u32) {
        let command = self.host.commands.get_mut(id);
        command.fail(Status::WriteProtected);
        if command.op == Op::Write {
            // Only admitted data is still expected.
            store.ftl.sorting.keep_stream(command);
            if !command.cut_short(u64::from(reserved) * PAGE_BYTES) {
                return;
            }
            if let Some(persistence) = &mut store.persistence {
                persistence.give_up(id);
            }
        }
        self.done(env, store, id);
    }
}

/// Flushes, and writes that act as one.
impl Frontend {
    /// Begins a flush.
    pub fn flush(&mut self, env: &mut Env, store: &mut Store, id: CommandId) {
        if env.spec.buffer.plp {
            self.done(env, store, id);
            return;
        }
        if store.persistence.is_some() {
            self.flush_durably(env, store, id);
            return;
        }
        store.pad_all(env);
        let number = store.ftl.buffer.flush();
        self.host.commands.flush_waits(id, number);
        self.check_flushes(env, store);
    }

    /// Begins a flush in a drive whose power can be cut, also for the end of a write that acts as
    /// one.
    fn flush_durably(&mut self, env: &mut Env, store: &mut Store, id: CommandId) {
        let Some(lsn) = store.persistence().request_flush() else {
            self.done(env, store, id);
            return;
        };
        self.host.commands.flush_waits(id, lsn);
        store.pad_all(env);
    }

    /// Ends a write whose data is all placed: at once, or when all of it is durable.
    #[inline(always)]
    pub fn write_placed(&mut self, env: &mut Env, store: &mut Store, id: CommandId) {
        match self.host.commands.get(id).handling.forced {
            true => self.flush_durably(env, store, id),
            false => self.done(env, store, id),
        }
    }

    /// Ends the flushes whose data is all programmed or, where the power can be cut, durable.
    pub fn check_flushes(&mut self, env: &mut Env, store: &mut Store) {
        while let Some(&(id, number)) = self.host.commands.flushes().first() {
            let ends = match &store.persistence {
                Some(persistence) => persistence.flush_ends(number),
                None => !store.ftl.buffer.holds_before(number),
            };
            if !ends {
                return;
            }
            self.host.commands.take_flush();
            self.done(env, store, id);
        }
    }
}
