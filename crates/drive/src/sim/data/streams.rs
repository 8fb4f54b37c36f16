//! Streams: who writes, and which superblock is open for it. Each has its own, so that data
//! which was collected does not lie among data that is new, nor, where the drive tells them
//! apart, hot data among cold.
//!
//! What the host writes is told apart by how often it is overwritten ([`crate::sim::data::hotness`]); what
//! is collected, by how often it has been: the survivors of a superblock of the host go to
//! the first stream of collection, those of a superblock of this stream to the second.
//!
//! Where requests from some length on pass an SLC cache by, they have a stream of their own,
//! which opens superblocks of the main area; the other one opens what the cache has to give.
//!
//! Each further stream holds up to a superblock that no other can use. The thresholds of
//! collection are raised by as many (see [`crate::sim::space::limits`]); so the least reserve is, as with
//! two streams, one superblock half collected, one half filled by every stream but the one
//! that collection writes to, and one to collect into.

use std::collections::VecDeque;

use crate::sim::data::hotness::Heat;
use crate::sim::map::mapping::UNMAPPED;
use crate::sim::space::cache::Kind;
use crate::sim::{SimDrive, UNIT_BYTES};
use crate::spec::Spec;

/// Streams of the host at most.
pub(crate) const MOST_HOST: usize = 4;
/// Streams at most: those of the host and of collection, numbered in turn, and behind the
/// last of collection the one of wear levelling.
/// A power of two, so that a number is taken modulo it rather than checked.
pub(crate) const MOST: usize = (2 * (MOST_HOST + 1)).next_power_of_two();

/// Who writes: even numbers are the host's, odd ones collection's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct StreamId(u8);

impl StreamId {
    /// The host's; of several, the one for the coldest data, or for what enters the cache.
    pub const HOST: StreamId = StreamId(0);
    /// The host's for long requests, in a drive in which they pass the cache by.
    pub const PAST_CACHE: StreamId = StreamId(2);
    /// Collection's; of several, the one for what was not collected before.
    pub const COLLECT: StreamId = StreamId(1);

    fn host(heat: u32) -> StreamId {
        StreamId(2 * heat as u8)
    }

    fn collect(generation: u8) -> StreamId {
        StreamId(2 * generation + 1)
    }

    pub fn nth(number: usize) -> StreamId {
        StreamId(number as u8)
    }

    #[inline]
    pub fn is_host(self) -> bool {
        self.0 & 1 == 0
    }

    #[inline]
    pub fn number(self) -> usize {
        self.0 as usize % MOST
    }

    /// How often the data of this stream has been collected.
    pub fn generation(self) -> u8 {
        if self.is_host() { 0 } else { self.0 / 2 + 1 }
    }
}

/// What tells the streams of the host apart, where there is more than one.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
enum Apart {
    Heat(Heat),
    /// A request at least so long passes the cache by.
    Bytes(u64),
}

impl Apart {
    fn new(spec: &Spec, units: u32) -> Option<Apart> {
        if let Some(streams) = spec.streams.as_ref().filter(|s| s.host_streams > 1) {
            return Some(Apart::Heat(Heat::new(streams, units)));
        }
        spec.cache.as_ref()?.bypass_from_bytes.map(Apart::Bytes)
    }
}

/// What tells the streams of a drive apart.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Sorting {
    /// Numbers in use are below this.
    pub numbers: usize,
    collect_streams: u8,
    /// Where static wear levelling puts what it moves, if that has a stream of its own.
    level: Option<StreamId>,
    /// With more than one stream of the host.
    apart: Option<Box<Apart>>,
    /// Data of the host on its way, in the order of admission: command, stream.
    on_its_way: VecDeque<(u32, StreamId)>,
}

impl Sorting {
    pub fn new(spec: &Spec, units: u32) -> Sorting {
        let streams = spec.streams.as_ref();
        let host = spec.host_streams();
        let collect = streams.map_or(1, |s| s.collect_streams);
        assert!(
            host.max(collect) as usize <= MOST_HOST && host.min(collect) > 0,
            "{host} streams of the host and {collect} of collection are too many or too few"
        );
        Sorting {
            numbers: 2 * host.max(collect + u32::from(spec.has_level_stream())) as usize,
            collect_streams: collect as u8,
            level: spec
                .has_level_stream()
                .then(|| StreamId::collect(collect as u8)),
            apart: Apart::new(spec, units).map(Box::new),
            on_its_way: VecDeque::with_capacity(if host > 1 { 256 } else { 0 }),
        }
    }
}

impl Sorting {
    /// Whether the host's data goes to more than one stream.
    pub fn tells_apart(&self) -> bool {
        self.apart.is_some()
    }

