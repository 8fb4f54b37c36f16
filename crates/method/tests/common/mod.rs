//! A target in memory whose figures are a function of its whole history and of the job: two runs
//! agree only if state and job agree.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use stend_base::Nanos;
use stend_load::Sample;
use stend_load::target::{
    Completed, Deletion, FilesJob, FilesOutcome, JobOutcome, JobRequest, Observer, ReplayOutcome,
    Target, TargetError,
};
use stend_load::trace::{ReplayOptions, Replayed, Trace};
use stend_method::ReviewOptions;
use stend_record::fio::{Direction, Job, Latency, Output, Syncs};
use stend_record::review::{Condition, Review, TargetInfo, TargetKind, TestResult, Text};

pub const CAPACITY_BYTES: u64 = 64 << 20;

/// Log of the fake's jobs, and the number of its copies.
#[derive(Default)]
pub struct Spy {
    pub log: Mutex<Vec<String>>,
    alive: AtomicUsize,
    pub alive_max: AtomicUsize,
}

/// Fault of the fake, when a job contains `on`.
#[derive(Clone)]
pub enum Fault {
    None,
    /// That job fails.
    Job {
        on: &'static str,
    },
    /// During that job the target is removed.
    Removed {
        on: &'static str,
    },
    /// That job fails as if fio were missing.
    NoTool {
        on: &'static str,
    },
    /// That job panics.
    Panic {
        on: &'static str,
    },
    /// Copies fail after this number of them.
    NoCopyAfter(usize),
}

pub struct Fake {
    state: u64,
    fills: u32,
    can_be_copied: bool,
    is_directory: bool,
    is_read_only: bool,
    takes_no_trim: bool,
    fault: Fault,
    copies: Arc<AtomicUsize>,
    pub spy: Arc<Spy>,
}

impl Fake {
    pub fn new(can_be_copied: bool, fault: Fault) -> Fake {
        Fake {
            state: 1,
            fills: 0,
            can_be_copied,
            is_directory: false,
            is_read_only: false,
            takes_no_trim: false,
            fault,
            copies: Arc::default(),
            spy: Arc::default(),
        }
        .counted()
    }

    pub fn simulated() -> Fake {
        Fake::new(true, Fault::None)
    }

    pub fn real() -> Fake {
        Fake::new(false, Fault::None)
    }

    pub fn directory() -> Fake {
        let mut fake = Fake::real();
        fake.is_directory = true;
        fake
    }

    pub fn read_only() -> Fake {
        let mut fake = Fake::real();
        fake.is_read_only = true;
        fake
    }

    pub fn without_trim(can_be_copied: bool) -> Fake {
        let mut fake = Fake::new(can_be_copied, Fault::None);
        fake.takes_no_trim = true;
        fake
    }

    fn counted(self) -> Fake {
        let alive = 1 + self.spy.alive.fetch_add(1, Ordering::SeqCst);
        self.spy.alive_max.fetch_max(alive, Ordering::SeqCst);
        self
    }

    fn did(&mut self, what: &str) -> Result<(), TargetError> {
        self.spy.log.lock().unwrap().push(what.to_owned());
        Ok(())
    }

    fn stir(&mut self, what: &str) {
        self.state = mix(self.state, what);
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.spy.alive.fetch_sub(1, Ordering::SeqCst);
    }
}

fn mix(state: u64, text: &str) -> u64 {
    text.bytes().fold(state, |hash, byte| {
        (hash ^ u64::from(byte))
            .wrapping_mul(0x0000_0100_0000_01b3)
            .rotate_left(17)
    })
}

/// Options of a shortened run with these tests, or with all if there are none.
pub fn options(tests: &[&str]) -> ReviewOptions<'static> {
    ReviewOptions {
        tests: (!tests.is_empty()).then(|| tests.iter().map(|t| t.to_string()).collect()),
        seed: 42,
        duration_scale: 0.01,
        threads: 2,
        ..ReviewOptions::default()
    }
}

/// The tests of the edition 2014.
pub const ALL: [&str; 14] = [
    "sequential",
    "random",
    "depth-scaling",
    "block-scaling",
    "mixed-sequential",
    "degradation",
    "recovery",
    "crystaldiskmark",
    "desktop-traces",
    "game-start",
    "applications-start",
    "file-copy",
    "archive",
    "unarchive",
];

/// Returns the result of a test.
pub fn test<'r>(review: &'r Review, id: &str) -> &'r TestResult {
    review.tests.iter().find(|t| t.id == id).unwrap()
}

/// Parses the cells of a table: one row a line, separated by ` | `; `\n` in a cell is a line end.
pub fn rows<const N: usize>(table: &str) -> Vec<[String; N]> {
    let row = |line: &str| {
        let cells = line.split(" | ").map(|cell| cell.replace("\\n", "\n"));
        let cells: Vec<String> = cells.collect();
        cells.try_into().expect("as many cells in each row")
    };
    table.trim().lines().map(row).collect()
}

