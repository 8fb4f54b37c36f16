//! The runner on a device of constant latency: instants are exact to the nanosecond.

use std::cell::Cell;

use proptest::prelude::*;
use stend_base::{Completion, Device, Nanos, Op, Request, SimTime, Status};
use stend_load::report::{fio_output, normal};
use stend_load::runner::{Flow, Progress};
use stend_load::stats::LatencyStats;
use stend_load::testing::ConstantDevice;
use stend_load::{IntervalLatency, JobFile, RunError, RunOptions, RunResult, run};

const LATENCY: Nanos = Nanos::from_micros(100);
const CAPACITY: u64 = 1 << 30;

fn execute(text: &str, options: &RunOptions<'_>) -> (RunResult, Vec<(SimTime, Request)>) {
    let file = JobFile::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let mut device = ConstantDevice::new(CAPACITY, LATENCY).logging();
    let result = run(&mut device, &file, options).unwrap();
    (result, device.requests().to_vec())
}

fn requests(text: &str) -> Vec<(SimTime, Request)> {
    execute(text, &RunOptions::default()).1
}

fn offsets(log: &[(SimTime, Request)], op: Op) -> Vec<u64> {
    let of_op = log.iter().filter(|(_, r)| r.op == op);
    of_op.map(|(_, r)| r.offset_bytes).collect()
}

#[test]
fn depth_is_kept_and_run_time_drains() {
    let (result, log) = execute(
        "[j]\nrw=randread\niodepth=4\ntime_based\nruntime=10ms\n",
        &RunOptions::default(),
    );
    // Four at each multiple of the latency below 10 ms; the last complete at 10 ms exactly.
    assert_eq!(log.len(), 400);
    for (index, (at, _)) in log.iter().enumerate() {
        assert_eq!(at.0, index as u64 / 4 * LATENCY.0);
    }
    let job = &result.jobs[0];
    assert_eq!(job.runtime, Nanos::from_millis(10));
    let reads = &job.directions[0];
    assert_eq!(reads.latency.count(), 400);
    assert_eq!(
        (reads.latency.min_ns(), reads.latency.max_ns()),
        (LATENCY.0, LATENCY.0)
    );
    assert_eq!(reads.latency.stddev_ns(), 0.0);
    assert_eq!(reads.bytes, 400 * 4096);
    // The queue is filled once, from 1 to 4; then every completion is followed by a request.
    assert_eq!(job.depths, [1, 2, 397, 0, 0, 0, 0]);

    let (result, log) = execute(
        "[j]\nrw=randread\ntime_based\nruntime=1050us\n",
        &RunOptions::default(),
    );
    assert_eq!(log.len(), 11, "the eleventh is issued at 1,000 µs");
    assert_eq!(
        result.jobs[0].runtime,
        Nanos::from_micros(1100),
        "and waited for"
    );
    assert_eq!(result.jobs[0].directions[0].latency.count(), 11);
}

#[test]
fn sequential_ascends_and_ends_or_wraps() {
    let expected = |n: u64| (0..n).map(|i| 8192 + i * 4096).collect::<Vec<u64>>();
    let log = requests("[j]\nrw=write\nsize=64k\noffset=8k\n");
    assert_eq!(offsets(&log, Op::Write), expected(16));
    // io_size beyond size: begins again (fio 3.33 does the same with these numbers).
    let log = requests("[j]\nrw=read\nsize=64k\noffset=8k\nio_size=100k\n");
    assert_eq!(
        offsets(&log, Op::Read),
        [expected(16), expected(9)].concat()
    );
    // A block that does not fit ends the job: 20k has room for two of 8k.
    assert_eq!(requests("[j]\nrw=read\nbs=8k\nsize=20k\n").len(), 2);
    let log = requests("[j]\nrw=trim\nbs=8k\nsize=20k\ntime_based\nruntime=500us\n");
    assert_eq!(offsets(&log, Op::Trim), [0, 8192, 0, 8192, 0]);
}

#[test]
fn mixed_sequential_ascends_in_each_direction() {
    let log = requests("[j]\nrw=rw\nsize=1m\n");
    assert_eq!(log.len(), 256, "both directions together do `size`");
    for op in [Op::Read, Op::Write] {
        let got = offsets(&log, op);
        assert!(got.len() > 90, "{op:?}: {}", got.len());
        assert!(got.iter().enumerate().all(|(i, o)| *o == i as u64 * 4096));
    }
}

#[test]
fn random_map_is_shared_by_the_directions() {
    let log = requests("[j]\nrw=randrw\nsize=4m\niodepth=8\n");
    let mut all: Vec<u64> = log.iter().map(|(_, r)| r.offset_bytes).collect();
    all.sort_unstable();
    assert!(all.iter().enumerate().all(|(i, o)| *o == i as u64 * 4096));
    assert_eq!(all.len(), 1024);
}

