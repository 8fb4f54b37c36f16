//! Traces: formats by hand-made files, fit to a target, replay to the nanosecond, and requests
//! drawn from profiles.

use std::path::PathBuf;

use proptest::prelude::*;
use stend_base::{Nanos, Op, SimTime};
use stend_config::FileError;
use stend_load::testing::ConstantDevice;
use stend_load::trace::profile::SHIPPED;
use stend_load::trace::{
    Beginning, Extent, Fit, Profile, ReplayError, ReplayOptions, Replayed, Requests, Timing, Trace,
    TraceFile, TraceRequest, file::Format, fit, iolog, replay, summary,
};

const GIB: u64 = 1 << 30;

/// A file, in a folder that must outlive it.
fn file(text: impl AsRef<[u8]>) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.trace");
    std::fs::write(&path, text).unwrap();
    (dir, path)
}

/// The format and the requests: µs, operation, offset, length, FUA, line.
type Row = (u64, Op, u64, u64, bool, u64);

fn read_only(text: &str, only: Option<&str>) -> Result<(Format, Vec<Row>), String> {
    let (_dir, path) = file(text);
    let place = format!("{}", path.display());
    let shorten = |error: FileError| error.to_string().replace(&place, "T");
    let trace = TraceFile::open(&path, only).map_err(shorten)?;
    let rows = trace
        .requests()
        .map_err(shorten)?
        .map(|request| {
            let r = request.map_err(shorten)?;
            assert_eq!(r.at.0 % 100, 0);
            Ok((r.at.0, r.op, r.offset_bytes, r.len_bytes, r.fua, r.line))
        })
        .collect::<Result<Vec<_>, String>>()?;
    Ok((trace.format(), rows))
}

fn rows(text: &str) -> (Format, Vec<Row>) {
    read_only(text, None).unwrap()
}

/// Asserts that the message contains all parts.
fn fails(text: &str, parts: &[&str]) {
    let error = read_only(text, None).unwrap_err();
    for part in parts {
        assert!(error.contains(part), "lacks {part:?}: {error}");
    }
}

const V3: &str = "fio version 3 iolog\n5 /dev/x add\n6 /dev/x open\n";

#[test]
fn iolog_3_counts_microseconds_from_its_first_line() {
    let text = format!(
        "{V3}7 /dev/x write 4096 8192\n1005 /dev/x sync 0 0\n1005 /dev/x datasync 9 9\n\
         1006 /dev/x trim 0 65536\n\n1007 /dev/x read 512 512\n1007 /dev/x close\n"
    );
    let (format, rows) = rows(&text);
    assert_eq!(format, Format::IologV3);
    assert_eq!(
        rows,
        [
            (2_000, Op::Write, 4096, 8192, false, 4),
            (1_000_000, Op::Flush, 0, 0, false, 5),
            (1_000_000, Op::Flush, 0, 0, false, 6),
            (1_001_000, Op::Trim, 0, 65536, false, 7),
            (1_002_000, Op::Read, 512, 512, false, 9),
        ]
    );
}

#[test]
fn iolog_2_waits_until_milliseconds_after_the_beginning() {
    let text = "fio version 2 iolog\nf add\nf open\nf read 0 512\nf wait 500 0\nf read 512 512\n\
                f wait 500 0\nf wait 300 0\nf write 0 512\nf wait 800 0\nf read 0 512\nf close\n";
    let (format, rows) = rows(text);
    assert_eq!(format, Format::IologV2);
    let times: Vec<u64> = rows.iter().map(|row| row.0 / 1_000_000).collect();
    assert_eq!(times, [0, 500, 500, 800]);
}

