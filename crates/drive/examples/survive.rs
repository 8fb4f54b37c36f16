//! Power cuts on random drives for as long as one likes:
//!
//! `cargo run --release -p stend-drive --example survive -- --minutes 30 [--from SEED]`
//!
//! It prints what was tried; on a failure the seed, which
//! `STEND_CUTS_SEED=N cargo test -p stend-drive --test main power_cuts` replays.

#[path = "../tests/common/mod.rs"]
mod common;

use std::process::ExitCode;
use std::time::Duration;

use common::cuts::{LIVES, Tried, survive};
use common::drawn::Account;

/// The real time: the drives know none.
#[allow(
    clippy::disallowed_methods,
    reason = "how long to go on is measured on the real clock"
)]
fn clock() -> std::time::Instant {
    std::time::Instant::now()
}

const USAGE: &str = "usage: survive [--minutes N] [--from SEED]";

/// Minutes and the first seed.
fn arguments() -> Option<(u64, u64)> {
    let (mut minutes, mut from) = (1, 0);
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next()?.parse().ok()?;
        match name.as_str() {
            "--minutes" => minutes = value,
            "--from" => from = value,
            _ => return None,
        }
    }
    Some((minutes, from))
}

fn main() -> ExitCode {
    let Some((minutes, from)) = arguments() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let limit = Duration::from_secs(minutes * 60);
    let begin = clock();
    let (mut tried, mut account, mut seed) = (Tried::default(), Account::default(), from);
    while begin.elapsed() < limit {
        let run = std::panic::catch_unwind(|| survive(seed, LIVES, None));
        let Ok((run, drawn)) = run else {
            eprintln!(
                "seed {seed} failed, after {tried:?}; replay: STEND_CUTS_SEED={seed} cargo test \
                 -p stend-drive --test main power_cuts"
            );
            return ExitCode::FAILURE;
        };
        tried.add(run);
        account.add(&drawn);
        seed += 1;
        if (seed - from).is_multiple_of(2_000) {
            println!("{} drives, {tried:?}", seed - from);
        }
    }
    println!("{account}");
    println!("{} drives from seed {from} on, {tried:?}", seed - from);
    ExitCode::SUCCESS
}
