//! Commands in the drive and their queue slots, and requests that wait in the host for a slot.

use std::collections::VecDeque;

use stend_base::{Op, Request, Status};
use stend_model::spec::Spec;

use crate::sim::ids::{CommandId, Lpn};

/// How the buffer treats a write.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Handling {
    /// It completes only when it is programmed.
    pub fua: bool,
    /// The same in a drive whose power can be cut: it completes as a flush does.
    pub forced: bool,
    /// Its admission depends on more than room and the journal: on streams, coalescing or FUA; or
    /// it is a TRIM, which may wait among the writes.
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
    /// Programs that it waits for.
    programs_left: u32,
    /// Cut short, it still bypasses the SLC cache although what is left of it is short.
    bypasses_cache: bool,
    /// Its first logical page, whose time is part of the command's own, has not been received yet.
    first_page_due: bool,
    /// It occupies the half-duplex buffer.
    holds_buffer: bool,
    /// Nothing of it has gone over the link yet.
    untouched: bool,
    status: Status,
}

impl Command {
    /// The first logical page that it touches, and the one after the last.
    #[inline]
    pub fn logical_pages(&self) -> (Lpn, Lpn) {
        (
            Lpn::of_byte(self.offset_bytes),
            Lpn::from_byte(self.end_byte()),
        )
    }

    /// The byte after its last one.
    #[inline]
    pub fn end_byte(&self) -> u64 {
        self.offset_bytes + self.len_bytes
    }

    /// The first byte that the link has not moved yet; transfers move it in order.
    #[inline]
    pub fn next_to_move(&self) -> u64 {
        self.end_byte() - self.bytes_left
    }

    /// The link has moved bytes of it. Returns true with the last.
    #[inline]
    pub fn moved(&mut self, bytes: u32) -> bool {
        self.bytes_left -= u64::from(bytes);
        self.all_moved()
    }

    /// Whether the link has moved all of it.
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

    /// The buffer has admitted bytes of it. Returns true with the last.
    #[inline]
    pub fn admitted(&mut self, bytes: u32) -> bool {
        self.to_admit -= u64::from(bytes);
        self.to_admit == 0
    }

    /// Cuts off what the buffer has not admitted, but for so many bytes. Returns true if the link
    /// has moved all the rest.
    pub fn cut_short(&mut self, kept: u64) -> bool {
        let cut = self.to_admit.saturating_sub(kept);
        self.len_bytes -= cut;
        self.bytes_left -= cut;
        self.to_admit -= cut;
        self.all_moved()
    }

    /// True once: the command's own time covers its first logical page.
    #[inline]
    pub fn take_first_page(&mut self) -> bool {
        std::mem::take(&mut self.first_page_due)
    }

    /// Notes how many logical pages are reserved to pad its last multi-plane page.
    #[inline]
    pub fn pad(&mut self, pages: u32) {
        self.padding = pages;
    }

    /// Takes what is reserved to pad its last multi-plane page.
    #[inline]
    pub fn take_padding(&mut self) -> u32 {
        std::mem::take(&mut self.padding)
    }

    /// Whether it bypasses the SLC cache although what is left of it is short.
    #[inline]
    pub fn bypasses_cache(&self) -> bool {
        self.bypasses_cache
    }

    /// Sets whether what is left of it bypasses the SLC cache, however short.
    pub fn set_bypasses_cache(&mut self, bypasses: bool) {
        self.bypasses_cache = bypasses;
    }

    /// Whether it occupies the half-duplex buffer.
    #[inline]
    pub fn holds_buffer(&self) -> bool {
        self.holds_buffer
    }

    /// Sets whether it occupies the half-duplex buffer.
    #[inline]
    pub fn set_holds_buffer(&mut self, holds: bool) {
        self.holds_buffer = holds;
    }

    /// How it ends.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Makes it end with an error.
    pub fn fail(&mut self, status: Status) {
        self.status = status;
    }

    /// Makes it wait for one more program.
    pub fn awaits_program(&mut self) {
        self.programs_left += 1;
    }

    /// A program that it waits for has ended. Returns true if it waits for nothing more.
    pub fn programmed(&mut self) -> bool {
        self.programs_left -= 1;
        self.programs_left == 0 && self.all_moved()
    }
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
pub(super) struct Commands {
    slots: Vec<Command>,
    free: Vec<CommandId>,
    queues: Vec<Queue>,
    /// There is more than one queue.
    several: bool,
    /// Queue depth: commands in the drive that a queue may have.
    depth: u32,
    /// TRIM and flush are not queued commands: each is alone in the drive.
    trim_alone: bool,
    flush_alone: bool,
    /// Such a command is in the drive.
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

    /// Whether a command must be alone in the drive.
    #[inline]
    fn is_alone(&self, op: Op) -> bool {
        match op {
            Op::Read | Op::Write => false,
            Op::Trim => self.trim_alone,
            Op::Flush => self.flush_alone,
        }
    }

    /// Whether the commands in the drive let a request in now.
    #[inline(always)]
    fn may_start(&mut self, request: &Request) -> bool {
        let (depth, free) = (self.depth, !self.alone);
        let alone = self.is_alone(request.op);
        let active = self.queue_of(request.queue).active;
        free && active < depth && !(alone && active > 0)
    }

    /// Whether a request that arrives may start at once; it waits otherwise, unless the drive is
    /// starting up, when all wait.
    #[inline(always)]
    pub fn starts_at_once(&mut self, request: &Request, starting_up: bool) -> bool {
        let first = self.queue_of(request.queue).waiting.is_empty();
        if first && self.may_start(request) && !starting_up {
            return true;
        }
        self.queue_of(request.queue).waiting.push_back(*request);
        false
    }

    /// Takes the next request that waits in the queue of a sender, if it may start now.
    #[inline]
    pub fn take_waiting(&mut self, sender: u16) -> Option<Request> {
        let request = *self.queue_of(sender).waiting.front()?;
        if !self.may_start(&request) {
            return None;
        }
        self.queue_of(sender).waiting.pop_front()
    }

    /// Takes a queue slot for a request.
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

    /// A command has ended: frees its queue slot. Returns its tag, sender and status, and whether a
    /// request waits in the sender's queue.
    #[inline(always)]
    pub fn end(&mut self, command: CommandId) -> ((u32, u16, Status), bool) {
        let Command {
            tag,
            queue: queue_number,
            status,
            ..
        } = *self.get(command);
        self.free.push(command);
        // A command that must be alone was so until now; beside any other command none is.
        self.alone = false;
        let queue = self.queue_of(queue_number);
        queue.active -= 1;
        let others_wait = !queue.waiting.is_empty();
        ((tag, queue_number, status), others_wait)
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

    /// Whether a command is in the drive.
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

    /// The host has submitted a request.
    #[inline]
    pub fn submitted(&mut self) {
        self.outstanding += 1;
    }

    /// The host has learned of a completion.
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

    /// Flushes that have not ended, in order.
    #[inline]
    pub fn flushes(&self) -> &[(CommandId, u64)] {
        &self.flushes
    }

    /// Makes a flush wait until durability has reached a number.
    pub fn flush_waits(&mut self, command: CommandId, number: u64) {
        self.flushes.push((command, number));
    }

    /// Removes the first flush that waits.
    pub fn take_flush(&mut self) {
        self.flushes.remove(0);
    }
}
