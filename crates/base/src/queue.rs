//! Event queue and its total order.
//!
//! Events are ordered by time, then by kind, then by index: the order of events at one instant
//! depends on the events themselves, never on the order in which they were scheduled. Kinds are
//! numbered by their owner, which documents the reason for each place.
//!
//! A drive is a fixed set of *sources* of events (dies, cores, a link, timers). Each source has at
//! most one pending event in a lane. An event is one integer, its key: the time, below it the
//! number of the source, below that the lane. Events therefore compare as integers, and no two
//! pending events are equal.
//!
//! Most delays are constants of the drive: reads of 60 µs end in the order in which they began. The
//! queue is therefore a few sorted lanes ([`Lane`]) that are merged as events are taken. The caller
//! that schedules an event names the lane in which it is likely to come last; insertion from the
//! end then mostly takes no step. The order in which events are taken does not depend on the lane.

use crate::time::SimTime;

/// Maximum number of kinds.
const KINDS: usize = 16;

/// Key that stands for no event: above the key of every event.
const NOTHING: u64 = u64::MAX;

/// Maximum number of sources of all kinds together.
const SOURCES_MAX: usize = 1 << 11;

/// Lane of an event: events that are added in nearly ascending order share a lane. The lane is
/// returned with the event, so that the receiver can branch on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Lane {
    /// A die has sensed a page.
    Sense = 0,
    /// A channel has moved the data of a read.
    Move = 1,
    /// A die has programmed, erased or copied.
    Work = 2,
    /// A core of the controller has ended a job.
    Core = 3,
    /// The host link has moved data.
    Link = 4,
    /// A request arrives.
    Arrival = 5,
    /// The host learns of a completion.
    Completion = 6,
    /// A timer runs out.
    Timer = 7,
}

impl Lane {
    /// Returns the lane of a key. The arms compute it as the lowest bits of the key, without a
    /// table.
    #[inline(always)]
    fn of(key: u64) -> Lane {
        match key as usize % LANES {
            0 => Lane::Sense,
            1 => Lane::Move,
            2 => Lane::Work,
            3 => Lane::Core,
            4 => Lane::Link,
            5 => Lane::Arrival,
            6 => Lane::Completion,
            _ => Lane::Timer,
        }
    }
}

const LANES: usize = 1 << LANE_BITS;

/// Number of lanes in a group; the queue keeps the least first key of each group.
const LANES_TOGETHER: usize = 4;

/// Number of bits of a key below the number of the source.
const LANE_BITS: u32 = 3;

/// Event that was taken from the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Instant of the event.
    pub at: SimTime,
    /// Lane in which the event was scheduled.
    pub lane: Lane,
    /// Number of the source among those of all kinds; it also ranks events of one instant.
    pub source: u32,
}

/// Instant up to which events are taken: see [`EventQueue::limit`].
#[derive(Clone, Copy, Debug)]
pub struct Limit(u64);

/// Sorted ring buffer of keys.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Sorted {
    /// One place for each source, rounded up to a power of two: a short ring stays in the
    /// processor's L1 cache.
    keys: Box<[u64]>,
    /// Running numbers of the first key and of the place after the last one.
    first: usize,
    end: usize,
}

impl Sorted {
    fn new(sources: usize) -> Sorted {
        Sorted {
            keys: vec![NOTHING; sources.next_power_of_two()].into_boxed_slice(),
            first: 0,
            end: 0,
        }
    }

    #[inline]
    fn at(&mut self, number: usize) -> &mut u64 {
        let place = number & (self.keys.len() - 1);
        &mut self.keys[place]
    }

    fn len(&self) -> usize {
        self.end.wrapping_sub(self.first)
    }

    /// Inserts a key, searching from the end.
    #[inline(never)]
    fn add(&mut self, key: u64) {
        debug_assert!(
            self.len() < self.keys.len(),
            "a source has two events in a lane"
        );
        let mut place = self.end;
        while place != self.first {
            let before = *self.at(place.wrapping_sub(1));
            if before <= key {
                break;
            }
            *self.at(place) = before;
            place = place.wrapping_sub(1);
        }
        *self.at(place) = key;
        self.end = self.end.wrapping_add(1);
    }

