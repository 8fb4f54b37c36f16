//! `stend report`: a report of what the lab has.

use std::path::PathBuf;

use stend_lab::RunId;

use crate::args::ReportArgs;
use crate::commands::compare::Compared;
use crate::failure::Failure;
use crate::output::print;
use crate::{laboratory, pdf};

pub fn run(args: &ReportArgs) -> Result<(), Failure> {
    let lab = laboratory::look(&args.lab)?;
    let runs: Vec<RunId> = args.runs.iter().copied().map(RunId).collect();
    let compared = Compared::load(&lab, &runs)?;
    // Before anything is written: without a browser nothing is.
    let browser = args.pdf.then(pdf::browser).transpose()?;
    let page = compared.save(folder_path(args), args.language.lang)?;
    print(&format!("report: {}\n", page.display()))?;
    match browser {
        None => Ok(()),
        Some(browser) => {
            let pdf = pdf::print(&browser, &page)?;
            print(&format!("pdf: {}\n", pdf.display()))
        }
    }
}

fn folder_path(args: &ReportArgs) -> PathBuf {
    args.out.clone().unwrap_or_else(|| {
        let numbers: Vec<String> = args.runs.iter().map(i64::to_string).collect();
        PathBuf::from(format!("report-{}", numbers.join("-")))
    })
}
