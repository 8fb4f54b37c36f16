//! Jobs whose times, counts or offsets were measured with fio 3.33.

use stend_base::{Nanos, Op};
use stend_load::report::{fio_output, log_files};
use stend_load::testing::ConstantDevice;
use stend_load::{JobFile, RunOptions, RunResult, run};

const LATENCY: Nanos = Nanos::from_micros(100);

/// A run on a device of constant latency, and the requests as (operation, first byte, length).
fn execute_on(capacity: u64, text: &str) -> (RunResult, Vec<(Op, u64, u64)>) {
    let file = JobFile::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let mut device = ConstantDevice::new(capacity, LATENCY).logging();
    let result = run(&mut device, &file, &RunOptions::default()).unwrap();
    let log = device.requests().iter();
    let log = log.map(|(_, r)| (r.op, r.offset_bytes, r.len_bytes));
    (result, log.collect())
}

fn execute(body: &str) -> (RunResult, Vec<(Op, u64, u64)>) {
    execute_on(1 << 30, &format!("[j]\n{body}\n"))
}

/// Offsets of a job in blocks of 4 KiB.
fn blocks(body: &str) -> Vec<u64> {
    execute(body).1.iter().map(|(_, at, _)| at / 4096).collect()
}

#[test]
fn pauses_follow_completed_requests_and_the_last_one_counts() {
    for (body, pauses, ms) in [
        // fio: 1,501 ms.
        ("rw=randread\nsize=1m\nio_size=12k\nthinktime=500ms", 3, 500),
        // fio: 201 and 401 ms.
        (
            "size=1m\nio_size=12k\nthinktime=200ms\nthinktime_blocks=2",
            1,
            200,
        ),
        (
            "size=1m\nio_size=16k\nthinktime=200ms\nthinktime_blocks=2",
            2,
            200,
        ),
        // fio with libaio and direct=1: 453 and 101 ms.
        (
            "size=64k\niodepth=8\nthinktime=50ms\nthinktime_blocks=1",
            9,
            50,
        ),
        (
            "size=64k\niodepth=8\nthinktime=50ms\nthinktime_blocks=4",
            2,
            50,
        ),
        // fio: 80 ms with libaio, 201 ms for requests that count when issued.
        (
            "rw=randread\nsize=1m\niodepth=8\nthinktime=5ms\nthinktime_blocks=16",
            15,
            5,
        ),
        (
            "size=64k\niodepth=8\nthinktime=50ms\nthinktime_blocks=4\n\
             thinktime_blocks_type=issue",
            4,
            50,
        ),
    ] {
        let runtime = execute(body).0.jobs[0].runtime;
        assert_eq!(runtime.0 / (ms * 1_000_000), pauses, "{body}: {runtime:?}");
    }
}

#[test]
fn pauses_end_with_the_run_time() {
    let (result, log) = execute("size=1m\nruntime=2s\ntime_based\nthinktime=1500ms");
    assert_eq!(
        (log.len(), result.jobs[0].runtime),
        (2, Nanos::from_secs(2))
    );
}

/// fio 3.33, 64 writes: 15 for `fsync`, 0 for the others.
#[test]
fn total_ios_of_sync_counts_fsync_alone() {
    for (options, flushes, total, measured) in [
        ("fsync=4", 15, 15, 15),
        ("fdatasync=4", 15, 0, 15),
        ("end_fsync=1", 1, 0, 0),
        ("fsync=4\nend_fsync=1", 16, 15, 15),
        ("fsync=4\nfdatasync=4", 15, 15, 15),
    ] {
        let (result, log) = execute(&format!("rw=write\nsize=256k\n{options}"));
        let sent = log.iter().filter(|(op, ..)| *op == Op::Flush).count();
        let sync = fio_output(&result, false).jobs.remove(0).sync.unwrap();
        assert_eq!(
            (sent, sync.total_ios, sync.lat_ns.n),
            (flushes, total, measured),
            "{options}"
        );
    }
}

