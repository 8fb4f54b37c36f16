//! A benchmark as its users know it: its file is written, then each row and direction is measured
//! several times, and the best pass counts. Profiles are in `editions/benchmarks/`.

use std::path::Path;

use serde::Deserialize;
use stend_config::{FileError, SourceText};
use stend_language::{Text, recorded};
use stend_load::target::Target;
use stend_record::benchmark::{BenchmarkCell, BenchmarkPass};
use stend_record::load::{Load, range_bytes};
use stend_record::review::{JobText, Pattern, PointOp, Results};
use toml::Spanned;

use crate::context::Context;
use crate::job;
use crate::kind::{Kind, Planner, Work};
use crate::parse::{Scope, Source};
use crate::recorder::{Done, Measurement, Place};
use crate::scaled;
use crate::setting::{Action, Setting};
use crate::state::Step;

/// Name and version of a profile's file format.
pub const SCHEMA: &str = "stend.benchmark/1";

/// Profiles that are part of the program: name and text.
const SHIPPED: &[(&str, &str)] = stend_config::shipped!(
    "editions/benchmarks": "crystaldiskmark-3", "crystaldiskmark-5", "crystaldiskmark-8",
    "crystaldiskmark-8-nvme", "crystaldiskmark-9",
);

/// A test of a benchmark.
#[derive(Clone, Debug, PartialEq)]
pub struct Benchmark {
    /// Index in [`crate::Edition::states`] of the state that it starts from.
    pub state: usize,
    /// The profile to measure.
    pub profile: Profile,
    /// True if the mix is measured as well.
    pub mix: bool,
}

/// A benchmark's procedure.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Id of the profile.
    pub id: String,
    /// Title for people.
    pub title: String,
    /// Size of its file, which is at the start of the target, bytes.
    pub region_bytes: u64,
    /// Counted passes of each row and direction.
    pub passes: u32,
    /// Passes before them that are discarded.
    pub discarded_passes: u32,
    /// Order of rows and directions.
    pub order: Order,
    /// Duration of a pass, s.
    pub pass_s: f64,
    /// Rest between one row or direction and the next, s.
    pub pause_s: f64,
    /// Share of reads in its mix, percent; `None` for a benchmark without one.
    pub mix_read_percent: Option<u32>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// Order of rows and directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// The reads of all rows, then the writes of all rows, then the mixes.
    ReadsFirst,
    /// The reads, the writes and the mix of one row after the other.
    RowByRow,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Name as users know it, `Seq Q32T1`.
    pub name: String,
    /// Load of its writes, without their place.
    pub load: Load,
}

/// A row in one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cell<'e> {
    row: &'e str,
    load: Load,
}

impl Benchmark {
    /// Returns the cells to measure on a target that takes all their requests, in their order.
    fn all_cells(&self) -> Vec<Cell<'_>> {
        let profile = &self.profile;
        let mut ops = vec![(PointOp::Read, 100), (PointOp::Write, 0)];
        if let Some(share) = profile.mix_read_percent.filter(|_| self.mix) {
            ops.push((PointOp::Mixed, share));
        }
        let rows = profile.rows.iter();
        let pairs: Vec<_> = match profile.order {
            Order::RowByRow => rows
                .flat_map(|row| ops.iter().map(move |op| (row, *op)))
                .collect(),
            Order::ReadsFirst => ops
                .iter()
                .flat_map(|op| rows.clone().map(move |row| (row, *op)))
                .collect(),
        };
        let cells = pairs.into_iter().map(|(row, (op, read_percent))| Cell {
            row: &row.name,
            load: Load {
                op,
                read_percent,
                region_bytes: Some(profile.region_bytes),
                ..row.load
            },
        });
        cells.collect()
    }
}

impl Benchmark {
    /// Returns the cells to measure, in their order.
    fn cells(&self, setting: &Setting) -> Vec<Cell<'_>> {
        let mut cells = self.all_cells();
        cells.retain(|cell| setting.takes(cell.load.block_bytes));
        cells
    }
}

