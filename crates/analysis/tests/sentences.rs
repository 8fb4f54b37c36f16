//! Sentences of two hundred drawn reviews against their figures, computed here once more.

use crate::common::{self, curves, point, points, sampled, target, white};
use stend_analysis::findings;
use stend_analysis::steps::steps;
use stend_analysis::verdict::verdict;
use stend_base::Rng;
use stend_language::{Language, within};
use stend_record::review::{Link, Pattern, PointOp, Review, Rival, Series, TargetKind, TestResult};

/// A number between two bounds, all of whose magnitudes are as likely.
fn drawn(rng: &mut Rng, low: f64, high: f64) -> f64 {
    low * (high / low).powf(rng.unit_f64())
}

/// One sequential read and write, MB/s.
fn sequential(read: f64, write: f64) -> TestResult {
    let mut both = vec![
        point(PointOp::Read, 1_000_000, 2, 100, read),
        point(PointOp::Write, 1_000_000, 2, 0, write),
    ];
    for point in &mut both {
        point.load.pattern = Pattern::Sequential;
    }
    points("sequential", both)
}

/// A curve of one to six levels, with noise, and sometimes with seconds that stand still.
fn curve(rng: &mut Rng) -> Series {
    let count = 1 + (rng.unit_f64() * 6.0) as usize;
    let seconds = 600 + (rng.unit_f64() * 3_000.0) as usize;
    let levels: Vec<f64> = (0..count).map(|_| drawn(rng, 1_000.0, 90_000.0)).collect();
    let still_s = [0.0, 0.0, 3.0, 40.0][(rng.unit_f64() * 4.0) as usize];
    let still_from_s = (seconds as f64 * rng.unit_f64() * 0.8).floor();
    let rate = |_, t: f64| {
        let level = levels[(t / seconds as f64 * count as f64) as usize % count];
        match (still_from_s..still_from_s + still_s).contains(&t) {
            true => 0.0,
            false => level,
        }
    };
    let sigma = [0.0, 0.01, 0.1][(rng.unit_f64() * 3.0) as usize];
    let mut series = sampled(seconds, rate, white((rng.unit_f64() * 1e9) as u64, sigma));
    series.latency_ns.max = (still_s * 1e9) as u64;
    series
}

fn tests(rng: &mut Rng) -> Vec<TestResult> {
    let reads = [1, 32].map(|depth| {
        let iops = drawn(rng, 5_000.0, 90_000.0);
        point(PointOp::Read, 4096, depth, 100, iops)
    });
    vec![
        sequential(drawn(rng, 100.0, 555.0), drawn(rng, 100.0, 555.0)),
        points("random", reads.into()),
        curves("degradation", vec![curve(rng)]),
    ]
}

fn review(seed: u64) -> Review {
    let mut rng = Rng::stream(seed, "sentences");
    let mut review = common::review("Own", tests(&mut rng));
    review.target.capacity_bytes = drawn(&mut rng, 1e9, 1e12) as u64;
    review.target.link = Link::of_interface("sata-6g");
    for at in 0..seed % 4 {
        review.rivals.push(Rival {
            target: target(&format!("Rival {at}")),
            tests: tests(&mut rng),
            ..Rival::default()
        });
    }
    review
}

/// The value of a number as it is printed: `90,100`.
fn value(text: &str) -> f64 {
    let number = text.replace(',', "");
    number.parse().unwrap_or_else(|_| panic!("`{text}`"))
}

/// True if a figure with three significant digits is that of `of`.
fn shows(told: f64, of: f64) -> bool {
    (told - of).abs() <= 0.005_1 * of.abs()
}

/// Returns the text between two others.
fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let rest = &text[text.find(before)? + before.len()..];
    Some(&rest[..rest.find(after)?])
}

fn finding(review: &Review, id: &str) -> String {
    let found = findings(review).into_iter();
    let mut found = found.filter(|finding| finding.test_id == id);
    found.next().map(|finding| finding.text).unwrap_or_default()
}

/// The reviewed drive's curve.
fn own(review: &Review) -> &Series {
    &review.tests[2].curves()[0]
}

