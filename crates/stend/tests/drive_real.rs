//! `stend drive` on real targets: loop devices, files, and fakes of the tools that control drives.
//! No test sends a command to a real drive.

use crate::common;

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Stdio};

use common::{
    Loop, MIB, Mounted, Said, fails, fails_as, fake_tool, folder, have, have_root_and, json,
    key_paths, number, ok, run, stend, tool, with_tools,
};
use serde_json::Value;

const TOKEN: &str = "loop:disk.img";
const ATA: &str = include_str!("../../real/tests/data/smartctl-ata.json");
const NVME: &str = include_str!("../../real/tests/data/smartctl-nvme.json");

/// A loop device filled with the byte 7.
fn full() -> Loop {
    let device = Loop::new(16 * MIB);
    fs::write(device.node(), vec![7; 16 * MIB as usize]).unwrap();
    tool("blockdev", &["--flushbufs", device.node()]);
    device
}

fn untouched(device: &Loop) {
    tool("blockdev", &["--flushbufs", device.node()]);
    let content = fs::read(device.node()).unwrap();
    assert!(content.iter().all(|byte| *byte == 7));
}

/// Runs a command on a terminal, and types `input` once `sign` is on the screen.
pub fn typed(dir: &Path, args: &[&str], sign: &str, input: &str) -> (Option<i32>, String) {
    let words: Vec<String> = args.iter().map(|arg| format!("'{arg}'")).collect();
    let program = env!("CARGO_BIN_EXE_stend");
    // A terminal without a viewer has no size.
    let line = format!("stty rows 24 cols 80; exec {program} {}", words.join(" "));
    let mut child = Command::new("timeout")
        .args(["60", "script", "-q", "-e", "-c", &line, "/dev/null"])
        .current_dir(dir)
        .env("STEND_LAB", dir.join(".lab/lab.db"))
        .env("TERM", "xterm")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Kept open: closing it would type an end of input.
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let (mut screen, mut is_typed) = (Vec::new(), false);
    let mut piece = [0; 4096];
    loop {
        let shown = String::from_utf8_lossy(&screen).into_owned();
        if !is_typed && shown.contains(sign) {
            stdin.write_all(input.as_bytes()).unwrap();
            is_typed = true;
        }
        match stdout.read(&mut piece).unwrap() {
            0 => return (child.wait().unwrap().code(), shown),
            bytes => screen.extend_from_slice(&piece[..bytes]),
        }
    }
}

#[test]
fn health_is_smartctl_s_with_the_meaning_of_its_exit_status() {
    if !have_root_and(&["losetup", "smartctl", "unshare"]) {
        return;
    }
    let device = Loop::new(MIB);
    let node = device.node();
    let dir = folder();
    let dir = dir.path();
    for (text, status, parts) in [
        (
            ATA,
            0,
            &["PASSED", "241 Total_LBAs_Written", "27838821420"][..],
        ),
        (
            NVME,
            64,
            &["PASSED", "percentage used", "data units written"],
        ),
    ] {
        let text = text.replace("\"exit_status\": 0", &format!("\"exit_status\": {status}"));
        fs::write(dir.join("answer"), &text).unwrap();
        let answer = dir.join("answer");
        let body = format!("cat {}; exit {status}", answer.display());
        let tools = fake_tool("smartctl", &body);
        let health = |more: &[&str]| {
            let args = [&["drive", "health", node], more].concat();
            let said = run(with_tools(&mut stend(dir, &args), tools.path()));
            assert_eq!(said.code, Some(0), "{}", said.stderr);
            said
        };
        let said = health(&[]);
        for part in parts {
            assert!(said.stdout.contains(part), "{part}\n{}", said.stdout);
        }
        assert_eq!(said.stderr.contains("log of errors"), status == 64);
        let told = health(&["--json"]).stdout;
        let (own, end) = (told.find(",\n  \"stend\": ").unwrap(), text.trim_end());
        assert_eq!(told[..own], *end[..end.len() - 1].trim_end(), "to the byte");
        assert!(told.ends_with("}\n}\n"), "{told}");
        assert_eq!(
            tools.calls(),
            [format!("-j -x {node}"), format!("-j -x {node}")]
        );
    }
    let words = ["Unable to detect device type", node];
    fails(dir, &["drive", "health", node], 6, &words);
    let hidden = "mount --bind /dev/null \"$(command -v smartctl)\" && exec \"$0\" \"$@\"";
    let said = Command::new("unshare")
        .args(["-m", "sh", "-c", hidden, env!("CARGO_BIN_EXE_stend")])
        .args(["drive", "health", node])
        .output()
        .unwrap();
    let said = Said::from(said);
    assert_eq!(said.code, Some(5), "{said:?}");
    assert!(
        said.stderr.contains("apt install smartmontools"),
        "{said:?}"
    );
    fs::write(dir.join("notes"), "text").unwrap();
    fails(
        dir,
        &["drive", "health", "notes"],
        3,
        &["a file has no health"],
    );
}

