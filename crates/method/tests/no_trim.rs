//! Targets that do not support TRIM.

use crate::common;

use common::{Fake, joined, options, test};
use stend_method::{Edition, run_review};
use stend_record::review::Review;

fn review(fake: Box<Fake>, edition: &str, tests: &[&str]) -> Review {
    let edition = Edition::load(edition).unwrap();
    run_review(fake, &edition, &options(tests), &|_| {}).unwrap()
}

#[test]
fn states_are_made_without_trim_where_the_target_takes_none() {
    for can_be_copied in [false, true] {
        let fake = Fake::without_trim(can_be_copied);
        let spy = fake.spy.clone();
        let tests = ["sequential", "degradation", "recovery"];
        let review = review(Box::new(fake), "2014", &tests);
        assert!(review.complete, "{:?}", review.failed);
        let ids: Vec<&str> = review.tests.iter().map(|t| t.id.as_str()).collect();
        assert_eq!(ids, tests);
        let log = spy.log.lock().unwrap();
        assert!(log.iter().all(|did| did != "trim"), "{log:?}");
        assert!(log.contains(&"fill 1 s".to_owned()));
        let condition = |c: &&stend_record::review::Condition| c.id == "trim-in-states";
        let said = review.conditions.iter().find(condition).unwrap();
        assert!(
            said.value.in_english().starts_with("NONE"),
            "{}",
            said.value
        );
        for id in ["sequential", "degradation"] {
            let warned = joined(&test(&review, id).warnings, "\n");
            assert!(warned.contains("made without TRIM"), "{id}: {warned}");
        }
        let left_out = test(&review, "recovery");
        assert!(left_out.curves().is_empty() && left_out.jobs.is_empty());
        assert!(left_out.warnings[0].in_english().contains("takes no TRIM"));
    }
    let review = review(Box::new(Fake::real()), "2014", &["sequential"]);
    assert!(review.conditions.iter().all(|c| c.id != "trim-in-states"));
    let warned = joined(&test(&review, "sequential").warnings, "\n");
    assert!(!warned.contains("TRIM"), "{warned}");
}

#[test]
fn what_measures_trim_itself_is_left_out_without_it() {
    for (edition, id) in [
        ("2018", "trim-response"),
        ("recovery-ladder", "recovery-ladder"),
    ] {
        let review = review(Box::new(Fake::without_trim(false)), edition, &[id]);
        assert!(review.complete);
        let left_out = test(&review, id);
        assert!(
            left_out.warnings[0].in_english().contains("takes no TRIM"),
            "{id}"
        );
        assert!(left_out.jobs.is_empty());
    }
}
