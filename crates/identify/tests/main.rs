//! Inference compared with the truth of simulated drives.

mod ablation;
mod blind;
mod common;
mod time;
mod truth;
mod walls;
