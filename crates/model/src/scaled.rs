//! A drive with a fraction of the capacity, which has the same speeds after the same fraction of
//! the time.
//!
//! It has the same dies, planes and superblocks, but shorter ones: so spare space, cache and
//! garbage collection have the same ratio to the capacity as in the drive itself, and each request
//! has the same cost. The write buffer and the work under way at one time do not become smaller
//! with the blocks, and matter more the larger the divisor.

use super::{FileError, Model, Setting};

/// Figures that are divided: times in which a whole block, or the whole drive, changes; sizes that
/// grow with the capacity.
const DIVIDED: &[&str] = &[
    "nand.erase_us",
    "slc_cache.erase_us",
    "slc_cache.fold_start_free_mib",
    "slc_cache.idle_free_mib",
    "l2p_cache.pages_per_block",
    "l2p_cache.erase_us",
    "idle.delay_ms",
    "idle.slice_ms",
    "trim.erase_pause_us",
    "power_loss.checkpoint_pages",
    "power_loss.journal_erase_us",
    "thermal.capacity_j_per_k",
    "thermal.step_ms",
];

impl Model {
    /// The model with about one `by`-th of the capacity. The pages of a block are the nearest whole
    /// number of word lines, and the capacity is reduced by the same factor.
    ///
    /// Times and sizes of filling, emptying or heating the drive, in seconds or in bytes, are
    /// divided by `by`; speeds, latencies and shares are the same, as far as they do not depend on
    /// the write buffer's share of the capacity.
    ///
    /// # Errors
    /// If the drive would be too small: its blocks have too few pages for its mechanisms.
    pub fn scaled(&self, by: u32) -> Result<Model, FileError> {
        if by <= 1 {
            return Ok(self.clone());
        }
        let whole = |key: &str| match self.given(&[key]).into_iter().next().flatten() {
            Some(Setting::Whole(whole)) => Some(whole),
            _ => None,
        };
        let by = i64::from(by);
        let bits = self.nand.read_us.value.len() as i64;
        let pages = whole("nand.pages_per_block").expect("a model has it");
        let lines = pages / bits;
        let fewer_lines = ((2 * lines + by) / (2 * by)).max(1);
        let shorter =
            |bytes: i64| (i128::from(bytes) * i128::from(fewer_lines) / i128::from(lines)) as i64;
        let mut settings = vec![
            ("nand.pages_per_block", Setting::Whole(fewer_lines * bits)),
            (
                "capacity.user_bytes",
                Setting::Whole(
                    shorter(whole("capacity.user_bytes").expect("a model has it")) / 4096 * 4096,
                ),
            ),
        ];
        if let Some(pages) = whole("slc_cache.pages_per_block") {
            settings.push((
                "slc_cache.pages_per_block",
                Setting::Whole(shorter(pages).max(1)),
            ));
        }
        settings.push(self.fewer_segments(by));
        let given = self.given(DIVIDED);
        settings.extend(DIVIDED.iter().zip(given).filter_map(|(key, value)| {
            let value = match value? {
                Setting::Whole(whole) => Setting::Whole((whole / by).max(1)),
                Setting::Real(real) => Setting::Real(real / by as f64),
                _ => return None,
            };
            Some((*key, value))
        }));
        self.with(&settings)
    }

    /// A part of the mapping table in fast memory that covers the same share of the drive: fewer
    /// segments or, if there are only a few, shorter ones.
    fn fewer_segments(&self, by: i64) -> (&'static str, Setting) {
        let controller = &self.controller;
        let segments = i64::from(controller.l2p_segments.value);
        if segments >= by {
            return ("controller.l2p_segments", Setting::Whole(segments / by));
        }
        let kib = i64::from(controller.l2p_segment_kib.value);
        (
            "controller.l2p_segment_kib",
            Setting::Whole((kib / by / 4 * 4).max(4)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::{SHIPPED, Shipped};
    use super::*;

    /// Precision of the comparison of spare space as a share of the capacity, and of the cache as a
    /// share of all blocks.
    const EQUAL_TO: f64 = 1e-4;

    #[test]
    fn every_shipped_drive_has_an_eighth_in_the_same_proportions() {
        for Shipped { name, .. } in SHIPPED {
            let model = Model::shipped(name).expect("it is shipped");
            let small = model
                .scaled(8)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            let (large, small) = (model.spec(), small.spec());
            let pages = |spec: &crate::schema::spec::Spec| f64::from(spec.data.rows);
            let share = |spec: &crate::schema::spec::Spec| pages(spec) / spec.user_bytes as f64;
            let difference = share(&small) / share(&large) - 1.0;
            assert!(difference.abs() < EQUAL_TO, "{name}: {difference}");
            let ratio = large.user_bytes as f64 / small.user_bytes as f64;
            assert!((7.5..8.5).contains(&ratio), "{name}: {ratio}");
        }
    }

    #[test]
    fn a_whole_drive_is_itself() {
        let model = Model::shipped("demo-8gb").expect("it is shipped");
        assert_eq!(model.scaled(1).expect("it is sound").text, model.text);
    }

    #[test]
    fn too_small_a_drive_is_refused() {
        let model = Model::shipped("toshiba-q300-pro-256gb").expect("it is shipped");
        let error = model.scaled(1000).expect_err("a block of two pages");
        assert!(
            error.to_string().contains("nand.pages_per_block"),
            "{error}"
        );
    }
}