#[test]
fn broken_iologs() {
    let v3 = |line: &str| format!("{V3}7 /dev/x read 0 512\n{line}\n");
    fails(&v3("x /dev/x read 0 512"), &["T:5:", "`x`", "a time in µs"]);
    fails(
        &v3("8 /dev/x read 0"),
        &["T:5:", "TIME FILE ACTION OFFSET LENGTH"],
    );
    fails(&v3("8 /dev/x read 0 512 1"), &["T:5:", "neither"]);
    fails(&v3("8 /dev/x read -1 512"), &["`-1`", "an offset in bytes"]);
    fails(&v3("8 /dev/x read 0 0"), &["a read of no bytes"]);
    fails(
        &v3("8 /dev/x erase 0 512"),
        &["`erase`", "read, write, trim"],
    );
    fails(&v3("8 /dev/x wait 500 0"), &["`wait`"]);
    fails(&v3("18446744073709551615 /dev/x read 0 1"), &["146 years"]);
    fails(&v3("8 /dev/y read 0 512"), &["`/dev/y`", "--only /dev/x"]);
    fails(&v3(&"y".repeat(5000)), &["T:5:", "longer than 4096"]);
    fails(V3, &["no request in the trace"]);
    fails(
        "fio version 4 iolog\n1 f add\n",
        &["first 2 lines", "fio version 3 iolog"],
    );
    fails("", &["the file is empty"]);
    let error = read_only("fio version 2 iolog\nf read 0 512\n", Some("g")).unwrap_err();
    assert!(error.contains("no request goes to `g`"), "{error}");
    let (_dir, path) = file([b'f', 0xff, 0xfe]);
    let error = TraceFile::open(&path, None).unwrap_err().to_string();
    assert!(error.contains("compressed or binary"), "{error}");
    let error = TraceFile::open(&path.join("no"), None).unwrap_err();
    assert!(error.to_string().contains("cannot be read"), "{error}");
}

#[test]
fn blkparse_takes_queue_events_and_their_letters() {
    let event = |time: &str, rest: &str| format!("  8,0    3        1     {time}   697  {rest}\n");
    let text = [
        event("0.000000000", "A   W 1 + 8 <- (8,1) 0"),
        event("0.000000000", "Q   W 223490 + 8 [kjournald]"),
        event("0.000000000", "G   W 223490 + 8 [kjournald]"),
        event("0.000001000", "m   N cfq697 insert"),
        event("0.000002000", "Q  RSM 8 + 16 [cat]"),
        event("0.000003000", "Q   D 2048 + 4096 [fstrim]"),
        event("0.000004000", "Q  FWS [kworker/0:1H]"),
        event("0.000005000", "Q WFSM 0 + 8 [jbd2]"),
        event("0.000006000", "Q FWFSM 8 + 8 [jbd2]"),
        event("0.000007000", "Q   N 0 + 0 [smartctl]"),
        event("0.000008000", "Q  FN [x]"),
        event("1.000000100", "Q  WS 16 + 1 [two words]"),
        "CPU0 (8,0):\n Reads Queued: 1, 4KiB\n".to_string(),
    ]
    .concat();
    let (format, rows) = rows(&text);
    assert_eq!(format, Format::Blkparse);
    assert_eq!(
        rows,
        [
            (0, Op::Write, 223_490 * 512, 4096, false, 2),
            (2_000, Op::Read, 4096, 8192, false, 5),
            (3_000, Op::Trim, 1 << 20, 2 << 20, false, 6),
            (4_000, Op::Flush, 0, 0, false, 7),
            (5_000, Op::Write, 0, 4096, true, 8),
            (6_000, Op::Flush, 0, 0, false, 9),
            (6_000, Op::Write, 4096, 4096, true, 9),
            (8_000, Op::Flush, 0, 0, false, 11),
            (1_000_000_100, Op::Write, 8192, 512, false, 12),
        ]
    );
    let first = event("0.000000000", "Q   W 0 + 8 [a]");
    let bad = |rest: &str, parts: &[&str]| {
        fails(&format!("{first}{}", event("0.000000100", rest)), parts);
    };
    bad("Q   X 0 + 8 [a]", &["T:2:", "`X`", "R, W, D, F or N"]);
    bad("Q   WQ 0 + 8 [a]", &["the letter Q of `WQ`"]);
    bad("Q   W 0 8 [a]", &["SECTOR + SECTORS"]);
    bad("Q   W 0 + x [a]", &["`x`", "a number of sectors"]);
    bad("Q   W [a]", &["`W` without a range"]);
    bad("Q   W 36028797018963968 + 8 [a]", &["64 bits"]);
    fails(
        &format!("{first}nonsense here\n"),
        &["T:2:", "is not an event of blkparse"],
    );
    fails(
        &format!("{first}{}", event("0.5", "Q W 0 + 8 [a]")),
        &["NANOSECONDS"],
    );
    let two = format!("{first}  8,16 0 1 0.000000200 1 Q R 0 + 8 [a]\n");
    fails(&two, &["T:2:", "`8,16`", "--only 8,0"]);
    assert_eq!(read_only(&two, Some("8,16")).unwrap().1.len(), 1);
}

