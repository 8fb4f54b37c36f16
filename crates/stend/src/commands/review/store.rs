//! The place where a review is stored, and from which the same command resumes it.
//!
//! A review is saved twice, first in the lab and then in its folder: if stend ends between the two,
//! or the folder is deleted, one of them still has every finished test.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use parking_lot::Mutex;
use stend_lab::others::others;
use stend_lab::{EntryId, Lab, LabError, RunContext, RunId, place, recorded};
use stend_method::{Edition, MethodError, ReviewOptions, check_resumes};
use stend_record::review::{Review, Rival, TargetInfo, TargetKind, TestResult};
use stend_report::{keep_finished, review_in};

use crate::args::{MarkArgs, ReviewArgs};
use crate::failure::Failure;
use crate::folder::{Folder, contents, contents_are};
use crate::open::Opened;
use crate::output::note;
use crate::progress::note_above;
use crate::{laboratory, signals};

/// The folder of a review, its run in the lab, and the state from which it is resumed.
pub(super) struct Store {
    folder: Folder,
    marks: MarkArgs,
    /// Unfinished review of an earlier run.
    pub(super) earlier: Option<Review>,
    /// The lab in which the review is stored too, if any.
    run: Option<Run>,
}

/// Outcome of saving a review.
pub(super) struct Saved {
    /// Path of the page.
    pub(super) page: Result<PathBuf, Failure>,
    /// Outcome of writing to the lab, if the review is stored in one.
    pub(super) run: Result<(), Failure>,
}

/// The run of a review in the lab.
struct Run {
    folder: PathBuf,
    edition_sha256: String,
    lab: Mutex<Lab>,
    /// Number and UUID, known once something was stored. The UUID is needed because numbers are
    /// reused.
    id: Mutex<Option<(RunId, String)>>,
}

impl Store {
    /// Finds the review to resume: the unfinished one in the folder, or the lab's copy of the same
    /// run if it has more tests. If the lab's copy is complete, the folder is completed from it.
    /// `command` returns the command that repeats a review with the prices of this one.
    pub(super) fn find(
        mut folder: Folder,
        lab: Option<&Path>,
        args: &ReviewArgs,
        command: &dyn Fn(&Review) -> String,
    ) -> Result<Store, Failure> {
        // A drive that is to be saved must go through all tests: no results are taken over.
        folder.resumes = args.state.is_none();
        let earlier = find(&folder, lab.filter(|_| folder.resumes), command)?;
        if let Some(review) = &earlier {
            // The review exists from now on, whatever the outcome of this run.
            folder.holds(review);
            if !folder.resumes {
                return Err(Failure::Input(format!(
                    "{} holds an unfinished review, whose drive was not kept: it cannot be \
                     resumed; start over with another --out",
                    folder.path().display()
                )));
            }
        }
        Ok(Store {
            folder,
            marks: args.marks.clone(),
            earlier,
            run: None,
        })
    }

    /// The rival in the earlier review that is the same drive.
    pub(super) fn earlier_rival(&self, info: &TargetInfo) -> Option<&Rival> {
        self.earlier.as_ref()?.rivals.iter().find(|rival| {
            rival.target.title == info.title
                && rival.target.capacity_bytes == info.capacity_bytes
                && rival.target.fingerprint() == info.fingerprint()
        })
    }

