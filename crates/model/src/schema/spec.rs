//! The figures that a simulated drive runs on: a drive model resolved to integer nanoseconds,
//! multi-plane pages and pages. Built from a model file by [`crate::model`], or by hand in tests.
//! Figures that follow from a table of the model file are declared there, beside its keys
//! ([`crate::schema::tables`]).
//!
//! Terms are those of `docs/glossary.md`; a **pool** is the superblocks of one kind, of the data
//! area or of the SLC cache.

use crate::nand::{Abilities, Scheduling};
use stend_base::Nanos;

pub use crate::schema::tables::blocks::BlocksSpec;
pub use crate::schema::tables::controller::{BufferSpec, ControllerSpec, L2pCacheSpec};
pub use crate::schema::tables::gc::{GcSpec, IdleSpec, StreamsSpec, WearSpec};
pub use crate::schema::tables::health::HealthSpec;
pub use crate::schema::tables::host::HostSpec;
pub use crate::schema::tables::media::MediaSpec;
pub use crate::schema::tables::power::{EnergySpec, IdleStateSpec, ThermalSpec};
pub use crate::schema::tables::power_loss::PowerLossSpec;
pub use crate::schema::tables::slc_cache::CacheSpec;
pub use crate::schema::tables::trim::TrimSpec;
pub use crate::schema::tables::variation::VariationSpec;
pub use crate::schema::types::{
    DriverSpec, Emptying, FoldLimit, IDLE_STATES_MAX, PAGE_BYTES, PairedPages, PcieSpec, Policy,
    PoolSpec, Protocol, Throttle, TrimWorkSpec, WHOLE_PPM, WhenFull,
};

/// All figures that the simulation of a drive needs.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Spec {
    /// Bytes the host can address.
    pub user_bytes: u64,
    /// Dies.
    pub dies: u32,
    /// Channels; die `d` is on channel `d % channels`.
    pub channels: u32,
    /// Pages of a multi-plane page: planes × page size / 4 KiB. A power of two.
    pub pages_per_mp_page: u32,
    /// Pages of a flash page, that of one plane: page size / 4 KiB. A power of two.
    pub pages_per_flash_page: u32,
    /// Time of a byte on a channel, ps.
    pub bus_ps_per_byte: u64,
    /// Command and address cycles of a transfer.
    pub bus_overhead: Nanos,
    /// The data area.
    pub data: PoolSpec,
    /// Operations that dies can overlap.
    pub abilities: Abilities,
    /// Order of the work that waits for a die.
    pub scheduling: Scheduling,
    /// Differences among operations that are alike by design; `None`: there are none.
    pub variation: Option<VariationSpec>,
    /// Time to program all pages of a word line of the data area at once; `None`: page by
    /// page.
    pub one_shot: Option<Nanos>,
    /// The SLC cache.
    pub cache: Option<CacheSpec>,
    /// Multi-plane pages of data for each one of parity; `None` without parity.
    pub parity_data: Option<u32>,
    /// The host interface.
    pub host: HostSpec,
    /// Cores, and the time of each kind of work on them.
    pub controller: ControllerSpec,
    /// A mapping table on flash, of which DRAM holds `controller.l2p_segments`; `None`: all
    /// of it is in DRAM.
    pub l2p_cache: Option<L2pCacheSpec>,
    /// DRAM buffers.
    pub buffer: BufferSpec,
    /// GC.
    pub gc: GcSpec,
    /// Work without requests of the host.
    pub idle: IdleSpec,
    /// TRIM.
    pub trim: TrimSpec,
    /// Errors of the flash; `None`: every page is read without error.
    pub media: Option<MediaSpec>,
    /// Streams beside one for the host and one for GC.
    pub streams: Option<StreamsSpec>,
    /// Wear levelling.
    pub wear: Option<WearSpec>,
    /// Energy of each operation; `None`: not modelled.
    pub energy: Option<EnergySpec>,
    /// Idle states, the deepest last.
    pub idle_states: Vec<IdleStateSpec>,
    /// Heat; needs [`Spec::energy`].
    pub thermal: Option<ThermalSpec>,
    /// Endurance.
    pub health: Option<HealthSpec>,
    /// Blocks that wear and go bad one by one; `None`: a superblock wears as a whole.
    pub blocks: Option<BlocksSpec>,
    /// Effects of a power cut; `None`: the power cannot be cut.
    pub power_loss: Option<PowerLossSpec>,
}

impl Spec {
    /// Pages that one program of the data area fills: a multi-plane page, or a word line if its
    /// pages are programmed at once.
    #[inline]
    pub fn program_pages(&self) -> u32 {
        match self.one_shot {
            Some(_) => self.pages_per_mp_page * self.data.timing.pages_per_word_line(),
            None => self.pages_per_mp_page,
        }
    }

