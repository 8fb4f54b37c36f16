//! One direction at a time: a buffer that holds either what was written or what is read.
//!
//! In a drive that keeps the host's data out of its DRAM, a small buffer in the controller
//! serves both directions. Commands are taken up in the order in which they come. Before a
//! read that follows on writes, the pages that are full are programmed; before a write that
//! follows on reads, these have been sent, and what was read ahead is given up. Units in a
//! page that is not full yet stay where they are.
//!
//! Where data has gone to flash, the turn to reads costs the firmware a time of its own: it
//! brings the copy of its mapping up to date first.
//!
//! Most drives have room for both; they pay for one look at a flag.

use std::collections::VecDeque;

use stend_base::{Nanos, Op};

use crate::sim::SimDrive;

/// Whose turn it is.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Turns {
    serves: Op,
    /// Commands of this direction that have not ended.
    active: u32,
    /// Reads and writes that wait for a turn, in the order in which they came.
    waiting: VecDeque<u32>,
    /// Data of the host has gone to flash since reads were served.
    programmed: bool,
    /// What the firmware has yet to take for the last turn, with the read that it takes up
    /// next.
    owed: Nanos,
}

impl Turns {
    pub fn new() -> Turns {
        Turns {
            serves: Op::Read,
            active: 0,
            waiting: VecDeque::with_capacity(64),
            programmed: false,
            owed: Nanos::ZERO,
        }
    }
}

impl SimDrive {
    fn turns(&mut self) -> &mut Turns {
        self.turns.as_mut().expect("directions take turns")
    }

    /// Whether a command has to wait for its turn; if so, it is taken up later.
    #[inline(never)]
    pub(in crate::sim) fn waits_for_turn(&mut self, command: u32) -> bool {
        let op = self.commands.get(command).op;
        if !matches!(op, Op::Read | Op::Write) {
            return false;
        }
        if self.turns().waiting.is_empty() && self.turn_comes(op) {
            return false;
        }
        self.turns().waiting.push_back(command);
        true
    }

    /// Gives a command of a direction its turn, if it may have it now.
    fn turn_comes(&mut self, op: Op) -> bool {
        let programs = self.writer.host_under_way();
        let turn = self.spec.buffer.turn;
        let turns = self.turns();
        if turns.serves != op {
            if turns.active > 0 || turns.serves == Op::Write && programs > 0 {
                return false;
            }
            turns.serves = op;
            if op == Op::Read && std::mem::take(&mut turns.programmed) {
                turns.owed = turn;
            }
            self.counters.turns += 1;
            if op == Op::Write {
                self.read_ahead.forget_all();
            }
        }
        self.turns().active += 1;
        true
    }

    /// Pages of the host's data are being programmed.
    #[inline]
    pub(in crate::sim) fn turn_notes_program(&mut self) {
        if let Some(turns) = &mut self.turns {
            turns.programmed = true;
        }
    }

    /// What the firmware takes for a turn beside the command that it takes up now.
    #[inline]
    pub(in crate::sim) fn turn_time(&mut self) -> Nanos {
        let turns = self.turns.as_mut();
        turns.map_or(Nanos::ZERO, |turns| std::mem::take(&mut turns.owed))
    }

    /// A command of the direction that is served has ended.
    #[inline(never)]
    pub(in crate::sim) fn turn_command_ended(&mut self, command: u32) {
        if matches!(self.commands.get(command).op, Op::Read | Op::Write) {
            self.turns().active -= 1;
            self.next_turn();
        }
    }

    /// Takes up what waits, as far as its turn has come.
    pub(in crate::sim) fn next_turn(&mut self) {
        while let Some(&command) = self.turns().waiting.front() {
            if !self.turn_comes(self.commands.get(command).op) {
                return;
            }
            self.turns().waiting.pop_front();
            self.command_taken_up(command);
        }
    }
}