/// Output of `stend drive health` for a drive with this smartctl document.
fn health_told(device: &Loop, text: &str, more: &[&str]) -> String {
    let dir = folder();
    let answer = dir.path().join("answer");
    fs::write(&answer, text).unwrap();
    let tools = fake_tool("smartctl", &format!("cat {}", answer.display()));
    let args = [&["drive", "health", device.node()], more].concat();
    let said = run(with_tools(&mut stend(dir.path(), &args), tools.path()));
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    said.stdout
}

fn life_left(device: &Loop, text: &str, more: &[&str]) -> Value {
    let told = health_told(device, text, &[more, &["--json"]].concat());
    json(&told)["stend"]["remaining_life"].clone()
}

#[test]
fn what_is_left_of_a_drive_is_told_as_documented() {
    if !have_root_and(&["losetup"]) {
        return;
    }
    let device = Loop::new(MIB);
    // Exactly the documented keys.
    let document = include_str!("../../../docs/real-drives.md");
    let example = document.split("```json\n").nth(1).unwrap();
    let example = json(example.split("```").next().unwrap());
    let documented = &example["stend"]["remaining_life"];
    let rated = ["--rated", "72TB"];
    let whole = life_left(&device, NVME, &rated);
    assert_eq!(key_paths(&whole), key_paths(documented));
    for key in key_paths(&whole) {
        let pointer = key.replace('.', "/");
        let [got, shown] = [&whole, documented].map(|of| number(of.pointer(&pointer).unwrap()));
        assert!((got / shown - 1.0).abs() < 0.005, "{key}: {got}, {shown}");
    }
    // The text of the example, whose lines are wrapped.
    let unwrapped = document.replace('\n', " ");
    let told = health_told(&device, NVME, &rated);
    let rows: Vec<&str> = told
        .lines()
        .skip_while(|row| !row.starts_with("written"))
        .collect();
    for row in &rows[..4] {
        assert!(unwrapped.contains(row), "{row}");
    }
    let told = health_told(&device, ATA, &[]);
    let expected = "rated life left, by the share used: 698 TB (461 TB to 1,410 TB), at the rate \
                    so far 118 (77.6 to 238) years with power\n";
    assert!(told.contains(expected), "{told}");
}

#[test]
fn what_is_left_of_a_drive_follows_as_far_as_it_tells() {
    if !have_root_and(&["losetup"]) {
        return;
    }
    let device = Loop::new(MIB);
    let said = |text: &str, more: &[&str]| health_told(&device, text, more);
    let by_share = |text: &str| life_left(&device, text, &[])["by_used_percent"].clone();
    let used = |percent: u64| {
        let reported = format!("\"percentage_used\": {percent}");
        NVME.replace("\"percentage_used\": 3", &reported)
    };
    // Nothing is used yet: the results are bounds.
    let new = by_share(&used(0));
    for bound in [&new["written_bytes"], &new["power_on_years"]] {
        assert_eq!(key_paths(bound), [".least".to_owned()].into());
    }
    let told = said(&used(0), &[]);
    assert!(told.contains("the share used: at least 1,150 TB, at the rate so far at least 48.7"));
    // Without hours, only bytes are estimated. For a life that is over, nothing is.
    let timeless = used(3).replace("\"power_on_hours\": 4310", "\"power_on_hours\": 0");
    let timeless = by_share(&timeless);
    assert!(timeless["written_bytes"].is_object() && timeless["power_on_years"].is_null());
    assert!(said(&used(120), &[]).contains("by the share used: nothing\n"));

    // A drive that reports no share: only smartctl's document, unless a rating is given.
    let silent = ATA.replace("Media_Wearout_Indicator", "Unknown_Attribute");
    let silent = silent.replace("Wear_Leveling_Count", "Unknown_Attribute");
    assert_eq!(said(&silent, &["--json"]), silent, "to the byte");
    assert!(!said(&silent, &[]).contains("rated life"));
    let rated = life_left(&device, &silent, &["--rated", "150TB"]);
    assert!(rated["by_rated_bytes"].is_object() && rated["by_used_percent"].is_null());
}