/// First offsets of three clones on a file of 1,000,001 KiB.
#[test]
fn the_sum_of_percentages_is_rounded_to_the_smallest_block_of_all_directions() {
    for (sizes, offsets) in [
        ("16k", [0, 337_936_384, 675_856_384]),
        ("16k,4k", [0, 337_924_096, 675_844_096]),
    ] {
        let text = format!("[j]\nbs={sizes}\nsize=33%\nnumjobs=3\noffset_increment=33%\n");
        let (_, log) = execute_on(1_000_001 << 10, &text);
        let first: Vec<u64> = log[..3].iter().map(|(_, at, _)| *at).collect();
        assert_eq!(first, offsets, "{sizes}");
    }
}

/// The blocks of each job are those of fio, on a file of `filesize`.
#[test]
fn filesize_ends_the_region_and_size_is_the_amount() {
    for (body, expected) in [
        ("filesize=32k\nsize=16k", vec![0, 1, 2, 3]),
        ("filesize=16k\nsize=32k", vec![0, 1, 2, 3]),
        ("filesize=32k", vec![0, 1, 2, 3, 4, 5, 6, 7]),
        ("filesize=32k\noffset=8k", vec![2, 3, 4, 5, 6, 7]),
        ("filesize=32k\noffset=8k\nsize=16k", vec![2, 3, 4, 5]),
        ("filesize=32k\nsize=50%", vec![0, 1, 2, 3]),
        (
            "filesize=32k\nsize=64k\nio_size=48k",
            vec![0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3],
        ),
    ] {
        assert_eq!(blocks(body), expected, "{body}");
    }
    let random = blocks("rw=randread\nfilesize=1m\nsize=256k");
    assert_eq!(random.len(), 64);
    assert!(
        random.iter().any(|block| *block > 128),
        "from the whole file: {random:?}"
    );
}

#[test]
fn loops_and_number_ios_set_the_number_of_requests() {
    assert_eq!(blocks("size=16k\nloops=3"), [0, 1, 2, 3].repeat(3));
    let random = blocks("rw=randread\nsize=18k\nloops=3");
    assert_eq!(random.len(), 12);
    for pass in random.chunks(4) {
        let mut pass = pass.to_vec();
        pass.sort_unstable();
        assert_eq!(pass, [0, 1, 2, 3]);
    }
    assert_eq!(blocks("size=64k\nnumber_ios=5\niodepth=4"), [0, 1, 2, 3, 4]);
    assert_eq!(blocks("size=16k\nnumber_ios=9").len(), 4);
    // The time alone ends a job that has one.
    let timed = blocks("size=16k\nnumber_ios=2\ntime_based\nruntime=10ms");
    assert!(timed.len() > 4, "{timed:?}");
}

#[test]
fn a_full_queue_waits_for_a_batch_of_completions() {
    for (options, depths) in [
        ("", [1, 2, 4, 9]),
        ("iodepth_batch_complete_min=4", [1, 2, 10, 3]),
        ("iodepth_batch_complete=4\niodepth_batch=4", [1, 2, 10, 3]),
        ("iodepth_low=2", [1, 4, 9, 2]),
        // Four, and four again, since six would be more than four.
        ("iodepth_low=3\niodepth_batch_complete_min=4", [2, 4, 8, 2]),
    ] {
        let (result, log) = execute(&format!("size=64k\niodepth=8\n{options}"));
        assert_eq!(log.len(), 16);
        assert_eq!(result.jobs[0].depths[..4], depths, "{options}");
    }
}

#[test]
fn blocks_may_be_smaller_than_their_alignment() {
    let (_, log) = execute("rw=randread\nbssplit=512/20:4k/80\nblockalign=4k\nsize=1m");
    assert!(log.iter().all(|(_, at, _)| at % 4096 == 0));
    assert!(log.iter().any(|(.., len)| *len == 512) && log.iter().any(|(.., len)| *len == 4096));
}

#[test]
fn disabled_figures_are_not_reported() {
    let lat = |options: &str| {
        let (result, _) = execute(&format!("size=64k\n{options}"));
        let read = fio_output(&result, false).jobs.remove(0).read;
        (read.clat_ns.n, read.lat_ns.n, read.total_ios)
    };
    assert_eq!(lat("disable_slat=1"), (16, 16, 16));
    assert_eq!(lat("disable_clat=1"), (0, 16, 16));
    assert_eq!(lat("disable_lat=1\ndisable_bw=1"), (16, 0, 16));
}

