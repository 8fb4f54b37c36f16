//! The lab: all reviews of a user, in one SQLite file.
//!
//! A run is one edition on one target. It is written after every test, in one transaction, so the
//! file contains only whole tests whenever the program ends. Other programs can read the tables too
//! (`docs/lab.md` describes each column). Their version is the file's `user_version`, and an older
//! file is migrated when it is opened for writing.
//!
//! A review that is read back equals the one that was written: values without a column are stored
//! as JSON beside the columns.

pub mod bin;
pub mod browse;
mod columns;
mod drives;
mod error;
mod export;
mod file_id;
mod fold;
mod format;
mod load;
pub mod marks;
mod merge;
pub mod others;
mod own;
#[cfg(feature = "parquet")]
mod parquet;
pub mod place;
mod program;
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

use file_id::FileId;

pub use drives::Drive;
pub use error::LabError;
pub use export::TABLES;
pub use format::Format;
pub use merge::Merged;
pub use program::{Program, kept_key};
pub use recorded::{EntryId, RecordedId, RecordedKind};
pub use runs::{RunId, RunState, RunSummary};
pub use store::RunContext;
pub use table::{Kind, Table};

/// SQLite's application id in the file's header, by which the command `file` recognises it: `stnd`.
const APPLICATION_ID: i32 = 0x7374_6e64;

/// Time to wait for another program that writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Time between attempts to open a lab that other programs are creating.
const AGAIN_AFTER: Duration = Duration::from_millis(10);

/// Migrations, each to a version of the tables from the one before it.
const VERSIONS: [&str; 9] = [
    include_str!("migrations/1.sql"),
    include_str!("migrations/2.sql"),
    include_str!("migrations/3.sql"),
    include_str!("migrations/4.sql"),
    include_str!("migrations/5.sql"),
    include_str!("migrations/6.sql"),
    include_str!("migrations/7.sql"),
    include_str!("migrations/8.sql"),
    include_str!("migrations/9.sql"),
];

/// An open lab.
#[derive(Debug)]
pub struct Lab {
    connection: Connection,
    path: PathBuf,
    /// The file, if it was opened for writing.
    file: Option<FileId>,
}

impl Lab {
    /// Opens a lab for writing; creates the file, and its folder, if it does not exist.
    ///
    /// # Errors
    /// If the file is not one of this program's, has a later version, or cannot be written.
    pub fn open(path: &Path) -> Result<Lab, LabError> {
        Lab::open_within(path, BUSY_TIMEOUT)
    }

