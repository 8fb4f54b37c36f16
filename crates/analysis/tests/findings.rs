//! Findings in words from a review of known figures.

use crate::common;

use common::{GB, cached_tlc, curves, point, points, sampled, target, white};
use stend_analysis::{figure_name, findings, key_figures, labels};
use stend_language::{Language, within};
use stend_record::load::Load;
use stend_record::review::{
    Pattern, PointOp, Results, Review, Rival, RoundFigures, Rounds, Series, SteadyStart,
    TargetInfo, TargetKind, TestResult, Tracked,
};

fn review(tests: Vec<TestResult>) -> Review {
    common::review("Own", tests)
}

/// Returns the finding of a test.
fn text(review: &Review, id: &str) -> String {
    let found = findings(review);
    let titles: Vec<&str> = found.iter().map(|f| f.title.as_str()).collect();
    let title = format!("Title of {id}");
    let of_title: Vec<_> = found.iter().filter(|f| f.title == title).collect();
    assert_eq!(of_title.len(), 1, "`{title}` among {titles:?}");
    of_title[0].text.clone()
}

fn after(name: &str, gigabytes: f64, high: f64) -> Series {
    let rate = move |w, _| if w < gigabytes * GB { high } else { 4_500.0 };
    Series {
        name: name.into(),
        ..sampled(1200, rate, |_, _| 1.0)
    }
}

use PointOp::{Mixed, Read, Write};

fn sequential(read: f64, write: f64) -> TestResult {
    let mut both = vec![
        point(Read, 1_000_000, 1, 100, read),
        point(Write, 1_000_000, 1, 0, write),
    ];
    for point in &mut both {
        point.load.pattern = Pattern::Sequential;
    }
    points("sequential", both)
}

fn depths(figures: &[(u32, f64)]) -> TestResult {
    let all = figures.iter();
    points(
        "depth-scaling",
        all.map(|&(depth, iops)| point(Read, 4096, depth, 100, iops))
            .collect(),
    )
}

fn mixes(speeds: &[(u32, f64)]) -> TestResult {
    let all = speeds.iter();
    points(
        "mixed-sequential",
        all.map(|&(share, speed)| point(Mixed, 1_000_000, 1, share, speed))
            .collect(),
    )
}

#[test]
fn points_that_stand_alone() {
    let random = [
        (Read, 1, 8_000.0),
        (Read, 4, 30_456.0),
        (Write, 1, 19_932.0),
        (Write, 4, 24_370.0),
    ];
    let random = random.map(|(op, depth, iops)| point(op, 4096, depth, 100, iops));
    let review = review(vec![
        sequential(520.0, 260.0),
        points("random", random.into()),
    ]);
    assert_eq!(
        text(&review, "sequential"),
        "It reads at 520 MB/s and writes at 260 MB/s, 50 % of its reading speed."
    );
    assert_eq!(
        text(&review, "random"),
        "From queue depth 1 to 4 reads grow 3.81-fold and writes grow 1.22-fold. At queue depth 1 \
         a read takes 90 µs on average and 2 ms at the 99.9th percentile, a write 90 µs and 2 ms."
    );
}

#[test]
fn growth_over_the_depth() {
    let text_of = |figures: &[(u32, f64)]| text(&review(vec![depths(figures)]), "depth-scaling");
    for (figures, words) in [
        (
            [(1, 10_000.0), (4, 40_000.0), (8, 78_000.0), (32, 80_000.0)],
            "Reads grow 8-fold from depth 1 to depth 32 (10,000 to 80,000 IOPS); beyond depth 8 \
             they gain next to nothing.",
        ),
        (
            [(1, 10_000.0), (4, 20_000.0), (8, 30_000.0), (32, 40_000.0)],
            "Reads grow 4-fold from depth 1 to depth 32 (10,000 to 40,000 IOPS); they gain up to \
             the last step.",
        ),
        (
            [(1, 10_000.0), (4, 11_000.0), (8, 9_000.0), (32, 10_900.0)],
            "Reads hardly change from depth 1 to depth 32 (10,000 to 10,900 IOPS).",
        ),
        (
            [(1, 10_000.0), (4, 11_000.0), (8, 9_000.0), (32, 5_000.0)],
            "Reads fall to 50 % from depth 1 to depth 32 (10,000 to 5,000 IOPS).",
        ),
    ] {
        assert_eq!(text_of(&figures), words);
    }
}

