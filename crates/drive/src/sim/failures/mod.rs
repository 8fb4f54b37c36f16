//! Failures of the flash: pages that cannot be read, programs that fail, blocks that go bad.

pub(in crate::sim) mod losses;

use crate::nand::Work;
use stend_base::{Nanos, Status};
use stend_model::nand::Class;

use crate::sim::buffer::write_buffer::Program;
use crate::sim::env::Env;
use crate::sim::fold::Folder;
use crate::sim::frontend::Frontend;
use crate::sim::geometry::layout::Pool;
use crate::sim::ids::{BlockRow, IdRange, MpPage};
use crate::sim::media::errors::Source;
use crate::sim::media::op::NandOp;
use crate::sim::media::page_bytes;
use crate::sim::persistence::StripeMember;
use crate::sim::store::Store;
use losses::Losses;

/// A program that has ended, of data or of parity.
#[derive(Clone, Copy)]
pub(in crate::sim) struct Ended {
    /// Its first multi-plane page.
    pub mp_page: MpPage,
    pub at: BlockRow,
    pub op: NandOp,
}

impl Ended {
    /// A program of data.
    #[inline(always)]
    pub fn data(number: u32, program: &Program) -> Ended {
        Ended {
            mp_page: program.mp_page,
            at: program.at,
            op: NandOp::Program { program: number },
        }
    }

    /// A program of parity, from a multi-plane page on.
    #[inline(always)]
    pub fn parity(env: &Env, store: &Store, mp_page: MpPage) -> Ended {
        let (superblock, within) = env.layout.within_superblock(mp_page);
        let mode = store.ftl.superblocks.mode(superblock);
        let (row, die) = env.layout.shape(mode).place(within);
        Ended {
            mp_page,
            at: BlockRow {
                superblock,
                row,
                die,
            },
            op: NandOp::Parity { mp_page },
        }
    }
}

/// Makes the drive read-only, which refuses the writes that wait.
type WearOut<'a> = dyn FnMut(&mut Env, &mut Store) + 'a;

/// Handling of failures.
#[derive(Clone, Debug, Default)]
pub(in crate::sim) struct Failures {
    /// Account of losses on request of a test; it has no effect on the drive.
    pub losses: Losses,
}

/// Pages that cannot be read.
impl Failures {
    /// Reads the other pages of the stripe of a page that no pass has corrected. Returns true if
    /// there are none to wait for: the rebuild ends.
    #[cold]
    pub fn page_unreadable(&mut self, env: &mut Env, store: &mut Store, rebuild: u32) -> bool {
        store.ftl.media.counted.uncorrectable_pages += 1;
        let mp_page = store.ftl.media.rebuild_of(rebuild).mp_page;
        self.losses.note_failing(store, rebuild);
        let superblock = env.layout.superblock_of(mp_page);
        let mode = store.ftl.superblocks.mode(superblock);
        let stripe = env.layout.stripe(mp_page, mode);
        let mut alone = true;
        for other in stripe.filter(|&other| other != mp_page) {
            alone = false;
            let member = store.stripe_member(env, other);
            let saved = matches!(member, StripeMember::PartialParity(..));
            let media = &mut store.ftl.media;
            if media.lacks_page(other) && !saved {
                media.rebuild_fails(rebuild);
                continue;
            }
            let source = match member {
                StripeMember::Nothing => continue,
                StripeMember::Page => Source::Page(other),
                StripeMember::PartialParity(die, sense) => Source::PartialParity(die, sense),
            };
            media.read_for_rebuild(env, &store.ftl.superblocks, rebuild, source);
        }
        self.losses.note_stripe(env, store, rebuild, mp_page);
        if alone || store.is_unprotected(mp_page) {
            store.ftl.media.rebuild_fails(rebuild);
        }
        store.ftl.media.rebuild_of(rebuild).has_all()
    }

    /// Ends a rebuild: all pages of the stripe have been read, or there are none to read. Returns
    /// the operation that the page was read for.
    #[cold]
    pub fn rebuild_ends(
        &mut self,
        env: &mut Env,
        store: &mut Store,
        front: &mut Frontend,
        rebuild: u32,
    ) -> NandOp {
        let ended = store.ftl.media.rebuild_ended(rebuild);
        let (mp_page, op) = (ended.mp_page, ended.op());
        if ended.lost {
            let pages = store.ftl.l2p.valid_bits(mp_page);
            self.losses.note_unreadable(store, rebuild, mp_page, pages);
            store.ftl.l2p.lose(mp_page);
            store.log_loss(env, mp_page, pages);
            self.fail_reads(front, op);
        }
        op
    }

    /// Fails the read commands that requested a lost page, even if its data lies elsewhere by now:
    /// a die may have copied it before.
    #[cold]
    fn fail_reads(&mut self, front: &mut Frontend, op: NandOp) {
        let commands = match op {
            NandOp::HostRead { command, .. } => vec![command],
            NandOp::ReadAhead { entry } => front.reads.gives_up(entry),
            _ => return,
        };
        for id in commands {
            let command = front.host.commands.get_mut(id);
            command.fail(Status::MediaError);
            self.losses.note_met_by(command.logical_pages());
        }
    }
}

