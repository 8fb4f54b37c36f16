//! The simulated drive: parts, their wiring, and the order of events.
//!
//! # Event order
//! Everything happens in the order of time; at one instant by kind, in the order of
//! [`kind`]: hardware that becomes free (dies, link) before the firmware that uses it
//! (cores), before timers; then commands that arrive from the host, in the order of
//! submission; then completions handed to the host, in the order in which they were
//! decided; then the host's processors, what watches over all of this (idle states, heat),
//! and last the timers of a start after a power cut.
//!
//! Events of one kind at one instant go by index: the lower die first. All of it is
//! integers, so that the same model and requests give the same bytes anywhere.

mod controller;
mod counters;
mod data;
mod env;
mod host;
#[allow(dead_code)]
mod ids;
mod life;
pub(crate) mod map;
mod power;
mod service;
mod space;

use std::collections::VecDeque;

use stend_base::{
    Completion, Device, Event, EventQueue, Lane, Nanos, Op, Request, SimTime, Status,
};
use stend_nand::{Array, Class, Work};

pub use counters::Counters;
#[doc(hidden)]
pub use data::losses::{Loss, LossCause, PageState};
#[doc(hidden)]
pub use power::durability::Canary;
pub use power::energy::Energy;
pub use power::idle_states::MOST_IDLE_STATES;
pub use power::thermal::Temperature;

use crate::spec::{Spec, UNIT_BYTES};
use controller::{Controller, Job};
use data::losses::Losses;
use data::media::Media;
use data::read::ReadAhead;
use data::write::Writer;
use env::Env;
use host::admission::Admission;
use host::command::{Commands, Ending};
use host::cpus::Cpus;
use host::link::Link;
use host::trim::Trimmer;
use host::turns::Turns;
pub use map::layout::{Capacity, capacity, user_units_max};
use map::layout::{Layout, Pool};
use map::map_cache::MapCache;
use map::mapping::Mapping;
pub use map::probe::MappingLog;
use map::shape::Mode;
use power::durability::Durability;
use power::idle_states::Sleep;
use power::journal::Upkeep;
use power::thermal::Heat;
use space::blocks::Blocks;
pub use space::blocks::{ShortDie, short_die};
use space::collect::Collector;
use space::fold::Folder;
use space::idle::Idle;
use space::limits::Limits;
pub(crate) use space::limits::cache_superblocks_kept;
pub use space::over_provisioning::UserBytesError;
use space::superblocks::Superblocks;

/// Kinds of events, ranked at one instant.
mod kind {
    // Hardware first: what it frees, firmware may use at the same instant. Timers last: by
    // then everything that was due has happened, and the longer a timer runs, the later.
    pub const DIE: u8 = 0;
    pub const LINK: u8 = 1;
    pub const CORE: u8 = 2;
    pub const FOLD_PAUSE: u8 = 3;
    pub const IDLE_SLICE: u8 = 4;
    pub const IDLE_BEGIN: u8 = 5;
    // Only the next of these is in the queue.
    pub const ARRIVAL: u8 = 6;
    pub const COMPLETION: u8 = 7;
    // They answer to what comes from the drive.
    pub const CPU: u8 = 8;
    // A timer; it stands here since what ends at its instant does not concern it.
    pub const TRIM_PAUSE: u8 = 9;
    // What watches over the rest sees all that happened up to and including this instant:
    // whether there was anything to do, and what it took of energy.
    pub const SLEEP: u8 = 10;
    pub const HEAT: u8 = 11;
    // The steps of a start, before which nothing else happens but arrivals, which wait.
    pub const POWER: u8 = 12;
    // A timer, as that of the other rest of TRIM.
    pub const TRIM_PIECE_PAUSE: u8 = 13;
}

/// How many things of each kind there are. What is switched off has none.
fn things(spec: &Spec) -> [u32; 14] {
    let cores = spec.controller.cores;
    let sleep = u32::from(!spec.idle_states.is_empty());
    let heat = u32::from(spec.thermal.is_some());
    let links = Link::things(&spec.host);
    let cpus = Cpus::things(&spec.host);
    let trim_pause = u32::from(spec.trim.erase_pause.is_some());
    let power = u32::from(spec.power_loss.is_some());
    let trim_work = spec.trim.work.as_ref();
    let piece_pause = u32::from(trim_work.is_some_and(|work| work.pause.is_some()));
    [
        spec.dies,
        links,
        cores,
        1,
        1,
        1,
        1,
        1,
        cpus,
        trim_pause,
        sleep,
        heat,
        power,
        piece_pause,
    ]
}

