//! Progress on stderr: a bar with the time left on a terminal, lines elsewhere.

mod units;
mod work;

use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use parking_lot::{Condvar, Mutex, MutexGuard};
use stend_method::Event;

use crate::output::note;
use crate::signals;
pub use units::Units;
use work::Work;

const STEPS: f64 = 10_000.0;

/// Interval at which a bar is drawn again.
const REDRAW: Duration = Duration::from_millis(500);

/// Longest time without a line where there is no terminal.
const SILENCE_MAX: Duration = Duration::from_secs(30);

/// All bars, one above the other.
static BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Number of reviews that have bars on the terminal, of two lines each.
static REVIEWS: AtomicUsize = AtomicUsize::new(0);

/// Writes a line above all bars.
pub fn note_above(text: &str) {
    BARS.suspend(|| note(text));
}

/// A bar with the share done and the time left; not shown if stderr is no terminal.
pub struct Bar(ProgressBar);

impl Bar {
    /// Creates a bar that is hidden until [`Bar::begin`]. The time left is estimated from the speed
    /// so far.
    pub fn new(title: &str) -> Bar {
        Bar::of(
            "{prefix} [{bar:30}] {percent:>3} %, {eta} left, {wide_msg}",
            title,
        )
    }

    fn of(style: &str, title: &str) -> Bar {
        let bar = BARS.add(ProgressBar::new(STEPS as u64));
        bar.set_style(
            ProgressStyle::with_template(style)
                .expect("the template is sound")
                .progress_chars("=> "),
        );
        bar.set_prefix(title.to_owned());
        Bar(bar)
    }

    /// Shows the bar, and updates its clock periodically.
    pub fn begin(&self) {
        if !self.0.is_hidden() {
            self.0.enable_steady_tick(REDRAW);
        }
    }

    /// Shows a share as done, 0 to 1.
    pub fn at(&self, share: f64) {
        self.0.set_position((share * STEPS) as u64);
    }

    /// Shows the current activity.
    pub fn message(&self, text: String) {
        self.0.set_message(text);
    }

    /// Writes a line above the bar.
    pub fn line(&self, text: &str) {
        note_above(text);
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.0.finish_and_clear();
        BARS.remove(&self.0);
    }
}

/// Prints the events of one review. Between events it redraws the bar, or prints lines with the
/// current activity.
pub struct Progress {
    shown: Arc<Shown>,
    ticker: Option<JoinHandle<()>>,
}

/// Reports the progress of a review.
pub struct Teller(Arc<Shown>);

impl Teller {
    /// Returns the share done, the current activity, and the time left in words.
    pub fn told(&self) -> (f64, String, String) {
        let state = self.0.lock();
        let now = self.0.began.elapsed();
        let doing = [&state.doing, " ", &state.work.part(now)].concat();
        let left = state.work.left(now).words();
        (state.share_done, doing.trim_end().to_owned(), left)
    }
}

/// State on the terminal, shared with the thread that updates it.
struct Shown {
    bar: Bar,
    title: String,
    began: Instant,
    state: Mutex<State>,
    ends: Condvar,
}

#[derive(Default)]
struct State {
    work: Work,
    /// Speed of sequential writes of the target in earlier runs, bytes a second, if known.
    write_bytes_per_s: Option<f64>,
    /// Current activity.
    doing: String,
    share_done: f64,
    last_line: String,
    /// Time of the last line.
    last_line_at: Duration,
    ended: bool,
}

impl State {
    /// The time left and the current activity, separated by `between`.
    fn words(&self, now: Duration, between: &str) -> String {
        let left = self.work.left(now).words();
        let doing = [&self.doing, " ", &self.work.part(now)].concat();
        [&left, between, doing.trim_end()].concat()
    }

