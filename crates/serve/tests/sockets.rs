//! A server and a client on a Unix socket.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use stend_base::Device;
use stend_drive::LogicalPage;
use stend_load::target::{TargetError, input};
use stend_serve::clock::Pace;
use stend_serve::server::{Address, Effect, Listener, Options, Outcome, Server, read_answer};

use crate::common::*;

struct Served {
    folder: tempfile::TempDir,
    stop: UnixStream,
    thread: JoinHandle<Outcome>,
}

impl Served {
    fn start(pace: Pace) -> Served {
        let folder = tempfile::tempdir().unwrap();
        let listen = |name: &str| {
            let path = folder.path().join(name);
            Listener::new(&Address::Unix(path)).unwrap()
        };
        let listeners = (listen("nbd"), Some(listen("control")));
        let (stop, stopped) = UnixStream::pair().unwrap();
        let thread = std::thread::spawn(move || {
            let options = Options {
                pace,
                every_second: None,
                act: Box::new(|target, arguments| match arguments.as_str() {
                    Some("trim") => {
                        target.trim(0, 4096)?;
                        Ok((json!("trimmed"), Effect::Trimmed(0, 4096)))
                    }
                    _ => Err(input("nothing of that name")),
                }),
                stop: stopped,
            };
            let engine = engine(demo(false, false));
            Server::new(engine, listeners, options).run().unwrap()
        });
        Served {
            folder,
            stop,
            thread,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn end(mut self) -> Outcome {
        self.stop.write_all(&[0]).unwrap();
        self.thread.join().unwrap()
    }
}

struct Client(UnixStream);

impl Client {
    fn connect(path: &Path) -> Client {
        let mut stream = UnixStream::connect(path).unwrap();
        let limit = Some(Duration::from_secs(60));
        stream.set_read_timeout(limit).unwrap();
        let hello = [client_flags(3), option(7, &info("", &[]))].concat();
        stream.write_all(&hello).unwrap();
        // Greeting, size, acknowledgement.
        let mut answer = [0; 18 + 32 + 20];
        stream.read_exact(&mut answer).unwrap();
        Client(stream)
    }

    fn send(&mut self, kind: u16, cookie: u64, range: (u64, u32), data: &[u8]) {
        let bytes = [request(0, kind, cookie, range), data.to_vec()].concat();
        self.0.write_all(&bytes).unwrap();
    }

    /// Reads the next simple reply: error and cookie.
    fn reply(&mut self) -> (u32, u64) {
        let mut head = [0; 16];
        self.0.read_exact(&mut head).unwrap();
        assert_eq!(head[..4], 0x6744_6698u32.to_be_bytes());
        let errno = u32::from_be_bytes(head[4..8].try_into().unwrap());
        (errno, u64::from_be_bytes(head[8..].try_into().unwrap()))
    }

    fn write(&mut self, offset: u64, data: &[u8]) {
        self.send(WRITE, 1, (offset, data.len() as u32), data);
        assert_eq!(self.reply(), (0, 1));
    }

    fn read(&mut self, offset: u64, len: u32) -> Vec<u8> {
        self.send(READ, 2, (offset, len), &[]);
        assert_eq!(self.reply(), (0, 2));
        let mut data = vec![0; len as usize];
        self.0.read_exact(&mut data).unwrap();
        data
    }

    fn is_disconnected(&mut self) -> bool {
        matches!(self.0.read(&mut [0; 1]), Ok(0) | Err(_))
    }
}

fn control(served: &Served, command: Value) -> Result<Value, TargetError> {
    let mut stream = BufReader::new(UnixStream::connect(served.path("control")).unwrap());
    let line = command.to_string() + "\n";
    stream.get_mut().write_all(line.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_line(&mut answer).unwrap();
    read_answer(&answer)
}

#[test]
fn what_is_written_is_read_by_every_client() {
    for pace in [Pace::Max, Pace::Speed(1.0), Pace::Speed(10.0)] {
        let served = Served::start(pace);
        let mut one = Client::connect(&served.path("nbd"));
        let mut two = Client::connect(&served.path("nbd"));
        one.write(8192, &[5; 4096]);
        one.send(FLUSH, 3, (0, 0), &[]);
        assert_eq!(one.reply(), (0, 3));
        assert_eq!(two.read(8192, 4096), [5; 4096]);
        two.send(TRIM, 4, (8192, 4096), &[]);
        assert_eq!(two.reply(), (0, 4));
        assert_eq!(one.read(8192, 4096), [0; 4096]);
        one.write(0, &[6; 1536]);
        two.send(WRITE_ZEROES, 5, (512, 512), &[]);
        assert_eq!(two.reply(), (0, 5));
        assert_eq!(one.read(0, 1536), [[6; 512], [0; 512], [6; 512]].concat());
        // A client with another protocol is disconnected, and no other client is.
        let mut other = UnixStream::connect(served.path("nbd")).unwrap();
        other.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
        let mut rest = Vec::new();
        let _ = other.read_to_end(&mut rest);
        assert_eq!(two.read(1024, 512), [6; 512]);
        let outcome = served.end();
        assert_eq!(outcome.lateness.is_some(), pace != Pace::Max);
        let totals = outcome.engine.totals();
        assert_eq!((totals.reads.requests, totals.writes.requests), (4, 2 + 1));
    }
}

/// A request is answered at its virtual time, at any speed.
#[test]
fn time_passes_at_the_speed_that_is_named() {
    let mut took = Vec::new();
    for speed in [0.1, 1.0] {
        let served = Served::start(Pace::Speed(speed));
        let mut client = Client::connect(&served.path("nbd"));
        // Writes beyond the size of the buffer take the time of the flash.
        let began = Instant::now();
        for number in 0..64 {
            client.write(number << 20, &vec![1; 1 << 20]);
        }
        let machine_s = began.elapsed().as_secs_f64();
        let status = control(&served, json!({"command": "status"})).unwrap();
        let latency_ns = status["totals"]["writes"]["latency_ns"].as_u64().unwrap();
        let virtual_s = latency_ns as f64 / 1e9;
        assert!(virtual_s > 0.02, "{virtual_s}");
        assert!(
            machine_s >= virtual_s / speed,
            "{machine_s} {virtual_s} {speed}"
        );
        took.push(machine_s);
        served.end();
    }
    assert!(took[0] > 2.0 * took[1], "{took:?}");
}

#[test]
fn a_drive_without_power_is_not_there() {
    let served = Served::start(Pace::Speed(10.0));
    let mut client = Client::connect(&served.path("nbd"));
    client.write(0, &[1; 4096]);
    client.send(FLUSH, 3, (0, 0), &[]);
    assert_eq!(client.reply(), (0, 3));
    let armed = control(&served, json!({"command": "power-cut", "after_writes": 2}));
    assert!(armed.is_ok());
    client.write(0, &[2; 4096]);
    client.write(4096, &[3; 4096]);
    assert!(client.is_disconnected());
    let again = control(&served, json!({"command": "power-cut"}));
    assert!(again.unwrap_err().to_string().contains("the power is off"));
    let mut early = UnixStream::connect(served.path("nbd")).unwrap();
    assert_eq!(early.read(&mut [0; 1]).unwrap(), 0);
    control(&served, json!({"command": "power-on"})).unwrap();
    let mut client = Client::connect(&served.path("nbd"));
    let survived = client.read(0, 4096);
    assert!(survived == [1; 4096] || survived == [2; 4096]);
    let status = control(&served, json!({"command": "status"})).unwrap();
    assert_eq!(status["power"], true);
    assert!(status["last_cut"]["undone"].is_u64(), "{status}");
    served.end();
}

#[test]
fn commands_are_answered_or_refused() {
    let served = Served::start(Pace::Speed(100.0));
    let mut client = Client::connect(&served.path("nbd"));
    client.write(0, &[1; 8192]);
    let ask = |command: Value| control(&served, command);
    let trimmed = ask(json!({"command": "drive", "arguments": "trim"})).unwrap();
    assert_eq!(trimmed, json!("trimmed"));
    assert_eq!(client.read(0, 8192), [[0; 4096], [1; 4096]].concat());
    let why = ask(json!({"command": "drive", "arguments": "fly"})).unwrap_err();
    assert_eq!(why.to_string(), "nothing of that name");
    let rested = ask(json!({"command": "idle", "seconds": 60.0})).unwrap();
    assert_eq!(rested, json!(60.0));
    assert!(ask(json!({"command": "idle", "seconds": -1.0})).is_err());
    assert!(ask(json!({"command": "idle", "seconds": "soon"})).is_err());
    assert!(
        ask(json!({"command": "explode"}))
            .unwrap_err()
            .to_string()
            .contains("no command")
    );
    assert!(ask(json!({"command": "power-on"})).is_err());
    assert!(ask(json!({"command": "power-cut", "after_writes": 0})).is_err());
    assert!(ask(json!({"command": "snapshot", "file": "relative"})).is_err());
    let file = served.path("snapshot");
    ask(json!({"command": "snapshot", "file": &file})).unwrap();
    let kept =
        stend_simulated::SimulatedTarget::open(&file, stend_simulated::Access::Look).unwrap();
    assert_eq!(kept.drive().logical_page(1), LogicalPage::Written);
    assert_eq!(kept.drive().logical_page(0), LogicalPage::Unwritten);
    let now_ns = ask(json!({"command": "status"})).unwrap()["totals"]["at_ns"].as_u64();
    assert!(now_ns.unwrap() > 60_000_000_000);
    assert!(ask(json!({"command": "counters"})).unwrap()["host_pages_written"].is_u64());
    let full = ask(json!({"command": "snapshot", "file": "/no folder/x"})).unwrap_err();
    assert!(matches!(full, TargetError::Failed(_)), "{full:?}");
    assert!(!full.to_string().contains(".tmp"), "{full}");
    let stop = ask(json!({"command": "stop"})).unwrap();
    assert_eq!(stop, json!("it ends"));
    let outcome = served.thread.join().unwrap();
    assert!(outcome.engine.drive().now().0 > 60_000_000_000);
}

/// At full speed, the history depends only on the requests.
#[test]
fn the_same_requests_give_the_same_history() {
    let history = || {
        let served = Served::start(Pace::Max);
        let mut client = Client::connect(&served.path("nbd"));
        for round in 0..40u64 {
            // Many at once: their order of arrival must not matter.
            for number in 0..32u64 {
                let offset = (round * 7919 + number * 104_729) % 50_000 * 4096;
                client.send(WRITE, number, (offset, 4096), &[1; 4096]);
            }
            for _ in 0..32 {
                client.reply();
            }
        }
        served.end().engine.drive().trace_hash()
    };
    assert_eq!(history(), history());
}
