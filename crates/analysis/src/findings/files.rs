//! What is said of work on files.

use stend_record::review::FileWork;

use crate::files::set_words;
use crate::words;

/// The speeds, and where there are several the widest distance.
pub(super) fn sentences(files: &[FileWork]) -> Vec<String> {
    let speed = |work: &FileWork| {
        format!(
            "{}: {} ({} files)",
            set_words(work),
            words::speed(work.bw_bytes_per_s),
            words::number(work.files as f64)
        )
    };
    let by_speed = |a: &&FileWork, b: &&FileWork| a.bw_bytes_per_s.total_cmp(&b.bw_bytes_per_s);
    let (Some(fastest), Some(slowest)) =
        (files.iter().max_by(by_speed), files.iter().min_by(by_speed))
    else {
        return Vec::new();
    };
    let list: Vec<String> = files.iter().map(speed).collect();
    let mut out = vec![words::capitalised(&format!("{}.", words::list(&list)))];
    if files.len() > 1 {
        out.push(format!(
            "The set `{}` takes {} as long a byte as `{}`.",
            slowest.set,
            words::times(fastest.bw_bytes_per_s / slowest.bw_bytes_per_s),
            fastest.set
        ));
    }
    out
}