#[test]
fn trim_of_a_device_asks_for_its_serial_number() {
    if !have_root_and(&["losetup", "blkid", "blkdiscard", "blockdev"]) {
        return;
    }
    let device = full();
    let dir = folder();
    let dir = dir.path();
    let trim = ["drive", "trim", device.node()];
    let table = [
        "TRIM destroys",
        "16777216 bytes from 0 on",
        "16.8 MB",
        "--destroy loop:disk.img",
    ];
    fails(dir, &trim, 4, &table);
    let part = [&trim[..], &["--offset", "4MiB", "--size", "8MiB"]].concat();
    let other = [&part[..], &["--destroy", "S3EVNX0J"]].concat();
    fails(
        dir,
        &other,
        4,
        &["does not name it", "8388608 bytes from 4194304 on"],
    );
    let within = ["within the target's 16777216 bytes", "512"];
    let past = ["--offset 16777216 is past the end", "16777216 bytes"];
    for (range, parts) in [
        (["--offset", "16MiB"], past),
        (["--offset", "100"], within),
        (["--length", "17MiB"], within),
    ] {
        let args = [&trim[..], &range, &["--destroy", TOKEN]].concat();
        fails(dir, &args, 3, &parts);
    }
    untouched(&device);
    let named = [&part[..], &["--destroy", TOKEN, "--json"]].concat();
    let done = json(&ok(dir, &named).stdout);
    assert_eq!(done["schema"], "stend.drive-trim/1");
    assert_eq!(done["offset_bytes"], 4 * MIB);
    assert_eq!(done["length_bytes"], 8 * MIB);
    let content = fs::read(device.node()).unwrap();
    let zero = |byte: &u8| *byte == 0;
    let (before, rest) = content.split_at(4 * MIB as usize);
    let (inside, after) = rest.split_at(8 * MIB as usize);
    assert!(inside.iter().all(zero) && !before.iter().any(zero) && !after.iter().any(zero));
}

#[test]
fn what_is_in_use_is_neither_trimmed_nor_erased() {
    if !have_root_and(&["losetup", "blkid", "mkfs.ext4", "mount", "mkswap", "swapon"]) {
        return;
    }
    let hdparm = fake_tool("hdparm", FREE_DRIVE);
    let dir = folder();
    let refused = |device: &Loop, parts: &[&str]| {
        let before = fs::read(device.node()).unwrap();
        for deed in ["trim", "erase"] {
            let args = ["drive", deed, device.node(), "--destroy", TOKEN];
            let mut command = stend(dir.path(), &args);
            fails_as(with_tools(&mut command, hdparm.path()), 4, parts);
        }
        assert!(fs::read(device.node()).unwrap() == before, "{parts:?}");
    };
    let device = Loop::new(16 * MIB);
    tool("mkfs.ext4", &["-q", device.node()]);
    refused(&device, &["ext4"]);
    // Mounted read-only: ext4 would otherwise continue to write by itself.
    let mounted = Mounted::new(&["-o", "ro", device.node()]);
    refused(&device, &["mounted", mounted.path().to_str().unwrap()]);
    drop(mounted);
    let device = Loop::new(16 * MIB);
    tool("mkswap", &[device.node()]);
    tool("swapon", &[device.node()]);
    refused(&device, &["swapoff"]);
    tool("swapoff", &[device.node()]);
    assert!(hdparm.calls().iter().all(|call| call.starts_with("-I")));
}

