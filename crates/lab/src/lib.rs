//! The lab: every review that was made, in one SQLite file.
//!
//! A run is one edition on one target. It is written after every test, in one transaction:
//! what is in the file is a whole test, whenever the program ends. The tables are for other
//! programs as well (`docs/lab.md` describes each column); their version is the file's
//! `user_version`, and an older file is brought up to date when it is opened for writing.
//!
//! A review that is read back equals the one that was written: what of it has no column of
//! its own is kept as JSON beside the columns.

pub mod browse;
mod columns;
mod drives;
mod error;
mod export;
mod format;
mod load;
pub mod marks;
mod merge;
mod own;
#[cfg(feature = "parquet")]
mod parquet;
pub mod progress;
pub mod recorded;
mod runs;
mod store;
pub mod studies;
mod table;
mod table_files;
pub mod work;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::backup::Backup;
use rusqlite::{
    Connection, ErrorCode, OpenFlags, OptionalExtension, Params, Row, Transaction,
    TransactionBehavior,
};
use rusqlite_migration::{M, Migrations};

pub use drives::Drive;
pub use error::LabError;
pub use export::TABLES;
pub use format::Format;
pub use merge::Merged;
pub use recorded::{EntryId, RecordedId, RecordedKind};
pub use runs::{RunId, RunState, RunSummary};
pub use store::RunContext;
pub use table::{Kind, Table};

/// SQLite's application id in the file's header, by which `file` recognises it: `stnd`.
const APPLICATION_ID: i32 = 0x7374_6e64;

/// How long to wait for another program that writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// After how long a lab that others are making is tried again.
const AGAIN_AFTER: Duration = Duration::from_millis(10);

/// Each version of the tables from the one before it.
const VERSIONS: [&str; 5] = [
    include_str!("migrations/1.sql"),
    include_str!("migrations/2.sql"),
    include_str!("migrations/3.sql"),
    include_str!("migrations/4.sql"),
    include_str!("migrations/5.sql"),
];

/// A lab that is open.
#[derive(Debug)]
pub struct Lab {
    connection: Connection,
    path: PathBuf,
}

impl Lab {
    /// Opens a lab to write to it; makes the file, and its folder, where there is none.
    ///
    /// # Errors
    /// Where the file is none of this program's, of a later version, or cannot be written.
    pub fn open(path: &Path) -> Result<Lab, LabError> {
        Lab::open_within(path, BUSY_TIMEOUT)
    }

