//! The figures of a drive that a page offers to change, with their choices.

use std::collections::BTreeMap;

use stend_model::{Files, Model, Setting, described_tables};

/// A figure that can be changed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Input {
    /// Key, `nand.dies`.
    pub key: String,
    /// Label for people.
    pub label: String,
    /// Meaning, from the description of the format.
    pub meaning: String,
    /// Value of the unchanged drive.
    pub original: String,
    /// Displayed value.
    pub value: String,
    /// Control with which it is chosen.
    pub control: Control,
}

/// Controls for a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Control {
    /// A range.
    Range {
        /// Least value.
        min: String,
        /// Greatest value.
        max: String,
        /// Step between values.
        step: String,
    },
    /// A list of values.
    Choice(Vec<String>),
}

/// Figures that are offered first: key, label.
const FIRST: [(&str, &str); 11] = [
    (
        "slc_cache.blocks_per_plane",
        "SLC cache, static: blocks of a plane",
    ),
    (
        "slc_cache.dynamic_blocks_per_plane",
        "SLC cache, dynamic: blocks of a plane",
    ),
    (
        "nand.blocks_per_plane",
        "Over-provisioning: blocks of a plane in the data area",
    ),
    (
        "nand.dies",
        "Dies (blocks of a plane follow, so that the flash stays as large)",
    ),
    ("nand.channels", "Channels"),
    (
        "gc.policy",
        "Garbage collection: which superblock is the victim",
    ),
    ("nand.bus_mb_per_s", "Speed of a channel, MB/s"),
    (
        "slc_cache.when_full",
        "SLC cache: what the host does when it is full",
    ),
    ("slc_cache.fold_by", "SLC cache: how it is folded"),
    ("controller.cores", "Cores of the controller"),
    ("trim.enabled", "TRIM"),
];

/// Returns the figures that a page offers for a drive, with the values of `settings` if present:
/// the usual ones, then the free figures.
pub(crate) fn inputs(files: &Files, model: &Model, settings: &BTreeMap<String, Setting>) -> Inputs {
    let mut first = Vec::new();
    for (key, label) in FIRST {
        let given = model.given(&[key]).remove(0);
        let Some(original) = given else { continue };
        let bounds = files.free().into_iter();
        let mut bounds = bounds.filter(|free| format!("{}.{}", free.table, free.key) == key);
        let control = match &original {
            Setting::Text(_) => Control::Choice(allowed_words(key)),
            Setting::Flag(_) => Control::Choice(vec!["true".to_owned(), "false".to_owned()]),
            Setting::Whole(whole) if ["nand.dies", "nand.channels"].contains(&key) => {
                Control::Choice(multiples(*whole))
            }
            Setting::Whole(whole) => {
                let [least, most] = bounds
                    .next()
                    .map_or_else(|| sensible(key, *whole as f64), |free| free.bounds);
                range(least, most, "1")
            }
            Setting::Real(real) => {
                let [least, most] = bounds
                    .next()
                    .map_or_else(|| sensible(key, *real), |free| free.bounds);
                range(least, most, "any")
            }
            Setting::List(_) => continue,
        };
        first.push(input(key, label, &original, control, settings));
    }
    let mut more = Vec::new();
    for free in files.free() {
        let index = free.index.map_or_else(String::new, |at| format!("[{at}]"));
        let key = format!("{}.{}{index}", free.table, free.key);
        if FIRST.iter().any(|(other, _)| *other == key) || free.value == 0.0 {
            continue;
        }
        let original = match free.whole {
            true => Setting::Whole(free.value as i64),
            false => Setting::Real(free.value),
        };
        let step = match free.whole {
            true => free.multiple_of.to_string(),
            false => "any".to_owned(),
        };
        let control = range(free.bounds[0], free.bounds[1], &step);
        // A list of tables has no key of its own.
        if model.given(&[&key]).iter().all(Option::is_some) {
            more.push(input(&key, &key, &original, control, settings));
        }
    }
    Inputs { first, more }
}

/// The figures of a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inputs {
    /// The usual figures.
    pub first: Vec<Input>,
    /// Figures that are free within bounds.
    pub more: Vec<Input>,
}

fn input(
    key: &str,
    label: &str,
    original: &Setting,
    control: Control,
    settings: &BTreeMap<String, Setting>,
) -> Input {
    Input {
        key: key.to_owned(),
        label: label.to_owned(),
        meaning: meaning(key),
        original: original.to_string(),
        value: settings.get(key).unwrap_or(original).to_string(),
        control,
    }
}

fn range(least: f64, most: f64, step: &str) -> Control {
    Control::Range {
        min: least.to_string(),
        max: most.to_string(),
        step: step.to_owned(),
    }
}

/// Returns the meaning of a key.
fn meaning(key: &str) -> String {
    described(key).map_or_else(String::new, |(meaning, _)| meaning.replace('`', ""))
}

/// Returns the meaning of a key, and its allowed values.
fn described(key: &str) -> Option<(String, String)> {
    let (table, key) = key.rsplit_once('.')?;
    let key = key.split('[').next()?;
    let tables = described_tables();
    let table = tables.iter().find(|of| of.name == table)?;
    let found = table.keys.iter().find(|of| of.key == key)?;
    Some((found.meaning.clone(), found.allowed.clone()))
}

