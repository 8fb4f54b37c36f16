//! Random loads on random drives whose power is cut at random events, compared with a plain model
//! of the possible contents of each page after a cut.
//!
//! A page may hold the data of the last request before a flush, or of a later request, acknowledged
//! or not. But each request is there as a whole or not at all (of a write longer than the buffer:
//! each atomic group), and if a request is there, so are all earlier ones of the same page. A read
//! may fail only if the page itself and another of its stripe have failed, or if no block was left
//! for a program ([`super::losses`]); lost data never returns as older data. On every fourth drive,
//! outstanding requests may overlap; they take effect in the order of their completion. With
//! capacitors nothing acknowledged may be missing, and after a shutdown nothing at all.

use stend_base::{Completion, Device, Nanos, Op, Request, Rng, SimTime, Status};
use stend_drive::SimDrive;
use stend_drive::sim::Fault;

use super::draw::{draw_for_cuts, draw_for_fault};
use super::drawn::{Account, Seen};
use super::losses::{Losses, Media};
use super::{PAGE, alone, leave_out_sectors, overlap, request, rest};

/// Number of lives of each drive.
pub const LIVES: u32 = 12;

/// Events within which a request ends, on drives of a few thousand pages: far more than needed.
const EVENTS_MAX: u64 = 20_000_000;

/// Counters of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tried {
    pub operations: u64,
    pub cuts: u64,
    /// Cuts before the drive had finished its start.
    pub cuts_in_start: u64,
    pub shutdowns: u64,
    /// Pages that differ from their content before the cut, as far as that was allowed.
    pub pages_undone: u64,
    pub trims: u64,
    pub flushes: u64,
    /// Writes with FUA.
    pub forced: u64,
    /// Drives whose requests may overlap.
    pub overlapping: u64,
    /// Rests at whose end the drive slept.
    pub slept: u64,
    /// Days in which data aged without power.
    pub days_off: u64,
    pub die_failures: u64,
    /// Reads that ended with an error, as far as that was allowed.
    pub failed_reads: u64,
    pub rebuilt_pages: u64,
    /// Drives that were worn out; writes and TRIMs that they have refused.
    pub worn_out: u64,
    pub refused: u64,
    /// Programs that failed, and blocks that have gone bad.
    pub program_failures: u64,
    pub grown_bad: u64,
    /// Pages that were lost; drives that lost some because no block was left for a program.
    pub lost_pages: u64,
    pub lost_programs: u64,
}

impl Tried {
    pub fn add(&mut self, other: Tried) {
        self.operations += other.operations;
        self.cuts += other.cuts;
        self.cuts_in_start += other.cuts_in_start;
        self.shutdowns += other.shutdowns;
        self.pages_undone += other.pages_undone;
        self.trims += other.trims;
        self.flushes += other.flushes;
        self.forced += other.forced;
        self.overlapping += other.overlapping;
        self.slept += other.slept;
        self.days_off += other.days_off;
        self.die_failures += other.die_failures;
        self.failed_reads += other.failed_reads;
        self.rebuilt_pages += other.rebuilt_pages;
        self.worn_out += other.worn_out;
        self.refused += other.refused;
        self.program_failures += other.program_failures;
        self.grown_bad += other.grown_bad;
        self.lost_pages += other.lost_pages;
        self.lost_programs += other.lost_programs;
    }
}

#[derive(Clone, Copy)]
struct Sent {
    request: Request,
    /// Requests acknowledged when it was sent.
    after: u64,
    /// Its number among the acknowledged requests, from 1.
    acknowledged: Option<u64>,
}

/// Effect of one request on a page.
#[derive(Clone, Copy)]
struct Step {
    sent: usize,
    value: Option<u32>,
}

