use stend_model::{Model, SHIPPED};

use super::super::case;
use super::super::drive::tests::drive;
use super::*;

/// A value of a configuration.
fn value<'a>(ini: &'a str, section: &str, name: &str) -> &'a str {
    let (_, rest) = ini.split_once(&format!("[{section}]\n")).unwrap();
    let body = rest.split("\n[").next().unwrap();
    let mut lines = body.lines().filter_map(|line| line.split_once(" = "));
    let found = lines.find(|(key, _)| *key == name);
    found
        .unwrap_or_else(|| panic!("no {name} in [{section}]"))
        .1
}

fn cases() -> Vec<Case> {
    case::all(&drive(), 1000, 16, 1)
}

#[test]
fn a_drive_becomes_a_configuration() {
    let ini = device(&drive(), &cases()[1]);
    let expected = [
        ("pal", "Channel", "8"),
        ("pal", "Package", "3"),
        ("pal", "Die", "1"),
        ("pal", "Plane", "2"),
        ("pal", "Block", "1820"),
        ("pal", "Page", "384"),
        ("pal", "PageSize", "8192"),
        ("pal", "NANDType", "1"),
        ("pal", "LSBRead", "60000000"),
        ("pal", "MSBRead", "60000000"),
        ("pal", "LSBWrite", "400000000"),
        ("pal", "MSBWrite", "500000000"),
        ("pal", "Erase", "4000000000"),
        ("pal", "DMASpeed", "400"),
        ("ftl", "FillingMode", "0"),
        ("ftl", "FillRatio", "1.0"),
        ("ftl", "InvalidPageRatio", "0.0"),
        ("ftl", "EvictPolicy", "0"),
        ("icl", "CacheSize", "8388608"),
        ("icl", "EnableWriteCache", "1"),
    ];
    for (section, name, wanted) in expected {
        assert_eq!(value(&ini, section, name), wanted, "{name}");
    }
    assert!(!ini.contains("[nvme]"));
    let states = [0, 1, 3].map(|i| {
        let ini = device(&drive(), &cases()[i]);
        let of = |name| value(&ini, "ftl", name).to_owned();
        [of("FillingMode"), of("FillRatio"), of("InvalidPageRatio")]
    });
    assert_eq!(
        states,
        [
            ["0", "0.0", "0.0"],
            ["0", "1.0", "0.0"],
            ["1", "1.0", "1.0"]
        ]
    );
}

#[test]
fn an_nvme_drive_has_its_link() {
    let nvme = Drive::of(&Model::shipped("intel-ssd-750-400gb").unwrap());
    let case = &case::all(&nvme, 10, 16, 1)[1];
    let ini = device(&nvme, case);
    assert_eq!(value(&ini, "nvme", "PCIEGeneration"), "2");
    assert_eq!(value(&ini, "nvme", "PCIELane"), "4");
    assert_eq!(value(&config(&nvme, case), "global", "Interface"), "1");
}

#[test]
fn the_simulation_replays_by_depth_or_by_time() {
    let cases = cases();
    let of = |case: &Case| {
        let ini = config(&drive(), case);
        ["TimingMode", "QueueDepth"].map(|name| value(&ini, "trace", name).to_owned())
    };
    assert_eq!(of(&cases[1]), ["1", "16"]);
    assert_eq!(of(&cases[2])[0], "2");
    let ini = config(&drive(), &cases[1]);
    assert_eq!(value(&ini, "global", "Interface"), "0");
    assert_eq!(value(&ini, "global", "SubmissionLatency"), "4000ns");
    assert_eq!(
        value(&ini, "trace", "Regex"),
        "\"(\\d+) (\\w) (\\d+) (\\d+)\""
    );
    assert_eq!(trace_line(&cases[0], 3), "4 W 393216 131072\n");
}

/// Computes capacity and free space from the shares as SimpleSSD's sources do.
#[test]
fn every_shipped_drive_has_its_capacity_and_can_be_filled_there() {
    for shipped in SHIPPED {
        let drive = Drive::of(&Model::shipped(shipped.name).unwrap());
        let ini = device(&drive, &case::all(&drive, 10, 16, 1)[1]);
        let share = |name| value(&ini, "ftl", name).parse::<f32>().unwrap();
        let space = Space::of(&drive);
        let all = space.all as f32;
        let of_host = (all * (1.0 - share("OverProvisioningRatio"))) as u64;
        assert_eq!(of_host, space.of_host, "{}", shipped.name);
        assert!(of_host * (drive.flash_bytes() / space.all) >= drive.user_bytes);
        // Data written before the requests: at least the host's share.
        let before_gc = (all * (1.0 - share("GCThreshold"))) - 1.0;
        assert!(before_gc >= of_host as f32, "{}: {space:?}", shipped.name);
        assert!(share("GCReclaimThreshold") > share("GCThreshold"));
    }
}

#[test]
fn results_are_read() {
    let said = "SimpleSSD Standalone v2.0\n********** Begin of simulation **********\n\
                *** Statistics of Trace Replayer ***\nTick: 20000000000\n\
                End of simulation @ tick 20000000000\n";
    assert_eq!(end_ps(said), Ok(20_000_000_000));
    assert!(end_ps("Tick: 5\n").unwrap_err().contains(END));
    assert!(end_ps("End of simulation @ tick soon").is_err());
    let latencies = Latencies::read("1, 0, 4096, 100000000\n2, 4096, 4096, 300000000\n".as_bytes());
    let latencies = latencies.unwrap();
    assert_eq!((latencies.requests, latencies.sum_ps), (2, 400_000_000));
    let wrong = Latencies::read("1, 0, 4096, 5\n2, 4096, 4096, soon\n".as_bytes()).unwrap_err();
    assert!(
        wrong.contains("line 2") && wrong.contains("soon"),
        "{wrong}"
    );
    let statistics = "pal.program.bytes  \t1.000000\tBytes\npal.program.bytes  \t12288.0\tBytes\n";
    let programmed = statistic(statistics, PROGRAMMED);
    assert_eq!(programmed, Some(12_288.0));
    assert_eq!(statistic(statistics, "pal.read.bytes"), None);
    let ran = Ran {
        prepare_s: 0.0,
        wall_s: 0.5,
        stdout: String::new(),
    };
    let case = Case {
        requests: 2,
        ..cases().remove(3)
    };
    let figures = figures(20_000_000_000, &latencies, programmed, &ran, &case);
    assert_eq!(figures.latency_ns_mean, Some(200_000.0));
    assert_eq!(figures.virtual_s, 0.02);
    assert_eq!(figures.write_amplification, Some(1.5));
}
