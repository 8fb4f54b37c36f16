//! MQSim: its configuration files, and its results. Names and units, and spelling mistakes in
//! names, are those of MQSim's sources.

use std::fmt::Display;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use roxmltree::{Document, Node};
use stend_base::Op;
use stend_load::trace::SECTOR_BYTES;
use stend_model::spec::Policy;

use super::case::{Case, Pace, State};
use super::drive::{Drive, by_page_type};
use super::figures::Figures;
use super::program::{Program, Ran, Simulator, write};
use crate::failure::Failure;

const CONFIG: &str = "ssdconfig.xml";
const WORKLOAD: &str = "workload.xml";
/// MQSim appends the number of the scenario to the name of the workload.
const RESULT: &str = "workload_scenario_1.xml";
const TRACE: &str = "requests.trace";

/// Seeds have 31 bits, and MQSim increments them.
const SEED_MAX: u64 = i32::MAX as u64 - 16;

/// Output lines after which the requests follow.
const PREPARED: [&str; 2] = ["Finished preconditioning", "seems healthy"];

/// MQSim as an external program.
pub struct Mqsim(pub Program);

impl Simulator for Mqsim {
    fn name(&self) -> &'static str {
        "MQSim"
    }

    fn limits(&self, drive: &Drive) -> Vec<String> {
        let mut limits = vec![
            "reads are of a drive without data: MQSim maps a page when it is read".to_owned(),
            "random-write: MQSim chooses the offsets, fills nine tenths of the drive and ages it \
             by its own model, because it cannot do so for a trace"
                .to_owned(),
            "latency in whole us; unknown if a trace keeps the queue full".to_owned(),
            "no driver time before and after a request".to_owned(),
        ];
        if !drive.link.nvme {
            limits.push(
                "an NVMe queue on a link of the same speed: MQSim ignores the depth of other queues"
                    .to_owned(),
            );
        }
        let channel = Channel::of(drive.bus_mb_per_s);
        if (channel.mb_per_s() / f64::from(drive.bus_mb_per_s) - 1.0).abs() > 0.01 {
            limits.push(format!(
                "channels of {:.0} MB/s instead of {}: MQSim counts in whole ns",
                channel.mb_per_s(),
                drive.bus_mb_per_s
            ));
        }
        if matches!(drive.policy, Policy::CostBenefit) {
            limits.push("greedy GC instead of cost-benefit".to_owned());
        }
        if over_provisioning(drive) < 0.05 {
            limits.push("over-provisioning below 5 %, for which MQSim prints a warning".to_owned());
        }
        limits
    }

    fn run(&self, drive: &Drive, case: &Case, folder: &Path) -> Result<Figures, Failure> {
        let text = |name: &str, text: String| {
            write(&folder.join(name), |file| file.write_all(text.as_bytes()))
        };
        text(CONFIG, config(drive, case))?;
        text(WORKLOAD, workload(drive, case))?;
        if !draws(case) {
            write(&folder.join(TRACE), |file| {
                (0..case.requests).try_for_each(|i| file.write_all(trace_line(case, i).as_bytes()))
            })?;
        }
        let args = ["-i", CONFIG, "-w", WORKLOAD];
        let ran = self.0.run(&args, folder, &PREPARED)?;
        let result = fs::read_to_string(folder.join(RESULT))
            .map_err(|error| self.0.not_understood(&format!("{RESULT}: {error}")))?;
        let read = Results::read(&result, paced_s(case))
            .map_err(|problem| self.0.not_understood(&format!("{RESULT}: {problem}")))?;
        self.0.expect("requests", read.requests, case.requests)?;
        Ok(figures(&read, &ran, drive, case))
    }
}

/// True if MQSim generates the requests itself: only for these does it prepare an overwritten
/// drive.
fn draws(case: &Case) -> bool {
    case.state == State::Overwritten
}

fn figures(read: &Results, ran: &Ran, drive: &Drive, case: &Case) -> Figures {
    // With a trace that keeps the queue full, latencies include the time of waiting in the host.
    let known = matches!(case.pace, Pace::Interval(_)) || draws(case);
    let programmed = read.pages_programmed.filter(|_| case.op == Op::Write);
    Figures {
        prepare_s: ran.prepare_s,
        wall_s: ran.wall_s,
        requests: read.requests,
        bytes: case.total_bytes(),
        virtual_s: read.virtual_s,
        latency_ns_mean: known.then_some(read.delay_us * 1e3),
        write_amplification: programmed
            .map(|pages| pages as f64 * f64::from(drive.page_bytes) / case.total_bytes() as f64),
    }
}