    /// Returns the line to print if one is due without a terminal, else the time until one is due.
    fn due(&mut self, now: Duration) -> Result<String, Duration> {
        let silence = now.saturating_sub(self.last_line_at);
        if silence < SILENCE_MAX {
            return Err(SILENCE_MAX - silence);
        }
        self.last_line_at = now;
        let percent = (self.share_done * 100.0).floor();
        Ok(format!("{percent:.0} % done, {}", self.words(now, ", ")))
    }

    /// Applies an event to the displayed state; returns the line to print, if any.
    fn note(&mut self, event: &Event<'_>, now: Duration) -> Option<String> {
        match event {
            Event::Planned { whole, simulated } => {
                self.work = Work::planned(*whole, *simulated).calibrated(self.write_bytes_per_s);
            }
            Event::Repetition { number, count } => {
                return Some(format!("repetition {} of {count}", number + 1));
            }
            Event::Preparing {
                state,
                step,
                part,
                left,
                share_done,
            } => {
                self.work.begin(now, *part, *left);
                self.share_done = *share_done;
                self.doing = format!("`{state}`: {step}");
            }
            Event::TestStarted { title, .. } => self.doing = title.to_string(),
            Event::PointStarted {
                test,
                point,
                part,
                left,
            } => {
                self.work.begin(now, *part, *left);
                self.doing = format!("{test}: {point}");
            }
            Event::PointFinished {
                left, share_done, ..
            } => {
                self.work.end(now, *left);
                self.share_done = *share_done;
            }
            Event::CurveGrew {
                left, share_done, ..
            } => {
                self.work.grew(now, *left);
                self.share_done = *share_done;
            }
            Event::Advanced {
                part_share,
                left,
                share_done,
            } => {
                self.work.advanced(now, *part_share, *left);
                self.share_done = *share_done;
            }
            Event::CurveMeasured { .. } => {}
            Event::TestFinished { result, share_done } => {
                self.share_done = *share_done;
                let percent = share_done * 100.0;
                return Some(format!("{} done ({percent:.0} %)", result.id));
            }
            Event::TestFailed { test, error } => return Some(format!("{test} failed: {error}")),
            Event::Warning { text } => return Some(format!("warning: {text}")),
        }
        None
    }
}

impl Progress {
    /// Starts the progress display of the target `title`.
    pub fn new(title: &str) -> Progress {
        let shown = Arc::new(Shown {
            bar: Bar::of("{prefix} [{bar:20}] {percent:>3} %, {msg}", title),
            title: title.to_owned(),
            began: Instant::now(),
            state: Mutex::default(),
            ends: Condvar::new(),
        });
        shown.lock().doing = "looking at the target and the machine".to_owned();
        if !shown.bar.0.is_hidden() {
            REVIEWS.fetch_add(1, Ordering::SeqCst);
            signals::restore_terminal_by(Some(clear_lines));
        }
        let ticking = Arc::clone(&shown);
        let ticker = Some(std::thread::spawn(move || ticking.tick()));
        Progress { shown, ticker }
    }

    /// Sets the speed of sequential writes of the target in earlier runs, bytes a second, before
    /// the first event.
    pub fn calibrate(&self, write_bytes_per_s: Option<f64>) {
        self.shown.lock().write_bytes_per_s = write_bytes_per_s;
    }

    /// Shows an event.
    pub fn show(&self, event: &Event<'_>) {
        if let Event::TestFailed { .. } = event {
            // A signal may have ended the test's program as well; that is not a failure of the
            // test.
            signals::settle();
        }
        let shown = &self.shown;
        let mut state = shown.lock();
        let now = shown.began.elapsed();
        if let Some(text) = state.note(event, now) {
            shown.line(&mut state, &text, now);
        }
        shown.draw(&state, now);
    }

    /// Returns a handle that reports the progress from any thread.
    pub fn teller(&self) -> Teller {
        Teller(Arc::clone(&self.shown))
    }

    /// Removes the bar.
    pub fn finish(mut self) {
        self.end();
    }

