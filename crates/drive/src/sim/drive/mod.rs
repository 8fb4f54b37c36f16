//! The wiring of the components: the handler of each event, its consequences, and their order.
//!
//! # Event order
//! Events are ordered by time; at one instant by kind, in the order of the table in [`kind`];
//! within a kind by index (the lower die first). Arrivals keep the order of submission,
//! completions the order in which commands ended. All of it is integers, so that the same model
//! and requests give the same bytes on any machine.

mod events;
mod health;
mod inspection;
mod power;
mod service;

use stend_base::{Completion, Device, EventQueue, Lane, Op, Request, SimTime};
use stend_model::spec::{PAGE_BYTES, Spec};

pub use inspection::Inspection;
pub use service::{Service, UserBytesError};

use crate::sim::counters::Counters;
use crate::sim::due::Due;
use crate::sim::env::Env;
use crate::sim::failures::Failures;
use crate::sim::frontend::Frontend;
use crate::sim::geometry::layout::Layout;
use crate::sim::idle::Idle;
use crate::sim::ids::{Lpn, Ppn};
use crate::sim::kind;
pub use crate::sim::l2p::table::EARLIER_TAG;
use crate::sim::l2p::table::{prefetch_expected_write, prefetch_submitted};
use crate::sim::power::Power;
use crate::sim::reclaim::{self, Reclaim};
use crate::sim::repeat::Repeated;
use crate::sim::store::Store;
use crate::sim::trim::Trim;
use crate::sim::writes::Writes;

/// Entries of the L2P in a cache line of 64 bytes.
const ENTRIES_PER_LINE: u32 = 16;

/// Result of a read of a logical page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogicalPage {
    /// Nothing: it was never written, or was trimmed since.
    Unwritten,
    /// Data.
    Written,
    /// Data that was lost: the read ends with an error.
    Lost,
}

/// A simulated solid-state drive.
///
/// It is plain data: a clone is a copy of the drive in its present state, and continues
/// independently.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct SimDrive {
    env: Env,
    /// Capacity of the drive when it was created.
    native_bytes: u64,
    front: Frontend,
    store: Store,
    writes: Writes,
    reclaim: Reclaim,
    trim: Trim,
    idle: Idle,
    power: Power,
    repeated: Repeated,
    due: Due,
    #[serde(skip)]
    failures: Failures,
}

impl SimDrive {
    /// A new drive, all blocks erased, nothing mapped.
    ///
    /// # Panics
    /// If the figures contradict each other; [`stend_model`] checks them first and reports the
    /// fault.
    pub fn new(spec: &Spec) -> SimDrive {
        if let (Some(_), Some(other)) = (
            &spec.power_loss,
            stend_model::spec::power_loss_excludes(spec),
        ) {
            panic!("power_loss does not go with {other}");
        }
        let layout = Layout::new(spec);
        let store = Store::new(spec, &layout);
        let mut drive = SimDrive {
            env: Env::new(spec.clone(), layout, EventQueue::new(&kind::sources(spec))),
            native_bytes: spec.user_bytes,
            front: Frontend::new(spec, &store),
            store,
            writes: Writes::default(),
            reclaim: Reclaim::new(spec),
            trim: Trim::default(),
            idle: Idle::default(),
            power: Power::default(),
            repeated: Repeated::default(),
            due: Due::default(),
            failures: Failures::default(),
        };
        drive.host_fell_silent();
        drive
    }

    /// The figures of the simulation.
    pub fn spec(&self) -> &Spec {
        &self.env.spec
    }

    /// Capacity of the drive when it was created.
    pub fn native_bytes(&self) -> u64 {
        self.native_bytes
    }

    /// Shares the large tables with copies made from now on, until one of them changes the tables:
    /// a copy then occupies memory only for its changes.
    pub fn share(&mut self) {
        self.store.ftl.l2p.share();
    }