#[derive(Clone)]
pub struct Survival {
    pub drive: SimDrive,
    rng: Rng,
    /// Content that each page certainly held at some time, and possible changes since.
    settled: Vec<Option<u32>>,
    since: Vec<Vec<Step>>,
    /// Possible contents of a page whose data was lost, since the loss itself may be undone.
    before_loss: Vec<Vec<Option<u32>>>,
    touched: Vec<u32>,
    /// All requests since the last start; the indices of those not completed.
    sent: Vec<Sent>,
    outstanding: Vec<usize>,
    acknowledged: u64,
    next_tag: u32,
    depth: usize,
    group_pages: u32,
    capacitors: bool,
    trim_works: bool,
    /// True if trimmed pages read as unwritten at once.
    deterministic: bool,
    /// True if requests under way at the same time may touch the same pages.
    overlapping: bool,
    media: Media,
    losses: Losses,
    /// After some cuts a copy of the drive loses a die and is read; without this generator, after
    /// all cuts.
    probes: Option<Rng>,
    /// On drives that coalesce: a generator that decides if the next write begins at the last page
    /// of the last one; and that page.
    again: Option<(Rng, u64)>,
    pub tried: Tried,
}

impl Survival {
    pub fn new(seed: u64, fault: Option<Fault>) -> Survival {
        let mut rng = Rng::stream(seed, "power cuts");
        let (spec, overlapping) = match fault {
            None => draw_for_cuts(seed, &mut rng),
            Some(fault) => draw_for_fault(fault, seed, &mut rng),
        };
        let mut drive = SimDrive::new(&spec);
        drive.keep_content(true);
        drive.service().losses().keep();
        if let Some(fault) = fault {
            drive.service().inject(fault);
        }
        let next_tag = over_provision(&mut drive, &mut Rng::stream(seed, "of the user"));
        let pages = (drive.capacity_bytes() / PAGE) as usize;
        Survival {
            depth: 1 + rng.below(40) as usize,
            rng,
            settled: vec![None; pages],
            since: vec![Vec::new(); pages],
            before_loss: vec![Vec::new(); pages],
            touched: Vec::new(),
            sent: Vec::new(),
            outstanding: Vec::new(),
            acknowledged: 0,
            next_tag,
            group_pages: drive.inspect().atomic_write_pages().expect("it has a log"),
            capacitors: spec
                .power_loss
                .as_ref()
                .is_some_and(|p| p.hold_up.is_some()),
            trim_works: spec.trim.enabled,
            deterministic: spec.trim.work.as_ref().is_none_or(|w| w.deterministic),
            overlapping,
            media: Media::new(seed, &spec),
            // Data lost before the capacity was reduced counts too.
            losses: Losses::new(&spec, (spec.user_bytes / PAGE) as usize),
            probes: fault.is_none().then(|| Rng::stream(seed, "probes")),
            again: spec
                .buffer
                .coalesces
                .then(|| (Rng::stream(seed, "again"), 0)),
            tried: Tried {
                overlapping: u64::from(overlapping),
                ..Tried::default()
            },
            drive,
        }
    }

    /// Sends requests and advances the drive by about `events` events, then cuts the power or shuts
    /// the drive down, and checks the remaining data.
    ///
    /// # Panics
    /// If the drive has lost data that it must keep, or makes no progress.
    pub fn live_once(&mut self, events: u64) {
        self.age();
        let mut left = events;
        while left > 0 {
            self.send();
            if self.rng.ratio(1, 300) && self.outstanding.is_empty() {
                let time = Nanos::from_millis(self.rng.below(100));
                self.rest(time);
            }
            let most = if self.outstanding.len() < self.depth {
                1 + self.rng.below(4)
            } else {
                left
            };
            left -= self.advance(most.min(left)).min(left);
        }
        if self.media.ages && self.media.rng.ratio(1, 2) {
            self.rest_long();
        }
        if self.rng.ratio(1, 12) {
            self.shut_down();
        } else {
            self.cut();
        }
        self.age();
        self.lie_without_power();
        let off = self.drive.now() + Nanos::from_micros(self.rng.below(50));
        assert!(self.drive.advance(off).is_none());
        self.start();
    }

    /// Rests so long that old data is found and refreshed.
    fn rest_long(&mut self) {
        self.end_all();
        self.rest(Nanos::from_millis(400));
    }

    fn rest(&mut self, time: Nanos) {
        let limit = self.drive.now() + time;
        assert!(self.drive.advance(limit).is_none());
        self.losses.look(&mut self.drive);
        self.tried.slept += u64::from(self.drive.inspect().idle_state().is_some());
    }

