//! Errors of the flash, observed through reads.

use stend_base::Nanos;
use stend_simulated::SimulatedTarget;

use super::{drive_with, figure, job};

/// A drive whose data needs one pass of a read when fresh, and five after a year without power.
fn ageing(year_ppb: u32) -> SimulatedTarget {
    let mut tables = "[media]\n".to_string();
    for (key, value) in [
        ("rber_fresh_ppb", "[200_000.0]"),
        ("rber_worn_ppb", "[0.0]"),
        ("rber_year_fresh_ppb", &format!("[{year_ppb}.0]")),
        ("rber_year_worn_ppb", "[0.0]"),
        ("rber_reads_100k_ppb", "[0.0]"),
        ("rated_cycles", "[1000]"),
        ("page_spread_percent", "5"),
        ("pass_rber_ppb", "[1e6, 2e6, 3e6, 4e6, 5e6, 6e6, 8e6, 1e7]"),
        ("retry_us", "40.0"),
        ("seed", "1"),
    ] {
        tables += &figure(key, value);
    }
    drive_with("demo-8gb", &tables, |_| {})
}

/// Bytes per second of sequential reads.
fn read(target: &mut SimulatedTarget) -> u64 {
    job(target, "rw=read\nbs=128k\niodepth=32\nsize=512m")
        .read
        .bw_bytes
}

#[test]
fn old_data_reads_slowly_until_it_is_written_anew() {
    let year = Nanos::from_secs(365 * 86_400);
    let speeds = |year_ppb| {
        let mut target = ageing(year_ppb);
        let write = "rw=write\nbs=128k\niodepth=32\nsize=512m";
        job(&mut target, write);
        let fresh = read(&mut target);
        target.drive_mut().service().rest_without_power(year);
        let old = read(&mut target);
        job(&mut target, write);
        [fresh, old, read(&mut target)].map(|speed| speed as f64 / 1e6)
    };
    let (ageing, lasting) = (speeds(4_500_000), speeds(0));
    println!("MB/s fresh, old, written anew: {ageing:?}; of cells that last {lasting:?}");
    assert!(ageing[1] < 0.6 * ageing[0] && ageing[2] > 0.95 * ageing[0]);
    assert!(lasting[1] > 0.99 * lasting[0]);
}