    /// State of the drive that its host does not see.
    pub fn inspect(&self) -> Inspection<'_> {
        Inspection(self)
    }

    /// Operations of a service tool, and of a laboratory.
    pub fn service(&mut self) -> Service<'_> {
        Service(self)
    }

    /// Counters of the drive so far.
    pub fn counters(&self) -> Counters {
        let events = Counters {
            events: self.env.queue.taken(),
            ..Counters::default()
        };
        let Reclaim { gc, folder } = &self.reclaim;
        let work = [gc.counted, folder.counted, self.trim.counted];
        let data = [self.front.counters(), self.store.counters()];
        let all = [events, self.writes.counted].into_iter().chain(data);
        all.chain(work).sum()
    }

    /// Hash of everything that arrived or ended so far, in order, with its instant: equal for equal
    /// histories. Events that only pass work on are not included.
    pub fn trace_hash(&self) -> u64 {
        self.env.trace_hash()
    }

    /// Starts or stops keeping the tag of the data in every physical page, which
    /// [`SimDrive::content`] returns. Costs 4 bytes a page. Data that a drive holds when this is
    /// called has the tag [`crate::sim::EARLIER_TAG`].
    pub fn keep_content(&mut self, keep: bool) {
        let is_new = self.env.now() == SimTime::ZERO;
        self.store.ftl.l2p.keep_tags(keep.then_some(is_new));
        if !keep {
            self.front.host.commands.forget_tags();
        }
    }

    /// The tag of the request whose data a read of logical page `lpn` would return at this instant;
    /// `None` if nothing is mapped. Needs [`SimDrive::keep_content`].
    ///
    /// # Panics
    /// If the drive's tables contradict each other: tests look for this.
    pub fn content(&self, lpn: impl Into<Lpn>) -> Option<u32> {
        self.store.ftl.l2p.content(lpn.into())
    }

    /// Result that a read of logical page `lpn` would have.
    pub fn logical_page(&self, lpn: impl Into<Lpn>) -> LogicalPage {
        match self.store.ftl.l2p.lookup(lpn.into()) {
            Ppn::UNMAPPED => LogicalPage::Unwritten,
            Ppn::LOST => LogicalPage::Lost,
            _ => LogicalPage::Written,
        }
    }

    /// Handles at most `events` events, and stops at a completion. Returns the number of handled
    /// events and the completion. Fewer than `events` without a completion means that no events are
    /// left.
    pub fn advance_events(&mut self, events: u64) -> (u64, Option<Completion>) {
        for done in 0..events {
            if self.env.queue.next_at() == SimTime::NEVER {
                return (done, None);
            }
            if let Some(completion) = self.step() {
                return (done + 1, Some(completion));
            }
        }
        (events, None)
    }
}

impl Device for SimDrive {
    fn capacity_bytes(&self) -> u64 {
        self.env.spec.user_bytes
    }

    fn now(&self) -> SimTime {
        self.env.queue.now()
    }

    fn next_event_at(&self) -> SimTime {
        self.env.queue.next_at()
    }

    /// An instant one sixteenth before the end of the event queue, which leaves time for the work
    /// that follows requests.
    fn end_of_time(&self) -> SimTime {
        let end = self.env.queue.end().0;
        SimTime(end - end / 16)
    }

    /// Bytes of all pages that were placed: written by the host or moved.
    fn flash_written_bytes(&self) -> Option<u64> {
        Some(self.counters().pages_placed() * PAGE_BYTES)
    }

    fn steady_bytes(&self) -> Option<u64> {
        match self.trim.is_busy() {
            true => None,
            false => reclaim::bytes_until_gc(&self.env, &self.store),
        }
    }

    fn submit(&mut self, request: Request) {
        assert!(
            request.len_bytes > 0 || request.op == Op::Flush,
            "the request {request:?} has no length"
        );
        assert!(
            request.offset_bytes.is_multiple_of(512)
                && request.len_bytes.is_multiple_of(512)
                && request.offset_bytes + request.len_bytes <= self.env.spec.user_bytes,
            "the request {request:?} lies outside the drive or is not aligned to 512 bytes"
        );
        assert!(self.has_power(), "a request to a drive without power");
        let first = Lpn::of_byte(request.offset_bytes);
        // It will be looked up when the command has passed the link and the firmware.
        let ftl = &self.store.ftl;
        prefetch_submitted(&ftl.l2p, first);
        if request.len_bytes > PAGE_BYTES {
            // The entries of 128 KiB lie in three cache lines.
            ftl.l2p.prefetch(first + ENTRIES_PER_LINE);
            ftl.l2p.prefetch(first + 2 * ENTRIES_PER_LINE);
        }
        ftl.sorting.prefetch(first);
        self.front.host.submit(&mut self.env, request);
    }

    #[inline]
    fn expect(&self, offset_bytes: u64) {
        self.store.ftl.l2p.prefetch(Lpn::of_byte(offset_bytes));
    }

    #[inline]
    fn expect_write(&self, offset_bytes: u64) {
        prefetch_expected_write(&self.store.ftl.l2p, Lpn::of_byte(offset_bytes));
    }

