//! The result of a fit as JSON.

use serde_json::{Value, json};

use super::{Evaluation, Fit, Written, figure_of};
use crate::compare::{Outcome, median};
use crate::measured::Measured;

/// The result of a fit (schema `stend.fit/1`), with the files that contain the fitted values.
pub fn document(measured: &Measured, fit: &Fit, files: &[Written]) -> Value {
    let parameters = fit.parameters.iter().map(|fitted| {
        let (figure, sensitivity) = (&fitted.parameter.figure, &fitted.sensitivity);
        json!({
            "file": figure.file,
            "table": figure.table,
            "key": figure.key,
            "index": figure.index,
            "models": fitted.parameter.models,
            "free": figure.bounds,
            "before": figure.value,
            "after": fitted.value,
            "determined": fitted.determined,
            "sensitivity": {
                "tried": sensitivity.tried,
                "change_per_tenth": sensitivity.change_per_tenth,
                "most_felt": sensitivity.most_sensitive.map(|row| figure_of(measured, row)),
                "cost_added": sensitivity.cost_added,
            },
        })
    });
    let rows = fit.before.rows.iter().zip(&fit.after.rows);
    let rows = rows.map(|((row, before), (_, after))| {
        let row = &measured.rows[*row];
        json!({
            "drive": row.drive,
            "model": row.model,
            "what": row.what,
            "published": row.published,
            "before": answer(before),
            "after": answer(after),
        })
    });
    let unanswered = fit.unanswered.iter().map(|(row, reason)| {
        let row = &measured.rows[*row];
        json!({ "drive": row.drive, "what": row.what, "unanswered": reason })
    });
    let paths = files.iter().map(
        |file| json!({ "path": file.path, "original": file.original, "changed": file.changed }),
    );
    let [before, after] = [&fit.before, &fit.after].map(|evaluation| {
        let (median, rms) = errors(evaluation);
        json!({ "cost": evaluation.cost, "error_median": median, "error_rms": rms })
    });
    json!({
        "schema": "stend.fit/1",
        "generations": fit.generations,
        "population": fit.population,
        "before": before,
        "after": after,
        "parameters": parameters.collect::<Vec<_>>(),
        "rows": rows.collect::<Vec<_>>(),
        "unanswered": unanswered.collect::<Vec<_>>(),
        "files": paths.collect::<Vec<_>>(),
    })
}

fn answer(outcome: &Outcome) -> Value {
    match outcome.answer() {
        Some(answer) => json!({ "predicted": answer.predicted, "error": answer.error }),
        None => Value::Null,
    }
}

/// Median of the absolute errors, and the root of their mean square.
pub fn errors(evaluation: &Evaluation) -> (f64, f64) {
    let sizes = evaluation
        .errors()
        .iter()
        .map(|error| error.abs())
        .collect();
    (median(sizes).unwrap_or_default(), evaluation.error_rms())
}
