//! Values to and from streams of bytes, in the format of postcard: without a second copy of
//! all of it in memory.

use std::io::{self, BufRead, Read, Write};

use postcard::{de_flavors, ser_flavors};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{StateError, unreadable};

/// More than any string or block of a state: what claims to be longer is damaged.
const TAKEN_MAX: usize = 16 << 20;

/// Writes a value.
pub(super) fn write(value: &impl Serialize, to: &mut impl Write) -> io::Result<()> {
    let mut failure = None;
    let sink = Sink {
        to,
        failure: &mut failure,
    };
    let written = postcard::serialize_with_flavor(value, sink);
    match (written, failure) {
        (Ok(()), _) => Ok(()),
        (Err(_), Some(failure)) => Err(failure),
        (Err(error), None) => Err(io::Error::other(error)),
    }
}

/// Reads a value.
pub(super) fn read<T: DeserializeOwned>(from: &mut impl BufRead) -> Result<T, StateError> {
    let mut failure = None;
    let source = Source {
        from,
        failure: &mut failure,
        taken: Vec::new(),
    };
    let value = T::deserialize(&mut postcard::Deserializer::from_flavor(source));
    value.map_err(|error| match failure {
        Some(failure) => unreadable(failure),
        None => StateError::Damaged(error.to_string()),
    })
}

struct Sink<'a, W> {
    to: &'a mut W,
    failure: &'a mut Option<io::Error>,
}

impl<W: Write> ser_flavors::Flavor for Sink<'_, W> {
    type Output = ();

    fn try_extend(&mut self, data: &[u8]) -> postcard::Result<()> {
        self.to.write_all(data).map_err(|error| {
            *self.failure = Some(error);
            postcard::Error::SerializeBufferFull
        })
    }

    #[inline]
    fn try_push(&mut self, data: u8) -> postcard::Result<()> {
        self.try_extend(&[data])
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

struct Source<'a, R> {
    from: &'a mut R,
    failure: &'a mut Option<io::Error>,
    taken: Vec<u8>,
}

impl<R: Read> Source<'_, R> {
    fn fill(&mut self, len: usize) -> postcard::Result<()> {
        self.taken.resize(len, 0);
        self.from.read_exact(&mut self.taken).map_err(|error| {
            *self.failure = Some(error);
            postcard::Error::DeserializeUnexpectedEnd
        })
    }
}

impl<'de, R: BufRead> de_flavors::Flavor<'de> for Source<'de, R> {
    type Remainder = ();
    type Source = ();

    #[inline]
    fn pop(&mut self) -> postcard::Result<u8> {
        self.fill(1)?;
        Ok(self.taken[0])
    }

    fn try_take_n(&mut self, _: usize) -> postcard::Result<&'de [u8]> {
        // Nothing of a state borrows from what it is read from.
        Err(postcard::Error::WontImplement)
    }

    fn try_take_n_temp<'a>(&'a mut self, len: usize) -> postcard::Result<&'a [u8]>
    where
        'de: 'a,
    {
        if len > TAKEN_MAX {
            return Err(postcard::Error::DeserializeUnexpectedEnd);
        }
        self.fill(len)?;
        Ok(&self.taken)
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}
