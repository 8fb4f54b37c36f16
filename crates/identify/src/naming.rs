//! Properties in words for people: names, groups, values with units.

use crate::property::{Property, Value};

/// What properties are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Where writes go first.
    Cache,
    /// Spare space, garbage collection, TRIM.
    Spare,
    /// Reads, dies, the map.
    Reads,
    /// Durability, and reads beside writes.
    Durability,
}

impl Group {
    /// All of them, in the order of reading.
    pub const ALL: [Group; 4] = [Group::Cache, Group::Spare, Group::Reads, Group::Durability];

    /// Its title.
    pub fn title(self) -> &'static str {
        match self {
            Group::Cache => "SLC cache and write buffer",
            Group::Spare => "Spare space, garbage collection and TRIM",
            Group::Reads => "Reads, dies and map",
            Group::Durability => "Durability, and both directions at once",
        }
    }

    /// Its properties: id and name.
    fn names(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Group::Cache => &[
                ("slc-cache", "SLC cache"),
                ("slc-cache-bytes", "SLC cache: size on the empty drive"),
                ("slc-cache-bytes-full", "SLC cache: size on the full drive"),
                ("slc-cache-kind", "SLC cache: kind"),
                ("slc-write-bytes-per-s", "SLC cache: write speed"),
                (
                    "after-cache-write-bytes-per-s",
                    "Write speed behind the SLC cache",
                ),
                ("slc-when-full", "SLC cache: writes when it is full"),
                ("slc-idle-emptying", "SLC cache: emptied while idle"),
                ("slc-emptying-bytes-per-s", "SLC cache: speed of emptying"),
                ("write-buffer-bytes", "Write buffer: size"),
            ],
            Group::Spare => &[
                (
                    "over-provisioning-percent",
                    "Spare space (over-provisioning)",
                ),
                ("idle-gc", "Garbage collection while idle"),
                ("trim-restores", "TRIM: how much speed it restores"),
                ("trim-ns-per-gib", "TRIM: time of a GiB"),
            ],
            Group::Reads => &[
                ("read-latency-ns", "Random read of a page: mean time"),
                ("flash-read-ns", "Flash: time of a read"),
                ("read-ahead", "Read-ahead"),
                ("parallel-dies", "Dies that work in parallel"),
                ("stripe-bytes", "Data in sequence in one die"),
                ("map-cache", "Map (L2P) cache"),
                ("map-cache-bytes", "Map (L2P) cache: data that it covers"),
                ("thermal-throttling", "Thermal throttling"),
            ],
            Group::Durability => &[
                ("flush-latency-ns", "Flush after a write: mean time"),
                ("program-ns", "Flash: time of a program"),
                ("power-loss-protection", "Power-loss protection"),
                ("flush-ignored", "Flushes are ignored"),
                ("half-duplex", "Half-duplex: both directions in turns"),
                ("sub-page-write-penalty", "Writes below a page are slower"),
            ],
        }
    }
}

/// The group and name of a property of this id.
fn named(id: &str) -> Option<(Group, &'static str)> {
    let of_group = |group: Group| {
        let (_, name) = group.names().iter().find(|(known, _)| *known == id)?;
        Some((group, *name))
    };
    Group::ALL.into_iter().find_map(of_group)
}

/// What the units of [`Property::value_words`] mean.
pub const UNITS: &str = "KiB = 1,024 bytes, MB = 10^6 bytes, GB = 10^9 bytes";

impl Property {
    /// Its name for people; its id where it has none.
    pub fn name(&self) -> &str {
        named(&self.id).map_or(&self.id, |(_, name)| name)
    }

    /// What it is about.
    pub fn group(&self) -> Group {
        named(&self.id).map_or(Group::Durability, |(group, _)| group)
    }

    /// What it is, with its unit; empty where it was not told.
    pub fn value_words(&self) -> String {
        match (&self.value, self.present) {
            _ if !self.told => String::new(),
            (Some(Value::Kind(kind)), _) => kind.clone(),
            (Some(Value::Quantity(value)), _) => {
                let (factor, unit) = self.shown_in(*value);
                format!("{} {unit}", digits(value / factor))
            }
            (None, Some(true)) => "yes".to_owned(),
            (None, Some(false)) => "no".to_owned(),
            (None, None) => String::new(),
        }
    }

    /// The 90 % interval of a quantity that was told, in the unit of [`Property::value_words`]:
    /// `344 to 383`.
    pub fn interval_words(&self) -> Option<String> {
        let value = self.number()?;
        let (factor, unit) = self.shown_in(value);
        let whole = |end: f64| if unit == "dies" { end.round() } else { end };
        let [low, high] = [self.low?, self.high?].map(|end| digits(whole(end / factor)));
        Some(format!("{low} to {high}"))
    }

    /// The unit in which people read a value, and how much of the property's it is.
    fn shown_in(&self, value: f64) -> (f64, &str) {
        match self.unit.as_deref().unwrap_or_default() {
            "bytes" if value >= 1e9 => (1e9, "GB"),
            "bytes" if value >= 1e6 => (1e6, "MB"),
            "bytes" => (1024.0, "KiB"),
            "bytes/s" => (1e6, "MB/s"),
            "ns" if value >= 1e6 => (1e6, "ms"),
            "ns" => (1e3, "µs"),
            "percent of capacity" => (1.0, "% of the capacity"),
            other => (1.0, other),
        }
    }
}

/// Three digits, or all before the point.
fn digits(value: f64) -> String {
    let decimals = match value.abs() {
        v if v >= 99.95 || v == v.round() => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.decimals$}")
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
        let unknown = Property::unknown("x", "why");
        assert_eq!(unknown.value_words(), "");
        assert_eq!(unknown.interval_words(), None);
        let absent = Property::presence("x", false, String::new());
        assert_eq!(absent.value_words(), "no");
    }
}
