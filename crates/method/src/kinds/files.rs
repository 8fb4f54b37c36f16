//! Work on files: copying, archiving and unpacking sets of them.

use serde::Deserialize;
use stend_config::FileError;
use stend_language::{Text, recorded};
use stend_load::target::{FileSet, FilesJob, FilesOutcome, Target, TargetError};
use stend_record::review::{FileOp, FileWork, Results, TargetKind};
use stend_record::size::size_text;
use toml::Spanned;

use crate::context::Context;
use crate::kind::{Kind, Planner, Work};
use crate::parse::Scope;
use crate::recorder::{Done, Measurement, Place};
use crate::scaled;
use crate::setting::{Action, Setting};
use crate::state::Step;

/// Sizes of scaled sets are multiples of this, bytes.
const ALIGN_BYTES: u64 = 1 << 20;

/// Work on sets of files.
#[derive(Clone, Debug, PartialEq)]
pub struct Files {
    /// Index in [`Edition::states`] of the state that each set starts from.
    pub state: usize,
    /// Operation on each set.
    pub op: FileOp,
    /// Names of shipped sets, in order.
    pub sets: Vec<String>,
    /// Size of each set, bytes.
    pub set_bytes: u64,
    /// Rest between writing the files and the operation, s.
    pub rest_s: f64,
}

/// The table `[test.files]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    op: FileOp,
    state: Spanned<String>,
    sets: Spanned<Vec<String>>,
    set_bytes: Spanned<u64>,
    rest_s: Spanned<f64>,
}

/// Checks a test of work on files.
pub(crate) fn parse(entry: Entry, at: &Scope<'_>) -> Result<Files, FileError> {
    let sets = entry.sets.get_ref();
    if sets.is_empty() {
        return at.fail(&entry.sets, "at least one set of files");
    }
    for (index, set) in sets.iter().enumerate() {
        if FileSet::shipped(set).is_none() {
            let known: Vec<&str> = stend_load::target::file_sets();
            let problem = format!("no set `{set}`; there are: {}", known.join(", "));
            return at.fail(&entry.sets, problem);
        }
        if sets[..index].contains(set) {
            return at.fail(&entry.sets, format!("the set `{set}` stands here twice"));
        }
    }
    at.region(Some(&entry.set_bytes))?;
    let set_bytes = at.within(&entry.set_bytes, 0..=1 << 42, "a set has at most 4 TiB")?;
    Ok(Files {
        state: at.start(&entry.state)?,
        op: entry.op,
        sets: sets.clone(),
        set_bytes,
        rest_s: at.pause(&entry.rest_s)?,
    })
}

/// Returns the bytes of a set on a target of this capacity: twice the set and the file system's own
/// data must fit.
fn set_bytes(files: &Files, capacity_bytes: u64) -> u64 {
    let most = capacity_bytes / 5 * 2 / ALIGN_BYTES * ALIGN_BYTES;
    files.set_bytes.min(most.max(ALIGN_BYTES))
}

impl Kind for Files {
    fn states_mut(&mut self) -> Vec<&mut usize> {
        vec![&mut self.state]
    }

    fn needs_writes(&self) -> Option<Text> {
        Some(recorded!("needs-files"))
    }

    fn scale(&mut self, by: u32) -> Result<(), String> {
        scaled::bytes(&mut self.set_bytes, by);
        self.rest_s /= f64::from(by);
        Ok(())
    }

    fn plan(&self, planner: &mut Planner<'_>) {
        if let Some(why) = missing(planner.setting.kind) {
            return planner.skip(why);
        }
        for set in &self.sets {
            let work = SetWork {
                files: self.clone(),
                set: set.clone(),
            };
            planner.add(self.state, 1, work).starts_anew = true;
        }
    }
}

/// Returns the reason why a target of this kind cannot run such a test, with advice.
fn missing(kind: TargetKind) -> Option<Text> {
    match kind {
        TargetKind::Simulated | TargetKind::Directory => None,
        TargetKind::File | TargetKind::BlockDevice => Some(recorded!("warning-no-file-system")),
    }
}