#[test]
fn norandommap_repeats_and_misses() {
    let mut all = offsets(
        &requests("[j]\nrw=randwrite\nsize=4m\nnorandommap\n"),
        Op::Write,
    );
    assert_eq!(all.len(), 1024);
    all.sort_unstable();
    all.dedup();
    // About 1 - 1/e of the blocks are hit: 647 of 1024.
    assert!((600..700).contains(&all.len()), "{}", all.len());
}

#[test]
fn mix_ratio_is_met() {
    for percent in [0, 10, 50, 80, 100] {
        let log = requests(&format!("[j]\nrw=randrw\nrwmixread={percent}\nsize=80m\n"));
        let reads = offsets(&log, Op::Read).len() as f64;
        let share = reads / log.len() as f64 * 100.0;
        // 20,480 requests: three standard deviations are about one percent.
        assert!(
            (share - f64::from(percent)).abs() < 1.1,
            "{percent}: {share}"
        );
        assert!(percent % 100 != 0 || share == f64::from(percent));
    }
}

#[test]
fn mixed_block_sizes_keep_to_the_region() {
    let log = requests("[j]\nrw=randrw\nbs=4k,16k\nsize=1m\noffset=1m\nio_size=8m\n");
    let total: u64 = log.iter().map(|(_, r)| r.len_bytes).sum();
    assert!((8 << 20..(8 << 20) + 16_384).contains(&total));
    for (_, r) in &log {
        assert_eq!(r.len_bytes, if r.op == Op::Read { 4096 } else { 16_384 });
        assert!(r.offset_bytes >= 1 << 20 && r.offset_bytes + r.len_bytes <= 2 << 20);
        assert_eq!(r.offset_bytes % r.len_bytes, 0);
    }
}

#[test]
fn random_lengths_end_within_the_region() {
    for sizes in [
        "bsrange=4k-64k",
        "bssplit=4k/50:64k/50",
        "bsrange=4k-64k\nnorandommap",
    ] {
        let log = requests(&format!(
            "[j]\nrw=randwrite\n{sizes}\nsize=256k\noffset=1m\nio_size=16m\n"
        ));
        assert!(log.len() > 300, "{sizes}");
        let end = |r: &Request| r.offset_bytes + r.len_bytes;
        assert!(
            log.iter().all(|(_, r)| r.offset_bytes >= 1 << 20),
            "{sizes}"
        );
        let last = log.iter().map(|(_, r)| end(r)).max().unwrap();
        assert_eq!(last, (1 << 20) + (256 << 10), "{sizes}");
    }
}

/// With a map no block occurs twice in a pass: a request that would reach a touched one is
/// shortened.
#[test]
fn a_pass_of_several_lengths_meets_every_block_once() {
    for sizes in [
        "rw=randwrite\nbsrange=4k-64k",
        "rw=randwrite\nbssplit=4k/50:64k/30:8k",
        "rw=randwrite\nbssplit=6k/50:4k/50",
        "rw=randrw\nbsrange=4k-4k,4k-32k",
    ] {
        let text = format!("[j]\n{sizes}\nsize=64m\noffset=1m\nio_size=128m\n");
        let log = requests(&text);
        let mut times = vec![0; 64 << 20 >> 9];
        for (_, r) in &log {
            let first = (r.offset_bytes - (1 << 20)) >> 9;
            let sectors = first..first + (r.len_bytes >> 9);
            sectors.for_each(|sector| times[sector as usize] += 1);
        }
        assert!(times.iter().all(|times| *times == 2), "{sizes}: two passes");
    }
    // The rest of a region that is no multiple of the smallest length begins no second pass.
    let log = requests("[j]\nrw=randwrite\nbsrange=8k-16k\nsize=100k\n");
    let bytes: u64 = log.iter().map(|(_, r)| r.len_bytes).sum();
    assert_eq!(bytes, 96 << 10);
    // fio 3.33 needs 5,384 to 5,456 requests for this; without a map 2,943 would be enough.
    let log = requests("[j]\nrw=randwrite\nbssplit=4k/50:64k/30:8k\nsize=64m\n");
    assert!((5_250..5_600).contains(&log.len()), "{}", log.len());
}

#[test]
fn bssplit_is_weighted() {
    let split = "bssplit=4k/20:64k/80\nnorandommap\nio_size=400m\nsize=512m";
    let log = requests(&format!("[j]\nrw=randread\n{split}\n"));
    let small = log.iter().filter(|(_, r)| r.len_bytes == 4096).count() as f64;
    let share = small / log.len() as f64;
    assert!((share - 0.2).abs() < 0.02, "{share}");
}

#[test]
fn rate_iops_is_exact() {
    // 7,000 a second: their distance is no whole number of nanoseconds.
    let log = requests("[j]\nrw=randread\nrate_iops=7000\niodepth=8\ntime_based\nruntime=1s\n");
    assert_eq!(log.len(), 7000);
    for (k, (at, _)) in log.iter().enumerate() {
        assert_eq!(at.0, k as u64 * 1_000_000_000 / 7000, "request {k}");
    }
}

