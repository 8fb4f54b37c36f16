//! The verdict of a review, as a good reviewer would open with it: the kind of drive, its standing
//! among its rivals, its speed in long writes, the uses that it suits, and warnings.
//!
//! A verdict is a list of [`Statement`]s with their figures; `rules` decides which apply, `say`
//! formats them in the language of the page. Thresholds and their reasons are documented in
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
pub use points::Point;
pub use statement::{Beware, Caution, SpeedClass, Standing, Statement, Suits};

use crate::headline::{Headline, of_review};
use crate::stalls;

/// Most statements of a verdict, cautions not counted.
pub const STATEMENTS_MAX: usize = 5;

/// A statement, and the id of the test that shows it; `None` if several tests show it.
pub type Shown = (Statement, Option<String>);

/// A verdict.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Statements, in reading order.
    pub statements: Vec<Shown>,
    /// Statements that are less important than [`STATEMENTS_MAX`] others.
    pub left_out: Vec<Shown>,
    /// Reasons why the verdict is not a full one.
    pub cautions: Vec<Caution>,
    /// Headline figures that the verdict uses, the reviewed drive's first, without tests in which
    /// something other than the drive answered.
    pub headlines: Vec<Headline>,
}

/// Computes the verdict of a review.
pub fn verdict(review: &Review) -> Verdict {
    let doubted = doubted::of(review);
    let trusted = (!doubted.is_empty()).then(|| doubted::without(review, &doubted));
    let judged = trusted.as_ref().unwrap_or(review);
    let headlines = of_review(judged);
    let (statements, left_out) = rules::statements(judged, &headlines, stalls::worst(review));
    Verdict {
        statements,
        left_out,
        cautions: cautions::all(review, &doubted),
        headlines,
    }
}

impl Verdict {
    /// Formats the sentences, in the current language.
    pub fn text(&self) -> String {
        let said = self
            .statements
            .iter()
            .map(|(statement, _)| say::statement(statement));
        said.collect::<Vec<String>>().join(" ")
    }

    /// Formats the cautions, in the current language.
    pub fn cautions_text(&self) -> String {
        let said = self.cautions.iter().map(say::caution);
        said.collect::<Vec<String>>().join(" ")
    }
}