#[test]
fn both_ends_and_their_ratio_are_those_of_the_samples() {
    for seed in 0..200 {
        let review = review(seed);
        let series = own(&review);
        let said = finding(&review, "degradation");
        let mut first: Vec<f64> = series.samples[..5].iter().map(|s| s.iops).collect();
        first.sort_by(f64::total_cmp);
        let end_s = series.samples.len() as f64;
        let last = series.samples.iter().rev();
        let last: Vec<f64> = last
            .map(|s| s.iops)
            .take((end_s / 4.0).min(300.0).round() as usize)
            .collect();
        let (start, end) = (first[2], last.iter().sum::<f64>() / last.len() as f64);
        let told = between(&said, "starts at ", " IOPS").map(value);
        assert!(
            told.is_some_and(|told| shows(told, start)),
            "{seed}: {start}, {said}"
        );
        let told = between(&said, "and ends at ", " IOPS").map(value);
        assert!(
            told.is_some_and(|told| shows(told, end)),
            "{seed}: {end}, {said}"
        );
        let share = between(&said, &format!("and ends at {} IOPS, ", words(end)), " %").map(value);
        let near = share.is_some_and(|share| (share - 100.0 * end / start).abs() <= 0.51);
        assert!(near, "{seed}: {}, {said}", end / start);
    }
}

fn words(iops: f64) -> String {
    stend_analysis::words::number(iops)
}

#[test]
fn seconds_without_answer_are_told_exactly_where_there_are_some() {
    let mut stalls = 0;
    for seed in 0..200 {
        let review = review(seed);
        let still = own(&review)
            .samples
            .iter()
            .filter(|s| s.iops < 32.0)
            .count();
        let said = finding(&review, "degradation");
        let told = between(&said, "It stands still for ", " s");
        match still {
            0 => assert_eq!(told, None, "{seed}: {said}"),
            _ => assert_eq!(told.map(value), Some(still as f64), "{seed}: {said}"),
        }
        let first = verdict(&review)
            .points()
            .into_iter()
            .find(|point| point.first);
        assert_eq!(first.is_some(), still > 0, "{seed}");
        let praised = said.contains("hardly scatters") || said.contains("are alike");
        assert!(still == 0 || !praised, "{seed}: {said}");
        stalls += usize::from(still > 0);
    }
    assert!(
        (50..150).contains(&stalls),
        "{stalls} of 200 reviews stand still"
    );
}

#[test]
fn the_longest_stretch_is_told_with_its_speed() {
    for seed in 0..200 {
        let review = review(seed);
        let said = finding(&review, "degradation");
        let levels = steps(own(&review));
        let length = |level: &stend_analysis::steps::Level| level.to_s - level.from_s;
        let longest = levels
            .iter()
            .max_by(|a, b| length(a).total_cmp(&length(b)))
            .unwrap();
        let speeds = [longest.iops_mean, longest.iops_from, longest.iops_to];
        let told = speeds.iter().any(|speed| said.contains(&words(*speed)));
        assert!(told, "{seed}: {longest:?}, {said}");
    }
}

/// The reviewed drive's ratio to its best rival, in one figure.
fn ratio(review: &Review, of: impl Fn(&[TestResult]) -> f64) -> Option<f64> {
    let rivals = review.rivals.iter().map(|rival| of(&rival.tests));
    Some(of(&review.tests) / rivals.reduce(f64::max)?)
}

#[test]
fn the_verdict_and_the_sections_compare_with_the_best_rival() {
    let speed = |at: usize| move |tests: &[TestResult]| tests[0].points()[at].bw_bytes_per_s;
    for seed in (0..200).filter(|seed| seed % 4 > 0) {
        let review = review(seed);
        let [read, write] = [0, 1].map(|at| ratio(&review, speed(at)).unwrap());
        let said = finding(&review, "sequential");
        let level = said.contains("It is level with");
        let is_level = |ratio: f64| (ratio - 1.0).abs() <= 0.02;
        assert_eq!(level, is_level(read) && is_level(write), "{seed}: {said}");
        let headlines = verdict(&review).headlines;
        assert!(
            (headlines[0].ratio().unwrap() / read - 1.0).abs() < 1e-9,
            "{seed}"
        );
        assert!(
            (headlines[1].ratio().unwrap() / write - 1.0).abs() < 1e-9,
            "{seed}"
        );
        let leads = read.max(write) > 1.02 && read.min(write) >= 0.98;
        let lead = between(&said, "the widest lead is ", " in “");
        assert_eq!(lead.is_some(), leads, "{seed}: {said}");
        if let Some(percent) = lead.and_then(|lead| lead.strip_suffix(" %")) {
            let near = (value(percent) - 100.0 * (read.max(write) - 1.0)).abs() <= 0.51;
            assert!(near, "{seed}: {read} {write}, {said}");
        }
    }
}