#[test]
fn a_rate_that_cannot_be_met_is_not_waited_for() {
    let log = requests("[j]\nrw=read\nrate_iops=20k\nsize=4m\n");
    assert!(
        log.iter()
            .enumerate()
            .all(|(k, (at, _))| at.0 == k as u64 * LATENCY.0)
    );
}

#[test]
fn rates_of_both_directions_are_kept() {
    let (result, _) = execute(
        "[j]\nrw=randrw\nrwmixread=70\nrate_iops=1000,500\niodepth=4\ntime_based\nruntime=2s\n",
        &RunOptions::default(),
    );
    let counts = [0, 1].map(|d: usize| result.jobs[0].directions[d].latency.count());
    assert_eq!(counts, [2000, 1000]);
}

/// Times between the requests of a Poisson process at depth 64, s.
fn gaps(options: &str) -> Vec<f64> {
    let log = requests(&format!(
        "[j]\nrate_process=poisson\niodepth=64\n{options}\n"
    ));
    assert_eq!(log[0].0, SimTime::ZERO, "the first is due at once");
    let gaps = log.windows(2).map(|w| w[1].0.since(w[0].0).as_secs_f64());
    gaps.collect()
}

/// Mean, variance divided by the square of the mean, and correlation of neighbours.
fn moments(values: &[f64]) -> (f64, f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
    let pairs = values.windows(2).map(|w| (w[0] - mean) * (w[1] - mean));
    (
        mean,
        variance / mean.powi(2),
        pairs.sum::<f64>() / n / variance,
    )
}

#[test]
fn poisson_arrivals_are_exponential() {
    // 100,000 requests: the mean has a standard error of 0.32 %, the variance one of 0.9 %.
    let options = "rw=randread\nrate_iops=7000\nio_size=400000k";
    let gaps = gaps(options);
    let (mean, variance, correlation) = moments(&gaps);
    assert!((mean * 7000.0 - 1.0).abs() < 0.01, "{mean}");
    assert!((variance - 1.0).abs() < 0.03, "{variance}");
    assert!(correlation.abs() < 0.01, "{correlation}");
    for x in [0.1, 0.5, 1.0, 2.0, 5.0f64] {
        let longer = gaps.iter().filter(|gap| **gap * 7000.0 > x).count();
        let share = longer as f64 / gaps.len() as f64;
        assert!((share - (-x).exp()).abs() < 0.006, "{share} above {x}");
    }
}

#[test]
fn poisson_rates_count_requests_of_the_smallest_size() {
    // 8 MiB in blocks of 4 KiB: 2,048 a second, also of longer requests.
    let (mean, ..) = moments(&gaps(
        "rw=randread\nnorandommap\nrate=8m\nbsrange=4k-8k\nio_size=200m",
    ));
    assert!((mean * 2048.0 - 1.0).abs() < 0.02, "{mean}");
}

#[test]
fn poisson_arrivals_repeat_by_seed_and_do_not_depend_on_completions() {
    let text = |more: &str| {
        format!(
            "[j]\nrw=randrw\nrwmixread=70\nrate_process=poisson\n{more}\ntime_based\nruntime=1\n"
        )
    };
    let instants = |more: &str, latency: Nanos, seed: u64| {
        let file = JobFile::parse(&text(more)).unwrap();
        let mut device = ConstantDevice::new(CAPACITY, latency).logging();
        let options = RunOptions {
            seed,
            ..RunOptions::default()
        };
        let result = run(&mut device, &file, &options).unwrap();
        let log = device.requests().iter().map(|(at, r)| (*at, r.op));
        (
            log.collect::<Vec<_>>(),
            result.jobs[0].directions[0].latency.count(),
        )
    };
    let rates = "rate_iops=2000,500\niodepth=256";
    let (one, reads) = instants(rates, LATENCY, 1);
    assert_eq!(one, instants(rates, LATENCY, 1).0);
    assert_ne!(one, instants(rates, LATENCY, 2).0, "another seed");
    assert_eq!(one, instants(rates, LATENCY * 20, 1).0, "a slower device");
    // Three standard deviations of a Poisson number.
    assert!((1866..=2134).contains(&reads), "{reads}");
    let writes = one.len() as u64 - reads;
    assert!((433..=567).contains(&writes), "{writes}");
    // At depth 1 the device is the limit: late requests catch up.
    let (deep, _) = instants("rate_iops=20k,0\niodepth=1", LATENCY, 1);
    let busy = deep.windows(2).filter(|w| w[1].0.since(w[0].0) == LATENCY);
    assert_eq!(busy.count(), deep.len() - 1);
    // Without a rate there is nothing to control.
    let (free, _) = instants("iodepth=1", LATENCY, 1);
    assert_eq!(free.len(), 10_000);
}