    /// Inserts a key before all others.
    #[inline(never)]
    fn add_first(&mut self, key: u64) {
        debug_assert!(
            self.len() < self.keys.len(),
            "a source has two events in a lane"
        );
        self.first = self.first.wrapping_sub(1);
        *self.at(self.first) = key;
    }

    /// Takes the first key; returns [`NOTHING`] if there is none.
    #[inline]
    fn take(&mut self) -> u64 {
        if self.first == self.end {
            return NOTHING;
        }
        let key = *self.at(self.first);
        self.first = self.first.wrapping_add(1);
        key
    }

    /// Removes the key for which `found` is true. Returns false if there is none.
    fn remove(&mut self, found: impl Fn(u64) -> bool) -> bool {
        let mut place = self.first;
        while place != self.end && !found(*self.at(place)) {
            place = place.wrapping_add(1);
        }
        if place == self.end {
            return false;
        }
        self.end = self.end.wrapping_sub(1);
        while place != self.end {
            *self.at(place) = *self.at(place.wrapping_add(1));
            place = place.wrapping_add(1);
        }
        true
    }
}

/// Key below all others.
const BEFORE: u64 = 0;

/// Pending events: at most one for each source in each lane.
///
/// The first key of a lane is kept outside of its ring, since many lanes hold no other. The least
/// of each group of four first keys is kept, so that taking an event compares four keys, not all.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct EventQueue {
    /// Key outside the lanes: see [`EventQueue::schedule_soon`].
    next_soon: u64,
    /// Least first key of each group of [`LANES_TOGETHER`] lanes.
    least: [u64; LANES / LANES_TOGETHER],
    /// Number of bits of a key below the time, and the mask of these bits.
    low_bits: u32,
    low_mask: u64,
    now: SimTime,
    /// First instant for which no event can be scheduled.
    end: SimTime,
    taken: u64,
    /// Key that was taken last. Every event with a key up to this one, or up to `passed`, has been
    /// taken, except those that were scheduled at the present instant itself.
    last: u64,
    passed: u64,
    /// First key of each lane, and the keys behind it.
    heads: [u64; LANES],
    lanes: [Sorted; LANES],
    /// Number of the first source of each kind.
    first_source: [u32; KINDS],
    kind_of_source: Vec<u8>,
}

impl EventQueue {
    /// Returns an empty queue at power-on. `sources[k]` is the number of sources of kind `k`.
    ///
    /// # Panics
    /// With more than 16 kinds or 2,048 sources.
    pub fn new(sources: &[u32]) -> EventQueue {
        assert!(sources.len() <= KINDS, "a queue has at most {KINDS} kinds");
        let mut first_source = [0; KINDS];
        let mut kind_of_source = Vec::new();
        for (kind, &number) in (0u8..).zip(sources) {
            first_source[usize::from(kind)] = kind_of_source.len() as u32;
            kind_of_source.extend(std::iter::repeat_n(kind, number as usize));
        }
        assert!(
            kind_of_source.len() <= SOURCES_MAX,
            "a queue has at most {SOURCES_MAX} sources"
        );
        let lane = Sorted::new(kind_of_source.len());
        let low_bits = LANE_BITS + kind_of_source.len().next_power_of_two().ilog2();
        EventQueue {
            next_soon: NOTHING,
            least: [NOTHING; LANES / LANES_TOGETHER],
            low_bits,
            low_mask: (1 << low_bits) - 1,
            now: SimTime::ZERO,
            end: SimTime(NOTHING >> low_bits),
            taken: 0,
            last: BEFORE,
            passed: BEFORE,
            heads: [NOTHING; LANES],
            lanes: std::array::from_fn(|_| lane.clone()),
            first_source,
            kind_of_source,
        }
    }

    /// Present instant.
    #[inline]
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// First instant that cannot be distinguished from "never": no event can be scheduled for it.
    pub fn end(&self) -> SimTime {
        self.end
    }

