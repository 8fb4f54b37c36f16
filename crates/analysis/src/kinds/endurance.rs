//! Endurance, writing a drive until it refuses: sentences and key figures.

use stend_language::{message, say, text};
use stend_record::endurance::{Afterwards, Endurance, EnduranceEnd, EnduranceRound, Health};
use stend_record::figure::FigureId;
use stend_record::review::TestResult;

use super::{Kind, Named};
use crate::figures::Unit;
use crate::remaining::remaining_life;
use crate::words;

/// The analysis of endurance tests.
pub(super) const KIND: Kind = Kind {
    sentences: |test, capacity_bytes| {
        test.endurance()
            .map_or_else(Vec::new, |e| sentences(e, capacity_bytes))
    },
    lines: |test| test.endurance().map_or_else(String::new, line),
    key_figures: |test| key_figure(test).into_iter().collect(),
};

/// True if a round was written to its end. The last may not be; its figures then cover less.
pub fn is_whole(endurance: &Endurance, round: &EnduranceRound) -> bool {
    round.written_bytes >= endurance.round_bytes
}

/// Formats the outcome as a line for a terminal.
fn line(endurance: &Endurance) -> String {
    let mut arguments = vec![
        ("end", end_key(endurance).into()),
        ("written", words::bytes(endurance.written_bytes).into()),
        ("rounds", endurance.rounds_done().into()),
    ];
    let id = match endurance.rated_bytes {
        Some(rated) => {
            let share = endurance.written_bytes as f64 / rated as f64;
            arguments.push(("rated_number", words::number(share).into()));
            arguments.push(("rated", words::bytes(rated).into()));
            "endurance-line-rated"
        }
        None => "endurance-line",
    };
    format!("  {}\n", message(id, &arguments))
}

/// Returns the key of the outcome by which messages choose their text.
fn end_key(endurance: &Endurance) -> &'static str {
    match endurance.end {
        EnduranceEnd::Refused => "refused",
        EnduranceEnd::Budget => "budget",
        EnduranceEnd::Unfinished => "unfinished",
    }
}

/// Converts bytes over years to drive writes per day (DWPD), with three significant digits.
fn drive_writes_per_day(bytes: u64, capacity_bytes: u64, years: u32) -> String {
    const DAYS_PER_YEAR: f64 = 365.0;
    let days = f64::from(years) * DAYS_PER_YEAR;
    words::number(bytes as f64 / capacity_bytes.max(1) as f64 / days)
}

/// Describes the outcome, the speed of the rounds, the drive's health, and its state afterwards.
fn sentences(endurance: &Endurance, capacity_bytes: u64) -> Vec<String> {
    let mut out = vec![end(endurance, capacity_bytes)];
    out.extend(over_warranty(endurance, capacity_bytes));
    out.extend(speed(endurance));
    out.extend(latency(endurance));
    out.extend(health(endurance));
    out.extend(remaining(endurance));
    out.extend(amplification(endurance));
    out.extend(endurance.afterwards.map(|after| afterwards(&after)));
    out.extend(reading(endurance));
    out
}

/// Reports the daily writes, over its warranty, of a drive that was worn out.
fn over_warranty(endurance: &Endurance, capacity_bytes: u64) -> Option<String> {
    let years = endurance.warranty_years?;
    if endurance.end != EnduranceEnd::Refused {
        return None;
    }
    let a_day = |bytes| drive_writes_per_day(bytes, capacity_bytes, years);
    let dwpd = a_day(endurance.written_bytes);
    Some(match endurance.rated_bytes.map(a_day) {
        Some(rating) => {
            let id = "endurance-warranty-rated";
            text!(id, years = years, dwpd = dwpd, rating = rating)
        }
        None => text!("endurance-warranty", years = years, dwpd = dwpd),
    })
}

fn end(endurance: &Endurance, capacity_bytes: u64) -> String {
    let written = endurance.written_bytes;
    let capacities = written as f64 / capacity_bytes.max(1) as f64;
    let mut arguments = vec![
        ("written", words::bytes(written).into()),
        ("count", words::rounded(capacities).into()),
        ("number", words::number(capacities).into()),
    ];
    let id = match endurance.rated_bytes {
        Some(rated) => {
            let share = written as f64 / rated as f64;
            arguments.push(("rated_number", words::number(share).into()));
            arguments.push(("rated", words::bytes(rated).into()));
            "endurance-much-rated"
        }
        None => "endurance-much",
    };
    let much = message(id, &arguments);
    text!("endurance-end", end = end_key(endurance), much = much)
}

