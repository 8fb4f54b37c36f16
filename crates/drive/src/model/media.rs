//! `[media]`: errors of the flash and what corrects them.

use serde::Deserialize;
use stend_nand::reliability::{Ecc, ErrorModel, Rber};

use super::check::Checker;
use super::resolve::micros;
use super::schema::Model;
use super::sourced::{Field, Value};
use crate::spec::MediaSpec;

/// Errors of the flash. Rates are raw bit error rates in parts of 10^9.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Media {
    /// Of a new block just written, by area: the main area, then the SLC cache.
    pub rber_fresh_ppb: Field<Vec<f64>>,
    /// Added at the rated number of cycles.
    pub rber_worn_ppb: Field<Vec<f64>>,
    /// Added by a year of retention in a new block.
    pub rber_year_fresh_ppb: Field<Vec<f64>>,
    /// Added to that at the rated number of cycles.
    pub rber_year_worn_ppb: Field<Vec<f64>>,
    /// Added by 100,000 reads of a block's pages.
    pub rber_reads_100k_ppb: Field<Vec<f64>>,
    /// Erase cycles that cells are rated for.
    pub rated_cycles: Field<Vec<u32>>,
    /// How much worse the worst page of two, four, eight … is, percent each time.
    pub page_spread_percent: Field<u32>,
    /// Rates up to which each pass corrects, ascending; the first is the plain read.
    pub pass_rber_ppb: Field<Vec<f64>>,
    /// Time of each pass after the first, beside sensing again, µs.
    pub retry_us: Field<f64>,
    /// Rate above which data is written anew in idle time; never if not named.
    pub refresh_rber_ppb: Option<Field<f64>>,
    /// Which pages are the worse ones.
    pub seed: Field<u64>,
}

fn rber(ppb: f64) -> Rber {
    Rber((ppb * 1_000.0).round() as u64)
}

pub(super) fn resolve(model: &Model) -> Option<MediaSpec> {
    let media = model.media.as_ref()?;
    let cells = |area: usize| {
        // One entry serves both areas.
        let rate = |field: &Field<Vec<f64>>| {
            let all = field.get();
            rber(all[area.min(all.len() - 1)])
        };
        let cycles = media.rated_cycles.get();
        ErrorModel {
            fresh: rate(&media.rber_fresh_ppb),
            worn: rate(&media.rber_worn_ppb),
            year_fresh: rate(&media.rber_year_fresh_ppb),
            year_worn: rate(&media.rber_year_worn_ppb),
            reads_100k: rate(&media.rber_reads_100k_ppb),
            rated_cycles: cycles[area.min(cycles.len() - 1)],
            spread_percent: media.page_spread_percent.get(),
        }
    };
    Some(MediaSpec {
        main: cells(0),
        cache: cells(1),
        ecc: Ecc {
            passes: media.pass_rber_ppb.get().into_iter().map(rber).collect(),
            retry: micros(media.retry_us.get()),
        },
        refresh: media.refresh_rber_ppb.as_ref().map(|f| rber(f.get())),
        seed: media.seed.get(),
    })
}

pub(super) fn check(c: &mut Checker<'_>, model: &Model) {
    let Some(media) = &model.media else {
        return;
    };
    for (key, field) in [
        ("media.rber_fresh_ppb", &media.rber_fresh_ppb),
        ("media.rber_worn_ppb", &media.rber_worn_ppb),
        ("media.rber_year_fresh_ppb", &media.rber_year_fresh_ppb),
        ("media.rber_year_worn_ppb", &media.rber_year_worn_ppb),
        ("media.rber_reads_100k_ppb", &media.rber_reads_100k_ppb),
    ] {
        areas(c, key, field);
        rates(c, key, field);
    }
    areas(c, "media.rated_cycles", &media.rated_cycles);
    if media.rated_cycles.get().contains(&0) {
        let message = "0 is not allowed; cells are rated for at least 1 cycle".to_string();
        c.report("media.rated_cycles", &media.rated_cycles, message);
    }
    c.range(
        "media.page_spread_percent",
        &media.page_spread_percent,
        0..=1_000,
    );
    let passes = media.pass_rber_ppb.get();
    rates(c, "media.pass_rber_ppb", &media.pass_rber_ppb);
    if passes.is_empty() || passes.len() > 64 || !passes.is_sorted() {
        let message = "it must have 1 to 64 entries in ascending order".to_string();
        c.report("media.pass_rber_ppb", &media.pass_rber_ppb, message);
    }
    c.range("media.retry_us", &media.retry_us, 0.0..=10_000.0);
    c.optional("media.refresh_rber_ppb", &media.refresh_rber_ppb, 0.0..=1e9);
    c.source("media.seed", &media.seed);
}

/// One entry for both areas, or one for each.
fn areas<T: Clone>(c: &mut Checker<'_>, key: &'static str, field: &Field<Vec<T>>) {
    c.source(key, field);
    let entries = field.get().len();
    if !(1..=2).contains(&entries) {
        let message = format!(
            "{entries} entries; it must have one, or two: for the main area and for the SLC cache"
        );
        c.report(key, field, message);
    }
}

fn rates(c: &mut Checker<'_>, key: &'static str, field: &Field<Vec<f64>>) {
    let allowed = 0.0..=1e9;
    if let Some(bad) = field.get().iter().find(|&&ppb| !allowed.contains(&ppb)) {
        let message = format!("{bad} is not allowed; it must lie from 0 to 10^9");
        c.report(key, field, message);
    }
}
