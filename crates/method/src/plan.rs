//! What is to be done: the units of work of the chosen tests, where each result goes,
//! and what it costs.

use std::collections::BTreeMap;

use stend_load::trace::{Timing, summary};
use stend_record::review::{PointOp, TargetKind, TestResult};

use crate::edition::traces::TraceEntry;
use crate::edition::{
    Benchmark, ContinuationStep, Curve, Edition, Endurance, Files, Ladder, Load, Response, Rounds,
    Step, Sweep, TestKind, Traces, range_bytes,
};
use crate::files;
use crate::job::scaled_runtime_s;
use crate::run::Wanted;
use crate::{endurance, ladder, no_trim, read_only, response, rounds, traces};

/// The place of one result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dest {
    /// Index in [`Plan::tests`].
    pub(crate) test: usize,
    /// Index among the test's results.
    pub(crate) slot: usize,
}

/// A test to be carried out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedTest {
    /// Index in [`Edition::tests`].
    pub(crate) index: usize,
    /// How many results it consists of.
    pub(crate) slots: usize,
}

/// What is run on one target without interruption.
#[derive(Clone, Debug)]
pub(crate) enum Unit<'e> {
    /// A point of a sweep.
    Point {
        dest: Dest,
        state: usize,
        load: &'e Load,
        duration_s: f64,
    },
    /// Reads while a file is deleted.
    Response {
        dest: Dest,
        response: &'e Response,
        /// Whether the deletion gives TRIM.
        trim: bool,
    },
    /// All rows and directions of a benchmark.
    Benchmark {
        /// Of each row and direction, in the order of measuring.
        dests: Vec<Dest>,
        /// Id of the test: names the random seeds.
        id: &'e str,
        benchmark: &'e Benchmark,
    },
    /// One trace.
    Trace {
        dest: Dest,
        traces: &'e Traces,
        entry: &'e TraceEntry,
        asks: Replay,
    },
    /// An operation on a set of files.
    Files {
        dest: Dest,
        files: &'e Files,
        set: &'e str,
    },
    /// A load until the target is slow, and again after each rest.
    Ladder {
        /// The fresh curve's, then one a rung.
        dests: Vec<Dest>,
        ladder: &'e Ladder,
    },
    /// Loads in rounds.
    Rounds { dest: Dest, rounds: &'e Rounds },
    /// Writing until the target refuses.
    Endurance {
        dest: Dest,
        endurance: &'e Endurance,
    },
    /// A curve and what continues it.
    Chain {
        /// Id of the test that the curve belongs to: names the random seeds.
        id: &'e str,
        curve: &'e Curve,
        phases: Vec<Phase<'e>>,
    },
}

/// A part of a chain.
#[derive(Clone, Debug)]
pub(crate) enum Phase<'e> {
    /// Something done to the target.
    Do(&'e Step),
    /// The curve's load, sampled.
    Measure {
        name: &'e str,
        /// s; `None` for one pass over the load's range.
        duration_s: Option<f64>,
        /// The fresh curve can belong to two tests.
        dests: Vec<Dest>,
    },
}

/// An action that takes time, for adding up.
pub(crate) enum Action<'a> {
    Step(&'a Step),
    /// So many bytes written in sequence.
    Write(u64),
    /// A set of files of so many bytes made, read and written.
    Files(u64),
    Load {
        load: &'a Load,
        /// `None` for one pass over the load's range.
        runtime_s: Option<u64>,
    },
    Replay(Replay),
}

/// What a trace asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replay {
    pub(crate) read_bytes: u64,
    pub(crate) written_bytes: u64,
    /// Time that it takes at its own times, s; 0 where these do not matter.
    pub(crate) duration_s: f64,
}

/// What a target does not do.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lacks {
    /// Nothing may be written to it.
    pub(crate) writes: bool,
    /// It takes no TRIM.
    pub(crate) trim: bool,
}

/// Everything to be done.
#[derive(Clone, Debug)]
pub(crate) struct Plan<'e> {
    pub(crate) edition: &'e Edition,
    /// Root seed.
    pub(crate) seed: u64,
    /// Factor on every duration.
    pub(crate) scale: f64,
    pub(crate) capacity_bytes: u64,
    pub(crate) kind: TargetKind,
    /// Bytes that a test of endurance may write; `None` where only the target ends it.
    pub(crate) write_budget_bytes: Option<u64>,
    /// Nothing may be written: what would be is not in the plan.
    pub(crate) read_only: bool,
    /// The target takes no TRIM: states are made without, and tests of it are not in the plan.
    pub(crate) no_trim: bool,
    /// Tests of endurance that an earlier run has begun on this very target.
    pub(crate) begun: Vec<TestResult>,
    /// Chosen tests that are not finished, in the edition's order.
    pub(crate) tests: Vec<PlannedTest>,
    /// Chosen tests that the target cannot do: index in `tests`, and why.
    pub(crate) skipped: Vec<(usize, String)>,
    /// What is to be said of tests of which a part is left out, by index in `tests`.
    pub(crate) remarks: BTreeMap<usize, String>,
    /// Points that were not asked for, by index in `tests`.
    pub(crate) left_out: BTreeMap<usize, u32>,
    /// Units in the edition's order.
    pub(crate) units: Vec<Unit<'e>>,
}

