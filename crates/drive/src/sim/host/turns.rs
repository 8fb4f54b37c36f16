//! One direction at a time: a buffer that serves either what is written or what is read ahead.
//!
//! In a drive that keeps the host's data out of its DRAM, a small buffer in the controller
//! serves both directions. Commands that need it are taken up in the order in which they come:
//! all writes, and the reads that go on where another ended, ahead of which the drive reads.
//! Such a read that follows on writes waits until these are taken in; a write that follows on
//! such reads waits until these have been sent, and what was read ahead is given up. What any
//! other read asks for is sent as it comes from flash, whatever the buffer serves.
//!
//! Where data has gone to flash, the turn to reads costs the firmware a time of its own: it
//! brings the copy of its mapping up to date first.
//!
//! Most drives have room for both; they pay for one look at a flag.

use std::collections::VecDeque;

use stend_base::{Nanos, Op};

use crate::sim::SimDrive;

/// Streams of reads that are told apart.
const STREAMS: usize = 4;

/// Whose turn it is.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Turns {
    serves: Op,
    /// Commands of this direction that hold the buffer and have not ended.
    active: u32,
    /// Where the last read of each stream ended, bytes; the one used longest ago first.
    read_ends: [u64; STREAMS],
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
            read_ends: [u64::MAX; STREAMS],
            waiting: VecDeque::with_capacity(64),
            programmed: false,
            owed: Nanos::ZERO,
        }
    }

    /// Whether a read goes on where another ended; notes where it ends.
    fn goes_on(&mut self, offset_bytes: u64, end_bytes: u64) -> bool {
        let found = self.read_ends.iter().position(|end| *end == offset_bytes);
        self.read_ends[found.unwrap_or(0)..].rotate_left(1);
        self.read_ends[STREAMS - 1] = end_bytes;
        found.is_some()
    }
}

impl SimDrive {
    fn turns(&mut self) -> &mut Turns {
        self.turns.as_mut().expect("directions take turns")
    }

    /// Whether a command has to wait for its turn; if so, it is taken up later.
    #[inline(never)]
    pub(in crate::sim) fn waits_for_turn(&mut self, command: u32) -> bool {
        let entry = self.commands.get(command);
        let (op, first) = (entry.op, entry.offset_bytes);
        let end = first + entry.len_bytes;
        let needs = match op {
            Op::Read => self.turns().goes_on(first, end),
            Op::Write => true,
            Op::Trim | Op::Flush => false,
        };
        self.commands.get_mut(command).takes_turns = needs;
        if !needs {
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
        let turn = self.env.spec.buffer.turn;
        let turns = self.turns();
        if turns.serves != op {
            if turns.active > 0 {
                return false;
            }
            turns.serves = op;
            if op == Op::Read && std::mem::take(&mut turns.programmed) {
                turns.owed = turn;
            }
            self.env.counters.turns += 1;
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
        if self.commands.get(command).takes_turns {
            self.turns().active -= 1;
            self.next_turn();
        }
    }

    /// Takes up what waits, as far as its turn has come.
    fn next_turn(&mut self) {
        while let Some(&command) = self.turns().waiting.front() {
            if !self.turn_comes(self.commands.get(command).op) {
                return;
            }
            self.turns().waiting.pop_front();
            self.command_taken_up(command);
        }
    }
}
