//! Makes the page of a review again from its JSON, with the verdict of this version: `cargo run -p
//! stend-report --example page -- REVIEW.json FOLDER [LANG]`.

use stend_language::{Language, within};
use stend_record::review::Review;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let usage = "name the review.json to read and the folder to write to";
    let mut arguments = std::env::args_os().skip(1);
    let source = arguments.next().ok_or(usage)?;
    let folder = arguments.next().ok_or(usage)?;
    let language = arguments
        .next()
        .map_or(Ok(Language::English), |tag| tag.to_string_lossy().parse())?;
    let text = std::fs::read_to_string(&source)
        .map_err(|error| format!("cannot read {}: {error}", source.display()))?;
    let review: Review = serde_json::from_str(&text)
        .map_err(|error| format!("{} is not a review: {error}", source.display()))?;
    let page = within(language, || {
        stend_report::write_folder(&review, folder.as_ref())
    })?;
    println!("{}", page.display());
    Ok(())
}
