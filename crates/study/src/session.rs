//! A study whose finished rows are stored in the lab: an interrupted one resumes, and a row that
//! another study has is reused.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use stend_experiment::{Report, Store};
use stend_lab::studies::{self, StudyContext, StudyId};
use stend_lab::{Lab, LabError, Program, kept_key};
use stend_record::study::{Study, StudyRow};

use crate::error::StudyError;
use crate::plan::{Done, Plan, PlannedRow};
use crate::run::{Options, run};
use crate::series;

/// Greatest time before rows are written to the lab, ms: this much is simulated again if the
/// process is killed.
const SAVED_EVERY_MS: i64 = 250;

/// Context of a study's results.
#[derive(Clone, Debug)]
pub struct Context {
    /// The program: rows that another program made are not reused.
    pub program: Program,
    /// Folder of the results.
    pub folder: PathBuf,
}

/// A study in progress.
pub struct Session {
    plan: Arc<Plan>,
    context: Context,
    kept: Option<Kept>,
    known: Vec<StudyRow>,
    done: Mutex<Vec<StudyRow>>,
}

/// The lab in which rows are stored.
struct Kept {
    lab: Mutex<Lab>,
    study: StudyId,
    waiting: Mutex<Waiting>,
}

/// Rows that are not yet written.
struct Waiting {
    rows: Vec<(String, StudyRow)>,
    saved_unix_ms: i64,
}

impl Session {
    /// Begins or resumes a study: its rows that the lab in this file has are known, unless `fresh`.
    /// Without a lab no row is known, and none is stored.
    ///
    /// # Errors
    /// [`StudyError::Lab`].
    pub fn open(
        plan: Arc<Plan>,
        lab: Option<&Path>,
        fresh: bool,
        context: Context,
    ) -> Result<Session, StudyError> {
        let now_unix_ms = (context.program.now_unix_ms)();
        let mut session = Session {
            plan: Arc::clone(&plan),
            context,
            kept: None,
            known: Vec::new(),
            done: Mutex::default(),
        };
        let Some(path) = lab else {
            return Ok(session);
        };
        let mut lab = Lab::open(path)?;
        let definition = plan.definition().to_json();
        let factors = plan.factor_names();
        let context = session.study_context(&definition, &factors, now_unix_ms);
        let study = studies::begin(&mut lab, &context)?;
        session.kept = Some(Kept {
            lab: Mutex::new(lab),
            study,
            waiting: Mutex::new(Waiting {
                rows: Vec::new(),
                saved_unix_ms: now_unix_ms,
            }),
        });
        if !fresh {
            for row in plan.rows() {
                let known = Store::known(&session, &row.key)?;
                if let Some(known) = known.first() {
                    let row = row.done_as(known);
                    // Stored in this study as well, if it was made for another.
                    session.wait_for_lab(&row);
                    session.known.push(row.result);
                }
            }
        }
        session.flush()?;
        Ok(session)
    }

    /// Reopens the rows of jobs whose series is missing in this folder ([`Options::series`]).
    ///
    /// # Errors
    /// The errors of [`crate::check_series`], and [`LabError::Export`] for a folder that cannot be
    /// written.
    pub fn wants_series(&mut self, folder: &Path) -> Result<(), LabError> {
        series::begin(folder, &self.plan)?;
        let plan = &self.plan;
        self.known.retain(|row| {
            let is_there = || series::path(folder, row.number).exists();
            row.error.is_some() || !plan.is_job(row.number) || is_there()
        });
        Ok(())
    }

    /// Returns the rows that were known when it was opened.
    pub fn known_rows(&self) -> &[StudyRow] {
        &self.known
    }

    /// Reopens the known rows that lack other data.
    pub fn reopen(&mut self, is_missing: impl Fn(&PlannedRow) -> bool) {
        let plan = &self.plan;
        self.known
            .retain(|row| !is_missing(&plan.rows()[row.number as usize]));
    }

    /// Returns the numbers of the rows to carry out.
    pub fn open_rows(&self) -> Vec<u64> {
        let done = self.done.lock();
        let rows = self.known.iter().chain(&*done);
        let there: BTreeSet<u64> = rows.map(|row| row.number).collect();
        let all = self.plan.rows().iter().map(|row| row.number);
        all.filter(|number| !there.contains(number)).collect()
    }

    /// Carries out the open rows that are `wanted`.
    ///
    /// # Errors
    /// [`StudyError::Interrupted`], [`StudyError::Lab`]; finished rows are stored in any case.
    pub fn run(
        &self,
        options: &Options,
        wanted: &dyn Fn(&PlannedRow) -> bool,
        report: Report<'_, StudyRow>,
    ) -> Result<(), StudyError> {
        let mut numbers = self.open_rows();
        numbers.retain(|number| wanted(&self.plan.rows()[*number as usize]));
        let ran = run(&self.plan, &numbers, options, self, report);
        self.flush().and(ran)
    }

    /// Adds a row to those that are not yet written; returns true if it is time to write them.
    fn wait_for_lab(&self, done: &Done) -> bool {
        let Some(kept) = &self.kept else {
            return false;
        };
        let mut waiting = kept.waiting.lock();
        let key = kept_key(&self.context.program.id, &done.key);
        waiting.rows.push((key, done.result.clone()));
        (self.context.program.now_unix_ms)() - waiting.saved_unix_ms >= SAVED_EVERY_MS
    }

    /// Writes waiting rows to the lab.
    ///
    /// # Errors
    /// [`StudyError::Lab`].
    pub fn flush(&self) -> Result<(), StudyError> {
        let Some(kept) = &self.kept else {
            return Ok(());
        };
        let now_unix_ms = (self.context.program.now_unix_ms)();
        let rows = {
            let mut waiting = kept.waiting.lock();
            waiting.saved_unix_ms = now_unix_ms;
            std::mem::take(&mut waiting.rows)
        };
        let factors = self.plan.factor_names();
        let context = self.study_context("", &factors, now_unix_ms);
        let mut lab = kept.lab.lock();
        Ok(studies::save(&mut lab, kept.study, &rows, &context)?)
    }

    /// Returns the study with all finished rows.
    pub fn study(&self) -> Study {
        let done = self.done.lock();
        let rows = self.known.iter().chain(&*done).cloned();
        self.plan.study(rows.collect())
    }

    fn study_context<'c>(
        &'c self,
        definition: &'c str,
        factors: &'c [String],
        now_unix_ms: i64,
    ) -> StudyContext<'c> {
        let of = self.plan.definition();
        StudyContext {
            name: &of.name,
            title: of.shown_title(),
            definition,
            factors,
            duration_scale: of.duration_scale,
            rows_planned: self.plan.rows().len() as u64,
            folder: &self.context.folder,
            stend_version: self.context.program.version,
            stend_commit: self.context.program.commit,
            now_unix_ms,
        }
    }
}

impl Store<StudyRow, StudyError> for Session {
    fn known(&self, key: &str) -> Result<Vec<StudyRow>, StudyError> {
        let Some(kept) = &self.kept else {
            return Ok(Vec::new());
        };
        let key = kept_key(&self.context.program.id, key);
        let found = studies::known(&kept.lab.lock(), [key.as_str()])?;
        Ok(found.into_values().collect())
    }

    /// Stores a row that was carried out here or elsewhere.
    fn keep(&self, done: &Done) -> Result<(), StudyError> {
        self.done.lock().push(done.result.clone());
        match self.wait_for_lab(done) {
            true => self.flush(),
            false => Ok(()),
        }
    }
}
