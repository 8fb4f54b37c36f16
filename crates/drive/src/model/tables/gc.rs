//! `[gc]`, `[idle]`, `[streams]` and `[wear_levelling]`: the drive's own writes.

use super::super::key::{Field, Problems, table};
use super::super::rules::{OneOf, PowerOfTwo};
use super::super::schema::Model;
use crate::spec::Spec;

table! {
    /// Garbage collection.
    pub struct Gc = "gc" {
        /// Which victim is taken.
        policy: Field<String>, OneOf(&POLICIES);
        /// With `d-choices` alone: full superblocks drawn, of which the one with the lowest valid
        /// count is the victim.
        choices: Option<Field<u32>>, 1..=65_536;
        /// It runs while fewer superblocks of the data area are free: above
        /// `reserve_superblocks`.
        start_superblocks: Field<u32>, 4..=65_536;
        /// Superblocks of the data area kept back for the drive's own work.
        reserve_superblocks: Field<u32>, 3..=65_536;
        /// Superblocks of the SLC cache kept back for GC: at least 4 where relocated data enters
        /// the cache, 0 without a cache.
        slc_reserve_superblocks: Field<u32>, 0..=65_536;
        /// Multi-plane pages read or written at the same time.
        depth: Field<u32>, 1..=1024;
    }
}

table! {
    /// Work without requests of the host: GC and folding.
    pub struct Idle = "idle" {
        /// Switch.
        enabled: Field<bool>;
        /// Time without requests before it begins, ms.
        delay_ms: Field<u64>, 1..=86_400_000;
        /// Length of a slice of work and rest, ms.
        slice_ms: Field<u64>, 1..=86_400_000;
        /// Share of a slice spent working, percent.
        duty_percent: Field<u32>, 1..=100;
        /// It works until so many superblocks of the data area are free, and the SLC cache is
        /// empty.
        target_superblocks: Field<u32>, 0..=65_536;
    }
}

table! {
    /// Data of different age or heat in superblocks of its own. Not with an SLC cache.
    pub struct Streams = "streams" {
        /// Switch.
        enabled: Field<bool>;
        /// Superblocks open at once for what the host writes, by heat: at least one multi-plane
        /// page fewer than `dram.write_buffer_kib` holds.
        host_streams: Field<u32>, 1..=4;
        /// Superblocks open at once for relocated data, by how often it was relocated.
        gc_streams: Field<u32>, 1..=4;
        /// What a counter of heat covers, KiB of user data; each is a byte of DRAM with more than
        /// one stream of the host.
        heat_group_kib: Field<u32>, PowerOfTwo(4..=65_536);
        /// Share of the capacity that is overwritten while every counter is halved once, percent.
        heat_window_percent: Field<u32>, 10..=10_000;
        /// Telling the heat of a write command, ns of its core.
        classify_ns: Field<u64>, 0..=1_000_000;
    }
}

table! {
    /// Which superblocks are erased how often.
    pub struct WearLevelling = "wear_levelling" {
        /// Switch.
        enabled: Field<bool>;
        /// Whether the erased superblock with the fewest erase cycles is filled first, rather than
        /// the one that was erased first.
        dynamic: Field<bool>;
        /// Erase cycles between the least and the most worn superblock of the data area above
        /// which data at rest is moved; 0 for never.
        static_spread: Field<u32>, 0..=65_536;
        /// Superblocks collected for their space between two looks at the difference.
        static_interval: Field<u32>, 1..=65_536;
    }
}

/// Victim policies, by name.
pub(in super::super) const POLICIES: [(&str, Victim); 4] = [
    ("greedy", Victim::Greedy),
    ("fifo", Victim::Fifo),
    ("cost-benefit", Victim::CostBenefit),
    ("d-choices", Victim::DChoices),
];

/// A victim policy without its figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Victim {
    Greedy,
    Fifo,
    CostBenefit,
    DChoices,
}

pub(in super::super) fn check(problems: &mut Problems, model: &Model) {
    let gc = &model.gc;
    let draws = gc.policy.value == "d-choices";
    match &gc.choices {
        Some(choices) if !draws => {
            problems.report(choices, "only the policy `d-choices` draws; leave it out");
        }
        None if draws => {
            let message = "`d-choices` needs gc.choices: how many are drawn, 1 to 65536";
            problems.report(&gc.policy, message);
        }
        _ => {}
    }
    let (start, reserve) = (gc.start_superblocks.value, gc.reserve_superblocks.value);
    if start <= reserve {
        let message =
            format!("{start} is not allowed; it must be above gc.reserve_superblocks = {reserve}");
        problems.report(&gc.start_superblocks, message);
    }
    let cache = model.slc_cache.as_ref().filter(|cache| cache.enabled.value);
    let kept = gc.slc_reserve_superblocks.value;
    if cache.is_some_and(super::slc_cache::takes_gc) && kept < 4 {
        let message = format!("{kept} is not allowed; with an SLC cache it must be at least 4");
        problems.report(&gc.slc_reserve_superblocks, message);
    }
    if let Some(streams) = enabled(model)
        && cache.is_some()
    {
        let message = "all data enters the SLC cache in one order and is folded in it; switch \
                       slc_cache.enabled off, or this";
        problems.report(&streams.enabled, message);
    }
}

/// The streams, if they are switched on.
pub(in super::super) fn enabled(model: &Model) -> Option<&Streams> {
    model.streams.as_ref().filter(|s| s.enabled.value)
}

