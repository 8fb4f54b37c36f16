//! A drive's temperature while a job runs.
//!
//! The kernel's own sensor is read if there is one (`hwmon`: NVMe drives, and ATA drives with the
//! module drivetemp), which reads a log page or sends a SCT command; else smartctl is run. Both
//! send a command to the drive under test, so neither is used more often than every ten seconds.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use stend_record::review::TemperatureSample;

use crate::probe::device::Device;
use crate::probe::health;
use crate::probe::system::names_in;

const PERIOD: Duration = Duration::from_secs(10);

/// Source of a drive's temperature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Thermometer {
    /// A file with thousandths of a degree.
    Hwmon(PathBuf),
    /// smartctl, with the disk's name in `/dev`.
    Smartctl(String),
}

impl Thermometer {
    /// Thermometer of a device, if it answers.
    pub(crate) fn of(device: &Device) -> Option<Thermometer> {
        let smartctl = || Some(Thermometer::Smartctl(device.disk_name()));
        let answers = |thermometer: &Thermometer| thermometer.celsius().is_some();
        Thermometer::hwmon(device)
            .filter(answers)
            .or_else(|| smartctl().filter(answers))
    }

    /// The drive's first sensor: kernels have placed `hwmonN` beside the device's other files or in
    /// a directory `hwmon`.
    pub(crate) fn hwmon(device: &Device) -> Option<Thermometer> {
        let first = |dir: &Path| {
            let names = names_in(dir).into_iter();
            let numbered = names.filter(|name| name.starts_with("hwmon") && name != "hwmon");
            let files = numbered.map(|name| dir.join(name).join("temp1_input"));
            files.filter(|file| file.exists()).min()
        };
        let dir = device.disk_dir.join("device");
        let file = first(&dir).or_else(|| first(&dir.join("hwmon")))?;
        Some(Thermometer::Hwmon(file))
    }

    /// Present temperature, °C.
    pub(crate) fn celsius(&self) -> Option<f64> {
        match self {
            Thermometer::Hwmon(file) => {
                let text = fs::read_to_string(file).ok()?;
                Some(text.trim().parse::<i64>().ok()? as f64 / 1000.0)
            }
            Thermometer::Smartctl(disk) => health::temperature_c(disk).map(|c| c as f64),
        }
    }
}

/// Time of a reading, and the temperature, °C.
pub(crate) type Reading = (SystemTime, f64);

/// Runs `work`, and reads the temperature meanwhile.
pub(crate) fn watched<T>(
    thermometer: Option<&Thermometer>,
    work: impl FnOnce() -> T,
) -> (T, Vec<Reading>) {
    watched_every(PERIOD, thermometer, work)
}

fn watched_every<T>(
    period: Duration,
    thermometer: Option<&Thermometer>,
    work: impl FnOnce() -> T,
) -> (T, Vec<Reading>) {
    let Some(thermometer) = thermometer else {
        return (work(), Vec::new());
    };
    std::thread::scope(|scope| {
        let (working, ended) = mpsc::channel::<()>();
        let readings = scope.spawn(move || read(thermometer, period, &ended));
        let done = work();
        drop(working);
        // A failure is ignored: the figures do not depend on the temperature.
        (done, readings.join().unwrap_or_default())
    })
}

fn read(thermometer: &Thermometer, period: Duration, ended: &Receiver<()>) -> Vec<Reading> {
    let mut readings = Vec::new();
    loop {
        let at = SystemTime::now();
        readings.extend(thermometer.celsius().map(|celsius| (at, celsius)));
        match ended.recv_timeout(period) {
            Err(RecvTimeoutError::Timeout) => {}
            _ => return readings,
        }
    }
}

/// Readings on the clock of a curve that began at `start_ms` of the machine's clock; earlier
/// readings are omitted.
pub(crate) fn since(readings: &[Reading], start_ms: Option<u64>) -> Vec<TemperatureSample> {
    let Some(start_ms) = start_ms else {
        return Vec::new();
    };
    let start = UNIX_EPOCH + Duration::from_millis(start_ms);
    let after = |(at, celsius): &Reading| {
        Some(TemperatureSample {
            // The log's own clock has a resolution of milliseconds.
            t_s: at.duration_since(start).ok()?.as_millis() as f64 / 1e3,
            celsius: *celsius,
        })
    };
    readings.iter().filter_map(after).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::recorded::Recorded;

    const NVME: &str = "sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n1/device";
    const SATA: &str =
        "sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda/device";

    fn celsius(system: &Recorded, number: &str) -> Option<f64> {
        Thermometer::hwmon(&system.device(number))?.celsius()
    }

    #[test]
    fn sensors_of_both_kinds_of_drives() {
        let system = Recorded::sata();
        assert_eq!(celsius(&system, "259:0"), None);
        assert_eq!(celsius(&system, "8:0"), None);
        system.write(&format!("{NVME}/hwmon1/temp1_input"), "36850\n");
        system.write(&format!("{NVME}/hwmon1/temp2_input"), "52850\n");
        system.write(&format!("{SATA}/hwmon/hwmon2/temp1_input"), "-5000\n");
        assert_eq!(celsius(&system, "259:0"), Some(36.85));
        // A partition has the sensor of its disk.
        assert_eq!(celsius(&system, "259:2"), Some(36.85));
        assert_eq!(celsius(&system, "8:0"), Some(-5.0));
        system.write(&format!("{NVME}/hwmon1/temp1_input"), "hot\n");
        assert_eq!(celsius(&system, "259:0"), None);
    }

    #[test]
    fn readings_go_on_for_as_long_as_the_work_does() {
        let system = Recorded::nvme();
        system.write(&format!("{NVME}/hwmon1/temp1_input"), "30000\n");
        let thermometer = Thermometer::of(&system.device("259:0")).unwrap();
        assert!(matches!(thermometer, Thermometer::Hwmon(_)));
        let period = Duration::from_millis(50);
        let began = SystemTime::now();
        let work = || {
            std::thread::sleep(Duration::from_millis(120));
            system.write(&format!("{NVME}/hwmon1/temp1_input"), "41500\n");
            std::thread::sleep(Duration::from_millis(180));
            "done"
        };
        let (done, readings) = watched_every(period, Some(&thermometer), work);
        assert_eq!(done, "done");
        // At most one per period, and the first immediately.
        let lasted = began.elapsed().unwrap().as_millis() as usize;
        assert!(
            readings.len() >= 2 && readings.len() <= 1 + lasted / 50,
            "{readings:?}"
        );
        let (first, last) = (readings[0], readings[readings.len() - 1]);
        assert_eq!((first.1, last.1), (30.0, 41.5));
        assert!(first.0 >= began && last.0 > first.0);
        assert_eq!(watched(None, || 7), (7, Vec::new()));
    }

    #[test]
    fn times_are_those_of_the_curve() {
        let at = |ms: u64| UNIX_EPOCH + Duration::from_millis(ms);
        let readings = [(at(900), 30.0), (at(1_000), 31.0), (at(11_250), 32.5)];
        let samples = since(&readings, Some(1_000));
        let pairs: Vec<(f64, f64)> = samples.iter().map(|s| (s.t_s, s.celsius)).collect();
        assert_eq!(pairs, [(0.0, 31.0), (10.25, 32.5)]);
        assert_eq!(since(&readings, None), []);
    }
}