#[test]
fn jobs_may_share_a_log() {
    let text = "[global]\nsize=8k\nwrite_bw_log=x\nper_job_logs=0\n[a]\n[b]\n";
    let files = log_files(&execute_on(1 << 20, text).0);
    assert_eq!(files.len(), 1);
    assert_eq!(
        (files[0].name.as_str(), files[0].text.lines().count()),
        ("x_bw.log", 4)
    );
}

#[test]
fn jobs_that_skip_have_fio_s_blocks() {
    // Files of 64 KiB.
    let file = |rw: &str| blocks(&format!("filesize=64k\n{rw}"));
    let descending: Vec<u64> = std::iter::once(0).chain((0..15).rev()).collect();
    assert_eq!(file("rw=read:-8k"), descending);
    assert_eq!(file("rw=read:-4k"), [0; 16]);
    assert_eq!(file("rw=write:12k"), [0, 4, 8, 12].repeat(4));
    let skipping = [0, 3, 6, 9, 12, 15].into_iter().cycle().take(32);
    assert!(file("rw=read:8k\nio_size=128k").into_iter().eq(skipping));
    // Regions of 64 KiB in a larger file.
    assert_eq!(blocks("size=64k\nrw=read:12k"), [0, 4, 8, 12]);
    assert_eq!(blocks("size=64k\noffset=32k\nrw=read:12k"), [8, 12, 16, 20]);
    assert_eq!(blocks("size=64k\nrw=read:-8k"), descending);
}

#[test]
fn runs_from_random_places() {
    let got = blocks("rw=randread:4\nsize=1m");
    assert_eq!(got.len(), 256);
    let starts: Vec<u64> = got.chunks(4).map(|run| run[0]).collect();
    for run in got.chunks(4) {
        // At the end of the region, the next place is random.
        let steps = run.windows(2).filter(|pair| pair[1] == pair[0] + 1).count();
        assert!(steps == 3 || run.contains(&255), "{run:?}");
    }
    assert!(
        starts
            .windows(2)
            .filter(|pair| pair[1] != pair[0] + 4)
            .count()
            > 50
    );

    let follow = |percent: u32| {
        let got = blocks(&format!(
            "rw=randread\nsize=64m\npercentage_random={percent}"
        ));
        assert_eq!(got.len(), 16_384);
        got.windows(2).filter(|pair| pair[1] == pair[0] + 1).count()
    };
    assert_eq!(follow(0), 16_383);
    // Seven standard deviations of a binomial distribution are 390.
    assert!(follow(70).abs_diff(16_384 * 3 / 10) < 390, "{}", follow(70));
}

#[test]
fn trimwrite_trims_each_place_and_writes_it() {
    for rw in ["trimwrite", "randtrimwrite"] {
        let (_, log) = execute(&format!("rw={rw}\nsize=64k\nfilesize=128k"));
        assert_eq!(log.len(), 32, "{rw}");
        for pair in log.chunks(2) {
            let [(Op::Trim, at, len), (Op::Write, to, written)] = pair else {
                panic!("{pair:?}");
            };
            assert_eq!((at, len), (to, written));
        }
    }
}

#[test]
fn jobs_wait_for_all_clones_of_another() {
    let text = "[a]\nsize=1m\nnumjobs=2\nthinktime=1ms\n[b]\nsize=4k\nwait_for=a\n\
                [c]\nsize=4k\nwait_for=b\nstartdelay=1ms\n[d]\nsize=4k\n";
    let (result, _) = execute_on(1 << 30, text);
    let began: Vec<u64> = result.jobs.iter().map(|job| job.started_at.0).collect();
    let ended = 256 * 1_100_000;
    assert_eq!(began, [0, 0, ended, ended + LATENCY.0, 0]);
}

/// fio: 10 requests of a, one of b in 50 ms, all 256 of c.
#[test]
fn exitall_ends_the_jobs_of_a_group() {
    let text = "[global]\nsize=1m\n[a]\nthinktime=1ms\nnumber_ios=10\nexitall\n\
                [b]\nthinktime=50ms\n[c]\nthinktime=1ms\nnew_group\n";
    let (result, _) = execute_on(1 << 30, text);
    let done: Vec<_> = result
        .jobs
        .iter()
        .map(|job| (job.directions[0].latency.count(), job.runtime.0 / 1_000_000))
        .collect();
    assert_eq!(done, [(10, 11), (1, 50), (256, 281)]);
}

