//! The measured program: built here, or named by the user.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::failure::Failure;

/// Root folder of the clone.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the named program, or builds one: a release, or for a smoke run with the profile of
/// tests.
pub fn program(given: Option<&Path>, smoke: bool) -> Result<PathBuf, Failure> {
    if let Some(given) = given {
        let failed = |error| Failure::Input(format!("{}: {error}", given.display()));
        return given.canonicalize().map_err(failed);
    }
    let profile = if smoke { "dev" } else { "release" };
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args([
        "build",
        "--quiet",
        "--package",
        "stend",
        "--profile",
        profile,
    ]);
    let status = command.current_dir(root()).status();
    let status = status.map_err(|error| Failure::Io(format!("cannot start cargo: {error}")))?;
    if !status.success() {
        return Err(Failure::Io(format!("stend cannot be built: {status}")));
    }
    // This program is `TARGET/debug/xtask`.
    let own = std::env::current_exe();
    let own = own.map_err(|error| Failure::Io(format!("where is this program? {error}")))?;
    let target = own.ancestors().nth(2).unwrap_or(Path::new("target"));
    let folder = if smoke { "debug" } else { "release" };
    Ok(target.join(folder).join("stend"))
}

/// Output of a program on stdout, if it succeeds.
pub fn said(command: &mut Command) -> Option<String> {
    let Output { status, stdout, .. } = command.output().ok()?;
    let text = String::from_utf8(stdout).ok()?;
    status.success().then(|| text.trim().to_owned())
}
