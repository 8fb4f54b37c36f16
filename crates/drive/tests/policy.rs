//! GC policies against their theory: write amplification in the steady state.

use crate::tests::common;

use common::*;
use stend_base::{Device, Op, Rng};
use stend_drive::{Counters, SimDrive};
use stend_model::Spec;
use stend_model::spec::Policy;

const SUPERBLOCKS: u32 = 1_200;
const USER_PERCENT: u64 = 80;
/// Pages of a superblock of [`drive`]: 16 rows of 4 dies of one page, so that no multi-plane page
/// is closed before it is full.
const SUPERBLOCK_PAGES: u32 = 64;

/// A drive of many small superblocks: few pages in each make the policies differ, many superblocks
/// approach the model of infinitely many.
fn drive(policy: Policy) -> Spec {
    let pages = u64::from(SUPERBLOCKS * SUPERBLOCK_PAGES);
    let mut spec = plain(SUPERBLOCKS, 16, pages * USER_PERCENT / 100);
    spec.pages_per_mp_page = 1;
    spec.gc.policy = policy;
    spec
}

/// Write amplification over `measured` times the capacity, after `worn` times the capacity.
fn amplification(
    drive: &mut SimDrive,
    (worn, measured): (u64, u64),
    mut next: impl FnMut() -> u64,
) -> f64 {
    let pages = drive.capacity_bytes() / PAGE;
    burst(drive, Op::Write, 1, 32, worn * pages, &mut next);
    let before = drive.counters();
    burst(drive, Op::Write, 1, 32, measured * pages, &mut next);
    let after = drive.counters();
    let of = |count: fn(&Counters) -> u64| (count(&after) - count(&before)) as f64;
    1.0 + of(|c| c.pages_relocated) / of(|c| c.host_pages_written)
}

fn uniform(policy: Policy) -> f64 {
    let mut drive = SimDrive::new(&drive(policy));
    fill(&mut drive);
    let next = random(&drive, 3);
    amplification(&mut drive, (3, 2), next)
}

/// Share of the flash in use that the host's data occupies: superblocks kept free are not in use.
fn load(user_percent: u64) -> f64 {
    let free = f64::from(plain(SUPERBLOCKS, 16, 64).gc.start_superblocks);
    user_percent as f64 / 100.0 / (1.0 - free / f64::from(SUPERBLOCKS))
}

/// Write amplification of d-choices under uniform random writes, for infinitely many
/// superblocks: the fixed point of the mean field of B. Van Houdt, "A mean field model for
/// a class of GC algorithms in flash-based solid state drives",
/// SIGMETRICS 2013. Greedy is its limit for many choices.
fn mean_field(load: f64, choices: f64) -> f64 {
    let pages = SUPERBLOCK_PAGES as usize;
    // Share of superblocks by the number of valid pages.
    let mut share = vec![0.0_f64; pages + 1];
    share[pages] = load;
    share[0] = 1.0 - load;
    let step = (0.2 / pages as f64).min(0.5 / choices);
    let mut moved = 0.0;
    for _ in 0..(80.0 / step) as u32 {
        let mut above = 0.0_f64;
        let mut chosen = vec![0.0; pages + 1];
        // Superblocks with only valid pages are not drawn.
        let drawn: f64 = share[..pages].iter().sum();
        for i in (0..pages).rev() {
            let upto = (above + share[i] / drawn).min(1.0);
            chosen[i] = upto.powf(choices) - above.powf(choices);
            above = upto;
        }
        moved = chosen.iter().enumerate().map(|(i, p)| i as f64 * p).sum();
        let rate = (pages as f64 - moved) / (load * pages as f64);
        let old = share.clone();
        for i in 0..=pages {
            let comes = old.get(i + 1).map_or(0.0, |s| (i + 1) as f64 * s * rate);
            share[i] += step * (comes - i as f64 * old[i] * rate - chosen[i]);
        }
        share[pages] += step;
    }
    1.0 / (1.0 - moved / pages as f64)
}

/// Write amplification of FIFO under uniform random writes: a page survives the round of the log
/// with probability v = exp(−(1 − v) / load). (J. Menon, "A performance comparison of RAID-5 and
/// log-structured arrays", HPDC 1995; J. T. Robinson, "Analysis of steady-state segment storage
/// utilizations in a log-structured file system with least-utilized segment cleaning", 1996; as LRU
/// in Desnoyers 2012.) It does not depend on the superblock's size.
fn first_in_first_out(load: f64) -> f64 {
    let v = (0..10_000).fold(0.5_f64, |v, _| (-(1.0 - v) / load).exp());
    1.0 / (1.0 - v)
}

