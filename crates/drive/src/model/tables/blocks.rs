//! `[blocks]`: blocks that wear and go bad one by one.

use super::super::key::{Field, Problems, table};
use super::super::schema::Model;
use crate::spec::{HealthSpec, Spec};

table! {
    /// Blocks that wear and go bad one by one. A block is here what a superblock has on one die:
    /// a block of each plane that work together. Not with `health.end_of_life_cycles`,
    /// `health.slc_end_of_life_cycles`.
    pub struct Blocks = "blocks" {
        /// Switch.
        enabled: Field<bool>;
        /// Erases that a block of the data area bears in the mean; any number without the key.
        life_cycles: Option<Field<u32>>, 1..=1_000_000;
        /// The same of the SLC cache's own blocks.
        slc_life_cycles: Option<Field<u32>>, 1..=1_000_000;
        /// Standard deviation of both, percent of the mean.
        life_spread_percent: Field<u32>, 0..=50;
        /// Spare blocks of each die beside `nand.blocks_per_plane` and the cache, to take the place
        /// of bad ones: at least as many as the factory's bad blocks.
        spare_blocks_per_die: Field<u32>, 0..=65_536;
        /// Share of all blocks that are bad from the factory, parts per million. Data sheets give
        /// the least number of valid blocks.
        factory_bad_ppm: Field<u32> = 0, 0..=500_000;
        /// Share of all programs that fail, parts of 10^9.
        program_failure_ppb: Field<u32> = 0, 0..=100_000_000;
        /// Seed: which blocks live for how long, which are bad from the factory, which programs
        /// fail.
        seed: Field<u64>;
    }
}

/// Whether every die has a sound block for each superblock: a check of a model whose figures
/// are sane one by one.
pub(in super::super) fn check_sizes(problems: &mut Problems, model: &Model, spec: &Spec) {
    let (Some(blocks), Some(_)) = (&model.blocks, &spec.blocks) else {
        return;
    };
    let ends = |health: &HealthSpec| health.end_of_life_cycles != [u32::MAX; 2];
    if spec.health.as_ref().is_some_and(ends) {
        let message = "[blocks] does not go with health.end_of_life_cycles and \
                       health.slc_end_of_life_cycles, by which superblocks end as a whole: leave \
                       these out, and name blocks.life_cycles";
        problems.report(&blocks.enabled, message);
    }
    if let Some(short) = crate::sim::short_die(spec) {
        let message = format!(
            "{} is not allowed; {} blocks of die {} are bad from the factory, and its superblocks \
             need all others and more",
            blocks.spare_blocks_per_die.value, short.factory_bad, short.die
        );
        problems.report(&blocks.spare_blocks_per_die, message);
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{Model, demo};
    use crate::spec::BlocksSpec;

    const TABLE: &str = "
[blocks]
enabled = { value = true, source = \"assumed\" }
life_cycles = { value = 1000, source = \"assumed\" }
slc_life_cycles = { value = 30000, source = \"assumed\" }
life_spread_percent = { value = 12, source = \"assumed\" }
spare_blocks_per_die = { value = 60, source = \"assumed\" }
factory_bad_ppm = { value = 20000, source = \"assumed\" }
program_failure_ppb = { value = 700, source = \"assumed\" }
seed = { value = 5, source = \"assumed\" }
";

    fn with(table: &str) -> Result<Model, String> {
        let text = format!("{}{table}", demo());
        Model::parse(&text, "m.toml").map_err(|error| error.to_string())
    }

    #[test]
    fn a_table_becomes_blocks_and_a_switch_takes_them_away() {
        let spec = with(TABLE).expect("it is sound").spec();
        let expected = BlocksSpec {
            life_cycles: [30_000, 1_000],
            life_spread_percent: 12,
            spare_blocks: 60,
            factory_bad_ppm: 20_000,
            program_failure_ppb: 700,
            seed: 5,
        };
        assert_eq!(spec.blocks, Some(expected));
        let off = TABLE.replacen("true", "false", 1);
        let off = with(&off).expect("it is sound").spec();
        assert_eq!(off, with("").expect("it is sound").spec());
    }

    #[test]
    fn what_cannot_be_is_said() {
        for (from, to, key, part) in [
            ("value = 1000,", "value = 0,", "life_cycles", "from 1 to"),
            ("value = 12,", "value = 51,", "life_spread_percent", "to 50"),
            (
                "value = 60,",
                "value = 3,",
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
            let said = with(&TABLE.replacen(from, to, 1)).expect_err(to);
            assert!(said.contains(&format!("blocks.{key}: ")), "{said}");
            assert!(said.contains(part), "{said}");
        }
        const HEALTH: &str = "
[health]
protocol = { value = \"nvme\", source = \"assumed\" }
rated_cycles = { value = 100, source = \"assumed\" }
end_of_life_cycles = { value = 100, source = \"assumed\" }
spare_superblocks = { value = 1, source = \"assumed\" }
spare_threshold_percent = { value = 10, source = \"assumed\" }
";
        let said = with(&(TABLE.to_string() + HEALTH)).expect_err("two ends");
        let part = "does not go with health.end_of_life_cycles";
        assert!(
            said.contains("blocks.enabled: ") && said.contains(part),
            "{said}"
        );
    }
}