    /// Ages the data without power, on drives where it ages.
    fn lie_without_power(&mut self) {
        if self.media.ages && self.media.rng.ratio(1, 2) {
            let days = 1 + self.media.rng.below(700);
            self.drive
                .service()
                .rest_without_power(Nanos::from_secs(days * 86_400));
            self.tried.days_off += days;
        }
    }

    /// Sometimes fails a die.
    fn age(&mut self) {
        let media = &mut self.media;
        if media.dies == 0 || !media.rng.ratio(1, 6) {
            return;
        }
        if media.spare_dies == 0 && !media.rng.ratio(1, 4) {
            return;
        }
        self.fail_a_die();
    }

    /// Fails a random die, possibly one that has failed before.
    fn fail_a_die(&mut self) {
        let media = &mut self.media;
        let die = media.rng.below(u64::from(media.dies)) as u32;
        self.drive.service().fail_die(die);
        self.losses.die_fails(die);
        self.tried.die_failures += 1;
        media.spare_dies = media.spare_dies.saturating_sub(1);
    }

    /// Reads every page of a drive whose flash has errors.
    fn read_all(&mut self) {
        if self.media.dies == 0 {
            return;
        }
        if self.media.spare_dies > 0 {
            self.fail_a_die();
        }
        for page in 0..self.settled.len() as u64 {
            let tag = self.next_tag;
            self.next_tag += 1;
            let before = self.drive.inspect().pages_of(page as u32);
            let hits = self.drive.counters().read_ahead_hits;
            self.drive.submit(request(tag, Op::Read, page, 1));
            let (_, read) = self.drive.advance_events(EVENTS_MAX);
            let read = read.unwrap_or_else(|| {
                panic!("a read does not end: {}", self.drive.inspect().diagnosis())
            });
            self.losses.look(&mut self.drive);
            let failed = read.status == Status::MediaError;
            assert!(failed || !self.is_lost(page as u32), "page {page}");
            let may_fail = self.losses.may_fail(page as usize..page as usize + 1);
            assert!(!failed || may_fail, "page {page} cannot be read");
            let from_flash = hits == self.drive.counters().read_ahead_hits;
            if let Some(pages) = before.filter(|_| !failed && from_flash) {
                let holds = self.drive.inspect().pages_of(page as u32) != Some(pages.clone())
                    || !self.losses.must_fail(&pages);
                assert!(holds, "page {page} was read from nowhere: {pages:?}");
            }
            self.tried.failed_reads += u64::from(failed);
        }
    }

    /// True if the data of a page is lost, which must be allowed.
    fn is_lost(&self, page: u32) -> bool {
        self.losses.is_lost(&self.drive, page)
    }

    /// Checks the data of a copy of the drive that has just been cut when one more die fails.
    fn probe(&self) {
        let mut probe = self.clone();
        probe.drive.power_up();
        probe.read_all();
    }

    /// Advances by at most `events` events. Returns their number.
    fn advance(&mut self, events: u64) -> u64 {
        let (done, completion) = self.drive.advance_events(events);
        self.losses.look(&mut self.drive);
        if let Some(completion) = completion {
            self.completed(completion);
        } else if done < events && !self.outstanding.is_empty() {
            panic!(
                "the drive stands still: {}",
                self.drive.inspect().diagnosis()
            );
        } else if done < events {
            return events;
        }
        done
    }

    /// Advances until all requests have ended; none may take too long.
    fn end_all(&mut self) {
        while !self.outstanding.is_empty() {
            let before = self.outstanding.len();
            self.advance(EVENTS_MAX);
            let ends = self.outstanding.len() < before;
            assert!(
                ends,
                "the drive works without end: {}",
                self.drive.inspect().diagnosis()
            );
        }
    }