/// Formats a request in DiskSim's ASCII format: time in ns, device, sector, number of sectors, and
/// 0 for a write or 1 for a read.
fn trace_line(case: &Case, index: u64) -> String {
    let request = case.request(index);
    format!(
        "{} 0 {} {} {}\n",
        request.at.0,
        request.offset_bytes / SECTOR_BYTES,
        request.len_bytes / SECTOR_BYTES,
        u8::from(request.op == Op::Read)
    )
}

/// A channel as MQSim defines it: `bytes` per transfer, of `ns` each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Channel {
    bytes: u32,
    ns: u32,
}

impl Channel {
    /// The channel nearest to a speed, with the fewest bytes per transfer. MQSim divides lengths by
    /// the width, which must therefore be a power of two.
    fn of(mb_per_s: u32) -> Channel {
        let wanted = f64::from(mb_per_s);
        let all = (0..7).flat_map(|bits| {
            let bytes = 1 << bits;
            (1..=50).map(move |ns| Channel { bytes, ns })
        });
        // Only times that can be restored from the rate in MT/s, a whole number.
        let told = all.filter(|channel| 1000 / channel.rate_mt_per_s() == channel.ns);
        let off = |channel: &Channel| (channel.mb_per_s() / wanted - 1.0).abs();
        told.min_by(|a, b| off(a).total_cmp(&off(b)).then(a.bytes.cmp(&b.bytes)))
            .unwrap_or(Channel { bytes: 1, ns: 1 })
    }

    fn rate_mt_per_s(self) -> u32 {
        1000 / self.ns
    }

    fn mb_per_s(self) -> f64 {
        f64::from(self.bytes) * 1e3 / f64::from(self.ns)
    }
}

/// Share of the flash that the host does not see, rounded so that no capacity of the host is lost.
fn over_provisioning(drive: &Drive) -> f64 {
    const STEPS: f64 = 1e7;
    let exact = 1.0 - drive.user_bytes as f64 / drive.flash_bytes() as f64;
    ((exact * STEPS).floor() - 1.0).max(0.0) / STEPS
}

/// Writes indented XML elements.
#[derive(Default)]
struct Xml {
    text: String,
    open: Vec<&'static str>,
}

impl Xml {
    fn new() -> Xml {
        Xml {
            text: "<?xml version=\"1.0\" encoding=\"us-ascii\"?>\n".to_owned(),
            open: Vec::new(),
        }
    }

    fn line(&mut self, text: &str) {
        self.text += &"  ".repeat(self.open.len());
        self.text += text;
        self.text.push('\n');
    }

    fn open(&mut self, name: &'static str) {
        self.line(&format!("<{name}>"));
        self.open.push(name);
    }

    fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            self.line(&format!("</{name}>"));
        }
    }

    fn value(&mut self, name: &str, value: impl Display) {
        self.line(&format!("<{name}>{value}</{name}>"));
    }

    fn done(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }
}

/// Contents of `ssdconfig.xml`.
fn config(drive: &Drive, case: &Case) -> String {
    let mut xml = Xml::new();
    xml.open("Execution_Parameter_Set");
    host(&mut xml, drive);
    xml.open("Device_Parameter_Set");
    device(&mut xml, drive, case);
    mapping(&mut xml, drive);
    collection(&mut xml, drive);
    let channel = Channel::of(drive.bus_mb_per_s);
    xml.value("Flash_Channel_Count", drive.channels);
    xml.value("Flash_Channel_Width", channel.bytes);
    xml.value("Channel_Transfer_Rate", channel.rate_mt_per_s());
    // Dies work independently here: each is a chip.
    xml.value("Chip_No_Per_Channel", drive.dies_per_channel);
    xml.value("Flash_Comm_Protocol", "NVDDR2");
    flash(&mut xml, drive);
    xml.done()
}