/// One operation on one set.
#[derive(Debug)]
struct SetWork {
    files: Files,
    set: String,
}

impl SetWork {
    fn rest(&self) -> Step {
        Step::Idle {
            duration_s: self.files.rest_s,
        }
    }
}

impl Work for SetWork {
    fn actions(&self, setting: &Setting, _copied: bool, see: &mut dyn FnMut(Action<'_>)) {
        see(Action::Files(set_bytes(
            &self.files,
            setting.capacity_bytes,
        )));
        see(Action::Step(&self.rest()));
    }

    fn run(&self, context: &Context<'_>, target: &mut dyn Target, places: &[Place]) -> Done {
        let (setting, files, set) = (context.setting, &self.files, &self.set);
        let bytes = set_bytes(files, setting.capacity_bytes);
        let what = Text::named("piece", files.op.name()).with("set", Text::named("set", set));
        let title = Text::list(", ", [what, size_text(bytes).into()]);
        let cost = setting.cost(&Action::Files(bytes)) + setting.step_cost(&self.rest());
        context.recorder.begin(places[0], &title, cost);
        let shipped = FileSet::shipped(set)
            .ok_or_else(|| TargetError::Input(format!("there is no set of files `{set}`")))?;
        let done = target.work_on_files(&FilesJob {
            op: files.op,
            set: &shipped,
            bytes,
            // The same files whatever is done with them.
            seed: stend_base::job_seed(setting.seed, &format!("files/{set}")),
            rest_s: files.rest_s,
        })?;
        let limits = done.limits.iter();
        let named = |limit: &Text| {
            recorded!(
                "named",
                name = Text::named("set", set),
                what = limit.clone()
            )
        };
        let mut warnings: Vec<Text> = limits.map(named).collect();
        warnings.extend(scaled_warning(files, bytes, setting.capacity_bytes));
        let work = result(files, set, &done)?;
        let results = Results::Files(vec![work]);
        let measured = Measurement::of_job(title, done.text, warnings, results);
        context.recorder.record(places, measured, cost);
        Ok(())
    }
}

fn scaled_warning(files: &Files, bytes: u64, capacity_bytes: u64) -> Option<Text> {
    (bytes < files.set_bytes).then(|| {
        recorded!(
            "warning-scaled",
            size = format!("{:.2} GB", capacity_bytes as f64 / 1e9),
            set = size_text(files.set_bytes),
            scaled = size_text(bytes)
        )
    })
}

fn result(files: &Files, set: &str, done: &FilesOutcome) -> Result<FileWork, TargetError> {
    if done.elapsed_ns == 0 {
        return Err(TargetError::Failed(format!(
            "the {} of {set} took no time at all",
            files.op.name()
        )));
    }
    let duration_s = done.elapsed_ns as f64 / 1e9;
    Ok(FileWork {
        op: files.op,
        set: set.to_owned(),
        set_bytes: done.bytes,
        scaled: done.bytes < files.set_bytes,
        files: done.files,
        directories: done.directories,
        duration_s,
        bw_bytes_per_s: done.bytes as f64 / duration_s,
        repeated_bw_bytes_per_s: Vec::new(),
        repeated_duration_s: Vec::new(),
        requests: done.requests,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_shrink_until_two_of_them_fit() {
        let files = Files {
            state: 0,
            op: FileOp::Copy,
            sets: vec!["work".into()],
            set_bytes: 8 << 30,
            rest_s: 0.0,
        };
        assert_eq!(set_bytes(&files, 240_000_000_000), 8 << 30);
        assert_eq!(set_bytes(&files, 20 << 30), 8 << 30);
        assert_eq!(set_bytes(&files, 10 << 30), 4 << 30);
        assert_eq!(set_bytes(&files, 64 << 20), 25 << 20);
        assert!(scaled_warning(&files, 8 << 30, 20 << 30).is_none());
        let said = scaled_warning(&files, 4 << 30, 10 << 30).unwrap();
        assert!(
            said.in_english().starts_with("SCALED") && said.in_english().contains("4 GiB"),
            "{said}"
        );
    }
}
