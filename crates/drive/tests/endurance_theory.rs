//! Endurance compared with closed forms: the amount that can be written to a drive until it is worn
//! out, the spread of erase cycles with wear levelling, and the bit error rate that an ECC
//! corrects.

use crate::tests::common;

use common::*;
use stend_base::{Device, Op, Rng, SimTime, Status};
use stend_drive::SimDrive;
use stend_model::SHIPPED;
use stend_model::spec::{BlocksSpec, WearSpec};
use stend_model::{Model, Spec};

const SUPERBLOCKS: u32 = 60;
const SUPERBLOCK_PAGES: u64 = 128;
/// Superblocks that the data fills.
const DATA: u64 = 48;

fn drive(dynamic: bool, static_spread: u32, static_interval: u32) -> Spec {
    let mut spec = plain(SUPERBLOCKS, 8, DATA * SUPERBLOCK_PAGES);
    spec.idle.enabled = false;
    spec.wear = Some(WearSpec {
        dynamic,
        static_spread,
        static_interval,
    });
    spec
}

/// Maximum difference of erase cycles under wear levelling of this spread and interval.
///
/// Levelling acts once the difference is above the spread: at `spread + 1`. From then on, after
/// each `interval` victims of hot data the least worn superblock, which holds cold data, is
/// exchanged for the most worn of the erased ones. When the number of exchanges has reached the
/// number of superblocks with hot data, all of these have been exchanged; in that time each is a
/// victim `interval` times. This holds if the exchanged ones begin far enough below the others, at
/// least by `interval` cycles, and if hot data has at least as many superblocks as are spare.
fn spread_max(static_spread: u32, static_interval: u32) -> u32 {
    assert!(static_interval <= static_spread);
    static_spread + 1 + static_interval
}

/// Minimum and maximum of erase cycles.
fn erases(drive: &SimDrive) -> [u32; 2] {
    let counts = drive.inspect().erase_counts().iter();
    [counts.clone().min(), counts.max()].map(|n| *n.expect("it has superblocks"))
}

/// Fills a drive and overwrites its first `hot` superblocks at random, until each superblock has
/// been erased `cycles` times on average. Returns the drive and the greatest difference of erase
/// cycles so far.
fn overwritten(spec: &Spec, hot: u64, cycles: u64) -> (SimDrive, u32) {
    let mut drive = SimDrive::new(spec);
    fill(&mut drive);
    let mut rng = Rng::stream(1, "overwritten");
    let (mut widest, dies) = (0, u64::from(spec.dies));
    while drive.counters().erases < cycles * u64::from(SUPERBLOCKS) * dies {
        // Half of a superblock's content, so that no erase is missed.
        burst(&mut drive, Op::Write, 1, 32, SUPERBLOCK_PAGES / 2, || {
            rng.below(hot * SUPERBLOCK_PAGES)
        });
        let [least, most] = erases(&drive);
        widest = widest.max(most - least);
    }
    (drive, widest)
}

#[test]
fn static_levelling_holds_the_spread_within_its_threshold_and_one_exchange() {
    for hot in [12, 24, 36] {
        for (spread, interval) in [(2, 1), (4, 4), (10, 1), (10, 4), (20, 10)] {
            let (_, widest) = overwritten(&drive(true, spread, interval), hot, 40);
            let most = spread_max(spread, interval);
            println!("{hot} hot, spread {spread}, interval {interval}: {widest} of {most}");
            // Levelling does not act before the threshold is exceeded.
            assert!(
                (spread + 1..=most).contains(&widest),
                "{hot} hot: {widest} outside of {spread} + 1 to {most}"
            );
        }
    }
}

#[test]
fn without_static_levelling_the_spread_grows_with_what_is_written() {
    let hot = 12;
    for cycles in [20, 40] {
        let (drive, widest) = overwritten(&drive(true, 0, 1), hot, cycles);
        // Superblocks with cold data are never erased: the others have all erases, and one of them
        // at least the mean.
        let circulating = u64::from(SUPERBLOCKS) - (DATA - hot);
        let least = (cycles * u64::from(SUPERBLOCKS)).div_ceil(circulating);
        println!("{cycles} cycles: {widest} of at least {least}");
        assert_eq!(erases(&drive)[0], 0);
        assert!(u64::from(widest) >= least, "{widest} below {least}");
    }
}

