//! Carries queued work out, one piece at a time, on the server's single worker thread. Finished
//! rows are stored in the lab at once, so interrupted work resumes where it stopped.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use stend_experiment::Event;
use stend_lab::work::{self, Work, WorkState};
use stend_lab::{Lab, LabError, kept_key, studies};
use stend_load::Sample;
use stend_load::runner::Progress;
use stend_record::study::StudyRow;
use stend_study::{Context, Options, Plan, PlannedRow, Session, StudyError, Watch};

use crate::app::App;
use crate::what_if::{self, FULL, INTERVAL_S, Request, SHORT, VARIANTS, variant};

/// Time between two updates of work in progress in the queue.
const TOLD_EVERY: Duration = Duration::from_millis(500);

/// Carries work out until the server stops.
pub(crate) fn work(app: &Arc<App>) {
    while !app.is_stopped() {
        if !carry_out_next(app) {
            app.wait();
        }
    }
}

/// Carries the next piece of work out. Returns true if there was one.
pub fn carry_out_next(app: &Arc<App>) -> bool {
    // A lab is not created or written needlessly. One that cannot be read now is tried again later.
    let Ok(Some(lab)) = app.look() else {
        return false;
    };
    if !matches!(work::waits(&lab, app.now_unix_ms()), Ok(true)) {
        return false;
    }
    drop(lab);
    let taken = app
        .open()
        .and_then(|mut lab| work::take(&mut lab, &app.worker, app.now_unix_ms()));
    let Ok(Some(work)) = taken else {
        return false;
    };
    let under_way = Arc::new(UnderWay::new(app, &work));
    let over = AtomicBool::new(false);
    let ended = std::thread::scope(|scope| {
        scope.spawn(|| under_way.tell(&over));
        let ended = under_way.carry_out(&work);
        over.store(true, Ordering::SeqCst);
        ended
    });
    let (state, error) = match ended {
        Ok(()) => (WorkState::Done, None),
        Err(_) if app.is_stopped() => (WorkState::Queued, None),
        Err(_) if under_way.is_interrupted() => (WorkState::Cancelled, None),
        Err(error) => (WorkState::Failed, Some(error)),
    };
    let ended = retrying(|| {
        let id = (work.id, app.worker.as_str());
        work::end(
            &mut app.open()?,
            id,
            state,
            error.as_deref(),
            app.now_unix_ms(),
        )
    });
    // If this fails, another worker takes the work as abandoned.
    drop(ended);
    app.growing().remove(&work.id);
    true
}

/// Tries again while another program writes: about ten times as long as a page does.
fn retrying<T>(mut act: impl FnMut() -> Result<T, LabError>) -> Result<T, LabError> {
    for _ in 0..9 {
        match act() {
            Err(LabError::Locked(_)) => {}
            other => return other,
        }
    }
    act()
}

/// Work in progress.
struct UnderWay {
    app: Arc<App>,
    work: work::WorkId,
    interrupt: Arc<AtomicBool>,
    told: Mutex<Told>,
}

/// Progress of the work.
#[derive(Default)]
struct Told {
    doing: String,
    /// Finished virtual time, s; `whole_s` is the total.
    done_s: f64,
    whole_s: f64,
    /// Virtual time of each row in progress, s, by job and variant.
    rows_s: std::collections::BTreeMap<(String, usize), f64>,
}