/// The text of a terminal: messages of blktrace and blkparse, all kinds of events, the summary.
#[test]
fn blkparse_as_a_terminal_shows_it() {
    let text = "\
=== sda ===
  CPU  0:                 5123 events,      241 KiB data
  CPU  1:                   17 events,        1 KiB data
  Total:                  5140 events (dropped 0),      242 KiB data
Input file sda.blktrace.0 added
Input file sda.blktrace.1 added
  8,0    1        1     0.000000000  4162  A  RA 2048 + 8 <- (8,1) 0
  8,0    1        2     0.000000500  4162  Q  RA 2048 + 8 [cat]
  8,0    1        3     0.000002171  4162  G  RA 2048 + 8 [cat]
  8,0    1        4     0.000002500  4162  P   N [cat]
  8,0    1        5     0.000003111  4162  I  RA 2048 + 8 [cat]
  8,0    1        6     0.000003600  4162  U   N [cat] 1
  8,0    1        7     0.000004022  4162 UT   N [cat] 1
  8,0    1        8     0.000004404  4162  D  RA 2048 + 8 [cat]
  8,0    1        9     0.000104404     0  C  RA 2048 + 8 [0]
  8,0    0        1     0.000200000  4170  Q  WU 4096 + 16 [postgres]
  8,0    0        2     0.000201000  4170  X  WU 4096 / 4104 [postgres]
  8,0    0        3     0.000202000  4170  F  WU 4104 + 8 [postgres]
  8,0    0        4     0.000300000  4170  Q   R 36 (12 00 00 00 24 00 ..) [sg_inq]
  8,0    0        5     0.000301000  4170  Q   R 512 [smartctl]
  8,0    0        0     0.000302000     0  m   N served: vt=1 min_vt=0
  8,0    0        6     0.000400000  4170  Q  WS 8 + 8 (     933) [postgres]
CPU0 (sda):
 Reads Queued:           1,        4KiB\t Writes Queued:           2,       12KiB
 Read depth:             1        \t Write depth:             1

Total (sda):
 Reads Queued:           1,        4KiB\t Writes Queued:           2,       12KiB

Throughput (R/W): 10KiB/s / 31KiB/s
Events (sda): 16 entries
Skips: 0 forward (0 -   0.0%)
";
    let (format, rows) = rows(text);
    assert_eq!(format, Format::Blkparse);
    assert_eq!(
        rows,
        [
            (500, Op::Read, 1 << 20, 4096, false, 8),
            (200_000, Op::Write, 2 << 20, 8192, false, 16),
            (400_000, Op::Write, 4096, 4096, false, 22),
        ]
    );
    let broken = "Input file x added\n  8,0 1 1 zero 1 Q R 0 + 8 [a]\n\
                  8,0 1 2 0.000000001 1 Q R 0 + 8 [a]\n";
    fails(broken, &["T:2:", "is not an event of blkparse"]);
}

#[test]
fn msr_counts_100_ns_from_its_first_row() {
    let text = "128166372003061629,usr,0,Read,7014609920,24576,41286\n\
                128166372003061630,usr,1,Write,512,512,1\n\
                128166372003061639,usr,0,Write,1024,4096,10\n\
                128166372003061600,usr,0,Read,0,512,10\n";
    let (format, rows) = read_only(text, Some("usr.0")).unwrap();
    assert_eq!(format, Format::MsrCambridge);
    assert_eq!(
        rows,
        [
            (0, Op::Read, 7_014_609_920, 24_576, false, 1),
            (1_000, Op::Write, 1024, 4096, false, 3),
            (0, Op::Read, 0, 512, false, 4),
        ]
    );
    let row = "1,a,0,Read,0,512,1\n";
    fails(text, &["T:2:", "`usr.1`", "--only usr.0"]);
    fails(
        &format!("{row}2,a,0,Read,0,512\n"),
        &["T:2:", "seven fields"],
    );
    fails(
        &format!("{row}2,a,0,Trim,0,512,1\n"),
        &["`Trim`", "Read and Write"],
    );
    fails(&format!("{row}2,a,0,Read,0,0,1\n"), &["no bytes"]);
    fails(
        &format!("{row}2,a,0,Read,0,512,x\n"),
        &["`x`", "a response time"],
    );
}

