//! Divides the time of an archive between the file below and Deflate.

use std::cell::Cell;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Total time spent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stopwatch(Rc<Cell<Duration>>);

impl Stopwatch {
    /// Time spent so far.
    pub(crate) fn spent(&self) -> Duration {
        self.0.get()
    }
}

/// A reader or writer whose time is measured.
pub(crate) struct Timed<T> {
    pub(crate) inner: T,
    pub(crate) own: Stopwatch,
    /// Time of the reader or writer below it, which is not counted as its own.
    pub(crate) below: Option<Stopwatch>,
}

impl<T> Timed<T> {
    fn time<R>(&mut self, act: impl FnOnce(&mut T) -> R) -> R {
        let below =
            |below: &Option<Stopwatch>| below.as_ref().map_or(Duration::ZERO, |b| b.spent());
        let (began, before) = (Instant::now(), below(&self.below));
        let result = act(&mut self.inner);
        let own = began.elapsed().saturating_sub(below(&self.below) - before);
        self.own.0.set(self.own.spent() + own);
        result
    }
}

impl<T: Read> Read for Timed<T> {
    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        self.time(|inner| inner.read(piece))
    }
}

impl<T: Write> Write for Timed<T> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.time(|inner| inner.write(piece))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.time(T::flush)
    }
}

impl<T: Seek> Seek for Timed<T> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.time(|inner| inner.seek(to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that sleeps.
    struct Slow(u64);

    impl Write for Slow {
        fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
            std::thread::sleep(Duration::from_millis(self.0));
            Ok(piece.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A reader that works for 20 ms on the data it passes on.
    struct Working(Timed<Slow>);

    impl Write for Working {
        fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
            std::thread::sleep(Duration::from_millis(20));
            self.0.write(piece)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_time_of_the_file_below_is_not_deflates() {
        let (below, own) = (Stopwatch::default(), Stopwatch::default());
        let mut archive = Working(Timed {
            inner: Slow(200),
            own: below.clone(),
            below: None,
        });
        let mut above = Timed {
            inner: &mut archive,
            own: own.clone(),
            below: Some(below.clone()),
        };
        above.write_all(&[0; 10]).unwrap();
        above.write_all(&[0; 10]).unwrap();
        assert!(below.spent() >= Duration::from_millis(400));
        let own = own.spent();
        assert!((40..200).contains(&own.as_millis()), "{own:?}");
    }
}
