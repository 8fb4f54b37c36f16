//! Runs an operation on files on a device, in virtual time.
//!
//! Three activities run at the same time:
//!
//! - The **program** reads as far as [`ReadStep`](super::operation::ReadStep) allows. It waits
//!   while at least [`Host::dirty_limit_bytes`] wait to be written.
//! - **Write-back** begins when more than [`Host::dirty_background_bytes`] wait and stops when less
//!   do; after the program's end it writes all the rest. At most [`Host::write_depth`] writes are
//!   outstanding.
//! - The **journal** is committed every [`Host::commit`] if there is something to commit: a write
//!   of the changes, a flush, the commit record, another flush.
//!
//! At the end everything is made durable as by `syncfs`: the rest of the data, a commit, then the
//! metadata in its place.
//!
//! Not modelled: data is not written back merely because it is old (30 s), metadata is written to
//! its place only at the end, and data that waits above the limit does not slow the program
//! gradually.

use std::collections::VecDeque;

use stend_base::{Completion, Device, Nanos, Op, Request, SimTime, Status};
use stend_record::review::FileRequests;

use super::layout::BLOCK_BYTES;
use super::operation::{REQUEST_BYTES_MAX, Stage};
use crate::fault::{Stalled, words};
use crate::trace::op_name;

/// A request that has taken this long never completes: an hour.
const LATENCY_MAX: Nanos = Nanos(3_600_000_000_000);

/// Limits of the host's memory and kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Host {
    /// Windows of a file being read at once: the one that is waited for, and the next.
    pub read_windows: u32,
    /// Maximum of outstanding writes: `RWB_DEF_DEPTH` of the kernel's write-back throttling.
    pub write_depth: u32,
    /// `dirty_background_ratio`, 10 % of the available memory, bytes.
    pub dirty_background_bytes: u64,
    /// `dirty_ratio`, 20 %, bytes.
    pub dirty_limit_bytes: u64,
    /// ext4's `commit`.
    pub commit: Nanos,
}

impl Default for Host {
    /// A desktop with 8 GiB of available memory (assumed), and the kernel's defaults.
    fn default() -> Host {
        Host {
            read_windows: 2,
            write_depth: 16,
            dirty_background_bytes: (8 << 30) / 10,
            dirty_limit_bytes: (8 << 30) / 5,
            commit: Nanos(5_000_000_000),
        }
    }
}

/// The result of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileRun {
    /// Time from the first request to the last completion.
    pub elapsed: Nanos,
    /// Its requests.
    pub requests: FileRequests,
    /// Commits of the journal.
    pub commits: u64,
}

/// Reason why an operation was not run to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileRunError {
    /// A request failed.
    #[error("a {op} of {len_bytes} bytes at byte {offset_bytes} failed: {why}")]
    Failed {
        /// Kind of the request.
        op: &'static str,
        /// First byte.
        offset_bytes: u64,
        /// Bytes.
        len_bytes: u64,
        /// Error of the device.
        why: &'static str,
    },
    /// The device completes no more requests.
    #[error(transparent)]
    Stalled(#[from] Stalled),
}

/// Sender of a request.
#[derive(Clone, Copy)]
enum Sender {
    /// The program, by the number of the read.
    Program(usize),
    WriteBack,
    /// The journal, and the requests at the end.
    Journal,
}

/// A request that the journal waits to send.
#[derive(Clone, Copy)]
struct Planned {
    request: Request,
    /// True if it is sent only after all before it have ended.
    barrier: bool,
}

struct Run<'a, D: Device> {
    device: &'a mut D,
    stage: &'a Stage,
    host: Host,
    slots: Vec<Option<(Sender, Request)>>,
    free: Vec<u32>,
    next_read: usize,
    reads_out: u32,
    read_done: Vec<bool>,
    /// Reads that have ended, without a gap.
    reads_passed: usize,
    next_write: usize,
    writes_out: u32,
    /// Bytes of files written.
    written_bytes: u64,
    writing: bool,
    journal: (u64, u64),
    journal_at: u64,
    /// Number of the stage's blocks in the journal.
    journalled: u64,
    planned: VecDeque<Planned>,
    planned_out: u32,
    commit_at: SimTime,
    ending: bool,
    completed_at: SimTime,
    result: FileRun,
}

