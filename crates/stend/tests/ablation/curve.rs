//! The steps of the sustained-write curve, and its recovery after rest and TRIM.

use stend_analysis::{end_level, recovered_bytes};
use stend_load::target::Target;
use stend_model::Model;
use stend_record::review::Series;
use stend_simulated::SimulatedTarget;

use super::{GB, about, clean, drive, job, levels, preconditioned, write};

const ULTRA_II: &str = "sandisk-ultra-ii-240gb";

/// The Ultra II with a quarter of its data area, and with `change` applied. Until the whole
/// capacity is written, the curve depends on the cache, which keeps its size.
fn short_ultra_ii(change: impl FnOnce(&mut Model)) -> SimulatedTarget {
    drive(ULTRA_II, |model| {
        model.nand.blocks_per_plane.value /= 4;
        model.capacity.user_bytes.value /= 4;
        change(model);
    })
}

#[test]
fn the_first_two_steps_come_from_the_slc_cache() {
    let with = levels(&write(&mut clean(short_ultra_ii(|_| {})), 100, 1000));
    println!("with: {with:?}");
    assert_eq!(with.len(), 3, "{with:?}");
    assert!(
        about(with[0].0, 0.6) && about(with[0].1, 41_000.0),
        "{with:?}"
    );
    assert!(
        about(with[1].0, 8.0) && about(with[1].1, 30_000.0),
        "{with:?}"
    );
    assert!(about(with[2].1, 21_000.0), "{with:?}");
    let mut without = clean(short_ultra_ii(|model| {
        let cache = model.slc_cache.as_mut().expect("it has a cache");
        cache.enabled.value = false;
    }));
    let without = levels(&write(&mut without, 100, 1000));
    println!("without: {without:?}");
    assert_eq!(without.len(), 1, "the steps are still there: {without:?}");
}

/// MB/s of two threads of sequential 128 KiB requests, `read_percent` of them reads, on the filled
/// Ultra II.
fn mixed(half_duplex: bool, read_percent: u32) -> f64 {
    let mut target = drive(ULTRA_II, |model| {
        if !half_duplex {
            (model.dram.half_duplex.value, model.dram.turnaround_ns.value) = (false, 0);
        }
    });
    job(&mut target, "rw=write\nbs=1m\niodepth=4\nsize=32g");
    target.idle(900.0).expect("it rests");
    let body = format!(
        "rw=rw\nrwmixread={read_percent}\nbs=128k\niodepth=2\nsize=32g\ntime_based\nruntime=10"
    );
    let done = job(&mut target, &body);
    (done.read.io_bytes + done.write.io_bytes) as f64 / 10.0 / 1e6
}

#[test]
fn a_few_writes_halve_the_speed_of_reading_with_a_half_duplex_buffer() {
    let shares = [100, 90, 60];
    let half_duplex = shares.map(|share| mixed(true, share));
    let full_duplex = shares.map(|share| mixed(false, share));
    println!("half-duplex {half_duplex:?}, full duplex {full_duplex:?}");
    assert!(0.9 * half_duplex[1] < 0.5 * half_duplex[0] && half_duplex[2] < half_duplex[1]);
    assert!(0.9 * full_duplex[1] > 0.7 * full_duplex[0]);
}

#[test]
fn the_second_step_ends_when_the_space_freed_in_idle_time_is_full() {
    let end = |share: u32| {
        let mut target = clean(short_ultra_ii(|model| {
            let cache = model.slc_cache.as_mut().expect("it has a cache");
            let free = cache.idle_free_mib.as_mut().expect("it makes some free");
            free.value = free.value * share / 100;
        }));
        let found = levels(&write(&mut target, 80, 1000));
        println!("{share} %: {found:?}");
        // Below the watermark the first level does not exist.
        let second = found.iter().find(|level| level.1 < 35_000.0);
        second.expect("a second level").0
    };
    let ratio = end(50) / end(100);
    // Half of the 4.9 GB of data, divided by the sum of the first step and the 4.4 GB that fit
    // above the watermark.
    assert!((0.5..0.65).contains(&ratio), "ratio {ratio}");
}

#[test]
fn the_first_step_comes_from_the_watermark_of_folding() {
    let mut target = clean(drive(ULTRA_II, |model| {
        let cache = model.slc_cache.as_mut().expect("it has a cache");
        let free = cache.fold_start_free_mib.as_mut().expect("it has one");
        free.value = 1;
    }));
    let found = levels(&write(&mut target, 70, 1000));
    println!("{found:?}");
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        about(found[0].0, 4.9) && about(found[0].1, 41_000.0),
        "{found:?}"
    );
}

