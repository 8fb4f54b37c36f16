//! SimpleSSD-Standalone 2.0: its configuration files, and its results. Names and units are those of
//! its sources: times of the flash in ps, configurations as INI files.

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;

use stend_base::Op;
use stend_model::spec::Policy;

use super::case::{Case, Pace, State};
use super::drive::{Drive, by_page_type};
use super::figures::Figures;
use super::program::{Program, Ran, Simulator, write};
use crate::failure::Failure;

const CONFIG: &str = "simulation.cfg";
const DRIVE: &str = "ssd.cfg";
const TRACE: &str = "requests.txt";
const STATISTICS: &str = "statistics.txt";
const LATENCIES: &str = "latencies.csv";

/// Output line after which the requests follow.
const PREPARED: [&str; 1] = ["Begin of simulation"];

/// Text before the last instant of virtual time, in ps.
const END: &str = "End of simulation @ tick";

/// Name of the statistic of programmed bytes.
const PROGRAMMED: &str = "pal.program.bytes";

/// SimpleSSD-Standalone as an external program.
pub struct SimpleSsd(pub Program);

impl Simulator for SimpleSsd {
    fn name(&self) -> &'static str {
        "SimpleSSD"
    }

    fn limits(&self, drive: &Drive) -> Vec<String> {
        let mut limits = vec![
            "prepares only the mapping table, and overwrites only as much as fits before GC"
                .to_owned(),
            "uses its own times for processors, DRAM and NVMe controller".to_owned(),
        ];
        if !drive.link.nvme {
            limits.push("no host link: its program supports only NVMe".to_owned());
        }
        if matches!(drive.policy, Policy::Fifo) {
            limits.push("greedy GC instead of FIFO".to_owned());
        }
        if drive.mapping_bytes.is_some() {
            limits.push("the whole mapping table in DRAM".to_owned());
        }
        if drive.suspend_ns.iter().any(Option::is_some) {
            limits.push("no suspension of programs and erases".to_owned());
        }
        limits
    }

    fn run(&self, drive: &Drive, case: &Case, folder: &Path) -> Result<Figures, Failure> {
        let text = |name: &str, text: String| {
            write(&folder.join(name), |file| file.write_all(text.as_bytes()))
        };
        text(CONFIG, config(drive, case))?;
        text(DRIVE, device(drive, case))?;
        write(&folder.join(TRACE), |file| {
            (0..case.requests).try_for_each(|i| file.write_all(trace_line(case, i).as_bytes()))
        })?;
        let ran = self.0.run(&[CONFIG, DRIVE, "."], folder, &PREPARED)?;
        let wrong = |problem: String| self.0.not_understood(&problem);
        let end_ps = end_ps(&ran.stdout).map_err(wrong)?;
        let latencies = File::open(folder.join(LATENCIES))
            .map_err(|error| error.to_string())
            .and_then(|file| Latencies::read(BufReader::new(file)))
            .map_err(|problem| wrong(format!("{LATENCIES}: {problem}")))?;
        self.0
            .expect("requests", latencies.requests, case.requests)?;
        let statistics = fs::read_to_string(folder.join(STATISTICS)).unwrap_or_default();
        let programmed = statistic(&statistics, PROGRAMMED);
        Ok(figures(end_ps, &latencies, programmed, &ran, case))
    }
}

fn figures(
    end_ps: u64,
    latencies: &Latencies,
    programmed_bytes: Option<f64>,
    ran: &Ran,
    case: &Case,
) -> Figures {
    let programmed = programmed_bytes.filter(|_| case.op == Op::Write);
    Figures {
        prepare_s: ran.prepare_s,
        wall_s: ran.wall_s,
        requests: latencies.requests,
        bytes: case.total_bytes(),
        virtual_s: end_ps as f64 / 1e12,
        latency_ns_mean: Some(latencies.sum_ps as f64 / 1e3 / latencies.requests.max(1) as f64),
        write_amplification: programmed.map(|bytes| bytes / case.total_bytes() as f64),
    }
}

