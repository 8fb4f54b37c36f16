//! The path of a command: from its arrival through the link to the firmware, and its end.

use stend_base::{Completion, Nanos, Op, Request};

use super::SimDrive;
use crate::sim::controller::Job;
use crate::sim::host::{Handling, LinkDone, Reported};
use crate::sim::ids::CommandId;
use crate::sim::store::Store;
use crate::sim::trim::Trim;

impl SimDrive {
    /// Handles the next arrival. Returns true if the drive does more than start the command.
    #[inline(always)]
    pub(super) fn command_arrives(&mut self) -> bool {
        if self.host.holds_arrivals() && self.arrival_waits() {
            return true;
        }
        let request = self.host.take_arrival(&mut self.env);
        let was_idle = self.idle.working();
        if was_idle {
            self.idle.end(&mut self.env);
            self.settle_all();
        }
        let starting_up = self.is_recovering();
        if self.host.starts_at_once(&request, starting_up) {
            self.command_starts(&request);
        }
        was_idle
    }

    /// Returns true if the present arrival has to wait: until the drive is awake, or because of
    /// heat.
    #[cold]
    fn arrival_waits(&mut self) -> bool {
        self.heat_resumes();
        let awake = self.wake();
        if awake > self.env.now() {
            self.host.arrives_again(&mut self.env, awake);
            return true;
        }
        self.power.woke();
        let share_ppm = self.power.share_ppm();
        self.host.is_throttled(&mut self.env, share_ppm)
    }

    #[inline(always)]
    fn command_starts(&mut self, request: &Request) {
        let handling = self.handling(request);
        let started = self.host.start(&mut self.env, request, handling);
        if started.fetched {
            self.command_fetched(started.command);
        }
    }

    /// Options of the buffer for a request.
    #[inline(always)]
    fn handling(&self, request: &Request) -> Handling {
        let spec = &self.env.spec;
        let fua =
            request.op == Op::Write && (request.fua || !spec.host.write_cache) && !spec.buffer.plp;
        let keeps_account = self.store.persistence.is_some();
        Handling {
            fua: fua && !keeps_account,
            forced: fua && keeps_account,
            tracked: fua && !keeps_account || self.admission.is_tracked() || request.op == Op::Trim,
        }
    }

    /// Handles the end of a link operation. Returns true if data may have been placed.
    #[inline(always)]
    pub(super) fn link_done(&mut self, source: u32) -> bool {
        match self.host.link_done(&mut self.env, source) {
            LinkDone::Nothing => {}
            LinkDone::Fetched(command) => self.command_fetched(command),
            LinkDone::ReadSent { command, bytes } => self.read_sent(command, bytes),
            LinkDone::WriteReceived { command, bytes } => {
                return self.write_received(command, bytes);
            }
            LinkDone::Reported(command) => self.command_reported(command),
        }
        false
    }

    /// Handles a command that has reached the controller.
    #[inline(always)]
    fn command_fetched(&mut self, id: CommandId) {
        if let Some(half_duplex) = &mut self.half_duplex
            && !half_duplex.takes_write(self.host.command_mut(id))
        {
            let buffers = (&mut self.store.buffer, &mut self.reads);
            if half_duplex.keeps_waiting(&mut self.env, &mut self.host, buffers, id) {
                return;
            }
        }
        self.command_taken_up(id);
    }

