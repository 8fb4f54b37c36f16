//! Serialization of values to and from streams in the format of postcard, without a second copy in
//! memory.

use std::io::{self, ErrorKind, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{StateError, unreadable};

/// Larger than any string or block of a state: a longer one is damaged.
const TAKEN_BYTES_MAX: usize = 16 << 20;

/// A stream that keeps its error, which postcard drops.
struct Watched<T> {
    stream: T,
    failure: Option<io::Error>,
}

impl<T> Watched<T> {
    fn new(stream: T) -> Watched<T> {
        Watched {
            stream,
            failure: None,
        }
    }

    fn keep<R>(&mut self, result: io::Result<R>) -> io::Result<R> {
        result.map_err(|error| {
            let kind = error.kind();
            if kind != ErrorKind::Interrupted {
                self.failure = Some(error);
            }
            kind.into()
        })
    }
}

impl<T: Read> Read for Watched<T> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(bytes);
        self.keep(read)
    }
}

impl<T: Write> Write for Watched<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.stream.write(bytes);
        self.keep(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.stream.flush();
        self.keep(flushed)
    }
}

/// Writes a value.
pub(super) fn write(value: &impl Serialize, to: &mut impl Write) -> io::Result<()> {
    let mut to = Watched::new(to);
    let written = postcard::to_io(value, &mut to).map(|_| ());
    written.map_err(|error| to.failure.unwrap_or_else(|| io::Error::other(error)))
}

/// Reads a value.
pub(super) fn read<T: DeserializeOwned>(from: &mut impl Read) -> Result<T, StateError> {
    let mut from = Watched::new(from);
    let mut room = vec![0; TAKEN_BYTES_MAX];
    let read = postcard::from_io((&mut from, &mut room)).map(|(value, _)| value);
    read.map_err(|error| match (from.failure, error) {
        (Some(failure), _) => unreadable(failure),
        (None, postcard::Error::DeserializeUnexpectedEnd) => {
            unreadable(ErrorKind::UnexpectedEof.into())
        }
        (None, error) => StateError::Damaged(error.to_string()),
    })
}
