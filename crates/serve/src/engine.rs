//! Translates requests of clients into requests of the drive, and their completions into answers.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::Path;

use serde::Serialize;
use stend_base::{Completion, Device, Nanos, Op, Request, SimTime, Status};
use stend_drive::sim::EARLIER_TAG;
use stend_drive::{Counters, SimDrive};
use stend_load::target::{Target, TargetError};
use stend_model::Model;
use stend_simulated::SimulatedTarget;

use crate::PAGE_BYTES;
use crate::data::{CutPages, Data, Payload, Written};
use crate::nbd::{Ended, Errno, Kind, Request as ClientRequest};
use crate::record::Recorder;

/// Size of the steps in which zeroes are written, which limits the replaced data that must be kept.
const ZEROES_BYTES: u64 = 1 << 20;

/// Client number of requests whose client has disconnected.
pub const NOBODY: u64 = u64::MAX;

/// Limits of requests under way, and of the bytes they write; above them clients have to wait.
const UNDER_WAY_MAX: usize = 4096;
const UNDER_WAY_BYTES_MAX: u64 = 256 << 20;

/// One of the drive requests that a client request needs, one after the other.
#[derive(Clone, Debug)]
enum Step {
    Read { offset: u64, len: u64 },
    Write { write: Written, fua: bool },
    Trim { offset: u64, len: u64 },
    Flush,
}

impl Step {
    /// Bytes that the step writes.
    fn payload_bytes(&self) -> u64 {
        match self {
            Step::Write { write, .. } => write.len_bytes,
            _ => 0,
        }
    }
}

/// A request in the drive.
#[derive(Debug)]
struct InFlight {
    client: u64,
    cookie: u64,
    step: Step,
    rest: VecDeque<Step>,
    /// Arrival time of the request.
    since: SimTime,
}

/// Answer to a client's request.
#[derive(Debug)]
pub struct Answer {
    /// The client.
    pub client: u64,
    /// The client's number for the request.
    pub cookie: u64,
    /// Result of the request.
    pub ended: Ended,
    /// Virtual time at which it is due.
    pub at: SimTime,
}

/// Moment of a planned power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutAt {
    /// After this number of further operations of the flash.
    FlashEvents(u64),
    /// After this number of further answered writes.
    Writes(u64),
}

/// Completed requests of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct Direction {
    /// Number of requests.
    pub requests: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Sum of their latencies, ns.
    pub latency_ns: u64,
}

/// Totals since the start of serving.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct Totals {
    /// Virtual time, ns.
    pub at_ns: u64,
    /// Reads.
    pub reads: Direction,
    /// Writes.
    pub writes: Direction,
    /// TRIMs and flushes.
    pub others: u64,
    /// Requests that ended with an error.
    pub failed: u64,
    /// Requests under way.
    pub in_flight: u64,
}

/// A drive and its data, serving requests.
pub struct Engine {
    target: SimulatedTarget,
    data: Data,
    in_flight: BTreeMap<u32, InFlight>,
    /// Bytes that requests under way write.
    in_flight_bytes: u64,
    next_tag: u32,
    recorder: Option<Recorder>,
    cut_at: Option<CutAt>,
    totals: Totals,
    /// Writes that have been answered but are not in the data file yet, each with the drive's
    /// change count at its completion. Writing to a file takes longer than the drive: it must not
    /// delay answers.
    unwritten: VecDeque<(Written, u64)>,
    /// Host times of a request in the model.
    host_times: (Nanos, Nanos),
    clients_take_time: bool,
}

impl Engine {
    /// Serves a drive with these data. From now on the drive keeps a tag for the contents of each
    /// page. If clients are themselves the host, whose driver and socket take their time
    /// (`clients_take_time`), the model's host times are left out.
    pub fn new(
        mut target: SimulatedTarget,
        data: Data,
        recorder: Option<Recorder>,
        clients_take_time: bool,
    ) -> Engine {
        let host = &target.drive().spec().host;
        let host_times = (host.submit, host.complete);
        let drive = target.drive_mut();
        drive.keep_content(true);
        if clients_take_time {
            drive.service().set_host_times(Nanos::ZERO, Nanos::ZERO);
        }
        if !drive.has_power() {
            drive.power_up();
        }
        let mut engine = Engine {
            target,
            data,
            in_flight: BTreeMap::new(),
            in_flight_bytes: 0,
            next_tag: 0,
            recorder,
            cut_at: None,
            totals: Totals::default(),
            unwritten: VecDeque::new(),
            host_times,
            clients_take_time,
        };
        engine.make_durable();
        engine
    }

