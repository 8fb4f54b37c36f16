//! fio job files of points and of preparation.
//!
//! They contain no file name, I/O engine or `direct`: the target adds its own.

use std::fmt::Write as _;

use stend_record::load::{Load, range_bytes};
use stend_record::review::{Durability, Pattern, PointOp, SyncMethod};

/// Sizes and offsets that divide a capacity are multiples of this, bytes: every common flash page
/// and every block size of the editions divides it.
const SHARE_ALIGN_BYTES: u64 = 1 << 20;

/// A runtime under the scale, whole seconds, at least 1: the sampling interval is a
/// second, and shorter runs say nothing.
pub(crate) fn scaled_runtime_s(duration_s: f64, scale: f64) -> u64 {
    // Beyond 2^53 s the product is no longer exact; the cast saturates.
    (duration_s * scale).round().max(1.0) as u64
}

/// Options of a job beside its load.
pub(crate) struct JobFrame<'a> {
    /// Percentiles to request.
    pub(crate) percentiles: &'a [f64],
    /// Runtime, whole seconds; `None` for one pass over the range.
    pub(crate) runtime_s: Option<u64>,
    /// From [`stend_base::job_seed`].
    pub(crate) seed: u64,
    /// Capacity of the target, bytes.
    pub(crate) capacity_bytes: u64,
}

/// Returns the job file that measures `load`.
pub(crate) fn measure(load: &Load, frame: &JobFrame<'_>) -> String {
    let mut text = String::from("[global]\n");
    push_load(&mut text, load);
    push_frame(&mut text, frame);
    if load.threads > 1 {
        text.push_str("group_reporting\n");
    }
    push_sections(&mut text, load, frame.capacity_bytes);
    text
}

/// Adds direction, order, size and queue depth.
fn push_load(text: &mut String, load: &Load) {
    let direction = match (load.pattern, load.op) {
        (Pattern::Sequential, PointOp::Read) => "read",
        (Pattern::Sequential, PointOp::Write) => "write",
        (Pattern::Sequential, PointOp::Mixed) => "rw",
        (Pattern::Random, PointOp::Read) => "randread",
        (Pattern::Random, PointOp::Write) => "randwrite",
        (Pattern::Random, PointOp::Mixed) => "randrw",
    };
    push(text, "rw", direction);
    if load.op == PointOp::Mixed {
        push(text, "rwmixread", load.read_percent);
    }
    push(text, "bs", block_option(load.block_bytes));
    push(text, "iodepth", load.queue_depth);
    if load.pattern == Pattern::Random {
        // Every draw is independent, as in Iometer; fio's default visits every block once before it
        // repeats one.
        text.push_str("norandommap\n");
    }
}

/// Adds runtime, seed and percentiles.
fn push_frame(text: &mut String, frame: &JobFrame<'_>) {
    if let Some(runtime_s) = frame.runtime_s {
        text.push_str("time_based\n");
        push(text, "runtime", runtime_s);
    }
    push(text, "randseed", frame.seed);
    let percentiles: Vec<String> = frame.percentiles.iter().map(f64::to_string).collect();
    push(text, "percentile_list", percentiles.join(":"));
}

/// Threads with the same load, in a range of the target.
pub(crate) struct Stream<'a> {
    /// The load; its place is `range_bytes`, not its region.
    pub(crate) load: &'a Load,
    /// Method by which its writes become durable.
    pub(crate) durability: Durability,
    /// First byte and length.
    pub(crate) range_bytes: (u64, u64),
}

impl Stream<'_> {
    /// Returns a name of letters, digits and dashes for the section and for the random seed.
    pub(crate) fn slug(&self) -> String {
        let sync = match self.durability.sync {
            SyncMethod::None => "unsynced",
            other => option_of(other),
        };
        let every = self
            .durability
            .every
            .map_or(String::new(), |n| n.to_string());
        format!("{}-{sync}{every}", self.load.without_region().slug())
    }
}

fn option_of(method: SyncMethod) -> &'static str {
    match method {
        SyncMethod::None => "none",
        SyncMethod::Dsync => "dsync",
        SyncMethod::Fsync => "fsync",
        SyncMethod::Fdatasync => "fdatasync",
    }
}

