//! The blocks of the journal and of checkpoints: separate blocks on every die, in SLC mode, outside
//! the pools. Pages are written to the dies in turn, and a die erases a block each time it has
//! filled one. A page is as large as a multi-plane page.

use crate::nand::Work;
use stend_model::nand::Class;
use stend_model::spec::PowerLossSpec;

use super::view::Flash;
use crate::sim::geometry::shape::Mode;
use crate::sim::ids::DieId;
use crate::sim::media::op::Upkeep;
use crate::sim::media::page_bytes;

/// Fill level of the blocks.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct JournalBlocks {
    /// Die of the next page.
    next_die: DieId,
    /// Pages written to each die.
    taken: Vec<u32>,
    /// Erases so far, one a die.
    erases: u64,
}

impl JournalBlocks {
    pub fn new(dies: u32) -> JournalBlocks {
        JournalBlocks {
            next_die: DieId(0),
            taken: vec![0; dies as usize],
            erases: 0,
        }
    }

    /// Starts over with erased blocks.
    pub fn start_over(&mut self) {
        self.next_die = DieId(0);
        self.taken.fill(0);
    }

    /// Erases so far, one a die.
    pub fn erases(&self) -> u64 {
        self.erases
    }

    /// Programs the next `pages`.
    pub fn program(
        &mut self,
        spec: &PowerLossSpec,
        flash: &mut Flash<'_>,
        what: Upkeep,
        pages: u32,
    ) {
        for _ in 0..pages {
            self.program_next(spec, flash, what);
        }
    }

    fn program_next(&mut self, spec: &PowerLossSpec, flash: &mut Flash<'_>, what: Upkeep) {
        let die = self.next_die;
        self.next_die = DieId((die.0 + 1) % flash.env.spec.dies);
        let taken = &mut self.taken[die.index()];
        let begins_block = *taken > 0 && taken.is_multiple_of(spec.journal_rows);
        *taken += 1;
        let (erase, program) = (spec.journal.erase, spec.journal.program[0]);
        // A command may wait for the journal, which waits for a checkpoint when it is full.
        let class = Class::HostProgram;
        if begins_block {
            self.erases += 1;
            flash.ftl.media.counted.erases_of(Mode::Slc);
            let work = Work::OnDie { busy: erase };
            flash.submit(die, class, work, Upkeep::JournalErase);
        }
        flash.ftl.media.counted.programs_of(Mode::Slc);
        let bytes = page_bytes(&flash.env.spec);
        flash.submit(die, class, Work::Program { program, bytes }, what);
    }
}
