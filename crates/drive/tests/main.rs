//! Simulated drives from outside: the effect, the cost and the guarantees of each mechanism.
//!
//! They are a module of the crate's own test program (`src/lib.rs`): it is built and linked once,
//! and its tests run side by side.

#![allow(missing_docs)]

mod block_cuts;
mod caches;
mod common;
mod directed_cuts;
mod endurance_theory;
mod fua;
mod heat;
mod host;
mod mechanisms;
mod media;
mod nand;
mod outlook;
mod over_provisioning;
mod policy;
mod power;
mod power_cuts;
mod power_loss;
mod property;
mod retries;
mod service;
mod stalls;
mod state;
mod streams;
mod theory;
mod trim;
mod turns;
mod variation;
mod wear;
mod wear_out;
mod whole_cuts;
