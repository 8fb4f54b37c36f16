//! Reading: from the buffer, from flash, and ahead of sequential streams.
//!
//! Pages of a command that lie in one multi-plane page are read together. A command that continues
//! where another ended makes a stream; from its second such command on, the drive reads ahead.

use std::collections::VecDeque;
use std::ops::Range;

use stend_model::nand::Class;
use stend_model::spec::PAGE_BYTES;

use crate::sim::counters::Counters;
use crate::sim::env::Env;
use crate::sim::geometry::NONE;
use crate::sim::host::{Command, Host};
use crate::sim::ids::{CommandId, Lpn, Ppn};
use crate::sim::media::Part;
use crate::sim::media::op::NandOp;
use crate::sim::slab::Slab;
use crate::sim::store::Store;

/// Sequential streams that the drive tracks at once.
const STREAMS: usize = 4;

/// Pages read ahead together.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Entry {
    first: Lpn,
    end: Lpn,
    ready: bool,
    /// True if its stream has dropped it; it is removed when its read ends.
    forgotten: bool,
    /// First entry of the list of commands that wait for it.
    waiters: u32,
}

#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Waiter {
    command: CommandId,
    bytes: u32,
    next: u32,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Stream {
    /// Offset at which a read would continue the stream, in bytes; [`NOWHERE`] before its first.
    next_byte: u64,
    continued: u32,
    last_used: u64,
    /// Entries read ahead, in ascending order and without gaps up to `frontier`.
    entries: VecDeque<u32>,
    frontier: Lpn,
}

/// An offset that no request has.
const NOWHERE: u64 = u64::MAX;

impl Stream {
    fn new() -> Stream {
        Stream {
            next_byte: NOWHERE,
            continued: 0,
            last_used: 0,
            entries: VecDeque::new(),
            frontier: Lpn::default(),
        }
    }

    fn drop_front(&mut self, entries: &mut Slab<Entry>) {
        if let Some(entry) = self.entries.pop_front() {
            if entries[entry].ready {
                entries.remove(entry);
            } else {
                entries[entry].forgotten = true;
            }
        }
    }

    #[inline]
    fn drop_all(&mut self, entries: &mut Slab<Entry>) {
        while !self.entries.is_empty() {
            self.drop_front(entries);
        }
    }
}

/// The read-ahead buffer.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Reads {
    streams: [Stream; STREAMS],
    entries: Slab<Entry>,
    waiters: Slab<Waiter>,
    uses: u64,
    pub counted: Counters,
}

impl Reads {
    pub fn new() -> Reads {
        Reads {
            streams: std::array::from_fn(|_| Stream::new()),
            entries: Slab::with_capacity(512),
            waiters: Slab::with_capacity(64),
            uses: 0,
            counted: Counters::default(),
        }
    }

    /// The stream that a read at this offset continues, and true; otherwise the least recently used
    /// stream, and false.
    #[inline]
    fn find(&self, offset_bytes: u64) -> (usize, bool) {
        let mut oldest = 0;
        for (nth, stream) in self.streams.iter().enumerate() {
            if stream.next_byte == offset_bytes {
                return (nth, true);
            }
            if stream.last_used < self.streams[oldest].last_used {
                oldest = nth;
            }
        }
        (oldest, false)
    }

    /// Drops the read-ahead of the stream of a read-ahead page that is lost. Returns the commands
    /// that wait for the page.
    #[cold]
    pub fn gives_up(&mut self, entry: u32) -> Vec<CommandId> {
        let mut streams = self.streams.iter_mut();
        if let Some(stream) = streams.find(|stream| stream.entries.contains(&entry)) {
            stream.drop_all(&mut self.entries);
        }
        let mut waiting = Vec::new();
        let mut waiter = self.entries[entry].waiters;
        while waiter != NONE {
            let this = &self.waiters[waiter];
            waiting.push(this.command);
            waiter = this.next;
        }
        waiting
    }

    /// Drops the read-ahead of all streams.
    pub fn forget_all(&mut self) {
        for stream in &mut self.streams {
            stream.drop_all(&mut self.entries);
        }
    }

    /// Drops the read-ahead and its streams at a power cut.
    pub fn power_cut(&mut self) {
        *self = Reads {
            counted: self.counted,
            ..Reads::new()
        };
    }
}

