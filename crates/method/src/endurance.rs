//! Writing until the target refuses, or until as much is written as the user allows.
//!
//! The budget is kept strictly: what a round may write counts from the moment it begins,
//! and a run that goes on from an earlier one counts a round that was broken off as written.

use std::sync::Arc;

use stend_record::endurance::{Afterwards, Endurance, EnduranceEnd, EnduranceRound, Health};
use stend_record::review::{JobText, SeriesPoint};
use stend_target::{JobRequest, RefusedOutcome, Target, TargetError, WriteLimit};

use crate::edition::{self, Edition, TestKind};
use crate::job;
use crate::outcome::written_bytes;
use crate::plan::{Action, Dest, Plan};
use crate::recorder::{Measured, Shot};
use crate::run::{MethodError, ReviewOptions, Runner};

/// How often a target without a budget is assumed to be written, for shares of work done:
/// an error costs a hasty bar, never a result.
const ASSUMED_DRIVE_WRITES: u64 = 1000;

/// Size of a read after the end, bytes.
const READ_BYTES: u64 = 131_072;

/// Bytes that a test writes, as far as that is known beforehand.
pub(crate) fn planned_bytes(plan: &Plan<'_>) -> u64 {
    let assumed = plan.capacity_bytes.saturating_mul(ASSUMED_DRIVE_WRITES);
    plan.write_budget_bytes.unwrap_or(assumed)
}

/// Whether the chosen tests may write as much as they will.
///
/// # Errors
/// Where a budget is needed and not given, or given and of no use, or where it could not be
/// kept: beside other tests, which write as much as the target takes in their time.
pub(crate) fn check_budget(
    edition: &Edition,
    chosen: &[usize],
    options: &ReviewOptions<'_>,
    limit: WriteLimit,
) -> Result<(), MethodError> {
    let of = |index: &&usize| match &edition.tests[**index].kind {
        TestKind::Endurance(endurance) => Some(endurance),
        _ => None,
    };
    let id = |index: &usize| edition.tests[*index].id.clone();
    let Some(first) = chosen.iter().find(|index| of(index).is_some()) else {
        return match options.write_budget_bytes {
            None => Ok(()),
            Some(_) => Err(MethodError::BudgetUnused),
        };
    };
    let (test, endurance) = (id(first), of(&first));
    match (options.write_budget_bytes, limit) {
        (None, WriteLimit::UntilRefused) => return Ok(()),
        (None, WriteLimit::NeverRefuses) => return Err(MethodError::Endless { test }),
        (None, WriteLimit::AsStated) => return Err(MethodError::BudgetMissing { test }),
        (Some(budget), _) => {
            let request = endurance.map_or(0, |e| e.load.block_bytes);
            if budget < request {
                return Err(MethodError::BudgetTooSmall { budget, request });
            }
        }
    }
    if limit != WriteLimit::AsStated {
        return Ok(());
    }
    // One target, and one budget for all that is written to it.
    let others: Vec<String> = chosen.iter().filter(|i| *i != first).map(id).collect();
    if !others.is_empty() {
        return Err(MethodError::BudgetShared { test, others });
    }
    let state = endurance.map_or(0, |e| e.state);
    if edition.is_written(state) {
        let state = edition.states[state].id.clone();
        return Err(MethodError::BudgetPrepared { test, state });
    }
    Ok(())
}

/// A test under way.
struct Wear<'e> {
    asked: &'e edition::Endurance,
    so_far: Endurance,
    jobs: Vec<JobText>,
    range_bytes: u64,
    last_health: Option<Health>,
    /// Of the rounds of this run.
    cost: f64,
}

impl<'e> Wear<'e> {
    fn new(plan: &Plan<'_>, asked: &'e edition::Endurance, target: &mut dyn Target) -> Wear<'e> {
        let load = &asked.load;
        let (before, no_health) = match target.health() {
            Ok(health) => (Some(health), None),
            Err(why) => (None, Some(why)),
        };
        Wear {
            asked,
            so_far: Endurance {
                load: SeriesPoint {
                    op: load.op,
                    pattern: load.pattern,
                    block_bytes: load.block_bytes,
                    queue_depth: load.queue_depth,
                },
                round_bytes: asked.round_bytes(plan.capacity_bytes),
                budget_bytes: plan.write_budget_bytes,
                rated_bytes: target.rated_bytes(),
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
            range_bytes: asked.range_bytes(plan.capacity_bytes),
            last_health: before,
            cost: 0.0,
        }
    }

