//! Units of public quantities.
//!
//! A public field, function or constant of a library is a quantity if its type is a plain number
//! (or an option or list of them) and its name contains a word for a measured quantity: a time, a
//! size, a speed, an energy. Its name must contain a unit (`read_ns`), or its documentation a word
//! for one ("in bytes"). Dedicated types (`Nanos`) imply their unit.

use proc_macro2::{Delimiter, TokenTree};

use super::tokens::{
    attribute, behind_item, group, inside, is_mark, is_name, is_test_only, line, name, tokens,
};
use super::{Finding, SourceFile};

/// Words in names that stand for a measured quantity.
const QUANTITIES: &str = "\
    age bandwidth budget capacity cost delay duration elapsed energy heat interval latency \
    length offset period power pause rate rest room size space span speed temperature \
    throughput time timeout wait window written volume position deadline amount";

/// Words in names that are units.
const UNITS: &str = "\
    ns us ms s min minutes seconds hours days bits bytes kib mib gib tib kb mb gb tb percent \
    ppm c mc k pj nj uj mj j uw mw w ma mv v mhz hz iops sectors pages blocks slots units \
    superblocks count ratio share log2";

/// Words in documentation that are units, or state that a number has none.
const UNIT_WORDS: &str = "\
    ns µs us ms s nanosecond nanoseconds microsecond microseconds millisecond milliseconds \
    second seconds minute minutes hour hours day days bit bits byte bytes kib mib gib kb mb gb \
    tb sector sectors page pages unit units slot slots block blocks superblock superblocks \
    percent % ppm share fraction ratio times factor multiple number count many iops requests \
    commands cycles cells degrees °c celsius mw milliwatts pj picojoules joules watts index \
    pixels px dies lines characters points";

/// Number types. A `u8` is more often a kind or a level than a quantity.
const NUMBERS: &str = "\
    u16 u32 u64 u128 usize i32 i64 i128 isize f32 f64";

/// Types around a number: `Option<u64>`, `Vec<f64>`, `&[u32]`.
const AROUND: [&str; 3] = ["Option", "Vec", "Box"];

/// Public quantities of libraries without a unit.
pub fn without_unit(files: &[SourceFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|f| f.is("rs") && f.module().is_some()) {
        // A program has no public items.
        if file.crate_name() == Some("stend") {
            continue;
        }
        let mut found = Vec::new();
        items_of(&tokens(file), &mut found);
        for item in found.iter().filter(|item| item.lacks_a_unit()) {
            let message = format!(
                "`{}` is a quantity: tell its unit in its name or documentation",
                item.name
            );
            findings.push(Finding::at(&file.path, item.line, &message));
        }
    }
    findings
}

/// A public field, function or constant with the type of its value.
struct Item {
    name: String,
    line: usize,
    documentation: String,
    type_names: Vec<String>,
}

impl Item {
    fn lacks_a_unit(&self) -> bool {
        let number = |name: &String| has_word(NUMBERS, name);
        let plain = |name: &String| number(name) || AROUND.contains(&name.as_str());
        let name = self.name.to_lowercase();
        let has = |words| name.split('_').any(|word| has_word(words, word));
        let documentation = self.documentation.to_lowercase();
        let mut words = documentation.split(|c: char| !(c.is_alphanumeric() || "%°".contains(c)));
        self.type_names.iter().any(number)
            && self.type_names.iter().all(plain)
            && has(QUANTITIES)
            && !has(UNITS)
            && !words.any(|word| has_word(UNIT_WORDS, word))
    }
}

/// True if a list of words, separated by spaces, contains this one.
fn has_word(list: &str, word: &str) -> bool {
    list.split(' ').any(|of_list| of_list == word)
}