#[test]
fn the_space_of_a_file_is_given_back() {
    let dir = folder();
    let dir = dir.path();
    let file = dir.join("f");
    fs::write(&file, vec![7; 4 * MIB as usize]).unwrap();
    fs::File::open(&file).unwrap().sync_all().unwrap();
    let used = || file.metadata().unwrap().blocks() * 512;
    let before = used();
    for wrong in [&[][..], &["--destroy", "g"]] {
        let args = [&["drive", "trim", "f"], wrong].concat();
        fails(dir, &args, 4, &["TRIM destroys", "--destroy f"]);
    }
    assert_eq!(used(), before);
    ok(
        dir,
        &[
            "drive",
            "trim",
            "f",
            "--offset",
            "1MiB",
            "--length",
            "2MiB",
            "--destroy",
            "f",
        ],
    );
    assert_eq!(before - used(), 2 * MIB);
    let content = fs::read(&file).unwrap();
    assert_eq!(content.len() as u64, 4 * MIB);
    let zeros: Vec<usize> = (0..content.len()).filter(|n| content[*n] == 0).collect();
    assert_eq!((zeros[0], zeros.len()), (MIB as usize, 2 * MIB as usize));
    fails(
        dir,
        &["drive", "trim", "f", "--length", "5MiB", "--destroy", "f"],
        3,
        &["4194304 bytes"],
    );
    fails(dir, &["drive", "erase", "f"], 3, &["not a block device"]);
    fails(
        dir,
        &["drive", "trim", "demo-8gb", "--destroy", "x"],
        3,
        &["is simulated"],
    );
}

#[test]
fn on_a_terminal_the_serial_number_is_typed() {
    if !have_root_and(&[
        "losetup",
        "blkid",
        "blkdiscard",
        "blockdev",
        "script",
        "fio",
    ]) {
        return;
    }
    let device = full();
    let dir = folder();
    let dir = dir.path();
    for (args, answers) in [
        (
            &["drive", "trim"][..],
            &["yes\n", "loop:disk.im\n", "Loop:disk.img\n", "\n", "\u{4}"][..],
        ),
        (&["review"], &["y\n"]),
    ] {
        for answer in answers {
            let args = [args, &[device.node()]].concat();
            let (code, screen) = typed(dir, &args, "type the device", answer);
            assert_eq!(code, Some(4), "{answer:?}\n{screen}");
            for part in ["type the device's name", TOKEN, "nothing is touched"] {
                assert!(screen.contains(part), "{part}\n{screen}");
            }
        }
    }
    untouched(&device);
    let (code, screen) = typed(
        dir,
        &["drive", "trim", device.node()],
        "type the device",
        "loop:disk.img\n",
    );
    assert_eq!(code, Some(0), "{screen}");
    tool("blockdev", &["--flushbufs", device.node()]);
    assert!(
        fs::read(device.node())
            .unwrap()
            .iter()
            .all(|byte| *byte == 0)
    );
}

/// A SATA drive that is not frozen; it has a password while `$dir/set` exists.
const FREE_DRIVE: &str = "case \"$*\" in\n\
    -I*) printf '\\nSecurity: \\n\\t\\tsupported\\n'\n\
    if [ -e $dir/set ]; then printf '\\t\\tenabled\\n'; else printf '\\tnot\\tenabled\\n'; fi\n\
    printf '\\tnot\\tfrozen\\n\\t2min for SECURITY ERASE UNIT. 8min for ENHANCED\\n' ;;\n\
    *set-pass*) touch $dir/set ;;\n\
    *security-erase*) rm -f $dir/set ;;\n\
    -W1*) echo 1 > $dir/cache ;;\n\
    -W0*) echo 0 > $dir/cache ;;\n\
    -W*) echo \" write-caching =  $(cat $dir/cache 2>/dev/null || echo 1) (on)\" ;;\n\
    esac";

