//! A mapping table that lies on flash, of which DRAM holds a part.
//!
//! The table is cut into segments, a map page each. A read, a collected slot or a folded
//! word line that needs a segment which is not at hand waits for its page to be read. What the
//! host writes enters the buffer without waiting, and is programmed when the segments of its
//! slot have come; a host that writes faster than that waits for room in the buffer. What
//! changed in a segment that has to go is written back: changed segments are gathered until
//! they fill a slot, which is then programmed. Map pages have blocks of their own, on all
//! dies in turn, and stand in SLC mode where the model says so; every block's worth of programs costs an erase.
//!
//! Source: Gupta et al., "DFTL", ASPLOS 2009. Simplified: the map's blocks are not collected
//! one by one, and its directory is always at hand.
//!
//! After a power cut ([`crate::Spec::power_loss`]) no segment is at hand; the start reads the
//! directory, which tells where each segment lies, instead of the table. Which segments are
//! durable follows from journal and checkpoints as without a map on flash: what is written
//! back to make room counts for time and wear alone.

use std::ops::Range;

use stend_base::Nanos;
use stend_nand::{Class, Work};

use crate::sim::controller::Job;
use crate::sim::map::divider::Divider;
use crate::sim::map::shape::Mode;
use crate::sim::{Purpose, SimDrive};
use crate::spec::{MapSpec, Spec, UNIT_BYTES};

/// Bytes of the directory for a segment: where it lies.
const DIRECTORY_BYTES: u64 = 4;

/// A job that waits for map pages.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Waiting {
    job: Job,
    core: u32,
    time: Nanos,
    left: u32,
}

/// Which segments are at hand, direct-mapped, and which of them have changed.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct MapCache {
    spec: MapSpec,
    segment_units: u32,
    by_segment: Divider,
    by_place: Divider,
    by_die: Divider,
    at_hand: Vec<u32>,
    changed: Vec<bool>,
    waiting: Vec<Waiting>,
    free: Vec<u32>,
    /// Changed segments gathered for the next program.
    gathered: u32,
    next_die: u32,
    /// Programs until the next erase.
    until_erase: u32,
}

impl MapCache {
    pub fn new(spec: &Spec) -> Option<Box<MapCache>> {
        let map = spec.map.clone()?;
        let places = spec.controller.map_segments as usize;
        Some(Box::new(MapCache {
            segment_units: spec.controller.map_segment_units,
            by_segment: Divider::new(spec.controller.map_segment_units),
            by_place: Divider::new(places as u32),
            by_die: Divider::new(spec.dies),
            at_hand: vec![u32::MAX; places],
            changed: vec![false; places],
            waiting: Vec::with_capacity(64),
            free: Vec::with_capacity(64),
            gathered: 0,
            next_die: 0,
            until_erase: map.programs_per_erase,
            spec: map,
        }))
    }

    /// No segment is at hand any more, and nobody waits for one. What had changed is in the
    /// journal, as far as it counts.
    pub fn power_cut(&mut self) {
        self.at_hand.fill(u32::MAX);
        self.changed.fill(false);
        self.waiting.clear();
        self.free.clear();
        self.gathered = 0;
    }

    fn add(&mut self, waiting: Waiting) -> u32 {
        if let Some(index) = self.free.pop() {
            self.waiting[index as usize] = waiting;
            return index;
        }
        self.waiting.push(waiting);
        (self.waiting.len() - 1) as u32
    }

    /// Notes that a job looks at the segment of a unit, if it is at hand; whether it is.
    #[inline]
    fn touch_at_hand(&mut self, unit: u32, change: bool) -> bool {
        let (segment, _) = self.by_segment.divide(unit);
        let place = self.by_place.divide(segment).1 as usize;
        let at_hand = self.at_hand[place] == segment;
        self.changed[place] |= change && at_hand;
        at_hand
    }

