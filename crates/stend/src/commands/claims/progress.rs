//! Progress of the simulations for findings, on stderr.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use stend_claims::Event;

use stend_language::counted;

use crate::output::note;
use crate::progress::Bar;

/// Prints the events of the measurements.
pub struct Progress {
    bar: Bar,
    /// Number of drives to simulate.
    drives: AtomicUsize,
    /// Of plausible versions: the one under way, and their number; 0 if there are none.
    version: AtomicU32,
    versions: AtomicU32,
}

impl Progress {
    /// Creates a progress display, hidden until there is something to simulate.
    pub fn new() -> Progress {
        Progress {
            bar: Bar::new("findings"),
            drives: AtomicUsize::new(0),
            version: AtomicU32::new(0),
            versions: AtomicU32::new(0),
        }
    }

    /// Share of all work that is done, computed from the share of one version.
    fn of_all(&self, share_done: f64) -> f64 {
        match self.versions.load(Ordering::Relaxed) {
            0 => share_done,
            of => (f64::from(self.version.load(Ordering::Relaxed)) + share_done) / f64::from(of),
        }
    }

    /// Shows an event.
    pub fn show(&self, event: &Event<'_>) {
        match event {
            Event::Version { number, of } => {
                self.version.store(*number, Ordering::Relaxed);
                self.versions.store(*of, Ordering::Relaxed);
                note(&format!("plausible version {} of {of}", number + 1));
                self.bar.begin();
                self.bar.at(self.of_all(0.0));
            }
            Event::Planned {
                to_simulate,
                from_lab,
            } => {
                note(&format!(
                    "{} to be simulated, {from_lab} taken from the lab",
                    counted(*to_simulate, "drive")
                ));
                self.drives.store(*to_simulate, Ordering::Relaxed);
                self.bar.begin();
            }
            Event::Working {
                drive,
                edition,
                share_done,
            } => {
                self.bar.at(self.of_all(*share_done));
                self.bar.message(format!("{drive}, {edition}"));
            }
            Event::Finished {
                drive,
                edition,
                took,
                share_done,
            } => {
                self.bar.at(self.of_all(*share_done));
                self.bar.line(&format!(
                    "{drive}, edition {edition}: done in {:.1} s ({:.0} % of {} drives)",
                    took.as_secs_f64(),
                    share_done * 100.0,
                    self.drives.load(Ordering::Relaxed)
                ));
            }
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish();
    }
}