    /// Flushes the changes that an earlier server or a job has left, so that a power cut cannot
    /// return older contents than those in the data file.
    fn make_durable(&mut self) {
        let counters = self.drive().counters();
        if counters.changes == counters.durable_changes {
            return;
        }
        let flush = ClientRequest {
            cookie: 0,
            kind: Kind::Flush,
            offset_bytes: 0,
            len_bytes: 0,
            fua: false,
            data: Vec::new(),
        };
        self.submit(NOBODY, flush);
        let mut answers = Vec::new();
        while !self.is_silent() {
            self.advance(SimTime::NEVER, &mut answers);
        }
        self.totals = Totals::default();
    }

    /// The drive.
    pub fn drive(&self) -> &SimDrive {
        self.target.drive()
    }

    /// The drive as a target, for operations other than requests; no request may be under way.
    ///
    /// # Panics
    /// If a request is under way.
    pub fn target(&mut self) -> &mut SimulatedTarget {
        assert!(self.is_silent(), "requests are under way");
        &mut self.target
    }

    /// The model of the drive.
    pub fn model(&self) -> &Model {
        self.target.model()
    }

    /// The drive's health, as `smartctl -j` prints it; `None` for a model without `[health]`.
    pub fn smart(&self) -> Option<stend_record::smart::Document> {
        self.target.smart()
    }

    /// Number of 4 KiB pages of which older contents are kept.
    pub fn undo_pages(&self) -> usize {
        self.data.undo_pages()
    }

    /// Turns the power on.
    ///
    /// # Panics
    /// If it is on.
    pub fn power_on(&mut self) {
        self.target.drive_mut().power_up();
    }

    /// Writes the state of the drive to a new file.
    ///
    /// # Errors
    /// Errors of [`SimulatedTarget::keep_in`].
    pub fn snapshot(&mut self, path: &Path) -> Result<(), TargetError> {
        let mut copy = self.target.clone();
        let drive = copy.drive_mut();
        drive.keep_content(false);
        let (submit, complete) = self.host_times;
        drive.service().set_host_times(submit, complete);
        copy.keep_in(path)
    }

    /// The data.
    pub fn data(&mut self) -> &mut Data {
        self.settle();
        &mut self.data
    }

    /// True if no request is under way.
    pub fn is_silent(&self) -> bool {
        self.in_flight.is_empty()
    }

    /// True if clients have to wait because of the requests under way.
    pub fn is_full(&self) -> bool {
        self.in_flight.len() >= UNDER_WAY_MAX || self.in_flight_bytes >= UNDER_WAY_BYTES_MAX
    }

    /// Totals since the start of serving.
    pub fn totals(&self) -> Totals {
        Totals {
            at_ns: self.drive().now().0,
            in_flight: self.in_flight.len() as u64,
            ..self.totals
        }
    }

    /// Submits a request at the drive's present instant.
    pub fn submit(&mut self, client: u64, request: ClientRequest) {
        let cookie = request.cookie;
        let mut steps = self.steps(request);
        let first = steps.pop_front().expect("a request has a step");
        let since = self.drive().now();
        self.submit_step(InFlight {
            client,
            cookie,
            step: first,
            rest: steps,
            since,
        });
    }

    /// Drive requests that a client request needs.
    fn steps(&self, request: ClientRequest) -> VecDeque<Step> {
        let (offset, len) = (request.offset_bytes, request.len_bytes);
        // The log cannot express FUA, but must contain exactly the drive's requests.
        let flushes = request.fua && (self.recorder.is_some() || request.kind != Kind::Write);
        let mut steps = VecDeque::new();
        match request.kind {
            Kind::Read => steps.push_back(Step::Read { offset, len }),
            Kind::Flush => {}
            Kind::Trim => steps.push_back(Step::Trim { offset, len }),
            Kind::Write => {
                let write = written(offset, len, Payload::Bytes(request.data));
                let fua = request.fua && !flushes;
                steps.push_back(Step::Write { write, fua });
            }
            Kind::WriteZeroes { may_trim } => {
                let trims = may_trim && self.drive().spec().trim.enabled;
                zeroes((offset, offset + len), trims, &mut steps);
            }
        }
        if flushes || request.kind == Kind::Flush {
            steps.push_back(Step::Flush);
        }
        steps
    }

    fn submit_step(&mut self, mut in_flight: InFlight) {
        let tag = self.next_tag;
        self.next_tag = (tag + 1) % EARLIER_TAG;
        let (op, offset_bytes, len_bytes, fua) = match &mut in_flight.step {
            Step::Read { offset, len } => (Op::Read, *offset, *len, false),
            Step::Trim { offset, len } => (Op::Trim, *offset, *len, false),
            Step::Flush => (Op::Flush, 0, 0, false),
            Step::Write { write, fua } => {
                write.tag = tag;
                (Op::Write, write.offset_bytes, write.len_bytes, *fua)
            }
        };
        let request = Request {
            tag,
            op,
            offset_bytes,
            len_bytes,
            // At full speed, the order of connections must not matter.
            queue: if self.clients_take_time {
                in_flight.client as u16
            } else {
                0
            },
            fua,
        };
        let now = self.drive().now();
        if let Some(recorder) = &mut self.recorder
            && let Err(error) = recorder.add(&request, now)
        {
            eprintln!("stend: the log cannot be written any more: {error}");
            self.recorder = None;
        }
        self.in_flight_bytes += in_flight.step.payload_bytes();
        self.in_flight.insert(tag, in_flight);
        self.target.drive_mut().submit(request);
    }

