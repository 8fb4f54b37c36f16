//! The search, and the file with the fitted values.

use crate::fitting::{
    CAN_SEARCH, ENOUGH, Evaluation, Fit, FitError, Fitted, Generation, Refined, SearchOptions,
    Task, errors, figure_of, fit, refine,
};
use stend_experiment::Threads;
use stend_model::{Files, Model, NewValue, write_values};

use super::TwinError;
use super::rows::Rows;

/// Number of points of a generation.
const POPULATION: usize = 8;

/// Error below which no drafts with another structure are tried, as the root of the mean square of
/// the errors of the first draft.
const GOOD: f64 = 0.05;

/// Smallest number of evaluations with which more than one draft is fitted.
const ENOUGH_FOR_TWO: usize = 144;

/// Growth of the root of the mean square of all errors that bounds the interval of a figure.
const ERROR_ADDED: f64 = 0.01;

/// A search for the free figures of a draft.
pub struct Search<'a> {
    /// Name of the model.
    pub name: &'a str,
    /// Text of the model, and variants with another structure: the one closest to the rows is
    /// fitted first, the others if that leaves large errors.
    pub drafts: &'a [String],
    /// Rows to which the model is fitted.
    pub rows: &'a Rows,
    /// Name of the review in sources.
    pub review: &'a str,
    /// Maximum number of evaluations, in addition to the few that find the relevant figures. With
    /// 0, the drafts are only used for prediction, and nothing is fitted.
    pub evaluations: usize,
    /// Seed of every random choice.
    pub seed: u64,
    /// Number of simulations at a time; defaults to the number of CPUs.
    pub threads: Option<usize>,
}

/// The model with the fitted values.
#[derive(Clone, Debug)]
pub struct Found {
    /// The drive file.
    pub text: String,
    /// Predictions of the draft.
    pub before: Evaluation,
    /// Result of the search; its parameters begin with the values from the steps.
    pub fit: Fit,
}

/// Progress of a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// Number of a step, and the root of the mean square of the errors after it.
    Step(usize, f64),
    /// A generation after the steps.
    Generation(Generation),
}

