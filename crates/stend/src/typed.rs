//! Commands as the user types them.

use stend_model::Setting;

pub use stend_real::quoted as word;

use crate::args::{Fill, OnArgs, RealArgs};

/// Formats the options `--set`, each after a space.
pub fn settings(set: &[(String, Setting)]) -> String {
    let options = set.iter();
    options
        .map(|(key, value)| format!(" --set {}", word(&format!("{key}={value}"))))
        .collect()
}

/// Formats the options of a real target, each after a space, without those that destroy data.
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

/// Formats `--on` and its accompanying options for one of the targets.
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
