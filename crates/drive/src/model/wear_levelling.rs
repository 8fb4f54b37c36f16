//! `[wear_levelling]`: which superblocks are erased how often.

use serde::Deserialize;

use super::check::Checker;
use super::schema::Model;
use super::sourced::{Field, Value};
use crate::spec::WearSpec;

/// Which superblocks are erased how often.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WearLevelling {
    /// Switch.
    pub enabled: Field<bool>,
    /// The erased superblock with the fewest erase cycles is filled first.
    pub dynamic: Field<bool>,
    /// Difference of erase cycles above which data at rest is moved; 0 for never.
    pub static_spread: Field<u32>,
    /// Superblocks collected for their space between two looks at the difference.
    pub static_interval: Field<u32>,
}

pub(super) fn check(c: &mut Checker<'_>, model: &Model) {
    let Some(w) = &model.wear_levelling else {
        return;
    };
    c.source("wear_levelling.enabled", &w.enabled);
    c.source("wear_levelling.dynamic", &w.dynamic);
    c.range("wear_levelling.static_spread", &w.static_spread, 0..=65_536);
    c.range(
        "wear_levelling.static_interval",
        &w.static_interval,
        1..=65_536,
    );
}

pub(super) fn resolve(model: &Model) -> Option<WearSpec> {
    let wear = model.wear_levelling.as_ref();
    wear.filter(|w| w.enabled.get()).map(|w| WearSpec {
        dynamic: w.dynamic.get(),
        static_spread: w.static_spread.get(),
        static_interval: w.static_interval.get(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Model, demo};
    use crate::spec::WearSpec;

    const TABLE: &str = "
[wear_levelling]
enabled = { value = true, source = \"assumed\" }
dynamic = { value = true, source = \"assumed\" }
static_spread = { value = 20, source = \"assumed\" }
static_interval = { value = 8, source = \"assumed\" }
";

    fn with(table: &str) -> Result<Model, String> {
        let text = format!("{}{table}", demo());
        Model::parse(&text, "m.toml").map_err(|error| error.to_string())
    }

    #[test]
    fn a_table_becomes_levelling_and_a_switch_takes_it_away() {
        let spec = with(TABLE).expect("it is sound").spec();
        let expected = WearSpec {
            dynamic: true,
            static_spread: 20,
            static_interval: 8,
        };
        assert_eq!(spec.wear, Some(expected));
        let off = TABLE.replacen("true", "false", 1);
        let off = with(&off).expect("it is sound").spec();
        assert_eq!(off, with("").expect("it is sound").spec());
    }

    #[test]
    fn what_cannot_be_is_said() {
        for (from, to, key, part) in [
            ("value = 8", "value = 0", "static_interval", "from 1 to"),
            ("value = 20", "value = 70000", "static_spread", "to 65536"),
            ("static_spread", "static_sprea", "static_sprea", "unknown"),
        ] {
            let said = with(&TABLE.replacen(from, to, 1)).expect_err(to);
            assert!(said.contains(&format!("wear_levelling.{key}: ")), "{said}");
            assert!(said.contains(part), "{said}");
        }
    }
}
