//! Properties in texts for people, in the current language: names, groups, values with units.

use stend_language::{numeral, say, text, unit};

use crate::property::{Property, Value};

/// Groups of properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The cache for writes.
    Cache,
    /// Spare space, GC, TRIM.
    Spare,
    /// Reads, dies, the L2P.
    Reads,
    /// Durability, and reads during writes.
    Durability,
}

impl Group {
    /// All groups, in reading order.
    pub const ALL: [Group; 4] = [Group::Cache, Group::Spare, Group::Reads, Group::Durability];

    /// Title of the group.
    pub fn title(self) -> String {
        say(match self {
            Group::Cache => "identify-group-cache",
            Group::Spare => "identify-group-spare",
            Group::Reads => "identify-group-reads",
            Group::Durability => "identify-group-durability",
        })
    }

    /// Properties of the group: id, and the message with the name.
    fn names(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Group::Cache => &[
                ("slc-cache", "identify-name-slc-cache"),
                ("slc-cache-bytes", "identify-name-slc-cache-bytes"),
                ("slc-cache-bytes-full", "identify-name-slc-cache-bytes-full"),
                ("slc-cache-kind", "identify-name-slc-cache-kind"),
                (
                    "slc-write-bytes-per-s",
                    "identify-name-slc-write-bytes-per-s",
                ),
                (
                    "after-cache-write-bytes-per-s",
                    "identify-name-after-cache-write-bytes-per-s",
                ),
                ("slc-when-full", "identify-name-slc-when-full"),
                ("slc-idle-emptying", "identify-name-slc-idle-emptying"),
                (
                    "slc-emptying-bytes-per-s",
                    "identify-name-slc-emptying-bytes-per-s",
                ),
                ("write-buffer-bytes", "identify-name-write-buffer-bytes"),
            ],
            Group::Spare => &[
                (
                    "over-provisioning-percent",
                    "identify-name-over-provisioning-percent",
                ),
                ("idle-gc", "identify-name-idle-gc"),
                ("trim-restores", "identify-name-trim-restores"),
                ("trim-ns-per-gib", "identify-name-trim-ns-per-gib"),
            ],
            Group::Reads => &[
                ("read-latency-ns", "identify-name-read-latency-ns"),
                ("flash-read-ns", "identify-name-flash-read-ns"),
                ("read-ahead", "identify-name-read-ahead"),
                ("parallel-dies", "identify-name-parallel-dies"),
                ("stripe-bytes", "identify-name-stripe-bytes"),
                ("map-cache", "identify-name-map-cache"),
                ("map-cache-bytes", "identify-name-map-cache-bytes"),
                ("thermal-throttling", "identify-name-thermal-throttling"),
            ],
            Group::Durability => &[
                ("flush-latency-ns", "identify-name-flush-latency-ns"),
                ("program-ns", "identify-name-program-ns"),
                (
                    "power-loss-protection",
                    "identify-name-power-loss-protection",
                ),
                ("flush-ignored", "identify-name-flush-ignored"),
                ("half-duplex", "identify-name-half-duplex"),
                (
                    "sub-page-write-penalty",
                    "identify-name-sub-page-write-penalty",
                ),
            ],
        }
    }
}

/// Group of a property by its id, and the message with its name.
fn named(id: &str) -> Option<(Group, &'static str)> {
    let of_group = |group: Group| {
        let (_, name) = group.names().iter().find(|(known, _)| *known == id)?;
        Some((group, *name))
    };
    Group::ALL.into_iter().find_map(of_group)
}

/// Explanation of the units of [`Property::value_words`].
pub fn units() -> String {
    say("identify-units")
}

/// Name of a kind; an unknown kind is returned unchanged.
fn kind_words(kind: &str) -> String {
    let id = match kind {
        "static" => "identify-kind-static",
        "dynamic" => "identify-kind-dynamic",
        "both" => "identify-kind-both",
        "whole-array" => "identify-kind-whole-array",
        "fold-first" => "identify-kind-fold-first",
        "direct" => "identify-kind-direct",
        "fully" => "identify-kind-fully",
        "partly" => "identify-kind-partly",
        "nothing" => "identify-kind-nothing",
        other => return other.to_owned(),
    };
    say(id)
}

impl Property {
    /// Name for people; the id if there is none.
    pub fn name(&self) -> String {
        named(&self.id).map_or_else(|| self.id.clone(), |(_, name)| say(name))
    }

    /// Group of the property.
    pub fn group(&self) -> Group {
        named(&self.id).map_or(Group::Durability, |(group, _)| group)
    }

    /// Value with its unit; empty if it is unknown.
    pub fn value_words(&self) -> String {
        match (&self.value, self.present) {
            _ if !self.told => String::new(),
            (Some(Value::Kind(kind)), _) => kind_words(kind),
            (Some(Value::Quantity(value)), _) => self.quantity_words(*value),
            (None, Some(true)) => say("identify-yes"),
            (None, Some(false)) => say("identify-no"),
            (None, None) => {
                let words = self.range_words().or_else(|| self.least_words());
                words.unwrap_or_default()
            }
        }
    }

