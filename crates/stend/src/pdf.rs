//! A report as a PDF, printed by an installed browser.

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::child;
use crate::failure::Failure;
use crate::folder::replace;
use crate::signals;

/// Browsers that can print without a window, in the order in which they are tried.
const BROWSERS: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
];

/// Virtual time that the page may use until its charts are drawn, ms; the browser skips waiting
/// times.
const BUDGET_MS: u32 = 60_000;

/// End mark of a PDF that stend has printed: a comment, which PDF readers ignore.
const MARK: &[u8] = b"\n% printed by stend\n";

/// Path of the browser; if there is none, an error that names what to install.
pub fn browser() -> Result<PathBuf, Failure> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let mut candidates = BROWSERS
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    candidates.find(|file| file.is_file()).ok_or_else(|| {
        Failure::ToolMissing(
            "a PDF is printed by Chromium or Chrome, and neither is in PATH; install one \
             (Debian: apt-get install chromium), or print the page from any browser"
                .to_owned(),
        )
    })
}

/// Path of the PDF of a page in a folder.
fn path(folder: &Path) -> PathBuf {
    folder.join("report.pdf")
}

/// Refuses a folder that contains a `report.pdf` that stend has not printed.
pub fn check(folder: &Path) -> Result<(), Failure> {
    let path = path(folder);
    match std::fs::read(&path) {
        Ok(bytes) if bytes.ends_with(MARK) => Ok(()),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(())
        }
        _ => Err(Failure::Refused(format!(
            "{}: it exists, and stend has not printed it, so it is kept; choose another folder \
             with --out, or move it away",
            path.display()
        ))),
    }
}

/// Prints a page to `report.pdf` beside it, and returns the path. An existing file is replaced only
/// once the new one is complete.
pub fn print(browser: &Path, page: &Path) -> Result<PathBuf, Failure> {
    let page = std::path::absolute(page).map_err(|error| failed(browser, &error.to_string()))?;
    let pdf = path(page.parent().unwrap_or(Path::new("/")));
    let scratch = child::Folder::new()?;
    let said = scratch.path().join("stderr");
    let stderr = File::create(&said).map_err(|error| Failure::unwritable(&said, &error))?;
    let profile = scratch.path().join("profile");
    let printed = scratch.path().join("report.pdf");
    let mut command = Command::new(browser);
    command
        .args([
            "--headless",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--no-pdf-header-footer",
        ])
        .arg(format!("--virtual-time-budget={BUDGET_MS}"))
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("--print-to-pdf={}", printed.display()));
    // The browser's sandbox refuses to run as root.
    if rustix::process::geteuid().is_root() {
        command.arg("--no-sandbox");
    }
    command.arg(&page);
    let status = child::run(&mut command, stderr, |_| {});
    let status = status.map_err(|error| failed(browser, &error.to_string()))?;
    if status.success()
        && let Ok(mut bytes) = std::fs::read(&printed)
    {
        bytes.extend_from_slice(MARK);
        return signals::undisturbed(|| replace(&pdf, &bytes)).map(|()| pdf);
    }
    let said = std::fs::read_to_string(&said).unwrap_or_default();
    let last = said.lines().rfind(|line| !line.trim().is_empty());
    Err(failed(browser, last.unwrap_or("it says nothing")))
}

fn failed(browser: &Path, why: &str) -> Failure {
    Failure::Io(format!(
        "{} did not print the page ({why}); the page itself is there: print it from any browser",
        browser.display()
    ))
}
