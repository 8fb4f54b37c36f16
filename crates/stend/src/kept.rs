//! Contents of an unfinished review, in words.

use stend_language::counted;
use stend_record::review::{Results, Review, TestResult};

/// Counts finished tests and parts of other tests, and states `what` about them: `11 finished tests
/// and 3 traces of `desktop-traces` are saved`. `None` if there are none.
pub fn are(review: &Review, what: &str) -> Option<String> {
    let rivals = || review.rivals.iter();
    let tests = review.tests.len() + rivals().map(|rival| rival.tests.len()).sum::<usize>();
    let begun = review.unfinished.iter();
    let begun = begun.chain(rivals().flat_map(|rival| &rival.unfinished));
    let finished = (tests > 0).then(|| counted(tests, "finished test"));
    let parts: Vec<String> = finished
        .into_iter()
        .chain(begun.filter_map(parts_of))
        .collect();
    let verb = if count(review) == 1 { "is" } else { "are" };
    let words = stend_analysis::words::list(&parts);
    (!parts.is_empty()).then(|| format!("{words} {verb} {what}"))
}

/// Number of finished tests and of parts of other tests in a review.
pub fn count(review: &Review) -> usize {
    let rivals = review.rivals.iter();
    let of = |tests: &[TestResult], begun: &[TestResult]| {
        tests.len() + begun.iter().map(count_parts).sum::<usize>()
    };
    let of_rivals = rivals.map(|rival| of(&rival.tests, &rival.unfinished));
    of(&review.tests, &review.unfinished) + of_rivals.sum::<usize>()
}

fn count_parts(test: &TestResult) -> usize {
    if test.repetition.is_some() {
        return 1;
    }
    let rounds = test.endurance().map_or(0, |worn| worn.rounds.len());
    test.traces().len() + rounds
}

/// Formats the finished parts of a test: `3 traces of `desktop-traces``.
fn parts_of(test: &TestResult) -> Option<String> {
    if let Some(number) = test.repetition {
        return Some(format!("repetition {number} of `{}`", test.id));
    }
    let what = match test.results {
        Some(Results::Traces(_)) => "trace",
        _ => "round",
    };
    let parts = Some(count_parts(test)).filter(|count| *count > 0)?;
    Some(format!("{} of `{}`", counted(parts, what), test.id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use stend_record::review::Traces;

    fn test(id: &str, traces: usize) -> TestResult {
        let trace = json!({
            "name": "t", "title": "T", "origin": "captured", "timing": "fast", "queue_depth": 1,
            "requests": 1, "read_bytes": 1, "written_bytes": 0, "busy_s": 1.0, "elapsed_s": 1.0,
            "bw_bytes_per_s": 1.0, "iops": 1.0, "moved_requests": 0
        });
        let all = Traces {
            traces: vec![serde_json::from_value(trace).unwrap(); traces],
            overall_bw_bytes_per_s: None,
        };
        TestResult {
            id: id.to_owned(),
            results: (traces > 0).then_some(Results::Traces(all)),
            ..TestResult::default()
        }
    }

    fn review(tests: usize, traces: usize) -> Review {
        Review {
            tests: vec![test("random", 0); tests],
            unfinished: vec![test("desktop-traces", traces)],
            ..Review::default()
        }
    }

    #[test]
    fn what_is_kept_is_counted_in_words() {
        let cases = [
            (0, 0, None),
            (1, 0, Some("1 finished test is saved")),
            (11, 0, Some("11 finished tests are saved")),
            (0, 1, Some("1 trace of `desktop-traces` is saved")),
            (
                11,
                3,
                Some("11 finished tests and 3 traces of `desktop-traces` are saved"),
            ),
        ];
        for (tests, traces, words) in cases {
            let review = review(tests, traces);
            assert_eq!(are(&review, "saved").as_deref(), words);
            assert_eq!(count(&review), tests + traces);
        }
        let mut review = review(1, 0);
        review.rivals = vec![stend_record::review::Rival {
            target: review.target.clone(),
            tests: vec![test("random", 0)],
            unfinished: vec![test("desktop-traces", 2)],
        }];
        let told = "2 finished tests and 2 traces of `desktop-traces` are saved";
        assert_eq!(are(&review, "saved").unwrap(), told);
    }
}