/// Returns the words that a key allows, which are in quotation marks in Markdown: `"fifo"`.
fn allowed_words(key: &str) -> Vec<String> {
    let allowed = described(key).map_or_else(String::new, |(_, allowed)| allowed);
    let words = allowed.split('"').skip(1).step_by(2);
    words.map(str::to_owned).collect()
}

/// Returns values from a quarter to four times a count.
fn multiples(count: i64) -> Vec<String> {
    let parts = [4, 2].map(|part| (count % part == 0).then_some(count / part));
    let values = parts
        .into_iter()
        .flatten()
        .chain([count, 2 * count, 4 * count]);
    values.filter(|n| *n > 0).map(|n| n.to_string()).collect()
}

/// Returns a range for a figure without bounds in the drive's files. With much less flash the
/// user's data may not fit.
fn sensible(key: &str, value: f64) -> [f64; 2] {
    match key {
        "nand.blocks_per_plane" => [(value * 0.9).floor(), (value * 1.5).ceil()],
        "controller.cores" => [1.0, (value * 4.0).max(4.0)],
        _ => [(value / 4.0).floor(), (value * 4.0).ceil()],
    }
}

/// Parses a typed value: a number, a list, true or false, otherwise a word.
pub(crate) fn setting_of(text: &str) -> Setting {
    let text = text.trim();
    serde_json::from_str(text).unwrap_or_else(|_| Setting::Text(text.to_owned()))
}

/// Returns the settings that differ from the unchanged drive. If the number of dies changes but not
/// the blocks of each, the blocks are adjusted so that the flash keeps its size.
pub(crate) fn settled(
    model: &Model,
    settings: BTreeMap<String, Setting>,
) -> BTreeMap<String, Setting> {
    let keys: Vec<String> = settings.keys().cloned().collect();
    let given = model.given(&keys);
    let mut changed: BTreeMap<String, Setting> = settings
        .into_iter()
        .zip(given)
        .filter(|((_, new), old)| !old.as_ref().is_some_and(|old| old.is_same(new)))
        .map(|(setting, _)| setting)
        .collect();
    let dies = f64::from(model.nand.dies.value);
    let Some(Setting::Whole(new)) = changed.get("nand.dies").cloned() else {
        return changed;
    };
    if new < 1 {
        return changed;
    }
    for key in [
        "nand.blocks_per_plane",
        "slc_cache.blocks_per_plane",
        "slc_cache.dynamic_blocks_per_plane",
    ] {
        if let Some(Setting::Whole(blocks)) = model.given(&[key]).remove(0)
            && !changed.contains_key(key)
        {
            let scaled = (blocks as f64 * dies / new as f64).ceil() as i64;
            changed.insert(key.to_owned(), Setting::Whole(scaled));
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_drive_has_inputs_within_whose_range_it_is() {
        for shipped in stend_model::SHIPPED {
            let files = Files::shipped(shipped.name).expect("it is shipped");
            let model = files.model().expect("it is sound");
            let inputs = inputs(&files, &model, &BTreeMap::new());
            assert!(inputs.first.len() >= 4, "{}", shipped.name);
            for input in inputs.first.iter().chain(&inputs.more) {
                assert!(!input.meaning.is_empty(), "{input:?}");
                match &input.control {
                    Control::Choice(values) => assert!(values.contains(&input.value), "{input:?}"),
                    Control::Range { min, max, .. } => {
                        let number = |text: &str| text.parse::<f64>().expect("a number");
                        let range = number(min)..=number(max);
                        assert!(range.contains(&number(&input.value)), "{input:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn blocks_follow_dies_and_what_is_as_it_was_is_no_change() {
        let model = Model::shipped("demo-8gb").expect("it is shipped");
        let dies = i64::from(model.nand.dies.value);
        let whole = |key: &str, value| (key.to_owned(), Setting::Whole(value));
        let same = settled(&model, [whole("nand.dies", dies)].into());
        assert_eq!(same, BTreeMap::new());
        let twice = settled(&model, [whole("nand.dies", 2 * dies)].into());
        let blocks = i64::from(model.nand.blocks_per_plane.value);
        assert_eq!(
            twice.get("nand.blocks_per_plane"),
            Some(&Setting::Whole((blocks + 1) / 2))
        );
        let both = [
            whole("nand.dies", 2 * dies),
            whole("nand.blocks_per_plane", 7),
        ];
        let both = settled(&model, both.into());
        assert_eq!(both["nand.blocks_per_plane"], Setting::Whole(7));
    }

    #[test]
    fn typed_values_are_what_they_look_like() {
        assert_eq!(setting_of(" 4 "), Setting::Whole(4));
        assert_eq!(setting_of("true"), Setting::Flag(true));
        assert_eq!(setting_of("fifo"), Setting::Text("fifo".to_owned()));
        let list = Setting::List(vec![Setting::Whole(1), Setting::Real(2.5)]);
        assert_eq!(setting_of("[1, 2.5]"), list);
    }
}
