//! Idle states and heat, seen from outside.

use stend_drive::Model;
use stend_target::{JobRequest, SimulatedTarget, Target};

const DEMO: &str = include_str!("../../../../drives/demo-8gb.toml");

/// A figure as a drive file has it.
fn figure(key: &str, value: impl std::fmt::Display) -> String {
    format!("{key} = {{ value = {value}, source = \"assumed: for this test\" }}\n")
}

/// The demonstration drive with tables added to its file.
fn demo_with(tables: &str) -> SimulatedTarget {
    let model = Model::parse(&format!("{DEMO}\n{tables}"), "demo.toml");
    SimulatedTarget::new(model.unwrap_or_else(|error| panic!("{error}")))
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

/// Latency of one read after so long a silence, ms.
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
