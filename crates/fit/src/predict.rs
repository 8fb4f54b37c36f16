//! Runs a test on a simulated drive in a state, and computes the figures of its result.

use stend_base::job_seed;
use stend_load::Sample;
use stend_load::target::{JobOutcome, JobRequest, Target, TargetError};
use stend_model::{Model, NewValue, write_values};
use stend_record::fio;
use stend_simulated::SimulatedTarget;

use crate::measured::{Figure, Requests, State, Step, Take, Test, Used, Variant, Window};

/// Alignment of the places `{used}` and `{free}`, bytes.
const ALIGN_BYTES: u64 = 1 << 20;

/// Smallest step, as a share of the first speed.
const STEP_SHARE: f64 = 0.1;

/// A model of another capacity with the same parts. Figures that the variant lacks are the model's.
///
/// # Errors
/// The fault of such a model.
pub fn vary(model: &Model, variant: &Variant) -> Result<Model, String> {
    let value = |table, key, value| NewValue {
        table,
        key,
        index: None,
        value,
        source: &variant.source,
    };
    let values = [
        value("capacity", "user_bytes", variant.user_bytes as f64),
        value("nand", "dies", f64::from(variant.dies)),
        value("dram", "size_mib", f64::from(variant.dram_mib)),
    ];
    let text = write_values(&model.text, &values);
    let text = text.map_err(|error| error.to_string())?;
    let varied = Model::parse(&text, &variant.name);
    let mut varied = varied.map_err(|error| error.to_string())?;
    varied.name.clone_from(&variant.name);
    varied.title.clone_from(&variant.title);
    Ok(varied)
}

/// Creates a new drive, and brings it into a state.
///
/// # Errors
/// [`TargetError::Input`] if the state does not suit the drive.
pub fn prepare(model: Model, state: &State, seed: u64) -> Result<SimulatedTarget, TargetError> {
    let capacity = model.capacity.user_bytes.value;
    let used = match state.used {
        Used::Bytes(bytes) => Some(bytes),
        Used::AllBut(bytes) => capacity.checked_sub(bytes),
    };
    if used.is_none_or(|used| used > capacity) {
        return Err(TargetError::Input(format!(
            "the drive is too small for the state `{}`",
            state.id
        )));
    }
    let mut target = SimulatedTarget::new(model);
    for (index, step) in state.steps.iter().enumerate() {
        let seed = job_seed(seed, &format!("state/{}/{index}", state.id));
        carry_out(&mut target, state, step, 0, seed)?;
    }
    Ok(target)
}

/// Figures of a test on a drive in `state`, in the order of [`Test::figures`] and in the base unit
/// of their quantity; `None` for a figure that the result does not contain.
///
/// # Errors
/// [`TargetError::Input`] if the test does not suit the drive.
pub fn measure(
    target: &mut SimulatedTarget,
    state: &State,
    test: &Test,
    seed: u64,
) -> Result<Vec<Option<f64>>, TargetError> {
    let mut results = Vec::with_capacity(test.parts.len());
    for part in &test.parts {
        let seed = job_seed(seed, &format!("test/{}/{}", test.id, part.id));
        results.push(carry_out(target, state, &part.step, part.sample_ms, seed)?);
    }
    let figure = |figure: &Figure| take(figure, &results[figure.part]);
    Ok(test.figures.iter().map(figure).collect())
}

/// Result of a step.
#[derive(Default)]
struct Done {
    job: Option<JobOutcome>,
    /// Duration, s.
    seconds: f64,
    /// Energy used, J, if the model has energy.
    joules: Option<f64>,
}

