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
    /// Number of the run under way, from 0, and number of runs; 0 for a single run.
    round: Mutex<(u32, u32)>,
    /// Start of each task, by its description.
    began: Mutex<BTreeMap<String, Instant>>,
}

impl Units {
    /// Creates a bar with a title.
    pub fn new(title: &str) -> Units {
        Units {
            bar: Bar::new(title),
            round: Mutex::default(),
            began: Mutex::default(),
        }
    }

    /// Shows an event.
    pub fn show<R>(&self, event: &Event<'_, R>) {
        match event {
            Event::Planned { .. } => self.bar.begin(),
            Event::Round { number, of } => {
                *self.round.lock() = (*number, *of);
                self.bar.begin();
                self.at(0.0);
            }
            Event::Working { doing, share_done } => {
                self.at(*share_done);
                self.bar.message((*doing).to_owned());
                let mut began = self.began.lock();
                began
                    .entry((*doing).to_owned())
                    .or_insert_with(Instant::now);
            }
            Event::Finished { share_done, .. } => self.at(*share_done),
        }
    }

    /// Shows a share of the run under way as done, 0 to 1.
    fn at(&self, share: f64) {
        self.bar.at(match *self.round.lock() {
            (_, 0) => share,
            (number, of) => (f64::from(number) + share) / f64::from(of),
        });
    }

    /// Returns the time since a task began, by its description; the next task may have the same.
    pub fn took(&self, doing: &str) -> Duration {
        let began = self.began.lock().remove(doing);
        began.map_or(Duration::ZERO, |began| began.elapsed())
    }
}