    fn completed(&mut self, completion: Completion) {
        let tag = completion.tag;
        let sent = &self.sent;
        let found = self
            .outstanding
            .iter()
            .position(|&s| sent[s].request.tag == tag);
        let index = self.outstanding.swap_remove(found.expect("a known tag"));
        self.acknowledged += 1;
        self.sent[index].acknowledged = Some(self.acknowledged);
        let Sent { request, after, .. } = self.sent[index];
        match completion.status {
            Status::Ok => {}
            Status::MediaError if request.op == Op::Read => {
                let begin = (request.offset_bytes / PAGE) as usize;
                let end = (request.offset_bytes + request.len_bytes).div_ceil(PAGE) as usize;
                assert!(self.losses.may_fail(begin..end), "{request:?} failed");
                self.tried.failed_reads += 1;
            }
            Status::WriteProtected if self.drive.inspect().is_read_only() => {
                // A part of it may have been written, or nothing, as if it were still under way.
                assert!(matches!(request.op, Op::Write | Op::Trim), "{request:?}");
                self.acknowledged -= 1;
                self.sent[index].acknowledged = None;
                self.tried.refused += 1;
                return;
            }
            status => panic!("{request:?} ended with {status:?}"),
        }
        if let (Op::Write, Some((_, last))) = (request.op, &mut self.again) {
            *last = (request.offset_bytes + request.len_bytes - 1) / PAGE;
        }
        if request.op == Op::Flush {
            self.settle(after);
        }
        let durable =
            request.op == Op::Write && (request.fua || !self.drive.spec().host.write_cache);
        for page in self.changed(&request) {
            self.completed_in(page, index);
            if durable {
                self.settle_in(page, index);
            }
        }
    }

    /// Notes that a request is the last so far that has taken effect in a page. Requests not yet
    /// completed come after it, in an unknown order.
    fn completed_in(&mut self, page: u32, index: usize) {
        let steps = &mut self.since[page as usize];
        let own = steps.iter().position(|s| s.sent == index);
        let step = steps.remove(own.expect("no flush can have settled it"));
        let sent = &self.sent;
        let under_way = |s: &Step| sent[s.sent].acknowledged.is_none();
        let place = steps.iter().position(under_way).unwrap_or(steps.len());
        steps.insert(place, step);
        if self.sent[index].request.op == Op::Trim && !self.deterministic {
            return;
        }
        if self.is_lost(page) {
            return;
        }
        let steps = &self.since[page as usize];
        let content = self.drive.content(page);
        assert!(
            steps[place..].iter().any(|s| s.value == content),
            "page {page} holds {content:?} after {:?}",
            self.sent[index].request
        );
    }

    /// Marks the data of a request in a page as certain from now on.
    fn settle_in(&mut self, page: u32, index: usize) {
        let steps = &mut self.since[page as usize];
        let own = steps.iter().position(|s| s.sent == index);
        let own = own.expect("it has just been completed");
        self.settled[page as usize] = steps[own].value;
        self.before_loss[page as usize].clear();
        steps.drain(..=own);
        if steps.is_empty() {
            self.losses.has_settled(&self.drive, page);
        }
    }

    /// Pages whose content a request changes.
    fn changed(&self, request: &Request) -> std::ops::Range<u32> {
        let begin = request.offset_bytes;
        let end = begin + request.len_bytes;
        let (first, end) = match request.op {
            Op::Write => (begin / PAGE, end.div_ceil(PAGE)),
            Op::Trim if self.trim_works => (begin.div_ceil(PAGE), end / PAGE),
            Op::Trim | Op::Read | Op::Flush => (0, 0),
        };
        first as u32..end.max(first) as u32
    }

    /// Marks requests acknowledged before the `after`th as certain from now on.
    fn settle(&mut self, after: u64) {
        let sent = &self.sent;
        for &page in &self.touched {
            let steps = &mut self.since[page as usize];
            let certain = steps
                .iter()
                .rposition(|s| sent[s.sent].acknowledged.is_some_and(|a| a <= after));
            if let Some(certain) = certain {
                self.settled[page as usize] = steps[certain].value;
                self.before_loss[page as usize].clear();
                steps.drain(..=certain);
                if steps.is_empty() {
                    self.losses.has_settled(&self.drive, page);
                }
            }
        }
        self.touched.retain(|&u| !self.since[u as usize].is_empty());
    }