/// A device that serves one request after the other, each in [`LATENCY`].
struct OneServer {
    inner: ConstantDevice,
    ends: std::collections::VecDeque<(SimTime, u32)>,
    free_at: SimTime,
}

impl Device for OneServer {
    fn capacity_bytes(&self) -> u64 {
        self.inner.capacity_bytes()
    }
    fn now(&self) -> SimTime {
        self.inner.now()
    }
    fn submit(&mut self, request: Request) {
        self.free_at = self.free_at.max(self.now()) + LATENCY;
        self.ends.push_back((self.free_at, request.tag));
    }
    fn advance(&mut self, limit: SimTime) -> Option<Completion> {
        let next = self.ends.front().filter(|(at, _)| *at <= limit).copied();
        self.inner.advance(next.map_or(limit, |(at, _)| at));
        let (at, tag) = next?;
        self.ends.pop_front();
        let status = Status::Ok;
        Some(Completion { tag, at, status })
    }
}

#[test]
fn waiting_behind_poisson_arrivals_is_that_of_pollaczek_and_khinchine() {
    for (rate, percent) in [(3000, 30), (5000, 50), (8000, 80)] {
        let text = format!(
            "[j]\nrw=randread\nrate_iops={rate}\nrate_process=poisson\niodepth=1024\n\
             io_size=4g\n"
        );
        let mut device = OneServer {
            inner: ConstantDevice::new(CAPACITY, Nanos::ZERO),
            ends: std::collections::VecDeque::new(),
            free_at: SimTime::ZERO,
        };
        let file = JobFile::parse(&text).unwrap();
        let result = run(&mut device, &file, &RunOptions::default()).unwrap();
        let latency = &result.jobs[0].directions[0].latency;
        let service = LATENCY.0 as f64;
        let waited = (latency.mean_ns() - service) / service;
        // M/D/1: load divided by twice the free share, in service times.
        let load = f64::from(percent) / 100.0;
        let expected = load / (2.0 * (1.0 - load));
        assert!(
            (waited / expected - 1.0).abs() < 0.03,
            "{rate} a second: {waited}, not {expected}"
        );
    }
}

#[test]
fn thinktime_is_exact() {
    let log = requests("[j]\nrw=randread\nthinktime=250us\nsize=64k\n");
    assert_eq!(log.len(), 16);
    for (k, (at, _)) in log.iter().enumerate() {
        assert_eq!(at.0, k as u64 * (LATENCY.0 + 250_000), "request {k}");
    }
    // Six completions at depth four, while those after them are under way.
    let log =
        requests("[j]\nrw=randread\nthinktime=1ms\nthinktime_blocks=6\niodepth=4\nsize=96k\n");
    let instants: Vec<u64> = log.iter().map(|(at, _)| at.0 / 1000).collect();
    let burst = |start: u64| [start, start, start, start, start + 100, start + 100];
    let first = [0, 0, 0, 0, 100, 100, 100, 100, 200];
    let last = [3700; 3];
    assert_eq!(
        instants,
        [&first[..], &burst(1300), &burst(2500), &last].concat()
    );
}

#[test]
fn stonewall_startdelay_and_clones() {
    let (result, log) = execute(
        "[global]\nrw=write\nsize=40k\n[a]\nnumjobs=2\noffset_increment=1m\n[b]\nstartdelay=2ms\n\
         offset=8m\n[c]\nstonewall\noffset=16m\n[d]\nnew_group\noffset=24m\n",
        &RunOptions::default(),
    );
    let jobs: Vec<(&str, u32, u32, u64)> = result
        .jobs
        .iter()
        .map(|j| (j.name.as_str(), j.clone, j.group, j.started_at.0 / 1000))
        .collect();
    // `a` takes ten requests, 1 ms; `b` begins at 2 ms and ends at 3 ms.
    assert_eq!(
        jobs,
        [
            ("a", 0, 0, 0),
            ("a", 1, 0, 0),
            ("b", 0, 0, 2000),
            ("c", 0, 1, 3000),
            ("d", 0, 2, 3000)
        ]
    );
    let first_of = |region: u64| {
        let of_region = |r: &&(SimTime, Request)| r.1.offset_bytes == region << 20;
        log.iter().find(of_region).map(|(at, _)| at.0 / 1000)
    };
    assert_eq!(first_of(1), Some(0), "the clone begins one increment later");
    assert_eq!(
        [8, 16, 24].map(first_of),
        [Some(2000), Some(3000), Some(3000)]
    );
    assert_eq!(result.ended_at, SimTime(4_000_000));
}