/// Most passes of a row and direction.
const PASSES_MAX: u32 = 100;

/// The table `[test.benchmark]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    state: Spanned<String>,
    profile: Spanned<String>,
    mix: Option<Spanned<bool>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileEntry {
    schema: Spanned<String>,
    id: Spanned<String>,
    title: String,
    region_bytes: Spanned<u64>,
    passes: Spanned<u32>,
    discarded_passes: Spanned<u32>,
    order: Order,
    pass_s: Spanned<f64>,
    pause_s: Spanned<f64>,
    mix_read_percent: Option<Spanned<u32>>,
    row: Spanned<Vec<RowEntry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RowEntry {
    name: Spanned<String>,
    pattern: Pattern,
    block_bytes: Spanned<u64>,
    queue_depth: Spanned<u32>,
    threads: Spanned<u32>,
}

/// Checks a test with a benchmark.
pub(crate) fn parse(entry: Entry, at: &Scope<'_>) -> Result<Benchmark, FileError> {
    let profile = profile(&entry.profile, at)?;
    let mix = entry.mix.as_ref().is_some_and(|mix| *mix.get_ref());
    if mix && profile.mix_read_percent.is_none() {
        return at.fail(
            entry.mix.as_ref().unwrap_or(&Spanned::new(0..0, mix)),
            format!(
                "the profile `{}` has no `mix_read_percent`: it has no mix",
                profile.id
            ),
        );
    }
    Ok(Benchmark {
        state: at.start(&entry.state)?,
        profile,
        mix,
    })
}

/// Loads a profile by its name, or from a file beside the edition's own.
fn profile(place: &Spanned<String>, at: &Scope<'_>) -> Result<Profile, FileError> {
    let name = place.get_ref().as_str();
    if let Some((id, text)) = SHIPPED.iter().find(|(id, _)| *id == name) {
        return parse_profile(text, &format!("editions/benchmarks/{id}.toml (built in)"));
    }
    if Path::new(name).extension().is_none_or(|e| e != "toml") {
        let names: Vec<&str> = SHIPPED.iter().map(|(id, _)| *id).collect();
        return at.fail(
            place,
            format!(
                "there is no profile `{name}`; there are: {}. A file of your own ends in .toml",
                names.join(", ")
            ),
        );
    }
    let path = at.beside(name);
    match std::fs::read_to_string(&path) {
        Ok(text) => parse_profile(&text, &path.display().to_string()),
        Err(error) => at.fail(
            place,
            format!("{}: the profile cannot be read: {error}", path.display()),
        ),
    }
}

/// Parses a profile; `file` is its name in errors.
fn parse_profile(text: &str, file: &str) -> Result<Profile, FileError> {
    let source = Source(SourceText { text, file });
    let raw: ProfileEntry = source.read()?;
    if raw.schema.get_ref() != SCHEMA {
        return source.fail(&raw.schema, format!("must be \"{SCHEMA}\""));
    }
    source.id(&raw.id)?;
    source.region(Some(&raw.region_bytes))?;
    if let Some(share) = &raw.mix_read_percent {
        source.within(share, 1..=99, "a mix has from 1 to 99 percent reads")?;
    }
    let counted = format!("from 1 to {PASSES_MAX} passes count");
    let discarded = format!("at most {PASSES_MAX} passes are discarded");
    Ok(Profile {
        region_bytes: *raw.region_bytes.get_ref(),
        passes: source.within(&raw.passes, 1..=PASSES_MAX, counted)?,
        discarded_passes: source.within(&raw.discarded_passes, 0..=PASSES_MAX, discarded)?,
        order: raw.order,
        pass_s: source.duration(&raw.pass_s)?,
        pause_s: source.pause(&raw.pause_s)?,
        mix_read_percent: raw.mix_read_percent.map(Spanned::into_inner),
        rows: rows(&raw.row, &source)?,
        id: raw.id.into_inner(),
        title: raw.title,
    })
}

fn rows(entries: &Spanned<Vec<RowEntry>>, at: &Source<'_>) -> Result<Vec<Row>, FileError> {
    let mut rows: Vec<Row> = Vec::new();
    for entry in entries.get_ref() {
        // A row's name identifies its result.
        if rows.iter().any(|row| row.name == *entry.name.get_ref()) {
            return at.fail(&entry.name, "two rows have this name");
        }
        rows.push(Row {
            name: entry.name.get_ref().clone(),
            load: at.threads_load(
                entry.pattern,
                &entry.block_bytes,
                &entry.queue_depth,
                &entry.threads,
            )?,
        });
    }
    if rows.is_empty() {
        return at.fail(entries, "a profile has at least one `[[row]]`");
    }
    Ok(rows)
}

impl Kind for Benchmark {
    fn states_mut(&mut self) -> Vec<&mut usize> {
        vec![&mut self.state]
    }

    fn needs_writes(&self) -> Option<Text> {
        Some(recorded!("needs-file"))
    }

    fn scale(&mut self, by: u32) -> Result<(), String> {
        scaled::bytes(&mut self.profile.region_bytes, by);
        self.profile.pass_s /= f64::from(by);
        self.profile.pause_s /= f64::from(by);
        Ok(())
    }

    fn plan(&self, planner: &mut Planner<'_>) {
        let all = self.all_cells();
        let taken = all
            .iter()
            .filter(|cell| planner.takes(cell.load.block_bytes));
        let cells = taken.count();
        if cells == 0 {
            return;
        }
        let procedure = planner.add(self.state, cells, self.clone());
        procedure.region_bytes = Some(self.profile.region_bytes);
    }
}

/// Writes the file and measures every row and direction.
impl Work for Benchmark {
    fn actions(&self, setting: &Setting, _copied: bool, see: &mut dyn FnMut(Action<'_>)) {
        let profile = &self.profile;
        let region = range_bytes(Some(profile.region_bytes), setting.capacity_bytes);
        see(Action::Write(region));
        let passes = profile.discarded_passes + profile.passes;
        for (number, cell) in self.cells(setting).iter().enumerate() {
            if number > 0 {
                see(Action::Step(&Step::Idle {
                    duration_s: profile.pause_s,
                }));
            }
            see(Action::Load {
                load: &cell.load,
                runtime_s: Some(setting.runtime_s(profile.pass_s) * u64::from(passes)),
            });
        }
    }

    fn run(&self, context: &Context<'_>, target: &mut dyn Target, places: &[Place]) -> Done {
        let profile = &self.profile;
        let (capacity, test) = (
            context.setting.capacity_bytes,
            context.recorder.test_id(places[0]),
        );
        let bytes = range_bytes(Some(profile.region_bytes), capacity);
        let cost = context.setting.cost(&Action::Write(bytes));
        context.recorder.preparing(test, "writing the file", cost);
        // Written like the original program: 1 MiB at a time.
        context.write(target, &format!("{test}/file"), (bytes, cost), |seed| {
            job::benchmark_file(profile.region_bytes, capacity, seed)
        })?;
        for (number, (cell, place)) in self.cells(context.setting).iter().zip(places).enumerate() {
            if number > 0 {
                let pause = Step::Idle {
                    duration_s: profile.pause_s,
                };
                context.step(target, test, &pause)?;
            }
            self.cell(context, target, cell, *place)?;
        }
        Ok(())
    }
}

impl Benchmark {
    /// Measures all passes of one row and direction, without a rest between them.
    fn cell(
        &self,
        context: &Context<'_>,
        target: &mut dyn Target,
        cell: &Cell<'_>,
        place: Place,
    ) -> Done {
        let (setting, profile, load) = (context.setting, &self.profile, &cell.load);
        let test = context.recorder.test_id(place);
        let name = recorded!("named", name = cell.row, what = load.describe());
        let runtime_s = setting.runtime_s(profile.pass_s);
        let all = profile.discarded_passes + profile.passes;
        let total_s = runtime_s * u64::from(all);
        let cost = setting.load_cost(load, Some(total_s));
        context.recorder.begin(place, &name, cost);
        let mut passes = Vec::new();
        let mut jobs = Vec::new();
        for number in 1..=all {
            let what = match number.checked_sub(profile.discarded_passes) {
                None | Some(0) => recorded!("piece-discarded"),
                Some(counted) => recorded!("piece-pass", pass = counted, passes = profile.passes),
            };
            let seed_name = format!("{test}/{}/{}/{number}", cell.row, load.slug());
            let (point, done) = context.point(target, load, &seed_name, runtime_s, None)?;
            if number > profile.discarded_passes {
                passes.push(BenchmarkPass {
                    iops: point.iops,
                    bw_bytes_per_s: point.bw_bytes_per_s,
                    cpu_ns_per_request: point.cpu_ns_per_request,
                    latency_ns: point.latency_ns,
                });
            }
            jobs.push(JobText {
                name: Text::list(", ", [name.clone(), what]),
                text: done.job_text,
            });
        }
        let mut warnings = context.duration_warning(profile.pass_s);
        warnings.extend(context.region_warning(load));
        let region = load.range_bytes(setting.capacity_bytes);
        let found = summed_up(cell, runtime_s, region, passes);
        let speed = (found.best_iops, found.best_bw_bytes_per_s);
        warnings.extend(context.limits.warning(&name, load.threads, speed));
        let measured = Measurement {
            name,
            jobs,
            warnings,
            results: Results::Benchmark(vec![found]),
        };
        context.recorder.record(&[place], measured, cost);
        Ok(())
    }
}

/// Returns the greatest bandwidth and the least mean latency, possibly of different passes.
fn summed_up(
    cell: &Cell<'_>,
    runtime_s: u64,
    region_bytes: u64,
    passes: Vec<BenchmarkPass>,
) -> BenchmarkCell {
    let best = passes
        .iter()
        .max_by(|a, b| a.bw_bytes_per_s.total_cmp(&b.bw_bytes_per_s));
    let latencies = passes.iter().map(|pass| pass.latency_ns.mean);
    BenchmarkCell {
        row: cell.row.to_owned(),
        load: Load {
            region_bytes: Some(region_bytes),
            ..cell.load
        },
        duration_s: runtime_s as f64,
        best_bw_bytes_per_s: best.map_or(0.0, |pass| pass.bw_bytes_per_s),
        repeated_bw_bytes_per_s: Vec::new(),
        repeated_mean_latency_ns: Vec::new(),
        best_iops: best.map_or(0.0, |pass| pass.iops),
        best_mean_latency_ns: latencies.min_by(f64::total_cmp).unwrap_or(0.0),
        passes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stend_record::review::LatencySummary;

    fn pass(bw_bytes_per_s: f64, mean: f64) -> BenchmarkPass {
        BenchmarkPass {
            iops: bw_bytes_per_s / 4096.0,
            bw_bytes_per_s,
            cpu_ns_per_request: None,
            latency_ns: LatencySummary {
                mean,
                ..LatencySummary::default()
            },
        }
    }

    #[test]
    fn the_best_speed_and_the_best_latency_each_for_itself() {
        let cell = Cell {
            row: "4K",
            load: Load::read(Pattern::Random, 4096, 1),
        };
        let passes = vec![pass(2e6, 90.0), pass(4e6, 80.0), pass(3e6, 70.0)];
        let summed = summed_up(&cell, 5, 1 << 20, passes);
        assert_eq!(summed.best_bw_bytes_per_s, 4e6);
        assert_eq!(summed.best_iops, 4e6 / 4096.0);
        assert_eq!(summed.best_mean_latency_ns, 70.0);
        assert_eq!(summed.passes.len(), 3);
    }
}