/// Formats a request: time in ns, operation, offset and length in bytes.
fn trace_line(case: &Case, index: u64) -> String {
    let request = case.request(index);
    let op = match request.op {
        Op::Read => 'R',
        _ => 'W',
    };
    format!(
        "{} {op} {} {}\n",
        request.at.0, request.offset_bytes, request.len_bytes
    )
}

/// Builds an INI file.
#[derive(Default)]
struct Ini(String);

impl Ini {
    fn section(&mut self, name: &str) {
        self.0 += &format!("[{name}]\n");
    }

    fn value(&mut self, name: &str, value: impl Display) {
        self.0 += &format!("{name} = {value}\n");
    }
}

/// Configuration of the simulation.
fn config(drive: &Drive, case: &Case) -> String {
    let mut ini = Ini::default();
    ini.section("global");
    // Mode 1 replays a trace.
    ini.value("Mode", 1);
    ini.value("LogPeriod", 0);
    ini.value("LogFile", STATISTICS);
    ini.value("DebugLogFile", "");
    ini.value("LatencyLogFile", LATENCIES);
    ini.value("ProgressPeriod", 0);
    ini.value("Interface", u8::from(drive.link.nvme));
    ini.value("Scheduler", 0);
    ini.value("SubmissionLatency", format!("{}ns", drive.link.submit_ns));
    ini.value("CompletionLatency", format!("{}ns", drive.link.complete_ns));
    ini.section("trace");
    ini.value("File", TRACE);
    let (mode, depth) = match case.pace {
        Pace::Depth(depth) => (1, depth),
        Pace::Interval(_) => (2, 1),
    };
    ini.value("TimingMode", mode);
    ini.value("QueueDepth", depth);
    ini.value("IOLimit", 0);
    ini.value("Regex", r#""(\d+) (\w) (\d+) (\d+)""#);
    for (name, group) in [
        ("Nanosecond", 1),
        ("Operation", 2),
        ("ByteOffset", 3),
        ("ByteLength", 4),
    ] {
        ini.value(name, group);
    }
    ini.value("UseHexadecimal", 0);
    ini.0
}

/// Configuration of the drive.
fn device(drive: &Drive, case: &Case) -> String {
    let mut ini = Ini::default();
    if let (true, Some((lanes, gb_per_s))) = (drive.link.nvme, drive.link.pcie) {
        ini.section("nvme");
        // 0.5 GB/s per lane is PCIe 2.0, 0.985 GB/s is PCIe 3.0.
        ini.value("PCIEGeneration", if gb_per_s > 0.75 { 2 } else { 1 });
        ini.value("PCIELane", lanes);
        ini.value("DefaultNamespace", 1);
        ini.value("LBASize", 512);
    }
    flash(&mut ini, drive);
    mapping(&mut ini, drive, case);
    ini.section("icl");
    ini.value("CacheSize", drive.buffer_bytes);
    ini.value("CacheWaySize", 8);
    ini.value("EnableReadCache", 0);
    ini.value("EnableReadPrefetch", 0);
    ini.value("EnableWriteCache", u8::from(drive.write_cache));
    // Least recently used entries are evicted first.
    ini.value("EvictPolicy", 2);
    ini.0
}

fn flash(ini: &mut Ini, drive: &Drive) {
    ini.section("pal");
    ini.value("Channel", drive.channels);
    // Dies work independently here: each is a package.
    ini.value("Package", drive.dies_per_channel);
    ini.value("Die", 1);
    ini.value("Plane", drive.planes);
    ini.value("Block", drive.blocks_per_plane);
    ini.value("Page", drive.pages_per_block);
    ini.value("PageSize", drive.page_bytes);
    ini.value("EnableMultiPlaneOperation", 1);
    ini.value("NANDType", drive.read_ns.len() - 1);
    for (name, times) in [("Read", &drive.read_ns), ("Write", &drive.program_ns)] {
        let pages = ["LSB", "CSB", "MSB"].into_iter().zip(by_page_type(times));
        for (page, ns) in pages {
            ini.value(&format!("{page}{name}"), ns * 1000);
        }
    }
    ini.value("Erase", drive.erase_ns * 1000);
    ini.value("DMASpeed", drive.bus_mb_per_s);
    ini.value("DMAWidth", 8);
    // A superblock is the blocks of equal number of all dies.
    ini.value("SuperblockSize", "CWDP");
    ini.value("PageAllocation", "CWDP");
}

fn mapping(ini: &mut Ini, drive: &Drive, case: &Case) {
    let space = Space::of(drive);
    ini.section("ftl");
    ini.value("MappingMode", 0);
    ini.value(
        "OverProvisioningRatio",
        format!("{:.7}", space.over_provisioning()),
    );
    ini.value("EraseThreshold", 1_000_000);
    let (mode, filled, invalid) = match case.state {
        State::Fresh => (0, 0.0, 0.0),
        State::Filled => (0, 1.0, 0.0),
        // Sequential writes, then random ones, as far as there is space.
        State::Overwritten => (1, 1.0, 1.0),
    };
    ini.value("FillingMode", mode);
    ini.value("FillRatio", format!("{filled:.1}"));
    ini.value("InvalidPageRatio", format!("{invalid:.1}"));
    let (policy, choices) = match drive.policy {
        Policy::Greedy | Policy::Fifo => (0, 3),
        Policy::CostBenefit => (1, 3),
        Policy::DChoices { choices } => (3, choices),
    };
    ini.value("EvictPolicy", policy);
    ini.value("DChoiceParam", choices);
    let share = space.collection_share(drive.gc_free_shares[0]);
    ini.value("GCThreshold", format!("{share:.7}"));
    ini.value("GCMode", 0);
    ini.value("GCReclaimBlocks", 1);
    // Must be above the threshold, whatever the mode.
    ini.value("GCReclaimThreshold", format!("{:.7}", share + 0.01));
}

/// Numbers of superblocks: all, and those that the host can address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Space {
    all: u64,
    of_host: u64,
}

