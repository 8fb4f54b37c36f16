//! Durable writes, like those of a database: with `O_DSYNC`, or followed by flushes; on their own,
//! by several threads, or at the same time as other writes.

use serde::Deserialize;
use stend_config::FileError;
use stend_language::{Text, recorded};
use stend_load::target::{JobOutcome, JobRequest, Target, TargetError};
use stend_record::fio;
use stend_record::load::Load;
use stend_record::review::{
    Durability, Pattern, PointOp, Results, SyncInterval, SyncMethod, SyncPoint, SyncStream,
};
use stend_record::size::size_text;
use toml::Spanned;

use crate::context::Context;
use crate::job::{self, JobFrame, Stream};
use crate::kind::{Kind, Planner, Work};
use crate::outcome::{self, Part};
use crate::parse::Scope;
use crate::recorder::{Done, Measurement, Place};
use crate::scaled;
use crate::setting::{Action, Setting};

/// Ranges of streams are multiples of this, bytes.
const ALIGN_BYTES: u64 = 1 << 20;

/// Greatest number of intervals of a point: each is a separate job.
const INTERVALS_MAX: f64 = 1000.0;

/// Points of durable writes over one or more parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Syncs {
    /// Index in [`Edition::states`](crate::Edition::states) of the state that every point starts
    /// from.
    pub state: usize,
    /// The writers of each point, in their order.
    pub writers: Vec<Writers>,
    /// Random writes behind them, at the same time.
    pub beside: Option<Writers>,
    /// Duration of a point, s.
    pub duration_s: f64,
    /// Length of the intervals in which a point is measured, s; `None` for a single one.
    pub interval_s: Option<f64>,
}

/// Threads with the same load, each with one request outstanding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Writers {
    /// Load of the threads.
    pub load: Load,
    /// Method by which their writes become durable.
    pub durability: Durability,
}

/// Keys of a test of this kind.
pub type Sync = Vec<Syncs>;

