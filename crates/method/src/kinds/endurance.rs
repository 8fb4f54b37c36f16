//! Writing until the target refuses or the user's budget is spent.
//!
//! The budget is strict: the bytes that a round may write count from its start, and a resumed run
//! counts an interrupted round as written.

use std::sync::Arc;

use serde::Deserialize;
use stend_analysis::words;
use stend_config::FileError;
use stend_language::{Text, recorded};
use stend_load::target::{JobOutcome, Target, TargetError, WriteLimit};
use stend_record::endurance::{
    Afterwards, Endurance as Measured, EnduranceEnd, EnduranceRound, Health,
};
use stend_record::load::Load;
use stend_record::review::{JobText, Pattern, Results, SeriesPoint, TestResult};
use toml::Spanned;

use crate::context::Context;
use crate::cost::Cost;
use crate::job;
use crate::kind::{Kind, Planner, Work};
use crate::outcome::written_bytes;
use crate::parse::Scope;
use crate::recorder::{Done, Measurement, Place};
use crate::scaled;
use crate::setting::{Action, Setting};

/// Drive writes that are assumed for the progress of a test without a budget. Affects no result.
const ASSUMED_DRIVE_WRITES: u64 = 1000;

/// Size of a read after the end, bytes.
const READ_BYTES: u64 = 131_072;

/// Rounds of writes until one is refused, or until the user's budget is spent.
#[derive(Clone, Debug, PartialEq)]
pub struct Endurance {
    /// Index in [`Edition::states`](crate::Edition::states) of the state that it starts from.
    pub state: usize,
    /// The writes.
    pub load: Load,
    /// Drive writes of a round, after which the target's health is read.
    pub drive_writes_per_round: u32,
    /// True if rounds of a simulated drive that would repeat the last one are not simulated.
    pub repeat_rounds: bool,
}

impl Endurance {
    /// Returns the bytes to which it writes, on a target of this capacity: whole requests.
    pub fn range_bytes(&self, capacity_bytes: u64) -> u64 {
        capacity_bytes / self.load.block_bytes * self.load.block_bytes
    }

    /// Returns the bytes of a whole round.
    pub fn round_bytes(&self, capacity_bytes: u64) -> u64 {
        self.range_bytes(capacity_bytes)
            .saturating_mul(self.drive_writes_per_round.into())
    }
}

/// The table `[test.endurance]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    state: Spanned<String>,
    pattern: Pattern,
    block_bytes: Spanned<u64>,
    queue_depth: Spanned<u32>,
    drive_writes_per_round: Spanned<u32>,
    #[serde(default)]
    repeat_rounds: bool,
}

/// Checks an endurance test.
pub(crate) fn parse(entry: Entry, at: &Scope<'_>) -> Result<Endurance, FileError> {
    let writes = &entry.drive_writes_per_round;
    let problem = "a round writes the capacity from 1 to 1000 times";
    Ok(Endurance {
        state: at.start(&entry.state)?,
        load: at.write_load(entry.pattern, &entry.block_bytes, &entry.queue_depth)?,
        drive_writes_per_round: at.within(writes, 1..=1000, problem)?,
        repeat_rounds: entry.repeat_rounds,
    })
}

impl Kind for Endurance {
    fn states_mut(&mut self) -> Vec<&mut usize> {
        vec![&mut self.state]
    }

    fn needs_writes(&self) -> Option<Text> {
        Some(recorded!("needs-writes"))
    }

    fn wears_out(&self) -> Option<(&Load, usize)> {
        Some((&self.load, self.state))
    }

    fn needed_blocks(&self) -> Vec<u64> {
        vec![self.load.block_bytes]
    }

    fn scale(&mut self, by: u32) -> Result<(), String> {
        scaled::region(&mut self.load.region_bytes, by);
        Ok(())
    }

    fn plan(&self, planner: &mut Planner<'_>) {
        planner.add(self.state, 1, self.clone());
    }
}

/// Returns the bytes that a test writes, as far as known beforehand.
fn planned_bytes(setting: &Setting) -> u64 {
    let assumed = setting.capacity_bytes.saturating_mul(ASSUMED_DRIVE_WRITES);
    setting.write_budget_bytes.unwrap_or(assumed)
}

/// A test in progress.
struct Wear<'e> {
    keys: &'e Endurance,
    so_far: Measured,
    jobs: Vec<JobText>,
    range_bytes: u64,
    last_health: Option<Health>,
    /// Cost of the rounds of this run.
    cost: Cost,
}