#[test]
fn ramp_time_runs_uncounted() {
    let (result, log) = execute(
        "[j]\nrw=randread\nramp_time=5ms\ntime_based\nruntime=10ms\n",
        &RunOptions::default(),
    );
    assert_eq!(log.len(), 150);
    // The request that completes at 5 ms exactly counts.
    assert_eq!(result.jobs[0].directions[0].latency.count(), 101);
    assert_eq!(result.jobs[0].runtime, Nanos::from_millis(10));
}

/// fio 3.33 with the null engine at ten requests a second and a ramp of one second counts
/// 5 of 16 requests (11 are issued in the ramp), and with `io_size=128k` 21 of 32.
#[test]
fn what_is_done_in_ramp_time_uses_up_the_job() {
    for (body, total) in [("", 16), ("io_size=128k\n", 32), ("rw=randread\n", 16)] {
        let text = format!("[j]\nrw=read\nsize=64k\nramp_time=1050us\n{body}");
        let (result, log) = execute(&text, &RunOptions::default());
        assert_eq!(log.len(), total, "{body}");
        // Ten complete before the ramp ends.
        let counted = result.jobs[0].directions[0].latency.count();
        assert_eq!(counted, total as u64 - 10, "{body}");
    }
}

#[test]
fn fsync_and_end_fsync_flush() {
    let (result, log) = execute(
        "[j]\nrw=write\nsize=40k\nfsync=4\nend_fsync=1\n",
        &RunOptions::default(),
    );
    let ops: Vec<Op> = log.iter().map(|(_, r)| r.op).collect();
    use Op::{Flush as F, Write as W};
    assert_eq!(ops, [W, W, W, W, F, W, W, W, W, F, W, W, F]);
    assert_eq!((result.jobs[0].sync.count(), result.jobs[0].fsyncs), (2, 2));
    assert_eq!(result.jobs[0].directions[1].latency.count(), 10);
    assert_eq!(result.jobs[0].runtime, Nanos::from_micros(1300));
}

/// As in fio 3.33, a flush also follows a read, while the number of writes is a multiple.
#[test]
fn in_a_mix_reads_after_the_last_write_of_a_group_are_flushed_too() {
    let (_, log) = execute(
        "[j]\nrw=randrw\nrwmixread=75\nsize=4m\nfsync=4\n",
        &RunOptions::default(),
    );
    let ops: Vec<Op> = log.iter().map(|(_, r)| r.op).collect();
    let (mut expected, mut writes) = (0, 0);
    for (at, &op) in ops.iter().enumerate().filter(|(_, op)| **op != Op::Flush) {
        writes += u32::from(op == Op::Write);
        let due = writes > 0 && writes % 4 == 0 && at + 1 < ops.len();
        assert_eq!(due, ops.get(at + 1) == Some(&Op::Flush), "request {at}");
        expected += usize::from(due);
    }
    // A quarter of all requests, not of the writes: fio sends 236 to 275 for 1,024.
    let flushes = ops.iter().filter(|op| **op == Op::Flush).count();
    assert_eq!(flushes, expected);
    assert!(ops.len() - flushes == 1024 && flushes > 200, "{flushes}");
}

#[test]
fn fdatasync_flushes_and_shares_a_flush_with_fsync() {
    let (result, log) = execute(
        "[j]\nrw=write\nsize=40k\nfdatasync=3\nfsync=6\n",
        &RunOptions::default(),
    );
    let ops: Vec<Op> = log.iter().map(|(_, r)| r.op).collect();
    use Op::{Flush as F, Write as W};
    assert_eq!(ops, [W, W, W, F, W, W, W, F, W, W, W, F, W]);
    assert_eq!((result.jobs[0].sync.count(), result.jobs[0].fsyncs), (3, 1));
}

#[test]
fn synchronous_writes_ask_for_fua_and_reads_do_not() {
    for (option, fua) in [("sync=1", true), ("sync=dsync", true), ("sync=0", false)] {
        let (_, log) = execute(
            &format!("[j]\nrw=rw\nsize=400k\n{option}\nfsync=8\n"),
            &RunOptions::default(),
        );
        let of = |op: Op| -> Vec<bool> {
            let all = log.iter().filter(|(_, r)| r.op == op);
            all.map(|(_, r)| r.fua).collect()
        };
        assert!(of(Op::Write).len() > 10);
        assert!(of(Op::Write).iter().all(|&f| f == fua), "{option}");
        assert!(of(Op::Read).iter().all(|&f| !f), "{option}");
        assert!(of(Op::Flush).iter().all(|&f| !f), "{option}");
    }
}

#[test]
fn each_job_is_a_thread_of_its_own() {
    let (_, log) = execute(
        "[a]\nrw=read\nsize=8k\nnumjobs=2\n[b]\nrw=read\nsize=8k\n",
        &RunOptions::default(),
    );
    let mut queues: Vec<u16> = log.iter().map(|(_, r)| r.queue).collect();
    queues.sort_unstable();
    assert_eq!(queues, [0, 0, 1, 1, 2, 2]);
}