/// The tables `[[test.sync]]`, any number of them.
pub(crate) type Entry = Vec<SyncEntry>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SyncEntry {
    state: Spanned<String>,
    pattern: Spanned<Pattern>,
    block_bytes: Spanned<Vec<u64>>,
    threads: Spanned<Vec<u32>>,
    sync: Spanned<SyncMethod>,
    every: Option<Spanned<Vec<u32>>>,
    read_percent: Option<Spanned<u32>>,
    region_bytes: Option<Spanned<u64>>,
    beside: Option<BesideEntry>,
    duration_s: Spanned<f64>,
    interval_s: Option<Spanned<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BesideEntry {
    block_bytes: Spanned<u64>,
    threads: Spanned<u32>,
    sync: Spanned<SyncMethod>,
    every: Option<Spanned<u32>>,
}

/// Checks the points of a test.
pub(crate) fn parse(entries: Entry, at: &Scope<'_>) -> Result<Vec<Syncs>, FileError> {
    let mut all: Vec<Syncs> = Vec::new();
    for entry in &entries {
        let syncs = Syncs {
            state: at.start(&entry.state)?,
            writers: writers(entry, at)?,
            beside: entry.beside.as_ref().map(|e| beside(e, at)).transpose()?,
            duration_s: at.duration(&entry.duration_s)?,
            interval_s: interval(entry, at)?,
        };
        if let (Some(_), None) = (&syncs.beside, &entry.region_bytes) {
            return at.fail(
                &entry.state,
                "writes with others beside them have a `region_bytes`: the others lie behind it",
            );
        }
        // A point's random seed derives from its work: the same work named twice would be the same
        // measurement twice.
        for (nth, writers) in syncs.writers.iter().enumerate() {
            let same = |other: &Syncs, known: &[Writers]| {
                other.beside == syncs.beside && known.contains(writers)
            };
            let before = all.iter().any(|other| same(other, &other.writers));
            if before || same(&syncs, &syncs.writers[..nth]) {
                let problem = format!("the point `{}` stands here twice", writers.describe());
                return at.fail(at.id, problem);
            }
        }
        all.push(syncs);
    }
    Ok(all)
}

/// Returns the writers of each point: block sizes change slowest, then threads, then the writes
/// between two flushes.
fn writers(entry: &SyncEntry, at: &Scope<'_>) -> Result<Vec<Writers>, FileError> {
    let sync = *entry.sync.get_ref();
    let every = every(&entry.sync, entry.every.as_ref(), at)?;
    let read_percent = match &entry.read_percent {
        None => 0,
        Some(share) if sync.flushes() => {
            return at.fail(
                share,
                "only writes are followed by `fsync` or `fdatasync` here: fio flushes after reads \
                 as well",
            );
        }
        Some(share) => at.within(share, 0..=99, "a share of reads, from 0 to 99 percent")?,
    };
    for (list, what) in [
        (entry.block_bytes.get_ref().len(), "block size"),
        (entry.threads.get_ref().len(), "number of threads"),
    ] {
        if list == 0 {
            return at.fail(&entry.state, format!("at least one {what}"));
        }
    }
    let pattern = *entry.pattern.get_ref();
    if pattern == Pattern::Sequential && entry.threads.get_ref()[..] != [1] {
        return at.fail(&entry.threads, "a sequential log has one thread: `[1]`");
    }
    let region_bytes = at.region(entry.region_bytes.as_ref())?;
    let mut out = Vec::new();
    for &block in entry.block_bytes.get_ref() {
        for &threads in entry.threads.get_ref() {
            for &every in &every {
                let load = Load {
                    op: PointOp::of_share(read_percent),
                    read_percent,
                    threads: at.count(&entry.threads, threads)?,
                    region_bytes,
                    ..Load::write(pattern, at.block(&entry.block_bytes, block)?, 1)
                };
                let durability = Durability { sync, every };
                out.push(Writers { load, durability });
            }
        }
    }
    Ok(out)
}

/// Returns the numbers of writes after which a flush follows.
fn every(
    sync: &Spanned<SyncMethod>,
    every: Option<&Spanned<Vec<u32>>>,
    at: &Scope<'_>,
) -> Result<Vec<Option<u32>>, FileError> {
    let (flushes, Some(list)) = (sync.get_ref().flushes(), every) else {
        return match sync.get_ref().flushes() {
            false => Ok(vec![None]),
            true => at.fail(
                sync,
                "`fsync` and `fdatasync` need `every`: after how many writes of a thread",
            ),
        };
    };
    if !flushes {
        let problem = "only `fsync` and `fdatasync` can follow a number of writes";
        return at.fail(list, problem);
    }
    if list.get_ref().is_empty() {
        return at.fail(list, "at least one number of writes");
    }
    let counts = list.get_ref().iter();
    counts.map(|n| at.count(list, *n).map(Some)).collect()
}

fn beside(entry: &BesideEntry, at: &Scope<'_>) -> Result<Writers, FileError> {
    let sync = *entry.sync.get_ref();
    let every = match (&entry.every, sync.flushes()) {
        (Some(n), true) => Some(at.count(n, *n.get_ref())?),
        (None, false) => None,
        (Some(n), false) => {
            return at.fail(
                n,
                "only `fsync` and `fdatasync` can follow a number of writes",
            );
        }
        (None, true) => {
            return at.fail(
                &entry.sync,
                "`fsync` and `fdatasync` need `every`: after how many writes of a thread",
            );
        }
    };
    Ok(Writers {
        load: Load {
            threads: at.count(&entry.threads, *entry.threads.get_ref())?,
            ..Load::write(
                Pattern::Random,
                at.block(&entry.block_bytes, *entry.block_bytes.get_ref())?,
                1,
            )
        },
        durability: Durability { sync, every },
    })
}

fn interval(entry: &SyncEntry, at: &Scope<'_>) -> Result<Option<f64>, FileError> {
    let Some(interval) = &entry.interval_s else {
        return Ok(None);
    };
    let interval_s = at.duration(interval)?;
    let count = entry.duration_s.get_ref() / interval_s;
    if !(2.0..=INTERVALS_MAX).contains(&count) || (count - count.round()).abs() > 1e-9 {
        return at.fail(
            interval,
            format!("`duration_s` is a whole number of intervals, from 2 to {INTERVALS_MAX}"),
        );
    }
    Ok(Some(interval_s))
}

impl Writers {
    fn describe(&self) -> Text {
        SyncStream::describe(&self.load, self.durability)
    }
}

impl Kind for Vec<Syncs> {
    fn states_mut(&mut self) -> Vec<&mut usize> {
        self.iter_mut().map(|s| &mut s.state).collect()
    }

    fn needs_writes(&self) -> Option<Text> {
        Some(recorded!("needs-writes"))
    }

    fn scale(&mut self, by: u32) -> Result<(), String> {
        for syncs in self {
            syncs.duration_s /= f64::from(by);
            syncs
                .interval_s
                .iter_mut()
                .for_each(|s| *s /= f64::from(by));
            let writers = syncs.writers.iter_mut().chain(&mut syncs.beside);
            writers.for_each(|one| scaled::region(&mut one.load.region_bytes, by));
        }
        Ok(())
    }

    fn plan(&self, planner: &mut Planner<'_>) {
        for syncs in self {
            for writers in &syncs.writers {
                let beside = syncs.beside.map(|beside| beside.load.block_bytes);
                let blocks = std::iter::once(writers.load.block_bytes).chain(beside);
                if !planner.takes_all(blocks) {
                    continue;
                }
                let point = PlannedSync {
                    writers: *writers,
                    beside: syncs.beside,
                    duration_s: syncs.duration_s,
                    interval_s: syncs.interval_s,
                };
                let region_bytes = writers.load.region_bytes;
                planner.add(syncs.state, 1, point).region_bytes = region_bytes;
            }
        }
    }
}

/// A point to measure.
#[derive(Debug)]
struct PlannedSync {
    writers: Writers,
    beside: Option<Writers>,
    duration_s: f64,
    interval_s: Option<f64>,
}

impl PlannedSync {
    /// Returns the length of a job, s, and the number of jobs.
    fn jobs(&self, setting: &Setting) -> (u64, u64) {
        match self.interval_s {
            None => (setting.runtime_s(self.duration_s), 1),
            Some(interval_s) => {
                let count = (self.duration_s / interval_s).round() as u64;
                (setting.runtime_s(interval_s), count)
            }
        }
    }

    /// Returns the streams with their ranges: the other writes are behind the region.
    fn streams(&self, capacity_bytes: u64) -> Vec<Stream<'_>> {
        let mut region = self.writers.load.range_bytes(capacity_bytes);
        if self.beside.is_some() && region > capacity_bytes / 2 {
            region = (capacity_bytes / 2 / ALIGN_BYTES * ALIGN_BYTES).max(ALIGN_BYTES);
        }
        let mut streams = vec![Stream {
            load: &self.writers.load,
            durability: self.writers.durability,
            range_bytes: (0, region),
        }];
        if let Some(beside) = &self.beside {
            streams.push(Stream {
                load: &beside.load,
                durability: beside.durability,
                range_bytes: (region, capacity_bytes.saturating_sub(region)),
            });
        }
        streams
    }

    /// Returns all threads as one load with the larger requests: an upper bound for estimates.
    fn together(&self) -> Load {
        let load = self.writers.load;
        match self.beside {
            None => load,
            Some(Writers { load: other, .. }) => Load {
                threads: load.threads + other.threads,
                block_bytes: load.block_bytes.max(other.block_bytes),
                ..load
            },
        }
    }

    fn name(&self) -> Text {
        match &self.beside {
            None => self.writers.describe(),
            Some(beside) => {
                let beside = recorded!("piece-beside", load = beside.describe());
                Text::list("; ", [self.writers.describe(), beside])
            }
        }
    }

    /// Returns warnings: a time or a region that differs from the edition's, a host that is the
    /// limit.
    fn warnings(&self, context: &Context<'_>, point: &SyncPoint) -> Vec<Text> {
        let shortest = self.interval_s.unwrap_or(self.duration_s);
        let mut warnings = context.duration_warning(shortest);
        let (load, capacity) = (&self.writers.load, context.setting.capacity_bytes);
        let half = load.region_bytes.filter(|r| *r > capacity / 2);
        warnings.extend(match (self.beside, half) {
            (Some(_), Some(region)) => {
                let region = size_text(region);
                Some(recorded!("warning-halves", region = region))
            }
            _ => context.region_warning(load),
        });
        let sum = |of: fn(&SyncStream) -> f64| point.streams.iter().map(of).sum();
        let speed = (sum(|s| s.iops), sum(|s| s.bw_bytes_per_s));
        let threads = self.together().threads;
        warnings.extend(context.limits.warning(&self.name(), threads, speed));
        warnings
    }
}

