//! `[media]`: errors of the flash and what corrects them.

use stend_nand::reliability::{Ecc, ErrorModel, Rber};

use super::super::key::{Field, table};
use super::super::resolve::{given, micros, rber, value};
use super::super::rules::List;

table! {
    /// Errors of the flash. Rates are raw bit error rates (RBER). A list of areas has one entry for
    /// both, or two: for the data area and for the SLC cache.
    pub struct Media = "media" => MediaSpec {
        /// RBER of a new block just written, by area, parts of 10^9.
        rber_fresh_ppb: Field<Vec<f64>>, AREA_RATES => |media, _|
            /// Cells of the data area.
            data_area: ErrorModel = media.cells(0),
            /// Cells of the SLC cache.
            slc_cache: ErrorModel = media.cells(1);
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
        pass_rber_ppb: Field<Vec<f64>>, PASS_RATES => |media, _|
            /// Error correction.
            ecc: Ecc = Ecc {
                passes: media.pass_rber_ppb.value.iter().copied().map(rber).collect(),
                retry: micros(&media.retry_us),
            };
        /// Time of each pass after the first, beside sensing again, µs.
        retry_us: Field<f64>, 0.0..=10_000.0;
        /// RBER above which a superblock is written anew in idle time (refresh), parts of 10^9;
        /// never without the key.
        refresh_rber_ppb: Option<Field<f64>>, 0.0..=1e9 => |media, _|
            /// RBER above which a superblock is written anew in idle time; `None`: never.
            refresh: Option<Rber> = given(&media.refresh_rber_ppb).map(rber);
        /// Seed: which pages are the worse ones.
        seed: Field<u64> => seed: u64 = value;
    }
}

impl Media {
    /// Cells of the data area, 0, or of the SLC cache, 1; one entry of a list serves both.
    fn cells(&self, area: usize) -> ErrorModel {
        let rate = |field: &Field<Vec<f64>>| rber(field.value[area.min(field.value.len() - 1)]);
        let cycles = &self.rated_cycles.value;
        ErrorModel {
            fresh: rate(&self.rber_fresh_ppb),
            worn: rate(&self.rber_worn_ppb),
            year_fresh: rate(&self.rber_year_fresh_ppb),
            year_worn: rate(&self.rber_year_worn_ppb),
            reads_100k: rate(&self.rber_reads_100k_ppb),
            rated_cycles: cycles[area.min(cycles.len() - 1)],
            spread_percent: self.page_spread_percent.value,
        }
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
