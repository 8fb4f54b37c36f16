//! Recovery by a rest, on curves of known truth.

use crate::common;

use common::{GB, normal, sampled, white};
use proptest::prelude::*;
use stend_analysis::{recovered_bytes, recovery};
use stend_base::Rng;

#[test]
fn a_prepared_volume_is_measured() {
    for seed in 0..10 {
        let rate = |w, _| if w < 2.3 * GB { 41_000.0 } else { 4_500.0 };
        let series = sampled(7200, rate, white(seed, 0.03));
        let found = recovery(&series, 4_500.0).unwrap();
        assert!((found.bytes as f64 / GB - 2.3).abs() < 0.05, "{found:?}");
        assert!((found.iops_initial / 41_000.0 - 1.0).abs() < 0.05);
        let threshold = (found.iops_initial * 4_500.0).sqrt();
        assert_eq!(found.iops_threshold, threshold);
    }
}

#[test]
fn nothing_back_is_nothing() {
    for seed in 0..10 {
        let series = sampled(600, |_, _| 4_500.0, white(seed, 0.1));
        assert_eq!(recovered_bytes(&series, 4_500.0), 0);
    }
}

#[test]
fn all_back_is_all() {
    let series = sampled(600, |_, _| 40_000.0, white(1, 0.02));
    let all = series.samples[599].written_bytes;
    assert_eq!(recovered_bytes(&series, 4_500.0), all);
    assert_eq!(recovery(&sampled(0, |_, _| 1.0, white(0, 0.0)), 1.0), None);
}

#[test]
fn a_gradual_fall_ends_at_the_threshold() {
    // 40,000 IOPS falling by half every 60 s towards 2,500: the threshold is 10,000, a
    // quarter, reached after 120 s.
    let rate = |_, t: f64| (40_000.0 * 0.5f64.powf(t / 60.0)).max(2_500.0);
    let found = recovery(&sampled(900, rate, white(2, 0.02)), 2_500.0).unwrap();
    assert!((found.until_s - 120.0).abs() < 4.0, "{found:?}");
}

#[test]
fn one_lost_second_does_not_end_it() {
    let rate = |w, _| if w < 5.0 * GB { 30_000.0 } else { 4_000.0 };
    let noise = |s, _| if s == 10 { 0.05 } else { 1.0 };
    let found = recovery(&sampled(600, rate, noise), 4_000.0).unwrap();
    assert!((found.bytes as f64 / GB - 5.0).abs() < 0.05, "{found:?}");
}

#[test]
fn volumes_of_a_few_samples() {
    let rate = |w, _| if w < 0.5 * GB { 41_000.0 } else { 4_500.0 };
    let found = recovery(&sampled(600, rate, white(3, 0.01)), 4_500.0).unwrap();
    // The first of five samples that fast writing does not quite fill: 2.98 s.
    assert!((found.bytes as f64 / GB - 0.5).abs() < 0.05, "{found:?}");
}

proptest! {
    #![proptest_config(common::cases(100))]

    /// The volume is found for any size, levels and noise.
    #[test]
    fn volume_is_found(
        seed in any::<u64>(),
        gigabytes in 1.0..20.0f64,
        high in 25_000.0..60_000.0f64,
        low in 2_000.0..8_000.0f64,
        sigma in 0.0..0.1f64,
    ) {
        let mut rng = Rng::stream(seed, "noise");
        let rate = |w: f64, _: f64| if w < gigabytes * GB { high } else { low };
        let noise = |_, _| 1.0 + sigma * normal(&mut rng);
        let series = sampled(1200, rate, noise);
        let bytes = recovered_bytes(&series, low) as f64 / GB;
        let tolerance = 0.03 + high * 4096.0 * 2.0 * sigma / GB;
        prop_assert!((bytes - gigabytes).abs() < tolerance, "{} of {}", bytes, gigabytes);
    }
}

#[test]
fn a_burst_of_one_or_two_samples_is_counted() {
    for fast_s in [1.0, 2.0] {
        let rate = |_, t: f64| if t < fast_s { 28_000.0 } else { 900.0 };
        let found = recovery(&sampled(600, rate, white(4, 0.01)), 900.0).unwrap();
        let expected = 28_000.0 * 4096.0 * fast_s;
        assert!(
            (found.bytes as f64 / expected - 1.0).abs() < 0.1,
            "{found:?}"
        );
        assert!((found.iops_initial / 28_000.0 - 1.0).abs() < 0.05 && found.fell);
    }
    // Writes that the buffer absorbs at once are not a burst.
    let rate = |_, t: f64| if t < 1.0 { 2_200.0 } else { 900.0 };
    let series = sampled(600, rate, white(5, 0.01));
    assert_eq!(recovered_bytes(&series, 900.0), 0);
}
