//! The rows of a study: their inputs, and the keys under which their results are found again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use stend_experiment::{Job, Metric, Step, USUAL};
use stend_load::JobFile;
use stend_method::{Edition, ReviewOptions, check_options};
use stend_model::{Model, Setting};
use stend_record::sha256_hex;
use stend_record::study::{Cell, StudyRow};

use crate::definition::{Definition, JobEntry, StepEntry, TestEntry, Tree, Word};
use crate::design::{Factor, RESERVED, Value, Variant, variants};
use crate::error::{StudyError, Wrong};

/// The key of the capacity.
const CAPACITY: &str = "capacity.user_bytes";

/// A study that is ready to run.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) definition: Definition,
    pub(crate) factors: Vec<Factor>,
    pub(crate) works: Vec<Work>,
    models: Vec<Base>,
    pub(crate) rows: Vec<PlannedRow>,
}

/// An unchanged model of the study.
#[derive(Clone, Debug)]
struct Base {
    model: Model,
    /// SHA-256 of its text.
    sha256: String,
    /// Its values of the keys that variants set.
    given: BTreeMap<String, Setting>,
}

/// A job or test of the study.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    Job {
        name: String,
        /// Text of the job, with words in braces.
        text: String,
        sample_ms: u32,
        outcomes: Vec<(String, Metric)>,
    },
    Test {
        edition: Box<Edition>,
        id: String,
    },
}

impl Work {
    fn name(&self) -> &str {
        match self {
            Work::Job { name, .. } => name,
            Work::Test { id, .. } => id,
        }
    }
}

/// A row to carry out.
#[derive(Clone, Debug)]
pub struct PlannedRow {
    /// Number, from 0.
    pub number: u64,
    /// Name of the model.
    pub model: String,
    /// Values of the factors.
    pub factors: Vec<Cell>,
    /// Root seed.
    pub seed: u64,
    /// Name of the job or test.
    pub job: String,
    /// Hash of everything that the row's result depends on, except the program: SHA-256,
    /// hexadecimal.
    pub key: String,
    /// Id of the state that it starts from, or of the review that contains its test: rows with the
    /// same state share it. Hexadecimal.
    pub state: String,
    /// Index of its model among the study's.
    base: usize,
    /// Figures that replace the model's own.
    settings: Arc<BTreeMap<String, Setting>>,
    /// Index of its job or test.
    pub(crate) work: usize,
    /// Text of the job with the variant's words.
    pub(crate) job_text: String,
}

/// A finished row, with [`PlannedRow::key`].
pub type Done = stend_experiment::Done<StudyRow>;

/// Outcomes of a row, or its error.
pub(crate) type Outcomes = Result<Vec<(String, f64)>, String>;

impl PlannedRow {
    /// Returns the row with the outcomes of another row with the same key.
    pub(crate) fn done_as(&self, other: &StudyRow) -> Done {
        self.done(match &other.error {
            None => Ok(other.outcomes.clone()),
            Some(error) => Err(error.clone()),
        })
    }

