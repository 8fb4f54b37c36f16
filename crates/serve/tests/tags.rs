//! After a power cut, the file holds for each page the contents that the drive reports: those of
//! the request with the page's tag.

use std::collections::BTreeMap;

use stend_base::{Completion, Device, Nanos, Op, Request, Rng, Status};
use stend_drive::{LogicalPage, SimDrive};
use stend_serve::data::{CutPages, Data, DataFile, Payload, Written};

use crate::common::demo;

const PAGE: usize = 4096;
const PAGES: u64 = 6000;

struct Checked {
    drive: SimDrive,
    data: Data,
    rng: Rng,
    next_tag: u32,
    /// Number of pages in use.
    pages: u64,
    under_way: BTreeMap<u32, (Request, Option<Written>)>,
    /// Contents of each page after each completed write, by its tag; 0 pages hold nothing.
    versions: Vec<BTreeMap<u32, Vec<u8>>>,
    now: Vec<Vec<u8>>,
}

impl Checked {
    fn new(seed: u64) -> Checked {
        let mut target = demo(false, false);
        let mut drive = target.drive_mut().clone();
        drive.keep_content(true);
        let file = DataFile::unnamed(drive.capacity_bytes()).unwrap();
        Checked {
            drive,
            data: Data::new(file, true),
            rng: Rng::stream(seed, "tags"),
            next_tag: 0,
            // On some drives few, so that they change again before they are durable.
            pages: if seed.is_multiple_of(2) { 20 } else { PAGES },
            under_way: BTreeMap::new(),
            versions: vec![BTreeMap::new(); PAGES as usize],
            now: vec![vec![0; PAGE]; PAGES as usize],
        }
    }

    fn send(&mut self) {
        let rng = &mut self.rng;
        // The longest do not fit into the buffer, and may be applied in part.
        let is_long = self.pages == PAGES && rng.ratio(1, 30);
        let longest = if is_long { self.pages * 8 - 1 } else { 40 };
        let sectors = 1 + rng.below(longest);
        let first = rng.below(self.pages * 8 - sectors);
        let (mut offset_bytes, mut len_bytes) = (first * 512, sectors * 512);
        let op = match rng.below(60) {
            0 => Op::Flush,
            1..15 => Op::Trim,
            _ => Op::Write,
        };
        if op == Op::Flush {
            (offset_bytes, len_bytes) = (0, 0);
        }
        let end = offset_bytes + len_bytes;
        // Compares pages, not sectors: requests under way must not share a page.
        let page = |byte: u64| byte / PAGE as u64;
        let meets = |(other, _): &(Request, _)| {
            let other_end = other.offset_bytes + other.len_bytes;
            len_bytes > 0
                && other.len_bytes > 0
                && page(offset_bytes) <= page(other_end - 1)
                && page(other.offset_bytes) <= page(end - 1)
        };
        if self.under_way.values().any(meets) {
            return;
        }
        let tag = self.next_tag;
        self.next_tag += 1;
        let mut bytes = vec![0; len_bytes as usize];
        for byte in &mut bytes {
            *byte = 1 + (tag % 251) as u8;
        }
        let write = (op == Op::Write).then_some(Written {
            tag,
            offset_bytes,
            len_bytes,
            payload: Payload::Bytes(bytes),
        });
        let request = Request {
            tag,
            op,
            offset_bytes,
            len_bytes,
            ..Request::default()
        };
        self.drive.submit(request);
        self.under_way.insert(tag, (request, write));
    }

    fn completed(&mut self, completion: Completion) {
        assert_eq!(completion.status, Status::Ok);
        let (request, write) = self.under_way.remove(&completion.tag).unwrap();
        let counters = self.drive.counters();
        if let Some(write) = write {
            for (page, after) in self.after(&write) {
                self.versions[page].insert(write.tag, after.clone());
                self.now[page] = after;
            }
            self.data.written(&write, counters.changes).unwrap();
        } else if request.op == Op::Trim {
            let (begin, len) = (request.offset_bytes, request.len_bytes);
            let end = ((begin + len) / PAGE as u64) as usize;
            for page in begin.div_ceil(PAGE as u64) as usize..end {
                self.now[page] = vec![0; PAGE];
            }
            self.data.trimmed(begin, len, counters.changes).unwrap();
        }
        if self.rng.ratio(1, 8) {
            self.data.settle(counters.durable_changes).unwrap();
        }
    }

    /// Contents of pages after a write.
    fn after(&self, write: &Written) -> Vec<(usize, Vec<u8>)> {
        let Payload::Bytes(bytes) = &write.payload else {
            unreachable!("only bytes are written")
        };
        let (begin, end) = (
            write.offset_bytes as usize,
            write.offset_bytes as usize + bytes.len(),
        );
        let pages = begin / PAGE..end.div_ceil(PAGE);
        let of = |page: usize| {
            let mut after = self.now[page].clone();
            let (from, to) = (begin.max(page * PAGE), end.min((page + 1) * PAGE));
            after[from - page * PAGE..to - page * PAGE]
                .copy_from_slice(&bytes[from - begin..to - begin]);
            (page, after)
        };
        pages.map(of).collect()
    }

    fn cut(&mut self) -> CutPages {
        self.drive.power_cut();
        let under_way = std::mem::take(&mut self.under_way);
        let writes: Vec<Written> = under_way
            .into_values()
            .filter_map(|(_, write)| write)
            .collect();
        for write in &writes {
            for (page, after) in self.after(write) {
                self.versions[page].insert(write.tag, after);
            }
        }
        let changed = self.data.cut(&self.drive, &writes).unwrap();
        for page in 0..PAGES as u32 {
            let holds = self
                .data
                .read(u64::from(page) * PAGE as u64, PAGE as u64)
                .unwrap();
            let expected = match self.drive.logical_page(page) {
                LogicalPage::Unwritten => vec![0; PAGE],
                LogicalPage::Lost => continue,
                LogicalPage::Written => {
                    let tag = self.drive.content(page).unwrap();
                    self.versions[page as usize][&tag].clone()
                }
            };
            assert!(
                holds == expected,
                "page {page} holds {} {}",
                holds[0],
                expected[0]
            );
            self.now[page as usize] = holds;
        }
        self.drive.power_up();
        if self.rng.ratio(3, 4) {
            // Usually the recovery has finished.
            let recovered = self.drive.now() + Nanos::from_millis(2_000);
            assert_eq!(self.drive.advance(recovered), None);
        }
        changed
    }
}

#[test]
fn the_file_holds_what_the_drive_does() {
    let (mut undone, mut not_acknowledged) = (0, 0);
    for seed in 0..16 {
        let mut checked = Checked::new(seed);
        for _ in 0..30 {
            for _ in 0..checked.rng.below(300) {
                checked.send();
                let limit = checked.drive.now() + Nanos(checked.rng.below(100_000));
                while let Some(completion) = checked.drive.advance(limit) {
                    checked.completed(completion);
                }
            }
            let changed = checked.cut();
            undone += changed.undone;
            not_acknowledged += changed.not_acknowledged;
        }
    }
    println!("{undone} pages undone, {not_acknowledged} not acknowledged");
    assert!(undone > 300 && not_acknowledged > 50);
}
