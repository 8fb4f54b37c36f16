//! Times in which a target answered nothing.

use std::sync::Arc;

use parking_lot::Mutex;
use stend_language::{Text, recorded};

/// Times without any answer of a target, shared by the target and the code that measures it. A
/// program such as fio reports nothing while its requests wait, so its results do not show them.
#[derive(Clone, Debug, Default)]
pub struct Silences(Arc<Mutex<Vec<f64>>>);

impl Silences {
    /// Adds a time without an answer, s.
    pub fn push(&self, length_s: f64) {
        self.0.lock().push(length_s);
    }

    /// Removes all times, and returns the warning about them; `None` if there are none.
    pub fn take_warning(&self) -> Option<Text> {
        let lengths = std::mem::take(&mut *self.0.lock());
        let longest = lengths.iter().copied().reduce(f64::max)?;
        let time = format!("{longest:.0} s");
        Some(match lengths.len() {
            1 => recorded!("warning-silence", time = time),
            times => recorded!("warning-silences", times = times, time = time),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_silences_are_one_warning() {
        let silences = Silences::default();
        assert_eq!(silences.take_warning(), None);
        silences.clone().push(31.0);
        let told = silences.take_warning().unwrap().in_english();
        assert!(told.contains("no request for 31 s"), "{told}");
        silences.push(12.0);
        silences.push(40.4);
        let told = silences.take_warning().unwrap().in_english();
        assert!(told.contains("2 times") && told.contains("40 s"), "{told}");
        assert_eq!(silences.take_warning(), None);
    }
}
