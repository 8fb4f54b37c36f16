//! State that all pages share.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard};
use stend_lab::work::WorkId;
use stend_lab::{Lab, LabError, Program};
use uuid::Uuid;

use crate::trouble::Trouble;
use crate::what_if::Growing;

/// Time that a page waits for another program that writes to the lab.
const PATIENCE: Duration = Duration::from_millis(1500);

/// A lab that is served.
pub struct App {
    lab: PathBuf,
    /// The program.
    pub(crate) program: Program,
    /// Returns the number of drives of a capacity, bytes, that may be simulated at the same time.
    pub(crate) simulations: fn(u64) -> usize,
    /// Token in forms, so that no other site can post them.
    pub(crate) token: String,
    /// Id of this server among those of the same lab.
    pub(crate) worker: String,
    /// Port of its addresses.
    pub(crate) port: u16,
    stopped: Arc<AtomicBool>,
    /// Curves of work in progress.
    growing: Mutex<BTreeMap<WorkId, Growing>>,
    asked: Mutex<bool>,
    changed: Condvar,
}

impl App {
    /// Serves the lab in this file, which need not exist yet, on this port. `simulations` returns
    /// the number of drives of a capacity, bytes, that may be simulated at the same time.
    pub fn new(lab: PathBuf, port: u16, program: Program, simulations: fn(u64) -> usize) -> App {
        let random = || Uuid::new_v4().simple().to_string();
        App {
            lab,
            program,
            simulations,
            token: random() + &random(),
            worker: random(),
            port,
            stopped: Arc::default(),
            growing: Mutex::default(),
            asked: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Returns the token of this server's forms.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Returns the lab's file.
    pub(crate) fn path(&self) -> &PathBuf {
        &self.lab
    }

    /// Returns the present time, ms since 1970.
    pub(crate) fn now_unix_ms(&self) -> i64 {
        (self.program.now_unix_ms)()
    }

    /// Opens the lab for reading; `None` if it does not exist yet.
    pub(crate) fn look(&self) -> Result<Option<Lab>, LabError> {
        Lab::look_within(&self.lab, PATIENCE)
    }

    /// Opens the lab for writing, and creates it if it does not exist.
    pub(crate) fn open(&self) -> Result<Lab, LabError> {
        Lab::open_within(&self.lab, PATIENCE)
    }

    /// Migrates a lab of an earlier version.
    ///
    /// # Errors
    /// If that fails, or the file is not a lab.
    pub fn bring_up_to_date(&self) -> Result<(), LabError> {
        match self.look() {
            Err(LabError::Older(_)) => self.open().map(drop),
            // Pages report it until the lab is free.
            Err(LabError::Locked(_)) => Ok(()),
            other => other.map(drop),
        }
    }

    /// Reads from the lab on a thread that may block; returns the default of `T` without a lab.
    pub(crate) async fn read<T: Default + Send + 'static>(
        self: &Arc<App>,
        read: impl FnOnce(&Lab) -> Result<T, Trouble> + Send + 'static,
    ) -> Result<T, Trouble> {
        let app = Arc::clone(self);
        waiting(move || match app.look()? {
            None => Ok(T::default()),
            Some(lab) => read(&lab),
        })
        .await
    }

    /// Writes to the lab on a thread that may block.
    pub(crate) async fn write<T: Send + 'static>(
        self: &Arc<App>,
        write: impl FnOnce(&mut Lab) -> Result<T, Trouble> + Send + 'static,
    ) -> Result<T, Trouble> {
        let app = Arc::clone(self);
        let written = waiting(move || write(&mut app.open()?)).await;
        written.map_err(|trouble| match trouble {
            Trouble::Lab(LabError::Locked(path)) => Trouble::NotWritten(path),
            trouble => trouble,
        })
    }

    /// Notifies the worker of a request.
    pub(crate) fn wake(&self) {
        *self.asked.lock() = true;
        self.changed.notify_all();
    }

    /// Waits until work is requested, or for a second.
    pub(crate) fn wait(&self) {
        let mut asked = self.asked.lock();
        self.changed
            .wait_while_for(&mut asked, |asked| !*asked, Duration::from_secs(1));
        *asked = false;
    }

    /// Stops the worker: work in progress returns to the queue.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.wake();
    }

    /// True if the server is stopping.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// Returns the growing curves by the work that they belong to.
    pub(crate) fn growing(&self) -> MutexGuard<'_, BTreeMap<WorkId, Growing>> {
        self.growing.lock()
    }
}

/// Runs an action that blocks, such as on SQLite, on a separate thread.
pub(crate) async fn waiting<T: Send + 'static>(
    act: impl FnOnce() -> Result<T, Trouble> + Send + 'static,
) -> Result<T, Trouble> {
    match tokio::task::spawn_blocking(act).await {
        Ok(result) => result,
        Err(error) => Err(Trouble::Fault(error.to_string())),
    }
}
