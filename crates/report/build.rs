//! Extracts plotly.js from the `plotly` crate, removes the parts that the charts here do not use,
//! compresses it, and writes it where `include_bytes!` finds it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The crate returns its scripts as HTML: plotly.js in the first script element, MathJax, which
    // no chart here needs, in the second.
    let html = plotly::Plot::offline_js_sources();
    let script = html
        .split_once('>')
        .and_then(|(_, rest)| rest.split_once("</script>"))
        .map(|(script, _)| script)
        .expect("the plotly crate hands out its script in a script element");
    assert!(
        script.contains("plotly.js v"),
        "the first script of the plotly crate is not plotly.js; see build.rs of stend-report"
    );
    let core = core(script).unwrap_or_else(|what| {
        panic!("plotly.js is not laid out as build.rs of stend-report expects: {what}")
    });
    let folder = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR for a build script");
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder
        .write_all(core.as_bytes())
        .expect("a vector can be written");
    let compressed = encoder.finish().expect("a vector can be written");
    std::fs::write(Path::new(&folder).join("plotly.min.js.gz"), compressed)
        .expect("cargo's OUT_DIR can be written");
}

/// Returns the script without the kinds of traces that it registers beside lines and dots, and
/// without all code that only these use: a fifth of it, which a browser parses in a fifth of the
/// time.
///
/// The script is a bundle by esbuild: a statement `var NAME=wrapper(…=>{…});` for each module,
/// which runs when another first calls `NAME()`.
fn core(script: &str) -> Result<String, &'static str> {
    const REGISTER: &str = ".register([";
    let from = script.rfind(REGISTER).ok_or("nothing is registered")? + REGISTER.len();
    let length = script[from..].find(']').ok_or("the list has no end")?;
    let script = format!("{}{}", &script[..from], &script[from + length..]);
    // Modules of CommonJS, and of ECMAScript, whose functions come before their statement.
    let common = helper(
        &script,
        "=(e,t)=>()=>(t||e((t={exports:{}}).exports,t),t.exports)",
    )?;
    let ecma = helper(&script, "=(e,t)=>()=>(e&&(t=e(e=0)),t)")?;
    let modules = modules(&script, common, ecma);
    let numbers: BTreeMap<&str, usize> = (0..).zip(&modules).map(|(n, m)| (m.name, n)).collect();
    // If a module is followed by one of CommonJS, its text is that module only and can be removed.
    let alone = |number: usize| match &modules[number..] {
        [this, next, ..] => this.common && next.common,
        _ => false,
    };
    let mut kept: BTreeSet<usize> = (0..modules.len()).filter(|&n| !alone(n)).collect();
    let mut waiting: Vec<usize> = kept.iter().copied().collect();
    while let Some(number) = waiting.pop() {
        for name in called(modules[number].text) {
            if let Some(&found) = numbers.get(name)
                && kept.insert(found)
            {
                waiting.push(found);
            }
        }
    }
    let first = modules.first().ok_or("there are no modules")?.from;
    let texts = kept.iter().map(|&number| modules[number].text);
    Ok(std::iter::once(&script[..first]).chain(texts).collect())
}

/// A module, up to the start of the next one.
struct Module<'s> {
    name: &'s str,
    common: bool,
    from: usize,
    text: &'s str,
}

fn modules<'s>(script: &'s str, common: &str, ecma: &str) -> Vec<Module<'s>> {
    let mut modules: Vec<Module<'s>> = Vec::new();
    for (from, _) in script.match_indices("var ") {
        if !script[..from].ends_with([';', '}']) {
            continue;
        }
        let name = name_at(&script[from + 4..]);
        let Some(rest) = script[from + 4 + name.len()..].strip_prefix('=') else {
            continue;
        };
        let wrapper = name_at(rest);
        let function = rest[wrapper.len()..].strip_prefix('(');
        if ![common, ecma].contains(&wrapper) || !function.is_some_and(is_arrow) {
            continue;
        }
        if let Some(last) = modules.last_mut() {
            last.text = &script[last.from..from];
        }
        modules.push(Module {
            name,
            common: wrapper == common,
            from,
            text: &script[from..],
        });
    }
    modules
}

/// Returns the name of a function with this text.
fn helper<'s>(script: &'s str, text: &str) -> Result<&'s str, &'static str> {
    let end = script.find(text).ok_or("a helper of esbuild is missing")?;
    Ok(name_before(&script[..end]))
}

/// True if the text starts with an arrow function: `(a,b)=>` or `a=>`.
fn is_arrow(text: &str) -> bool {
    let parameters = text.split_once("=>").map_or("", |(before, _)| before);
    let inner = parameters
        .strip_prefix('(')
        .and_then(|p| p.strip_suffix(')'));
    let names = inner.unwrap_or(parameters);
    text.contains("=>") && names.chars().all(|c| is_of_name(c) || c == ',')
}

/// Returns the names that are called without arguments.
fn called(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("()")
        .map(|(at, _)| name_before(&text[..at]))
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

fn name_at(text: &str) -> &str {
    let end = text.find(|c| !is_of_name(c)).unwrap_or(text.len());
    &text[..end]
}

fn name_before(text: &str) -> &str {
    let from = text.rfind(|c| !is_of_name(c)).map_or(0, |at| {
        at + text[at..].chars().next().map_or(0, char::len_utf8)
    });
    &text[from..]
}
