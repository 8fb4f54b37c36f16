//! Findings in words, from figures.

use stend_record::review::{Point, PointOp, Review, Series, TestResult};

use crate::recovery::recovery;
use crate::steps::{Level, LevelKind, end_level, steps};
use crate::words;

/// What a review shows, as title and text, in the order of its tests; comparisons with
/// rivals last. Tests that are missing are passed over.
pub fn findings(review: &Review) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for test in &review.tests {
        match test.id.as_str() {
            "sequential" => sequential(test, &mut found),
            "random" => random(test, &mut found),
            "depth-scaling" => depth_scaling(test, &mut found),
            "block-scaling" => block_scaling(test, &mut found),
            "mixed-sequential" => mixed(test, &mut found),
            "degradation" => degradation(test, review.target.capacity_bytes, &mut found),
            "recovery" => after_rest(test, &mut found),
            _ => {}
        }
    }
    rivals(review, &mut found);
    found
}

type Found = Vec<(String, String)>;

fn add(found: &mut Found, title: &str, text: String) {
    found.push((title.to_owned(), text));
}

fn points(test: &TestResult, op: PointOp) -> Vec<&Point> {
    let all = test.points.as_deref().unwrap_or_default();
    all.iter().filter(|p| p.op == op).collect()
}

fn curve(test: &TestResult, index: usize) -> Option<&Series> {
    test.series.as_deref()?.get(index)
}

/// `a third`, in the form `1.8 times`.
fn times(ratio: f64) -> String {
    format!("{} times", words::number(ratio))
}

fn percent(share: f64) -> String {
    format!("{} %", words::number(share * 100.0))
}

fn sequential(test: &TestResult, found: &mut Found) {
    let of = |op| points(test, op).first().map(|p| p.bw_bytes_per_s);
    let text = match (of(PointOp::Read), of(PointOp::Write)) {
        (Some(read), Some(write)) => format!(
            "It reads at {} and writes at {}, {} of its reading speed.",
            words::speed(read),
            words::speed(write),
            percent(write / read)
        ),
        (Some(read), None) => format!("It reads at {}.", words::speed(read)),
        (None, Some(write)) => format!("It writes at {}.", words::speed(write)),
        (None, None) => return,
    };
    add(found, "Sequential speed", text);
}

fn random(test: &TestResult, found: &mut Found) {
    let mut sentences = Vec::new();
    for (op, verb) in [(PointOp::Read, "reads"), (PointOp::Write, "writes")] {
        let list: Vec<String> = points(test, op)
            .iter()
            .map(|p| {
                format!(
                    "{} IOPS at queue depth {} ({} on average, {} for 99.9 %)",
                    words::number(p.iops),
                    p.queue_depth,
                    words::latency(p.latency_ns.mean),
                    words::latency(p.latency_ns.p99_9 as f64)
                )
            })
            .collect();
        if !list.is_empty() {
            sentences.push(format!("Random {verb}: {}.", list.join(", ")));
        }
    }
    if !sentences.is_empty() {
        add(found, "Small requests", sentences.join(" "));
    }
}

fn depth_scaling(test: &TestResult, found: &mut Found) {
    for (op, title, verb) in [
        (PointOp::Read, "Reading at depth", "reads"),
        (PointOp::Write, "Writing at depth", "writes"),
    ] {
        let points = points(test, op);
        let (Some(first), Some(last)) = (points.first(), points.last()) else {
            continue;
        };
        if points.len() < 2 || first.iops <= 0.0 {
            continue;
        }
        let best = points.iter().map(|p| p.iops).fold(0.0, f64::max);
        let enough = points.iter().find(|p| p.iops >= 0.95 * best);
        let reached = enough.map_or(last.queue_depth, |p| p.queue_depth);
        let gain = if reached == last.queue_depth {
            "it gains up to the last step".to_owned()
        } else if reached == first.queue_depth {
            "depth gains it nothing".to_owned()
        } else {
            format!("beyond queue depth {reached} it gains next to nothing")
        };
        let text = format!(
            "Queue depth {} {verb} {} as many requests as depth {} ({} against {} IOPS); {gain}.",
            last.queue_depth,
            times(last.iops / first.iops),
            first.queue_depth,
            words::number(last.iops),
            words::number(first.iops),
        );
        add(found, title, text);
    }
}

