//! `[media]`: errors of the flash and what corrects them.

use crate::nand::reliability::{Ecc, ErrorModel, Rber, Retention};
use stend_base::Nanos;

use super::super::convert::{given, given_micros, micros, rber, value};
use super::super::key::{Field, Problems, named, table};
use super::super::rules::{List, OneOf};
use super::Model;

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
        /// Growth of errors with the age of data. `"linear"`: evenly, as in planar flash.
        /// `"square-root"`: by the square root of the age, as in 3D flash, which loses most of its
        /// charge early.
        retention: Field<String> = LINEAR.to_owned(), OneOf(&RETENTION);
        /// Added by a year of retention in a new block, by area, parts of 10^9.
        rber_year_fresh_ppb: Field<Vec<f64>>, AREA_RATES;
        /// Added to that at the rated number of erase cycles, by area, parts of 10^9.
        rber_year_worn_ppb: Field<Vec<f64>>, AREA_RATES;
        /// Added by 100,000 reads of pages of the superblock since it was erased, by area, parts
        /// of 10^9.
        rber_reads_100k_ppb: Field<Vec<f64>>, AREA_RATES;
        /// Erase cycles that cells are rated for, by area.
        rated_cycles: Field<Vec<u32>>, AREA_CYCLES;
        /// Increase of the worst page of two, of four, of eight …, percent each time.
        page_spread_percent: Field<u32>, 0..=1_000;
        /// RBER of the data area by type of page, in proportion to each other: one entry for all,
        /// or as many as `nand.read_us` has. The mean stays that of the other keys.
        page_type_percent: Field<Vec<u32>> = vec![100], TYPE_PERCENT
            => page_type_percent: Vec<u32> = value;
        /// Greatest deviation of a word line's RBER from the mean, percent; all up to it are
        /// equally frequent. Word lines of one number are alike in all blocks.
        word_line_percent: Field<u32> = 0, 0..=90 => word_line_percent: u32 = value;
        /// RBER up to which each pass of reading corrects, the plain read first, parts of 10^9.
        pass_rber_ppb: Field<Vec<f64>>, PASS_RATES => |media, _|
            /// Error correction.
            ecc: Ecc = Ecc {
                passes: media.passes(),
                retry: micros(&media.retry_us),
            };
        /// Passes after those of `pass_rber_ppb`: both together at most 254.
        further_passes: Field<u32> = 0, 0..=190;
        /// RBER by which each of them corrects more than the one before, parts of 10^9.
        further_pass_rber_ppb: Field<f64> = 0.0, 0.0..=1e9;
        /// `true`: reads begin with a remembered pass, one for each page type of a superblock. The
        /// first retry sets it; each later one moves it by one pass towards the pass that corrected
        /// the page. An erase or time without power clears it.
        remembers_pass: Field<bool> = false => remembers_pass: bool = value;
        /// Time of each pass after the first, beside sensing again, µs.
        retry_us: Field<f64>, 0.0..=10_000.0;
        /// RBER above which a superblock is written anew in idle time (refresh), parts of 10^9;
        /// never without the key.
        refresh_rber_ppb: Option<Field<f64>>, 0.0..=1e9 => |media, _|
            /// RBER above which a superblock is written anew in idle time; `None`: never.
            refresh: Option<Rber> = given(&media.refresh_rber_ppb).map(rber);
        /// Time between two patrol reads, µs: while the host sends commands, firmware reads a page
        /// of each block that holds data in turn, and refreshes what is found above
        /// `refresh_rber_ppb` at once, not in idle time alone. No patrol reads without the key.
        patrol_interval_us: Option<Field<u64>>, 1..=86_400_000_000 => |media, _|
            /// Time between two patrol reads, if there are any.
            patrol_interval: Option<Nanos> = given_micros(&media.patrol_interval_us);
        /// Seed: which pages are the worse ones.
        seed: Field<u64> => seed: u64 = value;
    }
}

impl Media {
    /// RBER up to which each pass corrects.
    fn passes(&self) -> Vec<Rber> {
        let given = &self.pass_rber_ppb.value;
        let last = given.last().copied().unwrap_or_default();
        let step = self.further_pass_rber_ppb.value;
        let further = (1..=self.further_passes.value).map(|nth| last + step * f64::from(nth));
        given.iter().copied().chain(further).map(rber).collect()
    }

    /// Cells of the data area, 0, or of the SLC cache, 1; one entry of a list serves both.
    fn cells(&self, area: usize) -> ErrorModel {
        let rate = |field: &Field<Vec<f64>>| rber(field.value[area.min(field.value.len() - 1)]);
        let cycles = &self.rated_cycles.value;
        ErrorModel {
            fresh: rate(&self.rber_fresh_ppb),
            worn: rate(&self.rber_worn_ppb),
            retention: named(&RETENTION, &self.retention),
            year_fresh: rate(&self.rber_year_fresh_ppb),
            year_worn: rate(&self.rber_year_worn_ppb),
            reads_100k: rate(&self.rber_reads_100k_ppb),
            rated_cycles: cycles[area.min(cycles.len() - 1)],
            spread_percent: self.page_spread_percent.value,
        }
    }
}

const LINEAR: &str = "linear";

/// Growth of errors with age, by name.
const RETENTION: [(&str, Retention); 2] = [
    (LINEAR, Retention::Linear),
    ("square-root", Retention::SquareRoot),
];

const TYPE_PERCENT: List<u32> = List {
    entries: 1..=4,
    what: "one, or one for each bit of a cell",
    each: 1..=1_000,
    ascends: false,
};

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

pub(crate) fn check(problems: &mut Problems, model: &Model) {
    let Some(media) = &model.media else {
        return;
    };
    let (types, bits) = (&media.page_type_percent, model.nand.read_us.value.len());
    let entries = types.value.len();
    if entries != 1 && entries != bits {
        let message = format!("{entries} entries, but nand.read_us has {bits}; use 1 or {bits}");
        problems.report(types, message);
    }
    if (media.further_passes.value > 0) != (media.further_pass_rber_ppb.value > 0.0) {
        let message = "set both media.further_passes and media.further_pass_rber_ppb, or neither";
        problems.report(&media.further_passes, message);
    }
}
