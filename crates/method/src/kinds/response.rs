//! Reads while a file is deleted, with TRIM and without: the measurement, and its summary by
//! intervals and slowest requests.

use serde::Deserialize;
use stend_config::FileError;
use stend_language::{Text, recorded};
use stend_load::target::{
    Completed, Deletion, JobOutcome, JobRequest, Observer, Target, TargetError,
};
use stend_record::load::Load;
use stend_record::review::{
    LatencySummary, Pattern, PointOp, Response as Measured, ResponseInterval, Results, SeriesPoint,
    SlowRequest,
};
use stend_record::size::size_text;
use toml::Spanned;

use crate::context::Context;
use crate::kind::{Kind, Planner, Work};
use crate::parse::Scope;
use crate::recorder::{Done, Measurement, Place};
use crate::scaled;
use crate::setting::{Action, Setting};
use crate::state::Step;
use crate::{job, outcome};

/// Number of slowest requests that are stored; the others are only in the intervals.
const SLOWEST_KEPT: usize = 2_000;

/// Sizes of a scaled region and file are multiples of this, bytes.
const ALIGN_BYTES: u64 = 1 << 20;

/// Reads while a file is deleted, with TRIM and without.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// Index in [`Edition::states`] of the state that it starts from.
    pub state: usize,
    /// The reads, within their region.
    pub load: Load,
    /// Size of the file, which is written behind the region, bytes.
    pub file_bytes: u64,
    /// Bytes that one TRIM command covers.
    pub command_bytes: u64,
    /// Rest between writing the file and the reads, s.
    pub rest_s: f64,
    /// Time of reads before the deletion, s.
    pub reference_s: f64,
    /// Time of reads from the start of the deletion, s.
    pub duration_s: f64,
    /// Length of an interval, ms.
    pub interval_ms: u32,
}

/// The table `[test.response]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    state: Spanned<String>,
    block_bytes: Spanned<u64>,
    queue_depth: Spanned<u32>,
    region_bytes: Spanned<u64>,
    file_bytes: Spanned<u64>,
    command_bytes: Spanned<u64>,
    rest_s: Spanned<f64>,
    reference_s: Spanned<f64>,
    duration_s: Spanned<f64>,
    interval_ms: Spanned<u32>,
}

/// Checks a test of reads while a file is deleted.
pub(crate) fn parse(entry: Entry, at: &Scope<'_>) -> Result<Response, FileError> {
    let problem = "an interval spans 10 to 1000 ms";
    let interval_ms = at.within(&entry.interval_ms, 10..=1000, problem)?;
    let (file, command) = (*entry.file_bytes.get_ref(), *entry.command_bytes.get_ref());
    at.region(Some(&entry.command_bytes))?;
    at.region(Some(&entry.file_bytes))?;
    if !file.is_multiple_of(command) || file / command > 1 << 20 {
        return at.fail(
            &entry.command_bytes,
            "a whole number of TRIM commands, at most 1048576, covers `file_bytes`",
        );
    }
    Ok(Response {
        state: at.start(&entry.state)?,
        load: Load {
            op: PointOp::Read,
            read_percent: 100,
            region_bytes: at.region(Some(&entry.region_bytes))?,
            ..at.write_load(Pattern::Random, &entry.block_bytes, &entry.queue_depth)?
        },
        file_bytes: file,
        command_bytes: command,
        rest_s: at.pause(&entry.rest_s)?,
        reference_s: at.duration(&entry.reference_s)?,
        duration_s: at.duration(&entry.duration_s)?,
        interval_ms,
    })
}

/// Returns the region of the reads and the size of the file behind it, bytes, on a target of this
/// capacity. If they do not both fit, each gets at most half of it.
pub(crate) fn geometry(response: &Response, capacity_bytes: u64) -> (u64, u64) {
    let region = response.load.range_bytes(capacity_bytes);
    if region.saturating_add(response.file_bytes) <= capacity_bytes {
        return (region, response.file_bytes);
    }
    let half = (capacity_bytes / 2 / ALIGN_BYTES * ALIGN_BYTES).max(ALIGN_BYTES);
    let (region, file) = (region.min(half), response.file_bytes.min(half));
    // Whole commands.
    let command = response.command_bytes.min(file);
    (region, file / command * command)
}

impl Kind for Response {
    fn states_mut(&mut self) -> Vec<&mut usize> {
        vec![&mut self.state]
    }

    fn needs_writes(&self) -> Option<Text> {
        Some(recorded!("needs-deletion"))
    }

    fn needs_trim(&self) -> Option<Text> {
        Some(recorded!("needs-trim-of-file"))
    }