/// Bytes of a command that lie in these pages.
fn bytes_in(command: &Command, pages: Range<Lpn>) -> u32 {
    let from = command.offset_bytes.max(pages.start.first_byte());
    let to = command.end_byte().min(pages.end.first_byte());
    (to - from) as u32
}

/// The place to read for a page; `None` if it is unmapped or still in the buffer.
#[inline(always)]
fn place_in_flash(env: &Env, store: &Store, lpn: Lpn) -> Option<Ppn> {
    let physical = store.ftl.l2p.lookup(lpn);
    if !physical.is_place() {
        return None;
    }
    let mp_page = physical.mp_page(env.layout.page_bits);
    (!store.ftl.buffer.holds(mp_page)).then_some(physical)
}

/// The part to read for one page.
#[inline(always)]
fn part_of_page(env: &Env, place: Ppn) -> Part {
    Part {
        mp_page: place.mp_page(env.layout.page_bits),
        flash_pages: 1,
        bytes: PAGE_BYTES as u32,
    }
}

/// The pages from `first` on for which one read of flash is enough: the end of the run, and the
/// part to read, or `None` if no read is needed.
fn run_from(env: &Env, store: &Store, first: Lpn, limit: Lpn) -> (Lpn, Option<Part>) {
    let page_bits = env.layout.page_bits;
    let most = limit.min(first + env.spec.pages_per_mp_page);
    let mut end = first + 1;
    let Some(place) = place_in_flash(env, store, first) else {
        while end < most && place_in_flash(env, store, end).is_none() {
            end += 1;
        }
        return (end, None);
    };
    let mp_page = place.mp_page(page_bits);
    let mut pages = 1 << place.within_mp_page(page_bits);
    while end < most
        && let Some(next) = place_in_flash(env, store, end)
        && next.mp_page(page_bits) == mp_page
    {
        pages |= 1 << next.within_mp_page(page_bits);
        end += 1;
    }
    let part = Part {
        mp_page,
        flash_pages: env.layout.flash_pages_of(pages),
        bytes: (end - first) * PAGE_BYTES as u32,
    };
    (end, Some(part))
}

#[inline(always)]
fn read_part(env: &mut Env, store: &mut Store, part: Part, op: NandOp) {
    let ftl = &mut store.ftl;
    ftl.media
        .read(env, &ftl.superblocks, part, Class::HostRead, op);
}

/// Reads pages of a command that were not read ahead.
fn read_pages(env: &mut Env, store: &mut Store, host: &mut Host, id: CommandId, pages: Range<Lpn>) {
    if pages.end - pages.start == 1 {
        let place = place_in_flash(env, store, pages.start);
        let part = place.map(|place| part_of_page(env, place));
        read_run(env, store, host, id, pages, part);
    } else {
        read_runs(env, store, host, id, pages);
    }
}

/// Reads several pages; out of line, since a short read of one page needs no loop.
#[inline(never)]
fn read_runs(env: &mut Env, store: &mut Store, host: &mut Host, id: CommandId, pages: Range<Lpn>) {
    let mut lpn = pages.start;
    while lpn < pages.end {
        let (to, part) = run_from(env, store, lpn, pages.end);
        read_run(env, store, host, id, lpn..to, part);
        lpn = to;
    }
}

/// Reads pages of a command with one read of flash, or sends them if none is needed.
#[inline(always)]
fn read_run(
    env: &mut Env,
    store: &mut Store,
    host: &mut Host,
    id: CommandId,
    pages: Range<Lpn>,
    part: Option<Part>,
) {
    let bytes = bytes_in(host.commands.get(id), pages);
    match part {
        Some(part) => {
            let command = id;
            let op = NandOp::HostRead { command, bytes };
            read_part(env, store, part, op);
        }
        None => host.send_read(env, id, bytes),
    }
}