/// A simulated solid-state drive.
///
/// It is plain data: a clone is a copy of the drive in its present state, and goes on
/// independently.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct SimDrive {
    env: Env,
    /// The capacity that it was made with.
    native_bytes: u64,
    limits: Limits,
    array: Array,
    mapping: Mapping,
    superblocks: Superblocks,
    /// Slots not yet taken, by pool. Slots that folding or collection has emptied count
    /// before their superblock is erased, so that the figure moves smoothly.
    free_slots: [i64; 2],
    /// Slots taken in superblocks of the main area that are in SLC mode.
    dynamic_taken: i64,
    commands: Commands,
    link: Link,
    cpus: Option<Box<Cpus>>,
    controller: Controller,
    /// Only in a drive that serves one direction at a time.
    turns: Option<Box<Turns>>,
    map_cache: Option<Box<MapCache>>,
    writer: Writer,
    read_ahead: ReadAhead,
    collector: Collector,
    folder: Folder,
    idle: Idle,
    media: Option<Box<Media>>,
    blocks: Option<Box<Blocks>>,
    trimmer: Trimmer,
    /// Only in a drive whose power can be cut.
    durability: Option<Box<Durability>>,
    arrivals: VecDeque<Arrival>,
    completions: VecDeque<Ending>,
    sleep: Sleep,
    heat: Heat,
    admission: Admission,
    /// A command that arrives may have to wait before it is looked at.
    holds_arrivals: bool,
    /// The flash is worn out.
    read_only: bool,
    /// What was lost, where a test asks for it; of no account to the drive.
    #[serde(skip)]
    losses: Option<Box<Losses>>,
}

/// A request on its way from the host.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
struct Arrival {
    at: SimTime,
    request: Request,
}

/// What a NAND operation was for; travels with it as a 64-bit cookie.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
enum Purpose {
    /// Part of a host read: command, bytes for the link.
    HostRead { command: u32, bytes: u32 },
    /// Part of a read-ahead: entry.
    ReadAhead { entry: u32 },
    /// The old content of a unit that is only partly written: slot being filled.
    Merge { filling: u32 },
    /// A slot of data: slot being filled.
    Program { filling: u32 },
    /// Parity: the first slot that is programmed with it.
    Parity { slot: u32 },
    /// Valid units of a slot under collection: slot.
    Collect { slot: u32 },
    /// On-chip copy of a word line on one die: its number within the superblock.
    Fold { word_line_die: u32 },
    /// Erase of a superblock's blocks on one die.
    Erase { superblock: u32, die: u32 },
    /// A page that no pass corrects: entry of what is rebuilt.
    Unreadable { rebuild: u32 },
    /// Another page of its parity group.
    Rebuild { rebuild: u32 },
    /// A page of the map: entry of who waits for it.
    MapRead { waiting: u32 },
    /// Map pages written back, or their block erased.
    MapWritten,
    /// Beside data: journal, checkpoints, recovery.
    Upkeep { what: Upkeep },
}

impl Purpose {
    #[inline]
    fn pack(self) -> u64 {
        let (code, a, b) = match self {
            Purpose::HostRead { command, bytes } => (0, command, bytes),
            Purpose::ReadAhead { entry } => (1, entry, 0),
            Purpose::Merge { filling } => (2, filling, 0),
            Purpose::Program { filling } => (3, filling, 0),
            Purpose::Parity { slot } => (4, slot, 0),
            Purpose::Collect { slot } => (5, slot, 0),
            Purpose::Fold { word_line_die } => (6, word_line_die, 0),
            Purpose::Erase { superblock, die } => (7, superblock, die),
            Purpose::Unreadable { rebuild } => (8, rebuild, 0),
            Purpose::Rebuild { rebuild } => (9, rebuild, 0),
            Purpose::MapRead { waiting } => (10, waiting, 0),
            Purpose::MapWritten => (11, 0, 0),
            Purpose::Upkeep { what } => (12, what as u32, 0),
        };
        debug_assert!(b < 1 << 24);
        u64::from(a) | u64::from(b) << 32 | code << 56
    }

