//! Work on files: names of sets, sentences and key figures.

use stend_language::{Text, text};
use stend_record::figure::FigureId;
use stend_record::review::FileWork;

use super::{Kind, Named};
use crate::figures::{Standing, Unit};
use crate::words;

/// Returns the name of the set, with its size if it was scaled down: only sets of one size compare.
pub fn set_words(work: &FileWork) -> String {
    set_title(&work.set, work.scaled.then_some(work.set_bytes))
}

/// Returns the name of a set, with the size of one that was scaled down.
pub(super) fn set_title(set: &str, scaled_bytes: Option<u64>) -> String {
    let set = Text::named("set", set).to_string();
    match scaled_bytes {
        None => set,
        Some(bytes) => text!("files-scaled-set", set = set, mib = bytes >> 20),
    }
}

/// The analysis of work on files.
pub(super) const KIND: Kind = Kind {
    sentences: |test, _| sentences(test.files()),
    lines: |test| test.files().iter().map(line).collect(),
    key_figures: |test| key_figures(test.files()),
};

/// Formats work on a set as a line for a terminal.
fn line(work: &FileWork) -> String {
    let line = text!(
        "files-line",
        set = set_words(work),
        mb_per_s = words::fixed(work.bw_bytes_per_s / 1e6, 1),
        files = work.files,
        gb = words::fixed(work.set_bytes as f64 / 1e9, 2),
        seconds = words::fixed(work.duration_s, 2)
    );
    format!("  {line}\n")
}

/// Reports the speed of the only set, or of the fastest and the slowest.
fn sentences(files: &[FileWork]) -> Vec<String> {
    let speed = |work: &FileWork| {
        text!(
            "files-speed",
            set = set_words(work),
            speed = words::speed(work.bw_bytes_per_s),
            count = work.files,
            files = words::whole(work.files)
        )
    };
    let by_speed = |a: &&FileWork, b: &&FileWork| a.bw_bytes_per_s.total_cmp(&b.bw_bytes_per_s);
    let (Some(fastest), Some(slowest)) =
        (files.iter().max_by(by_speed), files.iter().min_by(by_speed))
    else {
        return Vec::new();
    };
    match files {
        [only] => vec![words::capitalised(&format!("{}.", speed(only)))],
        _ if Standing::of(slowest.bw_bytes_per_s, fastest.bw_bytes_per_s) == Standing::Level => {
            vec![text!(
                "files-all-level",
                speed = words::speed(fastest.bw_bytes_per_s)
            )]
        }
        _ => vec![text!(
            "files-ends",
            fastest = speed(fastest),
            slowest = speed(slowest)
        )],
    }
}

fn key_figures(files: &[FileWork]) -> Vec<Named> {
    let figure = |work: &FileWork| {
        let figure = FigureId::Set {
            set: work.set.clone(),
            set_bytes: work.scaled.then_some(work.set_bytes >> 20 << 20),
        };
        (figure, work.bw_bytes_per_s, Unit::BytesPerS)
    };
    files.iter().map(figure).collect()
}
