//! One running job: which request comes next, and what became of those before.

use stend_base::{Device, Nanos, Op, Rng, SimTime};

use super::plan::Plan;
use super::windows::{LogRequest, Logger, RateWindows, Totals};
use crate::jobfile::{BlockSizes, Direction, Mix, Rate};
use crate::pattern::{Ahead, Lengths, RandomBlocks};
use crate::stats::LatencyStats;

/// The index of flushes, after those of [`Direction`].
pub(super) const SYNC: u8 = 3;

/// A request in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub issued: SimTime,
    /// Bytes from the start of the target.
    pub offset: u64,
    pub len: u64,
    pub job: u32,
    /// Index of the direction, or [`SYNC`].
    pub kind: u8,
}

/// What a job with a free slot does next.
pub(super) enum Next {
    Submit {
        kind: u8,
        offset: u64,
        len: u64,
    },
    /// Nothing before a request completes.
    Hold,
    /// Nothing before this instant.
    Wake(SimTime),
    /// Nothing any more.
    Over,
}

/// Where random requests of one direction go.
#[derive(Debug)]
struct Blocks {
    source: Ahead,
    unit_bytes: u64,
}

/// Limits that keep a job from issuing at once, all absent in most jobs.
#[derive(Debug, Default)]
struct Pace {
    /// Bytes a second of each direction.
    rate: [Option<u64>; 3],
    rate_begin: SimTime,
    rate_bytes: [u64; 3],
    /// The direction that was drawn and is not due yet.
    pending: Option<Direction>,
    thinktime: Nanos,
    think_blocks: u32,
    burst: u32,
    fsync_every: u32,
    fsync_writes: u32,
    fdatasync_every: u32,
    fdatasync_writes: u32,
}

/// The state of a job.
#[derive(Debug)]
pub(super) struct JobState<'a> {
    pub plan: Plan<'a>,
    mix: Mix,
    random: bool,
    read_percent: u64,
    region_start: u64,
    region_bytes: u64,
    wraps: bool,
    limit_bytes: u64,
    issued_bytes: u64,
    exhausted: bool,
    paced: bool,
    logging: bool,
    mix_rng: Rng,
    positions: [u64; 3],
    lengths: [Lengths; 3],
    /// Sources of blocks; both directions of a mixed job share the first if their blocks
    /// are alike, as fio's directions share one map.
    blocks: Vec<Blocks>,
    blocks_of: [usize; 3],
    pace: Pace,
    record_from: SimTime,
    end_at: SimTime,
    next_close: SimTime,
    pub free: Vec<u32>,
    pub started_at: SimTime,
    pub finished_at: Option<SimTime>,
    last_completion: SimTime,
    pub totals: [Totals; 3],
    pub sync: LatencyStats,
    pub depths: [u64; 7],
    pub bw: RateWindows,
    pub iops: RateWindows,
    pub log: Logger,
    wrote: bool,
    end_flushed: bool,
    pub errors: Errors,
}

/// What failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Errors {
    /// errno of the error that ended the job; 0 without one.
    pub fatal: i32,
    /// errno of the first; 0 without one.
    pub first: i32,
    /// Requests that failed.
    pub total: u64,
}

/// What Linux makes of a device's error: EIO.
const EIO: i32 = 5;

