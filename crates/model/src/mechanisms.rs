//! Writes `docs/mechanisms.md`: the mechanisms of each shipped drive, and their sources.

use std::collections::BTreeMap;

use toml_edit::{Document, Item, TableLike};

use super::{Model, SHIPPED};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/mechanisms.md");
const BEGIN: &str = "<!-- written by the test mechanisms -->\n";

/// Tables of a drive file that are mechanisms, with their names for readers.
const MECHANISMS: [(&str, &str); 12] = [
    ("slc_cache", "SLC cache"),
    ("parity", "parity"),
    ("l2p_cache", "L2P on flash"),
    ("media", "errors of the flash"),
    ("blocks", "bad blocks"),
    ("wear_levelling", "wear levelling"),
    ("streams", "streams"),
    ("energy", "energy"),
    ("idle_states", "idle states"),
    ("thermal", "heat"),
    ("power_loss", "power loss"),
    ("encryption", "encryption"),
];

/// Mechanisms that every drive file must have, or give a reason why not.
const TOLD: [&str; 10] = [
    "parity",
    "media",
    "blocks",
    "wear_levelling",
    "streams",
    "energy",
    "idle_states",
    "thermal",
    "power_loss",
    "encryption",
];

/// A drive that is no product.
const NO_PRODUCT: &str = "demo-8gb";

/// Presence of a mechanism in a drive file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Has {
    Yes,
    /// Its file gives the reason why not.
    No,
    /// Its file does not mention it.
    Untold,
}

impl Has {
    fn mark(self) -> &'static str {
        match self {
            Has::Yes => "yes",
            Has::No => "none",
            Has::Untold => "–",
        }
    }
}

/// A mechanism in a resolved model: its presence, and the source or the reason.
fn told(model: &Model, document: &Document<String>, table: &str) -> (Has, String) {
    if let Some(reason) = model.absent(table) {
        return (Has::No, reason.to_owned());
    }
    let Some(item) = document.get(table) else {
        return (Has::Untold, String::new());
    };
    let first = item
        .as_array_of_tables()
        .and_then(|list| list.get(0))
        .map(|table| table as &dyn TableLike);
    let Some(keys) = first.or(item.as_table_like()) else {
        return (Has::Untold, String::new());
    };
    let figure = |key: &str| keys.get(key).and_then(Item::as_table_like);
    let source = |figure: &dyn TableLike| {
        let source = figure.get("source").and_then(Item::as_str);
        source.unwrap_or_default().to_owned()
    };
    let switch = figure("enabled");
    if let Some(switch) = switch
        && switch.get("value").and_then(Item::as_bool) == Some(false)
    {
        return (Has::No, source(switch));
    }
    let any = keys.iter().find_map(|(_, item)| item.as_table_like());
    (Has::Yes, switch.or(any).map(source).unwrap_or_default())
}

/// Every product with its mechanisms, in the order of [`MECHANISMS`].
fn products() -> Vec<(&'static str, Vec<(Has, String)>)> {
    let products = SHIPPED.iter().filter(|shipped| shipped.name != NO_PRODUCT);
    let all = products.map(|shipped| {
        let model = Model::shipped(shipped.name).expect("it is shipped");
        let document = Document::parse(model.text.clone()).expect("it was read");
        let tables = MECHANISMS.iter();
        let told = tables.map(|(table, _)| told(&model, &document, table));
        (shipped.name, told.collect())
    });
    all.collect()
}

fn document(products: &[(&str, Vec<(Has, String)>)]) -> String {
    let names: Vec<&str> = MECHANISMS.iter().map(|(_, name)| *name).collect();
    let mut text = format!(
        "| drive | {} |\n|{}\n",
        names.join(" | "),
        "---|".repeat(names.len() + 1)
    );
    for (drive, told) in products {
        let marks: Vec<&str> = told.iter().map(|(has, _)| has.mark()).collect();
        text += &format!("| `{drive}` | {} |\n", marks.join(" | "));
    }
    for (nth, (table, name)) in MECHANISMS.iter().enumerate() {
        text += &format!(
            "\n## `[{table}]`: {name}\n\n| | source or reason | drives |\n|---|---|---|\n"
        );
        let mut by_source: BTreeMap<(Has, &str), Vec<&str>> = BTreeMap::new();
        for (drive, told) in products {
            let (has, source) = &told[nth];
            if *has != Has::Untold {
                by_source.entry((*has, source)).or_default().push(drive);
            }
        }
        for ((has, source), drives) in by_source {
            let drives: Vec<String> = drives.iter().map(|drive| format!("`{drive}`")).collect();
            let source = source.replace('|', "\\|");
            text += &format!("| {} | {source} | {} |\n", has.mark(), drives.join(", "));
        }
    }
    text
}

/// `docs/mechanisms.md` matches the shipped models.
#[test]
fn mechanisms() {
    let text = std::fs::read_to_string(FILE).expect("the document");
    let begin = text.find(BEGIN).expect("a mark") + BEGIN.len();
    let right = format!("{}\n{}", &text[..begin], document(&products()));
    if std::env::var_os("STEND_BLESS").is_some() {
        std::fs::write(FILE, &right).expect("it is written");
        return;
    }
    assert!(
        text == right,
        "docs/mechanisms.md is not what the models say; write it anew with\n\
         STEND_BLESS=1 cargo test -p stend-model --lib mechanisms"
    );
}

#[test]
fn no_product_lacks_a_mechanism_without_a_reason() {
    for (drive, told) in products() {
        for ((table, _), (has, _)) in MECHANISMS.iter().zip(told) {
            assert!(
                has != Has::Untold || !TOLD.contains(table),
                "{drive} has no [{table}], and does not say why: none = \"…\""
            );
        }
    }
}
