//! Signals such as Ctrl-C: programs that stend runs are ended first, a file being
//! saved is completed, and the exit code says which signal it was.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for signals from now on, in a thread of its own.
pub fn watch() -> Result<(), Failure> {
    let uncaught = |error| Failure::Io(format!("signals cannot be caught: {error}"));
    for signal in ENDS {
        flag::register(signal, Arc::clone(&ENDING)).map_err(uncaught)?;
    }
    let mut signals = Signals::new(ENDS).map_err(uncaught)?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            match lock(&INSTEAD).take() {
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
    *lock(&INSTEAD) = Some(Box::new(act));
}

fn end(signal: i32) {
    let _nothing_is_half_saved = lock(&SAVING);
    child::stop();
    stop_programs();
    if let Some(restore) = *lock(&RESTORE) {
        restore();
    }
    // Not under its lock: who sets it may hold what it waits for.
    let last = *lock(&LAST);
    if let Some(act) = last {
        act();
    }
    note(&format!("interrupted{}", lock(&HINT)));
    // As a shell reports an end by this signal.
    std::process::exit(128 + signal);
}

/// Does something during which no signal ends the process.
pub fn undisturbed<T>(act: impl FnOnce() -> T) -> T {
    let _guard = lock(&SAVING);
    act()
}

/// Sets what is printed when a signal arrives, after the word "interrupted".
pub fn hint(text: String) {
    *lock(&HINT) = text;
}

/// Sets what is done, shortly, before a signal ends the process.
pub fn last(act: fn()) {
    *lock(&LAST) = Some(act);
}

/// Sets what puts the terminal back when a signal ends the process; `None` for nothing.
#[cfg_attr(not(feature = "screen"), allow(dead_code))]
pub fn restore_terminal_by(restore: Option<fn()>) {
    *lock(&RESTORE) = restore;
}

/// Waits for a signal that is ending the process: an error that it causes is not the result.
pub fn settle() {
    while ENDING.load(Ordering::SeqCst) {
        std::thread::park();
    }
}
