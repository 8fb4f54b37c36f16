//! A job file applied to a device: clones, phases, regions in bytes.

use stend_base::Rng;

use crate::jobfile::{BlockSizes, Direction, Distribution, Extent, JobFile, Mix, Spec};
use crate::pattern::{lfsr, zoned::Zoned};

use super::error::RunError;

/// One clone of one section, placed on the device.
#[derive(Clone, Debug)]
pub(super) struct Plan<'a> {
    pub spec: &'a Spec,
    pub name: &'a str,
    /// Index into [`JobFile::jobs`].
    pub section: usize,
    /// Number of the clone in its section, from 0.
    pub clone: u32,
    /// Reporting group: a new one at each stonewall or `new_group`, as in fio.
    pub group: u32,
    /// Phases run one after another; the jobs of one phase run at the same time.
    pub phase: u32,
    pub region_start: u64,
    pub region_bytes: u64,
    /// Amount of data, bytes; `None`: until the run time ends.
    pub limit_bytes: Option<u64>,
    /// True if the job begins again at the end of the region.
    pub wraps: bool,
    /// True if the region is the whole target, or the whole file of `filesize`.
    pub is_whole: bool,
    /// Section for which the job waits.
    pub waits_for: Option<usize>,
    /// Beginning of the names of its random streams.
    pub stream: String,
}

impl Plan<'_> {
    /// The random stream with a name.
    pub fn rng(&self, root_seed: u64, what: &str) -> Rng {
        let seed = self.spec.seed.unwrap_or(root_seed);
        Rng::stream(seed, &format!("{}/{what}", self.stream))
    }
}

pub(super) fn plans(file: &JobFile, capacity_bytes: u64) -> Result<Vec<Plan<'_>>, RunError> {
    let mut plans = Vec::new();
    let (mut group, mut phase) = (0, 0);
    for (section, job) in file.jobs.iter().enumerate() {
        let spec = &job.spec;
        if section > 0 {
            group += u32::from(spec.stonewall || spec.new_group);
            phase += u32::from(spec.stonewall);
        }
        let namesakes = file.jobs[..section].iter().filter(|j| j.name == job.name);
        let ordinal = namesakes.count();
        for clone in 0..spec.numjobs {
            let region =
                region(spec, clone, capacity_bytes).map_err(|problem| RunError::DoesNotFit {
                    place: job.place.clone(),
                    problem,
                })?;
            let size = region.1;
            let io_bytes = io_bytes(spec, size);
            let wraps = bytes_of_places(spec, size) > size;
            plans.push(Plan {
                spec,
                name: &job.name,
                section,
                clone,
                group,
                phase,
                region_start: region.0,
                region_bytes: size,
                limit_bytes: (!spec.time_based).then_some(io_bytes),
                is_whole: region.0 == 0 && (size == capacity_bytes || spec.filesize.is_some()),
                waits_for: spec.wait_for.as_ref().and_then(|name| {
                    let before = &file.jobs[..section];
                    before.iter().position(|job| job.name == *name)
                }),
                wraps: spec.time_based || spec.loops > 1 || wraps,
                stream: format!("load/{}/{ordinal}/{clone}", job.name),
            });
        }
    }
    Ok(plans)
}

/// Bytes that a job moves unless its time ends before.
fn io_bytes(spec: &Spec, region_bytes: u64) -> u64 {
    let bytes = bytes_of_places(spec, region_bytes);
    match spec.rw.mix {
        // As in fio, each byte counts when it is trimmed and when it is written.
        Mix::TrimWrite => bytes.saturating_mul(2),
        _ => bytes,
    }
}

fn bytes_of_places(spec: &Spec, region_bytes: u64) -> u64 {
    match (spec.io_size, spec.size, spec.filesize) {
        // As in fio, a percentage is relative to `size`.
        (Some(extent), ..) => resolve(extent, region_bytes),
        (None, Some(Extent::Bytes(size)), Some(_)) => size.min(region_bytes),
        (None, Some(size), None) if spec.zones.is_strided => {
            resolve(size, region_bytes).min(region_bytes)
        }
        _ => {
            // A pass ends before a block that does not fit.
            let block = match only_block_bytes(spec) {
                Some(bytes) if spec.loops > 1 => bytes,
                _ => 1,
            };
            let pass = region_bytes - region_bytes % block;
            pass.saturating_mul(spec.loops.into())
        }
    }
}

/// The block size of a job of one direction that has only one.
fn only_block_bytes(spec: &Spec) -> Option<u64> {
    let mut used = Direction::ALL.into_iter().filter(|d| spec.rw.uses(*d));
    match (used.next(), used.next()) {
        (Some(only), None) => match spec.block_sizes[only as usize] {
            BlockSizes::Fixed(bytes) => Some(bytes),
            _ => None,
        },
        _ => None,
    }
}

fn resolve(extent: Extent, capacity_bytes: u64) -> u64 {
    match extent {
        Extent::Bytes(bytes) => bytes,
        Extent::Percent(percent) => share(capacity_bytes, percent),
    }
}

fn share(capacity_bytes: u64, percent: u32) -> u64 {
    (u128::from(capacity_bytes) * u128::from(percent) / 100) as u64
}

