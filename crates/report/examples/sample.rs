//! Writes a report of made-up figures, to check the page's design: `cargo run -p stend-report
//! --example sample -- FOLDER [DURATION_SCALE [RIVALS]]`.

#[path = "../tests/common/mod.rs"]
mod common;

use stend_record::review::TestResult;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("name the folder to write to")?;
    let scale = arguments.next().map_or(Ok(1.0), |text| text.parse())?;
    let rivals: usize = arguments.next().map_or(Ok(1), |text| text.parse())?;
    let mut review = common::with_applications(common::review(scale));
    let rival = review.rivals[0].clone();
    review.rivals = (0..rivals)
        .map(|number| {
            let mut rival = rival.clone();
            rival.target.title = format!("Fixture rival {} {} GB", number + 1, 256 << number);
            for point in rival.tests.iter_mut().flat_map(TestResult::points_mut) {
                point.iops *= 1.0 + 0.07 * number as f64;
                point.bw_bytes_per_s *= 1.0 + 0.07 * number as f64;
            }
            rival
        })
        .collect();
    let page = stend_report::write_folder(&review, folder.as_ref())?;
    println!("{}", page.display());
    Ok(())
}
