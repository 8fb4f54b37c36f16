//! Notes times in which a target answers nothing: a program such as fio reports nothing while its
//! requests wait, perhaps for ever.
//!
//! Only counts of the kernel are read, once a second, which disturbs no load. A target is silent
//! while a request waits and no count changes. A job that pauses or computes is not silent: none of
//! its requests waits.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rustix::process::Pid;
use stend_load::target::Silences;

use crate::probe::system::{names_in, read_trimmed};

/// Shortest time without an answer that is reported: after ten seconds people turn to something
/// else (Nielsen), and no healthy drive takes that long.
const REPORTED_MIN: Duration = Duration::from_secs(10);

/// Longest time between two reports of the same silence.
const REPORT_EVERY_MAX: Duration = Duration::from_secs(60);

/// Functions of the kernel in which a thread waits for the completion of its requests: io_uring and
/// libaio. A thread that reads or writes synchronously is in state `D`.
const WAITS: [&str; 4] = [
    "io_cqring_wait",
    "io_cqring_schedule",
    "read_events",
    "do_io_getevents",
];

/// Notes the silences of a target.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    /// The target, for messages.
    name: String,
    /// Directory in sysfs of the device under test; `None` for a file, below which other programs'
    /// requests are counted too.
    device_dir: Option<PathBuf>,
    report: Option<fn(&str)>,
    pub(crate) silences: Silences,
}

/// Counts of work, all of which stand still during a silence.
type Counts = Vec<u64>;

impl Watch {
    /// Creates a watch of a target. `device_dir` is the directory of a device under test in sysfs.
    pub(crate) fn new(path: &Path, device_dir: Option<PathBuf>, report: Option<fn(&str)>) -> Watch {
        Watch {
            name: path.display().to_string(),
            device_dir,
            report,
            silences: Silences::default(),
        }
    }

    /// Begins to watch a program that works on the target.
    pub(crate) fn begin(&self) -> Watching<'_> {
        Watching {
            watch: self,
            state: Mutex::new(Silence::new(Instant::now())),
        }
    }

    /// Returns the present counts, and true if a request waits.
    fn counts(&self, program: Pid) -> (Counts, bool) {
        let process = PathBuf::from(format!("/proc/{}", program.as_raw_nonzero()));
        let (mut counts, mut waits) = (moved(&process), false);
        if let Some(dir) = &self.device_dir {
            let stat = read_trimmed(&dir.join("stat")).unwrap_or_default();
            let (completed, in_flight) = completed(&stat);
            counts.extend(completed);
            waits = in_flight > 0;
        } else if counts.iter().all(|count| *count == 0) {
            // Not every file system counts: then nothing is known.
            return (counts, false);
        }
        (counts, waits || a_thread_waits(&process))
    }
}

/// A program that is watched.
#[derive(Debug)]
pub(crate) struct Watching<'w> {
    watch: &'w Watch,
    state: Mutex<Silence>,
}

impl Watching<'_> {
    /// Looks at the program, about once a second.
    pub(crate) fn look(&self, program: Pid) {
        let (counts, waits) = self.watch.counts(program);
        let mut state = self.state.lock();
        let change = state.look(Instant::now(), counts, waits);
        drop(state);
        self.apply(change);
    }

    fn apply(&self, change: Change) {
        let name = &self.watch.name;
        let line = match change {
            Change::Nothing => return,
            Change::Lasts(time) => format!(
                "no answer from {name} for {} s: the drive, its link or its cable may be out of \
                 order; still waiting",
                time.as_secs()
            ),
            Change::Ended(time) => {
                self.watch.silences.push(time.as_secs_f64());
                let seconds = time.as_secs();
                format!("{name} answers again, after {seconds} s without an answer")
            }
        };
        if let Some(report) = self.watch.report {
            report(&line);
        }
    }
}

/// The program has ended, and with it a silence.
impl Drop for Watching<'_> {
    fn drop(&mut self) {
        let now = Instant::now();
        let change = self.state.lock().end(now);
        self.apply(change);
    }
}

/// Change of a silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// Nothing to report.
    Nothing,
    /// It lasts for this long, and is to be reported.
    Lasts(Duration),
    /// It has ended after this time.
    Ended(Duration),
}

