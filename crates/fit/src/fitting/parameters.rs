//! The free figures of models as parameters of a search: each between 0 and 1 within its bounds.

use std::collections::BTreeMap;

use stend_model::{Files, FreeFigure, NewValue, write_values};

use super::FitError;

/// Smallest ratio of its bounds at which a positive figure is searched by its logarithm.
const LOG_FROM: f64 = 2.0;

/// A figure that may be fitted. A figure of a part belongs to all models with that part.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The figure.
    pub figure: FreeFigure,
    /// Names of the models with this figure.
    pub models: Vec<String>,
}

impl Parameter {
    /// File, table, key and index in its list.
    pub fn name(&self) -> String {
        let figure = &self.figure;
        let index = figure.index.map_or(String::new(), |i| format!("[{i}]"));
        format!("{}: {}.{}{index}", figure.file, figure.table, figure.key)
    }

    /// Value at a place from 0 to 1 between the bounds, rounded for a whole figure.
    pub fn value(&self, place: f64) -> f64 {
        let [lowest, highest] = self.figure.bounds;
        let place = place.clamp(0.0, 1.0);
        let value = match self.by_logarithm() {
            true => (lowest.ln() + place * (highest / lowest).ln()).exp(),
            false => lowest + place * (highest - lowest),
        };
        self.allowed(value)
    }

    /// Place of a value between the bounds.
    pub fn place(&self, value: f64) -> f64 {
        let [lowest, highest] = self.figure.bounds;
        match self.by_logarithm() {
            true => (value / lowest).ln() / (highest / lowest).ln(),
            false => (value - lowest) / (highest - lowest),
        }
    }

    /// The nearest allowed value: within the bounds; for a whole figure, a whole number and the
    /// required multiple; otherwise rounded to six digits, more than any figure is known to.
    pub fn allowed(&self, value: f64) -> f64 {
        let [lowest, highest] = self.figure.bounds;
        if self.figure.whole {
            let (lowest, highest, multiple_of) = self.whole_bounds();
            return (value / multiple_of).round().clamp(lowest, highest) * multiple_of;
        }
        let digits = format!("{value:.5e}");
        digits.parse().unwrap_or(value).clamp(lowest, highest)
    }

    fn by_logarithm(&self) -> bool {
        let [lowest, highest] = self.figure.bounds;
        lowest > 0.0 && highest / lowest >= LOG_FROM
    }

    /// True if there is more than one value to choose from.
    fn has_room(&self) -> bool {
        let [lowest, highest] = self.figure.bounds;
        match self.figure.whole {
            true => {
                let (lowest, highest, _) = self.whole_bounds();
                lowest < highest
            }
            false => lowest < highest,
        }
    }

    /// Bounds of a whole figure, in units of its required multiple; the bounds themselves need not
    /// be whole.
    fn whole_bounds(&self) -> (f64, f64, f64) {
        let multiple_of = f64::from(self.figure.multiple_of);
        let [lowest, highest] = self.figure.bounds.map(|bound| bound / multiple_of);
        (lowest.ceil(), highest.floor(), multiple_of)
    }
}

/// Figures of all models that may be fitted, each once, in the order of the models and their files.
pub fn parameters(models: &[(String, Files)]) -> Vec<Parameter> {
    let mut parameters = ranges(models);
    parameters.retain(|parameter| parameter.figure.may_be_fitted);
    parameters
}

/// Figures of all models that have a range, each once, in the order of the models and their files.
pub(crate) fn ranges(models: &[(String, Files)]) -> Vec<Parameter> {
    let mut parameters: Vec<Parameter> = Vec::new();
    for (name, files) in models {
        for figure in files.free() {
            let same = |other: &&mut Parameter| {
                let other = &other.figure;
                (&other.file, &other.table, &other.key, other.index)
                    == (&figure.file, &figure.table, &figure.key, figure.index)
            };
            match parameters.iter_mut().find(same) {
                Some(parameter) => parameter.models.push(name.clone()),
                None => parameters.push(Parameter {
                    figure,
                    models: vec![name.clone()],
                }),
            }
        }
    }
    parameters.retain(Parameter::has_room);
    parameters
}

/// A value for a parameter, and its source.
pub(crate) struct Set<'a> {
    pub(crate) parameter: &'a Parameter,
    pub(crate) value: f64,
    pub(crate) source: &'a str,
}

/// Files of a model with changed values.
pub(crate) fn with_values(files: &Files, sets: &[Set<'_>]) -> Result<Files, FitError> {
    let mut values_of: BTreeMap<&str, Vec<NewValue<'_>>> = BTreeMap::new();
    for set in sets {
        let figure = &set.parameter.figure;
        let value = NewValue {
            table: &figure.table,
            key: &figure.key,
            index: figure.index,
            value: set.value,
            source: set.source,
        };
        values_of.entry(&figure.file).or_default().push(value);
    }
    let mut texts = Vec::new();
    for file in files.files() {
        if let Some(values) = values_of.get(&*file.name) {
            let text = write_values(&file.text, values)
                .map_err(|error| FitError::Model(format!("{}: {error}", file.name)))?;
            texts.push((&*file.name, text));
        }
    }
    let mut changed = files.clone();
    for (name, text) in texts {
        changed
            .replace(name, text)
            .map_err(|error| FitError::Model(error.to_string()))?;
    }
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(bounds: [f64; 2], whole: bool) -> Parameter {
        Parameter {
            figure: FreeFigure {
                file: "f.toml".to_owned(),
                table: "t".to_owned(),
                key: "k".to_owned(),
                index: None,
                value: bounds[0],
                source: String::new(),
                bounds,
                whole,
                may_be_fitted: true,
                multiple_of: 1,
            },
            models: Vec::new(),
        }
    }

    #[test]
    fn places_and_values_are_each_others_inverse_and_within_bounds() {
        for (bounds, whole) in [
            ([100.0, 10_000.0], false),
            ([100.0, 150.0], false),
            ([0.0, 5.0], false),
            ([1.0, 64.0], true),
            ([0.5, 3.5], true),
        ] {
            let parameter = parameter(bounds, whole);
            for step in 0..=20 {
                let place = f64::from(step) / 20.0;
                let value = parameter.value(place);
                assert!(
                    (bounds[0]..=bounds[1]).contains(&value),
                    "{bounds:?} {value}"
                );
                assert!(!whole || value.fract() == 0.0);
                let again = parameter.value(parameter.place(value));
                assert!(
                    (again / value - 1.0).abs() < 1e-5 || value == 0.0,
                    "{again} {value}"
                );
            }
            for outside in [-3.0, 9.0] {
                let value = parameter.value(outside);
                assert!((bounds[0]..=bounds[1]).contains(&value));
            }
        }
        // The middle of a wide range is its geometric mean, of a narrow one the arithmetic.
        assert_eq!(parameter([100.0, 10_000.0], false).value(0.5), 1000.0);
        assert_eq!(parameter([100.0, 150.0], false).value(0.5), 125.0);
    }

    #[test]
    fn multiples_stay_multiples() {
        let mut buffer = parameter([1023.0, 32_769.0], true);
        buffer.figure.multiple_of = 4;
        for (place, value) in [(0.0, 1024.0), (0.5, 5788.0), (1.0, 32_768.0)] {
            assert_eq!(buffer.value(place), value);
        }
        buffer.figure.bounds = [1025.0, 1029.0];
        assert!(!buffer.has_room());
        assert_eq!(buffer.allowed(1025.0), 1028.0);
    }
}
