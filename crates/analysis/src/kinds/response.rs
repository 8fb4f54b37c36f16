//! Reads while a file is deleted: their slowest second, the time until they are back to normal,
//! sentences and key figures.

use stend_language::{Text, message, text};
use stend_record::figure::FigureId;
use stend_record::review::{Response, ResponseInterval};

use super::{Kind, Named};
use crate::figures::Unit;
use crate::words;

/// The analysis of responses.
pub(super) const KIND: Kind = Kind {
    sentences: |test, _| sentences(test.responses()),
    lines: |test| test.responses().iter().map(line).collect(),
    key_figures: |test| key_figures(test.responses()),
};

/// Formats a response as a line for a terminal.
fn line(response: &Response) -> String {
    let line = text!(
        "response-line",
        name = Text::named("response", &response.name).to_string(),
        iops = words::fixed(response.reference_iops, 0),
        ms = words::fixed(response.latency_ns.max as f64 / 1e6, 2)
    );
    format!("  {line}\n")
}

/// Time over which a mean speed is judged, s.
pub const WINDOW_S: f64 = 1.0;

/// Least share of the reference speed at which a second is normal.
pub const NORMAL_SHARE: f64 = 0.9;

/// Time for which speed must stay normal, s, unless the measurement ends sooner.
pub const STAYS_S: f64 = 10.0;

/// Effect of a deletion on reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeletionEffect {
    /// The first instant after the deletion from which every second is normal for [`STAYS_S`], s; 0
    /// if no second was slower. `None` if reads do not come back to normal while they are measured.
    pub normal_after_s: Option<f64>,
    /// Speed of the slowest second after the deletion, IOPS.
    pub iops_lowest: f64,
}

/// Computes the effect of a deletion on reads; `None` if less than a second of them was measured
/// after it.
pub fn deletion_effect(response: &Response) -> Option<DeletionEffect> {
    let interval_s = response.interval_s;
    let begins_after = |i: &ResponseInterval| i.t_s - interval_s > -0.5 * interval_s;
    let after: Vec<f64> = response
        .intervals
        .iter()
        .filter(|i| begins_after(i))
        .map(|i| i.iops)
        .collect();
    let window = ((WINDOW_S / interval_s).round() as usize).max(1);
    let seconds: Vec<f64> = after
        .windows(window)
        .map(|w| w.iter().sum::<f64>() / window as f64)
        .collect();
    let iops_lowest = seconds.iter().copied().reduce(f64::min)?;
    let stays = (STAYS_S / interval_s).round() as usize;
    let is_normal = |iops: &f64| *iops >= NORMAL_SHARE * response.reference_iops;
    let from = (0..seconds.len()).find(|&i| {
        let until = seconds.len().min(i + stays + 1);
        seconds[i..until].iter().all(is_normal)
    });
    Some(DeletionEffect {
        normal_after_s: from.map(|i| i as f64 * interval_s),
        iops_lowest,
    })
}

/// Returns a sentence for each response, in their order.
fn sentences(responses: &[Response]) -> Vec<String> {
    responses.iter().filter_map(sentence).collect()
}

fn sentence(response: &Response) -> Option<String> {
    let found = deletion_effect(response)?;
    let (before, worst) = (
        words::latency(response.reference_latency_ns.max as f64),
        words::latency(response.latency_ns.max as f64),
    );
    let speed = words::number(response.reference_iops);
    let lowest = words::number(found.iops_lowest);
    let mut arguments = vec![
        (
            "name",
            Text::named("response", &response.name).to_string().into(),
        ),
        ("deleted", words::bytes(response.file_bytes).into()),
        ("speed", speed.into()),
        ("lowest", lowest.into()),
        ("worst", worst.into()),
        ("before", before.into()),
    ];
    let id = match found.normal_after_s {
        Some(0.0) => "response-as-before",
        Some(after_s) => {
            arguments.push(("time", words::time(after_s).into()));
            "response-back"
        }
        None => "response-not-back",
    };
    Some(message(id, &arguments))
}

fn key_figures(responses: &[Response]) -> Vec<Named> {
    let figure = |response: &Response| {
        let found = deletion_effect(response)?;
        let response = response.name.clone();
        let figure = FigureId::SlowestSecond { response };
        Some((figure, found.iops_lowest, Unit::Iops))
    };
    responses.iter().filter_map(figure).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A response with a second before the deletion and the given speeds after it, in intervals of
    /// 0.1 s.
    fn response(speeds: impl IntoIterator<Item = f64>) -> Response {
        let before = [1_000.0; 10];
        let intervals = before.into_iter().chain(speeds).enumerate();
        Response {
            name: "with TRIM".into(),
            interval_s: 0.1,
            intervals: intervals
                .map(|(i, iops)| ResponseInterval {
                    t_s: (i as f64 - 9.0) * 0.1,
                    iops,
                    ..ResponseInterval::default()
                })
                .collect(),
            reference_iops: 1_000.0,
            ..Response::default()
        }
    }

    fn speeds(parts: &[(usize, f64)]) -> Vec<f64> {
        let all = parts.iter().flat_map(|(n, iops)| vec![*iops; *n]);
        all.collect()
    }

    #[test]
    fn what_is_not_disturbed_is_normal_at_once() {
        let found = deletion_effect(&response(speeds(&[(300, 950.0)]))).unwrap();
        assert_eq!(found.normal_after_s, Some(0.0));
        assert!((found.iops_lowest - 950.0).abs() < 1e-9);
    }

    #[test]
    fn a_hole_ends_where_the_first_whole_second_is_normal() {
        // 3 s at a tenth: the second from 2.9 s still has a tenth of it, and its mean of 910 counts
        // as normal.
        let found = deletion_effect(&response(speeds(&[(30, 100.0), (270, 1_000.0)]))).unwrap();
        assert!((found.normal_after_s.unwrap() - 2.9).abs() < 1e-9);
        assert!((found.iops_lowest - 100.0).abs() < 1e-9);
    }

    #[test]
    fn what_does_not_last_is_not_normal() {
        // Fast for 5 s between two slow periods.
        let holes = speeds(&[(20, 0.0), (50, 1_000.0), (20, 0.0), (210, 1_000.0)]);
        let found = deletion_effect(&response(holes)).unwrap();
        assert!((found.normal_after_s.unwrap() - 8.9).abs() < 0.11);
        // A second slow period after more than ten seconds does not count.
        let holes = speeds(&[(20, 0.0), (150, 1_000.0), (20, 0.0), (110, 1_000.0)]);
        let found = deletion_effect(&response(holes)).unwrap();
        assert!((found.normal_after_s.unwrap() - 1.9).abs() < 0.11);
    }

    #[test]
    fn some_never_come_back_and_some_are_too_short() {
        let found = deletion_effect(&response(speeds(&[(300, 500.0)]))).unwrap();
        assert_eq!(found.normal_after_s, None);
        assert_eq!(deletion_effect(&response(speeds(&[(9, 1_000.0)]))), None);
    }
}