fn host(xml: &mut Xml, drive: &Drive) {
    let link = &drive.link;
    let (lanes, gb_per_s) = link.pcie.unwrap_or((1, link.sata_gb_per_s));
    xml.open("Host_Parameter_Set");
    xml.value("PCIe_Lane_Bandwidth", format!("{gb_per_s:.6}"));
    xml.value("PCIe_Lane_Count", lanes);
    xml.value("SATA_Processing_Delay", 0);
    xml.value("Enable_ResponseTime_Logging", false);
    xml.value("ResponseTime_Logging_Period_Length", 1_000_000_000);
    xml.close();
}

/// Number of requests in the device at once.
fn depth(drive: &Drive, case: &Case) -> u64 {
    let slots = u64::from(drive.link.queue_depth).min(65_534);
    match case.pace {
        Pace::Depth(depth) => u64::from(depth).min(slots).min(case.requests),
        Pace::Interval(_) => slots,
    }
}

fn device(xml: &mut Xml, drive: &Drive, case: &Case) {
    let depth = depth(drive, case);
    xml.value("Seed", case.seed.min(SEED_MAX));
    xml.value("Enabled_Preconditioning", draws(case));
    xml.value("Memory_Type", "FLASH");
    xml.value("HostInterface_Type", "NVME");
    // One entry stays empty. The device's fetch size limits the depth, because the host fills
    // entries as soon as they are fetched.
    xml.value("IO_Queue_Depth", depth + 1);
    xml.value("Queue_Fetch_Size", depth);
    xml.value("Caching_Mechanism", "ADVANCED");
    xml.value("Data_Cache_Sharing_Mode", "SHARED");
    xml.value("Data_Cache_Capacity", drive.buffer_bytes);
    // DRAM as in MQSim's own example: drive models have no DRAM figures.
    xml.value("Data_Cache_DRAM_Row_Size", 8192);
    xml.value("Data_Cache_DRAM_Data_Rate", 800);
    xml.value("Data_Cache_DRAM_Data_Busrt_Size", 4);
    for time in ["tRCD", "tCL", "tRP"] {
        xml.value(&format!("Data_Cache_DRAM_{time}"), 13);
    }
}

fn mapping(xml: &mut Xml, drive: &Drive) {
    const CMT_BYTES: u64 = 2 * 1024 * 1024;
    xml.value("Address_Mapping", "PAGE_LEVEL");
    xml.value("Ideal_Mapping_Table", drive.mapping_bytes.is_none());
    xml.value("CMT_Capacity", drive.mapping_bytes.unwrap_or(CMT_BYTES));
    xml.value("CMT_Sharing_Mode", "SHARED");
    // Die d is on channel d mod channels: channels first, then chips, then planes.
    xml.value("Plane_Allocation_Scheme", "CWDP");
    xml.value("Transaction_Scheduling_Policy", "OUT_OF_ORDER");
    xml.value(
        "Overprovisioning_Ratio",
        format!("{:.7}", over_provisioning(drive)),
    );
}

fn collection(xml: &mut Xml, drive: &Drive) {
    let [start, hard] = drive.gc_free_shares;
    xml.value("GC_Exec_Threshold", format!("{start:.6}"));
    let policy = match drive.policy {
        Policy::Greedy | Policy::CostBenefit => "GREEDY",
        Policy::Fifo => "FIFO",
        Policy::DChoices { .. } => "RGA",
    };
    xml.value("GC_Block_Selection_Policy", policy);
    xml.value("Use_Copyback_for_GC", false);
    xml.value("Preemptible_GC_Enabled", true);
    xml.value("GC_Hard_Threshold", format!("{hard:.6}"));
    xml.value("Dynamic_Wearleveling_Enabled", drive.levels_wear);
    xml.value("Static_Wearleveling_Enabled", false);
    xml.value("Static_Wearleveling_Threshold", 100);
    let [program, erase] = drive.suspend_ns.map(|time| time.unwrap_or(100_000));
    // Some versions of MQSim read the first name, others the second.
    for name in ["Prefered", "Preferred"] {
        xml.value(&format!("{name}_suspend_erase_time_for_read"), erase);
    }
    xml.value("Preferred_suspend_erase_time_for_write", erase);
    xml.value("Preferred_suspend_write_time_for_read", program);
}