    /// As [`Lab::open`], and waits no longer than `patience` for another program that writes.
    ///
    /// # Errors
    /// As [`Lab::open`].
    pub fn open_within(path: &Path, patience: Duration) -> Result<Lab, LabError> {
        let failed = |error| LabError::of(error, path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|source| LabError::Folder {
                path: folder.to_path_buf(),
                source,
            })?;
        }
        // SQLite takes a file of one byte for an empty one.
        if std::fs::metadata(path).is_ok_and(|file| (1..HEADER_BYTES).contains(&file.len())) {
            return Err(LabError::Foreign(path.to_path_buf()));
        }
        let mut connection = Connection::open(path).map_err(failed)?;
        connection.busy_timeout(patience).map_err(failed)?;
        let began = Instant::now();
        loop {
            match bring_up_to_date(&mut connection, path) {
                // Several that make a lab at the same time get into each other's way, which SQLite
                // says at once.
                Err(LabError::Locked(_)) if began.elapsed() < patience => {
                    std::thread::sleep(AGAIN_AFTER);
                }
                other => {
                    other?;
                    break;
                }
            }
        }
        connection
            .pragma_update(None, "foreign_keys", true)
            .map_err(failed)?;
        Ok(Lab {
            connection,
            path: path.to_path_buf(),
        })
    }

    /// Opens a lab only to read it; `None` where there is no file, or an empty one.
    ///
    /// # Errors
    /// Where the file is none of this program's, or of another version.
    pub fn look(path: &Path) -> Result<Option<Lab>, LabError> {
        Lab::look_within(path, BUSY_TIMEOUT)
    }

    /// As [`Lab::look`], and waits no longer than `patience` for another program that writes.
    ///
    /// # Errors
    /// As [`Lab::look`].
    pub fn look_within(path: &Path, patience: Duration) -> Result<Option<Lab>, LabError> {
        if !path.exists() {
            return Ok(None);
        }
        let failed = |error| LabError::of(error, path);
        let connection = open_to_read(path, patience)?;
        match version(&connection).map_err(failed)? {
            // Another program is about to make it.
            0 => return Ok(None),
            version if version < latest() => return Err(LabError::Older(path.to_path_buf())),
            _ => {}
        }
        Ok(Some(Lab {
            connection,
            path: path.to_path_buf(),
        }))
    }

    /// As [`Lab::look`], and of a lab of an earlier version a copy in memory that is brought up to
    /// date: the file stays as it is.
    ///
    /// # Errors
    /// Where the file is none of this program's, or of a later version.
    pub fn look_at_any(path: &Path) -> Result<Option<Lab>, LabError> {
        match Lab::look(path) {
            Err(LabError::Older(_)) => {}
            other => return other,
        }
        let failed = |error| LabError::of(error, path);
        let file = open_to_read(path, BUSY_TIMEOUT)?;
        let mut connection = Connection::open_in_memory().map_err(failed)?;
        Backup::new(&file, &mut connection)
            .and_then(|copy| copy.run_to_completion(i32::MAX, Duration::ZERO, None))
            .and_then(|()| connection.pragma_update(None, "foreign_keys", false))
            .map_err(failed)?;
        migrations()
            .to_latest(&mut connection)
            .map_err(|error| LabError::of_migration(error, path))?;
        Ok(Some(Lab {
            connection,
            path: path.to_path_buf(),
        }))
    }

    /// Reads the whole of a lab of any version, to find damage before anything depends on it;
    /// nothing of a file that is not there, or is empty.
    ///
    /// # Errors
    /// [`LabError::Damaged`] with what SQLite finds; as [`Lab::look`].
    pub fn check(path: &Path) -> Result<(), LabError> {
        let lab = match Lab::look(path) {
            Ok(Some(lab)) => lab,
            Ok(None) => return Ok(()),
            Err(LabError::Older(path)) => Lab {
                connection: open_read_only(path.as_os_str(), BUSY_TIMEOUT)
                    .map_err(|error| LabError::of(error, &path))?,
                path,
            },
            Err(error) => return Err(error),
        };
        let text = |row: &Row<'_>| row.get::<_, String>(0);
        let found = lab.rows("PRAGMA quick_check(1)", [], text)?;
        match found.iter().find(|line| *line != "ok") {
            None => Ok(()),
            Some(what) => Err(LabError::Damaged {
                path: lab.path,
                what: what.clone(),
            }),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Lets the file grow no more, as on a full disk: for tests.
    #[doc(hidden)]
    pub fn limit_growth(&self) {
        let pages: i64 = self
            .connection
            .pragma_query_value(None, "page_count", |row| row.get(0))
            .expect("the file is open");
        self.connection
            .pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))
            .expect("the file is open");
    }

    fn failed(&self, error: rusqlite::Error) -> LabError {
        LabError::of(error, &self.path)
    }

    /// What a statement yields for each row.
    fn rows<T>(
        &self,
        sql: &str,
        parameters: impl Params,
        of: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, LabError> {
        let read = || -> rusqlite::Result<Vec<T>> {
            let mut statement = self.connection.prepare_cached(sql)?;
            let rows = statement.query_map(parameters, of)?;
            rows.collect()
        };
        read().map_err(|error| self.failed(error))
    }

    /// What a statement yields for its only row, if it has one.
    fn row<T>(
        &self,
        sql: &str,
        parameters: impl Params,
        of: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, LabError> {
        let row = self.connection.query_row(sql, parameters, of);
        row.optional().map_err(|error| self.failed(error))
    }

    /// Makes changes of which either all are kept or, after an error, none. Others who write are
    /// waited for before the first look: SQLite refuses at once to write on what others have
    /// changed since it was read.
    fn change<T>(
        &mut self,
        changes: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, LabError> {
        let change = |connection: &mut Connection| -> rusqlite::Result<T> {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = changes(&transaction)?;
            transaction.commit()?;
            Ok(done)
        };
        change(&mut self.connection).map_err(|error| self.failed(error))
    }
}

/// A connection that only reads, and has.
fn open_read_only(name: &OsStr, patience: Duration) -> Result<Connection, rusqlite::Error> {
    match open_with(name, OpenFlags::SQLITE_OPEN_READ_ONLY, patience) {
        // A program that was killed has left half a change, which only a writer may undo.
        Err(error) if is_half_changed(&error) => {
            drop(open_with(
                name,
                OpenFlags::SQLITE_OPEN_READ_WRITE,
                patience,
            )?);
            open_with(name, OpenFlags::SQLITE_OPEN_READ_ONLY, patience)
        }
        other => other,
    }
}

/// A connection that has read.
fn open_with(
    name: &OsStr,
    access: OpenFlags,
    patience: Duration,
) -> Result<Connection, rusqlite::Error> {
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(name, flags)?;
    connection.busy_timeout(patience)?;
    version(&connection)?;
    Ok(connection)
}

/// Whether a file holds a change that did not come to its end, with the journal that undoes it
/// beside it.
fn is_half_changed(error: &rusqlite::Error) -> bool {
    error.sqlite_extended_error_code() == Some(rusqlite::ffi::SQLITE_READONLY_ROLLBACK)
}

/// Whether a file is there and SQLite cannot make its log beside it: it says the one on a medium
/// that cannot be written, the other in the folder of another user.
fn cannot_open(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)) && !is_half_changed(error)
}

