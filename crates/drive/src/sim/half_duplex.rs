//! The half-duplex buffer: it serves either writes or read-ahead at a time.
//!
//! In a drive that keeps the host's data out of its DRAM, a small buffer in the controller serves
//! both directions. Commands that need it are started in order of arrival: all writes, and
//! sequential reads, which continue where another read ended and which the drive reads ahead. A
//! sequential read after writes waits until these are received; a write after sequential reads
//! waits until these have been sent, and read-ahead data is dropped. Data of any other read is sent
//! as it comes from flash, whatever direction the buffer serves.
//!
//! If data has gone to flash, the turnaround to reads costs the firmware additional time: it first
//! updates its copy of the L2P.

use std::collections::VecDeque;

use stend_base::{Nanos, Op};

use crate::sim::buffer::write_buffer::WriteBuffer;
use crate::sim::counters::Counters;
use crate::sim::env::Env;
use crate::sim::host::{Command, Host};
use crate::sim::ids::CommandId;
use crate::sim::reads::Reads;

/// Number of sequential read streams that are recognised.
const STREAMS: usize = 4;

/// A buffer that serves one direction at a time.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct HalfDuplex {
    serves: Op,
    /// Commands of this direction that hold the buffer and have not ended.
    active: u32,
    /// End of the last read of each stream, bytes; the stream used longest ago first.
    read_ends: [u64; STREAMS],
    /// Reads and writes that wait for the buffer, in order of arrival.
    waiting: VecDeque<CommandId>,
    /// Firmware time of the last turnaround that has not passed yet; it is added to the next read.
    owed: Nanos,
    pub counted: Counters,
}

impl HalfDuplex {
    pub fn new() -> HalfDuplex {
        HalfDuplex {
            serves: Op::Read,
            active: 0,
            read_ends: [u64::MAX; STREAMS],
            waiting: VecDeque::with_capacity(64),
            owed: Nanos::ZERO,
            counted: Counters::default(),
        }
    }

    /// Returns true if a read continues where another ended; notes its end.
    fn is_sequential(&mut self, offset_bytes: u64, end_byte: u64) -> bool {
        let found = self.read_ends.iter().position(|end| *end == offset_bytes);
        self.read_ends[found.unwrap_or(0)..].rotate_left(1);
        self.read_ends[STREAMS - 1] = end_byte;
        found.is_some()
    }

    /// Starts a write at once, if the buffer serves writes and no command waits. Otherwise does
    /// nothing and returns false.
    #[inline(always)]
    pub fn takes_write(&mut self, command: &mut Command) -> bool {
        let takes = command.op == Op::Write && self.serves == Op::Write && self.waiting.is_empty();
        if takes {
            command.holds_buffer = true;
            self.active += 1;
        }
        takes
    }

    /// True if commands wait for the buffer.
    #[inline(always)]
    pub fn somebody_waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Returns true if a command has to wait for the buffer; [`HalfDuplex::take_next`] then starts
    /// it.
    #[inline(never)]
    pub fn keeps_waiting(
        &mut self,
        env: &mut Env,
        host: &mut Host,
        buffer: &mut WriteBuffer,
        reads: &mut Reads,
        id: CommandId,
    ) -> bool {
        let command = host.commands.get_mut(id);
        let op = command.op;
        let needs = match op {
            Op::Read => self.is_sequential(command.offset_bytes, command.end_byte()),
            Op::Write => true,
            Op::Trim | Op::Flush => false,
        };
        command.holds_buffer = needs;
        if !needs || self.waiting.is_empty() && self.admit(env, buffer, reads, op) {
            return false;
        }
        self.waiting.push_back(id);
        true
    }

    /// Assigns the buffer to a command of a direction, if it may have it now.
    fn admit(
        &mut self,
        env: &mut Env,
        buffer: &mut WriteBuffer,
        reads: &mut Reads,
        op: Op,
    ) -> bool {
        if self.serves != op {
            if self.active > 0 {
                return false;
            }
            self.serves = op;
            if op == Op::Read && buffer.take_host_programmed() {
                self.owed = env.spec.buffer.turnaround;
            }
            self.counted.turnarounds += 1;
            if op == Op::Write {
                reads.forget_all();
            }
        }
        self.active += 1;
        true
    }

    /// Takes the firmware time of a turnaround that is added to the command that starts now.
    #[inline]
    pub fn take_turnaround(&mut self) -> Nanos {
        std::mem::take(&mut self.owed)
    }

    /// Notes the end of a command that held the buffer.
    pub fn ended(&mut self) {
        self.active -= 1;
    }

    /// Removes and returns the next waiting command, if it may have the buffer now.
    pub fn take_next(
        &mut self,
        env: &mut Env,
        host: &Host,
        buffer: &mut WriteBuffer,
        reads: &mut Reads,
    ) -> Option<CommandId> {
        let next = *self.waiting.front()?;
        let op = host.commands.get(next).op;
        if !self.admit(env, buffer, reads, op) {
            return None;
        }
        self.waiting.pop_front()
    }

    /// Empties the buffer at a power cut.
    pub fn power_cut(&mut self) {
        *self = HalfDuplex {
            counted: self.counted,
            ..HalfDuplex::new()
        };
    }
}
