//! Heat compared with the closed form of a heated body, and throttling compared with the balance of
//! power.

use crate::tests::common;

use common::*;
use stend_base::{Device, Nanos, Op, SimTime};
use stend_drive::SimDrive;
use stend_model::Spec;
use stend_model::spec::*;

/// 30 °C ambient, 20 K/W, a time constant of 4 s.
fn warm(throttle: Throttle) -> Spec {
    let mut spec = plain(64, 16, 8_000);
    // One plane.
    spec.pages_per_flash_page = spec.pages_per_mp_page;
    spec.energy = Some(EnergySpec {
        read_pj: [0, 60_000_000],
        program_pj: [0, 250_000_000],
        erase_pj: [0, 900_000_000],
        bus_pj_per_byte: 20,
        core_busy_mw: 700,
        core_idle_mw: 300,
        link_active_mw: 400,
        link_idle_mw: 200,
        dram_mw: 100,
    });
    spec.thermal = Some(ThermalSpec {
        ambient_mc: 30_000,
        resistance_mk_per_w: 20_000,
        capacity_mj_per_k: 200,
        step: Nanos::from_millis(10),
        warning_mc: 65_000,
        critical_mc: 75_000,
        period: Nanos::from_millis(1),
        throttle,
    });
    spec
}

/// Random reads at depth 8 for `seconds`. Returns the number of reads in each second.
fn read_for(drive: &mut SimDrive, seconds: u64) -> Vec<u64> {
    let mut next = random(drive, 5);
    let begin = drive.now();
    let mut counts = vec![0; seconds as usize];
    for tag in 0..8 {
        drive.submit(request(tag, Op::Read, next(), 1));
    }
    let end = begin + Nanos::from_secs(seconds);
    let mut left = 8;
    while left > 0 {
        let done = drive.advance(SimTime::NEVER).expect("a read ends");
        left -= 1;
        if done.at < end {
            counts[(done.at.since(begin).0 / 1_000_000_000) as usize] += 1;
            drive.submit(request(done.tag, Op::Read, next(), 1));
            left += 1;
        }
    }
    counts
}

fn filled(throttle: Throttle) -> SimDrive {
    let mut drive = SimDrive::new(&warm(throttle));
    fill(&mut drive);
    // Cools down to the temperature of a drive at rest: 600 mW, 12 K.
    rest(&mut drive, Nanos::from_secs(1_000));
    drive
}

fn now_mc(drive: &SimDrive) -> i64 {
    drive
        .inspect()
        .temperature()
        .expect("it has a temperature")
        .now_mc
}

fn total_pj(drive: &SimDrive) -> u128 {
    drive
        .inspect()
        .energy()
        .expect("it keeps account")
        .total_pj()
}

#[test]
fn silence_heats_by_the_closed_form() {
    // Nothing ever happens: 600 mW at 20 K/W are 12 K.
    let mut drive = SimDrive::new(&warm(Throttle::None));
    for seconds in [0u64, 1, 3, 3, 30] {
        rest(&mut drive, Nanos::from_secs(seconds));
        let t = drive.now().as_secs_f64();
        let expected = 30.0 + 12.0 * (1.0 - (-t / 4.0).exp());
        let got = now_mc(&drive) as f64 / 1e3;
        assert!(
            (got - expected).abs() < 0.0021,
            "{got} after {t} s, not {expected}"
        );
    }
    // The number of observations does not matter.
    let mut watched = SimDrive::new(&warm(Throttle::None));
    for _ in 0..370 {
        rest(&mut watched, Nanos::from_millis(100));
        let _ = now_mc(&watched);
    }
    assert!((now_mc(&watched) - now_mc(&drive)).abs() <= 1);
}

