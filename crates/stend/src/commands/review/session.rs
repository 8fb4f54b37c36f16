//! Runs an edition on a target and its rivals: one after the other, or two simulated drives side by
//! side.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use parking_lot::Mutex;
use stend_load::target::{Target, TargetError};
use stend_method::{Edition, Event, ReviewOptions, Slots, run_review};
use stend_record::review::{FailedTest, Price, Review, Rival, SCHEMA, TargetInfo, TestResult};

use crate::args::MarkArgs;
use crate::failure::Failure;
use crate::folder::Folder;
use crate::laboratory::Keeper;
use crate::live::Live;
use crate::open::Opened;
use crate::progress::{Progress, note_above};
use crate::{folder, signals};

/// One review: an edition on a target and its rivals, saved in one folder.
pub(super) struct Session<'a> {
    pub(super) edition: &'a Edition,
    pub(super) options: ReviewOptions<'a>,
    /// Options for the rivals.
    pub(super) rival_options: ReviewOptions<'a>,
    /// Number of drives reviewed side by side.
    pub(super) at_a_time: usize,
    pub(super) folder: Folder,
    /// The lab in which the review is stored too, if any.
    pub(super) keeper: Option<Keeper>,
    /// Unfinished review of an earlier run.
    pub(super) earlier: Option<Review>,
    /// Label and note of the user.
    pub(super) marks: &'a MarkArgs,
    /// Price of the drive under test.
    pub(super) price: Option<&'a Price>,
    /// File in which the drive under test is saved, and below the outcome of saving it.
    pub(super) state: Option<&'a Path>,
    pub(super) kept: Mutex<Result<(), TargetError>>,
    /// Requests and events of the simulated drives so far.
    pub(super) requests: AtomicU64,
    pub(super) events: AtomicU64,
}

/// Results so far of the target and of each rival. They stay locked while they are saved, so that
/// older results never replace newer ones.
struct Parts {
    info: TargetInfo,
    target: Option<Review>,
    rivals: Vec<Option<Rival>>,
    /// Number of rivals whose reviews are incomplete.
    incomplete: usize,
    /// Tests that failed on rivals, with the number of the rival.
    failed: Vec<(usize, FailedTest)>,
}

/// Drives still to be reviewed, with their numbers: 0 is the target, rivals follow.
type Queue = Mutex<VecDeque<(usize, Opened)>>;

