//! The shipped model that a model comes from, and the figures in which they differ.

use super::{Files, Model, SHIPPED, Setting, Shipped};
use crate::schema::key::Table;

/// A figure that differs from the shipped model's.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Its key, `nand.dies`; a table, `energy`, if only one of the models has it.
    pub key: String,
    /// Its value; `None` if the model has none.
    pub value: Option<Setting>,
    /// Its value in the shipped model; `None` if that has none.
    pub shipped: Option<Setting>,
}

/// Origin of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// Name of the shipped model.
    pub name: &'static str,
    /// Its title.
    pub title: String,
    /// Figures in which the model differs from it, in the order of the file; empty for the shipped
    /// model itself.
    pub changes: Vec<Change>,
}

/// A key as used in a drive's name: keys of the capacity without their table, `user_bytes`; others
/// unchanged.
pub fn short_key(key: &str) -> &str {
    key.strip_prefix("capacity.").unwrap_or(key)
}

impl Model {
    /// The shipped model that this one is, or comes from: one with the same title, or else the same
    /// name, or else the same parts; of several, the one with the fewest differing figures. `None`
    /// if there is none, or if more than half of the figures differ.
    pub fn origin(&self) -> Option<Origin> {
        let own = self.figures();
        let related = SHIPPED.iter().filter_map(|shipped| self.related(shipped));
        let origins = related.filter_map(|(name, model)| {
            let theirs = model.figures();
            let changes = changes(&own, &theirs);
            (2 * changes.len() <= theirs.len()).then_some(Origin {
                name,
                title: model.title,
                changes,
            })
        });
        origins.min_by_key(|origin| {
            let other_names = [origin.title != self.title, origin.name != self.name];
            (other_names, origin.changes.len())
        })
    }

    /// Figures in which this model differs from another one, in the order of the file.
    pub fn changes_from(&self, other: &Model) -> Vec<Change> {
        changes(&self.figures(), &other.figures())
    }

    /// A shipped model, if this one may come from it.
    fn related(&self, shipped: &'static Shipped) -> Option<(&'static str, Model)> {
        // Most are not parsed: their text has nothing in common with this one.
        let has_parts = !self.parts.is_empty();
        let alike = shipped.name == self.name
            || shipped.text.contains(&self.title)
            || has_parts && self.parts.iter().all(|part| shipped.text.contains(part));
        if !alike {
            return None;
        }
        let files = Files::shipped(shipped.name)?;
        let same_parts = has_parts && files.parts().eq(&self.parts);
        let model = files.model().expect("shipped models are tested");
        let related = model.name == self.name || model.title == self.title || same_parts;
        related.then_some((shipped.name, model))
    }

    /// Every figure, also those whose defaults the file leaves out.
    fn figures(&self) -> Vec<(String, Setting)> {
        let mut figures = Vec::new();
        Table::figures(self, "", &mut figures);
        figures
    }
}

