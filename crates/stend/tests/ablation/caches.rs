//! SLC caches of every kind, one-shot programs, and an L2P on flash.

use stend_load::target::Target;
use stend_model::tables::slc_cache::SlcCache;
use stend_model::{Model, SHIPPED};
use stend_simulated::SimulatedTarget;

use super::{GB, figure, job, levels, percentile, write};

/// Sets the share of the cache above which folding begins, percent.
fn fold_from(cache: &mut SlcCache, percent: f64) {
    let start = cache.fold_start_percent.as_mut();
    start.expect("it has a share").value = percent;
}

/// The demonstration drive with a cache that is folded through the controller: `own` static blocks
/// per plane, `dynamic` more of the data area, bypassed when it is full; `tables` are added.
fn cached(own: u32, dynamic: u32, tables: &str) -> SimulatedTarget {
    let mut keys = figure("fold_by", "\"controller\"") + &figure("when_full", "\"bypass\"");
    if dynamic > 0 {
        keys += &figure("dynamic_blocks_per_plane", dynamic);
    }
    changed(&keys, tables, |model| {
        let cache = model.slc_cache.as_mut().expect("it has a cache");
        cache.blocks_per_plane.value = own;
        fold_from(cache, 100.0);
    })
}

/// The demonstration drive with keys added to its cache, and tables to its file. Its flash limits
/// the speed of writes.
fn changed(keys: &str, tables: &str, change: impl FnOnce(&mut Model)) -> SimulatedTarget {
    let shipped = SHIPPED.iter().find(|s| s.name == "demo-8gb");
    let text = shipped.expect("a shipped model").text;
    let text = text.replace("[slc_cache]\n", &format!("[slc_cache]\n{keys}"));
    let lines = text.lines().map(|line| match line.split_once(" = ") {
        Some((miss, _)) if miss.ends_with("_l2p_miss_ns") => figure(miss, "0"),
        _ => format!("{line}\n"),
    });
    let text: String = lines.collect();
    let mut model = Model::parse(&format!("{text}\n{tables}"), "changed.toml").expect("it fits");
    change(&mut model);
    SimulatedTarget::new(model)
}

/// MB/s of sequential writes, second by second, over 3.3 GB.
fn curve(target: &mut SimulatedTarget) -> Vec<(f64, f64)> {
    curve_of(target, "128k")
}

/// As [`curve`], in requests of another length.
fn curve_of(target: &mut SimulatedTarget, length: &str) -> Vec<(f64, f64)> {
    let text = format!("[write]\nrw=write\nbs={length}\niodepth=32\nsize=3200m\n");
    let request = stend_load::target::JobRequest {
        text: &text,
        seed: 7,
        sample_ms: 500,
    };
    let outcome = target.run(&request).expect("the job runs");
    let mut written = 0.0;
    let steps = outcome.samples.iter().map(|row| {
        let speed = (row.written_bytes as f64 - written) / 0.5 / 1e6;
        written = row.written_bytes as f64;
        (written / GB, speed)
    });
    steps.collect()
}

/// GB after which sequential writes are slower than two thirds of their initial speed.
fn falls_at(curve: &[(f64, f64)]) -> Option<f64> {
    let first = curve[1].1;
    let at = curve.windows(2).find(|w| w[1].1 < first * 0.67);
    at.map(|w| w[0].0)
}

#[test]
fn sequential_writing_falls_when_the_cache_is_full() {
    // One block in each of the 2 planes of 4 dies: 32 pages of 16 KiB each in SLC mode, of which a
    // sixth is parity: 3.5 MB.
    let falls = |own, dynamic| falls_at(&curve(&mut cached(own, dynamic, "")));
    let (small, large) = (falls(110, 0), falls(220, 0));
    let (added, whole) = (falls(110, 110), falls(0, 220));
    println!("static {small:?}, twice {large:?}, half dynamic {added:?}, all {whole:?} GB");
    let about = |got: Option<f64>, expected: f64| {
        got.is_some_and(|got| (got / expected - 1.0).abs() < 0.25)
    };
    assert!(
        about(small, 0.385) && about(large, 0.77),
        "{small:?} {large:?}"
    );
    assert!(
        about(added, 0.77) && about(whole, 0.77),
        "{added:?} {whole:?}"
    );
    let mut none = changed("", "", |model| {
        let cache = model.slc_cache.as_mut().expect("it has a cache");
        cache.enabled.value = false;
    });
    assert_eq!(falls_at(&curve(&mut none)), None, "without a cache");
}

/// MB/s of the first 150 MiB (less than half of the cache) that the job `body` writes to a drive.
fn first(target: &mut SimulatedTarget, body: &str) -> f64 {
    let body = format!("{body}\niodepth=32\nsize=100%\nio_size=150m");
    job(target, &body).write.bw_bytes as f64 / 1e6
}