    /// Goes on from what an earlier run has left of the same test on the same target.
    fn go_on(&mut self, plan: &Plan<'_>, id: &str) {
        let Some(begun) = plan.begun.iter().find(|begun| begun.id == id) else {
            return;
        };
        let Some(earlier) = &begun.endurance else {
            return;
        };
        self.jobs.clone_from(&begun.jobs);
        self.so_far = Endurance {
            budget_bytes: plan.write_budget_bytes,
            ..earlier.clone()
        };
    }

    /// Whole requests that the budget leaves room for, in bytes.
    fn left_bytes(&self) -> u64 {
        let used = self.so_far.written_bytes + self.so_far.broken_off_bytes;
        let left = self
            .so_far
            .budget_bytes
            .map_or(u64::MAX, |b| b.saturating_sub(used));
        left - left % self.asked.load.block_bytes
    }

    /// Takes up what a round has yielded.
    fn add(&mut self, done: &RefusedOutcome, health: Option<Health>) {
        let written = written_bytes(&done.job);
        if written == 0 {
            return;
        }
        let writes = || done.job.fio.jobs.iter().map(|job| &job.write);
        self.so_far.written_bytes += written;
        self.so_far.rounds.push(EnduranceRound {
            written_bytes: written,
            bw_bytes_per_s: writes().map(|write| write.bw_bytes as f64).sum(),
            latency_max_ns: writes().map(|write| write.clat_ns.max).max().unwrap_or(0),
            write_amplification: amplification(self.last_health, health),
            health,
        });
        self.last_health = health;
    }

    /// What is to be said beside the result.
    fn warnings(&self) -> Vec<String> {
        let wear = &self.so_far;
        let mut warnings = Vec::new();
        if wear.end == EnduranceEnd::Budget {
            warnings.push(format!(
                "not worn out within the budget: {} written of {} allowed, and the target took every write; how much it bears is not known",
                tb(wear.written_bytes),
                tb(wear.budget_bytes.unwrap_or_default())
            ));
        }
        if wear.broken_off_bytes > 0 {
            warnings.push(format!(
                "broken off and gone on with: up to {} more were written than the rounds tell, and are counted against the budget",
                tb(wear.broken_off_bytes)
            ));
        }
        warnings.extend(
            wear.no_health
                .iter()
                .map(|why| format!("nothing is known of the target's health along the way: {why}")),
        );
        warnings
    }
}