pub fn option<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines()
        .find_map(|line| line.strip_prefix(key)?.strip_prefix('='))
}

/// Facts about a target.
pub fn info(kind: TargetKind, capacity_bytes: u64) -> TargetInfo {
    TargetInfo {
        name: "fake".into(),
        title: "Fake".into(),
        kind,
        capacity_bytes,
        ..TargetInfo::default()
    }
}

/// The outcome of a job file with one section.
pub fn outcome(text: &str, job: Job) -> JobOutcome {
    outcome_of(text, vec![job])
}

/// The outcome of a job file with several groups.
pub fn outcome_of(text: &str, jobs: Vec<Job>) -> JobOutcome {
    JobOutcome {
        fio: Output {
            jobs,
            ..Output::default()
        },
        job_text: text.to_owned(),
        ..JobOutcome::default()
    }
}

fn direction(hash: u64, runtime_s: u64) -> Direction {
    let n = 1_000 + hash % 100_000;
    let values = [1_000 + hash % 7, 20_000 + hash % 11, 300_000 + hash % 13];
    let counts = [n - n / 100 - n / 1_000, n / 100, n / 1_000];
    let bins = values.iter().zip(counts);
    Direction {
        io_bytes: n * 4096,
        bw_bytes: n * 4096 / runtime_s,
        iops: n as f64 / runtime_s as f64,
        total_ios: n,
        clat_ns: Latency {
            min: values[0],
            max: values[2],
            mean: 1_500.0 + (hash % 97) as f64,
            n,
            bins: Some(bins.map(|(v, c)| (v.to_string(), c)).collect()),
            ..Latency::default()
        },
        ..Direction::default()
    }
}

impl Fake {
    /// Fails in the section of the fault.
    fn meet_fault(&self, section: &str) -> Result<(), TargetError> {
        match self.fault {
            Fault::Job { on } if section.contains(on) => {
                Err(TargetError::Failed(format!("fio was killed in {section}")))
            }
            Fault::Removed { on } if section.contains(on) => {
                Err(TargetError::Removed("the drive was removed".into()))
            }
            Fault::NoTool { on } if section.contains(on) => {
                Err(TargetError::ToolMissing("fio is missing".into()))
            }
            Fault::Panic { on } if section.contains(on) => panic!("index out of bounds"),
            _ => Ok(()),
        }
    }

    /// A read each ms; from the start of the TRIM, which takes 300 ms, one each 10 ms for 2 s.
    fn run_logged(
        &mut self,
        job: &JobRequest<'_>,
        deletion: Option<&Deletion>,
    ) -> Result<JobOutcome, TargetError> {
        let outcome = self.run(job)?;
        let runtime_s: u64 = option(job.text, "runtime").unwrap().parse().unwrap();
        let mut trimmed = None;
        if let Some(d) = deletion {
            self.did(&format!(
                "trim {} at {} by {} after {} s",
                d.len_bytes, d.offset_bytes, d.command_bytes, d.at_s
            ))?;
            self.stir("trim");
            trimmed = Some((d.at_s * 1_000_000_000, d.at_s * 1_000_000_000 + 300_000_000));
        }
        let slow = trimmed.map_or(0..0, |(from, _)| from..from + 2_000_000_000);
        let mut requests = Vec::new();
        let mut at_ns = 0;
        loop {
            let latency_ns = if slow.contains(&at_ns) {
                10_000_000
            } else {
                1_000_000
            };
            at_ns += latency_ns;
            if at_ns > runtime_s * 1_000_000_000 {
                break;
            }
            requests.push(Completed { at_ns, latency_ns });
        }
        Ok(JobOutcome {
            requests,
            trimmed_ns: trimmed,
            ..outcome
        })
    }
}

impl Target for Fake {
    fn info(&self) -> TargetInfo {
        let kind = match (self.can_be_copied, self.is_directory) {
            (true, _) => TargetKind::Simulated,
            (false, true) => TargetKind::Directory,
            (false, false) => TargetKind::File,
        };
        info(kind, CAPACITY_BYTES)
    }

    fn environment(&self) -> Vec<Condition> {
        Vec::new()
    }

    fn read_only(&self) -> bool {
        self.is_read_only
    }

