//! Read retries of shipped drives: none of new data, and of old data the published number.

use stend_base::{Device, Nanos, Op, Rng};
use stend_drive::SimDrive;
use stend_model::nand::reliability::Rber;
use stend_model::spec::MediaSpec;
use stend_model::{Model, SHIPPED, Spec};

use crate::tests::common::*;

const YEAR: Nanos = Nanos::from_secs(365 * 86_400);

fn media(spec: &mut Spec) -> &mut MediaSpec {
    spec.media.as_mut().expect("errors are modelled")
}

/// A filled drive after a time without power.
fn aged(spec: &Spec, time: Nanos) -> SimDrive {
    let mut drive = SimDrive::new(spec);
    fill(&mut drive);
    rest(&mut drive, Nanos::from_secs(900));
    drive.service().rest_without_power(time);
    drive
}

/// Retries of each of `samples` random reads at depth 1.
fn retries(drive: &mut SimDrive, samples: u32) -> Vec<u64> {
    let pages = drive.capacity_bytes() / PAGE;
    let mut rng = Rng::stream(1, "retries");
    let mut before = drive.counters().read_retries;
    (0..samples)
        .map(|_| {
            alone(drive, request(0, Op::Read, rng.below(pages), 1));
            let now = drive.counters().read_retries;
            now - std::mem::replace(&mut before, now)
        })
        .collect()
}

/// Park et al., "Reducing Solid-State Drive Read Latency by Optimizing Read-Retry", ASPLOS 2021, on
/// 160 chips of 48 layers: in a new block more than three on average after three months, seven or
/// more for 54.4 % of reads after six; 19.9 on average after a year at 2,000 cycles.
#[test]
fn old_data_of_3d_tlc_needs_as_many_retries_as_published() {
    let mut spec = sixteenth("samsung-860-evo-500gb");
    media(&mut spec).remembers_pass = false;
    let after = |spec: &Spec, share: f64| {
        let age = Nanos((YEAR.0 as f64 * share) as u64);
        retries(&mut aged(spec, age), 5_000)
    };
    let quarter = mean(&after(&spec, 0.25));
    assert!((3.0..6.0).contains(&quarter), "{quarter}");
    let half = after(&spec, 0.5);
    let seven = half.iter().filter(|&&n| n >= 7).count() as f64 / half.len() as f64;
    assert!((0.45..0.65).contains(&seven), "{seven}");
    // The cells of a new drive get the errors of cells with 2,000 cycles.
    let cells = &mut media(&mut spec).data_area;
    let of_rated = 2_000.0 / f64::from(cells.rated_cycles);
    let by = |rber: Rber, factor: f64| (rber.0 as f64 * factor) as u64;
    cells.fresh.0 += by(cells.worn, of_rated * of_rated);
    cells.year_fresh.0 += by(cells.year_worn, of_rated);
    let year = mean(&after(&spec, 1.0));
    assert!((18.0..22.0).contains(&year), "{year}");
}

#[test]
fn remembered_thresholds_save_most_retries_until_the_power_is_off() {
    let mut spec = sixteenth("samsung-860-evo-500gb");
    let of = |spec: &Spec| mean(&retries(&mut aged(spec, YEAR), 100_000));
    let remembered = of(&spec);
    media(&mut spec).remembers_pass = false;
    let forgotten = of(&spec);
    println!("retries of a year-old page: {remembered:.2}, not remembered {forgotten:.2}");
    assert!(remembered > 0.1 && remembered < 0.3 * forgotten);

    media(&mut spec).remembers_pass = true;
    let mut drive = aged(&spec, YEAR);
    let read = |drive: &mut SimDrive| {
        let before = drive.counters().read_retries;
        alone(drive, request(0, Op::Read, 7, 1));
        drive.counters().read_retries - before
    };
    let first = read(&mut drive);
    assert!(first > 3, "{first}");
    assert_eq!(read(&mut drive), 0);
    drive.power_cut();
    drive.power_up();
    assert_eq!(read(&mut drive), first);
    assert_eq!(read(&mut drive), 0);
    drive.service().rest_without_power(Nanos(1));
    assert_eq!(read(&mut drive), first);
}

/// One of three types of pages needs a retry; and, of its word lines, those above the mean.
#[test]
fn errors_differ_by_type_of_page_and_word_line() {
    let share = |types: &[u32], word_line_percent: u32| {
        let mut spec = plain(64, 24, 8_000);
        spec.data.timing.read = vec![Nanos::from_micros(50); 3];
        spec.data.timing.program = vec![Nanos::from_micros(400); 3];
        let mut cells = crate::tests::common::media();
        cells.data_area.fresh = Rber(900);
        cells.page_type_percent = types.to_vec();
        cells.word_line_percent = word_line_percent;
        spec.media = Some(cells);
        mean(&retries(&mut aged(&spec, Nanos::ZERO), 6_000))
    };
    // One pass corrects 1,000, two 2,000.
    assert_eq!(share(&[100], 0), 0.0);
    assert_eq!(share(&[100], 10), 0.0);
    let third = share(&[90, 90, 120], 0);
    assert!((0.31..0.36).contains(&third), "{third}");
    let word_lines = share(&[112, 112, 112], 50);
    assert_eq!(word_lines, share(&[100], 50), "types count in proportion");
    assert!((0.2..0.6).contains(&word_lines), "{word_lines}");
}

/// Covers planar and 3D, TLC and MLC.
#[test]
fn data_of_every_shipped_drive_needs_retries_after_three_years_and_none_when_new() {
    let mut seen = Vec::new();
    for one in SHIPPED.iter().filter(|one| one.name != "demo-8gb") {
        let model = Model::parse(one.text, one.name).expect("it is sound");
        let nand = model.nand.generation.value.clone();
        if seen.contains(&nand) {
            continue;
        }
        seen.push(nand.clone());
        let spec = model.scaled(32).unwrap_or(model).spec();
        let mut drive = aged(&spec, Nanos::ZERO);
        let new = mean(&retries(&mut drive, 2_000));
        drive.service().rest_without_power(YEAR * 3);
        let old = retries(&mut drive, 2_000);
        let any = old.iter().filter(|&&n| n > 0).count();
        println!(
            "{}: {nand}: {new:.2}, then {:.2} ({any} of 2,000)",
            one.name,
            mean(&old)
        );
        assert!(new < 0.001, "{}: {new}", one.name);
        assert!(any > 20, "{}: {any}", one.name);
        assert_eq!(drive.counters().lost_pages, 0, "{}", one.name);
    }
    assert!(seen.len() > 10);
}
