//! What is inferred, against simulated drives whose truth is known.

mod ablation;
mod blind;
mod common;
mod truth;
mod walls;
