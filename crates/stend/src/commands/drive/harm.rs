//! What happens to drives, on simulated ones: data ages without power, a die fails, the power is
//! cut.

use stend_base::{Device, Nanos, Op, Request, SimTime};
use stend_target::{SimulatedTarget, TargetError};

use super::done::Done;
use crate::failure::Failure;

/// Activation energy of the loss of charge, eV (JEDEC JESD218, after JESD22-A117).
const ACTIVATION_EV: f64 = 1.1;

/// Boltzmann's constant, eV/K.
const BOLTZMANN_EV_PER_K: f64 = 8.617_333e-5;

/// Temperature for which a model says what a year does, °C: that of JESD218 for client drives
/// without power.
const REFERENCE_C: f64 = 30.0;

/// What an hour counts at this temperature, in hours at [`REFERENCE_C`], by the law of Arrhenius.
fn acceleration(celsius: f64) -> f64 {
    let inverse = |celsius: f64| 1.0 / (celsius + 273.15);
    let exponent = ACTIVATION_EV / BOLTZMANN_EV_PER_K * (inverse(REFERENCE_C) - inverse(celsius));
    exponent.exp()
}

/// Errors of the flash are modelled, or it is said that they are not.
fn has_errors(target: &SimulatedTarget, what: &str) -> Result<(), Failure> {
    match target.drive().spec().media {
        Some(_) => Ok(()),
        None => Err(Failure::Input(format!(
            "the model of {} has no errors of the flash ([media]), so that {what}",
            target.model().title
        ))),
    }
}

/// Data ages for so many days at this temperature.
pub fn age(target: &mut SimulatedTarget, days: f64, celsius: f64) -> Result<Done, Failure> {
    has_errors(target, "its data does not age")?;
    let counted = days * acceleration(celsius);
    let ns = counted * 86_400e9;
    if ns >= (u64::MAX / 4) as f64 {
        return Err(Failure::Input(format!(
            "--days {days} --celsius {celsius}: that is {counted:.0} days at {REFERENCE_C} °C, \
             more than a drive's clock can hold; name fewer"
        )));
    }
    let before = target.drive().rber_max();
    target.drive_mut().rest_without_power(Nanos(ns as u64));
    let after = target.drive().rber_max();
    let share = |rber: Option<u64>| rber.map(|rber| rber as f64 / 1e12);
    let text = format!(
        "its data is older by {days} days at {celsius} °C, which count as {counted:.1} at \
         {REFERENCE_C} °C; the highest raw bit error rate of a superblock with data was \
         {:.2e}, and is {:.2e}",
        share(before).unwrap_or_default(),
        share(after).unwrap_or_default()
    );
    let keys = vec![
        ("days", days.into()),
        ("celsius", celsius.into()),
        ("days_at_30_c", counted.into()),
        ("rber_before", share(before).into()),
        ("rber", share(after).into()),
    ];
    Ok((text, keys))
}

/// A die fails.
pub fn fail_die(target: &mut SimulatedTarget, die: u32) -> Result<Done, Failure> {
    has_errors(target, "no die can fail")?;
    let dies = target.drive().spec().dies;
    if die >= dies {
        let most = dies - 1;
        return Err(Failure::Input(format!(
            "--die {die}: the drive has {dies} dies, 0 to {most}"
        )));
    }
    target.drive_mut().fail_die(die);
    let rebuilt = rebuilt(target.drive().spec().parity_data, dies);
    let text = format!("die {die} of {dies} has failed: {rebuilt}");
    Ok((text, vec![("die", die.into()), ("dies", dies.into())]))
}

/// What parity, of so many pages of data, rebuilds of a die.
fn rebuilt(parity_data: Option<u32>, dies: u32) -> &'static str {
    match parity_data {
        Some(data) if data < dies => "parity rebuilds what lies on it",
        Some(data) if data + 1 < 2 * dies => {
            "parity rebuilds a part of what lies on it: a stripe has more pages than dies"
        }
        Some(_) => {
            "parity rebuilds hardly anything of what lies on it: a full stripe has several pages \
             on each die"
        }
        None => "what lies on it is lost, for the drive has no parity",
    }
}

/// The power is cut and comes back.
pub fn power_cut(target: &mut SimulatedTarget) -> Result<Done, Failure> {
    if target.drive().spec().power_loss.is_none() {
        return Err(Failure::Input(format!(
            "the model of {} does not say what a power cut leaves ([power_loss])",
            target.model().title
        )));
    }
    let drive = target.drive_mut();
    let (cut_at, lost) = (drive.now(), drive.counters().lost_pages);
    drive.power_cut();
    drive.power_up();
    // The first command waits until the drive has recovered.
    drive.submit(Request {
        op: Op::Flush,
        ..Request::default()
    });
    if drive.advance(SimTime::NEVER).is_none() {
        let stuck = drive.diagnosis();
        let message = format!("the drive does not recover: {stuck}");
        return Err(TargetError::Failed(message).into());
    }
    let took = drive.now().since(cut_at);
    let counters = drive.counters();
    let text = format!(
        "the power was cut and came back: recovery took {:.3} s",
        took.0 as f64 / 1e9
    );
    let keys = vec![
        ("recovery_ns", counters.recovery_ns_last.into()),
        ("lost_pages", (counters.lost_pages - lost).into()),
        ("failed_saves", counters.failed_saves.into()),
    ];
    Ok((text, keys))
}

#[cfg(test)]
mod tests {
    use super::{acceleration, rebuilt};

    #[test]
    fn a_die_is_rebuilt_where_a_stripe_has_one_page_on_it() {
        assert!(rebuilt(Some(15), 16).starts_with("parity rebuilds what"));
        for data in [16, 30] {
            assert!(rebuilt(Some(data), 16).starts_with("parity rebuilds a part"));
        }
        for data in [31, 127] {
            assert!(rebuilt(Some(data), 16).starts_with("parity rebuilds hardly"));
        }
        assert!(rebuilt(None, 16).contains("no parity"));
    }

    /// JESD218 requires of client drives a year at 30 °C, of enterprise drives three months at
    /// 40 °C: nearly the same by its own activation energy.
    #[test]
    fn a_year_at_30_degrees_is_three_months_at_40() {
        assert_eq!(acceleration(30.0), 1.0);
        let months = 3.0 * acceleration(40.0);
        assert!((months / 12.0 - 1.0).abs() < 0.05, "{months}");
        assert!(acceleration(55.0) > 20.0 && acceleration(25.0) < 0.55);
    }
}
