//! Chooses the tests of an edition to run with given options, and checks that this is possible.

use std::borrow::Cow;

use stend_load::target::{Target, WriteLimit};
use stend_record::review::{Condition, FactId, Review, SCHEMA, TargetInfo, TargetKind, TestResult};

use crate::budget::check_budget;
use crate::edition::Edition;
use crate::options::{DURATION_SCALE_MAX, MethodError, ReviewOptions};
use crate::plan::Plan;
use crate::setting::Setting;

/// Checks that the options suit the edition, as far as this is possible before a target is opened.
pub fn check_options(edition: &Edition, options: &ReviewOptions<'_>) -> Result<(), MethodError> {
    let chosen = chosen(edition, options)?;
    match options.until_steady {
        Some(_) if !edition.can_be_steady(&chosen) => Err(MethodError::NothingSteady),
        _ => Ok(()),
    }
}

/// Checks that the chosen tests may write as much as they need to a target with this limit.
/// [`run_review`](crate::run_review) checks again; for a real target the result is known before it
/// is opened.
pub fn check_write_budget(
    edition: &Edition,
    options: &ReviewOptions<'_>,
    limit: WriteLimit,
) -> Result<(), MethodError> {
    check_budget(edition, &chosen(edition, options)?, options, limit)
}

/// Returns the edition as the options change it.
pub(crate) fn effective<'e>(edition: &'e Edition, options: &ReviewOptions<'_>) -> Cow<'e, Edition> {
    match options.until_steady {
        None => Cow::Borrowed(edition),
        Some(load) => Cow::Owned(edition.until_steady(load)),
    }
}

/// Operations that a target does not allow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Access {
    /// True if nothing may be written to it.
    pub(crate) read_only: bool,
    /// True if it does not support TRIM.
    pub(crate) no_trim: bool,
}

impl Access {
    /// Returns the operations that `target` does not allow.
    pub(crate) fn to(target: &dyn Target) -> Access {
        Access {
            read_only: target.read_only(),
            no_trim: !target.trim_supported(),
        }
    }
}

/// Returns tests that an earlier run has not finished, by their index in the edition: each
/// continues. Only endurance starts over on a simulated drive, which is new again; a real one stays
/// worn by earlier writes.
pub(crate) fn unfinished(
    edition: &Edition,
    earlier: Option<&Review>,
    limit: WriteLimit,
) -> Vec<Option<TestResult>> {
    let stays_worn = limit == WriteLimit::AsStated;
    let goes_on = |test: &&TestResult| stays_worn || test.endurance().is_none();
    let begun = |id: &str| {
        let mut unfinished = earlier?.unfinished.iter().filter(goes_on);
        unfinished.find(|test| test.id == id).cloned()
    };
    edition.tests.iter().map(|test| begun(&test.id)).collect()
}

/// Returns the plan, and the finished results of an earlier run by their index in the edition.
pub(crate) fn prepare_plan<'e>(
    edition: &'e Edition,
    options: &ReviewOptions<'_>,
    target: &TargetInfo,
    access: Access,
    unfinished: &[Option<TestResult>],
) -> Result<(Plan<'e>, Vec<Option<TestResult>>), MethodError> {
    let chosen = chosen(edition, options)?;
    let mut finished = vec![None; edition.tests.len()];
    let mut again = vec![false; edition.tests.len()];
    if let Some(earlier) = &options.resume {
        check_resume(earlier, edition, options, (target, access.read_only))?;
        for &index in &chosen {
            let id = &edition.tests[index].id;
            finished[index] = earlier.tests.iter().find(|t| t.id == *id).cloned();
        }
        // A test that continues a curve needs the drive as that curve left it: both run again.
        // Until then the finished result of the curve stays.
        for &index in &chosen {
            let before = edition.tests[index].kind.common().continues();
            if let Some(before) = before.filter(|_| finished[index].is_none()) {
                again[before] = true;
            }
        }
    }
    let left: Vec<usize> = chosen
        .into_iter()
        .filter(|i| finished[*i].is_none() || again[*i])
        .collect();
    let setting = Setting {
        seed: options.seed,
        scale: options.duration_scale,
        scaled_by: edition.scaled_by,
        capacity_bytes: target.capacity_bytes,
        sector_bytes: target.logical_block_bytes().unwrap_or(1),
        kind: target.kind,
        percentiles: edition.percentiles.clone(),
        write_budget_bytes: options.write_budget_bytes,
        read_only: access.read_only,
        // On a read-only target, no state is prepared.
        no_trim: access.no_trim && !access.read_only,
    };
    let plan = Plan::new(edition, &left, setting, options.wanted, unfinished);
    Ok((plan, finished))
}

