//! `[blocks]`: blocks that wear and go bad one by one.

use serde::Deserialize;

use super::check::Checker;
use super::schema::Model;
use super::sourced::{Field, Value};
use crate::spec::BlocksSpec;

/// Blocks that wear and go bad one by one. A block is here what a superblock has on one die:
/// a block of each plane that work together.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blocks {
    /// Switch.
    pub enabled: Field<bool>,
    /// Erases that a block of the main area bears in the mean; any number if not named.
    pub life_cycles: Option<Field<u32>>,
    /// The same of the SLC cache's own blocks.
    pub slc_life_cycles: Option<Field<u32>>,
    /// Standard deviation of both, percent of the mean.
    pub life_spread_percent: Field<u32>,
    /// Blocks of each die beside `nand.blocks_per_plane` and the cache, to take the place of
    /// bad ones.
    pub spare_blocks_per_die: Field<u32>,
    /// Share of all blocks that are bad from the factory, parts per million; none if not
    /// named.
    pub factory_bad_ppm: Option<Field<u32>>,
    /// Share of all programs that fail, parts of 10^9; none if not named.
    pub program_failure_ppb: Option<Field<u32>>,
    /// Which blocks live for how long, which are bad from the factory, which programs fail.
    pub seed: Field<u64>,
}

pub(super) fn check(c: &mut Checker<'_>, model: &Model) {
    let Some(b) = &model.blocks else {
        return;
    };
    c.source("blocks.enabled", &b.enabled);
    for (key, field) in [
        ("blocks.life_cycles", &b.life_cycles),
        ("blocks.slc_life_cycles", &b.slc_life_cycles),
    ] {
        if let Some(field) = field {
            c.range(key, field, 1..=1_000_000);
        }
    }
    let spread = &b.life_spread_percent;
    c.range("blocks.life_spread_percent", spread, 0..=50);
    let spares = &b.spare_blocks_per_die;
    c.range("blocks.spare_blocks_per_die", spares, 0..=65_536);
    if let Some(bad) = &b.factory_bad_ppm {
        c.range("blocks.factory_bad_ppm", bad, 0..=500_000);
    }
    if let Some(failures) = &b.program_failure_ppb {
        c.range("blocks.program_failure_ppb", failures, 0..=100_000_000);
    }
    c.source("blocks.seed", &b.seed);
}

/// Whether every die has a sound block for each superblock: a check of a model whose figures
/// are sane one by one.
pub(super) fn check_sizes(c: &mut Checker<'_>, model: &Model) {
    let (Some(b), Some(_)) = (&model.blocks, resolve(model)) else {
        return;
    };
    let spec = model.spec();
    let ends = |health: &crate::spec::HealthSpec| health.end_of_life_cycles != [u32::MAX; 2];
    if spec.health.as_ref().is_some_and(ends) {
        let message = "[blocks] does not go with health.end_of_life_cycles and \
                       health.slc_end_of_life_cycles, by which superblocks end as a whole: leave \
                       these out, and name blocks.life_cycles"
            .to_string();
        c.report("blocks.enabled", &b.enabled, message);
    }
    if let Some(short) = crate::sim::short_die(&spec) {
        let message = format!(
            "{} is not allowed; {} blocks of die {} are bad from the factory, and its \
             superblocks need all others and more",
            b.spare_blocks_per_die.get(),
            short.factory_bad,
            short.die
        );
        c.report(
            "blocks.spare_blocks_per_die",
            &b.spare_blocks_per_die,
            message,
        );
    }
}

pub(super) fn resolve(model: &Model) -> Option<BlocksSpec> {
    let blocks = model.blocks.as_ref().filter(|b| b.enabled.get())?;
    let most = |field: &Option<Field<u32>>| field.as_ref().map_or(u32::MAX, Value::get);
    Some(BlocksSpec {
        life_cycles: [most(&blocks.slc_life_cycles), most(&blocks.life_cycles)],
        life_spread_percent: blocks.life_spread_percent.get(),
        spare_blocks: blocks.spare_blocks_per_die.get(),
        factory_bad_ppm: blocks.factory_bad_ppm.as_ref().map_or(0, Value::get),
        program_failure_ppb: blocks.program_failure_ppb.as_ref().map_or(0, Value::get),
        seed: blocks.seed.get(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Model, demo};
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