impl<'e> Plan<'e> {
    /// The plan for the tests of these indices, which ascend.
    pub(crate) fn new(
        edition: &'e Edition,
        chosen: &[usize],
        seed: u64,
        scale: f64,
        target: &stend_record::review::TargetInfo,
        lacks: Lacks,
        wanted: Option<Wanted<'_>>,
    ) -> Plan<'e> {
        let mut plan = Plan {
            edition,
            seed,
            scale,
            capacity_bytes: target.capacity_bytes,
            kind: target.kind,
            write_budget_bytes: None,
            read_only: lacks.writes,
            // Of what is only read no state is made.
            no_trim: lacks.trim && !lacks.writes,
            begun: Vec::new(),
            tests: Vec::new(),
            skipped: Vec::new(),
            remarks: BTreeMap::new(),
            left_out: BTreeMap::new(),
            units: Vec::new(),
        };
        for &index in chosen {
            plan.add(index, chosen, wanted);
        }
        if plan.no_trim {
            for unit in &plan.units {
                let remark = no_trim::remark(edition, unit.state());
                plan.remarks
                    .extend(remark.map(|remark| (unit.test(), remark)));
            }
        }
        plan
    }

    /// Why the target cannot do a test.
    fn missing(&self, kind: &TestKind) -> Option<String> {
        match (self.read_only, self.no_trim) {
            (true, _) => read_only::missing(kind),
            (false, true) => no_trim::missing(kind),
            (false, false) => None,
        }
    }

    fn add(&mut self, index: usize, chosen: &[usize], wanted: Option<Wanted<'_>>) {
        let edition = self.edition;
        let test = self.tests.len();
        if let Some(why) = self.missing(&edition.tests[index].kind) {
            self.skipped.push((test, why));
            self.tests.push(PlannedTest { index, slots: 0 });
            return;
        }
        let mut slots = 0;
        let mut next = || {
            slots += 1;
            Dest {
                test,
                slot: slots - 1,
            }
        };
        match &edition.tests[index].kind {
            TestKind::Sweeps(sweeps) => slots = self.add_points((test, index), sweeps, wanted),
            TestKind::Response(response) => {
                // First the one that leaves the target as it was.
                for trim in [false, true] {
                    self.units.push(Unit::Response {
                        dest: next(),
                        response,
                        trim,
                    });
                }
            }
            TestKind::Benchmark(benchmark) => self.units.push(Unit::Benchmark {
                dests: benchmark.cells().iter().map(|_| next()).collect(),
                id: &edition.tests[index].id,
                benchmark,
            }),
            TestKind::Traces(traces) => {
                for entry in &traces.entries {
                    let asks = self.replay(traces, entry);
                    self.units.push(Unit::Trace {
                        dest: next(),
                        traces,
                        entry,
                        asks,
                    });
                }
            }
            TestKind::Files(files) => match files::missing(self.kind) {
                Some(why) => self.skipped.push((test, why)),
                None => {
                    for set in &files.sets {
                        self.units.push(Unit::Files {
                            dest: next(),
                            files,
                            set,
                        });
                    }
                }
            },
            TestKind::Rounds(rounds) => {
                let dest = next();
                self.units.push(Unit::Rounds { dest, rounds });
            }
            TestKind::Endurance(endurance) => {
                let dest = next();
                self.units.push(Unit::Endurance { dest, endurance });
            }
            TestKind::Ladder(ladder) => {
                let dests = std::iter::repeat_with(next)
                    .take(1 + ladder.rungs().count())
                    .collect();
                self.units.push(Unit::Ladder { dests, ladder });
            }
            TestKind::Curve(curve) => {
                let dest = next();
                self.units.push(chain(edition, index, curve, dest));
            }
            TestKind::Continue(continuation) => {
                let TestKind::Curve(curve) = &edition.tests[continuation.after].kind else {
                    unreachable!("the edition was checked: a continuation follows a curve");
                };
                // The curve's own test stands before this one; without it the chain
                // starts here.
                if !chosen.contains(&continuation.after) {
                    let dest = next();
                    self.units
                        .push(chain(edition, continuation.after, curve, dest));
                } else {
                    let dest = next();
                    self.share_fresh_curve(&edition.tests[continuation.after].id, dest);
                }
                let more = continuation.steps.iter().map(|step| match step {
                    ContinuationStep::Do(step) => Phase::Do(step),
                    ContinuationStep::Measure { name, duration_s } => Phase::Measure {
                        name,
                        duration_s: Some(*duration_s),
                        dests: vec![next()],
                    },
                });
                let more: Vec<Phase<'e>> = more.collect();
                self.chain_phases(&edition.tests[continuation.after].id)
                    .extend(more);
            }
        }
        self.tests.push(PlannedTest { index, slots });
    }

    /// Adds the points of a test, of which each is a result; how many they are.
    fn add_points(
        &mut self,
        (test, index): (usize, usize),
        sweeps: &'e [Sweep],
        wanted: Option<Wanted<'_>>,
    ) -> usize {
        let id = &self.edition.tests[index].id;
        let asked_for = |load: &Load| wanted.is_none_or(|wanted| wanted(id, &load.seen()));
        let (mut slots, mut writing, mut not_asked) = (0, 0, 0);
        for sweep in sweeps {
            for load in &sweep.loads {
                if self.read_only && !read_only::only_reads(load) {
                    writing += 1;
                    continue;
                }
                if !asked_for(load) {
                    not_asked += 1;
                    continue;
                }
                self.units.push(Unit::Point {
                    dest: Dest { test, slot: slots },
                    state: sweep.state,
                    load,
                    duration_s: sweep.duration_s,
                });
                slots += 1;
            }
        }
        if writing > 0 {
            self.remarks.insert(test, read_only::left_out(writing));
        }
        if not_asked > 0 {
            self.left_out.insert(test, not_asked);
            let said = format!(
                "only a part of this test: {slots} of its {} points were asked for; what follows from the whole test does not follow from them",
                slots + not_asked as usize
            );
            self.remarks.insert(test, said);
        }
        slots
    }

    fn chain_phases(&mut self, id: &str) -> &mut Vec<Phase<'e>> {
        self.units
            .iter_mut()
            .find_map(|unit| match unit {
                Unit::Chain {
                    id: chain, phases, ..
                } if *chain == id => Some(phases),
                _ => None,
            })
            .expect("a chain is planned before what continues it")
    }

    fn share_fresh_curve(&mut self, id: &str, dest: Dest) {
        if let Some(Phase::Measure { dests, .. }) = self.chain_phases(id).first_mut() {
            dests.push(dest);
        }
    }

    /// The runtime of a job, whole seconds.
    pub(crate) fn runtime_s(&self, duration_s: f64) -> u64 {
        scaled_runtime_s(duration_s, self.scale)
    }

    /// The length of a rest, s.
    pub(crate) fn rest_s(&self, duration_s: f64) -> f64 {
        duration_s * self.scale
    }

    /// States that are needed on the way to any unit, in the edition's order.
    pub(crate) fn needed_states(&self) -> Vec<usize> {
        let mut needed: Vec<usize> = self
            .units
            .iter()
            .flat_map(|unit| self.edition.lineage(unit.state()))
            .collect();
        needed.sort_unstable();
        needed.dedup();
        needed
    }

    /// What a step costs, in the unit of [`Plan::load_cost`].
    pub(crate) fn step_cost(&self, step: &Step) -> f64 {
        let capacity = self.capacity_bytes as f64;
        if let Step::Fill { region_bytes, .. } = step {
            return self.pass_cost(range_bytes(*region_bytes, self.capacity_bytes));
        }
        if let Step::UntilSteady {
            load,
            round_s,
            rounds_max,
            ..
        } = step
        {
            return self.load_cost(load, Some(self.runtime_s(*round_s))) * f64::from(*rounds_max);
        }
        match (self.kind, step) {
            // Mostly the collection that happens meanwhile.
            (TargetKind::Simulated, Step::Idle { .. }) => capacity / 4096.0 / 20.0,
            (TargetKind::Simulated, Step::Trim) => capacity / 4096.0 / 20.0,
            (_, Step::Idle { duration_s }) => self.rest_s(*duration_s),
            (_, _) => 2.0,
        }
    }

    /// What it costs to write so many bytes in sequence.
    fn pass_cost(&self, bytes: u64) -> f64 {
        match self.kind {
            TargetKind::Simulated => bytes as f64 / 4096.0,
            // A SATA drive writes some 400 MB/s.
            _ => bytes as f64 / 400e6,
        }
    }

    /// What it costs to make, read and write a set of so many bytes.
    pub(crate) fn files_cost(&self, bytes: u64) -> f64 {
        3.0 * self.pass_cost(bytes)
    }

    /// What a load costs: for a simulated drive the 4 KiB pages it will move and the
    /// requests it will make, roughly; for a real one seconds.
    ///
    /// Used for the share of work done and for starting the longest units first: an
    /// error costs a little idleness, never a result.
    pub(crate) fn load_cost(&self, load: &Load, runtime_s: Option<u64>) -> f64 {
        let Some(runtime_s) = runtime_s else {
            return self.pass_cost(load.range_bytes(self.capacity_bytes));
        };
        if self.kind != TargetKind::Simulated {
            return runtime_s as f64;
        }
        let outstanding = f64::from(load.queue_depth) * f64::from(load.threads);
        let block = load.block_bytes as f64;
        let latency_bound = 8_000.0 * outstanding;
        let bus_bound = 500e6 / block;
        // Random writes end in collection, which costs as much again several times.
        let write = match load.op {
            PointOp::Read => 1.0,
            _ => 3.0,
        };
        let pages = (block / 4096.0).max(1.0) * write;
        latency_bound.min(bus_bound).min(80_000.0) * (1.0 + pages) * runtime_s as f64
    }

    /// The cost of an action.
    pub(crate) fn cost(&self, action: &Action<'_>) -> f64 {
        match action {
            Action::Step(step) => self.step_cost(step),
            Action::Write(bytes) => self.pass_cost(*bytes),
            Action::Files(bytes) => self.files_cost(*bytes),
            Action::Load { load, runtime_s } => self.load_cost(load, *runtime_s),
            Action::Replay(asks) => match self.kind {
                // Of written pages the copies as well.
                TargetKind::Simulated => (asks.read_bytes + 3 * asks.written_bytes) as f64 / 4096.0,
                _ => asks
                    .duration_s
                    .max(self.pass_cost(asks.read_bytes + asks.written_bytes)),
            },
        }
    }

    /// What a trace asks for. One that cannot be read asks for nothing: its replay says so.
    fn replay(&self, traces: &Traces, entry: &TraceEntry) -> Replay {
        let holds = summary(entry.open(self.seed).as_ref(), None).unwrap_or_default();
        let timing = traces::options(traces, entry, self.kind).timing;
        Replay {
            read_bytes: holds.bytes[0],
            written_bytes: holds.bytes[1],
            duration_s: match timing {
                Timing::Original => holds.duration.as_secs_f64(),
                Timing::Busy | Timing::Fast => 0.0,
            },
        }
    }

    /// The cost of a unit without its preparation.
    pub(crate) fn unit_cost(&self, unit: &Unit<'_>, copied: bool) -> f64 {
        let mut cost = 0.0;
        self.walk_unit(unit, copied, &mut |action| cost += self.cost(&action));
        cost
    }

    /// Shows every action of a unit on a target that can be copied, or cannot.
    pub(crate) fn walk_unit(&self, unit: &Unit<'_>, copied: bool, see: &mut dyn FnMut(Action<'_>)) {
        match unit {
            Unit::Point {
                load, duration_s, ..
            } => see(Action::Load {
                load,
                runtime_s: Some(self.runtime_s(*duration_s)),
            }),
            Unit::Response { response, .. } => {
                let (region, file) = response::geometry(response, self.capacity_bytes);
                see(Action::Write(file));
                see(Action::Step(&Step::Idle {
                    duration_s: response.rest_s,
                }));
                let load = Load {
                    region_bytes: Some(region),
                    ..response.load
                };
                see(Action::Load {
                    load: &load,
                    runtime_s: Some(
                        self.runtime_s(response.reference_s) + self.runtime_s(response.duration_s),
                    ),
                });
            }
            Unit::Benchmark { benchmark, .. } => {
                let profile = &benchmark.profile;
                let region = range_bytes(Some(profile.region_bytes), self.capacity_bytes);
                see(Action::Write(region));
                let passes = profile.discarded_passes + profile.passes;
                for (number, cell) in benchmark.cells().iter().enumerate() {
                    if number > 0 {
                        see(Action::Step(&Step::Idle {
                            duration_s: profile.pause_s,
                        }));
                    }
                    see(Action::Load {
                        load: &cell.load,
                        runtime_s: Some(self.runtime_s(profile.pass_s) * u64::from(passes)),
                    });
                }
            }
            Unit::Trace { asks, .. } => see(Action::Replay(*asks)),
            Unit::Files { files, .. } => {
                see(Action::Files(files::set_bytes(files, self.capacity_bytes)));
                see(Action::Step(&Step::Idle {
                    duration_s: files.rest_s,
                }));
            }
            Unit::Ladder { ladder, .. } => ladder::walk(self, ladder, copied, see),
            Unit::Rounds { rounds, .. } => rounds::walk(self, rounds, see),
            Unit::Endurance { .. } => see(Action::Write(endurance::planned_bytes(self))),
            Unit::Chain { curve, phases, .. } => {
                for phase in phases {
                    see(match phase {
                        Phase::Do(step) => Action::Step(step),
                        Phase::Measure { duration_s, .. } => Action::Load {
                            load: &curve.load,
                            runtime_s: duration_s.map(|s| self.runtime_s(s)),
                        },
                    });
                }
            }
        }
    }
}

