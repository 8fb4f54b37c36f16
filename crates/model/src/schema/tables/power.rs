//! `[energy]`, `[[idle_states]]` and `[thermal]`.

use stend_base::Nanos;

use super::super::convert::{
    milli, millis, of_milli, or_default, share_ppm, unsigned_milli, value, whole_micros,
};
use super::super::key::{Field, Given, Problems, table};
use super::super::rules::{List, OneOf};
use super::super::types::Throttle;
use super::Model;
use super::nand::planes_together;

table! {
    /// Energy of each operation; of a flash page or a block of one plane. Planes that work together
    /// take it each: a program and an erase all of them, a read those whose flash pages hold the
    /// data. So a read of 4 KiB takes the energy of one plane, and one of a whole multi-plane page
    /// that of all.
    pub struct EnergyTable = "energy" => EnergySpec {
        /// Sensing a flash page, nJ: each that holds what is read, in each pass.
        read_nj: Field<u64>, 0..=1_000_000_000 => |energy, _|
            /// Sensing a flash page, of the SLC cache and of the data area, pJ.
            read_pj: [u64; 2] = of_plane(&energy.slc_read_nj, &energy.read_nj);
        /// Programming a page, the mean over page types, nJ.
        program_nj: Field<u64>, 0..=1_000_000_000 => |energy, model|
            /// Programming a multi-plane page, of the SLC cache and of the data area, pJ.
            program_pj: [u64; 2] = of_die(&energy.slc_program_nj, &energy.program_nj, model);
        /// Erasing a block, nJ.
        erase_nj: Field<u64>, 0..=1_000_000_000 => |energy, model|
            /// Erasing the blocks of one die, of the SLC cache and of the data area, pJ.
            erase_pj: [u64; 2] = of_die(&energy.slc_erase_nj, &energy.erase_nj, model);
        /// Sensing a flash page in SLC mode, nJ.
        slc_read_nj: Field<u64>, 0..=1_000_000_000;
        /// Programming a page in SLC mode, nJ.
        slc_program_nj: Field<u64>, 0..=1_000_000_000;
        /// Erasing a block in SLC mode, nJ.
        slc_erase_nj: Field<u64>, 0..=1_000_000_000;
        /// A byte on a channel, pJ.
        bus_byte_pj: Field<u64>, 0..=1_000_000 => bus_pj_per_byte: u64 = value;
        /// A core at work, mW: at least `core_idle_mw`.
        core_busy_mw: Field<u64>, 0..=100_000 => core_busy_mw: u64 = value;
        /// A core that waits, mW.
        core_idle_mw: Field<u64>, 0..=100_000 => core_idle_mw: u64 = value;
        /// The host link while it moves data, mW: at least `link_idle_mw`.
        link_active_mw: Field<u64>, 0..=100_000 => link_active_mw: u64 = value;
        /// The host link while it does not, mW.
        link_idle_mw: Field<u64>, 0..=100_000 => link_idle_mw: u64 = value;
        /// DRAM with its refresh, mW.
        dram_mw: Field<u64>, 0..=100_000 => dram_mw: u64 = value;
    }
}

table! {
    /// An idle state: one table each, up to 8, in the order in which they are entered.
    pub struct IdleStateTable = "idle_states" => IdleStateSpec {
        /// Its name, for people.
        name: Field<String> => name: String = value;
        /// Time without anything to do before it is entered, ms: longer than that of the one
        /// before.
        delay_ms: Field<u64>, 1..=86_400_000 => delay: Nanos = millis;
        /// Power of the whole drive in it, mW.
        power_mw: Field<u64>, 0..=100_000 => power_mw: u64 = value;
        /// Entry time, µs.
        entry_us: Field<u64>, 0..=60_000_000 => entry: Nanos = whole_micros;
        /// Exit time, which delays the first command, µs.
        exit_us: Field<u64>, 0..=60_000_000 => exit: Nanos = whole_micros;
        /// `true`: idle work is finished first; else it stops until the host has sent a request
        /// again.
        waits_for_idle_work: Field<bool> => waits_for_idle_work: bool = value;
    }
}

table! {
    /// Heat, and throttling. Needs `[energy]`.
    pub struct ThermalTable = "thermal" => ThermalSpec {
        /// Temperature around the drive, and its own at power-on, °C.
        ambient_c: Field<f64>, -40.0..=100.0 => ambient_mc: i64 = milli;
        /// Thermal resistance from the flash and the controller to the air, K/W.
        resistance_k_per_w: Field<f64>, 0.01..=1_000.0 => resistance_mk_per_w: u64 = unsigned_milli;
        /// Heat capacity of the drive, J/K.
        capacity_j_per_k: Field<f64>, 0.1..=10_000.0 => capacity_mj_per_k: u64 = unsigned_milli;
        /// Interval at which the temperature is computed, ms.
        step_ms: Field<u64>, 1..=10_000 => step: Nanos = millis;
        /// Warning temperature: from here on time counts as too warm, °C.
        warning_c: Field<f64>, 0.0..=200.0 => warning_mc: i64 = milli;
        /// Critical temperature: from here on time counts as critical, °C.
        critical_c: Field<f64>, 0.0..=200.0 => critical_mc: i64 = milli;
        /// Way of throttling commands.
        throttle: Field<String>, OneOf(&THROTTLES) => |thermal, _|
            /// Commands are admitted for a share of so long a time, before a rest.
            period: Nanos = Nanos::from_micros(or_default(&thermal.period_us)),
            /// Share as a function of the temperature.
            throttle: Throttle = thermal.throttle();
        /// With a throttle: commands are admitted for a share of such a period, µs; then the drive
        /// rests until its work was that share of the time.
        period_us: Option<Field<u64>>, 10..=10_000_000;
        /// Stepwise: temperatures from which on less is admitted, °C, rising.
        steps_c: Option<Field<Vec<f64>>>;
        /// Stepwise: the share admitted from each of them on, percent.
        steps_percent: Option<Field<Vec<f64>>>, STEP_SHARES;
        /// Stepwise: hysteresis, how far below its temperature a step is left, K.
        hysteresis_k: Option<Field<f64>>, 0.0..=100.0;
        /// Gradual: where the least is admitted, °C.
        limit_c: Option<Field<f64>>, 0.0..=200.0;
        /// Gradual: range below the limit in which the share falls, K.
        band_k: Option<Field<f64>>, 0.1..=100.0;
        /// Gradual: the least share, percent.
        least_percent: Option<Field<f64>>, 0.1..=100.0;
    }
}