    /// Refuses to resume a review if some of its results would be lost. `chosen` are the tests of
    /// the target and those of the rivals.
    pub(super) fn check_nothing_is_left_out(
        &self,
        chosen: (Option<&[String]>, Option<&[String]>),
        edition: &Edition,
        rivals: &[Opened],
    ) -> Result<(), Failure> {
        let Some(earlier) = &self.earlier else {
            return Ok(());
        };
        let left_out = |chosen: Option<&[String]>, tests: [&[TestResult]; 2]| -> Vec<String> {
            let requested = |id: &String| {
                // The user's own edition may have changed since.
                edition.tests.iter().any(|test| test.id == *id)
                    && chosen.is_none_or(|chosen| chosen.contains(id))
            };
            let ids = tests.into_iter().flatten().map(|test| &test.id);
            ids.filter(|id| !requested(id)).cloned().collect()
        };
        let mut lost = left_out(chosen.0, [&earlier.tests, &earlier.unfinished]);
        let infos: Vec<TargetInfo> = rivals.iter().map(Opened::info).collect();
        for rival in &earlier.rivals {
            let title = &rival.target.title;
            let same = |info| self.earlier_rival(info).is_some_and(|found| found == rival);
            let is_empty = rival.tests.is_empty() && rival.unfinished.is_empty();
            if !is_empty && !infos.iter().any(same) {
                lost.push(format!("those of {title}"));
                continue;
            }
            let tests = left_out(chosen.1, [&rival.tests, &rival.unfinished]).into_iter();
            lost.extend(tests.map(|id| format!("{id} of {title} (name it with --against)")));
        }
        if lost.is_empty() {
            return Ok(());
        }
        Err(Failure::Input(format!(
            "{} holds an unfinished review with tests that this command leaves out: {}; name \
             them too, or choose another folder with --out",
            self.folder.path().display(),
            lost.join(", ")
        )))
    }

    /// Refuses to resume a review of another drive or with other options. Prints the number of
    /// results taken over.
    pub(super) fn check_resumes(
        &self,
        edition: &Edition,
        options: &ReviewOptions<'_>,
        target: (&TargetInfo, bool),
    ) -> Result<(), Failure> {
        let Some(earlier) = &self.earlier else {
            return Ok(());
        };
        let [was, is] = [&earlier.target, target.0];
        // Another variant of the model is another drive.
        if was.fingerprint() != is.fingerprint() {
            let [what, was, is] = match was.title == is.title {
                true => ["model's fingerprint", was.fingerprint(), is.fingerprint()],
                false => ["target", &was.title, &is.title],
            }
            .map(str::to_owned);
            return Err(MethodError::Resume { what, was, is }.into());
        }
        check_resumes(earlier, edition, options, target)?;
        let taken_over = format!("taken over from {}", self.folder.path().display());
        if let Some(words) = contents_are(earlier, &taken_over) {
            note(&words);
        }
        Ok(())
    }

    /// Opens the lab, and records the interruption of the earlier review before another one can
    /// occur. Called before hours of measurement, so that errors are found early.
    pub(super) fn begin(&mut self, lab: Option<&Path>, edition: &Edition) -> Result<(), Failure> {
        let Some(lab) = lab else { return Ok(()) };
        self.run = Some(Run {
            folder: laboratory::absolute(self.folder.path()),
            edition_sha256: edition.sha256.clone(),
            lab: Mutex::new(Lab::open(lab)?),
            id: Mutex::new(None),
        });
        self.earlier
            .as_ref()
            .map_or(Ok(()), |earlier| self.save_in_lab(earlier))
    }

    /// Sets the user's label and note, or those of the earlier review.
    pub(super) fn mark(&self, review: &mut Review) {
        let earlier = self.earlier.as_ref();
        let label = || earlier?.label.clone();
        let noted = || earlier?.note.clone();
        review.label = self.marks.label.clone().or_else(label);
        review.note = self.marks.note.clone().or_else(noted);
    }

    /// Saves a review at its end. A complete one is shown beside the other drives of the lab.
    pub(super) fn end(&self, review: &mut Review) -> Saved {
        let run = self.save_undisturbed(review);
        if review.complete
            && let Some(run) = &self.run
            && let Some((id, _)) = &*run.id.lock()
        {
            // Without them the page is still worth as much.
            review.others = others(&run.lab.lock(), *id).unwrap_or_default();
        }
        self.save_page(review, run)
    }

    /// Saves a review in its present state. If one of the two places fails, the other is still
    /// written, and the error names it.
    pub(super) fn save(&self, review: &Review) -> Saved {
        self.save_page(review, self.save_undisturbed(review))
    }

    /// Saves a review in the lab, if there is one; signals wait until this is done.
    fn save_undisturbed(&self, review: &Review) -> Result<(), Failure> {
        match self.run {
            Some(_) => signals::undisturbed(|| {
                let kept = self.save_in_lab(review);
                kept.inspect(|()| self.folder.hint(review, "the lab"))
            }),
            None => Ok(()),
        }
    }

