//! Unfinished reviews that the same command resumes.
//!
//! A review is saved twice, first in the lab and then in its folder: if stend ends between the two,
//! or the folder is deleted, one of them still has every finished test.

use std::path::Path;

use stend_lab::RunId;
use stend_record::review::{Review, TargetKind, TestResult};
use stend_report::{keep_finished, review_in};

use crate::failure::Failure;
use crate::folder::Folder;
use crate::output::note;
use crate::typed::word;
use crate::{kept, laboratory};

/// Finds the review to resume: the unfinished one in the folder, or the lab's copy of the same run
/// if it has more tests. If the lab's copy is complete, the folder is completed from it. `command`
/// has no price.
pub fn find(folder: &Folder, lab: Option<&Path>, command: &str) -> Result<Option<Review>, Failure> {
    let found = look(folder, lab, command)?;
    if let Some(review) = &found {
        // The review exists from now on, whatever the outcome of this run.
        folder.holds(review);
    }
    Ok(found)
}

/// Prints the number of results taken over, once it is certain that they can be.
pub fn tell_taken_over(folder: &Folder, earlier: &Review) {
    let taken_over = format!("taken over from {}", folder.path().display());
    if let Some(words) = kept::are(earlier, &taken_over) {
        note(&words);
    }
}

fn look(folder: &Folder, lab: Option<&Path>, command: &str) -> Result<Option<Review>, Failure> {
    let there = match review_in(folder.path())? {
        Some(there) if there.complete => {
            keep_finished(folder.path(), &there)?;
            return Ok(None);
        }
        there => there,
    };
    let last = lab.map(|lab| laboratory::last_in(lab, folder.path()));
    let last = last.transpose()?.unwrap_or_default();
    let resumes = |kept: &Review| match &there {
        Some(there) => has_more_tests(kept, there),
        None => is_worth_resuming(kept, command, folder.was_there()),
    };
    let Some((run, kept)) = last.into_iter().find(|(_, kept)| resumes(kept)) else {
        return Ok(there);
    };
    tell(folder, run, &kept)?;
    if kept.complete {
        keep_finished(folder.path(), &kept)?;
    }
    Ok(Some(kept))
}

/// Prints which run is resumed, and updates the folder from the lab.
fn tell(folder: &Folder, run: RunId, kept: &Review) -> Result<(), Failure> {
    let then = match kept.complete {
        true => "its report was made again from the lab".to_owned(),
        false => format!("resuming from the lab; to start over, `stend lab delete {run}` first"),
    };
    note(&format!(
        "{} lacks finished tests of run {run} of the lab: {then}",
        folder.path().display()
    ));
    folder.save(kept).map(drop)
}

/// True if a run without a review in the folder is to be resumed: it is of the same command and has
/// a finished test. If the folder is gone, only a run that took real time is resumed: a simulation
/// is repeated quickly, and perhaps on purpose.
fn is_worth_resuming(kept: &Review, command: &str, folder_was_there: bool) -> bool {
    let rivals = kept.rivals.iter().map(|rival| &rival.target);
    let mut targets = std::iter::once(&kept.target).chain(rivals);
    command_without_price(kept) == command
        && !kept.complete
        && kept::count(kept) > 0
        && (folder_was_there || targets.any(|target| target.kind != TargetKind::Simulated))
}

/// The command of a review without its price: the user need not repeat the price.
fn command_without_price(kept: &Review) -> String {
    match &kept.target.price {
        Some(price) => {
            let option = format!(" --price {}", word(&price.typed()));
            kept.reproduce.replacen(&option, "", 1)
        }
        None => kept.reproduce.clone(),
    }
}

/// True if `one` has all tests of `other`, and more.
fn has_more_tests(one: &Review, other: &Review) -> bool {
    let same = |of: fn(&Review) -> String| of(one) == of(other);
    same(|review| review.target.name.clone())
        && same(|review| review.target.fingerprint().to_owned())
        && same(|review| review.edition.clone())
        && same(|review| review.seed.to_string())
        && same(|review| review.duration_scale.to_string())
        && finished(other).all(|test| finished(one).any(|known| known == test))
        && kept::count(one) > kept::count(other)
}

/// Finished tests, each with the title of its target.
fn finished(review: &Review) -> impl Iterator<Item = (&str, &TestResult)> {
    let of_rivals = review.rivals.iter().flat_map(|rival| {
        let title = rival.target.title.as_str();
        rival.tests.iter().map(move |test| (title, test))
    });
    let title = review.target.title.as_str();
    let own = review.tests.iter().map(move |test| (title, test));
    own.chain(of_rivals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stend_record::review::TargetInfo;

    #[test]
    fn a_command_is_the_same_with_the_price_and_without() {
        let kept = |price, reproduce: &str| Review {
            target: TargetInfo {
                price,
                ..TargetInfo::default()
            },
            reproduce: reproduce.to_owned(),
            ..Review::default()
        };
        let priced = kept(
            "7.90 EUR".parse().ok(),
            "stend review x --price '7.90 EUR' --size 8G",
        );
        assert_eq!(command_without_price(&priced), "stend review x --size 8G");
        let plain = kept(None, "stend review x --size 8G");
        assert_eq!(command_without_price(&plain), "stend review x --size 8G");
    }
}