/// Compares the first and the last whole round.
fn speed(endurance: &Endurance) -> Option<String> {
    let whole = |round: &&EnduranceRound| is_whole(endurance, round);
    let mut rounds = endurance.rounds.iter().filter(whole);
    let (first, last) = (rounds.next()?, rounds.next_back()?);
    let all = || endurance.rounds.iter().filter(whole);
    let slowest = all()
        .map(|r| r.bw_bytes_per_s)
        .fold(f64::INFINITY, f64::min);
    Some(text!(
        "endurance-speed",
        first = words::speed(first.bw_bytes_per_s),
        last = words::speed(last.bw_bytes_per_s),
        slowest = words::speed(slowest)
    ))
}

/// Compares the 99.9 % latency of the first and the last whole round.
fn latency(endurance: &Endurance) -> Option<String> {
    let whole = |round: &&EnduranceRound| is_whole(endurance, round);
    let mut rounds = endurance.rounds.iter().filter(whole);
    let (first, last) = (rounds.next()?, rounds.next_back()?);
    let slowest = endurance.rounds.iter().map(|r| r.latency_max_ns).max()?;
    Some(text!(
        "endurance-latency",
        first = words::latency(first.latency_p99_9_ns? as f64),
        last = words::latency(last.latency_p99_9_ns? as f64),
        slowest = words::latency(slowest as f64)
    ))
}

/// Reports the drive's health after the last round, and when its rated life was used up.
fn health(endurance: &Endurance) -> Option<String> {
    let last = endurance.rounds.last()?.health?;
    let mut clauses = Vec::new();
    if let Some(used) = last.used_percent {
        clauses.push(text!("endurance-used", used = used));
    }
    if let Some(spare) = last.spare_percent {
        clauses.push(text!("endurance-spare", spare = spare));
    }
    if let Some(cycles) = last.erase_cycles {
        // The mean with the precision of the greatest count, beside which it stands.
        let mean = match cycles.mean {
            mean if mean >= 100.0 => words::whole(mean.round() as u64),
            mean => words::number(mean),
        };
        clauses.push(match cycles.max.map(words::whole) {
            Some(most) => text!("endurance-erased-most", mean = mean, most = most),
            None => text!("endurance-erased", mean = mean),
        });
    }
    if let Some(retired) = last.retired_blocks.filter(|&n| n > 0) {
        let written = words::whole(retired);
        clauses.push(text!(
            "endurance-retired",
            count = retired,
            retired = written
        ));
    }
    if clauses.is_empty() {
        return None;
    }
    let mut said = text!("endurance-health", clauses = words::list(&clauses));
    if let Some(bytes) = written_when(endurance, |h| h.used_percent >= Some(100)) {
        said += &text!("endurance-life-over", bytes = words::bytes(bytes));
    }
    if let Some(bytes) = written_when(endurance, |h| {
        h.spare_percent.is_some() && h.spare_percent < h.spare_threshold_percent
    }) {
        said += &text!("endurance-spare-low", bytes = words::bytes(bytes));
    }
    Some(said + ".")
}

/// Reports the rest of the rated life of a drive that is not worn out, at the rate before the test.
fn remaining(endurance: &Endurance) -> Option<String> {
    let last = endurance.rounds.last()?.health?;
    if endurance.end == EnduranceEnd::Refused || last.host_written_bytes.is_none() {
        return None;
    }
    let before = endurance.before.unwrap_or_default();
    let life = remaining_life(&last, &before, endurance.rated_bytes)?;
    let rate = say("endurance-rate");
    let by_share = life.by_used_percent;
    let by_share = by_share.map(|left| text!("endurance-left-share", left = left.in_words(&rate)));
    let by_rating = life.by_rated_bytes;
    let by_rating =
        by_rating.map(|left| text!("endurance-left-rating", left = left.in_words(&rate)));
    let said: Vec<String> = [by_share, by_rating].into_iter().flatten().collect();
    Some(text!("endurance-left", left = said.join("; ")))
}

/// Returns the bytes written in the test up to the first round after which `holds` was true.
fn written_when(endurance: &Endurance, holds: impl Fn(&Health) -> bool) -> Option<u64> {
    let mut written = 0;
    for round in &endurance.rounds {
        written += round.written_bytes;
        if round.health.as_ref().is_some_and(&holds) {
            return Some(written);
        }
    }
    None
}