/// The present silence, if any.
#[derive(Debug)]
struct Silence {
    /// Time of the last answer, or of the last moment in which no request waited.
    since: Instant,
    counts: Counts,
    /// Length at which it is reported next.
    next_report: Duration,
}

impl Silence {
    fn new(now: Instant) -> Silence {
        Silence {
            since: now,
            counts: Counts::new(),
            next_report: REPORTED_MIN,
        }
    }

    fn look(&mut self, now: Instant, counts: Counts, waits: bool) -> Change {
        if counts != self.counts || !waits {
            let change = self.end(now);
            self.counts = counts;
            return change;
        }
        let length = now - self.since;
        if length < self.next_report {
            return Change::Nothing;
        }
        self.next_report = length + length.min(REPORT_EVERY_MAX);
        Change::Lasts(length)
    }

    fn end(&mut self, now: Instant) -> Change {
        let length = now - self.since;
        let was_reported = self.next_report > REPORTED_MIN;
        *self = Silence::new(now);
        match was_reported {
            true => Change::Ended(length),
            false => Change::Nothing,
        }
    }
}

/// Bytes that a process has read and written. They are counted when requests are sent, and a full
/// queue sends none.
fn moved(process: &Path) -> Counts {
    let text = read_trimmed(&process.join("io")).unwrap_or_default();
    let of = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key))?;
        line.trim().parse().ok()
    };
    ["read_bytes:", "write_bytes:"]
        .map(|key| of(key).unwrap_or(0))
        .to_vec()
}

/// Completed reads, writes, discards and flushes, and the number of requests outstanding, from a
/// device's `stat` (`Documentation/block/stat.rst` of Linux).
fn completed(stat: &str) -> (Counts, u64) {
    let fields: Vec<u64> = stat
        .split_whitespace()
        .map_while(|field| field.parse().ok())
        .collect();
    let field = |index: usize| fields.get(index).copied().unwrap_or(0);
    ([0, 4, 11, 15].map(field).to_vec(), field(8))
}

/// True if a thread of a process waits for the completion of a request.
fn a_thread_waits(process: &Path) -> bool {
    let tasks = process.join("task");
    names_in(&tasks).iter().any(|task| {
        let read = |name: &str| fs::read_to_string(tasks.join(task).join(name)).unwrap_or_default();
        // The name before the state is in parentheses, and may contain some.
        let stat = read("stat");
        let state = stat.rsplit_once(") ").map(|(_, rest)| rest);
        state.is_some_and(|rest| rest.starts_with('D')) || WAITS.contains(&read("wchan").trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Reports of `seconds` looks, one a second; the counts change where `answers` is true.
    fn reports(answers: impl Fn(u32) -> bool, waits: bool, seconds: u32) -> Vec<(u32, Change)> {
        let began = Instant::now();
        let mut silence = Silence::new(began);
        let mut count = 0;
        let mut all = Vec::new();
        for second in 1..=seconds {
            count += u64::from(answers(second));
            match silence.look(began + SECOND * second, vec![count], waits) {
                Change::Nothing => {}
                change => all.push((second, change)),
            }
        }
        all
    }

    #[test]
    fn a_silence_is_reported_while_it_lasts_and_at_its_end() {
        let lasts = |second: u32, length: u64| (second, Change::Lasts(SECOND * length as u32));
        let hang = reports(|second| second <= 5 || second > 200, true, 210);
        assert_eq!(
            hang,
            [
                lasts(15, 10),
                lasts(25, 20),
                lasts(45, 40),
                lasts(85, 80),
                lasts(145, 140),
                (201, Change::Ended(SECOND * 196)),
            ]
        );
    }

    #[test]
    fn pauses_and_slow_answers_are_no_silence() {
        assert_eq!(reports(|_| false, false, 100), []);
        assert_eq!(reports(|second| second % 9 == 0, true, 100), []);
    }

    #[test]
    fn the_kernels_line_of_a_device() {
        let line = "10 3 68 7 20 2 82 50 8 88 58 6 0 61 2 4 26";
        assert_eq!(completed(line), (vec![10, 20, 6, 4], 8));
        assert_eq!(completed("1 2 3"), (vec![1, 0, 0, 0], 0));
    }
}