impl Runner<'_> {
    /// Writes round after round; then sees what can still be done with the target.
    pub(crate) fn endurance(
        &self,
        target: &mut dyn Target,
        dest: Dest,
        asked: &edition::Endurance,
    ) -> Result<(), Arc<TargetError>> {
        let id = self.test_id(dest).to_owned();
        let mut wear = Wear::new(self.plan, asked, target);
        if wear.so_far.round_bytes == 0 {
            return Err(Arc::new(TargetError::Input(format!(
                "a request of {} bytes does not fit the target's {} bytes",
                asked.load.block_bytes, self.plan.capacity_bytes
            ))));
        }
        wear.go_on(self.plan, &id);
        // A target that is one is worn by what was written, whatever becomes of this run.
        let lasts = target.write_limit() == WriteLimit::AsStated;
        wear.so_far.end = loop {
            let bytes = wear.left_bytes().min(wear.so_far.round_bytes);
            if bytes == 0 {
                break EnduranceEnd::Budget;
            }
            if lasts {
                let mut broken_off = wear.so_far.clone();
                broken_off.broken_off_bytes += bytes;
                self.recorder.under_way(dest, broken_off, &wear.jobs);
            }
            let errno = self.wear_round(target, (dest, &id), &mut wear, bytes)?;
            if let Some(errno) = errno {
                wear.so_far.refusal = Some(std::io::Error::from_raw_os_error(errno).to_string());
                break EnduranceEnd::Refused;
            }
        };
        let mut warnings = wear.warnings();
        // What was found in months is not lost because the drive has gone away at last.
        match self.afterwards(target, (dest, &id), &mut wear) {
            Ok(afterwards) => wear.so_far.afterwards = Some(afterwards),
            Err(error) => warnings.push(format!(
                "what can be done with the target afterwards is not known: {error}"
            )),
        }
        // What was set aside for rounds that did not come.
        let planned = self.plan.cost(&Action::Write(planned_bytes(self.plan)));
        let shot = Shot {
            name: format!("{} written", tb(wear.so_far.written_bytes)),
            measured: Measured::Endurance(Box::new(wear.so_far)),
            jobs: wear.jobs,
            warnings,
        };
        self.recorder
            .record(&[dest], shot, (planned - wear.cost).max(0.0));
        Ok(())
    }

    /// One round; the errno by which the target refused a write.
    fn wear_round(
        &self,
        target: &mut dyn Target,
        (dest, id): (Dest, &str),
        wear: &mut Wear<'_>,
        bytes: u64,
    ) -> Result<Option<i32>, TargetError> {
        let number = wear.so_far.rounds.len() + 1;
        let load = &wear.asked.load;
        let name = format!(
            "round {number}: {}, {} written so far",
            load.describe(),
            tb(wear.so_far.written_bytes)
        );
        self.recorder.begin(dest, &name, None);
        let seed = job::seed_of(self.plan.seed, &format!("{id}/round-{number}"));
        let text = job::wear(load, wear.range_bytes, bytes, seed);
        let done = target.run_until_refused(&request(&text, seed))?;
        wear.add(&done, target.health().ok());
        if done.errno.is_none() && written_bytes(&done.job) == 0 {
            return Err(TargetError::Failed(format!(
                "round {number} has written nothing, and nothing was refused"
            )));
        }
        if number == 1 {
            wear.jobs.push(JobText {
                name: format!("round 1: {}", load.describe()),
                text: done.job.job_text.clone(),
            });
        }
        let cost = self.plan.cost(&Action::Write(written_bytes(&done.job)));
        wear.cost += cost;
        self.recorder.spent(cost);
        Ok(done.errno)
    }

    /// One more write, where the last was refused and the budget has room for it; then all of
    /// the target is read.
    fn afterwards(
        &self,
        target: &mut dyn Target,
        (dest, id): (Dest, &str),
        wear: &mut Wear<'_>,
    ) -> Result<Afterwards, TargetError> {
        let block_bytes = wear.asked.load.block_bytes;
        let again = wear.so_far.end == EnduranceEnd::Refused && wear.left_bytes() > 0;
        let mut write_refused = None;
        if again {
            let seed = job::seed_of(self.plan.seed, &format!("{id}/again"));
            let text = job::wear(&wear.asked.load, wear.range_bytes, block_bytes, seed);
            let done = target.run_until_refused(&request(&text, seed))?;
            write_refused = Some(done.errno.is_some());
        }
        let asked_bytes = self.plan.capacity_bytes / READ_BYTES * READ_BYTES;
        self.recorder.begin(dest, "reading all of it", None);
        let seed = job::seed_of(self.plan.seed, &format!("{id}/read-back"));
        let text = job::read_back(READ_BYTES, asked_bytes, seed);
        let done = target.run_until_refused(&request(&text, seed))?;
        let reads = || done.job.fio.jobs.iter().map(|job| &job.read);
        let counted = done.job.fio.jobs.iter().map(|job| {
            let total = job.other.get("total_err").and_then(|n| n.as_u64());
            total.unwrap_or(u64::from(job.error != 0))
        });
        wear.jobs.push(JobText {
            name: "reading all of it".to_owned(),
            text: done.job.job_text.clone(),
        });
        Ok(Afterwards {
            write_refused,
            read_bytes: reads().map(|read| read.io_bytes).sum(),
            asked_bytes,
            failed_reads: counted.sum(),
            bw_bytes_per_s: reads().map(|read| read.bw_bytes as f64).sum(),
        })
    }
}

fn request(text: &str, seed: u64) -> JobRequest<'_> {
    JobRequest {
        text,
        seed,
        sample_ms: 0,
    }
}

/// Bytes placed in flash for each that the host wrote between two instants, where the target
/// tells of both.
fn amplification(before: Option<Health>, after: Option<Health>) -> Option<f64> {
    let (before, after) = (before?, after?);
    let since = |of: fn(&Health) -> Option<u64>| of(&after)?.checked_sub(of(&before)?);
    let host = since(|h| h.host_written_bytes).filter(|bytes| *bytes > 0)?;
    Some(since(|h| h.nand_written_bytes)? as f64 / host as f64)
}

/// Bytes in TB, or in GB or MB where they are few.
fn tb(bytes: u64) -> String {
    stend_analysis::words::bytes(bytes)
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
        // Nothing written, a count that is not told, one that went back, no health at all.
        assert_eq!(amplification(before, health(Some(100), Some(1500))), None);
        assert_eq!(amplification(before, health(Some(300), None)), None);
        assert_eq!(amplification(before, health(Some(300), Some(900))), None);
        assert_eq!(amplification(None, before), None);
    }
}
