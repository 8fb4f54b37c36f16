//! Commands in the drive and their queue slots, and requests that wait in the host for a slot.

use std::collections::VecDeque;
use std::ops::Range;

use stend_base::{Op, Request, Status};
use stend_model::spec::Spec;

use crate::sim::ids::{CommandId, Lpn};

/// Options of the buffer for a write.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Handling {
    /// True if the write completes only when it is programmed.
    pub fua: bool,
    /// True for FUA in a drive whose power can be cut: the write completes as a flush does.
    pub forced: bool,
    /// True if admission depends on more than room and the journal: on streams, coalescing or FUA;
    /// or if the command is a TRIM, which may wait among the writes.
    pub tracked: bool,
}

/// A command that the drive has accepted.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Command {
    pub tag: u32,
    /// Number of the sending thread.
    queue: u16,
    pub op: Op,
    pub offset_bytes: u64,
    pub len_bytes: u64,
    /// Bytes that the link has not moved yet.
    bytes_left: u64,
    /// Bytes of a write that the buffer has not admitted yet.
    to_admit: u64,
    pub handling: Handling,
    /// Logical pages reserved to pad its last multi-plane page.
    padding: u32,
    /// Programs that the command waits for.
    programs_left: u32,
    /// True if the command was cut short and still bypasses the SLC cache, although its rest is
    /// short.
    pub bypasses_cache: bool,
    /// True until the first logical page has been received; its time is part of the command's own.
    first_page_due: bool,
    /// True if the command occupies the half-duplex buffer.
    pub holds_buffer: bool,
    /// True until any of its data has gone over the link.
    untouched: bool,
    status: Status,
}

impl Command {
    /// Logical pages that the command touches.
    #[inline]
    pub fn logical_pages(&self) -> Range<Lpn> {
        Lpn::of_byte(self.offset_bytes)..Lpn::from_byte(self.end_byte())
    }

    /// End of the command, bytes: one past its last byte.
    #[inline]
    pub fn end_byte(&self) -> u64 {
        self.offset_bytes + self.len_bytes
    }

    /// The first byte that the link has not moved yet; transfers move it in order.
    #[inline]
    pub fn next_to_move(&self) -> u64 {
        self.end_byte() - self.bytes_left
    }

    /// Notes that the link has moved `bytes`. Returns true after the last.
    #[inline]
    pub fn moved(&mut self, bytes: u32) -> bool {
        self.bytes_left -= u64::from(bytes);
        self.all_moved()
    }

    /// True if the link has moved all of it.
    #[inline]
    pub fn all_moved(&self) -> bool {
        self.bytes_left == 0
    }

    /// The first byte that the buffer has not admitted yet.
    #[inline]
    pub fn next_to_admit(&self) -> u64 {
        self.end_byte() - self.to_admit
    }

    /// Bytes that the buffer has not admitted yet.
    #[inline]
    pub fn unadmitted(&self) -> u64 {
        self.to_admit
    }

    /// Notes that the buffer has admitted `bytes`. Returns true after the last.
    #[inline]
    pub fn admitted(&mut self, bytes: u32) -> bool {
        self.to_admit -= u64::from(bytes);
        self.to_admit == 0
    }

    /// Cuts off the bytes that the buffer has not admitted, except `kept`. Returns true if the link
    /// has moved all that is left.
    pub fn cut_short(&mut self, kept: u64) -> bool {
        let cut = self.to_admit.saturating_sub(kept);
        self.len_bytes -= cut;
        self.bytes_left -= cut;
        self.to_admit -= cut;
        self.all_moved()
    }

    /// Returns true once: the command's own time covers its first logical page.
    #[inline]
    pub fn take_first_page(&mut self) -> bool {
        std::mem::take(&mut self.first_page_due)
    }

    /// Notes the number of logical pages reserved to pad the last multi-plane page.
    #[inline]
    pub fn pad(&mut self, pages: u32) {
        self.padding = pages;
    }