    fn send(&mut self) {
        if self.outstanding.len() >= self.depth {
            return;
        }
        let rng = &mut self.rng;
        let all = self.settled.len() as u64;
        let longest = if rng.ratio(1, 20) { all } else { all.min(40) };
        let mut pages = 1 + rng.below(longest);
        let mut first = rng.below(all - pages + 1);
        let op = match rng.below(40) {
            0..28 => Op::Write,
            28..35 => Op::Read,
            35..38 => Op::Trim,
            _ => Op::Flush,
        };
        if let (Op::Write, Some((rng, last))) = (op, &mut self.again)
            && rng.ratio(1, 2)
        {
            first = *last;
            pages = 1 + rng.below(6).min(all - first - 1);
        }
        let rng = &mut self.rng;
        let pages = match op {
            Op::Flush => 0,
            Op::Trim => pages,
            Op::Read | Op::Write => pages.min(100),
        };
        let mut new = request(self.next_tag, op, first, pages);
        if pages > 0 && rng.ratio(1, 3) {
            leave_out_sectors(&mut new, rng);
        }
        if !self.overlapping {
            new.queue = rng.below(20) as u16;
            new.fua = op == Op::Write && rng.ratio(1, 12);
        }
        let mut outstanding = self.outstanding.iter();
        let overlaps = outstanding.any(|&s| overlap(&self.sent[s].request, &new));
        if overlaps && !self.overlapping {
            return;
        }
        self.next_tag += 1;
        self.tried.operations += 1;
        self.tried.trims += u64::from(op == Op::Trim);
        self.tried.flushes += u64::from(op == Op::Flush);
        self.tried.forced += u64::from(new.fua);
        let index = self.sent.len();
        for page in self.changed(&new) {
            if self.since[page as usize].is_empty() {
                self.touched.push(page);
            }
            self.since[page as usize].push(Step {
                sent: index,
                value: (op == Op::Write).then_some(new.tag),
            });
        }
        self.sent.push(Sent {
            request: new,
            after: self.acknowledged,
            acknowledged: None,
        });
        self.outstanding.push(index);
        self.drive.submit(new);
    }

    fn cut(&mut self) {
        self.drive.power_cut();
        self.tried.cuts += 1;
        if self.capacitors {
            self.settle(u64::MAX);
        }
        self.check();
        let probes = self.probes.as_mut().is_none_or(|rng| rng.ratio(1, 12));
        if self.media.spare_dies > 0 && probes {
            self.probe();
        }
    }

    fn shut_down(&mut self) {
        self.end_all();
        self.drive.service().shutdown();
        self.losses.look(&mut self.drive);
        self.tried.shutdowns += 1;
        self.settle(u64::MAX);
        self.check();
    }

    /// Powers up, sometimes with a cut during the start, sometimes with early requests.
    fn start(&mut self) {
        self.drive.power_up();
        while self.rng.ratio(1, 4) {
            let events = self.rng.below(40);
            self.send();
            for _ in 0..events {
                self.advance(1);
            }
            self.drive.power_cut();
            self.tried.cuts += 1;
            self.tried.cuts_in_start += 1;
            if self.capacitors {
                self.settle(u64::MAX);
            }
            self.check();
            self.drive.power_up();
        }
    }

    /// Compares every page with its possible contents, and continues with its actual content.
    fn check(&mut self) {
        let mut held: Vec<Option<u32>> = (0..self.settled.len() as u32)
            .map(|page| self.drive.content(page))
            .collect();
        for (page, held) in held.iter_mut().enumerate() {
            if self.is_lost(page as u32) {
                self.lost_at_cut(page);
                *held = self.settled[page];
                continue;
            }
            self.losses.has_settled(&self.drive, page as u32);
            let content = *held;
            let known = content == self.settled[page]
                || self.before_loss[page].contains(&content)
                || self.since[page].iter().any(|s| s.value == content);
            assert!(
                known,
                "page {page} holds {content:?}, which is older than {:?} or another's",
                self.settled[page]
            );
            let last = self.since[page]
                .last()
                .map_or(self.settled[page], |s| s.value);
            self.tried.pages_undone += u64::from(content != last);
        }
        for index in 0..self.sent.len() {
            self.check_whole(index, &held);
        }
        assert_eq!(self.drive.counters().paired_pages_lost, 0);
        self.losses.look(&mut self.drive);
        for page in self.touched.drain(..) {
            self.since[page as usize].clear();
        }
        self.settled = held;
        self.sent.clear();
        self.outstanding.clear();
        self.acknowledged = 0;
    }

    /// Notes that the content of a lost page is unknown: any of its possible contents.
    fn lost_at_cut(&mut self, page: usize) {
        let values = self.since[page].iter().map(|s| s.value);
        let before = &mut self.before_loss[page];
        before.push(self.settled[page]);
        before.extend(values);
        before.sort_unstable();
        before.dedup();
    }

