//! Texts of an edition that state times of loads, which a run may scale: `{180 s} a point` becomes
//! `3 min a point` at full length, and `18 s a point` in a run of a tenth.

use std::fmt;

use serde::Deserialize;
use stend_analysis::words;
use stend_record::review::Text;

use crate::job::scaled_runtime_s;

/// A text with times in braces, in whole seconds; of a message, in its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Text")]
pub struct TimedText(Text);

impl TimedText {
    /// Returns the text of a run whose loads take this factor of their time.
    pub fn at(&self, scale: f64) -> Text {
        let time = |seconds: u64| words::time(scaled_runtime_s(seconds as f64, scale) as f64);
        let mut timed = |words: String| with_times(&words, &time).unwrap_or(words);
        self.0.clone().map_words(&mut timed)
    }

    /// Returns the times in the text, s.
    pub fn seconds(&self) -> Vec<u64> {
        let found = std::cell::RefCell::new(Vec::new());
        let note = |seconds: u64| {
            found.borrow_mut().push(seconds);
            String::new()
        };
        let mut read = |words: String| with_times(&words, &note).unwrap_or(words);
        let _ = self.0.clone().map_words(&mut read);
        found.into_inner()
    }
}

/// Writes the text at full length.
impl fmt::Display for TimedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.at(1.0).fmt(f)
    }
}

impl TryFrom<Text> for TimedText {
    type Error = String;

    fn try_from(text: Text) -> Result<TimedText, String> {
        let mut wrong = None;
        let mut check = |words: String| match with_times(&words, &|_| String::new()) {
            Ok(_) => words,
            Err(error) => {
                wrong = Some(error);
                words
            }
        };
        let text = text.map_words(&mut check);
        wrong.map_or(Ok(TimedText(text)), Err)
    }
}

/// Replaces the times in braces.
fn with_times(text: &str, time: &dyn Fn(u64) -> String) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        let inside = behind.split_once('}');
        let parsed =
            inside.and_then(|(s, behind)| Some((s.strip_suffix(" s")?.parse().ok()?, behind)));
        let (seconds, behind) = parsed.ok_or_else(|| {
            format!("`{{` begins a time in whole seconds, such as {{180 s}}: none is in `{text}`")
        })?;
        out += before;
        out += &time(seconds);
        rest = behind;
    }
    Ok(out + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Result<TimedText, String> {
        TimedText::try_from(Text::from(text))
    }

    #[test]
    fn times_in_braces_are_those_of_the_run() {
        let two = text("After {7200 s} a rest of 15 min, then {60 s}.").unwrap();
        assert_eq!(
            two.at(1.0).to_string(),
            "After 2 h a rest of 15 min, then 60 s."
        );
        assert_eq!(
            two.at(0.1).to_string(),
            "After 12 min a rest of 15 min, then 6 s."
        );
        assert_eq!(two.seconds(), [7200, 60]);
        assert_eq!(text("").unwrap().at(1.0), Text::default());
    }

    #[test]
    fn braces_without_a_time_are_an_error() {
        for wrong in ["{", "{}", "{3 min} a point", "{1.5 s}", "{60 s"] {
            let told = text(wrong).unwrap_err();
            assert!(told.contains("{180 s}"), "{told}");
        }
    }
}
