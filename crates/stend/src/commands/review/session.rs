//! Runs an edition on a target and its rivals: one after the other, or two simulated drives side by
//! side.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use parking_lot::Mutex;
use stend_load::target::{Target, TargetError};
use stend_method::{Edition, Event, ReviewOptions, Slots, run_review};
use stend_record::review::{FailedTest, Review, Rival, SCHEMA, TargetInfo, TestResult};

use super::prices::Prices;
use super::store::Store;
use crate::failure::Failure;
use crate::live::Live;
use crate::open::Opened;
use crate::progress::{Progress, note_above};
use crate::signals;

/// One review: an edition on a target and its rivals.
pub(super) struct Session<'a> {
    pub(super) edition: &'a Edition,
    pub(super) options: ReviewOptions<'a>,
    /// Options for the rivals.
    pub(super) rival_options: ReviewOptions<'a>,
    /// Number of drives reviewed side by side.
    pub(super) at_a_time: usize,
    /// Store of the review, with its earlier state.
    pub(super) store: Store,
    /// Prices of the drives.
    pub(super) prices: Prices,
    /// File in which the drive under test is saved, and below the outcome of saving it.
    pub(super) state: Option<&'a Path>,
    pub(super) kept: Mutex<Result<(), TargetError>>,
    /// Requests and events of the simulated drives so far.
    pub(super) requests: AtomicU64,
    pub(super) events: AtomicU64,
}

/// Reviews of the drives so far, by their numbers: 0 is the target, rivals follow. They stay locked
/// while they are saved, so that older results never replace newer ones.
type Reviews = Mutex<Vec<Option<Review>>>;

/// Drives still to be reviewed, with their numbers.
type Queue = Mutex<VecDeque<(usize, Opened)>>;

impl Session<'_> {
    /// Reviews the target and its rivals.
    pub(super) fn review(&self, target: Opened, rivals: Vec<Opened>) -> Result<Review, Failure> {
        let before = |rival: &Opened| self.store.earlier_rival(&rival.info()).map(of_rival);
        let earlier = self.store.earlier.clone();
        let reviews = std::iter::once(earlier).chain(rivals.iter().map(before));
        let reviews: Reviews = Mutex::new(reviews.collect());
        let info = target.info();
        let target = match self.state {
            Some(_) => target.single(),
            None => target,
        };
        let drives = std::iter::once(target).chain(rivals);
        let queue: Queue = Mutex::new(drives.enumerate().collect());
        let slots = Slots::new(self.options.threads);
        let ended = std::thread::scope(|scope| {
            let lanes: Vec<_> = (0..self.at_a_time)
                .map(|_| scope.spawn(|| self.work(&queue, &reviews, &info, &slots)))
                .collect();
            let join = |lane: std::thread::ScopedJoinHandle<'_, _>| match lane.join() {
                Ok(ended) => ended,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            lanes.into_iter().map(join).collect::<Vec<_>>()
        });
        ended.into_iter().collect::<Result<(), Failure>>()?;
        let reviews = reviews.into_inner();
        let mut review = self.together(&reviews, &info, &Review::default());
        for rival in reviews.iter().skip(1).flatten() {
            review
                .failed
                .extend(rival.failed.iter().map(|test| FailedTest {
                    id: test.id.clone(),
                    error: format!("on {}: {}", rival.target.title, test.error),
                }));
        }
        Ok(review)
    }

    /// Reviews the drives of the queue, until it is empty or a drive cannot be reviewed at all.
    fn work(
        &self,
        queue: &Queue,
        reviews: &Reviews,
        info: &TargetInfo,
        slots: &Slots,
    ) -> Result<(), Failure> {
        let next = || queue.lock().pop_front();
        while let Some((number, drive)) = next() {
            let resume = self.resume(number, &drive, reviews);
            let keep = |partial: &Review| {
                let mut reviews = reviews.lock();
                reviews[number] = Some(partial.clone());
                // The caller treats an error as a warning: all is saved again at the end.
                let saved = self.store.save(&self.together(&reviews, info, partial));
                let saved = saved.page.map(drop).and(saved.run);
                saved.map_err(|error| error.to_string())
            };
            let done = resume.and_then(|resume| {
                let options = ReviewOptions {
                    resume,
                    save: Some(&keep),
                    ..match number {
                        0 => self.options.clone(),
                        _ => self.rival_options.clone(),
                    }
                };
                let state = self.state.filter(|_| number == 0);
                self.review_one(drive, state, options, slots)
            });
            if done.is_err() {
                queue.lock().clear();
            }
            reviews.lock()[number] = Some(done?);
        }
        Ok(())
    }

    /// Returns the review of a drive that is resumed. Repeating a simulation gives the same result,
    /// so that a rival may have been simulated by another command.
    fn resume(
        &self,
        number: usize,
        drive: &Opened,
        reviews: &Reviews,
    ) -> Result<Option<Review>, Failure> {
        let begun = reviews.lock()[number].clone();
        if number == 0 {
            return Ok(begun);
        }
        let outline = self.outline(drive);
        let before = match begun {
            Some(rival) => Some(rival),
            None => self.store.simulated_before(&outline)?,
        };
        Ok(before.map(|rival| Review {
            target: rival.target,
            tests: rival.tests,
            unfinished: rival.unfinished,
            ..outline
        }))
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
            repeat: match options.repeat {
                1 => 0,
                times => times,
            },
            until_steady: options.until_steady.map(|load| load.name.to_owned()),
            read_only: drive.read_only(),
            tests: tests.collect(),
            ..Review::default()
        }
    }

    /// Combines all results so far. If no test of the target is finished, the conditions are those
    /// of the rival whose review has `changed`.
    fn together(&self, reviews: &[Option<Review>], info: &TargetInfo, changed: &Review) -> Review {
        let of_rivals = || reviews[1..].iter().flatten();
        let mut review = match &reviews[0] {
            Some(review) => review.clone(),
            None => Review {
                target: info.clone(),
                tests: Vec::new(),
                unfinished: Vec::new(),
                failed: Vec::new(),
                complete: false,
                ..changed.clone()
            },
        };
        review.complete &= reviews.iter().flatten().count() == reviews.len();
        review.complete &= of_rivals().all(|rival| rival.complete);
        review.rivals = of_rivals().cloned().map(Rival::from).collect();
        self.prices.set(&mut review);
        self.store.mark(&mut review);
        review
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
        progress.calibrate(self.store.write_bytes_per_s(&info));
        let lab = self.store.lab();
        let live = lab.and_then(|lab| Live::begin(&lab, &info, &self.edition.id, &progress));
        let run = || self.store.run();
        let began = Instant::now();
        let ended = |target: &mut dyn Target| {
            if let Some(path) = state {
                *self.kept.lock() = signals::undisturbed(|| target.keep_in(path));
            }
        };
        let options = ReviewOptions {
            ended: Some(&ended),
            curves_grow: true,
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

fn of_rival(rival: &Rival) -> Review {
    Review {
        target: rival.target.clone(),
        tests: rival.tests.clone(),
        unfinished: rival.unfinished.clone(),
        ..Review::default()
    }
}