const STEP_SHARES: List<f64> = List {
    entries: 0..=usize::MAX,
    what: "one for each step",
    each: 0.1..=100.0,
    ascends: false,
};

/// Kinds of throttling, by name.
const THROTTLES: [(&str, ()); 3] = [("none", ()), ("stepwise", ()), ("gradual", ())];

/// Energy of one plane.
fn of_plane(slc: &Field<u64>, native: &Field<u64>) -> [u64; 2] {
    [slc, native].map(|nj| nj.value * 1_000)
}

/// Energy of all planes that work together.
fn of_die(slc: &Field<u64>, native: &Field<u64>, model: &Model) -> [u64; 2] {
    of_plane(slc, native).map(|pj| pj * u64::from(planes_together(model)))
}

impl ThermalTable {
    fn throttle(&self) -> Throttle {
        match self.throttle.value.as_str() {
            "stepwise" => Throttle::Stepwise {
                steps: or_default(&self.steps_c)
                    .into_iter()
                    .map(of_milli)
                    .zip(or_default(&self.steps_percent).into_iter().map(share_ppm))
                    .collect(),
                hysteresis_mk: of_milli(or_default(&self.hysteresis_k)),
            },
            "gradual" => Throttle::Gradual {
                limit_mc: of_milli(or_default(&self.limit_c)),
                band_mk: of_milli(or_default(&self.band_k)),
                least_ppm: share_ppm(or_default(&self.least_percent)),
            },
            _ => Throttle::None,
        }
    }
}

pub(crate) fn check(problems: &mut Problems, model: &Model) {
    if let Some(energy) = &model.energy {
        at_least(problems, &energy.core_busy_mw, &energy.core_idle_mw);
        at_least(problems, &energy.link_active_mw, &energy.link_idle_mw);
    }
    check_idle_states(problems, &model.idle_states);
    let Some(thermal) = &model.thermal else {
        return;
    };
    if model.energy.is_none() {
        let message = "it needs an account of energy: the table [energy]";
        problems.report(&thermal.step_ms, message);
    }
    check_throttle(problems, thermal);
    check_steps(problems, thermal);
}

/// Work takes no less power than waiting, so that energy only grows.
fn at_least(problems: &mut Problems, field: &Field<u64>, least: &Field<u64>) {
    if field.value < least.value {
        let message = format!(
            "{} is not allowed; it must be at least {} = {}",
            field.value,
            least.name(),
            least.value
        );
        problems.report(field, message);
    }
}

fn check_idle_states(problems: &mut Problems, states: &[IdleStateTable]) {
    let mut before = 0;
    for (number, state) in states.iter().enumerate() {
        let delay = state.delay_ms.value;
        if delay <= before {
            let message = format!(
                "{delay} is not allowed; the states stand in the order in which they are entered, \
                 and the one before is entered after {before} ms"
            );
            problems.report(&state.delay_ms, message);
        }
        before = delay;
        if number == super::super::types::IDLE_STATES_MAX {
            problems.report(&state.name, format!("there are more than {number} states"));
        }
    }
}

fn check_throttle(problems: &mut Problems, t: &ThermalTable) {
    let period = ("period_us", &t.period_us as &dyn Given);
    let needed = match t.throttle.value.as_str() {
        "stepwise" => vec![
            period,
            ("steps_c", &t.steps_c),
            ("steps_percent", &t.steps_percent),
            ("hysteresis_k", &t.hysteresis_k),
        ],
        "gradual" => vec![
            period,
            ("limit_c", &t.limit_c),
            ("band_k", &t.band_k),
            ("least_percent", &t.least_percent),
        ],
        _ => Vec::new(),
    };
    for (key, _) in needed.iter().filter(|(_, given)| given.place().is_none()) {
        let message = format!("`{}` needs thermal.{key}", t.throttle.value);
        problems.report(&t.throttle, message);
    }
}

fn check_steps(problems: &mut Problems, t: &ThermalTable) {
    let (Some(temperatures), Some(shares)) = (&t.steps_c, &t.steps_percent) else {
        return;
    };
    let (at, percent) = (&temperatures.value, shares.value.len());
    if at.is_empty() || at.len() != percent {
        let message = format!(
            "{} temperatures for {percent} shares; both need one for each step, at least one",
            at.len()
        );
        problems.report(temperatures, message);
    }
    if !at.is_sorted_by(|a, b| a < b) || !at.iter().all(|t| (0.0..=200.0).contains(t)) {
        problems.report(temperatures, "it must rise, from 0 to 200");
    }
}