#[test]
fn what_small_requests_cost() {
    let test = |small| {
        let all = vec![
            point(Write, 512, 4, 0, small),
            point(Write, 4096, 4, 0, 20_000.0),
        ];
        text(&review(vec![points("block-scaling", all)]), "block-scaling")
    };
    for (small, cost) in [
        (1_000.0, "20 times as much as"),
        (20_500.0, "as much as"),
        (40_000.0, "50 % of"),
    ] {
        let words = test(small);
        let start = format!("A write of 512 B costs {cost} one of 4 KiB (");
        assert!(words.starts_with(&start), "{words}");
        assert!(words.ends_with("With 4 KiB it writes at 81.9 MB/s."));
    }
}

#[test]
fn a_mix_is_judged_by_both_pure_loads() {
    let text_of = |speeds: &[(u32, f64)]| text(&review(vec![mixes(speeds)]), "mixed-sequential");
    assert_eq!(
        text_of(&[(0, 300.0), (50, 150.0), (80, 200.0), (100, 500.0)]),
        "At 80 % reads it moves 200 MB/s. Mixing costs: 150 MB/s at 50 % reads, against 500 MB/s \
         for reads alone and 300 MB/s for writes alone."
    );
    // Slower than reads alone by half, but not slower than the slower of the two.
    assert_eq!(
        text_of(&[(0, 250.0), (50, 240.0), (80, 300.0), (100, 500.0)]),
        "At 80 % reads it moves 300 MB/s. No mix falls behind both pure loads: 500 MB/s for reads \
         alone and 250 MB/s for writes alone."
    );
    assert_eq!(
        text_of(&[(20, 250.0), (50, 240.0), (60, 300.0)]),
        "It is slowest at 50 % reads, with 240 MB/s."
    );
}

#[test]
fn unknown_tests_are_judged_by_what_they_vary() {
    let mut test = mixes(&[(0, 300.0), (50, 150.0), (100, 500.0)]);
    test.id = "other".into();
    let found = findings(&review(vec![test]));
    assert!(found[0].text.starts_with("Mixing costs: "), "{found:?}");
}

fn both_curves() -> Vec<TestResult> {
    let fresh = sampled(7200, cached_tlc, |_, _| 1.0);
    let after_rest = vec![
        fresh.clone(),
        after("after idle", 2.3, 41_000.0),
        after("after TRIM", 30.0, 30_000.0),
    ];
    vec![
        curves("degradation", vec![fresh]),
        curves("recovery", after_rest),
    ]
}

fn assert_all(text: &str, words: &[&str]) {
    for words in words {
        assert!(text.contains(words), "`{words}` is not in: {text}");
    }
}

#[test]
fn sustained_writing_and_recovery() {
    let review = review(both_curves());
    assert_all(
        &text(&review, "degradation"),
        &[
            "It passes through 5 stretches: 45 min at 21,000 IOPS, 40 min from 20,200 to 5,020 \
             IOPS, 34 min at 4,740 IOPS, 60.2 s at 30,000 IOPS and 3.6 s at 41,000 IOPS.",
            "It starts at 41,000 IOPS and ends at 4,600 IOPS, 11 % of that, after 1.48 times its \
             capacity. In its longest stretch nine tenths of the samples are alike.",
        ],
    );
    assert_all(
        &text(&review, "recovery"),
        &[
            "Fresh it starts at 41,",
            " GB before it falls. After idle it starts as fast (41,",
            "but falls after 2.3 GB, 0.9 % of the fresh volume. After TRIM it starts at 30,",
            " IOPS, 73 % of the fresh speed, and falls after 30 GB, 12 % of the fresh volume.",
        ],
    );
    let fast = key_figures(&review.tests);
    let fast = fast
        .iter()
        .find(|f| figure_name(&f.figure) == "After idle: fast writes");
    assert!((fast.unwrap().value / GB - 2.3).abs() < 0.05);
}