/// Whether the buffer serves so many streams, when every figure on its own is sane.
pub(in super::super) fn check_sizes(problems: &mut Problems, model: &Model, spec: &Spec) {
    let Some(streams) = enabled(model) else {
        return;
    };
    let host = streams.host_streams.value;
    let pages = (host + 1) * spec.program_pages();
    if spec.buffer.write_pages < pages {
        let message = format!(
            "{host} is not allowed; each stream holds a multi-plane page that waits to be full, so \
             dram.write_buffer_kib must be at least {} KiB for that many, or they fewer",
            pages * 4
        );
        problems.report(&streams.host_streams, message);
    }
}

/// DRAM that the counters of heat take, KiB.
pub(in super::super) fn heat_kib(model: &Model) -> u64 {
    let counters = |s: &Streams| {
        let bytes = u64::from(s.heat_group_kib.value) * 1024;
        let user_bytes = model.capacity.user_bytes.value;
        user_bytes.div_ceil(bytes).div_ceil(1024)
    };
    let several = enabled(model).filter(|s| s.host_streams.value > 1);
    several.map_or(0, counters)
}

#[cfg(test)]
mod policy_tests {
    use crate::model::{Model, demo};

    fn said(policy: &str) -> String {
        let line = demo()
            .lines()
            .find(|line| line.starts_with("policy"))
            .expect("a model has a policy");
        let text = demo().replace(line, policy);
        match Model::parse(&text, "m.toml") {
            Ok(model) => format!("{:?}", model.spec().gc.policy),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn choices_go_with_the_policy_that_draws() {
        let policy =
            |name: &str| format!("policy = {{ value = \"{name}\", source = \"assumed\" }}");
        let choices = "choices = { value = 10, source = \"assumed\" }";
        assert_eq!(said(&policy("greedy")), "Greedy");
        assert_eq!(said(&policy("fifo")), "Fifo");
        assert_eq!(said(&policy("cost-benefit")), "CostBenefit");
        let drawn = format!("{}\n{choices}", policy("d-choices"));
        assert_eq!(said(&drawn), "DChoices { choices: 10 }");
        let alone = said(&policy("d-choices"));
        assert!(alone.contains("gc.policy: `d-choices` needs"), "{alone}");
        let idle = said(&format!("{}\n{choices}", policy("greedy")));
        assert!(idle.contains("gc.choices: only"), "{idle}");
        let wrong = said(&policy("lru"));
        assert!(wrong.contains("cost-benefit, d-choices"), "{wrong}");
        let none = said(&format!(
            "{}\n{}",
            policy("d-choices"),
            choices.replace("10", "0")
        ));
        assert!(none.contains("0 is not allowed"), "{none}");
    }
}

#[cfg(test)]
mod stream_tests {
    use crate::model::{Model, demo};

    const TABLE: &str = "
[streams]
enabled = { value = true, source = \"assumed\" }
host_streams = { value = 3, source = \"assumed\" }
gc_streams = { value = 2, source = \"assumed\" }
heat_group_kib = { value = 64, source = \"assumed\" }
heat_window_percent = { value = 200, source = \"assumed\" }
classify_ns = { value = 150, source = \"assumed\" }
";

    /// A shipped model without an SLC cache, with this table.
    fn with(table: &str) -> Result<Model, String> {
        let shipped = Model::shipped("samsung-850-pro-256gb").expect("it is shipped");
        let text = format!("{}{table}", shipped.text);
        Model::parse(&text, "m.toml").map_err(|error| error.to_string())
    }

    #[test]
    fn a_table_becomes_streams_and_a_switch_takes_them_away() {
        let spec = with(TABLE).expect("it is sound").spec();
        assert_eq!(spec.further_streams(), 3);
        let streams = spec.streams.expect("it has streams");
        assert_eq!((streams.host_streams, streams.gc_streams), (3, 2));
        assert_eq!(streams.heat_group_pages, 16);
        assert_eq!(streams.classify.0, 150);
        let off = with(&TABLE.replace("true", "false")).expect("it is sound");
        assert_eq!(off.spec(), with("").expect("it is sound").spec());
    }

    #[test]
    fn what_cannot_be_is_said() {
        for (from, to, key, part) in [
            ("value = 3", "value = 5", "host_streams", "from 1 to 4"),
            ("value = 2,", "value = 0,", "gc_streams", "from 1 to 4"),
            (
                "value = 64",
                "value = 48",
                "heat_group_kib",
                "a power of two",
            ),
            (
                "value = 200",
                "value = 9",
                "heat_window_percent",
                "10 to 10000",
            ),
            (
                "value = 3, source = \"assumed\"",
                "value = 3, source = \"\"",
                "host_streams",
                "source",
            ),
        ] {
            assert!(TABLE.contains(from));
            let said = with(&TABLE.replacen(from, to, 1)).expect_err(to);
            assert!(said.contains(&format!("streams.{key}: ")), "{said}");
            assert!(said.contains(part), "{said}");
        }
        let text = format!("{}{TABLE}", demo());
        let said = Model::parse(&text, "m.toml").expect_err("it has a cache");
        let said = said.to_string();
        assert!(said.contains("streams.enabled: all data enters"), "{said}");
    }
}

#[cfg(test)]
mod wear_tests {
    use crate::model::{Model, demo};
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