impl<'e> Wear<'e> {
    fn new(setting: &Setting, keys: &'e Endurance, target: &mut dyn Target) -> Wear<'e> {
        let (before, no_health) = match target.health() {
            Ok(health) => (Some(health), None),
            Err(why) => (None, Some(why)),
        };
        Wear {
            keys,
            so_far: Measured {
                load: SeriesPoint::from(&keys.load),
                round_bytes: keys.round_bytes(setting.capacity_bytes),
                budget_bytes: setting.write_budget_bytes,
                rated_bytes: target.rated_bytes(),
                warranty_years: target.warranty_years(),
                end: EnduranceEnd::Unfinished,
                refusal: None,
                written_bytes: 0,
                broken_off_bytes: 0,
                no_health,
                before,
                rounds: Vec::new(),
                afterwards: None,
            },
            jobs: Vec::new(),
            range_bytes: keys.range_bytes(setting.capacity_bytes),
            last_health: before,
            cost: Cost::default(),
        }
    }

    /// Resumes the measurement of an earlier run of the same test on the same target.
    fn go_on(&mut self, setting: &Setting, earlier: TestResult) {
        if let Some(Results::Endurance(so_far)) = earlier.results {
            self.jobs = earlier.jobs;
            self.so_far = Measured {
                budget_bytes: setting.write_budget_bytes,
                ..so_far
            };
        }
    }

    /// Returns the whole requests for which the budget has room, in bytes.
    fn left_bytes(&self) -> u64 {
        let used = self.so_far.written_bytes + self.so_far.broken_off_bytes;
        let left = self
            .so_far
            .budget_bytes
            .map_or(u64::MAX, |b| b.saturating_sub(used));
        left - left % self.keys.load.block_bytes
    }

    /// Counts `bytes` of the plan as finished.
    fn spend(&mut self, context: &Context<'_>, bytes: u64) {
        let cost = context.setting.cost(&Action::Write(bytes));
        self.cost += cost;
        context.recorder.spent(cost);
    }

    /// Adds the results of a round.
    fn add(&mut self, done: &JobOutcome, health: Option<Health>) {
        let written = written_bytes(done);
        if written == 0 {
            return;
        }
        let writes = || done.fio.jobs.iter().map(|job| &job.write);
        self.so_far.written_bytes += written;
        self.so_far.rounds.push(EnduranceRound {
            written_bytes: written,
            repeats: 0,
            bw_bytes_per_s: writes().map(|write| write.bw_bytes as f64).sum(),
            latency_p99_9_ns: writes().filter_map(|write| write.clat_ns.at(99.9)).max(),
            latency_max_ns: writes().map(|write| write.clat_ns.max).max().unwrap_or(0),
            write_amplification: amplification(self.last_health, health),
            health,
        });
        self.last_health = health;
    }

    /// Returns the number of rounds like the last that may be skipped: none unless the last one was
    /// like the measured round before it, otherwise half of all so far, within the budget.
    fn repeats_max(&self) -> u32 {
        let measured = self.so_far.rounds.iter().filter(|round| round.repeats == 0);
        let mut latest = measured.rev().take(2);
        let alike = match (latest.next(), latest.next()) {
            (Some(last), Some(before)) => are_alike(last, before, self.so_far.round_bytes),
            _ => false,
        };
        let left = self.left_bytes() / self.so_far.round_bytes;
        let most = (self.so_far.rounds_done() / 2).min(left);
        if alike { most as u32 } else { 0 }
    }

    /// Adds skipped rounds, which count like the last one.
    fn add_repeated(&mut self, repeats: u32, health: Option<Health>) {
        let (Some(last), repeats) = (self.so_far.rounds.last(), u64::from(repeats)) else {
            return;
        };
        let repeated = EnduranceRound {
            written_bytes: repeats * last.written_bytes,
            repeats,
            health,
            ..last.clone()
        };
        self.so_far.written_bytes += repeated.written_bytes;
        self.so_far.rounds.push(repeated);
        self.last_health = health;
    }

    /// Returns warnings about the result.
    fn warnings(&self) -> Vec<Text> {
        let wear = &self.so_far;
        let mut warnings = Vec::new();
        if wear.rounds_repeated() > 0 {
            warnings.push(recorded!(
                "warning-repeats",
                rounds = wear.rounds_done(),
                repeated = wear.rounds_repeated()
            ));
        }
        if wear.end == EnduranceEnd::Budget {
            warnings.push(recorded!(
                "warning-not-worn",
                written = words::bytes(wear.written_bytes),
                allowed = words::bytes(wear.budget_bytes.unwrap_or_default())
            ));
        }
        if wear.broken_off_bytes > 0 {
            warnings.push(recorded!(
                "warning-broken-off",
                bytes = words::bytes(wear.broken_off_bytes)
            ));
        }
        warnings.extend(
            wear.no_health
                .iter()
                .map(|why| recorded!("warning-no-health", why = why.as_str())),
        );
        warnings
    }
}

/// Writes round after round; then tests if the target can still be written and read.
impl Work for Endurance {
    fn actions(&self, setting: &Setting, _copied: bool, see: &mut dyn FnMut(Action<'_>)) {
        see(Action::Write(planned_bytes(setting)));
    }

    fn run(&self, context: &Context<'_>, target: &mut dyn Target, places: &[Place]) -> Done {
        let (setting, place) = (context.setting, places[0]);
        let mut wear = Wear::new(setting, self, target);
        if wear.so_far.round_bytes == 0 {
            return Err(Arc::new(TargetError::Input(format!(
                "a request of {} bytes does not fit the target's {} bytes",
                self.load.block_bytes, setting.capacity_bytes
            ))));
        }
        if let Some(earlier) = context.recorder.unfinished(place) {
            wear.go_on(setting, earlier);
        }
        // A real drive stays worn by these writes, even if this run is interrupted.
        let lasts = target.write_limit() == WriteLimit::AsStated;
        wear.so_far.end = loop {
            let bytes = wear.left_bytes().min(wear.so_far.round_bytes);
            if bytes == 0 {
                break EnduranceEnd::Budget;
            }
            if lasts {
                let mut interrupted = wear.so_far.clone();
                interrupted.broken_off_bytes += bytes;
                let measured = measurement(interrupted, wear.jobs.clone(), Vec::new());
                context.recorder.under_way(place, measured);
            }
            let errno = self.round(context, target, place, (&mut wear, bytes))?;
            if let Some(errno) = errno {
                wear.so_far.refusal = Some(std::io::Error::from_raw_os_error(errno).to_string());
                break EnduranceEnd::Refused;
            }
            if self.repeat_rounds {
                let repeats = target.repeat_round(wear.repeats_max());
                if repeats > 0 {
                    wear.add_repeated(repeats, target.health().ok());
                    let bytes = u64::from(repeats) * wear.so_far.round_bytes;
                    wear.spend(context, bytes);
                }
            }
        };
        let mut warnings = wear.warnings();
        // Results of months must not be lost because the drive fails in the end.
        match self.afterwards(context, target, place, &mut wear) {
            Ok(afterwards) => wear.so_far.afterwards = Some(afterwards),
            Err(error) => {
                let error = error.to_string();
                warnings.push(recorded!("warning-afterwards", error = error));
            }
        }
        // The planned cost of rounds that were not needed.
        let planned = setting.cost(&Action::Write(planned_bytes(setting)));
        let measured = measurement(wear.so_far, wear.jobs, warnings);
        let cost = planned - wear.cost;
        context.recorder.record(places, measured, cost);
        Ok(())
    }
}

/// Returns the result so far.
fn measurement(found: Measured, jobs: Vec<JobText>, warnings: Vec<Text>) -> Measurement {
    Measurement {
        name: recorded!("piece-written", bytes = words::bytes(found.written_bytes)),
        jobs,
        warnings,
        results: Results::Endurance(found),
    }
}

impl Endurance {
    /// Writes one round; returns the errno with which the target refused a write.
    fn round(
        &self,
        context: &Context<'_>,
        target: &mut dyn Target,
        place: Place,
        (wear, bytes): (&mut Wear<'_>, u64),
    ) -> Result<Option<i32>, TargetError> {
        let number = wear.so_far.rounds_done() + 1;
        let load = &self.load;
        let written = words::bytes(wear.so_far.written_bytes);
        let written = recorded!("piece-written-so-far", bytes = written);
        let name = recorded!(
            "named",
            name = recorded!("piece-round", round = number),
            what = Text::list(", ", [load.describe(), written])
        );
        let planned = context.setting.cost(&Action::Write(bytes));
        context.recorder.begin(place, &name, planned);
        let id = context.recorder.test_id(place);
        target.round_begins();
        let done = context.until_refused(target, &format!("{id}/round-{number}"), |seed| {
            job::wear(load, wear.range_bytes, bytes, seed)
        })?;
        wear.add(&done, target.health().ok());
        if done.refused_errno.is_none() && written_bytes(&done) == 0 {
            return Err(TargetError::Failed(format!(
                "round {number} has written nothing, and nothing was refused"
            )));
        }
        if number == 1 {
            wear.jobs.push(JobText {
                name: recorded!(
                    "named",
                    name = recorded!("piece-round", round = number),
                    what = load.describe()
                ),
                text: done.job_text.clone(),
            });
        }
        wear.spend(context, written_bytes(&done));
        Ok(done.refused_errno)
    }

    /// Makes one more write, if the last was refused and the budget has room for it; then reads all
    /// of the target.
    fn afterwards(
        &self,
        context: &Context<'_>,
        target: &mut dyn Target,
        place: Place,
        wear: &mut Wear<'_>,
    ) -> Result<Afterwards, TargetError> {
        let id = context.recorder.test_id(place);
        let block_bytes = self.load.block_bytes;
        let again = wear.so_far.end == EnduranceEnd::Refused && wear.left_bytes() > 0;
        let mut write_refused = None;
        if again {
            let done = context.until_refused(target, &format!("{id}/again"), |seed| {
                job::wear(&self.load, wear.range_bytes, block_bytes, seed)
            })?;
            write_refused = Some(done.refused_errno.is_some());
        }
        let asked_bytes = context.setting.capacity_bytes / READ_BYTES * READ_BYTES;
        // The plan does not include reads.
        let recorder = context.recorder;
        recorder.begin(place, &recorded!("piece-reading-all"), Cost::default());
        let done = context.until_refused(target, &format!("{id}/read-back"), |seed| {
            job::read_back(READ_BYTES, asked_bytes, seed)
        })?;
        let reads = || done.fio.jobs.iter().map(|job| &job.read);
        let counted = done.fio.jobs.iter().map(|job| {
            let total = job.other.get("total_err").and_then(|n| n.as_u64());
            total.unwrap_or(u64::from(job.error != 0))
        });
        wear.jobs.push(JobText {
            name: recorded!("piece-reading-all"),
            text: done.job_text.clone(),
        });
        Ok(Afterwards {
            write_refused,
            read_bytes: reads().map(|read| read.io_bytes).sum(),
            asked_bytes,
            failed_reads: counted.sum(),
            bw_bytes_per_s: reads().map(|read| read.bw_bytes as f64).sum(),
            health: target.health().ok(),
        })
    }
}

/// Greatest difference of figures between similar rounds, as a share.
const ALIKE: f64 = 0.01;

/// True if two whole rounds have similar figures.
fn are_alike(one: &EnduranceRound, other: &EnduranceRound, round_bytes: u64) -> bool {
    let close = |a: f64, b: f64| (a - b).abs() <= ALIKE * a.max(b);
    let amplification = |round: &EnduranceRound| round.write_amplification.unwrap_or(f64::NAN);
    one.written_bytes == round_bytes
        && other.written_bytes == round_bytes
        && close(one.bw_bytes_per_s, other.bw_bytes_per_s)
        && close(amplification(one), amplification(other))
}

/// Returns the bytes written to flash for each byte that the host wrote between two readings;
/// `None` unless the target reports both.
fn amplification(before: Option<Health>, after: Option<Health>) -> Option<f64> {
    let (before, after) = (before?, after?);
    let since = |of: fn(&Health) -> Option<u64>| of(&after)?.checked_sub(of(&before)?);
    let host = since(|h| h.host_written_bytes).filter(|bytes| *bytes > 0)?;
    Some(since(|h| h.nand_written_bytes)? as f64 / host as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amplification_is_of_what_came_between() {
        let health = |host, nand| {
            Some(Health {
                host_written_bytes: host,
                nand_written_bytes: nand,
                ..Health::default()
            })
        };
        let before = health(Some(100), Some(1000));
        assert_eq!(
            amplification(before, health(Some(300), Some(1500))),
            Some(2.5)
        );
        // Nothing written, an unknown count, a count that decreased, no health at all.
        assert_eq!(amplification(before, health(Some(100), Some(1500))), None);
        assert_eq!(amplification(before, health(Some(300), None)), None);
        assert_eq!(amplification(before, health(Some(300), Some(900))), None);
        assert_eq!(amplification(None, before), None);
    }
}