/// What SQLite has not yet moved into the file.
fn wal_path(path: &Path) -> PathBuf {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    PathBuf::from(log)
}

/// The name by which SQLite opens a file that nobody changes: <https://sqlite.org/uri.html>.
fn immutable_uri(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let escaped = |c: char| match c {
        '%' | '?' | '#' => format!("%{:02x}", u32::from(c)),
        c => c.to_string(),
    };
    let escaped: String = path.to_string_lossy().chars().map(escaped).collect();
    format!("file://{escaped}?immutable=1")
}

/// Opens a lab of any version that this program knows, only to read it.
fn open_to_read(path: &Path, patience: Duration) -> Result<Connection, LabError> {
    let connection = match open_read_only(path.as_os_str(), patience) {
        // Beside the file there is neither a log nor room for one: nobody writes, and
        // SQLite reads it with this flag.
        Err(error) if cannot_open(&error) && !wal_path(path).exists() => {
            open_read_only(immutable_uri(path).as_ref(), patience)
        }
        other => other,
    };
    let connection = connection.map_err(|error| LabError::of(error, path))?;
    check(&connection, path)?;
    Ok(connection)
}

/// Makes a file a lab of the latest version.
fn bring_up_to_date(connection: &mut Connection, path: &Path) -> Result<(), LabError> {
    let failed = |error| LabError::of(error, path);
    check(connection, path)?;
    connection
        .pragma_update(None, "journal_mode", "WAL")
        .and_then(|()| connection.pragma_update(None, "synchronous", "FULL"))
        // A table that others refer to is replaced.
        .and_then(|()| connection.pragma_update(None, "foreign_keys", false))
        .map_err(failed)?;
    // Before there are tables: a reader meanwhile finds a lab, or an empty file.
    connection
        .pragma_update(None, "application_id", APPLICATION_ID)
        .map_err(failed)?;
    if let Err(error) = migrations().to_latest(connection) {
        // Another one may have made the tables meanwhile.
        if version(connection).map_err(failed)? != latest() {
            return Err(LabError::of_migration(error, path));
        }
    }
    Ok(())
}

/// What a file of SQLite begins with, bytes.
const HEADER_BYTES: u64 = 100;

fn migrations() -> Migrations<'static> {
    Migrations::new(VERSIONS.map(M::up).to_vec())
}

fn latest() -> i32 {
    VERSIONS.len() as i32
}

fn version(connection: &Connection) -> Result<i32, rusqlite::Error> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Whether a file is empty or a lab, and not of a later version.
fn check(connection: &Connection, path: &Path) -> Result<(), LabError> {
    let failed = |error| LabError::of(error, path);
    // In this order: another program that makes the lab now sets the id before it makes tables.
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(failed)?;
    let id: i32 = connection
        .pragma_query_value(None, "application_id", |row| row.get(0))
        .map_err(failed)?;
    if id != APPLICATION_ID && tables > 0 {
        return Err(LabError::Foreign(path.to_path_buf()));
    }
    let version = version(connection).map_err(failed)?;
    if version > latest() {
        return Err(LabError::Newer {
            path: path.to_path_buf(),
            version,
            known: latest(),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrations_lead_to_the_version_that_is_known() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection
            .pragma_update(None, "foreign_keys", false)
            .unwrap();
        migrations().to_latest(&mut connection).unwrap();
        assert_eq!(version(&connection).unwrap(), latest());
    }
}
