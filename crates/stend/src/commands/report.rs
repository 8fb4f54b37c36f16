//! `stend report`: a report of a run in the lab.

use std::path::{Path, PathBuf};

use stend_lab::RunId;
use stend_language::{text, within};

use crate::args::ReportArgs;
use crate::commands::compare::Compared;
use crate::failure::Failure;
use crate::open::check_distinct;
use crate::output::print;
use crate::{laboratory, pdf};

pub fn run(args: &ReportArgs) -> Result<(), Failure> {
    check_distinct(&args.runs, "run")?;
    let lab = laboratory::look(&args.lab)?;
    let runs: Vec<RunId> = args.runs.iter().copied().map(RunId).collect();
    let compared = Compared::load(&lab, &runs)?;
    // Checked before anything is written: without a browser, nothing is written.
    let browser = args.pdf.then(pdf::browser).transpose()?;
    let folder = folder_path(args);
    if args.pdf {
        pdf::check(&folder)?;
    }
    let page = compared.save(folder, args.language.lang)?;
    let said = |id: &'static str, path: &Path| {
        let path = path.display().to_string();
        within(args.language.lang, || text!(id, path = path)) + "\n"
    };
    print(&said("terminal-report", &page))?;
    match browser {
        None => Ok(()),
        Some(browser) => {
            let pdf = pdf::print(&browser, &page)?;
            print(&said("terminal-pdf", &pdf))
        }
    }
}

fn folder_path(args: &ReportArgs) -> PathBuf {
    args.out.clone().unwrap_or_else(|| {
        let numbers: Vec<String> = args.runs.iter().map(i64::to_string).collect();
        PathBuf::from(format!("report-{}", numbers.join("-")))
    })
}
