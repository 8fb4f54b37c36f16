//! The wiring of components: what one answers, another does.

mod commands;
mod durability;
mod flash;
mod health;
mod idle;
pub(in crate::sim) mod over_provisioning;
mod power;
pub(in crate::sim) mod power_cycle;
mod service;
pub(in crate::sim) mod settle;
mod writes;

#[cfg(test)]
mod streams_tests;