    /// Opens a lab like [`Lab::open`], but waits at most `patience` for another program that
    /// writes.
    ///
    /// # Errors
    /// The errors of [`Lab::open`].
    pub fn open_within(path: &Path, patience: Duration) -> Result<Lab, LabError> {
        let failed = |error| LabError::of(error, path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|source| LabError::Folder {
                path: folder.to_path_buf(),
                source,
            })?;
        }
        // SQLite treats a file of one byte as empty.
        if std::fs::metadata(path).is_ok_and(|file| (1..HEADER_BYTES).contains(&file.len())) {
            return Err(LabError::Foreign(path.to_path_buf()));
        }
        let mut connection = Connection::open(path).map_err(failed)?;
        connection.busy_timeout(patience).map_err(failed)?;
        fold::add_to(&connection).map_err(failed)?;
        let began = Instant::now();
        loop {
            match bring_up_to_date(&mut connection, path) {
                // Programs that create a lab at the same time block each other, which SQLite
                // reports at once.
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
            file: FileId::at(path),
            path: path.to_path_buf(),
        })
    }

    /// Opens a lab only for reading; `None` if there is no file, or an empty one.
    ///
    /// # Errors
    /// If the file is not one of this program's, or has another version.
    pub fn look(path: &Path) -> Result<Option<Lab>, LabError> {
        Lab::look_within(path, BUSY_TIMEOUT)
    }

    /// Opens a lab like [`Lab::look`], but waits at most `patience` for another program that
    /// writes.
    ///
    /// # Errors
    /// The errors of [`Lab::look`].
    pub fn look_within(path: &Path, patience: Duration) -> Result<Option<Lab>, LabError> {
        if !path.exists() {
            return Ok(None);
        }
        let failed = |error| LabError::of(error, path);
        let connection = open_to_read(path, patience)?;
        match version(&connection).map_err(failed)? {
            // Another program is about to create it.
            0 => return Ok(None),
            version if version < latest() => return Err(LabError::Older(path.to_path_buf())),
            _ => {}
        }
        Ok(Some(Lab {
            connection,
            path: path.to_path_buf(),
            file: None,
        }))
    }

    /// Opens a lab like [`Lab::look`]; one of an earlier version is copied to memory and migrated
    /// there, so the file does not change.
    ///
    /// # Errors
    /// If the file is not one of this program's, or has a later version.
    pub fn look_at_any(path: &Path) -> Result<Option<Lab>, LabError> {
        match Lab::look(path) {
            Err(LabError::Older(_)) => {}
            other => return other,
        }
        let failed = |error| LabError::of(error, path);
        let file = open_to_read(path, BUSY_TIMEOUT)?;
        let mut connection = Connection::open_in_memory().map_err(failed)?;
        fold::add_to(&connection).map_err(failed)?;
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
            file: None,
        }))
    }

    /// Reads a whole lab of any version, to find damage before anything depends on it; does nothing
    /// for a missing or empty file.
    ///
    /// # Errors
    /// [`LabError::Damaged`] with SQLite's report, and the errors of [`Lab::look`].
    pub fn check(path: &Path) -> Result<(), LabError> {
        let lab = match Lab::look(path) {
            Ok(Some(lab)) => lab,
            Ok(None) => return Ok(()),
            Err(LabError::Older(path)) => Lab {
                connection: open_read_only(path.as_os_str(), BUSY_TIMEOUT)
                    .map_err(|error| LabError::of(error, &path))?,
                path,
                file: None,
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

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Stops the growth of the file, as on a full disk; for tests.
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

    /// Returns the results of a statement, one for each row.
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

    /// Returns the result of a statement for its only row, if there is one.
    fn row<T>(
        &self,
        sql: &str,
        parameters: impl Params,
        of: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, LabError> {
        let row = self.connection.query_row(sql, parameters, of);
        row.optional().map_err(|error| self.failed(error))
    }

    /// Makes changes of which either all are kept or, after an error, none. Waits for other writers
    /// before the first read: SQLite rejects at once a write that follows a read of data which
    /// others have changed since.
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

/// Opens a connection only for reading, and reads the version to test it.
fn open_read_only(name: &OsStr, patience: Duration) -> Result<Connection, rusqlite::Error> {
    match open_with(name, OpenFlags::SQLITE_OPEN_READ_ONLY, patience) {
        // A killed program left an incomplete change, which only a writer may undo.
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

/// Opens a connection, and reads the version to test it.
fn open_with(
    name: &OsStr,
    access: OpenFlags,
    patience: Duration,
) -> Result<Connection, rusqlite::Error> {
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(name, flags)?;
    connection.busy_timeout(patience)?;
    fold::add_to(&connection)?;
    version(&connection)?;
    Ok(connection)
}

/// True if a file contains an incomplete change, with the journal that undoes it beside it.
fn is_half_changed(error: &rusqlite::Error) -> bool {
    error.sqlite_extended_error_code() == Some(rusqlite::ffi::SQLITE_READONLY_ROLLBACK)
}

/// True if a file exists but SQLite cannot create its log beside it: it reports one error on a
/// read-only medium, another in the folder of another user.
fn cannot_open(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)) && !is_half_changed(error)
}

/// Returns the path of the log of changes that SQLite has not yet moved into the file.
fn wal_path(path: &Path) -> PathBuf {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    PathBuf::from(log)
}

/// Returns the name by which SQLite opens a file with a parameter:
/// <https://sqlite.org/uri.html>. `None` for a path that is not UTF-8.
fn uri(path: &Path, parameter: &str) -> Option<String> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let escaped = |c: char| match c {
        '%' | '?' | '#' => format!("%{:02x}", u32::from(c)),
        c => c.to_string(),
    };
    let escaped: String = path.to_str()?.chars().map(escaped).collect();
    Some(format!("file://{escaped}?{parameter}"))
}

/// Opens a lab of any known version only for reading.
fn open_to_read(path: &Path, patience: Duration) -> Result<Connection, LabError> {
    let connection = match open_read_only(path.as_os_str(), patience) {
        // There is no log beside the file, and none can be created: no program writes, and SQLite
        // can read the file with this flag.
        Err(error) if cannot_open(&error) && !wal_path(path).exists() => {
            match uri(path, "immutable=1") {
                Some(uri) => open_read_only(uri.as_ref(), patience),
                None => Err(error),
            }
        }
        other => other,
    };
    let connection = connection.map_err(|error| LabError::of(error, path))?;
    check(&connection, path)?;
    Ok(connection)
}

/// Creates a lab in a file, or migrates it to the latest version.
fn bring_up_to_date(connection: &mut Connection, path: &Path) -> Result<(), LabError> {
    let failed = |error| LabError::of(error, path);
    check(connection, path)?;
    connection
        .pragma_update(None, "synchronous", "FULL")
        .map_err(failed)?;
    // Each open that wrote would wait for other writers, and make them wait.
    if is_up_to_date(connection).map_err(failed)? {
        return Ok(());
    }
    connection
        .pragma_update(None, "journal_mode", "WAL")
        // A migration replaces a table that others refer to.
        .and_then(|()| connection.pragma_update(None, "foreign_keys", false))
        .map_err(failed)?;
    // Before there are tables, so that a concurrent reader finds a lab or an empty file.
    connection
        .pragma_update(None, "application_id", APPLICATION_ID)
        .map_err(failed)?;
    if let Err(error) = migrations().to_latest(connection) {
        // Another program may have created the tables in the meantime.
        if version(connection).map_err(failed)? != latest() {
            return Err(LabError::of_migration(error, path));
        }
    }
    Ok(())
}

/// True if a file is a lab of the latest version.
fn is_up_to_date(connection: &Connection) -> Result<bool, rusqlite::Error> {
    let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
    let id: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    Ok(mode == "wal" && id == APPLICATION_ID && version(connection)? == latest())
}

/// Length of the header of an SQLite file, bytes.
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

/// Checks that a file is empty or a lab, and not of a later version.
fn check(connection: &Connection, path: &Path) -> Result<(), LabError> {
    let failed = |error| LabError::of(error, path);
    // In this order: another program that is creating the lab sets the id before it creates tables.
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