/// Programs that fail, and blocks that go bad.
impl Failures {
    /// Repeats a program that has ended, if it failed. Returns true if so. The die erases the block
    /// that replaces the bad one, copies its data to it and programs again, all as one operation,
    /// ahead of the programs that wait for the die.
    #[inline(always)]
    pub fn repeats(
        &mut self,
        env: &mut Env,
        store: &mut Store,
        program: Ended,
        wear_out: &mut WearOut<'_>,
    ) -> bool {
        store.ftl.media.program_fails(program.at) && self.repeat(env, store, program, wear_out)
    }

    #[cold]
    fn repeat(
        &mut self,
        env: &mut Env,
        store: &mut Store,
        program: Ended,
        wear_out: &mut WearOut<'_>,
    ) -> bool {
        let Ended { mp_page, at, op } = program;
        let before = replace_block(env, store, at, wear_out);
        let mode = store.ftl.superblocks.mode(at.superblock);
        let mp_pages_per_program = env.layout.shape(mode).mp_pages_per_program;
        let Some(before) = before else {
            self.lose(env, store, at, mp_page..mp_page + mp_pages_per_program);
            return false;
        };
        let work = Work::Program {
            program: before + env.times.program(mode, at.row, at.die),
            bytes: mp_pages_per_program * page_bytes(&env.spec),
        };
        let media = &mut store.ftl.media;
        media.counted.programs_of(mode);
        media.submit_first(env, at.die, Class::HostProgram, work, op);
        true
    }

    /// Notes that the data of multi-plane pages without a block is lost.
    #[cold]
    fn lose(
        &mut self,
        env: &mut Env,
        store: &mut Store,
        at: BlockRow,
        mp_pages: std::ops::Range<MpPage>,
    ) {
        let l2p = &mut store.ftl.l2p;
        let mut lost: Vec<(MpPage, u32)> =
            mp_pages.each().map(|s| (s, l2p.valid_bits(s))).collect();
        for &(mp_page, _) in &lost {
            store.ftl.l2p.lose(mp_page);
            store.ftl.l2p.tear(mp_page);
            store.page_is_void(mp_page);
            store.ftl.media.lose_page(mp_page);
        }
        store.log_unprogrammed(env, &mut lost);
        self.losses.note_no_block(env, store, at.die, &lost);
    }

    /// Repeats an on-chip copy of a word line that has ended, in another block, if it failed;
    /// without a block the data stays in the cache, and the drive becomes read-only. Returns true
    /// if it failed.
    pub fn fold_fails(
        &mut self,
        env: &mut Env,
        store: &mut Store,
        folder: &mut Folder,
        within: u32,
        wear_out: &mut WearOut<'_>,
    ) -> bool {
        let fold = &store.ftl.fold;
        let (row, die) = fold.place(&env.layout, within);
        let at = BlockRow {
            superblock: fold.target(),
            row,
            die,
        };
        if !store.ftl.media.program_fails(at) {
            return false;
        }
        match replace_block(env, store, at, wear_out) {
            Some(before) => folder.copy_again(env, store, within, before),
            None => folder.give_up(),
        }
        true
    }
}

/// Replaces the block in which a program has failed. Returns the time to erase the new block and to
/// copy the data of the bad one to it; `None` if no block can replace it.
#[cold]
fn replace_block(
    env: &mut Env,
    store: &mut Store,
    at: BlockRow,
    wear_out: &mut WearOut<'_>,
) -> Option<Nanos> {
    let mode = store.ftl.superblocks.mode(at.superblock);
    let mut erase = Nanos::ZERO;
    loop {
        if !find_block(env, store, at, wear_out) {
            return None;
        }
        let media = &mut store.ftl.media;
        let (time, bears) = media.erase_replacement(env, mode, at.superblock, at.die);
        erase += time;
        if bears {
            break;
        }
    }
    let noted = store.persistence.is_some();
    let media = &mut store.ftl.media;
    Some(media.copy_to_replacement(env, mode, at, erase, noted))
}

/// Finds a block for data that waits in the buffer. If there is no spare one, an erased superblock
/// of the data area without reservations gives up its blocks, so that the data is not lost, and the
/// drive becomes read-only.
fn find_block(env: &mut Env, store: &mut Store, at: BlockRow, wear_out: &mut WearOut<'_>) -> bool {
    let ftl = &mut store.ftl;
    if ftl
        .media
        .find_block(&mut ftl.superblocks, at.superblock, at.die)
    {
        return true;
    }
    // The refused writes free their reservations.
    wear_out(env, store);
    let ftl = &mut store.ftl;
    if !ftl.has_superblock(env, Pool::Data) {
        return false;
    }
    let Some(erased) = ftl.superblocks.lose_erased(Pool::Data) else {
        return false;
    };
    let mp_pages = env.layout.mp_pages_of(Pool::Data, 1);
    ftl.space.add(Pool::Data, -mp_pages);
    ftl.media.take_block_of(erased, at.superblock, at.die)
}