#[test]
fn long_requests_bypass_the_cache_from_the_first_byte_on() {
    let drive = |from: Option<&str>, enabled: bool| {
        let mut keys = figure("fold_by", "\"controller\"") + &figure("when_full", "\"bypass\"");
        keys += &from.map_or(String::new(), |from| figure("bypass_from_kib", from));
        changed(&keys, "", |model| {
            let cache = model.slc_cache.as_mut().expect("it has a cache");
            cache.enabled.value = enabled;
            fold_from(cache, 100.0);
            model.dram.write_buffer_kib.value = 1_024;
        })
    };
    let speeds = |from, enabled| {
        [
            "rw=write\nbs=128k",
            "rw=write\nbs=64k",
            "rw=randwrite\nbs=4k",
        ]
        .map(|body| first(&mut drive(from, enabled), body))
    };
    let (past, into, none) = (
        speeds(Some("128"), true),
        speeds(None, true),
        speeds(None, false),
    );
    println!("MB/s of 128, 64, 4 KiB: past {past:.1?}, into {into:.1?}, no cache {none:.1?}");
    let same = |a: f64, b: f64| (a / b - 1.0).abs() < 0.02;
    assert!(same(past[0], none[0]) && into[0] > 2.0 * none[0]);
    assert!(same(past[1], into[1]) && same(past[2], into[2]));
    assert!(into[1] > 2.0 * none[1]);
    // Data that bypassed the cache has used none of its space.
    let mut fresh = drive(Some("128"), true);
    let mut used = drive(Some("128"), true);
    job(&mut used, "rw=write\nbs=128k\niodepth=32\nsize=1200m");
    let (fresh, used) = (
        falls_at(&curve_of(&mut fresh, "64k")),
        falls_at(&curve_of(&mut used, "64k")),
    );
    println!("the cache ends at {fresh:?} GB, after long writes at {used:?} GB");
    let (fresh, used) = (fresh.expect("it ends"), used.expect("it ends"));
    assert!((used / fresh - 1.0).abs() < 0.1, "{fresh} {used}");
}

#[test]
fn reads_suffer_less_where_the_cache_is_emptied_at_a_pace() {
    // Latency of reads, one at a time, while a nearly full cache is folded: ns.
    let reads = |pages: Option<&str>, start_percent: f64| {
        let mut keys = figure("fold_by", "\"controller\"");
        keys += &pages.map_or(String::new(), |pages| {
            figure("fold_pages_background", pages)
        });
        let mut target = changed(&keys, "", |model| {
            let cache = model.slc_cache.as_mut().expect("it has a cache");
            fold_from(cache, start_percent);
            model.gc.depth.value = 16;
        });
        let fill = "rw=write\nbs=128k\niodepth=32\nsize=100%\nio_size=300m";
        job(&mut target, fill);
        let body = "rw=randread\nbs=4k\niodepth=1\nsize=250m\nnorandommap\ntime_based\nruntime=1";
        let read = job(&mut target, body).read;
        let folded = target.drive_mut().counters().pages_folded as f64 * 4096.0 / 1e6;
        (read.clat_ns.mean, percentile(&read, "99.000000"), folded)
    };
    let (free, paced, none) = (
        reads(None, 10.0),
        reads(Some("1"), 10.0),
        reads(None, 100.0),
    );
    println!("mean and p99 ns, MB folded: free {free:?}, paced {paced:?}, not at all {none:?}");
    assert!(free.0 > 2.0 * none.0, "{free:?}");
    assert!(
        paced.0 < 0.7 * free.0 && paced.0 > 1.05 * none.0,
        "{paced:?}"
    );
    assert!(paced.2 > 5.0 && none.2 < 0.1);
}

#[test]
fn twice_the_dies_write_no_faster_where_no_more_may_fold() {
    // MB/s of sequential writes once the cache is full, on the demonstration drive and on one that
    // is twice as large.
    let end = |size: u32, most: Option<&str>| {
        let keys = most.map_or(String::new(), |most| figure("fold_dies_max", most));
        let mut target = changed(&keys, "", |model| {
            model.capacity.user_bytes.value *= u64::from(size);
            model.nand.dies.value *= size;
            model.dram.size_mib.value *= size;
            model.dram.write_buffer_kib.value = 2_048;
            model.controller.fold_page_ns.value = 0;
        });
        let curve = curve(&mut target);
        let last = &curve[curve.len() - 10..];
        last.iter().map(|step| step.1).sum::<f64>() / 10.0
    };
    let held = (end(1, Some("2")), end(2, Some("2")));
    let free = (end(1, None), end(2, None));
    println!("MB/s of 4 and 8 dies: two fold at once {held:?}, all may {free:?}");
    assert!((held.1 / held.0 - 1.0).abs() < 0.05, "{held:?}");
    assert!(free.1 / free.0 > 1.7, "{free:?}");
    assert!(free.0 > 1.4 * held.0, "{free:?}, {held:?}");
}

