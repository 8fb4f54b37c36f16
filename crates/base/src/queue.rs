//! The event queue and its total order.
//!
//! Events are ordered by time, then by kind, then by index: what happens at one instant
//! depends on what it is, never on the order in which it was scheduled. Kinds are numbered
//! by their owner, which documents the reason for each place. The whole key is one integer,
//! so that no comparison can disagree:
//!
//! | bits | what |
//! |---|---|
//! | 127..64 | time, ns |
//! | 63..20 | kind |
//! | 19..0 | index: which die, channel, core … |

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::time::SimTime;

const INDEX_BITS: u32 = 20;

/// What happens, to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When.
    pub at: SimTime,
    /// The kind, below 16; it also ranks events of one instant.
    pub kind: u8,
    /// Which of the things of that kind, below 2^20.
    pub index: u32,
}

/// Pending events.
#[derive(Clone, Debug)]
pub struct EventQueue {
    heap: BinaryHeap<Reverse<u128>>,
    now: SimTime,
    popped: u64,
}

impl EventQueue {
    /// An empty queue at power-on, with room for `capacity` events.
    pub fn new(capacity: usize) -> EventQueue {
        EventQueue {
            heap: BinaryHeap::with_capacity(capacity),
            now: SimTime::ZERO,
            popped: 0,
        }
    }

    /// The present instant.
    #[inline]
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// How many events have been taken so far.
    pub fn taken(&self) -> u64 {
        self.popped
    }

    /// Adds an event.
    ///
    /// # Panics
    /// When `at` lies in the past.
    #[inline]
    pub fn schedule(&mut self, at: SimTime, kind: u8, index: u32) {
        assert!(at >= self.now, "an event was scheduled in the past");
        debug_assert!(kind < 16 && index < 1 << INDEX_BITS);
        let low = u64::from(kind) << INDEX_BITS | u64::from(index);
        self.heap
            .push(Reverse((u128::from(at.0) << 64) | u128::from(low)));
    }

    /// When the next event is due.
    #[inline]
    pub fn next_at(&self) -> Option<SimTime> {
        self.heap
            .peek()
            .map(|Reverse(key)| SimTime((key >> 64) as u64))
    }

    /// Takes the next event and moves the clock to it.
    #[inline]
    pub fn pop(&mut self) -> Option<Event> {
        let Reverse(key) = self.heap.pop()?;
        let at = SimTime((key >> 64) as u64);
        let low = key as u64;
        self.now = at;
        self.popped += 1;
        Some(Event {
            at,
            kind: (low >> INDEX_BITS) as u8,
            index: (low & ((1 << INDEX_BITS) - 1)) as u32,
        })
    }

    /// Moves the clock without an event.
    ///
    /// # Panics
    /// When `at` lies in the past, or behind a pending event.
    pub fn set_now(&mut self, at: SimTime) {
        assert!(at >= self.now, "the clock was turned back");
        assert!(
            self.next_at().is_none_or(|next| at <= next),
            "the clock would pass a pending event"
        );
        self.now = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_time_then_kind_then_index() {
        let mut queue = EventQueue::new(8);
        queue.schedule(SimTime(5), 2, 10);
        queue.schedule(SimTime(5), 1, 11);
        queue.schedule(SimTime(5), 1, 9);
        queue.schedule(SimTime(3), 7, 12);
        let order: Vec<u32> = std::iter::from_fn(|| queue.pop())
            .map(|e| e.index)
            .collect();
        assert_eq!(order, [12, 9, 11, 10]);
        assert_eq!(queue.now(), SimTime(5));
        assert_eq!(queue.taken(), 4);
    }

    #[test]
    #[should_panic(expected = "in the past")]
    fn the_past_is_closed() {
        let mut queue = EventQueue::new(1);
        queue.schedule(SimTime(5), 0, 0);
        queue.pop();
        queue.schedule(SimTime(4), 0, 0);
    }
}
