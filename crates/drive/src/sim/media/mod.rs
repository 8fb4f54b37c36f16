//! The flash: dies and channels, read errors, blocks that wear and go bad.

pub(in crate::sim) mod blocks;
pub(in crate::sim) mod errors;
mod life;
pub(in crate::sim) mod op;
pub(in crate::sim) mod wear;

use crate::nand::{Array, Work};
use stend_base::{Lane, Nanos, SimTime};
use stend_model::nand::Class;
use stend_model::spec::{PAGE_BYTES, Spec};

use crate::sim::counters::Counters;
use crate::sim::env::Env;
use crate::sim::geometry::layout::Layout;
use crate::sim::geometry::shape::Mode;
use crate::sim::ids::{BlockRow, DieId, IdRange, MpPage, Row, StreamId, SuperblockId};
use crate::sim::kind;
use crate::sim::superblocks::Superblocks;
use blocks::Blocks;
use errors::FlashErrors;
use op::NandOp;

/// The flash of a drive.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Media {
    array: Array,
    /// Present only if errors are modelled.
    errors: Option<Box<FlashErrors>>,
    /// Present only if blocks are modelled one by one.
    blocks: Option<Box<Blocks>>,
    pub counted: Counters,
}

impl Media {
    /// The flash of a new drive.
    ///
    /// # Panics
    /// If a die has too few good blocks; the model checker reports it first.
    pub fn new(spec: &Spec, layout: &Layout) -> Media {
        let array = Array::new(
            spec.dies,
            spec.channels,
            spec.bus_ps_per_byte,
            spec.bus_overhead,
            kind::DIE,
        );
        Media {
            array: array
                .with_abilities(spec.abilities)
                .with_scheduling(spec.scheduling),
            errors: FlashErrors::new(spec, layout.superblocks()),
            blocks: blocks::blocks_of(spec, layout.superblocks()),
            counted: Counters::default(),
        }
    }

    /// Counters of dies and channels, and of what they were used for.
    pub fn counters(&self) -> Counters {
        let array = self.array.counters();
        Counters {
            nand_reads: array.reads,
            nand_programs: array.programs,
            suspensions: array.suspensions,
            channel_bytes: array.channel_bytes,
            die_busy_ns: array.die_busy_ns,
            channel_busy_ns: array.channel_busy_ns,
            ..self.counted
        }
    }

    /// True while any die works.
    pub fn is_busy(&self) -> bool {
        self.array.is_busy()
    }

    /// Time to move `bytes` over a channel.
    pub fn transfer_time(&self, bytes: u32) -> Nanos {
        self.array.transfer_time(bytes)
    }

    /// The operation that a die works on, and those that it has suspended for it.
    pub fn under_way(&self, die: DieId) -> impl Iterator<Item = NandOp> {
        self.array.under_way(die.0).map(NandOp::unpack)
    }

    /// Handles the end of a die's sensing: the channel moves the data next.
    #[inline(always)]
    pub fn sensed(&mut self, env: &mut Env, die: DieId) {
        self.array.sensed(&mut env.queue, die.0);
    }

    /// Ends the work of a die and begins the next. Returns the operation that has ended.
    #[inline(always)]
    pub fn ended(&mut self, env: &mut Env, lane: Lane, die: DieId) -> NandOp {
        NandOp::unpack(self.array.ended(&mut env.queue, lane, die.0))
    }

    /// Submits work to a die.
    #[inline(always)]
    pub fn submit(&mut self, env: &mut Env, die: DieId, class: Class, work: Work, op: NandOp) {
        self.array
            .submit(&mut env.queue, die.0, class, work, op.pack());
    }

    /// Submits work to a die ahead of the waiting work of its class.
    #[cold]
    pub fn submit_first(
        &mut self,
        env: &mut Env,
        die: DieId,
        class: Class,
        work: Work,
        op: NandOp,
    ) {
        self.array
            .submit_first(&mut env.queue, die.0, class, work, op.pack());
    }

    /// Reads a part of a multi-plane page: once, or in as many passes as its errors require.
    #[inline(always)]
    pub fn read(
        &mut self,
        env: &mut Env,
        superblocks: &Superblocks,
        part: Part,
        class: Class,
        op: NandOp,
    ) {
        let Part { mp_page, bytes, .. } = part;
        let place = read_at(&mut self.counted, env, superblocks, part);
        let (mut sense, mut op) = (place.sense, op);
        if self.errors.is_some() {
            let corrected;
            (sense, corrected) = self.sense_time(env, superblocks, part, place);
            if !corrected {
                op = self.rebuild(env, superblocks, mp_page, class, op);
            }
        }
        self.submit(env, place.die, class, Work::Read { sense, bytes }, op);
    }

