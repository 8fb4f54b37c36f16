//! Studies: one or more figures of a model vary over a grid or by a random design; each variant
//! runs jobs or tests of editions; the outcomes form one table.
//!
//! | module | content |
//! |---|---|
//! | `definition` | a study as its file or dictionary defines it, and its faults |
//! | `design` | the variants of the factors: grids, Sobol sequences, Latin hypercubes |
//! | `plan` | the rows of a study, each with its model, its work, and its start state |
//! | `run` | carries rows out on threads; states that rows share are prepared once |
//! | `series` | the samples of a row as a file |
//! | `folder` | checks that a study may write its files to a folder |
//! | `session` | a study whose finished rows are stored in the lab, and reused from there |
//! | `effects` | the share of each outcome that each factor explains |
//!
//! A row depends only on its model, its work and its seed: neither the number of threads, nor
//! concurrent rows, nor an earlier interrupted run changes a byte of it.

mod definition;
mod design;
mod effects;
mod error;
mod folder;
mod plan;
mod run;
mod series;
mod session;

pub use definition::{Definition, SCHEMA};
pub use effects::effects;
pub use error::StudyError;
pub use folder::{FORMATS, check_folder};
pub use plan::{Done, Plan, PlannedRow};
pub use run::{Options, Watch, run};
pub use series::check as check_series;
pub use session::{Context, Session};
