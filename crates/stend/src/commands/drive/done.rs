//! What `stend drive` prints after a change.

use serde_json::{Value, json};
use stend_real::EraseMethod;

use crate::failure::Failure;
use crate::output::{print, print_json};

/// What a command did: for people, and the keys of its JSON.
pub type Done = (String, Vec<(&'static str, Value)>);

/// Prints what a command did to a drive, and how long it took by which clock.
pub fn done(
    name: &str,
    command: &str,
    (text, keys): (String, impl IntoIterator<Item = (impl AsRef<str>, Value)>),
    (time_ns, clock): (u64, &str),
    as_json: bool,
) -> Result<(), Failure> {
    if !as_json {
        return print(&format!(
            "{name}: {text}; it took {}{clock}\n",
            time(time_ns)
        ));
    }
    let mut document = json!({
        "schema": format!("stend.drive-{command}/1"),
        "target": name,
        "time_ns": time_ns,
    });
    for (key, value) in keys {
        document[key.as_ref()] = value;
    }
    print_json(&document)
}

/// A range that was trimmed; `how` says by what.
pub fn trimmed(offset: u64, length: u64, how: &str) -> Done {
    let keys = vec![
        ("offset_bytes", offset.into()),
        ("length_bytes", length.into()),
    ];
    (format!("{length} bytes from {offset} on {how}"), keys)
}

/// A drive that was erased.
pub fn erased(text: String, method: EraseMethod) -> Done {
    let EraseMethod { crypto, sanitize } = method;
    let keys = vec![("crypto", crypto.into()), ("sanitize", sanitize.into())];
    (text, keys)
}

/// A write cache that was switched.
pub fn switched(on: bool) -> Done {
    let word = if on { "on" } else { "off" };
    let text = format!("the write cache is {word}");
    (text, vec![("write_cache", on.into())])
}

/// Time for people.
fn time(ns: u64) -> String {
    match ns {
        0..1_000_000 => format!("{} µs", ns as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.3} ms", ns as f64 / 1e6),
        _ => format!("{:.3} s", ns as f64 / 1e9),
    }
}
