use stend_model::{Model, SHIPPED};

use super::super::case;
use super::super::drive::tests::drive;
use super::*;

/// The text of an element of a configuration.
fn value(xml: &str, name: &str) -> String {
    let document = Document::parse(xml).unwrap();
    let mut found = elements(&document, |tag| tag == name);
    let node = found.next().unwrap_or_else(|| panic!("no {name}"));
    assert!(found.next().is_none(), "{name} twice");
    node.text().unwrap_or_default().to_owned()
}

fn cases() -> Vec<Case> {
    case::all(&drive(), 1000, 16, 1)
}

#[test]
fn a_drive_becomes_a_configuration() {
    let cases = cases();
    let xml = config(&drive(), &cases[1]);
    let expected = [
        ("HostInterface_Type", "NVME"),
        ("IO_Queue_Depth", "17"),
        ("Queue_Fetch_Size", "16"),
        ("Enabled_Preconditioning", "false"),
        ("Data_Cache_Capacity", "8388608"),
        ("Ideal_Mapping_Table", "true"),
        ("GC_Block_Selection_Policy", "GREEDY"),
        ("Flash_Channel_Count", "8"),
        ("Chip_No_Per_Channel", "3"),
        ("Die_No_Per_Chip", "1"),
        ("Plane_No_Per_Die", "2"),
        ("Block_No_Per_Plane", "1820"),
        ("Page_No_Per_Block", "384"),
        ("Page_Capacity", "8192"),
        ("Flash_Technology", "MLC"),
        ("CMD_Suspension_Support", "NONE"),
        ("Page_Read_Latency_LSB", "60000"),
        ("Page_Read_Latency_MSB", "60000"),
        ("Page_Program_Latency_LSB", "400000"),
        ("Page_Program_Latency_MSB", "500000"),
        ("Block_Erase_Latency", "4000000"),
        // 400 MB/s: two bytes in 5 ns.
        ("Flash_Channel_Width", "2"),
        ("Channel_Transfer_Rate", "200"),
        ("PCIe_Lane_Count", "1"),
    ];
    for (name, wanted) in expected {
        assert_eq!(value(&xml, name), wanted, "{name}");
    }
    let link: f64 = value(&xml, "PCIe_Lane_Bandwidth").parse().unwrap();
    assert!((link - 0.6).abs() < 0.001, "{link}");
    // Paced requests have the whole queue; only the overwritten drive needs preparation.
    let paced = config(&drive(), &cases[2]);
    assert_eq!(value(&paced, "Queue_Fetch_Size"), "32");
    let overwritten = config(&drive(), &cases[3]);
    assert_eq!(value(&overwritten, "Enabled_Preconditioning"), "true");
}

#[test]
fn an_nvme_drive_has_its_link() {
    let nvme = Drive::of(&Model::shipped("intel-ssd-750-400gb").unwrap());
    let xml = config(&nvme, &case::all(&nvme, 10, 16, 1)[1]);
    assert_eq!(value(&xml, "PCIe_Lane_Count"), "4");
    let link: f64 = value(&xml, "PCIe_Lane_Bandwidth").parse().unwrap();
    assert!((link - 0.985).abs() < 0.001, "{link}");
}

/// Computes the capacity from the figures as MQSim's sources do.
#[test]
fn no_shipped_drive_is_smaller_there() {
    for shipped in SHIPPED {
        let drive = Drive::of(&Model::shipped(shipped.name).unwrap());
        let xml = config(&drive, &case::all(&drive, 10, 16, 1)[1]);
        let ratio: f64 = value(&xml, "Overprovisioning_Ratio").parse().unwrap();
        let sectors = drive.block_bytes() / 512 * u64::from(drive.blocks_per_plane);
        let of_plane = (sectors as f64 * (1.0 - ratio)) as u64;
        let planes = u64::from(drive.channels * drive.dies_per_channel * drive.planes);
        let bytes = of_plane * planes * 512;
        assert!(bytes >= drive.user_bytes, "{}", shipped.name);
        assert!(
            bytes - drive.user_bytes < drive.user_bytes / 1_000_000,
            "{}",
            shipped.name
        );
        let channel = Channel::of(drive.bus_mb_per_s);
        let off = channel.mb_per_s() / f64::from(drive.bus_mb_per_s) - 1.0;
        assert!(off.abs() < 0.02, "{}: {channel:?}", shipped.name);
    }
}

