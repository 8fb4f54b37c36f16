//! What a drive has done.

/// Running totals since power-on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Events handled.
    pub events: u64,
    /// Units the host has read.
    pub host_units_read: u64,
    /// Units the host has written (a partly written unit counts as one).
    pub host_units_written: u64,
    /// Units taken away by TRIM.
    pub units_trimmed: u64,
    /// Units moved by garbage collection.
    pub units_collected: u64,
    /// Valid units moved from the SLC cache to the main area.
    pub units_folded: u64,
    /// Units that had lost their address and were folded all the same.
    pub units_folded_dead: u64,
    /// Page reads for units that were only partly written.
    pub merges: u64,
    /// Page reads of the NAND, of all kinds, without on-chip copies.
    pub nand_reads: u64,
    /// Slots programmed through the channel.
    pub nand_programs: u64,
    /// Of these, slots of parity.
    pub parity_programs: u64,
    /// On-chip copies of a word line.
    pub folds: u64,
    /// Erases, one a die.
    pub erases: u64,
    /// Slots closed before they were full.
    pub padded_slots: u64,
    /// Reads of mapping segments that were not at hand.
    pub map_misses: u64,
    /// Units read that were found in the read-ahead buffer.
    pub read_ahead_hits: u64,
    /// Journal pages programmed.
    pub journal_programs: u64,
    /// Pages of the mapping programmed by checkpoints.
    pub map_programs: u64,
    /// Erases of journal blocks, one a die; not counted in `erases`.
    pub journal_erases: u64,
    /// Slots programmed with nothing, to fill a word line.
    pub filler_slots: u64,
    /// Power cuts without a shutdown before.
    pub unsafe_shutdowns: u64,
    /// Units that flash had and a torn program of their word line took, over all cuts.
    pub paired_units_lost: u64,
    /// Cuts at which the capacitors did not hold long enough.
    pub failed_saves: u64,
    /// What the last save on capacitors took, ns.
    pub save_ns_last: u64,
    /// From the last power-up until commands were served, ns.
    pub recovery_ns_last: u64,
    /// Busy time summed over dies, ns.
    pub die_busy_ns: u64,
    /// Busy time summed over channels, ns.
    pub channel_busy_ns: u64,
    /// Busy time summed over cores, ns.
    pub core_busy_ns: u64,
    /// Busy time of the host link, ns.
    pub link_busy_ns: u64,
}

impl Counters {
    /// Units given a place for each unit that the host wrote: host writes, collection and
    /// folding, in SLC and main area together. Parity, padding, and what is stale in the
    /// pages that a fold copies whole are not counted. `None` before the first write.
    pub fn write_amplification(&self) -> Option<f64> {
        let host = self.host_units_written;
        let all = host + self.units_collected + self.units_folded;
        (host > 0).then(|| all as f64 / host as f64)
    }
}