fn carry_out(
    target: &mut SimulatedTarget,
    state: &State,
    step: &Step,
    sample_ms: u32,
    seed: u64,
) -> Result<Done, TargetError> {
    let begin = target.now_s();
    let energy = target.energy_j();
    let mut done = Done::default();
    match step {
        Step::Job(text) => {
            let text = with_places(text, state, target.capacity_bytes());
            done.job = Some(target.run(&JobRequest {
                text: &text,
                seed,
                sample_ms,
            })?);
        }
        Step::Rest(seconds) => target.idle(*seconds)?,
        Step::TrimAll => target.trim_all()?,
        Step::TrimFree => {
            let capacity = target.capacity_bytes();
            let from = used(state, capacity);
            if from < capacity {
                target.trim(from, capacity - from)?;
            }
        }
        Step::WriteCacheOff => target.drive_mut().service().set_write_cache(false),
    }
    done.seconds = target.now_s() - begin;
    let taken = target.energy_j().zip(energy);
    done.joules = taken.map(|(after, before)| after - before);
    Ok(done)
}

/// Bytes from the beginning of the drive that hold data; the rest holds none.
fn used(state: &State, capacity: u64) -> u64 {
    let bytes = match state.used {
        Used::Bytes(bytes) => bytes.min(capacity),
        Used::AllBut(bytes) => capacity.saturating_sub(bytes),
    };
    bytes / ALIGN_BYTES * ALIGN_BYTES
}

/// Replaces `{used}`, `{free}` and `{capacity}` in a job by numbers, bytes.
fn with_places(text: &str, state: &State, capacity: u64) -> String {
    let used = used(state, capacity);
    // fio takes a size of 0 to mean everything, so that at least one request is written.
    text.replace("{used}", &used.max(ALIGN_BYTES).to_string())
        .replace("{free}", &used.to_string())
        .replace("{capacity}", &capacity.to_string())
}

fn take(figure: &Figure, done: &Done) -> Option<f64> {
    if figure.take == Take::Power {
        return done.joules.map(|joules| joules / done.seconds);
    }
    let job = done.job.as_ref()?;
    let log = within(&job.samples, figure.window);
    match (figure.take, figure.window) {
        (Take::Bandwidth, Window::Whole) => Some(sum(job, |d| d.bw_bytes as f64)),
        (Take::Iops, Window::Whole) => Some(sum(job, |d| d.iops)),
        (Take::Bandwidth, _) => mean(&log, bytes),
        (Take::Iops, _) => {
            let requests = |row: &Sample| row.read_iops + row.write_iops;
            let count = log.len() as f64;
            (count > 0.0).then(|| log.iter().map(requests).sum::<f64>() / count)
        }
        (Take::BandwidthLeast, _) => speeds(&log).into_iter().map(|(_, s)| s).reduce(f64::min),
        (Take::LatencyMean, _) => {
            let jobs = job.fio.jobs.iter().flat_map(|job| [&job.read, &job.write]);
            latency_mean(jobs)
        }
        (Take::ReadLatency, _) => latency(job, &figure.requests, |job| &job.read),
        (Take::WriteLatency, _) => latency(job, &figure.requests, |job| &job.write),
        (Take::Period, _) => Some(sum(job, |d| d.iops))
            .filter(|iops| *iops > 0.0)
            .map(f64::recip),
        (Take::StepBytes, _) => step_bytes(&log),
        (Take::Power, _) => None,
    }
}

fn sum(job: &JobOutcome, of: impl Fn(&fio::Direction) -> f64) -> f64 {
    let jobs = job.fio.jobs.iter();
    jobs.map(|job| of(&job.read) + of(&job.write)).sum()
}

fn latency(
    job: &JobOutcome,
    requests: &Requests,
    direction: impl Fn(&fio::Job) -> &fio::Direction,
) -> Option<f64> {
    let is_asked = |job: &&fio::Job| {
        requests
            .job
            .as_ref()
            .is_none_or(|name| *name == job.jobname)
    };
    let mut of = job.fio.jobs.iter().filter(is_asked).map(direction);
    match requests.percentile {
        None => latency_mean(of),
        Some(percentile) => Some(of.next()?.clat_ns.at(percentile)? as f64 / 1e9),
    }
}