/// Runs a stage from the device's present instant on; `journal` is the place of the operation's
/// journal.
///
/// # Errors
/// [`FileRunError`].
///
/// # Panics
/// If the host's depths are 0, or its limits do not ascend from 16 MiB on, with which nothing could
/// progress.
pub fn run<D: Device>(
    device: &mut D,
    stage: &Stage,
    journal: (u64, u64),
    host: &Host,
) -> Result<FileRun, FileRunError> {
    assert!(
        host.read_windows > 0
            && host.write_depth > 0
            && host.dirty_background_bytes >= 16 << 20
            && host.dirty_limit_bytes >= host.dirty_background_bytes + (16 << 20),
        "{host:?} cannot move files"
    );
    let start = device.now();
    let slots = host.read_windows + 2 * host.write_depth;
    let mut run = Run {
        device,
        stage,
        host: *host,
        slots: vec![None; slots as usize],
        free: (0..slots).rev().collect(),
        next_read: 0,
        reads_out: 0,
        read_done: vec![false; stage.reads.len()],
        reads_passed: 0,
        next_write: 0,
        writes_out: 0,
        written_bytes: 0,
        writing: false,
        journal,
        journal_at: 0,
        journalled: 0,
        planned: VecDeque::new(),
        planned_out: 0,
        commit_at: start + host.commit,
        ending: false,
        completed_at: start,
        result: FileRun::default(),
    };
    while run.send() {
        run.advance()?;
    }
    run.result.elapsed = run.device.now().since(start);
    Ok(run.result)
}