impl Reads {
    /// Begins a read command.
    #[inline(always)]
    pub fn begin(&mut self, env: &mut Env, store: &mut Store, host: &mut Host, id: CommandId) {
        let command = host.commands.get(id);
        let pages = command.logical_pages();
        let (offset_bytes, end_byte) = (command.offset_bytes, command.end_byte());
        self.counted.host_pages_read += u64::from(pages.end - pages.start);
        self.counted.host_bytes_read += command.len_bytes;
        if env.spec.buffer.read_ahead_pages == 0 {
            read_pages(env, store, host, id, pages);
            return;
        }
        self.uses += 1;
        let (nth, continues) = self.find(offset_bytes);
        let stream = &mut self.streams[nth];
        stream.next_byte = end_byte;
        stream.last_used = self.uses;
        if continues {
            stream.continued += 1;
            self.read_on(env, store, host, id, nth, pages);
            return;
        }
        stream.continued = 0;
        stream.drop_all(&mut self.entries);
        stream.frontier = pages.end;
        read_pages(env, store, host, id, pages);
    }

    /// Serves a command that continues the nth stream.
    #[inline(never)]
    fn read_on(
        &mut self,
        env: &mut Env,
        store: &mut Store,
        host: &mut Host,
        id: CommandId,
        nth: usize,
        pages: Range<Lpn>,
    ) {
        let end = pages.end;
        let covered = self.serve(env, host, id, nth, pages);
        if covered < end {
            read_pages(env, store, host, id, covered..end);
        }
        self.read_further(env, store, nth, end);
    }

    /// Serves a command from the read-ahead of the nth stream. Returns the page up to which it was
    /// served.
    fn serve(
        &mut self,
        env: &mut Env,
        host: &mut Host,
        id: CommandId,
        nth: usize,
        pages: Range<Lpn>,
    ) -> Lpn {
        let stream = &mut self.streams[nth];
        let Range { start: mut at, end } = pages;
        while let Some(&index) = stream.entries.front() {
            let entry = &mut self.entries[index];
            if at < entry.first || at >= end {
                break;
            }
            let to = entry.end.min(end);
            if at < to {
                let bytes = bytes_in(host.commands.get(id), at..to);
                self.counted.read_ahead_hits += u64::from(to - at);
                if entry.ready {
                    host.send_read(env, id, bytes);
                } else {
                    entry.waiters = self.waiters.insert(Waiter {
                        command: id,
                        bytes,
                        next: entry.waiters,
                    });
                }
                at = to;
            }
            // The next command may begin within the last page and need it again.
            if entry.end > Lpn::of_byte(stream.next_byte) {
                break;
            }
            stream.drop_front(&mut self.entries);
        }
        at
    }

    /// Keeps the read-ahead of the nth stream filled.
    fn read_further(&mut self, env: &mut Env, store: &mut Store, nth: usize, from: Lpn) {
        let stream = &mut self.streams[nth];
        if stream.continued < 2 {
            return;
        }
        if stream.entries.is_empty() {
            stream.frontier = from;
        }
        let pages = Lpn(store.ftl.l2p.logical_pages());
        let limit = pages.min(Lpn(from.0.saturating_add(env.spec.buffer.read_ahead_pages)));
        while stream.frontier < limit {
            let first = stream.frontier;
            let (end, part) = run_from(env, store, first, pages);
            let entry = self.entries.insert(Entry {
                first,
                end,
                ready: part.is_none(),
                forgotten: false,
                waiters: NONE,
            });
            stream.entries.push_back(entry);
            stream.frontier = end;
            if let Some(part) = part {
                let op = NandOp::ReadAhead { entry };
                read_part(env, store, part, op);
            }
        }
    }

    /// Handles the end of a read of the read-ahead.
    pub fn arrived(&mut self, env: &mut Env, host: &mut Host, entry: u32) {
        self.entries[entry].ready = true;
        let mut waiter = std::mem::replace(&mut self.entries[entry].waiters, NONE);
        while waiter != NONE {
            let Waiter {
                command,
                bytes,
                next,
            } = self.waiters[waiter];
            self.waiters.remove(waiter);
            host.send_read(env, command, bytes);
            waiter = next;
        }
        if self.entries[entry].forgotten {
            self.entries.remove(entry);
        }
    }

    /// Drops the read-ahead of pages that change.
    #[inline(always)]
    pub fn forget(&mut self, pages: &Range<Lpn>) {
        if self.entries.any() {
            self.forget_changed(pages);
        }
    }

    #[inline(never)]
    fn forget_changed(&mut self, pages: &Range<Lpn>) {
        for stream in &mut self.streams {
            let Some(&front) = stream.entries.front() else {
                continue;
            };
            if pages.start < stream.frontier && pages.end > self.entries[front].first {
                stream.drop_all(&mut self.entries);
            }
        }
    }
}
