//! A report as a PDF, printed by a browser that the machine has.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::child;
use crate::failure::Failure;

/// Browsers that print without a window, in the order in which they are tried.
const BROWSERS: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
];

/// What the page may take of its own time until its charts are drawn, ms: the browser skips what
/// it would wait.
const BUDGET_MS: u32 = 60_000;

/// The browser; where there is none, what to install.
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

/// Prints a page to `report.pdf` beside it; returns the path.
pub fn print(browser: &Path, page: &Path) -> Result<PathBuf, Failure> {
    let page = std::path::absolute(page).map_err(|error| failed(browser, &error.to_string()))?;
    let pdf = page.with_file_name("report.pdf");
    let scratch = child::Folder::new()?;
    let said = scratch.path().join("stderr");
    let stderr = File::create(&said).map_err(|error| Failure::unwritable(&said, &error))?;
    let profile = scratch.path().join("profile");
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
        .arg(format!("--print-to-pdf={}", pdf.display()));
    // Its sandbox refuses to run as root.
    if rustix::process::geteuid().is_root() {
        command.arg("--no-sandbox");
    }
    command.arg(&page);
    // A PDF of before must not pass for this one.
    if let Err(error) = std::fs::remove_file(&pdf)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        return Err(Failure::unwritable(&pdf, &error));
    }
    let status = child::run(&mut command, stderr, |_| {});
    let status = status.map_err(|error| failed(browser, &error.to_string()))?;
    if status.success() && pdf.is_file() {
        return Ok(pdf);
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
