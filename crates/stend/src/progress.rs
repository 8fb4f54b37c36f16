//! Progress on stderr: a bar with the time left on a terminal, lines elsewhere.

use std::sync::Mutex;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use stend_method::Event;

use crate::note;

const STEPS: u64 = 10_000;

/// Prints the events of one review.
pub struct Progress {
    bar: ProgressBar,
    title: String,
    last_line: Mutex<String>,
}

impl Progress {
    /// For a target of this title.
    pub fn new(title: &str) -> Progress {
        let bar = ProgressBar::new(STEPS);
        let style = "{prefix} [{bar:30}] {percent:>3} %, {eta} left, {wide_msg}";
        bar.set_style(
            ProgressStyle::with_template(style)
                .expect("the template is sound")
                .progress_chars("=> "),
        );
        bar.set_prefix(title.to_string());
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(500));
        }
        Progress {
            bar,
            title: title.to_string(),
            last_line: Mutex::default(),
        }
    }

    /// Shows an event.
    pub fn show(&self, event: &Event<'_>) {
        match event {
            Event::Preparing {
                state,
                step,
                share_done,
            } => {
                self.at(*share_done);
                self.bar.set_message(format!("preparing `{state}`: {step}"));
            }
            Event::TestStarted { title, .. } => self.bar.set_message((*title).to_string()),
            Event::PointStarted { test, point, .. } => {
                self.bar.set_message(format!("{test}: {point}"));
            }
            Event::PointFinished { share_done, .. } => self.at(*share_done),
            Event::TestFinished { result, share_done } => {
                self.at(*share_done);
                let percent = share_done * 100.0;
                self.line(&format!("{} done ({percent:.0} %)", result.id));
            }
            Event::TestFailed { test, error } => self.line(&format!("{test} failed: {error}")),
            Event::Warning { text } => self.line(&format!("warning: {text}")),
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn at(&self, share: f64) {
        self.bar.set_position((share * STEPS as f64) as u64);
    }

    fn line(&self, text: &str) {
        let line = format!("{}: {text}", self.title);
        let mut last = self
            .last_line
            .lock()
            .expect("no thread panics while it prints");
        if *last != line {
            self.bar.suspend(|| note(&line));
            *last = line;
        }
    }
}
