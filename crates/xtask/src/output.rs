//! Results on stdout, notes on stderr.

use std::io::{ErrorKind, Write};

use crate::failure::Failure;

/// Writes a line to stderr. A failure is ignored: no other place is left to report it.
pub fn note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Writes results to stdout. A reader that has gone away (`… | head`) is no error.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::Io(format!("cannot write to stdout: {error}"))),
        Ok(()) => Ok(()),
    }
}