impl UnderWay {
    fn new(app: &Arc<App>, work: &Work) -> UnderWay {
        app.growing().insert(work.id, what_if::Growing::new());
        UnderWay {
            app: Arc::clone(app),
            work: work.id,
            interrupt: Arc::default(),
            told: Mutex::default(),
        }
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::SeqCst)
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock()
    }

    /// Updates the progress in the queue, and checks for a request to stop, until the work is over.
    fn tell(&self, over: &AtomicBool) {
        let mut lab = None;
        while !over.load(Ordering::SeqCst) {
            let (doing, share) = {
                let told = self.told();
                let under_way: f64 = told.rows_s.values().sum();
                let share = (told.done_s + under_way) / told.whole_s.max(1.0);
                (told.doing.clone(), share.min(0.999))
            };
            let id = (self.work, self.app.worker.as_str());
            let now = self.app.now_unix_ms();
            if lab.is_none() {
                lab = self.app.open().ok();
            }
            let told = lab
                .as_mut()
                .map(|lab| work::go_on(lab, id, (&doing, share), now));
            // If the lab is in use, the update follows later.
            if matches!(told, Some(Ok(false))) || self.app.is_stopped() {
                self.interrupt.store(true, Ordering::SeqCst);
            }
            std::thread::sleep(TOLD_EVERY);
        }
    }

    fn carry_out(self: &Arc<UnderWay>, work: &Work) -> Result<(), String> {
        if work.kind != what_if::KIND {
            let kind = &work.kind;
            return Err(format!(
                "this version of stend knows no work of the kind {kind}"
            ));
        }
        let request = Request::parse(&work.request).ok_or("the request cannot be read")?;
        let plans = request.plans()?;
        let all = plans.curve.rows().iter().chain(plans.loads.rows());
        self.told().whole_s = all.map(|row| what_if::job_s(&row.job)).sum();
        let loads = |row: &PlannedRow| ![SHORT, FULL].contains(&row.job.as_str());
        self.stage(&plans.curve, SHORT, &|row| row.job == SHORT)?;
        self.stage(&plans.loads, "", &loads)?;
        self.stage(&plans.curve, FULL, &|row| row.job == FULL)
    }

    /// Carries out the wanted rows of a study that the lab does not have.
    fn stage(
        self: &Arc<UnderWay>,
        plan: &Arc<Plan>,
        job: &str,
        wanted: &dyn Fn(&PlannedRow) -> bool,
    ) -> Result<(), String> {
        let words = what_if::job_words(job);
        self.told().doing = format!("{words}: preparing the drives");
        let program = &self.app.program;
        let context = Context {
            program: program.clone(),
            folder: PathBuf::new(),
        };
        let opened = || {
            Session::open(
                Arc::clone(plan),
                Some(self.app.path()),
                false,
                context.clone(),
            )
        };
        let mut session = opened().map_err(|error| error.to_string())?;
        if !job.is_empty() {
            let lab = self.app.open().map_err(|error| error.to_string())?;
            session.reopen(|row| {
                let key = kept_key(&program.id, &row.key);
                row.job == job && matches!(studies::curve(&lab, &key), Ok(None))
            });
        }
        let open = session.open_rows();
        let known = plan.rows().iter();
        let known = known.filter(|row| wanted(row) && !open.contains(&row.number));
        self.told().done_s += known.map(|row| what_if::job_s(&row.job)).sum::<f64>();
        let watch: Arc<dyn Watch> = Arc::clone(self) as Arc<dyn Watch>;
        let options = Options {
            threads: (self.app.simulations)(plan.capacity_bytes_max()),
            interrupt: Arc::clone(&self.interrupt),
            series: None,
            watch: Some(watch),
        };
        let report = |event: &Event<'_, StudyRow>| {
            let mut told = self.told();
            if let Event::Finished { done, .. } = event {
                let row = &done.result;
                told.done_s += what_if::job_s(&row.job);
                told.rows_s
                    .remove(&(row.job.clone(), variant(&row.factors)));
                told.doing = words.to_owned();
            }
        };
        session
            .run(&options, wanted, &report)
            .map_err(|error: StudyError| error.to_string())
    }
}

impl Watch for UnderWay {
    fn progress(&self, row: &PlannedRow, progress: &Progress) {
        let at = (row.job.clone(), variant(&row.factors));
        {
            let mut told = self.told();
            told.rows_s.insert(at.clone(), progress.elapsed_s);
            let shares = told.rows_s.iter().map(|((job, of), s)| {
                let share = s / what_if::job_s(job).max(*s);
                format!("{} {:.0} %", VARIANTS[*of], share * 100.0)
            });
            let shares: Vec<String> = shares.collect();
            told.doing = format!("{}: {}", what_if::job_words(&row.job), shares.join(", "));
        }
        if ![SHORT, FULL].contains(&row.job.as_str()) {
            return;
        }
        let mut growing = self.app.growing();
        let curve = growing.entry(self.work).or_default().entry(at).or_default();
        let passed_s = progress.elapsed_s - curve.elapsed_s;
        let requests = progress.requests.saturating_sub(curve.requests);
        if passed_s > 0.0 {
            let iops = requests as f64 / passed_s;
            curve.points.push((progress.elapsed_s, iops));
        }
        (curve.elapsed_s, curve.requests) = (progress.elapsed_s, progress.requests);
    }

    fn samples(&self, row: &PlannedRow, samples: &[Sample]) {
        if ![SHORT, FULL].contains(&row.job.as_str()) || self.is_interrupted() {
            return;
        }
        let iops: Vec<f64> = samples.iter().map(|sample| sample.write_iops).collect();
        let key = kept_key(&self.app.program.id, &row.key);
        // A row without its curve is simulated again.
        let kept = retrying(|| {
            let mut lab: Lab = self.app.open()?;
            studies::keep_curve(&mut lab, &key, INTERVAL_S, &iops)
        });
        drop(kept);
    }
}
