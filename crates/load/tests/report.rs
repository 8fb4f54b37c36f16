//! Reports, alone and compared with fio itself.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use stend_base::{Completion, Device, Nanos, Request, SimTime};
use stend_load::report::{fio_output, log_files, normal};
use stend_load::testing::ConstantDevice;
use stend_load::{JobFile, RunOptions, RunResult, run};
use stend_record::fio;

const LATENCY: Nanos = Nanos::from_micros(100);

fn execute(text: &str) -> RunResult {
    let file = JobFile::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let mut device = ConstantDevice::new(1 << 30, LATENCY);
    run(&mut device, &file, &RunOptions::default()).unwrap()
}

/// Runs fio on a job file in a folder; `None` if there is no fio and none is required.
fn real_fio(folder: &Path, text: &str) -> Option<Value> {
    std::fs::write(folder.join("job.fio"), text).unwrap();
    let output = Command::new("fio")
        .args(["--output-format=json+", "--output=out.json", "job.fio"])
        .current_dir(folder)
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            assert!(
                std::env::var_os("STEND_REQUIRE_TOOLS").is_none(),
                "fio is required and cannot be run: {error}"
            );
            println!("skipped: fio cannot be run ({error}); install Debian's package fio");
            return None;
        }
    };
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let json = std::fs::read_to_string(folder.join("out.json")).unwrap();
    // fio writes its warnings before the document.
    let begin = json.find("\n{").map_or(0, |at| at + 1);
    Some(serde_json::from_str(&json[begin..]).unwrap())
}

/// Collects every path of keys, except names of histogram bins, which depend on the values.
fn paths(value: &Value, at: &str, out: &mut BTreeSet<String>) {
    let Value::Object(map) = value else { return };
    for (key, inner) in map {
        let path = format!("{at}/{key}");
        if key != "bins" {
            paths(inner, &path, out);
        }
        out.insert(path);
    }
}

fn job_paths(document: &Value) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for job in document["jobs"].as_array().unwrap() {
        paths(job, "", &mut out);
    }
    out
}

#[test]
fn every_key_of_fio_is_there() {
    let text = "[global]\nioengine=null\nsize=8m\nbs=4k\n[first]\nrw=randrw\nnumjobs=2\n\
                group_reporting\ndescription=words\nlat_percentiles=1\npercentile_list=50:99.999\n\
                [second]\nstonewall\nrw=write\nfsync=16\n[third]\nstonewall\nrw=trim\n\
                time_based\nruntime=700ms\n";
    let folder = tempfile::tempdir().unwrap();
    let Some(theirs) = real_fio(folder.path(), text) else {
        return;
    };
    let ours = serde_json::to_value(fio_output(&execute(text), true)).unwrap();
    let (theirs_paths, ours_paths) = (job_paths(&theirs), job_paths(&ours));
    let missing: Vec<&String> = theirs_paths.difference(&ours_paths).collect();
    assert!(
        missing.is_empty(),
        "fio prints these, we do not: {missing:?}"
    );
    assert!(
        theirs_paths.len() > 150,
        "fio's document was not understood"
    );
    for (key, _) in theirs.as_object().unwrap() {
        assert!(ours.get(key).is_some(), "{key}");
    }
    // Beyond fio's keys there are only options without a value, and flushes' bins.
    let extra: Vec<&String> = ours_paths.difference(&theirs_paths).collect();
    assert!(
        extra
            .iter()
            .all(|path| path.starts_with("/job options/") || path.ends_with("/bins")),
        "{extra:?}"
    );
    for (ours, theirs) in ours["jobs"]
        .as_array()
        .unwrap()
        .iter()
        .zip(theirs["jobs"].as_array().unwrap())
    {
        for key in [
            "jobname",
            "groupid",
            "error",
            "latency_depth",
            "latency_window",
        ] {
            assert_eq!(ours[key], theirs[key], "{key}");
        }
    }
    assert_eq!(
        ours["jobs"].as_array().unwrap().len(),
        theirs["jobs"].as_array().unwrap().len()
    );
}