    /// Nothing is on its way. What is known of heat is kept, as is the mapping.
    pub fn power_cut(&mut self) {
        self.on_its_way.clear();
    }

    /// Begins anew with so many units, all of them cold.
    pub fn forget_heat(&mut self, spec: &Spec, units: u32) {
        self.apart = Apart::new(spec, units).map(Box::new);
    }
}

impl SimDrive {
    /// Opens a superblock for a stream.
    pub(in crate::sim) fn open_for(&mut self, id: StreamId, kind: Kind) -> u32 {
        let superblock = match self.writer.sorting.level == Some(id) {
            // What rests there spares it.
            true => self.superblocks.open_most_worn(kind.pool, kind.mode),
            false => self.superblocks.open(kind.pool, kind.mode),
        };
        let Some(superblock) = superblock else {
            panic!("no room for {id:?} in {kind:?}: {}", self.diagnosis());
        };
        self.superblocks.set_generation(superblock, id.generation());
        superblock
    }

    /// The stream that the next data of a write command belongs to: all that is admitted at
    /// once goes where its first unit does. A FUA write, of which one slot is filled up, stays
    /// together in the stream for the coldest, or, as any, in the one for its length.
    #[inline(always)]
    pub(in crate::sim) fn stream_of_admission(&self, command: u32, first: u32) -> StreamId {
        match self.writer.sorting.apart.as_deref() {
            None => StreamId::HOST,
            Some(Apart::Heat(heat)) if !self.commands.get(command).fua => self
                .stream_of_piece(command)
                .unwrap_or_else(|| StreamId::host(heat.stream_of(first))),
            Some(Apart::Heat(_)) => StreamId::HOST,
            Some(Apart::Bytes(from)) => self.stream_by_length(command, *from),
        }
    }

    /// The stream of a request in a drive in which those of `from` bytes on pass the cache by.
    #[inline(never)]
    fn stream_by_length(&self, command: u32, from: u64) -> StreamId {
        let entry = self.commands.get(command);
        if entry.len_bytes >= from || entry.past_cache {
            StreamId::PAST_CACHE
        } else {
            StreamId::HOST
        }
    }

    /// A request has come whose first unit may soon be sorted.
    #[inline(always)]
    pub(in crate::sim) fn expect_stream(&self, first: u64) {
        if let Some(Apart::Heat(heat)) = self.writer.sorting.apart.as_deref() {
            heat.expect(first as u32);
        }
    }

    /// A write is given up half way: what is on its way goes where it was promised a place.
    pub(in crate::sim) fn keep_stream(&mut self, command: u32) {
        if let Some(&Apart::Bytes(from)) = self.writer.sorting.apart.as_deref() {
            let past_cache = self.stream_by_length(command, from) == StreamId::PAST_CACHE;
            self.commands.get_mut(command).past_cache = past_cache;
        }
    }

    /// First unit of the data of a command that is admitted next.
    #[inline]
    pub(in crate::sim) fn next_unit(&self, command: u32) -> u32 {
        let entry = self.commands.get(command);
        ((entry.offset_bytes + entry.len_bytes - entry.to_admit) / UNIT_BYTES) as u32
    }

    /// So many units from `first` on have been admitted to a stream.
    #[inline(always)]
    pub(in crate::sim) fn note_admission(
        &mut self,
        command: u32,
        first: u32,
        units: u32,
        to: StreamId,
    ) {
        let sorting = &mut self.writer.sorting;
        let Some(Apart::Heat(heat)) = sorting.apart.as_deref_mut() else {
            return;
        };
        sorting.on_its_way.push_back((command, to));
        // What is written for the first time tells nothing of how often it will be.
        if self.mapping.lookup(first) != UNMAPPED {
            heat.overwritten(first, units);
        }
    }

    /// The stream that the data which has just arrived was admitted to.
    #[inline(always)]
    pub(in crate::sim) fn stream_of_arrival(&mut self, command: u32) -> StreamId {
        let sorting = &mut self.writer.sorting;
        match sorting.apart.as_deref() {
            None => return StreamId::HOST,
            Some(&Apart::Bytes(from)) => return self.stream_by_length(command, from),
            Some(Apart::Heat(_)) => {}
        }
        // Mostly data arrives in the order in which it was admitted.
        if let Some(&(first, stream)) = sorting.on_its_way.front()
            && first == command
        {
            sorting.on_its_way.pop_front();
            return stream;
        }
        let nth = sorting.on_its_way.iter().position(|&(c, _)| c == command);
        let entry = nth.and_then(|nth| sorting.on_its_way.remove(nth));
        entry.expect("what arrives was admitted").1
    }

