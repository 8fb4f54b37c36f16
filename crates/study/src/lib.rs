//! Studies: one figure of a model is changed, or many are, over a grid or by a random design; each
//! variant is put to jobs or tests of editions; and what came out is one table.
//!
//! | module | what |
//! |---|---|
//! | `definition` | a study as its file or its dictionary says it, and what is wrong with it |
//! | `design` | the variants of the factors: grids, Sobol sequences, Latin hypercubes |
//! | `outcome` | outcomes by name, of a job's result |
//! | `plan` | the rows of a study, each with its model, its work, and the state it begins from |
//! | `state` | what is done with a new drive before a job |
//! | `run` | carries rows out, on threads; states that rows share are prepared once |
//! | `series` | the samples of a row as a file |
//! | `folder` | whether a folder may take a study's files |
//! | `session` | a study whose rows are kept in the lab as they are done, and taken from there |
//! | `effects` | what of an outcome each factor explains |
//!
//! A row depends on its model, its work and its seed alone: neither the number of threads, nor what
//! runs beside it, nor an earlier run that was broken off changes a byte of it.

mod definition;
mod design;
mod effects;
mod error;
mod folder;
mod outcome;
mod plan;
mod run;
mod series;
mod session;
mod state;

pub use definition::{Definition, SCHEMA};
pub use effects::effects;
pub use error::StudyError;
pub use folder::{FORMATS, check_folder};
pub use plan::{Done, Plan, PlannedRow};
pub use run::{Event, Options, Watch, run};
pub use series::check as check_series;
pub use session::{Context, Session, kept_key};
