//! Harm to simulated drives: aging of data without power, failure of a die, power cuts.

use stend_base::{Device, Nanos, Op, Request, SimTime};

use crate::target::SimulatedTarget;
use stend_load::target::TargetError;

/// Activation energy of the loss of charge, eV (JEDEC JESD218, after JESD22-A117).
const ACTIVATION_EV: f64 = 1.1;

/// Boltzmann's constant, eV/K.
const BOLTZMANN_EV_PER_K: f64 = 8.617_333e-5;

/// Temperature for which a model states the effect of a year, °C: that of JESD218 for client drives
/// without power.
pub const REFERENCE_C: f64 = 30.0;

/// Number of hours at [`REFERENCE_C`] that an hour at this temperature counts as, by the law of
/// Arrhenius.
pub fn acceleration(celsius: f64) -> f64 {
    let inverse = |celsius: f64| 1.0 / (celsius + 273.15);
    let exponent = ACTIVATION_EV / BOLTZMANN_EV_PER_K * (inverse(REFERENCE_C) - inverse(celsius));
    exponent.exp()
}

/// Raw bit error rate before and after data aged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aged {
    /// Days at [`REFERENCE_C`] that the time counted as.
    pub counted_days: f64,
    /// Highest rate of a superblock with data, before; `None` without data.
    pub rber_before: Option<f64>,
    /// Highest rate of a superblock with data, afterwards; `None` without data.
    pub rber: Option<f64>,
}

/// Consequences of a power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerCut {
    /// Time from the cut until the first command was served, ns.
    pub took_ns: u64,
    /// Time from power-up until commands were served, ns.
    pub recovery_ns: u64,
    /// Number of pages whose data the cut destroyed in flash.
    pub lost_pages: u64,
    /// Number of pages of writes that the cut undid, since they were not durable.
    pub undone_pages: u64,
    /// 1 if the capacitors did not hold long enough, else 0.
    pub failed_saves: u64,
}

/// Returns an error that states what is impossible if the errors of the flash are not modelled.
fn has_errors(target: &SimulatedTarget, what: &str) -> Result<(), TargetError> {
    match target.drive().spec().media {
        Some(_) => Ok(()),
        None => Err(TargetError::Input(format!(
            "the model of {} has no errors of the flash ([media]), so that {what}",
            target.model().title
        ))),
    }
}

/// Ages the data by `days` without power at this temperature, °C.
///
/// # Errors
/// [`TargetError::Input`] if the model has no errors of the flash, for an invalid temperature or
/// time, and for more time than a drive's clock can hold.
pub fn age(target: &mut SimulatedTarget, days: f64, celsius: f64) -> Result<Aged, TargetError> {
    has_errors(target, "its data does not age")?;
    // This also excludes NaN.
    if !(days >= 0.0 && celsius > -273.15 && celsius.is_finite()) {
        return Err(TargetError::Input(format!(
            "{days} days at {celsius} °C: the days are 0 or more, the temperature is above \
             -273.15 °C"
        )));
    }
    let counted_days = days * acceleration(celsius);
    let ns = counted_days * 86_400e9;
    if ns >= (u64::MAX / 4) as f64 {
        return Err(TargetError::Input(format!(
            "{days} days at {celsius} °C are {counted_days:.0} days at {REFERENCE_C} °C, more than \
             a drive's clock can hold; name fewer"
        )));
    }
    let rber = |target: &SimulatedTarget| {
        let worst = target.drive().inspect().rber_max();
        worst.map(|rber| rber as f64 / 1e12)
    };
    let rber_before = rber(target);
    let mut service = target.drive_mut().service();
    service.rest_without_power(Nanos(ns as u64));
    Ok(Aged {
        counted_days,
        rber_before,
        rber: rber(target),
    })
}

/// Fails a die: its data cannot be read any more.
///
/// # Errors
/// [`TargetError::Input`] if the model has no errors of the flash, and for a die that does not
/// exist.
pub fn fail_die(target: &mut SimulatedTarget, die: u32) -> Result<(), TargetError> {
    has_errors(target, "no die can fail")?;
    let dies = target.drive().spec().dies;
    if die >= dies {
        let most = dies - 1;
        return Err(TargetError::Input(format!(
            "die {die}: the drive has {dies} dies, 0 to {most}"
        )));
    }
    target.drive_mut().service().fail_die(die);
    Ok(())
}

/// Cuts the power and restores it; the drive recovers.
///
/// # Errors
/// [`TargetError::Input`] if the model does not define the consequences of a power cut;
/// [`TargetError::Failed`] if the drive does not recover, which is a fault of the simulation.
pub fn power_cut(target: &mut SimulatedTarget) -> Result<PowerCut, TargetError> {
    if target.drive().spec().power_loss.is_none() {
        return Err(TargetError::Input(format!(
            "the model of {} has no durability ([power_loss]): power cuts cannot be simulated",
            target.model().title
        )));
    }
    let drive = target.drive_mut();
    let (cut_at, before) = (drive.now(), drive.counters());
    drive.power_cut();
    drive.power_up();
    // The first command waits until the drive has recovered.
    drive.submit(Request {
        op: Op::Flush,
        ..Request::default()
    });
    if drive.advance(SimTime::NEVER).is_none() {
        let stuck = drive.inspect().diagnosis();
        return Err(TargetError::Failed(format!(
            "the drive does not recover: {stuck}"
        )));
    }
    let counters = drive.counters();
    Ok(PowerCut {
        took_ns: drive.now().since(cut_at).0,
        recovery_ns: counters.recovery_ns_last,
        lost_pages: counters.lost_pages - before.lost_pages,
        undone_pages: counters.undone_pages - before.undone_pages,
        failed_saves: counters.failed_saves - before.failed_saves,
    })
}

#[cfg(test)]
mod tests {
    use super::acceleration;

    /// JESD218 requires a year at 30 °C of client drives, and three months at 40 °C of enterprise
    /// drives: nearly the same by its own activation energy.
    #[test]
    fn a_year_at_30_degrees_is_three_months_at_40() {
        assert_eq!(acceleration(30.0), 1.0);
        let months = 3.0 * acceleration(40.0);
        assert!((months / 12.0 - 1.0).abs() < 0.05, "{months}");
        assert!(acceleration(55.0) > 20.0 && acceleration(25.0) < 0.55);
    }
}
