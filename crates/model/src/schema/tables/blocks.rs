//! `[blocks]`: blocks that wear and go bad one by one.

use super::super::convert::{cycles, value};
use super::super::key::{Field, table};
use super::Model;

table! {
    /// Blocks that wear and go bad one by one. A block is here what a superblock has on one die:
    /// a block of each plane that work together. Not with `health.end_of_life_cycles`,
    /// `health.slc_end_of_life_cycles`.
    pub struct Blocks = "blocks" => BlocksSpec {
        /// Switch.
        enabled: Field<bool>;
        /// Median of the erases that a block of the data area survives; unlimited without the key.
        life_cycles: Option<Field<u32>>, 1..=1_000_000 => |blocks, _|
            /// Median of the erases that a block of the SLC cache and of the data area survives;
            /// [`u32::MAX`]: unlimited.
            life_cycles: [u32; 2] =
                [cycles(&blocks.slc_life_cycles), cycles(&blocks.life_cycles)];
        /// The same for the SLC cache's own blocks.
        slc_life_cycles: Option<Field<u32>>, 1..=1_000_000;
        /// Spread of the blocks of a die: standard deviation of the natural logarithm of both,
        /// in hundredths, which is nearly percent of the median.
        life_spread_percent: Field<u32>, 0..=50 => life_spread_percent: u32 = value;
        /// Spread of whole dies, in the same way.
        die_spread_percent: Field<u32> = 0, 0..=50 => die_spread_percent: u32 = value;
        /// Spare blocks of each die beside `nand.blocks_per_plane` and the cache, to take the place
        /// of bad ones: at least as many as the factory's bad blocks.
        spare_blocks_per_die: Field<u32>, 0..=65_536 => spare_blocks: u32 = value;
        /// Share of all blocks that are bad from the factory, parts per million. Data sheets give
        /// the least number of valid blocks.
        factory_bad_ppm: Field<u32> = 0, 0..=500_000 => factory_bad_ppm: u32 = value;
        /// Share of all programs that fail, parts of 10^9.
        program_failure_ppb: Field<u32> = 0, 0..=100_000_000 => program_failure_ppb: u32 = value;
        /// Seed: which blocks live for how long, which are bad from the factory, which programs
        /// fail.
        seed: Field<u64> => seed: u64 = value;
    }
}

#[cfg(test)]
mod tests {
    use crate::schema::spec::BlocksSpec;
    use crate::testing::{assert_refused, parse_with};

    const TABLE: &str = "
[blocks]
enabled = true
life_cycles = 1000
slc_life_cycles = 30000
life_spread_percent = 12
die_spread_percent = 3
spare_blocks_per_die = 60
factory_bad_ppm = 20000
program_failure_ppb = 700
seed = 5
";

    #[test]
    fn a_table_becomes_blocks_and_a_switch_takes_them_away() {
        let spec = parse_with(TABLE).expect("it is sound").spec();
        let expected = BlocksSpec {
            life_cycles: [30_000, 1_000],
            life_spread_percent: 12,
            die_spread_percent: 3,
            spare_blocks: 60,
            factory_bad_ppm: 20_000,
            program_failure_ppb: 700,
            seed: 5,
        };
        assert_eq!(spec.blocks, Some(expected));
        let off = parse_with(&TABLE.replace("true", "false")).expect("it is sound");
        assert_eq!(off.spec(), parse_with("").expect("it is sound").spec());
    }

    #[test]
    fn impossible_figures_are_refused() {
        for (from, to, key, part) in [
            ("= 1000", "= 0", "life_cycles", "from 1 to"),
            ("= 12", "= 51", "life_spread_percent", "to 50"),
            (
                "= 60",
                "= 3",
                "spare_blocks_per_die",
                "bad from the factory",
            ),
            (
                "life_spread",
                "live_spread",
                "live_spread_percent",
                "unknown",
            ),
        ] {
            let model = parse_with(&TABLE.replacen(from, to, 1));
            assert_refused(model, &format!("blocks.{key}"), part);
        }
        const HEALTH: &str = "
[health]
protocol = \"nvme\"
rated_cycles = 100
end_of_life_cycles = 100
spare_superblocks = 1
spare_threshold_percent = 10
";
        let model = parse_with(&(TABLE.to_owned() + HEALTH));
        assert_refused(
            model,
            "blocks.enabled",
            "does not go with health.end_of_life_cycles",
        );
    }
}
