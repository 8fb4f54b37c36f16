//! The log of clients' requests, as an iolog of fio.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use stend_base::{Request, SimTime};
use stend_load::trace::TraceRequest;
use stend_load::trace::iolog::Writer;

/// Name of the device in the log.
const DEVICE: &str = "served";

/// A log that is being written.
pub struct Recorder {
    writer: Writer<BufWriter<File>>,
    begin: SimTime,
    requests: u64,
}

impl Recorder {
    /// Creates a new file.
    ///
    /// # Errors
    /// Errors of creating it; an existing file is kept.
    pub fn create(path: &Path, begin: SimTime) -> io::Result<Recorder> {
        let file = File::create_new(path)?;
        Ok(Recorder {
            writer: Writer::new(BufWriter::new(file), DEVICE)?,
            begin,
            requests: 0,
        })
    }

    /// Adds a request that the drive receives now.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn add(&mut self, request: &Request, now: SimTime) -> io::Result<()> {
        self.requests += 1;
        self.writer.add(&TraceRequest {
            at: now.since(self.begin),
            op: request.op,
            offset_bytes: request.offset_bytes,
            len_bytes: request.len_bytes,
            fua: request.fua,
            line: self.requests,
        })
    }

    /// Completes the file.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn finish(self) -> io::Result<()> {
        self.writer.finish().map(drop)
    }
}