    fn run_observed(
        &mut self,
        job: &JobRequest<'_>,
        observer: Observer<'_>,
    ) -> Result<JobOutcome, TargetError> {
        if observer.every_request {
            return self.run_logged(job, observer.deletion);
        }
        let section = job.text.rsplit('[').next().unwrap_or_default();
        let section = section.split(']').next().unwrap_or_default().to_owned();
        let runtime_s: u64 = option(job.text, "runtime").map_or(1, |r| r.parse().unwrap());
        self.did(&format!("{section} {runtime_s} s"))?;
        self.meet_fault(&section)?;
        if section == "fill" {
            self.fills += 1;
        }
        let hash = mix(self.state, job.text) ^ job.seed;
        // Units finish in another order than they start.
        for _ in 0..hash % 50 {
            std::thread::yield_now();
        }
        let rw = option(job.text, "rw").expect("a job says rw");
        let share = option(job.text, "rwmixread").map_or(50, |r| r.parse().unwrap());
        let (reads, writes) = match rw {
            "read" | "randread" => (true, false),
            "write" | "randwrite" => (false, true),
            _ => (share > 0, share < 100),
        };
        let mut result = Job {
            jobname: section,
            ..Job::default()
        };
        if reads {
            result.read = direction(hash, runtime_s);
        }
        if writes {
            result.write = direction(hash.rotate_left(7), runtime_s);
            self.stir(job.text);
        }
        if job.text.contains("sync=") && writes {
            let lat_ns = direction(hash, runtime_s).clat_ns;
            let total_ios = lat_ns.n;
            result.sync = Some(Syncs { total_ios, lat_ns });
        }
        let samples = if job.sample_ms > 0 { runtime_s } else { 0 };
        let text = format!("; filled {} times\n{}", self.fills, job.text);
        Ok(JobOutcome {
            samples: (1..=samples)
                .map(|s| Sample {
                    t_s: s as f64,
                    write_iops: (hash % (1_000 * s)) as f64,
                    written_bytes: s << 20,
                    ..Sample::default()
                })
                .collect(),
            ..outcome_of(
                &text,
                vec![result; 1 + job.text.matches("\nnew_group").count()],
            )
        })
    }

    /// Reads 3 MB and writes 1 MB in 1000 requests each, busy for a time that derives from its
    /// state.
    fn replay(
        &mut self,
        trace: &dyn Trace,
        options: &ReplayOptions,
    ) -> Result<ReplayOutcome, TargetError> {
        let (name, timing) = (trace.name(), options.timing.name());
        self.did(&format!("replay {name} {timing} {}", options.depth))?;
        if let Fault::NoTool { on } = self.fault
            && name.contains(on)
        {
            return Err(TargetError::ToolMissing("fio is too old".into()));
        }
        let hash = mix(self.state, &name);
        self.stir(&name);
        let mut replayed = Replayed::default();
        for (op, bytes) in replayed.ops.iter_mut().zip([3_000_000, 1_000_000]) {
            op.requests = 1000;
            op.bytes = bytes;
            op.latency.record(5_000 + hash % 1000);
        }
        replayed.busy = Nanos(20_000_000 + hash % 1_000_000);
        replayed.elapsed = Nanos(30_000_000);
        Ok(ReplayOutcome {
            replayed,
            job_text: format!("; filled {} times\n", self.fills),
            write_amplification: self.can_be_copied.then_some(1.5),
            ..ReplayOutcome::default()
        })
    }

    /// Works on one byte a ns.
    fn work_on_files(&mut self, job: &FilesJob<'_>) -> Result<FilesOutcome, TargetError> {
        let what = format!(
            "{} {} {} {}",
            job.op.name(),
            job.set.name,
            job.bytes,
            job.rest_s
        );
        self.did(&what)?;
        if let Fault::Job { on } = self.fault
            && what.contains(on)
        {
            return Err(TargetError::Failed(format!("no room for {what}")));
        }
        self.stir(&what);
        Ok(FilesOutcome {
            files: job.seed,
            directories: 3,
            bytes: job.bytes,
            elapsed_ns: job.bytes,
            text: what,
            limits: vec!["a limit".into()],
            ..FilesOutcome::default()
        })
    }

    fn trim_all(&mut self) -> Result<(), TargetError> {
        if self.takes_no_trim {
            return Err(TargetError::Failed("no TRIM".into()));
        }
        self.did("trim")?;
        self.stir("trim");
        Ok(())
    }

    fn trim_supported(&self) -> bool {
        !self.takes_no_trim
    }

    fn idle(&mut self, seconds: f64) -> Result<(), TargetError> {
        self.did(&format!("idle {seconds} s"))?;
        self.stir(&seconds.to_string());
        Ok(())
    }

    fn can_fork(&self) -> bool {
        self.can_be_copied
    }

    fn fork(&mut self) -> Option<Box<dyn Target>> {
        let copies = self.copies.fetch_add(1, Ordering::SeqCst);
        if let Fault::NoCopyAfter(limit) = self.fault
            && copies >= limit
        {
            return None;
        }
        self.can_be_copied.then(|| {
            Box::new(
                Fake {
                    fault: self.fault.clone(),
                    spy: Arc::clone(&self.spy),
                    copies: Arc::clone(&self.copies),
                    ..*self
                }
                .counted(),
            ) as Box<dyn Target>
        })
    }
}

/// The texts in English, with a separator between them.
pub fn joined(texts: &[Text], separator: &str) -> String {
    let words: Vec<String> = texts.iter().map(Text::in_english).collect();
    words.join(separator)
}