/// First byte and length of the region of a clone.
fn region(spec: &Spec, clone: u32, capacity_bytes: u64) -> Result<(u64, u64), String> {
    let used = |d: &Direction| spec.rw.uses(*d);
    let sizes = || {
        Direction::ALL
            .into_iter()
            .filter(used)
            .map(|d| &spec.block_sizes[d as usize])
    };
    // As in fio, the smallest block of all directions, used or not.
    let smallest = spec.block_sizes.iter().map(BlockSizes::min).min();
    let smallest = smallest.unwrap_or(512);
    let aligns = spec.block_align_bytes.into_iter().flatten();
    let largest_min = sizes().map(BlockSizes::min).chain(aligns).max();
    let largest_min = largest_min.unwrap_or(512);
    // As in fio, the sum is rounded up to whole blocks if a part of it is a percentage.
    let is_percent = |extent: Extent| matches!(extent, Extent::Percent(_));
    let unit = match is_percent(spec.offset) || is_percent(spec.offset_increment) {
        true => smallest,
        false => 1,
    };
    let start = resolve(spec.offset_increment, capacity_bytes)
        .checked_mul(u64::from(clone))
        .and_then(|shift| shift.checked_add(resolve(spec.offset, capacity_bytes)))
        .and_then(|start| start.checked_next_multiple_of(unit))
        .filter(|start| *start < capacity_bytes)
        .ok_or_else(|| {
            format!(
                "clone {clone} begins beyond the end of the target ({capacity_bytes} bytes); \
            lower offset, offset_increment or numjobs"
            )
        })?;
    let file_bytes = spec.filesize.unwrap_or(capacity_bytes);
    if file_bytes > capacity_bytes || file_bytes <= start {
        return Err(format!(
            "filesize {file_bytes} with offset {start} does not fit the target \
            ({capacity_bytes} bytes)"
        ));
    }
    let rest = file_bytes - start;
    let len = match spec.size {
        // As in fio, the zones lie in the whole file, and `size` is the amount of data.
        _ if spec.zones.is_strided => rest,
        None | Some(Extent::Percent(100)) => rest,
        Some(Extent::Percent(percent)) => {
            let len = share(file_bytes, percent).min(rest);
            len - len % smallest
        }
        // As in fio, `size` is then the amount of data, and `filesize` the region.
        Some(Extent::Bytes(_)) if spec.filesize.is_some() => rest,
        Some(Extent::Bytes(bytes)) if bytes <= rest => bytes,
        Some(Extent::Bytes(bytes)) => {
            return Err(format!(
                "size {bytes} from offset {start} reaches beyond the end of the target \
                ({capacity_bytes} bytes); the most is {rest}"
            ));
        }
    };
    let len_of_draws = spec.zones.zone_bytes().map_or(len, |zone| zone.min(len));
    if len_of_draws < largest_min {
        return Err(format!(
            "a block of {largest_min} bytes does not fit a region of {len_of_draws} bytes"
        ));
    }
    check_draws(spec, len, len_of_draws)?;
    Ok((start, len))
}

/// Checks that a region of `len` bytes can be drawn from, and that the zones of
/// `random_distribution=zoned_abs` end within `region_bytes`.
fn check_draws(spec: &Spec, len: u64, region_bytes: u64) -> Result<(), String> {
    if len / 512 > lfsr::LEN_MAX {
        return Err(format!(
            "a region of {len} bytes is larger than can be simulated"
        ));
    }
    if spec.distribution != Distribution::Zoned {
        return Ok(());
    }
    let used = Direction::ALL.into_iter().filter(|d| spec.rw.uses(*d));
    let ends = used.map(|d| Zoned::end_bytes(&spec.access_zones[d as usize]));
    match ends.max().filter(|end| *end > region_bytes) {
        None => Ok(()),
        Some(end) => Err(format!(
            "the zones of random_distribution end at {end} bytes, beyond the region of \
            {region_bytes} bytes"
        )),
    }
}

/// Region of a job that has a file of its own in fio.
struct OwnFile<'a> {
    begin: u64,
    end: u64,
    job: &'a str,
    /// The file: its name, or that of the job with the number of the clone, from 1.
    file: (&'a str, u32),
}

/// Returns the names of two jobs that have files of their own in fio and share space of a target
/// of `capacity_bytes`; `None` without such jobs, and for a job file that does not fit.
///
/// fio gives each job without a `filename` its own file, if the job has a `size` in bytes.
pub fn jobs_that_share_space(file: &JobFile, capacity_bytes: u64) -> Option<(&str, &str)> {
    let plans = plans(file, capacity_bytes).ok()?;
    let own_file = |plan: &Plan<'_>| {
        let spec = &file.jobs[plan.section].spec;
        let is_sized = matches!(spec.size, Some(Extent::Bytes(_))) || spec.filesize.is_some();
        let own = match &spec.filename {
            Some(name) => (name.as_str(), 0),
            None if is_sized => (file.jobs[plan.section].name.as_str(), plan.clone + 1),
            None => return None,
        };
        Some(OwnFile {
            begin: plan.region_start,
            end: plan.region_start + plan.region_bytes,
            job: &file.jobs[plan.section].name,
            file: own,
        })
    };
    let mut files: Vec<OwnFile<'_>> = plans.iter().filter_map(own_file).collect();
    files.sort_by_key(|of| of.begin);
    // The region that ends last, and the one of another file that does.
    let (mut last, mut other): (Option<&OwnFile<'_>>, Option<&OwnFile<'_>>) = (None, None);
    for own in &files {
        let shares = |of: &&OwnFile<'_>| of.end > own.begin && of.file != own.file;
        if let Some(found) = last.filter(shares).or(other.filter(shares)) {
            return Some((found.job, own.job));
        }
        if last.is_none_or(|last| last.end <= own.end) {
            if last.is_some_and(|last| last.file != own.file) {
                other = last;
            }
            last = Some(own);
        }
    }
    None
}
