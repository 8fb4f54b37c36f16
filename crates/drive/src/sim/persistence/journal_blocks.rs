//! The blocks of the journal and of checkpoints: of their own on every die, in SLC mode, outside
//! the pools. Pages are written over the dies in turn, and a die erases a block each time it has
//! filled one. A page is as large as a multi-plane page.

use stend_nand::{Class, Work};

use crate::sim::env::Env;
use crate::sim::geometry::shape::Mode;
use crate::sim::ids::DieId;
use crate::sim::media::Media;
use crate::sim::media::op::{NandOp, Upkeep};
use crate::spec::{PAGE_BYTES, PowerLossSpec};

/// The dies and the drive's surroundings, for whoever gives the dies work.
pub(in crate::sim) struct Nand<'a> {
    pub env: &'a mut Env,
    pub media: &'a mut Media,
}

impl Nand<'_> {
    /// Gives a die work beside data.
    pub(super) fn submit(&mut self, die: DieId, class: Class, work: Work, what: Upkeep) {
        let op = NandOp::Upkeep { what };
        self.media.submit(self.env, die, class, work, op);
    }

    /// Bytes of a multi-plane page.
    pub(super) fn page_bytes(&self) -> u32 {
        self.env.spec.pages_per_mp_page * PAGE_BYTES as u32
    }
}

/// How far the blocks are filled.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct JournalBlocks {
    /// Die that takes the next page.
    next_die: DieId,
    /// Pages that each die has taken.
    taken: Vec<u32>,
}

impl JournalBlocks {
    pub fn new(dies: u32) -> JournalBlocks {
        JournalBlocks {
            next_die: DieId(0),
            taken: vec![0; dies as usize],
        }
    }

    /// Programs the next page.
    pub fn program(&mut self, spec: &PowerLossSpec, nand: &mut Nand<'_>, what: Upkeep) {
        let die = self.next_die;
        self.next_die = DieId((die.0 + 1) % nand.env.spec.dies);
        let taken = &mut self.taken[die.index()];
        let begins_block = *taken > 0 && taken.is_multiple_of(spec.journal_rows);
        *taken += 1;
        let (erase, program) = (spec.journal.erase, spec.journal.program[0]);
        // Somebody may wait for the journal; nobody does for a checkpoint.
        let class = match what {
            Upkeep::JournalPage | Upkeep::PartialParity => Class::HostProgram,
            _ => Class::Background,
        };
        if begins_block {
            nand.env.counters.journal_erases += 1;
            nand.env.counters.erases += 1;
            nand.env.counters.slc_erases += 1;
            nand.submit(
                die,
                class,
                Work::OnDie { busy: erase },
                Upkeep::JournalErase,
            );
        }
        nand.env.counters.programs_of(Mode::Slc);
        let bytes = nand.page_bytes();
        nand.submit(die, class, Work::Program { program, bytes }, what);
    }
}
