//! The data file: raw, sparse, as long as the drive; and a second file, with `.stend` added to the
//! name, that identifies the drive.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FallocateFlags, SeekFrom, fallocate, seek};
use serde::{Deserialize, Serialize};
use stend_load::target::temporary;

use crate::PAGE_BYTES;

/// Reason why a data file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The server must not write to it.
    #[error("{0}")]
    Refused(String),
    /// It cannot be read or written.
    #[error("{0}")]
    Failed(String),
}

/// Identity of a data file's drive, as stored in the second file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// `stend.serve-data/1`.
    pub schema: String,
    /// Name of the model.
    pub model: String,
    /// Bytes.
    pub capacity_bytes: u64,
    /// Hash of the drive's whole history when it was saved; `None` while the drive is served, and
    /// for a drive that was not saved.
    pub history: Option<String>,
}

const SCHEMA: &str = "stend.serve-data/1";

impl Identity {
    /// Identity of a drive with this history.
    pub fn new(model: &str, capacity_bytes: u64, history: Option<u64>) -> Identity {
        Identity {
            schema: SCHEMA.to_owned(),
            model: model.to_owned(),
            capacity_bytes,
            history: history.map(|hash| format!("{hash:016x}")),
        }
    }
}

/// The file of the data.
#[derive(Debug)]
pub struct DataFile {
    file: File,
    len_bytes: u64,
    /// `None` for a file without a name.
    path: Option<PathBuf>,
    is_new: bool,
    /// A bit for each page that may hold data: the others are holes, for which a file system would
    /// fill pages of its cache if they were read.
    written: Vec<u64>,
}

impl DataFile {
    /// Creates a file without a name, which is deleted when the program ends.
    ///
    /// # Errors
    /// [`DataError::Failed`] if there is no space for it.
    pub fn unnamed(len_bytes: u64) -> Result<DataFile, DataError> {
        let make = || {
            let file = tempfile::tempfile()?;
            file.set_len(len_bytes)?;
            Ok(file)
        };
        let file = make().map_err(|error: io::Error| {
            DataError::Failed(format!(
                "no file for the data can be made in the folder for temporary files: {error}; \
                 TMPDIR names another folder, and --data a file"
            ))
        })?;
        Ok(DataFile {
            file,
            len_bytes,
            path: None,
            is_new: true,
            written: bits(len_bytes),
        })
    }

    /// Creates a new file, or opens the file of this drive, whose history is now `now.history`.
    ///
    /// # Errors
    /// [`DataError::Refused`] if the file does not belong to the drive, or another process uses it.
    pub fn named(path: &Path, now: &Identity, as_it_is: bool) -> Result<DataFile, DataError> {
        let failed = |error: io::Error| DataError::Failed(format!("{}: {error}", path.display()));
        let new = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(path);
        let is_new = new.is_ok();
        let file = match new {
            Ok(file) => {
                file.set_len(now.capacity_bytes).map_err(failed)?;
                file
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                check_belongs(path, now, as_it_is)?;
                let file = OpenOptions::new().read(true).write(true).open(path);
                file.map_err(failed)?
            }
            Err(error) => return Err(failed(error)),
        };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(DataError::Refused(format!(
                    "{} is served already, by another stend",
                    path.display()
                )));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let mut data = DataFile {
            file,
            len_bytes: now.capacity_bytes,
            path: Some(path.to_owned()),
            is_new,
            written: bits(now.capacity_bytes),
        };
        data.find_written().map_err(failed)?;
        Ok(data)
    }

    /// Records that the drive is served from now on: until it is saved again, the data is newer.
    ///
    /// # Errors
    /// Errors of [`DataFile::note`].
    pub fn note_served(&self, drive: &Identity) -> Result<(), DataError> {
        self.note(&Identity {
            history: None,
            ..drive.clone()
        })
    }

