//! Speed of the runner by itself: requests on a device that costs next to nothing.
//!
//! `time cargo run --release -p stend-load --example throughput -- 100 32 randread`
//! prints the number of requests; divide by the time. Arguments: virtual seconds, depth, rw.

use stend_base::Nanos;
use stend_load::testing::ConstantDevice;
use stend_load::{JobFile, RunOptions, run};

fn main() {
    let mut args = std::env::args().skip(1);
    let mut next = |default: &str| args.next().unwrap_or_else(|| default.to_string());
    let (seconds, depth, rw) = (next("20"), next("32"), next("randread"));
    let text = format!(
        "[job]\nrw={rw}\nbs=4k\niodepth={depth}\ntime_based\nruntime={seconds}\n{}",
        next("")
    );
    let file = JobFile::parse(&text).expect("the job file is valid");
    let mut device = ConstantDevice::new(240_000_000_000, Nanos::from_micros(100));
    let options = RunOptions {
        sample_ms: 1_000,
        ..RunOptions::default()
    };
    let result = run(&mut device, &file, &options).expect("the run ends");
    let done = |d: usize| result.jobs[0].directions[d].latency.count();
    println!("{} requests", done(0) + done(1) + done(2));
}
