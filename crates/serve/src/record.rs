//! The log of what clients requested, as fio's iolog.

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
    /// A new file.
    ///
    /// # Errors
    /// As making it fails; where there is one already, it stays.
    pub fn create(path: &Path, begin: SimTime) -> io::Result<Recorder> {
        let file = File::create_new(path)?;
        Ok(Recorder {
            writer: Writer::new(BufWriter::new(file), DEVICE)?,
            begin,
            requests: 0,
        })
    }

    /// A request that the drive gets now.
    ///
    /// # Errors
    /// As writing fails.
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

    /// Ends the file.
    ///
    /// # Errors
    /// As writing fails.
    pub fn finish(self) -> io::Result<()> {
        self.writer.finish().map(drop)
    }
}