    /// Records the drive to which the data belongs, after both files are durable.
    ///
    /// # Errors
    /// [`DataError::Failed`] if that fails.
    pub fn note(&self, identity: &Identity) -> Result<(), DataError> {
        let Some(path) = &self.path else {
            return Ok(());
        };
        let beside = beside(path);
        let write = || {
            self.file.sync_all()?;
            let text = serde_json::to_string_pretty(identity)? + "\n";
            let folder = path.parent().filter(|folder| *folder != Path::new(""));
            let mut to = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))
                .map_err(temporary)?;
            io::Write::write_all(&mut to, text.as_bytes())?;
            to.as_file().sync_all()?;
            to.persist(&beside).map_err(|error| error.error)?;
            Ok(())
        };
        write()
            .map_err(|error: io::Error| DataError::Failed(format!("{}: {error}", beside.display())))
    }

    /// True if the file was created now.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Number of 4 KiB pages.
    pub fn pages(&self) -> u32 {
        (self.len_bytes / PAGE_BYTES) as u32
    }

    /// Finds the ranges with data.
    fn find_written(&mut self) -> io::Result<()> {
        let mut at = 0;
        loop {
            let begin = match seek(&self.file, SeekFrom::Data(at)) {
                Ok(begin) => begin,
                // No data follows.
                Err(rustix::io::Errno::NXIO) => return Ok(()),
                Err(error) => return Err(error.into()),
            };
            let end = seek(&self.file, SeekFrom::Hole(begin))?;
            self.mark(begin, end - begin);
            at = end;
        }
    }

    fn mark(&mut self, offset_bytes: u64, len_bytes: u64) {
        let end = (offset_bytes + len_bytes).div_ceil(PAGE_BYTES);
        for page in offset_bytes / PAGE_BYTES..end {
            self.written[page as usize / 64] |= 1 << (page % 64);
        }
    }

    /// True if a page may hold anything but zeroes.
    fn is_written(&self, page: u64) -> bool {
        self.written[page as usize / 64] >> (page % 64) & 1 != 0
    }

    /// Reads a range.
    ///
    /// # Errors
    /// Errors of reading.
    pub fn read(&self, offset_bytes: u64, to: &mut [u8]) -> io::Result<()> {
        let end = (offset_bytes + to.len() as u64).div_ceil(PAGE_BYTES);
        if !(offset_bytes / PAGE_BYTES..end).any(|page| self.is_written(page)) {
            to.fill(0);
            return Ok(());
        }
        self.file.read_exact_at(to, offset_bytes)
    }

    /// Reads a page; `None` if it holds only zeroes.
    ///
    /// # Errors
    /// Errors of reading.
    pub fn read_page(&self, page: u32) -> io::Result<Option<Page>> {
        if !self.is_written(page.into()) {
            return Ok(None);
        }
        let mut data = Box::new([0; PAGE_BYTES as usize]);
        self.file
            .read_exact_at(&mut data[..], u64::from(page) * PAGE_BYTES)?;
        Ok(Some(data))
    }

    /// Writes a range.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn write(&mut self, offset_bytes: u64, data: &[u8]) -> io::Result<()> {
        self.mark(offset_bytes, data.len() as u64);
        self.file.write_all_at(data, offset_bytes)
    }

    /// Sets the pages from `begin` to `end` to zeroes.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn zero_pages(&mut self, begin: u32, end: u32) -> io::Result<()> {
        if !(begin..end).any(|page| self.is_written(page.into())) {
            return Ok(());
        }
        let offset = u64::from(begin) * PAGE_BYTES;
        self.zero(offset, u64::from(end - begin) * PAGE_BYTES)
    }

    /// Sets a range to zeroes, and frees its space if the file system can.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn zero(&mut self, offset_bytes: u64, len_bytes: u64) -> io::Result<()> {
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        match fallocate(&self.file, flags, offset_bytes, len_bytes) {
            Ok(()) => {
                let end = (offset_bytes + len_bytes) / PAGE_BYTES;
                for page in offset_bytes.div_ceil(PAGE_BYTES)..end {
                    self.written[page as usize / 64] &= !(1 << (page % 64));
                }
                return Ok(());
            }
            Err(rustix::io::Errno::OPNOTSUPP) => {}
            Err(error) => return Err(error.into()),
        }
        let zeroes = vec![0; (1 << 20).min(len_bytes as usize)];
        let (mut at, end) = (offset_bytes, offset_bytes + len_bytes);
        while at < end {
            let len = zeroes.len().min((end - at) as usize);
            self.write(at, &zeroes[..len])?;
            at += len as u64;
        }
        Ok(())
    }
}

#[cfg(test)]
impl DataFile {
    /// Makes writes to the file fail, as in a full file system, or succeed again.
    pub(super) fn take_writes(&mut self, taken: bool) {
        let path = self.path.as_ref().expect("it has a name");
        let file = OpenOptions::new().read(true).write(taken).open(path);
        self.file = file.expect("it is there");
    }
}

/// A page's data.
pub type Page = Box<[u8; PAGE_BYTES as usize]>;

/// A cleared bit for each page.
fn bits(len_bytes: u64) -> Vec<u64> {
    vec![0; len_bytes.div_ceil(PAGE_BYTES * 64) as usize]
}

/// Path of the second file, which identifies the drive of the data.
pub fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".stend");
    name.into()
}

/// Refuses a file that does not belong to this drive.
fn check_belongs(path: &Path, now: &Identity, as_it_is: bool) -> Result<(), DataError> {
    let (name, beside) = (path.display(), beside(path));
    let refused = |why: String| Err(DataError::Refused(format!("{name} is not written: {why}")));
    let Ok(text) = std::fs::read_to_string(&beside) else {
        return refused(format!(
            "it exists already, and no file {} says that it holds a drive's data; name a new file",
            beside.display()
        ));
    };
    let of = match serde_json::from_str::<Identity>(&text) {
        Ok(of) if of.schema == SCHEMA => of,
        _ => return refused(format!("{} is not of this stend", beside.display())),
    };
    if (&of.model, of.capacity_bytes) != (&now.model, now.capacity_bytes) {
        return refused(format!(
            "it holds the data of {} with {} bytes, and this is {} with {} bytes",
            of.model, of.capacity_bytes, now.model, now.capacity_bytes
        ));
    }
    let is_as_long = path
        .metadata()
        .is_ok_and(|meta| meta.is_file() && meta.len() == now.capacity_bytes);
    if !is_as_long {
        return refused(format!("it is not a file of {} bytes", now.capacity_bytes));
    }
    match (&of.history, &now.history) {
        (Some(of), Some(now)) if of == now => Ok(()),
        _ if as_it_is => Ok(()),
        (None, _) => refused(
            "its server was killed, or kept no drive (--state), so that no drive in a file is as \
             new as the data; --as-it-is takes it all the same"
                .to_owned(),
        ),
        (Some(_), _) => refused(
            "it belongs to another history of this drive: name the --state file that was saved \
             with it, or take it as it is with --as-it-is"
                .to_owned(),
        ),
    }
}