const LIFE: u32 = 150;
const SPARE_BLOCKS: u32 = 2;

/// Writes single pages at random until one write is refused. Returns the number of acknowledged
/// pages.
fn write_to_the_end(drive: &mut SimDrive, mut next: impl FnMut() -> u64) -> u64 {
    for tag in 0..16 {
        drive.submit(request(tag, Op::Write, next(), 1));
    }
    let (mut outstanding, mut written, mut refused) = (16, 0, false);
    while outstanding > 0 {
        let done = drive.advance(SimTime::NEVER).expect("a request ends");
        outstanding -= 1;
        match done.status {
            Status::Ok => written += 1,
            Status::WriteProtected => refused = true,
            other => panic!("{other:?}"),
        }
        if !refused {
            drive.submit(request(done.tag, Op::Write, next(), 1));
            outstanding += 1;
        }
    }
    written
}

#[test]
fn bytes_until_the_end_are_capacity_times_cycles_over_write_amplification() {
    let (spread, interval) = (2, 1);
    let mut spec = drive(true, spread, interval);
    spec.blocks = Some(BlocksSpec {
        life_cycles: [u32::MAX, LIFE],
        life_spread_percent: 0,
        die_spread_percent: 0,
        spare_blocks: SPARE_BLOCKS,
        factory_bad_ppm: 0,
        program_failure_ppb: 0,
        seed: 9,
    });
    let pages = DATA * SUPERBLOCK_PAGES;
    // Uniform; nine of ten writes to a fifth of the data; all writes to a quarter of the data.
    for (hot, of_ten) in [(pages, 10), (pages / 5, 9), (pages / 4, 10)] {
        let mut worn = SimDrive::new(&spec);
        fill(&mut worn);
        let mut rng = Rng::stream(2, "worn");
        let next = || {
            let is_hot = rng.ratio(of_ten, 10);
            rng.below(if is_hot { hot } else { pages })
        };
        let written = pages + write_to_the_end(&mut worn, next);
        assert!(worn.inspect().is_read_only());
        let health = worn.health();
        assert_eq!(health.host_written_bytes, written * PAGE);

        // The programmed pages fill each superblock once for each of its erases, and its present
        // content.
        let counts = worn.inspect().erase_counts().iter().map(|&n| u64::from(n));
        let erased = counts.sum::<u64>() * SUPERBLOCK_PAGES;
        let physical = u64::from(SUPERBLOCKS) * SUPERBLOCK_PAGES;
        let holds = health.nand_written_bytes / PAGE - erased;
        assert!((pages..=physical).contains(&holds), "{holds}");

        // As SMART attributes report it: including the padding of programs.
        let wa = health.nand_written_bytes as f64 / health.host_written_bytes as f64;
        let expected = (physical * u64::from(LIFE)) as f64 / wa;
        let ratio = written as f64 / expected;
        // The end of life comes when more superblocks than there are spares have been erased once
        // more than their life. The least worn is not further behind than levelling allows, and few
        // of the others exceed their life; none holds more than its own content.
        let most = f64::from(spread_max(spread, interval));
        let life = f64::from(LIFE);
        let bounds = 1.0 - (most - 1.0) / life..=1.0 + (most + 1.0) / life;
        println!("{of_ten} of ten to {hot} pages: WA {wa:.2}, {ratio:.3} of {bounds:?}");
        assert!(bounds.contains(&ratio), "{ratio} outside of {bounds:?}");
    }
}

/// User data of a codeword, bits: 1 KiB.
const CODEWORD_BITS: f64 = 8_192.0;

