//! Steady state: closed forms, and properties of any rounds.

use proptest::prelude::*;
use stend_analysis::steady::{ROUNDS_MAX, WINDOW, Window, steady};

#[test]
fn a_line_drifts_by_what_it_gains() {
    // 100 to 108 in equal steps: mean 104, spread and drift 8 of 104.
    let window = Window::last(&[100.0, 102.0, 104.0, 106.0, 108.0]).unwrap();
    assert_eq!(window.mean, 104.0);
    assert!((window.spread_share - 8.0 / 104.0).abs() < 1e-12);
    assert!((window.drift_share - 8.0 / 104.0).abs() < 1e-12);
    assert!(window.is_steady());
    let falling = Window::last(&[108.0, 106.0, 104.0, 102.0, 100.0]).unwrap();
    assert!((falling.drift_share + 8.0 / 104.0).abs() < 1e-12);
}

#[test]
fn both_limits_are_reached_and_not_passed() {
    // The slope of 5 figures y is (2 (y4 - y0) + y3 - y1) / 10. An outlier in the middle
    // spreads and does not drift.
    let spread = |by: f64| Window::last(&[100.0, 100.0, 100.0 + by, 100.0, 100.0]).unwrap();
    // by / (100 + by / 5) = 0.2 at by = 20 / 0.96.
    assert!(spread(20.8).is_steady());
    assert!(!spread(20.9).is_steady());
    assert_eq!(spread(20.9).drift_share, 0.0);
    // A line of drift d spreads by d alone: drift is the limit that it reaches first.
    let drift = |d: f64| {
        let rounds: Vec<f64> = (0..5)
            .map(|i| 100.0 + d * (f64::from(i) - 2.0) / 4.0)
            .collect();
        Window::last(&rounds).unwrap()
    };
    for sign in [1.0, -1.0] {
        assert!(drift(sign * 9.99).is_steady());
        assert!(!drift(sign * 10.01).is_steady());
        assert!(drift(sign * 10.01).spread_share < 0.11);
    }
}

#[test]
fn the_first_steady_window_is_found() {
    let mut rounds = vec![400.0, 300.0, 200.0, 150.0, 120.0];
    assert_eq!(steady(&rounds), None);
    rounds.extend([110.0, 100.0, 99.0, 101.0, 100.0, 100.0]);
    let found = steady(&rounds).unwrap();
    // 120, 110, 100, 99, 101 still falls by a fifth; the next by a tenth of 102.
    assert_eq!(found.first, 5);
    assert_eq!(found.mean, 102.0);
}

#[test]
fn what_begins_after_the_last_round_is_not_found() {
    let mut rounds: Vec<f64> = (0..25)
        .map(|i| if i % 2 == 0 { 100.0 } else { 200.0 })
        .collect();
    assert_eq!(rounds.len(), ROUNDS_MAX);
    assert_eq!(steady(&rounds), None);
    rounds.extend([100.0; 10]);
    assert_eq!(steady(&rounds), None, "25 rounds at most");
    for round in &mut rounds[20..25] {
        *round = 100.0;
    }
    assert_eq!(
        steady(&rounds).map(|w| w.first),
        Some(20),
        "the last window counts"
    );
}

#[test]
fn too_few_rounds_and_no_speed_are_nothing() {
    assert_eq!(Window::last(&[1.0; 4]), None);
    assert_eq!(Window::last(&[0.0; 5]), None);
    assert_eq!(Window::last(&[1.0, 1.0, f64::NAN, 1.0, 1.0]), None);
    assert_eq!(steady(&[]), None);
}

/// Computes the slope by the normal equations, which the code does not use.
fn slope(figures: &[f64]) -> f64 {
    let n = figures.len() as f64;
    let (mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0);
    for (i, figure) in figures.iter().enumerate() {
        let at = i as f64 + 1.0;
        x += at;
        y += figure;
        xx += at * at;
        xy += at * figure;
    }
    (n * xy - x * y) / (n * xx - x * x)
}

proptest! {
    #[test]
    fn the_line_is_that_of_least_squares(
        rounds in prop::collection::vec(1.0..1e6_f64, WINDOW..40),
    ) {
        let window = Window::last(&rounds).unwrap();
        prop_assert_eq!(window.first, rounds.len() - WINDOW);
        let figures = &rounds[window.first..];
        let drift = slope(figures) * 4.0 / window.mean;
        prop_assert!((window.drift_share - drift).abs() < 1e-6 * (1.0 + drift.abs()));
        prop_assert!(window.spread_share >= 0.0);
    }

    #[test]
    fn the_unit_does_not_matter(
        rounds in prop::collection::vec(50.0..150.0_f64, 0..40),
        power in -20..20_i32,
    ) {
        // A power of two preserves every digit.
        let scaled: Vec<f64> = rounds.iter().map(|r| r * 2.0_f64.powi(power)).collect();
        prop_assert_eq!(steady(&rounds).map(|w| w.first), steady(&scaled).map(|w| w.first));
    }

    #[test]
    fn no_earlier_window_is_steady(rounds in prop::collection::vec(80.0..125.0_f64, 0..40)) {
        let found = steady(&rounds);
        let first = found.map(|w| w.first);
        let end = rounds.len().min(ROUNDS_MAX);
        let by_hand = (WINDOW..=end)
            .find(|to| Window::last(&rounds[..*to]).unwrap().is_steady())
            .map(|to| to - WINDOW);
        prop_assert_eq!(first, by_hand);
    }
}