/// The same job file on fio and here has the same numbers of requests and bytes.
#[test]
fn fio_does_as_much() {
    let bodies = [
        "rw=read\nsize=1m",
        "rw=read\nsize=20k\nbs=8k",
        "rw=write\nsize=64k\nio_size=100k",
        "rw=write\nsize=64k\nio_size=10k",
        "rw=write\nsize=64k\nio_size=50%",
        "rw=randread\nsize=20k\nbs=8k",
        "rw=randread\nsize=20k\nio_size=40k\nrandom_generator=lfsr",
        "rw=randwrite\nsize=1m\nnorandommap\nbs=12k",
        "rw=randwrite\nsize=1m\nio_size=3m",
        "rw=randtrim\nsize=1m\nbs=64k",
        "rw=read\nsize=1m\nnumjobs=3\noffset_increment=1m\ngroup_reporting",
        "rw=randread\nsize=1m\nrandom_distribution=zipf:1.2",
        "rw=write\nsize=1m\nblockalign=1k\nfsync=10",
    ];
    for body in bodies {
        let text = format!("[global]\nioengine=null\n[j]\n{body}\n");
        let folder = tempfile::tempdir().unwrap();
        let Some(theirs) = real_fio(folder.path(), &text) else {
            return;
        };
        let ours = serde_json::to_value(fio_output(&execute(&text), false)).unwrap();
        for direction in ["read", "write", "trim"] {
            for key in ["total_ios", "io_bytes", "io_kbytes"] {
                let of = |document: &Value| document["jobs"][0][direction][key].clone();
                assert_eq!(of(&ours), of(&theirs), "{body}: {direction} {key}");
            }
        }
        let flushes = |document: &Value| document["jobs"][0]["sync"]["total_ios"].clone();
        assert_eq!(flushes(&ours), flushes(&theirs), "{body}");
    }
}

#[test]
fn logs_look_like_fio_s() {
    let text = "[j]\nioengine=null\nsize=64m\nrw=randread\nrate_iops=1000\ntime_based\nruntime=2\n\
                write_bw_log=x\nwrite_iops_log\nwrite_lat_log=x\nlog_avg_msec=500\n";
    let result = execute(text);
    let files = log_files(&result);
    let names: BTreeSet<&str> = files.iter().map(|f| f.name.as_str()).collect();
    let ours = |name: &str| files.iter().find(|f| f.name == name).unwrap().text.clone();
    assert_eq!(
        ours("x_clat.1.log"),
        "500, 100000, 0, 0, 0\n1000, 100000, 0, 0, 0\n1500, 100000, 0, 0, 0\n2000, 100000, 0, 0, \
        0\n"
    );
    assert_eq!(
        ours("j_iops.1.log").lines().nth(1),
        Some("1000, 1000, 0, 0, 0")
    );
    assert_eq!(
        ours("x_bw.1.log").lines().nth(1),
        Some("1000, 4000, 0, 0, 0")
    );

    let folder = tempfile::tempdir().unwrap();
    if real_fio(folder.path(), text).is_none() {
        return;
    }
    for name in &names {
        let theirs = std::fs::read_to_string(folder.path().join(name))
            .unwrap_or_else(|error| panic!("fio left no {name}: {error}"));
        let columns = |text: &str| text.lines().next().map(|line| line.split(", ").count());
        assert_eq!(columns(&ours(name)), columns(&theirs), "{name}");
    }
    let logs = std::fs::read_dir(folder.path()).unwrap();
    let logs = logs.filter(|e| {
        e.as_ref()
            .unwrap()
            .path()
            .extension()
            .is_some_and(|x| x == "log")
    });
    assert_eq!(logs.count(), names.len());
}

#[test]
fn every_request_is_logged_without_an_interval() {
    let result = execute(
        "[j]\nrw=rw\nsize=40k\noffset=8k\nwrite_lat_log=l\nwrite_bw_log=l\nlog_offset=1\n\
         startdelay=5s\n",
    );
    let files = log_files(&result);
    let lat = &files.iter().find(|f| f.name == "l_lat.1.log").unwrap().text;
    assert_eq!(lat.lines().count(), 10);
    // One line in a tenth of a millisecond, from the start of the job, in 4 KiB blocks from 8 KiB
    // on.
    let last: Vec<&str> = lat.lines().last().unwrap().split(", ").collect();
    assert_eq!(
        (last[0], last[1], last[3], last[5]),
        ("1", "100000", "4096", "0")
    );
    let mut offsets: Vec<(u64, u64)> = lat
        .lines()
        .map(|line| {
            let cells: Vec<u64> = line.split(", ").map(|c| c.parse().unwrap()).collect();
            (cells[2], cells[4])
        })
        .collect();
    offsets.sort_unstable();
    assert_eq!(offsets[0], (0, 8192));
    let bw = &files.iter().find(|f| f.name == "l_bw.1.log").unwrap().text;
    assert!(
        bw.lines()
            .all(|line| line.split(", ").nth(1) == Some("40000")),
        "{bw}"
    );
}