    /// Checks that a request, or an atomic group of it, is there in all its pages or in none.
    fn check_whole(&self, index: usize, held: &[Option<u32>]) {
        let request = self.sent[index].request;
        let pages = self.changed(&request);
        let group_pages = match request.op {
            Op::Write => self.group_pages as usize,
            _ => usize::MAX,
        };
        for begin in pages.clone().step_by(group_pages) {
            let end = pages
                .end
                .min(begin.saturating_add(u32::try_from(group_pages).unwrap_or(u32::MAX)));
            let (mut may_be, mut may_miss) = (true, true);
            for page in begin..end {
                if self.is_lost(page) {
                    continue;
                }
                let steps = &self.since[page as usize];
                let content = held[page as usize];
                // A step that a flush has made certain is there.
                let Some(own) = steps.iter().position(|s| s.sent == index) else {
                    may_miss = false;
                    continue;
                };
                let before = steps[..own].iter().any(|s| s.value == content);
                let after = steps[own..].iter().any(|s| s.value == content);
                // Under way together with another one: either may have come first.
                let under_way = |s: &Step| self.sent[s.sent].acknowledged.is_none();
                let either = under_way(&steps[own])
                    && steps
                        .iter()
                        .any(|s| s.sent != index && under_way(s) && s.value == content);
                may_be &= after || either;
                may_miss &= before
                    || either
                    || self.before_loss[page as usize].contains(&content)
                    || content == self.settled[page as usize];
            }
            assert!(
                may_be || may_miss,
                "torn: {request:?}, pages {begin}..{end}"
            );
        }
    }
}

/// Limits some drives to less than their capacity, new or after use. Returns the first free tag.
fn over_provision(drive: &mut SimDrive, rng: &mut Rng) -> u32 {
    if !rng.ratio(1, 8) {
        return 0;
    }
    let pages = drive.capacity_bytes() / PAGE;
    let mut tag = 0;
    let spec = drive.spec();
    let lasts = spec.health.is_none() && spec.blocks.is_none();
    if spec.trim.enabled && lasts && rng.ratio(2, 3) {
        for _ in 0..rng.below(200) {
            alone(drive, request(tag, Op::Write, rng.below(pages), 1));
            tag += 1;
        }
        alone(drive, request(tag, Op::Trim, 0, pages));
        tag += 1;
        // This may take long: up to a second for every thousand pages.
        rest(drive, Nanos::from_secs(600));
    }
    let fewer = pages - rng.below(pages / 2);
    let set = drive.service().set_user_bytes(fewer * PAGE);
    set.expect("the drive is empty and at rest");
    tag
}

/// Tests one drive with several lives.
pub fn survive(seed: u64, lives: u32, fault: Option<Fault>) -> (Tried, Account) {
    let mut survival = Survival::new(seed, fault);
    // Data that overwrites pages of an open multi-plane page can be torn only for a moment: short
    // lives, one request at a time, find it more often.
    let (lives, longest) = match fault {
        Some(Fault::CoalesceTorn) => {
            survival.depth = 1;
            (8 * lives, 9)
        }
        _ => (lives, 14),
    };
    for _ in 0..lives {
        let bits = 1 + survival.rng.below(longest);
        let events = survival.rng.below(1 << bits);
        survival.live_once(events);
    }
    // Every request still ends.
    survival.end_all();
    assert!(survival.drive.now() < SimTime::NEVER);
    survival.read_all();
    survival.tried.rebuilt_pages = survival.drive.counters().rebuilt_pages;
    survival.tried.worn_out = u64::from(survival.drive.inspect().is_read_only());
    let counters = survival.drive.counters();
    survival.tried.program_failures = counters.program_failures;
    let blocks = survival.drive.health().blocks;
    survival.tried.grown_bad = blocks.map_or(0, |blocks| u64::from(blocks.grown_bad));
    survival.tried.lost_pages = survival.losses.pages;
    survival.tried.lost_programs = u64::from(survival.losses.without_block > 0);
    let account = Account::of(&Seen::new(&survival.drive, survival.tried));
    (survival.tried, account)
}