fn block_scaling(test: &TestResult, found: &mut Found) {
    let mut sentences = Vec::new();
    for (op, name) in [(PointOp::Read, "Reads"), (PointOp::Write, "Writes")] {
        let points = points(test, op);
        let at = |bytes| points.iter().find(|p| p.block_bytes == bytes);
        if let (Some(small), Some(page)) = (at(512), at(4096)) {
            sentences.push(format!(
                "{name} of 512 B come {} as often as those of 4 KiB.",
                times(small.iops / page.iops)
            ));
        }
        if let (Some(last), true) = (points.last(), points.len() > 1) {
            sentences.push(format!(
                "With {} KiB it {} at {}.",
                last.block_bytes / 1024,
                name.to_lowercase(),
                words::speed(last.bw_bytes_per_s)
            ));
        }
    }
    if !sentences.is_empty() {
        add(found, "Request size", sentences.join(" "));
    }
}

fn mixed(test: &TestResult, found: &mut Found) {
    let points = points(test, PointOp::Mixed);
    let Some(lowest) = points
        .iter()
        .min_by(|a, b| a.bw_bytes_per_s.total_cmp(&b.bw_bytes_per_s))
    else {
        return;
    };
    let mut text = format!(
        "It is slowest at {} % reads, with {}",
        lowest.read_percent,
        words::speed(lowest.bw_bytes_per_s)
    );
    let at = |share| points.iter().find(|p| p.read_percent == share);
    if let Some(reads) = at(100).filter(|p| p.read_percent != lowest.read_percent) {
        let share = lowest.bw_bytes_per_s / reads.bw_bytes_per_s;
        text += &format!(", {} of its speed in reading alone", percent(share));
    }
    text.push('.');
    if let Some(usual) = at(80) {
        let speed = words::speed(usual.bw_bytes_per_s);
        text += &format!(" At four reads to one write it moves {speed}.");
    }
    add(found, "Reading and writing at once", text);
}

fn degradation(test: &TestResult, capacity_bytes: u64, found: &mut Found) {
    let Some(series) = curve(test, 0) else {
        return;
    };
    let levels = steps(series);
    let Some(end) = end_level(series) else {
        return;
    };
    add(found, "Sustained writing", steps_in_words(&levels, end));
    let mut scatter: Vec<&Level> = levels.iter().collect();
    scatter.sort_by(|a, b| (b.to_s - b.from_s).total_cmp(&(a.to_s - a.from_s)));
    if let Some(longest) = scatter.first() {
        let word = match longest.iops_scatter_percent {
            s if s < 5.0 => "hardly scatters",
            s if s < 15.0 => "scatters a little",
            s if s < 40.0 => "scatters",
            _ => "swings widely",
        };
        let drives = series.samples.last().map_or(0, |s| s.written_bytes) as f64
            / capacity_bytes.max(1) as f64;
        add(
            found,
            "Evenness",
            format!(
                "From second to second it {word}: by {} % over its longest stretch. In all, {} its capacity was written.",
                words::number(longest.iops_scatter_percent),
                times(drives)
            ),
        );
    }
}

fn steps_in_words(levels: &[Level], end: f64) -> String {
    let one = |(i, level): (usize, &Level)| {
        let until = if i + 1 == levels.len() {
            "to the end".to_owned()
        } else {
            format!(
                "until {} are written ({})",
                words::bytes(level.to_bytes),
                words::time(level.to_s)
            )
        };
        match level.kind {
            LevelKind::Level => format!("{} IOPS {until}", words::number(level.iops_mean)),
            LevelKind::Decline => format!(
                "a decline from {} to {} IOPS {until}",
                words::number(level.iops_from),
                words::number(level.iops_to)
            ),
            LevelKind::Rise => format!(
                "a rise from {} to {} IOPS {until}",
                words::number(level.iops_from),
                words::number(level.iops_to)
            ),
        }
    };
    let list: Vec<String> = levels.iter().enumerate().map(one).collect();
    let shape = match levels {
        [only] if only.kind == LevelKind::Level => "One level from beginning to end".to_owned(),
        _ => format!("{} stretches", levels.len()),
    };
    let mut text = format!("{shape}: {}.", list.join("; "));
    if let Some(first) = levels.first().filter(|l| l.iops_from > 0.0) {
        text += &format!(
            " It ends at {} IOPS, {} of where it started.",
            words::number(end),
            percent(end / first.iops_from)
        );
    }
    text
}