/// A device that serves one request at a time, each taking longer than the one before.
struct Tiring {
    now: SimTime,
    served: u64,
    pending: Option<(SimTime, u32)>,
}

impl Device for Tiring {
    fn capacity_bytes(&self) -> u64 {
        1 << 30
    }
    fn now(&self) -> SimTime {
        self.now
    }
    fn submit(&mut self, request: Request) {
        self.served += 1;
        let latency = Nanos::from_micros(100) * self.served;
        let before = self.pending.replace((self.now + latency, request.tag));
        assert!(before.is_none(), "one at a time");
    }
    fn advance(&mut self, limit: SimTime) -> Option<Completion> {
        let next = self.pending.take_if(|(at, _)| *at <= limit);
        self.now = next.map_or(limit, |(at, _)| at);
        next.map(|(at, tag)| Completion {
            tag,
            at,
            ..Completion::default()
        })
    }
}

fn tire(text: &str) -> RunResult {
    let mut device = Tiring {
        now: SimTime::ZERO,
        served: 0,
        pending: None,
    };
    let file = JobFile::parse(text).unwrap();
    run(&mut device, &file, &RunOptions::default()).unwrap()
}

#[test]
fn interval_logs_hold_the_mean_or_the_largest() {
    // Completions after 0.1, 0.3, 0.6, 1.0 | 1.5 ms: the fourth is the last of the first interval.
    let text = "[j]\nrw=read\nsize=20k\nwrite_lat_log=m\nlog_avg_msec=1\n";
    let clat = |text: &str| log_files(&tire(text))[1].text.clone();
    assert_eq!(clat(text), "1, 250000, 0, 0, 0\n1, 500000, 0, 0, 0\n");
    let largest = clat(&format!("{text}log_max_value=1\n"));
    assert_eq!(largest, "1, 400000, 0, 0, 0\n1, 500000, 0, 0, 0\n");
}

#[test]
fn percentiles_and_buckets_of_known_latencies() {
    // 100 µs, 200 µs … 10 ms.
    let result = tire("[j]\nrw=read\nsize=400k\npercentile_list=1:50:99:99.999:100\n");
    let job = &fio_output(&result, true).jobs[0];
    let clat = &job.read.clat_ns;
    for (percent, exact) in [(1.0, 100_000.0), (50.0, 5e6), (99.0, 9.9e6), (99.999, 1e7)] {
        let got = clat.at(percent).unwrap() as f64;
        assert!((got - exact).abs() <= exact * 0.001, "{percent}: {got}");
    }
    assert_eq!(
        (clat.min, clat.max, clat.mean),
        (100_000, 10_000_000, 5_050_000.0)
    );
    assert_eq!(clat.at(100.0), Some(10_000_000), "never above the largest");
    assert_eq!(clat.bins.as_ref().unwrap().len(), 100);
    // fio's bounds: below 250 µs two, below 500 two, below 750 three, below 1,000 two.
    let us = job.other["latency_us"].as_object().unwrap();
    let shares = ["250", "500", "750", "1000"].map(|key| us[key].as_f64().unwrap());
    assert_eq!(shares, [2.0, 2.0, 3.0, 2.0]);
    let ms = job.other["latency_ms"].as_object().unwrap();
    let shares = ["2", "4", "10", "20"].map(|key| ms[key].as_f64().unwrap());
    // 10 ms lies on a bound, and may be counted on either side of it.
    assert_eq!(shares[..2], [10.0, 20.0]);
    assert!(
        shares[2] + shares[3] == 61.0 && shares[2] >= 60.0,
        "{shares:?}"
    );
}

#[test]
fn a_share_of_the_group_is_at_most_all() {
    // Busy for 500 ms, idle for 600 ms: the busy window is faster than the whole.
    let result = execute("[j]\nrw=read\nsize=20004k\nthinktime=600ms\nthinktime_blocks=5000\n");
    let read = &fio_output(&result, false).jobs[0].read;
    assert_eq!(read.other["bw_mean"], 40_000.0);
    assert_eq!(read.bw, 18_183);
    assert_eq!(read.other["bw_agg"], 100.0);
}

