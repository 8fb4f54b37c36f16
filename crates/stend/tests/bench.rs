//! `stend bench`, from outside. The other simulators are replaced by scripts that check their input
//! files and answer in the simulator's format.

use crate::common;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{Said, fails, folder, json, list, number, ok, program, script, tool};
use serde_json::Value;
use tempfile::TempDir;

/// A small drive without an SLC cache: 24 dies on 8 channels, MLC, 8 KiB pages.
const DRIVE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../benches/models/samsung-850-pro-scaled-8gb.toml"
);

/// Beginning of both scripts: an error ends them, and is reported.
const CHECKS: &str = "set -e
wrong() { echo \"wrong: $*\" >&2; exit 3; }
has() { grep -qxE \" *$2\" \"$1\" || wrong \"$1 lacks $2\"; }
tag() { has \"$1\" \"<$2>$3</$2>\"; }";

/// Answers as MQSim. Each request takes 20 us of virtual time and has a latency of 120 us.
const MQSIM: &str = r#"
[ "$*" = "-i ssdconfig.xml -w workload.xml" ] || wrong "arguments $*"
tag ssdconfig.xml HostInterface_Type NVME
tag ssdconfig.xml Flash_Channel_Count 8
tag ssdconfig.xml Chip_No_Per_Channel 3
tag ssdconfig.xml Die_No_Per_Chip 1
tag ssdconfig.xml Plane_No_Per_Die 2
tag ssdconfig.xml Block_No_Per_Plane 233
tag ssdconfig.xml Page_No_Per_Block 96
tag ssdconfig.xml Page_Capacity 8192
tag ssdconfig.xml Flash_Technology MLC
tag ssdconfig.xml Page_Read_Latency_LSB 60000
tag ssdconfig.xml Page_Program_Latency_MSB 400000
tag ssdconfig.xml Block_Erase_Latency 4000000
tag ssdconfig.xml Overprovisioning_Ratio '0\.0[0-9]+'
tag workload.xml Channel_IDs 0,1,2,3,4,5,6,7
if grep -q Synthetic workload.xml; then
    tag ssdconfig.xml Enabled_Preconditioning true
    tag workload.xml Address_Distribution RANDOM_UNIFORM
    tag workload.xml Read_Percentage 0
    n=$(sed -n 's:.*<Total_Requests_To_Generate>\(.*\)</.*:\1:p' workload.xml)
    echo "Finished preconditioning. Duration of preconditioning: 0:0:0"
else
    tag ssdconfig.xml Enabled_Preconditioning false
    tag workload.xml Time_Unit NANOSECOND
    trace=$(sed -n 's:.*<File_Path>\(.*\)</File_Path>:\1:p' workload.xml)
    n=$(wc -l < "$trace")
    good=$(grep -cxE '[0-9]+ 0 [0-9]+ (8|256) [01]' "$trace")
    [ "$n" = "$good" ] || wrong "$good good lines of $n"
    cat "$trace" >> "$notes/mqsim.requests"
    echo "Trace file: $trace seems healthy"
fi
cat > workload_scenario_1.xml <<END
<?xml version="1.0" encoding="us-ascii"?>
<MQSim_Results>
  <Host>
    <Host.IO_Flow>
      <Name>Host.IO_Flow.No_0</Name>
      <Request_Count>$n</Request_Count>
      <IOPS>50000.000000</IOPS>
      <Device_Response_Time>110</Device_Response_Time>
      <End_to_End_Request_Delay>120</End_to_End_Request_Delay>
    </Host.IO_Flow>
  </Host>
  <SSDDevice>
    <SSDDevice.TSU>
      <SSDDevice.TSU.User_Write_TR_Queue.Priority.HIGH No_Of_Transactions_Enqueued="$n"/>
      <SSDDevice.TSU.GC_Write_TR_Queue No_Of_Transactions_Enqueued="0"/>
    </SSDDevice.TSU>
  </SSDDevice>
</MQSim_Results>
END"#;

/// Answers as SimpleSSD-Standalone. Each request takes 10 us and has a latency of 100 us.
const SIMPLESSD: &str = r#"
[ "$*" = "simulation.cfg ssd.cfg ." ] || wrong "arguments $*"
has simulation.cfg 'Mode = 1'
has simulation.cfg 'Interface = 0'
has simulation.cfg 'TimingMode = [12]'
has simulation.cfg 'Operation = 2'
has ssd.cfg 'Channel = 8'
has ssd.cfg 'Package = 3'
has ssd.cfg 'Block = 233'
has ssd.cfg 'PageSize = 8192'
has ssd.cfg 'LSBRead = 60000000'
has ssd.cfg 'MSBWrite = 400000000'
echo "SimpleSSD Standalone v2.0"
echo "********** Begin of simulation **********"
n=$(wc -l < requests.txt)
good=$(grep -cxE '[0-9]+ [RW] [0-9]+ (4096|131072)' requests.txt)
[ "$n" = "$good" ] || wrong "$good good lines of $n"
cat requests.txt >> "$notes/simplessd.requests"
sed 's/\([0-9]*\) . \([0-9]*\) \([0-9]*\)/1, \2, \3, 100000000/' requests.txt > latencies.csv
bytes=$(awk '{ sum += $4 } END { printf "%d", 2 * sum }' requests.txt)
printf 'pal.program.bytes  \t%s.000000  \tBytes programmed\n' "$bytes" > statistics.txt
echo "I/O (bytes): 0 (0.000000 B/s)"
echo "End of simulation @ tick $((n * 10000000))""#;

/// A stand-in for a simulator, in a folder of its own.
struct StandIn(TempDir);

impl StandIn {
    fn new(body: &str) -> StandIn {
        let dir = folder();
        let notes = dir.path().display();
        script(dir.path(), &format!("notes={notes}\n{CHECKS}\n{body}"));
        StandIn(dir)
    }

    fn path(&self) -> String {
        self.0.path().join("script").display().to_string()
    }

    /// Requests that the stand-in received, over all cases.
    fn requests(&self, name: &str) -> Vec<Vec<String>> {
        let text = fs::read_to_string(self.0.path().join(name)).unwrap();
        let words = |line: &str| line.split(' ').map(str::to_owned).collect();
        text.lines().map(words).collect()
    }
}

fn case<'a>(result: &'a Value, name: &str) -> &'a Value {
    let mut cases = list(&result["cases"]).iter();
    cases.find(|case| case["name"] == name).unwrap()
}

#[test]
fn without_another_simulator_stend_tells_its_own_figures() {
    let dir = folder();
    let args = ["bench", "demo-8gb", "--requests", "2000", "--json"];
    let result = json(&ok(dir.path(), &args).stdout);
    assert_eq!(result["schema"], "stend.bench-compare/1");
    assert_eq!(list(&result["cases"]).len(), 4);
    assert!(list(&result["left_out"]).is_empty());
    let again = json(&ok(dir.path(), &args).stdout);
    for done in list(&result["cases"]) {
        let own = &done["programs"]["stend"];
        assert!(number(&own["requests_per_s"]) > 0.0);
        assert!(number(&own["latency_ns_mean"]) > 10_000.0);
        assert!(own["stend_times_as_fast"].is_null());
        // Virtual time is the same in every run.
        let name = done["name"].as_str().unwrap();
        let other = &case(&again, name)["programs"]["stend"];
        assert_eq!(own["virtual_s"], other["virtual_s"], "{name}");
    }
    let paced = case(&result, "random-read-paced");
    assert!(paced["depth"].is_null());
    let expected = 1e9 / number(&paced["interval_ns"]);
    let iops = number(&paced["programs"]["stend"]["iops"]);
    assert!((iops / expected - 1.0).abs() < 0.01, "{iops} {expected}");
    let text = ok(dir.path(), &args[..4]).stdout;
    assert!(
        text.contains("random-write: 2000 random writes of 4 KiB"),
        "{text}"
    );
    assert!(!text.contains("not in the other"), "{text}");
}

#[test]
fn other_simulators_get_the_same_drive_and_the_same_requests() {
    let dir = folder();
    let temporary = dir.path().join("temporary");
    fs::create_dir(&temporary).unwrap();
    let (mqsim, simplessd) = (StandIn::new(MQSIM), StandIn::new(SIMPLESSD));
    let (paths, count) = ([mqsim.path(), simplessd.path()], "1000");
    let args = ["bench", DRIVE, "--requests", count, "--json"];
    let others = ["--mqsim", &paths[0], "--simplessd", &paths[1]];
    let all = [&args[..], &others[..]].concat();
    let mut command = program(dir.path(), &all);
    let said = Said::from(command.env("TMPDIR", &temporary).output().unwrap());
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let result = json(&said.stdout);
    for done in list(&result["cases"]) {
        let of = |program: &str, figure: &str| number(&done["programs"][program][figure]);
        if done["depth"].is_number() {
            assert_eq!(of("mqsim", "iops"), 50_000.0);
        }
        assert_eq!(of("simplessd", "iops"), 100_000.0);
        assert_eq!(of("simplessd", "latency_ns_mean"), 100_000.0);
        let times = of("stend", "requests_per_s") / of("mqsim", "requests_per_s");
        assert!((of("mqsim", "stend_times_as_fast") / times - 1.0).abs() < 1e-9);
    }
    let paced = case(&result, "random-read-paced");
    assert_eq!(paced["programs"]["mqsim"]["latency_ns_mean"], 120_000.0);
    let writes = case(&result, "random-write");
    // A page of 8 KiB for each 4 KiB: twice the bytes.
    assert_eq!(writes["programs"]["mqsim"]["write_amplification"], 2.0);
    assert_eq!(writes["programs"]["simplessd"]["write_amplification"], 2.0);
    assert!(result["left_out"].to_string().contains("read-ahead"));
    assert!(
        result["limits"]["simplessd"]
            .to_string()
            .contains("no host link")
    );

    let given = mqsim.requests("mqsim.requests");
    let other = simplessd.requests("simplessd.requests");
    // MQSim generates the last thousand itself.
    assert_eq!((given.len(), other.len()), (3000, 4000));
    for (a, b) in given.iter().zip(&other) {
        let sectors = |text: &String| text.parse::<u64>().unwrap() * 512;
        let read = if a[4] == "1" { "R" } else { "W" };
        assert_eq!((&a[0], read), (&b[0], b[1].as_str()));
        assert_eq!(sectors(&a[2]).to_string(), b[2]);
        assert_eq!(sectors(&a[3]).to_string(), b[3]);
    }
    let left = fs::read_dir(&temporary).unwrap().count();
    assert_eq!(left, 0, "temporary folders are removed");
}

#[test]
fn the_table_says_what_is_not_the_same() {
    let dir = folder();
    let mqsim = StandIn::new(MQSIM);
    let path = mqsim.path();
    let args = ["bench", DRIVE, "--requests", "500", "--mqsim", &path];
    let text = ok(dir.path(), &args).stdout;
    for part in [
        "not in the other simulators:",
        "cores",
        "MQSim: random-write: MQSim chooses the offsets",
        "ratio: stend's requests/s",
        "50000",
    ] {
        assert!(text.contains(part), "lacks {part:?}:\n{text}");
    }
    let rows = text.lines().filter(|line| line.starts_with("  MQSim"));
    assert_eq!(rows.count(), 4, "{text}");
}

/// Removes the folders that failures name, which must exist; returns their number.
fn kept(stderr: &str) -> usize {
    let named = stderr
        .lines()
        .filter_map(|line| line.split_once("its files are in "));
    let mut folders = 0;
    for (_, path) in named {
        let path = PathBuf::from(path);
        assert!(path.join("ssdconfig.xml").is_file(), "{}", path.display());
        fs::remove_dir_all(&path).unwrap();
        folders += 1;
    }
    folders
}

#[test]
fn a_simulator_that_fails_is_told_with_its_last_words_and_its_files() {
    let dir = folder();
    let fails_with = |body: &str, parts: &[&str]| {
        let stand_in = StandIn::new(body);
        let path = stand_in.path();
        let args = ["bench", DRIVE, "--requests", "100", "--mqsim", &path];
        assert_eq!(kept(&fails(dir.path(), &args, 6, parts)), 4);
    };
    fails_with(
        "echo first; echo 'ERROR: no free block' >&2; exit 1",
        &["sequential-write", "MQSim", "exit code 1", "no free block"],
    );
    fails_with(
        "echo deep in thought; kill -9 $$",
        &["signal 9", "deep in thought"],
    );
    fails_with(
        "exit 0",
        &[
            "cannot be parsed",
            "workload_scenario_1.xml",
            "bench-compare.md",
        ],
    );
    fails_with(
        "echo '<MQSim_Results/>' > workload_scenario_1.xml",
        &["cannot be parsed", "no Host.IO_Flow"],
    );
    let fewer = MQSIM.replace("<Request_Count>$n<", "<Request_Count>7<");
    fails_with(&fewer, &["7 requests instead of 100"]);
}

#[test]
fn a_case_that_fails_leaves_the_others() {
    let dir = folder();
    let broken = MQSIM.replace(
        "    tag workload.xml Read_Percentage 0\n",
        "    kill -SEGV $$\n",
    );
    let (mqsim, simplessd) = (StandIn::new(&broken), StandIn::new(SIMPLESSD));
    let (one, other) = (mqsim.path(), simplessd.path());
    let args = ["bench", DRIVE, "--requests", "100", "--mqsim", &one];
    let all = [&args[..], &["--simplessd", &other]].concat();
    let said = common::run(&mut common::stend(dir.path(), &all));
    assert_eq!(said.code, Some(6), "{}", said.stderr);
    assert_eq!(kept(&said.stderr), 1);
    assert!(
        said.stderr.contains("failed: MQSim in random-write"),
        "{}",
        said.stderr
    );
    let rows = |name: &str| {
        said.stdout
            .lines()
            .filter(|line| line.starts_with(name))
            .count()
    };
    assert_eq!(
        (rows("  MQSim  "), rows("  SimpleSSD  ")),
        (3, 4),
        "{}",
        said.stdout
    );
    assert!(
        said.stdout.contains("  MQSim failed: MQSim ("),
        "{}",
        said.stdout
    );
    assert!(said.stdout.contains("signal 11"), "{}", said.stdout);
    let json_too = [&all[..], &["--json"]].concat();
    let said = common::run(&mut common::stend(dir.path(), &json_too));
    kept(&said.stderr);
    let result = json(&said.stdout);
    let programs = &case(&result, "random-write")["programs"];
    assert!(
        programs["mqsim"]["failed"]
            .to_string()
            .contains("signal 11")
    );
    assert!(number(&programs["simplessd"]["iops"]) > 0.0);
}

#[test]
fn a_simulator_that_cannot_be_run_is_told() {
    let dir = folder();
    let with = |path: &str, code: i32, parts: &[&str]| {
        let args = ["bench", DRIVE, "--requests", "100", "--mqsim", path];
        fails(dir.path(), &args, code, parts)
    };
    with(
        "./missing",
        5,
        &["--mqsim ./missing", "bench-compare.md", "build MQSim"],
    );
    with(".", 3, &["not a file"]);
    let plain = dir.path().join("plain");
    fs::write(&plain, "no program\n").unwrap();
    kept(&with("./plain", 6, &["not executable", "chmod +x"]));
    fs::set_permissions(&plain, fs::Permissions::from_mode(0o755)).unwrap();
    kept(&with("./plain", 6, &["cannot be run"]));
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let dir = folder();
    let mqsim = StandIn::new(MQSIM);
    let path = mqsim.path();
    let args = ["bench", "demo-8gb", "--mqsim", &path];
    fails(
        dir.path(),
        &args,
        3,
        &["demo-8gb", "SLC cache", "enabled = false"],
    );
    fails(
        dir.path(),
        &["bench", "demo-9gb"],
        3,
        &["no drive model `demo-9gb`", "demo-8gb"],
    );
    let args = ["bench", "demo-8gb", "--depth", "0"];
    let said = common::run(&mut common::stend(dir.path(), &args));
    assert_eq!(said.code, Some(2), "{}", said.stderr);
}

fn wait_for(what: &str, mut there: impl FnMut() -> bool) {
    let began = Instant::now();
    while !there() {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "waited in vain for {what}"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_signal_ends_the_simulator_and_removes_its_files() {
    let dir = folder();
    let temporary = dir.path().join("temporary");
    fs::create_dir(&temporary).unwrap();
    let stand_in =
        StandIn::new("echo $$ > $notes/pid.new\nmv $notes/pid.new $notes/pid\nexec sleep 600");
    let path = stand_in.path();
    let args = ["bench", DRIVE, "--requests", "100", "--mqsim", &path];
    let mut command: Command = program(dir.path(), &args);
    command.env("TMPDIR", &temporary);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let noted = stand_in.0.path().join("pid");
    wait_for("the stand-in", || noted.exists());
    // The signal goes to stend alone.
    tool("kill", &["-s", "INT", &child.id().to_string()]);
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(130), "{}", said.stderr);
    assert!(said.stderr.contains("interrupted"), "{}", said.stderr);
    let pid = fs::read_to_string(noted).unwrap();
    assert!(!Path::new("/proc").join(pid.trim()).exists(), "it goes on");
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
}