#[test]
fn a_drive_is_erased_by_its_own_command_and_only_when_named() {
    if !have_root_and(&["losetup", "blkid", "hdparm", "addpart", "delpart"]) {
        return;
    }
    let device = Loop::new(16 * MIB);
    let node = device.node();
    let dir = folder();
    let dir = dir.path();
    let named = ["drive", "erase", node, "--destroy", TOKEN];
    fails(
        dir,
        &named,
        3,
        &[node, "no ATA security", "stend drive trim"],
    );
    let hdparm = fake_tool("hdparm", FREE_DRIVE);
    let with = |args: &[&str]| {
        let mut command = stend(dir, args);
        with_tools(&mut command, hdparm.path());
        command
    };
    let table = ["erasing destroys everything", "the drive says 2 min", TOKEN];
    fails_as(&mut with(&["drive", "erase", node]), 4, &table);
    assert_eq!(hdparm.calls(), [format!("-I {node}")]);
    let said = run(&mut with(&[&named[..], &["--json"]].concat()));
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert_eq!(json(&said.stdout)["crypto"], false);
    let erase = format!("--user-master u --security-erase stend {node}");
    assert!(hdparm.calls().contains(&erase), "{:?}", hdparm.calls());
    fails_as(
        &mut with(&[&named[..], &["--crypto"]].concat()),
        3,
        &["no sanitize feature set", "ATA Security Erase Unit"],
    );

    let said = run(&mut with(&["drive", "write-cache", node, "off", "--json"]));
    assert_eq!(json(&said.stdout)["write_cache"], false);
    fails(
        dir,
        &["drive", "write-cache", node, "on"],
        3,
        &["no ATA write cache"],
    );
    let args = ["drive", "overprovision", node, "--user-bytes", "8MiB"];
    fails(
        dir,
        &args,
        3,
        &["hdparm -N p16384", "partition", "--size 8388608"],
    );
}

/// A SATA drive with the sanitize commands in `$dir/has`; sanitizing ends after two status queries.
const SANITIZING_DRIVE: &str = "case \"$*\" in\n\
    -I*) cat $dir/has; printf '\\nSecurity: \\n\\t\\tsupported\\n' ;;\n\
    --sanitize-status*) case $(grep -c sanitize-status $dir/calls) in\n\
    2) printf '    State:    SD2 Sanitize operation In Process\\n'\n\
    printf '    Progress: 0x3fff (25%%)\\n' ;;\n\
    *) printf '    State:    SD0 Sanitize Idle\\n    Last Sanitize Operation Completed Without \
    Error\\n' ;; esac ;;\n\
    *sanitize-*) echo 'Operation started in background' ;;\n\
    esac";

#[test]
fn a_drive_is_sanitized_by_what_it_reports_and_waited_for() {
    if !have_root_and(&["losetup", "blkid", "hdparm"]) {
        return;
    }
    let device = Loop::new(16 * MIB);
    let node = device.node();
    let dir = folder();
    let dir = dir.path();
    let hdparm = fake_tool("hdparm", SANITIZING_DRIVE);
    let has = |commands: &[&str]| {
        let marks: String = commands
            .iter()
            .map(|name| format!("\t   *\t{name}\n"))
            .collect();
        fs::write(hdparm.path().join("has"), marks).unwrap();
    };
    let with = |args: &[&str]| {
        let mut command = stend(dir, &[&["drive", "erase", node], args].concat());
        with_tools(&mut command, hdparm.path());
        command
    };
    has(&["SANITIZE feature set", "BLOCK_ERASE_EXT command"]);
    let parts = ["CRYPTO SCRAMBLE EXT", "BLOCK ERASE EXT (--sanitize)"];
    fails_as(&mut with(&["--crypto", "--destroy", TOKEN]), 3, &parts);
    let table = [
        "erasing destroys everything",
        "all blocks, by ATA BLOCK ERASE EXT",
        TOKEN,
    ];
    fails_as(&mut with(&["--sanitize"]), 4, &table);
    assert!(
        hdparm
            .calls()
            .iter()
            .all(|call| !call.contains("yes-i-know"))
    );
    fs::remove_file(hdparm.path().join("calls")).unwrap();
    has(&["SANITIZE feature set", "CRYPTO_SCRAMBLE_EXT command"]);
    let said = run(&mut with(&["--crypto", "--destroy", TOKEN, "--json"]));
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(
        said.stderr.contains("25 % of the sanitize is done"),
        "{}",
        said.stderr
    );
    let erased = json(&said.stdout);
    assert_eq!(
        (&erased["crypto"], &erased["sanitize"]),
        (&true.into(), &false.into())
    );
    let status = format!("--sanitize-status {node}");
    let begin = format!("--yes-i-know-what-i-am-doing --sanitize-crypto-scramble {node}");
    let calls = [&format!("-I {node}"), &status, &begin, &status, &status];
    assert_eq!(hdparm.calls().iter().collect::<Vec<_>>(), calls);
}