    /// Brings the segment of a unit to hand: whether it was not, and whether a changed one
    /// had to go for it.
    fn touch(&mut self, unit: u32, change: bool) -> (bool, bool) {
        let (segment, _) = self.by_segment.divide(unit);
        let place = self.by_place.divide(segment).1 as usize;
        let missed = self.at_hand[place] != segment;
        let evicted = missed && self.changed[place];
        self.at_hand[place] = segment;
        self.changed[place] = change || self.changed[place] && !missed;
        (missed, evicted)
    }
}

/// Of some units, the first in each segment of `step`.
#[inline]
fn one_of_each_segment(units: Range<u32>, step: u32) -> impl Iterator<Item = u32> {
    let next = move |unit: &u32| match units.end - unit {
        // Most are alone: no division for them.
        1 => None,
        _ => Some((unit / step + 1) * step).filter(|next| *next < units.end),
    };
    let first = (units.start < units.end).then_some(units.start);
    std::iter::successors(first, next)
}

/// Pages that hold the directory of a table of so many units.
pub(in crate::sim) fn directory_pages(spec: &Spec, units: u32) -> u32 {
    let segments = units.div_ceil(spec.controller.map_segment_units);
    let page = u64::from(spec.units_per_slot) * UNIT_BYTES;
    (u64::from(segments) * DIRECTORY_BYTES).div_ceil(page) as u32
}

impl SimDrive {
    /// Gives a core a job that looks at the segments of the units `first..end`.
    #[inline(always)]
    pub(in crate::sim) fn submit_mapped(
        &mut self,
        core: u32,
        job: Job,
        time: Nanos,
        units: Range<u32>,
        change: bool,
    ) {
        if self.map_cache.is_none() {
            self.controller.submit(&mut self.env.queue, core, job, time);
            return;
        }
        self.submit_with_map(core, job, time, units, change);
    }

    #[inline(never)]
    fn submit_with_map(
        &mut self,
        core: u32,
        job: Job,
        time: Nanos,
        units: Range<u32>,
        change: bool,
    ) {
        let map = self.map_cache.as_mut().expect("the map lies on flash");
        if units.len() == 1 && map.touch_at_hand(units.start, change) {
            self.controller.submit(&mut self.env.queue, core, job, time);
            return;
        }
        let step = map.segment_units;
        let waiting = self.wait_for_map(core, job, time);
        for unit in one_of_each_segment(units, step) {
            self.want_segment(waiting, unit, change, Class::HostRead);
        }
        self.map_wanted(waiting);
    }

    /// Units have been written to a slot that is being filled, which changes their segments; it
    /// is not programmed before those have come that are not at hand.
    #[inline(never)]
    pub(in crate::sim) fn looks_up_for(&mut self, filling: u32, units: Range<u32>) {
        let map = self.map_cache.as_ref().expect("the map lies on flash");
        for unit in one_of_each_segment(units, map.segment_units) {
            let map = self.map_cache.as_mut().expect("the map lies on flash");
            let (missed, evicted) = map.touch(unit, true);
            if missed {
                self.writer.waits_for_read(filling);
                self.read_segment(unit, Class::HostRead, Purpose::Merge { filling });
            }
            if evicted {
                self.write_back();
            }
        }
    }

    /// The same for a job that moves the units of a slot.
    #[inline(always)]
    pub(in crate::sim) fn submit_moves(&mut self, core: u32, job: Job, time: Nanos, slots: &[u32]) {
        if self.map_cache.is_none() {
            self.controller.submit(&mut self.env.queue, core, job, time);
            return;
        }
        self.submit_moves_with_map(core, job, time, slots);
    }

    #[inline(never)]
    fn submit_moves_with_map(&mut self, core: u32, job: Job, time: Nanos, slots: &[u32]) {
        if self.moves_at_hand(slots) {
            self.controller.submit(&mut self.env.queue, core, job, time);
            return;
        }
        let waiting = self.wait_for_map(core, job, time);
        for &slot in slots {
            let mut left = self.mapping.valid_bits(slot);
            while left != 0 {
                let physical = (slot << self.env.layout.unit_bits) + left.trailing_zeros();
                let unit = self.mapping.logical_of(physical);
                self.want_segment(waiting, unit, true, Class::Background);
                left &= left - 1;
            }
        }
        self.map_wanted(waiting);
    }

