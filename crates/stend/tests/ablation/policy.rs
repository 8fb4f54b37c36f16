//! Effects of victim policies, streams and wear levelling on the sustained speed of writes.

use stend_load::target::{JobRequest, Target};
use stend_model::Model;
use stend_simulated::SimulatedTarget;

use super::{about, figure, job};

/// A smaller demonstration drive without its cache and with fast flash, so that GC alone determines
/// the speed; `tables` are added to its file.
fn drive(tables: &str, change: impl FnOnce(&mut Model)) -> SimulatedTarget {
    let text = Model::shipped("demo-8gb").expect("it is shipped").text;
    let uncached = "[slc_cache]\nenabled = { value = false,";
    let text = text.replace("[slc_cache]\nenabled = { value = true,", uncached);
    assert!(text.contains(uncached));
    let mut model = Model::parse(&format!("{text}\n{tables}"), "ablation").expect("it is sound");
    model.nand.pages_per_block.value = 24;
    model.nand.blocks_per_plane.value = 400;
    model.gc.depth.value = 8;
    model.capacity.user_bytes.value = 210_000 * 4096;
    change(&mut model);
    SimulatedTarget::new(model)
}

/// IOPS of random 4 KiB writes, over the last third of `seconds` seconds.
fn sustained(target: &mut dyn Target, distribution: &str, seconds: u32) -> f64 {
    let text = format!(
        "[write]\nrw=randwrite\nbs=4k\niodepth=32\nnorandommap\ntime_based\nruntime={seconds}\n\
         random_distribution={distribution}\n"
    );
    let request = JobRequest {
        text: &text,
        seed: 7,
        sample_ms: 1_000,
    };
    let log = target.run(&request).expect("the job runs").samples;
    let last = &log[log.len() * 2 / 3..];
    last.iter().map(|row| row.write_iops).sum::<f64>() / last.len() as f64
}

/// Nine of ten writes go to a tenth of the logical pages, which are scattered.
const SKEWED: &str = "pareto:0.1";
const EVEN: &str = "random";

fn filled(mut target: SimulatedTarget) -> SimulatedTarget {
    job(&mut target, "rw=write\nbs=128k\niodepth=8");
    target
}

fn with_policy(policy: &str, load: &str) -> f64 {
    let mut target = filled(drive("", |model| {
        model.gc.policy.value = policy.into();
    }));
    let iops = sustained(&mut target, load, 150);
    println!("{policy}, {load}: {iops:.0}");
    iops
}

#[test]
fn a_skewed_load_tells_the_policies_apart_and_an_even_one_does_not() {
    let policies = ["fifo", "greedy", "cost-benefit"];
    let [fifo, greedy, cost_benefit] = policies.map(|policy| with_policy(policy, SKEWED));
    assert!(greedy > 1.5 * fifo && cost_benefit > 1.15 * greedy);
    let [fifo, greedy, cost_benefit] = policies.map(|policy| with_policy(policy, EVEN));
    assert!(about(fifo, greedy) && about(cost_benefit, greedy));
}

fn with_streams(host: u32, gc: u32, load: &str) -> f64 {
    let table = [
        "[streams]\n".to_string(),
        figure("enabled", "true"),
        figure("host_streams", host),
        figure("gc_streams", gc),
        figure("heat_group_kib", "4"),
        figure("heat_window_percent", "400"),
        figure("classify_ns", "100"),
    ];
    let mut target = filled(drive(&table.concat(), |model| {
        model.gc.policy.value = "cost-benefit".into();
    }));
    let iops = sustained(&mut target, load, 150);
    println!("{host} streams of the host, {gc} of GC, {load}: {iops:.0}");
    iops
}

#[test]
fn streams_raise_the_end_of_a_skewed_load_and_not_of_an_even_one() {
    let skewed = [(1, 1), (2, 1), (2, 3)].map(|(host, gc)| with_streams(host, gc, SKEWED));
    assert!(skewed[1] > 1.05 * skewed[0] && skewed[2] > 1.03 * skewed[1]);
    let even = [(1, 1), (2, 3)].map(|(host, gc)| with_streams(host, gc, EVEN));
    assert!(even[1] < even[0] && about(even[1], even[0]));
}

/// Difference in erase cycles between the least and the most worn superblock, and final speed of
/// writes, if four fifths of the data are at rest.
fn spread_and_end(dynamic: bool, static_spread: u32) -> (u32, f64) {
    let table = [
        "[wear_levelling]\n".to_string(),
        figure("enabled", "true"),
        figure("dynamic", dynamic),
        figure("static_spread", static_spread),
        figure("static_interval", "4"),
    ];
    let mut target = filled(drive(&table.concat(), |_| {}));
    let iops = sustained(&mut target, "random\nsize=160m", 150);
    let counts = target.erase_counts();
    let (least, most) = (counts.iter().min(), counts.iter().max());
    let spread = most.expect("it has superblocks") - least.expect("it has superblocks");
    println!("dynamic {dynamic}, static {static_spread}: spread {spread}, {iops:.0} IOPS");
    (spread, iops)
}

#[test]
fn data_at_rest_is_worn_only_with_static_levelling_and_that_costs_speed() {
    let [none, dynamic, both] =
        [(false, 0), (true, 0), (true, 3)].map(|(d, s)| spread_and_end(d, s));
    assert!(none.0 > 10 && dynamic.0.abs_diff(none.0) <= 2);
    assert!(both.0 <= none.0 / 2 && both.1 < 0.98 * none.1);
}