    /// Number of events taken so far.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Schedules an event of a source that has none in this lane.
    ///
    /// # Panics
    /// If `at` lies in the past, or beyond the end of virtual time ([`EventQueue::end`]): 2^55 ns
    /// (417 days) with up to 64 sources, 2^50 ns (13 days) with 2,048.
    #[inline]
    pub fn schedule(&mut self, lane: Lane, at: SimTime, kind: u8, index: u32) {
        let key = self.checked_key(lane, at, kind, index);
        self.add(lane as usize, key);
    }

    /// Schedules an event, as [`EventQueue::schedule`] does, at lower cost if it is taken before
    /// another is scheduled by this function.
    ///
    /// # Panics
    /// As [`EventQueue::schedule`].
    #[inline]
    pub fn schedule_soon(&mut self, lane: Lane, at: SimTime, kind: u8, index: u32) {
        let key = self.checked_key(lane, at, kind, index);
        if self.next_soon == NOTHING {
            self.next_soon = key;
        } else {
            self.add(lane as usize, key);
        }
    }

    #[inline]
    fn checked_key(&mut self, lane: Lane, at: SimTime, kind: u8, index: u32) -> u64 {
        if at <= self.now {
            self.note_passed(at);
        }
        assert!(
            at < self.end,
            "an event was scheduled beyond the end of virtual time"
        );
        self.key(lane, at, kind, index)
    }

    #[inline(always)]
    fn add(&mut self, lane: usize, key: u64) {
        let head = self.heads[lane];
        if key >= head {
            return self.lanes[lane].add(key);
        }
        self.heads[lane] = key;
        let least = &mut self.least[lane / LANES_TOGETHER];
        *least = key.min(*least);
        if head != NOTHING {
            self.lanes[lane].add_first(head);
        }
    }

    /// Least key of all.
    #[inline]
    fn first(&self) -> u64 {
        let [a, b] = self.least;
        self.next_soon.min(a.min(b))
    }

    /// Notes that an event is scheduled at the present instant: its key may lie below the last one
    /// taken.
    #[cold]
    fn note_passed(&mut self, at: SimTime) {
        assert!(at == self.now, "an event was scheduled in the past");
        self.passed = self.passed.max(self.last);
    }

    /// True if the event of a source would have been taken by now, had it been scheduled before the
    /// instant `at` began. An event that mostly has no effect therefore need not be scheduled until
    /// something depends on it.
    #[inline]
    pub fn has_passed(&self, lane: Lane, at: SimTime, kind: u8, index: u32) -> bool {
        self.key(lane, at, kind, index) <= self.passed.max(self.last)
    }

    #[inline]
    fn key(&self, lane: Lane, at: SimTime, kind: u8, index: u32) -> u64 {
        let source = self.first_source[usize::from(kind) % KINDS] + index;
        debug_assert_eq!(self.kind_of_source.get(source as usize), Some(&kind));
        at.0 << self.low_bits | u64::from(source) << LANE_BITS | lane as u64
    }

    /// Cancels all events of a source, if it has any.
    pub fn cancel(&mut self, kind: u8, index: u32) {
        let source = self.first_source[usize::from(kind)] + index;
        debug_assert_eq!(self.kind_of_source.get(source as usize), Some(&kind));
        let low = self.low_mask;
        let found = |key: u64| (key & low) >> LANE_BITS == u64::from(source);
        if self.next_soon != NOTHING && found(self.next_soon) {
            self.next_soon = NOTHING;
        }
        for lane in 0..LANES {
            self.remove_from(lane, found);
        }
    }

    /// Removes from a lane the key for which `found` is true. Returns false if there is none.
    fn remove_from(&mut self, lane: usize, found: impl Fn(u64) -> bool) -> bool {
        let head = self.heads[lane];
        if head != NOTHING && found(head) {
            self.take_from(lane);
            return true;
        }
        self.lanes[lane].remove(found)
    }

    /// Cancels all events; the clock does not change.
    pub fn clear(&mut self) {
        for (lane, head) in self.lanes.iter_mut().zip(&mut self.heads) {
            *lane = Sorted::new(self.kind_of_source.len());
            *head = NOTHING;
        }
        self.next_soon = NOTHING;
        self.least = [NOTHING; LANES / LANES_TOGETHER];
    }

