//! Options of a job, as typed values.

use stend_base::Nanos;

use super::units::Extent;

/// Directions, in fio's order: the index into every array of three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Direction {
    /// Index 0.
    Read = 0,
    /// Index 1.
    Write = 1,
    /// Index 2.
    Trim = 2,
}

impl Direction {
    /// All three, in order.
    pub const ALL: [Direction; 3] = [Direction::Read, Direction::Write, Direction::Trim];

    /// `read`, `write`, `trim`.
    pub fn name(self) -> &'static str {
        ["read", "write", "trim"][self as usize]
    }
}

/// `rw`: directions and order of the requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rw {
    /// Directions.
    pub mix: Mix,
    /// True for random offsets; otherwise they ascend.
    pub random: bool,
}

/// The directions of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mix {
    /// One direction only.
    Only(Direction),
    /// Reads and writes; `rwmixread` percent of the requests are reads.
    ReadWrite,
    /// Each place is trimmed, then written.
    TrimWrite,
}

impl Rw {
    /// True if the job makes requests of this direction at all.
    pub fn uses(self, direction: Direction) -> bool {
        match self.mix {
            Mix::Only(only) => only == direction,
            Mix::ReadWrite => direction != Direction::Trim,
            Mix::TrimWrite => direction != Direction::Read,
        }
    }

    /// Values of `rw` in a job file.
    pub(super) const NAMES: [(&str, Rw); 11] = [
        ("read", Rw::only(Direction::Read, false)),
        ("write", Rw::only(Direction::Write, false)),
        ("trim", Rw::only(Direction::Trim, false)),
        ("randread", Rw::only(Direction::Read, true)),
        ("randwrite", Rw::only(Direction::Write, true)),
        ("randtrim", Rw::only(Direction::Trim, true)),
        ("rw", Rw::mixed(false)),
        ("readwrite", Rw::mixed(false)),
        ("randrw", Rw::mixed(true)),
        ("trimwrite", Rw::trimwrite(false)),
        ("randtrimwrite", Rw::trimwrite(true)),
    ];

    const fn only(direction: Direction, random: bool) -> Rw {
        Rw {
            mix: Mix::Only(direction),
            random,
        }
    }

    const fn trimwrite(random: bool) -> Rw {
        Rw {
            mix: Mix::TrimWrite,
            random,
        }
    }

    const fn mixed(random: bool) -> Rw {
        Rw {
            mix: Mix::ReadWrite,
            random,
        }
    }
}

/// Lengths of requests of one direction, bytes; multiples of 512.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockSizes {
    /// `bs`: always the same.
    Fixed(u64),
    /// `bsrange`: every multiple of `min` up to `max`, equally likely.
    Range {
        /// Smallest length, and the unit of all.
        min: u64,
        /// Largest.
        max: u64,
    },
    /// `bssplit`: (bytes, percent); the percentages add up to 100.
    Split(Vec<(u64, u32)>),
}

impl BlockSizes {
    /// Smallest length, bytes.
    pub fn min(&self) -> u64 {
        match self {
            BlockSizes::Fixed(bytes) => *bytes,
            BlockSizes::Range { min, .. } => *min,
            BlockSizes::Split(weights) => weights.iter().map(|w| w.0).min().unwrap_or(0),
        }
    }

    /// Largest length, bytes.
    pub fn max(&self) -> u64 {
        match self {
            BlockSizes::Fixed(bytes) => *bytes,
            BlockSizes::Range { min, max } => max - max % min,
            BlockSizes::Split(weights) => weights.iter().map(|w| w.0).max().unwrap_or(0),
        }
    }
}

/// `random_generator`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generator {
    /// `tausworthe` and `tausworthe64`: the simulator's own generator, xoshiro256++;
    /// a new order of the blocks on every pass.
    Random,
    /// `lfsr`: a linear feedback shift register; the same order of the blocks on every pass.
    Lfsr,
}