fn after_rest(test: &TestResult, found: &mut Found) {
    let Some(fresh) = curve(test, 0) else {
        return;
    };
    let Some(end) = end_level(fresh) else {
        return;
    };
    let by_name = |name: &str| {
        let all = test.series.as_deref().unwrap_or_default();
        all.iter().find(|s| s.name == name)
    };
    if let Some(rest) = by_name("after idle").and_then(|s| recovery(s, end)) {
        let text = match rest.bytes {
            0 => format!(
                "Idle minutes give nothing back: it goes on at {} IOPS, where it had ended.",
                words::number(rest.iops_initial)
            ),
            bytes => format!(
                "Idle minutes prepare {} of fast writes, at {} IOPS to begin with, {} of the end level.",
                words::bytes(bytes),
                words::number(rest.iops_initial),
                times(rest.iops_initial / end)
            ),
        };
        add(found, "Recovery at rest", text);
    }
    let trimmed = by_name("after TRIM").and_then(|s| recovery(s, end));
    if let (Some(trim), Some(new)) = (trimmed, recovery(fresh, end)) {
        let text = match trim.bytes {
            0 => "TRIM gives nothing back.".to_owned(),
            bytes => format!(
                "After TRIM it starts at {} IOPS, {} of the fresh drive's {}, and writes {} before it falls; fresh it was {}.",
                words::number(trim.iops_initial),
                percent(trim.iops_initial / new.iops_initial),
                words::number(new.iops_initial),
                words::bytes(bytes),
                words::bytes(new.bytes)
            ),
        };
        add(found, "Recovery by TRIM", text);
    }
}

/// One figure of a list of tests.
type Metric = (
    &'static str,
    fn(&[TestResult]) -> Option<f64>,
    fn(f64) -> String,
);

fn iops(value: f64) -> String {
    format!("{} IOPS", words::number(value))
}

const METRICS: [Metric; 6] = [
    (
        "Sequential read",
        |t| bandwidth(t, "sequential", PointOp::Read, None),
        words::speed,
    ),
    (
        "Sequential write",
        |t| bandwidth(t, "sequential", PointOp::Write, None),
        words::speed,
    ),
    (
        "Random read at queue depth 4",
        |t| random_iops(t, PointOp::Read),
        iops,
    ),
    (
        "Random write at queue depth 4",
        |t| random_iops(t, PointOp::Write),
        iops,
    ),
    (
        "Mixed at 80 % reads",
        |t| bandwidth(t, "mixed-sequential", PointOp::Mixed, Some(80)),
        words::speed,
    ),
    ("End of sustained random write", last_level, iops),
];

fn test<'t>(tests: &'t [TestResult], id: &str) -> Option<&'t TestResult> {
    tests.iter().find(|t| t.id == id)
}

fn bandwidth(tests: &[TestResult], id: &str, op: PointOp, share: Option<u32>) -> Option<f64> {
    points(test(tests, id)?, op)
        .iter()
        .find(|p| share.is_none_or(|s| p.read_percent == s))
        .map(|p| p.bw_bytes_per_s)
}

fn random_iops(tests: &[TestResult], op: PointOp) -> Option<f64> {
    points(test(tests, "random")?, op)
        .iter()
        .find(|p| p.queue_depth == 4)
        .map(|p| p.iops)
}

fn last_level(tests: &[TestResult]) -> Option<f64> {
    end_level(curve(test(tests, "degradation")?, 0)?)
}

/// Figures within this ratio are called level.
const LEVEL_RATIO: f64 = 1.05;

fn rivals(review: &Review, found: &mut Found) {
    for (name, metric, unit) in METRICS {
        let Some(own) = metric(&review.tests).filter(|v| *v > 0.0) else {
            continue;
        };
        let others: Vec<(&str, f64)> = review
            .rivals
            .iter()
            .filter_map(|r| Some((r.target.title.as_str(), metric(&r.tests)?)))
            .filter(|(_, value)| *value > 0.0)
            .collect();
        if others.is_empty() {
            continue;
        }
        let mut list: Vec<String> = Vec::new();
        for (title, value) in &others {
            let ratio = own / value;
            let verdict = if (1.0 / LEVEL_RATIO..=LEVEL_RATIO).contains(&ratio) {
                "level with".to_owned()
            } else if ratio > 1.0 {
                format!("{} % above", words::number((ratio - 1.0) * 100.0))
            } else {
                format!("{} % below", words::number((1.0 - ratio) * 100.0))
            };
            list.push(format!("{verdict} {title} ({})", unit(*value)));
        }
        let place = 1 + others
            .iter()
            .filter(|(_, v)| *v > own * LEVEL_RATIO)
            .count();
        let text = format!(
            "{}: {}. Place {place} of {}.",
            unit(own),
            list.join("; "),
            others.len() + 1
        );
        add(found, &format!("{name} against rivals"), text);
    }
}