#[test]
fn a_device_under_load_is_watched() {
    if !have_root_and(&["losetup", "fio", "smartctl"]) {
        return;
    }
    let device = Loop::new(64 * MIB);
    let dir = folder();
    let mut load = Command::new("fio")
        .args([
            "--name=a",
            "--rw=randrw",
            "--bs=4k",
            "--direct=1",
            "--time_based",
        ])
        .args(["--rate_iops=200,100", "--runtime=30"])
        .arg(format!("--filename={}", device.node()))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(1));
    let args = ["drive", "monitor", device.node(), "--json", "--count", "3"];
    let said = ok(dir.path(), &args);
    let text = ok(dir.path(), &["drive", "monitor", device.node(), "--once"]).stdout;
    load.kill().unwrap();
    load.wait().unwrap();
    assert!(said.stderr.contains("wear is not known"), "{}", said.stderr);
    let readings: Vec<Value> = said.stdout.lines().map(json).collect();
    assert_eq!(readings.len(), 3);
    let mean = |key: &str| readings.iter().map(|r| number(&r[key])).sum::<f64>() / 3.0;
    // The number requested from fio, which a busy machine may delay.
    for (iops, bytes, latency, rate) in [
        (
            "read_iops",
            "read_bw_bytes_per_s",
            "read_latency_ns_mean",
            200.0,
        ),
        (
            "write_iops",
            "write_bw_bytes_per_s",
            "write_latency_ns_mean",
            100.0,
        ),
    ] {
        let seen = mean(iops);
        assert!(seen > rate / 2.0 && seen < rate * 1.5, "{iops}: {seen}");
        assert!((mean(bytes) / seen - 4096.0).abs() < 1.0, "{bytes}");
        assert!(readings.iter().all(|r| r[latency].is_f64()), "{latency}");
    }
    for reading in &readings {
        assert_eq!(reading["schema"], "stend.drive-monitor/1");
        assert_eq!(reading["virtual_time"], false);
        assert!(reading["temperature_c"].is_null() && reading["used_percent"].is_null());
    }
    assert_eq!(text.lines().count(), 1);
    assert!(
        text.contains(" IOPS") && text.contains("temperature not known"),
        "{text}"
    );
}

#[test]
fn a_simulated_drive_is_watched_in_virtual_time() {
    let dir = folder();
    let dir = dir.path();
    let job = "[a]\nrw=randread\nbs=4k\niodepth=8\ntime_based\nruntime=3500ms\n";
    fs::write(dir.join("j.fio"), job).unwrap();
    let args = ["drive", "monitor", "demo-8gb", "--job", "j.fio", "--json"];
    let said = ok(dir, &args);
    assert_eq!(said.stdout, ok(dir, &args).stdout, "the same bytes");
    let readings: Vec<Value> = said.stdout.lines().map(json).collect();
    assert_eq!(readings.len(), 4, "three seconds and a half");
    let whole = [
        "run",
        "j.fio",
        "--on",
        "demo-8gb",
        "--output-format",
        "json",
    ];
    let whole = json(&ok(dir, &whole).stdout);
    let read = &whole["jobs"][0]["read"];
    let mut last = 0.0;
    let mut requests = 0.0;
    for reading in &readings {
        assert_eq!(reading["virtual_time"], true);
        let t_s = number(&reading["t_s"]);
        requests += number(&reading["read_iops"]) * (t_s - last);
        last = t_s;
        // Little's law.
        let inside = number(&reading["read_iops"]) * number(&reading["read_latency_ns_mean"]) / 1e9;
        let depth = number(&reading["queue_depth_mean"]);
        assert!(
            (inside - depth).abs() < 0.01 && (depth - 8.0).abs() < 0.01,
            "{reading}"
        );
    }
    assert!(
        (requests - number(&read["total_ios"])).abs() < 0.5,
        "watching changes nothing"
    );
    assert_eq!(number(&readings[0]["t_s"]), 1.0);
    // Between requests that are far apart, none is outstanding.
    let job = "[a]\nrw=randread\nbs=4k\niodepth=4\nrate_iops=1000\ntime_based\nruntime=2\n";
    fs::write(dir.join("slow.fio"), job).unwrap();
    let slow = [
        "drive", "monitor", "demo-8gb", "--job", "slow.fio", "--json",
    ];
    let slow = json(ok(dir, &slow).stdout.lines().next().unwrap());
    let inside = number(&slow["read_iops"]) * number(&slow["read_latency_ns_mean"]) / 1e9;
    assert!((number(&slow["read_iops"]) - 1000.0).abs() < 2.0, "{slow}");
    assert!(
        (number(&slow["queue_depth_mean"]) - inside).abs() < 0.001,
        "{slow}"
    );
    let few = ok(
        dir,
        &[&args[..], &["--count", "2", "--interval", "0.5"]].concat(),
    );
    assert_eq!(few.stdout.lines().count(), 2);
}