    fn end(&mut self) {
        self.shown.lock().ended = true;
        self.shown.ends.notify_all();
        if let Some(ticker) = self.ticker.take() {
            // A panic of the thread has already printed its message.
            let _ = ticker.join();
            let on_terminal = !self.shown.bar.0.is_hidden();
            self.shown.bar.finish();
            if on_terminal && REVIEWS.fetch_sub(1, Ordering::SeqCst) == 1 {
                signals::restore_terminal_by(None);
            }
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}

impl Shown {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    fn draw(&self, state: &State, now: Duration) {
        self.bar.at(state.share_done);
        self.bar.message(state.words(now, "\n  "));
    }

    /// Writes a line, unless it equals the last one.
    fn line(&self, state: &mut State, text: &str, now: Duration) {
        if state.last_line != text {
            self.bar.line(&format!("{}: {text}", self.title));
            text.clone_into(&mut state.last_line);
            state.last_line_at = now;
        }
    }

    /// Updates the displayed state until the end.
    fn tick(&self) {
        let on_terminal = !self.bar.0.is_hidden();
        let mut state = self.lock();
        while !state.ended {
            let now = self.began.elapsed();
            let wait = if on_terminal {
                self.draw(&state, now);
                REDRAW
            } else {
                match state.due(now) {
                    Ok(text) => {
                        note(&format!("{}: {text}", self.title));
                        SILENCE_MAX
                    }
                    Err(wait) => wait,
                }
            };
            self.ends
                .wait_while_for(&mut state, |state| !state.ended, wait);
        }
    }
}

/// Clears the terminal lines that the bars of reviews occupy.
fn clear_lines() {
    let above = 2 * REVIEWS.load(Ordering::SeqCst).max(1) - 1;
    let clear = "\r\x1b[2K".to_owned() + &"\x1b[1A\x1b[2K".repeat(above);
    // A failure is ignored: there is no other place to report it.
    let _ = write!(std::io::stderr(), "{clear}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use stend_method::Cost;

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn rest(minutes: f64, left: Cost) -> Event<'static> {
        Event::Preparing {
            state: "filled",
            step: "resting",
            part: Cost {
                timed_s: minutes * 60.0,
                ..Cost::default()
            },
            left,
            share_done: 0.368,
        }
    }

    #[test]
    fn a_log_has_a_line_each_half_minute_and_says_what_is_done() {
        let whole = Cost {
            timed_s: 3600.0,
            ..Cost::default()
        };
        let mut state = State::default();
        let planned = Event::Planned {
            whole,
            simulated: false,
        };
        assert_eq!(state.note(&planned, at(0)), None);
        assert_eq!(state.note(&rest(15.0, whole), at(10)), None);
        assert_eq!(state.due(at(29)), Err(at(1)));
        let lines: Vec<String> = (30..=120)
            .filter_map(|now| state.due(at(now)).ok())
            .collect();
        assert_eq!(
            lines,
            [
                "36 % done, about 1 h left, `filled`: resting 0 of 15 min",
                "36 % done, about 59 min left, `filled`: resting 0 of 15 min",
                "36 % done, about 59 min left, `filled`: resting 1 of 15 min",
                "36 % done, about 58 min left, `filled`: resting 1 of 15 min",
            ]
        );
    }

    #[test]
    fn a_bar_says_what_is_measured_and_for_how_long() {
        let part = Cost {
            timed_s: 60.0,
            untimed: 0.0,
            parts: 1.0,
        };
        let mut state = State::default();
        let event = Event::PointStarted {
            test: "random",
            point: &"4 KiB random read".into(),
            part,
            left: part,
        };
        assert_eq!(state.note(&event, at(5)), None);
        assert_eq!(
            state.words(at(40), "\n  "),
            "about 26 s left\n  random: 4 KiB random read 35 of 60 s"
        );
        let beware = "beware".into();
        let warning = Event::Warning { text: &beware };
        assert_eq!(state.note(&warning, at(41)).unwrap(), "warning: beware");
    }
}