impl<D: Device> Run<'_, D> {
    /// Sends all requests that can be sent. Returns false if nothing is left to wait for.
    fn send(&mut self) -> bool {
        self.begin_commit();
        loop {
            let read = self.send_read();
            let wrote = self.send_write();
            let planned = self.send_planned();
            if read || wrote || planned {
                continue;
            }
            if self.outstanding() > 0 {
                return true;
            }
            if !self.begin_end() {
                return false;
            }
        }
    }

    fn outstanding(&self) -> u32 {
        self.reads_out + self.writes_out + self.planned_out
    }

    /// Bytes of files that the program has read.
    fn copied_bytes(&self) -> u64 {
        match self.reads_passed {
            // Data that is created, not read.
            0 if self.stage.reads.is_empty() => u64::MAX,
            0 => 0,
            passed => self.stage.reads[passed - 1].yields_bytes,
        }
    }

    fn program_done(&self) -> bool {
        self.reads_passed == self.stage.reads.len()
    }

    fn dirty_bytes(&self) -> u64 {
        match self.stage.reads.is_empty() {
            true => u64::MAX,
            false => self.copied_bytes().saturating_sub(self.written_bytes),
        }
    }

    fn send_read(&mut self) -> bool {
        let Some(step) = self.stage.reads.get(self.next_read).copied() else {
            return false;
        };
        let allowed = match step.waits {
            true => 1,
            false => self.host.read_windows,
        };
        if self.reads_out >= allowed || self.dirty_bytes() >= self.host.dirty_limit_bytes {
            return false;
        }
        let read = request(Op::Read, step.offset_bytes, step.len_bytes);
        self.submit(Sender::Program(self.next_read), read);
        self.next_read += 1;
        self.reads_out += 1;
        true
    }

    fn send_write(&mut self) -> bool {
        let Some(step) = self.stage.writes.get(self.next_write).copied() else {
            return false;
        };
        self.writing = self.program_done() || self.dirty_bytes() > self.host.dirty_background_bytes;
        let ready = self.writing && self.copied_bytes() >= step.needs_bytes;
        if !ready || self.writes_out >= self.host.write_depth {
            return false;
        }
        let write = request(Op::Write, step.offset_bytes, step.len_bytes);
        self.submit(Sender::WriteBack, write);
        self.next_write += 1;
        self.writes_out += 1;
        true
    }

    fn send_planned(&mut self) -> bool {
        let Some(next) = self.planned.front().copied() else {
            return false;
        };
        let allowed = match next.barrier {
            true => 1,
            false => self.host.write_depth,
        };
        if self.planned_out >= allowed {
            return false;
        }
        self.planned.pop_front();
        self.submit(Sender::Journal, next.request);
        self.planned_out += 1;
        true
    }

    /// Begins a commit if it is time and there is something to commit.
    fn begin_commit(&mut self) {
        if self.device.now() < self.commit_at {
            return;
        }
        self.commit_at = self.device.now() + self.host.commit;
        if self.planned.is_empty() && self.planned_out == 0 && !self.ending {
            // In proportion to the data placed so far.
            let total = u128::from(self.stage.written_bytes().max(1));
            let blocks = u128::from(self.stage.journal_blocks());
            let due = (blocks * u128::from(self.written_bytes) / total) as u64;
            self.commit(due);
        }
    }

    /// Plans the commit of the stage's blocks up to `until_blocks`, counted from its beginning.
    fn commit(&mut self, until_blocks: u64) {
        let blocks = until_blocks.saturating_sub(self.journalled);
        if blocks == 0 {
            return;
        }
        self.journalled = until_blocks;
        let mut left = blocks * BLOCK_BYTES;
        let mut barrier = true;
        while left > 0 {
            let len_bytes = left
                .min(REQUEST_BYTES_MAX)
                .min(self.journal.1 - self.journal_at);
            self.plan_journal(len_bytes, barrier);
            barrier = false;
            left -= len_bytes;
        }
        let flush = request(Op::Flush, 0, 0);
        self.plan(flush, true);
        self.plan_journal(BLOCK_BYTES, true);
        self.plan(flush, true);
        self.result.commits += 1;
    }

    fn plan_journal(&mut self, len_bytes: u64, barrier: bool) {
        let offset_bytes = self.journal.0 + self.journal_at;
        self.plan(request(Op::Write, offset_bytes, len_bytes), barrier);
        self.journal_at = (self.journal_at + len_bytes) % self.journal.1;
    }

    fn plan(&mut self, request: Request, barrier: bool) {
        self.planned.push_back(Planned { request, barrier });
    }

    /// Plans the requests that make everything durable. Returns false if that has been done.
    fn begin_end(&mut self) -> bool {
        if std::mem::replace(&mut self.ending, true) {
            return false;
        }
        assert!(
            self.program_done() && self.next_write == self.stage.writes.len(),
            "with nothing outstanding, all reads and writes are done"
        );
        self.commit(self.stage.journal_blocks());
        let mut barrier = true;
        for &(offset_bytes, len_bytes) in &self.stage.metadata {
            self.plan(request(Op::Write, offset_bytes, len_bytes), barrier);
            barrier = false;
        }
        true
    }

    fn submit(&mut self, sender: Sender, request: Request) {
        let tag = self.free.pop().expect("there are as many slots as depths");
        let request = Request { tag, ..request };
        self.slots[tag as usize] = Some((sender, request));
        self.device.submit(request);
    }

    fn advance(&mut self) -> Result<(), FileRunError> {
        // A commit has no effect once the end is planned.
        let limit = match self.ending {
            true => SimTime::NEVER,
            false => self.commit_at.max(self.device.now()),
        };
        match self.device.advance(limit) {
            Some(completion) => self.complete(&completion),
            None => {
                let now = self.device.now();
                match limit == SimTime::NEVER || now.since(self.completed_at) > LATENCY_MAX {
                    true => Err(Stalled::at(now, self.outstanding()).into()),
                    false => Ok(()),
                }
            }
        }
    }

    fn complete(&mut self, completion: &Completion) -> Result<(), FileRunError> {
        let slot = self.slots[completion.tag as usize].take();
        let (sender, request) = slot.expect("a completion has the tag of a request");
        self.free.push(completion.tag);
        self.completed_at = completion.at;
        if completion.status != Status::Ok {
            return Err(FileRunError::Failed {
                op: op_name(request.op),
                offset_bytes: request.offset_bytes,
                len_bytes: request.len_bytes,
                why: words(completion.status),
            });
        }
        match request.op {
            Op::Read => {
                self.result.requests.reads += 1;
                self.result.requests.read_bytes += request.len_bytes;
            }
            Op::Write => {
                self.result.requests.writes += 1;
                self.result.requests.written_bytes += request.len_bytes;
            }
            Op::Flush | Op::Trim => self.result.requests.flushes += 1,
        }
        match sender {
            Sender::Program(number) => {
                self.reads_out -= 1;
                self.read_done[number] = true;
                while self.read_done.get(self.reads_passed) == Some(&true) {
                    self.reads_passed += 1;
                }
            }
            Sender::WriteBack => {
                self.writes_out -= 1;
                self.written_bytes += request.len_bytes;
            }
            Sender::Journal => self.planned_out -= 1,
        }
        Ok(())
    }
}

/// A request that has no tag yet.
fn request(op: Op, offset_bytes: u64, len_bytes: u64) -> Request {
    Request {
        op,
        offset_bytes,
        len_bytes,
        ..Request::default()
    }
}
