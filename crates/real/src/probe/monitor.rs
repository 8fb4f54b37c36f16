//! Monitors a real drive: a reading per interval, from the kernel's counters and smartctl.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::probe::activity::Meter;
use crate::probe::health;
use crate::probe::smartctl;
use stend_load::target::Reading;
use stend_load::target::TargetError;

/// Interval between readings of the wear, which disturb a drive.
const WEAR_EVERY: Duration = Duration::from_secs(60);

/// Stands for an unknown percentage.
const UNKNOWN: u64 = u64::MAX;

/// A drive that is monitored until `readings` is dropped.
pub struct Watch {
    /// Model and node of the device.
    pub title: String,
    /// Reason why the wear is unknown; `None` if it is known.
    pub wear_unknown: Option<String>,
    /// One reading per interval; an error is the last item.
    pub readings: Receiver<Result<Reading, TargetError>>,
}

/// Monitors a block device, or the one below the file system of a path.
///
/// # Errors
/// As [`Meter::open`] and [`Meter::counts`].
pub fn watch(path: &Path, interval: Duration) -> Result<Watch, TargetError> {
    let meter = Meter::open(path)?;
    let title = meter.title().to_owned();
    let (wear, wear_unknown) = wear(meter.node());
    let begin = meter.counts()?;
    let (send, readings) = sync_channel(1);
    thread::spawn(move || {
        let began = Instant::now();
        let mut before = (began, begin);
        loop {
            thread::sleep(interval);
            let now = Instant::now();
            let reading = meter.counts().map(|counts| {
                let elapsed = now.duration_since(before.0);
                let reading = counts.since(&before.1, elapsed.as_secs_f64());
                before = (now, counts);
                let used = wear.load(Ordering::Relaxed);
                Reading {
                    t_s: now.duration_since(began).as_secs_f64(),
                    temperature_c: meter.temperature_c(),
                    used_percent: (used != UNKNOWN).then_some(used),
                    ..reading
                }
            });
            let ended = reading.is_err();
            if send.send(reading).is_err() || ended {
                return;
            }
        }
    });
    Ok(Watch {
        title,
        wear_unknown,
        readings,
    })
}

/// The wear, read now and every minute, and the reason if it is unknown.
fn wear(node: &Path) -> (Arc<AtomicU64>, Option<String>) {
    let node = node.to_owned();
    let read = move || {
        let health = health::of_document(&smartctl::answer(&node)?.document);
        Ok::<_, TargetError>(health.used_percent.unwrap_or(UNKNOWN))
    };
    let used = match read() {
        Ok(used) => used,
        Err(why) => return (Arc::new(AtomicU64::new(UNKNOWN)), Some(why.to_string())),
    };
    let wear = Arc::new(AtomicU64::new(used));
    let shared = Arc::clone(&wear);
    thread::spawn(move || {
        loop {
            thread::sleep(WEAR_EVERY);
            shared.store(read().unwrap_or(UNKNOWN), Ordering::Relaxed);
        }
    });
    (wear, None)
}