/// Returns the job file of several streams that run at the same time, each reported as one group.
pub(crate) fn streams(streams: &[Stream<'_>], frame: &JobFrame<'_>) -> String {
    let mut text = String::from("[global]\n");
    push_frame(&mut text, frame);
    text.push_str("group_reporting\n");
    for (nth, stream) in streams.iter().enumerate() {
        let _ = writeln!(text, "\n[{}]", stream.slug());
        if nth > 0 {
            text.push_str("new_group\n");
        }
        push_load(&mut text, stream.load);
        if stream.load.threads > 1 {
            push(&mut text, "numjobs", stream.load.threads);
        }
        let Durability { sync, every } = stream.durability;
        match (sync, every) {
            (SyncMethod::None, _) => {}
            (SyncMethod::Dsync, _) => push(&mut text, "sync", option_of(sync)),
            (flush, every) => push(&mut text, option_of(flush), every.unwrap_or(1)),
        }
        let (offset, size) = stream.range_bytes;
        if offset > 0 {
            push(&mut text, "offset", offset);
        }
        if size < frame.capacity_bytes {
            push(&mut text, "size", size);
        }
    }
    text
}

/// Returns the job file of a load as an edition runs it, to run it outside of a review: for
/// `runtime_s`, or without it once over the load's range.
pub fn load_job(load: &Load, runtime_s: Option<u64>, capacity_bytes: u64, seed: u64) -> String {
    measure(load, &plain_frame(runtime_s, capacity_bytes, seed))
}

/// Returns the job file like [`load_job`], for durable writes.
pub fn sync_job(
    load: &Load,
    durability: Durability,
    runtime_s: u64,
    (capacity_bytes, seed): (u64, u64),
) -> String {
    let stream = Stream {
        load,
        durability,
        range_bytes: (0, load.range_bytes(capacity_bytes)),
    };
    streams(
        &[stream],
        &plain_frame(Some(runtime_s), capacity_bytes, seed),
    )
}

/// Returns the job file of a step that fills a region or the whole capacity with requests of this
/// size and queue depth.
pub fn fill_job(
    (block_bytes, queue_depth): (u64, u32),
    region_bytes: Option<u64>,
    capacity_bytes: u64,
    seed: u64,
) -> String {
    fill(block_bytes, queue_depth, seed, region_bytes, capacity_bytes)
}

fn plain_frame(runtime_s: Option<u64>, capacity_bytes: u64, seed: u64) -> JobFrame<'static> {
    JobFrame {
        percentiles: &[50.0],
        runtime_s,
        seed,
        capacity_bytes,
    }
}

/// Adds the sections: one with `numjobs` for random loads, one for each thread for sequential
/// loads, each on its own share of the range, so that no thread reads data that another has just
/// brought into the drive's buffer.
fn push_sections(text: &mut String, load: &Load, capacity_bytes: u64) {
    let slug = load.slug();
    if load.threads == 1 || load.pattern == Pattern::Random {
        let _ = writeln!(text, "\n[{slug}]");
        if load.threads > 1 {
            push(text, "numjobs", load.threads);
        }
        push_range(text, load.region_bytes, capacity_bytes);
        return;
    }
    let share = load.range_bytes(capacity_bytes) / u64::from(load.threads);
    let align = if share >= 4 * SHARE_ALIGN_BYTES.max(load.block_bytes) {
        SHARE_ALIGN_BYTES.max(load.block_bytes)
    } else {
        load.block_bytes
    };
    // Never 0, which fio reads as "everything": a target that small fails with fio's message.
    let share = (share / align * align).max(load.block_bytes);
    for thread in 0..load.threads {
        let _ = writeln!(text, "\n[{slug}-{}]", thread + 1);
        push(text, "offset", share * u64::from(thread));
        push(text, "size", share);
    }
}

/// Limits the job to the first bytes of the target, unless they are all of it.
fn push_range(text: &mut String, region_bytes: Option<u64>, capacity_bytes: u64) {
    let range = range_bytes(region_bytes, capacity_bytes);
    if range < capacity_bytes {
        push(text, "size", range);
    }
}