    /// Saves a review in the folder; `run` is the outcome of saving it in the lab.
    fn save_page(&self, review: &Review, run: Result<(), Failure>) -> Saved {
        let page = self.folder.save(review);
        let folder = self.folder.path().display();
        match (run, page) {
            (Err(run), Ok(page)) => Saved {
                run: Err(run.with(&format!("; {folder} holds all that is finished"))),
                page: Ok(page),
            },
            (Ok(()), Err(page)) => Saved {
                run: Ok(()),
                page: Err(match self.run() {
                    Some(number) => page.with(&format!(
                        "; run {number} of the lab holds all that is finished: \
                         `stend report {number}` makes the report"
                    )),
                    None => page,
                }),
            },
            (Err(run), Err(page)) => Saved {
                page: Err(page.with(&format!("; nor is it in the lab: {run}"))),
                run: Err(run),
            },
            (run, page) => Saved { page, run },
        }
    }

    /// Writes the present state of a review. The first call resumes the run of the earlier review,
    /// or creates a run. If the run was deleted meanwhile, a new one is created.
    fn save_in_lab(&self, review: &Review) -> Result<(), Failure> {
        let Some(run) = &self.run else { return Ok(()) };
        let (mut lab, mut id) = (run.lab.lock(), run.id.lock());
        place::check(&lab)?;
        let context = run.context();
        let number = match &*id {
            Some((number, uuid)) if is_there(&lab, *number, uuid)? => *number,
            Some(_) => lab.begin(review, &context)?,
            None => self.first(&mut lab, review, &context)?,
        };
        *id = Some((number, lab.run(number)?.uuid));
        Ok(lab.save(number, review, &context)?)
    }

    /// Returns the run to resume, or a new one.
    fn first(
        &self,
        lab: &mut Lab,
        review: &Review,
        context: &RunContext<'_>,
    ) -> Result<RunId, Failure> {
        let Some(earlier) = &self.earlier else {
            return Ok(lab.begin(review, context)?);
        };
        let Some(found) = lab.last_of(earlier, context)? else {
            return Ok(lab.begin(earlier, context)?);
        };
        lab.resume(found, context.now_unix_ms)?;
        let MarkArgs { label, note } = &self.marks;
        if label.is_some() {
            recorded::set_label(lab, EntryId::Run(found), label.as_deref())?;
        }
        if note.is_some() {
            recorded::set_note(lab, EntryId::Run(found), note.as_deref())?;
        }
        Ok(found)
    }

    /// Returns an earlier simulation by this same build of the drive, edition, tests and options of
    /// `like`, a review without results.
    pub(super) fn simulated_before(&self, like: &Review) -> Result<Option<Review>, Failure> {
        let Some((run, since_unix_ms)) = self.run.as_ref().zip(program_unix_ms()) else {
            return Ok(None);
        };
        let lab = run.lab.lock();
        let Some(number) = lab.last_simulated(like, &run.context(), since_unix_ms)? else {
            return Ok(None);
        };
        let mut before = lab.review(number)?;
        let of = |review: &Review, id: &str| review.tests.iter().any(|test| test.id == id);
        let same = before.repeat == like.repeat
            && before.until_steady == like.until_steady
            && before.read_only == like.read_only
            && like.tests.iter().all(|test| of(&before, &test.id));
        if !same {
            return Ok(None);
        }
        before.tests.retain(|test| of(like, &test.id));
        let title = &like.target.title;
        note_above(&format!(
            "{title}: simulated before, run {number} of the lab"
        ));
        Ok(Some(before))
    }

    /// Returns the speed of sequential writes of a drive in earlier runs of the lab, bytes a
    /// second. An error is no reason to end the review: only the time left is less certain.
    pub(super) fn write_bytes_per_s(&self, of: &TargetInfo) -> Option<f64> {
        let lab = self.run.as_ref()?.lab.lock();
        lab.write_bytes_per_s(of).ok().flatten()
    }