#[test]
fn a_simulated_drive_is_watched_only_with_a_job_that_fits() {
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("j.fio"), "[a]\nrw=randread\nbs=4k\n").unwrap();
    fails(
        dir,
        &["drive", "monitor", "demo-8gb"],
        3,
        &["--job JOB.fio"],
    );
    fails(
        dir,
        &["drive", "monitor", ".", "--job", "j.fio"],
        3,
        &["stend run j.fio"],
    );
    fails(dir, &["drive", "monitor", "none"], 3, &["there is no none"]);
    let beyond = "[a]\nrw=read\noffset=9g\nsize=4k\n";
    fs::write(dir.join("beyond.fio"), beyond).unwrap();
    let args = [
        "drive",
        "monitor",
        "demo-8gb",
        "--job",
        "beyond.fio",
        "--once",
    ];
    fails(dir, &args, 3, &["offset"]);
}

/// Switches to a terminal's alternate screen; the same with an `l` switches back.
const SCREEN: &str = "\u{1b}[?1049h";

#[test]
fn the_screen_ends_by_a_key_and_by_a_signal() {
    if !cfg!(feature = "screen") || !have(&["script"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    fs::write(
        dir.join("j.fio"),
        "[a]\nrw=randread\ntime_based\nruntime=100s\n",
    )
    .unwrap();
    let args = ["drive", "monitor", "demo-8gb", "--job", "j.fio"];
    let left = |screen: &str| {
        let (on, off) = (screen.find(SCREEN), screen.rfind("\u{1b}[?1049l"));
        assert!(on.is_some() && off > on, "{screen:?}");
        // The cursor is shown, and not hidden again.
        let (shown, hidden) = (screen.rfind("\u{1b}[?25h"), screen.rfind("\u{1b}[?25l"));
        assert!(shown > hidden, "{screen:?}");
    };
    for key in ["q", "\u{3}"] {
        let (code, screen) = typed(dir, &args, SCREEN, key);
        assert_eq!(code, Some(0), "{screen:?}");
        left(&screen);
    }
    let (code, screen) = typed(
        dir,
        &[&args[..], &["--count", "2", "--speed", "100"]].concat(),
        SCREEN,
        "",
    );
    assert_eq!(code, Some(0), "{screen:?}");
    assert!(screen.contains("IOPS"), "{screen:?}");
    left(&screen);
    let signalled = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_secs(2));
            let line = format!("{} drive monitor demo-8gb", env!("CARGO_BIN_EXE_stend"));
            for entry in fs::read_dir("/proc").unwrap() {
                let entry = entry.unwrap();
                let cwd = fs::read_link(entry.path().join("cwd")).unwrap_or_default();
                let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
                let command = String::from_utf8_lossy(&command).replace('\0', " ");
                if cwd == dir && command.starts_with(&line) {
                    tool("kill", &["-TERM", entry.file_name().to_str().unwrap()]);
                }
            }
        });
        typed(dir, &args, SCREEN, "")
    });
    assert_eq!(signalled.0, Some(143), "{:?}", signalled.1);
    left(&signalled.1);
}
