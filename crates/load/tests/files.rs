//! Sets of files, their layout, and operations on them: totals, order, time.

use std::collections::VecDeque;

use proptest::prelude::*;
use stend_base::{Completion, Device, Nanos, Op, Request, SimTime};
use stend_load::files::layout::{BLOCK_BYTES, Extent};
use stend_load::files::operation::{
    REQUEST_BYTES_MAX, Stage, WINDOW_BYTES, WriteStep, archive_bytes,
};
use stend_load::files::set::SHIPPED;
use stend_load::files::{FileEntry, FileOp, FileRun, FileSet, Host, Layout, Operation, run};
use stend_load::testing::ConstantDevice;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const OPS: [FileOp; 3] = [FileOp::Copy, FileOp::Archive, FileOp::Unarchive];

fn set(name: &str, bytes: u64, seed: u64) -> Vec<FileEntry> {
    let set = FileSet::shipped(name).unwrap();
    set.files(bytes, seed).unwrap()
}

fn one_file(bytes: u64) -> Vec<FileEntry> {
    vec![FileEntry {
        directory: 0,
        name: "one".into(),
        bytes,
    }]
}

/// Runs a stage on a device of 1 ms a request. Returns the result and the requests.
fn carried_out(
    operation: &Operation,
    stage: &Stage,
    host: &Host,
) -> (FileRun, Vec<(SimTime, Request)>) {
    let mut device = ConstantDevice::new(64 * GIB, Nanos(1_000_000)).logging();
    let done = run(&mut device, stage, operation.journal, host).unwrap();
    let requests = device.requests().to_vec();
    (done, requests)
}

#[test]
fn sets_are_what_their_names_say() {
    let sizes = |name| set(name, 8 * GIB, 1);
    let iso = sizes("iso");
    assert!((2..=12).contains(&iso.len()), "{} images", iso.len());
    let median = |files: &[FileEntry]| {
        let mut bytes: Vec<u64> = files.iter().map(|f| f.bytes).collect();
        bytes.sort_unstable();
        bytes[bytes.len() / 2]
    };
    let program = sizes("program");
    assert!(
        (10_000..200_000).contains(&program.len()),
        "{}",
        program.len()
    );
    assert!(median(&program) < 20_000, "{}", median(&program));
    let work = sizes("work");
    assert!((1_000..20_000).contains(&work.len()), "{}", work.len());
    assert!(
        (60_000..3_000_000).contains(&median(&work)),
        "{}",
        median(&work)
    );
    for (name, _) in SHIPPED {
        let percent: u32 = FileSet::shipped(name)
            .unwrap()
            .classes
            .iter()
            .map(|c| c.share_percent)
            .sum();
        assert_eq!(percent, 100, "{name}");
    }
}

#[test]
fn kinds_have_directories_of_their_own_unless_mixed() {
    let kinds = |name: &str| {
        let files = set(name, 256 * MIB, 1);
        let mut by_directory: Vec<Vec<String>> = Vec::new();
        for file in files {
            by_directory.resize(file.directory as usize + 1, Vec::new());
            let extension = file.name.rsplit('.').next().unwrap().to_owned();
            by_directory.last_mut().unwrap().push(extension);
        }
        for directory in &mut by_directory {
            assert!(!directory.is_empty());
            directory.sort();
            directory.dedup();
        }
        by_directory.iter().map(Vec::len).max().unwrap()
    };
    assert_eq!(kinds("work"), 1);
    assert!(kinds("program") > 1);
}

#[test]
fn a_bad_set_says_what_is_wrong() {
    let text = SHIPPED[2].1;
    let problem = |from: &str, to: &str| {
        assert!(text.contains(from));
        let error = FileSet::parse(&text.replacen(from, to, 1), "x.toml").unwrap_err();
        error.to_string()
    };
    for (from, to, says) in [
        ("stend.fileset/1", "stend.fileset/9", "stend.fileset/9"),
        ("share_percent = 5", "share_percent = 6", "101"),
        // The sum with the others is more than 32 bits.
        (
            "share_percent = 5",
            "share_percent = 4294967295",
            "42949673",
        ),
        ("sigma = 1.3", "sigma = 9.0", "x.toml:15: class[0].sigma"),
        ("min_bytes = 4_096", "min_bytes = 0", "min_bytes"),
        ("median_bytes = 60_000", "median_bytes = 1", "median_bytes"),
        ("extension = \"docx\"", "extension = \"../x\"", "extension"),
        ("mixed = false", "mixed = false\nfoo = 1", "x.toml:9"),
    ] {
        let text = problem(from, to);
        assert!(text.contains(says), "{says}: {text}");
    }
    let set = FileSet::shipped("iso").unwrap();
    assert!(set.files(1, 1).unwrap_err().contains("1048576"));
}