    /// The stream that what is collected from a superblock goes to, or what is moved from it
    /// since it is less worn than others.
    pub(in crate::sim) fn stream_of_collected(&self, superblock: u32, levelled: bool) -> StreamId {
        let sorting = &self.writer.sorting;
        if let (true, Some(level)) = (levelled, sorting.level) {
            return level;
        }
        let oldest = sorting.collect_streams - 1;
        StreamId::collect(self.superblocks.generation(superblock).min(oldest))
    }
}

#[cfg(test)]
mod tests {
    use stend_base::{Device, Nanos, Op, Request, Rng, SimTime};

    use super::*;
    use crate::Model;
    use crate::sim::map::layout::Pool;
    use crate::spec::StreamsSpec;

    /// After a load of which nine of ten writes go to the first tenth of the data.
    fn skewed(host_streams: u32, collect_streams: u32) -> SimDrive {
        let model = Model::shipped("samsung-850-pro-256gb").expect("it is shipped");
        let mut spec = model.spec();
        (spec.main.rows, spec.main.superblocks) = (8, 200);
        spec.collect.policy = crate::spec::Policy::CostBenefit;
        spec.user_bytes = 150 * 8 * u64::from(spec.dies * spec.units_per_slot) * UNIT_BYTES;
        spec.streams = Some(StreamsSpec {
            host_streams,
            collect_streams,
            heat_group_units: 1,
            heat_window_percent: 400,
            classify: Nanos::ZERO,
        });
        let mut drive = SimDrive::new(&spec);
        let units = spec.user_bytes / UNIT_BYTES;
        let mut rng = Rng::stream(1, "skew");
        for n in 0..7 * units {
            let offset = match rng.ratio(9, 10) {
                _ if n < units => n,
                true => rng.below(units / 10),
                false => units / 10 + rng.below(units - units / 10),
            };
            drive.submit(Request {
                tag: 0,
                op: Op::Write,
                offset_bytes: offset * UNIT_BYTES,
                len_bytes: UNIT_BYTES,
                ..Request::default()
            });
            if n % 32 == 31 {
                while drive
                    .advance(SimTime::NEVER)
                    .is_some_and(|_| !drive.host_is_silent())
                {}
            }
        }
        drive
    }

    /// Of all pairs of valid units in a full superblock of this generation, the share in
    /// which both are hot or both are cold; and how many such superblocks there are.
    fn purity(drive: &SimDrive, generation: u8) -> (f64, u32) {
        let main = drive.env.layout.pool(Pool::Main);
        let units = drive.mapping.logical_units();
        let mut hot_and_all = vec![(0u64, 0u64); main.superblocks as usize];
        for unit in 0..units {
            let slot = drive.mapping.lookup(unit) >> drive.env.layout.unit_bits;
            let superblock = drive.env.layout.superblock_of_slot(slot);
            let of = &mut hot_and_all[(superblock - main.first_superblock) as usize];
            of.0 += u64::from(unit < units / 10);
            of.1 += 1;
        }
        let (mut alike, mut pairs, mut found) = (0, 0, 0);
        for (nth, (hot, all)) in hot_and_all.into_iter().enumerate() {
            let superblock = main.first_superblock + nth as u32;
            if drive.superblocks.is_closed(superblock)
                && drive.superblocks.generation(superblock) == generation
            {
                alike += hot * hot + (all - hot) * (all - hot);
                pairs += all * all;
                found += 1;
            }
        }
        (alike as f64 / pairs as f64, found)
    }

    #[test]
    fn hot_and_cold_data_of_the_host_lie_apart() {
        let (mixed, apart) = (purity(&skewed(1, 1), 0), purity(&skewed(2, 1), 0));
        println!("mixed {mixed:?}, apart {apart:?}");
        assert!(mixed.1 > 10 && apart.1 > 10);
        assert!(apart.0 > 0.97 && mixed.0 < 0.8, "{apart:?}, {mixed:?}");
    }

    #[test]
    fn the_survivors_of_a_generation_enter_the_next_up_to_the_last() {
        let drive = skewed(1, 3);
        let found = [0, 1, 2, 3, 4].map(|generation| purity(&drive, generation));
        println!("{found:?}");
        assert!(found[1].1 > 0 && found[2].1 > 0 && found[3].1 > 0);
        assert_eq!(found[4].1, 0);
        // What survives longer is colder.
        assert!(found[3].0 > 0.97 && found[3].0 > found[1].0, "{found:?}");
        let two = skewed(1, 1);
        assert_eq!([2, 3].map(|generation| purity(&two, generation).1), [0, 0]);
    }
}
