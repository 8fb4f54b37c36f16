//! Speed of this machine without a device, measured with fio's engine `null`: a request completes
//! as soon as it is submitted, no data is moved and the kernel is not called. A drive's figures
//! cannot exceed it, and those close to it are limited by the machine.

use crate::fio::program::{Fio, judge};
use crate::probe::system::SystemRoot;
use crate::process::tools;
use stend_load::target::HostLimit;

/// Outstanding requests per thread: the highest queue depth in the editions.
const QUEUE_DEPTH: u32 = 32;

/// Length of the measurement, ms.
const RUNTIME_MS: u32 = 500;

/// Runs the null engine with `threads` threads.
pub(crate) fn limit(
    fio: &Fio,
    root: &SystemRoot,
    threads: u32,
    block_bytes: u64,
) -> Result<HostLimit, String> {
    let before = Ticks::now(root);
    let said = tools::run(
        tools::command(&fio.path)
            .args(["--readonly", "--name=host-limit", "--ioengine=null"])
            .args(["--rw=randread", "--norandommap", "--size=1g", "--thread"])
            .args(["--time_based", "--group_reporting", "--randrepeat=0"])
            .arg(format!("--runtime={RUNTIME_MS}ms"))
            .arg(format!("--bs={block_bytes}"))
            .arg(format!("--iodepth={QUEUE_DEPTH}"))
            .arg(format!("--numjobs={threads}"))
            .args(["--output-format=json", "--eta=never"]),
    )
    .map_err(|error| error.to_string())?;
    let after = Ticks::now(root);
    let output = judge(&said, &said.stdout).map_err(|error| error.to_string())?;
    let reads = || output.jobs.iter().map(|job| &job.read);
    let limit = HostLimit {
        threads,
        queue_depth: QUEUE_DEPTH,
        block_bytes,
        iops: reads().map(|read| read.iops).sum(),
        bw_bytes_per_s: reads().map(|read| read.bw_bytes as f64).sum(),
        busy_share: before.zip(after).and_then(|(from, to)| to.busy_since(from)),
    };
    if limit.iops > 0.0 {
        Ok(limit)
    } else {
        Err("fio's null engine completed no request".to_owned())
    }
}

/// Work of all processors since the machine was started, in the kernel's ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ticks {
    all: u64,
    idle: u64,
}

impl Ticks {
    fn now(root: &SystemRoot) -> Option<Ticks> {
        Ticks::parse(&root.text("proc/stat")?)
    }

    /// Parses the first line of `/proc/stat`, proc(5): user, nice, system, idle, iowait, irq,
    /// softirq, steal; guests are already included in user.
    fn parse(stat: &str) -> Option<Ticks> {
        let line = stat.lines().next()?.strip_prefix("cpu ")?;
        let ticks: Vec<u64> = line
            .split_whitespace()
            .take(8)
            .map(|text| text.parse().ok())
            .collect::<Option<_>>()?;
        Some(Ticks {
            all: ticks.iter().sum(),
            idle: ticks.get(3)? + ticks.get(4)?,
        })
    }

    fn busy_since(self, earlier: Ticks) -> Option<f64> {
        let all = self.all.checked_sub(earlier.all).filter(|all| *all > 0)?;
        let idle = self.idle.checked_sub(earlier.idle)?;
        Some(1.0 - idle as f64 / all as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_busy_processors() {
        let at = |text| Ticks::parse(text).unwrap();
        let from = at("cpu  100 0 50 800 50 0 0 0 7 7\ncpu0 1 1 1 1 1\n");
        let to = at("cpu  140 5 65 820 70 0 0 0 9 9\n");
        // 40 + 5 + 15 ticks of 100 are busy.
        assert_eq!(to.busy_since(from), Some(0.6));
        assert_eq!(from.busy_since(from), None);
        assert_eq!(from.busy_since(to), None, "a clock that goes back");
        assert_eq!(Ticks::parse("intr 1 2 3"), None);
        assert_eq!(Ticks::parse("cpu  1 2 3"), None);
    }
}
