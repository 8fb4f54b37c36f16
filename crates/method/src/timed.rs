//! Texts of an edition that state times of loads, which a run may scale: `{180 s} a point` becomes
//! `3 min a point` at full length, and `18 s a point` in a run of a tenth.

use std::fmt;

use serde::Deserialize;
use stend_analysis::words;

use crate::job::scaled_runtime_s;

/// A text with times in braces, in whole seconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct TimedText {
    /// A text and the seconds after it, repeated.
    timed: Vec<(String, u64)>,
    /// Text after the last time.
    rest: String,
}

impl TimedText {
    /// Returns the text of a run whose loads take this factor of their time.
    pub fn at(&self, scale: f64) -> String {
        let mut out = String::new();
        for (before, seconds) in &self.timed {
            out += before;
            out += &words::time(scaled_runtime_s(*seconds as f64, scale) as f64);
        }
        out + &self.rest
    }

    /// Returns the times in the text, s.
    pub fn seconds(&self) -> impl Iterator<Item = u64> + '_ {
        self.timed.iter().map(|(_, seconds)| *seconds)
    }
}

impl TryFrom<String> for TimedText {
    type Error = String;

    fn try_from(text: String) -> Result<TimedText, String> {
        let mut timed = Vec::new();
        let mut rest = text.as_str();
        while let Some((before, behind)) = rest.split_once('{') {
            let inside = behind.split_once('}');
            let parsed = inside
                .and_then(|(time, behind)| Some((time.strip_suffix(" s")?.parse().ok()?, behind)));
            let (seconds, behind) = parsed.ok_or_else(|| {
                format!(
                    "`{{` begins a time in whole seconds, such as {{180 s}}: none is in `{text}`"
                )
            })?;
            timed.push((before.to_owned(), seconds));
            rest = behind;
        }
        Ok(TimedText {
            timed,
            rest: rest.to_owned(),
        })
    }
}

/// Writes the text at full length.
impl fmt::Display for TimedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.at(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Result<TimedText, String> {
        TimedText::try_from(text.to_owned())
    }

    #[test]
    fn times_in_braces_are_those_of_the_run() {
        let two = text("After {7200 s} a rest of 15 min, then {60 s}.").unwrap();
        assert_eq!(two.to_string(), "After 2 h a rest of 15 min, then 60 s.");
        assert_eq!(two.at(0.1), "After 12 min a rest of 15 min, then 6 s.");
        assert_eq!(two.seconds().collect::<Vec<_>>(), [7200, 60]);
        assert_eq!(text("").unwrap().to_string(), "");
    }

    #[test]
    fn braces_without_a_time_are_an_error() {
        for wrong in ["{", "{}", "{3 min} a point", "{1.5 s}", "{60 s"] {
            let told = text(wrong).unwrap_err();
            assert!(told.contains("{180 s}"), "{told}");
        }
    }
}
