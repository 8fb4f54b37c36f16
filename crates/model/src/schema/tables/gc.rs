//! `[gc]`, `[idle]`, `[streams]` and `[wear_levelling]`: the drive's own writes.

use stend_base::Nanos;

use super::super::convert::{given, millis, nanos, pages, value};
use super::super::key::{Field, Problems, named, table};
use super::super::rules::{OneOf, PowerOfTwo};
use super::super::types::Policy;
use super::Model;

table! {
    /// Garbage collection.
    pub struct Gc = "gc" => GcSpec {
        /// Which victim is taken.
        policy: Field<String>, OneOf(&POLICIES) => |gc, _|
            /// Victim selection.
            policy: Policy = gc.policy();
        /// With `d-choices` alone: full superblocks drawn, of which the one with the lowest valid
        /// count is the victim.
        choices: Option<Field<u32>>, 1..=65_536;
        /// It runs while fewer superblocks of the data area are free: above
        /// `reserve_superblocks`.
        start_superblocks: Field<u32>, 4..=65_536 => start_superblocks: u32 = value;
        /// Superblocks of the data area kept back for the drive's own work.
        // At least 3: one may be half relocated, one half filled by the host, and one must be left
        // to relocate into.
        reserve_superblocks: Field<u32>, 3..=65_536 => reserve_superblocks: u32 = value;
        /// Superblocks of the SLC cache kept back for GC: at least 4 where relocated data enters
        /// the cache, 0 without a cache.
        slc_reserve_superblocks: Field<u32>, 0..=65_536 => slc_reserve_superblocks: u32 = value;
        /// Multi-plane pages read or written at the same time.
        depth: Field<u32>, 1..=1024 => depth: u32 = value;
    }
}

table! {
    /// Work without requests of the host: GC and folding.
    pub struct Idle = "idle" => IdleSpec {
        /// Switch.
        enabled: Field<bool> => enabled: bool = value;
        /// Time without requests before it begins, ms; and time without writes after which reads
        /// have the dies for themselves (`slc_cache.fold_start_percent`), idle work or not.
        delay_ms: Field<u64>, 1..=86_400_000 => delay: Nanos = millis;
        /// Length of a slice of work and rest, ms.
        slice_ms: Field<u64>, 1..=86_400_000 => slice: Nanos = millis;
        /// Share of a slice spent working, percent.
        duty_percent: Field<u32>, 1..=100 => duty_percent: u32 = value;
        /// It works until so many superblocks of the data area are free, and the SLC cache is
        /// empty.
        target_superblocks: Field<u32>, 0..=65_536 => target_superblocks: u32 = value;
    }
}

table! {
    /// Data of different age or heat in superblocks of its own. Not with an SLC cache.
    pub struct Streams = "streams" => StreamsSpec {
        /// Switch.
        enabled: Field<bool>;
        /// Superblocks open at once for what the host writes, by heat: at least one multi-plane
        /// page fewer than `dram.write_buffer_kib` holds.
        host_streams: Field<u32>, 1..=4 => host_streams: u32 = value;
        /// Superblocks open at once for relocated data, by how often it was relocated.
        gc_streams: Field<u32>, 1..=4 => gc_streams: u32 = value;
        /// Size of the region that a counter of heat covers, KiB of user data; each is a byte of
        /// DRAM with more than one stream of the host.
        heat_group_kib: Field<u32>, PowerOfTwo(4..=65_536) => heat_group_pages: u32 = pages;
        /// Share of the capacity that is overwritten while every counter is halved once, percent.
        heat_window_percent: Field<u32>, 10..=10_000 => heat_window_percent: u32 = value;
        /// Telling the heat of a write command, ns of its core.
        classify_ns: Field<u64>, 0..=1_000_000 => classify: Nanos = nanos;
    }
}

table! {
    /// Wear levelling: which superblocks are erased how often.
    pub struct WearLevelling = "wear_levelling" => WearSpec {
        /// Switch.
        enabled: Field<bool>;
        /// `true`: the erased superblock with the fewest erase cycles is filled first, rather than
        /// the one that was erased first.
        dynamic: Field<bool> => dynamic: bool = value;
        /// Erase cycles between the least and the most worn superblock of the data area above
        /// which data at rest is moved; 0 for never.
        static_spread: Field<u32>, 0..=65_536 => static_spread: u32 = value;
        /// Victims that GC takes for their space between two checks of the difference.
        static_interval: Field<u32>, 1..=65_536 => static_interval: u32 = value;
    }
}

/// Victim policies, by name.
const POLICIES: [(&str, Policy); 4] = [
    ("greedy", Policy::Greedy),
    ("fifo", Policy::Fifo),
    ("cost-benefit", Policy::CostBenefit),
    ("d-choices", Policy::DChoices { choices: 1 }),
];

impl Gc {
    fn policy(&self) -> Policy {
        match (named(&POLICIES, &self.policy), given(&self.choices)) {
            (Policy::DChoices { .. }, Some(choices)) => Policy::DChoices { choices },
            (policy, _) => policy,
        }
    }
}

