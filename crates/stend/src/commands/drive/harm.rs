//! Harm to simulated drives: data ages without power, a die fails, the power is cut.

use stend_simulated::SimulatedTarget;
use stend_simulated::harm::{self, REFERENCE_C};

use super::done::Done;
use crate::failure::Failure;

/// Ages the data by `days` days at this temperature.
pub fn age(target: &mut SimulatedTarget, days: f64, celsius: f64) -> Result<Done, Failure> {
    let aged = harm::age(target, days, celsius)?;
    let text = format!(
        "its data is older by {days} days at {celsius} °C, which count as {:.1} at \
         {REFERENCE_C} °C; the highest raw bit error rate of a superblock with data was \
         {:.2e}, and is {:.2e}",
        aged.counted_days,
        aged.rber_before.unwrap_or_default(),
        aged.rber.unwrap_or_default()
    );
    let keys = vec![
        ("days", days.into()),
        ("celsius", celsius.into()),
        ("days_at_30_c", aged.counted_days.into()),
        ("rber_before", aged.rber_before.into()),
        ("rber", aged.rber.into()),
    ];
    Ok((text, keys))
}

/// Makes a die fail.
pub fn fail_die(target: &mut SimulatedTarget, die: u32) -> Result<Done, Failure> {
    harm::fail_die(target, die)?;
    let dies = target.drive().spec().dies;
    let rebuilt = rebuilt(target.drive().spec().parity_data, dies);
    let text = format!("die {die} of {dies} has failed: {rebuilt}");
    Ok((text, vec![("die", die.into()), ("dies", dies.into())]))
}

/// Describes which data of a failed die the parity rebuilds; a stripe has `parity_data` data pages.
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

/// Cuts the power, and restores it.
pub fn power_cut(target: &mut SimulatedTarget) -> Result<Done, Failure> {
    let cut = harm::power_cut(target)?;
    let text = format!(
        "the power was cut and came back: recovery took {:.3} s; {} written pages of 4 KiB were \
         not durable and are as before, {} are lost in flash",
        cut.took_ns as f64 / 1e9,
        cut.undone_pages,
        cut.lost_pages
    );
    let keys = vec![
        ("recovery_ns", cut.recovery_ns.into()),
        ("lost_pages", cut.lost_pages.into()),
        ("undone_pages", cut.undone_pages.into()),
        ("failed_saves", cut.failed_saves.into()),
    ];
    Ok((text, keys))
}

#[cfg(test)]
mod tests {
    use super::rebuilt;

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
}
