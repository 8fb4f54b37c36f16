//! `[media]`: errors of the flash and what corrects them.

use super::super::key::{Field, table};
use super::super::rules::List;

table! {
    /// Errors of the flash. Rates are raw bit error rates (RBER). A list of areas has one entry for
    /// both, or two: for the data area and for the SLC cache.
    pub struct Media = "media" {
        /// RBER of a new block just written, by area, parts of 10^9.
        rber_fresh_ppb: Field<Vec<f64>>, AREA_RATES;
        /// Added at the rated number of erase cycles, growing with the square of the cycles, by
        /// area, parts of 10^9.
        rber_worn_ppb: Field<Vec<f64>>, AREA_RATES;
        /// Added by a year of retention in a new block, by area, parts of 10^9.
        rber_year_fresh_ppb: Field<Vec<f64>>, AREA_RATES;
        /// Added to that at the rated number of erase cycles, by area, parts of 10^9.
        rber_year_worn_ppb: Field<Vec<f64>>, AREA_RATES;
        /// Added by 100,000 reads of pages of the superblock since it was erased, by area, parts
        /// of 10^9.
        rber_reads_100k_ppb: Field<Vec<f64>>, AREA_RATES;
        /// Erase cycles that cells are rated for, by area.
        rated_cycles: Field<Vec<u32>>, AREA_CYCLES;
        /// How much worse the worst page of two, of four, of eight … is, percent each time.
        page_spread_percent: Field<u32>, 0..=1_000;
        /// RBER up to which each pass of reading corrects, the plain read first, parts of 10^9.
        pass_rber_ppb: Field<Vec<f64>>, PASS_RATES;
        /// Time of each pass after the first, beside sensing again, µs.
        retry_us: Field<f64>, 0.0..=10_000.0;
        /// RBER above which a superblock is written anew in idle time (refresh), parts of 10^9;
        /// never without the key.
        refresh_rber_ppb: Option<Field<f64>>, 0.0..=1e9;
        /// Seed: which pages are the worse ones.
        seed: Field<u64>;
    }
}

const AREAS: &str = "one, or two: for the data area and for the SLC cache";

const AREA_RATES: List<f64> = List {
    entries: 1..=2,
    what: AREAS,
    each: 0.0..=1e9,
    ascends: false,
};

const AREA_CYCLES: List<u32> = List {
    entries: 1..=2,
    what: AREAS,
    each: 1..=u32::MAX,
    ascends: false,
};

const PASS_RATES: List<f64> = List {
    entries: 1..=64,
    what: "1 to 64 entries",
    each: 0.0..=1e9,
    ascends: true,
};