fn flash(xml: &mut Xml, drive: &Drive) {
    xml.open("Flash_Parameter_Set");
    let technology = match drive.read_ns.len() {
        1 => "SLC",
        2 => "MLC",
        _ => "TLC",
    };
    xml.value("Flash_Technology", technology);
    let suspends = match drive.suspend_ns.map(|time| time.is_some()) {
        [false, false] => "NONE",
        [true, false] => "PROGRAM",
        [false, true] => "ERASE",
        [true, true] => "PROGRAM_ERASE",
    };
    xml.value("CMD_Suspension_Support", suspends);
    for (name, times) in [("Read", &drive.read_ns), ("Program", &drive.program_ns)] {
        let [first, middle, last] = by_page_type(times);
        xml.value(&format!("Page_{name}_Latency_LSB"), first);
        xml.value(&format!("Page_{name}_Latency_CSB"), middle);
        xml.value(&format!("Page_{name}_Latency_MSB"), last);
    }
    xml.value("Block_Erase_Latency", drive.erase_ns);
    xml.value("Block_PE_Cycles_Limit", 1_000_000);
    let [program, erase] = drive.suspend_ns.map(|time| time.unwrap_or(0));
    xml.value("Suspend_Erase_Time", erase);
    xml.value("Suspend_Program_Time", program);
    xml.value("Die_No_Per_Chip", 1);
    xml.value("Plane_No_Per_Die", drive.planes);
    xml.value("Block_No_Per_Plane", drive.blocks_per_plane);
    xml.value("Page_No_Per_Block", drive.pages_per_block);
    xml.value("Page_Capacity", drive.page_bytes);
    xml.value("Page_Metadat_Capacity", drive.page_bytes / 16);
    xml.close();
}

/// Contents of `workload.xml`.
fn workload(drive: &Drive, case: &Case) -> String {
    let ids = |count: u32| {
        let ids = (0..count).map(|id| id.to_string());
        ids.collect::<Vec<_>>().join(",")
    };
    let caching = match drive.write_cache {
        true => "WRITE_CACHE",
        false => "TURNED_OFF",
    };
    let mut xml = Xml::new();
    xml.open("MQSim_IO_Scenarios");
    xml.open("IO_Scenario");
    xml.open(match draws(case) {
        true => "IO_Flow_Parameter_Set_Synthetic",
        false => "IO_Flow_Parameter_Set_Trace_Based",
    });
    xml.value("Priority_Class", "HIGH");
    xml.value("Device_Level_Data_Caching_Mode", caching);
    xml.value("Channel_IDs", ids(drive.channels));
    xml.value("Chip_IDs", ids(drive.dies_per_channel));
    xml.value("Die_IDs", 0);
    xml.value("Plane_IDs", ids(drive.planes));
    // MQSim fills less if the drive cannot be filled that far.
    xml.value("Initial_Occupancy_Percentage", 100);
    match draws(case) {
        true => drawn(&mut xml, drive, case),
        false => {
            xml.value("File_Path", TRACE);
            xml.value("Percentage_To_Be_Executed", 100);
            xml.value("Relay_Count", 1);
            xml.value("Time_Unit", "NANOSECOND");
        }
    }
    xml.done()
}

/// Adds requests of the case's kind that MQSim generates itself.
fn drawn(xml: &mut Xml, drive: &Drive, case: &Case) {
    let sectors = case.bytes / SECTOR_BYTES;
    xml.value("Working_Set_Percentage", 100);
    xml.value("Synthetic_Generator_Type", "QUEUE_DEPTH");
    xml.value("Read_Percentage", if case.op == Op::Read { 100 } else { 0 });
    let order = match case.sequential {
        true => "STREAMING",
        false => "RANDOM_UNIFORM",
    };
    xml.value("Address_Distribution", order);
    xml.value("Percentage_of_Hot_Region", 0);
    xml.value("Generated_Aligned_Addresses", true);
    xml.value("Address_Alignment_Unit", sectors);
    xml.value("Request_Size_Distribution", "FIXED");
    xml.value("Average_Request_Size", sectors);
    xml.value("Variance_Request_Size", 0);
    xml.value("Seed", case.seed.min(SEED_MAX));
    xml.value("Average_No_of_Reqs_in_Queue", depth(drive, case));
    // The bandwidth applies only to MQSim's other generator.
    xml.value("Bandwidth", 0);
    xml.value("Stop_Time", 0);
    xml.value("Total_Requests_To_Generate", case.requests);
}

