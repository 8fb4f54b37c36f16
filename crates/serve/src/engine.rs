//! Requests of clients become requests of the drive, and their ends become answers.

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

/// Zeroes are written so many bytes at a time, so that little has to be kept of what they replace.
const ZEROES_BYTES: u64 = 1 << 20;

/// The client of requests whose client is gone.
pub const NOBODY: u64 = u64::MAX;

/// Requests under way, and bytes of those that write, from which on clients have to wait.
const UNDER_WAY_MAX: usize = 4096;
const UNDER_WAY_BYTES_MAX: u64 = 256 << 20;

/// What a request of a client asks of the drive, one after the other.
#[derive(Clone, Debug)]
enum Step {
    Read { offset: u64, len: u64 },
    Write { write: Written, fua: bool },
    Trim { offset: u64, len: u64 },
    Flush,
}

impl Step {
    /// Bytes that it writes.
    fn payload_bytes(&self) -> u64 {
        match self {
            Step::Write { write, .. } => write.len_bytes,
            _ => 0,
        }
    }
}

/// A request that the drive has.
#[derive(Debug)]
struct InFlight {
    client: u64,
    cookie: u64,
    step: Step,
    rest: VecDeque<Step>,
    /// When the request came.
    since: SimTime,
}

/// The end of a client's request.
#[derive(Debug)]
pub struct Answer {
    /// The client.
    pub client: u64,
    /// The client's number of the request.
    pub cookie: u64,
    /// How it ended.
    pub ended: Ended,
    /// When it is due.
    pub at: SimTime,
}

/// When the power is to be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutAt {
    /// When so many operations of the flash more have been done.
    FlashEvents(u64),
    /// When so many writes more have been answered.
    Writes(u64),
}

/// Requests that have ended, of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct Direction {
    /// How many.
    pub requests: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Their latencies, ns, added up.
    pub latency_ns: u64,
}

/// What was served so far.
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

/// A drive and its data.
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
    /// Writes that have been answered and are not in the data yet, each with the drive's changes at
    /// its end. Writing a file takes longer than the drive: it must not make answers late.
    unwritten: VecDeque<(Written, u64)>,
    /// What requests cost the host in the model.
    host_times: (Nanos, Nanos),
    clients_take_time: bool,
}

impl Engine {
    /// Serves a drive with these data. From here on it keeps the tags of what pages hold. Where
    /// clients are themselves the host, whose driver and socket take their time
    /// (`clients_take_time`), the model's host takes none besides.
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
            drive.set_host_times((Nanos::ZERO, Nanos::ZERO));
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

    /// Flushes what an earlier server, or a job, has left: the data hold what it wrote, and nothing
    /// older.
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

    /// The drive as a target, for what no request does; no request may be under way.
    ///
    /// # Panics
    /// When one is.
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

    /// Pages of 4 KiB of which something older is kept.
    pub fn undo_pages(&self) -> usize {
        self.data.undo_pages()
    }

    /// Turns the power on.
    ///
    /// # Panics
    /// When it is on.
    pub fn power_on(&mut self) {
        self.target.drive_mut().power_up();
    }

    /// Writes the state of the drive to a new file.
    ///
    /// # Errors
    /// As [`SimulatedTarget::keep_in`].
    pub fn snapshot(&mut self, path: &Path) -> Result<(), TargetError> {
        let mut copy = self.target.clone();
        let drive = copy.drive_mut();
        drive.keep_content(false);
        drive.set_host_times(self.host_times);
        copy.keep_in(path)
    }

    /// The data.
    pub fn data(&mut self) -> &mut Data {
        self.settle();
        &mut self.data
    }

    /// Whether no request is under way.
    pub fn is_silent(&self) -> bool {
        self.in_flight.is_empty()
    }

    /// Whether so much is under way that clients have to wait.
    pub fn is_full(&self) -> bool {
        self.in_flight.len() >= UNDER_WAY_MAX || self.in_flight_bytes >= UNDER_WAY_BYTES_MAX
    }

    /// What was served so far.
    pub fn totals(&self) -> Totals {
        Totals {
            at_ns: self.drive().now().0,
            in_flight: self.in_flight.len() as u64,
            ..self.totals
        }
    }

    /// Takes a request at the drive's present instant.
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

    /// What the drive gets for a request.
    fn steps(&self, request: ClientRequest) -> VecDeque<Step> {
        let (offset, len) = (request.offset_bytes, request.len_bytes);
        // A log has no word for FUA: what is logged must be what the drive gets.
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
            // At full speed, who has connected first must not matter.
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

    /// Lets time pass up to `limit`, or until a request ends or the power is to be cut. Returns
    /// whether there may be more to do up to `limit`.
    pub fn advance(&mut self, limit: SimTime, answers: &mut Vec<Answer>) -> Advanced {
        let Some(CutAt::FlashEvents(left)) = self.cut_at else {
            return match self.target.drive_mut().advance(limit) {
                Some(completion) => self.completed(completion, answers),
                None => Advanced::Reached,
            };
        };
        // Instant by instant, so that the count is not passed.
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

    /// Does to the data what the drive has done, or, of a write, leaves it for
    /// [`Engine::settle`].
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

    /// Nothing is durable while something that was answered is lost.
    fn check_kept(&self) -> io::Result<()> {
        match self.data.is_whole() {
            true => Ok(()),
            false => Err(io::Error::other(format!(
                "{} pages of 4 KiB that had been answered are lost",
                self.data.lost_pages()
            ))),
        }
    }

    /// Brings the data up to what was answered, and forgets what cannot come back.
    pub fn settle(&mut self) {
        self.settle_some(usize::MAX);
    }

    /// As [`Engine::settle`], but at most so many writes, so that a request that comes meanwhile
    /// does not wait for all of them. Returns whether there are more.
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

    /// Whether the drive's model says what a power cut leaves.
    pub fn can_cut(&self) -> bool {
        self.drive().spec().power_loss.is_some()
    }

    /// Cuts the power later.
    pub fn arm(&mut self, at: CutAt) {
        self.cut_at = Some(at);
    }

    /// Cuts the power now: requests under way are gone, and the data are what the drive still
    /// holds.
    ///
    /// # Errors
    /// As writing the data fails.
    ///
    /// # Panics
    /// Without power, and when [`Engine::can_cut`] says no.
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

    /// A client is gone; its requests that are under way still end.
    pub fn forget(&mut self, client: u64) {
        for in_flight in self.in_flight.values_mut() {
            if in_flight.client == client {
                in_flight.client = NOBODY;
            }
        }
    }

    /// Ends serving, with the log whole.
    ///
    /// # Errors
    /// As writing the log fails.
    pub fn finish(mut self) -> io::Result<(SimulatedTarget, Data)> {
        self.settle();
        if let Some(recorder) = self.recorder {
            recorder.finish()?;
        }
        let mut target = self.target;
        target.drive_mut().keep_content(false);
        target.drive_mut().set_host_times(self.host_times);
        Ok((target, self.data))
    }
}

/// How far [`Engine::advance`] has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advanced {
    /// To its limit.
    Reached,
    /// Not so far.
    More,
    /// The power is to be cut now.
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

/// Zeroes from `begin` to `end`: whole pages by TRIM, if it may be.
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
