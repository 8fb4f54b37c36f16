//! Signals such as Ctrl-C: programs that stend runs are ended first, a file being
//! saved is completed, and the exit code says which signal it was.

use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use stend_real::stop_programs;

use crate::child;
use crate::failure::Failure;
use crate::output::note;

/// The signals that end the process.
const ENDS: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

/// Locked while something is saved, and at the end of the process.
static SAVING: Mutex<()> = Mutex::new(());

/// What is printed when a signal arrives.
static HINT: Mutex<String> = Mutex::new(String::new());

/// What puts the terminal back to how it was.
static RESTORE: Mutex<Option<fn()>> = Mutex::new(None);

/// What the next signal does instead of ending the process.
static INSTEAD: Mutex<Option<Box<dyn FnOnce() + Send>>> = Mutex::new(None);

/// What is done before a signal ends the process.
static LAST: Mutex<Option<fn()>> = Mutex::new(None);

/// Set in the instant in which a signal arrives: programs of the same terminal get it as well, and
/// end.
static ENDING: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Waits for signals from now on, in a thread of its own.
pub fn watch() -> Result<(), Failure> {
    let uncaught = |error| Failure::Io(format!("signals cannot be caught: {error}"));
    for signal in ENDS {
        flag::register(signal, Arc::clone(&ENDING)).map_err(uncaught)?;
    }
    let mut signals = Signals::new(ENDS).map_err(uncaught)?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            match INSTEAD.lock().take() {
                None => end(signal),
                Some(act) => {
                    ENDING.store(false, Ordering::SeqCst);
                    act();
                }
            }
        }
    });
    Ok(())
}

/// Lets the next signal do this instead of ending the process; one more ends it.
pub fn instead(act: impl FnOnce() + Send + 'static) {
    *INSTEAD.lock() = Some(Box::new(act));
}

fn end(signal: i32) {
    let _nothing_is_half_saved = SAVING.lock();
    child::stop();
    stop_programs();
    if let Some(restore) = *RESTORE.lock() {
        restore();
    }
    // Not under its lock: who sets it may hold what it waits for.
    let last = *LAST.lock();
    if let Some(act) = last {
        act();
    }
    note(&format!("interrupted{}", HINT.lock()));
    // As a shell reports an end by this signal.
    std::process::exit(128 + signal);
}

/// Does something during which no signal ends the process.
pub fn undisturbed<T>(act: impl FnOnce() -> T) -> T {
    let _guard = SAVING.lock();
    act()
}

/// Sets what is printed when a signal arrives, after the word "interrupted".
pub fn hint(text: String) {
    *HINT.lock() = text;
}

/// Sets what is done, shortly, before a signal ends the process.
pub fn last(act: fn()) {
    *LAST.lock() = Some(act);
}

/// Sets what puts the terminal back when a signal ends the process; `None` for nothing.
#[cfg_attr(not(feature = "screen"), allow(dead_code))]
pub fn restore_terminal_by(restore: Option<fn()>) {
    *RESTORE.lock() = restore;
}

/// Waits for a signal that is ending the process: an error that it causes is not the result.
pub fn settle() {
    while ENDING.load(Ordering::SeqCst) {
        std::thread::park();
    }
}
