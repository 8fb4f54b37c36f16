//! Progress of units of work.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use stend_experiment::Event;

use super::Bar;

/// Bar that shows the events of units of work.
pub struct Units {
    /// The bar, hidden until [`Bar::begin`].
    pub bar: Bar,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Number of the run under way, from 0, and number of runs; 0 for a single run.
    round: (u32, u32),
    /// Start of each task, by its description.
    began: BTreeMap<String, Instant>,
}

impl Units {
    /// Creates a bar with a title.
    pub fn new(title: &str) -> Units {
        Units {
            bar: Bar::new(title),
            state: Mutex::default(),
        }
    }

    /// Shows an event.
    pub fn show<R>(&self, event: &Event<'_, R>) {
        let mut state = self.state.lock();
        match event {
            Event::Planned { .. } => self.bar.begin(),
            Event::Round { number, of } => {
                state.round = (*number, *of);
                self.bar.begin();
                self.bar.at(state.of_all(0.0));
            }
            Event::Working { doing, share_done } => {
                self.bar.at(state.of_all(*share_done));
                self.bar.message((*doing).to_owned());
                let began = &mut state.began;
                began
                    .entry((*doing).to_owned())
                    .or_insert_with(Instant::now);
            }
            Event::Finished { share_done, .. } => self.bar.at(state.of_all(*share_done)),
        }
    }

    /// Returns the time since a task began, by its description; the next task may have the same.
    pub fn took(&self, doing: &str) -> Duration {
        let began = self.state.lock().began.remove(doing);
        began.map_or(Duration::ZERO, |began| began.elapsed())
    }
}

impl State {
    /// Share of all runs that is done, computed from the share of one.
    fn of_all(&self, share_done: f64) -> f64 {
        match self.round {
            (_, 0) => share_done,
            (number, of) => (f64::from(number) + share_done) / f64::from(of),
        }
    }
}