/// A trace made by hand.
struct Made(Vec<TraceRequest>);

impl Trace for Made {
    fn name(&self) -> String {
        "made".to_string()
    }

    fn requests(&self) -> Result<Requests<'_>, FileError> {
        Ok(Box::new(self.0.iter().copied().map(Ok)))
    }
}

fn reads_at(times_us: &[u64]) -> Made {
    let read = |(index, &us): (usize, &u64)| TraceRequest {
        at: Nanos::from_micros(us),
        op: Op::Read,
        offset_bytes: 4096 * index as u64,
        len_bytes: 4096,
        fua: false,
        line: index as u64 + 1,
    };
    Made(times_us.iter().enumerate().map(read).collect())
}

/// Replays on a device of 100 µs, from an instant that is not 0. Returns the result and the issue
/// times in µs.
fn replayed(trace: &dyn Trace, timing: Timing, depth: u32) -> (Replayed, Vec<u64>) {
    use stend_base::Device;
    let mut device = ConstantDevice::new(GIB, Nanos::from_micros(100)).logging();
    let start = SimTime(7_000_000);
    device.advance(start);
    let options = ReplayOptions {
        timing,
        depth,
        fit: Fit::Refuse,
    };
    let result = replay(&mut device, trace, &options).unwrap();
    let issued = device.requests().iter();
    let issued = issued.map(|(at, _)| at.since(start).0 / 1000).collect();
    (result, issued)
}

#[test]
fn original_timing_is_exact_and_idle_is_not_busy() {
    // Busy: 0-150 (two overlap), 300-400, 400-500 (one ends as the next begins), 1000-1100.
    let trace = reads_at(&[0, 50, 300, 400, 1000]);
    let (result, issued) = replayed(&trace, Timing::Original, 256);
    assert_eq!(issued, [0, 50, 300, 400, 1000]);
    assert_eq!(result.elapsed, Nanos::from_micros(1100));
    assert_eq!(result.busy, Nanos::from_micros(150 + 200 + 100));
    assert_eq!(result.left_out, Nanos::ZERO);
    assert_eq!(result.requests(), 5);
    assert_eq!(result.moved_bytes(), 5 * 4096);
    // 20,480 bytes in 450 µs.
    assert!((result.busy_mb_per_s().unwrap() - 20_480.0 / 450.0).abs() < 1e-9);
    let late = result.lateness.unwrap();
    assert_eq!((late.requests, late.max_ns, late.sum_ns), (0, 0, 0));
    assert_eq!(result.ops[0].latency.max_ns(), 100_000);
}

#[test]
fn too_few_places_make_requests_late_and_no_later_than_that() {
    let (result, issued) = replayed(&reads_at(&[0, 0, 10, 500]), Timing::Original, 1);
    assert_eq!(issued, [0, 100, 200, 500], "what fell behind catches up");
    let late = result.lateness.unwrap();
    assert_eq!((late.requests, late.max_ns), (2, 190_000));
    assert_eq!(late.sum_ns, 290_000);
    assert_eq!(result.lateness_ns_mean(), Some(72_500.0));
    assert_eq!(result.busy, Nanos::from_micros(400));
}

#[test]
fn without_idle_bursts_stay_and_gaps_go() {
    let trace = reads_at(&[30, 80, 1000, 1020, 5000]);
    let (result, issued) = replayed(&trace, Timing::Busy, 256);
    // 30 before the first are omitted. The burst with a distance of 50 lasts to 150, the next, with
    // one of 20, to 270.
    assert_eq!(issued, [0, 50, 150, 170, 270]);
    assert_eq!(result.elapsed, result.busy);
    assert_eq!(result.busy, Nanos::from_micros(370));
    assert_eq!(result.left_out, Nanos::from_micros(5000 - 270));
    assert_eq!(result.lateness.unwrap().max_ns, 0);
}