impl Search<'_> {
    /// Runs the search: steps first, then generations. `tell` receives the progress.
    ///
    /// # Errors
    /// Figures that make an invalid model, rows that it cannot answer, a missing optimiser.
    pub fn run(&self, tell: &mut dyn FnMut(&Progress)) -> Result<Found, TwinError> {
        let threads = self.threads.map_or_else(Threads::default, Threads);
        let (draft, refined, left) = self.refined(&threads, tell)?;
        let left = match CAN_SEARCH && refined.after.error_rms() > ENOUGH {
            true => left,
            false => 0,
        };
        let draft = self.stepped(draft, &refined)?;
        let models = self.models(&draft)?;
        let task = self.task(&models, &threads, left / POPULATION);
        let mut keep = |_: &_, generation: &Generation| {
            tell(&Progress::Generation(generation.clone()));
            Ok(())
        };
        let fit = fit(&task, None, &mut keep).map_err(trouble)?;
        let text = match self.evaluations {
            // Figures that were never changed keep their source.
            0 => draft,
            _ => self.written(&draft, &fit)?,
        };
        Ok(Found {
            text,
            before: refined.before,
            fit,
        })
    }

    /// The draft that steps bring closest to the rows, the steps, and the evaluations left. The
    /// closest draft is tried first, the others if that is not good enough.
    fn refined(
        &self,
        threads: &Threads,
        tell: &mut dyn FnMut(&Progress),
    ) -> Result<(&str, Refined, usize), TwinError> {
        let mut told = |step: usize, cost: f64| tell(&Progress::Step(step, cost.sqrt()));
        let mut of = |draft: &str, evaluations: usize| {
            let models = self.models(draft)?;
            let task = self.task(&models, threads, 0);
            refine(&task, evaluations, &mut told).map_err(trouble)
        };
        let [first, others @ ..] = self.drafts else {
            return Err(TwinError::Model("there is no draft".to_owned()));
        };
        let mut known = vec![(&**first, of(first, 1)?.before.cost)];
        for other in others {
            // An invalid draft is not a candidate.
            known.extend(of(other, 1).ok().map(|tried| (&**other, tried.before.cost)));
        }
        known.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut left = self.evaluations.saturating_sub(known.len());
        let mut best: Option<(&str, Refined)> = None;
        for (nth, (draft, _)) in known.iter().enumerate() {
            let is_good = |best: &(&str, Refined)| best.1.after.error_rms() <= GOOD;
            if best.as_ref().is_some_and(is_good) {
                break;
            }
            let share = match nth + 1 == known.len() || left < ENOUGH_FOR_TWO {
                true => left,
                false => left - left * 2 / 5,
            };
            let refined = of(draft, share)?;
            left = left.saturating_sub(refined.evaluations);
            let is_better = |best: &(&str, Refined)| refined.after.cost < best.1.after.cost;
            if best.as_ref().is_none_or(is_better) {
                best = Some((draft, refined));
            }
        }
        let (draft, refined) = best.expect("one was fitted at least");
        Ok((draft, refined, left))
    }

    fn models(&self, text: &str) -> Result<[(String, Files); 1], TwinError> {
        let file = format!("{}.toml", self.name);
        let wrong =
            |error: String| TwinError::Model(format!("the draft is not a sound model: {error}"));
        let files = Files::of_text(text.to_owned(), &file);
        let files = files.map_err(|error| wrong(error.to_string()))?;
        files.model().map_err(|error| wrong(error.to_string()))?;
        Ok([(self.name.to_owned(), files)])
    }

    fn task<'a>(
        &'a self,
        models: &'a [(String, Files)],
        pool: &'a Threads,
        generations_max: usize,
    ) -> Task<'a> {
        Task {
            models,
            measured: &self.rows.measured,
            only: &|_| true,
            others: &Model::shipped,
            options: SearchOptions {
                seed: self.seed,
                generations_max,
                population: POPULATION,
            },
            pool,
        }
    }

    /// The draft with the values from the steps.
    fn stepped(&self, draft: &str, refined: &Refined) -> Result<String, TwinError> {
        let source = format!(
            "fitted: to review {}; its figures hardly change with it",
            self.review
        );
        let moved = refined.values.iter();
        let moved = moved.filter(|(parameter, value)| parameter.figure.value != *value);
        let values = moved.map(|(parameter, value)| NewValue {
            table: &parameter.figure.table,
            key: &parameter.figure.key,
            index: parameter.figure.index,
            value: *value,
            source: &source,
        });
        let text = write_values(draft, &values.collect::<Vec<_>>());
        text.map_err(|error| TwinError::Model(error.to_string()))
    }

    fn written(&self, draft: &str, fit: &Fit) -> Result<String, TwinError> {
        let determined = fit.parameters.iter().filter(|fitted| fitted.determined);
        let sources: Vec<(&Fitted, String)> = determined
            .map(|fitted| (fitted, self.source(fitted, fit)))
            .collect();
        let values = sources.iter().map(|(fitted, source)| {
            let figure = &fitted.parameter.figure;
            NewValue {
                table: &figure.table,
                key: &figure.key,
                index: figure.index,
                value: fitted.value,
                source,
            }
        });
        let values: Vec<NewValue<'_>> = values.collect();
        let text = write_values(draft, &values);
        text.map_err(|error| TwinError::Model(error.to_string()))
    }

    fn source(&self, fitted: &Fitted, fit: &Fit) -> String {
        let [low, high] = interval(fitted, fit);
        let most = fitted.sensitivity.most_sensitive;
        let most = most.map_or(String::new(), |row| {
            let figure = figure_of(&self.rows.measured, row);
            let model = format!(" of {}", self.name);
            format!(
                ", most of all {}",
                figure.strip_suffix(&model).unwrap_or(&figure)
            )
        });
        let (_, rms) = errors(&fit.after);
        format!(
            "fitted: to review {}, {} figures; interval {} to {}, within which their error grows \
             by a percentage point at most; a tenth more or less changes figures by up to {:.1} \
             %{most}; remaining error {:.1} % (root of the mean square)",
            self.review,
            fit.after.rows.len(),
            short(low),
            short(high),
            fitted.sensitivity.change_per_tenth * 100.0,
            rms * 100.0
        )
    }
}

fn trouble(error: FitError) -> TwinError {
    TwinError::Model(error.to_string())
}

/// Interval in which the root of the mean square of all errors grows by at most [`ERROR_ADDED`], if
/// it grows with the square of the distance; within the figure's bounds.
pub fn interval(fitted: &Fitted, fit: &Fit) -> [f64; 2] {
    let bounds = fitted.parameter.figure.bounds;
    let added = fitted.sensitivity.cost_added;
    if added <= 0.0 {
        return bounds;
    }
    let rms = fit.after.cost.max(0.0).sqrt();
    let allowed = (rms + ERROR_ADDED).powi(2) - rms * rms;
    let moved = (fitted.sensitivity.tried - fitted.value).abs();
    let half = moved * (allowed / added).sqrt();
    let [low, high] = [fitted.value - half, fitted.value + half];
    [low.max(bounds[0]), high.min(bounds[1])]
}

/// A number with four significant digits.
fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let unit = 10_f64.powf(value.abs().log10().floor() - 3.0);
    format!("{}", (value / unit).round() * unit.max(1e-9))
}
