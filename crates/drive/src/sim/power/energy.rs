//! Energy that the drive has used so far. It is computed from the counters on demand, so that it
//! adds no work to requests.
//!
//! One milliwatt over one nanosecond is one picojoule: sums of powers and times need no
//! rounding.

use stend_model::spec::{EnergySpec, IDLE_STATES_MAX};

use crate::sim::counters::Counters;
use crate::sim::env::Env;
use crate::sim::geometry::layout::Pool;

/// Energy since power-on by consumer, pJ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Energy {
    /// Sensing pages for the channel.
    pub nand_read_pj: u128,
    /// Programming pages from the channel.
    pub nand_program_pj: u128,
    /// On-chip copies: sensing in the SLC cache, programming in the data area.
    pub nand_copy_pj: u128,
    /// Erasing.
    pub nand_erase_pj: u128,
    /// Moving bytes over the channels.
    pub channels_pj: u128,
    /// The controller's cores while the drive is awake.
    pub cores_pj: u128,
    /// The host link while the drive is awake.
    pub link_pj: u128,
    /// DRAM while the drive is awake.
    pub dram_pj: u128,
    /// The whole drive in idle states.
    pub asleep_pj: u128,
}

impl Energy {
    /// Energy of the whole drive, pJ.
    pub fn total_pj(&self) -> u128 {
        self.nand_pj()
            + self.channels_pj
            + self.cores_pj
            + self.link_pj
            + self.dram_pj
            + self.asleep_pj
    }

    /// Energy of the dies, pJ.
    pub fn nand_pj(&self) -> u128 {
        self.nand_read_pj + self.nand_program_pj + self.nand_copy_pj + self.nand_erase_pj
    }
}

/// Work of the drive, as far as energy depends on it.
pub(super) struct Usage<'a> {
    pub counters: &'a Counters,
    /// Time without power, ns.
    pub off_ns: u64,
    /// Time in each idle state, ns.
    pub asleep_ns: [u64; IDLE_STATES_MAX],
}

/// Energy that the drive has used since power-on.
pub(super) fn energy(spec: &EnergySpec, env: &Env, usage: &Usage<'_>) -> Energy {
    let Usage {
        counters,
        off_ns,
        asleep_ns,
    } = *usage;
    let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
    let (cache, data_area) = (Pool::SlcCache as usize, Pool::Data as usize);
    let by_pool =
        |of: [u64; 2], slc, native| product(of[cache], slc) + product(of[data_area], native);
    let awake_ns = env.now().0 - off_ns - asleep_ns.iter().sum::<u64>();
    let native_erases = counters.erases - counters.slc_erases;
    let bits = u64::from(env.spec.data.timing.pages_per_word_line());
    let mp_pages_per_program = u64::from(env.spec.program_pages() / env.spec.pages_per_mp_page);
    let read_pj = spec.read_pj[cache] * u64::from(env.layout.flash_pages);
    let copy = bits * (read_pj + spec.program_pj[data_area]);
    let cores = u64::from(env.spec.controller.cores);
    let states = env.spec.idle_states.iter().zip(asleep_ns);
    Energy {
        nand_read_pj: by_pool(
            spec.read_pj,
            counters.slc_flash_pages_sensed,
            counters.native_flash_pages_sensed,
        ),
        nand_program_pj: by_pool(
            spec.program_pj,
            counters.slc_programs,
            counters.native_programs * mp_pages_per_program,
        ),
        nand_copy_pj: product(copy, counters.folds),
        nand_erase_pj: by_pool(spec.erase_pj, counters.slc_erases, native_erases),
        channels_pj: product(spec.bus_pj_per_byte, counters.channel_bytes),
        cores_pj: product(spec.core_idle_mw * cores, awake_ns)
            + product(spec.core_busy_mw - spec.core_idle_mw, counters.core_busy_ns),
        link_pj: product(spec.link_idle_mw, awake_ns)
            + product(
                spec.link_active_mw - spec.link_idle_mw,
                counters.link_busy_ns,
            ),
        dram_pj: product(spec.dram_mw, awake_ns),
        asleep_pj: states.map(|(s, ns)| product(s.power_mw, ns)).sum(),
    }
}