impl<'a> JobState<'a> {
    /// `tags` are the job's own.
    pub fn new(plan: Plan<'a>, root_seed: u64, tags: std::ops::Range<u32>) -> JobState<'a> {
        let spec = plan.spec;
        let seed = spec.seed.unwrap_or(root_seed);
        let stream = |what: &str| Rng::stream(seed, &format!("{}/{what}", plan.stream));
        let lengths = Direction::ALL.map(|d| {
            let sizes = spec.block_sizes[d as usize].clone();
            Lengths::new(sizes, stream(&format!("length/{}", d.name())))
        });
        let (blocks, blocks_of) = blocks(&plan, stream);
        let logging = spec.bw_log.is_some() || spec.iops_log.is_some() || spec.lat_log.is_some();
        let mut totals: [Totals; 3] = Default::default();
        for direction in Direction::ALL.into_iter().filter(|d| spec.rw.uses(*d)) {
            totals[direction as usize].latency.reserve();
        }
        let pace = pace(&plan);
        JobState {
            mix: spec.rw.mix,
            random: spec.rw.random,
            read_percent: u64::from(spec.read_percent),
            region_start: plan.region_start,
            region_bytes: plan.region_bytes,
            wraps: plan.wraps,
            limit_bytes: plan.limit_bytes.unwrap_or(u64::MAX),
            issued_bytes: 0,
            exhausted: false,
            paced: pace.rate.iter().any(Option::is_some)
                || pace.thinktime > Nanos::ZERO
                || pace.fsync_every > 0
                || pace.fdatasync_every > 0,
            logging,
            mix_rng: stream("mix"),
            positions: [0; 3],
            lengths,
            blocks,
            blocks_of,
            pace,
            record_from: SimTime::ZERO,
            end_at: SimTime::NEVER,
            next_close: SimTime::NEVER,
            free: tags.rev().collect(),
            started_at: SimTime::ZERO,
            finished_at: None,
            last_completion: SimTime::ZERO,
            totals,
            sync: LatencyStats::default(),
            depths: [0; 7],
            bw: RateWindows::new(spec.bw_window),
            iops: RateWindows::new(spec.iops_window),
            log: Logger::new(spec.log_interval, spec.runtime),
            wrote: false,
            end_flushed: false,
            errors: Errors::default(),
            plan,
        }
    }

    /// When the job begins, if its phase begins at `phase`.
    pub fn start(&mut self, phase: SimTime, root_seed: u64) -> SimTime {
        let spec = self.plan.spec;
        let (shortest, longest) = spec.start_delay;
        let seed = spec.seed.unwrap_or(root_seed);
        let mut rng = Rng::stream(seed, &format!("{}/delay", self.plan.stream));
        let delay = shortest + Nanos(rng.below((longest - shortest).0 + 1));
        self.started_at = phase + delay;
        self.record_from = self.started_at + spec.ramp;
        self.end_at = match spec.runtime {
            Some(runtime) => self.record_from + runtime,
            None => SimTime::NEVER,
        };
        self.pace.rate_begin = self.started_at;
        self.bw.start(self.record_from);
        self.iops.start(self.record_from);
        self.log.start(self.record_from);
        self.next_close = self.first_end();
        self.started_at
    }

    /// Issues nothing from this instant on.
    pub fn end_by(&mut self, now: SimTime) {
        self.end_at = self.end_at.min(now);
    }

    /// Requests in flight.
    pub fn outstanding(&self) -> usize {
        self.plan.spec.iodepth as usize - self.free.len()
    }

    /// Time measured so far.
    pub fn measured(&self, now: SimTime) -> Nanos {
        let until = self.finished_at.unwrap_or(now);
        Nanos(until.0.saturating_sub(self.record_from.0))
    }

    #[inline(always)]
    pub fn next(&mut self, now: SimTime) -> Next {
        if now >= self.end_at || self.issued_bytes >= self.limit_bytes || self.exhausted {
            return Next::Over;
        }
        if self.paced
            && let Some(next) = self.paced(now)
        {
            return next;
        }
        let direction = match self.direction(now) {
            Ok(direction) => direction,
            Err(due) => return Next::Wake(due.min(self.end_at)),
        };
        let Some((offset, len)) = self.place(direction) else {
            self.exhausted = true;
            return Next::Over;
        };
        self.issued_bytes += len;
        if self.paced {
            self.pace.rate_bytes[direction as usize] += len;
            self.pace.burst += 1;
            let wrote = u32::from(direction == Direction::Write);
            self.pace.fsync_writes += wrote;
            self.pace.fdatasync_writes += wrote;
        }
        Next::Submit {
            kind: direction as u8,
            offset,
            len,
        }
    }

    /// Thinking, `fsync` and `fdatasync`.
    fn paced(&mut self, now: SimTime) -> Option<Next> {
        let outstanding = self.outstanding();
        let pace = &mut self.pace;
        if pace.thinktime > Nanos::ZERO && pace.burst >= pace.think_blocks {
            if outstanding > 0 {
                return Some(Next::Hold);
            }
            let until = self.last_completion + pace.thinktime;
            if now < until {
                return Some(Next::Wake(until.min(self.end_at)));
            }
            pace.burst = 0;
        }
        let due = pace.fsync_every > 0 && pace.fsync_writes >= pace.fsync_every;
        let data_due = pace.fdatasync_every > 0 && pace.fdatasync_writes >= pace.fdatasync_every;
        if due {
            pace.fsync_writes = 0;
        }
        if data_due {
            pace.fdatasync_writes = 0;
        }
        (due || data_due).then_some(FLUSH)
    }

    /// The direction of the next request, or the instant at which one is due.
    #[inline]
    fn direction(&mut self, now: SimTime) -> Result<Direction, SimTime> {
        let drawn = match self.mix {
            Mix::Only(direction) => direction,
            Mix::ReadWrite => match self.pace.pending.take() {
                Some(pending) => pending,
                None if self.mix_rng.below(100) < self.read_percent => Direction::Read,
                None => Direction::Write,
            },
        };
        if !self.paced {
            return Ok(drawn);
        }
        self.due_direction(drawn, now)
    }

    /// As in fio: a direction ahead of its rate gives way to the other one.
    fn due_direction(&mut self, drawn: Direction, now: SimTime) -> Result<Direction, SimTime> {
        let due = self.due(drawn);
        if due <= now {
            return Ok(drawn);
        }
        let (mut first, mut first_due) = (drawn, due);
        if self.mix == Mix::ReadWrite {
            let (other, share) = match drawn {
                Direction::Read => (Direction::Write, 100 - self.read_percent),
                _ => (Direction::Read, self.read_percent),
            };
            let other_due = self.due(other);
            if share > 0 && other_due <= now {
                return Ok(other);
            }
            if share > 0 && other_due < due {
                (first, first_due) = (other, other_due);
            }
        }
        self.pace.pending = Some(first);
        Err(first_due)
    }

    /// When the next request of a direction is due: when all bytes before it would have
    /// taken their time at exactly the rate. A job that fell behind catches up.
    fn due(&self, direction: Direction) -> SimTime {
        let Some(rate) = self.pace.rate[direction as usize] else {
            return SimTime::ZERO;
        };
        let bytes = u128::from(self.pace.rate_bytes[direction as usize]);
        let ns = bytes * 1_000_000_000 / u128::from(rate);
        self.pace.rate_begin + Nanos(u64::try_from(ns).unwrap_or(u64::MAX / 4))
    }

    /// Offset and length of the next request; `None` at the end of the region, if that
    /// ends the job.
    #[inline(always)]
    fn place(&mut self, direction: Direction) -> Option<(u64, u64)> {
        let index = direction as usize;
        if self.random {
            let blocks = &mut self.blocks[self.blocks_of[index]];
            let block = match blocks.source.next_index() {
                Some(block) => block,
                None if self.wraps => blocks.source.next_index()?,
                // Sizes differ: the bytes, not the blocks, say when enough is done.
                None if !matches!(self.plan.spec.block_sizes[index], BlockSizes::Fixed(_))
                    || self.blocks.len() > 1 =>
                {
                    self.blocks[self.blocks_of[index]].source.next_index()?
                }
                None => return None,
            };
            let offset = block * self.blocks[self.blocks_of[index]].unit_bytes;
            let len = self.lengths[index].next_bytes(self.region_bytes - offset)?;
            return Some((self.region_start + offset, len));
        }
        let position = &mut self.positions[index];
        let len = match self.lengths[index].next_bytes(self.region_bytes - *position) {
            Some(len) => len,
            None if self.wraps => {
                *position = 0;
                self.lengths[index].next_bytes(self.region_bytes)?
            }
            None => return None,
        };
        let offset = self.region_start + *position;
        *position += len;
        Some((offset, len))
    }

    /// Tells a device of what comes after the request of a kind which is to be submitted, where
    /// offsets were drawn with its own.
    #[inline]
    pub fn tell_ahead(&mut self, kind: u8, device: &impl Device) {
        if !self.random || kind == SYNC {
            return;
        }
        let blocks = &mut self.blocks[self.blocks_of[usize::from(kind)]];
        let Some([near, far]) = blocks.source.take_fresh() else {
            return;
        };
        let offset = |block: u64| self.region_start + block * blocks.unit_bytes;
        far.for_each(|block| device.expect(offset(block)));
        if kind == Direction::Write as u8 {
            near.for_each(|block| device.expect_write(offset(block)));
        }
    }

    /// Notes a submitted request; `free` no longer holds its tag.
    #[inline]
    pub fn submitted(&mut self, kind: u8) {
        if kind != SYNC {
            let depth = self.outstanding();
            self.depths[(depth.ilog2() as usize).min(6)] += 1;
            self.wrote |= kind == Direction::Write as u8;
        }
    }

    #[inline(always)]
    pub fn completed(&mut self, tag: u32, slot: &Slot, at: SimTime) {
        self.free.push(tag);
        self.last_completion = at;
        if at > self.next_close {
            self.close(at, SimTime(at.0 - 1));
        }
        if at < self.record_from {
            return;
        }
        let latency = at.since(slot.issued);
        if slot.kind == SYNC {
            self.sync.record(latency.0);
            return;
        }
        let totals = &mut self.totals[usize::from(slot.kind)];
        totals.bytes += slot.len;
        totals.latency.record(latency.0);
        if self.logging {
            let request = LogRequest {
                at: Nanos::ZERO,
                latency,
                direction: slot.kind,
                block_bytes: slot.len,
                offset_bytes: slot.offset,
            };
            self.log.record(at, request);
        }
    }

    /// A request failed: it is counted as an error and in no other figure. As in fio, it
    /// ends the job unless `continue_on_error` says otherwise.
    #[cold]
    pub fn failed(&mut self, tag: u32, slot: &Slot, at: SimTime) {
        self.free.push(tag);
        self.last_completion = at;
        self.errors.total += 1;
        if self.errors.first == 0 {
            self.errors.first = EIO;
        }
        let read = slot.kind == Direction::Read as u8;
        if !self.plan.spec.continue_on_error[usize::from(!read)] {
            self.errors.fatal = EIO;
            self.exhausted = true;
            self.end_flushed = true;
        }
    }

    fn first_end(&self) -> SimTime {
        self.bw.end().min(self.iops.end()).min(self.log.end())
    }

    /// Closes the windows that end by `until`; `now` lies in those that follow.
    fn close(&mut self, now: SimTime, until: SimTime) {
        if self.bw.end() <= until {
            self.bw.close(self.bytes(), now);
        }
        if self.iops.end() <= until {
            self.iops.close(self.requests(), now);
        }
        if self.log.end() <= until {
            self.log.close(now);
        }
        self.next_close = self.first_end();
    }

    pub fn bytes(&self) -> [u64; 3] {
        std::array::from_fn(|i| self.totals[i].bytes)
    }

    pub fn requests(&self) -> [u64; 3] {
        std::array::from_fn(|i| self.totals[i].latency.count())
    }

    /// Whether a request of this kind must be on stable storage when it completes.
    #[inline]
    pub fn fua(&self, kind: u8) -> bool {
        self.plan.spec.sync && kind == Direction::Write as u8
    }

    /// The flush of `end_fsync`, once.
    pub fn end_flush(&mut self) -> Option<Next> {
        if !self.plan.spec.end_fsync || !self.wrote || self.end_flushed {
            return None;
        }
        self.end_flushed = true;
        Some(FLUSH)
    }

    pub fn finish(&mut self, now: SimTime) {
        self.finished_at = Some(now);
        self.close(now, now);
        if self.logging {
            self.log.finish(now);
        }
    }
}

const FLUSH: Next = Next::Submit {
    kind: SYNC,
    offset: 0,
    len: 0,
};

/// The request of a kind.
pub(super) fn op(kind: u8) -> Op {
    [Op::Read, Op::Write, Op::Trim, Op::Flush][usize::from(kind)]
}

fn pace(plan: &Plan<'_>) -> Pace {
    let spec = plan.spec;
    let rate = Direction::ALL.map(|d| {
        spec.rate[d as usize].map(|rate| match rate {
            Rate::Bytes(bytes) => bytes,
            Rate::Requests(requests) => requests.saturating_mul(spec.block_sizes[d as usize].min()),
        })
    });
    Pace {
        rate: Direction::ALL.map(|d| rate[d as usize].filter(|_| spec.rw.uses(d))),
        thinktime: spec.thinktime,
        think_blocks: spec.thinktime_blocks,
        fsync_every: spec.fsync_every,
        fdatasync_every: spec.fdatasync_every,
        ..Pace::default()
    }
}

fn blocks(plan: &Plan<'_>, stream: impl Fn(&str) -> Rng) -> (Vec<Blocks>, [usize; 3]) {
    let spec = plan.spec;
    let mut of = [0; 3];
    if !spec.rw.random {
        return (Vec::new(), of);
    }
    let map = !spec.norandommap && spec.block_align_bytes.is_none();
    let shape = |d: Direction| {
        let min = spec.block_sizes[d as usize].min();
        (
            min,
            spec.block_align_bytes
                .map_or(min, |align| align[d as usize]),
        )
    };
    let mut made: Vec<Blocks> = Vec::new();
    let mut shapes = Vec::new();
    for direction in Direction::ALL.into_iter().filter(|d| spec.rw.uses(*d)) {
        let (min, unit_bytes) = shape(direction);
        if let Some(same) = shapes.iter().position(|s| *s == (min, unit_bytes)) {
            of[direction as usize] = same;
            continue;
        }
        of[direction as usize] = made.len();
        shapes.push((min, unit_bytes));
        // As in fio's `last_block`: the last block that leaves room for the smallest length.
        let len = (plan.region_bytes - (min - unit_bytes)) / unit_bytes;
        let rng = stream(&format!("offset/{}", direction.name()));
        let source = RandomBlocks::new(len, map, spec.generator, spec.distribution, rng);
        let source = Ahead::new(source);
        made.push(Blocks { source, unit_bytes });
    }
    (made, of)
}