#[test]
fn channels_are_told_in_whole_ns() {
    for mb_per_s in 20..=2400 {
        let channel = Channel::of(mb_per_s);
        // Two transfers take twice the whole number of ns that MQSim derives from the rate.
        assert_eq!(1000 / channel.rate_mt_per_s(), channel.ns, "{mb_per_s}");
        let off = channel.mb_per_s() / f64::from(mb_per_s) - 1.0;
        assert!(off.abs() < 0.03, "{mb_per_s}: {channel:?}");
    }
}

#[test]
fn requests_become_lines() {
    let cases = cases();
    assert_eq!(trace_line(&cases[0], 3), "4 0 768 256 0\n");
    let line = trace_line(&cases[2], 2);
    let words: Vec<&str> = line.split_whitespace().collect();
    // Interval 4 tR, in sectors of 512 bytes; 1 is a read.
    assert_eq!(
        (words[0], words[1], words[3], words[4]),
        ("720000", "0", "8", "1")
    );
    let offset = cases[2].request(2).offset_bytes;
    assert_eq!(words[2].parse::<u64>().unwrap() * 512, offset);
}

#[test]
fn the_workload_names_every_plane_and_the_trace() {
    let xml = workload(&drive(), &cases()[1]);
    assert_eq!(value(&xml, "Channel_IDs"), "0,1,2,3,4,5,6,7");
    assert_eq!(value(&xml, "Chip_IDs"), "0,1,2");
    assert_eq!(value(&xml, "Plane_IDs"), "0,1");
    assert_eq!(value(&xml, "Initial_Occupancy_Percentage"), "100");
    assert_eq!(value(&xml, "File_Path"), TRACE);
    assert_eq!(value(&xml, "Time_Unit"), "NANOSECOND");
}

#[test]
fn what_an_overwritten_drive_gets_is_drawn_by_mqsim() {
    let xml = workload(&drive(), &cases()[3]);
    let expected = [
        ("Synthetic_Generator_Type", "QUEUE_DEPTH"),
        ("Address_Distribution", "RANDOM_UNIFORM"),
        ("Read_Percentage", "0"),
        ("Address_Alignment_Unit", "8"),
        ("Average_Request_Size", "8"),
        ("Average_No_of_Reqs_in_Queue", "16"),
        ("Stop_Time", "0"),
        ("Total_Requests_To_Generate", "1000"),
    ];
    for (name, wanted) in expected {
        assert_eq!(value(&xml, name), wanted, "{name}");
    }
    assert!(!xml.contains("File_Path"));
    // The trace is shorter than the queue depth.
    let few = Case {
        requests: 3,
        ..cases().remove(3)
    };
    assert_eq!(
        value(&workload(&drive(), &few), "Average_No_of_Reqs_in_Queue"),
        "3"
    );
}

const RESULTS: &str = r#"<?xml version="1.0" encoding="us-ascii"?>
<MQSim_Results>
  <Host>
    <Host.IO_Flow>
      <Name>Host.IO_Flow.Trace.requests.trace</Name>
      <Request_Count>1000</Request_Count>
      <IOPS>50000.000000</IOPS>
      <Device_Response_Time>110</Device_Response_Time>
      <End_to_End_Request_Delay>120</End_to_End_Request_Delay>
    </Host.IO_Flow>
  </Host>
  <SSDDevice>
    <SSDDevice.FTL Total_GC_Executions="0" Average_Page_Movement_For_GC="-nan"/>
    <SSDDevice.TSU>
      <SSDDevice.TSU.User_Write_TR_Queue.Priority.HIGH Name="User_Write_TR_Queue@0@0"
        No_Of_Transactions_Enqueued="600"/>
      <SSDDevice.TSU.User_Write_TR_Queue.Priority.HIGH Name="User_Write_TR_Queue@0@1"
        No_Of_Transactions_Enqueued="400"/>
      <SSDDevice.TSU.GC_Write_TR_Queue Name="GC_Write_TR_Queue@0@0"
        No_Of_Transactions_Enqueued="250"/>
    </SSDDevice.TSU>
  </SSDDevice>
