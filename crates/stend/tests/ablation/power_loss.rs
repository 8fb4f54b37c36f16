//! Effects of capacitors and paired pages on synchronous writes, and on data after a power cut.

use stend_base::{Device, Nanos, Op, Request, Rng, SimTime};
use stend_drive::SimDrive;
use stend_load::target::{JobRequest, Target};
use stend_method::{Edition, ReviewOptions, run_review};
use stend_model::Model;
use stend_simulated::SimulatedTarget;

use super::{figure, model_with};

const PAGE_BYTES: u64 = 4096;

/// The demonstration drive with an additional `[power_loss]` table.
fn model(capacitors: bool, paired_pages: &str) -> Model {
    let table = [
        "[power_loss]\n".to_string(),
        figure("enabled", true),
        figure("capacitors", capacitors),
        figure("hold_up_ms", 20),
        figure("paired_pages", format!("\"{paired_pages}\"")),
        figure("journal_blocks_per_plane", 9),
        figure("journal_read_us", "40.0"),
        figure("journal_program_us", "400.0"),
        figure("journal_erase_us", "5000.0"),
        figure("journal_interval_kib", 16_384),
        figure("checkpoint_pages", 256),
        figure("boot_ms", 50),
        figure("replay_page_ns", 100),
    ];
    model_with("demo-8gb", &table.concat())
}

fn without_cache(mut model: Model) -> Model {
    let cache = model.slc_cache.as_mut().expect("it has a cache");
    cache.enabled.value = false;
    model
}

/// IOPS of random 4 KiB writes, one at a time; with `sync`, each is followed by a flush.
fn write_iops(model: Model, sync: bool) -> f64 {
    let flush = if sync { "fsync=1\n" } else { "" };
    let text = format!(
        "[write]\nrw=randwrite\nbs=4k\niodepth=1\nnorandommap\ntime_based\nruntime=2\n{flush}"
    );
    let job = JobRequest {
        text: &text,
        seed: 7,
        sample_ms: 100,
    };
    let outcome = SimulatedTarget::new(model).run(&job).expect("the job runs");
    let log = &outcome.samples;
    log.iter().map(|row| row.write_iops).sum::<f64>() / log.len() as f64
}

#[test]
fn capacitors_make_synchronous_writes_as_fast_as_others() {
    let iops = |capacitors, sync| write_iops(model(capacitors, "one-shot"), sync);
    let (bare, bare_sync) = (iops(false, false), iops(false, true));
    let (held, held_sync) = (iops(true, false), iops(true, true));
    println!("without {bare} and {bare_sync}, with {held} and {held_sync}");
    assert!(bare_sync < bare / 10.0, "{bare_sync} against {bare}");
    assert!(held_sync > held / 2.5, "{held_sync} against {held}");
    // Without flushes, capacitors do not change the speed.
    assert!((bare / held - 1.0).abs() < 0.01, "{bare} against {held}");
    let no_table = Model::shipped("demo-8gb").expect("it is shipped");
    let without = write_iops(no_table, false);
    assert!((bare / without - 1.0).abs() < 0.02, "{bare}, {without}");
}

fn send(drive: &mut SimDrive, tag: u32, op: Op, page: u64, pages: u64) {
    drive.submit(Request {
        tag,
        op,
        offset_bytes: page * PAGE_BYTES,
        len_bytes: pages * PAGE_BYTES,
        ..Request::default()
    });
}