#[test]
fn a_cache_over_the_whole_drive_takes_a_third_of_it() {
    // 860 blocks per plane of 3.5 MB each, minus the reserve of GC.
    let curve = curve(&mut cached(0, 860, ""));
    let at = falls_at(&curve).expect("it falls");
    println!("{at} GB");
    assert!((2.7..3.05).contains(&at));
}

#[test]
fn a_desktops_overwrites_die_in_the_cache() {
    // 100 MB, overwritten thirty times.
    let native_share = |enabled: bool| {
        let keys = figure("fold_by", "\"controller\"");
        let mut target = changed(&keys, "", |model| {
            let cache = model.slc_cache.as_mut().expect("it has a cache");
            cache.enabled.value = enabled;
            fold_from(cache, 100.0);
        });
        let body = "rw=randwrite\nbs=4k\niodepth=4\nsize=100m\nnorandommap\nio_size=3000m";
        job(&mut target, body);
        target.idle(60.0).expect("it rests");
        let counters = target.drive_mut().counters();
        counters.native_programs as f64 * 32_768.0 / counters.host_bytes_written as f64
    };
    let (with, without) = (native_share(true), native_share(false));
    println!("TLC writes for each host write: {with} with the cache, {without} without");
    assert!(with < 0.5 && without > 1.0);
}

#[test]
fn writing_goes_at_the_pace_of_a_word_line() {
    let speed = |commands: &str| {
        let tables = format!("[nand_commands]\n{commands}");
        let mut target = changed("", &tables, |model| {
            let cache = model.slc_cache.as_mut().expect("it has a cache");
            cache.enabled.value = false;
            model.dram.write_buffer_kib.value = 2_048;
        });
        job(&mut target, "rw=write\nbs=128k\niodepth=32\nsize=512m")
            .write
            .bw_bytes as f64
            / 1e6
    };
    // Three pages take 5.4 ms, or 2.7 ms in one program; the channel takes 0.25 ms.
    let (pages, line) = (speed(""), speed(&figure("one_shot_program_us", "2700.0")));
    println!("{pages} MB/s by page, {line} MB/s by word line");
    assert!((1.8..2.05).contains(&(line / pages)));
}

#[test]
fn random_reads_of_the_whole_drive_pay_for_an_l2p_on_flash() {
    let l2p_cache = [
        "[l2p_cache]\n".to_string(),
        figure("read_us", "60.0"),
        figure("program_us", "500.0"),
        figure("erase_us", "5000.0"),
        figure("pages_per_block", "32"),
    ]
    .concat();
    let median = |tables: &str, span: &str| {
        let mut target = changed("", tables, |_| {});
        job(&mut target, "rw=write\nbs=128k\niodepth=32\nsize=100%");
        target.idle(600.0).expect("it rests");
        let body = format!("rw=randread\nbs=4k\niodepth=1\nsize={span}\ntime_based\nruntime=2");
        percentile(&job(&mut target, &body).read, "50.000000") as f64 / 1e3
    };
    // The L2P cache holds 256 segments of 4 MiB: 1 GiB.
    let (far, near) = (median(&l2p_cache, "100%"), median(&l2p_cache, "900m"));
    let in_dram = median("", "100%");
    println!("far {far} µs, near {near} µs, L2P in DRAM {in_dram} µs");
    assert!(far > near + 60.0);
    assert!((in_dram - near).abs() < 12.0);
}

#[test]
fn a_full_cache_without_bypass_makes_the_host_wait() {
    let end = |when_full: &str| {
        let keys = figure("fold_by", "\"controller\"") + &figure("when_full", when_full);
        let mut target = changed(&keys, "", |model| {
            let cache = model.slc_cache.as_mut().expect("it has a cache");
            fold_from(cache, 100.0);
        });
        let found = levels(&write(&mut target, 60, 1000));
        println!("{when_full}: {found:?}");
        found.last().expect("a level").1
    };
    // Without bypass, all data is written to the cache, read again, and written to the data area.
    assert!(end("\"bypass\"") > 1.3 * end("\"wait\""));
}

#[test]
fn sectors_cost_a_page_each_unless_the_buffer_coalesces_them() {
    let written = |coalesces: &str| {
        let shipped = SHIPPED.iter().find(|s| s.name == "demo-8gb");
        let text = shipped.expect("a shipped model").text;
        let keys = format!("[dram]\n{}", figure("coalesce_writes", coalesces));
        let model = Model::parse(&text.replace("[dram]\n", &keys), "changed.toml");
        let mut target = SimulatedTarget::new(model.expect("it fits"));
        job(&mut target, "rw=write\nbs=512\niodepth=1\nsize=16m");
        let counters = target.drive_mut().counters();
        counters.slc_programs as f64 * 32_768.0 / counters.host_bytes_written as f64
    };
    let (together, apart) = (written("true"), written("false"));
    println!("written for each byte of the host: {together} together, {apart} apart");
    // One page of parity for every five of data; the first sector of the eighth logical page
    // completes a multi-plane page.
    assert!((1.3..1.45).contains(&together) && (9.0..10.0).contains(&apart));
}
