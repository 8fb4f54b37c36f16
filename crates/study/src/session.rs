//! A study whose finished rows are stored in the lab: an interrupted one resumes, and a row that
//! another study has is reused.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use stend_lab::studies::{self, StudyContext, StudyId};
use stend_lab::{Lab, LabError};
use stend_record::sha256_hex;
use stend_record::study::{Study, StudyRow};

use crate::error::StudyError;
use crate::plan::{Done, Plan, PlannedRow};
use crate::run::{Event, Options, run};
use crate::series;

/// Greatest time before rows are written to the lab, ms: this much is simulated again if the
/// process is killed.
const SAVED_EVERY_MS: i64 = 250;

/// The program that carries a study out.
#[derive(Clone, Debug)]
pub struct Context {
    /// Id of the program: rows that another program made are not reused.
    pub program: String,
    /// Version.
    pub stend_version: &'static str,
    /// Commit, if known.
    pub stend_commit: Option<&'static str>,
    /// Folder of the results.
    pub folder: PathBuf,
    /// Returns the present time, ms since 1970.
    pub now_unix_ms: fn() -> i64,
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
        let now_unix_ms = (context.now_unix_ms)();
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
        let study = studies::begin(
            &mut lab,
            &session.study_context(&definition, &factors, now_unix_ms),
        )?;
        let mut waiting = Vec::new();
        if !fresh {
            let keys: Vec<String> = plan
                .rows()
                .iter()
                .map(|row| session.key(&row.key))
                .collect();
            let mut found = studies::known(&lab, keys.iter().map(String::as_str))?;
            for (row, key) in plan.rows().iter().zip(keys) {
                if let Some(result) = found.remove(&key) {
                    let row = row.done_as(&result);
                    session.known.push(row.clone());
                    // Stored in this study as well, if it was made for another.
                    waiting.push((key, row));
                }
            }
        }
        studies::save(
            &mut lab,
            study,
            &waiting,
            &session.study_context(&definition, &factors, now_unix_ms),
        )?;
        session.kept = Some(Kept {
            lab: Mutex::new(lab),
            study,
            waiting: Mutex::new(Waiting {
                rows: Vec::new(),
                saved_unix_ms: now_unix_ms,
            }),
        });
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
    pub fn known(&self) -> &[StudyRow] {
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

    /// Carries out the open rows.
    ///
    /// # Errors
    /// [`StudyError::Interrupted`], [`StudyError::Lab`]; finished rows are stored in any case.
    pub fn run(
        &self,
        options: &Options,
        report: &(dyn Fn(&Event<'_>) + Sync),
    ) -> Result<(), StudyError> {
        self.run_only(options, &|_| true, report)
    }

    /// Carries out rows like [`Session::run`], but only those that are `wanted`.
    ///
    /// # Errors
    /// The errors of [`Session::run`].
    pub fn run_only(
        &self,
        options: &Options,
        wanted: &dyn Fn(&PlannedRow) -> bool,
        report: &(dyn Fn(&Event<'_>) + Sync),
    ) -> Result<(), StudyError> {
        let keep = |done: Done| self.keep(done);
        let mut numbers = self.open_rows();
        numbers.retain(|number| wanted(&self.plan.rows()[*number as usize]));
        let ran = run(&self.plan, &numbers, options, &keep, report);
        self.flush().and(ran)
    }

    /// Stores a row that was carried out here or elsewhere.
    ///
    /// # Errors
    /// [`StudyError::Lab`].
    pub fn keep(&self, done: Done) -> Result<(), StudyError> {
        self.done.lock().push(done.row.clone());
        let Some(kept) = &self.kept else {
            return Ok(());
        };
        let due = {
            let mut waiting = kept.waiting.lock();
            waiting.rows.push((self.key(&done.key), done.row));
            (self.context.now_unix_ms)() - waiting.saved_unix_ms >= SAVED_EVERY_MS
        };
        match due {
            true => self.flush(),
            false => Ok(()),
        }
    }

    /// Writes waiting rows to the lab.
    ///
    /// # Errors
    /// [`StudyError::Lab`].
    pub fn flush(&self) -> Result<(), StudyError> {
        let Some(kept) = &self.kept else {
            return Ok(());
        };
        let now_unix_ms = (self.context.now_unix_ms)();
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

    fn key(&self, row: &str) -> String {
        kept_key(&self.context.program, row)
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
            stend_version: self.context.stend_version,
            stend_commit: self.context.stend_commit,
            now_unix_ms,
        }
    }
}

/// Returns the key under which the lab stores a row: that of the plan, with the program that makes
/// it.
pub fn kept_key(program: &str, row: &str) -> String {
    sha256_hex(format!("{program}\n{row}"))
}