    /// Advances time to `limit`, or until a request completes or the power must be cut. Returns
    /// which of these it has reached.
    pub fn advance(&mut self, limit: SimTime, answers: &mut Vec<Answer>) -> Advanced {
        let Some(CutAt::FlashEvents(left)) = self.cut_at else {
            return match self.target.drive_mut().advance(limit) {
                Some(completion) => self.completed(completion, answers),
                None => Advanced::Reached,
            };
        };
        // One instant at a time, so that the count is not exceeded.
        let before = flash_events(&self.drive().counters());
        let next = self.drive().next_event_at();
        if next > limit {
            self.target.drive_mut().advance(limit);
            return Advanced::Reached;
        }
        let completion = self.target.drive_mut().advance(next);
        let passed = flash_events(&self.drive().counters()) - before;
        if passed >= left {
            self.cut_at = None;
            return Advanced::Cut;
        }
        self.cut_at = Some(CutAt::FlashEvents(left - passed));
        match completion {
            Some(completion) => self.completed(completion, answers),
            None => Advanced::More,
        }
    }

    fn completed(&mut self, completion: Completion, answers: &mut Vec<Answer>) -> Advanced {
        let ended = self.in_flight.remove(&completion.tag);
        let mut ended = ended.expect("the drive ends what it has");
        self.in_flight_bytes -= ended.step.payload_bytes();
        let failure = match completion.status {
            Status::Ok => None,
            Status::MediaError => Some(Errno::Io),
            Status::WriteProtected => Some(Errno::NotPermitted),
        };
        let result = match failure {
            None => self.apply(&mut ended.step),
            Some(errno) => self
                .refused(&ended.step)
                .map(|()| failed(errno, &ended.step)),
        };
        let result = result.unwrap_or_else(|error| {
            eprintln!("stend: the data file fails: {error}");
            failed(Errno::Io, &ended.step)
        });
        if let (Ended::Done | Ended::Read { .. }, Some(next)) = (&result, ended.rest.pop_front()) {
            ended.step = next;
            self.submit_step(ended);
            return Advanced::More;
        }
        self.count(&ended, &result, completion.at);
        let is_write = matches!(ended.step, Step::Write { .. });
        answers.push(Answer {
            client: ended.client,
            cookie: ended.cookie,
            ended: result,
            at: completion.at,
        });
        match &mut self.cut_at {
            Some(CutAt::Writes(left)) if is_write => {
                *left = left.saturating_sub(1);
                if *left > 0 {
                    return Advanced::More;
                }
                self.cut_at = None;
                Advanced::Cut
            }
            _ => Advanced::More,
        }
    }

    /// Applies the drive's changes to the data; a write is left to [`Engine::settle`].
    fn apply(&mut self, step: &mut Step) -> io::Result<Ended> {
        let drive = self.target.drive();
        if let Step::Write { write, fua } = step {
            let payload = std::mem::replace(&mut write.payload, Payload::Zeroes);
            let write = Written {
                payload,
                ..write.clone()
            };
            self.unwritten.push_back((write, drive.counters().changes));
            if *fua {
                self.settle();
                return self.check_kept().map(|()| Ended::Done);
            }
            return Ok(Ended::Done);
        }
        self.settle();
        match *step {
            Step::Read { offset, len } => {
                let data = self.data.read(offset, len)?;
                let offset_bytes = offset;
                return Ok(Ended::Read { offset_bytes, data });
            }
            Step::Trim { offset, len } => {
                let changes = self.drive().counters().changes;
                self.data.trimmed(offset, len, changes)?;
            }
            Step::Flush => self.check_kept()?,
            Step::Write { .. } => {}
        }
        Ok(Ended::Done)
    }

    /// Nothing is durable while an answered write is lost.
    fn check_kept(&self) -> io::Result<()> {
        match self.data.is_whole() {
            true => Ok(()),
            false => Err(io::Error::other(format!(
                "{} pages of 4 KiB that had been answered are lost",
                self.data.lost_pages()
            ))),
        }
    }

    /// Writes all answered writes to the data, and discards old contents that cannot return.
    pub fn settle(&mut self) {
        self.settle_some(usize::MAX);
    }

