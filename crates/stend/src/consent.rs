//! Asks on a terminal for the serial number of a device that is to be destroyed.

use std::io::{IsTerminal, Write, stderr, stdin};

/// Returns a function that prints a question and reads a line; `None` without a terminal.
pub fn asker() -> Option<fn(&str) -> Option<String>> {
    let answers: fn(&str) -> Option<String> = line;
    (stdin().is_terminal() && stderr().is_terminal()).then_some(answers)
}

/// Reads a line, without its line break; `None` at the end of input.
fn line(question: &str) -> Option<String> {
    let mut out = stderr().lock();
    out.write_all(question.as_bytes()).ok()?;
    out.flush().ok()?;
    let mut typed = String::new();
    if stdin().read_line(&mut typed).ok()? == 0 {
        return None;
    }
    let typed = typed.strip_suffix('\n').unwrap_or(&typed);
    Some(typed.strip_suffix('\r').unwrap_or(typed).to_owned())
}
