//! Streams: the writers. Each has an open superblock of its own, so that data that GC relocates
//! does not lie among new data nor, if the drive separates them, hot data among cold.
//!
//! Data of the host is separated by the rate at which it is overwritten ([`super::heat`]);
//! relocated data by the number of its relocations: the survivors of a superblock of the host go to
//! the first stream of GC, those of a superblock of this stream to the second.
//!
//! Where requests from some length on bypass an SLC cache, they have a stream of their own, which
//! opens superblocks of the data area; the other stream opens the superblocks that the cache has.
//! The stream of the bypass also keeps the superblock of the data area that a host which bypassed a
//! full cache leaves when it begins in the cache again, until the cache is full the next time.
//!
//! Each further stream holds up to one superblock that no other stream can use. The thresholds of
//! GC are raised by the same number (see [`crate::sim::limits`]); so the least reserve is, as with
//! two streams, one superblock half collected, one half filled by every stream except the one that
//! GC writes to, and one to collect into.

use std::collections::VecDeque;
use std::ops::Range;

use stend_model::spec::Spec;

use crate::sim::ftl::heat::Heat;
use crate::sim::host::Command;
use crate::sim::ids::{CommandId, IdRange, Lpn, STREAMS_HOST_MAX, StreamId};

/// Criterion that separates the streams of the host, if there are several.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
enum Apart {
    Heat(Heat),
    /// A request of at least this many bytes bypasses the SLC cache.
    Bytes(u64),
}

impl Apart {
    fn new(spec: &Spec, pages: u32) -> Option<Apart> {
        if let Some(streams) = spec.streams.as_ref().filter(|s| s.host_streams > 1) {
            return Some(Apart::Heat(Heat::new(streams, pages)));
        }
        spec.cache.as_ref()?.bypass_from_bytes.map(Apart::Bytes)
    }
}

/// Choice of the stream for all data of a drive.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Sorting {
    /// Numbers of streams in use are below this.
    numbers: usize,
    gc_streams: u8,
    /// Stream of the data that static wear levelling moves, if it has one of its own.
    level: Option<StreamId>,
    /// Present if the host has more than one stream.
    apart: Option<Box<Apart>>,
    /// Data of the host on its way, in the order of admission.
    on_its_way: VecDeque<(CommandId, StreamId)>,
}

impl Sorting {
    pub fn new(spec: &Spec, pages: u32) -> Sorting {
        let streams = spec.streams.as_ref();
        let host = spec.host_streams();
        let gc = streams.map_or(1, |s| s.gc_streams);
        assert!(
            host.max(gc) as usize <= STREAMS_HOST_MAX && host.min(gc) > 0,
            "{host} streams of the host and {gc} of GC are too many or too few"
        );
        let level = spec.has_level_stream();
        Sorting {
            numbers: 2 * host.max(gc + u32::from(level)) as usize,
            gc_streams: gc as u8,
            level: level.then(|| StreamId::gc(gc as u8)),
            apart: Apart::new(spec, pages).map(Box::new),
            on_its_way: VecDeque::with_capacity(if host > 1 { 256 } else { 0 }),
        }
    }

    /// Numbers of streams in use are below this.
    pub fn numbers(&self) -> usize {
        self.numbers
    }

    /// True if the host's data goes to more than one stream.
    pub fn tells_apart(&self) -> bool {
        self.apart.is_some()
    }

    /// True if a stream is that of static wear levelling.
    pub fn is_level(&self, id: StreamId) -> bool {
        self.level == Some(id)
    }

    /// Drops the data on its way. Heat is kept, as is the L2P.
    pub fn power_cut(&mut self) {
        self.on_its_way.clear();
    }

    /// Starts over with `pages` logical pages, all of them cold.
    pub fn forget_heat(&mut self, spec: &Spec, pages: u32) {
        self.apart = Apart::new(spec, pages).map(Box::new);
    }

    /// The stream of the next data of a write, from page `first` on: all data that is admitted at
    /// once goes to the stream of its first page, or of the rest of its atomic `piece`. A FUA
    /// write, of which one multi-plane page is padded, stays together in the stream for the coldest
    /// data or, as any write, in the one for its length.
    #[inline(always)]
    pub fn of_admission(
        &self,
        command: &Command,
        first: Lpn,
        piece: impl FnOnce() -> Option<StreamId>,
    ) -> StreamId {
        match self.apart.as_deref() {
            None => StreamId::HOST,
            Some(Apart::Heat(heat)) if !command.handling.fua => {
                piece().unwrap_or_else(|| StreamId::host(heat.stream_of(first)))
            }
            Some(Apart::Heat(_)) => StreamId::HOST,
            Some(Apart::Bytes(from)) => by_length(command, *from),
        }
    }

    /// Prefetches the heat of the first page of a request that has arrived.
    #[inline(always)]
    pub fn prefetch(&self, first: Lpn) {
        if let Some(Apart::Heat(heat)) = self.apart.as_deref() {
            heat.prefetch(first);
        }
    }

    /// Fixes the stream of an aborted write: data on its way goes where a place was reserved for
    /// it.
    pub fn keep_stream(&self, command: &mut Command) {
        if let Some(&Apart::Bytes(from)) = self.apart.as_deref() {
            let bypasses = by_length(command, from) == StreamId::BYPASSING;
            command.bypasses_cache = bypasses;
        }
    }

    /// Notes that pages have been admitted to a stream.
    #[inline(always)]
    pub fn admitted(
        &mut self,
        command: CommandId,
        pages: Range<Lpn>,
        to: StreamId,
        is_mapped: impl FnOnce() -> bool,
    ) {
        let Some(Apart::Heat(heat)) = self.apart.as_deref_mut() else {
            return;
        };
        self.on_its_way.push_back((command, to));
        // The first write of a page does not predict the rate of its overwrites.
        if is_mapped() {
            heat.overwritten(pages.start, pages.count());
        }
    }

    /// The stream to which the data that has just arrived was admitted.
    #[inline(always)]
    pub fn of_arrival(&mut self, id: CommandId, command: &Command) -> StreamId {
        match self.apart.as_deref() {
            None => return StreamId::HOST,
            Some(&Apart::Bytes(from)) => return by_length(command, from),
            Some(Apart::Heat(_)) => {}
        }
        // Mostly data arrives in the order in which it was admitted.
        if let Some(&(first, stream)) = self.on_its_way.front()
            && first == id
        {
            self.on_its_way.pop_front();
            return stream;
        }
        let nth = self.on_its_way.iter().position(|&(c, _)| c == id);
        let entry = nth.and_then(|nth| self.on_its_way.remove(nth));
        entry.expect("what arrives was admitted").1
    }

    /// The stream of a write by its length alone.
    #[inline]
    pub fn of_length(&self, command: &Command) -> StreamId {
        match self.apart.as_deref() {
            Some(&Apart::Bytes(from)) => by_length(command, from),
            _ => StreamId::HOST,
        }
    }

    /// The stream for the valid pages of a superblock whose data has been relocated `generation`
    /// times; `levelled`: they are moved by wear levelling.
    pub fn of_victim(&self, generation: u8, levelled: bool) -> StreamId {
        if let (true, Some(level)) = (levelled, self.level) {
            return level;
        }
        StreamId::gc(generation.min(self.gc_streams - 1))
    }
}

/// The stream of a request in a drive in which requests of at least `from` bytes bypass the SLC
/// cache.
#[inline(never)]
fn by_length(command: &Command, from: u64) -> StreamId {
    if command.len_bytes >= from || command.bypasses_cache {
        StreamId::BYPASSING
    } else {
        StreamId::HOST
    }
}