impl Space {
    fn of(drive: &Drive) -> Space {
        let all = u64::from(drive.blocks_per_plane);
        let superblock_bytes = drive.flash_bytes() / all;
        Space {
            all,
            of_host: drive.user_bytes.div_ceil(superblock_bytes),
        }
    }

    /// Adds half a superblock, because SimpleSSD rounds down a share of 24 bits.
    fn over_provisioning(self) -> f64 {
        1.0 - (self.of_host as f64 + 0.5) / self.all as f64
    }

    /// Share of free superblocks below which GC runs. It must be less than the spare superblocks
    /// that are not in use, or a full drive could not be prepared.
    fn collection_share(self, wanted: f64) -> f64 {
        let spare = (self.all - self.of_host).saturating_sub(3) as f64 / self.all as f64;
        wanted.min(spare).max(0.0)
    }
}

/// Latencies of all requests; each has a line: number, offset, length, ps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Latencies {
    requests: u64,
    sum_ps: u128,
}

impl Latencies {
    fn read(lines: impl BufRead) -> Result<Latencies, String> {
        let mut all = Latencies::default();
        for line in lines.lines() {
            let line = line.map_err(|error| error.to_string())?;
            let last = line.rsplit(',').next().unwrap_or_default().trim();
            let ps: u64 = last
                .parse()
                .map_err(|_| format!("line {}: `{last}` is not a time in ps", all.requests + 1))?;
            all.requests += 1;
            all.sum_ps += u128::from(ps);
        }
        Ok(all)
    }
}

/// Last instant of virtual time, ps.
fn end_ps(stdout: &str) -> Result<u64, String> {
    let mut lines = stdout.lines().rev();
    let found = lines.find_map(|line| Some(line.split_once(END)?.1.trim()));
    let tick = found.ok_or_else(|| format!("stdout lacks `{END}`"))?;
    let tick_ps = tick.parse().ok().filter(|ps| *ps > 0);
    tick_ps.ok_or_else(|| format!("`{END} {tick}` has no time"))
}

/// Value of a statistic: lines contain name, value and meaning, and the last one counts.
fn statistic(text: &str, name: &str) -> Option<f64> {
    let mut lines = text.lines().rev();
    lines.find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next()? == name).then(|| words.next()?.parse().ok())?
    })
}

#[cfg(test)]
mod tests;
