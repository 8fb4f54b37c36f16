//! Default rival of a review: a report without a drive to compare with says little.

use stend_analysis::claims::Article;
use stend_method::edition::Test;
use stend_method::kinds::TestKind;
use stend_method::{Edition, ReviewOptions};
use stend_model::{Model, SHIPPED};

use crate::args::{Choice, ReviewArgs, SetArgs};
use crate::failure::Failure;
use crate::open::{self, Named, check_distinct_targets};
use crate::output::note;

/// The word for "no rival".
pub(super) const NONE: &str = "none";

/// Largest ratio of two capacities at which drives are rivals.
const CAPACITY_RATIO_MAX: f64 = 1.6;

/// The edition without a default rival: wearing a drive out takes hours for each drive.
const WITHOUT: &str = "endurance";

/// Returns the arguments with the rivals filled in. The word `none` stands for no rival. If no
/// rival is named, it is the model without `--set`, or else the nearest of the rivals of an article
/// about the drive, or else the nearest of all shipped models.
pub(super) fn completed(args: &ReviewArgs) -> Result<ReviewArgs, Failure> {
    let mut args = args.clone();
    check_distinct_targets(&args.against, "rival")?;
    if args.against.iter().any(|name| name == NONE) {
        if args.against.len() > 1 {
            return Err(Failure::Input(format!(
                "--against {NONE} leaves rivals out: name it alone, or leave it out"
            )));
        }
        args.against.clear();
        args.choice = Choice::None;
    } else if args.against.is_empty()
        && let Some((name, why)) = default_for(&args)?
    {
        if name != args.target {
            args.choice = Choice::Nearest;
        }
        note(&format!(
            "rival: {name} ({why}); --against names others, --against {NONE} leaves it out"
        ));
        args.against.push(name);
    }
    Ok(args)
}

/// Returns the options with which rivals are reviewed. The nearest model, chosen by default, is
/// reviewed without the tests that continue another test: these take as long as all others, and
/// show only how far rest and TRIM restore the drive under test.
pub(super) fn options<'a>(
    args: &ReviewArgs,
    edition: &Edition,
    options: &ReviewOptions<'a>,
) -> ReviewOptions<'a> {
    let mut options = options.clone();
    if args.choice != Choice::Nearest {
        return options;
    }
    let chosen = |id: &String| options.tests.as_ref().is_none_or(|ids| ids.contains(id));
    let goes_on = |test: &&Test| matches!(test.kind, TestKind::Continue(_));
    let tests = edition.tests.iter().filter(|test| chosen(&test.id));
    let ids = tests
        .filter(|test| !goes_on(test))
        .map(|test| test.id.clone());
    let ids: Vec<String> = ids.collect();
    if !ids.is_empty() {
        options.tests = Some(ids);
    }
    options
}

fn default_for(args: &ReviewArgs) -> Result<Option<(String, &'static str)>, Failure> {
    if args.edition == WITHOUT || args.state.is_some() {
        return Ok(None);
    }
    if !args.set.set.is_empty() && open::is_model(&args.target) {
        return Ok(Some((
            args.target.clone(),
            "before its figures were changed",
        )));
    }
    let set = &SetArgs::default();
    let named = Named {
        name: &args.target,
        set,
    };
    let Some((model, _)) = open::model(named)? else {
        return Ok(None);
    };
    let of_article = of_articles(&args.target, &args.edition);
    let nearest = nearest(&model, of_article.into_iter());
    if let Some(name) = nearest {
        return Ok(Some((name, "of the article about this drive, the nearest")));
    }
    let all = SHIPPED.iter().map(|shipped| shipped.name.to_owned());
    Ok(nearest_other(&model, all).map(|name| (name, "the nearest of the shipped models")))
}

/// Rivals in published reviews of a drive by an edition.
fn of_articles(target: &str, edition: &str) -> Vec<String> {
    let shipped = Article::shipped().into_iter();
    let articles = shipped.filter_map(|name| {
        let text = Article::shipped_text(name)?;
        Article::parse(text, name).ok()
    });
    let about = articles.filter(|article| {
        article.edition == edition && article.subjects.iter().any(|subject| subject == target)
    });
    about.flat_map(|article| article.rivals).collect()
}

/// As [`nearest`], among models of another series: the first two words of the title differ.
fn nearest_other(model: &Model, names: impl Iterator<Item = String>) -> Option<String> {
    let series = |title: &str| -> Vec<String> {
        let words = title.split_whitespace().take(2);
        words.map(str::to_owned).collect()
    };
    nearest_of(model, names, |other| {
        series(&other.title) != series(&model.title)
    })
}

/// Returns the model of the same interface with the nearest capacity, preferring equal bits per
/// cell; the first of equals.
fn nearest(model: &Model, names: impl Iterator<Item = String>) -> Option<String> {
    nearest_of(model, names, |_| true)
}

fn nearest_of(
    model: &Model,
    names: impl Iterator<Item = String>,
    counts: impl Fn(&Model) -> bool,
) -> Option<String> {
    let bytes = |model: &Model| model.capacity.user_bytes.value as f64;
    let candidates = names.filter_map(|name| Some((Model::shipped(&name)?, name)));
    let candidates = candidates.filter_map(|(other, name)| {
        let ratio = bytes(&other) / bytes(model);
        let ratio = ratio.max(1.0 / ratio);
        let fits = counts(&other)
            && other.host.interface.value == model.host.interface.value
            && ratio <= CAPACITY_RATIO_MAX;
        // tR has an entry for each bit of a cell.
        let cells = |model: &Model| model.nand.read_us.value.len();
        let other_cells = cells(&other) != cells(model);
        fits.then_some((other_cells, ratio, name))
    });
    let nearer =
        |a: &(bool, f64, String), b: &(bool, f64, String)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
    candidates.min_by(nearer).map(|(_, _, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(name: &str) -> Model {
        Model::shipped(name).expect("it is shipped")
    }

    #[test]
    fn the_rivals_of_the_article_come_first() {
        let rivals = of_articles("sandisk-ultra-ii-240gb", "2014");
        assert!(rivals.len() > 5, "{rivals:?}");
        let nearest = nearest(&model("sandisk-ultra-ii-240gb"), rivals.into_iter());
        // The other drive of three bits per cell.
        assert_eq!(nearest.as_deref(), Some("samsung-840-evo-250gb"));
        assert!(of_articles("sandisk-ultra-ii-240gb", "quick").is_empty());
    }

    #[test]
    fn others_have_the_nearest_model_of_another_series() {
        let all = || SHIPPED.iter().map(|shipped| shipped.name.to_owned());
        for name in ["samsung-850-evo-250gb", "wd-blue-3d-500gb"] {
            let own = model(name);
            let rival = model(&nearest_other(&own, all()).expect("there is one"));
            assert_eq!(rival.host.interface.value, own.host.interface.value);
            assert_ne!(rival.title, own.title);
        }
        assert_eq!(nearest_other(&model("demo-8gb"), all()), None);
    }
}
