//! Experiments on drives.
//!
//! | module | contents |
//! |---|---|
//! | [`schedule`], [`slots`] | tasks on threads: the next task, and the prepared state that it copies |
//! | [`step`] | operations on a simulated drive, and their results |
//! | [`figure`], `names` | figures of a step's result, and the names of their metrics |
//! | [`trial`] | steps with figures, as units of work for threads, processes and machines |
//! | [`units`] | units of work with keys: known from a store, or carried out, with events |
//!
//! A review, a study, a fit, and the measurements behind published findings are made of these. No
//! result may depend on the order in which tasks run: each begins from its own state and has its
//! own seed.

pub mod figure;
mod names;
pub mod schedule;
pub mod slots;
pub mod step;
pub mod trial;
pub mod units;

pub use figure::{Figure, Metric, RequestKind, Requests, Statistic, Window};
pub use names::USUAL;
pub use schedule::{Order, Task, run};
pub use slots::{Rank, Slots};
pub use step::{Job, Step, StepResult, Watch, prepare};
pub use trial::{Batch, Pool, Remembering, Threads, Trial, Values};
pub use units::{Done, Event, Interrupted, Report, Run, Store};
