//! Every parser of texts from people and other programs, tested with thousands of broken texts:
//! none panics or runs forever, an error names its place, and an accepted text can be used. For
//! more texts: `STEND_FUZZ=1000000 cargo test -p stend --test main fuzz:: -- --nocapture`
//! ([`changes`] explains how texts are broken).

pub mod changes;

use std::cell::RefCell;
use std::fs;
use std::path::Path;

use changes::fuzz;
use serde_json::Value;
use stend_analysis::claims::Article;
use stend_base::{Nanos, Op};
use stend_claims::article::CheckedArticle;
use stend_drive::SimDrive;
use stend_drive::state;
use stend_fit::measured::{self, Measured};
use stend_load::files::set;
use stend_load::trace::{self, Fit, Profile, Trace, TraceFile, TraceRequest, iolog, profile};
use stend_load::{JobError, JobFile};
use stend_method::{Edition, ReviewOptions, estimate};
use stend_model::Model;
use stend_model::SHIPPED as DRIVES;
use stend_record::fio;
use stend_record::review::{Review, TargetInfo, TargetKind};
use stend_record::smart::{BeforeAfter, Document, Reading};

use crate::common::{folder, json, ok, small_model, tiny_edition};

/// The name of a text in errors.
const FILE: &str = "f.toml";

/// Returns the parsed value, or `None` after checking that the error names places that exist.
fn is_read<T>(text: &str, read: Result<T, stend_config::FileError>) -> Option<T> {
    let error = match read {
        Ok(read) => return Some(read),
        Err(error) => error,
    };
    for problem in error.problems() {
        assert!(
            !problem.file.is_empty() && !problem.message.is_empty(),
            "{problem:?}"
        );
        let lines = text.lines().count().max(1);
        let line = problem.line.filter(|_| problem.file == FILE);
        assert!(
            line.is_none_or(|line| (1..=lines + 1).contains(&line)),
            "{problem:?}"
        );
    }
    let placed = error
        .problems()
        .iter()
        .any(|problem| problem.line.is_some());
    assert!(placed, "no line: {error}");
    None
}

/// All texts in a folder of the repository.
fn texts_in(folder: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(folder);
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some()).collect();
    files.sort();
    let read = |path| fs::read_to_string(path).unwrap();
    files.into_iter().map(read).collect()
}

#[test]
fn drive_files() {
    let shipped = DRIVES.iter().map(|drive| drive.text.to_owned()).collect();
    fuzz("drive files", shipped, 100, |text| {
        let Some(model) = is_read(text, Model::parse(text, FILE)) else {
            return false;
        };
        // The stored model needs no other file, and is the same drive.
        let again = Model::parse(&model.text, FILE).unwrap();
        assert_eq!(again.spec(), model.spec());
        model.facts();
        true
    });
}

#[test]
fn editions() {
    let target = TargetInfo {
        name: "small".to_owned(),
        title: "small".to_owned(),
        kind: TargetKind::Simulated,
        capacity_bytes: 1 << 26,
        ..TargetInfo::default()
    };
    let mut sources = texts_in("editions");
    sources.push(include_str!("../common/short.toml").replace("tiny-start.toml", "word"));
    fuzz("editions", sources, 200, |text| {
        let Some(edition) = is_read(text, Edition::parse(text, FILE)) else {
            return false;
        };
        let options = ReviewOptions::default();
        estimate(&edition, &options, &target, true).unwrap();
        true
    });
}

#[test]
fn profiles_of_benchmarks() {
    let dir = folder();
    let edition = tiny_edition(dir.path());
    let edition = fs::read_to_string(edition).unwrap();
    let name = dir.path().join(FILE);
    fuzz(
        "profiles of benchmarks",
        texts_in("editions/benchmarks"),
        100,
        |text| {
            fs::write(dir.path().join("tiny-benchmark.toml"), text).unwrap();
            is_read(text, Edition::parse(&edition, name.to_str().unwrap())).is_some()
        },
    );
}

