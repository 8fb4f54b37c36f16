//! Simulated drive as a target: jobs in virtual time, state files, health, and harm.

pub mod harm;
mod monitor;
mod smart;
mod state;
mod target;

pub use state::{Access, is_state_file};
pub use target::{SimulatedTarget, Streamed, model_info};