    /// Returns the row with its outcomes.
    pub(crate) fn done(&self, outcomes: Outcomes) -> Done {
        let (outcomes, error) = match outcomes {
            Ok(outcomes) => (outcomes, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        let result = StudyRow {
            number: self.number,
            model: self.model.clone(),
            factors: self.factors.clone(),
            seed: self.seed,
            job: self.job.clone(),
            outcomes,
            error,
        };
        Done {
            name: format!("row {}", self.number),
            key: self.key.clone(),
            result,
        }
    }
}

impl Plan {
    /// Plans a study.
    ///
    /// # Errors
    /// A fault in the definition as a whole: an unknown model, key, outcome, edition or test, an
    /// invalid job, too many variants. A variant without a valid model is a row with its error.
    pub fn new(definition: Definition) -> Result<Plan, StudyError> {
        let source = definition.source.clone();
        Plan::checked(definition).map_err(|wrong| wrong.of(&source))
    }

    fn checked(definition: Definition) -> Result<Plan, Wrong> {
        let models = models(&definition)?;
        let (factors, variants) = variants(&definition)?;
        for (at, step) in definition.prepare.iter().enumerate() {
            let wrong = |message| Wrong::new(format!("prepare[{at}]"), message);
            step.check().map_err(wrong)?;
        }
        let works = works(&definition)?;
        let mut plan = Plan {
            rows: Vec::new(),
            models: bases(models, &definition, &variants),
            definition,
            factors,
            works,
        };
        plan.check_words(&variants)?;
        plan.check_ranges()?;
        plan.rows = plan.all_rows(&variants);
        Ok(plan)
    }

    /// Returns the definition of the study.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Returns the rows, by number.
    pub fn rows(&self) -> &[PlannedRow] {
        &self.rows
    }

    /// True if a row belongs to a job rather than a test.
    pub(crate) fn is_job(&self, number: u64) -> bool {
        matches!(
            self.works[self.rows[number as usize].work],
            Work::Job { .. }
        )
    }

    /// Returns a row that has only an error.
    ///
    /// # Panics
    /// If the number is not one of the plan's.
    pub fn failed(&self, number: u64, error: String) -> Done {
        self.rows[number as usize].done(Err(error))
    }

    /// Returns the names of the factors, in their order.
    pub fn factor_names(&self) -> Vec<String> {
        self.factors
            .iter()
            .map(|factor| factor.name.clone())
            .collect()
    }

    /// Returns the numbers of rows that share a state, in the order of their first row: each group
    /// is best carried out in one place.
    pub fn groups(&self) -> Vec<Vec<u64>> {
        let mut order: Vec<&str> = Vec::new();
        let mut groups: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        for row in &self.rows {
            let group = groups.entry(&row.state).or_insert_with(|| {
                order.push(&row.state);
                Vec::new()
            });
            group.push(row.number);
        }
        let of = |state: &&str| groups[*state].clone();
        order.iter().map(of).collect()
    }

    /// Returns the largest capacity of its models and variants, bytes.
    pub fn capacity_bytes_max(&self) -> u64 {
        let models = self.models.iter();
        let models = models.map(|base| base.model.capacity.user_bytes.value);
        let set = self
            .rows
            .iter()
            .filter_map(|row| row.settings.get(CAPACITY));
        let set = set.map(|setting| match setting {
            Setting::Whole(whole) => u64::try_from(*whole).unwrap_or(0),
            Setting::Real(real) => *real as u64,
            _ => 0,
        });
        models.chain(set).max().unwrap_or(0)
    }

    /// Returns the model of a row.
    ///
    /// # Errors
    /// The fault of the model.
    pub(crate) fn model(&self, row: &PlannedRow) -> Result<Model, String> {
        let settings: Vec<(&String, Setting)> = row
            .settings
            .iter()
            .map(|(key, setting)| (key, setting.clone()))
            .collect();
        let model = self.models[row.base].model.with(&settings);
        model.map_err(|error| error.to_string())
    }

    /// Returns a warning about rows whose settings make no valid drive: they can have no result.
    ///
    /// # Errors
    /// The same message, if it applies to all rows.
    pub fn check_models(&self) -> Result<Option<String>, String> {
        // Rows also differ in seed, job and words of jobs: each model is created once.
        let mut made: BTreeMap<(usize, String), Option<String>> = BTreeMap::new();
        let mut wrong = |row: &PlannedRow| {
            let name = (row.base, format!("{:?}", row.settings));
            let wrong = made.entry(name).or_insert_with(|| self.model(row).err());
            Some((row.number, wrong.clone()?))
        };
        let unsound: Vec<(u64, String)> = self.rows.iter().filter_map(&mut wrong).collect();
        let Some((number, wrong)) = unsound.first() else {
            return Ok(None);
        };
        let (count, rows) = (unsound.len(), self.rows.len());
        let s = if rows == 1 { "" } else { "s" };
        let told = format!("invalid settings in {count} of {rows} row{s}; row {number}: {wrong}");
        match count == rows {
            true => Err(told),
            false => Ok(Some(told)),
        }
    }

    /// Checks that a range over a figure of whole numbers yields whole numbers.
    fn check_ranges(&self) -> Result<(), Wrong> {
        let Some(base) = self.models.first() else {
            return Ok(());
        };
        let takes =
            |key: &String, real: f64| base.model.with(&[(key, Setting::Real(real))]).is_ok();
        for (at, factor) in self.factors.iter().enumerate() {
            let Some((key, real)) = factor.fraction() else {
                continue;
            };
            if !takes(key, real) && (takes(key, real.floor()) || takes(key, real.ceil())) {
                let message = format!(
                    "`{key}` takes whole numbers, and the range yields {real}: add \
                     `multiple_of = 1`, or a greater one"
                );
                return Err(Wrong::new(format!("factor[{at}].from"), message));
            }
        }
        Ok(())
    }

    /// Checks that every word in braces belongs to a factor, that each such factor is used, and
    /// that jobs are valid.
    fn check_words(&self, variants: &[Variant]) -> Result<(), Wrong> {
        let texts = || {
            self.works.iter().filter_map(|work| match work {
                Work::Job { text, .. } => Some(text),
                Work::Test { .. } => None,
            })
        };
        for (at, factor) in self.factors.iter().enumerate() {
            if let Some(word) = &factor.word
                && !texts().any(|text| text.contains(&braced(word)))
            {
                let message = format!("no job contains {}", braced(word));
                return Err(Wrong::new(format!("factor[{at}].key"), message));
            }
        }
        for (at, text) in texts().enumerate() {
            // Without words it is the same job in every variant.
            let has_words = self.words_of(text).next().is_some();
            let differing = if has_words { variants.len() } else { 1 };
            for variant in variants.iter().take(differing) {
                JobFile::parse(&self.with_words(text, variant))
                    .map_err(|error| self.wrong_job((at, text), variant, &error.to_string()))?;
            }
        }
        Ok(())
    }

    /// Returns the factors whose words a job contains.
    fn words_of<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
        let words = self.factors.iter().enumerate();
        let words = words.filter_map(|(at, factor)| Some((at, factor.word.as_deref()?)));
        words.filter(|(_, word)| text.contains(&braced(word)))
    }

    /// Returns the error of a job that a variant makes invalid, at the factor if it is the only one
    /// in the job.
    fn wrong_job(&self, (at, text): (usize, &str), variant: &Variant, error: &str) -> Wrong {
        let used: Vec<_> = self.words_of(text).collect();
        let with = used
            .iter()
            .map(|(factor, word)| format!("{} = {}", braced(word), variant[*factor].cell));
        let with: Vec<String> = with.collect();
        let path = match used[..] {
            [(factor, _)] => {
                let has_list = self.definition.factor[factor].values.is_some();
                let key = if has_list { "values" } else { "from" };
                format!("factor[{factor}].{key}")
            }
            _ => format!("job[{at}].text"),
        };
        match with[..] {
            [] => Wrong::new(path, error),
            _ => Wrong::new(path, format!("with {}: {error}", with.join(", "))),
        }
    }

    /// Replaces the words of a job by a variant's values.
    fn with_words(&self, text: &str, variant: &Variant) -> String {
        let words = self.factors.iter().zip(variant);
        let words = words.filter_map(|(factor, value)| Some((factor.word.as_ref()?, value)));
        words.fold(text.to_owned(), |text, (word, value)| {
            text.replace(&braced(word), &value.cell.to_string())
        })
    }

    fn all_rows(&self, variants: &[Variant]) -> Vec<PlannedRow> {
        let settings = Tree::flat(&self.definition.settings);
        let mut rows = Vec::new();
        for (base, of) in self.models.iter().enumerate() {
            for variant in variants {
                let of_variant = variant.iter().flat_map(|value| &value.settings);
                let all = settings.iter().chain(of_variant).cloned();
                let mut all: BTreeMap<String, Setting> = all.collect();
                // A figure that is set to its own value does not change the drive.
                all.retain(|key, new| !of.given.get(key).is_some_and(|old| old.is_same(new)));
                let told = format!("{} {}\n{all:?}", of.model.name, of.sha256);
                let all = Arc::new(all);
                for seed in &self.definition.seeds {
                    for work in 0..self.works.len() {
                        let number = rows.len() as u64;
                        let drive = (base, &all, &*told);
                        rows.push(self.row(number, drive, variant, *seed, work));
                    }
                }
            }
        }
        rows
    }

    fn row(
        &self,
        number: u64,
        (base, settings, told): (usize, &Arc<BTreeMap<String, Setting>>, &str),
        variant: &Variant,
        seed: u64,
        work: usize,
    ) -> PlannedRow {
        // Only a job's random choices depend on the seed.
        let is_job = |step: &StepEntry| matches!(step, StepEntry::Job { .. });
        let state_seed = match self.definition.prepare.iter().any(is_job) {
            true => self.definition.prepare_seed.unwrap_or(seed),
            false => 0,
        };
        let (state, what, job_text) = match &self.works[work] {
            Work::Job {
                text,
                sample_ms,
                outcomes,
                ..
            } => {
                let text = self.with_words(text, variant);
                let names: Vec<&String> = outcomes.iter().map(|(name, _)| name).collect();
                let steps = serde_json::to_string(&self.definition.prepare).unwrap_or_default();
                let what = format!("job {sample_ms} {names:?}\n{text}");
                (format!("state {state_seed} {steps}\n{told}"), what, text)
            }
            Work::Test { edition, id } => {
                let scale = self.definition.duration_scale;
                let of_edition = format!("review {scale} {seed}\n{edition:?}\n{told}");
                (of_edition, format!("test {id}"), String::new())
            }
        };
        let state = sha256_hex(&state);
        PlannedRow {
            number,
            model: self.models[base].model.name.clone(),
            factors: variant
                .iter()
                .map(|value: &Value| value.cell.clone())
                .collect(),
            seed,
            job: self.works[work].name().to_owned(),
            key: sha256_hex(format!("{state}\n{seed}\n{what}")),
            state,
            base,
            settings: Arc::clone(settings),
            work,
            job_text,
        }
    }

    /// Returns the steps from a new drive of this model to the state from which a row starts.
    ///
    /// # Errors
    /// A message if the model has no TRIM and a step is one.
    pub(crate) fn steps(&self, row: &PlannedRow, model: &Model) -> Result<Vec<Step>, String> {
        let seed = self.definition.prepare_seed.unwrap_or(row.seed);
        let spec = model.spec();
        let step = |entry: &StepEntry| match entry {
            StepEntry::Word(Word::Fill) => Ok(Step::fill(spec.user_bytes)),
            StepEntry::Word(Word::Trim) if spec.trim.enabled => Ok(Step::TrimAll),
            StepEntry::Word(Word::Trim) => Err("the model has no TRIM (`trim.enabled`)".to_owned()),
            StepEntry::Idle { idle_s } => Ok(Step::Rest(*idle_s)),
            StepEntry::Job { job } => Ok(Step::Job(Job {
                text: job.clone(),
                seed,
                sample_ms: 0,
            })),
            StepEntry::JobFile { job_file } => {
                unreachable!("{} was read with the definition", job_file.display())
            }
        };
        self.definition.prepare.iter().map(step).collect()
    }
}

fn braced(word: &str) -> String {
    format!("{{{word}}}")
}

/// The models, with what they give for every key that is set in any variant.
fn bases(models: Vec<Model>, definition: &Definition, variants: &[Variant]) -> Vec<Base> {
    let of_all = Tree::flat(&definition.settings).into_iter();
    let of_all = of_all.map(|(key, _)| key);
    let of_variants = variants.iter().flatten().flat_map(|value| &value.settings);
    let of_variants = of_variants.map(|(key, _)| key.clone());
    let keys: BTreeSet<String> = of_all.chain(of_variants).collect();
    let keys: Vec<String> = keys.into_iter().collect();
    let base = |model: Model| {
        let given = keys.iter().cloned().zip(model.given(&keys));
        Base {
            given: given
                .filter_map(|(key, value)| Some((key, value?)))
                .collect(),
            sha256: sha256_hex(&model.text),
            model,
        }
    };
    models.into_iter().map(base).collect()
}

/// Returns the models, after checking the keys that are replaced in all of them.
fn models(definition: &Definition) -> Result<Vec<Model>, Wrong> {
    for (key, setting) in Tree::flat(&definition.settings) {
        let checked = stend_model::check_key(&key).and_then(|()| crate::design::finite(&setting));
        checked.map_err(|message| Wrong::new("settings", format!("`{key}`: {message}")))?;
    }
    let mut models: Vec<Model> = Vec::new();
    for (at, entry) in definition.models.iter().enumerate() {
        let path = || format!("models[{at}]");
        let model = entry
            .model()
            .map_err(|message| Wrong::new(path(), message))?;
        if models.iter().any(|other| other.name == model.name) {
            return Err(Wrong::new(
                path(),
                format!("two models are named {}", model.name),
            ));
        }
        models.push(model);
    }
    Ok(models)
}

fn works(definition: &Definition) -> Result<Vec<Work>, Wrong> {
    let jobs = definition
        .job
        .iter()
        .enumerate()
        .map(|(at, entry)| job(at, entry));
    let tests = definition.test.iter().enumerate();
    let tests = tests.map(|(at, entry)| test(at, entry, definition.duration_scale));
    jobs.chain(tests).collect()
}

fn job(at: usize, entry: &JobEntry) -> Result<Work, Wrong> {
    let path = |key: &str| format!("job[{at}].{key}");
    if !(1..=86_400_000).contains(&entry.sample_ms) {
        return Err(Wrong::new(path("sample_ms"), "1 to 86400000 ms"));
    }
    let names = match &entry.outcomes {
        None => USUAL.map(str::to_owned).to_vec(),
        Some(names) => names.clone(),
    };
    let twice = (1..names.len()).find(|&at| names[..at].contains(&names[at]));
    if let Some(at) = twice {
        let message = format!("`{}` is listed twice", names[at]);
        return Err(Wrong::new(path(&format!("outcomes[{at}]")), message));
    }
    let outcome = |(index, name): (usize, String)| {
        let path = || path(&format!("outcomes[{index}]"));
        if RESERVED.contains(&name.as_str()) {
            return Err(Wrong::new(
                path(),
                format!("`{name}` is a column of every table"),
            ));
        }
        let outcome = Metric::named(&name).map_err(|message| Wrong::new(path(), message))?;
        Ok((name, outcome))
    };
    let outcomes: Result<Vec<_>, Wrong> = names.into_iter().enumerate().map(outcome).collect();
    let outcomes = outcomes?;
    if outcomes.is_empty() {
        return Err(Wrong::new(
            path("outcomes"),
            "a job has at least one outcome",
        ));
    }
    Ok(Work::Job {
        name: entry.name.clone(),
        text: entry.text.clone().unwrap_or_default(),
        sample_ms: entry.sample_ms,
        outcomes,
    })
}

fn test(at: usize, entry: &TestEntry, duration_scale: f64) -> Result<Work, Wrong> {
    let edition = Edition::load(&entry.edition);
    let edition =
        edition.map_err(|error| Wrong::new(format!("test[{at}].edition"), error.to_string()))?;
    let options = ReviewOptions {
        tests: Some(vec![entry.id.clone()]),
        duration_scale,
        ..ReviewOptions::default()
    };
    check_options(&edition, &options)
        .map_err(|error| Wrong::new(format!("test[{at}].id"), error.to_string()))?;
    Ok(Work::Test {
        edition: Box::new(edition),
        id: entry.id.clone(),
    })
}