    /// Starts the work of the firmware on a command.
    #[inline(always)]
    fn command_taken_up(&mut self, id: CommandId) {
        let entry = self.host.command(id);
        let (first, end) = entry.logical_pages();
        let op = entry.op;
        let further = u64::from((end - first).saturating_sub(1));
        let spec = &self.env.spec.controller;
        let (core, mut time) = match op {
            Op::Read => {
                self.env.counters.host_reads += 1;
                let command = self.env.times.read_command.of(self.env.counters.host_reads);
                (spec.core_read, command + spec.read_page * further)
            }
            Op::Write => {
                self.env.counters.host_writes += 1;
                // The time of its further pages passes as they are received.
                let nth = self.env.counters.host_writes;
                (spec.core_write, self.env.times.write_command.of(nth))
            }
            Op::Trim => (spec.core_write, Trim::command_time(&self.env, entry)),
            Op::Flush => (spec.core_write, spec.write_command),
        };
        let miss = match op {
            Op::Read => spec.read_l2p_miss,
            Op::Write => spec.write_l2p_miss,
            Op::Trim | Op::Flush => Nanos::ZERO,
        };
        if miss > Nanos::ZERO && self.controller.fetch(first) {
            self.env.counters.l2p_misses += 1;
            time += miss;
        }
        if spec.direction_change > Nanos::ZERO && self.controller.changes_direction(core, op) {
            time += spec.direction_change;
        }
        if let (Some(streams), Op::Write) = (&self.env.spec.streams, op) {
            time += streams.classify;
        }
        if let Some(half_duplex) = &mut self.half_duplex {
            time += half_duplex.take_turnaround();
        }
        if let Some(patrol) = &mut self.patrol {
            patrol.advance(&mut self.env, &mut self.store);
        }
        let job = (core, Job::Command { command: id }, time);
        let mapped = match op {
            Op::Read | Op::Trim => first..end,
            // Written pages are looked up when they are in the buffer.
            Op::Write | Op::Flush => first..first,
        };
        let Store { media, ftl, .. } = &mut self.store;
        let controller = &mut self.controller;
        ftl.submit_mapped(
            &mut self.env,
            media,
            controller,
            job,
            (mapped, op != Op::Read),
        );
    }

    /// Continues a command that the firmware has processed.
    #[inline(always)]
    pub(super) fn command_handled(&mut self, id: CommandId) {
        match self.host.command(id).op {
            Op::Read => self
                .reads
                .begin(&mut self.env, &mut self.store, &mut self.host, id),
            Op::Write | Op::Trim if self.store.ftl.space.is_read_only() => self.refuse(id, 0),
            Op::Write => self.write_begins(id),
            Op::Trim => self.trim_handled(id),
            Op::Flush => self.flush(id),
        }
    }

    /// Handles data of a read that has reached the host.
    #[inline(always)]
    fn read_sent(&mut self, id: CommandId, bytes: u32) {
        if self.host.command_mut(id).moved(bytes) {
            if self.env.counters.lost_pages > 0 {
                self.check_lost(id);
            }
            self.command_done(id);
        }
    }

    /// Ends a command for the controller.
    #[inline(always)]
    pub(super) fn command_done(&mut self, id: CommandId) {
        if let Some(half_duplex) = &mut self.half_duplex
            && self.host.command(id).holds_buffer()
        {
            half_duplex.ended();
            if half_duplex.somebody_waits() {
                self.buffer_is_free();
            }
        }
        if self.host.ends(&mut self.env, id) {
            self.command_reported(id);
        }
    }

    /// Continues the commands that waited for the half-duplex buffer, whose holder has ended.
    #[inline(never)]
    fn buffer_is_free(&mut self) {
        while let Some(half_duplex) = &mut self.half_duplex {
            let buffers = (&mut self.store.buffer, &mut self.reads);
            let Some(next) = half_duplex.take_next(&mut self.env, &self.host, buffers) else {
                return;
            };
            self.command_taken_up(next);
        }
    }

    /// Handles a completion that has crossed the link; starts requests that wait for its queue
    /// slot.
    #[inline(always)]
    fn command_reported(&mut self, command: CommandId) {
        let Reported {
            sender,
            others_wait,
        } = self.host.report(&mut self.env, command);
        if others_wait {
            self.start_next(sender);
        }
        if self.host.has_drained() {
            let share_ppm = self.power.share_ppm();
            self.host.drained(&mut self.env, share_ppm);
        }
    }

    /// Starts the requests that wait in the queue of a sender, as far as they may start.
    #[inline(never)]
    fn start_next(&mut self, sender: u16) {
        while let Some(request) = self.host.take_waiting(sender) {
            self.command_starts(&request);
        }
    }

    /// Starts requests that arrived before the drive could serve them.
    pub(super) fn start_waiting(&mut self) {
        for queue in 0..self.host.queues() {
            self.start_next(queue);
        }
    }

    /// Notes that the host has received a completion, and whether it awaits another.
    #[inline(always)]
    pub(super) fn host_learns(&mut self, completion: Option<Completion>) -> Option<Completion> {
        if completion.is_some() && self.host.is_silent() {
            self.host_fell_silent();
        }
        completion
    }
}
