//! Simulated drives that are kept in files.
//!
//! The file of a drive that will change is locked from reading to saving, so that no change is
//! lost. A file is replaced as a whole: after any failure or interruption, it holds either the old
//! state or the new one.

use std::fs::{File, Permissions, TryLockError};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use stend_drive::SimDrive;
use stend_drive::state::{self, MAGIC};
use stend_model::Model;
use tempfile::NamedTempFile;

use stend_load::target::{TargetError, failed};

/// File in which a drive is kept.
#[derive(Clone, Debug)]
pub struct StateFile {
    /// Path with symbolic links resolved: the drive is replaced, not a link to it.
    path: PathBuf,
    /// File that is locked as long as it is open; `None` for a drive that is only read.
    lock: Option<Arc<Mutex<File>>>,
}

/// Purpose for which a state is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The file does not change.
    Look,
    /// [`StateFile::save`] will replace it.
    Change,
}

/// True if a file begins as the state of a simulated drive.
pub fn is_state_file(path: &Path) -> bool {
    // A pipe must not be read from, and a device has no state.
    if !path.is_file() {
        return false;
    }
    let mut first = Vec::with_capacity(MAGIC.len());
    let read = File::open(path).and_then(|f| f.take(MAGIC.len() as u64).read_to_end(&mut first));
    read.is_ok() && state::is_state(&first)
}

impl StateFile {
    /// Creates a file with this drive in it, which may be saved again.
    ///
    /// # Errors
    /// [`TargetError::Input`] if the file exists, [`TargetError::Failed`] if it cannot be written.
    pub fn create(path: &Path, model: &Model, drive: &SimDrive) -> Result<StateFile, TargetError> {
        if path.symlink_metadata().is_ok() {
            return Err(exists(path));
        }
        let failed = |error: io::Error| unwritable(path, &error);
        let written = written_beside(path, model, drive).map_err(failed)?;
        let file = match written.persist_noclobber(path) {
            Ok(file) => file,
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(exists(path));
            }
            Err(error) => return Err(failed(error.error)),
        };
        sync_folder(path).map_err(failed)?;
        Ok(StateFile {
            path: path.canonicalize().map_err(failed)?,
            lock: Some(Arc::new(Mutex::new(file))),
        })
    }

    /// Opens a file, and reads the drive in it.
    ///
    /// # Errors
    /// [`TargetError::Input`] if it holds no drive, or one that cannot be used;
    /// [`TargetError::Refused`] if another process is about to change it; [`TargetError::Failed`]
    /// if it cannot be read, or could not be replaced in the end.
    pub fn open(path: &Path, access: Access) -> Result<(StateFile, Model, SimDrive), TargetError> {
        let name = path.display();
        let failed = failed(path, "cannot be read");
        let path = path.canonicalize().map_err(&failed)?;
        let file = File::open(&path).map_err(&failed)?;
        if access == Access::Change {
            lock(&file, &path)?;
            // Fails now instead of after hours.
            beside(&path).map_err(|error| unwritable(&path, &error))?;
        }
        let (model, drive) =
            state::read(BufReader::new(&file), &name.to_string()).map_err(|error| match error {
                state::StateError::Io(error) => failed(error),
                other => TargetError::Input(format!("{name} {other}")),
            })?;
        let lock = (access == Access::Change).then(|| Arc::new(Mutex::new(file)));
        Ok((StateFile { path, lock }, model, drive))
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// True if `path` is the path of the file.
    pub fn is_at(&self, path: &Path) -> bool {
        path.canonicalize().is_ok_and(|path| path == self.path)
    }

    /// Replaces its content with this drive.
    ///
    /// # Errors
    /// [`TargetError::Failed`] if that fails: the file is unchanged; [`TargetError::Refused`] if
    /// another file has taken its place.
    ///
    /// # Panics
    /// If it was not opened for change.
    pub fn save(&self, model: &Model, drive: &SimDrive) -> Result<(), TargetError> {
        let lock = self.lock.as_ref().expect("it was opened for change");
        let mut file: MutexGuard<'_, File> = lock.lock();
        let path = &self.path;
        // A file that no longer exists is created again.
        if path.exists() {
            check_is_same(&file, path)?;
        }
        let mut save = || {
            let written = written_beside(path, model, drive)?;
            let mode = file.metadata()?.permissions();
            written.as_file().set_permissions(mode)?;
            *file = written.persist(path).map_err(|error| error.error)?;
            sync_folder(path)
        };
        save().map_err(|error| unwritable(path, &error))
    }
}

/// Writes a drive to a temporary file, durable and locked: the file that it becomes is therefore
/// locked from the first instant on.
fn written_beside(path: &Path, model: &Model, drive: &SimDrive) -> io::Result<NamedTempFile> {
    let file = beside(path)?;
    file.as_file().lock()?;
    let mut to = BufWriter::with_capacity(1 << 20, file.as_file());
    state::write(model, drive, &mut to)?;
    to.flush()?;
    drop(to);
    file.as_file().sync_all()?;
    Ok(file)
}

/// Locks a file for change, and checks that it has not been replaced meanwhile.
fn lock(file: &File, path: &Path) -> Result<(), TargetError> {
    match file.try_lock() {
        Ok(()) => check_is_same(file, path),
        Err(TryLockError::WouldBlock) => Err(busy(path)),
        Err(TryLockError::Error(error)) => Err(failed(path, "cannot be locked")(error)),
    }
}

/// Refuses a path if the file there is not the one that is open.
fn check_is_same(file: &File, path: &Path) -> Result<(), TargetError> {
    let failed = failed(path, "cannot be locked");
    let id = |data: std::fs::Metadata| (data.dev(), data.ino());
    let now = path.metadata().map(id).map_err(&failed)?;
    match file.metadata().map(id).map_err(&failed)? {
        opened if opened == now => Ok(()),
        _ => Err(busy(path)),
    }
}

fn busy(path: &Path) -> TargetError {
    TargetError::Refused(format!(
        "{} is in use: another stend is about to change the drive in it; wait for it to end, \
         or work on a copy of the file",
        path.display()
    ))
}

/// Creates a file beside another.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new()
        .prefix(".stend-")
        .suffix(".tmp")
        // As for any file that a program creates: less the permissions that the user's mask
        // removes.
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder(path))
        .map_err(stend_load::target::temporary)
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

/// Waits until the new name of a file is durable.
fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(folder(path))?.sync_all()
}

fn exists(path: &Path) -> TargetError {
    TargetError::Input(format!(
        "{} exists already, and is not overwritten; choose another name, or remove it",
        path.display()
    ))
}

fn unwritable(path: &Path, error: &io::Error) -> TargetError {
    TargetError::Failed(format!(
        "the state of the drive cannot be written to {}: {error}; its content is unchanged",
        path.display()
    ))
}
