//! Signals such as Ctrl-C. Before stend exits, it ends the programs that it runs and completes a
//! file that is being saved. The exit code names the signal.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;
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

/// Text printed when a signal arrives.
static HINT: Mutex<String> = Mutex::new(String::new());

/// Function that restores the terminal.
static RESTORE: Mutex<Option<fn()>> = Mutex::new(None);

/// Action of the next signal, instead of ending the process.
static INSTEAD: Mutex<Option<Box<dyn FnOnce() + Send>>> = Mutex::new(None);

/// Action just before a signal ends the process.
static LAST: Mutex<Option<fn()>> = Mutex::new(None);

/// Set at the instant when a signal arrives. Programs on the same terminal receive the signal as
/// well, and end.
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

/// Makes the next signal run `act` instead of ending the process; a second signal ends it.
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

/// Runs `act`, during which no signal ends the process.
pub fn undisturbed<T>(act: impl FnOnce() -> T) -> T {
    let _guard = SAVING.lock();
    act()
}

/// Sets the text printed after the word "interrupted" when a signal arrives.
pub fn hint(text: String) {
    *HINT.lock() = text;
}

/// Sets a short action to be run before a signal ends the process.
pub fn last(act: fn()) {
    *LAST.lock() = Some(act);
}

/// Sets the function that restores the terminal when a signal ends the process; `None` clears it.
#[cfg_attr(not(feature = "screen"), allow(dead_code))]
pub fn restore_terminal_by(restore: Option<fn()>) {
    *RESTORE.lock() = restore;
}

/// Waits if a signal is ending the process: an error that the signal causes is not the result.
pub fn settle() {
    while ENDING.load(Ordering::SeqCst) {
        std::thread::park();
    }
}