    /// Takes the pages reserved to pad the last multi-plane page.
    #[inline]
    pub fn take_padding(&mut self) -> u32 {
        std::mem::take(&mut self.padding)
    }

    /// Status at its end.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Sets the error with which it ends.
    pub fn fail(&mut self, status: Status) {
        self.status = status;
    }

    /// Adds a program to wait for.
    pub fn awaits_program(&mut self) {
        self.programs_left += 1;
    }

    /// Notes the end of a program that it waits for. Returns true if nothing is left to wait for.
    pub fn programmed(&mut self) -> bool {
        self.programs_left -= 1;
        self.programs_left == 0 && self.all_moved()
    }
}

/// Outcome of a command.
#[derive(Clone, Copy)]
pub(super) struct Outcome {
    pub tag: u32,
    /// Number of the sending thread.
    pub sender: u16,
    pub status: Status,
}

/// A command queue between host and drive.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Queue {
    /// Commands in the drive.
    active: u32,
    /// Requests that wait in the host for one of them to end.
    waiting: VecDeque<Request>,
}

/// The commands in the drive, and the requests that wait in the host.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Commands {
    slots: Vec<Command>,
    free: Vec<CommandId>,
    queues: Vec<Queue>,
    /// True if there is more than one queue.
    several: bool,
    /// Queue depth: the largest number of commands of a queue in the drive.
    depth: u32,
    /// TRIM and flush are not queued commands: each must be alone in the drive.
    trim_alone: bool,
    flush_alone: bool,
    /// True if such a command is in the drive.
    alone: bool,
    /// Requests that the host has submitted and whose completion it has not received.
    outstanding: u32,
    /// Flushes in order, each with the number that durability must reach before it ends.
    flushes: Vec<(CommandId, u64)>,
}

const NO_COMMAND: Command = Command {
    tag: 0,
    queue: 0,
    op: Op::Flush,
    offset_bytes: 0,
    len_bytes: 0,
    bytes_left: 0,
    to_admit: 0,
    handling: Handling {
        fua: false,
        forced: false,
        tracked: false,
    },
    padding: 0,
    programs_left: 0,
    bypasses_cache: false,
    first_page_due: false,
    holds_buffer: false,
    untouched: false,
    status: Status::Ok,
};

impl Commands {
    pub fn new(spec: &Spec) -> Commands {
        let host = &spec.host;
        let queues = host.pcie.as_ref().map_or(1, |pcie| pcie.queues);
        let queue = Queue {
            active: 0,
            waiting: VecDeque::new(),
        };
        Commands {
            slots: Vec::with_capacity(64),
            free: Vec::with_capacity(64),
            queues: vec![queue; queues as usize],
            several: queues > 1,
            depth: host.queue_depth,
            trim_alone: !spec.trim.queued,
            flush_alone: !host.flush_queued,
            alone: false,
            outstanding: 0,
            flushes: Vec::with_capacity(64),
        }
    }

    /// The queue of a sender.
    #[inline(always)]
    fn queue_of(&mut self, sender: u16) -> &mut Queue {
        let number = match self.several {
            false => 0,
            true => usize::from(sender) % self.queues.len(),
        };
        &mut self.queues[number]
    }

    /// True if a command must be alone in the drive.
    #[inline]
    fn is_alone(&self, op: Op) -> bool {
        match op {
            Op::Read | Op::Write => false,
            Op::Trim => self.trim_alone,
            Op::Flush => self.flush_alone,
        }
    }

    /// True if the commands in the drive allow a request to start now.
    #[inline(always)]
    fn may_start(&mut self, request: &Request) -> bool {
        let (depth, free) = (self.depth, !self.alone);
        let alone = self.is_alone(request.op);
        let active = self.queue_of(request.queue).active;
        free && active < depth && !(alone && active > 0)
    }

    /// Returns true if an arriving request may start at once; otherwise it waits. While the drive
    /// is starting up, all requests wait.
    #[inline(always)]
    pub fn starts_at_once(&mut self, request: &Request, starting_up: bool) -> bool {
        let first = self.queue_of(request.queue).waiting.is_empty();
        if first && self.may_start(request) && !starting_up {
            return true;
        }
        self.queue_of(request.queue).waiting.push_back(*request);
        false
    }