fn latency_mean<'a>(directions: impl Iterator<Item = &'a fio::Direction>) -> Option<f64> {
    let (total, count) = directions.fold((0.0, 0.0), |(total, count), direction| {
        let n = direction.clat_ns.n as f64;
        (total + direction.clat_ns.mean * n, count + n)
    });
    (count > 0.0).then(|| total / count / 1e9)
}

fn bytes(row: &Sample) -> f64 {
    (row.read_bytes + row.written_bytes) as f64
}

/// Samples that end inside a window, preceded by the last one before it, whose end is the beginning
/// of the window.
fn within(log: &[Sample], window: Window) -> Vec<Sample> {
    let inside = |row: &Sample| match window {
        Window::Whole => true,
        Window::Bytes(from, to) => (from as f64..=to as f64).contains(&bytes(row)),
        Window::Seconds(from, to) => (from..=to).contains(&row.t_s),
    };
    log.iter().filter(|row| inside(row)).copied().collect()
}

/// Mean increase per second of a quantity between the first and the last sample.
fn mean(log: &[Sample], of: impl Fn(&Sample) -> f64) -> Option<f64> {
    let (first, last) = (log.first()?, log.last()?);
    let seconds = last.t_s - first.t_s;
    (seconds > 0.0).then(|| (of(last) - of(first)) / seconds)
}

/// Start of each sample, bytes, and its speed, bytes per second.
fn speeds(log: &[Sample]) -> Vec<(f64, f64)> {
    let pairs = log.windows(2);
    let speed = |pair: &[Sample]| {
        let seconds = pair[1].t_s - pair[0].t_s;
        (
            bytes(&pair[0]),
            (bytes(&pair[1]) - bytes(&pair[0])) / seconds,
        )
    };
    pairs.map(speed).collect()
}

fn step_bytes(log: &[Sample]) -> Option<f64> {
    let speeds = speeds(log);
    let all = bytes(log.last()?);
    let first = speeds.first()?.1;
    let quarter: Vec<Sample> = log
        .iter()
        .filter(|r| bytes(r) >= 0.75 * all)
        .copied()
        .collect();
    let last = mean(&quarter, bytes)?;
    if first - last < STEP_SHARE * first {
        return None;
    }
    let middle = (first + last) / 2.0;
    // A single slow sample is no step: the mean of four samples must be below the middle.
    let below = |at: usize| {
        let next = &speeds[at..speeds.len().min(at + 4)];
        speeds[at].1 < middle
            && next.iter().map(|(_, speed)| speed).sum::<f64>() < middle * next.len() as f64
    };
    let at = (0..speeds.len()).find(|at| below(*at))?;
    Some(speeds[at].0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(speeds: &[u64]) -> Vec<Sample> {
        let mut written_bytes = 0;
        let rows = speeds.iter().enumerate().map(|(at, speed)| {
            written_bytes += speed;
            Sample {
                t_s: (at + 1) as f64,
                written_bytes,
                write_iops: *speed as f64,
                ..Sample::default()
            }
        });
        rows.collect()
    }

    #[test]
    fn a_step_is_where_the_speed_falls_for_good() {
        let even = log(&[100; 20]);
        assert_eq!(step_bytes(&even), None);
        let mut falling = [[100; 8], [50; 8]].concat();
        assert_eq!(step_bytes(&log(&falling)), Some(800.0));
        // A single slow sample before it does not count.
        falling[3] = 60;
        assert_eq!(step_bytes(&log(&falling)), Some(760.0));
    }

    #[test]
    fn windows_take_what_lies_inside() {
        let log = log(&[100, 100, 50, 50, 50]);
        let first = within(&log, Window::Bytes(100, 200));
        assert_eq!(mean(&first, bytes), Some(100.0));
        let rest = within(&log, Window::Bytes(200, 400));
        assert_eq!(mean(&rest, bytes), Some(50.0));
        assert_eq!(within(&log, Window::Seconds(2.0, 3.0)).len(), 2);
    }
}
