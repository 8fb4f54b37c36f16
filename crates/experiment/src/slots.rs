//! Slots in which procedures run: one for each thread, shared by all concurrent reviews.
//!
//! The longest waiting procedure is the next, so that none runs alone at the end.

use std::cmp::Ordering;

use parking_lot::{Condvar, Mutex, MutexGuard};
/// Priority of work: preparations first, because procedures wait for them; then by cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rank {
    /// True if others wait for it.
    pub prepares: bool,
    /// Its estimated cost, in any unit.
    pub cost: f64,
}

impl Rank {
    /// True if it runs before another.
    pub fn is_before(&self, other: &Rank) -> bool {
        let by_kind = self.prepares.cmp(&other.prepares);
        by_kind.then(self.cost.total_cmp(&other.cost)) == Ordering::Greater
    }
}

/// A limited number of slots.
#[derive(Debug)]
pub struct Slots {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    free: usize,
    /// Waiting tickets with their ranks, in the order of arrival.
    waiting: Vec<(u64, Rank)>,
    arrivals: u64,
}

impl State {
    /// Returns the ticket that runs next: among equal ranks, the first that arrived.
    fn next(&self) -> Option<u64> {
        let mut waiting = self.waiting.iter();
        let first = waiting.next()?;
        let best = waiting.fold(first, |best, one| match one.1.is_before(&best.1) {
            true => one,
            false => best,
        });
        Some(best.0)
    }
}

impl Slots {
    /// Creates `count` slots, at least one.
    pub fn new(count: usize) -> Slots {
        Slots {
            state: Mutex::new(State {
                free: count.max(1),
                waiting: Vec::new(),
                arrivals: 0,
            }),
            changed: Condvar::new(),
        }
    }

    /// Waits for a place.
    pub fn take(&self, rank: Rank) -> Slot<'_> {
        let mut state = self.lock();
        let ticket = state.arrivals;
        state.arrivals += 1;
        state.waiting.push((ticket, rank));
        while state.free == 0 || state.next() != Some(ticket) {
            self.changed.wait(&mut state);
        }
        state.waiting.retain(|(other, _)| *other != ticket);
        state.free -= 1;
        drop(state);
        // Another slot may be free for the next ticket.
        self.changed.notify_all();
        Slot(self)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

/// A place that is taken until this is dropped.
pub struct Slot<'a>(&'a Slots);

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.0.lock().free += 1;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn rank(prepares: bool, cost: f64) -> Rank {
        Rank { prepares, cost }
    }

    #[test]
    fn who_is_longest_is_next() {
        let slots = Slots::new(1);
        let order = Mutex::new(Vec::new());
        let held = slots.take(rank(false, 1.0));
        std::thread::scope(|scope| {
            let ranks = [
                ("short", rank(false, 1.0)),
                ("long", rank(false, 9.0)),
                ("as long", rank(false, 9.0)),
                ("preparation", rank(true, 0.1)),
            ];
            for (came, (name, rank)) in ranks.into_iter().enumerate() {
                let (slots, order) = (&slots, &order);
                scope.spawn(move || {
                    let _slot = slots.take(rank);
                    order.lock().push(name);
                });
                while slots.lock().waiting.len() <= came {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
            drop(held);
        });
        let order = order.into_inner();
        assert_eq!(order, ["preparation", "long", "as long", "short"]);
    }

    #[test]
    fn no_more_run_at_a_time_than_there_are_places() {
        let slots = Slots::new(2);
        let (now, most) = (Mutex::new(0), Mutex::new(0));
        std::thread::scope(|scope| {
            for cost in 0..16 {
                let (slots, now, most) = (&slots, &now, &most);
                scope.spawn(move || {
                    let _slot = slots.take(rank(false, f64::from(cost)));
                    let running = {
                        let mut now = now.lock();
                        *now += 1;
                        *now
                    };
                    let mut most = most.lock();
                    *most = running.max(*most);
                    drop(most);
                    std::thread::sleep(Duration::from_millis(2));
                    *now.lock() -= 1;
                });
            }
        });
        assert_eq!(most.into_inner(), 2);
    }
}