#[test]
fn as_fast_as_possible_keeps_the_depth_and_the_order() {
    let trace = reads_at(&[0, 9_000, 1, 0, 77, 0, 0]);
    let (result, issued) = replayed(&trace, Timing::Fast, 3);
    assert_eq!(issued, [0, 0, 0, 100, 100, 100, 200]);
    assert_eq!(result.busy, Nanos::from_micros(300));
    assert_eq!(result.lateness, None);
}

#[test]
fn time_never_goes_back_and_trims_and_flushes_are_kept() {
    let mut trace = reads_at(&[100, 40, 200]);
    (trace.0[1].op, trace.0[1].offset_bytes) = (Op::Trim, 1 << 20);
    (trace.0[2].op, trace.0[2].offset_bytes, trace.0[2].len_bytes) = (Op::Flush, 0, 0);
    let (result, issued) = replayed(&trace, Timing::Original, 256);
    assert_eq!(issued, [100, 100, 200]);
    assert_eq!(
        result.lateness.unwrap().max_ns,
        0,
        "it is of the time before"
    );
    let requests: Vec<u64> = result.ops.iter().map(|op| op.requests).collect();
    assert_eq!(requests, [1, 0, 1, 1]);
    assert_eq!(result.moved_bytes(), 4096, "a TRIM moves none");
    let sum = summary(&trace, None).unwrap();
    assert_eq!(sum.out_of_order, 1);
    assert_eq!(sum.bytes, [4096, 0, 4096, 0]);
}

#[test]
fn the_device_hears_of_fua() {
    let mut trace = reads_at(&[0, 1]);
    (trace.0[1].op, trace.0[1].fua) = (Op::Write, true);
    let mut device = ConstantDevice::new(GIB, Nanos(1)).logging();
    replay(&mut device, &trace, &ReplayOptions::default()).unwrap();
    let fua: Vec<bool> = device.requests().iter().map(|(_, r)| r.fua).collect();
    assert_eq!(fua, [false, true]);
    assert_eq!(summary(&trace, None).unwrap().fua, 1);
}

#[test]
fn what_does_not_fit_is_refused_or_wrapped() {
    let request = |offset_bytes, len_bytes| TraceRequest {
        op: Op::Write,
        offset_bytes,
        len_bytes,
        ..TraceRequest::default()
    };
    let to = |offset, len, how| {
        fit(request(offset, len), 10_000, how).map(|r| (r.offset_bytes, r.len_bytes))
    };
    // 19 whole sectors: 9728 bytes.
    assert_eq!(to(512, 1024, Fit::Refuse), Ok((512, 1024)));
    assert!(
        to(9_728, 512, Fit::Refuse)
            .unwrap_err()
            .contains("--fit wrap")
    );
    assert!(
        to(100, 512, Fit::Refuse)
            .unwrap_err()
            .contains("whole sectors")
    );
    assert!(
        to(u64::MAX - 511, 512, Fit::Refuse)
            .unwrap_err()
            .contains("beyond")
    );
    assert_eq!(to(9_728, 512, Fit::Wrap), Ok((0, 512)));
    assert_eq!(to(9_728 * 7 + 1024, 512, Fit::Wrap), Ok((1024, 512)));
    assert_eq!(
        to(9_216, 1024, Fit::Wrap),
        Ok((8_704, 1024)),
        "it ends with the end"
    );
    assert_eq!(to(100, 512, Fit::Wrap), Ok((0, 1024)));
    assert!(
        to(0, 10_240, Fit::Wrap)
            .unwrap_err()
            .contains("longer than the target")
    );
    let trace = Made(vec![request(0, 512), request(GIB, 512)]);
    let error = summary(&trace, Some((GIB, Fit::Refuse))).unwrap_err();
    assert!(error.problems()[0].line.is_some(), "{error}");
    assert_eq!(summary(&trace, Some((GIB, Fit::Wrap))).unwrap().changed, 1);
    let mut device = ConstantDevice::new(GIB, Nanos(1));
    let none = ReplayOptions {
        depth: 0,
        ..ReplayOptions::default()
    };
    assert_eq!(
        replay(&mut device, &trace, &none).unwrap_err(),
        ReplayError::Depth(0)
    );
}

