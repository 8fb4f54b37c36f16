//! Rounds: the same loads repeatedly, until the tracked figure is steady or enough has been
//! written.

use serde::Deserialize;
use stend_analysis::steady::{ROUNDS_MAX, WINDOW, Window};
use stend_config::FileError;
use stend_language::{Text, recorded};
use stend_load::target::Target;
use stend_record::load::Load;
use stend_record::review::{
    JobText, Pattern, PointOp, Results, RoundFigures, Rounds as Measured, Tracked,
};
use toml::Spanned;

use crate::context::Context;
use crate::cost::Cost;
use crate::kind::{Kind, Planner, Work};
use crate::outcome::written_bytes;
use crate::parse::Scope;
use crate::recorder::{Done, Measurement, Place};
use crate::setting::{Action, Setting};

/// Loads that are measured one after the other, repeatedly, on the same target.
#[derive(Clone, Debug, PartialEq)]
pub struct Rounds {
    /// Index in [`Edition::states`](crate::Edition::states) of the state that it starts from.
    pub state: usize,
    /// The loads of a round, in their order.
    pub loads: Vec<Load>,
    /// Duration of a load in each round, s.
    pub load_s: f64,
    /// Index in [`Rounds::loads`] of the load by which the state is judged.
    pub tracked: usize,
    /// The tracked figure of that load.
    pub figure: Tracked,
    /// End of the rounds, at most [`Rounds::rounds_max`].
    pub until: Until,
    /// Greatest number of rounds.
    pub rounds_max: u32,
}

/// Condition that ends the rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// The first steady window.
    Steady,
    /// Writes of a multiple of the capacity.
    Written {
        /// The multiple.
        capacities: u32,
    },
}

/// The table `[test.rounds]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    state: Spanned<String>,
    pattern: Pattern,
    read_percent: Spanned<Vec<u32>>,
    block_bytes: Spanned<Vec<u64>>,
    queue_depth: Spanned<u32>,
    threads: Spanned<u32>,
    load_s: Spanned<f64>,
    track: Spanned<TrackEntry>,
    capacities: Option<Spanned<u32>>,
    rounds_max: Spanned<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TrackEntry {
    read_percent: u32,
    block_bytes: u64,
    figure: Tracked,
}

/// Ten weeks in rounds of a minute: more than any real run takes.
const ROUNDS_LIMIT: u32 = 100_000;

/// Checks a test in rounds.
pub(crate) fn parse(entry: Entry, at: &Scope<'_>) -> Result<Rounds, FileError> {
    let loads = round_loads(&entry, at)?;
    let track = entry.track.get_ref();
    let tracked = loads
        .iter()
        .position(|l| l.read_percent == track.read_percent && l.block_bytes == track.block_bytes);
    let Some(tracked) = tracked else {
        return at.fail(
            &entry.track,
            "the tracked load is one of the round's: its `read_percent` and `block_bytes` stand in \
             their lists",
        );
    };
    let until = match &entry.capacities {
        None => Until::Steady,
        Some(_) if loads.iter().all(|l| !l.writes()) => {
            return at.fail(
                &entry.read_percent,
                "rounds that end when `capacities` are written have a load that writes",
            );
        }
        Some(capacities) => Until::Written {
            capacities: at.count(capacities, *capacities.get_ref())?,
        },
    };
    let rounds_max = match until {
        Until::Steady => at.steady_rounds(&entry.rounds_max)?,
        Until::Written { .. } => at.rounds_within(&entry.rounds_max, 1, ROUNDS_LIMIT)?,
    };
    Ok(Rounds {
        state: at.start(&entry.state)?,
        loads,
        load_s: at.duration(&entry.load_s)?,
        tracked,
        figure: track.figure,
        until,
        rounds_max,
    })
}

/// Returns the loads of a round: all block sizes of one share of reads, then of the next.
fn round_loads(entry: &Entry, at: &Scope<'_>) -> Result<Vec<Load>, FileError> {
    let (shares, blocks) = (entry.read_percent.get_ref(), entry.block_bytes.get_ref());
    if shares.is_empty() || shares.iter().any(|p| *p > 100) {
        return at.fail(
            &entry.read_percent,
            "shares of reads, from 0 to 100 percent, at least one",
        );
    }
    if blocks.is_empty() {
        return at.fail(&entry.block_bytes, "at least one block size");
    }
    let mut loads: Vec<Load> = Vec::new();
    for &read_percent in shares {
        for &block in blocks {
            let load = Load {
                op: PointOp::of_share(read_percent),
                pattern: entry.pattern,
                block_bytes: at.block(&entry.block_bytes, block)?,
                queue_depth: at.count(&entry.queue_depth, *entry.queue_depth.get_ref())?,
                threads: at.count(&entry.threads, *entry.threads.get_ref())?,
                read_percent,
                region_bytes: None,
            };
            if loads.contains(&load) {
                let problem = format!("the load `{}` stands here twice", load.describe());
                return at.fail(&entry.block_bytes, problem);
            }
            loads.push(load);
        }
    }
    Ok(loads)
}

impl Kind for Rounds {
    fn states_mut(&mut self) -> Vec<&mut usize> {
        vec![&mut self.state]
    }

    fn needs_writes(&self) -> Option<Text> {
        let only_reads = self.loads.iter().all(Load::only_reads);
        (!only_reads).then(|| recorded!("needs-writes"))
    }

    fn needed_blocks(&self) -> Vec<u64> {
        vec![self.loads[self.tracked].block_bytes]
    }

    fn scale(&mut self, by: u32) -> Result<(), String> {
        self.load_s /= f64::from(by);
        Ok(())
    }

