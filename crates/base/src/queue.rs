//! The event queue and its total order.
//!
//! Events are ordered by time, then by kind, then by index: what happens at one instant
//! depends on what it is, never on the order in which it was scheduled. Kinds are numbered
//! by their owner, which documents the reason for each place.
//!
//! A drive is a fixed set of things (dies, cores, a link, timers), each of which awaits at
//! most one event in a lane. An event is one integer, time above the number of its thing above its
//! lane, so that no comparison can disagree.
//!
//! Most delays are constants of the drive: what senses for 60 µs ends in the order in
//! which it began. So the queue is a few sorted lanes ([`Lane`]), merged as they are
//! taken from. Whoever schedules says in which lane an event is likely to come last; there
//! it is put in its place from the end, mostly without a step. The order in which events
//! are taken does not depend on the lane.

use crate::time::SimTime;

/// The kinds that a queue can tell apart.
const KINDS: usize = 16;

/// No event: later than every event.
const NOTHING: u64 = u64::MAX;

/// Most things of all kinds together.
const THINGS_MAX: usize = 1 << 11;

/// Where an event is put: events that are added in nearly ascending order share a lane.
/// It comes back with the event, so that what is to be done can be told by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Lane {
    /// A die has sensed.
    Sense = 0,
    /// The data of a read has been moved.
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
    const ALL: [Lane; LANES] = [
        Lane::Sense,
        Lane::Move,
        Lane::Work,
        Lane::Core,
        Lane::Link,
        Lane::Arrival,
        Lane::Completion,
        Lane::Timer,
    ];
}

const LANES: usize = 1 << LANE_BITS;

/// Lanes of which the least key is known.
const LANES_TOGETHER: usize = 4;

/// Bits of a key below the thing.
const LANE_BITS: u32 = 3;

/// What happens, to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When.
    pub at: SimTime,
    /// The lane in which it was scheduled.
    pub lane: Lane,
    /// Number of the thing, all kinds counted through; it also ranks events of one instant.
    pub thing: u32,
}

/// A sorted ring of keys.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Sorted {
    /// As many as there are things, rounded up to a power of two: a ring no longer than it must
    /// be stays in the fastest memory.
    keys: Box<[u64]>,
    /// Running numbers of the first key, and of the one after the last.
    first: usize,
    end: usize,
}