fn request() -> impl Strategy<Value = (u64, u8, u64, u64)> {
    (0u64..5_000_000, 0u8..4, 0u64..1 << 40, 1u64..1 << 20)
}

proptest! {
    #[test]
    fn an_iolog_reads_back_as_it_was_written(raw in prop::collection::vec(request(), 1..60)) {
        let mut at = 0;
        let mut requests = Vec::new();
        for (step, op, offset, len) in raw {
            at += step;
            let op = [Op::Read, Op::Write, Op::Trim, Op::Flush][usize::from(op)];
            let (offset_bytes, len_bytes) =
                if op == Op::Flush { (0, 0) } else { (offset * 512, len * 512) };
            let line = requests.len() as u64 + 4;
            let at = Nanos::from_micros(at);
            requests.push(TraceRequest { at, op, offset_bytes, len_bytes, fua: false, line });
        }
        let mut writer = iolog::Writer::new(Vec::new(), "/dev/x").unwrap();
        for request in &requests {
            writer.add(request).unwrap();
        }
        let (_dir, path) = file(writer.finish().unwrap());
        let trace = TraceFile::open(&path, None).unwrap();
        let back: Vec<TraceRequest> = trace.requests().unwrap().map(Result::unwrap).collect();
        prop_assert_eq!(back, requests);
    }
}

/// The requests of a trace, and those of its beginning.
fn shortened(trace: &dyn Trace, share: f64, timing: Timing) -> [Vec<TraceRequest>; 2] {
    let all = |trace: &dyn Trace| trace.requests().unwrap().map(Result::unwrap).collect();
    let extent = Extent::of(&summary(trace, None).unwrap(), share, timing);
    [all(trace), all(&Beginning { trace, extent })]
}

proptest! {
    #[test]
    fn a_beginning_is_the_first_of_the_same_requests(
        raw in prop::collection::vec(request(), 1..60),
        percent in 1u32..=100,
        fast: bool,
    ) {
        let mut made = Vec::new();
        for (index, (at, op, offset, len)) in raw.into_iter().enumerate() {
            let op = [Op::Read, Op::Write, Op::Trim, Op::Flush][usize::from(op)];
            // Some times are before earlier ones.
            let at = Nanos::from_micros(at);
            made.push(TraceRequest {
                at,
                op,
                offset_bytes: offset,
                len_bytes: len,
                fua: false,
                line: index as u64 + 1,
            });
        }
        let timing = if fast { Timing::Fast } else { Timing::Original };
        let share = f64::from(percent) / 100.0;
        let [all, first] = shortened(&Made(made), share, timing);
        prop_assert_eq!(&first[..], &all[..first.len()]);
        let moves = |r: &&TraceRequest| matches!(r.op, Op::Read | Op::Write);
        let before_data = all.iter().position(|r| moves(&r)).map_or(all.len(), |n| n + 1);
        prop_assert!(first.len() >= before_data);
        if first.len() > before_data {
            let time = |r: &[TraceRequest]| r.iter().map(|r| r.at.0).max().unwrap();
            match timing {
                Timing::Fast => {
                    let wanted = (all.len() as f64 * share).ceil() as usize;
                    prop_assert_eq!(first.len(), wanted);
                }
                _ => {
                    let data_at = time(&all[..before_data]) as f64;
                    let end = (time(&all) as f64 * share).floor().max(1e9).max(data_at);
                    prop_assert!(time(&first) as f64 <= end);
                    // Not shorter than that: the next one is later.
                    let next = all.get(first.len());
                    prop_assert!(next.is_none_or(|r| r.at.0 as f64 > end));
                }
            }
        }
    }
}

