//! Curves of known truth, and parts of reviews with known figures.
#![allow(dead_code, reason = "each test program uses its own part")]

use proptest::test_runner::{Config, RngSeed};
use stend_base::Rng;
use stend_record::load::Load;
use stend_record::review::{
    LatencySummary, Pattern, Point, PointOp, Results, Review, SCHEMA, Sample, Series, SeriesPoint,
    TargetInfo, TestResult,
};

pub const GB: f64 = 1e9;

/// Always the same cases: a property under random noise holds with a probability, and a test must
/// not fail by chance. `PROPTEST_RNG_SEED` and `PROPTEST_CASES` try others.
pub fn cases(cases: u32) -> Config {
    let default = Config::default();
    let from_outside = |name| std::env::var_os(name).is_some();
    Config {
        cases: if from_outside("PROPTEST_CASES") {
            default.cases
        } else {
            cases
        },
        rng_seed: if from_outside("PROPTEST_RNG_SEED") {
            default.rng_seed
        } else {
            RngSeed::Fixed(2014)
        },
        failure_persistence: None,
        ..default
    }
}

/// Returns an approximately normal deviate: the sum of twelve uniform ones.
pub fn normal(rng: &mut Rng) -> f64 {
    (0..12).map(|_| rng.unit_f64()).sum::<f64>() - 6.0
}

/// Samples 4 KiB writes of a drive whose speed (IOPS) is `rate(bytes written, second)`;
/// the speed of each second is multiplied by `noise(second, bytes)`.
pub fn sampled(
    seconds: usize,
    rate: impl Fn(f64, f64) -> f64,
    mut noise: impl FnMut(usize, f64) -> f64,
) -> Series {
    const PARTS: usize = 20;
    let mut written = 0.0;
    let mut samples = Vec::new();
    for second in 0..seconds {
        let factor = noise(second, written).max(0.0);
        let before = written;
        for part in 0..PARTS {
            let t = second as f64 + part as f64 / PARTS as f64;
            written += rate(written, t) * factor * 4096.0 / PARTS as f64;
        }
        samples.push(Sample {
            t_s: (second + 1) as f64,
            written_bytes: written as u64,
            iops: (written - before) / 4096.0,
        });
    }
    Series::of(
        "fresh",
        SeriesPoint::from(&Load::write(Pattern::Random, 4096, 32)),
        1.0,
        samples,
    )
}

/// White noise of this standard deviation, as a share.
pub fn white(seed: u64, sigma: f64) -> impl FnMut(usize, f64) -> f64 {
    let mut rng = Rng::stream(seed, "noise");
    move |_, _| 1.0 + sigma * normal(&mut rng)
}

/// A cached TLC drive: 41,000 IOPS for 0.6 GB, 30,000 to 8 GB, 21,000 to 240 GB, then an
/// exponential decay over the written bytes towards 4,500.
pub fn cached_tlc(written: f64, _t: f64) -> f64 {
    match written / GB {
        w if w < 0.6 => 41_000.0,
        w if w < 8.0 => 30_000.0,
        w if w < 240.0 => 21_000.0,
        w => 4_500.0 + 16_500.0 * (-(w - 240.0) / 22.0).exp(),
    }
}

/// A simulated drive of 240 GB.
pub fn target(name: &str) -> TargetInfo {
    TargetInfo {
        name: name.into(),
        title: name.into(),
        capacity_bytes: 240_000_000_000,
        ..TargetInfo::default()
    }
}

/// A point under a random load of one thread, with the same latencies at any speed.
pub fn point(op: PointOp, block_bytes: u64, queue_depth: u32, share: u32, iops: f64) -> Point {
    Point {
        load: Load {
            op,
            read_percent: share,
            ..Load::read(Pattern::Random, block_bytes, queue_depth)
        },
        duration_s: 180.0,
        iops,
        bw_bytes_per_s: iops * block_bytes as f64,
        latency_ns: LatencySummary {
            mean: 90_000.0,
            p99: 150_000,
            p99_9: 2_000_000,
            max: 2_000_000,
            ..LatencySummary::default()
        },
        ..Point::default()
    }
}

/// A test of points.
pub fn points(id: &str, points: Vec<Point>) -> TestResult {
    TestResult {
        results: (!points.is_empty()).then_some(Results::Points(points)),
        ..curves(id, Vec::new())
    }
}

/// A test of curves.
pub fn curves(id: &str, series: Vec<Series>) -> TestResult {
    TestResult {
        id: id.into(),
        title: format!("Title of {id}").into(),
        results: (!series.is_empty()).then_some(Results::Curve(series)),
        ..TestResult::default()
    }
}

/// A review of a drive, with the edition's durations.
pub fn review(name: &str, tests: Vec<TestResult>) -> Review {
    Review {
        schema: SCHEMA.into(),
        target: target(name),
        edition: "2014".into(),
        seed: 1,
        duration_scale: 1.0,
        complete: true,
        tests,
        ..Review::default()
    }
}
