//! Progress of `stend fit --leave-one-out`, on stderr.

use std::time::Instant;

use stend_fit::fitting::{Generation, Plan, SearchOptions};

use super::super::search::generation_words;
use super::table::Drive;
use crate::output::note;

/// Prints the current activity, and the time left at the speed so far.
pub struct Progress {
    options: SearchOptions,
    /// Unfinished drives, with the work of each.
    left: Vec<(String, usize)>,
    /// Number of drives.
    drives: usize,
    /// Work of all drives at the beginning.
    all: usize,
    /// Work done by an earlier run, and work of the drives finished in this run.
    known: usize,
    done: usize,
    begin: Instant,
}

impl Progress {
    pub fn new(plans: &[Plan], options: SearchOptions) -> Progress {
        let work = |plan: &Plan| {
            (
                plan.drive.clone(),
                plan.work(&options, options.generations_max),
            )
        };
        Progress {
            options,
            left: plans.iter().map(work).collect(),
            drives: plans.len(),
            all: 0,
            known: 0,
            done: 0,
            begin: Instant::now(),
        }
    }

    /// Skips a drive that an earlier run has finished.
    pub fn leave_out(&mut self, drive: &str) {
        note(&format!("{drive}: finished before"));
        self.left.retain(|(name, _)| name != drive);
    }

    /// Starts the clock for the drives that are left.
    pub fn begin(&mut self) {
        self.all = self.left.iter().map(|(_, work)| work).sum();
        self.begin = Instant::now();
    }

    /// Begins a drive, of which `generations` generations are already done.
    pub fn drive(&mut self, drive: &str, generations: usize) {
        let number = self.drives - self.left.len() + 1;
        let resumed = match generations {
            0 => String::new(),
            n => format!(", resuming after generation {n}"),
        };
        note(&format!("{drive} ({number} of {}){resumed}", self.drives));
        self.known = self.done;
    }

    /// Reports a finished generation; number 0 reports that the search is prepared.
    pub fn generation(&self, plan: &Plan, generation: &Generation) {
        let done = self.known + plan.work(&self.options, generation.number);
        let what = match generation.number {
            0 => "what its figures tell of is known".to_owned(),
            _ => generation_words(generation),
        };
        note(&format!("{}: {what}{}", plan.drive, self.time_left(done)));
    }

    /// Reports a finished drive.
    pub fn finished(&mut self, drive: &Drive) {
        let is_it = |(name, _): &(String, usize)| *name == drive.drive;
        if let Some(at) = self.left.iter().position(is_it) {
            self.done += self.left.remove(at).1;
        }
        note(&format!("{}{}", drive.told(), self.time_left(self.done)));
    }

    fn time_left(&self, done: usize) -> String {
        let seconds = self.begin.elapsed().as_secs_f64();
        let left = self.all.saturating_sub(done) as f64;
        let minutes = seconds * left / done.max(1) as f64 / 60.0;
        format!("; {seconds:.0} s, about {minutes:.0} min left")
    }
}