    #[inline]
    fn unpack(cookie: u64) -> Purpose {
        let a = cookie as u32;
        let b = (cookie >> 32) as u32 & 0xff_ffff;
        match cookie >> 56 {
            0 => Purpose::HostRead {
                command: a,
                bytes: b,
            },
            1 => Purpose::ReadAhead { entry: a },
            2 => Purpose::Merge { filling: a },
            3 => Purpose::Program { filling: a },
            4 => Purpose::Parity { slot: a },
            5 => Purpose::Collect { slot: a },
            6 => Purpose::Fold { word_line_die: a },
            7 => Purpose::Erase {
                superblock: a,
                die: b,
            },
            8 => Purpose::Unreadable { rebuild: a },
            9 => Purpose::Rebuild { rebuild: a },
            10 => Purpose::MapRead { waiting: a },
            11 => Purpose::MapWritten,
            12 => Purpose::Upkeep {
                what: Upkeep::ALL[a as usize],
            },
            code => unreachable!("no purpose has the code {code}"),
        }
    }
}

impl SimDrive {
    /// A new drive, all blocks erased, nothing mapped.
    ///
    /// # Panics
    /// When the numbers contradict each other; [`crate::model`] checks them first and
    /// says which.
    pub fn new(spec: &Spec) -> SimDrive {
        power::power_cut::assert_allowed(spec);
        let layout = Layout::new(spec);
        let units = (spec.user_bytes / UNIT_BYTES) as u32;
        let slots_of = |pool: Pool| {
            let area = layout.pool(pool);
            let spare = match (pool, &spec.health) {
                (Pool::Main, Some(health)) => health.spare_superblocks,
                _ => 0,
            };
            let superblocks = area.superblocks;
            i64::from(superblocks - spare) * i64::from(area.slots_per_superblock)
        };
        let mut drive = SimDrive {
            env: Env::new(spec.clone(), layout, EventQueue::new(&things(spec))),
            limits: Limits::new(spec, &layout),
            array: Array::new(
                spec.dies,
                spec.channels,
                spec.bus_ps_per_byte,
                spec.bus_overhead,
                kind::DIE,
            )
            .with_abilities(spec.abilities),
            mapping: {
                let mut mapping = Mapping::new(layout, units);
                if let Some(work) = &spec.trim.work {
                    mapping.take_notes(work.deterministic);
                }
                mapping
            },
            superblocks: Superblocks::new(spec, &layout),
            free_slots: [slots_of(Pool::Cache), slots_of(Pool::Main)],
            dynamic_taken: 0,
            commands: Commands::new(spec),
            link: Link::new(&spec.host),
            cpus: Cpus::new(&spec.host),
            controller: Controller::new(&spec.controller, units),
            turns: spec.buffer.one_direction.then(|| Box::new(Turns::new())),
            writer: Writer::new(spec, &layout, units),
            map_cache: MapCache::new(spec),
            read_ahead: ReadAhead::new(),
            collector: Collector::new(spec),
            folder: Folder::default(),
            idle: Idle::default(),
            media: Media::new(spec, layout.superblocks()),
            blocks: space::blocks::blocks_of(spec, layout.superblocks()),
            trimmer: Trimmer::new(),
            sleep: Sleep::default(),
            heat: Heat::default(),
            admission: Admission::default(),
            // The first one begins the steps of heat.
            holds_arrivals: spec.thermal.is_some(),
            durability: spec
                .power_loss
                .as_ref()
                .map(|of| Box::new(Durability::new(of, spec, &layout, units))),
            arrivals: VecDeque::with_capacity(64),
            completions: VecDeque::with_capacity(64),
            read_only: false,
            losses: None,
            native_bytes: spec.user_bytes,
        };
        drive.host_fell_silent();
        drive
    }

    /// The numbers it runs on.
    pub fn spec(&self) -> &Spec {
        &self.env.spec
    }

    /// Lets copies made from now on share its large tables until one of them changes them: a copy
    /// then costs what it changes.
    pub fn share(&mut self) {
        self.mapping.share();
    }