    fn plan(&self, planner: &mut Planner<'_>) {
        let tracked = self.loads[self.tracked];
        let mut rounds = self.clone();
        rounds.loads.retain(|load| planner.takes(load.block_bytes));
        let place = rounds.loads.iter().position(|load| *load == tracked);
        rounds.tracked = place.unwrap_or_default();
        planner.add(self.state, 1, rounds);
    }
}

/// Results of the rounds so far.
#[derive(Default)]
struct Totals {
    rounds: Vec<Vec<RoundFigures>>,
    /// The tracked figure of each round.
    tracked: Vec<f64>,
    written_bytes: u64,
    /// The jobs of the first round.
    jobs: Vec<JobText>,
    /// The first warning for each load that the host may have limited it.
    near_limit: Vec<Option<Text>>,
    cost: Cost,
}

/// Measures round after round.
impl Work for Rounds {
    fn actions(&self, setting: &Setting, _copied: bool, see: &mut dyn FnMut(Action<'_>)) {
        // The greatest possible number of rounds.
        for _ in 0..self.rounds_max {
            for load in &self.loads {
                see(Action::Load {
                    load,
                    runtime_s: Some(setting.runtime_s(self.load_s)),
                });
            }
        }
    }

    fn run(&self, context: &Context<'_>, target: &mut dyn Target, places: &[Place]) -> Done {
        let setting = context.setting;
        let enough_bytes = match self.until {
            Until::Steady => u64::MAX,
            Until::Written { capacities } => {
                setting.capacity_bytes.saturating_mul(capacities.into())
            }
        };
        let mut totals = Totals {
            near_limit: vec![None; self.loads.len()],
            ..Totals::default()
        };
        let mut steady = None;
        for number in 1..=self.rounds_max {
            self.round(context, target, places[0], (number, &mut totals))?;
            if self.until == Until::Steady {
                steady = Window::last(&totals.tracked).filter(Window::is_steady);
            }
            if steady.is_some() || totals.written_bytes >= enough_bytes {
                break;
            }
        }
        let mut warnings = context.duration_warning(self.load_s);
        warnings.extend(totals.near_limit.iter().flatten().cloned());
        warnings.extend(not_achieved(self, steady.as_ref(), &totals, enough_bytes));
        // The planned cost of rounds that were not needed.
        let mut planned = Cost::default();
        self.actions(setting, false, &mut |action| {
            planned += setting.cost(&action)
        });
        let cost = planned - totals.cost;
        let found = Measured {
            loads: self.loads.clone(),
            tracked: self.tracked,
            figure: self.figure,
            load_s: setting.runtime_s(self.load_s) as f64,
            steady_sought: self.until == Until::Steady,
            steady_from_round: steady.map(|w| w.first as u32 + 1),
            written_bytes: totals.written_bytes,
            rounds: totals.rounds,
        };
        let name = recorded!("piece-rounds", rounds = found.rounds.len());
        let measured = Measurement {
            name,
            jobs: totals.jobs,
            warnings,
            results: Results::Rounds(found),
        };
        context.recorder.record(places, measured, cost);
        Ok(())
    }
}

impl Rounds {
    fn round(
        &self,
        context: &Context<'_>,
        target: &mut dyn Target,
        place: Place,
        (number, totals): (u32, &mut Totals),
    ) -> Done {
        let setting = context.setting;
        let id = context.recorder.test_id(place);
        let runtime_s = setting.runtime_s(self.load_s);
        let mut figures = Vec::with_capacity(self.loads.len());
        for (nth, load) in self.loads.iter().enumerate() {
            let name = recorded!(
                "named",
                name = recorded!("piece-round", round = number),
                what = load.describe()
            );
            let cost = setting.load_cost(load, Some(runtime_s));
            context.recorder.begin(place, &name, cost);
            let seed_name = format!("{id}/{}/round-{number}", load.slug());
            let (point, done) = context.point(target, load, &seed_name, runtime_s, None)?;
            totals.written_bytes += written_bytes(&done);
            figures.push(RoundFigures {
                iops: point.iops,
                bw_bytes_per_s: point.bw_bytes_per_s,
                latency_mean_ns: point.latency_ns.mean,
                latency_max_ns: point.latency_ns.max,
            });
            let known = &mut totals.near_limit[nth];
            let speed = (point.iops, point.bw_bytes_per_s);
            *known = known
                .take()
                .or_else(|| context.limits.warning(&name, load.threads, speed));
            if number == 1 {
                totals.jobs.push(JobText {
                    name,
                    text: done.job_text,
                });
            }
            context.recorder.spent(cost);
            totals.cost += cost;
        }
        totals.tracked.push(match self.figure {
            Tracked::Iops => figures[self.tracked].iops,
            Tracked::LatencyMean => figures[self.tracked].latency_mean_ns,
        });
        totals.rounds.push(figures);
        Ok(())
    }
}

/// Explains why rounds ended without a steady state, or before enough was written.
fn not_achieved(
    rounds: &Rounds,
    steady: Option<&Window>,
    totals: &Totals,
    enough_bytes: u64,
) -> Option<Text> {
    let count = totals.rounds.len();
    match rounds.until {
        Until::Steady if steady.is_none() => Some(recorded!(
            "warning-not-steady",
            rounds = count,
            allowed = ROUNDS_MAX,
            window = WINDOW
        )),
        Until::Written { .. } if totals.written_bytes < enough_bytes => Some(recorded!(
            "warning-rounds",
            rounds = count,
            written = format!("{:.2} GB", totals.written_bytes as f64 / 1e9),
            wanted = format!("{:.2} GB", enough_bytes as f64 / 1e9)
        )),
        _ => None,
    }
}
