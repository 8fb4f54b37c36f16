//! The files of models with fitted values, each with its source.

use stend_model::Files;

use super::parameters::{Set, with_values};
use super::{Fit, FitError, Fitted};
use crate::measured::Measured;

/// A file with fitted values, or one that a drive file with fitted values includes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Name of the original file, as in [`stend_model::ModelFile::name`].
    pub original: String,
    /// Path below a folder at which the drive files find it.
    pub path: String,
    /// True if the original is built into the program.
    pub built_in: bool,
    /// True if any of its figures was fitted.
    pub changed: bool,
    /// Its text.
    pub text: String,
}

/// The models' files with the fitted values: the drives' own, and each part that was changed or is
/// not built in.
///
/// # Errors
/// [`FitError::Model`] if the values make an invalid model, or two files would have the same path.
pub fn written(
    models: &[(String, Files)],
    measured: &Measured,
    fit: &Fit,
) -> Result<Vec<Written>, FitError> {
    // The entries of a list share one source: that of the entry with the largest effect.
    let most_sensitive = |of: &Fitted| {
        let same = |other: &&Fitted| is_one_figure(of, other);
        let change = |fitted: &Fitted| fitted.sensitivity.change_per_tenth;
        let group = fit.parameters.iter().filter(same);
        let most = group.max_by(|a, b| change(a).total_cmp(&change(b)));
        source(most.unwrap_or(of), measured, fit)
    };
    let sources: Vec<String> = fit.parameters.iter().map(most_sensitive).collect();
    let sets = fit.parameters.iter().zip(&sources);
    let sets: Vec<Set<'_>> = sets
        .filter(|(fitted, _)| fitted.determined)
        .map(|(fitted, source)| Set {
            parameter: &fitted.parameter,
            value: fitted.value,
            source,
        })
        .collect();
    let mut all: Vec<Written> = Vec::new();
    for (_, files) in models {
        let changed = with_values(files, &sets)?;
        changed
            .model()
            .map_err(|e| FitError::Model(e.to_string()))?;
        let folder = folder_of(&files.files()[0].name);
        for (index, (old, new)) in files.files().iter().zip(changed.files()).enumerate() {
            let file = Written {
                original: old.name.clone(),
                path: below(&folder, &old.name),
                built_in: old.built_in,
                changed: old.text != new.text,
                text: new.text.clone().into_owned(),
            };
            if index > 0 && !file.changed && file.built_in {
                continue;
            }
            match all.iter().find(|other| other.path == file.path) {
                None => all.push(file),
                Some(other) if *other == file => {}
                Some(other) => {
                    return Err(FitError::Model(format!(
                        "{} and {} would both be {} beside the result; fit them one at a time",
                        other.original, file.original, file.path
                    )));
                }
            }
        }
    }
    Ok(all)
}

fn is_one_figure(a: &Fitted, b: &Fitted) -> bool {
    let (a, b) = (&a.parameter.figure, &b.parameter.figure);
    (&a.file, &a.table, &a.key) == (&b.file, &b.table, &b.key)
}

/// Folder of a path, with the slash at its end.
fn folder_of(path: &str) -> String {
    path.rsplit_once('/')
        .map_or(String::new(), |(folder, _)| format!("{folder}/"))
}

fn below(folder: &str, path: &str) -> String {
    // A built-in part beside the user's drive file is also below `drives/`.
    let path = path.strip_prefix(folder).unwrap_or(path);
    path.strip_prefix("drives/").unwrap_or(path).to_owned()
}

/// Source of a fitted value.
fn source(fitted: &Fitted, measured: &Measured, fit: &Fit) -> String {
    let rows = fit.after.rows.iter();
    let mut models: Vec<&str> = rows
        .filter(|(_, outcome)| outcome.answer().is_some())
        .filter_map(|(row, _)| measured.rows[*row].model.as_deref())
        .collect();
    let count = models.len();
    models.sort_unstable();
    models.dedup();
    let sensitivity = &fitted.sensitivity;
    let figure = sensitivity.most_sensitive.map_or(String::new(), |row| {
        format!(", most of all {}", figure_of(measured, row))
    });
    format!(
        "fitted: to {count} measured figures of {}; sensitivity: a tenth more or less of it \
         changes figures by up to {:.1} %{figure}; remaining error {:.1} % (root of the mean \
         square)",
        models.join(", "),
        sensitivity.change_per_tenth * 100.0,
        fit.after.error_rms() * 100.0
    )
}

/// Metric and model of a row.
pub fn figure_of(measured: &Measured, row: usize) -> String {
    let row = &measured.rows[row];
    let metric = row.ask.as_ref().map_or("", |ask| {
        &measured.tests[ask.test].figures[ask.figure].metric
    });
    format!("{metric} of {}", row.model.as_deref().unwrap_or_default())
}