#[test]
fn metadata_journal_and_files_lie_apart() {
    for capacity in [32 * MIB, 100 * MIB, GIB, 4 * GIB, 240_000_000_000] {
        let mut layout = Layout::new(capacity).unwrap();
        let mut taken: Vec<Extent> = vec![layout.journal()];
        let mut one = |block| {
            taken.push(Extent {
                start: block,
                blocks: 1,
            })
        };
        for _ in 0..20 {
            one(layout.next_directory().unwrap());
        }
        for _ in 0..40 {
            for _ in 0..16 {
                layout.next_inode().unwrap();
            }
            one(layout.next_inode().unwrap());
        }
        for bytes in [1, 4096, 65_535, 65_536, MIB, capacity / 3, 5_000, 70_000] {
            let before = taken.len();
            layout.place(bytes, &mut taken).unwrap();
            let blocks: u64 = taken[before..].iter().map(|e| e.blocks).sum();
            assert_eq!(blocks, bytes.div_ceil(BLOCK_BYTES));
            for extent in &taken[before..] {
                let bitmap = layout.bitmap_of(extent.start);
                taken_by_nothing_else(bitmap, &taken, capacity);
            }
        }
        taken.sort_unstable();
        for pair in taken.windows(2) {
            assert!(pair[0].end() <= pair[1].start, "{capacity}: {pair:?}");
        }
        assert!(taken.last().unwrap().end() * BLOCK_BYTES <= capacity);
    }
    assert!(Layout::new(MIB).unwrap_err().contains("32 MiB"));
}

fn taken_by_nothing_else(block: u64, taken: &[Extent], capacity: u64) {
    let inside = |e: &Extent| (e.start..e.end()).contains(&block);
    assert!(!taken.iter().any(inside), "{capacity}: {block}");
}

#[test]
fn a_full_file_system_says_so() {
    let error = Operation::new(FileOp::Copy, &set("work", 60 * MIB, 1), 100 * MIB).unwrap_err();
    assert!(error.contains("full"), "{error:?}");
    assert!(Operation::new(FileOp::Copy, &set("work", 40 * MIB, 1), 100 * MIB).is_ok());
}

#[test]
fn a_large_file_is_read_two_windows_at_a_time_and_then_written() {
    let files = one_file(16 * MIB);
    let operation = Operation::new(FileOp::Copy, &files, 64 * GIB).unwrap();
    let (done, requests) = carried_out(&operation, &operation.work, &Host::default());
    // Two waits for metadata, the first window alone, then two windows in each ms.
    let reads: Vec<&(SimTime, Request)> = requests.iter().filter(|r| r.1.op == Op::Read).collect();
    assert_eq!(reads.len(), 2 + 128);
    for (number, ms) in [(0, 0), (1, 1), (2, 2), (3, 2), (4, 3), (5, 3), (129, 65)] {
        assert_eq!(reads[number].0, SimTime(ms * 1_000_000), "read {number}");
    }
    assert!(reads[2..].iter().all(|r| r.1.len_bytes == WINDOW_BYTES));
    // Twice 8 MiB in six requests of 1280 KiB and one of 512 KiB, all at once: below the background
    // limit nothing is written before the program has ended.
    let writes: Vec<u64> = requests
        .iter()
        .filter(|r| r.1.op == Op::Write)
        .map(|r| r.1.len_bytes)
        .collect();
    let eight = [[REQUEST_BYTES_MAX; 6].as_slice(), &[512 << 10]].concat();
    assert_eq!(writes[..14], [eight.clone(), eight].concat());
    let last_read = 66;
    let first_write = requests.iter().find(|r| r.1.op == Op::Write).unwrap().0;
    assert_eq!(first_write, SimTime(last_read * 1_000_000));
    // Data, journal, flush, record, flush, metadata: one ms each.
    assert_eq!(done.elapsed, Nanos((last_read + 6) * 1_000_000));
    assert_eq!((done.requests.flushes, done.commits), (2, 1));
    let flushes: Vec<usize> = (0..requests.len())
        .filter(|&i| requests[i].1.op == Op::Flush)
        .collect();
    let record = requests[flushes[0] + 1].1;
    assert_eq!(
        (flushes[1] - flushes[0], record.len_bytes),
        (2, BLOCK_BYTES)
    );
    assert!(
        (operation.journal.0..operation.journal.0 + operation.journal.1)
            .contains(&record.offset_bytes)
    );
}

