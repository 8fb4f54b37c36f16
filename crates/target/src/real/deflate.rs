//! Where the time of an archive goes: into the file below, or into Deflate.

use std::cell::Cell;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Time spent, in sum.
#[derive(Clone, Debug, Default)]
pub(super) struct Stopwatch(Rc<Cell<Duration>>);

impl Stopwatch {
    /// What has been spent so far.
    pub(super) fn spent(&self) -> Duration {
        self.0.get()
    }

    fn add<T>(&self, act: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let result = act();
        self.0.set(self.0.get() + began.elapsed());
        result
    }
}

/// A file below an archive, whose time is counted.
pub(super) struct TimedFile<T> {
    pub(super) inner: T,
    pub(super) meter: Stopwatch,
}

impl<T: Read> Read for TimedFile<T> {
    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        self.meter.add(|| self.inner.read(piece))
    }
}

impl<T: Write> Write for TimedFile<T> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.meter.add(|| self.inner.write(piece))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.meter.add(|| self.inner.flush())
    }
}

impl<T: Seek> Seek for TimedFile<T> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.meter.add(|| self.inner.seek(to))
    }
}

/// An archive, of whose time that of the file below is no part.
pub(super) struct TimedArchive<'a, T> {
    pub(super) inner: &'a mut T,
    /// Of the file below.
    pub(super) below: Stopwatch,
    /// Of Deflate and the checksum.
    pub(super) own: Stopwatch,
}

impl<T> TimedArchive<'_, T> {
    fn add<R>(&mut self, act: impl FnOnce(&mut T) -> R) -> R {
        let (began, before) = (Instant::now(), self.below.spent());
        let result = act(self.inner);
        let below = self.below.spent() - before;
        let own = began.elapsed().saturating_sub(below);
        self.own.0.set(self.own.spent() + own);
        result
    }
}

impl<T: Read> Read for TimedArchive<'_, T> {
    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        self.add(|inner| inner.read(piece))
    }
}

impl<T: Write> Write for TimedArchive<'_, T> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.add(|inner| inner.write(piece))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.add(|inner| inner.flush())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes its time.
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

    /// Works for 20 ms on what it passes on.
    struct Working(TimedFile<Slow>);

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
        let mut archive = Working(TimedFile {
            inner: Slow(200),
            meter: below.clone(),
        });
        let mut above = TimedArchive {
            inner: &mut archive,
            below: below.clone(),
            own: own.clone(),
        };
        above.write_all(&[0; 10]).unwrap();
        above.write_all(&[0; 10]).unwrap();
        assert!(below.spent() >= Duration::from_millis(400));
        let own = own.spent();
        assert!((40..200).contains(&own.as_millis()), "{own:?}");
    }
}
