//! The table `[thermal]`.

use serde::Deserialize;
use stend_base::Nanos;

use super::check::Checker;
use super::schema::Model;
use super::sourced::{Field, Value};
use crate::spec::{ThermalSpec, Throttle};

/// Heat, and what is done against it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThermalTable {
    /// Around the drive, °C.
    pub ambient_c: Field<f64>,
    /// From the flash and the controller to the air, K/W.
    pub resistance_k_per_w: Field<f64>,
    /// Of the drive, J/K.
    pub capacity_j_per_k: Field<f64>,
    /// Time between two looks at the temperature, ms.
    pub step_ms: Field<u64>,
    /// Above it the time counts as too warm, °C.
    pub warning_c: Field<f64>,
    /// Above it the time counts as critical, °C.
    pub critical_c: Field<f64>,
    /// `none`, `stepwise`, `gradual`.
    pub throttle: Field<String>,
    /// Commands are admitted for a share of so long a time, before a rest, µs.
    pub period_us: Option<Field<u64>>,
    /// Stepwise: temperatures from which on less is admitted, °C.
    pub steps_c: Option<Field<Vec<f64>>>,
    /// Stepwise: the share admitted from each of them on, percent.
    pub steps_percent: Option<Field<Vec<f64>>>,
    /// Stepwise: how far below its temperature a step is left, K.
    pub hysteresis_k: Option<Field<f64>>,
    /// Gradual: where the least is admitted, °C.
    pub limit_c: Option<Field<f64>>,
    /// Gradual: range below the limit in which the share falls, K.
    pub band_k: Option<Field<f64>>,
    /// Gradual: the least share, percent.
    pub least_percent: Option<Field<f64>>,
}

const THROTTLES: &[&str] = &["none", "stepwise", "gradual"];

pub(super) fn check(c: &mut Checker<'_>, model: &Model) {
    let Some(t) = &model.thermal else {
        return;
    };
    c.range("thermal.ambient_c", &t.ambient_c, -40.0..=100.0);
    c.range(
        "thermal.resistance_k_per_w",
        &t.resistance_k_per_w,
        0.01..=1_000.0,
    );
    c.range(
        "thermal.capacity_j_per_k",
        &t.capacity_j_per_k,
        0.1..=10_000.0,
    );
    c.range("thermal.step_ms", &t.step_ms, 1..=10_000);
    c.range("thermal.warning_c", &t.warning_c, 0.0..=200.0);
    c.range("thermal.critical_c", &t.critical_c, 0.0..=200.0);
    c.one_of("thermal.throttle", &t.throttle, THROTTLES);
    if model.energy.is_none() {
        let message = "it needs an account of energy: the table [energy]".to_string();
        c.report("thermal.step_ms", &t.step_ms, message);
    }
    c.optional("thermal.hysteresis_k", &t.hysteresis_k, 0.0..=100.0);
    c.optional("thermal.limit_c", &t.limit_c, 0.0..=200.0);
    c.optional("thermal.band_k", &t.band_k, 0.1..=100.0);
    c.optional("thermal.least_percent", &t.least_percent, 0.1..=100.0);
    c.optional("thermal.period_us", &t.period_us, 10..=10_000_000);
    steps(c, t);
    let needed: &[(&str, bool)] = match t.throttle.get().as_str() {
        "stepwise" => &[
            ("period_us", t.period_us.is_some()),
            ("steps_c", t.steps_c.is_some()),
            ("steps_percent", t.steps_percent.is_some()),
            ("hysteresis_k", t.hysteresis_k.is_some()),
        ],
        "gradual" => &[
            ("period_us", t.period_us.is_some()),
            ("limit_c", t.limit_c.is_some()),
            ("band_k", t.band_k.is_some()),
            ("least_percent", t.least_percent.is_some()),
        ],
        _ => &[],
    };
    for (key, _) in needed.iter().filter(|(_, given)| !given) {
        let message = format!("`{}` needs thermal.{key}", t.throttle.get());
        c.report("thermal.throttle", &t.throttle, message);
    }
}

fn steps(c: &mut Checker<'_>, t: &ThermalTable) {
    let (Some(temperatures), Some(shares)) = (&t.steps_c, &t.steps_percent) else {
        return;
    };
    c.source("thermal.steps_c", temperatures);
    c.source("thermal.steps_percent", shares);
    let (at, percent) = (temperatures.get(), shares.get());
    if at.is_empty() || at.len() != percent.len() {
        let message = format!(
            "{} temperatures for {} shares; both need one for each step, at least one",
            at.len(),
            percent.len()
        );
        c.report("thermal.steps_c", temperatures, message);
    }
    if !at.is_sorted_by(|a, b| a < b) || !at.iter().all(|t| (0.0..=200.0).contains(t)) {
        let message = "it must rise, from 0 to 200".to_string();
        c.report("thermal.steps_c", temperatures, message);
    }
    if !percent.iter().all(|share| (0.1..=100.0).contains(share)) {
        let message = "each must lie from 0.1 to 100".to_string();
        c.report("thermal.steps_percent", shares, message);
    }
}

fn milli(value: f64) -> i64 {
    (value * 1e3).round() as i64
}

fn share_ppm(percent: f64) -> u32 {
    (percent * 1e4).round() as u32
}

pub(super) fn spec(model: &Model) -> Option<ThermalSpec> {
    let t = model.thermal.as_ref()?;
    let number = |field: &Option<Field<f64>>| field.as_ref().map_or(0.0, Value::get);
    let list = |field: &Option<Field<Vec<f64>>>| field.as_ref().map_or(Vec::new(), Value::get);
    Some(ThermalSpec {
        ambient_mc: milli(t.ambient_c.get()),
        resistance_mk_per_w: milli(t.resistance_k_per_w.get()).unsigned_abs(),
        capacity_mj_per_k: milli(t.capacity_j_per_k.get()).unsigned_abs(),
        step: Nanos::from_millis(t.step_ms.get()),
        warning_mc: milli(t.warning_c.get()),
        critical_mc: milli(t.critical_c.get()),
        period: Nanos::from_micros(t.period_us.as_ref().map_or(0, Value::get)),
        throttle: match t.throttle.get().as_str() {
            "stepwise" => Throttle::Stepwise {
                steps: list(&t.steps_c)
                    .into_iter()
                    .map(milli)
                    .zip(list(&t.steps_percent).into_iter().map(share_ppm))
                    .collect(),
                hysteresis_mk: milli(number(&t.hysteresis_k)),
            },
            "gradual" => Throttle::Gradual {
                limit_mc: milli(number(&t.limit_c)),
                band_mk: milli(number(&t.band_k)),
                least_ppm: share_ppm(number(&t.least_percent)),
            },
            _ => Throttle::None,
        },
    })
}