    /// What it has done so far.
    pub fn counters(&self) -> Counters {
        let array = self.array.counters();
        Counters {
            events: self.env.queue.taken(),
            nand_reads: array.reads,
            nand_programs: array.programs,
            suspensions: array.suspensions,
            channel_bytes: array.channel_bytes,
            die_busy_ns: array.die_busy_ns,
            channel_busy_ns: array.channel_busy_ns,
            core_busy_ns: self.controller.busy_ns(),
            link_busy_ns: self.link.busy_ns(),
            cpu_busy_ns: self.cpus.as_ref().map_or(0, |cpus| cpus.busy_ns()),
            ..self.env.counters
        }
    }

    /// Hash of everything that arrived or ended so far, in order, with its instant: equal
    /// for equal histories. How ends are found (events that only hand work on) is not part
    /// of it.
    pub fn trace_hash(&self) -> u64 {
        self.env.trace_hash()
    }

    /// Erase cycles of every superblock, those of the cache first.
    pub fn erase_counts(&self) -> &[u32] {
        self.superblocks.erase_counts()
    }

    /// Starts to keep account of what every flash unit would hold, so that
    /// [`SimDrive::content`] can tell it. Costs 4 bytes a unit.
    pub fn keep_content(&mut self) {
        self.mapping.keep_stamps();
    }

    /// The tag of the request whose data a read of logical unit `unit` would return at
    /// this instant, `None` where nothing is mapped. Needs [`SimDrive::keep_content`]
    /// from the first request on.
    ///
    /// # Panics
    /// When the drive's tables contradict each other: this is what tests look for.
    pub fn content(&self, unit: u32) -> Option<u32> {
        self.mapping.content(unit)
    }

    /// Whether the data of logical unit `unit` was lost: a read of it ends with an error.
    pub fn is_lost(&self, unit: u32) -> bool {
        self.mapping.lookup(unit) == map::mapping::LOST
    }