#[test]
fn the_third_level_comes_from_the_core_that_maps_what_is_folded() {
    let third = |part: u64| {
        let mut target = clean(short_ultra_ii(|model| {
            let fold = &mut model.controller.fold_page_ns;
            fold.value /= part;
        }));
        let found = levels(&write(&mut target, 100, 1000));
        found.last().expect("a level").1
    };
    let (shipped, faster) = (third(1), third(3));
    println!("shipped {shipped}, a third of the time a page {faster}");
    assert!(faster > shipped * 1.15, "{faster} against {shipped}");
}

#[test]
fn speed_recovers_in_idle_time_by_idle_gc() {
    let back = |enabled: bool| {
        let (mut target, curve) = preconditioned(|model| model.idle.enabled.value = enabled);
        let end = end_level(&curve).expect("a curve");
        target.idle(900.0).expect("it rests");
        recovered_bytes(&write(&mut target, 120, 100), end)
    };
    let (with, without) = (back(true), back(false));
    println!("with {with}, without {without}");
    assert!(with > 50_000_000, "{with} bytes came back");
    assert!(
        without < with / 20,
        "{without} bytes came back without idle GC"
    );
}

#[test]
fn trim_gives_back_more_than_rest_though_not_the_fresh_speed() {
    // The first second is excluded: after TRIM the drive erases the freed blocks, and a fresh one
    // has not begun to fold.
    let start = |series: &Series| series.samples[10..40].iter().map(|s| s.iops).sum::<f64>();
    let fresh = start(&write(&mut drive("demo-8gb", |_| {}), 10, 100));
    let after_trim = |reaches_cache: bool| {
        let (mut target, curve) = preconditioned(|model| {
            model.trim.reaches_cache.value = reaches_cache;
        });
        let end = end_level(&curve).expect("a curve");
        let mut rested = target.clone();
        rested.idle(900.0).expect("it rests");
        let rested = recovered_bytes(&write(&mut rested, 120, 100), end);
        target.trim_all().expect("it trims");
        let again = write(&mut target, 300, 100);
        let trimmed = recovered_bytes(&again, end);
        println!("end {end}, rested {rested}, trimmed {trimmed}");
        assert!(trimmed > 2 * rested, "TRIM {trimmed}, rest {rested}");
        start(&again) / fresh
    };
    let (left, freed) = (after_trim(false), after_trim(true));
    println!("left in the cache {left}, freed {freed}");
    assert!(left < 0.8, "TRIM restored {left} of the fresh speed");
    assert!(freed > 0.95, "freeing the cache restores only {freed}");
}

#[test]
fn more_over_provisioning_raises_the_end() {
    let end = |blocks: u32| {
        let (_, curve) = preconditioned(|model| model.nand.blocks_per_plane.value = blocks);
        end_level(&curve).expect("a curve")
    };
    let (less, more) = (end(860), end(1_000));
    println!("{less} {more}");
    assert!(more > less * 1.15, "{less} IOPS, with more room {more}");
}

#[test]
#[ignore = "two virtual hours at full size: a minute in a release build"]
fn two_hours_and_the_recovery_are_as_published() {
    let mut target = clean(drive(ULTRA_II, |_| {}));
    let curve = write(&mut target, 7200, 1000);
    let found = levels(&curve);
    println!("{found:?}");
    for (level, (end_gb, iops)) in [(0.6, 41_000.0), (8.0, 30_000.0), (240.0, 21_000.0)]
        .into_iter()
        .enumerate()
    {
        assert!(about(found[level].0, end_gb), "{found:?}");
        assert!(about(found[level].1, iops), "{found:?}");
    }
    let end = end_level(&curve).expect("a curve");
    assert!((4_000.0..5_000.0).contains(&end), "it ends at {end}");

    target.idle(900.0).expect("it rests");
    let rested = recovered_bytes(&write(&mut target, 300, 1000), end) as f64 / GB;
    assert!(about(rested, 2.3), "{rested} GB after rest");

    target.trim_all().expect("it trims");
    let again = write(&mut target, 300, 1000);
    let trimmed = recovered_bytes(&again, end) as f64 / GB;
    assert!(trimmed > 2.0 * rested, "{trimmed} GB after TRIM");
    let start = |series: &Series| series.samples[0].iops;
    assert!(start(&again) < 0.9 * start(&curve), "{}", start(&again));
}
