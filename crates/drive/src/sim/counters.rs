//! Counters of a drive's work.

use crate::sim::geometry::shape::Mode;

/// Defines the counters and their sum.
macro_rules! counters {
    ($(#[$of:meta])* pub struct Counters { $($(#[$doc:meta])* pub $name:ident: u64,)* }) => {
        $(#[$of])*
        pub struct Counters { $($(#[$doc])* pub $name: u64,)* }

        impl std::iter::Sum for Counters {
            fn sum<I: Iterator<Item = Counters>>(parts: I) -> Counters {
                parts.fold(Counters::default(), |sum, part| Counters {
                    $($name: sum.$name + part.$name,)*
                })
            }
        }
    };
}

counters! {
/// Running totals since power-on. Each component counts its own work; a drive's counters are their
/// sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Counters {
    /// Events handled.
    pub events: u64,
    /// Changes of the mapping, where it is kept over a power cut.
    pub changes: u64,
    /// Changes that are durable: the first ones up to this number. The changes of a request are
    /// durable when this number has reached the value that `changes` had when the request ended.
    pub durable_changes: u64,
    /// Pages read by the host.
    pub host_pages_read: u64,
    /// Pages written by the host (a partly written page counts as one).
    pub host_pages_written: u64,
    /// Read commands of the host.
    pub host_reads: u64,
    /// Write commands of the host.
    pub host_writes: u64,
    /// Bytes requested by the host.
    pub host_bytes_read: u64,
    /// Bytes written by the host.
    pub host_bytes_written: u64,
    /// Logical pages that TRIM commands covered entirely.
    pub pages_trimmed: u64,
    /// Superblocks that TRIM emptied and that were erased before their space was needed.
    pub superblocks_trimmed: u64,
    /// Pages moved by garbage collection.
    pub pages_relocated: u64,
    /// Pages overwritten while they were in the buffer, which took the same PPN.
    pub pages_coalesced: u64,
    /// Turnarounds of the half-duplex buffer.
    pub turnarounds: u64,
    /// Patrol reads.
    pub patrol_reads: u64,
    /// Pages rewritten because their data was old (refresh).
    pub pages_refreshed: u64,
    /// Pages moved by static wear levelling.
    pub pages_levelled: u64,
    /// Valid pages moved from the SLC cache to the data area.
    pub pages_folded: u64,
    /// Trimmed pages that still occupied the SLC cache, and that folding copied.
    pub invalid_pages_folded: u64,
    /// Page reads for the rest of partly written pages.
    pub merges: u64,
    /// Page reads of the NAND, of all kinds, without on-chip copies.
    pub nand_reads: u64,
    /// Multi-plane pages programmed through the channel.
    pub nand_programs: u64,
    /// Multi-plane pages of parity among these.
    pub parity_programs: u64,
    /// On-chip copies of a word line.
    pub folds: u64,
    /// Suspensions of programs and erases for a read.
    pub suspensions: u64,
    /// Erases, one a die.
    pub erases: u64,
    /// Programs that failed, on-chip copies among them, where blocks are modelled one by one.
    pub program_failures: u64,
    /// Multi-plane pages copied from a block in which a program failed to the block that replaces
    /// it.
    pub block_copies: u64,
    /// Erases of blocks of the SLC cache, which are part of `erases`.
    pub slc_erases: u64,
    /// Page reads of the data area. Page reads and programs of a mode are counted when they are
    /// sent to their die; the totals of both modes, when the die begins.
    pub native_reads: u64,
    /// See [`Counters::native_reads`].
    pub slc_reads: u64,
    /// Flash pages that page reads of the data area sensed, retries included: one for each plane
    /// that holds requested data.
    pub native_flash_pages_sensed: u64,
    /// Flash pages that page reads in SLC mode sensed, as above.
    pub slc_flash_pages_sensed: u64,
    /// See [`Counters::native_reads`].
    pub native_programs: u64,
    /// See [`Counters::native_reads`].
    pub slc_programs: u64,
    /// Multi-plane pages padded: closed before they were full.
    pub padded_mp_pages: u64,
    /// Reads of segments of the L2P that were not cached.
    pub l2p_misses: u64,
    /// Passes of page reads after the first.
    pub read_retries: u64,
    /// Pages that no pass corrected.
    pub uncorrectable_pages: u64,
    /// Uncorrectable pages that were rebuilt from parity.
    pub rebuilt_pages: u64,
    /// Uncorrectable pages whose data is lost, and pages whose program found no block.
    pub lost_pages: u64,
    /// Read commands that failed because data that they requested is lost.
    pub failed_reads: u64,
    /// Lost sectors of 512 bytes that these commands requested, counted at each request.
    pub uncorrectable_sectors: u64,
    /// Multi-plane pages of the L2P written back.
    pub l2p_programs: u64,
    /// Erases of the L2P's blocks, one a die.
    pub l2p_erases: u64,
    /// Pages that a read found in the read-ahead buffer.
    pub read_ahead_hits: u64,
    /// Bytes moved over the channels.
    pub channel_bytes: u64,
    /// Journal pages programmed.
    pub journal_programs: u64,
    /// Pages of partial parity (of stripes that were not full), programmed beside the journal.
    pub partial_parity_programs: u64,
    /// Pages of the L2P programmed by checkpoints.
    pub checkpoint_programs: u64,
    /// Erases of journal blocks, one a die.
    pub journal_erases: u64,
    /// Multi-plane pages programmed without data, to fill a word line.
    pub filler_mp_pages: u64,
    /// Times that the drive was powered up again.
    pub power_ups: u64,
    /// Power cuts without a shutdown before.
    pub unsafe_shutdowns: u64,
    /// Programmed pages lost to a torn program of their word line, over all cuts.
    pub paired_pages_lost: u64,
    /// Pages of writes that were undone because they were not durable, over all cuts: acknowledged
    /// pages and pages on their way.
    pub undone_pages: u64,
    /// Cuts at which the capacitors did not hold long enough.
    pub failed_saves: u64,
    /// Duration of the last save on capacitors, ns.
    pub save_ns_last: u64,
    /// Time from the last power-up until commands were served, ns.
    pub recovery_ns_last: u64,
    /// Busy time summed over dies, ns.
    pub die_busy_ns: u64,
    /// Busy time summed over channels, ns.
    pub channel_busy_ns: u64,
    /// Busy time summed over cores, ns.
    pub core_busy_ns: u64,
    /// Busy time of the host link, ns, summed over directions that do not share a medium.
    pub link_busy_ns: u64,
    /// Busy time summed over the host's processors, ns.
    pub cpu_busy_ns: u64,
}
}

impl Counters {
    /// Counts a page read in `mode` that senses `flash_pages`.
    #[inline]
    pub(in crate::sim) fn reads_of(&mut self, mode: Mode, flash_pages: u32) {
        self.passes_of(mode, 1, flash_pages);
    }

    /// Counts `passes` of a page read in `mode`, each of which senses `flash_pages`.
    #[inline]
    pub(in crate::sim) fn passes_of(&mut self, mode: Mode, passes: u64, flash_pages: u32) {
        let sensed = passes * u64::from(flash_pages);
        match mode {
            Mode::Slc => {
                self.slc_reads += passes;
                self.slc_flash_pages_sensed += sensed;
            }
            Mode::Native => {
                self.native_reads += passes;
                self.native_flash_pages_sensed += sensed;
            }
        }
    }

    /// Counts the erase of a block in `mode` on one die.
    pub(in crate::sim) fn erases_of(&mut self, mode: Mode) {
        self.erases += 1;
        self.slc_erases += u64::from(mode == Mode::Slc);
    }

    /// Counts a program in `mode`.
    #[inline]
    pub(in crate::sim) fn programs_of(&mut self, mode: Mode) {
        match mode {
            Mode::Slc => self.slc_programs += 1,
            Mode::Native => self.native_programs += 1,
        }
    }

    /// Pages placed in flash for each page that the host wrote: host writes, GC, wear levelling and
    /// folding, in SLC and data area together. Parity, padding and invalid pages that a fold copies
    /// are not counted. `None` before the first write.
    pub fn write_amplification(&self) -> Option<f64> {
        self.write_amplification_since(&Counters::default())
    }

    /// Pages placed in flash for any reason.
    pub fn pages_placed(&self) -> u64 {
        self.host_pages_written + self.pages_relocated + self.pages_levelled + self.pages_folded
    }

    /// [`Counters::write_amplification`] since the counters were `earlier`.
    pub fn write_amplification_since(&self, earlier: &Counters) -> Option<f64> {
        let host = self.host_pages_written - earlier.host_pages_written;
        (host > 0).then(|| (self.pages_placed() - earlier.pages_placed()) as f64 / host as f64)
    }
}
