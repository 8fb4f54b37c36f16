//! What the drive has taken of energy so far: worked out from the counters when somebody
//! asks, so that no request pays for it.
//!
//! One milliwatt over one nanosecond is one picojoule: sums of powers and times need no
//! rounding.

use crate::sim::SimDrive;
use crate::sim::map::layout::Pool;
use crate::spec::EnergySpec;

/// Energy since power-on by what took it, pJ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Energy {
    /// Sensing pages for the channel.
    pub nand_read_pj: u128,
    /// Programming pages from the channel.
    pub nand_program_pj: u128,
    /// On-chip copies: sensing in the cache, programming in the main area.
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
    /// The sum of the parts.
    pub fn total_pj(&self) -> u128 {
        self.nand_pj()
            + self.channels_pj
            + self.cores_pj
            + self.link_pj
            + self.dram_pj
            + self.asleep_pj
    }

    /// What the dies took.
    pub fn nand_pj(&self) -> u128 {
        self.nand_read_pj + self.nand_program_pj + self.nand_copy_pj + self.nand_erase_pj
    }
}

impl SimDrive {
    /// What the drive has taken of energy since power-on; `None` where the model does not
    /// tell what things take.
    ///
    /// An operation of the flash counts when it is handed to its die, a transfer over the
    /// host link when it begins, the work of a core when it ends.
    pub fn energy(&self) -> Option<Energy> {
        self.env
            .spec
            .energy
            .as_ref()
            .map(|spec| self.energy_by(spec))
    }

    pub(in crate::sim) fn energy_by(&self, spec: &EnergySpec) -> Energy {
        let counters = self.counters();
        let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
        let (cache, main) = (Pool::Cache as usize, Pool::Main as usize);
        let by_pool =
            |of: [u64; 2], slc, native| product(of[cache], slc) + product(of[main], native);
        let asleep = self.asleep_ns();
        let awake = self.now().0 - self.off_ns() - asleep.iter().sum::<u64>();
        let native_erases = counters.erases - counters.slc_erases;
        let bits = u64::from(self.env.spec.main.timing.pages_per_word_line());
        let together = u64::from(self.env.spec.program_units() / self.env.spec.units_per_slot);
        let copy = bits * (spec.read_pj[cache] + spec.program_pj[main]);
        let cores = u64::from(self.env.spec.controller.cores);
        let states = self.env.spec.idle_states.iter().zip(asleep);
        Energy {
            nand_read_pj: by_pool(spec.read_pj, counters.slc_reads, counters.native_reads),
            nand_program_pj: by_pool(
                spec.program_pj,
                counters.slc_programs,
                counters.native_programs * together,
            ),
            nand_copy_pj: product(copy, counters.folds),
            nand_erase_pj: by_pool(spec.erase_pj, counters.slc_erases, native_erases),
            channels_pj: product(spec.bus_pj_per_byte, counters.channel_bytes),
            cores_pj: product(spec.core_idle_mw * cores, awake)
                + product(spec.core_busy_mw - spec.core_idle_mw, counters.core_busy_ns),
            link_pj: product(spec.link_idle_mw, awake)
                + product(
                    spec.link_active_mw - spec.link_idle_mw,
                    counters.link_busy_ns,
                ),
            dram_pj: product(spec.dram_mw, awake),
            asleep_pj: states.map(|(s, ns)| product(s.power_mw, ns)).sum(),
        }
    }
}
