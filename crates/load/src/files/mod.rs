//! Work on files: sets of files, and what copying, archiving and unpacking them asks of a
//! drive below a file system.
//!
//! | module | what |
//! |---|---|
//! | [`set`] | sets of files as data, and the files drawn from them |
//! | [`layout`] | where a file system like ext4 puts files and what it knows about them |
//! | [`operation`] | the reads and writes of an operation, and what waits for what |
//! | [`summary`] | requests in sum, to compare the model with a kernel |
//! | [`mod@run`] | carries an operation out on any [`stend_base::Device`] in virtual time |

pub mod layout;
pub mod operation;
pub mod run;
pub mod set;
pub mod summary;

pub use layout::Layout;
pub use operation::Operation;
pub use run::{FileRun, FileRunError, Host, run};
pub use set::{FileEntry, FileSet, directory_name};
pub use stend_record::review::FileOp;
