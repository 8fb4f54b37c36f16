//! What is inferred, against simulated drives whose truth is known.

mod ablation;
mod blind;
mod common;
mod time;
mod truth;
mod walls;