/// Returns the job file that writes the whole capacity, or its first part, once, ascending.
pub(crate) fn fill(
    block_bytes: u64,
    queue_depth: u32,
    seed: u64,
    region_bytes: Option<u64>,
    capacity_bytes: u64,
) -> String {
    let mut text = unmeasured("fill", "write", "", (block_bytes, queue_depth, seed));
    push_range(&mut text, region_bytes, capacity_bytes);
    text
}

/// Returns the job file that writes a file behind the first `offset_bytes`, once, ascending.
pub(crate) fn write_file(offset_bytes: u64, file_bytes: u64, seed: u64) -> String {
    file((131_072, 32, seed), offset_bytes, file_bytes)
}

/// Returns the job file that writes the file of a benchmark like the original program: 1 MiB at a
/// time.
pub(crate) fn benchmark_file(region_bytes: u64, capacity_bytes: u64, seed: u64) -> String {
    let file_bytes = range_bytes(Some(region_bytes), capacity_bytes);
    file((1 << 20, 1, seed), 0, file_bytes)
}

fn file(requests: (u64, u32, u64), offset_bytes: u64, file_bytes: u64) -> String {
    let mut text = unmeasured("file", "write", "", requests);
    push(&mut text, "offset", offset_bytes);
    push(&mut text, "size", file_bytes);
    text
}

/// Returns the job file that writes `bytes` into the range, repeatedly: whole requests, and never
/// more.
pub(crate) fn wear(load: &Load, range_bytes: u64, bytes: u64, seed: u64) -> String {
    let (direction, option) = match load.pattern {
        Pattern::Sequential => ("write", ""),
        Pattern::Random => ("randwrite", "norandommap\n"),
    };
    let requests = (load.block_bytes, load.queue_depth, seed);
    let mut text = unmeasured("wear", direction, option, requests);
    push(&mut text, "size", range_bytes);
    push(&mut text, "io_size", bytes);
    text
}

/// Returns the job file that reads the range once and continues after failed reads.
pub(crate) fn read_back(block_bytes: u64, range_bytes: u64, seed: u64) -> String {
    let goes_on = "continue_on_error=read\n";
    let mut text = unmeasured("read-back", "read", goes_on, (block_bytes, 32, seed));
    push(&mut text, "size", range_bytes);
    text
}

/// Returns a job file of one section without percentiles; requests are size, queue depth and seed.
fn unmeasured(
    section: &str,
    direction: &str,
    option: &str,
    (block_bytes, queue_depth, seed): (u64, u32, u64),
) -> String {
    let block = block_option(block_bytes);
    format!(
        "[global]\nrw={direction}\nbs={block}\niodepth={queue_depth}\n{option}randseed={seed}\n\n\
         [{section}]\n"
    )
}

fn push(text: &mut String, key: &str, value: impl std::fmt::Display) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{key}={value}");
}