#[test]
fn load_heats_by_the_closed_form() {
    let mut drive = filled(Throttle::None);
    assert_eq!(now_mc(&drive), 42_000);
    let (begin, before) = (drive.now(), total_pj(&drive));
    let mut temperatures = Vec::new();
    for _ in 0..12 {
        read_for(&mut drive, 1);
        temperatures.push((drive.now().since(begin).as_secs_f64(), now_mc(&drive)));
    }
    let power_mw = (total_pj(&drive) - before) as f64 / drive.now().since(begin).0 as f64;
    assert!(power_mw > 2_000.0, "{power_mw} mW");
    let (from, to) = (42.0, 30.0 + 20.0 * power_mw / 1e3);
    for (t, got) in temperatures {
        let expected = to + (from - to) * (-t / 4.0).exp();
        let got = got as f64 / 1e3;
        assert!(
            (got - expected).abs() < 0.01 * (expected - 30.0),
            "{got} not {expected}"
        );
    }
    // Cooling down again.
    let (hot, t) = (now_mc(&drive) as f64 / 1e3, 2.5f64);
    rest(&mut drive, Nanos((t * 1e9) as u64));
    let expected = 42.0 + (hot - 42.0) * (-t / 4.0).exp();
    let got = now_mc(&drive) as f64 / 1e3;
    assert!(
        (got - expected).abs() < 0.01 * (expected - 30.0),
        "{got} not {expected}"
    );
}

#[test]
fn time_too_warm_is_counted_through_silence() {
    let mut drive = filled(Throttle::None);
    read_for(&mut drive, 40);
    let hot = drive.inspect().temperature().expect("it has one");
    assert!(hot.now_mc > 75_000 && hot.max_mc >= hot.now_mc, "{hot:?}");
    let at = |limit: f64| {
        // Time from the end of the load until it has cooled to the limit.
        let (from, to) = (hot.now_mc as f64 / 1e3, 42.0);
        4.0 * ((from - to) / (limit - to)).ln()
    };
    rest(&mut drive, Nanos::from_secs(500));
    let cool = drive.inspect().temperature().expect("it has one");
    assert_eq!(cool.now_mc, 42_000);
    let warning = (cool.warning - hot.warning).as_secs_f64();
    let critical = (cool.critical - hot.critical).as_secs_f64();
    assert!((warning - at(65.0)).abs() < 0.05, "{warning} {}", at(65.0));
    assert!(
        (critical - at(75.0)).abs() < 0.05,
        "{critical} {}",
        at(75.0)
    );
    assert_eq!((cool.max_mc, cool.throttled), (hot.max_mc, Nanos::ZERO));
}

#[test]
fn a_throttled_drive_is_as_fast_as_the_balance_of_power_allows() {
    // Energy of a read beyond the drive's constant power.
    let mut free = filled(Throttle::None);
    let (begin, before) = (free.now(), total_pj(&free));
    let reads: u64 = read_for(&mut free, 5).iter().sum();
    let floor = 600 * u128::from(free.now().since(begin).0);
    let read_pj = (total_pj(&free) - before - floor) as f64 / reads as f64;

    let mut drive = filled(Throttle::Gradual {
        limit_mc: 60_000,
        band_mk: 1_000,
        least_ppm: 10_000,
    });
    let counts = read_for(&mut drive, 60);
    // 59 to 60 °C: 29.5 K at 20 K/W, less 600 mW.
    let allowed = (29.5 / 20.0 - 0.6) * 1e12 / read_pj;
    let steady = counts[40..].iter().sum::<u64>() as f64 / 20.0;
    assert!(counts[0] as f64 > 1.5 * allowed, "{} at first", counts[0]);
    assert!(
        (steady / allowed - 1.0).abs() < 0.03,
        "{steady}, allowed {allowed}"
    );
    let t = drive.inspect().temperature().expect("it has one");
    assert!((59_000..60_000).contains(&t.max_mc), "{t:?}");
    assert!(t.throttled > Nanos::from_secs(50), "{t:?}");
}

#[test]
fn gradual_throttling_settles_and_stepwise_throttling_swings() {
    let range = |throttle: Throttle| {
        let mut drive = filled(throttle);
        let counts = read_for(&mut drive, 80);
        let late = &counts[50..];
        let (least, most) = (late.iter().min(), late.iter().max());
        let (least, most) = (*least.expect("reads"), *most.expect("reads"));
        (least as f64, most as f64, drive)
    };
    let (least, most, _) = range(Throttle::Gradual {
        limit_mc: 60_000,
        band_mk: 1_000,
        least_ppm: 10_000,
    });
    assert!(most < 1.02 * least, "gradual: {least} to {most}");
    let (least, most, drive) = range(Throttle::Stepwise {
        steps: vec![(60_000, 50_000), (68_000, 10_000)],
        hysteresis_mk: 5_000,
    });
    assert!(most > 3.0 * least, "stepwise: {least} to {most}");
    let t = drive.inspect().temperature().expect("it has one");
    assert!((60_000..61_000).contains(&t.max_mc), "{t:?}");
    let (least, most, _) = range(Throttle::None);
    assert!(most < 1.02 * least, "none: {least} to {most}");
}