/// Writes with a flush after every eighth write, and cuts the power at random instants. Returns the
/// flushed pages that are lost, all flushed pages, and the multi-plane pages of padding.
fn lost(model: &Model) -> (u64, u64, u64) {
    let mut drive = SimDrive::new(&model.spec());
    drive.keep_content(true);
    let mut rng = Rng::stream(11, "power cuts");
    let (mut lost, mut flushed) = (0, 0);
    for life in 0..40u32 {
        let base = u64::from(life) * 1_000;
        let tag = |page: u64| life * 1_000 + page as u32;
        let rounds = 1 + rng.below(6);
        for page in 0..rounds * 8 {
            send(&mut drive, tag(page), Op::Write, base + page, 1);
            drive.advance(SimTime::NEVER).expect("it ends");
            if page % 8 == 7 {
                send(&mut drive, 0, Op::Flush, 0, 0);
                drive.advance(SimTime::NEVER).expect("it ends");
            }
        }
        // Later writes share word lines with it.
        for page in 500..564 {
            send(&mut drive, tag(page), Op::Write, base + page, 1);
        }
        let limit = drive.now() + Nanos::from_micros(rng.below(6_000));
        while drive.advance(limit).is_some() {}
        drive.power_cut();
        for page in 0..rounds * 8 {
            flushed += 1;
            lost += u64::from(drive.content((base + page) as u32) != Some(tag(page)));
        }
        drive.power_up();
    }
    (lost, flushed, drive.counters().filler_mp_pages)
}

#[test]
fn paired_pages_take_flushed_data_with_them_unless_protected() {
    let data_area = |paired: &str| lost(&without_cache(model(false, paired)));
    let (bare, padded) = (data_area("unprotected"), data_area("pad"));
    println!("unprotected {bare:?}, padded {padded:?}");
    assert!(bare.0 > 50 && bare.2 == 0, "{bare:?}");
    assert!(padded.0 == 0 && padded.2 > 100, "{padded:?}");
    assert_eq!(data_area("one-shot").0, 0);
    // The SLC cache has one page per word line.
    assert_eq!(lost(&model(false, "unprotected")).0, 0);
    // Capacitors let programs that are under way finish.
    let held = lost(&without_cache(model(true, "unprotected")));
    assert_eq!((held.0, held.2), (0, 0));
}

#[test]
fn a_start_after_a_cut_takes_longer_than_after_a_shutdown() {
    let start = |capacitors: bool, clean: bool| {
        let mut drive = SimDrive::new(&model(capacitors, "one-shot").spec());
        let mut rng = Rng::stream(5, "start");
        for tag in 0..30_000 {
            send(&mut drive, tag, Op::Write, rng.below(1 << 20), 1);
            drive.advance(SimTime::NEVER).expect("it ends");
        }
        if clean {
            drive.service().shutdown();
        } else {
            drive.power_cut();
        }
        drive.power_up();
        send(&mut drive, 0, Op::Read, 0, 1);
        drive.advance(SimTime::NEVER).expect("it ends");
        drive.counters().recovery_ns_last
    };
    let (clean, held, cut) = (start(false, true), start(true, false), start(false, false));
    println!("shutdown {clean} ns, capacitors {held} ns, cut {cut} ns");
    assert!(clean < held && held < cut, "{clean}, {held}, {cut}");
}

/// Finding of the database edition about the cost of durable writes.
fn found(model: Model) -> String {
    let text = include_str!("../../../../editions/database.toml").replacen(
        "queue_depth = 32 } }",
        "queue_depth = 32, region_bytes = 1_073_741_824 } }",
        1,
    );
    let edition = Edition::parse(&text, "database.toml").expect("it is shipped");
    let options = ReviewOptions {
        tests: Some(vec!["durability-cost".to_owned()]),
        duration_scale: 0.1,
        ..ReviewOptions::default()
    };
    let target = Box::new(SimulatedTarget::new(model));
    let review = run_review(target, &edition, &options, &|_| {}).expect("it is possible");
    let findings = stend_analysis::findings(&review).into_iter();
    let texts = findings.filter(|f| f.title == "What durability costs");
    texts.map(|f| f.text).collect()
}

#[test]
fn a_buffer_without_protection_is_found_to_be_so() {
    let model = |plp: bool| {
        let mut model = Model::shipped("samsung-sm863-480gb").expect("it is shipped");
        model.dram.plp.value = plp;
        let power_loss = model.power_loss.as_mut().expect("it has a journal");
        power_loss.capacitors.value = plp;
        model
    };
    let (with, without) = (found(model(true)), found(model(false)));
    println!("with: {with}\nwithout: {without}");
    let protected = "behaves as one with power-loss protection";
    assert!(with.contains(protected), "{with}");
    assert!(!without.contains(protected), "{without}");
    assert!(
        without.contains("behaves as one without power-loss protection"),
        "{without}"
    );
}