#[test]
fn a_small_file_waits_for_the_one_before_it() {
    let mut files = Vec::new();
    for number in 0..100 {
        files.push(FileEntry {
            name: format!("f{number}"),
            bytes: 5000,
            directory: 0,
        });
    }
    let operation = Operation::new(FileOp::Copy, &files, 64 * GIB).unwrap();
    let (_, requests) = carried_out(&operation, &operation.work, &Host::default());
    let reads: Vec<&(SimTime, Request)> = requests.iter().filter(|r| r.1.op == Op::Read).collect();
    assert!(reads.windows(2).all(|pair| pair[0].0 < pair[1].0));
    assert!(reads.iter().filter(|r| r.1.len_bytes == 8192).count() == 100);
    // Neighbours in one preallocation are written together.
    let data = requests.iter().find(|r| r.1.op == Op::Write).unwrap();
    assert_eq!(data.1.len_bytes, 100 * 8192);
}

#[test]
fn write_back_begins_at_the_background_limit_and_the_program_stops_at_the_other() {
    let files = one_file(256 * MIB);
    let operation = Operation::new(FileOp::Copy, &files, 64 * GIB).unwrap();
    let host = Host {
        dirty_background_bytes: 32 * MIB,
        dirty_limit_bytes: 64 * MIB,
        write_depth: 1,
        ..Host::default()
    };
    // 1280 KiB a ms are written, 256 KiB read: never more than a little above 32 MiB waits.
    let (_, requests) = carried_out(&operation, &operation.work, &host);
    let (dirty_max, first) = dirty(&requests, &operation);
    assert!((32 * MIB..35 * MIB).contains(&dirty_max), "{dirty_max}");
    assert!((32 * MIB..33 * MIB).contains(&first), "{first}");
    // A device that writes slower than it reads.
    let mut device = SlowWrites {
        reads: ConstantDevice::new(64 * GIB, Nanos(100_000)),
        each: Nanos(100_000_000),
        writes: VecDeque::new(),
        log: Vec::new(),
    };
    let done = run(&mut device, &operation.work, operation.journal, &host).unwrap();
    let (dirty_max, _) = dirty(&device.log, &operation);
    assert!((62 * MIB..66 * MIB).contains(&dirty_max), "{dirty_max}");
    assert!(done.commits > 2, "{done:?}");
}

/// Bytes read and not yet sent to be written: the maximum, and at the first write.
fn dirty(requests: &[(SimTime, Request)], operation: &Operation) -> (u64, u64) {
    let (mut read, mut written, mut most, mut first) = (0_u64, 0_u64, 0, None);
    let data = |r: &Request| {
        operation
            .work
            .writes
            .iter()
            .any(|w| w.offset_bytes == r.offset_bytes)
    };
    for (_, request) in requests {
        match request.op {
            Op::Read if request.len_bytes == WINDOW_BYTES => read += request.len_bytes,
            Op::Write if data(request) => {
                first.get_or_insert(read);
                written += request.len_bytes;
            }
            _ => {}
        }
        most = most.max(read.saturating_sub(written));
    }
    (most, first.unwrap())
}

/// A device that serves reads as its inner device does, and writes one after the other.
struct SlowWrites {
    reads: ConstantDevice,
    each: Nanos,
    /// Instant of each write's completion, and its tag.
    writes: VecDeque<(SimTime, u32)>,
    log: Vec<(SimTime, Request)>,
}

impl Device for SlowWrites {
    fn capacity_bytes(&self) -> u64 {
        self.reads.capacity_bytes()
    }

    fn now(&self) -> SimTime {
        self.reads.now()
    }

    fn submit(&mut self, request: Request) {
        self.log.push((self.now(), request));
        if request.op == Op::Read {
            return self.reads.submit(request);
        }
        let free_at = self.writes.back().map_or(self.now(), |last| last.0);
        self.writes.push_back((free_at + self.each, request.tag));
    }

    fn advance(&mut self, limit: SimTime) -> Option<Completion> {
        let due = self.writes.front().map_or(SimTime::NEVER, |next| next.0);
        if let Some(read) = self.reads.advance(limit.min(due)) {
            return Some(read);
        }
        let (at, tag) = *self.writes.front().filter(|next| next.0 <= limit)?;
        self.writes.pop_front();
        Some(Completion {
            tag,
            at,
            ..Completion::default()
        })
    }
}