/// `random_distribution`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Every block equally likely.
    Uniform,
    /// The k-th most popular block is requested with weight k^-theta.
    Zipf {
        /// Exponent, above 0.
        theta: f64,
    },
    /// Self-similar: a share `h` of the blocks receives the share 1 - h of the requests.
    Pareto {
        /// Between 0 and 1.
        h: f64,
    },
    /// Zones that each receive a share of the requests: [`Spec::access_zones`].
    Zoned,
}

/// A zone of `random_distribution=zoned` or `zoned_abs`; it begins where the one before it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessZone {
    /// Share of the requests, percent; those of all zones add up to 100.
    pub percent: u32,
    /// Length: a percentage of the region (`zoned`), or bytes (`zoned_abs`).
    pub size: Extent,
}

/// A cap on the rate of one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// `rate_iops`: requests of the smallest block size a second.
    Requests(u64),
    /// `rate`: bytes a second.
    Bytes(u64),
}

/// `rate_process`: the times between the requests of a direction that has a rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RateProcess {
    /// `linear`: all equal.
    #[default]
    Linear,
    /// `poisson`: exponentially distributed.
    Poisson,
}

/// `zonemode=strided`: a job works in one zone after another, and skips what is between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Zones {
    /// `zonemode`: true for `strided`, false for `none`.
    pub is_strided: bool,
    /// `zonesize`: data that a job moves in a zone, bytes.
    pub size_bytes: u64,
    /// `zonerange`: length of a zone, bytes; 0 for `zonesize`.
    pub range_bytes: u64,
    /// `zoneskip`: bytes between two zones.
    pub skip_bytes: u64,
}

impl Zones {
    /// Length of a zone, bytes; `None` without zones.
    pub fn zone_bytes(self) -> Option<u64> {
        self.is_strided.then_some(match self.range_bytes {
            0 => self.size_bytes,
            range => range,
        })
    }
}

/// The flow of a job: jobs of one flow issue requests in proportion to their weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// `flow`: weight of the job; 0 for none.
    pub weight: u32,
    /// `flow_id`: the jobs of one flow have the same.
    pub id: u32,
    /// `flow_sleep`: pause of a job that is ahead of its share.
    pub sleep: Nanos,
}

/// Figures that are left out of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Disabled {
    /// `disable_lat`: no `lat_ns`.
    pub lat: bool,
    /// `disable_clat`: no `clat_ns`.
    pub clat: bool,
    /// `disable_bw_measurement`: no `bw_min`, `bw_mean` ….
    pub bw: bool,
}