    /// A range without a value, with its unit: `344 to 383 MB`.
    fn range_words(&self) -> Option<String> {
        let (low, high) = self.ends()?;
        let (_, symbol) = self.shown_in(high);
        let ends = self.ends_words((low, high), high);
        Some(match symbol {
            DIES => text!("identify-dies-range", ends = ends),
            SHARE => text!("identify-of-capacity", number = ends),
            _ => format!("{ends} {}", unit(symbol)),
        })
    }

    /// A lower bound without a value, with its unit: `at least 344 MB`.
    fn least_words(&self) -> Option<String> {
        let least = self.quantity_words(self.least()?);
        Some(text!("identify-at-least", least = least))
    }

    /// Both ends of an interval, in the unit that suits a value.
    fn ends_words(&self, (low, high): (f64, f64), value: f64) -> String {
        let (factor, symbol) = self.shown_in(value);
        let whole = |end: f64| if symbol == DIES { end.round() } else { end };
        let [low, high] = [low, high].map(|end| digits(whole(end / factor)));
        text!("identify-interval", low = low, high = high)
    }

    fn quantity_words(&self, value: f64) -> String {
        let (factor, symbol) = self.shown_in(value);
        let number = digits(value / factor);
        match symbol {
            DIES => text!("identify-dies", number = number, count = value),
            SHARE => text!("identify-of-capacity", number = number),
            _ => format!("{number} {}", unit(symbol)),
        }
    }

    /// The 90 % interval of a known quantity, in the unit of [`Property::value_words`]: `344 to
    /// 383`.
    pub fn interval_words(&self) -> Option<String> {
        let value = self.number()?;
        Some(self.ends_words((self.low?, self.high?), value))
    }

    /// Unit that suits a value, and its size in the property's unit.
    fn shown_in(&self, value: f64) -> (f64, &str) {
        match self.unit.as_deref().unwrap_or_default() {
            "bytes" if value >= 1e9 => (1e9, "GB"),
            "bytes" if value >= 1e6 => (1e6, "MB"),
            "bytes" => (1024.0, "KiB"),
            "bytes/s" => (1e6, "MB/s"),
            "ns" if value >= 1e6 => (1e6, "ms"),
            "ns" => (1e3, "µs"),
            other => (1.0, other),
        }
    }
}

/// Units that are words.
const DIES: &str = "dies";
const SHARE: &str = "percent of capacity";

/// Three digits, or all digits before the decimal point.
fn digits(value: f64) -> String {
    let decimals = match value.abs() {
        v if v >= 99.95 || v == v.round() => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    numeral(&format!("{value:.decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::infer;
    use crate::observed::Observed;

    #[test]
    fn every_property_has_a_name_and_every_name_a_property() {
        let all = infer("x", &Observed::default()).properties;
        for property in &all {
            assert_ne!(property.name(), property.id, "give it a name");
        }
        let names: usize = Group::ALL.iter().map(|group| group.names().len()).sum();
        assert_eq!(names, all.len());
    }

    #[test]
    fn values_have_units_that_people_read() {
        let quantity = |value: f64, (low, high), unit| {
            let told = Property::quantity("x", value, (low, high), unit, String::new());
            (
                told.value_words(),
                told.interval_words().unwrap_or_default(),
            )
        };
        let words = |value: &str, interval: &str| (value.to_owned(), interval.to_owned());
        let cache = quantity(354_694_000.0, (344_053_000.0, 383_070_000.0), "bytes");
        assert_eq!(cache, words("355 MB", "344 to 383"));
        let small = quantity(65_536.0, (57_344.0, 73_728.0), "bytes");
        assert_eq!(small, words("64 KiB", "56 to 72"));
        let flush = quantity(503_220.0, (241_110.0, 1_006_440.0), "ns");
        assert_eq!(flush, words("503 µs", "241 to 1006"));
        let spare = quantity(12.53, (11.33, 14.33), "percent of capacity");
        assert_eq!(spare, words("12.5 % of the capacity", "11.3 to 14.3"));
        assert_eq!(quantity(4.0, (3.2, 4.0), "dies"), words("4 dies", "3 to 4"));
        let range = |ends, unit| {
            let told = Property::range("x", ends, unit, String::new());
            assert_eq!((told.number(), told.interval_words()), (None, None));
            told.value_words()
        };
        assert_eq!(range((900e6, 1.2e9), "bytes"), "0.90 to 1.20 GB");
        assert_eq!(range((12.8, 16.9), "dies"), "13 to 17 dies");
        let spare = range((3.0, 7.5), "percent of capacity");
        assert_eq!(spare, "3 to 7.50 % of the capacity");
        let least = Property::at_least("x", 159.3e9, "bytes", String::new());
        assert_eq!(least.value_words(), "at least 159 GB");
        assert_eq!((least.number(), least.ends()), (None, None));
        assert_eq!(least.interval_words(), None);
        let unknown = Property::unknown("x", "why");
        assert_eq!(unknown.value_words(), "");
        assert_eq!(unknown.interval_words(), None);
        let absent = Property::presence("x", false, String::new());
        assert_eq!(absent.value_words(), "no");
    }
}
