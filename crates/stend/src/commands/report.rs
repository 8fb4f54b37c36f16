//! `stend report`: a report of what the lab has.

use std::path::PathBuf;

use stend_lab::RunId;

use crate::args::ReportArgs;
use crate::commands::compare::Compared;
use crate::failure::Failure;
use crate::folder::Folder;
use crate::laboratory;
use crate::output::print;

pub fn run(args: &ReportArgs) -> Result<(), Failure> {
    let lab = laboratory::look(&args.lab)?;
    let runs: Vec<RunId> = args.runs.iter().copied().map(RunId).collect();
    let compared = Compared::load(&lab, &runs)?;
    let review = compared
        .together()
        .ok_or_else(|| Failure::Input("no run was named".to_owned()))?;
    let folder = Folder::open(folder_path(args))?;
    folder.keep_others(&review)?;
    let page = folder.save_with(&review, compared.finding())?;
    print(&format!("report: {}\n", page.display()))
}

fn folder_path(args: &ReportArgs) -> PathBuf {
    args.out.clone().unwrap_or_else(|| {
        let numbers: Vec<String> = args.runs.iter().map(i64::to_string).collect();
        PathBuf::from(format!("report-{}", numbers.join("-")))
    })
}