#[test]
fn archives_are_one_file_in_and_many_out() {
    let files = set("work", 64 * MIB, 3);
    let bytes: u64 = files.iter().map(|f| f.bytes).sum();
    let archive = archive_bytes(&files);
    assert!(archive > bytes && archive < bytes + bytes / 100);
    let longest = |stage: &Stage| stage.reads.iter().filter(|r| r.waits).count();
    let of = |op| Operation::new(op, &files, 64 * GIB).unwrap();
    let (archive, unarchive) = (of(FileOp::Archive), of(FileOp::Unarchive));
    assert!(longest(&archive.work) > files.len());
    // Its directory, its inode, its first window.
    assert_eq!(longest(&unarchive.work), 3);
    let metadata = |stage: &Stage| stage.metadata.iter().map(|(_, len)| len).sum::<u64>();
    assert!(metadata(&archive.work) < metadata(&unarchive.work));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn bytes_add_up_and_nothing_is_written_before_it_is_read(
        which in 0..3_usize,
        op in 0..3_usize,
        mib in 1..200_u64,
        odd in 0..4096_u64,
        seed in 0..1000_u64,
    ) {
        let name = SHIPPED[which].0;
        let total = mib * MIB + odd;
        let files = set(name, total, seed);
        prop_assert_eq!(&files, &set(name, total, seed));
        prop_assert_eq!(files.iter().map(|f| f.bytes).sum::<u64>(), total);
        prop_assert!(files.iter().all(|f| f.bytes > 0));
        let ascend = |p: &[FileEntry]| p[0].directory <= p[1].directory && p[0].name != p[1].name;
        prop_assert!(files.windows(2).all(ascend));

        let operation = Operation::new(OPS[op], &files, 4 * GIB).unwrap();
        let work = &operation.work;
        // The read blocks are those that were written, and otherwise only metadata.
        let blocks = |ranges: &mut dyn Iterator<Item = (u64, u64)>| {
            let blocks = ranges.flat_map(|(o, l)| o / BLOCK_BYTES..(o + l) / BLOCK_BYTES);
            let mut all: Vec<u64> = blocks.collect();
            let written = all.len();
            all.sort_unstable();
            all.dedup();
            (written, all)
        };
        let range = |w: &WriteStep| (w.offset_bytes, w.len_bytes);
        let (count, source) = blocks(&mut operation.source.writes.iter().map(range));
        prop_assert_eq!(count, source.len(), "written twice");
        let (count, result) = blocks(&mut work.writes.iter().map(range));
        prop_assert_eq!(count, result.len(), "written twice");
        prop_assert!(result.iter().all(|b| source.binary_search(b).is_err()));
        let (_, read) = blocks(&mut work.reads.iter().map(|r| (r.offset_bytes, r.len_bytes)));
        prop_assert!(source.iter().all(|b| read.binary_search(b).is_ok()), "not read");
        prop_assert!(work.reads.windows(2).all(|p| p[0].yields_bytes <= p[1].yields_bytes));
        prop_assert!(work.writes.windows(2).all(|p| p[0].needs_bytes <= p[1].needs_bytes));
        let all = work.reads.last().unwrap().yields_bytes;
        prop_assert_eq!(work.writes.last().unwrap().needs_bytes, all);

        // After any run, whatever the times, everything is there, and in order.
        let host = Host {
            dirty_background_bytes: 16 * MIB,
            dirty_limit_bytes: 32 * MIB,
            ..Host::default()
        };
        let mut device = ConstantDevice::new(4 * GIB, Nanos(50_000 + seed * 1000)).logging();
        let done = run(&mut device, work, operation.journal, &host).unwrap();
        // No write is sent before its data has been read.
        let latency = Nanos(50_000 + seed * 1000);
        let sent = |op| device.requests().iter().filter(move |r| r.1.op == op);
        let reads: Vec<SimTime> = sent(Op::Read).map(|r| r.0).collect();
        let data = sent(Op::Write).filter(|r| {
            let starts = |w: &WriteStep| w.offset_bytes == r.1.offset_bytes;
            work.writes.iter().any(starts)
        });
        for (step, (at, _)) in work.writes.iter().zip(data) {
            let there = reads.partition_point(|sent| *sent + latency <= *at);
            let read_bytes = there.checked_sub(1).map_or(0, |last| work.reads[last].yields_bytes);
            prop_assert!(read_bytes >= step.needs_bytes, "{step:?} at {at:?}");
        }
        prop_assert_eq!(done.requests.read_bytes, work.read_bytes());
        let meta: u64 = work.metadata.iter().map(|m| m.1).sum();
        let journal = (work.journal_blocks() + done.commits) * BLOCK_BYTES;
        prop_assert_eq!(done.requests.written_bytes, work.written_bytes() + meta + journal);
        prop_assert_eq!(done.requests.flushes, 2 * done.commits);
        let mut device = ConstantDevice::new(4 * GIB, Nanos(50_000 + seed * 1000));
        let again = run(&mut device, work, operation.journal, &host).unwrap();
        prop_assert_eq!(done, again);
    }
}