fn chain<'e>(edition: &'e Edition, index: usize, curve: &'e Curve, dest: Dest) -> Unit<'e> {
    Unit::Chain {
        id: &edition.tests[index].id,
        curve,
        phases: vec![Phase::Measure {
            name: &curve.name,
            duration_s: curve.duration_s,
            dests: vec![dest],
        }],
    }
}

impl Unit<'_> {
    /// The state it starts from.
    pub(crate) fn state(&self) -> usize {
        match self {
            Unit::Point { state, .. } => *state,
            Unit::Response { response, .. } => response.state,
            Unit::Benchmark { benchmark, .. } => benchmark.state,
            Unit::Trace { traces, .. } => traces.state,
            Unit::Files { files, .. } => files.state,
            Unit::Ladder { ladder, .. } => ladder.state,
            Unit::Rounds { rounds, .. } => rounds.state,
            Unit::Endurance { endurance, .. } => endurance.state,
            Unit::Chain { curve, .. } => curve.state,
        }
    }

    /// The region of its load, if it has one.
    pub(crate) fn region_bytes(&self) -> Option<u64> {
        match self {
            Unit::Point { load, .. } => load.region_bytes,
            Unit::Response { response, .. } => response.load.region_bytes,
            Unit::Benchmark { benchmark, .. } => Some(benchmark.profile.region_bytes),
            Unit::Trace { .. } => None,
            Unit::Files { .. } => None,
            Unit::Ladder { ladder, .. } => ladder.load.region_bytes,
            Unit::Rounds { .. } | Unit::Endurance { .. } => None,
            Unit::Chain { curve, .. } => curve.load.region_bytes,
        }
    }

    /// Where its results go, in order.
    pub(crate) fn dests(&self) -> Vec<Dest> {
        match self {
            Unit::Point { dest, .. }
            | Unit::Response { dest, .. }
            | Unit::Trace { dest, .. }
            | Unit::Files { dest, .. }
            | Unit::Rounds { dest, .. }
            | Unit::Endurance { dest, .. } => vec![*dest],
            Unit::Benchmark { dests, .. } | Unit::Ladder { dests, .. } => dests.clone(),
            Unit::Chain { phases, .. } => phases
                .iter()
                .flat_map(|phase| match phase {
                    Phase::Do(_) => &[][..],
                    Phase::Measure { dests, .. } => dests,
                })
                .copied()
                .collect(),
        }
    }

    /// The test it belongs to; of a chain, the first of its tests.
    pub(crate) fn test(&self) -> usize {
        match self {
            Unit::Point { dest, .. }
            | Unit::Response { dest, .. }
            | Unit::Trace { dest, .. }
            | Unit::Files { dest, .. }
            | Unit::Rounds { dest, .. }
            | Unit::Endurance { dest, .. } => dest.test,
            Unit::Benchmark { .. } | Unit::Ladder { .. } | Unit::Chain { .. } => {
                self.dests()[0].test
            }
        }
    }

    /// True when the state is made anew even within a test.
    pub(crate) fn starts_anew(&self) -> bool {
        matches!(self, Unit::Response { .. } | Unit::Files { .. })
    }

    /// True when the target is no longer in the unit's state afterwards.
    pub(crate) fn disturbs(&self) -> bool {
        match self {
            Unit::Point { load, .. } => load.writes(),
            Unit::Response { .. }
            | Unit::Benchmark { .. }
            | Unit::Trace { .. }
            | Unit::Files { .. }
            | Unit::Ladder { .. }
            | Unit::Endurance { .. } => true,
            Unit::Rounds { rounds, .. } => rounds.loads.iter().any(Load::writes),
            Unit::Chain { curve, phases, .. } => {
                curve.load.writes() || phases.iter().any(|p| matches!(p, Phase::Do(_)))
            }
        }
    }
}
