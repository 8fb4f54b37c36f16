//! Verdicts of made-up reviews: each rule in both directions, at its threshold.

use crate::common::{self, GB, cached_tlc, curves, point, points, sampled, target};
use stend_analysis::findings;
use stend_analysis::headline::Group;
use stend_analysis::verdict::{
    Back, Beware, Caution, Fall, Rank, STATEMENTS_MAX, SpeedClass, Standing, Statement, Suits,
    Verdict, verdict,
};
use stend_language::{Language, within};
use stend_record::endurance::{Endurance, EnduranceEnd};
use stend_record::load::Load;
use stend_record::review::{
    Condition, Durability, FactId, FailedTest, LatencySummary, Link, Pattern, PointOp, Response,
    ResponseInterval, Results, Review, Rival, Series, SyncMethod, SyncPoint, SyncStream,
    TargetInfo, TargetKind, TestResult,
};

use Pattern::{Random, Sequential};
use PointOp::{Mixed, Read, Write};

const NAME: &str = "Vendor 256 GB";

/// A drive of 50 GB with SATA and the given tests.
fn review(tests: Vec<TestResult>) -> Review {
    let mut review = common::review(NAME, tests);
    review.target.capacity_bytes = 50_000_000_000;
    review.target.link = Link::of_interface("sata-6g");
    review
}

fn fact(id: &'static str, value: &str) -> Condition {
    Condition::new(id, value)
}

/// Sequential reads and writes, MB/s.
fn sequential(read: f64, write: f64) -> TestResult {
    sequential_at(2, read, write)
}

/// The same with `depth` requests at a time.
fn sequential_at(depth: u32, read: f64, write: f64) -> TestResult {
    let mut both = vec![
        point(Read, 1_000_000, depth, 100, read),
        point(Write, 1_000_000, depth, 0, write),
    ];
    for point in &mut both {
        point.load.pattern = Sequential;
    }
    points("sequential", both)
}

/// Small reads: mean latency of one at a time, ns, and requests a second of 32.
fn small_reads(latency_ns: f64, iops: f64) -> TestResult {
    let mut single = point(Read, 4096, 1, 100, 1e9 / latency_ns);
    single.latency_ns.mean = latency_ns;
    points("random", vec![single, point(Read, 4096, 32, 100, iops)])
}

/// Reads alone, half and half, and writes alone, MB/s.
fn mixed(pattern: Pattern, reads: f64, half: f64, writes: f64) -> TestResult {
    let all = [(100, reads), (50, half), (0, writes)];
    let mut all = all.map(|(share, speed)| point(Mixed, 1_000_000, 1, share, speed));
    for point in &mut all {
        point.load.pattern = pattern;
    }
    points("mixed", all.into())
}

/// Writes at 40,000 IOPS until `gigabytes` GB are written, then at `end`.
fn fresh(gigabytes: f64, end: f64) -> Series {
    let rate = move |w, _| if w < gigabytes * GB { 40_000.0 } else { end };
    sampled(4_000, rate, |_, _| 1.0)
}

/// The same curve after a rest or TRIM.
fn after(name: &str, series: Series) -> Series {
    Series {
        name: name.into(),
        ..series
    }
}

fn lasting(gigabytes: f64, end: f64) -> TestResult {
    curves("degradation", vec![fresh(gigabytes, end)])
}

fn recovery(idle_gigabytes: f64, trim_gigabytes: f64) -> TestResult {
    let all = vec![
        fresh(60.0, 4_000.0),
        after("after idle", fresh(idle_gigabytes, 4_000.0)),
        after("after TRIM", fresh(trim_gigabytes, 4_000.0)),
    ];
    curves("recovery", all)
}

/// Durable writes of one thread with the given latency, ns.
fn commits(latency_ns: f64) -> TestResult {
    let latency = LatencySummary::new(0, latency_ns, 1, [1; 5]);
    let stream = SyncStream {
        load: Load::write(Random, 4096, 1),
        durability: Durability {
            sync: SyncMethod::Dsync,
            every: None,
        },
        writes_per_s: 1e9 / latency_ns,
        commits_per_s: 1e9 / latency_ns,
        write_latency_ns: Some(latency),
        ..SyncStream::default()
    };
    let point = SyncPoint {
        duration_s: 10.0,
        streams: vec![stream],
        ..SyncPoint::default()
    };
    TestResult {
        results: Some(Results::Sync(vec![point])),
        ..curves("flush-latency", Vec::new())
    }
}

