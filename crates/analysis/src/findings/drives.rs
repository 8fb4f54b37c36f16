//! The drives of a review: their labels and key figures.

use stend_record::review::Review;

use crate::figures::KeyFigure;
use crate::kinds::key_figures;

/// Returns the labels of a review's drives, the reviewed one first: the title, with the name if two
/// drives share a title.
pub fn labels(review: &Review) -> Vec<String> {
    let targets = || {
        let rivals = review.rivals.iter().map(|r| &r.target);
        std::iter::once(&review.target).chain(rivals)
    };
    targets()
        .map(|target| {
            let namesakes = targets().filter(|t| t.title == target.title).count();
            match namesakes {
                1 => target.title.clone(),
                _ => format!("{} ({})", target.title, target.name),
            }
        })
        .collect()
}

/// A drive with its key figures.
pub(super) struct DriveFigures {
    pub(super) label: String,
    pub(super) figures: Vec<KeyFigure>,
}

/// Returns the drives of a review, the reviewed one first.
pub(super) fn all(review: &Review) -> Vec<DriveFigures> {
    let reviewed = std::iter::once(&review.tests);
    let rivals = review.rivals.iter().map(|rival| &rival.tests);
    reviewed
        .chain(rivals)
        .zip(labels(review))
        .map(|(tests, label)| DriveFigures {
            label,
            figures: key_figures(tests),
        })
        .collect()
}