/// Jobs that `exitall` has ended before they begin are not nested in each other's end.
#[test]
fn thousands_of_clones_that_wait_end_at_once() {
    let text = "[global]\nsize=4k\ngroup_reporting\n[a]\nexitall\n\
                [b]\nnumjobs=4000\nwait_for=a\n";
    // A stack that does not hold them one within the other.
    let small = std::thread::Builder::new().stack_size(256 << 10);
    let run = move || execute_on(1 << 30, text).0;
    let result = small.spawn(run).unwrap().join().unwrap();
    assert_eq!(result.jobs.len(), 4_001);
    let late = result
        .jobs
        .iter()
        .filter(|job| job.started_at.0 > LATENCY.0);
    assert_eq!(late.count(), 0);
}

/// Files of 128 KiB.
#[test]
fn strided_zones_have_fio_s_blocks() {
    let zones = |rw: &str, size: &str, skip: &str| {
        blocks(&format!(
            "filesize=128k\nzonemode=strided\nrw={rw}\nzonesize={size}\nzoneskip={skip}\nsize=64k"
        ))
    };
    let expected = [0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29];
    assert_eq!(zones("read", "8k", "8k"), expected);
    let random = zones("randread", "16k", "16k");
    for (zone, drawn) in random.chunks(4).enumerate() {
        let mut drawn = drawn.to_vec();
        drawn.sort_unstable();
        let first = zone as u64 * 8;
        assert_eq!(drawn, [first, first + 1, first + 2, first + 3]);
    }
    let file = "filesize=128k\nzonemode=strided\nzonesize=16k\n";
    let wraps = blocks(&format!("{file}zonerange=32k\nsize=128k"));
    let once = [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27];
    assert_eq!(wraps, once.repeat(2));
    // The end of the file cuts the last zone, and ends the job.
    let cut = blocks(&format!("{file}zoneskip=8k\nsize=128k"));
    assert_eq!((cut.len(), &cut[20..]), (22, &[30, 31][..]));
}

/// Shares of blocks in tenths of the region; fio 3.33 has the same within a percent.
fn tenths(body: &str, op: Op) -> Vec<u64> {
    let (_, log) = execute(&format!("filesize=400k\nio_size=160m\n{body}"));
    let mut counts = [0u64; 10];
    let of_op = log.iter().filter(|(other, ..)| *other == op);
    let places: Vec<u64> = of_op.map(|(_, at, _)| at / 40_960).collect();
    for place in &places {
        counts[*place as usize] += 1;
    }
    let all = places.len() as u64;
    counts.iter().map(|n| (n * 100 + all / 2) / all).collect()
}

