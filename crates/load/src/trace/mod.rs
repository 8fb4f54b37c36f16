//! Traces: requests in the order in which they were issued, with the time of each.
//!
//! | module | contents |
//! |---|---|
//! | [`file`] | traces in files, recognised by their content, read line by line |
//! | [`iolog`] | fio's iolog, versions 2 and 3; writing version 3 |
//! | [`blkparse`] | the output of blkparse |
//! | [`msr`] | the CSV of the MSR Cambridge traces |
//! | [`fit`] | checks of a trace against a target, and changes where it does not fit |
//! | [`beginning`] | the first part of a trace, for a shortened run |
//! | [`profile`] | synthesised traces: profiles as data, and the requests drawn from them |
//! | [`unwritten`] | reads of space without data |
//! | [`mod@replay`] | replays a trace on any [`stend_base::Device`] in virtual time |
//!
//! A trace is streamed: gigabytes need no memory, and each use reads it again.

pub mod beginning;
pub mod blkparse;
pub mod file;
pub mod fit;
pub mod iolog;
mod line;
pub mod msr;
pub mod profile;
pub mod replay;
pub mod unwritten;

use stend_base::{Nanos, Op};
use stend_config::FileError;

pub use beginning::{Beginning, Extent};
pub use file::TraceFile;
pub use fit::{Fit, Summary, fit, fit_sectors, summary};
pub use profile::{Profile, Synthetic};
pub use replay::{Lateness, OpResult, ReplayError, ReplayOptions, Replayed, Timing, replay};

/// Bytes of a sector: offsets and lengths of requests are multiples of it.
pub const SECTOR_BYTES: u64 = 512;

/// The kinds of requests, in the order of every table of four here.
pub const OPS: [Op; 4] = [Op::Read, Op::Write, Op::Trim, Op::Flush];

/// One request of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceRequest {
    /// Time at which it was issued, since the beginning of the trace.
    pub at: Nanos,
    /// Operation.
    pub op: Op,
    /// First byte.
    pub offset_bytes: u64,
    /// Number of bytes; 0 for a flush.
    pub len_bytes: u64,
    /// Force unit access (FUA) of a write, if the format records it.
    pub fua: bool,
    /// Line of the file, or number in a synthesised trace, from 1.
    pub line: u64,
}

impl TraceRequest {
    /// Error of this request of a trace.
    #[cold]
    pub fn error(&self, trace: &dyn Trace, problem: String) -> FileError {
        FileError::of_line(&trace.name(), self.line as usize, problem)
    }
}

/// The requests of a trace, in order. A time may be before that of an earlier request, as in the
/// files; a reader that needs ascending times uses the latest so far.
pub type Requests<'a> = Box<dyn Iterator<Item = Result<TraceRequest, FileError>> + 'a>;

/// A trace, which can be read any number of times.
pub trait Trace {
    /// Its name for messages: a path, or a name.
    fn name(&self) -> String;

    /// Its requests from the beginning.
    ///
    /// # Errors
    /// [`FileError`] if it cannot be read.
    fn requests(&self) -> Result<Requests<'_>, FileError>;
}

/// Index of an operation in tables of four.
#[inline]
pub fn op_index(op: Op) -> usize {
    match op {
        Op::Read => 0,
        Op::Write => 1,
        Op::Trim => 2,
        Op::Flush => 3,
    }
}

/// The name of an operation.
pub fn op_name(op: Op) -> &'static str {
    ["read", "write", "trim", "flush"][op_index(op)]
}
