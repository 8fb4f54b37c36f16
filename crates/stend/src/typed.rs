//! Commands as they are typed.

use stend_model::Setting;

pub use stend_real::quoted as word;

use crate::args::{Fill, OnArgs, RealArgs};

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