/// Returns the indices of the tests to run, after checking the options.
pub(crate) fn chosen(
    edition: &Edition,
    options: &ReviewOptions<'_>,
) -> Result<Vec<usize>, MethodError> {
    let scale = options.duration_scale;
    // NaN is not above 0 either.
    if !(scale > 0.0 && scale <= DURATION_SCALE_MAX) {
        return Err(MethodError::DurationScale(scale));
    }
    choose(edition, options.tests.as_deref())
}

fn choose(edition: &Edition, wanted: Option<&[String]>) -> Result<Vec<usize>, MethodError> {
    let allowed = || edition.tests.iter().map(|t| t.id.clone()).collect();
    let Some(wanted) = wanted else {
        return Ok((0..edition.tests.len()).collect());
    };
    if let Some(id) = wanted
        .iter()
        .find(|id| edition.tests.iter().all(|t| t.id != **id))
    {
        return Err(MethodError::UnknownTest {
            edition: edition.id.clone(),
            id: id.clone(),
            allowed: allowed(),
        });
    }
    if wanted.is_empty() {
        return Err(MethodError::NoTest {
            edition: edition.id.clone(),
            allowed: allowed(),
        });
    }
    Ok((0..edition.tests.len())
        .filter(|i| wanted.contains(&edition.tests[*i].id))
        .collect())
}

/// Checks, before anything is done, that a review can resume an earlier one: everything that
/// distinguishes the two runs must be the same.
///
/// # Errors
/// [`MethodError::Resume`] names the difference.
pub fn check_resumes(
    earlier: &Review,
    edition: &Edition,
    options: &ReviewOptions<'_>,
    target: (&TargetInfo, bool),
) -> Result<(), MethodError> {
    check_same_repetitions(earlier, options)?;
    check_resume(earlier, edition, options, target)
}

/// Checks that an earlier review has the same number of repetitions.
pub(crate) fn check_same_repetitions(
    earlier: &Review,
    options: &ReviewOptions<'_>,
) -> Result<(), MethodError> {
    let pairs = [
        ("seed", earlier.seed, options.seed),
        (
            "number of repetitions (--repeat)",
            u64::from(earlier.repeat.max(1)),
            u64::from(options.repeat.max(1)),
        ),
    ];
    match pairs.into_iter().find(|(_, was, is)| was != is) {
        None => Ok(()),
        Some((what, was, is)) => Err(MethodError::Resume {
            what: what.to_owned(),
            was: was.to_string(),
            is: is.to_string(),
        }),
    }
}

fn check_resume(
    earlier: &Review,
    edition: &Edition,
    options: &ReviewOptions<'_>,
    (target, read_only): (&TargetInfo, bool),
) -> Result<(), MethodError> {
    let access = |read_only| match read_only {
        true => "for reading alone (--read-only)".to_owned(),
        false => "for reading and writing".to_owned(),
    };
    let pairs = [
        ("schema", earlier.schema.clone(), SCHEMA.to_owned()),
        ("edition", earlier.edition.clone(), edition.id.clone()),
        ("seed", earlier.seed.to_string(), options.seed.to_string()),
        (
            "load until steady (--until-steady)",
            steady_name(earlier.until_steady.as_deref()),
            steady_name(options.until_steady.map(|load| load.name)),
        ),
        (
            "duration scale",
            earlier.duration_scale.to_string(),
            options.duration_scale.to_string(),
        ),
        ("access", access(earlier.read_only), access(read_only)),
        ("target", earlier.target.title.clone(), target.title.clone()),
        (
            "capacity in bytes",
            earlier.target.capacity_bytes.to_string(),
            target.capacity_bytes.to_string(),
        ),
    ];
    let pairs = pairs
        .into_iter()
        .map(|(what, was, is)| (what.to_owned(), was, is))
        .chain(identities(&earlier.target, target));
    match pairs.into_iter().find(|(_, was, is)| was != is) {
        Some((what, was, is)) => Err(MethodError::Resume { what, was, is }),
        None => Ok(()),
    }
}

fn steady_name(load: Option<&str>) -> String {
    load.unwrap_or("none").to_owned()
}

/// Returns the facts that distinguish two drives of the same name: for simulated ones all facts of
/// the model, which may have been edited, for real ones those of the single drive.
fn identities(was: &TargetInfo, is: &TargetInfo) -> Vec<(String, String, String)> {
    let simulated = is.kind == TargetKind::Simulated;
    let of_one = [FactId::SerialNumber, FactId::BackingFile].map(FactId::name);
    let own = |fact: &&Condition| simulated || of_one.contains(&&*fact.id);
    let value = |info: &TargetInfo, of: &Condition| {
        let fact = info.facts.iter().find(|fact| fact.is_like(of));
        fact.map_or_else(|| "not known".to_owned(), |fact| fact.value.to_string())
    };
    let facts = was.facts.iter().chain(&is.facts).filter(own);
    facts
        .map(|fact| (fact.name().to_string(), value(was, fact), value(is, fact)))
        .collect()
}