/// Reads while 32 GB are deleted: latency of the slowest, ns, and IOPS of the worst second.
fn deletion(slowest_ns: u64, lowest: f64) -> TestResult {
    let interval = |second: i32| ResponseInterval {
        t_s: f64::from(second),
        iops: if second == 1 { lowest } else { 10_000.0 },
        ..ResponseInterval::default()
    };
    let response = Response {
        name: "with TRIM".into(),
        file_bytes: 32_000_000_000,
        command_bytes: Some(128 << 20),
        interval_s: 1.0,
        intervals: (0..30).map(interval).collect(),
        reference_iops: 10_000.0,
        latency_ns: LatencySummary::new(0, 1e5, slowest_ns, [1; 5]),
        ..Response::default()
    };
    TestResult {
        results: Some(Results::Response(vec![response])),
        ..curves("trim-response", Vec::new())
    }
}

fn worn_out(written_bytes: u64, end: EnduranceEnd) -> TestResult {
    TestResult {
        results: Some(Results::Endurance(Endurance {
            rated_bytes: Some(100_000_000_000_000),
            written_bytes,
            end,
            ..Endurance::default()
        })),
        ..curves("endurance", Vec::new())
    }
}

fn rival(title: &str, tests: Vec<TestResult>) -> Rival {
    Rival {
        target: target(title),
        tests,
        ..Rival::default()
    }
}

fn all_of(review: &Review) -> Vec<Statement> {
    let statements = verdict(review).statements.into_iter();
    statements.map(|(statement, _)| statement).collect()
}

