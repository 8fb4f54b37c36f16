//! The model of a simulated drive, and its differences from a shipped one.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use stend_language::{Text, recorded};

use crate::size::all_digits;

/// Number of differences that a drive's name lists.
const NAMED_MAX: usize = 3;

/// The model of a simulated drive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelInfo {
    /// Hash of the model's text, with the sources of figures, as 16 hexadecimal digits: models with
    /// different fingerprints are different drives.
    pub fingerprint: String,
    /// Its title in its file, without the differences.
    pub title: String,
    /// Name of the shipped model that it is or comes from, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shipped: Option<String>,
    /// Differences from that model, or from its file if figures of a model without a shipped origin
    /// were set; in the order of drive files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<ModelChange>,
}

/// A figure that differs from the shipped model's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelChange {
    /// Its key in drive files, `capacity.user_bytes`; the name of a table that only one of the
    /// models has.
    pub key: String,
    /// The key as in the drive's name: `user_bytes`, `nand.dies`.
    pub name: String,
    /// Its value, in the unit that ends its key; missing if the model has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Its value in the shipped model; missing if that has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shipped: Option<Value>,
}

impl ModelInfo {
    /// The title with the differences: `Demonstration drive, 8 GB, user_bytes = 5.76 GB`. If there
    /// are more than three, it contains the first three and the number of the others.
    pub fn full_title(&self) -> String {
        let named = self.changes.iter().take(NAMED_MAX).map(ModelChange::words);
        let title = std::iter::once(self.title.clone()).chain(named);
        let more = match self.changes.len().saturating_sub(NAMED_MAX) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        title.collect::<Vec<_>>().join(", ") + &more
    }

    /// All differences in words; empty if there are none.
    pub fn changes_in_words(&self) -> String {
        let all: Vec<String> = self.changes.iter().map(ModelChange::words).collect();
        all.join("; ")
    }

    /// All differences, each with the shipped model's value; empty if there are none.
    pub fn changes_in_full(&self) -> Text {
        Text::list("; ", self.changes.iter().map(ModelChange::in_full))
    }
}

impl ModelChange {
    /// `user_bytes = 5.76 GB`; for a table, `with energy` or `without energy`.
    pub fn words(&self) -> String {
        self.describe().in_english()
    }

    fn describe(&self) -> Text {
        let is_table = !self.key.contains('.');
        let name = self.name.as_str();
        match &self.value {
            None => recorded!("change-without", name = name),
            Some(_) if is_table => recorded!("change-with", name = name),
            Some(value) => recorded!(
                "change-value",
                name = name,
                value = figure_text(&self.key, value)
            ),
        }
    }

    /// The difference with the shipped model's value.
    fn in_full(&self) -> Text {
        match (&self.value, &self.shipped) {
            (Some(_), Some(shipped)) => recorded!(
                "change-of-shipped",
                change = self.describe(),
                shipped = figure_text(&self.key, shipped)
            ),
            _ => self.describe(),
        }
    }
}

/// Endings of keys, with their units.
const UNITS: [(&str, &str); 13] = [
    ("_mb_per_s", "MB/s"),
    ("_percent", "%"),
    ("_kib", "KiB"),
    ("_mib", "MiB"),
    ("_ns", "ns"),
    ("_us", "µs"),
    ("_ms", "ms"),
    ("_s", "s"),
    ("_mw", "mW"),
    ("_tb", "TB"),
    ("_years", "years"),
    ("_days", "days"),
    ("_c", "°C"),
];

/// A value of a drive file's key with its unit: `5.76 GB`, `[70, 70] µs`. Bytes from 10^6 on are in
/// decimal units. No digit is omitted: different values have different words.
pub fn figure_text(key: &str, value: &Value) -> Text {
    let key = key.split('[').next().unwrap_or_default();
    let count = value.as_u64();
    if let Some(bytes) = count.filter(|_| key.ends_with("bytes")) {
        return recorded!("figure", figure = all_digits(bytes));
    }
    let unit = UNITS.iter().find(|(ending, _)| key.ends_with(ending));
    let is_figure = !value.is_string() && !value.is_boolean();
    match unit.filter(|_| is_figure) {
        Some((_, unit @ ("years" | "days"))) if let Some(count) = count => {
            Text::named("figure", unit).with("count", count)
        }
        Some((_, unit)) => recorded!("figure", figure = format!("{} {unit}", plain(value))),
        None if is_figure => recorded!("figure", figure = plain(value)),
        None => plain(value).into(),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => {
            let words: Vec<String> = list.iter().map(plain).collect();
            format!("[{}]", words.join(", "))
        }
        Value::Number(number) => match number.as_f64() {
            Some(real) if number.is_f64() => format!("{real}"),
            _ => number.to_string(),
        },
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn change(key: &str, value: Option<Value>, shipped: Option<Value>) -> ModelChange {
        ModelChange {
            key: key.to_owned(),
            name: key.rsplit('.').next().unwrap_or_default().to_owned(),
            value,
            shipped,
        }
    }

    #[test]
    fn figures_have_units_and_all_their_digits() {
        for (key, value, words) in [
            ("capacity.user_bytes", json!(5_760_000_000_u64), "5.76 GB"),
            (
                "capacity.user_bytes",
                json!(8_000_000_001_u64),
                "8.000000001 GB",
            ),
            ("capacity.user_bytes", json!(1_000_000_000_000_u64), "1 TB"),
            ("capacity.user_bytes", json!(67_108_864), "67.108864 MB"),
            ("host.frame_bytes", json!(8192), "8192 B"),
            ("dram.size_mib", json!(16), "16 MiB"),
            ("host.link_mb_per_s", json!(600), "600 MB/s"),
            ("nand.read_us", json!([70.0, 70.5]), "[70, 70.5] µs"),
            ("gc.policy", json!("greedy"), "greedy"),
            ("trim.enabled", json!(true), "true"),
            ("gc.depth", json!(2), "2"),
        ] {
            assert_eq!(figure_text(key, &value).in_english(), words, "{key}");
        }
    }

    #[test]
    fn a_name_has_three_differences_and_the_count_of_the_others() {
        let mut model = ModelInfo {
            title: "A drive".to_owned(),
            ..ModelInfo::default()
        };
        assert_eq!(model.full_title(), "A drive");
        let bytes = |n: u64| Some(json!(n * 1_000_000_000));
        model.changes = vec![
            change("capacity.user_bytes", bytes(6), bytes(8)),
            change("energy", None, Some(json!(true))),
            change("media", Some(json!(true)), None),
        ];
        let three = "A drive, user_bytes = 6 GB, without energy, with media";
        assert_eq!(model.full_title(), three);
        let in_full = "user_bytes = 6 GB (shipped: 8 GB); without energy; with media";
        assert_eq!(model.changes_in_full().in_english(), in_full);
        model
            .changes
            .push(change("nand.dies", Some(json!(8)), Some(json!(4))));
        model
            .changes
            .push(change("gc.depth", Some(json!(2)), Some(json!(1))));
        assert_eq!(model.full_title(), format!("{three} and 2 more"));
    }
}