#[test]
fn zones_receive_their_shares_of_the_requests() {
    let near = |got: &[u64], expected: [u64; 10]| {
        let close = got
            .iter()
            .zip(expected)
            .all(|(got, e)| got.abs_diff(e) <= 1);
        assert!(close, "{got:?} {expected:?}");
    };
    for (zones, expected) in [
        (
            "zoned:60/10:30/20:8/30:2/40",
            [60, 15, 15, 3, 3, 3, 0, 0, 0, 0],
        ),
        ("zoned:50/:50/", [10; 10]),
        // Sizes that are missing share what is left.
        ("zoned:60/50:40", [12, 12, 12, 12, 12, 8, 8, 8, 8, 8]),
        ("zoned:50/0:50/20", [6, 6, 6, 6, 6, 6, 6, 6, 25, 25]),
        ("zoned:50/50:50/10", [10, 10, 10, 10, 10, 50, 0, 0, 0, 0]),
        ("zoned_abs:60/8k:40/24k", [100, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        ("zoned_abs:100/128k", [31, 31, 31, 6, 0, 0, 0, 0, 0, 0]),
    ] {
        let job = format!("rw=randread\nrandom_distribution={zones}");
        near(&tenths(&job, Op::Read), expected);
    }
    let mixed = "rw=randrw\nrandom_distribution=zoned:100/10,100/50";
    near(&tenths(mixed, Op::Read), [100, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    near(
        &tenths(mixed, Op::Write),
        [20, 20, 20, 20, 20, 0, 0, 0, 0, 0],
    );
    // As in fio, blocks repeat, and a direction without zones has none.
    let mut drawn = blocks("rw=randread\nsize=400k\nrandom_distribution=zoned:100/100");
    drawn.sort_unstable();
    drawn.dedup();
    assert!(drawn.len() < 90, "{}", drawn.len());
    let write_alone = "rw=randwrite\nrandom_distribution=zoned:100/10,";
    near(&tenths(write_alone, Op::Write), [10; 10]);
}

/// fio: 825 and 275 reads in a second, and issues of b at 0, 0, 40, 80, 120 ms and thrice after
/// the end of a.
#[test]
fn jobs_of_a_flow_issue_in_proportion_to_their_weights() {
    let text = "[global]\nrw=randread\nsize=1m\nnorandommap\ntime_based\nruntime=1\n\
                thinktime=1ms\n[a]\nflow=3\n[b]\nflow=1\n[c]\n[d]\nflow=1\nflow_id=7\n";
    let (result, _) = execute_on(1 << 30, text);
    let count = |job: usize| result.jobs[job].directions[0].latency.count();
    assert!(
        (count(0) * 100).abs_diff(count(1) * 300) < 600,
        "{} {}",
        count(0),
        count(1)
    );
    assert_eq!(
        (count(2), count(3)),
        (910, 910),
        "alone in its flow, or in none"
    );
    assert_eq!(result.jobs[1].runtime, Nanos::from_secs(1));

    let text = "[a]\nsize=32k\nflow=2\nthinktime=20ms\n[b]\nsize=32k\nflow=1\n\
                write_lat_log=b\n";
    let (result, _) = execute_on(1 << 30, text);
    let log = &result.jobs[1].log_requests;
    let ms: Vec<u64> = log.iter().map(|request| request.at.0 / 1_000_000).collect();
    assert_eq!(ms, [0, 0, 40, 80, 120, 160, 161, 161]);
}

/// fio: issues of b, in ms: 0, 0, 101, 101, 101, 207, 207, 207, and 307 after the end of a.
#[test]
fn a_job_ahead_of_its_flow_sleeps() {
    let text = "[a]\nsize=64k\nflow=2\nthinktime=10ms\n\
                [b]\nsize=256k\nflow=1\nflow_sleep=100000\nwrite_lat_log=b\n";
    let (result, _) = execute_on(1 << 30, text);
    let log = result.jobs[1].log_requests.iter();
    let pauses: Vec<u64> = log.map(|request| request.at.0 / 100_000_000).collect();
    assert_eq!(pauses[..8], [0, 0, 1, 1, 1, 2, 2, 2]);
    assert_eq!(pauses[8..], [3; 56]);
    // Its time ends while it waits for a job that thinks.
    let text = "[a]\nsize=64k\nflow=1\nthinktime=10s\nruntime=60\n\
                [b]\nsize=64k\nflow=1\nruntime=1\n";
    let (result, _) = execute_on(1 << 30, text);
    assert_eq!(result.jobs[1].runtime, Nanos::from_secs(1));
    assert!(result.jobs[1].directions[0].latency.count() < 4);
}

/// fio's order of the reads: that of the writes with a random map, else ascending, each once.
#[test]
fn verify_reads_what_was_written() {
    let runs = |body: &str| {
        let (result, log) = execute(&format!("size=64k\nverify=crc32c\n{body}"));
        let of = |op: Op| -> Vec<u64> {
            let log = log.iter().filter(|(other, ..)| *other == op);
            log.map(|(_, at, _)| at / 4096).collect()
        };
        let flush = log.iter().position(|(op, ..)| *op == Op::Flush);
        let first_read = log.iter().position(|(op, ..)| *op == Op::Read);
        (result, of(Op::Write), of(Op::Read), flush < first_read)
    };
    let sorted = |blocks: &[u64]| {
        let mut blocks = blocks.to_vec();
        blocks.sort_unstable();
        blocks.dedup();
        blocks
    };
    for body in ["rw=write", "rw=randwrite", "rw=randwrite\niodepth=4"] {
        let (_, written, read, flushed) = runs(body);
        assert_eq!((written.len(), &read), (16, &written), "{body}");
        assert!(flushed, "{body}: a flush comes first");
    }
    for body in [
        "rw=randwrite\nnorandommap",
        "rw=randwrite\nrandom_distribution=zipf",
        "rw=randwrite\nrandom_generator=lfsr",
        "rw=write:4k\nfilesize=64k",
    ] {
        let (_, written, read, _) = runs(body);
        assert_eq!(read, sorted(&written), "{body}");
    }
    let (_, written, read, _) = runs("rw=randrw");
    assert_eq!(read[read.len() - written.len()..], written);
    for body in ["rw=write\ndo_verify=0", "rw=write\nverify=0"] {
        assert!(runs(body).2.is_empty(), "{body}");
    }
    // A job whose time ends does not read.
    let (_, written, read, _) = runs("rw=write\nruntime=1ms");
    assert_eq!((written.len(), read.len()), (10, 0));
}

#[test]
fn the_reads_of_verify_have_a_time_of_their_own() {
    let (result, _) = execute("rw=write\nsize=64k\nverify=md5\niodepth=2\nthinktime=1ms");
    let job = fio_output(&result, false).jobs.remove(0);
    assert_eq!((job.read.total_ios, job.write.total_ios), (16, 16));
    let [read, write, _] = &result.jobs[0].directions;
    // A flush, then eight pairs.
    assert_eq!(read.runtime, LATENCY * 9);
    assert_eq!(read.runtime + write.runtime, result.jobs[0].runtime);
    assert_eq!(job.sync.unwrap().lat_ns.n, 0);
}

#[test]
fn blocks_that_a_later_write_overlaps_are_not_verified() {
    let body = "rw=randwrite\nnorandommap\nbssplit=4k/50:16k/50\nblockalign=4k\n\
                size=256k\nverify=crc32c";
    let (_, log) = execute(body);
    let of = |op: Op| log.iter().filter(move |(other, ..)| *other == op);
    let mut last: Option<u64> = None;
    for (_, at, len) in of(Op::Read) {
        assert!(
            last.is_none_or(|end| end <= *at),
            "ascending, without overlap"
        );
        last = Some(at + len);
        // No later write overlaps the last one of this place.
        let is_same = |w: &&(Op, u64, u64)| (w.1, w.2) == (*at, *len);
        let own = of(Op::Write)
            .enumerate()
            .filter(|(_, w)| is_same(w))
            .last()
            .unwrap()
            .0;
        let mut later = of(Op::Write).skip(own + 1);
        assert!(!later.any(|w| w.1 < at + len && *at < w.1 + w.2), "{at}");
    }
    assert!(of(Op::Read).count() > 5);
}

#[test]
fn jobs_with_files_of_their_own_share_no_space() {
    use stend_load::runner::jobs_that_share_space;
    let shared = |text: &str| {
        let file = JobFile::parse(text).unwrap();
        let shared = jobs_that_share_space(&file, 1 << 30);
        shared.map(|(one, other)| format!("{one} {other}"))
    };
    let some = |names: &str| Some(names.to_owned());
    assert_eq!(shared("[global]\nsize=1m\n[a]\n[b]\n"), some("a b"));
    assert_eq!(shared("[a]\nsize=1m\nnumjobs=2\n"), some("a a"));
    assert_eq!(shared("[a]\nfilename=x\n[b]\nfilename=y\n"), some("a b"));
    let three = "[a]\nfilename=x\n[b]\nfilename=x\nsize=1m\n[c]\nfilename=y\noffset=512m\n";
    assert_eq!(shared(three), some("a c"));
    for text in [
        "[a]\n[b]\n",
        "[global]\nfilename=x\nsize=1m\n[a]\n[b]\n",
        "[a]\nsize=1m\n[b]\noffset=1m\nsize=1m\n",
        "[a]\nsize=1m\nnumjobs=4\noffset_increment=1m\n",
        "[a]\nfilename=x\nsize=1m\n[b]\nfilename=y\nsize=1m\noffset=1m\n",
    ] {
        assert_eq!(shared(text), None, "{text}");
    }
}
