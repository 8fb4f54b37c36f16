//! `stend report`: a report of what the lab has.

use std::path::PathBuf;

use stend_lab::RunId;
use stend_record::review::{Review, Rival};

use crate::args::ReportArgs;
use crate::failure::Failure;
use crate::folder::Folder;
use crate::{laboratory, print};

pub fn run(args: &ReportArgs) -> Result<(), Failure> {
    let lab = laboratory::look(&args.lab)?;
    let reviews: Result<Vec<Review>, _> = args
        .runs
        .iter()
        .map(|&run| lab.review(RunId(run)))
        .collect();
    let mut reviews = reviews?.into_iter();
    let Some(mut review) = reviews.next() else {
        return Err(Failure::Input("no run was named".to_owned()));
    };
    for other in reviews {
        review.rivals.push(Rival {
            target: other.target,
            tests: other.tests,
        });
        review.rivals.extend(other.rivals);
    }
    let folder = Folder::open(folder_path(args))?;
    if let Some(there) = folder.earlier()?
        && (there.target != review.target || there.edition != review.edition)
    {
        return Err(Failure::Input(format!(
            "{} holds the review of {}, edition {}; choose another folder with --out",
            folder.path().display(),
            there.target.title,
            there.edition
        )));
    }
    let page = folder.save(&review)?;
    print(&format!("report: {}\n", page.display()))
}

fn folder_path(args: &ReportArgs) -> PathBuf {
    args.out.clone().unwrap_or_else(|| {
        let numbers: Vec<String> = args.runs.iter().map(i64::to_string).collect();
        PathBuf::from(format!("report-{}", numbers.join("-")))
    })
}