#[test]
fn json_of_a_known_run() {
    let result = execute(
        "[j]\nrw=randrw\nrwmixread=50\nrate_iops=1000\niodepth=4\ntime_based\n\
         runtime=3\nnumjobs=2\ngroup_reporting\n",
    );
    let document: fio::Output = fio_output(&result, true);
    assert_eq!(document.jobs.len(), 1);
    let job = &document.jobs[0];
    let read = &job.read;
    assert_eq!((read.total_ios, read.io_bytes), (6000, 6000 * 4096));
    assert_eq!(
        (read.runtime, job.job_runtime, job.elapsed),
        (3000, 6000, 3)
    );
    assert_eq!(
        (read.iops, read.bw_bytes, read.bw),
        (2000.0, 8_192_000, 8000)
    );
    assert_eq!(read.clat_ns.at(50.0), Some(100_000));
    assert_eq!(read.clat_ns.at(99.99), Some(100_000));
    assert_eq!(
        read.clat_ns.at(99.999),
        None,
        "as fio: only what was asked for"
    );
    assert_eq!(
        read.clat_ns.bins.as_ref().unwrap().values().sum::<u64>(),
        6000
    );
    assert!(read.lat_ns.percentile.is_none() && read.lat_ns.n == 6000);
    assert_eq!(job.trim.clat_ns.n, 0);
    let number = |key: &str| read.other[key].as_f64().unwrap();
    assert_eq!((number("bw_samples"), number("iops_samples")), (12.0, 12.0));
    assert_eq!(
        (number("bw_min"), number("bw_max"), number("bw_mean")),
        (8000.0, 8000.0, 8000.0)
    );
    assert_eq!(number("iops_mean"), 2000.0);
    assert!(number("bw_agg") == 100.0);
    let shares = |key: &str| job.other[key].as_object().unwrap().clone();
    assert_eq!(shares("latency_us")["250"], 100.0);
    assert_eq!(
        shares("iodepth_level")
            .values()
            .filter_map(Value::as_f64)
            .sum::<f64>(),
        100.0
    );
    assert_eq!(document.other["time"], "Thu Jan  1 00:00:03 1970");
    assert_eq!(document.other["disk_util"], serde_json::json!([]));
    let plain = fio_output(&result, false);
    assert!(plain.jobs[0].read.clat_ns.bins.is_none());
}

#[test]
fn jobs_are_merged_within_their_group_only() {
    let result = execute(
        "[global]\nsize=1m\n[a]\ngroup_reporting\n[b]\nrw=write\ngroup_reporting\n[c]\n[d]\n\
         stonewall\ngroup_reporting\nnumjobs=2\n",
    );
    let document = fio_output(&result, false);
    let got: Vec<(&str, u32, u64, u64)> = document
        .jobs
        .iter()
        .map(|j| {
            (
                j.jobname.as_str(),
                j.groupid,
                j.read.total_ios,
                j.write.total_ios,
            )
        })
        .collect();
    assert_eq!(
        got,
        [("a", 0, 256, 256), ("c", 0, 256, 0), ("d", 1, 512, 0)]
    );
}

#[test]
fn output_for_people() {
    let result = execute(
        "[job]\nrw=randread\niodepth=32\ntime_based\nruntime=2\ndescription=words\n[next]\n\
         stonewall\nrw=write\nsize=1m\nfsync=64\n",
    );
    let text = normal(&result);
    for line in [
        "job: (groupid=0, jobs=1): err= 0: virtual time: Thu Jan  1 00:00:02 1970",
        "  Description  : [words]",
        "  read: IOPS=320k, BW=1250MiB/s (1311MB/s)(2500MiB/2000msec)",
        // As in fio: without a deviation a larger unit would have no significant digit.
        "    clat (nsec): min=100000, max=100000, avg=100000.00, stdev=0.00",
        "    clat percentiles (usec):",
        "     |  99.990th=[  100]",
        "   iops        : min=320000, max=320000, avg=320000.00, stdev=0.00, samples=4",
        "  lat (usec)   : 250=100.00%",
        "     issued rwts: total=640000,0,0,0 short=0,0,0,0 dropped=0,0,0,0",
        "Run status group 0 (all jobs):",
        "   READ: bw=1250MiB/s (1311MB/s), io=2500MiB (2621MB), run=2000-2000msec",
        "next: (groupid=1, jobs=1)",
        "  fsync/fdatasync/sync_file_range:",
        "  WRITE: bw=",
    ] {
        assert!(text.contains(line), "missing: {line}\n{text}");
    }
    assert!(!text.contains(" lat percentiles"), "{text}");
    let other = "[job]\nrw=randread\nsize=1m\nclat_percentiles=0\nlat_percentiles=1\n";
    let text = normal(&execute(other));
    assert!(text.contains("    lat percentiles (usec):"), "{text}");
    assert!(!text.contains("clat percentiles"), "{text}");
}