/// Formats `512`, `4k`, `1m`, as people write it in job files; fio's k and m are binary.
fn block_option(bytes: u64) -> String {
    match bytes {
        b if b % (1 << 20) == 0 => format!("{}m", b >> 20),
        b if b % (1 << 10) == 0 => format!("{}k", b >> 10),
        b => b.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: JobFrame<'_> = JobFrame {
        percentiles: &[50.0, 99.9, 99.999],
        runtime_s: Some(180),
        seed: 7,
        capacity_bytes: 1_000_000_000,
    };

    fn load(op: PointOp, pattern: Pattern) -> Load {
        Load {
            op,
            read_percent: 80,
            ..Load::read(pattern, 4096, 4)
        }
    }

    #[test]
    fn a_random_job_in_full() {
        assert_eq!(
            measure(&load(PointOp::Write, Pattern::Random), &FRAME),
            "[global]\nrw=randwrite\nbs=4k\niodepth=4\nnorandommap\ntime_based\nruntime=180\n\
             randseed=7\npercentile_list=50:99.9:99.999\n\n[rand-write-4096-t1-qd4]\n"
        );
    }

    #[test]
    fn sequential_threads_share_the_capacity_without_overlap() {
        let mut mixed = load(PointOp::Mixed, Pattern::Sequential);
        mixed.threads = 2;
        mixed.block_bytes = 131_072;
        let text = measure(&mixed, &FRAME);
        assert!(text.contains("rw=rw\nrwmixread=80\nbs=128k\n"), "{text}");
        assert!(text.contains("group_reporting\n"));
        assert!(!text.contains("norandommap") && !text.contains("numjobs"));
        // 500,000,000 rounded down to MiB.
        let share = 476 << 20;
        assert!(
            text.contains(&format!("-1]\noffset=0\nsize={share}\n")),
            "{text}"
        );
        assert!(text.ends_with(&format!("-2]\noffset={share}\nsize={share}\n")));
    }

    #[test]
    fn random_threads_share_one_section() {
        let mut random = load(PointOp::Read, Pattern::Random);
        random.threads = 4;
        let text = measure(&random, &FRAME);
        assert!(text.contains("group_reporting\n"));
        assert!(
            text.ends_with("[rand-read-4096-t4-qd4]\nnumjobs=4\n"),
            "{text}"
        );
    }

    #[test]
    fn a_region_bounds_every_section() {
        let mut random = load(PointOp::Read, Pattern::Random);
        random.region_bytes = Some(64 << 20);
        let text = measure(&random, &FRAME);
        assert!(
            text.ends_with("[rand-read-4096-t1-qd4-in67108864]\nsize=67108864\n"),
            "{text}"
        );
        let mut mixed = load(PointOp::Mixed, Pattern::Sequential);
        (mixed.threads, mixed.region_bytes) = (2, Some(64 << 20));
        let text = measure(&mixed, &FRAME);
        let half = 32 << 20;
        assert!(
            text.ends_with(&format!("-2]\noffset={half}\nsize={half}\n")),
            "{text}"
        );
        let text = fill(131_072, 32, 7, Some(64 << 20), FRAME.capacity_bytes);
        assert!(text.ends_with("[fill]\nsize=67108864\n"), "{text}");
    }

    #[test]
    fn a_region_beyond_the_capacity_is_the_capacity() {
        let mut random = load(PointOp::Read, Pattern::Random);
        random.region_bytes = Some(1 << 30);
        let text = measure(&random, &FRAME);
        assert!(!text.contains("size="), "{text}");
        assert_eq!(random.range_bytes(FRAME.capacity_bytes), 1_000_000_000);
    }

    #[test]
    fn a_pass_over_the_range_has_no_time() {
        let sequential = load(PointOp::Write, Pattern::Sequential);
        let frame = JobFrame {
            runtime_s: None,
            ..FRAME
        };
        let text = measure(&sequential, &frame);
        assert!(
            !text.contains("time_based") && !text.contains("runtime"),
            "{text}"
        );
    }

    #[test]
    fn streams_are_reported_apart_and_say_how_they_become_durable() {
        let log = Load::write(Pattern::Sequential, 8192, 1);
        let data = Load {
            threads: 4,
            ..Load::write(Pattern::Random, 16_384, 1)
        };
        let durability = |sync, every| Durability { sync, every };
        let of_log = Stream {
            load: &log,
            durability: durability(SyncMethod::Dsync, None),
            range_bytes: (0, 1 << 20),
        };
        let of_data = Stream {
            load: &data,
            durability: durability(SyncMethod::Fdatasync, Some(16)),
            range_bytes: (1 << 20, 3 << 20),
        };
        assert_eq!(
            streams(&[of_log, of_data], &FRAME),
            "[global]\ntime_based\nruntime=180\nrandseed=7\npercentile_list=50:99.9:99.999\n\
             group_reporting\n\n[seq-write-8192-t1-qd1-dsync]\nrw=write\nbs=8k\niodepth=1\n\
             sync=dsync\nsize=1048576\n\n[rand-write-16384-t4-qd1-fdatasync16]\nnew_group\n\
             rw=randwrite\nbs=16k\niodepth=1\nnorandommap\nnumjobs=4\nfdatasync=16\n\
             offset=1048576\nsize=3145728\n"
        );
    }

    #[test]
    fn runtimes_scale_to_whole_seconds_and_stop_at_one() {
        assert_eq!(scaled_runtime_s(180.0, 1.0), 180);
        assert_eq!(scaled_runtime_s(180.0, 0.01), 2);
        assert_eq!(scaled_runtime_s(60.0, 0.001), 1);
        assert_eq!(scaled_runtime_s(7200.0, 2.0), 14_400);
    }
}