#[test]
fn no_sentence_has_a_range_with_equal_ends() {
    for seed in 0..200 {
        let review = review(seed);
        for language in [Language::English, Language::Russian] {
            let said = within(language, || {
                let said = findings(&review).into_iter().map(|finding| finding.text);
                said.chain([verdict(&review).text()])
                    .collect::<Vec<_>>()
                    .join(" ")
            });
            for (from, to) in [(" to ", " "), (" and ", " "), (" до ", " "), (" и ", " ")] {
                for (at, _) in said.match_indices(from) {
                    let before = said[..at].rsplit(' ').next().unwrap_or_default();
                    let after = said[at + from.len()..].split(to).next().unwrap_or_default();
                    let is_number = before.starts_with(|c: char| c.is_ascii_digit());
                    assert!(!is_number || before != after, "{seed}: {before} in {said}");
                }
            }
        }
    }
}

/// A drive that begins fast for a short time keeps its second level for most of the fast writes:
/// the first is not what it keeps up.
#[test]
fn the_level_of_most_fast_writes_is_told() {
    let rate = |w: f64, _| match w / common::GB {
        w if w < 21.9 => 90_100.0,
        w if w < 508.0 => 73_490.0,
        w if w < 620.0 => 50_070.0,
        _ => 19_500.0,
    };
    let mut review = common::review(
        "Own",
        vec![curves(
            "degradation",
            vec![sampled(7_200, rate, |_, _| 1.0)],
        )],
    );
    review.target.capacity_bytes = 300_000_000_000;
    let said = verdict(&review).text();
    let wanted = "starts at 90,100 IOPS, runs at 73,500 IOPS for most of the first ";
    assert!(said.contains(wanted), "{said}");
}

/// A shortened review of a file: its figures are told with the scale, and what they do not support
/// is not told.
#[test]
fn shortened_reviews_of_files_say_so_and_contradict_no_figure() {
    let mut told = 0;
    for seed in 0..200 {
        let mut review = review(seed);
        let scale = [0.05, 0.5, 0.9][seed as usize % 3];
        review.duration_scale = scale;
        review.target.kind = TargetKind::File;
        let cautions = verdict(&review).cautions_text();
        let shortened = format!("every measurement was multiplied by {scale}");
        assert!(cautions.contains(&shortened), "{seed}: {cautions}");
        let said = finding(&review, "degradation");
        let series = own(&review);
        let mut first: Vec<f64> = series.samples[..5].iter().map(|s| s.iops).collect();
        first.sort_by(f64::total_cmp);
        if let Some(start) = between(&said, "starts at ", " IOPS").map(value) {
            assert!(shows(start, first[2]), "{seed}: {said}");
            told += 1;
        }
        let spoiled = cautions.contains("are given: the shortened run does not support them");
        assert!(!said.is_empty() || spoiled, "{seed}: {cautions}");
    }
    assert!(told > 20, "{told} of 200 have a finding");
}

/// A figure in which the drive is behind: the rival that is named is the best one, with its figure.
#[test]
fn the_widest_gap_is_that_to_the_best_rival() {
    let mut gaps = 0;
    for seed in (0..200).filter(|seed| seed % 4 > 0) {
        let review = review(seed);
        let said = finding(&review, "random");
        let Some(rest) = between(&said, "the widest gap is in “read, ", " IOPS") else {
            continue;
        };
        gaps += 1;
        let (load, rest) = rest.split_once("”, where ").unwrap();
        let (name, iops) = rest.split_once(" reaches ").unwrap();
        let at = usize::from(load == "depth 32");
        let iops_of = |tests: &[TestResult]| tests[1].points()[at].iops;
        let rivals = review.rivals.iter();
        let best = rivals
            .max_by(|a, b| iops_of(&a.tests).total_cmp(&iops_of(&b.tests)))
            .unwrap();
        assert_eq!(name, best.target.title, "{seed}: {said}");
        assert!(shows(value(iops), iops_of(&best.tests)), "{seed}: {said}");
        let [own, other] = [&review.tests, &best.tests].map(|tests| iops_of(tests));
        assert!(own < 0.98 * other, "{seed}: {said}");
    }
    assert!(gaps > 50, "{gaps} of 150 reviews tell a gap");
}
