//! Work on files: sets of files, and the requests that a drive below a file system receives when
//! they are copied, archived and unpacked.
//!
//! | module | contents |
//! |---|---|
//! | [`set`] | sets of files as data, and the files drawn from them |
//! | [`layout`] | places of files and metadata in a file system like ext4 |
//! | [`operation`] | the reads and writes of an operation, and their dependencies |
//! | [`summary`] | sums over requests, to compare the model with a kernel |
//! | [`mod@run`] | runs an operation on any [`stend_base::Device`] in virtual time |

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
