//! Rounds: the same loads again and again, until the figure that is tracked is steady or
//! enough has been written.

use std::sync::Arc;

use stend_analysis::steady::{ROUNDS_MAX, WINDOW, Window};
use stend_record::review::{JobText, Point, RoundFigures, RoundLoad, Rounds, Tracked};
use stend_target::{Target, TargetError};

use crate::edition::{self, Load, Until};
use crate::outcome::{self, written_bytes};
use crate::plan::{Action, Dest, Plan};
use crate::recorder::{Measured, Shot};
use crate::run::Runner;

/// Shows every action of rounds: of as many as there may be.
pub(crate) fn walk(plan: &Plan<'_>, rounds: &edition::Rounds, see: &mut dyn FnMut(Action<'_>)) {
    for _ in 0..rounds.rounds_max {
        for load in &rounds.loads {
            see(Action::Load {
                load,
                runtime_s: Some(plan.runtime_s(rounds.load_s)),
            });
        }
    }
}

/// What rounds have yielded so far.
#[derive(Default)]
struct Yield {
    rounds: Vec<Vec<RoundFigures>>,
    /// The tracked figure of each round.
    tracked: Vec<f64>,
    written_bytes: u64,
    /// The jobs of the first round.
    jobs: Vec<JobText>,
    /// Of each load, its first figure that may be the machine's.
    near_limit: Vec<Option<String>>,
    cost: f64,
}

impl Runner<'_> {
    /// Measures round after round.
    pub(crate) fn rounds(
        &self,
        target: &mut dyn Target,
        dest: Dest,
        rounds: &edition::Rounds,
    ) -> Result<(), Arc<TargetError>> {
        let id = self.test_id(dest).to_owned();
        let enough_bytes = match rounds.until {
            Until::Steady => u64::MAX,
            Until::Written { capacities } => {
                self.plan.capacity_bytes.saturating_mul(capacities.into())
            }
        };
        let mut yielded = Yield {
            near_limit: vec![None; rounds.loads.len()],
            ..Yield::default()
        };
        let mut steady = None;
        for number in 1..=rounds.rounds_max {
            self.round(target, (dest, &id), rounds, number, &mut yielded)?;
            if rounds.until == Until::Steady {
                steady = Window::last(&yielded.tracked).filter(Window::is_steady);
            }
            if steady.is_some() || yielded.written_bytes >= enough_bytes {
                break;
            }
        }
        let mut warnings = self.duration_warning(rounds.load_s);
        warnings.extend(yielded.near_limit.iter().flatten().cloned());
        warnings.extend(not_achieved(
            rounds,
            steady.as_ref(),
            &yielded,
            enough_bytes,
        ));
        // What was set aside for rounds that were not needed.
        let mut planned = 0.0;
        walk(self.plan, rounds, &mut |action| {
            planned += self.plan.cost(&action)
        });
        let cost = planned - yielded.cost;
        let measured = Rounds {
            loads: rounds.loads.iter().map(round_load).collect(),
            tracked: rounds.tracked,
            figure: rounds.figure,
            load_s: self.plan.runtime_s(rounds.load_s) as f64,
            steady_sought: rounds.until == Until::Steady,
            steady_from_round: steady.map(|w| w.first as u32 + 1),
            written_bytes: yielded.written_bytes,
            rounds: yielded.rounds,
        };
        let shot = Shot {
            name: format!("{} rounds", measured.rounds.len()),
            measured: Measured::Rounds(measured),
            jobs: yielded.jobs,
            warnings,
        };
        self.recorder.record(&[dest], shot, cost);
        Ok(())
    }

    fn round(
        &self,
        target: &mut dyn Target,
        (dest, id): (Dest, &str),
        rounds: &edition::Rounds,
        number: u32,
        yielded: &mut Yield,
    ) -> Result<(), Arc<TargetError>> {
        let runtime_s = self.plan.runtime_s(rounds.load_s);
        let mut figures = Vec::with_capacity(rounds.loads.len());
        for (nth, load) in rounds.loads.iter().enumerate() {
            let name = format!("round {number}: {}", load.describe());
            self.recorder.begin(dest, &name, Some(runtime_s));
            let seed_name = format!("{id}/{}/round-{number}", load.slug());
            let done = self.job(target, load, &seed_name, Some(runtime_s), 0)?;
            let point = outcome::point(load, runtime_s, self.plan.capacity_bytes, &done)?;
            yielded.written_bytes += written_bytes(&done);
            figures.push(round_figures(&point));
            let known = &mut yielded.near_limit[nth];
            let speed = (point.iops, point.bw_bytes_per_s);
            *known = known
                .take()
                .or_else(|| self.limits.warning(&name, load.threads, speed));
            if number == 1 {
                yielded.jobs.push(JobText {
                    name,
                    text: done.job_text,
                });
            }
            let cost = self.plan.load_cost(load, Some(runtime_s));
            self.recorder.spent(cost);
            yielded.cost += cost;
        }
        yielded.tracked.push(match rounds.figure {
            Tracked::Iops => figures[rounds.tracked].iops,
            Tracked::LatencyMean => figures[rounds.tracked].latency_mean_ns,
        });
        yielded.rounds.push(figures);
        Ok(())
    }
}

/// Why rounds ended without what they were for.
fn not_achieved(
    rounds: &edition::Rounds,
    steady: Option<&Window>,
    yielded: &Yield,
    enough_bytes: u64,
) -> Option<String> {
    let count = yielded.rounds.len();
    match rounds.until {
        Until::Steady if steady.is_none() => Some(format!(
            "steady state not achieved in {count} rounds (the definition allows {ROUNDS_MAX}): figures are of the last {WINDOW} rounds, and are not those of a steady state"
        )),
        Until::Written { .. } if yielded.written_bytes < enough_bytes => Some(format!(
            "{count} rounds have written {:.2} GB of the {:.2} GB (10⁹ bytes) that were asked for: the longest time was reached first",
            yielded.written_bytes as f64 / 1e9,
            enough_bytes as f64 / 1e9
        )),
        _ => None,
    }
}

pub(crate) fn round_load(load: &Load) -> RoundLoad {
    RoundLoad {
        pattern: load.pattern,
        block_bytes: load.block_bytes,
        read_percent: load.read_percent,
        queue_depth: load.queue_depth,
        threads: load.threads,
    }
}

fn round_figures(point: &Point) -> RoundFigures {
    RoundFigures {
        iops: point.iops,
        bw_bytes_per_s: point.bw_bytes_per_s,
        latency_mean_ns: point.latency_ns.mean,
        latency_max_ns: point.latency_ns.max,
    }
}