    /// As [`Engine::settle`], but at most `most` writes, so that a request that arrives meanwhile
    /// need not wait for all of them. Returns true if more are left.
    pub fn settle_some(&mut self, most: usize) -> bool {
        if self.unwritten.is_empty() {
            return false;
        }
        let mut result = Ok(());
        let some = most.min(self.unwritten.len());
        for (write, changes) in self.unwritten.drain(..some) {
            result = self.data.written(&write, changes).and(result);
        }
        let durable = self.target.drive().counters().durable_changes;
        if let Err(error) = result.and(self.data.settle(durable)) {
            eprintln!("stend: the data file fails: {error}");
        }
        !self.unwritten.is_empty()
    }

    fn refused(&mut self, step: &Step) -> io::Result<()> {
        match step {
            Step::Write { write, .. } => self.data.written_in_part(write, self.target.drive()),
            _ => Ok(()),
        }
    }

    fn count(&mut self, ended: &InFlight, result: &Ended, at: SimTime) {
        let failed = u64::from(matches!(result, Ended::Failed { .. }));
        let (direction, bytes) = match &ended.step {
            Step::Read { len, .. } => (&mut self.totals.reads, *len),
            Step::Write { write, .. } => (&mut self.totals.writes, write.len_bytes),
            Step::Trim { .. } | Step::Flush => {
                self.totals.others += 1;
                self.totals.failed += failed;
                return;
            }
        };
        direction.requests += 1;
        direction.bytes += bytes;
        direction.latency_ns += at.since(ended.since).0;
        self.totals.failed += failed;
    }

    /// True if the drive's model can simulate a power cut.
    pub fn can_cut(&self) -> bool {
        self.drive().spec().power_loss.is_some()
    }

    /// Plans a power cut.
    pub fn arm(&mut self, at: CutAt) {
        self.cut_at = Some(at);
    }

    /// Cuts the power now: requests under way are lost, and the data become those that the drive
    /// still holds.
    ///
    /// # Errors
    /// Errors of writing the data.
    ///
    /// # Panics
    /// Without power, and if [`Engine::can_cut`] is false.
    pub fn power_cut(&mut self) -> io::Result<CutPages> {
        self.settle();
        self.cut_at = None;
        self.target.drive_mut().power_cut();
        self.in_flight_bytes = 0;
        let under_way = std::mem::take(&mut self.in_flight).into_values();
        let writes: Vec<Written> = under_way
            .filter_map(|in_flight| match in_flight.step {
                Step::Write { write, .. } => Some(write),
                _ => None,
            })
            .collect();
        self.data.cut(self.target.drive(), &writes)
    }

    /// Forgets a client; its requests under way still complete.
    pub fn forget(&mut self, client: u64) {
        for in_flight in self.in_flight.values_mut() {
            if in_flight.client == client {
                in_flight.client = NOBODY;
            }
        }
    }

    /// Stops serving, and completes the log.
    ///
    /// # Errors
    /// Errors of writing the log.
    pub fn finish(mut self) -> io::Result<(SimulatedTarget, Data)> {
        self.settle();
        if let Some(recorder) = self.recorder {
            recorder.finish()?;
        }
        let mut target = self.target;
        target.drive_mut().keep_content(false);
        let (submit, complete) = self.host_times;
        let drive = target.drive_mut();
        drive.service().set_host_times(submit, complete);
        Ok((target, self.data))
    }
}

/// Progress of [`Engine::advance`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advanced {
    /// The limit was reached.
    Reached,
    /// The limit was not reached yet.
    More,
    /// The power must be cut now.
    Cut,
}

fn flash_events(counters: &Counters) -> u64 {
    counters.nand_reads + counters.nand_programs + counters.folds + counters.erases
}

fn failed(errno: Errno, step: &Step) -> Ended {
    Ended::Failed {
        errno,
        is_read: matches!(step, Step::Read { .. }),
    }
}

fn written(offset_bytes: u64, len_bytes: u64, payload: Payload) -> Written {
    Written {
        tag: 0,
        offset_bytes,
        len_bytes,
        payload,
    }
}

/// Writes zeroes from `begin` to `end`: whole pages by TRIM, if it is allowed.
fn zeroes((begin, end): (u64, u64), trims: bool, steps: &mut VecDeque<Step>) {
    let mut write = |mut from: u64, to: u64| {
        while from < to {
            let len = ZEROES_BYTES.min(to - from);
            let write = written(from, len, Payload::Zeroes);
            steps.push_back(Step::Write { write, fua: false });
            from += len;
        }
    };
    let first = begin.next_multiple_of(PAGE_BYTES);
    let last = end - end % PAGE_BYTES;
    if !trims || first >= last {
        write(begin, end);
        return;
    }
    write(begin, first);
    write(last, end);
    steps.push_back(Step::Trim {
        offset: first,
        len: last - first,
    });
}