/// Reports the range of write amplification over the whole rounds.
fn amplification(endurance: &Endurance) -> Option<String> {
    let rounds = || endurance.rounds.iter();
    let whole = || rounds().filter(|round| is_whole(endurance, round));
    let known = || whole().filter_map(|round| round.write_amplification);
    let least = known().reduce(f64::min)?;
    let most = known().reduce(f64::max)?;
    let [least, most] = [least, most].map(words::number);
    Some(match least == most {
        true => text!("endurance-amplification", least = least),
        false => text!("endurance-amplification-range", least = least, most = most),
    })
}

/// Reports the effects of reading the whole drive: read retries, pages rebuilt from parity, lost
/// data. `None` if there were none or the drive does not report them.
fn reading(endurance: &Endurance) -> Option<String> {
    let [before, after] = [
        endurance.rounds.last()?.health?,
        endurance.afterwards?.health?,
    ];
    let more = |what: &str, of: fn(&Health) -> Option<u64>| {
        let more = of(&after)?.checked_sub(of(&before)?).filter(|&n| n > 0)?;
        Some(text!(what, count = more, number = words::whole(more)))
    };
    let said = [
        more("endurance-read-retries", |h| h.read_retries),
        more("endurance-rebuilt", |h| h.rebuilt_pages),
        more("endurance-lost", |h| h.media_errors),
    ];
    let said: Vec<String> = said.into_iter().flatten().collect();
    (!said.is_empty()).then(|| text!("endurance-reading", what = words::list(&said)))
}

fn afterwards(after: &Afterwards) -> String {
    let reads = match (after.failed_reads, after.read_bytes >= after.asked_bytes) {
        (0, true) => say("endurance-all-readable"),
        (failed, _) => text!(
            "endurance-some-readable",
            read = words::bytes(after.read_bytes),
            asked = words::bytes(after.asked_bytes),
            failed = failed
        ),
    };
    let write = match after.write_refused {
        None => "untried",
        Some(true) => "refused",
        Some(false) => "taken",
    };
    text!("endurance-afterwards", write = write, reads = reads)
}

/// Returns `None` for a drive that was not worn out: its endurance is not known.
fn key_figure(test: &TestResult) -> Option<Named> {
    let endurance = test.endurance()?;
    let worn = endurance.end == EnduranceEnd::Refused;
    let written = endurance.written_bytes as f64;
    worn.then_some((FigureId::WrittenUntilRefused, written, Unit::Bytes))
}

#[cfg(test)]
mod tests {
    use stend_record::endurance::EraseCycles;

    use super::*;

    fn round(gb: u64, mb_per_s: u64, used: u64, spare: u64) -> EnduranceRound {
        EnduranceRound {
            repeats: 0,
            written_bytes: gb * 1_000_000_000,
            bw_bytes_per_s: mb_per_s as f64 * 1e6,
            latency_p99_9_ns: Some(used * 100_000),
            latency_max_ns: used * 1_000_000,
            write_amplification: Some(1.0 + used as f64 / 1000.0),
            health: Some(Health {
                used_percent: Some(used),
                spare_percent: Some(spare),
                spare_threshold_percent: Some(10),
                erase_cycles: Some(EraseCycles {
                    min: None,
                    mean: used as f64 / 10.0,
                    max: Some(used),
                }),
                retired_blocks: Some(100 - spare),
                read_retries: Some(7),
                rebuilt_pages: Some(0),
                ..Health::default()
            }),
        }
    }

    fn worn() -> Endurance {
        Endurance {
            round_bytes: 8_000_000_000,
            rated_bytes: Some(10_000_000_000),
            warranty_years: Some(5),
            end: EnduranceEnd::Refused,
            refusal: Some("Input/output error".into()),
            written_bytes: 19_000_000_000,
            rounds: vec![
                round(8, 400, 50, 100),
                round(8, 300, 100, 9),
                round(3, 20, 120, 0),
            ],
            afterwards: Some(Afterwards {
                write_refused: Some(true),
                read_bytes: 8_000_000_000,
                asked_bytes: 8_000_000_000,
                failed_reads: 0,
                bw_bytes_per_s: 5e8,
                health: Some(Health {
                    read_retries: Some(4_007),
                    rebuilt_pages: Some(2),
                    media_errors: Some(3),
                    ..Health::default()
                }),
            }),
            ..Endurance::default()
        }
    }