</MQSim_Results>
"#;

#[test]
fn results_are_read() {
    let read = Results::read(RESULTS, None).unwrap();
    let expected = Results {
        requests: 1000,
        virtual_s: 0.02,
        delay_us: 120.0,
        pages_programmed: Some(1250),
    };
    assert_eq!(read, expected);
    let ran = Ran {
        prepare_s: 1.0,
        wall_s: 0.5,
        stdout: String::new(),
    };
    let cases = cases();
    let paced = figures(&read, &ran, &drive(), &cases[2]);
    assert_eq!(paced.latency_ns_mean, Some(120_000.0));
    assert_eq!(paced.virtual_s, 0.02);
    assert_eq!(paced.write_amplification, None);
    // 1,250 pages of 8 KiB for 1,000 writes of 4 KiB.
    let writes = figures(&read, &ran, &drive(), &cases[3]);
    assert_eq!(writes.write_amplification, Some(2.5));
    assert_eq!(writes.latency_ns_mean, Some(120_000.0));
    let full = figures(&read, &ran, &drive(), &cases[1]);
    assert_eq!(full.latency_ns_mean, None);
    assert_eq!(writes.requests_per_s(), 2000.0);
}

#[test]
fn results_that_are_none_are_told() {
    let wrong = |from: &str, to: &str| Results::read(&RESULTS.replace(from, to), None).unwrap_err();
    assert!(wrong("</Host>", "").contains("no XML"));
    assert!(wrong("Host.IO_Flow>", "Host.Flow>").contains("no Host.IO_Flow"));
    assert!(wrong("Request_Count>", "Requests>").contains("no Request_Count"));
    assert!(wrong("50000.000000", "inf").contains("IOPS is inf, and no queue"));
    assert!(wrong("50000.000000", "many").contains("`many`, which is not a number"));
    let without = RESULTS.replace("TR_Queue", "TR");
    assert_eq!(
        Results::read(&without, None).unwrap().pages_programmed,
        None
    );
}

/// A thousand transactions that waited 2999.5 us each, rounded down by MQSim, in queues of 2 on
/// average: 1.5 s.
#[test]
fn littles_law_yields_the_virtual_time() {
    let queues = |length: &str| {
        format!(
            "No_Of_Transactions_Dequeued=\"1000\" Avg_Queue_Length=\"{length}\" \
             Avg_Transaction_Waiting_Time=\"2999\" No_Of_Transactions_Enqueued=\"250\""
        )
    };
    let with = |iops: &str, length: &str, paced_s: Option<f64>| {
        let text = RESULTS.replace("No_Of_Transactions_Enqueued=\"250\"", &queues(length));
        Results::read(&text.replace("50000.000000", iops), paced_s).map(|read| read.virtual_s)
    };
    let read = |iops: &str, length: &str| with(iops, length, None);
    assert_eq!(read("1000.000000", "2.000000"), Ok(1.49975));
    // MQSim's own time would be 0 s.
    assert_eq!(read("inf", "4.000000"), Ok(0.749875));
    // Queues that contradict MQSim's whole seconds, and queues that stay empty.
    assert_eq!(read("500.000000", "0.500000"), Ok(2.0));
    assert_eq!(read("1000.000000", "0.000001"), Ok(1.0));
    assert!(read("inf", "0.000001").is_err());
    // The last of the paced requests has a latency of 120 us.
    assert_eq!(with("inf", "0.000001", Some(0.5)), Ok(0.50012));
}
