//! The kinds of events and their sources, in one table.
//!
//! The order of the table ranks events of one instant. Hardware comes first: the firmware may use
//! at the same instant what hardware frees. Then come the firmware's short timers, arrivals and
//! completions, and the host's processors, which react to the drive's completions. Idle states and
//! heat come after them: they take into account everything up to and including their instant.

use stend_model::spec::Spec;

/// Event sources of a SATA link: the medium.
pub const SATA_LINKS: u32 = 1;
/// Event sources of a PCIe link: both directions, and the host's memory.
pub const PCIE_LINKS: u32 = 3;

/// Defines the rank and the number of sources of each kind, from one row for each.
macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident: $sources:expr,)*) => {
        #[allow(clippy::upper_case_acronyms, non_camel_case_types)]
        #[repr(u8)]
        enum Rank { $($name),* }

        $($(#[$doc])* pub const $name: u8 = Rank::$name as u8;)*

        /// Number of sources of each kind, by rank. A mechanism that is off has none.
        const SOURCES: &[fn(&Spec) -> u32] = &[$($sources),*];
    };
}

kinds! {
    /// A die: it has sensed, programmed, erased or copied, or its channel has moved data.
    DIE: |spec| spec.dies,
    /// A part of the host link has ended a transfer.
    LINK: |spec| match spec.host.pcie {
        None => SATA_LINKS,
        Some(_) => PCIE_LINKS,
    },
    /// A core of the controller has ended a job.
    CORE: |spec| spec.controller.cores,
    /// The pause between two folds ends.
    FOLD_PAUSE: |_| 1,
    /// The working or the resting part of a slice of idle work ends.
    IDLE_SLICE: |_| 1,
    /// The host has been silent for the delay of idle work.
    IDLE_BEGIN: |_| 1,
    /// A command arrives. Only the next arrival is in the queue.
    ARRIVAL: |_| 1,
    /// The host is interrupted for a completion. Only the next completion is in the queue.
    COMPLETION: |_| 1,
    /// A processor of the host has ended a step.
    CPU: |spec| spec.host.driver.as_ref().map_or(0, |driver| driver.cpus),
    /// The pause after an erase of TRIM ends. What else ends at this instant does not concern it.
    TRIM_PAUSE: |spec| u32::from(spec.trim.erase_pause.is_some()),
    /// An idle state may be due.
    SLEEP: |spec| u32::from(!spec.idle_states.is_empty()),
    /// A step of the temperature ends.
    HEAT: |spec| u32::from(spec.thermal.is_some()),
    /// A step of power-up ends. Before the last, commands arrive and wait; nothing else happens.
    POWER: |spec| u32::from(spec.power_loss.is_some()),
    /// The pause between two chunks of TRIM ends.
    TRIM_CHUNK_PAUSE: |spec| {
        u32::from(spec.trim.work.as_ref().is_some_and(|work| work.pause.is_some()))
    },
}

/// Number of sources of each kind in a drive.
pub fn sources(spec: &Spec) -> Vec<u32> {
    SOURCES.iter().map(|of| of(spec)).collect()
}