    /// The tags of the requests whose data lies in flash at this instant, programmed and
    /// not erased, whether valid or not: what a search of the whole flash would find after
    /// a power cut. Needs [`SimDrive::keep_content`] from the first request on.
    pub fn tags_in_flash(&self) -> impl Iterator<Item = u32> + '_ {
        self.mapping
            .stamps()
            .filter(|&(physical, _)| !self.writer.in_buffer(physical >> self.env.layout.unit_bits))
            .map(|(_, tag)| tag)
    }

    fn now(&self) -> SimTime {
        self.env.queue.now()
    }

    fn trace(&mut self, kind: u8, index: u32) {
        self.env.trace(kind, index);
    }

    /// Lets the next event happen, and no other; the completion, if it is one.
    #[inline(never)]
    fn step(&mut self) -> Option<Completion> {
        let event = self.env.queue.pop().expect("the caller saw an event");
        self.step_inlined(event, SimTime::ZERO)
    }

    /// Lets an event happen that was taken; one up to `limit` that follows from it and is the
    /// next of all may happen with it.
    #[inline(always)]
    fn step_inlined(&mut self, event: Event, limit: SimTime) -> Option<Completion> {
        // Dies are the first kind: a die's number is that of its thing.
        match event.lane {
            Lane::Sense => {
                // Nothing but the array is concerned.
                self.array.sensed(&mut self.env.queue, event.thing);
                return None;
            }
            Lane::Move | Lane::Work => {
                self.trace(kind::DIE, event.thing);
                let done = self
                    .array
                    .ended(&mut self.env.queue, event.lane, event.thing);
                self.nand_done_inlined(Purpose::unpack(done.cookie));
            }
            Lane::Core => {
                let core = self.env.queue.index(kind::CORE, event.thing);
                self.trace(kind::CORE, core);
                self.core_done(core);
            }
            Lane::Link => {
                let thing = self.env.queue.index(kind::LINK, event.thing);
                self.trace(kind::LINK, thing);
                self.link_done(thing);
            }
            Lane::Arrival => {
                self.trace(kind::ARRIVAL, 0);
                self.command_arrives();
            }
            Lane::Completion => return self.completion_arrives(limit),
            Lane::Timer => {
                let (kind, index) = self.env.queue.kind_and_index(event.thing);
                if kind == kind::CPU {
                    self.trace(kind::CPU, index);
                    return self.cpu_done(index);
                }
                self.timer_ends(kind);
            }
        }
        if self.durability.is_some() {
            self.keep_durable();
        }
        None
    }

    fn timer_ends(&mut self, timer: u8) {
        match timer {
            kind::FOLD_PAUSE => self.fold_pause_ends(),
            kind::IDLE_SLICE => self.idle_slice_ends(),
            kind::IDLE_BEGIN => self.idle_timer(),
            kind::TRIM_PAUSE => self.trim_pause_ends(),
            kind::TRIM_PIECE_PAUSE => self.trim_piece_pause_ends(),
            kind::SLEEP => self.sleep_timer_ends(),
            kind::HEAT => self.heat_step_ends(),
            kind::POWER => self.power_timer_ends(),
            other => unreachable!("no timer has the kind {other}"),
        }
    }

    #[cold]
    fn nand_done(&mut self, purpose: Purpose) {
        self.nand_done_inlined(purpose);
    }

    #[inline(always)]
    fn nand_done_inlined(&mut self, purpose: Purpose) {
        match purpose {
            Purpose::HostRead { command, bytes } => self.read_arrived(command, bytes),
            Purpose::ReadAhead { entry } => self.read_ahead_arrived(entry),
            Purpose::Merge { filling } => self.merge_arrived(filling),
            Purpose::Program { filling } => self.program_done(filling),
            Purpose::Parity { slot } => self.parity_done(slot),
            Purpose::Collect { slot } => self.collect_arrived(slot),
            Purpose::Fold { word_line_die } => self.fold_copied(word_line_die),
            Purpose::Erase { superblock, die } => self.erase_done(superblock, die),
            Purpose::Unreadable { rebuild } => self.page_unreadable(rebuild),
            Purpose::Rebuild { rebuild } => self.rebuild_part(rebuild),
            Purpose::MapRead { waiting } => self.map_read(waiting),
            Purpose::MapWritten => {}
            Purpose::Upkeep { what } => self.upkeep_done(what),
        }
    }

    fn core_done(&mut self, core: u32) {
        match self.controller.finish(&mut self.env.queue, core) {
            Job::Command { command } => self.command_handled(command),
            Job::Received { command, bytes } => self.write_taken_in(command, bytes),
            Job::Collected { slot } => self.collect_moved(slot),
            Job::Folded { word_line_die } => self.fold_mapped(word_line_die),
            Job::Trimmed => self.trim_piece_done(),
        }
    }

    /// Erases a superblock that has been emptied.
    fn erase(&mut self, superblock: u32) {
        debug_assert_eq!(self.mapping.occupied_in(superblock), 0);
        self.superblocks
            .erase_begins(superblock, self.env.spec.dies);
        // Lost from here on: a cut in the middle of an erase leaves nothing to read.
        self.mapping.erase_stamps(superblock);
        self.forget_safe();
        if self.keeps_parity() {
            self.groups_erased(superblock);
        }
        if let Some(blocks) = &mut self.blocks {
            let pool = self.env.layout.pool_of_superblock(superblock);
            let first = self.env.layout.first_slot(superblock);
            blocks.erased(&(first..first + self.env.layout.pool(pool).slots_per_superblock));
        }
        for die in 0..self.env.spec.dies {
            self.erase_block(superblock, die);
        }
    }

    /// Erases a superblock's block on one die.
    fn erase_block(&mut self, superblock: u32, die: u32) {
        let mode = self.superblocks.mode(superblock);
        let erase = self.erase_time(mode);
        self.env.counters.erases += 1;
        self.env.counters.slc_erases += u64::from(mode == Mode::Slc);
        self.array.submit(
            &mut self.env.queue,
            die,
            Class::Background,
            Work::Erase { erase },
            Purpose::Erase { superblock, die }.pack(),
        );
    }

    /// tBERS of a block in a mode.
    fn erase_time(&self, mode: Mode) -> Nanos {
        match mode {
            Mode::Native => self.env.spec.main.timing.erase,
            Mode::Slc => self.cache_spec().pool.timing.erase,
        }
    }

    fn erase_done(&mut self, superblock: u32, die: u32) {
        if self.blocks.is_some() && self.block_is_replaced(superblock, die) {
            return;
        }
        if !self.superblocks.die_has_erased(superblock) {
            return;
        }
        let pool = self.env.layout.pool_of_superblock(superblock);
        let lost = self.lacks_a_block(superblock);
        self.superblocks.erase_ends(superblock, pool, lost);
        if lost {
            // They were given back when it was emptied.
            self.free_slots[pool as usize] -= self.slots(pool, 1);
        }
        self.trim_erased(superblock);
        if self.superblocks.worn_out() {
            self.wears_out();
        }
        self.pump_all();
    }

    fn cache_spec(&self) -> &crate::spec::CacheSpec {
        self.env
            .spec
            .cache
            .as_ref()
            .expect("the drive has an SLC cache")
    }

    /// Lets everything that may have waited for space go on.
    fn pump_all(&mut self) {
        let settled = self.pump_collect();
        self.pump_fold();
        self.pump_writes_after(settled);
    }

    /// The next completion, and lets time pass up to it or to `limit`.
    fn run_until(&mut self, limit: SimTime) -> Option<Completion> {
        while let Some(event) = self.env.queue.pop_by(limit) {
            if let Some(completion) = self.step_inlined(event, limit) {
                return Some(completion);
            }
        }
        if limit < SimTime::NEVER {
            self.env.queue.set_now(limit);
        }
        None
    }

    /// Lets at most `events` events happen, and stops at a completion: how many have
    /// happened, and the completion. Fewer than asked for without one means that nothing
    /// more will happen.
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

    fn completion_arrives(&mut self, limit: SimTime) -> Option<Completion> {
        let ending = self.completions.pop_front()?;
        if let Some(next) = self.completions.front() {
            self.env
                .queue
                .schedule(Lane::Completion, next.at, kind::COMPLETION, 0);
        }
        self.host_interrupted(ending, limit)
    }
}