#[test]
fn claims() {
    let shipped = Article::shipped()
        .into_iter()
        .filter_map(Article::shipped_text);
    let dir = folder();
    let path = dir.path().join(FILE);
    fuzz(
        "claims",
        shipped.map(str::to_owned).collect(),
        100,
        |text| {
            let read = is_read(text, Article::parse(text, FILE));
            if read.is_some() {
                // The article's edition may measure nothing that it needs.
                fs::write(&path, text).unwrap();
                let _ = CheckedArticle::read(std::slice::from_ref(&path));
            }
            read.is_some()
        },
    );
}

#[test]
fn published_figures() {
    let others: Vec<(&str, &str)> = measured::SHIPPED.to_vec();
    let changed = others
        .iter()
        .position(|(name, _)| name.contains("others"))
        .unwrap();
    let source = others[changed].1.to_owned();
    fuzz("published figures", vec![source], 60, |text| {
        let mut files = others.clone();
        files[changed] = (FILE, text);
        is_read(text, Measured::parse(&files)).is_some()
    });
}

#[test]
fn sets_of_files() {
    fuzz("sets of files", texts_in("filesets"), 500, |text| {
        let Some(set) = is_read(text, set::FileSet::parse(text, FILE)) else {
            return false;
        };
        let files = set.files(set::SET_BYTES_MIN, 1).unwrap();
        let bytes: u64 = files.iter().map(|file| file.bytes).sum();
        assert_eq!(bytes, set::SET_BYTES_MIN);
        true
    });
}

#[test]
fn profiles_of_traces() {
    let shipped = profile::SHIPPED.iter().map(|(_, text)| text.to_string());
    fuzz("profiles of traces", shipped.collect(), 300, |text| {
        let Some(profile) = is_read(text, Profile::parse(text, FILE)) else {
            return false;
        };
        let trace = profile.with_seed(1);
        let requests = trace.requests().unwrap().take(500);
        requests.for_each(|request| assert!(request.is_ok()));
        true
    });
}

/// A job file with one option of each kind.
const JOBS: &str = "; a comment\n[global]\nioengine=libaio\ndirect=1\nbs=8k,4k\niodepth=4\n\n\
    [a]\nrw=randrw:8\nrwmixread=80\nbsrange=4k-64k\nruntime=3m\nramp_time=500ms\ntime_based\n\
    size=50%\noffset=1g\noffset_increment=10%\nrate_iops=100,200\nthinktime=5ms\n\
    thinktime_blocks=8\nstonewall\nstartdelay=1s-3s\ngroup_reporting\nnorandommap\n\
    random_generator=lfsr\nrandseed=77\nrandom_distribution=zipf:1.2\nlog_avg_msec=1000\n\
    percentile_list=99.999:50\ndescription=words and words\nfsync=32\nend_fsync=1\nnumjobs=3\n\
    rate_process=poisson\n\
    [b] ; inline\nrw=write\nbssplit=4k/60:64k/40,8k\nio_size=4g\nrate=1m\nwrite_bw_log=x\n\
    zonesize=1m\nzoneskip=2m\nrandom_distribution=zoned:60/10:30/20:10/70\n";