#[test]
fn samples_hold_what_completed_in_each_interval() {
    let options = RunOptions {
        sample_ms: 10,
        ..RunOptions::default()
    };
    let (result, _) = execute(
        "[j]\nrw=randwrite\niodepth=2\ntime_based\nruntime=35ms\n[k]\nrw=read\n\
         startdelay=20ms\nsize=40k\n",
        &options,
    );
    let rows: Vec<(f64, f64, f64, u64)> = result
        .samples
        .iter()
        .map(|s| (s.t_s, s.write_iops, s.read_iops, s.written_bytes / 4096))
        .collect();
    let expected = [
        (0.01, 20_000.0, 0.0, 200),
        (0.02, 20_000.0, 0.0, 400),
        (0.03, 20_000.0, 1000.0, 600),
        (0.035, 20_000.0, 0.0, 700),
    ];
    assert_eq!(rows, expected);
    let latency = IntervalLatency {
        p50_ns: 100_000,
        p99_ns: 100_000,
        max_ns: 100_000,
    };
    let all = |s: &stend_load::Sample| s.latency == Some(latency);
    assert!(result.samples.iter().all(all));
    let options = RunOptions {
        sample_ms: 20,
        ..RunOptions::default()
    };
    let (result, _) = execute("[j]\nrw=randwrite\ntime_based\nruntime=25ms\n", &options);
    assert_eq!(result.samples.len(), 1, "a short rest joins the row before");
    assert_eq!(
        (result.samples[0].t_s, result.samples[0].write_iops),
        (0.025, 10_000.0)
    );
}

#[test]
fn same_seed_same_requests_and_jobs_do_not_shift_each_other() {
    let text = "[a]\nrw=randrw\nbsrange=4k-32k\nio_size=4m\nsize=64m\niodepth=4\n";
    let log = requests(text);
    assert_eq!(log, requests(text));
    let other = RunOptions {
        seed: 2,
        ..RunOptions::default()
    };
    assert_ne!(log, execute(text, &other).1);
    let seeded = format!("{text}randseed=1\n");
    assert_eq!(
        log,
        execute(&seeded, &other).1,
        "randseed replaces the root seed"
    );

    let two = format!("{text}[b]\nrw=randwrite\nsize=64m\noffset=512m\nio_size=1m\n");
    let low = |log: &[(SimTime, Request)]| -> Vec<Request> {
        let requests = log.iter().map(|(_, r)| *r);
        let of_a = requests.filter(|r| r.offset_bytes < 64 << 20);
        of_a.map(|r| Request { tag: 0, ..r }).collect()
    };
    assert_eq!(low(&log), low(&requests(&two)));
}

#[test]
fn what_does_not_fit_is_refused() {
    let refused = |text: &str| {
        let file = JobFile::parse(text).unwrap();
        let mut device = ConstantDevice::new(CAPACITY, LATENCY).logging();
        let error = run(&mut device, &file, &RunOptions::default()).unwrap_err();
        assert!(device.requests().is_empty());
        error.to_string()
    };
    let error = refused("[j]\nsize=2g\n");
    assert!(
        error.contains("section [j]: size 2147483648 from offset 0 reaches beyond"),
        "{error}"
    );
    assert!(refused("[j]\noffset=1g\n").contains("begins beyond"));
    assert!(refused("[j]\nsize=1m\nnumjobs=3\noffset_increment=512m\n").contains("clone 2"));
    assert!(refused("[j]\nsize=1k\n").contains("does not fit a region"));
    let percent = requests(
        "[j]\nrw=read\nsize=50%\noffset=99.9%\nbs=1m\n"
            .replace("99.9", "99")
            .as_str(),
    );
    assert_eq!(
        percent[0].1.offset_bytes,
        (CAPACITY * 99 / 100).next_multiple_of(1 << 20)
    );
    assert_eq!(percent.len(), 10, "capped at the end of the device");
}

#[test]
fn progress_is_told_and_may_stop() {
    let calls = Cell::new(0);
    let last = Cell::new(0.0);
    let tell = |p: &Progress| {
        calls.set(calls.get() + 1);
        assert!(p.elapsed_s > last.get() && p.elapsed_s <= 0.02 && p.requests > 0);
        last.set(p.elapsed_s);
        Flow::GoOn
    };
    let options = RunOptions {
        progress: Some(&tell),
        progress_every: Nanos::from_millis(1),
        ..RunOptions::default()
    };
    execute("[j]\nrw=randread\ntime_based\nruntime=20ms\n", &options);
    assert!((15..=20).contains(&calls.get()), "{}", calls.get());
    assert!(last.get() > 0.018);

    let stop = |_: &Progress| Flow::Stop;
    let options = RunOptions {
        progress: Some(&stop),
        ..options
    };
    let file = JobFile::parse("[j]\nrw=read\n").unwrap();
    let mut device = ConstantDevice::new(CAPACITY, LATENCY);
    assert_eq!(
        run(&mut device, &file, &options).unwrap_err(),
        RunError::Stopped
    );
}

