//! A benchmark as its users know it: its file is written, then each row and direction is
//! measured several times, and the best pass counts.

use std::sync::Arc;

use stend_record::benchmark::{BenchmarkCell, BenchmarkPass};
use stend_record::review::JobText;
use stend_target::{JobRequest, Target, TargetError};

use crate::edition::benchmark::{Benchmark, Cell};
use crate::edition::{Step, range_bytes};
use crate::job::{self, JobFrame};
use crate::outcome;
use crate::plan::{Action, Dest};
use crate::recorder::{Measured, Shot};
use crate::run::Runner;

impl Runner<'_> {
    /// Writes the file and measures every row and direction.
    pub(crate) fn benchmark(
        &self,
        target: &mut dyn Target,
        id: &str,
        benchmark: &Benchmark,
        dests: &[Dest],
    ) -> Result<(), Arc<TargetError>> {
        self.write_region(target, id, benchmark)?;
        for (number, (cell, dest)) in benchmark.cells().iter().zip(dests).enumerate() {
            if number > 0 {
                let pause = Step::Idle {
                    duration_s: benchmark.profile.pause_s,
                };
                self.step(target, id, &pause)?;
            }
            self.cell(target, id, benchmark, cell, *dest)?;
        }
        Ok(())
    }

    /// The benchmark's file, as the program makes it: 1 MiB at a time.
    fn write_region(
        &self,
        target: &mut dyn Target,
        id: &str,
        benchmark: &Benchmark,
    ) -> Result<(), Arc<TargetError>> {
        let region = benchmark.profile.region_bytes;
        let capacity = self.plan.capacity_bytes;
        let seed = job::seed_of(self.plan.seed, &format!("{id}/file"));
        let text = job::benchmark_file(region, capacity, seed);
        let written = target.run(&JobRequest {
            text: &text,
            seed,
            sample_ms: 0,
        })?;
        outcome::check_errors(&written)?;
        let cost = self
            .plan
            .cost(&Action::Write(range_bytes(Some(region), capacity)));
        self.recorder.spent(cost);
        Ok(())
    }

    /// All passes of one row and direction, one after the other without a rest.
    fn cell(
        &self,
        target: &mut dyn Target,
        id: &str,
        benchmark: &Benchmark,
        cell: &Cell<'_>,
        dest: Dest,
    ) -> Result<(), Arc<TargetError>> {
        let (plan, profile, load) = (self.plan, &benchmark.profile, &cell.load);
        let name = format!("{}: {}", cell.row, load.describe());
        let runtime_s = plan.runtime_s(profile.pass_s);
        let all = profile.discarded_passes + profile.passes;
        let total_s = runtime_s * u64::from(all);
        self.recorder.begin(dest, &name, Some(total_s));
        let mut passes = Vec::new();
        let mut jobs = Vec::new();
        for number in 1..=all {
            let what = match number.checked_sub(profile.discarded_passes) {
                None | Some(0) => "discarded pass".to_owned(),
                Some(counted) => format!("pass {counted} of {}", profile.passes),
            };
            let seed_name = format!("{id}/{}/{}/{number}", cell.row, load.slug());
            let seed = job::seed_of(plan.seed, &seed_name);
            let frame = JobFrame {
                percentiles: &plan.edition.percentiles,
                runtime_s: Some(runtime_s),
                seed,
                capacity_bytes: plan.capacity_bytes,
            };
            let done = target.run(&JobRequest {
                text: &job::measure(load, &frame),
                seed,
                sample_ms: 0,
            })?;
            let point = outcome::point(load, runtime_s, plan.capacity_bytes, &done)?;
            if number > profile.discarded_passes {
                passes.push(BenchmarkPass {
                    iops: point.iops,
                    bw_bytes_per_s: point.bw_bytes_per_s,
                    cpu_ns_per_request: self.cpu_time(&done),
                    latency_ns: point.latency_ns,
                });
            }
            jobs.push(JobText {
                name: format!("{name}, {what}"),
                text: done.job_text,
            });
        }
        let mut warnings = self.duration_warning(profile.pass_s);
        warnings.extend(self.region_warning(load));
        let region = load.range_bytes(plan.capacity_bytes);
        let measured = summed_up(cell, runtime_s, region, passes);
        let speed = (measured.best_iops, measured.best_bw_bytes_per_s);
        warnings.extend(self.limits.warning(&name, load.threads, speed));
        let shot = Shot {
            name,
            measured: Measured::Cell(measured),
            jobs,
            warnings,
        };
        let cost = plan.load_cost(load, Some(total_s));
        self.recorder.record(&[dest], shot, cost);
        Ok(())
    }
}

/// What counts of the passes: the greatest bandwidth, and the least mean latency, each for
/// itself.
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
        op: cell.load.op,
        pattern: cell.load.pattern,
        block_bytes: cell.load.block_bytes,
        queue_depth: cell.load.queue_depth,
        threads: cell.load.threads,
        read_percent: cell.load.read_percent,
        region_bytes,
        duration_s: runtime_s as f64,
        best_bw_bytes_per_s: best.map_or(0.0, |pass| pass.bw_bytes_per_s),
        best_iops: best.map_or(0.0, |pass| pass.iops),
        best_mean_latency_ns: latencies.min_by(f64::total_cmp).unwrap_or(0.0),
        passes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edition::Load;
    use stend_record::review::{LatencySummary, Pattern, PointOp};

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
            load: Load {
                op: PointOp::Read,
                pattern: Pattern::Random,
                block_bytes: 4096,
                queue_depth: 1,
                threads: 1,
                read_percent: 100,
                region_bytes: None,
            },
        };
        let passes = vec![pass(2e6, 90.0), pass(4e6, 80.0), pass(3e6, 70.0)];
        let summed = summed_up(&cell, 5, 1 << 20, passes);
        assert_eq!(summed.best_bw_bytes_per_s, 4e6);
        assert_eq!(summed.best_iops, 4e6 / 4096.0);
        assert_eq!(summed.best_mean_latency_ns, 70.0);
        assert_eq!(summed.passes.len(), 3);
    }
}