    /// Cancels the event of a source in one lane.
    ///
    /// # Panics
    /// If the source has no event in that lane.
    pub fn cancel_in(&mut self, lane: Lane, kind: u8, index: u32) {
        let source = self.first_source[usize::from(kind)] + index;
        let low = self.low_mask;
        let low_key = u64::from(source) << LANE_BITS | lane as u64;
        if self.next_soon != NOTHING && self.next_soon & low == low_key {
            self.next_soon = NOTHING;
            return;
        }
        let found = self.remove_from(lane as usize, |key| key & low == low_key);
        assert!(found, "source {source} has no event in the lane {lane:?}");
    }

    /// Takes the first key of a lane.
    #[inline(always)]
    fn take_from(&mut self, lane: usize) {
        self.heads[lane] = self.lanes[lane].take();
        let group = lane / LANES_TOGETHER;
        let heads = &self.heads[group * LANES_TOGETHER..][..LANES_TOGETHER];
        self.least[group] = heads[0].min(heads[1]).min(heads[2].min(heads[3]));
    }

    /// Instant of the next event; [`SimTime::NEVER`] if there is none.
    #[inline]
    pub fn next_at(&self) -> SimTime {
        match self.first() {
            NOTHING => SimTime::NEVER,
            key => SimTime(key >> self.low_bits),
        }
    }

    /// Takes the next event and moves the clock to its instant.
    #[inline]
    pub fn pop(&mut self) -> Option<Event> {
        self.pop_by(self.limit(SimTime::NEVER))
    }

    /// Limit that [`EventQueue::pop_by`] needs for an instant: no event up to it has a greater key.
    #[inline]
    pub fn limit(&self, at: SimTime) -> Limit {
        let next = at.0.saturating_add(1).min(self.end.0);
        Limit((next << self.low_bits) - 1)
    }

    /// Takes the next event, as [`EventQueue::pop`] does, if it is due by an instant.
    #[inline(always)]
    pub fn pop_by(&mut self, limit: Limit) -> Option<Event> {
        let key = self.first();
        if key > limit.0 {
            return None;
        }
        let at = SimTime(key >> self.low_bits);
        self.now = at;
        self.taken += 1;
        self.last = key;
        let event = Event {
            at,
            lane: Lane::of(key),
            source: (key & self.low_mask) as u32 >> LANE_BITS,
        };
        if key == self.next_soon {
            self.next_soon = NOTHING;
            return Some(event);
        }
        // The lane is a constant in each arm: when this is inlined, the caller's match on it merges
        // with this one.
        match event.lane {
            Lane::Sense => self.take_from(0),
            Lane::Move => self.take_from(1),
            Lane::Work => self.take_from(2),
            Lane::Core => self.take_from(3),
            Lane::Link => self.take_from(4),
            Lane::Arrival => self.take_from(5),
            Lane::Completion => self.take_from(6),
            Lane::Timer => self.take_from(7),
        }
        Some(event)
    }

    /// Schedules the event of a source and takes it at once, if it comes before all others and
    /// after the present instant. Otherwise does nothing and returns false.
    #[inline]
    pub fn take_at_once(&mut self, lane: Lane, at: SimTime, kind: u8, index: u32) -> bool {
        let key = self.key(lane, at, kind, index);
        if key >= self.first() || at <= self.now || at >= self.end {
            return false;
        }
        self.now = at;
        self.taken += 1;
        self.last = key;
        true
    }

    /// Kind of a source, and its index among those of its kind.
    #[inline]
    pub fn kind_and_index(&self, source: u32) -> (u8, u32) {
        let kind = self.kind_of_source[source as usize];
        (kind, source - self.first_source[usize::from(kind) % KINDS])
    }

    /// Index of a source among those of its kind, which the caller knows.
    #[inline]
    pub fn index(&self, kind: u8, source: u32) -> u32 {
        debug_assert_eq!(self.kind_of_source.get(source as usize), Some(&kind));
        source - self.first_source[usize::from(kind) % KINDS]
    }

