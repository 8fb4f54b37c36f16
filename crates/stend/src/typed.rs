//! Commands as they are typed.

use stend_model::Setting;

use crate::args::{Fill, OnArgs, RealArgs};

/// As a shell takes it for one word.
pub fn word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:@+=,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// The options `--set`, each after a space.
pub fn settings(set: &[(String, Setting)]) -> String {
    let options = set.iter();
    options
        .map(|(key, value)| format!(" --set {}", word(&format!("{key}={value}"))))
        .collect()
}

/// The options of a real target, each after a space; what destroys data is not among them.
pub fn real(args: &RealArgs) -> String {
    let mut text = String::new();
    if args.read_only {
        text += " --read-only";
    }
    if let Some(size) = args.size {
        text += &format!(" --size {size}");
    }
    text
}

/// `--on` and what goes with it, for one of the targets.
pub fn on(args: &OnArgs, target: &str) -> String {
    let fill = match args.fill {
        None => "",
        Some(Fill::Rest) => " --fill",
        Some(Fill::Busy) => " --fill=busy",
    };
    format!(
        " --on {}{}{fill}{}",
        word(target),
        settings(&args.set.set),
        real(&args.real)
    )
}