#[test]
fn a_level_curve_holds_its_speed() {
    let level = sampled(1200, |_, _| 20_000.0, white(1, 0.2));
    let written = level.samples.last().unwrap().written_bytes;
    let mut review = review(vec![curves("degradation", vec![level])]);
    review.target.capacity_bytes = written / 2;
    let words = text(&review, "degradation");
    assert_all(
        &words,
        &[
            "from beginning to end. It holds its speed: it starts at 18,000 IOPS and ends at \
             19,900 IOPS, 110 % of that, after 2 times its capacity. From sample to sample it \
             scatters: in its longest stretch nine tenths of the samples lie between 13,100 and \
             26,700 IOPS.",
        ],
    );
}

#[test]
fn the_share_of_the_end_is_of_the_start_and_the_end_told() {
    // Samples alternate, so the median of the first five lies a fifth above their mean.
    let rate = |_, t: f64| if t < 300.0 { 20_000.0 } else { 10_000.0 };
    let alternating = |sample: usize, _: f64| if sample.is_multiple_of(2) { 1.2 } else { 0.8 };
    let curve = curves("degradation", vec![sampled(1200, rate, alternating)]);
    let said = text(&review(vec![curve]), "degradation");
    let told = said.contains("at 20,000 IOPS until") && said.contains("at 10,000 IOPS");
    assert!(told, "{said}");
    let ends = said.contains("It starts at 24,000 IOPS and ends at 10,000 IOPS, 42 % of that");
    assert!(ends, "{said}");
}

#[test]
fn a_speed_is_held_once_twice_the_capacity_is_written() {
    let level = sampled(1200, |_, _| 20_000.0, |_, _| 1.0);
    let written = level.samples.last().unwrap().written_bytes;
    let mut review = review(vec![curves("degradation", vec![level])]);
    for (capacity_bytes, held) in [(written / 2, true), (written / 2 + 1, false)] {
        review.target.capacity_bytes = capacity_bytes;
        let said = text(&review, "degradation");
        assert_eq!(said.contains("holds its speed"), held, "{said}");
        assert!(said.contains("ends at 20,000 IOPS, 100 % of that, after 2 times its capacity"));
        let verdict = stend_analysis::verdict::verdict(&review).text();
        assert_eq!(verdict.contains("hardly slows it down"), held, "{verdict}");
    }
}

#[test]
fn of_few_samples_neither_levels_nor_lasting_writes_are_told() {
    let said = |count: usize| {
        let mut series = sampled(1200, |_, _| 20_000.0, |_, _| 1.0);
        let from = series.samples.len() - count;
        series.samples.drain(..from);
        let mut review = review(vec![curves("degradation", vec![series])]);
        review.target.capacity_bytes = 1_000_000_000;
        let verdict = stend_analysis::verdict::verdict(&review).text();
        (text(&review, "degradation"), verdict)
    };
    for (count, end) in [
        (1, "one sample is too few to tell more."),
        (9, "9 samples are too few to tell more."),
    ] {
        let (said, verdict) = said(count);
        let wanted = format!("It writes at 20,000 IOPS on average; {end}");
        assert_eq!((said.as_str(), verdict.as_str()), (wanted.as_str(), ""));
    }
    let (said, verdict) = said(10);
    assert!(said.contains("holds its speed"), "{said}");
    assert!(verdict.contains("hardly slows it down"), "{verdict}");
}

#[test]
fn many_stretches_are_not_told_one_by_one() {
    let rate = |_, t: f64| 40_000.0 * 0.6f64.powf((t / 600.0).floor());
    let words = text(
        &review(vec![curves(
            "degradation",
            vec![sampled(4800, rate, white(1, 0.01))],
        )]),
        "degradation",
    );
    assert_all(
        &words,
        &[
            "passes through 8 stretches: 10 min at 40,000 IOPS, ",
            "10 min at 5,190 IOPS and 3 others.",
        ],
    );
}