    fn advance(&mut self, limit: SimTime) -> Option<Completion> {
        let last = self.env.queue.limit(limit);
        while let Some(event) = self.env.queue.pop_by(last) {
            if event.lane == Lane::Completion || event.lane == Lane::Timer {
                if let Some(completion) = self.host_or_timer(event, limit) {
                    return Some(completion);
                }
            } else {
                self.step_within(event);
            }
        }
        if limit < SimTime::NEVER {
            self.env.queue.set_now(limit);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use stend_base::{Nanos, Rng};

    use super::*;
    use crate::sim::geometry::layout::Pool;
    use stend_model::Model;
    use stend_model::spec::{Policy, StreamsSpec};

    /// A drive after a load of which nine of ten writes go to the first tenth of the data.
    fn skewed(host_streams: u32, gc_streams: u32) -> SimDrive {
        let model = Model::shipped("samsung-850-pro-256gb").expect("it is shipped");
        let mut spec = model.spec();
        (spec.data.rows, spec.data.superblocks) = (8, 200);
        spec.gc.policy = Policy::CostBenefit;
        spec.user_bytes = 150 * 8 * u64::from(spec.dies * spec.pages_per_mp_page) * PAGE_BYTES;
        spec.streams = Some(StreamsSpec {
            host_streams,
            gc_streams,
            heat_group_pages: 1,
            heat_window_percent: 400,
            classify: Nanos::ZERO,
        });
        let mut drive = SimDrive::new(&spec);
        let pages = spec.user_bytes / PAGE_BYTES;
        let mut rng = Rng::stream(1, "skew");
        for n in 0..7 * pages {
            let offset = match rng.ratio(9, 10) {
                _ if n < pages => n,
                true => rng.below(pages / 10),
                false => pages / 10 + rng.below(pages - pages / 10),
            };
            drive.submit(Request {
                tag: 0,
                op: Op::Write,
                offset_bytes: offset * PAGE_BYTES,
                len_bytes: PAGE_BYTES,
                ..Request::default()
            });
            if n % 32 == 31 {
                while drive
                    .advance(SimTime::NEVER)
                    .is_some_and(|_| !drive.front.host.is_silent())
                {}
            }
        }
        drive
    }

    /// Share of pairs, among all pairs of valid pages in a full superblock of this generation, in
    /// which both pages are hot or both are cold; and the number of such superblocks.
    fn purity(drive: &SimDrive, generation: u8) -> (f64, u32) {
        let data_area = drive.env.layout.pool(Pool::Data);
        let pages = drive.store.ftl.l2p.logical_pages();
        let mut hot_and_all = vec![(0u64, 0u64); data_area.superblocks as usize];
        for lpn in 0..pages {
            let mp_page = drive
                .store
                .ftl
                .l2p
                .lookup(Lpn(lpn))
                .mp_page(drive.env.layout.page_bits);
            let superblock = drive.env.layout.superblock_of(mp_page);
            let of = &mut hot_and_all[(superblock - data_area.first_superblock) as usize];
            of.0 += u64::from(lpn < pages / 10);
            of.1 += 1;
        }
        let (mut alike, mut pairs, mut found) = (0, 0, 0);
        for (nth, (hot, all)) in hot_and_all.into_iter().enumerate() {
            let superblock = data_area.first_superblock + nth as u32;
            if drive.store.ftl.superblocks.is_closed(superblock)
                && drive.store.ftl.superblocks.generation(superblock) == generation
            {
                alike += hot * hot + (all - hot) * (all - hot);
                pairs += all * all;
                found += 1;
            }
        }
        (alike as f64 / pairs as f64, found)
    }

    #[test]
    fn hot_and_cold_data_of_the_host_lie_apart() {
        let (mixed, apart) = (purity(&skewed(1, 1), 0), purity(&skewed(2, 1), 0));
        println!("mixed {mixed:?}, apart {apart:?}");
        assert!(mixed.1 > 10 && apart.1 > 10);
        assert!(apart.0 > 0.97 && mixed.0 < 0.8, "{apart:?}, {mixed:?}");
    }

    #[test]
    fn the_survivors_of_a_generation_enter_the_next_up_to_the_last() {
        let drive = skewed(1, 3);
        let found = [0, 1, 2, 3, 4].map(|generation| purity(&drive, generation));
        println!("{found:?}");
        assert!(found[1].1 > 0 && found[2].1 > 0 && found[3].1 > 0);
        assert_eq!(found[4].1, 0);
        // Data that survives longer is colder.
        assert!(found[3].0 > 0.97 && found[3].0 > found[1].0, "{found:?}");
        let two = skewed(1, 1);
        assert_eq!([2, 3].map(|generation| purity(&two, generation).1), [0, 0]);
    }
}
