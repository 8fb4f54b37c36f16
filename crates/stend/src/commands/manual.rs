//! `stend completions` and `stend manual`: files that a package installs beside the program.

use std::fs;
use std::path::Path;

use clap_complete::Shell;

use crate::args::Cli;
use crate::failure::Failure;
use crate::output::{note, print};

/// Prints a script with which a shell completes commands and options.
pub fn completions(shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::described(), "stend", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// Writes the manual pages, one for each command.
pub fn pages(folder: &Path) -> Result<(), Failure> {
    let written = fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Cli::described(), folder));
    written.map_err(|error| Failure::unwritable(folder, &error))?;
    note(&format!("manual pages are in {}", folder.display()));
    Ok(())
}