#[test]
fn a_share_of_the_time_is_a_share_of_the_commands() {
    // A step below any temperature that occurs: it is always in force.
    let share = |ppm| Throttle::Stepwise {
        steps: vec![(0, ppm)],
        hysteresis_mk: 1_000,
    };
    let reads = |throttle| {
        let mut spec = warm(throttle);
        spec.thermal.as_mut().expect("it has one").period = Nanos::from_millis(100);
        let mut drive = SimDrive::new(&spec);
        fill(&mut drive);
        read_for(&mut drive, 10).iter().sum::<u64>() as f64
    };
    let all = reads(Throttle::None);
    for percent in [10, 50, 90] {
        let got = reads(share(percent * 10_000)) / all * 100.0;
        // The commands admitted last still end.
        assert!((got - f64::from(percent)).abs() < 0.5, "{percent} %: {got}");
    }
}

#[test]
fn a_throttled_drive_rests_for_its_share() {
    let throttle = Throttle::Stepwise {
        steps: vec![(0, 250_000)],
        hysteresis_mk: 1_000,
    };
    let mut drive = SimDrive::new(&warm(throttle));
    let HostSpec {
        submit, complete, ..
    } = drive.spec().host;
    // The throttle is chosen at the first computation of the temperature.
    rest(&mut drive, Nanos::from_secs(1));
    let read = request(0, Op::Read, 3, 1);
    let whole = alone(&mut drive, read);
    let work = whole - submit - complete;
    assert!(work < Nanos(50_000), "{work:?}");
    // After rest, all commands that arrive within a quarter of a millisecond are admitted.
    let mut after = |first_to_second: Nanos| {
        rest(&mut drive, Nanos::from_secs(1));
        assert_eq!(alone(&mut drive, read), whole);
        rest(&mut drive, first_to_second - whole);
        let latency = alone(&mut drive, read);
        latency - whole
    };
    let window = Nanos(250_000);
    assert_eq!(after(window - Nanos(1)), Nanos::ZERO);
    // The work done since is less than a quarter of the window: no rest is due.
    assert_eq!(after(window), Nanos::ZERO);
    // A large command continues beyond the window; then comes three times as much rest.
    let large = request(1, Op::Read, 0, 256);
    rest(&mut drive, Nanos::from_secs(1));
    let long = alone(&mut drive, large) - submit - complete;
    assert!(long > window + window, "{long:?}");
    let second = alone(&mut drive, read);
    assert_eq!(second, whole + long * 3 - complete - submit);
}

/// The test that a drive never throttles uses a bound of the power of any load.
#[test]
fn a_drive_that_cannot_become_so_warm_is_told_to_never_throttle() {
    let steps = |mc| Throttle::Stepwise {
        steps: vec![(mc, 500_000)],
        hysteresis_mk: 1_000,
    };
    let may = |throttle| warm(throttle).may_throttle();
    assert!(!may(Throttle::None) && may(steps(50_000)) && !may(steps(10_000_000)));
    // The lowest step that, by the test, the drive never reaches.
    let bound_mc = (40_000..1_000_000)
        .step_by(500)
        .find(|&mc| !may(steps(mc)))
        .expect("there is a bound");
    let power_max_mw = (bound_mc - 30_000) as f64 / 20.0;
    for op in [Op::Read, Op::Write] {
        let mut drive = filled(Throttle::None);
        let (begin, before) = (drive.now(), total_pj(&drive));
        let mut any = random(&drive, 3);
        let next = move || any() / 4 * 4;
        burst(&mut drive, op, 4, 32, 4_000, next);
        let power_mw = (total_pj(&drive) - before) as f64 / drive.now().since(begin).0 as f64;
        println!("{op:?}: {power_mw:.0} mW of at most {power_max_mw:.0}");
        assert!(power_mw <= power_max_mw, "{op:?}");
        assert!(
            power_mw > 0.2 * power_max_mw,
            "{op:?}: the bound tells something"
        );
    }
    let gradual = Throttle::Gradual {
        limit_mc: bound_mc + 5_000,
        band_mk: 5_000,
        least_ppm: 100_000,
    };
    assert!(!may(gradual));
}