impl Work for PlannedSync {
    fn actions(&self, setting: &Setting, _copied: bool, see: &mut dyn FnMut(Action<'_>)) {
        let (runtime_s, count) = self.jobs(setting);
        see(Action::Load {
            load: &self.together(),
            runtime_s: Some(runtime_s * count),
        });
    }

    fn title(&self) -> Option<Text> {
        Some(self.name())
    }

    fn run(&self, context: &Context<'_>, target: &mut dyn Target, places: &[Place]) -> Done {
        let setting = context.setting;
        let streams = self.streams(setting.capacity_bytes);
        let slugs: Vec<String> = streams.iter().map(Stream::slug).collect();
        let id = context.recorder.test_id(places[0]);
        let (runtime_s, count) = self.jobs(setting);
        let name = self.name();
        let all_s = runtime_s * count;
        let cost = setting.load_cost(&self.together(), Some(all_s));
        context.recorder.begin(places[0], &name, cost);
        let mut outcomes = Vec::new();
        for number in 1..=count {
            let seed_name = format!("{id}/{}/{number}", slugs.join("+"));
            let seed = stend_base::job_seed(setting.seed, &seed_name);
            let frame = JobFrame {
                percentiles: &setting.percentiles,
                runtime_s: Some(runtime_s),
                seed,
                capacity_bytes: setting.capacity_bytes,
            };
            let outcome = target.run(&JobRequest {
                text: &job::streams(&streams, &frame),
                seed,
                sample_ms: 0,
            })?;
            outcome::check_errors(&outcome)?;
            outcomes.push(outcome);
        }
        let interval_s = self.interval_s.map(|_| runtime_s as f64);
        let point = point(&streams, all_s, interval_s, &outcomes)?;
        let warnings = self.warnings(context, &point);
        let text = outcomes.swap_remove(0).job_text;
        let results = Results::Sync(vec![point]);
        let measured = Measurement::of_job(name, text, warnings, results);
        context.recorder.record(places, measured, cost);
        Ok(())
    }
}

/// Computes the review's point from the output of its jobs, one for each interval.
fn point(
    streams: &[Stream<'_>],
    duration_s: u64,
    interval_s: Option<f64>,
    outcomes: &[JobOutcome],
) -> Result<SyncPoint, TargetError> {
    let jobs_of = |nth: usize| -> Result<Vec<&fio::Job>, TargetError> {
        let of = |outcome: &'_ JobOutcome| outcome.fio.jobs.len() == streams.len();
        if !outcomes.iter().all(of) {
            return Err(TargetError::Failed(format!(
                "the job's answer does not report {} groups of threads",
                streams.len()
            )));
        }
        Ok(outcomes.iter().map(|o| &o.fio.jobs[nth]).collect())
    };
    let first = jobs_of(0)?;
    let mut point = SyncPoint {
        duration_s: duration_s as f64,
        interval_s,
        ..SyncPoint::default()
    };
    for (nth, stream) in streams.iter().enumerate() {
        point.streams.push(measured(stream, &jobs_of(nth)?)?);
    }
    let Some(interval_s) = interval_s else {
        return Ok(point);
    };
    for (nth, job) in first.into_iter().enumerate() {
        let one = measured(&streams[0], &[job])?;
        let written = one.commit_latency_ns().or(one.write_latency_ns.as_ref());
        let read = one.read_latency_ns.as_ref();
        point.intervals.push(SyncInterval {
            t_s: interval_s * (nth + 1) as f64,
            writes_per_s: one.writes_per_s,
            read_p99_9_ns: read.map(|l| l.p99_9),
            read_max_ns: read.map(|l| l.max),
            write_p99_9_ns: written.map_or(0, |l| l.p99_9),
            write_max_ns: written.map_or(0, |l| l.max),
        });
    }
    Ok(point)
}

/// Summarizes a stream over the jobs of all intervals.
fn measured(stream: &Stream<'_>, jobs: &[&fio::Job]) -> Result<SyncStream, TargetError> {
    let reads = Part::of_directions(jobs.iter().map(|job| &job.read));
    let writes = Part::of_directions(jobs.iter().map(|job| &job.write));
    let flushes = Part::of_latencies(jobs.iter().filter_map(|job| job.sync_latency()));
    if writes.requests() == 0 {
        return Err(TargetError::Failed(format!(
            "no write was completed: {}",
            SyncStream::describe(stream.load, stream.durability)
        )));
    }
    let sync = stream.durability.sync;
    let flush_due = u64::from(stream.durability.every.unwrap_or(1) * stream.load.threads);
    if sync.flushes() && flushes.requests() == 0 && writes.requests() > flush_due {
        return Err(TargetError::Failed(format!(
            "the job's answer has no latency of its flushes ({})",
            sync.words()
        )));
    }
    let latency = |part: &Part<'_>| (part.requests() > 0).then(|| part.latency()).transpose();
    let count = jobs.len() as f64;
    let writes_per_s = writes.iops / count;
    // fio reports no rate for flushes; they took the same time as the writes.
    let flushes_per_s = flushes.requests() as f64 / writes.requests() as f64 * writes_per_s;
    Ok(SyncStream {
        load: Load {
            // The actual region, if a smaller target changed it.
            region_bytes: stream.load.region_bytes.map(|_| stream.range_bytes.1),
            ..*stream.load
        },
        durability: stream.durability,
        iops: (reads.iops + writes.iops) / count,
        writes_per_s,
        repeated_writes_per_s: Vec::new(),
        commits_per_s: match sync {
            SyncMethod::None => 0.0,
            SyncMethod::Dsync => writes_per_s,
            SyncMethod::Fsync | SyncMethod::Fdatasync => flushes_per_s,
        },
        bw_bytes_per_s: (reads.bw_bytes_per_s + writes.bw_bytes_per_s) / count,
        read_latency_ns: latency(&reads)?,
        write_latency_ns: latency(&writes)?,
        sync_latency_ns: latency(&flushes)?,
    })
}