#[test]
fn all_or_nothing_comes_back() {
    let fresh = sampled(
        1200,
        |_, t| if t < 100.0 { 40_000.0 } else { 5_000.0 },
        |_, _| 1.0,
    );
    let series = |name: &str, series: &Series| Series {
        name: name.into(),
        ..series.clone()
    };
    let all = vec![
        fresh.clone(),
        after("after idle", 0.0, 0.0),
        series("after TRIM", &fresh),
        series(
            "after an erase",
            &sampled(1200, |_, _| 30_000.0, |_, _| 1.0),
        ),
    ];
    let review = review(vec![curves("recovery", all)]);
    assert_all(
        &text(&review, "recovery"),
        &[
            "After idle nothing comes back: it goes on at 4,",
            "After TRIM it is as fresh: it starts at ",
            "After an erase it writes more (147 GB without falling), but starts at 30,",
        ],
    );
}

#[test]
fn rivals_stand_in_the_test_that_they_are_compared_in() {
    let mut review = review(vec![
        sequential(520.0, 300.0),
        depths(&[(1, 5e3), (4, 9e3)]),
    ]);
    review.rivals.push(Rival {
        target: target("Faster"),
        tests: vec![sequential(515.0, 450.0)],
        unfinished: Vec::new(),
    });
    assert_all(
        &text(&review, "sequential"),
        &[
            " It leads or is level in “read”; not so in “write”, where Faster reaches 450 \
             MB/s, 1.5 times as much.",
        ],
    );
    assert!(!text(&review, "depth-scaling").contains("Faster"));
    review.rivals.push(Rival {
        target: TargetInfo {
            kind: TargetKind::BlockDevice,
            name: "/dev/x".into(),
            ..target("Faster")
        },
        tests: vec![sequential(400.0, 200.0), depths(&[(1, 5e3), (4, 18e3)])],
        unfinished: Vec::new(),
    });
    assert_eq!(
        labels(&review),
        ["Own", "Faster (Faster)", "Faster (/dev/x)"]
    );
    assert_all(
        &text(&review, "sequential"),
        &[
            " It leads or is level in “read”; not so in “write”, where Faster (Faster) \
             reaches 450 MB/s, 1.5 times as much.",
        ],
    );
    assert_all(
        &text(&review, "depth-scaling"),
        &["Faster (/dev/x) reaches 18,000 IOPS, 2 times as much."],
    );
}

#[test]
fn without_figures_there_is_nothing_to_judge() {
    assert!(findings(&review(Vec::new())).is_empty());
    let hollow = vec![
        points("sequential", Vec::new()),
        curves("degradation", Vec::new()),
        curves("recovery", vec![after("fresh", 1.0, 1.0); 2]),
    ];
    let mut hollow = review(hollow);
    for series in hollow.tests[2].curves_mut() {
        series.samples.clear();
    }
    assert!(findings(&hollow).is_empty(), "{:?}", findings(&hollow));
}

#[test]
fn one_of_a_thing_is_no_plural() {
    let one = sampled(1, |_, _| 20_000.0, |_, _| 1.0);
    let lines = stend_analysis::kinds::lines(&curves("degradation", vec![one]));
    assert!(lines.contains(": 1 sample, "), "{lines}");
    let depths = |reads: f64, writes: f64| {
        let all = vec![
            point(Read, 4096, 1, 100, 1e4),
            point(Write, 4096, 1, 0, 1e4),
            point(Read, 4096, 4, 100, reads),
            point(Write, 4096, 4, 0, writes),
        ];
        text(&review(vec![points("random", all)]), "random")
    };
    let from = "From queue depth 1 to 4 reads";
    assert_all(
        &depths(3e4, 1e4),
        &[&format!("{from} grow 3-fold and writes hardly change.")],
    );
    assert_all(
        &depths(1e4, 5e3),
        &[&format!("{from} hardly change and writes fall to 50 %.")],
    );
}

