//! The variants of a study: the combinations of its factors' values.
//!
//! A grid combines every value with every other. In a random design, a factor's position within its
//! values is a number from 0 to 1: from a Sobol sequence with Owen's scrambling (Burley, "Practical
//! Hash-based Owen Scrambling", JCGT 9, 2020) or from a Latin hypercube (McKay, Beckman, Conover,
//! "A Comparison of Three Methods for Selecting Values of Input Variables in the Analysis of Output
//! from a Computer Code", Technometrics 21, 1979), which has one sample in each of as many equal
//! parts as there are samples.

mod factor;

use stend_base::Rng;
use stend_experiment::Metric;

use crate::definition::{Definition, DesignName};
use crate::error::Wrong;

pub(crate) use factor::{Factor, Value, finite};

/// Most variants: more are a mistake.
const VARIANTS_MAX: u64 = 1_000_000;

/// Most factors that the Sobol sequence supports.
const SOBOL_FACTORS_MAX: usize = sobol_burley::NUM_DIMENSIONS as usize;

/// Most samples that the Sobol sequence supports.
const SOBOL_SAMPLES_MAX: u32 = 1 << 16;

/// The values of all factors in one variant.
pub(crate) type Variant = Vec<Value>;

/// Creates the factors of a study.
pub(crate) fn factors(definition: &Definition) -> Result<Vec<Factor>, Wrong> {
    let design = definition.design;
    let factors = definition.factor.iter().enumerate();
    let factors: Result<Vec<Factor>, Wrong> = factors
        .map(|(index, entry)| Factor::of(entry, design, &format!("factor[{index}]")))
        .collect();
    let factors = factors?;
    for (at, factor) in factors.iter().enumerate() {
        let path = || format!("factor[{at}]");
        if factors[..at].iter().any(|other| other.name == factor.name) {
            let message = format!("two factors are named `{}`: give one a `name`", factor.name);
            return Err(Wrong::new(path(), message));
        }
        if let Some((key, other)) = set_twice(&factors[..at], factor) {
            let message = format!("`{key}` is set by the factor `{other}` too, and one would win");
            return Err(Wrong::new(path(), message));
        }
        let name = factor.name.as_str();
        let taken = match RESERVED.contains(&name) {
            true => "a column of every table",
            false if Metric::named(name).is_ok() => "the name of an outcome",
            false if name.contains(char::is_control) => "no name of a column",
            false => continue,
        };
        let message = format!(
            "`{}` is {taken}: give another `name`",
            name.escape_default()
        );
        return Err(Wrong::new(path(), message));
    }
    Ok(factors)
}

/// Returns a key or word that the factor and an earlier one both set, with the earlier factor's
/// name.
fn set_twice(before: &[Factor], factor: &Factor) -> Option<(String, String)> {
    let keys = factor.keys();
    before.iter().find_map(|other| {
        let word = other.word.clone().filter(|_| other.word == factor.word);
        let key = other.keys().into_iter().find(|key| keys.contains(key));
        Some((word.or_else(|| key.cloned())?, other.name.clone()))
    })
}

/// Returns the factors and the variants of a study.
pub(crate) fn variants(definition: &Definition) -> Result<(Vec<Factor>, Vec<Variant>), Wrong> {
    let design = definition.design;
    let factors = factors(definition)?;
    let places = match (design, definition.samples) {
        (DesignName::Grid, None) => grid(&factors)?,
        (DesignName::Grid, Some(_)) => {
            let message =
                "a grid takes every value; `samples` is for `sobol` and `latin-hypercube`";
            return Err(Wrong::new("samples", message));
        }
        (_, None | Some(0)) => {
            let message = format!(
                "`{}` needs `samples`: how many variants, from 1",
                design.name()
            );
            return Err(Wrong::new("design", message));
        }
        (_, Some(_)) if factors.is_empty() => {
            let message = "a random design needs at least one [[factor]] to draw";
            return Err(Wrong::new("design", message));
        }
        (DesignName::Sobol, Some(samples)) => sobol(&factors, samples, definition.design_seed)?,
        (DesignName::LatinHypercube, Some(samples)) => {
            check_count(samples.into())?;
            hypercube(&factors, samples, definition.design_seed)
        }
    };
    let values = |places: Vec<f64>| {
        let values = factors.iter().zip(places);
        values.map(|(factor, place)| factor.at(place)).collect()
    };
    let variants = places.into_iter().map(values).collect();
    Ok((factors, variants))
}

/// Columns that every table has.
pub(crate) const RESERVED: [&str; 6] = ["row", "model", "seed", "job", "error", "duration_scale"];

fn check_count(count: u64) -> Result<(), Wrong> {
    match count <= VARIANTS_MAX {
        true => Ok(()),
        false => Err(Wrong::new(
            "",
            format!("the study has {count} variants; at most {VARIANTS_MAX} are allowed"),
        )),
    }
}

/// Returns the positions of every level with every other; the last factor changes fastest.
fn grid(factors: &[Factor]) -> Result<Vec<Vec<f64>>, Wrong> {
    let levels: Vec<u64> = factors
        .iter()
        .map(|factor| factor.levels().into())
        .collect();
    let count = levels
        .iter()
        .try_fold(1_u64, |product, n| product.checked_mul(*n));
    check_count(count.unwrap_or(u64::MAX))?;
    let mut places = vec![Vec::new()];
    for count in levels {
        let with = |before: &Vec<f64>| {
            let before = before.clone();
            (0..count).map(move |level| {
                let place = (level as f64 + 0.5) / count as f64;
                [before.as_slice(), &[place]].concat()
            })
        };
        places = places.iter().flat_map(with).collect();
    }
    Ok(places)
}

fn sobol(factors: &[Factor], samples: u32, seed: u64) -> Result<Vec<Vec<f64>>, Wrong> {
    if factors.len() > SOBOL_FACTORS_MAX || samples > SOBOL_SAMPLES_MAX {
        let message = format!(
            "a Sobol sequence has at most {SOBOL_FACTORS_MAX} factors and {SOBOL_SAMPLES_MAX} \
             samples; `latin-hypercube` has more"
        );
        return Err(Wrong::new("design", message));
    }
    // The sequence uses 32 bits of a seed.
    let seed = Rng::stream(seed, "sobol").next_u64() as u32;
    let place = |sample, dimension| f64::from(sobol_burley::sample(sample, dimension, seed));
    let dimensions = factors.len() as u32;
    let of_sample = |sample| (0..dimensions).map(|d| place(sample, d)).collect();
    Ok((0..samples).map(of_sample).collect())
}

fn hypercube(factors: &[Factor], samples: u32, seed: u64) -> Vec<Vec<f64>> {
    let mut places = vec![Vec::new(); samples as usize];
    for factor in factors {
        // A separate stream, so that another factor does not change this one.
        let mut rng = Rng::stream(seed, &format!("latin hypercube {}", factor.name));
        let mut parts: Vec<u32> = (0..samples).collect();
        for at in (1..samples).rev() {
            parts.swap(at as usize, rng.below(u64::from(at) + 1) as usize);
        }
        for (of_sample, part) in places.iter_mut().zip(parts) {
            of_sample.push((f64::from(part) + rng.unit_f64()) / f64::from(samples));
        }
    }
    places
}
