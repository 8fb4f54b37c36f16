//! The progress of a review, written to the lab about once a second so that `stend lab serve` can
//! show it. It never delays or disturbs the review: failed writes are skipped.

use std::path::Path;
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::{Condvar, Mutex, MutexGuard};
use stend_lab::progress::{self, LiveCurve, Progress as Row, ProgressId};
use stend_lab::{Lab, RunId, place};
use stend_method::Event;
use stend_record::review::{TargetInfo, TargetKind};

use crate::progress::{Progress, Teller};
use crate::signals;

/// Interval between writes.
const EVERY: Duration = Duration::from_secs(1);

/// Time to wait for another program that writes.
const PATIENCE: Duration = Duration::from_millis(300);

/// Number of progress lines kept.
const LINES_MAX: usize = 200;

/// Reports the progress of a review until it is dropped, or a signal ends the process.
pub struct Live {
    shared: Arc<Shared>,
}

/// All reported reviews: of a drive, and of its rivals at the same time.
static ALL: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());

/// Reports the end of all reviews.
fn end_all() {
    let all = std::mem::take(&mut *ALL.lock());
    all.iter()
        .filter_map(Weak::upgrade)
        .for_each(|one| one.end());
}

struct Shared {
    state: Mutex<State>,
    ends: Condvar,
    writer: Mutex<Option<JoinHandle<()>>>,
}

struct State {
    row: Row,
    /// True while the curve of the row is still measured.
    grows: bool,
    ended: bool,
}

impl Live {
    /// Starts to report the review of a target; `None` if the lab cannot be written.
    pub fn begin(
        lab: &Path,
        target: &TargetInfo,
        edition: &str,
        progress: &Progress,
    ) -> Option<Live> {
        let mut lab = Lab::open_within(lab, PATIENCE).ok()?;
        let now = now_unix_ms();
        let row = Row {
            title: target.title.clone(),
            edition: edition.to_owned(),
            simulated: target.kind == TargetKind::Simulated,
            begun_unix_ms: now,
            seen_unix_ms: now,
            ..Row::default()
        };
        let id = progress::begin(&mut lab, &row).ok()?;
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                row,
                grows: false,
                ended: false,
            }),
            ends: Condvar::new(),
            writer: Mutex::new(None),
        });
        let (told, teller) = (Arc::clone(&shared), progress.teller());
        let writer = std::thread::spawn(move || told.write(&mut lab, id, &teller));
        *shared.writer.lock() = Some(writer);
        signals::last(end_all);
        let mut all = ALL.lock();
        all.retain(|one| one.strong_count() > 0);
        all.push(Arc::downgrade(&shared));
        Some(Live { shared })
    }

    /// Records an event.
    pub fn note(&self, event: &Event<'_>, run: Option<RunId>) {
        let mut state = self.shared.lock();
        state.row.run = run.map(|run| run.0);
        state.note(event);
    }

    /// Reports the end of the review, its run, and if it is complete.
    pub fn end(self, run: Option<RunId>, complete: bool) {
        let mut state = self.shared.lock();
        state.row.run = run.map(|run| run.0);
        if complete {
            // A rival that the lab already holds caused no events.
            state.row.share_done = 1.0;
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.shared.end();
    }
}

impl State {
    fn note(&mut self, event: &Event<'_>) {
        let row = &mut self.row;
        match event {
            Event::TestStarted { test, .. } | Event::PointStarted { test, .. } => {
                (*test).clone_into(&mut row.test);
            }
            Event::CurveGrew {
                test,
                curve,
                t_s,
                iops,
                preliminary,
                ..
            } => {
                let name = format!("{test}, {curve}");
                // Of several curves measured at the same time, one is shown until its end.
                if !self.grows {
                    self.grows = true;
                    row.curve = Some(LiveCurve {
                        name: name.clone(),
                        preliminary: *preliminary,
                        ..LiveCurve::default()
                    });
                }
                if let Some(curve) = row.curve.as_mut().filter(|curve| curve.name == name) {
                    curve.t_s.push(*t_s);
                    curve.iops.push(*iops);
                }
            }
            Event::CurveMeasured {
                test,
                curve,
                points,
            } => {
                let name = format!("{test}, {curve}");
                let told = row.curve.as_ref().is_some_and(|curve| curve.name == name);
                if told || !self.grows {
                    let (t_s, iops) = points.iter().copied().unzip();
                    row.curve = Some(LiveCurve {
                        name,
                        t_s,
                        iops,
                        preliminary: false,
                    });
                }
            }
            Event::PointFinished { test, point, .. } => {
                let name = format!("{test}, {point}");
                if row.curve.as_ref().is_some_and(|curve| curve.name == name) {
                    self.grows = false;
                }
            }
            Event::TestFinished { result, .. } => {
                self.line(format!("{} done", result.title));
            }
            Event::TestFailed { test, error } => self.line(format!("{test} failed: {error}")),
            Event::Warning { text } => self.line(format!("warning: {text}")),
            Event::Repetition { number, count } => {
                self.line(format!("repetition {} of {count}", number + 1));
            }
            Event::Planned { .. } | Event::Preparing { .. } | Event::Advanced { .. } => {}
        }
    }

    fn line(&mut self, line: String) {
        let log = &mut self.row.log;
        if log.last() != Some(&line) && log.len() < LINES_MAX {
            log.push(line);
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Makes the writer record the end, and waits for it.
    fn end(&self) {
        self.lock().ended = true;
        self.ends.notify_all();
        if let Some(writer) = self.writer.lock().take() {
            // It cannot have panicked without a word.
            let _ = writer.join();
        }
    }

    /// Writes the progress until the end.
    fn write(&self, lab: &mut Lab, id: ProgressId, teller: &Teller) {
        let mut state = self.lock();
        loop {
            let ended = state.ended;
            let mut row = state.row.clone();
            drop(state);
            (row.share_done, row.doing, row.left_words) = teller.told();
            row.ended = ended;
            row.seen_unix_ms = now_unix_ms();
            // A failed update is made up by the next. A row without an end is shown as stopped.
            if place::check(lab).is_ok() {
                drop(progress::update(lab, id, &row));
            }
            if ended {
                return;
            }
            state = self.lock();
            self.ends
                .wait_while_for(&mut state, |state| !state.ended, EVERY);
        }
    }
}

fn now_unix_ms() -> i64 {
    Timestamp::now().as_millisecond()
}