/// All options of one section, with global defaults applied.
///
/// Every field has the name of fio's option; fio's HOWTO is the definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// `rw`.
    pub rw: Rw,
    /// Bytes that an ascending job skips after each request, below 0 for a descending one: the
    /// number after `rw=read:`.
    pub skip_bytes: i64,
    /// Requests that follow each other from each random place: the number after `rw=randread:`.
    pub random_run: u32,
    /// `percentage_random` of each direction: the other requests follow the one before.
    pub random_percent: [u32; 3],
    /// `zonemode`, `zonesize`, `zonerange`, `zoneskip`.
    pub zones: Zones,
    /// `wait_for`: the job begins when all clones of this one have ended.
    pub wait_for: Option<String>,
    /// `exitall`: the jobs of a reporting group end with the first of them.
    pub exitall: bool,
    /// `flow`, `flow_id`, `flow_sleep`.
    pub flow: Flow,
    /// `bs`, `bsrange` or `bssplit` of each direction; the last option counts.
    pub block_sizes: [BlockSizes; 3],
    /// `blockalign` of each direction, bytes; turns the random map off.
    pub block_align_bytes: Option<[u64; 3]>,
    /// `iodepth`; 1 for a synchronous engine, as in fio.
    pub iodepth: u32,
    /// True if `ioengine` is synchronous: each of its threads has one request outstanding.
    pub is_synchronous: bool,
    /// `numjobs`.
    pub numjobs: u32,
    /// `rwmixread` (or 100 less `rwmixwrite`), percent of requests.
    pub read_percent: u32,
    /// `runtime`; `None` without a limit.
    pub runtime: Option<Nanos>,
    /// `ramp_time`: runs but is not measured.
    pub ramp: Nanos,
    /// `time_based`.
    pub time_based: bool,
    /// `size`: the region of each job; `None` for the rest of the target.
    pub size: Option<Extent>,
    /// `offset`: beginning of the region.
    pub offset: Extent,
    /// `offset_increment`: distance between the regions of successive clones.
    pub offset_increment: Extent,
    /// `filesize`: end of the region, bytes, if the job's file is smaller than the target.
    pub filesize: Option<u64>,
    /// `number_ios`: most requests of a job; 0 for no limit.
    pub number_ios: u32,
    /// `loops`: number of times that the job is run.
    pub loops: u32,
    /// `iodepth_batch`: without effect, since requests are submitted at one instant.
    pub submit_batch: u32,
    /// `iodepth_batch_complete_min`: completions that a job with a full queue waits for.
    pub complete_batch: u32,
    /// `iodepth_batch_complete_max`: without effect, since completions arrive one by one.
    pub complete_batch_max: u32,
    /// `iodepth_low`: requests in flight at which a job fills its queue again; 0 for `iodepth`.
    pub iodepth_low: u32,
    /// `io_size`: amount of data; `None` for the size of the region.
    pub io_size: Option<Extent>,
    /// `rate_iops` or `rate` of each direction.
    pub rate: [Option<Rate>; 3],
    /// `rate_process`.
    pub rate_process: RateProcess,
    /// `thinktime`.
    pub thinktime: Nanos,
    /// `thinktime_blocks`.
    pub thinktime_blocks: u32,
    /// `thinktime_blocks_type`: true if requests count when they are issued, false if when they
    /// complete.
    pub thinktime_by_issue: bool,
    /// `stonewall`.
    pub stonewall: bool,
    /// `new_group`.
    pub new_group: bool,
    /// `startdelay`: shortest and longest.
    pub start_delay: (Nanos, Nanos),
    /// `group_reporting`.
    pub group_reporting: bool,
    /// `norandommap`.
    pub norandommap: bool,
    /// `random_generator`.
    pub generator: Generator,
    /// `randseed`; `None` for the root seed of the run.
    pub seed: Option<u64>,
    /// `random_distribution`.
    pub distribution: Distribution,
    /// Zones of [`Distribution::Zoned`], by direction; a direction without zones is uniform.
    pub access_zones: [Vec<AccessZone>; 3],
    /// `write_bw_log`: the name that log files begin with.
    pub bw_log: Option<String>,
    /// `write_iops_log`.
    pub iops_log: Option<String>,
    /// `write_lat_log`.
    pub lat_log: Option<String>,
    /// `log_avg_msec`; zero logs every request.
    pub log_interval: Nanos,
    /// `log_max_value`: latency logs contain the largest value of an interval, not the mean.
    pub log_max_value: bool,
    /// `log_offset`: logs get a column with the offset.
    pub log_offset: bool,
    /// `per_job_logs`: each job has log files of its own.
    pub per_job_logs: bool,
    /// `disable_lat`, `disable_clat`, `disable_bw_measurement`.
    pub disabled: Disabled,
    /// `bwavgtime`: window of `bw_min`, `bw_mean` … in the report.
    pub bw_window: Nanos,
    /// `iopsavgtime`: window of `iops_min`, `iops_mean` … in the report.
    pub iops_window: Nanos,
    /// `percentile_list`, ascending; fio's default list unless given.
    pub percentiles: Vec<f64>,
    /// `clat_percentiles`.
    pub clat_percentiles: bool,
    /// `lat_percentiles`.
    pub lat_percentiles: bool,
    /// `filename`; the target is another, so that only the difference between two jobs matters.
    pub filename: Option<String>,
    /// `description`.
    pub description: Option<String>,
    /// `name`; else the section's.
    pub name: Option<String>,
    /// `fsync`: a flush after this number of writes; 0 for none.
    pub fsync_every: u32,
    /// `fdatasync`: like `fsync`; when both are due at once, there is one flush.
    pub fdatasync_every: u32,
    /// `sync`: writes are on stable storage when they complete.
    pub sync: bool,
    /// `end_fsync`: a flush at the end.
    pub end_fsync: bool,
    /// `verify`: written blocks can be checked when they are read.
    pub verify: bool,
    /// `do_verify`: with `verify`, they are read at the end of the job.
    pub do_verify: bool,
    /// `kb_base`, 1000 or 1024.
    pub kb_base: u32,
    /// `continue_on_error`: a job continues after a failed read, and after any other failed
    /// request.
    pub continue_on_error: [bool; 2],
}