    fn needed_blocks(&self) -> Vec<u64> {
        vec![self.load.block_bytes, self.command_bytes]
    }

    fn scale(&mut self, by: u32) -> Result<(), String> {
        scaled::region(&mut self.load.region_bytes, by);
        scaled::bytes(&mut self.file_bytes, by);
        // A command covers as many bytes as on a whole drive, and takes as long: there are fewer.
        let times = [
            &mut self.rest_s,
            &mut self.reference_s,
            &mut self.duration_s,
        ];
        times.into_iter().for_each(|s| *s /= f64::from(by));
        scaled::interval(&mut self.interval_ms, by);
        Ok(())
    }

    fn plan(&self, planner: &mut Planner<'_>) {
        // First without TRIM, which leaves the target unchanged.
        for trim in [false, true] {
            let work = Part {
                response: self.clone(),
                trim,
            };
            let procedure = planner.add(self.state, 1, work);
            procedure.region_bytes = self.load.region_bytes;
            procedure.starts_anew = true;
        }
    }
}

/// Writes the file, rests, and reads while it is deleted.
#[derive(Debug)]
struct Part {
    response: Response,
    /// True if the deletion issues TRIM.
    trim: bool,
}

impl Work for Part {
    fn actions(&self, setting: &Setting, _copied: bool, see: &mut dyn FnMut(Action<'_>)) {
        let response = &self.response;
        let (region, file) = geometry(response, setting.capacity_bytes);
        see(Action::Write(file));
        see(Action::Step(&Step::Idle {
            duration_s: response.rest_s,
        }));
        let load = Load {
            region_bytes: Some(region),
            ..response.load
        };
        let runtime_s =
            setting.runtime_s(response.reference_s) + setting.runtime_s(response.duration_s);
        see(Action::Load {
            load: &load,
            runtime_s: Some(runtime_s),
        });
    }

    fn run(&self, context: &Context<'_>, target: &mut dyn Target, places: &[Place]) -> Done {
        let (setting, response) = (context.setting, &self.response);
        let test = context.recorder.test_id(places[0]);
        let (region, file) = geometry(response, setting.capacity_bytes);
        let load = Load {
            region_bytes: Some(region),
            ..response.load
        };
        let name = if self.trim {
            "with TRIM"
        } else {
            "without TRIM"
        };
        let title = recorded!(
            "named",
            name = Text::named("response", name),
            what = load.describe()
        );
        let reference_s = setting.runtime_s(response.reference_s);
        let runtime_s = reference_s + setting.runtime_s(response.duration_s);
        let file_cost = setting.cost(&Action::Write(file));
        context
            .recorder
            .preparing(test, "writing the file", file_cost);
        // With TRIM and without, the same file is written and the same offsets are read.
        let work = (file, file_cost);
        context.write(target, &format!("{test}/file"), work, |seed| {
            job::write_file(region, file, seed)
        })?;
        let rest = Step::Idle {
            duration_s: response.rest_s,
        };
        context.step(target, test, &rest)?;
        let cost = setting.load_cost(&load, Some(runtime_s));
        context.recorder.begin(places[0], &title, cost);
        let deletion = Deletion {
            at_s: reference_s,
            offset_bytes: region,
            len_bytes: file,
            command_bytes: response.command_bytes.min(file),
        };
        let seed_name = format!("{test}/{}", load.slug());
        let (text, seed) = context.job_text(&load, &seed_name, Some(runtime_s));
        let request = JobRequest {
            text: &text,
            seed,
            sample_ms: 0,
        };
        let logged = target.run_observed(
            &request,
            Observer::of_requests(self.trim.then_some(&deletion)),
        )?;
        outcome::check_errors(&logged)?;
        let found = summed_up(name, &load, &deletion, response.interval_ms, &logged)?;
        let mut warnings = context.duration_warning(response.reference_s.min(response.duration_s));
        warnings.extend(size_warning(response, region, file, setting.capacity_bytes));
        let iops = found.reference_iops;
        let speed = (iops, iops * load.block_bytes as f64);
        warnings.extend(context.limits.warning(&title, load.threads, speed));
        let results = Results::Response(vec![found]);
        let measured = Measurement::of_job(title, logged.job_text, warnings, results);
        context.recorder.record(places, measured, cost);
        Ok(())
    }
}

fn size_warning(response: &Response, region: u64, file: u64, capacity_bytes: u64) -> Option<Text> {
    let wanted = response.load.region_bytes.unwrap_or(capacity_bytes);
    ((region, file) != (wanted, response.file_bytes)).then(|| {
        recorded!(
            "warning-response",
            size = format!("{:.2} GB", capacity_bytes as f64 / 1e9),
            region = size_text(wanted),
            file = size_text(response.file_bytes),
            reads = size_text(region),
            less = size_text(file)
        )
    })
}

/// Computes the review's response from every request of the job.
fn summed_up(
    name: &str,
    load: &Load,
    deletion: &Deletion,
    interval_ms: u32,
    logged: &JobOutcome,
) -> Result<Measured, TargetError> {
    let interval_ns = u64::from(interval_ms) * 1_000_000;
    let (zero_ns, end_ns) = match logged.trimmed_ns {
        Some((from, to)) => (from, Some(to)),
        None => (deletion.at_s * 1_000_000_000, None),
    };
    let requests = &logged.requests;
    let split = requests.partition_point(|r| r.at_ns <= zero_ns);
    let (before, after) = requests.split_at(split);
    if before.is_empty() || after.is_empty() {
        return Err(TargetError::Failed(format!(
            "{name}: {} reads before the deletion and {} after it: nothing can be compared; choose \
             longer durations",
            before.len(),
            after.len()
        )));
    }
    let seconds = |at_ns: u64| (at_ns as f64 - zero_ns as f64) / 1e9;
    let intervals = intervals(requests, zero_ns, interval_ns);
    let reference_s = zero_ns as f64 / 1e9;
    let mut slowest: Vec<&Completed> = requests.iter().collect();
    // Among equally slow ones, the earlier first.
    slowest.sort_by_key(|r| (std::cmp::Reverse(r.latency_ns), r.at_ns));
    slowest.truncate(SLOWEST_KEPT);
    slowest.sort_by_key(|r| r.at_ns);
    Ok(Measured {
        name: name.to_owned(),
        point: SeriesPoint::from(load),
        region_bytes: load.region_bytes.unwrap_or_default(),
        file_bytes: deletion.len_bytes,
        command_bytes: end_ns.map(|_| deletion.command_bytes),
        trim_s: end_ns.map(seconds),
        interval_s: f64::from(interval_ms) / 1000.0,
        intervals,
        slowest: slowest
            .into_iter()
            .map(|r| SlowRequest {
                t_s: seconds(r.at_ns),
                latency_ns: r.latency_ns,
            })
            .collect(),
        requests: requests.len() as u64,
        reference_iops: before.len() as f64 / reference_s,
        reference_latency_ns: summary(before),
        latency_ns: summary(after),
    })
}

/// Returns whole intervals on both sides of the deletion, including empty ones. An interval counts
/// requests that completed after its start and not after its end.
fn intervals(requests: &[Completed], zero_ns: u64, interval_ns: u64) -> Vec<ResponseInterval> {
    let Some(last) = requests.last() else {
        return Vec::new();
    };
    let first_ns = zero_ns % interval_ns;
    let count = last.at_ns.saturating_sub(first_ns) / interval_ns;
    let mut rest = &requests[requests.partition_point(|r| r.at_ns <= first_ns)..];
    let mut out = Vec::with_capacity(count as usize);
    for number in 1..=count {
        let end_ns = first_ns + number * interval_ns;
        let (here, later) = rest.split_at(rest.partition_point(|r| r.at_ns <= end_ns));
        rest = later;
        let latencies = sorted(here);
        out.push(ResponseInterval {
            t_s: (end_ns as f64 - zero_ns as f64) / 1e9,
            iops: here.len() as f64 * 1e9 / interval_ns as f64,
            p50_ns: at_part(&latencies, 50_000),
            p99_ns: at_part(&latencies, 99_000),
            max_ns: latencies.last().copied().unwrap_or(0),
        });
    }
    out
}

fn sorted(requests: &[Completed]) -> Vec<u64> {
    let mut latencies: Vec<u64> = requests.iter().map(|r| r.latency_ns).collect();
    latencies.sort_unstable();
    latencies
}

/// Returns the first of ascending values at which `parts` of 100,000 of them are reached; 0 without
/// values.
fn at_part(ascending: &[u64], parts: u64) -> u64 {
    let rank = (ascending.len() as u64 * parts).div_ceil(100_000);
    let place = rank.saturating_sub(1) as usize;
    ascending.get(place).copied().unwrap_or(0)
}

/// Computes percentiles of the requests themselves, not of a histogram.
fn summary(requests: &[Completed]) -> LatencySummary {
    let latencies = sorted(requests);
    let sum: u128 = latencies.iter().map(|l| u128::from(*l)).sum();
    let values = [50_000, 99_000, 99_900, 99_990, 99_999].map(|parts| at_part(&latencies, parts));
    let max = latencies.last().copied().unwrap_or(0);
    let mean = sum as f64 / latencies.len().max(1) as f64;
    LatencySummary::new(latencies.len() as u64, mean, max, values)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn spec(region_bytes: u64, file_bytes: u64, command_bytes: u64) -> Response {
        Response {
            state: 0,
            load: load(region_bytes),
            file_bytes,
            command_bytes,
            rest_s: 0.0,
            reference_s: 1.0,
            duration_s: 1.0,
            interval_ms: 100,
        }
    }

    fn load(region_bytes: u64) -> Load {
        Load {
            region_bytes: Some(region_bytes),
            ..Load::read(Pattern::Random, 4096, 1)
        }
    }

    #[test]
    fn a_small_target_is_halved_into_whole_commands() {
        let spec = spec(32 << 30, 32 << 30, 128 << 20);
        assert_eq!(geometry(&spec, 240 << 30), (32 << 30, 32 << 30));
        assert_eq!(geometry(&spec, 64 << 30), (32 << 30, 32 << 30));
        // 4.5 GiB each, and 36 commands.
        assert_eq!(geometry(&spec, 9 << 30), (4608 << 20, 36 * (128 << 20)));
        // 4.55 GiB each: a part of a command is left out.
        let (region, file) = geometry(&spec, 9 * (1 << 30) + (100 << 20));
        assert_eq!((region, file), (4658 << 20, 36 * (128 << 20)));
        assert_eq!(geometry(&spec, 64 << 20), (32 << 20, 32 << 20));
    }

    #[test]
    fn requests_fall_into_intervals_on_both_sides_of_the_deletion() {
        let at = |ms: u64, latency_ns| Completed {
            at_ns: ms * MS,
            latency_ns,
        };
        let logged = JobOutcome {
            requests: vec![
                at(20, 5),
                at(60, 7),
                at(250, 10),
                at(260, 30),
                at(310, 900),
                at(560, 40),
                at(650, 50),
            ],
            trimmed_ns: Some((250 * MS, 300 * MS)),
            ..JobOutcome::default()
        };
        let deletion = Deletion {
            at_s: 1,
            offset_bytes: 1 << 20,
            len_bytes: 1 << 20,
            command_bytes: 1 << 20,
        };
        let response = summed_up("with TRIM", &load(1 << 20), &deletion, 100, &logged).unwrap();
        let rows: Vec<(f64, f64, u64)> = response
            .intervals
            .iter()
            .map(|i| (i.t_s, i.iops, i.max_ns))
            .collect();
        assert_eq!(
            rows,
            [
                (-0.1, 10.0, 7),
                (0.0, 10.0, 10),
                (0.1, 20.0, 900),
                (0.2, 0.0, 0),
                (0.3, 0.0, 0),
                (0.4, 20.0, 50)
            ]
        );
        assert_eq!(response.intervals[2].p50_ns, 30);
        assert_eq!(response.trim_s, Some(0.05));
        assert_eq!(response.reference_iops, 12.0);
        assert_eq!(response.reference_latency_ns.max, 10);
        assert_eq!(
            (response.latency_ns.p50, response.latency_ns.max),
            (40, 900)
        );
        assert_eq!(response.slowest.len(), 7);
        let worst = response
            .slowest
            .iter()
            .max_by_key(|s| s.latency_ns)
            .unwrap();
        assert!((worst.t_s - 0.06).abs() < 1e-9);
    }

    #[test]
    fn the_slowest_are_kept_in_the_order_of_time() {
        let requests: Vec<Completed> = (0..10_000)
            .map(|i| Completed {
                at_ns: (i + 1) * MS,
                latency_ns: i * 7_919 % 10_000,
            })
            .collect();
        let logged = JobOutcome {
            requests,
            ..JobOutcome::default()
        };
        let deletion = Deletion {
            at_s: 5,
            offset_bytes: 0,
            len_bytes: 1,
            command_bytes: 1,
        };
        let response = summed_up("without", &load(1 << 20), &deletion, 100, &logged).unwrap();
        assert_eq!(response.slowest.len(), SLOWEST_KEPT);
        assert!(response.slowest.is_sorted_by(|a, b| a.t_s < b.t_s));
        let least = response.slowest.iter().map(|s| s.latency_ns).min();
        assert_eq!(least, Some(10_000 - SLOWEST_KEPT as u64));
        assert_eq!((response.trim_s, response.command_bytes), (None, None));
        assert_eq!(response.requests, 10_000);
    }

    #[test]
    fn ranks_are_exact() {
        let values: Vec<u64> = (1..=1_000).collect();
        assert_eq!(at_part(&values, 50_000), 500);
        assert_eq!(at_part(&values, 99_900), 999);
        assert_eq!(at_part(&values, 99_999), 1_000);
        assert_eq!(at_part(&[], 50_000), 0);
    }
}
