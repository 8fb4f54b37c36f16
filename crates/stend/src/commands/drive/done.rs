//! Output of `stend drive` after a change.

use serde_json::{Value, json};
use stend_real::EraseMethod;

use crate::failure::Failure;
use crate::output::{print, print_json};

/// Result of a command: a text, and keys for JSON.
pub type Done = (String, Vec<(&'static str, Value)>);

/// Prints the result of a command on a drive, and its duration with the clock used.
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

/// Result of trimming a range; `how` names the mechanism.
pub fn trimmed(offset: u64, length: u64, how: &str) -> Done {
    let keys = vec![
        ("offset_bytes", offset.into()),
        ("length_bytes", length.into()),
    ];
    (format!("{length} bytes from {offset} on {how}"), keys)
}

/// Result of an erase.
pub fn erased(text: String, method: EraseMethod) -> Done {
    let EraseMethod { crypto, sanitize } = method;
    let keys = vec![("crypto", crypto.into()), ("sanitize", sanitize.into())];
    (text, keys)
}

/// Result of switching the write cache.
pub fn switched(on: bool) -> Done {
    let word = if on { "on" } else { "off" };
    let text = format!("the write cache is {word}");
    (text, vec![("write_cache", on.into())])
}

/// Formats a time.
fn time(ns: u64) -> String {
    match ns {
        0..1_000_000 => format!("{} µs", ns as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.3} ms", ns as f64 / 1e6),
        _ => format!("{:.3} s", ns as f64 / 1e9),
    }
}