    /// Removes and returns the next waiting request in the queue of a sender, if it may start now.
    #[inline]
    pub fn take_waiting(&mut self, sender: u16) -> Option<Request> {
        let request = *self.queue_of(sender).waiting.front()?;
        if !self.may_start(&request) {
            return None;
        }
        self.queue_of(sender).waiting.pop_front()
    }

    /// Allocates a queue slot for a request.
    #[inline(always)]
    pub fn start(&mut self, request: &Request, handling: Handling) -> CommandId {
        self.queue_of(request.queue).active += 1;
        self.alone = self.is_alone(request.op);
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(NO_COMMAND);
            CommandId(self.slots.len() as u32 - 1)
        });
        *self.get_mut(slot) = Command {
            tag: request.tag,
            queue: request.queue,
            op: request.op,
            offset_bytes: request.offset_bytes,
            len_bytes: request.len_bytes,
            bytes_left: request.len_bytes,
            to_admit: request.len_bytes,
            handling,
            padding: 0,
            programs_left: 0,
            bypasses_cache: false,
            first_page_due: true,
            holds_buffer: false,
            untouched: true,
            status: Status::Ok,
        };
        slot
    }

    /// Frees the queue slot of a command that has ended. Returns its outcome, and true if a request
    /// waits in the sender's queue.
    #[inline(always)]
    pub(super) fn end(&mut self, command: CommandId) -> (Outcome, bool) {
        let Command {
            tag,
            queue: sender,
            status,
            ..
        } = *self.get(command);
        self.free.push(command);
        // A command that must be alone was alone until now; beside any other command there is none.
        self.alone = false;
        let queue = self.queue_of(sender);
        queue.active -= 1;
        let others_wait = !queue.waiting.is_empty();
        (
            Outcome {
                tag,
                sender,
                status,
            },
            others_wait,
        )
    }

    /// A command in the drive.
    #[inline]
    pub fn get(&self, command: CommandId) -> &Command {
        &self.slots[command.index()]
    }

    /// A command in the drive, to be changed.
    #[inline]
    pub fn get_mut(&mut self, command: CommandId) -> &mut Command {
        &mut self.slots[command.index()]
    }

    /// True if a command is in the drive.
    pub fn any(&self) -> bool {
        self.free.len() < self.slots.len()
    }

    /// Number of queues.
    pub fn queues(&self) -> u16 {
        self.queues.len() as u16
    }

    /// True for the first transfer of a command.
    #[inline]
    pub fn first_transfer(&mut self, command: CommandId) -> bool {
        std::mem::replace(&mut self.get_mut(command).untouched, false)
    }

    /// Counts a request that the host has submitted.
    #[inline]
    pub fn submitted(&mut self) {
        self.outstanding += 1;
    }

    /// Counts a completion that the host has received.
    #[inline]
    pub fn completed(&mut self) {
        self.outstanding -= 1;
    }

    /// Forgets the tags of commands that have ended.
    pub fn forget_tags(&mut self) {
        if self.outstanding == 0 {
            self.slots.iter_mut().for_each(|command| command.tag = 0);
        }
    }

    /// Requests that the host has submitted and whose completion it has not received.
    #[inline]
    pub fn outstanding(&self) -> u32 {
        self.outstanding
    }

    /// Flushes that have not ended, in order, each with the number that durability must reach.
    #[inline]
    pub fn flushes(&self) -> &[(CommandId, u64)] {
        &self.flushes
    }

    /// Adds a flush that waits until durability has reached `number`, which is not below the last
    /// one.
    pub fn flush_waits(&mut self, command: CommandId, number: u64) {
        self.flushes.push((command, number));
    }

    /// Removes the first waiting flush.
    pub fn take_flush(&mut self) {
        self.flushes.remove(0);
    }
}
