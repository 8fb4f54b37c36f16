//! `stend serve` from outside: a client, data files, refusals, commands, replay.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::*;

const WRITE: u16 = 1;
const FLUSH: u16 = 3;
const TRIM: u16 = 4;
const FUA: u16 = 1;

/// A server that never outlives its test.
struct Served {
    child: Child,
}

impl Served {
    /// Serves at `s`, and accepts commands at `c`.
    fn start(dir: &Path, args: &[&str]) -> Served {
        let args = [&["serve", "--nbd", "unix:s", "--control", "c"], args].concat();
        let mut command = program(dir, &args);
        let child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut served = Served { child };
        let began = Instant::now();
        while !dir.join("c").exists() {
            let ended = served.child.try_wait().unwrap();
            assert!(ended.is_none(), "{}", served.stderr());
            assert!(
                began.elapsed() < Duration::from_secs(60),
                "it does not listen"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        served
    }

    fn stderr(&mut self) -> String {
        let mut text = String::new();
        let stderr = self.child.stderr.as_mut().unwrap();
        stderr.read_to_string(&mut text).unwrap();
        text
    }

    /// Ends the server with SIGTERM; returns its output.
    fn end(mut self) -> String {
        let id = self.child.id().to_string();
        let kill = Command::new("kill").arg(id).status().unwrap();
        assert!(kill.success());
        let status = self.child.wait().unwrap();
        let text = self.stderr();
        assert_eq!(status.code(), Some(0), "{text}");
        text
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // The server may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Client(UnixStream);

impl Client {
    fn connect(dir: &Path) -> Client {
        // The path of a socket must be short; that of a test's folder need not be.
        let path = dir.join("s");
        let mut stream = UnixStream::connect(&path).unwrap();
        let limit = Some(Duration::from_secs(60));
        stream.set_read_timeout(limit).unwrap();
        let mut hello = 3u32.to_be_bytes().to_vec();
        hello.extend(b"IHAVEOPT\0\0\0\x07\0\0\0\x06\0\0\0\0\0\0");
        stream.write_all(&hello).unwrap();
        stream.read_exact(&mut [0; 18 + 32 + 20]).unwrap();
        Client(stream)
    }

    fn request(&mut self, (flags, kind): (u16, u16), offset: u64, len: u32, data: &[u8]) -> u32 {
        let mut bytes = 0x2560_9513u32.to_be_bytes().to_vec();
        bytes.extend(flags.to_be_bytes());
        bytes.extend(kind.to_be_bytes());
        bytes.extend(7u64.to_be_bytes());
        bytes.extend(offset.to_be_bytes());
        bytes.extend(len.to_be_bytes());
        bytes.extend(data);
        self.0.write_all(&bytes).unwrap();
        let mut head = [0; 16];
        self.0.read_exact(&mut head).unwrap();
        u32::from_be_bytes(head[4..8].try_into().unwrap())
    }

    fn write(&mut self, offset: u64, data: &[u8]) {
        assert_eq!(self.request((0, WRITE), offset, data.len() as u32, data), 0);
    }

    fn read(&mut self, offset: u64, len: u32) -> Vec<u8> {
        assert_eq!(self.request((0, 0), offset, len, &[]), 0);
        let mut data = vec![0; len as usize];
        self.0.read_exact(&mut data).unwrap();
        data
    }
}

/// Creates a folder whose path is short enough for sockets.
fn short_folder() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("s").tempdir().unwrap()
}

#[test]
fn drive_and_data_are_kept_together() {
    let dir = short_folder();
    let dir = dir.path();
    let kept = ["demo-8gb", "--state", "d", "--data", "x", "--speed", "max"];
    let served = Served::start(dir, &kept);
    Client::connect(dir).write(1 << 20, &[7; 8192]);
    fails(
        dir,
        &[&["serve", "--nbd", "unix:s2"], &kept[..]].concat(),
        4,
        &["in use"],
    );
    assert!(served.end().contains("no longer served"));
    // The drive in the state file contains the writes, and the data file belongs to it.
    let health = ok(dir, &["drive", "health", "d", "--json"]).stdout;
    assert!(
        health.contains("smart_status") || health.contains("host_pages_written"),
        "{health}"
    );
    let served = Served::start(dir, &["d", "--data", "x"]);
    let mut client = Client::connect(dir);
    assert_eq!(client.read(1 << 20, 8192), [7; 8192]);
    assert_eq!(client.read(0, 512), [0; 512]);
    client.write(0, &[8; 512]);
    served.end();
    // A change of the drive elsewhere invalidates the data file.
    ok(dir, &["drive", "trim", "d"]);
    let args = ["serve", "d", "--data", "x", "--nbd", "unix:s"];
    fails(
        dir,
        &args,
        4,
        &["x is not written", "another history", "--as-it-is"],
    );
    let served = Served::start(dir, &["d", "--data", "x", "--as-it-is"]);
    assert_eq!(Client::connect(dir).read(0, 512), [8; 512]);
    drop(served);
    // The server was killed.
    fs::remove_file(dir.join("c")).unwrap();
    fails(dir, &args, 4, &["killed", "--as-it-is"]);
    let served = Served::start(dir, &["d", "--data", "x", "--as-it-is"]);
    served.end();
}

#[test]
fn what_cannot_be_served_is_refused() {
    let dir = short_folder();
    let dir = dir.path();
    let serve = |args: &[&str], code: i32, parts: &[&str]| {
        fails(dir, &[&["serve"], args].concat(), code, parts);
    };
    serve(
        &["no-such-drive"],
        3,
        &["there is no drive model `no-such-drive`"],
    );
    serve(&["demo-8gb", "--nbd", "tcp:0.0.0.0:0"], 4, &["--public"]);
    serve(&["demo-8gb", "--nbd", "tcp:[::]:0"], 4, &["--public"]);
    serve(&["demo-8gb", "--nbd", "/a/path"], 2, &["unix:PATH or tcp:"]);
    serve(
        &["demo-8gb", "--nbd", "tcp:example.org:1"],
        2,
        &["not a numeric address"],
    );
    serve(
        &["demo-8gb", "--nbd", "unix:s", "--control", "s"],
        3,
        &["the same socket"],
    );
    serve(
        &["demo-8gb", "--nbd", "unix:no/such/folder"],
        6,
        &["cannot listen"],
    );
    serve(&["demo-8gb", "--speed", "0"], 2, &["or `max`"]);
    serve(&["demo-8gb", "--speed", "NaN"], 2, &["or `max`"]);
    serve(&["demo-8gb", "--as-it-is"], 2, &["--data"]);
    fs::write(dir.join("file"), "somebody's").unwrap();
    serve(
        &["demo-8gb", "--data", "file"],
        4,
        &["exists already", "name a new file"],
    );
    serve(&["demo-8gb", "--record", "file"], 3, &["it exists"]);
    serve(
        &["demo-8gb", "--nbd", "unix:file"],
        6,
        &["a file of that name"],
    );
    serve(&["demo-8gb", "--state", "file"], 3, &["exists already"]);
    assert_eq!(fs::read(dir.join("file")).unwrap(), b"somebody's");
    ok(dir, &["drives", "create", "demo-8gb", "--state", "d"]);
    let other = ["samsung-850-pro-256gb", "--state", "d"];
    serve(
        &other,
        3,
        &["holds another drive than samsung-850-pro-256gb"],
    );
    serve(&["d", "--state", "d2"], 3, &["leave --state out"]);
    // A socket with a listener is not removed.
    let served = Served::start(dir, &["demo-8gb"]);
    serve(
        &["demo-8gb", "--nbd", "unix:s"],
        6,
        &["another program listens"],
    );
    Client::connect(dir).write(0, &[1; 512]);
    served.end();
    assert!(!dir.join("s").exists() && !dir.join("c").exists());
}

#[test]
fn commands_reach_a_served_drive() {
    let dir = short_folder();
    let dir = dir.path();
    let served = Served::start(dir, &["samsung-850-evo-250gb", "--speed", "100"]);
    let mut client = Client::connect(dir);
    client.write(0, &[1; 65_536]);
    let status = ok(dir, &["drive", "status", "c"]).stdout;
    assert!(
        status.contains("Samsung 850 EVO") && status.contains("writes"),
        "{status}"
    );
    assert!(ok(dir, &["drive", "health", "c"]).stdout.contains("PASSED"));
    let health = json(&ok(dir, &["drive", "health", "c", "--json"]).stdout);
    assert_eq!(health["smart_status"]["passed"], true);
    let monitor = ["drive", "monitor", "c", "--once", "--interval", "0.1"];
    assert!(ok(dir, &monitor).stdout.contains("writes 0 IOPS"));
    assert!(
        ok(dir, &["drive", "trim", "c"])
            .stdout
            .contains("are trimmed")
    );
    assert_eq!(client.read(0, 4096), [0; 4096]);
    client.write(0, &[2; 4096]);
    let done = ok(dir, &["drive", "write-cache", "c", "off", "--json"]).stdout;
    assert_eq!(json(&done)["write_cache"], false);
    let op = ["drive", "overprovision", "c", "--user-bytes", "200GB"];
    fails(dir, &op, 3, &["TRIM the whole drive first"]);
    ok(dir, &["drive", "snapshot", "c", "snap"]);
    fails(
        dir,
        &["drive", "snapshot", "c", "snap"],
        3,
        &["exists already"],
    );
    ok(dir, &["drive", "idle", "c", "--seconds", "5"]);
    assert!(
        ok(dir, &["drive", "power-cut", "c"])
            .stdout
            .contains("the power is off")
    );
    fails(dir, &["drive", "trim", "c"], 3, &["power-on"]);
    fails(dir, &["drive", "power-cut", "c"], 3, &["the power is off"]);
    ok(dir, &["drive", "power-on", "c"]);
    // The write cache was off, so that the write is kept.
    assert_eq!(Client::connect(dir).read(0, 4096), [2; 4096]);
    ok(dir, &["drive", "erase", "c"]);
    assert_eq!(Client::connect(dir).read(0, 4096), [0; 4096]);
    let mut told = Client::connect(dir);
    ok(
        dir,
        &["drive", "overprovision", "c", "--user-bytes", "200GB"],
    );
    // This client was told another capacity.
    assert!(matches!(told.0.read(&mut [0; 1]), Ok(0) | Err(_)));
    let status = json(&ok(dir, &["drive", "status", "c", "--json"]).stdout);
    assert_eq!(status["capacity_bytes"], 200_000_000_000u64);
    served.end();
    fails(
        dir,
        &["drive", "status", "snap"],
        3,
        &["not a control socket"],
    );
    assert!(
        ok(dir, &["drive", "health", "snap"])
            .stdout
            .contains("PASSED")
    );
}

#[test]
fn what_trim_and_status_tell_is_what_the_host_has() {
    let dir = short_folder();
    let dir = dir.path();
    let _served = Served::start(dir, &["demo-8gb", "--speed", "max"]);
    let mut client = Client::connect(dir);
    // An SLC cache of 461 MB, with a page of parity for every five of data.
    let status = json(&ok(dir, &["drive", "status", "c", "--json"]).stdout);
    let free_bytes = status["free_entry_bytes"].as_u64().unwrap();
    assert!((380_000_000..390_000_000).contains(&free_bytes), "{status}");
    client.write(0, &[7; 8192]);
    let trim = |offset, length| {
        let range = ["--offset", offset, "--length", length];
        ok(dir, &[&["drive", "trim", "c"], &range[..]].concat()).stdout
    };
    let said = trim("512", "512");
    assert!(said.contains("512 bytes keep their data"), "{said}");
    assert_eq!(client.read(0, 4096), [7; 4096]);
    let said = trim("512", "7680");
    assert!(said.contains("3584 bytes keep their data"), "{said}");
    assert_eq!(client.read(0, 4096), [7; 4096]);
    assert_eq!(client.read(4096, 4096), [0; 4096]);
}

#[test]
fn the_virtual_time_of_a_served_drive_ends_some_day() {
    let dir = short_folder();
    let dir = dir.path();
    let _served = Served::start(dir, &["samsung-850-evo-250gb", "--speed", "max"]);
    let idle = |seconds| ["drive", "idle", "c", "--seconds", seconds];
    let year = idle("31622400");
    ok(dir, &year);
    ok(dir, &year);
    fails(dir, &year, 3, &["virtual time ends after 781 days"]);
    fails(dir, &idle("nan"), 2, &["from 0 to 31622400"]);
    fails(dir, &["drive", "status", "s"], 3, &["--control"]);
}

/// Data on a failed die cannot be read, and the server continues.
#[test]
fn a_die_that_fails_is_an_error_of_reads() {
    let dir = short_folder();
    let dir = dir.path();
    let served = Served::start(dir, &["samsung-850-evo-250gb", "--speed", "100"]);
    let mut client = Client::connect(dir);
    client.write(0, &[4; MIB as usize]);
    assert_eq!(client.request((0, FLUSH), 0, 0, &[]), 0);
    ok(dir, &["drive", "fail-die", "c", "--die", "0"]);
    const EIO: u32 = 5;
    assert_eq!(client.request((0, 0), 0, MIB as u32, &[]), EIO);
    client.write(0, &[5; 4096]);
    served.end();
}

/// The data file keeps the native length, whatever capacity the host can address.
#[test]
fn a_drive_that_shows_less_keeps_its_data_file() {
    let dir = short_folder();
    let dir = dir.path();
    let kept = ["demo-8gb", "--state", "d", "--data", "x", "--speed", "max"];
    let served = Served::start(dir, &kept);
    ok(
        dir,
        &["drive", "overprovision", "c", "--user-bytes", "5GiB"],
    );
    Client::connect(dir).write(4096, &[3; 4096]);
    served.end();
    let served = Served::start(dir, &["d", "--data", "x"]);
    assert_eq!(Client::connect(dir).read(4096, 4096), [3; 4096]);
    let status = json(&ok(dir, &["drive", "status", "c", "--json"]).stdout);
    assert_eq!(status["capacity_bytes"], 5u64 << 30);
    let text = ok(dir, &["drive", "status", "c"]).stdout;
    assert!(
        text.contains("of which 0 were late") || text.contains("were late: median"),
        "{text}"
    );
    assert!(text.contains("last power cut          none"), "{text}");
    served.end();
    assert_eq!(fs::metadata(dir.join("x")).unwrap().len(), 8_000_000_000);
}

/// Replaying the log of requests at full speed gives the same drive.
#[test]
fn a_log_is_replayed_to_the_same_bytes() {
    for model in ["demo-8gb", "samsung-850-evo-250gb"] {
        let dir = short_folder();
        let dir = dir.path();
        ok(dir, &["drives", "create", model, "--state", "a"]);
        fs::copy(dir.join("a"), dir.join("b")).unwrap();
        let served = Served::start(dir, &["a", "--speed", "max", "--record", "log"]);
        let mut client = Client::connect(dir);
        for number in 0..300u64 {
            let offset = number * 7919 % 5_000 * 4096;
            match number % 10 {
                3 => drop(client.read(offset, 16_384)),
                5 => assert_eq!(client.request((0, FLUSH), 0, 0, &[]), 0),
                7 => assert_eq!(client.request((0, TRIM), offset, 65_536, &[]), 0),
                8 => assert_eq!(client.request((FUA, WRITE), offset, 4096, &[9; 4096]), 0),
                _ => client.write(offset, &[number as u8; 12_288]),
            }
        }
        served.end();
        ok(
            dir,
            &[
                "replay", "log", "--on", "b", "--timing", "fast", "--depth", "1",
            ],
        );
        let state = |name: &str| fs::read(dir.join(name)).unwrap();
        assert!(state("a") == state("b"), "{model}");
    }
}

/// fio writes and verifies through the served drive, and its data outlasts the server.
#[test]
fn fio_verifies_what_it_wrote() {
    let dir = short_folder();
    let dir = dir.path();
    let engines = Command::new("fio").arg("--enghelp=nbd").output();
    if !engines.is_ok_and(|said| said.status.success()) {
        eprintln!("skipped: no fio with the engine nbd");
        return;
    }
    let kept = ["demo-8gb", "--state", "d", "--data", "x", "--speed", "20"];
    let fio = |how: &[&str]| {
        let uri = format!("--uri=nbd+unix:///?socket={}", dir.join("s").display());
        let said = Command::new("fio")
            .args([
                "--name=j",
                "--ioengine=nbd",
                "--rw=randwrite",
                "--bsrange=512-64k",
            ])
            .args([
                "--bs_unaligned=0",
                "--blockalign=512",
                "--size=64m",
                "--iodepth=16",
            ])
            .args(["--verify=crc32c", "--verify_fatal=1", "--randseed=3", &uri])
            .args(how)
            .current_dir(dir)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(said.status.success(), "{text}");
    };
    let served = Served::start(dir, &kept);
    fio(&["--do_verify=1"]);
    served.end();
    let served = Served::start(dir, &kept);
    fio(&["--verify_only"]);
    served.end();
}

/// A failed write to the data file is reported: by FUA, by each flush, by reads of it, at the end.
#[test]
fn writes_that_a_full_file_system_loses_are_errors() {
    if !have_root_and(&["mount", "umount"]) {
        return;
    }
    let dir = short_folder();
    let dir = dir.path();
    let small = Mounted::new(&["-t", "tmpfs", "-o", "size=4m", "small"]);
    let data = small.path().join("x");
    let (data, eio) = (data.to_str().unwrap(), 5);
    let mut served = Served::start(dir, &["demo-8gb", "--data", data, "--speed", "max"]);
    let mut client = Client::connect(dir);
    let mib = vec![7; 1 << 20];
    let mut write = |flags, at: u64| client.request((flags, WRITE), at << 20, 1 << 20, &mib);
    assert_eq!(write(FUA, 0), 0);
    let lost = (1..8).find(|&at| write(FUA, at) == eio).unwrap();
    assert!(lost < 5);
    assert_eq!(write(0, lost), 0, "the buffer of the drive takes it");
    for _ in 0..2 {
        assert_eq!(client.request((0, FLUSH), 0, 0, &[]), eio);
    }
    assert_eq!(client.request((0, 0), lost << 20, 4096, &[]), eio);
    assert_eq!(client.read(0, 4096), [7; 4096]);
    assert_eq!(client.request((0, TRIM), lost << 20, 1 << 20, &[]), 0);
    assert_eq!(client.read(lost << 20, 4096), [0; 4096]);
    assert_eq!(client.request((0, FLUSH), 0, 0, &[]), 0);
    assert_eq!(client.request((FUA, WRITE), lost << 20, 1 << 20, &mib), eio);
    let id = served.child.id().to_string();
    assert!(Command::new("kill").arg(id).status().unwrap().success());
    assert_eq!(served.child.wait().unwrap().code(), Some(6));
    let said = served.stderr();
    assert!(
        said.contains("pages of 4 KiB that were answered are lost"),
        "{said}"
    );
    drop(served);
    drop(client);
}

/// A server that fails to start leaves no file behind, and removes no file of others.
#[test]
fn a_server_that_cannot_begin_leaves_no_files() {
    let dir = short_folder();
    let dir = dir.path();
    let files = ["--state", "d", "--data", "x", "--record", "log"];
    let serve = |more: &[&str], code, said: &[&str]| {
        let args = [&["serve", "demo-8gb"], more, &files[..]].concat();
        fails(dir, &args, code, said);
    };
    let nowhere = ["--nbd", "unix:s", "--control", "none/c"];
    serve(&["--nbd", "unix:none/s"], 6, &["cannot listen"]);
    serve(&nowhere, 6, &["cannot listen"]);
    assert_eq!(names(dir), [] as [&str; 0]);
    // The sidecar file of data that was moved away is not removed.
    fs::write(dir.join("x.stend"), "of another").unwrap();
    serve(&nowhere, 6, &["cannot listen"]);
    assert_eq!(names(dir), ["x.stend"]);
    fs::remove_file(dir.join("x.stend")).unwrap();
    fs::write(dir.join("log"), "mine").unwrap();
    serve(&["--nbd", "unix:s"], 3, &["log", "it exists"]);
    assert_eq!(names(dir), ["log"]);
    fs::rename(dir.join("log"), dir.join("x")).unwrap();
    serve(&["--nbd", "unix:s"], 4, &["x is not written"]);
    assert_eq!(names(dir), ["x"]);
    assert_eq!(fs::read(dir.join("x")).unwrap(), b"mine");
    // Nor does it mistake a drive and its data for those of a killed server.
    fs::rename(dir.join("x"), dir.join("log")).unwrap();
    let kept = ["demo-8gb", "--state", "d", "--data", "x"];
    Served::start(dir, &kept).end();
    serve(&["--nbd", "unix:s"], 3, &["log", "it exists"]);
    Served::start(dir, &kept).end();
}