/// The description of a beginning matches the replayed part, also if the first data comes late.
#[test]
fn a_beginning_that_goes_on_to_the_first_data_says_so() {
    let at_s = |op, at_s: u64| TraceRequest {
        op,
        at: Nanos::from_micros(at_s * 1_000_000),
        offset_bytes: 0,
        len_bytes: 4096,
        fua: false,
        line: 1,
    };
    let ops = [(Op::Trim, 0), (Op::Trim, 3), (Op::Write, 5), (Op::Write, 6)];
    let trace = Made(ops.map(|(op, at)| at_s(op, at)).to_vec());
    let whole = summary(&trace, None).unwrap();
    let [_, first] = shortened(&trace, 0.01, Timing::Original);
    let extent = Extent::of(&whole, 0.01, Timing::Original).unwrap();
    assert_eq!((first.len(), extent.share()), (3, 5.0 / 6.0));
    let [_, first] = shortened(&trace, 0.01, Timing::Fast);
    let extent = Extent::of(&whole, 0.01, Timing::Fast).unwrap();
    assert_eq!((first.len(), extent.share()), (3, 0.75));
    // Without data there is no beginning.
    let trims = Made(vec![at_s(Op::Trim, 0), at_s(Op::Trim, 9)]);
    let whole = summary(&trims, None).unwrap();
    assert_eq!(Extent::of(&whole, 0.01, Timing::Original), None);
}

#[test]
fn a_beginning_lasts_a_second_and_says_how_much_it_is() {
    let trace = reads_at(&[0, 500_000, 1_000_000, 1_000_001, 4_000_000]);
    let whole = summary(&trace, None).unwrap();
    let [_, first] = shortened(&trace, 0.01, Timing::Original);
    assert_eq!(first.len(), 3);
    let [_, half] = shortened(&trace, 0.5, Timing::Busy);
    assert_eq!(half.len(), 4);
    let extent = Extent::of(&whole, 0.01, Timing::Original).unwrap();
    assert_eq!(extent.share(), 0.25);
    assert_eq!(
        extent.describe().in_english(),
        "only a beginning: the first 25 % of the trace, 1.0 of 4.0 s"
    );
    let [_, one] = shortened(&trace, 0.01, Timing::Fast);
    assert_eq!(one.len(), 1);
    let extent = Extent::of(&whole, 0.3, Timing::Fast).unwrap();
    assert_eq!(
        extent.describe().in_english(),
        "only a beginning: the first 40 % of the trace, 2 of 5 requests"
    );
    for share in [1.0, 2.0] {
        for timing in [Timing::Original, Timing::Busy, Timing::Fast] {
            assert_eq!(Extent::of(&whole, share, timing), None);
        }
    }
}

#[test]
fn a_request_beyond_32_bits_becomes_several_and_names_have_no_blanks() {
    let parts_of = |len_bytes: u64| -> Vec<(u64, u64)> {
        let mut writer = iolog::Writer::new(Vec::new(), "x").unwrap();
        let trim = TraceRequest {
            op: Op::Trim,
            offset_bytes: 512,
            len_bytes,
            ..TraceRequest::default()
        };
        writer.add(&trim).unwrap();
        let text = String::from_utf8(writer.finish().unwrap()).unwrap();
        rows(&text).1.iter().map(|row| (row.2, row.3)).collect()
    };
    assert_eq!(parts_of((1 << 32) - 1), [(512, (1 << 32) - 1)]);
    assert_eq!(parts_of(1 << 32).len(), 2);
    let len_bytes = 9 << 30;
    let parts = parts_of(len_bytes);
    assert_eq!(parts.len(), 3);
    assert!(parts.iter().all(|part| part.1 < 1 << 32));
    let mut at = 512;
    for (offset, len) in parts {
        assert_eq!(offset, at);
        at += len;
    }
    assert_eq!(at, 512 + len_bytes);
    assert!(iolog::Writer::new(Vec::new(), "a b").is_err());
}