#[test]
fn what_is_enough_ends_the_run_and_what_is_in_flight_counts() {
    let asked = Cell::new(0);
    let enough = |p: &Progress| {
        asked.set(asked.get() + 1);
        match p.elapsed_s >= 0.005 {
            true => Flow::Finish,
            false => Flow::GoOn,
        }
    };
    let options = RunOptions {
        progress: Some(&enough),
        progress_every: Nanos::from_millis(1),
        ..RunOptions::default()
    };
    let text = "[j]\nrw=randread\niodepth=4\ntime_based\nruntime=20ms\n[k]\nrw=write\niodepth=2\n";
    let file = JobFile::parse(text).unwrap();
    let mut device = ConstantDevice::new(CAPACITY, LATENCY);
    let result = run(&mut device, &file, &options).unwrap();
    // Five calls, each a millisecond and up to one latency after the one before, and the requests
    // that were in flight.
    assert_eq!(asked.get(), 5);
    let longest_us = 5 * (1_000 + LATENCY.0 / 1000) + LATENCY.0 / 1000;
    for job in &result.jobs {
        let runtime_us = job.runtime.0 / 1000;
        assert!((5_000..=longest_us).contains(&runtime_us), "{runtime_us}");
        let issued: u64 = job.depths.iter().sum();
        let done: u64 = job.directions.iter().map(|d| d.latency.count()).sum();
        assert_eq!(issued, done);
    }
}

/// A device that loses every request.
struct Deaf(SimTime);

impl Device for Deaf {
    fn capacity_bytes(&self) -> u64 {
        CAPACITY
    }
    fn now(&self) -> SimTime {
        self.0
    }
    fn submit(&mut self, _: Request) {}
    fn advance(&mut self, limit: SimTime) -> Option<Completion> {
        self.0 = limit;
        None
    }
}

/// A device whose time ends after a second.
struct Ending(ConstantDevice);

impl Device for Ending {
    fn capacity_bytes(&self) -> u64 {
        self.0.capacity_bytes()
    }
    fn now(&self) -> SimTime {
        self.0.now()
    }
    fn submit(&mut self, request: Request) {
        assert!(self.now() <= self.end_of_time());
        self.0.submit(request);
    }
    fn advance(&mut self, limit: SimTime) -> Option<Completion> {
        self.0.advance(limit)
    }
    fn end_of_time(&self) -> SimTime {
        SimTime(1_000_000_000)
    }
}

#[test]
fn a_run_beyond_the_end_of_time_is_an_error() {
    let ended = |options: &str| {
        let text = format!("[j]\nrw=randread\nbs=4k\n{options}\n");
        let file = JobFile::parse(&text).unwrap();
        let device = ConstantDevice::new(CAPACITY, LATENCY);
        let mut device = Ending(device);
        let ended = run(&mut device, &file, &RunOptions::default()).map(drop);
        assert!(device.0.is_silent(), "requests are in flight");
        ended
    };
    for options in [
        "time_based\nruntime=3\niodepth=7",
        "time_based\nruntime=3\nrate_iops=10",
        "startdelay=2000d\nsize=4k",
        "size=1m\nthinktime=2000000",
    ] {
        let error = ended(options).unwrap_err();
        assert!(
            matches!(error, RunError::EndOfTime(_)),
            "{options}: {error}"
        );
    }
    assert_eq!(ended("time_based\nruntime=500ms"), Ok(()));
    assert_eq!(ended("startdelay=900ms\nsize=4k"), Ok(()));
}

#[test]
fn a_device_that_never_answers_is_reported() {
    let file = JobFile::parse("[j]\nrw=read\niodepth=3\n").unwrap();
    let error = run(&mut Deaf(SimTime::ZERO), &file, &RunOptions::default()).unwrap_err();
    assert!(
        matches!(error, RunError::Stalled(stalled) if stalled.outstanding == 3),
        "{error}"
    );
}

