//! Monitors a real drive, a reading per interval: its activity from the kernel's counts
//! (`/sys/dev/block/M:N/stat`, whose fields `Documentation/block/stat.rst` of Linux describes), its
//! temperature from hwmon, its wear from smartctl.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::probe::device::Device;
use crate::probe::path_kind::PathKind;
use crate::probe::system::{SystemRoot, read_trimmed};
use crate::probe::thermometer::Thermometer;
use crate::probe::{health, smartctl};
use stend_load::target::{Reading, TargetError};

/// Unit of the kernel's sector counts, whatever the device's own sector size.
const SECTOR_BYTES: u64 = 512;

/// The kernel's counts since the device appeared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    reads: u64,
    read_bytes: u64,
    /// Sum of the latencies of reads, queueing in the kernel included, ms.
    read_ms: u64,
    writes: u64,
    write_bytes: u64,
    write_ms: u64,
    /// Requests outstanding now.
    in_flight: u64,
    /// Integral of the number outstanding, ms.
    queue_ms: u64,
}

impl Counts {
    /// Parses the line of `stat`.
    fn parse(text: &str) -> Option<Counts> {
        let fields: Option<Vec<u64>> = text.split_whitespace().map(|n| n.parse().ok()).collect();
        let fields = fields.filter(|fields| fields.len() >= 11)?;
        Some(Counts {
            reads: fields[0],
            read_bytes: fields[2].wrapping_mul(SECTOR_BYTES),
            read_ms: fields[3],
            writes: fields[4],
            write_bytes: fields[6].wrapping_mul(SECTOR_BYTES),
            write_ms: fields[7],
            in_flight: fields[8],
            queue_ms: fields[10],
        })
    }

    /// Activity since an earlier moment; the caller adds temperature, wear and `t_s`.
    fn since(&self, earlier: &Counts, elapsed_s: f64) -> Reading {
        // A device that was removed and came back counts from 0.
        let rate = |now: u64, then: u64| now.saturating_sub(then) as f64 / elapsed_s;
        let mean_ns = |ms: u64, ms_then: u64, n: u64, n_then: u64| {
            let requests = n.saturating_sub(n_then);
            (requests > 0).then(|| ms.saturating_sub(ms_then) as f64 * 1e6 / requests as f64)
        };
        Reading {
            read_iops: rate(self.reads, earlier.reads),
            write_iops: rate(self.writes, earlier.writes),
            read_bw_bytes_per_s: rate(self.read_bytes, earlier.read_bytes),
            write_bw_bytes_per_s: rate(self.write_bytes, earlier.write_bytes),
            queue_depth_mean: rate(self.queue_ms, earlier.queue_ms) / 1e3,
            in_flight: self.in_flight,
            read_latency_ns_mean: mean_ns(self.read_ms, earlier.read_ms, self.reads, earlier.reads),
            write_latency_ns_mean: mean_ns(
                self.write_ms,
                earlier.write_ms,
                self.writes,
                earlier.writes,
            ),
            ..Reading::default()
        }
    }
}

/// Reads the counts of one device.
#[derive(Clone, Debug)]
struct Meter {
    /// Model and node.
    title: String,
    dir: PathBuf,
    /// Node of the whole disk, for smartctl.
    node: PathBuf,
    sensor: Option<Thermometer>,
}

impl Meter {
    /// Opens the meter of a block device, or of the one below the file system of a path.
    ///
    /// # Errors
    /// [`TargetError::Input`] if there is no such path or not exactly one device below it.
    fn open(root: &SystemRoot, path: &Path) -> Result<Meter, TargetError> {
        let device = match PathKind::of(path)? {
            PathKind::Device(number, _) => Device::find(root, number),
            PathKind::File | PathKind::Directory => {
                let path = std::fs::canonicalize(path).ok();
                path.and_then(|path| Device::below(root, &path))
            }
            PathKind::Nothing => {
                return Err(TargetError::Input(format!(
                    "there is no {}; `lsblk` lists the devices",
                    path.display()
                )));
            }
        };
        device.map(|device| Meter::of(&device)).ok_or_else(|| {
            TargetError::Input(format!(
                "{} is not on one block device with request counters of the kernel; name \
                 a device",
                path.display()
            ))
        })
    }