    /// The SLC cache.
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    pub fn cache(&self) -> &CacheSpec {
        self.cache.as_ref().expect("the drive has an SLC cache")
    }

    /// Superblocks of the data area that on-chip copy may leave half folded, if it empties those in
    /// SLC mode, and the one that it fills.
    #[inline]
    pub fn superblocks_half_folded(&self) -> u32 {
        let on_chip = |cache: &&CacheSpec| cache.emptying == Emptying::OnChip;
        match self.cache.as_ref().filter(on_chip) {
            Some(cache) if cache.dynamic_superblocks > 0 => {
                self.data.timing.pages_per_word_line() + 1
            }
            _ => 0,
        }
    }

    /// Maximum of changes of the mapping, in logical pages, that are not durable: those up to which
    /// writes are admitted, and those of writes that had been admitted then and were on their way
    /// into the buffer. 0 without [`Spec::power_loss`].
    pub fn undurable_pages_max(&self) -> u64 {
        match self.power_loss {
            Some(_) => self.writes_wait_above_pages() + u64::from(self.buffer.write_pages),
            None => 0,
        }
    }

    /// Changes of the mapping, in logical pages, above which a drive whose power can be cut admits
    /// no write until more of them are durable: two intervals of the journal, one of which may be
    /// on its way, and the changes that wait for their program. 0 without [`Spec::power_loss`].
    pub fn writes_wait_above_pages(&self) -> u64 {
        let Some(loss) = &self.power_loss else {
            return 0;
        };
        // If word lines are programmed in several passes, each die and stream may have one that is
        // not full.
        let half_filled = match loss.paired_pages {
            PairedPages::Pad => {
                let streams = 2 + self.further_streams();
                self.dies
                    * streams
                    * self.pages_per_mp_page
                    * self.data.timing.pages_per_word_line()
            }
            PairedPages::OneShot | PairedPages::Completed | PairedPages::Unprotected => 0,
        };
        let relocated = self.gc.depth * self.pages_per_mp_page;
        2 * u64::from(loss.journal_interval_pages)
            + u64::from(self.buffer.write_pages + self.program_pages() + half_filled + relocated)
    }

    /// True if the flash wears out, so that the drive refuses writes in the end.
    pub fn wears_out(&self) -> bool {
        let ends = |cycles: &[u32; 2]| cycles.iter().any(|&n| n != u32::MAX);
        let retired = self.health.as_ref().map(|h| &h.end_of_life_cycles);
        let blocks = self.blocks.as_ref();
        retired.is_some_and(ends)
            || blocks.is_some_and(|b| ends(&b.life_cycles) || b.program_failure_ppb > 0)
    }

    /// True if the drive may become so warm that it throttles: the temperature with all parts
    /// always at work reaches the lowest one at which fewer commands are admitted.
    #[inline]
    pub fn may_throttle(&self) -> bool {
        let Some(thermal) = &self.thermal else {
            return false;
        };
        let from_mc = match &thermal.throttle {
            Throttle::None => return false,
            Throttle::Stepwise { steps, .. } => steps.first().map_or(i64::MAX, |step| step.0),
            Throttle::Gradual {
                limit_mc, band_mk, ..
            } => limit_mc - band_mk,
        };
        let power_mw = self
            .energy
            .as_ref()
            .map_or(0, |energy| self.power_max(energy));
        let rise_mk = power_mw.saturating_mul(thermal.resistance_mk_per_w) / 1_000;
        thermal.ambient_mc.saturating_add_unsigned(rise_mk) >= from_mc
    }

    /// Power with all dies in the operation that uses most, and all channels, cores and the link at
    /// work, mW.
    fn power_max(&self, energy: &EnergySpec) -> u64 {
        let data = (&self.data.timing, self.one_shot);
        let cache = self.cache.as_ref().map(|cache| (&cache.pool.timing, None));
        let pools = [(1, Some(data)), (0, cache)];
        let of_die = pools.into_iter().filter_map(|(pool, timing)| {
            let (timing, one_shot) = timing?;
            // An energy divided by a time, in pJ/ns, is a power in mW.
            let over = |pj: u64, time: Nanos| pj.div_ceil(time.0.max(1));
            let variation = self.variation.as_ref();
            let read = timing.read.iter().copied().min()?;
            let read = variation.map_or(read, |v| v.read_range(read)[0]);
            let pages = u64::from(timing.pages_per_word_line());
            let program = one_shot.unwrap_or(timing.program_word_line());
            let program = variation.map_or(program, |v| v.program_range(program)[0]);
            let program = over(energy.program_pj[pool] * pages, program);
            let erase = over(energy.erase_pj[pool], timing.erase);
            let flash_pages = u64::from(self.pages_per_mp_page / self.pages_per_flash_page);
            let read = over(energy.read_pj[pool] * flash_pages, read);
            Some(program.max(erase).max(read))
        });
        let dies = u64::from(self.dies) * of_die.max().unwrap_or(0);
        let channels = u64::from(self.channels) * energy.bus_pj_per_byte * 1_000;
        let channels = channels.div_ceil(self.bus_ps_per_byte.max(1));
        let cores = u64::from(self.controller.cores) * energy.core_busy_mw;
        dies + channels + cores + energy.link_active_mw + energy.dram_mw
    }