/// A description, the tests, a statement, and true if the verdict must make it.
type Row = (&'static str, Vec<TestResult>, fn(&Statement) -> bool, bool);

fn check(rows: Vec<Row>) {
    let wrong = rows.into_iter().filter_map(|(what, tests, is, wanted)| {
        let all = all_of(&review(tests));
        (all.iter().any(is) != wanted).then(|| format!("{what}: {all:?}"))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

macro_rules! stated {
    ($($pattern:tt)+) => {
        |statement: &Statement| matches!(statement, $($pattern)+)
    };
}

/// Of the 555 MB/s that SATA carries 97 % are 538.4, 90 % 499.5, half of them 277.5.
#[test]
fn sequential_speeds_are_set_against_the_link() {
    use SpeedClass::{AtLimit, BelowLimit, ReadsAtLimit};
    let of = |read, write| vec![sequential(read, write)];
    let told = stated!(Statement::Sequential { .. });
    let at_limit = stated!(Statement::Sequential {
        class: AtLimit { .. },
        ..
    });
    let full = stated!(Statement::Sequential {
        class: AtLimit { full: true, .. },
        ..
    });
    let below = stated!(Statement::Sequential {
        class: BelowLimit(_),
        ..
    });
    let one_at_a_time = |read| vec![sequential_at(1, read, 500.0)];
    let single = stated!(Statement::Sequential {
        class: SpeedClass::OneAtATime,
        ..
    });
    let slow = stated!(Statement::Sequential {
        class: ReadsAtLimit {
            writes_slowly: true,
            ..
        },
        ..
    });
    let not_slow = stated!(Statement::Sequential {
        class: ReadsAtLimit {
            writes_slowly: false,
            ..
        },
        ..
    });
    check(vec![
        ("both", of(500.0, 500.0), at_limit, true),
        ("close", of(538.0, 600.0), full, false),
        ("reached", of(539.0, 600.0), full, true),
        ("write below", of(500.0, 499.0), not_slow, true),
        ("write half", of(500.0, 278.0), not_slow, true),
        ("write less than half", of(500.0, 277.0), slow, true),
        ("read below", of(499.0, 500.0), below, true),
        ("one at a time", one_at_a_time(499.0), below, false),
        ("one, told as such", one_at_a_time(499.0), single, true),
        ("one at the limit", one_at_a_time(500.0), at_limit, true),
        (
            "ends of a mix",
            vec![mixed(Sequential, 500.0, 100.0, 500.0)],
            at_limit,
            true,
        ),
        (
            "ends at random",
            vec![mixed(Random, 500.0, 100.0, 500.0)],
            told,
            false,
        ),
        ("no writes", vec![small_reads(9e4, 8e4)], told, false),
    ]);
}

#[test]
fn without_a_known_link_speeds_are_set_against_classes() {
    let unknown = |read: f64| {
        let mut review = review(vec![sequential(read, 100.0)]);
        review.target.link = None;
        all_of(&review).swap_remove(0)
    };
    for (read, wanted) in [
        (250.0, SpeedClass::HardDisk),
        (251.0, SpeedClass::Sata),
        (600.0, SpeedClass::Sata),
        (601.0, SpeedClass::BeyondSata),
    ] {
        let found = unknown(read);
        let same = matches!(&found, Statement::Sequential { class, .. } if *class == wanted);
        assert!(same, "{read}: {found:?}");
    }
}

#[test]
fn small_reads_are_quick_enough_for_a_desktop_or_slow() {
    let of = |latency_ns| vec![small_reads(latency_ns, 1_000.0)];
    let desktop = stated!(Statement::Suits(Suits::Desktop { games: false, .. }));
    let quick = stated!(Statement::Suits(Suits::Desktop { quick: true, .. }));
    let slow = stated!(Statement::Beware(Beware::SlowReads { .. }));
    check(vec![
        ("quick", of(100_000.0), quick, true),
        ("not quick", of(100_001.0), quick, false),
        ("a desktop's", of(200_000.0), desktop, true),
        ("too slow for one", of(200_001.0), desktop, false),
        ("not slow", of(200_000.0), slow, false),
        ("slow", of(200_001.0), slow, true),
    ]);
}

#[test]
fn games_ask_for_large_reads() {
    let of = |read| vec![sequential(read, 100.0), small_reads(9e4, 1e4)];
    let games = stated!(Statement::Suits(Suits::Desktop { games: true, .. }));
    check(vec![
        ("370 MB/s", of(370.0), games, true),
        ("369 MB/s", of(369.0), games, false),
    ]);
}

#[test]
fn a_curve_says_how_long_and_what_the_end_is_worth() {
    use Statement::Lasting;
    // Curves of `seconds` that are fast until `gigabytes` GB are written.
    let curve = |seconds, gigabytes: f64, fast: f64, end: f64| {
        let rate = move |w, _| if w < gigabytes * GB { fast } else { end };
        vec![curves("curve", vec![sampled(seconds, rate, |_, _| 1.0)])]
    };
    // Twice the capacity are 100 GB: 1,221 s at 20,000 a second.
    let level = |seconds| curve(seconds, 0.0, 0.0, 20_000.0);
    let of = |gigabytes, end| vec![lasting(gigabytes, end)];
    let told = stated!(Lasting { .. });
    let strong = stated!(Lasting {
        rank: Rank::Strong,
        ..
    });
    let usual = stated!(Lasting {
        rank: Rank::Usual,
        ..
    });
    let weak = stated!(Lasting {
        rank: Rank::Weak,
        ..
    });
    let holds = stated!(Lasting { fall: None, .. });
    let falls = stated!(Lasting {
        fall: Some(Fall::Kept { .. }),
        ..
    });
    let steps = stated!(Lasting {
        fall: Some(Fall::Steps { .. }),
        ..
    });
    let three = vec![curves(
        "degradation",
        vec![sampled(7_200, cached_tlc, |_, _| 1.0)],
    )];
    check(vec![
        ("strong", of(60.0, 10_001.0), strong, true),
        ("usual", of(60.0, 9_999.0), usual, true),
        ("still usual", of(60.0, 5_001.0), usual, true),
        ("weak", of(60.0, 4_999.0), weak, true),
        ("falls", of(60.0, 31_000.0), falls, true),
        ("hardly falls", of(60.0, 33_000.0), holds, true),
        ("three levels", three, steps, true),
        ("20 minutes", curve(1_200, 5.0, 4e4, 4e3), told, true),
        ("less", curve(1_199, 5.0, 4e4, 4e3), told, false),
        (
            "or the capacity once",
            curve(600, 48.0, 4e4, 4e3),
            told,
            true,
        ),
        ("holds for twice the capacity", level(1_221), holds, true),
        ("not known before", level(1_220), told, false),
        (
            "strong after twice the capacity",
            curve(1_500, 40.0, 4e4, 12e3),
            strong,
            true,
        ),
        (
            "not known before",
            curve(1_400, 40.0, 4e4, 12e3),
            strong,
            false,
        ),
    ]);
}

#[test]
fn a_fall_is_where_the_fast_writes_end() {
    let found = all_of(&review(vec![lasting(60.0, 5_000.0)]));
    let fall = found.iter().find_map(|statement| match statement {
        Statement::Lasting { fall, .. } => *fall,
        _ => None,
    });
    let Some(Fall::Kept { bytes }) = fall else {
        panic!("{fall:?}");
    };
    assert!((bytes as f64 / GB - 60.0).abs() < 0.5, "{bytes}");
    // From 40,000 IOPS to a half each 10 GB: the middle of the fall to 6,000 is after 13.7 GB.
    let slope = |w: f64, _| (40_000.0 * 0.5_f64.powf(w / (10.0 * GB))).max(6_000.0);
    let slope = sampled(4_000, slope, |_, _| 1.0);
    let found = all_of(&review(vec![curves("degradation", vec![slope])]));
    let [Statement::Lasting { fall, rank, .. }] = found.as_slice() else {
        panic!("{found:?}");
    };
    let Some(Fall::Gradual { bytes }) = *fall else {
        panic!("{fall:?}");
    };
    assert!((bytes as f64 / GB - 13.7).abs() < 0.5, "{bytes}");
    assert_eq!(*rank, Rank::Usual);
}

#[test]
fn what_still_falls_at_last_is_not_strong() {
    // A straight line from 40,000 IOPS, in 4,000 s: the last quarter loses more than a tenth, or
    // less.
    let line = |end: f64| {
        let rate = move |_, t: f64| 40_000.0 - (40_000.0 - end) * t / 4_000.0;
        vec![curves(
            "degradation",
            vec![sampled(4_000, rate, |_, _| 1.0)],
        )]
    };
    let strong = stated!(Statement::Lasting {
        rank: Rank::Strong,
        ..
    });
    check(vec![
        ("falls on", line(20_000.0), strong, false),
        ("hardly", line(30_000.0), strong, true),
    ]);
}

#[test]
fn a_desktop_s_day_is_known_from_a_curve() {
    let of = |gigabytes| vec![small_reads(9e4, 1e4), lasting(gigabytes, 4_000.0)];
    let day = stated!(Statement::Suits(Suits::Desktop { day: true, .. }));
    check(vec![
        ("more than 20 GB", of(20.3), day, true),
        ("less", of(19.7), day, false),
        ("not measured", vec![small_reads(9e4, 1e4)], day, false),
        (
            "again after a rest",
            [of(60.0), vec![recovery(20.3, 60.0)]].concat(),
            day,
            true,
        ),
        (
            "not again",
            [of(60.0), vec![recovery(19.7, 60.0)]].concat(),
            day,
            false,
        ),
    ]);
}

#[test]
fn a_rest_brings_back_nothing_a_part_or_all() {
    use Statement::Rest;
    let of = |idle, trim| vec![recovery(idle, trim)];
    let flat = sampled(4_000, |_, _| 20_000.0, |_, _| 1.0);
    let flat = vec![flat.clone(), after("after idle", flat)];
    let nothing = stated!(Rest {
        idle: Back::Nothing,
        trim: Some(Back::Whole)
    });
    let little = stated!(Rest {
        idle: Back::Part { little: true, .. },
        ..
    });
    let part = stated!(Rest {
        idle: Back::Part { little: false, .. },
        ..
    });
    let whole = stated!(Rest {
        idle: Back::Whole,
        ..
    });
    check(vec![
        ("nothing, TRIM all", of(0.0, 60.0), nothing, true),
        ("little", of(5.9, 60.0), little, true),
        ("a part", of(6.1, 60.0), part, true),
        ("still a part", of(53.5, 60.0), part, true),
        ("nine tenths are all", of(54.5, 60.0), whole, true),
        (
            "what does not fall",
            vec![curves("recovery", flat)],
            stated!(Rest { .. }),
            false,
        ),
    ]);
}

#[test]
fn durable_writes_are_a_database_s() {
    let good = stated!(Statement::Suits(Suits::Database { .. }));
    let bad = stated!(Statement::Beware(Beware::SlowCommits { .. }));
    check(vec![
        ("quick", vec![commits(500_000.0)], good, true),
        ("not quick", vec![commits(500_001.0)], good, false),
        ("not slow", vec![commits(1_999_999.0)], bad, false),
        ("slow", vec![commits(2_000_000.0)], bad, true),
    ]);
}

#[test]
fn a_server_that_reads_needs_reads_and_no_mix_that_costs() {
    let good = stated!(Statement::Suits(Suits::ReadServer { .. }));
    let of = |iops, mix| vec![small_reads(9e4, iops), mixed(Sequential, 500.0, mix, 300.0)];
    check(vec![
        ("enough", of(75_000.0, 300.0), good, true),
        ("too few", of(74_999.0, 300.0), good, false),
        ("a mix that costs", of(75_000.0, 224.0), good, false),
        (
            "weak writes",
            [of(75_000.0, 300.0), vec![lasting(60.0, 4e3)]].concat(),
            good,
            false,
        ),
    ]);
}

#[test]
fn there_is_something_to_beware_of() {
    let mix = stated!(Statement::Beware(Beware::Mix { .. }));
    let hole = stated!(Statement::Beware(Beware::Deletion { .. }));
    let end = stated!(Statement::Beware(Beware::EarlyEnd { .. }));
    const TB: u64 = 1_000_000_000_000;
    check(vec![
        (
            "mixing costs",
            vec![mixed(Sequential, 500.0, 224.0, 300.0)],
            mix,
            true,
        ),
        (
            "as turns do",
            vec![mixed(Sequential, 500.0, 225.0, 300.0)],
            mix,
            false,
        ),
        (
            "at random",
            vec![mixed(Random, 500.0, 149.0, 300.0)],
            mix,
            true,
        ),
        (
            "reads wait for programs",
            vec![mixed(Random, 500.0, 150.0, 300.0)],
            mix,
            false,
        ),
        ("a hole", vec![deletion(100_000_000, 8_999.0)], hole, true),
        (
            "not noticed",
            vec![deletion(99_999_999, 8_999.0)],
            hole,
            false,
        ),
        (
            "no slower second",
            vec![deletion(100_000_000, 9_000.0)],
            hole,
            false,
        ),
        (
            "early",
            vec![worn_out(99 * TB, EnduranceEnd::Refused)],
            end,
            true,
        ),
        (
            "rated",
            vec![worn_out(100 * TB, EnduranceEnd::Refused)],
            end,
            false,
        ),
        (
            "goes on",
            vec![worn_out(99 * TB, EnduranceEnd::Budget)],
            end,
            false,
        ),
    ]);
}

#[test]
fn what_spreads_by_three_is_uneven() {
    let uneven = stated!(Statement::Beware(Beware::Uneven { .. }));
    let surges = |high: f64| {
        let rate = move |_, t: f64| {
            if (t as u64).is_multiple_of(2) {
                10_000.0
            } else {
                high
            }
        };
        vec![curves(
            "degradation",
            vec![sampled(4_000, rate, |_, _| 1.0)],
        )]
    };
    check(vec![
        ("surges", surges(30_100.0), uneven, true),
        ("even", surges(29_900.0), uneven, false),
    ]);
}

#[test]
fn rivals_are_ahead_level_or_behind() {
    let of = |read, write| {
        all_of(&{
            let mut review = review(vec![sequential(read, write)]);
            review
                .rivals
                .push(rival("Other", vec![sequential(400.0, 400.0)]));
            review
        })
    };
    let standing = |read, write| {
        let found = of(read, write).into_iter();
        let mut found = found.filter_map(|statement| match statement {
            Statement::Standing { standing, .. } => Some(standing),
            _ => None,
        });
        found.next().unwrap()
    };
    assert_eq!(standing(408.0, 392.2), Standing::Level);
    assert!(matches!(
        standing(408.1, 400.0),
        Standing::Ahead {
            throughout: false,
            most: (Group::Reads, _)
        }
    ));
    assert!(matches!(
        standing(421.0, 500.0),
        Standing::Ahead {
            throughout: true,
            most: (Group::Writes, _)
        }
    ));
    assert!(matches!(
        standing(400.0, 392.1),
        Standing::Behind {
            throughout: false,
            most: (Group::Writes, _)
        }
    ));
    assert!(matches!(
        standing(380.0, 300.0),
        Standing::Behind {
            throughout: true,
            most: (Group::Writes, _)
        }
    ));
    assert!(matches!(
        standing(500.0, 200.0),
        Standing::Mixed {
            ahead: (Group::Reads, _),
            behind: (Group::Writes, _)
        }
    ));
}

#[test]
fn what_lies_within_the_intervals_is_level() {
    // A mean of 400 and 440 MB/s, each of three repetitions with the given scatter.
    let standing = |scatter: f64| {
        let repeated = |speed: f64| {
            let mut all = sequential(speed, 1.0).points()[..1].to_vec();
            all[0].repeated_iops = vec![speed - scatter, speed, speed + scatter];
            vec![points("sequential", all)]
        };
        let mut review = review(repeated(440.0));
        review.rivals.push(rival("Other", repeated(400.0)));
        all_of(&review).swap_remove(0)
    };
    // 9.5 % apart; at 9 MB/s the half widths are 5.1 and 5.6 %, together 7.6 %.
    let level = stated!(Statement::Standing {
        standing: Standing::Level,
        ..
    });
    assert!(!level(&standing(9.0)), "{:?}", standing(9.0));
    assert!(level(&standing(13.0)), "{:?}", standing(13.0));
}

#[test]
fn of_several_rivals_one_that_leads_by_a_factor_is_named() {
    let named = |write, rivals: usize| {
        let mut review = review(vec![sequential(400.0, 200.0)]);
        for at in 0..rivals {
            let speed = if at == 1 { write } else { 200.0 };
            let title = format!("Other {at}");
            review
                .rivals
                .push(rival(&title, vec![sequential(400.0, speed)]));
        }
        all_of(&review)
            .into_iter()
            .find_map(|statement| match statement {
                Statement::Outlier { rival, area, .. } => Some((rival, area)),
                _ => None,
            })
    };
    assert_eq!(named(300.0, 3), Some(("Other 1".into(), Group::Writes)));
    assert_eq!(named(299.0, 3), None);
    assert_eq!(named(300.0, 1), None, "it is told as the only one");
}

/// Full reviews that combine the properties of drives.
fn full_reviews() -> Vec<Review> {
    let mut out = Vec::new();
    for (speeds, link) in [
        ((520.0, 510.0), "sata-6g"),
        ((520.0, 200.0), "sata-6g"),
        ((2_000.0, 900.0), "pcie-nvme, 3.0 x4"),
        ((200.0, 100.0), ""),
    ] {
        for latency_ns in if link.is_empty() { [3e5] } else { [9e4] } {
            for (gigabytes, end) in [(8.0, 4e3), (60.0, 12e3), (60.0, 7e3), (60.0, 39e3)] {
                for (idle, mix) in [(0.0, 100.0), (5.0, 300.0), (60.0, 100.0)] {
                    for rivals in [0, 1, 3] {
                        let tests = |factor: f64| {
                            vec![
                                sequential(speeds.0 * factor, speeds.1 / factor),
                                small_reads(latency_ns, 80e3 * factor),
                                mixed(Sequential, 500.0, mix, 300.0),
                                lasting(gigabytes, end),
                                recovery(idle, 60.0),
                                commits(if rivals == 1 { 3e6 } else { 1e5 }),
                            ]
                        };
                        let mut review = review(tests(1.0));
                        review.target.link = Link::of_interface(link);
                        let others = (0..rivals).map(|at| {
                            let factor = 1.0 + f64::from(at);
                            rival(&format!("Other {at}"), tests(factor))
                        });
                        review.rivals = others.collect();
                        out.push(review);
                    }
                }
            }
        }
    }
    out
}

fn sentences(text: &str) -> Vec<String> {
    let parts = text
        .split(". ")
        .map(|part| part.trim_end_matches('.').to_owned());
    parts.filter(|part| !part.is_empty()).collect()
}

#[test]
fn a_full_review_has_three_to_five_sentences_and_none_twice() {
    for review in full_reviews() {
        let found = verdict(&review);
        let said = sentences(&found.text());
        assert_eq!(said.len(), found.statements.len(), "{said:?}");
        assert!((3..=STATEMENTS_MAX).contains(&said.len()), "{said:?}");
        let mut once = said.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), said.len(), "{said:?}");
        // No sentence repeats a finding that is printed beside a chart.
        for finding in findings(&review) {
            for sentence in sentences(&finding.text) {
                assert!(!said.contains(&sentence), "{sentence}");
            }
        }
        assert_eq!(found.cautions, []);
    }
}

#[test]
fn nothing_is_said_of_what_was_not_measured() {
    let mut review = full_reviews().swap_remove(1);
    while !review.tests.is_empty() {
        let gone = review.tests.remove(0).id;
        for (statement, test_id) in verdict(&review).statements {
            assert_ne!(test_id, Some(gone.clone()), "{statement:?}");
        }
    }
    assert_eq!(verdict(&review).cautions, [Caution::NoTest]);
    // Nor from a test of which only a part was measured.
    let mut part = self::review(vec![sequential(520.0, 300.0)]);
    part.tests[0].left_out_points = 1;
    assert_eq!(verdict(&part).statements, []);
}

/// Writes that are twice as fast as reads of the same load were answered by the host's cache.
#[test]
fn what_the_host_s_cache_answered_is_not_praised() {
    let of = |kind: TargetKind, write: f64| {
        let mut review = review(vec![sequential(300.0, write), small_reads(9e4, 8e4)]);
        review.target.kind = kind;
        review
    };
    let told = stated!(Statement::Sequential { .. });
    let figures = |found: &Verdict| {
        let all = found.headlines.iter();
        let all = all.filter(|one| one.test_id == "sequential");
        all.map(|one| one.values.clone()).collect::<Vec<_>>()
    };
    for (kind, write, cached) in [
        (TargetKind::File, 600.0, true),
        (TargetKind::File, 400.0, false),
        (TargetKind::Simulated, 600.0, false),
    ] {
        let found = of(kind, write);
        assert_eq!(all_of(&found).iter().any(told), !cached, "{kind:?} {write}");
        let found = verdict(&found);
        let is_doubt = |caution: &Caution| matches!(caution, Caution::Doubted(_));
        let is_doubted = found.cautions.iter().any(is_doubt);
        assert_eq!(is_doubted, cached, "{kind:?} {write}");
        assert_eq!(figures(&found).is_empty(), cached, "{kind:?} {write}");
    }
    let mut beside = of(TargetKind::Simulated, 300.0);
    let mut other = rival("Other", of(TargetKind::File, 600.0).tests);
    other.target.kind = TargetKind::File;
    beside.rivals.push(other);
    let found = verdict(&beside);
    let said = found.cautions_text();
    assert!(said.contains("of Title of sequential (Other) (see the warning)"));
    let figures = figures(&found);
    assert!(!figures.is_empty());
    assert!(figures.iter().all(|values| values[1].is_none()));
}

#[test]
fn a_drive_is_called_by_its_model_or_its_path() {
    let said = |title: &str| {
        let mut review = review(vec![sequential(300.0, 300.0)]);
        review.target.kind = TargetKind::BlockDevice;
        review.target.title = title.to_owned();
        verdict(&review).text()
    };
    assert!(said("Vendor 256 GB").starts_with("The Vendor 256 GB "));
    assert!(said("/dev/loop0").starts_with("/dev/loop0 "));
}

#[test]
fn of_a_shortened_run_only_what_it_supports_is_said() {
    let mut review = review(vec![sequential(520.0, 300.0), lasting(60.0, 4e3)]);
    review.target.capacity_bytes = 1_000_000_000_000;
    let lasting = stated!(Statement::Lasting { .. });
    assert!(all_of(&review).iter().any(lasting));
    review.duration_scale = 0.1;
    let found = verdict(&review);
    assert!(!all_of(&review).iter().any(lasting));
    let [Caution::Scaled(scale), Caution::Spoiled(tests)] = found.cautions.as_slice() else {
        panic!("{:?}", found.cautions);
    };
    assert_eq!((*scale, tests[0].test_id.as_str()), (0.1, "degradation"));
    let said = found.cautions_text();
    assert!(said.contains("multiplied by 0.1, and"), "{said}");
    assert!(
        said.contains("of Title of degradation (120 GB of 1 TB were written) are given"),
        "{said}"
    );
}

#[test]
fn a_rival_that_a_shortened_run_spoils_is_not_set_beside() {
    let standing = |capacity_bytes: u64| {
        let mut review = review(vec![lasting(60.0, 4e3)]);
        review.duration_scale = 0.1;
        let mut other = rival("Other", vec![lasting(60.0, 8e3)]);
        other.target.capacity_bytes = capacity_bytes;
        review.rivals.push(other);
        all_of(&review)
            .iter()
            .any(stated!(Statement::Standing { .. }))
    };
    // 180 GB are written.
    assert!(standing(100_000_000_000) && !standing(200_000_000_000));
}

#[test]
fn cautions_name_links_missing_tests_and_unlike_rivals() {
    let mut review = review(vec![sequential(520.0, 300.0)]);
    let slow = fact(
        FactId::SlowLink.name(),
        "SATA, 3.0 Gbps, and the drive could do 6.0 Gbps",
    );
    // Printed once, although a device has the fact both as target and as environment; a file only
    // as environment.
    review.target.facts.push(slow.clone());
    review.environment.push(slow.clone());
    review.complete = false;
    review.failed.push(FailedTest {
        id: "random".into(),
        error: "killed".into(),
    });
    let mut other = rival("Other", vec![sequential(400.0, 300.0)]);
    other.target = TargetInfo {
        kind: TargetKind::BlockDevice,
        facts: vec![slow],
        ..other.target
    };
    review.rivals.push(other);
    let link = "SATA, 3.0 Gbps, and the drive could do 6.0 Gbps".to_owned();
    assert_eq!(
        verdict(&review).cautions,
        [
            Caution::SlowLink(NAME.into(), link.clone().into()),
            Caution::SlowLink("Other".into(), link.into()),
            Caution::Unfinished(vec!["random".into()]),
            Caution::UnlikeRivals(vec!["Other".into()]),
        ]
    );
}

/// One of each statement, with any figures.
fn each_statement() -> Vec<Review> {
    let mut reviews = full_reviews();
    for read in [200.0, 500.0, 700.0] {
        let mut one = review(vec![sequential(read, 100.0)]);
        one.target.link = None;
        one.target.kind = TargetKind::File;
        reviews.push(one);
    }
    for latency_ns in [9e4, 15e4, 18e4, 25e4] {
        reviews.push(review(vec![small_reads(latency_ns, 1e4)]));
    }
    for (own, other) in [(1.0, 1.0), (1.0, 3.0), (3.0, 1.0), (1.0, 1.2), (1.2, 1.0)] {
        for count in [1, 2] {
            for both in [false, true] {
                let of = |f: f64| vec![sequential(300.0 * f, if both { 300.0 * f } else { 300.0 })];
                let mut one = review(of(own));
                one.rivals = vec![rival("Other", of(other)); count];
                reviews.push(one);
            }
        }
    }
    for (idle, trim) in [
        (0.0, 0.0),
        (0.0, 5.0),
        (0.0, 60.0),
        (5.0, 5.0),
        (5.0, 60.0),
        (9.0, 60.0),
        (60.0, 60.0),
    ] {
        reviews.push(review(vec![recovery(idle, trim)]));
    }
    let mut without = recovery(0.0, 0.0);
    let two = without.curves().len() - 1;
    without.results = Some(Results::Curve(without.curves()[..two].to_vec()));
    reviews.push(review(vec![without]));
    reviews.push(review(vec![mixed(Random, 500.0, 100.0, 300.0)]));
    let surges = |_, t: f64| [10_000.0, 90_000.0][t as usize % 2];
    let surges = sampled(4_000, surges, |_, _| 1.0);
    reviews.push(review(vec![curves("degradation", vec![surges])]));
    for rate in [4e3, 7e3, 20e3] {
        let level = sampled(8_000, move |_, _| rate, |_, _| 1.0);
        reviews.push(review(vec![curves("degradation", vec![level])]));
        let steps = move |w, _| match w / GB {
            w if w < 2.0 => 90_000.0,
            w if w < 60.0 => 40_000.0,
            _ => rate,
        };
        let steps = sampled(4_000, steps, |_, _| 1.0);
        reviews.push(review(vec![curves("degradation", vec![steps])]));
    }
    reviews.push(review(vec![mixed(Sequential, 500.0, 100.0, 300.0)]));
    reviews.push(review(vec![deletion(500_000_000, 10.0)]));
    reviews.push(review(vec![worn_out(1 << 40, EnduranceEnd::Refused)]));
    reviews.push(review(Vec::new()));
    let mut incomplete = review(vec![sequential(500.0, 100.0)]);
    incomplete.complete = false;
    reviews.push(incomplete);
    reviews.push(review(vec![sequential_at(1, 300.0, 300.0)]));
    let mut cached = review(vec![sequential(300.0, 600.0)]);
    cached.target.kind = TargetKind::File;
    cached.tests[0].title = "Последовательный доступ".into();
    reviews.push(cached);
    reviews
}

/// Latin words that Russian sentences contain: names, terms and units that are not translated.
const KEPT: [&str; 9] = [
    "Vendor", "GB", "Other", "SATA", "PCIe", "TRIM", "IOPS", "SLC", "SSD",
];

#[test]
fn both_languages_say_every_statement() {
    let mut russian = 0;
    for review in each_statement() {
        let said = |language| {
            within(language, || {
                let found = verdict(&review);
                [found.text(), found.cautions_text()].join(" ")
            })
        };
        for (language, text) in Language::ALL.map(|language| (language, said(language))) {
            assert!(!text.contains(['{', '}']), "{text}");
            assert!(!text.contains("  ") || text.trim().is_empty(), "{text:?}");
            assert!(
                text.trim().is_empty() || text.trim_end().ends_with('.'),
                "{text}"
            );
            for sentence in sentences(text.trim()) {
                let first = sentence.chars().find(|c| c.is_alphabetic()).unwrap();
                assert!(first.is_uppercase(), "{sentence}");
            }
            if language == Language::Russian {
                let latin = text.split(|c: char| !c.is_ascii_alphabetic());
                let latin = latin.filter(|word| !word.is_empty() && !KEPT.contains(word));
                assert_eq!(latin.collect::<Vec<_>>(), [""; 0], "{text}");
                russian += usize::from(!text.trim().is_empty());
            }
        }
    }
    assert!(russian > 100, "{russian}");
}
