//! What all pages share.

use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use stend_lab::work::WorkId;
use stend_lab::{Lab, LabError};
use uuid::Uuid;

use crate::trouble::Trouble;
use crate::what_if::Growing;

/// How long a page waits for another program that writes to the lab.
const PATIENCE: Duration = Duration::from_millis(1500);

/// The program that serves.
#[derive(Clone, Debug)]
pub struct Program {
    /// Names its bytes: rows that another one simulated count for nothing.
    pub id: String,
    /// Its version.
    pub version: &'static str,
    /// Its commit, where that is known.
    pub commit: Option<&'static str>,
    /// The present instant, ms since 1970.
    pub now_unix_ms: fn() -> i64,
    /// How many drives of so many bytes may be simulated at a time.
    pub simulations: fn(u64) -> usize,
}

/// A lab that is served.
pub struct App {
    lab: PathBuf,
    /// The program.
    pub(crate) program: Program,
    /// What forms carry, so that no other site can post them.
    pub(crate) token: String,
    /// Names this server among those of the same lab.
    pub(crate) worker: String,
    /// Port of its addresses.
    pub(crate) port: u16,
    stopped: Arc<AtomicBool>,
    /// Curves of work under way.
    growing: Mutex<BTreeMap<WorkId, Growing>>,
    asked: Mutex<bool>,
    changed: Condvar,
}

impl App {
    /// Serves the lab in this file, which need not be there yet, on this port.
    pub fn new(lab: PathBuf, port: u16, program: Program) -> App {
        let random = || Uuid::new_v4().simple().to_string();
        App {
            lab,
            program,
            token: random() + &random(),
            worker: random(),
            port,
            stopped: Arc::default(),
            growing: Mutex::default(),
            asked: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// What forms of this server carry.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The lab's file.
    pub(crate) fn path(&self) -> &PathBuf {
        &self.lab
    }

    /// The present instant, ms since 1970.
    pub(crate) fn now_unix_ms(&self) -> i64 {
        (self.program.now_unix_ms)()
    }

    /// The lab, to read it; `None` where there is none yet.
    pub(crate) fn look(&self) -> Result<Option<Lab>, LabError> {
        Lab::look_within(&self.lab, PATIENCE)
    }

    /// The lab, to write to it; made where there is none.
    pub(crate) fn open(&self) -> Result<Lab, LabError> {
        Lab::open_within(&self.lab, PATIENCE)
    }

    /// Brings a lab of an earlier version up to date.
    ///
    /// # Errors
    /// Where that cannot be done, or the file is no lab.
    pub fn bring_up_to_date(&self) -> Result<(), LabError> {
        match self.look() {
            Err(LabError::Older(_)) => self.open().map(drop),
            // Pages say so, until it is free.
            Err(LabError::Locked(_)) => Ok(()),
            other => other.map(drop),
        }
    }

    /// Reads from the lab on a thread that may wait; of no lab, what `T` is by default.
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

    /// Writes to the lab on a thread that may wait.
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

    /// Tells the worker that something was asked for.
    pub(crate) fn wake(&self) {
        *self.asked.lock() = true;
        self.changed.notify_all();
    }

    /// Waits until something is requested, or a second has passed.
    pub(crate) fn wait(&self) {
        let mut asked = self.asked.lock();
        self.changed
            .wait_while_for(&mut asked, |asked| !*asked, Duration::from_secs(1));
        *asked = false;
    }

    /// Ends the worker: what is under way is put back into the queue.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.wake();
    }

    /// Whether the server is ending.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// The curves that grow, by the work that they belong to.
    pub(crate) fn growing(&self) -> MutexGuard<'_, BTreeMap<WorkId, Growing>> {
        self.growing.lock()
    }
}

/// Does something that waits, such as for SQLite, on a thread of its own.
pub(crate) async fn waiting<T: Send + 'static>(
    act: impl FnOnce() -> Result<T, Trouble> + Send + 'static,
) -> Result<T, Trouble> {
    match tokio::task::spawn_blocking(act).await {
        Ok(result) => result,
        Err(error) => Err(Trouble::Fault(error.to_string())),
    }
}