    fn of(device: &Device) -> Meter {
        let node = format!("/dev/{}", device.name);
        Meter {
            title: match &device.model {
                Some(model) => format!("{model} ({node})"),
                None => node,
            },
            node: PathBuf::from(format!("/dev/{}", device.disk_name())),
            sensor: Thermometer::hwmon(device),
            dir: device.dir.clone(),
        }
    }

    /// Reads the present counts.
    ///
    /// # Errors
    /// [`TargetError::Failed`] if the device is gone.
    fn counts(&self) -> Result<Counts, TargetError> {
        let text = read_trimmed(&self.dir.join("stat"));
        text.as_deref().and_then(Counts::parse).ok_or_else(|| {
            TargetError::Failed(format!(
                "{}: the device was removed: the kernel counts no requests of it any more",
                self.title
            ))
        })
    }

    /// Present temperature, °C; `None` without a sensor. SATA drives have one if the kernel's
    /// `drivetemp` is loaded.
    fn temperature_c(&self) -> Option<f64> {
        self.sensor.as_ref()?.celsius()
    }
}

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
    let meter = Meter::open(&SystemRoot::running(), path)?;
    let title = meter.title.clone();
    let (wear, wear_unknown) = wear(&meter.node);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::recorded::{Recorded, says};

    /// A virtio disk in Linux 6.18: 17 fields.
    const VIRTIO: &str = " 2290822    43493 99422192 10568823  4984504   191371 243701244   \
        937537        2   558540 11578496    55009       15 33653456    71349     7432      786\n";

    #[test]
    fn fields_of_old_and_new_kernels() {
        let counts = Counts::parse(VIRTIO).unwrap();
        assert_eq!(
            counts,
            Counts {
                reads: 2_290_822,
                read_bytes: 99_422_192 * 512,
                read_ms: 10_568_823,
                writes: 4_984_504,
                write_bytes: 243_701_244 * 512,
                write_ms: 937_537,
                in_flight: 2,
                queue_ms: 11_578_496,
            }
        );
        let old: Vec<&str> = VIRTIO.split_whitespace().take(11).collect();
        assert_eq!(Counts::parse(&old.join(" ")), Some(counts));
        assert_eq!(Counts::parse(&old[..10].join(" ")), None);
        assert_eq!(Counts::parse(&VIRTIO.replace("43493", "x")), None);
    }

    #[test]
    fn rates_are_means_over_the_interval() {
        let before = Counts::parse(VIRTIO).unwrap();
        let after = Counts {
            reads: before.reads + 1000,
            read_bytes: before.read_bytes + 4_096_000,
            read_ms: before.read_ms + 100,
            in_flight: 7,
            queue_ms: before.queue_ms + 4000,
            ..before
        };
        let reading = after.since(&before, 2.0);
        assert_eq!(reading.read_iops, 500.0);
        assert_eq!(reading.read_bw_bytes_per_s, 2_048_000.0);
        assert_eq!(reading.read_latency_ns_mean, Some(100_000.0));
        assert_eq!(reading.queue_depth_mean, 2.0);
        assert_eq!(reading.in_flight, 7);
        assert_eq!(reading.write_latency_ns_mean, None);
        assert_eq!(reading.write_iops, 0.0);
        assert_eq!(before.since(&after, 1.0).read_iops, 0.0, "counted anew");
    }

    #[test]
    fn sensors_of_either_kind_of_drive() {
        let system = Recorded::sata();
        let nvme = "sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n1";
        let sata = "sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda";
        let meter = |number: &str| Meter::of(&system.device(number));
        assert_eq!(meter("259:0").temperature_c(), None);
        system.write(&format!("{nvme}/device/hwmon3/temp1_input"), "38850\n");
        system.write(
            &format!("{sata}/device/hwmon/hwmon4/temp1_input"),
            "29000\n",
        );
        assert_eq!(meter("259:0").temperature_c(), Some(38.85));
        assert_eq!(meter("259:2").temperature_c(), Some(38.85));
        assert_eq!(meter("8:0").temperature_c(), Some(29.0));
        assert_eq!(meter("259:2").node, Path::new("/dev/nvme0n1"));
        says(meter("259:2").title, "960 PRO 1TB (/dev/nvme0n1p2)");
        let gone = meter("8:0").counts().unwrap_err();
        says(&gone, "was removed");
        system.write(&format!("{sata}/stat"), VIRTIO);
        assert_eq!(meter("8:0").counts().unwrap().in_flight, 2);
    }
}
