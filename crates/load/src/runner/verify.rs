//! `verify`: at its end, a job reads what it has written.
//!
//! As in fio, the blocks are read in the order of the writes if the job has a random map; otherwise
//! in ascending order, where a block that a later one overlaps is left out.

use std::collections::BTreeMap;

use stend_base::SimTime;

use super::request::{END_SYNC, Next, flush};
use crate::jobfile::{Direction, Generator, Spec};

/// Blocks that a job has written, and the reads of them.
#[derive(Debug)]
pub(super) struct Verify {
    /// First byte and length of each, in the order of the requests.
    written: Vec<(u64, u64)>,
    keeps_order: bool,
    next: usize,
    /// Instant at which the reads began.
    pub began: Option<SimTime>,
    /// True until the flush before the reads has completed.
    flushes: bool,
}

impl Verify {
    /// The reads of a job; `None` if it has none.
    pub fn new(spec: &Spec) -> Option<Box<Verify>> {
        spec.verifies().then(|| {
            Box::new(Verify {
                written: Vec::new(),
                keeps_order: spec.has_random_map() && spec.generator == Generator::Random,
                next: 0,
                began: None,
                flushes: false,
            })
        })
    }

    /// Notes a write.
    pub fn note(&mut self, offset: u64, len: u64) {
        self.written.push((offset, len));
    }

    /// Forgets a write that failed.
    pub fn forget(&mut self, offset: u64, len: u64) {
        if let Some(at) = self.written.iter().rposition(|w| *w == (offset, len)) {
            self.written.remove(at);
        }
    }

    /// Begins the reads, with the flush that fio sends before them.
    pub fn begin(&mut self, now: SimTime) -> Next {
        if !self.keeps_order && !ascends(&self.written) {
            self.written = latest(&self.written);
        }
        self.began = Some(now);
        self.flushes = true;
        flush(END_SYNC)
    }

    /// The next read; `outstanding` requests are in flight.
    pub fn next(&mut self, outstanding: u32) -> Next {
        if self.flushes && outstanding > 0 {
            return Next::Hold;
        }
        self.flushes = false;
        let Some(&(offset, len)) = self.written.get(self.next) else {
            return Next::Over;
        };
        self.next += 1;
        Next::Submit {
            kind: Direction::Read as u8,
            offset,
            len,
        }
    }
}

/// True if each block begins at or after the end of the one before it.
fn ascends(blocks: &[(u64, u64)]) -> bool {
    blocks
        .windows(2)
        .all(|pair| pair[0].0 + pair[0].1 <= pair[1].0)
}

/// Blocks in ascending order, without those that a later one overlaps.
fn latest(blocks: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut kept: BTreeMap<u64, u64> = BTreeMap::new();
    for &(offset, len) in blocks {
        let before = |kept: &BTreeMap<u64, u64>| {
            let last = kept.range(..offset + len).next_back();
            last.map(|(offset, len)| (*offset, *len))
        };
        while let Some((other, _)) = before(&kept).filter(|(other, len)| other + len > offset) {
            kept.remove(&other);
        }
        kept.insert(offset, len);
    }
    kept.into_iter().collect()
}