fn items_of(tokens: &[TokenTree], found: &mut Vec<Item>) {
    let mut documentation = String::new();
    let mut at = 0;
    while at < tokens.len() {
        if is_test_only(tokens, at) {
            at = behind_item(tokens, at);
            continue;
        }
        if let Some(attribute) = attribute(tokens, at) {
            let words = inside(attribute);
            if let (true, Some(TokenTree::Literal(text))) =
                (is_name(words.first(), "doc"), words.get(2))
            {
                documentation.push_str(&text.to_string());
            }
            at += 2;
            continue;
        }
        // `pub(crate)` is not public.
        if is_name(tokens.get(at), "pub")
            && group(tokens.get(at + 1), Delimiter::Parenthesis).is_none()
        {
            found.extend(item(tokens, at + 1, &documentation));
        }
        if let TokenTree::Group(group) = &tokens[at] {
            if group.delimiter() == Delimiter::Brace {
                items_of(&inside(group), found);
                documentation.clear();
            }
        } else if is_mark(tokens.get(at), ',') || is_mark(tokens.get(at), ';') {
            documentation.clear();
        }
        at += 1;
    }
}

/// The item after a `pub`, if it is a field, a function or a constant.
fn item(tokens: &[TokenTree], from: usize, documentation: &str) -> Option<Item> {
    let rest = tokens.get(from..)?;
    let keyword = |at| name(rest.get(at)).filter(|word| is_keyword(word));
    let names_at = (0..).take_while(|&at| keyword(at).is_some()).count();
    let item_name = name(rest.get(names_at))?;
    let is_function = names_at > 0 && is_name(rest.get(names_at - 1), "fn");
    let behind = &rest[names_at + 1..];
    let value = if is_function {
        let arrow = behind
            .windows(2)
            .take_while(|pair| !ends_item(&pair[0]))
            .position(|pair| is_mark(Some(&pair[0]), '-') && is_mark(Some(&pair[1]), '>'))?;
        &behind[arrow + 2..]
    } else if is_mark(behind.first(), ':') {
        &behind[1..]
    } else {
        return None;
    };
    let mut type_names = Vec::new();
    let mut depth = 0_i32;
    for token in value {
        depth += i32::from(is_mark(Some(token), '<')) - i32::from(is_mark(Some(token), '>'));
        let ends = is_mark(Some(token), '=') || (depth <= 0 && is_mark(Some(token), ','));
        if ends || ends_item(token) || is_name(Some(token), "where") {
            break;
        }
        names_of(token, &mut type_names);
    }
    Some(Item {
        line: line(&rest[names_at]),
        name: item_name,
        documentation: documentation.to_owned(),
        type_names,
    })
}

fn is_keyword(word: &str) -> bool {
    ["const", "static", "fn", "unsafe", "async", "mut"].contains(&word)
}

fn ends_item(token: &TokenTree) -> bool {
    is_mark(Some(token), ';') || group(Some(token), Delimiter::Brace).is_some()
}

fn names_of(token: &TokenTree, names: &mut Vec<String>) {
    match token {
        TokenTree::Ident(ident) => names.push(ident.to_string()),
        TokenTree::Group(group) => inside(group).iter().for_each(|t| names_of(t, names)),
        TokenTree::Punct(_) | TokenTree::Literal(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        without_unit(&[SourceFile::new("crates/drive/src/spec.rs", text)])
            .into_iter()
            .map(|finding| finding.message)
            .collect()
    }

    #[test]
    fn a_quantity_without_a_unit_is_found() {
        let text = "
            /// How long it takes.
            pub struct S {
                /// The wait.
                pub wait: u64,
                /// The most.
                pub size_max: Option<Vec<u32>>,
            }
            impl S {
                /// The rate of it.
                pub const fn rate(&self, a: u32) -> f64 { 1.0 }
            }
            /// Least.
            pub const PAUSE: [u64; 2] = [1, 2];";
        let found = found(text);
        let names: Vec<_> = found.iter().filter_map(|m| m.split('`').nth(1)).collect();
        assert_eq!(names, ["wait", "size_max", "rate", "PAUSE"]);
        assert!(found[0].starts_with("crates/drive/src/spec.rs:5: "));
    }

    #[test]
    fn units_private_items_and_other_types_are_fine() {
        let text = "
            pub struct S {
                /// The wait.
                pub wait_ns: u64,
                /// The size in bytes.
                pub size: u64,
                pub(crate) rate: f64,
                rest: u64,
                /// The time.
                pub time: Nanos,
                /// A name.
                pub index: u32,
            }
            #[cfg(test)]
            mod tests { pub fn wait() -> u64 { 0 } }";
        assert_eq!(found(text), [""; 0]);
    }
}