impl Sorted {
    fn new(things: usize) -> Sorted {
        Sorted {
            keys: vec![NOTHING; things.next_power_of_two()].into_boxed_slice(),
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

    /// Puts a key in its place, from the end.
    #[inline]
    fn add(&mut self, key: u64) {
        debug_assert!(self.len() < self.keys.len(), "a thing awaits two events");
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

    /// Puts a key before all others.
    #[inline]
    fn add_first(&mut self, key: u64) {
        debug_assert!(self.len() < self.keys.len(), "a thing awaits two events");
        self.first = self.first.wrapping_sub(1);
        *self.at(self.first) = key;
    }

    /// Takes the first key; [`NOTHING`] without one.
    #[inline]
    fn take(&mut self) -> u64 {
        if self.first == self.end {
            return NOTHING;
        }
        let key = *self.at(self.first);
        self.first = self.first.wrapping_add(1);
        key
    }

    /// Takes a key out of which `found` is true. False if there is none.
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

/// The key before all others.
const BEFORE: u64 = 0;

/// Pending events: at most one for each thing in each lane.
///
/// The first key of a lane stands outside of its ring: many lanes hold no other. The least of
/// four first keys is kept, so that taking one looks at four and not at all.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct EventQueue {
    /// A key outside the lanes: see [`EventQueue::schedule_soon`].
    in_hand: u64,
    /// The least of the first keys of the lanes, by [`LANES_TOGETHER`].
    least: [u64; LANES / LANES_TOGETHER],
    /// Bits of a key below the time.
    low_bits: u32,
    now: SimTime,
    taken: u64,
    /// The key that was taken last. No event with a key up to this one, or up to `passed`, is
    /// still to come, but for those that are scheduled at the present instant itself.
    last: u64,
    passed: u64,
    /// The first key of each lane, and those behind it.
    heads: [u64; LANES],
    lanes: [Sorted; LANES],
    /// Number of the first thing of each kind.
    first_thing: [u32; KINDS],
    kind_of_thing: Vec<u8>,
}

impl EventQueue {
    /// An empty queue at power-on. `things[k]` is how many things of kind `k` there are.
    ///
    /// # Panics
    /// When there are more than 16 kinds or 2,048 things.
    pub fn new(things: &[u32]) -> EventQueue {
        assert!(things.len() <= KINDS, "a queue has at most {KINDS} kinds");
        let mut first_thing = [0; KINDS];
        let mut kind_of_thing = Vec::new();
        for (kind, &number) in (0u8..).zip(things) {
            first_thing[usize::from(kind)] = kind_of_thing.len() as u32;
            kind_of_thing.extend(std::iter::repeat_n(kind, number as usize));
        }
        assert!(
            kind_of_thing.len() <= THINGS_MAX,
            "a queue has at most {THINGS_MAX} things"
        );
        let lane = Sorted::new(kind_of_thing.len());
        EventQueue {
            in_hand: NOTHING,
            least: [NOTHING; LANES / LANES_TOGETHER],
            low_bits: LANE_BITS + kind_of_thing.len().next_power_of_two().ilog2(),
            now: SimTime::ZERO,
            taken: 0,
            last: BEFORE,
            passed: BEFORE,
            heads: [NOTHING; LANES],
            lanes: std::array::from_fn(|_| lane.clone()),
            first_thing,
            kind_of_thing,
        }
    }

    /// The present instant.
    #[inline]
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// How many events have been taken so far.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Adds the event of a thing, which must not have one in this lane.
    ///
    /// # Panics
    /// When `at` lies in the past, or too far in the future to be told from other events:
    /// beyond 2^55 ns (417 days) with up to 64 things, 2^50 ns (13 days) with 2,048.
    #[inline]
    pub fn schedule(&mut self, lane: Lane, at: SimTime, kind: u8, index: u32) {
        let key = self.checked_key(lane, at, kind, index);
        self.add(lane as usize, key);
    }

    /// The same for an event that is likely to be taken before any other is scheduled in this
    /// way: it costs less, then.
    ///
    /// # Panics
    /// As [`EventQueue::schedule`].
    #[inline]
    pub fn schedule_soon(&mut self, lane: Lane, at: SimTime, kind: u8, index: u32) {
        let key = self.checked_key(lane, at, kind, index);
        if self.in_hand == NOTHING {
            self.in_hand = key;
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
            at.0 < NOTHING >> self.low_bits,
            "an event was scheduled beyond the end of virtual time"
        );
        self.key(lane, at, kind, index)
    }

    #[inline]
    fn add(&mut self, lane: usize, key: u64) {
        let least = &mut self.least[lane / LANES_TOGETHER];
        *least = key.min(*least);
        let head = self.heads[lane];
        if key >= head {
            return self.lanes[lane].add(key);
        }
        self.heads[lane] = key;
        if head != NOTHING {
            self.lanes[lane].add_first(head);
        }
    }

    /// The first key of all.
    #[inline]
    fn first(&self) -> u64 {
        let [a, b] = self.least;
        self.in_hand.min(a.min(b))
    }

    /// An event is scheduled at the present instant: it may come before what was taken there.
    #[cold]
    fn note_passed(&mut self, at: SimTime) {
        assert!(at == self.now, "an event was scheduled in the past");
        self.passed = self.passed.max(self.last);
    }

    /// Whether the event of a thing would have been taken by now, had it been scheduled before
    /// the instant `at` began: so an event that mostly finds nothing to do need not be
    /// scheduled until something is known to await it.
    #[inline]
    pub fn has_passed(&self, lane: Lane, at: SimTime, kind: u8, index: u32) -> bool {
        self.key(lane, at, kind, index) <= self.passed.max(self.last)
    }

    #[inline]
    fn key(&self, lane: Lane, at: SimTime, kind: u8, index: u32) -> u64 {
        let thing = self.first_thing[usize::from(kind) % KINDS] + index;
        debug_assert_eq!(self.kind_of_thing.get(thing as usize), Some(&kind));
        at.0 << self.low_bits | u64::from(thing) << LANE_BITS | lane as u64
    }

    /// Takes the events of a thing away, if it has any.
    pub fn cancel(&mut self, kind: u8, index: u32) {
        let thing = self.first_thing[usize::from(kind)] + index;
        debug_assert_eq!(self.kind_of_thing.get(thing as usize), Some(&kind));
        let things = (1 << self.low_bits) - 1;
        let found = |key: u64| (key & things) >> LANE_BITS == u64::from(thing);
        if self.in_hand != NOTHING && found(self.in_hand) {
            self.in_hand = NOTHING;
        }
        for lane in 0..LANES {
            self.remove_from(lane, found);
        }
    }

    /// Takes a key out of a lane of which `found` is true. False if there is none.
    fn remove_from(&mut self, lane: usize, found: impl Fn(u64) -> bool) -> bool {
        let head = self.heads[lane];
        if head != NOTHING && found(head) {
            self.take_from(lane);
            return true;
        }
        self.lanes[lane].remove(found)
    }

    /// Takes all events away; the clock stays.
    pub fn clear(&mut self) {
        for (lane, head) in self.lanes.iter_mut().zip(&mut self.heads) {
            *lane = Sorted::new(self.kind_of_thing.len());
            *head = NOTHING;
        }
        self.in_hand = NOTHING;
        self.least = [NOTHING; LANES / LANES_TOGETHER];
    }

    /// Takes the event of a thing out of one lane, where it must be.
    ///
    /// # Panics
    /// When the thing has no event in that lane.
    pub fn cancel_in(&mut self, lane: Lane, kind: u8, index: u32) {
        let thing = self.first_thing[usize::from(kind)] + index;
        let things = (1 << self.low_bits) - 1;
        let name = u64::from(thing) << LANE_BITS | lane as u64;
        if self.in_hand != NOTHING && self.in_hand & things == name {
            self.in_hand = NOTHING;
            return;
        }
        let found = self.remove_from(lane as usize, |key| key & things == name);
        assert!(found, "there is no event of {thing} in the lane {lane:?}");
    }

    /// Takes the first key of a lane.
    #[inline(always)]
    fn take_from(&mut self, lane: usize) {
        self.heads[lane] = self.lanes[lane].take();
        let group = lane / LANES_TOGETHER;
        let of = &self.heads[group * LANES_TOGETHER..][..LANES_TOGETHER];
        self.least[group] = of[0].min(of[1]).min(of[2].min(of[3]));
    }

    /// When the next event is due; [`SimTime::NEVER`] without one.
    #[inline]
    pub fn next_at(&self) -> SimTime {
        match self.first() {
            NOTHING => SimTime::NEVER,
            key => SimTime(key >> self.low_bits),
        }
    }

    /// Takes the next event and moves the clock to it.
    #[inline]
    pub fn pop(&mut self) -> Option<Event> {
        self.pop_by(SimTime::NEVER)
    }

    /// The same, if it is due by `limit`.
    #[inline(always)]
    pub fn pop_by(&mut self, limit: SimTime) -> Option<Event> {
        let key = self.first();
        if key == NOTHING || key >> self.low_bits > limit.0 {
            return None;
        }
        let at = SimTime(key >> self.low_bits);
        self.now = at;
        self.taken += 1;
        self.last = key;
        let lane = key as usize % LANES;
        let event = Event {
            at,
            lane: Lane::ALL[lane],
            thing: (key as u32 & ((1 << self.low_bits) - 1)) >> LANE_BITS,
        };
        if key == self.in_hand {
            self.in_hand = NOTHING;
            return Some(event);
        }
        // With the number of the lane in place: who branches on the lane next does so here.
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

    /// Schedules the event of a thing and takes it, where it is the next of all and comes later
    /// than the present instant; false, and nothing has happened, where it is not or does not.
    #[inline]
    pub fn take_at_once(&mut self, lane: Lane, at: SimTime, kind: u8, index: u32) -> bool {
        let key = self.key(lane, at, kind, index);
        if key >= self.first() || at <= self.now || at.0 >= NOTHING >> self.low_bits {
            return false;
        }
        self.now = at;
        self.taken += 1;
        self.last = key;
        true
    }

    /// Kind of a thing, and its number among those of its kind.
    #[inline]
    pub fn kind_and_index(&self, thing: u32) -> (u8, u32) {
        let kind = self.kind_of_thing[thing as usize];
        (kind, thing - self.first_thing[usize::from(kind) % KINDS])
    }

    /// Number of a thing among those of its kind, which is known.
    #[inline]
    pub fn index(&self, kind: u8, thing: u32) -> u32 {
        debug_assert_eq!(self.kind_of_thing.get(thing as usize), Some(&kind));
        thing - self.first_thing[usize::from(kind) % KINDS]
    }

    /// Moves the clock without an event.
    ///
    /// # Panics
    /// When `at` lies in the past, or behind a pending event.
    #[inline]
    pub fn set_now(&mut self, at: SimTime) {
        assert!(at >= self.now, "the clock was turned back");
        assert!(at <= self.next_at(), "the clock would pass a pending event");
        self.now = at;
        let next_instant = at.0.saturating_add(1).min(NOTHING >> self.low_bits) << self.low_bits;
        self.passed = self.passed.max(self.first().min(next_instant) - 1);
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
            Some(queue.kind_and_index(event.thing).1)
        })
        .collect();
        assert_eq!(order, [12, 9, 11, 10]);
        assert_eq!(queue.now(), SimTime(5));
        assert_eq!(queue.taken(), 4);
        assert_eq!(queue.next_at(), SimTime::NEVER);
    }

    #[test]
    fn it_is_a_sorted_map() {
        for things in [[1, 0, 0], [1, 1, 0], [3, 0, 4], [24, 3, 4], [200, 1, 16]] {
            let mut rng = Rng::stream(u64::from(things[0]), "queue");
            let mut queue = EventQueue::new(&things);
            let mut model = BTreeMap::new();
            for _ in 0..20_000 {
                let kind = rng.below(3) as u8;
                let number = u64::from(things[usize::from(kind)]);
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
                        let (kind, index) = queue.kind_and_index(e.thing);
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
    fn what_was_cleared_does_not_come_back() {
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

    /// An event that is not scheduled has passed when it would have been taken, had it been.
    #[test]
    fn what_would_have_been_taken_has_passed() {
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
                    // It comes before what was taken at this instant, and after it.
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

    /// What is taken at once is as if it had been scheduled and had come next.
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
    fn the_past_is_closed() {
        let mut queue = EventQueue::new(&[1]);
        queue.schedule(Lane::Timer, SimTime(5), 0, 0);
        queue.pop();
        queue.schedule(Lane::Timer, SimTime(4), 0, 0);
    }

    #[test]
    #[should_panic(expected = "beyond the end of virtual time")]
    fn the_end_of_time_is_closed() {
        EventQueue::new(&[2]).schedule(Lane::Timer, SimTime(u64::MAX / 2), 0, 0);
    }
}