#[test]
fn lines_of_a_terminal_name_the_direction_in_each_language() {
    let of = |language| {
        let test = sequential(500.0, 400.0);
        within(language, || stend_analysis::kinds::lines(&test))
    };
    assert!(of(Language::English).contains("  read   "));
    let russian = of(Language::Russian);
    assert_all(&russian, &["  чтение ", "\n  запись "]);
    assert!(!russian.contains("смешанная"), "{russian}");
}

#[test]
fn a_steady_start_is_told_with_its_test() {
    let start = |reached| SteadyStart {
        state: "clean-steady".into(),
        load: Load::write(Pattern::Random, 4096, 32),
        round_s: 60.0,
        rounds: 8,
        written_bytes: 19_700_000_000,
        reached,
        iops_mean: 10_000.0,
        spread_share: 0.08,
        drift_share: -0.03,
    };
    let said = |starts: Vec<SteadyStart>| {
        let mut test = sequential(500.0, 400.0);
        test.steady_starts = starts;
        text(&review(vec![test]), "sequential")
    };
    let reached = "It starts from steady state, reached after 8 rounds of 60 s (19.7 GB written).";
    assert_all(&said(vec![start(true)]), &[reached]);
    let not = "It does NOT start from steady state: 8 rounds of 60 s do not reach it.";
    assert_all(&said(vec![start(false), start(true)]), &[not]);
    assert!(!said(vec![]).contains("steady state"));
    assert_eq!(
        stend_analysis::steady::start_text(&start(true)).in_english(),
        "reached after 8 rounds of 60 s of random write, 4 KiB, queue depth 32 (19.7 GB in all), \
         at 10000 IOPS: over the last 5 rounds greatest less least is 8.0 % of the mean (at most \
         20 %), the rise of the line -3.0 % (at most 10 %)"
    );
}

#[test]
fn a_percentile_is_said_only_of_enough_requests() {
    let said = |requests: [u64; 2]| {
        let mut pair = [
            point(Read, 4096, 1, 100, 9e3),
            point(Write, 4096, 1, 0, 3e4),
        ];
        for (point, requests) in pair.iter_mut().zip(requests) {
            point.latency_ns.requests = requests;
        }
        let deep = [
            point(Read, 4096, 4, 100, 3e4),
            point(Write, 4096, 4, 0, 5e4),
        ];
        let all = pair.into_iter().chain(deep).collect();
        text(&review(vec![points("random", all)]), "random")
    };
    let end = |text: String| text.split(" takes ").nth(1).map(str::to_owned);
    let with = |slow: &str| Some(format!("90 µs on average and {slow}"));
    let starts = |requests, wanted: &str| {
        let said = end(said(requests)).unwrap();
        assert!(said.starts_with(&with(wanted).unwrap()), "{said}");
    };
    starts(
        [0, 0],
        "2 ms at the 99.9th percentile, a write 90 µs and 2 ms.",
    );
    starts(
        [10_000, 10_000],
        "2 ms at the 99.9th percentile, a write 90 µs and 2 ms.",
    );
    starts(
        [10_000, 9_999],
        "150 µs at the 99th percentile, a write 90 µs and 150 µs.",
    );
    assert_eq!(end(said([10_000, 19])), None);
    let mut few = points("random", vec![point(Read, 4096, 1, 100, 9.0)]);
    few.points_mut()[0].latency_ns.requests = 999;
    let line = stend_analysis::kinds::lines(&few);
    assert!(line.contains("p99        – µs"), "{line}");
}

#[test]
fn of_shortened_rounds_no_steady_state_is_told() {
    let of = |scale: f64, steady_sought: bool| {
        let figures = |iops: f64| RoundFigures {
            iops,
            bw_bytes_per_s: iops * 4096.0,
            latency_mean_ns: 32e9 / iops,
            latency_max_ns: 9_000_000,
        };
        let speeds = [1_600.0, 1_580.0, 1_560.0, 1_540.0, 1_520.0];
        let rounds = Rounds {
            loads: vec![Load::write(Pattern::Random, 4096, 32)],
            tracked: 0,
            figure: Tracked::Iops,
            load_s: 60.0,
            steady_sought,
            steady_from_round: None,
            written_bytes: 1_000_000_000,
            rounds: speeds.map(|iops| vec![figures(iops)]).into(),
        };
        let mut test = curves("write-saturation", Vec::new());
        test.results = Some(Results::Rounds(rounds));
        let mut all = review(vec![test]);
        all.duration_scale = scale;
        findings(&all)
    };
    for sought in [true, false] {
        assert_eq!(of(0.02, sought), []);
        let whole = of(1.0, sought);
        assert!(whole[0].text.contains("drifts by −5.1 %"), "{whole:?}");
    }
}