impl Spec {
    /// True if the job reads at its end what it has written.
    pub fn verifies(&self) -> bool {
        self.verify && self.do_verify && self.rw.uses(Direction::Write)
    }

    /// True if a random job draws each block once on every pass.
    pub fn has_random_map(&self) -> bool {
        self.rw.random
            && !self.norandommap
            && self.block_align_bytes.is_none()
            && self.distribution == Distribution::Uniform
    }
}

/// fio's `percentile_list` unless the job gives one.
pub const PERCENTILES: [f64; 17] = [
    1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95,
    99.99,
];

/// fio's default of `bs`, bytes.
pub const BLOCK_BYTES: u64 = 4096;

impl Default for Spec {
    /// fio's defaults.
    fn default() -> Spec {
        Spec {
            rw: Rw::only(Direction::Read, false),
            skip_bytes: 0,
            random_run: 1,
            random_percent: [100; 3],
            zones: Zones::default(),
            wait_for: None,
            exitall: false,
            flow: Flow::default(),
            block_sizes: [const { BlockSizes::Fixed(BLOCK_BYTES) }; 3],
            block_align_bytes: None,
            iodepth: 1,
            is_synchronous: false,
            numjobs: 1,
            read_percent: 50,
            runtime: None,
            ramp: Nanos::ZERO,
            time_based: false,
            size: None,
            offset: Extent::Bytes(0),
            offset_increment: Extent::Bytes(0),
            filesize: None,
            number_ios: 0,
            loops: 1,
            submit_batch: 1,
            complete_batch: 1,
            complete_batch_max: 1,
            iodepth_low: 0,
            io_size: None,
            rate: [None; 3],
            rate_process: RateProcess::Linear,
            thinktime: Nanos::ZERO,
            thinktime_blocks: 1,
            thinktime_by_issue: false,
            stonewall: false,
            new_group: false,
            start_delay: (Nanos::ZERO, Nanos::ZERO),
            group_reporting: false,
            norandommap: false,
            generator: Generator::Random,
            seed: None,
            distribution: Distribution::Uniform,
            access_zones: [const { Vec::new() }; 3],
            bw_log: None,
            iops_log: None,
            lat_log: None,
            log_interval: Nanos::ZERO,
            log_max_value: false,
            log_offset: false,
            per_job_logs: true,
            disabled: Disabled::default(),
            bw_window: Nanos::from_millis(500),
            iops_window: Nanos::from_millis(500),
            percentiles: PERCENTILES.to_vec(),
            clat_percentiles: true,
            lat_percentiles: false,
            filename: None,
            description: None,
            name: None,
            fsync_every: 0,
            fdatasync_every: 0,
            sync: false,
            end_fsync: false,
            verify: false,
            do_verify: true,
            kb_base: 1024,
            continue_on_error: [false; 2],
        }
    }
}