/// The figures that differ between two lists.
fn changes(own: &[(String, Setting)], theirs: &[(String, Setting)]) -> Vec<Change> {
    let table = |key: &str| key.split(['.', '[']).next().unwrap_or_default().to_owned();
    let has = |figures: &[(String, Setting)], wanted: &str| {
        figures.iter().any(|(key, _)| table(key) == wanted)
    };
    let value_in = |figures: &[(String, Setting)], wanted: &str| {
        let found = figures.iter().find(|(key, _)| key == wanted);
        found.map(|(_, value)| value.clone())
    };
    let mut changes: Vec<Change> = Vec::new();
    let only_theirs = theirs
        .iter()
        .filter(|(key, _)| value_in(own, key).is_none());
    for (key, _) in own.iter().chain(only_theirs) {
        let table = table(key);
        let change = match (has(own, &table), has(theirs, &table)) {
            (true, true) => Change {
                key: key.clone(),
                value: value_in(own, key),
                shipped: value_in(theirs, key),
            },
            (own, theirs) => Change {
                key: table,
                value: own.then_some(Setting::Flag(true)),
                shipped: theirs.then_some(Setting::Flag(true)),
            },
        };
        let same = match (&change.value, &change.shipped) {
            (Some(one), Some(other)) => one.is_same(other),
            _ => false,
        };
        if !same && changes.last() != Some(&change) {
            changes.push(change);
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(settings: &[(&str, Setting)]) -> Model {
        let demo = Model::shipped("demo-8gb").expect("it is shipped");
        demo.with(settings).expect("they are sound")
    }

    #[test]
    fn every_shipped_model_is_itself() {
        for shipped in SHIPPED {
            let origin = Model::shipped(shipped.name).and_then(|model| model.origin());
            let origin = origin.expect("it is shipped");
            assert_eq!((origin.name, origin.changes), (shipped.name, Vec::new()));
        }
    }

    #[test]
    fn what_was_set_is_what_differs() {
        let bytes = Setting::Whole(5_760_000_000);
        let read_us = Setting::List([70.0, 70.0, 80.0].map(Setting::Real).to_vec());
        let model = changed(&[
            ("capacity.user_bytes", bytes.clone()),
            ("nand.read_us[2]", Setting::Whole(80)),
            // The shipped model's value.
            ("nand.dies", Setting::Real(4.0)),
            // Its default, which the file leaves out.
            ("dram.coalesce_writes", Setting::Flag(false)),
            ("encryption.algorithm", Setting::Text("AES-256".to_owned())),
        ]);
        let origin = model.origin().expect("it comes from a shipped model");
        let change = |key: &str, value, shipped| Change {
            key: key.to_owned(),
            value: Some(value),
            shipped,
        };
        let shipped_us = Setting::List(vec![Setting::Real(70.0); 3]);
        let expected = [
            change(
                "capacity.user_bytes",
                bytes,
                Some(Setting::Whole(8_000_000_000)),
            ),
            change("nand.read_us", read_us, Some(shipped_us)),
            change("encryption", Setting::Flag(true), None),
        ];
        assert_eq!(origin.name, "demo-8gb");
        assert_eq!(origin.changes, expected);
        let names = origin.changes.iter().map(|change| short_key(&change.key));
        let names: Vec<&str> = names.collect();
        assert_eq!(names, ["user_bytes", "nand.read_us", "encryption"]);
    }

    #[test]
    fn a_file_that_is_put_together_from_the_same_parts_comes_from_the_nearest() {
        let text = Files::shipped("sandisk-ultra-ii-240gb").expect("it is shipped");
        let text = text.files()[0].text.replace("240 GB", "241 GB");
        let text = text.replace("-240gb", "-241gb");
        let model = Model::parse(
            &text.replace("size_mib = { value = 256", "size_mib = { value = 512"),
            "m",
        );
        let model = model.expect("it is sound");
        let origin = model.origin().expect("the parts are");
        assert_eq!(origin.name, "sandisk-ultra-ii-240gb");
        assert!(!origin.changes.is_empty());
        // With one more differing figure the origin is still found.
        let set = [("gc.depth", Setting::Whole(2))];
        let changed = model.with(&set).expect("it is sound");
        let nearest = changed.origin().expect("the parts are");
        assert_eq!(nearest.name, origin.name);
        assert_eq!(nearest.changes.len(), origin.changes.len() + 1);
        assert_eq!(changed.changes_from(&model).len(), 1);
    }

    #[test]
    fn what_resembles_no_shipped_model_comes_from_none() {
        let text = Model::shipped("demo-8gb").expect("it is shipped").text;
        let text = text.replace("demo-8gb", "mine");
        let text = text.replace("Demonstration drive, 8 GB", "My own");
        assert_eq!(
            Model::parse(&text, "m").expect("it is sound").origin(),
            None
        );
    }
}
