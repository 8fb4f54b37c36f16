//! The tables `[energy]` and `[[idle_states]]`.

use serde::Deserialize;
use stend_base::Nanos;

use super::check::Checker;
use super::schema::Model;
use super::sourced::{Field, Value};
use crate::spec::{EnergySpec, IdleStateSpec};

/// What things take of energy.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnergyTable {
    /// Sensing a page, nJ.
    pub read_nj: Field<u64>,
    /// Programming a page, the mean over page types, nJ.
    pub program_nj: Field<u64>,
    /// Erasing a block, nJ.
    pub erase_nj: Field<u64>,
    /// Sensing a page in SLC mode, nJ.
    pub slc_read_nj: Field<u64>,
    /// Programming a page in SLC mode, nJ.
    pub slc_program_nj: Field<u64>,
    /// Erasing a block in SLC mode, nJ.
    pub slc_erase_nj: Field<u64>,
    /// A byte on a channel, pJ.
    pub bus_byte_pj: Field<u64>,
    /// A core at work, mW.
    pub core_busy_mw: Field<u64>,
    /// A core that waits, mW.
    pub core_idle_mw: Field<u64>,
    /// The host link while it moves data, mW.
    pub link_active_mw: Field<u64>,
    /// The host link while it does not, mW.
    pub link_idle_mw: Field<u64>,
    /// DRAM with its refresh, mW.
    pub dram_mw: Field<u64>,
}

/// A state of little power.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdleStateTable {
    /// Its name, for people.
    pub name: Field<String>,
    /// Time without anything to do before it is entered, ms.
    pub delay_ms: Field<u64>,
    /// What the whole drive takes in it, mW.
    pub power_mw: Field<u64>,
    /// The way in, µs.
    pub entry_us: Field<u64>,
    /// The way out, µs.
    pub exit_us: Field<u64>,
    /// Whether idle work is finished first, rather than given up.
    pub waits_for_idle_work: Field<bool>,
}

pub(super) fn check(c: &mut Checker<'_>, model: &Model) {
    if let Some(e) = &model.energy {
        for (key, field) in [
            ("energy.read_nj", &e.read_nj),
            ("energy.program_nj", &e.program_nj),
            ("energy.erase_nj", &e.erase_nj),
            ("energy.slc_read_nj", &e.slc_read_nj),
            ("energy.slc_program_nj", &e.slc_program_nj),
            ("energy.slc_erase_nj", &e.slc_erase_nj),
        ] {
            c.range(key, field, 0..=1_000_000_000);
        }
        c.range("energy.bus_byte_pj", &e.bus_byte_pj, 0..=1_000_000);
        for (key, field) in [
            ("energy.core_busy_mw", &e.core_busy_mw),
            ("energy.core_idle_mw", &e.core_idle_mw),
            ("energy.link_active_mw", &e.link_active_mw),
            ("energy.link_idle_mw", &e.link_idle_mw),
            ("energy.dram_mw", &e.dram_mw),
        ] {
            c.range(key, field, 0..=100_000);
        }
        at_least(
            c,
            ("energy.core_busy_mw", &e.core_busy_mw),
            ("energy.core_idle_mw", &e.core_idle_mw),
        );
        at_least(
            c,
            ("energy.link_active_mw", &e.link_active_mw),
            ("energy.link_idle_mw", &e.link_idle_mw),
        );
    }
    check_idle_states(c, &model.idle_states);
}

/// Work never takes less than waiting: so energy only grows.
fn at_least(
    c: &mut Checker<'_>,
    (key, field): (&'static str, &Field<u64>),
    (least_key, least): (&str, &Field<u64>),
) {
    if field.get() < least.get() {
        let message = format!(
            "{} is not allowed; it must be at least {least_key} = {}",
            field.get(),
            least.get()
        );
        c.report(key, field, message);
    }
}

fn check_idle_states(c: &mut Checker<'_>, states: &[IdleStateTable]) {
    let mut before = 0;
    for (number, state) in states.iter().enumerate() {
        c.source("idle_states.name", &state.name);
        c.range("idle_states.delay_ms", &state.delay_ms, 1..=86_400_000);
        c.range("idle_states.power_mw", &state.power_mw, 0..=100_000);
        c.range("idle_states.entry_us", &state.entry_us, 0..=60_000_000);
        c.range("idle_states.exit_us", &state.exit_us, 0..=60_000_000);
        c.source(
            "idle_states.waits_for_idle_work",
            &state.waits_for_idle_work,
        );
        let delay = state.delay_ms.get();
        if delay <= before {
            let message = format!(
                "{delay} is not allowed; the states stand in the order in which they are \
                 entered, and the one before is entered after {before} ms"
            );
            c.report("idle_states.delay_ms", &state.delay_ms, message);
        }
        before = delay;
        if number == crate::sim::MOST_IDLE_STATES {
            let message = format!("there are more than {} states", number);
            c.report("idle_states.name", &state.name, message);
        }
    }
}

pub(super) fn spec(model: &Model) -> Option<EnergySpec> {
    let energy = model.energy.as_ref()?;
    // Planes work together: what is given for a page is taken by each.
    let of_die = |slc: &Field<u64>, native: &Field<u64>| {
        [slc, native].map(|nj| nj.get() * 1_000 * u64::from(model.nand.planes.get()))
    };
    Some(EnergySpec {
        read_pj: of_die(&energy.slc_read_nj, &energy.read_nj),
        program_pj: of_die(&energy.slc_program_nj, &energy.program_nj),
        erase_pj: of_die(&energy.slc_erase_nj, &energy.erase_nj),
        bus_pj_per_byte: energy.bus_byte_pj.get(),
        core_busy_mw: energy.core_busy_mw.get(),
        core_idle_mw: energy.core_idle_mw.get(),
        link_active_mw: energy.link_active_mw.get(),
        link_idle_mw: energy.link_idle_mw.get(),
        dram_mw: energy.dram_mw.get(),
    })
}

pub(super) fn idle_states(model: &Model) -> Vec<IdleStateSpec> {
    let state = |state: &IdleStateTable| IdleStateSpec {
        name: state.name.get(),
        delay: Nanos::from_millis(state.delay_ms.get()),
        power_mw: state.power_mw.get(),
        entry: Nanos::from_micros(state.entry_us.get()),
        exit: Nanos::from_micros(state.exit_us.get()),
        waits_for_idle_work: state.waits_for_idle_work.get(),
    };
    model.idle_states.iter().map(state).collect()
}