    /// Notes that a job moves the units of slots, as far as their segments are at hand; whether
    /// all are.
    fn moves_at_hand(&mut self, slots: &[u32]) -> bool {
        let map = self.map_cache.as_mut().expect("the map lies on flash");
        for &slot in slots {
            let mut left = self.mapping.valid_bits(slot);
            while left != 0 {
                let physical = (slot << self.env.layout.unit_bits) + left.trailing_zeros();
                if !map.touch_at_hand(self.mapping.logical_of(physical), true) {
                    return false;
                }
                left &= left - 1;
            }
        }
        true
    }

    fn wait_for_map(&mut self, core: u32, job: Job, time: Nanos) -> u32 {
        let map = self.map_cache.as_mut().expect("the map lies on flash");
        // One more than there are pages, until all are asked for.
        map.add(Waiting {
            job,
            core,
            time,
            left: 1,
        })
    }

    fn want_segment(&mut self, waiting: u32, unit: u32, change: bool, class: Class) {
        let map = self.map_cache.as_mut().expect("the map lies on flash");
        let (missed, evicted) = map.touch(unit, change);
        if !missed {
            return;
        }
        map.waiting[waiting as usize].left += 1;
        self.read_segment(unit, class, Purpose::MapRead { waiting });
        if evicted {
            self.write_back();
        }
    }

    /// Reads the map page of a unit.
    fn read_segment(&mut self, unit: u32, class: Class, purpose: Purpose) {
        let map = self.map_cache.as_ref().expect("the map lies on flash");
        let (segment, _) = map.by_segment.divide(unit);
        let (_, die) = map.by_die.divide(segment);
        let work = Work::Read {
            sense: map.spec.read,
            bytes: UNIT_BYTES as u32,
        };
        self.env.counters.map_misses += 1;
        self.env.counters.reads_of(Mode::Slc);
        self.array
            .submit(&mut self.env.queue, die, class, work, purpose.pack());
    }

    /// A changed segment goes to flash; a slot of them is programmed.
    fn write_back(&mut self) {
        let per_slot = self.env.spec.units_per_slot;
        let map = self.map_cache.as_mut().expect("the map lies on flash");
        map.gathered += 1;
        if map.gathered < per_slot {
            return;
        }
        map.gathered = 0;
        let die = map.next_die;
        map.next_die = match die + 1 == self.env.spec.dies {
            true => 0,
            false => die + 1,
        };
        map.until_erase -= 1;
        let erase = map.until_erase == 0;
        if erase {
            map.until_erase = map.spec.programs_per_erase;
        }
        let (program, erase_time) = (map.spec.program, map.spec.erase);
        self.env.counters.map_programs += 1;
        self.env.counters.programs_of(Mode::Slc);
        let work = Work::Program {
            program,
            bytes: per_slot * UNIT_BYTES as u32,
        };
        let cookie = Purpose::MapWritten.pack();
        self.array
            .submit(&mut self.env.queue, die, Class::Background, work, cookie);
        if erase {
            self.env.counters.map_erases += 1;
            self.env.counters.erases += 1;
            self.env.counters.slc_erases += 1;
            let work = Work::Erase { erase: erase_time };
            self.array
                .submit(&mut self.env.queue, die, Class::Background, work, cookie);
        }
    }

    /// A map page has come.
    pub(in crate::sim) fn map_read(&mut self, waiting: u32) {
        self.map_wanted(waiting);
    }

    /// One less to wait for; at the last the job goes to its core.
    fn map_wanted(&mut self, waiting: u32) {
        let map = self.map_cache.as_mut().expect("the map lies on flash");
        let entry = &mut map.waiting[waiting as usize];
        entry.left -= 1;
        if entry.left > 0 {
            return;
        }
        let Waiting {
            job, core, time, ..
        } = *entry;
        map.free.push(waiting);
        self.controller.submit(&mut self.env.queue, core, job, time);
    }
}