proptest! {
    #[test]
    fn percentiles_agree_with_a_sorted_list(
        values in prop::collection::vec(1u64..1_000_000_000, 1..400),
        percent in 0.5f64..100.0,
    ) {
        let mut stats = LatencyStats::default();
        values.iter().for_each(|v| stats.record(*v));
        let mut sorted = values.clone();
        sorted.sort_unstable();
        let rank = ((percent / 100.0 * sorted.len() as f64).ceil() as usize).clamp(1, sorted.len());
        let exact = sorted[rank - 1] as f64;
        let got = stats.percentile_ns(percent) as f64;
        prop_assert!((got - exact).abs() <= exact * 0.001 + 1.0, "{got}, not {exact}");

        let n = values.len() as f64;
        let mean = values.iter().sum::<u64>() as f64 / n;
        prop_assert!((stats.mean_ns() - mean).abs() <= mean * 1e-12);
        let squares: f64 = values.iter().map(|v| (*v as f64 - mean).powi(2)).sum();
        let stddev = if values.len() > 1 { (squares / (n - 1.0)).sqrt() } else { 0.0 };
        prop_assert!((stats.stddev_ns() - stddev).abs() <= stddev * 1e-9 + 1e-3);
        prop_assert_eq!(stats.min_ns(), sorted[0]);
        prop_assert_eq!(stats.max_ns(), sorted[sorted.len() - 1]);
        prop_assert_eq!(stats.bins().map(|bin| bin.1).sum::<u64>(), values.len() as u64);
    }

    #[test]
    fn added_distributions_equal_one(
        a in prop::collection::vec(1u64..10_000_000, 0..50),
        b in prop::collection::vec(1u64..10_000_000, 0..50),
    ) {
        let collect = |values: &[u64]| {
            let mut stats = LatencyStats::default();
            values.iter().for_each(|v| stats.record(*v));
            stats
        };
        let mut sum = collect(&a);
        sum.add(&collect(&b));
        let one = collect(&[a, b].concat());
        prop_assert_eq!(sum.count(), one.count());
        prop_assert_eq!(sum.mean_ns(), one.mean_ns());
        prop_assert_eq!(sum.stddev_ns(), one.stddev_ns());
        prop_assert_eq!((sum.min_ns(), sum.max_ns()), (one.min_ns(), one.max_ns()));
        prop_assert!(sum.bins().eq(one.bins()));
    }
}

/// A device that serves `left` requests; the rest fail.
struct Failing {
    inner: ConstantDevice,
    left: u32,
    fails: Op,
    ops: Vec<Op>,
}

impl Device for Failing {
    fn capacity_bytes(&self) -> u64 {
        self.inner.capacity_bytes()
    }
    fn now(&self) -> SimTime {
        self.inner.now()
    }
    fn submit(&mut self, request: Request) {
        let tag = request.tag as usize;
        self.ops.resize(self.ops.len().max(tag + 1), Op::Read);
        self.ops[tag] = request.op;
        self.inner.submit(request);
    }
    fn advance(&mut self, limit: SimTime) -> Option<Completion> {
        let mut done = self.inner.advance(limit)?;
        if self.left == 0 && self.ops[done.tag as usize] == self.fails {
            done.status = Status::WriteProtected;
        }
        self.left = self.left.saturating_sub(1);
        Some(done)
    }
}

fn failing(options: &str, fails: Op) -> RunResult {
    let text = format!("[j]\nrw=randrw\niodepth=4\nsize=4m\nend_fsync=1\n{options}\n");
    let file = JobFile::parse(&text).unwrap_or_else(|error| panic!("{error}"));
    let mut device = Failing {
        inner: ConstantDevice::new(CAPACITY, LATENCY),
        left: 100,
        fails,
        ops: Vec::new(),
    };
    run(&mut device, &file, &RunOptions::default()).unwrap()
}

#[test]
fn a_failed_request_ends_its_job_unless_it_goes_on() {
    let counted = |result: &RunResult| -> u64 {
        let job = &result.jobs[0];
        job.directions.iter().map(|d| d.latency.count()).sum()
    };
    let json = |result: &RunResult| {
        let job = fio_output(result, false).jobs.remove(0);
        let other = |key: &str| job.other.get(key).and_then(serde_json::Value::as_u64);
        (job.error, other("total_err"), other("first_error"))
    };
    for options in ["", "continue_on_error=read", "continue_on_error=none"] {
        let result = failing(options, Op::Write);
        let errors = result.jobs[0].errors;
        assert_eq!((errors.fatal, errors.first), (5, 5));
        // Three more were in flight.
        assert!(
            (100..=120).contains(&counted(&result)),
            "{}",
            counted(&result)
        );
        assert!((1..=4).contains(&errors.total), "{errors:?}");
        assert_eq!(result.jobs[0].sync.count(), 0, "no flush after an error");
        assert!(normal(&result).contains("err= 5 (Input/output error)"));
        let (error, total, _) = json(&result);
        assert_eq!((error, total.is_some()), (5, options.ends_with("read")));
    }
    for options in ["continue_on_error=write", "continue_on_error=1"] {
        let result = failing(options, Op::Write);
        let errors = result.jobs[0].errors;
        assert_eq!(errors.fatal, 0);
        assert!(errors.total > 300, "{errors:?}");
        assert_eq!(counted(&result) + errors.total, 1024);
        assert_eq!(json(&result), (0, Some(errors.total), Some(5)));
        assert_eq!(
            result.jobs[0].sync.count(),
            0,
            "the last flush has no latency"
        );
    }
    assert_eq!(failing("", Op::Trim).jobs[0].errors.total, 0);
}