/// Uncorrectable bit error rate of a BCH code that corrects `t` bits of a codeword, as JESD218 and
/// Mielke et al. (IRPS 2008) define it: the share of codewords with more errors, which is the tail
/// of a binomial distribution, divided by the bits of user data. Each corrected bit costs 14 bits
/// of parity, since codewords of 1 KiB need the field of 2^14 elements.
fn uber_of_bch(t: u32, rber: f64) -> f64 {
    let n = CODEWORD_BITS + f64::from(14 * t);
    // ln of n choose k times the probability of k given errors, from term to term.
    let mut ln_term = n * (-rber).ln_1p();
    let mut tail = 0.0;
    for k in 1..=20 * (t + 1) {
        let k_bits = f64::from(k);
        ln_term += ((n - k_bits + 1.0) / k_bits).ln() + rber.ln() - (-rber).ln_1p();
        tail += if k > t { ln_term.exp() } else { 0.0 };
    }
    tail / CODEWORD_BITS
}

/// UBER of client drives, by JESD218.
const UBER_MAX: f64 = 1e-15;

/// RBER up to which a BCH code has the UBER of a client drive.
fn corrects(t: u32) -> f64 {
    let (mut low, mut high) = (0.0, f64::from(t) / CODEWORD_BITS);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        match uber_of_bch(t, middle) > UBER_MAX {
            true => high = middle,
            false => low = middle,
        }
    }
    low
}

/// Information that errors remove from each bit of a binary symmetric channel (Shannon 1948).
fn entropy(rber: f64) -> f64 {
    -rber * rber.log2() - (1.0 - rber) * (1.0 - rber).log2()
}

#[test]
fn a_binomial_tail_is_what_it_is_for_few_bits() {
    // Without correction every codeword with an error counts; with one corrected bit, those with
    // two.
    let p = 1e-4_f64;
    let none = 1.0 - (1.0 - p).powf(CODEWORD_BITS);
    let n = CODEWORD_BITS + 14.0;
    let one = 1.0 - (1.0 - p).powf(n) - n * p * (1.0 - p).powf(n - 1.0);
    for (t, expected) in [(0, none), (1, one)] {
        let got = uber_of_bch(t, p) * CODEWORD_BITS;
        assert!((got / expected - 1.0).abs() < 1e-9, "{t}: {got}");
    }
}

#[test]
fn shipped_drives_correct_at_once_what_the_binomial_tail_of_their_code_says() {
    let two_digits = |rber: f64| (rber * 1e4).round() as u32;
    let (mut bch, mut ldpc) = (0, 0);
    for shipped in SHIPPED {
        let model = Model::shipped(shipped.name).expect("it is shipped");
        let (Some(table), Some(media)) = (&model.media, model.spec().media) else {
            continue;
        };
        // RBER of the simulation: parts of 10^12.
        let plain_read = media.ecc.passes[0].0 as f64 / 1e12;
        let source = &table.pass_rber_ppb.source;
        if source.contains("BCH code of 40 bits a KiB") {
            bch += 1;
            assert_eq!(two_digits(plain_read), two_digits(corrects(40)));
            assert!(uber_of_bch(40, plain_read) < 1.1 * UBER_MAX);
            assert!(uber_of_bch(40, 2.0 * plain_read) > 1e6 * UBER_MAX);
        } else if source.contains("LDPC") {
            ldpc += 1;
            // With the parity that fits in 2,208 spare bytes of a page of 16 KiB (usual in these
            // years; remembered, unverified): better than a BCH code, and no better than any code
            // can be.
            let (user, spare) = (16_384.0, 2_208.0);
            let as_many = (spare * CODEWORD_BITS / user / 14.0) as u32;
            assert!(plain_read > corrects(as_many), "{as_many} bits a KiB");
            assert!(entropy(plain_read) < spare / (user + spare));
        } else {
            panic!("{}: a code of which nothing is known", shipped.name);
        }
    }
    assert!(bch > 10 && ldpc > 5, "{bch} with BCH, {ldpc} with LDPC");
    // Their figure fits no other strength.
    assert!([39, 41].iter().all(|&t| two_digits(corrects(t)) != 13));
}
