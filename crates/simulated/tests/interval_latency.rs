//! Comparison of the latency over time of a simulated drive with every single request.

use stend_load::runner::LogRequest;
use stend_load::{JobFile, RunOptions, RunResult};
use stend_model::Model;
use stend_simulated::SimulatedTarget;

const JOB: &str = "[w]\nrw=randrw\nbs=4k\niodepth=8\nnumjobs=2\nsize=4g\ntime_based=1\n";

fn run(more: &str, sample_ms: u32) -> RunResult {
    let mut target = SimulatedTarget::new(Model::shipped("demo-8gb").expect("it is shipped"));
    let file = JobFile::parse(&format!("{JOB}{more}")).unwrap();
    let options = RunOptions {
        sample_ms,
        ..RunOptions::default()
    };
    target.run_file(&file, &options).unwrap()
}

/// Value at a percentile, counted by hand.
fn at(sorted: &[u64], percent: usize) -> u64 {
    let rank = (sorted.len() * percent).div_ceil(100);
    rank.checked_sub(1).map_or(0, |index| sorted[index])
}

#[test]
fn each_interval_has_the_latencies_of_its_requests() {
    // 100 ms, and a remainder of 20 ms, which joins the interval before.
    let result = run("runtime=420ms\nwrite_lat_log=l\n", 100);
    assert_eq!(result.samples.len(), 4);
    let (mut from_s, mut levels) = (0.0, std::collections::BTreeSet::new());
    for sample in &result.samples {
        let all = result.jobs.iter().flat_map(|job| &job.log_requests);
        let seconds = |request: &LogRequest| request.at.as_secs_f64();
        let inside = all.filter(|request| (from_s..=sample.t_s).contains(&seconds(request)));
        let inside = inside.filter(|request| seconds(request) > from_s);
        let mut latencies: Vec<u64> = inside.map(|request| request.latency.0).collect();
        latencies.sort_unstable();
        let shown = sample.latency.unwrap();
        assert_eq!(shown.max_ns, at(&latencies, 100));
        for (percent, shown) in [(50, shown.p50_ns), (99, shown.p99_ns)] {
            let wanted = at(&latencies, percent);
            // Three digits, rounded up within the interval.
            assert!(
                (wanted..=wanted + wanted / 1000).contains(&shown),
                "{percent}: {shown}"
            );
        }
        levels.insert(shown.max_ns);
        from_s = sample.t_s;
    }
    assert!(levels.len() > 1, "they differ");
}

#[test]
fn intervals_change_nothing_of_the_whole() {
    let (with, without) = (run("runtime=400ms\n", 10), run("runtime=400ms\n", 0));
    for (with, without) in with.jobs.iter().zip(&without.jobs) {
        for (with, without) in with.directions.iter().zip(&without.directions) {
            let figures = |of: &stend_load::runner::DirectionResult| {
                let latency = &of.latency;
                (
                    of.bytes,
                    latency.count(),
                    latency.sum_ns(),
                    latency.bins().collect::<Vec<_>>(),
                )
            };
            assert_eq!(figures(with), figures(without));
        }
    }
}
