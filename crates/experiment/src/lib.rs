//! Measurements as tasks: which runs next, on which thread, from a copy of which prepared state.
//!
//! A review, a study and the measurements behind published findings hand over their tasks and what
//! a task does ([`schedule::run`]). Nothing that is measured may depend on the order in which tasks
//! run: each begins from a state of its own and has a seed of its own.

pub mod schedule;
pub mod slots;

pub use schedule::{Order, Task, run};
pub use slots::{Rank, Slots};