    /// Programs the multi-plane pages of one program, from a row of a die on.
    #[inline(always)]
    pub fn program(
        &mut self,
        env: &mut Env,
        mode: Mode,
        at: BlockRow,
        stream: StreamId,
        op: NandOp,
    ) {
        let work = Work::Program {
            program: env.times.program(mode, at.row, at.die),
            bytes: env.limits.program_bytes[mode as usize],
        };
        self.counted.programs_of(mode);
        let class = match stream.is_host() {
            true => Class::HostProgram,
            false => Class::Background,
        };
        self.submit(env, at.die, class, work, op);
    }

    /// Erases a superblock's block on one die.
    pub fn erase_block(&mut self, env: &mut Env, mode: Mode, superblock: SuperblockId, die: DieId) {
        let erase = erase_time(&env.spec, mode);
        self.counted.erases_of(mode);
        let op = NandOp::Erase { superblock, die };
        self.submit(env, die, Class::Background, Work::Erase { erase }, op);
    }

    /// Drops all operations at a power cut. The content of the cells stays, and ages.
    pub fn power_cut(&mut self, now: SimTime) {
        self.array.power_cut(now);
        if let Some(errors) = &mut self.errors {
            errors.power_cut();
        }
    }
}

/// A part of a multi-plane page that is read.
#[derive(Clone, Copy, Debug)]
pub(in crate::sim) struct Part {
    pub mp_page: MpPage,
    /// Flash pages that contain it, each of which is sensed.
    pub flash_pages: u32,
    /// Bytes that are moved out of the die.
    pub bytes: u32,
}

impl Part {
    /// A whole multi-plane page.
    pub fn whole(env: &Env, mp_page: MpPage) -> Part {
        Part {
            mp_page,
            flash_pages: env.layout.flash_pages,
            bytes: page_bytes(&env.spec),
        }
    }
}

/// Place of a multi-plane page, and its tR.
#[derive(Clone, Copy, Debug)]
pub(in crate::sim) struct Place {
    pub superblock: SuperblockId,
    pub mode: Mode,
    pub row: Row,
    pub die: DieId,
    /// tR.
    pub sense: Nanos,
}

/// The place of a multi-plane page.
#[inline(always)]
pub(in crate::sim) fn place_of(env: &Env, superblocks: &Superblocks, mp_page: MpPage) -> Place {
    let (superblock, within) = env.layout.within_superblock(mp_page);
    let mode = superblocks.mode(superblock);
    let (row, die) = env.layout.shape(mode).place(within);
    let sense = env.times.read(mode, row, die);
    Place {
        superblock,
        mode,
        row,
        die,
        sense,
    }
}

/// Counts the flash pages of a read. Returns the place.
#[inline(always)]
pub(in crate::sim) fn read_at(
    counted: &mut Counters,
    env: &Env,
    superblocks: &Superblocks,
    part: Part,
) -> Place {
    let place = place_of(env, superblocks, part.mp_page);
    counted.reads_of(place.mode, part.flash_pages);
    place
}

/// tBERS of a block in a mode.
pub(in crate::sim) fn erase_time(spec: &Spec, mode: Mode) -> Nanos {
    match mode {
        Mode::Native => spec.data.timing.erase,
        Mode::Slc => spec.cache().pool.timing.erase,
    }
}

/// Counts the copies of all rows of a block before `end`. Returns the duration.
fn copy_rows(counted: &mut Counters, env: &Env, mode: Mode, end: BlockRow) -> Nanos {
    let BlockRow { row: end, die, .. } = end;
    let mp_pages_per_program = env.layout.shape(mode).mp_pages_per_program;
    counted.block_copies += u64::from(end.0);
    let mut time = Nanos::ZERO;
    for row in (Row(0)..end).each() {
        counted.reads_of(mode, env.layout.flash_pages);
        time += env.times.read(mode, row, die);
        if row.0.is_multiple_of(mp_pages_per_program) {
            counted.programs_of(mode);
            time += env.times.program(mode, row, die);
        }
    }
    time
}

/// Bytes of a multi-plane page.
pub(in crate::sim) fn page_bytes(spec: &Spec) -> u32 {
    spec.pages_per_mp_page * PAGE_BYTES as u32
}
