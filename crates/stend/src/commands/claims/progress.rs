//! How far the simulations for findings are, on stderr.

use std::sync::atomic::{AtomicUsize, Ordering};

use stend_claims::Event;

use crate::output::note;
use crate::progress::Bar;

/// Prints the events of measuring.
pub struct Progress {
    bar: Bar,
    /// Drives to be simulated.
    drives: AtomicUsize,
}

impl Progress {
    /// Nothing is shown before there is something to simulate.
    pub fn new() -> Progress {
        Progress {
            bar: Bar::new("findings"),
            drives: AtomicUsize::new(0),
        }
    }

    /// Shows an event.
    pub fn show(&self, event: &Event<'_>) {
        match event {
            Event::Planned {
                to_simulate,
                from_lab,
            } => {
                note(&format!(
                    "{to_simulate} drives to be simulated, {from_lab} taken from the lab"
                ));
                self.drives.store(*to_simulate, Ordering::Relaxed);
                self.bar.begin();
            }
            Event::Working {
                drive,
                edition,
                share_done,
            } => {
                self.bar.at(*share_done);
                self.bar.message(format!("{drive}, {edition}"));
            }
            Event::Finished {
                drive,
                edition,
                took,
                share_done,
            } => {
                self.bar.at(*share_done);
                self.bar.line(&format!(
                    "{drive}, edition {edition}: done in {:.1} s ({:.0} % of {} drives)",
                    took.as_secs_f64(),
                    share_done * 100.0,
                    self.drives.load(Ordering::Relaxed)
                ));
            }
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish();
    }
}