impl Device for SimDrive {
    fn capacity_bytes(&self) -> u64 {
        self.env.spec.user_bytes
    }

    fn now(&self) -> SimTime {
        self.env.queue.now()
    }

    /// The units that were placed: what the host wrote, and what was moved.
    fn flash_written_bytes(&self) -> Option<u64> {
        Some(self.env.counters.units_placed() * UNIT_BYTES)
    }

    fn steady_bytes(&self) -> Option<u64> {
        self.bytes_until_moves()
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
        // It will be looked up when the command has come through link and firmware.
        self.mapping.expect(request.offset_bytes / UNIT_BYTES);
        self.expect_stream(request.offset_bytes / UNIT_BYTES);
        self.commands.outstanding += 1;
        self.host_submits(request);
    }

    #[inline]
    fn expect(&self, offset_bytes: u64) {
        self.mapping.expect(offset_bytes / UNIT_BYTES);
    }

    #[inline]
    fn expect_write(&self, offset_bytes: u64) {
        self.mapping
            .expect_invalid((offset_bytes / UNIT_BYTES) as u32);
    }

    fn advance(&mut self, limit: SimTime) -> Option<Completion> {
        self.run_until(limit)
    }
}

impl SimDrive {
    /// The host's driver hands a request over at an instant, no earlier than those before.
    #[inline(always)]
    fn send_off(&mut self, request: Request, handed_over: SimTime) {
        let at = handed_over + self.env.spec.host.submit;
        if self.arrivals.is_empty() {
            self.env.queue.schedule(Lane::Arrival, at, kind::ARRIVAL, 0);
        }
        self.arrivals.push_back(Arrival { at, request });
    }

    /// Ends a command at the present instant.
    #[inline(always)]
    fn complete(&mut self, tag: u32, queue: u16, status: Status) {
        let at = self.now() + self.env.spec.host.complete;
        if self.completions.is_empty() {
            self.env
                .queue
                .schedule(Lane::Completion, at, kind::COMPLETION, 0);
        }
        self.completions.push_back(Ending {
            tag,
            queue,
            at,
            status,
        });
    }

    /// Die of a slot and tR of its page, which is about to be read.
    #[inline(always)]
    fn die_and_read_time(&mut self, slot: u32) -> (u32, Nanos) {
        let (superblock, within) = self.env.layout.within_superblock(slot);
        let mode = self.superblocks.mode(superblock);
        let (row, die) = self.env.layout.shape(mode).place(within);
        self.env.counters.reads_of(mode);
        (die, self.limits.read[mode as usize][row as usize])
    }
}
