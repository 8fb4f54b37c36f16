//! The tables of a drive file: their keys, each with its meaning, default and what is allowed, and
//! the checks of keys that depend on others.

pub mod blocks;
pub mod controller;
pub mod encryption;
pub mod gc;
pub mod health;
pub mod host;
pub mod media;
pub mod nand;
pub mod power;
pub mod power_loss;
pub mod scheduling;
pub mod slc_cache;
pub mod trim;
pub mod variation;