#[test]
fn a_shortened_run_gives_no_finding_that_needs_the_whole_time() {
    let of = |scale: f64, seconds: usize| {
        let fresh = sampled(seconds, |_, _| 10_000.0, |_, _| 1.0);
        let written = fresh.samples.last().unwrap().written_bytes;
        let mut all = review(vec![
            sequential(500e6, 400e6),
            curves("degradation", vec![fresh]),
        ]);
        all.duration_scale = scale;
        all.target.capacity_bytes = 10_000_000_000;
        (written, all)
    };
    let titles =
        |all: &Review| -> Vec<String> { findings(all).into_iter().map(|f| f.title).collect() };
    let both = ["Title of sequential", "Title of degradation"];
    // 40.96 MB a second: 244 s are less than 10 GB, 245 s are more.
    let (written, short) = of(0.1, 244);
    assert!(written < 10_000_000_000);
    assert_eq!(titles(&short), both[..1]);
    assert_eq!(titles(&of(0.1, 245).1), both);
    assert_eq!(titles(&of(1.0, 244).1), both);
}

#[test]
fn a_curve_that_stands_still_says_so_and_does_not_call_itself_even() {
    let rate = |_, t: f64| {
        if (600.0..622.0).contains(&t) {
            0.0
        } else {
            20_000.0
        }
    };
    let mut series = sampled(1200, rate, |_, _| 1.0);
    series.latency_ns.max = 22_360_000_000;
    let mut review = review(vec![curves("degradation", vec![series])]);
    review.target.capacity_bytes = 1_000_000_000;
    let said = text(&review, "degradation");
    assert!(!said.contains("holds its speed"), "{said}");
    assert_all(
        &said,
        &["It stands still for 22 s, up to 22 s at a time; the slowest request waits 22.4 s."],
    );
    assert!(
        !said.contains("hardly") && !said.contains("are alike"),
        "{said}"
    );
    let verdict = stend_analysis::verdict::verdict(&review);
    let words =
        "it stands still for 22 s in all, up to 22 s at a time, and one request waits 22.4 s";
    assert!(verdict.text().contains(words), "{}", verdict.text());
    let first = verdict.points().into_iter().find(|point| point.first);
    assert_eq!(first.map(|point| point.is_strength), Some(false));
    let mut series = sampled(1200, |_, _| 20_000.0, |_, _| 1.0);
    series.latency_ns.max = 999_000_000;
    review.tests = vec![curves("degradation", vec![series])];
    let said = text(&review, "degradation");
    let holds = said.contains("holds its speed");
    assert!(holds && !said.contains("stands still"), "{said}");
}

#[test]
fn a_device_that_hangs_has_no_speed_and_suits_nothing() {
    let quick = |max| {
        let mut point = point(Read, 4096, 1, 100, 1e9 / 60_000.0);
        point.latency_ns.mean = 60_000.0;
        point.latency_ns.max = max;
        review(vec![points("random", vec![point])])
    };
    let sound = quick(9_999_999_999);
    assert_eq!(findings(&sound).len(), 1);
    assert!(
        stend_analysis::verdict::verdict(&sound)
            .text()
            .contains("For a desktop")
    );
    let hung = quick(40_000_000_000);
    assert_eq!(findings(&hung), []);
    let verdict = stend_analysis::verdict::verdict(&hung);
    assert_eq!(
        verdict.text(),
        "Beware: one of its requests waits 40 s for an answer."
    );
    let warnings = stend_analysis::implausible(&hung);
    assert!(
        warnings[0]
            .1
            .to_string()
            .starts_with("a request waited 40 s")
    );
}
