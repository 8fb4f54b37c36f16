//! Jobs that other processes carry out: they leave nothing open, and a job of other articles is
//! refused.

use parking_lot::Mutex;
use stend_claims::jobs::{Job, carry_out, jobs};
use stend_claims::{CheckedArticle, ClaimsError, Measured, Options};
use stend_experiment::{Done, Store};

const DRIVE: &str = "samsung-850-evo-250gb";

/// The articles about the drive, for a sixteenth of its capacity.
fn articles() -> Vec<CheckedArticle> {
    let all = CheckedArticle::shipped().unwrap();
    let about = |one: &&CheckedArticle| one.article().needs().contains_key(DRIVE);
    let scaled = all.iter().filter(about).map(|one| one.scaled(16).unwrap());
    scaled.collect()
}

fn in_json<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

#[test]
fn jobs_of_other_processes_leave_nothing_open() {
    let (articles, only) = (articles(), [DRIVE.to_owned()]);
    let store: Mutex<Vec<Done<Measured>>> = Mutex::default();
    let options = Options {
        store: &store,
        interrupt: Default::default(),
        seed: 1,
        duration_scale: 0.01,
        full_length: false,
        threads: None,
    };
    let open = || -> Vec<Job> { jobs(&articles, Some(&only), 1, &options).unwrap() };
    let all = open();
    assert_eq!(all.len(), 2, "{all:?}");
    for job in &all {
        let done = carry_out(&articles, Some(&only), &in_json(job), &options).unwrap();
        assert_eq!((&done.name, &done.key), (&job.name, &job.key));
        let kept: Result<(), ClaimsError> = store.keep(&in_json(&done));
        kept.unwrap();
    }
    assert_eq!(open(), []);
    // Another seed makes other results.
    let other = Options {
        seed: 2,
        ..options.clone()
    };
    assert_eq!(jobs(&articles, Some(&only), 0, &other).unwrap().len(), 1);
    let refused = carry_out(&articles, Some(&only), &all[0], &other);
    assert!(matches!(refused, Err(ClaimsError::Input(text)) if text.contains(DRIVE)));
}
