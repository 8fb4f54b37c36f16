//! Progress on stderr: a bar with the time left on a terminal, lines elsewhere.

use std::sync::Mutex;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use stend_method::Event;

use crate::output::note;

const STEPS: f64 = 10_000.0;

/// A bar with a share done and the time left; nothing where stderr is no terminal.
pub struct Bar(ProgressBar);

impl Bar {
    /// A bar that is not shown before [`Bar::begin`].
    pub fn new(title: &str) -> Bar {
        let bar = ProgressBar::new(STEPS as u64);
        let style = "{prefix} [{bar:30}] {percent:>3} %, {eta} left, {wide_msg}";
        bar.set_style(
            ProgressStyle::with_template(style)
                .expect("the template is sound")
                .progress_chars("=> "),
        );
        bar.set_prefix(title.to_owned());
        Bar(bar)
    }

    /// Shows it, and keeps its clock going.
    pub fn begin(&self) {
        if !self.0.is_hidden() {
            self.0.enable_steady_tick(Duration::from_millis(500));
        }
    }

    /// Shows this share as done, 0 to 1.
    pub fn at(&self, share: f64) {
        self.0.set_position((share * STEPS) as u64);
    }

    /// Shows what is being done.
    pub fn message(&self, text: String) {
        self.0.set_message(text);
    }

    /// Writes a line above the bar.
    pub fn line(&self, text: &str) {
        self.0.suspend(|| note(text));
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// Prints the events of one review.
pub struct Progress {
    bar: Bar,
    title: String,
    last_line: Mutex<String>,
}

impl Progress {
    /// For a target of this title.
    pub fn new(title: &str) -> Progress {
        let bar = Bar::new(title);
        bar.begin();
        Progress {
            bar,
            title: title.to_owned(),
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
                self.bar.at(*share_done);
                self.bar.message(format!("preparing `{state}`: {step}"));
            }
            Event::TestStarted { title, .. } => self.bar.message((*title).to_owned()),
            Event::PointStarted { test, point, .. } => {
                self.bar.message(format!("{test}: {point}"));
            }
            Event::PointFinished { share_done, .. } => self.bar.at(*share_done),
            Event::TestFinished { result, share_done } => {
                self.bar.at(*share_done);
                let percent = share_done * 100.0;
                self.line(&format!("{} done ({percent:.0} %)", result.id));
            }
            Event::TestFailed { test, error } => self.line(&format!("{test} failed: {error}")),
            Event::Warning { text } => self.line(&format!("warning: {text}")),
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish();
    }

    fn line(&self, text: &str) {
        let line = format!("{}: {text}", self.title);
        let mut last = self
            .last_line
            .lock()
            .expect("no thread panics while it prints");
        if *last != line {
            self.bar.line(&line);
            *last = line;
        }
    }
}
