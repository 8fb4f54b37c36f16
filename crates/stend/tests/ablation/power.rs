//! Idle states, heat, and wear-out.

use stend_load::target::{JobRequest, Target};
use stend_simulated::SimulatedTarget;

use super::{drive_with, figure};

/// The demonstration drive with tables added to its file.
fn demo_with(tables: &str) -> SimulatedTarget {
    drive_with("demo-8gb", tables, |_| {})
}

fn idle_state(name: &str, delay_ms: u64, exit_us: u64) -> String {
    let name = format!("\"{name}\"");
    [
        "[[idle_states]]\n".to_string(),
        figure("name", name),
        figure("delay_ms", delay_ms),
        figure("power_mw", 5),
        figure("entry_us", 100),
        figure("exit_us", exit_us),
        figure("waits_for_idle_work", true),
    ]
    .concat()
}

/// Latency of one read after `silence_s` seconds without requests, ms.
fn reads_after(target: &mut SimulatedTarget, silence_s: f64) -> f64 {
    target.idle(silence_s).expect("it rests");
    let outcome = target
        .run(&JobRequest {
            text: "[read]\nrw=randread\nbs=4k\nsize=4k\n",
            seed: 3,
            sample_ms: 0,
        })
        .expect("the job runs");
    outcome.fio.jobs[0].read.lat_ns.max as f64 / 1e6
}

#[test]
fn the_first_read_after_silence_pays_for_the_idle_state() {
    let states = idle_state("slumber", 50, 8_000) + &idle_state("DevSleep", 2_000, 20_000);
    let latencies = |tables: &str| {
        let mut target = demo_with(tables);
        [0.01, 0.5, 30.0].map(|silence_s| reads_after(&mut target, silence_s))
    };
    let (with, without) = (latencies(&states), latencies(""));
    println!("with {with:?}, without {without:?}");
    assert!(without.iter().all(|&ms| ms < 1.0), "{without:?}");
    assert!(with[0] < 1.0, "{with:?}");
    assert!((8.0..9.0).contains(&with[1]), "{with:?}");
    assert!((20.0..21.0).contains(&with[2]), "{with:?}");
}

const ENERGY: &[(&str, u32)] = &[
    ("read_nj", 10_000),
    ("program_nj", 150_000),
    ("erase_nj", 400_000),
    ("slc_read_nj", 6_000),
    ("slc_program_nj", 60_000),
    ("slc_erase_nj", 400_000),
    ("bus_byte_pj", 30),
    ("core_busy_mw", 400),
    ("core_idle_mw", 150),
    ("link_active_mw", 300),
    ("link_idle_mw", 150),
    ("dram_mw", 100),
];

/// A drive in still air that would overheat without its throttle.
fn heated(throttle: &str, more: &str) -> SimulatedTarget {
    let energy: String = ENERGY
        .iter()
        .map(|(key, value)| figure(key, value))
        .collect();
    let thermal = [
        figure("ambient_c", "30.0"),
        figure("resistance_k_per_w", "60.0"),
        figure("capacity_j_per_k", "0.1"),
        figure("step_ms", 20),
        figure("warning_c", "70.0"),
        figure("critical_c", "80.0"),
        figure("period_us", 1_000),
        figure("throttle", format!("\"{throttle}\"")),
    ]
    .concat();
    demo_with(&format!("[energy]\n{energy}[thermal]\n{thermal}{more}"))
}

#[test]
fn heat_takes_speed_by_degrees_or_by_steps() {
    let gradual =
        figure("limit_c", "70.0") + &figure("band_k", "4.0") + &figure("least_percent", "2.0");
    let stepwise = figure("steps_c", "[68.0]")
        + &figure("steps_percent", "[10.0]")
        + &figure("hysteresis_k", "8.0");
    let read = |throttle: &str, more: &str| {
        let mut target = heated(throttle, more);
        let fill = "[fill]\nrw=write\nbs=128k\niodepth=8\nsize=1g\n";
        let job = |text, sample_ms| JobRequest {
            text,
            seed: 5,
            sample_ms,
        };
        target.run(&job(fill, 0)).expect("the job runs");
        target.idle(120.0).expect("it rests");
        // One second per job: the warmth from the fill does not count.
        let text =
            "[read]\nrw=randread\nbs=4k\niodepth=32\nsize=1g\nnorandommap\ntime_based\nruntime=1\n";
        let mut hottest = 0;
        let iops: Vec<f64> = (0..60)
            .map(|_| {
                let outcome = target.run(&job(text, 0)).expect("the job runs");
                let drive = target.drive().inspect().temperature().expect("it has one");
                hottest = hottest.max(drive.now_mc);
                outcome.fio.jobs[0].read.iops
            })
            .collect();
        let late = &iops[30..];
        let least = late.iter().copied().fold(f64::MAX, f64::min);
        let most = late.iter().copied().fold(0.0, f64::max);
        println!(
            "{throttle}: first {}, then {least} to {most}, at most {hottest} m°C",
            iops[0]
        );
        (iops[0], least, most, hottest)
    };
    let (full, least, most, hot) = read("none", "");
    assert!(most < 1.05 * least && least > 0.9 * full);
    assert!(hot > 72_000, "{hot}");
    let (first, least, most, held) = read("gradual", &gradual);
    assert!(first > 0.9 * full && most < 1.05 * least && most < 0.8 * full);
    assert!(held < 70_000, "{held}");
    let (first, least, most, held) = read("stepwise", &stepwise);
    assert!(first > 0.9 * full && most > 2.0 * least);
    assert!(held < 70_000, "{held}");
}

#[test]
fn writing_ends_where_the_flash_does() {
    let health = |end: &str| {
        [
            "[health]\n".to_string(),
            figure("protocol", "\"nvme\""),
            figure("rated_cycles", 3),
            figure("spare_superblocks", 6),
            figure("spare_threshold_percent", 10),
            end.to_string(),
        ]
        .concat()
    };
    let written = |target: &mut SimulatedTarget| {
        let text =
            "[w]\nrw=randwrite\nbs=64k\niodepth=8\nsize=8000000000\nnorandommap\nio_size=60g\n";
        let done = target.run(&JobRequest {
            text,
            seed: 2,
            sample_ms: 0,
        });
        let log = target.smart().expect("it tells of its health");
        let log = log.nvme_smart_health_information_log.expect("it has a log");
        println!("{done:?}: {log:?}");
        (done.is_ok(), log)
    };
    let mut worn = demo_with(&health(&figure("end_of_life_cycles", 3)));
    let (ended, log) = written(&mut worn);
    assert!(!ended, "all was written");
    assert_eq!((log.critical_warning, log.available_spare), (9, 0));
    // The most worn blocks have reached the end of their life, the mean has not: wear is not
    // levelled.
    assert!((50..=100).contains(&log.percentage_used));
    // All data can still be read.
    let read = worn.run(&JobRequest {
        text: "[r]\nrw=read\nbs=1m\niodepth=4\nsize=8000000000\n",
        seed: 2,
        sample_ms: 0,
    });
    assert!(read.is_ok(), "{read:?}");
    let (ended, log) = written(&mut demo_with(&health("")));
    assert!(ended && log.critical_warning == 0 && log.percentage_used > 100);
}