    /// Moves the clock without an event.
    ///
    /// # Panics
    /// If `at` lies in the past, or after a pending event.
    #[inline]
    pub fn set_now(&mut self, at: SimTime) {
        assert!(at >= self.now, "the clock was turned back");
        assert!(at <= self.next_at(), "the clock would pass a pending event");
        self.now = at;
        self.passed = self.passed.max(self.limit(at).0.min(self.first() - 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;
    use std::collections::BTreeMap;

    #[test]
    fn order_is_time_then_kind_then_index() {
        let mut queue = EventQueue::new(&[0, 12, 11, 0, 0, 0, 0, 13]);
        queue.schedule(Lane::Timer, SimTime(5), 2, 10);
        queue.schedule(Lane::Timer, SimTime(5), 1, 11);
        queue.schedule(Lane::Timer, SimTime(5), 1, 9);
        queue.schedule(Lane::Timer, SimTime(3), 7, 12);
        let order: Vec<u32> = std::iter::from_fn(|| {
            let event = queue.pop()?;
            Some(queue.kind_and_index(event.source).1)
        })
        .collect();
        assert_eq!(order, [12, 9, 11, 10]);
        assert_eq!(queue.now(), SimTime(5));
        assert_eq!(queue.taken(), 4);
        assert_eq!(queue.next_at(), SimTime::NEVER);
    }

    #[test]
    fn it_is_a_sorted_map() {
        for sources in [[1, 0, 0], [1, 1, 0], [3, 0, 4], [24, 3, 4], [200, 1, 16]] {
            let mut rng = Rng::stream(u64::from(sources[0]), "queue");
            let mut queue = EventQueue::new(&sources);
            let mut model = BTreeMap::new();
            for _ in 0..20_000 {
                let kind = rng.below(3) as u8;
                let number = u64::from(sources[usize::from(kind)]);
                if rng.ratio(1, 2) && number > 0 {
                    let index = rng.below(number) as u32;
                    let at = SimTime(queue.now().0 + rng.below(20));
                    model.retain(|&(_, k, i), ()| (k, i) != (kind, index));
                    model.insert((at, kind, index), ());
                    let lanes = [Lane::Sense, Lane::Completion, Lane::Work, Lane::Timer];
                    let lane = lanes[rng.below(4) as usize];
                    queue.cancel(kind, index);
                    match rng.ratio(1, 3) {
                        true => queue.schedule_soon(lane, at, kind, index),
                        false => queue.schedule(lane, at, kind, index),
                    }
                    if rng.ratio(1, 20) {
                        queue.cancel_in(lane, kind, index);
                        model.retain(|&(_, k, i), ()| (k, i) != (kind, index));
                    }
                } else {
                    let first = model.pop_first().map(|(key, ())| key);
                    let taken = queue.pop().map(|e| {
                        let (kind, index) = queue.kind_and_index(e.source);
                        (e.at, kind, index)
                    });
                    assert_eq!(taken, first);
                }
                if rng.ratio(1, 10) && number > 0 {
                    let index = rng.below(number) as u32;
                    model.retain(|&(_, k, i), ()| (k, i) != (kind, index));
                    queue.cancel(kind, index);
                }
                if rng.ratio(1, 20) && queue.next_at() < SimTime::NEVER {
                    let gap = queue.next_at().0 - queue.now().0;
                    queue.set_now(SimTime(queue.now().0 + rng.below(gap + 1)));
                }
                if rng.ratio(1, 3) {
                    let next = model.first_key_value().map(|(key, ())| key.0);
                    assert_eq!(queue.next_at(), next.unwrap_or(SimTime::NEVER));
                }
            }
        }
    }

    #[test]
    fn cleared_events_do_not_come_back() {
        let mut queue = EventQueue::new(&[3]);
        queue.schedule(Lane::Timer, SimTime(5), 0, 0);
        queue.schedule(Lane::Core, SimTime(6), 0, 1);
        queue.schedule_soon(Lane::Link, SimTime(6), 0, 2);
        queue.pop();
        queue.clear();
        assert_eq!(queue.pop(), None);
        assert_eq!((queue.now(), queue.taken()), (SimTime(5), 1));
        queue.schedule(Lane::Core, SimTime(7), 0, 1);
        assert_eq!(queue.pop().map(|e| e.at), Some(SimTime(7)));
    }

    /// `has_passed` is true for an unscheduled event if the queue would have taken it by now.
    #[test]
    fn an_event_that_would_have_been_taken_has_passed() {
        let mut rng = Rng::stream(1, "passed");
        for _ in 0..2_000 {
            let mut queue = EventQueue::new(&[4, 2]);
            let (at, index) = (SimTime(rng.below(4)), rng.below(4) as u32);
            let mut all = queue.clone();
            all.schedule(Lane::Sense, at, 0, index);
            for (kind, index) in [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1)] {
                let at = SimTime(rng.below(5));
                queue.schedule(Lane::Work, at, kind, index);
                all.schedule(Lane::Work, at, kind, index);
            }
            let mut taken = false;
            while let Some(event) = all.pop() {
                if event.lane == Lane::Sense {
                    taken = true;
                    continue;
                }
                queue.pop();
                assert_eq!(queue.has_passed(Lane::Sense, at, 0, index), taken);
                if event.lane == Lane::Work && rng.ratio(1, 4) {
                    // Its key may lie below that of the event just taken.
                    queue.schedule(Lane::Move, queue.now(), 0, 0);
                    all.schedule(Lane::Move, all.now(), 0, 0);
                }
            }
        }
        let mut queue = EventQueue::new(&[4]);
        queue.schedule(Lane::Work, SimTime(9), 0, 1);
        queue.set_now(SimTime(5));
        assert!(queue.has_passed(Lane::Sense, SimTime(5), 0, 3));
        assert!(!queue.has_passed(Lane::Sense, SimTime(6), 0, 0));
        queue.set_now(SimTime(9));
        assert!(queue.has_passed(Lane::Sense, SimTime(9), 0, 1));
        assert!(!queue.has_passed(Lane::Sense, SimTime(9), 0, 2));
    }

    /// Taking an event at once is equal to scheduling it and popping it next.
    #[test]
    fn taking_at_once_is_scheduling_and_taking() {
        let mut rng = Rng::stream(1, "at once");
        let mut taken = 0;
        for _ in 0..10_000 {
            let mut queue = EventQueue::new(&[3, 1, 3]);
            queue.schedule(Lane::Core, SimTime(2), 2, 2);
            queue.pop();
            for index in 0..3 {
                let at = SimTime(2 + rng.below(4));
                queue.schedule(Lane::Work, at, [0, 2][rng.below(2) as usize], index);
            }
            let mut plain = queue.clone();
            let at = SimTime(2 + rng.below(4));
            plain.schedule(Lane::Timer, at, 1, 0);
            let next = plain.clone().pop().map(|event| event.lane);
            let at_once = queue.take_at_once(Lane::Timer, at, 1, 0);
            assert_eq!(at_once, next == Some(Lane::Timer) && at > SimTime(2));
            if at_once {
                plain.pop();
                taken += 1;
            } else {
                queue.schedule(Lane::Timer, at, 1, 0);
            }
            assert_eq!((queue.now(), queue.taken()), (plain.now(), plain.taken()));
            for (at, index) in [(2, 0), (3, 1), (4, 2), (5, 0)] {
                let has_passed =
                    |queue: &EventQueue| queue.has_passed(Lane::Sense, SimTime(at), 0, index);
                assert_eq!(has_passed(&queue), has_passed(&plain));
            }
            while let Some(event) = plain.pop() {
                assert_eq!(queue.pop(), Some(event));
            }
            assert_eq!(queue.pop(), None);
        }
        assert!(taken > 500, "only {taken} were taken at once");
    }

    #[test]
    #[should_panic(expected = "in the past")]
    fn scheduling_in_the_past_panics() {
        let mut queue = EventQueue::new(&[1]);
        queue.schedule(Lane::Timer, SimTime(5), 0, 0);
        queue.pop();
        queue.schedule(Lane::Timer, SimTime(4), 0, 0);
    }

    #[test]
    #[should_panic(expected = "beyond the end of virtual time")]
    fn scheduling_beyond_the_end_of_time_panics() {
        EventQueue::new(&[2]).schedule(Lane::Timer, SimTime(u64::MAX / 2), 0, 0);
    }
}
