//! The event queue and its total order.
//!
//! Events are ordered by time, then by kind, then by index: what happens at one instant
//! depends on what it is, never on the order in which it was scheduled. Kinds are numbered
//! by their owner, which documents the reason for each place.
//!
//! A drive is a fixed set of things (dies, cores, a link, timers), each of which awaits at
//! most one event. So the queue is a tournament: a binary tree with one leaf for each
//! thing, in which every node holds the earlier of its children. Whatever is scheduled,
//! the same few nodes are rewritten, without a branch that could be mispredicted. An
//! event is one integer, time above leaf number, so that no comparison can disagree.

use crate::time::SimTime;

/// The kinds that a queue can tell apart.
const KINDS: usize = 16;

/// No event: later than every event.
const NOTHING: u64 = u64::MAX;

/// No leaf.
const NONE: u32 = u32::MAX;

/// What happens, to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When.
    pub at: SimTime,
    /// The kind; it also ranks events of one instant.
    pub kind: u8,
    /// Which of the things of that kind.
    pub index: u32,
}

/// Pending events: at most one for each thing.
#[derive(Clone, Debug)]
pub struct EventQueue {
    /// Node 1 is the root, node `i` the earlier of nodes `2i` and `2i + 1`, the leaves are
    /// the second half.
    tree: Vec<u64>,
    leaf_bits: u32,
    /// The leaf of the first thing of each kind.
    first_leaf: [u32; KINDS],
    kind_of_leaf: Vec<u8>,
    /// The leaf whose event was taken and which still stands in the tree: mostly the same
    /// thing is scheduled next, and then one way up the tree is enough.
    taken_leaf: u32,
    now: SimTime,
    taken: u64,
}

impl EventQueue {
    /// An empty queue at power-on. `things[k]` is how many things of kind `k` there are.
    ///
    /// # Panics
    /// When there are more than 16 kinds or 2^20 things.
    pub fn new(things: &[u32]) -> EventQueue {
        assert!(things.len() <= KINDS, "a queue has at most {KINDS} kinds");
        let mut first_leaf = [0; KINDS];
        let mut kind_of_leaf = Vec::new();
        for (kind, &number) in (0u8..).zip(things) {
            first_leaf[usize::from(kind)] = kind_of_leaf.len() as u32;
            kind_of_leaf.extend(std::iter::repeat_n(kind, number as usize));
        }
        // A tree of one leaf has no root of its own.
        let leaves = kind_of_leaf.len().max(2);
        assert!(leaves <= 1 << 20, "a queue has at most 2^20 things");
        EventQueue {
            tree: vec![NOTHING; 2 * leaves],
            leaf_bits: (leaves - 1).ilog2() + 1,
            first_leaf,
            kind_of_leaf,
            taken_leaf: NONE,
            now: SimTime::ZERO,
            taken: 0,
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

    /// Sets the event of a thing, in place of the one it may have.
    ///
    /// # Panics
    /// When `at` lies in the past, or too far in the future to be told from other events:
    /// beyond 2^44 ns (4.8 hours) with 2^20 things, 2^58 ns (9 years) with 64.
    #[inline]
    pub fn schedule(&mut self, at: SimTime, kind: u8, index: u32) {
        assert!(at >= self.now, "an event was scheduled in the past");
        assert!(
            at.0 < NOTHING >> self.leaf_bits,
            "an event was scheduled beyond the end of virtual time"
        );
        let leaf = self.first_leaf[usize::from(kind)] + index;
        debug_assert_eq!(self.kind_of_leaf.get(leaf as usize), Some(&kind));
        if leaf == self.taken_leaf {
            self.taken_leaf = NONE;
        }
        self.set(leaf, at.0 << self.leaf_bits | u64::from(leaf));
    }

    /// Takes the event of a thing away, if it has one.
    pub fn cancel(&mut self, kind: u8, index: u32) {
        let leaf = self.first_leaf[usize::from(kind)] + index;
        debug_assert_eq!(self.kind_of_leaf.get(leaf as usize), Some(&kind));
        if leaf == self.taken_leaf {
            self.taken_leaf = NONE;
        }
        self.set(leaf, NOTHING);
    }

    /// Writes a leaf and the nodes above it.
    #[inline]
    fn set(&mut self, leaf: u32, key: u64) {
        let mut node = self.tree.len() / 2 + leaf as usize;
        let mut least = key;
        self.tree[node] = least;
        while node > 1 {
            least = least.min(self.tree[node ^ 1]);
            node /= 2;
            self.tree[node] = least;
        }
    }

    /// When the next event is due.
    #[inline]
    pub fn next_at(&mut self) -> SimTime {
        self.clear_taken();
        match self.tree[1] {
            NOTHING => SimTime::NEVER,
            key => SimTime(key >> self.leaf_bits),
        }
    }

    #[inline]
    fn clear_taken(&mut self) {
        if self.taken_leaf != NONE {
            let leaf = std::mem::replace(&mut self.taken_leaf, NONE);
            self.set(leaf, NOTHING);
        }
    }

    /// Takes the next event and moves the clock to it.
    #[inline]
    pub fn pop(&mut self) -> Option<Event> {
        self.clear_taken();
        let key = self.tree[1];
        if key == NOTHING {
            return None;
        }
        let leaf = (key & ((1 << self.leaf_bits) - 1)) as u32;
        let kind = self.kind_of_leaf[leaf as usize];
        let at = SimTime(key >> self.leaf_bits);
        self.taken_leaf = leaf;
        self.now = at;
        self.taken += 1;
        Some(Event {
            at,
            kind,
            index: leaf - self.first_leaf[usize::from(kind)],
        })
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
                    queue.schedule(at, kind, index);
                } else {
                    let first = model.pop_first().map(|(key, ())| key);
                    assert_eq!(queue.pop().map(|e| (e.at, e.kind, e.index)), first);
                }
                if rng.ratio(1, 10) && number > 0 {
                    let index = rng.below(number) as u32;
                    model.retain(|&(_, k, i), ()| (k, i) != (kind, index));
                    queue.cancel(kind, index);
                }
                if rng.ratio(1, 3) {
                    let next = model.first_key_value().map(|(key, ())| key.0);
                    assert_eq!(queue.next_at(), next.unwrap_or(SimTime::NEVER));
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "in the past")]
    fn the_past_is_closed() {
        let mut queue = EventQueue::new(&[1]);
        queue.schedule(SimTime(5), 0, 0);
        queue.pop();
        queue.schedule(SimTime(4), 0, 0);
    }

    #[test]
    #[should_panic(expected = "beyond the end of virtual time")]
    fn the_end_of_time_is_closed() {
        EventQueue::new(&[2]).schedule(SimTime(u64::MAX / 2), 0, 0);
    }
}