    /// Streams of the data area beside one for the host and one for GC. Each keeps a superblock
    /// open, so the thresholds of GC are raised by the same number of superblocks.
    pub fn further_streams(&self) -> u32 {
        let gc = self.streams.as_ref().map_or(1, |s| s.gc_streams);
        self.host_streams() + gc - 2 + u32::from(self.has_level_stream())
    }

    /// Streams of the host: by heat, or one for data that enters the SLC cache and one for data
    /// that bypasses it.
    pub fn host_streams(&self) -> u32 {
        let by_heat = self.streams.as_ref().map_or(1, |s| s.host_streams);
        by_heat + u32::from(self.has_bypassing_stream())
    }

    /// True if the host has a stream for data that bypasses the SLC cache: for long requests, or to
    /// set a superblock of the data area aside.
    #[inline]
    pub fn has_bypassing_stream(&self) -> bool {
        let by_heat = self.streams.as_ref().is_some_and(|s| s.host_streams > 1);
        let bypasses = |cache: &CacheSpec| {
            cache.bypass_from_bytes.is_some() || !by_heat && cache.when_full == WhenFull::Bypass
        };
        self.cache.as_ref().is_some_and(bypasses)
    }

    /// Minimum of programs that the write buffer must hold: two; one more if data may go to either
    /// mode, since the padding of a FUA write is not known in advance then; and one for each
    /// further stream of the host, which may have one that is not full.
    pub fn buffer_programs_min(&self) -> u32 {
        let either = self.cache.as_ref().is_some_and(CacheSpec::is_either);
        // A superblock that is only set aside fills no program.
        let by_length = self.cache.as_ref().and_then(|c| c.bypass_from_bytes);
        let sets_aside = self.has_bypassing_stream() && by_length.is_none();
        1 + self.host_streams() - u32::from(sets_aside) + u32::from(either)
    }

    /// True if data that static wear levelling moves has a stream of its own. In a drive with an
    /// SLC cache it enters the cache with all other data.
    #[inline]
    pub fn has_level_stream(&self) -> bool {
        self.cache.is_none() && self.wear.as_ref().is_some_and(|w| w.static_spread > 0)
    }

    /// Superblocks of the cache that the host leaves free, if it waits for them or GC needs them.
    #[inline]
    pub fn cache_superblocks_kept(&self) -> u32 {
        let Some(cache) = &self.cache else {
            return 0;
        };
        let goes_elsewhere = cache.when_full == WhenFull::Bypass || cache.dynamic_superblocks > 0;
        if (goes_elsewhere || !cache.frees_per_page) && !cache.takes_gc {
            return 0;
        }
        match cache.emptying {
            // Beside GC's own reserve: three being folded, for TLC, and two open.
            Emptying::OnChip => self.gc.slc_reserve_superblocks + 5,
            // One being emptied, and one being erased.
            Emptying::Controller => 2,
        }
    }
}

impl CacheSpec {
    /// True if host data goes to either mode, depending on the free space.
    #[inline]
    pub fn is_either(&self) -> bool {
        self.dynamic_superblocks > 0 || self.when_full == WhenFull::Bypass
    }

    /// True if the host itself opens superblocks of the data area, in any mode.
    #[inline]
    pub fn opens_data(&self) -> bool {
        self.is_either() || self.bypass_from_bytes.is_some()
    }
}

impl HostSpec {
    /// Time of the bytes of a page on the link, without framing.
    #[inline]
    pub fn page_time(&self) -> Nanos {
        match &self.pcie {
            None => Nanos(PAGE_BYTES * self.link_ps_per_byte / 1000),
            Some(pcie) => {
                Nanos(((PAGE_BYTES * pcie.lane_fs_per_byte) >> pcie.lane_bits) / 1_000_000)
            }
        }
    }
}

/// The key of a drive file that excludes [`Spec::power_loss`], if it has one: pages programmed at
/// once are not paired.
pub fn power_loss_excludes(spec: &Spec) -> Option<&'static str> {
    let one_shot = |loss: &PowerLossSpec| loss.paired_pages == PairedPages::OneShot;
    let excludes = spec.one_shot.is_some() && !spec.power_loss.as_ref().is_some_and(one_shot);
    excludes.then_some("nand_commands.one_shot_program_us, unless paired_pages is \"one-shot\"")
}
