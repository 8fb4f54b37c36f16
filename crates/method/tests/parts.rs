//! Only some points of a test: the figures are the same, and no result treats them as the whole.

use crate::common;

use common::{Fake, options, test};
use stend_analysis::Load;
use stend_method::{Edition, ReviewOptions, run_review};
use stend_record::review::{PointOp, Review};

fn run(options: &ReviewOptions<'_>) -> Review {
    let edition = Edition::load("2014").unwrap();
    run_review(Box::new(Fake::simulated()), &edition, options, &|_| {}).unwrap()
}

#[test]
fn some_points_are_those_of_the_whole_test_and_say_that_they_are_some() {
    let whole = run(&options(&["random", "depth-scaling"]));
    let wanted = |id: &str, load: &Load| {
        id == "random" || (load.op == PointOp::Write && load.queue_depth >= 16)
    };
    let some = run(&ReviewOptions {
        wanted: Some(&wanted),
        ..options(&["random", "depth-scaling"])
    });
    assert!(whole.complete && !some.complete);
    assert_eq!(test(&some, "random"), test(&whole, "random"));
    let (part, all) = (test(&some, "depth-scaling"), test(&whole, "depth-scaling"));
    assert_eq!(part.left_out_points, 10);
    assert_eq!(all.left_out_points, 0);
    assert_eq!(part.points()[..], all.points()[10..]);
    assert_eq!(part.jobs[..], all.jobs[10..]);
    let said = "only a part of this test: 2 of its 12 points";
    assert!(
        part.warnings
            .iter()
            .any(|w| w.in_english().starts_with(said)),
        "{:?}",
        part.warnings
    );
    // A part results in neither a key figure nor a finding.
    let figures = stend_analysis::key_figures(&some.tests);
    assert!(!figures.is_empty() && figures.iter().all(|f| f.test_id == "random"));
    let titles: Vec<String> = stend_analysis::findings(&some)
        .into_iter()
        .map(|f| f.title)
        .collect();
    assert!(!titles.contains(&part.title.in_english()), "{titles:?}");
}
