//! Operations of dies beyond one plain operation at a time.

use stend_model::Model;
use stend_simulated::SimulatedTarget;

use super::{drive_with, figure, job, percentile};

/// The demonstration drive without its cache, with one channel of `bus_mb_per_s` per die.
fn bare(commands: &str, bus_mb_per_s: u32) -> SimulatedTarget {
    let tables = format!("[nand_commands]\n{commands}");
    drive_with("demo-8gb", &tables, |model: &mut Model| {
        let cache = model.slc_cache.as_mut().expect("it has a cache");
        cache.enabled.value = false;
        model.nand.channels.value = 4;
        model.nand.bus_mb_per_s.value = bus_mb_per_s;
    })
}

/// Bytes per second of sequential 128 KiB requests at depth 32 on 256 MiB.
fn sequential(target: &mut SimulatedTarget, rw: &str) -> u64 {
    let body = format!("rw={rw}\nbs=128k\niodepth=32\nsize=256m");
    let job = job(target, &body);
    job.read.bw_bytes + job.write.bw_bytes
}

#[test]
fn planes_that_do_not_work_together_halve_the_writing_speed() {
    let speed =
        |together: &str| sequential(&mut bare(&figure("multi_plane", together), 400), "write");
    let (together, apart) = (speed("true"), speed("false"));
    println!("together {together} B/s, apart {apart} B/s");
    assert!((0.48..0.55).contains(&(apart as f64 / together as f64)));
}

#[test]
fn cache_programs_hide_a_slow_bus() {
    let speed =
        |cache: &str, bus| sequential(&mut bare(&figure("cache_program", cache), bus), "write");
    let gain = |bus| speed("true", bus) as f64 / speed("false", bus) as f64;
    let (slow, fast) = (gain(40), gain(4_800));
    println!("gain with 40 MB/s {slow}, with 4,800 MB/s {fast}");
    // 32 KiB take 0.82 ms to transfer and 1.8 ms to program.
    assert!((1.35..1.46).contains(&slow) && fast < 1.02);
}

#[test]
fn cache_reads_hide_the_sensing() {
    let speed = |cache: &str| {
        let mut target = bare(&figure("cache_read", cache), 100);
        sequential(&mut target, "write");
        sequential(&mut target, "read")
    };
    let gain = speed("true") as f64 / speed("false") as f64;
    println!("gain {gain}");
    // 32 KiB take 0.33 ms to transfer and 0.07 ms to sense.
    assert!((1.15..1.22).contains(&gain));
}

#[test]
fn reads_wait_for_programs_unless_these_are_interrupted() {
    let p99 = |commands: &str| {
        let mut target = bare(commands, 400);
        sequential(&mut target, "write");
        let body = "rw=randrw\nrwmixread=50\nbs=4k\niodepth=4\nsize=256m\nnorandommap\n\
                    time_based\nruntime=4";
        percentile(&job(&mut target, body).read, "99.000000")
    };
    let suspend = figure("program_suspend_us", "20.0") + &figure("suspend_reads_max", "100");
    let (waiting, interrupting) = (p99(""), p99(&suspend));
    println!("99 % of reads: {waiting} ns waiting, {interrupting} ns interrupting");
    assert!(waiting > 1_500_000, "{waiting}");
    assert!(interrupting < 500_000, "{interrupting}");
}
