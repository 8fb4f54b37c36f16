//! Plausible versions of drives: every figure that has a range and is assumed, remembered or fitted
//! is drawn from that range.
//!
//! A figure of a part is drawn once for all drives that include the part. The distribution is
//! triangular, with its peak at the figure's value: the usual one for a quantity of which only the
//! lowest, highest and likeliest values are known (Johnson, "The triangular distribution as a proxy
//! for the beta distribution in risk analysis", The Statistician 46, 1997). A range that is
//! searched by its logarithm is also drawn by it. The entries of a list are drawn together, so that
//! they keep their order. A draw depends only on the seed, its number, and the names of the figure
//! and its file: more draws, additional drives, or another folder change none.
//!
//! If the values make an invalid model, all figures of that drive are drawn again, including those
//! of its parts, which other drives share.

use std::collections::BTreeMap;

use stend_base::Rng;
use stend_model::{Files, Model, PARTS, SHIPPED};

use crate::fitting::{FitError, Parameter, Set, ranges, with_values};

/// Maximum number of repeated draws of a figure because its model is invalid.
const ATTEMPTS_MAX: u32 = 200;

/// Source of the values of a version, in its files.
const SOURCE: &str = "assumed: drawn from its range";

/// Drives, and the figures that are drawn for them.
pub struct Drawing<'a> {
    models: &'a [(String, Files)],
    parameters: Vec<Parameter>,
}

/// One plausible version of each drive.
#[derive(Clone, Debug)]
pub struct Version {
    /// The models, in the order of the drives.
    pub models: Vec<Model>,
    /// By parameter: the place of the figure in its range, 0 to 1.
    pub places: Vec<f64>,
}

impl<'a> Drawing<'a> {
    /// Selects the figures of drives that have a range and are assumed, remembered or fitted.
    pub fn new(models: &'a [(String, Files)]) -> Drawing<'a> {
        let mut parameters = ranges(models);
        parameters.retain(|parameter| parameter.figure.is_unsure());
        Drawing { models, parameters }
    }

    /// Figures that are drawn.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Draws version `number` of all drives.
    ///
    /// # Errors
    /// [`FitError::Model`] if no draw of a drive's figures makes a valid model.
    pub fn version(&self, seed: u64, number: u32) -> Result<Version, FitError> {
        let mut attempts = vec![0_u32; self.parameters.len()];
        let mut models: BTreeMap<usize, Model> = BTreeMap::new();
        let mut places = self.places(seed, number, &attempts);
        while let Some((index, error)) = self.first_unsound(&places, &mut models) {
            let name = &self.models[index].0;
            for (parameter, attempt) in self.parameters.iter().zip(&mut attempts) {
                if parameter.models.contains(name) {
                    *attempt += 1;
                    if *attempt > ATTEMPTS_MAX {
                        return Err(FitError::Model(format!(
                            "{name}: {ATTEMPTS_MAX} draws from the ranges of its figures make no \
                             sound model; narrow free or free_ratio of what the last one tells: \
                             {error}"
                        )));
                    }
                }
            }
            let again = self.places(seed, number, &attempts);
            self.forget_changed(&places, &again, &mut models);
            places = again;
        }
        Ok(Version {
            models: models.into_values().collect(),
            places,
        })
    }

    /// Place of each figure in its range.
    fn places(&self, seed: u64, number: u32, attempts: &[u32]) -> Vec<f64> {
        let place = |(parameter, attempt): (&Parameter, &u32)| {
            let figure = &parameter.figure;
            let name = format!(
                "draw {number} {attempt} {} {} {}",
                lasting_name(&figure.file),
                figure.table,
                figure.key
            );
            let share = Rng::stream(seed, &name).unit_f64();
            triangular(share, parameter.place(figure.value).clamp(0.0, 1.0))
        };
        self.parameters.iter().zip(attempts).map(place).collect()
    }

    /// Creates the missing models; returns the index and the error of the first invalid one.
    fn first_unsound(
        &self,
        places: &[f64],
        models: &mut BTreeMap<usize, Model>,
    ) -> Option<(usize, FitError)> {
        let sets: Vec<Set<'_>> = self
            .parameters
            .iter()
            .zip(places)
            .map(|(parameter, place)| Set {
                parameter,
                value: parameter.value(*place),
                source: SOURCE,
            })
            .collect();
        for (index, (_, files)) in self.models.iter().enumerate() {
            if models.contains_key(&index) {
                continue;
            }
            let model = with_values(files, &sets).and_then(|files| {
                let model = files.model();
                model.map_err(|error| FitError::Model(error.to_string()))
            });
            match model {
                Ok(model) => models.insert(index, model),
                Err(error) => return Some((index, error)),
            };
        }
        None
    }

    /// Removes the models of which a figure has changed.
    fn forget_changed(&self, old: &[f64], new: &[f64], models: &mut BTreeMap<usize, Model>) {
        let both = old.iter().zip(new);
        for (parameter, _) in self
            .parameters
            .iter()
            .zip(both)
            .filter(|(_, (a, b))| a != b)
        {
            models.retain(|index, _| !parameter.models.contains(&self.models[*index].0));
        }
    }
}

/// A file's name independent of its folder: the name of a shipped file is unchanged, other names
/// lose their folders.
fn lasting_name(file: &str) -> &str {
    let is_shipped = |name: &str| {
        let drive = name.strip_suffix(".toml").unwrap_or(name);
        PARTS.iter().any(|part| part.name == name) || SHIPPED.iter().any(|one| one.name == drive)
    };
    match file.strip_prefix("drives/").is_some_and(is_shipped) {
        true => file,
        false => file.rsplit('/').next().unwrap_or(file),
    }
}

/// Quantile of the triangular distribution from 0 to 1 with its peak at `peak`: the value below
/// which `share` of it lies.
fn triangular(share: f64, peak: f64) -> f64 {
    match share < peak {
        true => (share * peak).sqrt(),
        false => 1.0 - ((1.0 - share) * (1.0 - peak)).sqrt(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_triangular_distribution_has_its_mean_and_its_bounds() {
        for peak in [0.0, 0.2, 0.5, 1.0] {
            let shares = (0..1000).map(|n| (f64::from(n) + 0.5) / 1000.0);
            let values: Vec<f64> = shares.map(|share| triangular(share, peak)).collect();
            assert!(values.iter().all(|value| (0.0..=1.0).contains(value)));
            assert!(values.is_sorted());
            let mean = values.iter().sum::<f64>() / 1000.0;
            assert!((mean - (1.0 + peak) / 3.0).abs() < 1e-3, "{peak} {mean}");
        }
    }
}
