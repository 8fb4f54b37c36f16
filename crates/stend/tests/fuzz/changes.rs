//! Texts broken as people and programs break them, for a parser that must neither panic nor run
//! forever.
//!
//! `STEND_FUZZ=N` sets the number of texts of each kind, `STEND_FUZZ_SEED=S` the seed. The texts
//! are printed with `-- --nocapture`.

use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Time limit for a text, much longer than any needs.
const PATIENCE: Duration = Duration::from_secs(120);

/// Unexpected tokens that replace others.
const ODD: &[&str] = &[
    "",
    " ",
    "\n",
    "\r\n",
    "\t",
    "\0",
    "ü",
    "日本",
    "\u{2003}",
    "\u{202e}",
    "\u{feff}",
    "=",
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    "\"",
    "'",
    "\"\"\"",
    ",",
    ":",
    ".",
    "/",
    "\\",
    "#",
    ";",
    "%",
    "-",
    "+",
    "*",
    "0",
    "1",
    "-1",
    "0.0",
    "1e-320",
    "1e308",
    "1e309",
    "nan",
    "-inf",
    "0x",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "true",
    "null",
    "[]",
    "{}",
    "\"\"",
    "\"ü\"",
    "1979-05-27",
    "99999999999999999999d",
    "100%",
    "101%",
];

/// One change of a text, at tokens or lines that random numbers select.
#[derive(Clone, Copy, Debug)]
enum Change {
    Delete,
    Duplicate,
    Swap,
    Insert,
    Replace,
    /// Replace by another token of the text.
    Copy,
    DeleteLine,
    DuplicateLine,
    Truncate,
}

const CHANGES: [Change; 12] = [
    Change::Delete,
    Change::Duplicate,
    Change::Swap,
    Change::Insert,
    Change::Replace,
    Change::Replace,
    Change::Replace,
    Change::Copy,
    Change::Copy,
    Change::DeleteLine,
    Change::DuplicateLine,
    Change::Truncate,
];

/// Splits a text into words, numbers and gaps; each other character is its own token.
fn tokens(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        c if c.is_alphanumeric() || "_.-".contains(c) => 0,
        ' ' => 1,
        _ => 2,
    };
    let mut tokens = Vec::new();
    let (mut begin, mut last) = (0, 2);
    for (at, c) in text.char_indices() {
        let this = class(c);
        if at > 0 && (this != last || this == 2) {
            tokens.push(&text[begin..at]);
            begin = at;
        }
        last = this;
    }
    tokens.push(&text[begin..]);
    tokens
}

fn changed(text: &str, (change, a, b): (Change, usize, usize)) -> String {
    let by_lines = matches!(change, Change::DeleteLine | Change::DuplicateLine);
    let mut parts: Vec<&str> = match by_lines {
        true => text.split_inclusive('\n').collect(),
        false => tokens(text),
    };
    if parts.is_empty() {
        return ODD[b % ODD.len()].to_owned();
    }
    let at = a % parts.len();
    match change {
        Change::Delete | Change::DeleteLine => {
            parts.remove(at);
        }
        Change::Duplicate | Change::DuplicateLine => parts.insert(at, parts[at]),
        Change::Swap => {
            let other = b % parts.len();
            parts.swap(at, other);
        }
        Change::Insert => parts.insert(at, ODD[b % ODD.len()]),
        Change::Replace => parts[at] = ODD[b % ODD.len()],
        Change::Copy => parts[at] = parts[b % parts.len()],
        Change::Truncate => parts.truncate(at),
    }
    parts.concat()
}

/// One of `sources` with some changes or, once in twenty, an arbitrary text.
fn texts(sources: Vec<String>) -> impl Strategy<Value = String> {
    let change = (
        prop::sample::select(&CHANGES[..]),
        0_usize..1 << 20,
        0_usize..1 << 20,
    );
    let changes = prop::collection::vec(change, 1..6);
    let of_source = (prop::sample::select(sources), changes).prop_map(|(text, changes)| {
        changes
            .into_iter()
            .fold(text, |text, by| changed(&text, by))
    });
    prop_oneof![19 => of_source, 1 => ".*", 1 => "([a-z_]{1,9} = [-0-9a-z\"\\[\\]ü]{0,9}\n){1,5}"]
}

fn number(name: &str) -> Option<u32> {
    let text = std::env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{name} is a number")),
    )
}

/// The text being parsed, and the start time.
type Reading = Arc<Mutex<Option<(Instant, String)>>>;

/// Ends the process if a text takes longer than [`PATIENCE`].
fn watch(name: &'static str, reading: &Reading) {
    let weak = Arc::downgrade(reading);
    std::thread::spawn(move || {
        while let Some(reading) = weak.upgrade() {
            let now = reading.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, text)) = now.as_ref().filter(|(began, _)| began.elapsed() > PATIENCE) {
                eprintln!("{name}: does not end:\n{text}");
                std::process::abort();
            }
            drop(now);
            drop(reading);
            std::thread::sleep(Duration::from_secs(1));
        }
    });
}

/// Passes changed texts to a parser: `cases` of them, unless `STEND_FUZZ` sets another number.
/// `read` returns true if it accepts a text, and panics at a wrong result.
///
/// # Panics
/// With the text of the fewest changes at which `read` panics.
pub fn fuzz(name: &'static str, sources: Vec<String>, cases: u32, read: impl Fn(&str) -> bool) {
    let cases = number("STEND_FUZZ").unwrap_or(cases);
    let seed = number("STEND_FUZZ_SEED").unwrap_or(1);
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let mut bytes = [0; 32];
    bytes[..4].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let reading = Reading::default();
    watch(name, &reading);
    let (accepted, refused) = (Cell::new(0_u32), Cell::new(0_u32));
    let put = |text: String| {
        let set = |to| *reading.lock().unwrap_or_else(PoisonError::into_inner) = to;
        set(Some((Instant::now(), text.clone())));
        let count = if read(&text) { &accepted } else { &refused };
        count.set(count.get() + 1);
        set(None);
        Ok(())
    };
    for source in &sources {
        assert!(read(source), "{name}: the source is refused:\n{source}");
    }
    let outcome = TestRunner::new_with_rng(config, rng).run(&texts(sources), put);
    println!(
        "{name}: {} texts, {} accepted, seed {seed}",
        accepted.get() + refused.get(),
        accepted.get()
    );
    if let Err(error) = outcome {
        panic!("{name}: {error}");
    }
}
