//! The verdict of a review, as a good reviewer would open with it: what kind of drive it is, how it
//! stands to its rivals, how it writes for long, for whom it is, and what to beware of.
//!
//! A verdict is a list of [`Statement`]s with their figures; `rules` says which there are, `say`
//! says them in the language of the page. Thresholds and their reasons are documented in
//! `docs/verdict.md`.

mod cautions;
mod doubted;
mod facts;
mod lasting;
mod link;
mod points;
mod rivals;
mod rules;
mod say;
mod statement;

use stend_record::review::Review;

pub use lasting::{Back, Fall, Rank};
pub use link::Link;
pub use points::Point;
pub use statement::{Beware, Caution, SpeedClass, Standing, Statement, Suits};

use crate::headline::{Headline, of_review};

/// Most statements of a verdict, cautions not counted.
pub const STATEMENTS_MAX: usize = 5;

/// A statement, and the id of the test that shows it; of what several tests show, none.
pub type Shown = (Statement, Option<String>);

/// A verdict.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// What follows from the figures, in the order of reading.
    pub statements: Vec<Shown>,
    /// What follows as well, and is less important than [`STATEMENTS_MAX`] others.
    pub left_out: Vec<Shown>,
    /// What keeps it from being a full one.
    pub cautions: Vec<Caution>,
    /// The headline figures that it is drawn from, the reviewed drive's first: none of tests in
    /// which something else has answered in place of a drive.
    pub headlines: Vec<Headline>,
}

/// The verdict of a review.
pub fn verdict(review: &Review) -> Verdict {
    let doubted = doubted::of(review);
    let trusted = (!doubted.is_empty()).then(|| doubted::without(review, &doubted));
    let judged = trusted.as_ref().unwrap_or(review);
    let headlines = of_review(judged);
    let (statements, left_out) = rules::statements(judged, &headlines);
    Verdict {
        statements,
        left_out,
        cautions: cautions::all(review, &doubted),
        headlines,
    }
}

impl Verdict {
    /// The sentences, in the current language.
    pub fn text(&self) -> String {
        let said = self
            .statements
            .iter()
            .map(|(statement, _)| say::statement(statement));
        said.collect::<Vec<String>>().join(" ")
    }

    /// The cautions, in the current language.
    pub fn cautions_text(&self) -> String {
        let said = self.cautions.iter().map(say::caution);
        said.collect::<Vec<String>>().join(" ")
    }
}