#[test]
fn totals_are_exact_to_the_sector_for_every_profile_and_seed() {
    let published = [
        ("photoshop-light", 313, 2336),
        ("photoshop-heavy", 468, 5640),
        ("illustrator", 373, 89),
        ("indesign", 401, 624),
        ("after-effects", 311, 16),
        ("word", 107, 95),
        ("excel", 73, 15),
        ("powerpoint", 83, 21),
        ("world-of-warcraft", 390, 5),
        ("battlefield-3", 887, 28),
    ];
    for (index, (name, _)) in SHIPPED.iter().enumerate() {
        let profile = Profile::shipped(name).unwrap();
        assert_eq!(&profile.name, name);
        assert!(
            profile.structure.in_english().starts_with("assumed"),
            "{name}"
        );
        let totals = profile.totals.clone();
        if let Some((own, read, written)) = published.get(index) {
            assert_eq!(own, name);
            assert_eq!(totals.read_bytes, read * 1_000_000);
            assert_eq!(totals.written_bytes, written * 1_000_000);
        }
        for seed in [1, 2] {
            let trace = profile.clone().with_seed(seed);
            let sum = summary(&trace, Some((4 * GIB, Fit::Refuse))).unwrap();
            assert_eq!(
                sum.bytes[0],
                (totals.read_bytes + 256) / 512 * 512,
                "{name}"
            );
            assert_eq!(
                sum.bytes[1],
                (totals.written_bytes + 256) / 512 * 512,
                "{name}"
            );
            assert_eq!((sum.out_of_order, sum.changed), (0, 0));
        }
    }
}

#[test]
fn a_seed_gives_the_same_trace_and_another_seed_another() {
    let all = |seed| -> Vec<TraceRequest> {
        let trace = Profile::shipped("excel").unwrap().with_seed(seed);
        trace.requests().unwrap().map(Result::unwrap).collect()
    };
    assert_eq!(all(1), all(1));
    assert_ne!(all(1), all(2));
}

#[test]
fn a_profile_is_what_is_drawn() {
    let text = "schema = 'stend.trace/1'\nname = 'p'\ntitle = 'p'\nstructure = 'assumed'\n\
        replay = { timing = 'original' }\n[totals]\nread_bytes = 40_960_000\n\
        written_bytes = 0\nstatus = 'assumed'\nsource = 'none'\n[[phases]]\ntitle = 'a'\n\
        read_percent = 100\nwritten_percent = 100\nread_sizes = [[4096, 3], [8192, 1]]\n\
        write_sizes = [[512, 1]]\nread_sequential_percent = 25\nregion_offset_mib = 16\n\
        region_mib = 64\nburst = [2, 2]\ngap_us = [1000, 1000]\n";
    let trace = Profile::parse(text, "p.toml").unwrap().with_seed(3);
    let all: Vec<TraceRequest> = trace.requests().unwrap().map(Result::unwrap).collect();
    let count = all.len() as f64;
    let small = all.iter().filter(|r| r.len_bytes == 4096).count() as f64;
    assert!((small / count - 0.75).abs() < 0.02, "{small} of {count}");
    let goes_on =
        |pair: &[TraceRequest]| pair[0].offset_bytes + pair[0].len_bytes == pair[1].offset_bytes;
    let sequential = all.windows(2).filter(|pair| goes_on(pair)).count() as f64;
    assert!(
        (sequential / count - 0.25).abs() < 0.02,
        "{sequential} of {count}"
    );
    for (index, request) in all.iter().enumerate() {
        assert_eq!(request.at, Nanos::from_millis(index as u64 / 2));
        let end = request.offset_bytes + request.len_bytes;
        assert!(request.offset_bytes >= 16 << 20 && end <= 80 << 20);
    }
    let wrong = |from: &str, to: &str, part: &str| {
        assert!(text.contains(from));
        let error = Profile::parse(&text.replace(from, to), "p.toml").unwrap_err();
        assert!(error.to_string().contains(part), "lacks {part:?}: {error}");
    };
    wrong("trace/1", "trace/9", "`stend.trace/1`");
    wrong("read_percent = 100", "read_percent = 99", "add up to 99");
    wrong("[4096, 3]", "[4000, 3]", "4000 bytes; a multiple of 512");
    wrong(
        "burst = [2, 2]",
        "burst = [3, 2]",
        "p.toml:20: phases[0].burst: [3, 2]",
    );
    wrong(
        "region_mib = 64",
        "region_mbi = 64",
        "p.toml:19: region_mbi: unknown field `region_mbi`",
    );
    wrong("[[512, 1]]", "[]", "write_sizes: none");
}