    #[test]
    fn a_drive_that_refuses_is_told_to_its_end() {
        let said = sentences(&worn(), 8_000_000_000);
        assert_eq!(
            said,
            [
                "It refuses writes after 19 GB, 2.38 times its capacity and 1.9 times what it is \
                 rated for (10 GB).",
                "Over a warranty of 5 years that is 0.0013 drive writes a day (DWPD); its \
                 rating is 0.000685.",
                "The first round goes at 400 MB/s, the last whole one at 300 MB/s, the slowest at \
                 300 MB/s.",
                "99.9 % of the writes take at most 5 ms in the first round, 10 ms in the last \
                 whole one; the slowest of all takes 120 ms.",
                "By its own account, 120 % of its rated life are used, 0 % of its spare blocks \
                 are left, its blocks were erased 12 times on average and 120 at most and 100 \
                 blocks were taken out of use; its rated life was over after 16 GB; its spare \
                 blocks fell below the threshold after 16 GB.",
                "Write amplification is 1.05 to 1.1, by round.",
                "Afterwards one more write is refused as well, and all of it can be read.",
                "Reading it took 4,000 read retries and 2 pages rebuilt from parity."
            ]
        );
        assert_eq!(
            line(&worn()),
            "  refused a write after 19 GB in 3 rounds, 1.9 times the rated 10 GB\n"
        );
    }

    /// The mean is not shown above the maximum: three digits of 3,606.97 would be.
    #[test]
    fn the_mean_of_erasures_is_as_exact_as_the_most() {
        let mut worn = worn();
        let last = worn.rounds.last_mut().and_then(|r| r.health.as_mut());
        last.expect("it is told").erase_cycles = Some(EraseCycles {
            min: None,
            mean: 3606.97,
            max: Some(3608),
        });
        let said = health(&worn).expect("it is told");
        assert!(
            said.contains("erased 3,607 times on average and 3,608 at most"),
            "{said}"
        );
    }

    #[test]
    fn a_budget_is_no_end() {
        let mut spared = worn();
        (spared.end, spared.rated_bytes) = (EnduranceEnd::Budget, None);
        spared.rounds = vec![round(8, 400, 1, 100)];
        spared.rounds[0].health = None;
        spared.rounds[0].write_amplification = None;
        spared.written_bytes = 8_000_000_000;
        let after = spared.afterwards.as_mut().unwrap();
        (after.write_refused, after.failed_reads, after.read_bytes) = (None, 3, 6_000_000_000);
        assert_eq!(
            sentences(&spared, 8_000_000_000),
            [
                "It is not worn out within the budget: after 8 GB, as much as its capacity, it \
                 takes writes as before.",
                "Afterwards 6 GB of 8 GB can be read, and 3 reads fail."
            ]
        );
    }

    #[test]
    fn what_is_left_of_a_spared_drive_goes_by_the_rate_of_before() {
        let health = |tb: u64, used| Health {
            host_written_bytes: Some(tb * 1_000_000_000_000),
            used_percent: Some(used),
            power_on_hours: Some(8_760),
            ..Health::default()
        };
        let mut spared = worn();
        spared.end = EnduranceEnd::Budget;
        spared.rated_bytes = Some(16_000_000_000_000);
        spared.before = Some(health(2, 2));
        spared.rounds[2].health = Some(health(6, 6));
        let said = |of: &Endurance| sentences(of, 8_000_000_000);
        let expected = "Of its rated life are left: by the share used, 94 TB (79.7 TB to 114 TB), \
                        at the rate of before the test 47 (39.9 to 57) years with power; by the \
                        rated bytes, 10 TB, at the rate of before the test 5 years with power.";
        assert!(said(&spared).contains(&expected.to_owned()), "{spared:?}");
        spared.before = None;
        spared.rated_bytes = None;
        let bytes = "Of its rated life are left: by the share used, 94 TB (79.7 TB to 114 TB).";
        assert!(said(&spared).contains(&bytes.to_owned()));
        // A drive that refuses and one that counts nothing get no such sentence.
        let mut worn = spared.clone();
        worn.end = EnduranceEnd::Refused;
        spared.rounds[2].health = Some(Health {
            host_written_bytes: None,
            ..health(6, 6)
        });
        for silent in [worn, spared] {
            assert!(!said(&silent).iter().any(|s| s.contains("are left:")));
        }
    }
}
