//! Streams: who writes, and so which superblock is open for it. Each has its own, so that data that
//! GC relocates does not lie among new data, nor, where the drive tells them apart, hot data among
//! cold.
//!
//! What the host writes is told apart by how often it is overwritten ([`super::heat`]); what GC
//! relocates, by how often it has been relocated: the survivors of a superblock of the host go to
//! the first stream of GC, those of a superblock of this stream to the second.
//!
//! Where requests from some length on bypass an SLC cache, they have a stream of their own, which
//! opens superblocks of the data area; the other one opens what the cache has to give. Where the
//! host bypasses a full cache, this stream keeps the superblock of the data area that the host
//! leaves when it begins in the cache again, until the cache is full the next time.
//!
//! Each further stream holds up to a superblock that no other can use. The thresholds of GC are
//! raised by as many (see [`crate::sim::limits`]); so the least reserve is, as with two streams,
//! one superblock half collected, one half filled by every stream but the one that GC writes to,
//! and one to collect into.

use std::collections::VecDeque;

use stend_model::spec::Spec;

use crate::sim::ftl::heat::Heat;
use crate::sim::host::Command;
use crate::sim::ids::{CommandId, Lpn, STREAMS_HOST_MAX, StreamId};

/// What tells the streams of the host apart, where there is more than one.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
enum Apart {
    Heat(Heat),
    /// A request at least so long bypasses the SLC cache.
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

/// What tells the streams of a drive apart.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Sorting {
    /// Numbers of streams in use are below this.
    numbers: usize,
    gc_streams: u8,
    /// Where static wear levelling puts what it moves, if that has a stream of its own.
    level: Option<StreamId>,
    /// With more than one stream of the host.
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

    /// Whether the host's data goes to more than one stream.
    pub fn tells_apart(&self) -> bool {
        self.apart.is_some()
    }

    /// Whether a stream is that of static wear levelling.
    pub fn is_level(&self, id: StreamId) -> bool {
        self.level == Some(id)
    }

    /// Nothing is on its way. What is known of heat is kept, as is the L2P.
    pub fn power_cut(&mut self) {
        self.on_its_way.clear();
    }

    /// Starts over with so many logical pages, all of them cold.
    pub fn forget_heat(&mut self, spec: &Spec, pages: u32) {
        self.apart = Apart::new(spec, pages).map(Box::new);
    }

    /// The stream that the next data of a write belongs to, from page `first` on: all that is
    /// admitted at once goes where its first page does, or with the rest of its atomic `piece`. A
    /// FUA write, of which one multi-plane page is filled up, stays together in the stream for the
    /// coldest, or, as any, in the one for its length.
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

    /// A request has come whose first page may soon be sorted.
    #[inline(always)]
    pub fn prefetch(&self, first: Lpn) {
        if let Some(Apart::Heat(heat)) = self.apart.as_deref() {
            heat.prefetch(first);
        }
    }

    /// A write is given up half way: what is on its way goes where it was reserved a place.
    pub fn keep_stream(&self, command: &mut Command) {
        if let Some(&Apart::Bytes(from)) = self.apart.as_deref() {
            let bypasses = by_length(command, from) == StreamId::BYPASSING;
            command.set_bypasses_cache(bypasses);
        }
    }

    /// So many pages from `first` on have been admitted to a stream.
    #[inline(always)]
    pub fn admitted(
        &mut self,
        command: CommandId,
        (first, pages): (Lpn, u32),
        to: StreamId,
        is_mapped: impl FnOnce() -> bool,
    ) {
        let Some(Apart::Heat(heat)) = self.apart.as_deref_mut() else {
            return;
        };
        self.on_its_way.push_back((command, to));
        // What is written for the first time tells nothing of how often it will be.
        if is_mapped() {
            heat.overwritten(first, pages);
        }
    }

    /// The stream that the data which has just arrived was admitted to.
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

    /// The stream that a write belongs to by its length alone.
    #[inline]
    pub fn of_length(&self, command: &Command) -> StreamId {
        match self.apart.as_deref() {
            Some(&Apart::Bytes(from)) => by_length(command, from),
            _ => StreamId::HOST,
        }
    }

    /// The stream that what GC relocates goes to from a superblock of data that has been relocated
    /// so often, or what is moved from it since it is less worn than others.
    pub fn of_victim(&self, generation: u8, levelled: bool) -> StreamId {
        if let (true, Some(level)) = (levelled, self.level) {
            return level;
        }
        StreamId::gc(generation.min(self.gc_streams - 1))
    }
}

/// The stream of a request in a drive in which those of `from` bytes on bypass the SLC cache.
#[inline(never)]
fn by_length(command: &Command, from: u64) -> StreamId {
    if command.len_bytes >= from || command.bypasses_cache() {
        StreamId::BYPASSING
    } else {
        StreamId::HOST
    }
}
