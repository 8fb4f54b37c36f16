//! Recovery ladders: sentences about their rests, and key figures.

use stend_language::{say, text};
use stend_record::figure::FigureId;
use stend_record::review::Rung;

use super::{Kind, Named, curve};
use crate::figures::Unit;
use crate::words;

/// The analysis of recovery ladders.
pub(super) const KIND: Kind = Kind {
    sentences: |test, _| sentences(test.rungs()),
    lines: curve::lines,
    key_figures: |test| key_figures(test.rungs()),
};

/// Returns a sentence for the rests without TRIM and one for those with it, in measured order.
pub(crate) fn sentences(rungs: &[Rung]) -> Vec<String> {
    let of = |trim: bool| -> Vec<&Rung> { rungs.iter().filter(|r| r.trim == trim).collect() };
    let kinds = match rungs.first() {
        Some(first) => [first.trim, !first.trim],
        None => return Vec::new(),
    };
    kinds
        .into_iter()
        .filter_map(|trim| sentence(trim, &of(trim)))
        .collect()
}

fn sentence(trim: bool, rungs: &[&Rung]) -> Option<String> {
    let (shortest, longest) = (rungs.first()?, rungs.last()?);
    let trim = if trim { "yes" } else { "no" };
    let [short, long] = [shortest, longest].map(|rung| words::time(rung.idle_s));
    if rungs.iter().all(|r| r.recovered_bytes == 0) {
        return Some(text!("ladder-nothing", trim = trim, time = long));
    }
    let back = |rung: &Rung| match (rung.recovered_bytes, rung.fell) {
        (0, _) => say("ladder-back-nothing"),
        (bytes, true) => text!("ladder-back", bytes = words::bytes(bytes)),
        (bytes, false) => text!("ladder-back-least", bytes = words::bytes(bytes)),
    };
    let (first, last) = (back(shortest), back(longest));
    Some(match rungs.len() {
        1 => text!("ladder-one", trim = trim, short = short, first = first),
        _ => {
            let id = "ladder-two";
            text!(
                id,
                trim = trim,
                short = short,
                first = first,
                long = long,
                last = last
            )
        }
    })
}

fn key_figures(rungs: &[Rung]) -> Vec<Named> {
    let longest = |trim: bool| {
        let of = rungs.iter().filter(|r| r.trim == trim);
        of.max_by(|a, b| a.idle_s.total_cmp(&b.idle_s))
    };
    [false, true]
        .into_iter()
        .filter_map(longest)
        .map(|rung| {
            let curve = rung.name.clone();
            let figure = FigureId::FastWrites { curve };
            (figure, rung.recovered_bytes as f64, Unit::Bytes)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rung(idle_s: f64, trim: bool, recovered_bytes: u64, fell: bool) -> Rung {
        Rung {
            name: String::new(),
            idle_s,
            trim,
            iops_start: 1.0,
            recovered_bytes,
            fell,
        }
    }

    #[test]
    fn the_shortest_and_the_longest_rest_are_told() {
        let rungs = [
            rung(30.0, false, 0, true),
            rung(300.0, false, 500_000_000, true),
            rung(1800.0, false, 2_000_000_000, true),
            rung(30.0, true, 40_000_000_000, false),
        ];
        assert_eq!(
            sentences(&rungs),
            [
                "Without TRIM, a rest of 30 s recovers nothing, one of 30 min 2 GB of fast writes.",
                "With TRIM, a rest of 30 s recovers at least 40 GB of fast writes."
            ]
        );
        assert_eq!(
            sentences(&rungs[..1]),
            ["Without TRIM, no rest of up to 30 s recovers anything."]
        );
        assert!(sentences(&[]).is_empty());
    }
}
