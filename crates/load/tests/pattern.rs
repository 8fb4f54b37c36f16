//! Access patterns compared with their definitions.

use proptest::prelude::*;
use stend_base::Rng;
use stend_load::jobfile::{BlockSizes, Distribution, Generator};
use stend_load::pattern::lfsr::Lfsr;
use stend_load::pattern::permutation::{Permutation, RandomPasses};
use stend_load::pattern::skewed::{Pareto, Zipf};
use stend_load::pattern::{Lengths, RandomBlocks};

fn rng(seed: u64) -> Rng {
    Rng::stream(seed, "test")
}

fn pass(mut next: impl FnMut() -> Option<u64>) -> Vec<u64> {
    std::iter::from_fn(&mut next).collect()
}

fn is_complete(mut pass: Vec<u64>, len: u64) -> bool {
    pass.sort_unstable();
    pass.len() as u64 == len && pass.iter().enumerate().all(|(i, v)| i as u64 == *v)
}

proptest! {
    #[test]
    fn permutation_is_a_bijection(len in 1u64..5000, seed: u64) {
        let order = Permutation::new(len, &mut rng(seed));
        let all: Vec<u64> = (0..len).map(|i| order.apply(i)).collect();
        prop_assert!(is_complete(all, len));
    }

    #[test]
    fn sweep_equals_its_permutation_and_passes_are_complete(len in 1u64..3000, seed: u64) {
        let order = Permutation::new(len, &mut rng(seed));
        let mut sweep = RandomPasses::new(len, rng(seed));
        let first = pass(|| sweep.next_index());
        prop_assert!(first.iter().enumerate().all(|(i, v)| order.apply(i as u64) == *v));
        let second = pass(|| sweep.next_index());
        prop_assert!(is_complete(second.clone(), len));
        prop_assert!(len < 50 || first != second, "a new pass has a new order");
    }

    #[test]
    fn lfsr_passes_are_complete_and_alike(len in 1u64..5000, seed: u64) {
        let mut lfsr = Lfsr::new(len, rng(seed));
        let first = pass(|| lfsr.next_index());
        let second = pass(|| lfsr.next_index());
        prop_assert_eq!(&first, &second);
        prop_assert!(is_complete(first, len));
    }

    #[test]
    fn lengths_fit_and_are_of_the_set(room in 0u64..40, seed: u64) {
        let room = room * 512;
        let sizes = BlockSizes::Range { min: 1024, max: 9000 / 512 * 512 };
        let mut range = Lengths::new(sizes, rng(seed));
        let mut split = Lengths::new(BlockSizes::Split(vec![(2048, 30), (8192, 70)]), rng(seed));
        for _ in 0..50 {
            match range.next_bytes(room) {
                Some(bytes) => {
                    prop_assert!(bytes % 1024 == 0 && bytes <= room.min(8192) && bytes > 0);
                }
                None => prop_assert!(room < 1024),
            }
            match split.next_bytes(room) {
                Some(bytes) => prop_assert!(bytes <= room && (bytes == 2048 || bytes == 8192)),
                None => prop_assert!(room < 2048),
            }
        }
    }
}

/// Chi-squared over ten parts of the space, for the first tenth of a pass: the order must not
/// favour any part early. 27.9 is exceeded once in a thousand at 9 degrees of freedom.
#[test]
fn a_pass_looks_random_from_its_start() {
    for seed in 0..20 {
        let mut sweep = RandomPasses::new(100_000, rng(seed));
        let mut parts = [0f64; 10];
        let mut neighbours = 0;
        let mut before = 0u64;
        for _ in 0..10_000 {
            let block = sweep.next_index().unwrap();
            parts[(block / 10_000) as usize] += 1.0;
            neighbours += u32::from(block.abs_diff(before) < 50);
            before = block;
        }
        let chi2: f64 = parts.iter().map(|n| (n - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi2 < 33.0, "seed {seed}: {parts:?}");
        // 99 of 100,000 blocks are that near: 9.9 expected.
        assert!((1..30).contains(&neighbours), "seed {seed}: {neighbours}");
    }
}

#[test]
fn large_spaces_do_not_repeat() {
    let mut sweep = RandomPasses::new(58_593_750, rng(3));
    let mut blocks: Vec<u64> = (0..1_000_000)
        .map(|_| sweep.next_index().unwrap())
        .collect();
    blocks.sort_unstable();
    blocks.dedup();
    assert_eq!(blocks.len(), 1_000_000);
    assert!(*blocks.last().unwrap() < 58_593_750);
}

/// Compares shares of the first ranks with the law itself, within five standard deviations.
fn zipf_matches(theta: f64, len: u64) {
    let draws = 400_000;
    let zipf = Zipf::new(len, theta);
    let mut rng = rng(5);
    let mut counts = vec![0f64; len as usize];
    for _ in 0..draws {
        counts[zipf.rank(&mut rng) as usize] += 1.0;
    }
    let weight = |rank: u64| ((rank + 1) as f64).powf(-theta);
    let total: f64 = (0..len).map(weight).sum();
    let near = |got: f64, share: f64, what: &str| {
        let expected = share * f64::from(draws);
        let sigma = (expected * (1.0 - share)).sqrt();
        assert!(
            (got - expected).abs() < 5.0 * sigma + 1.0,
            "theta {theta}, {what}: {got}, not {expected}"
        );
    };
    for rank in 0..10.min(len) {
        near(
            counts[rank as usize],
            weight(rank) / total,
            &format!("rank {rank}"),
        );
    }
    let half = len / 2;
    let tail: f64 = (half..len).map(weight).sum::<f64>() / total;
    near(counts[half as usize..].iter().sum(), tail, "second half");
}

#[test]
fn zipf_follows_its_law() {
    zipf_matches(0.5, 1_000);
    zipf_matches(1.0, 10_000);
    zipf_matches(1.1, 100_000);
    zipf_matches(2.5, 50);
}

#[test]
fn pareto_gives_the_few_the_most() {
    let pareto = Pareto::new(1_000_000, 0.2);
    let mut rng = rng(9);
    let draws = 200_000;
    let ranks: Vec<u64> = (0..draws).map(|_| pareto.rank(&mut rng)).collect();
    let below = |limit: u64| ranks.iter().filter(|r| **r < limit).count() as f64 / draws as f64;
    assert!((below(200_000) - 0.8).abs() < 0.006, "{}", below(200_000));
    assert!((below(40_000) - 0.64).abs() < 0.006, "{}", below(40_000));
    assert!(ranks.iter().all(|r| *r < 1_000_000));
}

#[test]
fn golden_draws_pin_the_patterns() {
    let first = |generator, distribution, map| {
        let mut blocks = RandomBlocks::new(1_000_000, map, generator, distribution, rng(1));
        std::array::from_fn::<u64, 4, _>(|_| blocks.next_index().unwrap())
    };
    use Distribution::{Pareto, Uniform, Zipf};
    use Generator::{Lfsr, Random};
    let got = [
        first(Random, Uniform, true),
        first(Lfsr, Uniform, true),
        first(Random, Uniform, false),
        first(Random, Zipf { theta: 1.1 }, true),
        first(Random, Pareto { h: 0.2 }, true),
    ];
    assert_eq!(got, GOLDEN, "a pattern changed: every result would");
}

const GOLDEN: [[u64; 4]; 5] = [
    [535_465, 668_570, 811_988, 726_704],
    [467_430, 692_466, 804_984, 992_315],
    [445_776, 950_310, 496_494, 494_593],
    [632_599, 977_391, 668_570, 381_765],
    [288_989, 64_216, 968_086, 17_756],
];