    /// Path of the lab's file, if the review is stored in a lab.
    pub(super) fn lab(&self) -> Option<PathBuf> {
        let lab = self.run.as_ref()?.lab.lock();
        Some(lab.path().to_path_buf())
    }

    /// Number of the run in the lab, if anything was stored.
    pub(super) fn run(&self) -> Option<RunId> {
        let id = self.run.as_ref()?.id.lock();
        id.as_ref().map(|(number, _)| *number)
    }
}

impl Run {
    fn context(&self) -> RunContext<'_> {
        laboratory::context(&self.folder, &self.edition_sha256)
    }
}

fn find(
    folder: &Folder,
    lab: Option<&Path>,
    command: &dyn Fn(&Review) -> String,
) -> Result<Option<Review>, Failure> {
    let there = match review_in(folder.path())? {
        Some(there) if there.complete => {
            keep_finished(folder.path(), &there)?;
            return Ok(None);
        }
        there => there,
    };
    let last = lab.map(|lab| laboratory::last_in(lab, folder.path()));
    let last = last.transpose()?.unwrap_or_default();
    let resumes = |kept: &Review| match &there {
        Some(there) => has_more_tests(kept, there),
        None => kept.reproduce == command(kept) && is_worth_resuming(kept, folder.was_there()),
    };
    let Some((run, kept)) = last.into_iter().find(|(_, kept)| resumes(kept)) else {
        return Ok(there);
    };
    let then = match kept.complete {
        true => "its report was made again from the lab".to_owned(),
        false => format!("resuming from the lab; to start over, `stend lab delete {run}` first"),
    };
    note(&format!(
        "{} lacks finished tests of run {run} of the lab: {then}",
        folder.path().display()
    ));
    folder.save(&kept)?;
    if kept.complete {
        keep_finished(folder.path(), &kept)?;
    }
    Ok(Some(kept))
}

/// True if a run of the same command without a review in the folder is to be resumed: it has a
/// finished test. If the folder is gone, only a run that took real time is resumed: a simulation is
/// repeated quickly, and perhaps on purpose.
fn is_worth_resuming(kept: &Review, folder_was_there: bool) -> bool {
    let rivals = kept.rivals.iter().map(|rival| &rival.target);
    let mut targets = std::iter::once(&kept.target).chain(rivals);
    !kept.complete
        && !contents(kept).is_empty()
        && (folder_was_there || targets.any(|target| target.kind != TargetKind::Simulated))
}

/// True if `one` has all tests of `other`, and more.
fn has_more_tests(one: &Review, other: &Review) -> bool {
    let key = |review: &Review| {
        let target = &review.target;
        let drive = [&*target.name, target.fingerprint(), &review.edition].map(str::to_owned);
        (drive, review.seed, review.duration_scale.to_bits())
    };
    let count = |review| {
        contents(review)
            .iter()
            .map(|(count, _)| count)
            .sum::<usize>()
    };
    key(one) == key(other)
        && finished(other).all(|test| finished(one).any(|known| known == test))
        && count(one) > count(other)
}

/// Finished tests, each with the title of its target.
fn finished(review: &Review) -> impl Iterator<Item = (&str, &TestResult)> {
    let rivals = review.rivals.iter();
    let of_rivals = rivals.map(|rival| (&rival.target, &rival.tests));
    let all = std::iter::once((&review.target, &review.tests)).chain(of_rivals);
    all.flat_map(|(target, tests)| tests.iter().map(|test| (target.title.as_str(), test)))
}

/// True if the lab still has run number `run` with this UUID.
fn is_there(lab: &Lab, run: RunId, uuid: &str) -> Result<bool, Failure> {
    match lab.run(run) {
        Ok(found) => Ok(found.uuid == uuid),
        Err(LabError::NoRun { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Time at which the program's file was written, ms since 1970. Earlier simulations may be of
/// another build of the same commit.
fn program_unix_ms() -> Option<i64> {
    let file = std::env::current_exe().ok()?.metadata().ok()?;
    let written = Timestamp::try_from(file.modified().ok()?).ok()?;
    Some(written.as_millisecond())
}