#[test]
fn job_files() {
    let plain = JOBS.lines().filter(|line| accepted_line(line));
    let plain: Vec<&str> = plain.collect();
    fuzz("job files", vec![plain.join("\n")], 1_000, |text| {
        let file = match JobFile::parse(text) {
            Ok(file) => file,
            Err(JobError { place, problem }) => {
                assert!(!problem.is_empty());
                let lines = text.lines().count() as u32;
                assert!(place.line <= lines + 1, "{place}: {problem}");
                return false;
            }
        };
        let again = JobFile::parse(&file.text.to_string()).unwrap();
        assert_eq!(again.global_options, file.global_options);
        let specs = |file: &JobFile| {
            file.jobs
                .iter()
                .map(|job| job.spec.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(specs(&again), specs(&file));
        true
    });
}

/// True if the program knows a line of [`JOBS`] as fio does.
fn accepted_line(line: &str) -> bool {
    line.starts_with(['[', ';'])
        || line.is_empty()
        || JobFile::parse(&format!("[j]\nrw=write\n{line}\n")).is_ok()
}

const TRACES: [&str; 4] = [
    "fio version 2 iolog\n/dev/sda add\n/dev/sda open\n/dev/sda read 0 4096\n/dev/sda wait 20 0\n\
     /dev/sda write 8192 65536\n/dev/sda trim 0 1048576\n/dev/sda sync 0 0\n/dev/sda close\n",
    "fio version 3 iolog\n1 a add\n1 a open\n100 a read 0 4096\n250 a write 4096 512\n\
     300 a datasync 0 0\n9000 a trim 1048576 4096\n9000 a close\n",
    "8,0 1 1 0.000000000 77 Q WS 2048 + 8 [a]\n8,0 1 2 0.000100000 77 C WS 2048 + 8 [0]\n\
     8,0 0 3 0.000200000 77 Q FWFS 4096 + 16 [b]\n8,0 0 4 1.500000000 0 Q D 0 + 64 [c]\n\
     8,0 0 5 1.600000000 0 Q FN [d]\nCPU0 (8,0):\n",
    "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n\
     128166372003061629,usr,0,Read,7014609920,24576,41286\n\
     128166372016382155,usr,0,Write,1317441536,8192,1963\n",
];

/// Parses the trace in a file; `None` if a line is wrong, which the error must name.
fn requests_in(path: &Path, lines: usize) -> Option<Vec<TraceRequest>> {
    let placed = |error: stend_config::FileError| {
        for problem in error.problems() {
            assert!(problem.file == path.to_str().unwrap(), "{problem:?}");
            assert!(
                problem.line.is_none_or(|line| line <= lines + 1),
                "{problem:?}"
            );
        }
    };
    let file = TraceFile::open(path, None).map_err(placed).ok()?;
    let read: Result<Vec<_>, _> = file.requests().unwrap().collect();
    let requests = read.map_err(placed).ok()?;
    for how in [Fit::Refuse, Fit::Wrap] {
        let _ = trace::summary(&file, Some((1 << 30, how)));
    }
    let summary = trace::summary(&file, None);
    summary.is_ok().then_some(requests)
}

#[test]
fn traces() {
    let dir = folder();
    let (path, again) = (dir.path().join("trace"), dir.path().join("again"));
    let sources = TRACES.iter().map(|text| text.to_string()).collect();
    fuzz("traces", sources, 1_000, |text| {
        fs::write(&path, text).unwrap();
        let Some(requests) = requests_in(&path, text.lines().count()) else {
            return false;
        };
        // Written as an iolog, the requests are the same, unless an iolog cannot represent them.
        let mut writer = iolog::Writer::new(Vec::new(), "a").unwrap();
        let short = |request: &&TraceRequest| request.len_bytes < 1 << 32;
        let mut latest = Nanos::ZERO;
        let mut expected: Vec<(Op, u64, u64)> = Vec::new();
        for request in requests.iter().filter(short) {
            latest = latest.max(request.at);
            writer.add(request).unwrap();
            expected.push((request.op, request.offset_bytes, request.len_bytes));
        }
        fs::write(&again, writer.finish().unwrap()).unwrap();
        let found = requests_in(&again, usize::MAX - 1);
        let of = |r: &TraceRequest| (r.op, r.offset_bytes, r.len_bytes);
        // Without any request it is no trace of a known disk.
        if let Some(found) = found {
            assert_eq!(found.iter().map(of).collect::<Vec<_>>(), expected);
        }
        true
    });
}

/// A small review as JSON.
fn review_text() -> String {
    let dir = folder();
    small_model(dir.path(), "small");
    small_model(dir.path(), "other");
    tiny_edition(dir.path());
    let edition = dir.path().join("short.toml");
    fs::write(edition, include_str!("../common/short.toml")).unwrap();
    let args = "review ./small.toml --against ./other.toml --edition ./short.toml --json";
    ok(dir.path(), &args.split(' ').collect::<Vec<_>>()).stdout
}

#[test]
fn reviews() {
    let pages = RefCell::new(0_u32);
    fuzz("review.json", vec![review_text()], 300, |text| {
        let Ok(review) = serde_json::from_str::<Review>(text) else {
            return false;
        };
        let written = serde_json::to_string(&review).unwrap();
        let again: Review = serde_json::from_str(&written).unwrap();
        assert_eq!(serde_json::to_string(&again).unwrap(), written);
        let _ = stend_analysis::findings(&review);
        // Writing a page takes some milliseconds.
        *pages.borrow_mut() += 1;
        if pages.borrow().is_multiple_of(8) {
            stend_report::write(&review).unwrap();
        }
        true
    });
}

fn recorded(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../real/tests/data");
    fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn answers_of_fio() {
    fuzz(
        "answers of fio",
        vec![recorded("fio-3.33.json")],
        100,
        |text| {
            let Ok(output) = serde_json::from_str::<fio::Output>(text) else {
                return false;
            };
            let written = serde_json::to_string(&output).unwrap();
            let again: fio::Output = serde_json::from_str(&written).unwrap();
            assert_eq!(serde_json::to_string(&again).unwrap(), written);
            true
        },
    );
}

#[test]
fn answers_of_smartctl() {
    let names = ["ata", "ata-worn", "failing", "nvme"];
    let sources: Vec<String> = names
        .map(|name| recorded(&format!("smartctl-{name}.json")))
        .into();
    let whole: Value = serde_json::from_str(&sources[0]).unwrap();
    let reading = |document| Reading {
        document,
        ..Reading::default()
    };
    fuzz("answers of smartctl", sources, 100, |text| {
        let Ok(value) = serde_json::from_str::<Value>(text) else {
            return false;
        };
        let Ok(document) = serde_json::from_value::<Document>(value.clone()) else {
            return false;
        };
        stend_real::smartctl::complaints(&document);
        let written = serde_json::to_value(&document).unwrap();
        assert_eq!(
            serde_json::from_value::<Document>(written).unwrap(),
            document
        );
        let both = BeforeAfter {
            before: Some(reading(whole.clone())),
            after: Some(reading(value)),
            missing: None,
        };
        stend_analysis::smart::changes(&both);
        true
    });
}

/// Formats bytes as text, so that they can be changed like one.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}\n")).collect()
}

#[test]
fn state_files() {
    let dir = folder();
    let model = Model::read(&small_model(dir.path(), "small")).unwrap();
    let mut whole = Vec::new();
    state::write(&model, &SimDrive::new(&model.spec()), &mut whole).unwrap();
    fuzz("state files", vec![hex(&whole)], 30, |text| {
        let bytes = text
            .lines()
            .map(|line| u8::from_str_radix(line, 16).unwrap_or(0xff));
        let bytes: Vec<u8> = bytes.collect();
        match state::read(&bytes[..], "d") {
            Ok((model, drive)) => {
                let mut again = Vec::new();
                state::write(&model, &drive, &mut again).unwrap();
                assert!(again == bytes, "another drive");
                true
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                false
            }
        }
    });
}

#[test]
fn a_reader_that_panics_is_found() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let found = std::panic::catch_unwind(|| {
        fuzz(
            "a reader that panics",
            vec!["a = 1\n".to_owned()],
            2_000,
            |text| {
                assert!(!text.contains('ü'), "not ASCII");
                json("{}").is_object()
            },
        );
    });
    std::panic::set_hook(hook);
    let said = *found.unwrap_err().downcast::<String>().unwrap();
    assert!(said.contains("not ASCII") && said.contains('ü'), "{said}");
}