#[test]
fn every_policy_comes_to_its_theory_under_uniform_writes() {
    let load = load(USER_PERCENT);
    let d = |choices| Policy::DChoices { choices };
    // In ascending order. Two choices are too few to come near FIFO, which uses the only property
    // by which full superblocks differ here, their age.
    let expected = [
        (Policy::Greedy, mean_field(load, 1_000.0)),
        (d(10), mean_field(load, 10.0)),
        (Policy::Fifo, first_in_first_out(load)),
        (d(2), mean_field(load, 2.0)),
    ];
    let mut least = 0.0;
    for (policy, expected) in expected {
        let got = uniform(policy);
        let error = got / expected - 1.0;
        println!("{policy:?}: got {got:.3}, expected {expected:.3}, {error:+.3}");
        assert!(error.abs() < 0.012, "{policy:?}: {got} against {expected}");
        assert!(least < got, "{policy:?}: {got} after {least}");
        least = got;
    }
    let (greedy, many) = (uniform(Policy::Greedy), uniform(d(1_000)));
    println!("1,000 choices: {many:.3}");
    assert!((many / greedy - 1.0).abs() < 0.005, "{many} and {greedy}");
    let by_worth = uniform(Policy::CostBenefit);
    println!("cost-benefit: {by_worth:.3}");
    assert!(by_worth < least && by_worth > 0.995 * greedy, "{by_worth}");
}

/// Programs of several pages amplify writes no more than those of one: the last program of a victim
/// is completed with pages of the next. Write amplification counts padding.
#[test]
fn programs_of_several_pages_come_to_the_same_theory() {
    let pages = u64::from(SUPERBLOCKS * SUPERBLOCK_PAGES);
    // Sixteen programs of four pages in each superblock.
    let mut spec = plain(SUPERBLOCKS, 4, pages * USER_PERCENT / 100);
    spec.gc.policy = Policy::Greedy;
    let mut drive = SimDrive::new(&spec);
    fill(&mut drive);
    let mut next = random(&drive, 3);
    let capacity = drive.capacity_bytes() / PAGE;
    burst(&mut drive, Op::Write, 1, 32, 3 * capacity, &mut next);
    let before = drive.counters();
    burst(&mut drive, Op::Write, 1, 32, 2 * capacity, &mut next);
    let after = drive.counters();
    let of = |count: fn(&Counters) -> u64| (count(&after) - count(&before)) as f64;
    let programmed = f64::from(spec.pages_per_mp_page) * of(|c| c.nand_programs);
    let got = programmed / of(|c| c.host_pages_written);
    let theory = mean_field(load(USER_PERCENT), 1_000.0);
    println!("{got:.3}, theory {theory:.3}");
    assert!(
        (0.97..1.03).contains(&(got / theory)),
        "{got}, not {theory}"
    );
}

/// Nine of ten writes go to a tenth of the drive. A superblock full of cold data loses a page so
/// rarely that greedy lets all of them sink to one level of invalid pages and stay there; age
/// distinguishes them from the hot ones, which will lose more by themselves (Rosenblum and
/// Ousterhout 1992, section 3.5; the same of flash: B. Van Houdt, "Performance of GC algorithms for
/// flash-based solid state drives with hot/cold data", Performance Evaluation 70(10), 2013).
#[test]
fn cost_benefit_moves_less_than_greedy_when_some_data_is_hot() {
    let [greedy, by_worth, fifo] =
        [Policy::Greedy, Policy::CostBenefit, Policy::Fifo].map(|policy| {
            let mut drive = SimDrive::new(&drive(policy));
            fill(&mut drive);
            let all = drive.capacity_bytes() / PAGE;
            let mut rng = Rng::stream(5, "skew");
            let wa = amplification(&mut drive, (6, 3), || match rng.ratio(9, 10) {
                true => rng.below(all / 10),
                false => all / 10 + rng.below(all - all / 10),
            });
            println!("{policy:?}: {wa:.3}");
            wa
        });
    assert!(greedy < fifo, "greedy {greedy}, FIFO {fifo}");
    assert!(
        by_worth < 0.75 * greedy,
        "greedy {greedy}, cost-benefit {by_worth}"
    );
}

#[test]
fn the_users_over_provisioning_lowers_the_amplification_as_theory_says() {
    let mut drive = SimDrive::new(&drive(Policy::Greedy));
    let mut least = f64::MAX;
    for percent in [USER_PERCENT, 70, 60] {
        let pages = u64::from(SUPERBLOCKS * SUPERBLOCK_PAGES) * percent / 100;
        drive
            .service()
            .set_user_bytes(pages * PAGE)
            .expect("it is empty");
        fill(&mut drive);
        let next = random(&drive, 3);
        let got = amplification(&mut drive, (3, 2), next);
        let expected = mean_field(load(percent), 1_000.0);
        let error = got / expected - 1.0;
        println!("{percent} %: got {got:.3}, expected {expected:.3}, {error:+.3}");
        assert!(error.abs() < 0.012, "{percent} %: {got} against {expected}");
        assert!(got < least);
        least = got;
        alone(&mut drive, request(0, Op::Trim, 0, pages));
    }
}