pub(crate) fn check(problems: &mut Problems, model: &Model) {
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
pub(crate) fn enabled(model: &Model) -> Option<&Streams> {
    model.streams.as_ref().filter(|s| s.enabled.value)
}

/// DRAM that the counters of heat take, KiB.
pub(crate) fn heat_kib(model: &Model) -> u64 {
    let counters = |s: &Streams| {
        let bytes = u64::from(s.heat_group_kib.value) * 1024;
        let user_bytes = model.capacity.user_bytes.value;
        user_bytes.div_ceil(bytes).div_ceil(1024)
    };
    let several = enabled(model).filter(|s| s.host_streams.value > 1);
    several.map_or(0, counters)
}

#[cfg(test)]
mod tests {
    use crate::Model;
    use crate::schema::spec::{Policy, WearSpec};
    use crate::testing::{assert_refused, demo, figures, parse, parse_with};

    /// The demonstration drive with this policy.
    fn with_policy(lines: &str) -> Result<Model, String> {
        let line = demo().lines().find(|line| line.starts_with("policy"));
        let line = line.expect("a model has a policy").to_owned() + "\n";
        parse(&demo().replace(&line, &figures(lines)))
    }

    #[test]
    fn choices_go_with_the_policy_that_draws() {
        for (lines, expected) in [
            ("policy = \"greedy\"", Policy::Greedy),
            ("policy = \"fifo\"", Policy::Fifo),
            ("policy = \"cost-benefit\"", Policy::CostBenefit),
            (
                "policy = \"d-choices\"\nchoices = 10",
                Policy::DChoices { choices: 10 },
            ),
        ] {
            let spec = with_policy(lines).expect(lines).spec();
            assert_eq!(spec.gc.policy, expected);
        }
        for (lines, key, part) in [
            ("policy = \"d-choices\"", "gc.policy", "`d-choices` needs"),
            ("policy = \"greedy\"\nchoices = 10", "gc.choices", "only"),
            ("policy = \"lru\"", "gc.policy", "cost-benefit, d-choices"),
            (
                "policy = \"d-choices\"\nchoices = 0",
                "gc.choices",
                "0 is not allowed",
            ),
        ] {
            assert_refused(with_policy(lines), key, part);
        }
    }

    const STREAMS: &str = "
[streams]
enabled = true
host_streams = 3
gc_streams = 2
heat_group_kib = 64
heat_window_percent = 200
classify_ns = 150
";

    /// A shipped model without an SLC cache, with this text in place of its table.
    fn in_place_of_streams(table: &str) -> Result<Model, String> {
        let text = Model::shipped("samsung-850-pro-256gb")
            .expect("it is shipped")
            .text;
        let (before, rest) = text.split_once("[streams]\n").expect("it has none");
        let (_none, after) = rest.split_once('\n').expect("a reason");
        parse(&format!("{before}{after}\n{table}"))
    }

    /// The same with a table.
    fn with_streams(table: &str) -> Result<Model, String> {
        in_place_of_streams(&figures(table))
    }

    #[test]
    fn a_table_becomes_streams_and_a_switch_takes_them_away() {
        let spec = with_streams(STREAMS).expect("it is sound").spec();
        // Wear levelling has one as well.
        assert_eq!(spec.further_streams(), 4);
        let streams = spec.streams.expect("it has streams");
        assert_eq!((streams.host_streams, streams.gc_streams), (3, 2));
        assert_eq!(streams.heat_group_pages, 16);
        assert_eq!(streams.classify.0, 150);
        let off = with_streams(&STREAMS.replace("true", "false")).expect("it is sound");
        assert_eq!(off.spec(), with_streams("").expect("it is sound").spec());
    }

    #[test]
    fn impossible_streams_are_refused() {
        for (from, to, key, part) in [
            ("= 3", "= 5", "host_streams", "from 1 to 4"),
            ("= 2\n", "= 0\n", "gc_streams", "from 1 to 4"),
            ("= 64", "= 48", "heat_group_kib", "a power of two"),
            ("= 200", "= 9", "heat_window_percent", "10 to 10000"),
        ] {
            assert!(STREAMS.contains(from));
            let model = with_streams(&STREAMS.replacen(from, to, 1));
            assert_refused(model, &format!("streams.{key}"), part);
        }
        let (enabled, rest) = STREAMS.split_at(STREAMS.find("host").expect("a key"));
        let sourceless = figures(enabled) + &figures(rest).replacen("\"assumed\"", "\"\"", 1);
        assert_refused(
            in_place_of_streams(&sourceless),
            "streams.host_streams",
            "source",
        );
        assert_refused(parse_with(STREAMS), "streams.enabled", "all data enters");
    }

    const WEAR: &str = "
[wear_levelling]
enabled = true
dynamic = true
static_spread = 20
static_interval = 8
";

    #[test]
    fn a_table_becomes_levelling_and_a_switch_takes_it_away() {
        let spec = parse_with(WEAR).expect("it is sound").spec();
        let expected = WearSpec {
            dynamic: true,
            static_spread: 20,
            static_interval: 8,
        };
        assert_eq!(spec.wear, Some(expected));
        let off = parse_with(&WEAR.replacen("true", "false", 1)).expect("it is sound");
        assert_eq!(off.spec(), parse_with("").expect("it is sound").spec());
    }

    #[test]
    fn impossible_levelling_is_refused() {
        for (from, to, key, part) in [
            ("= 8", "= 0", "static_interval", "from 1 to"),
            ("= 20", "= 70000", "static_spread", "to 65536"),
            ("static_spread", "static_sprea", "static_sprea", "unknown"),
        ] {
            let model = parse_with(&WEAR.replacen(from, to, 1));
            assert_refused(model, &format!("wear_levelling.{key}"), part);
        }
    }
}