/// Figures parsed from a result.
#[derive(Clone, Debug, PartialEq)]
struct Results {
    requests: u64,
    /// Virtual time, s.
    virtual_s: f64,
    /// Mean time from arrival to completion, us.
    delay_us: f64,
    /// Flash pages programmed for the host and for GC, if the result reports the queues.
    pages_programmed: Option<u64>,
}

impl Results {
    /// Parses a result of requests that arrive over `paced_s`, if they do not wait for each other.
    fn read(text: &str, paced_s: Option<f64>) -> Result<Results, String> {
        let document = Document::parse(text).map_err(|error| format!("no XML: {error}"))?;
        let mut flows = elements(&document, |name| name.ends_with(".IO_Flow"));
        let flow = flows.next().ok_or("there is no Host.IO_Flow")?;
        let requests = number(flow, "Request_Count")? as u64;
        let iops = number(flow, "IOPS")?;
        let delay_us = number(flow, "End_to_End_Request_Delay")?;
        let end_s = paced_s.map(|paced_s| paced_s + delay_us / 1e6);
        let virtual_s = exact_s(&document, requests as f64 / iops)
            .or(end_s)
            .or(Some(requests as f64 / iops).filter(|s| s.is_finite() && *s > 0.0))
            .ok_or_else(|| format!("IOPS is {iops}, and no queue tells the virtual time"))?;
        let queues = |kind: &'static str| {
            elements(&document, move |name| name.contains(kind))
                .filter_map(|node| node.attribute("No_Of_Transactions_Enqueued"))
                .map(|count| count.trim().parse::<u64>().ok())
                .collect::<Option<Vec<u64>>>()
                .filter(|counts| !counts.is_empty())
                .map(|counts| counts.iter().sum::<u64>())
        };
        let of_host = queues("User_Write_TR_Queue");
        let of_collection = queues("GC_Write_TR_Queue");
        Ok(Results {
            requests,
            virtual_s,
            delay_us,
            pages_programmed: of_host.zip(of_collection).map(|(host, gc)| host + gc),
        })
    }
}

/// Time of the last request, s, if requests have times.
fn paced_s(case: &Case) -> Option<f64> {
    match case.pace {
        Pace::Depth(_) => None,
        Pace::Interval(ns) => Some((case.requests * ns) as f64 / 1e9),
    }
}

/// Virtual time, s; `None` if too few transactions waited. MQSim rounds it down to whole seconds,
/// `whole_s`, before it computes IOPS, which are infinite below a second. Little's law yields the
/// exact time from the queues of transactions: the sum of the times in a queue is its mean length
/// times the virtual time.
fn exact_s(document: &Document<'_>, whole_s: f64) -> Option<f64> {
    let (mut waited_us, mut length) = (0.0, 0.0);
    for queue in elements(document, |name| name.contains("_TR_Queue")) {
        let figure = |name: &str| queue.attribute(name)?.trim().parse::<f64>().ok();
        let left = figure("No_Of_Transactions_Dequeued").filter(|left| *left > 0.0);
        if let (Some(left), Some(mean_us), Some(mean_length)) = (
            left,
            figure("Avg_Transaction_Waiting_Time"),
            figure("Avg_Queue_Length"),
        ) {
            // Times are rounded down to whole us.
            waited_us += left * (mean_us + 0.5);
            length += mean_length;
        }
    }
    // Lengths have six decimal places.
    let exact_s = waited_us / 1e6 / length;
    let rounding = 0.01 * exact_s;
    let possible = whole_s - rounding..=whole_s + 1.0 + rounding;
    (length > 0.01 && possible.contains(&exact_s)).then_some(exact_s)
}

fn elements<'a>(
    document: &'a Document<'a>,
    wanted: impl Fn(&str) -> bool + 'a,
) -> impl Iterator<Item = Node<'a, 'a>> {
    let all = document.descendants().filter(Node::is_element);
    all.filter(move |node| wanted(node.tag_name().name()))
}

fn number(flow: Node<'_, '_>, name: &str) -> Result<f64, String> {
    let found = flow.children().find(|node| node.has_tag_name(name));
    let text = found
        .and_then(|node| node.text())
        .ok_or_else(|| format!("Host.IO_Flow has no {name}"))?;
    let number = text.trim().parse();
    number.map_err(|_| format!("{name} is `{text}`, which is not a number"))
}

#[cfg(test)]
mod tests;