impl Session<'_> {
    /// Reviews the target and its rivals.
    pub(super) fn review(&self, target: Opened, rivals: Vec<Opened>) -> Result<Review, Failure> {
        let earlier = self.earlier.as_ref();
        let before = |rival: &Opened| earlier_rival(earlier?, &rival.info()).cloned();
        let info = target.info();
        let parts = Mutex::new(Parts {
            info,
            target: self.earlier.clone(),
            rivals: rivals.iter().map(before).collect(),
            incomplete: rivals.len(),
            failed: Vec::new(),
        });
        let target = match self.state {
            Some(_) => target.single(),
            None => target,
        };
        let drives = std::iter::once(target).chain(rivals);
        let queue: Queue = Mutex::new(drives.enumerate().collect());
        let slots = Slots::new(self.options.threads);
        let ended = std::thread::scope(|scope| {
            let lanes: Vec<_> = (0..self.at_a_time)
                .map(|_| scope.spawn(|| self.work(&queue, &parts, &slots)))
                .collect();
            let join = |lane: std::thread::ScopedJoinHandle<'_, _>| match lane.join() {
                Ok(ended) => ended,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            lanes.into_iter().map(join).collect::<Vec<_>>()
        });
        ended.into_iter().collect::<Result<(), Failure>>()?;
        let mut parts = parts.into_inner();
        parts.failed.sort_by_key(|(number, _)| *number);
        let failed = std::mem::take(&mut parts.failed);
        let mut review = self.together(&parts, &Review::default());
        review
            .failed
            .extend(failed.into_iter().map(|(_, test)| test));
        Ok(review)
    }

    /// Reviews the drives of the queue, until it is empty or a drive cannot be reviewed at all.
    fn work(&self, queue: &Queue, parts: &Mutex<Parts>, slots: &Slots) -> Result<(), Failure> {
        let next = || queue.lock().pop_front();
        while let Some((number, drive)) = next() {
            let done = match number.checked_sub(1) {
                None => self.review_target(drive, parts, slots),
                Some(rival) => self.review_rival(rival, drive, parts, slots),
            };
            if done.is_err() {
                queue.lock().clear();
            }
            done?;
        }
        Ok(())
    }

    fn review_target(
        &self,
        drive: Opened,
        parts: &Mutex<Parts>,
        slots: &Slots,
    ) -> Result<(), Failure> {
        let keep = |partial: &Review| {
            let mut parts = parts.lock();
            parts.target = Some(partial.clone());
            self.save(&parts, partial)
        };
        let options = ReviewOptions {
            resume: self.earlier.clone(),
            save: Some(&keep),
            ..self.options.clone()
        };
        let review = self.review_one(drive, self.state, options, slots)?;
        parts.lock().target = Some(review);
        Ok(())
    }

    fn review_rival(
        &self,
        number: usize,
        drive: Opened,
        parts: &Mutex<Parts>,
        slots: &Slots,
    ) -> Result<(), Failure> {
        let begun = parts.lock().rivals[number].clone();
        let outline = self.outline(&drive);
        let before = match begun {
            Some(rival) => Some(rival),
            None => self.simulated_before(&outline)?,
        };
        let resume = before.map(|rival| Review {
            target: rival.target,
            tests: rival.tests,
            unfinished: rival.unfinished,
            ..outline
        });
        let keep = |partial: &Review| {
            let mut parts = parts.lock();
            parts.rivals[number] = Some(as_rival(partial.clone()));
            self.save(&parts, partial)
        };
        let options = ReviewOptions {
            resume,
            save: Some(&keep),
            ..self.rival_options.clone()
        };
        let review = self.review_one(drive, None, options, slots)?;
        let mut parts = parts.lock();
        parts.incomplete -= usize::from(review.complete);
        let failed = review.failed.iter().map(|test| FailedTest {
            id: test.id.clone(),
            error: format!("on {}: {}", review.target.title, test.error),
        });
        parts.failed.extend(failed.map(|test| (number, test)));
        parts.rivals[number] = Some(as_rival(review));
        Ok(())
    }

    /// A rival's review without results.
    fn outline(&self, drive: &Opened) -> Review {
        let options = &self.rival_options;
        let chosen = |id: &String| options.tests.as_ref().is_none_or(|ids| ids.contains(id));
        let tests = self.edition.tests.iter().filter(|test| chosen(&test.id));
        let tests = tests.map(|test| TestResult {
            id: test.id.clone(),
            ..TestResult::default()
        });
        Review {
            schema: SCHEMA.to_owned(),
            target: drive.info(),
            edition: self.edition.id.clone(),
            seed: options.seed,
            duration_scale: options.duration_scale,
            // A single repetition is recorded as 0.
            repeat: if options.repeat > 1 {
                options.repeat
            } else {
                0
            },
            until_steady: options.until_steady.map(|load| load.name.to_owned()),
            read_only: drive.read_only(),
            tests: tests.collect(),
            ..Review::default()
        }
    }

    /// Combines all results so far. If no test of the target is finished, a rival's review supplies
    /// the conditions.
    fn together(&self, parts: &Parts, of_rival: &Review) -> Review {
        let mut review = match &parts.target {
            Some(review) => review.clone(),
            None => Review {
                target: parts.info.clone(),
                tests: Vec::new(),
                unfinished: Vec::new(),
                failed: Vec::new(),
                complete: false,
                ..of_rival.clone()
            },
        };
        review.complete &= parts.incomplete == 0;
        review.rivals = parts.rivals.iter().flatten().cloned().collect();
        review.target.price = self.price.cloned();
        let earlier = self.earlier.as_ref();
        let label = earlier.and_then(|earlier| earlier.label.clone());
        let noted = earlier.and_then(|earlier| earlier.note.clone());
        review.label = self.marks.label.clone().or(label);
        review.note = self.marks.note.clone().or(noted);
        review
    }

    /// Saves the results so far, after the review of one drive has changed. The caller treats an
    /// error as a warning: they are saved again at the end.
    fn save(&self, parts: &Parts, changed: &Review) -> Result<(), String> {
        let saved = self.keep(&self.together(parts, changed));
        saved.map(drop).map_err(|error| error.to_string())
    }

    /// The rival's result in the lab, if there is one: repeating a simulation gives the same
    /// result.
    fn simulated_before(&self, outline: &Review) -> Result<Option<Rival>, Failure> {
        let Some(keeper) = &self.keeper else {
            return Ok(None);
        };
        let Some((run, before)) = keeper.simulated_before(outline)? else {
            return Ok(None);
        };
        note_above(&format!(
            "{}: simulated before, run {run} of the lab",
            outline.target.title
        ));
        Ok(Some(as_rival(before)))
    }

    /// Saves a review in its present state. If one of the two places fails, the other is still
    /// written.
    pub(super) fn keep(&self, review: &Review) -> Result<PathBuf, Failure> {
        let kept = match &self.keeper {
            Some(keeper) => signals::undisturbed(|| {
                let kept = keeper.keep(review, self.earlier.as_ref());
                kept.inspect(|()| folder::hint(review, "the lab"))
            }),
            None => Ok(()),
        };
        let page = self.folder.save(review)?;
        kept.map(|()| page)
    }

    /// Runs the tests of the edition on one drive, which is saved in the file `state`.
    fn review_one(
        &self,
        drive: Opened,
        state: Option<&Path>,
        options: ReviewOptions<'_>,
        slots: &Slots,
    ) -> Result<Review, Failure> {
        let counts = drive.counts();
        let target = drive.into_target();
        let info = target.info();
        let progress = Progress::new(&info.title);
        let live = self
            .keeper
            .as_ref()
            .and_then(|keeper| Live::begin(keeper.path(), &info, &self.edition.id, &progress));
        let run = || self.keeper.as_ref().and_then(Keeper::run);
        let began = Instant::now();
        let ended = |target: &mut dyn Target| {
            if let Some(path) = state {
                *self.kept.lock() = signals::undisturbed(|| target.keep_in(path));
            }
        };
        let options = ReviewOptions {
            ended: Some(&ended),
            curves_grow: live.is_some(),
            slots: Some(slots),
            ..options
        };
        let show = |event: Event<'_>| {
            progress.show(&event);
            if let Some(live) = &live {
                live.note(&event, run());
            }
        };
        let review = run_review(target, self.edition, &options, &show);
        if let Some(live) = live {
            let complete = review.as_ref().is_ok_and(|review| review.complete);
            live.end(run(), complete);
        }
        progress.finish();
        let review = review?;
        self.count(&review, counts, began);
        Ok(review)
    }

    /// Adds the requests and events of a simulated drive, and prints their rate.
    fn count(&self, review: &Review, counts: Option<[Arc<AtomicU64>; 2]>, began: Instant) {
        let load = |counts: [Arc<AtomicU64>; 2]| counts.map(|n| n.load(Ordering::Relaxed));
        let [requests, events] = counts.map_or([0, 0], load);
        self.requests.fetch_add(requests, Ordering::Relaxed);
        self.events.fetch_add(events, Ordering::Relaxed);
        let requests = requests as f64 / 1e6;
        if requests > 0.0 {
            let wall_s = began.elapsed().as_secs_f64();
            note_above(&format!(
                "{}: {requests:.1} million requests simulated in {wall_s:.1} s, {:.2} million a \
                 second",
                review.target.title,
                requests / wall_s
            ));
        }
    }
}

fn as_rival(review: Review) -> Rival {
    Rival {
        target: review.target,
        tests: review.tests,
        unfinished: review.unfinished,
    }
}

/// Returns the rival in an earlier review that is the same drive.
pub(super) fn earlier_rival<'a>(earlier: &'a Review, info: &TargetInfo) -> Option<&'a Rival> {
    earlier.rivals.iter().find(|rival| {
        rival.target.title == info.title
            && rival.target.capacity_bytes == info.capacity_bytes
            && rival.target.fingerprint() == info.fingerprint()
    })
}
