//! The half-duplex buffer: it serves either what is written or what is read ahead at a time.
//!
//! In a drive that keeps the host's data out of its DRAM, a small buffer in the controller serves
//! both directions. Commands that need it are taken up in the order in which they come: all writes,
//! and the reads that continue where another ended, ahead of which the drive reads. Such a read
//! that follows on writes waits until these are received; a write that follows on such reads waits
//! until these have been sent, and what was read ahead is given up. What any other read asks for is
//! sent as it comes from flash, whatever the buffer serves.
//!
//! Where data has gone to flash, the turnaround to reads costs the firmware a time of its own: it
//! brings the copy of its L2P up to date first.

use std::collections::VecDeque;

use stend_base::{Nanos, Op};

use crate::sim::buffer::write_buffer::WriteBuffer;
use crate::sim::env::Env;
use crate::sim::host::{Command, Host};
use crate::sim::ids::CommandId;
use crate::sim::reads::Reads;

/// Streams of reads that are told apart.
const STREAMS: usize = 4;

/// A buffer that serves one direction at a time.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct HalfDuplex {
    serves: Op,
    /// Commands of this direction that hold the buffer and have not ended.
    active: u32,
    /// Where the last read of each stream ended, bytes; the one used longest ago first.
    read_ends: [u64; STREAMS],
    /// Reads and writes that wait for the buffer, in the order in which they came.
    waiting: VecDeque<CommandId>,
    /// What the firmware has yet to take for the last turnaround, with the read that it takes up
    /// next.
    owed: Nanos,
}

impl HalfDuplex {
    pub fn new() -> HalfDuplex {
        HalfDuplex {
            serves: Op::Read,
            active: 0,
            read_ends: [u64::MAX; STREAMS],
            waiting: VecDeque::with_capacity(64),
            owed: Nanos::ZERO,
        }
    }

    /// Whether a read continues where another ended; notes where it ends.
    fn is_sequential(&mut self, offset_bytes: u64, end_byte: u64) -> bool {
        let found = self.read_ends.iter().position(|end| *end == offset_bytes);
        self.read_ends[found.unwrap_or(0)..].rotate_left(1);
        self.read_ends[STREAMS - 1] = end_byte;
        found.is_some()
    }

    /// Takes up a command at once, if it is a write while nothing but writes are served and nobody
    /// waits. Otherwise does nothing and returns false.
    #[inline(always)]
    pub fn takes_write(&mut self, command: &mut Command) -> bool {
        let takes = command.op == Op::Write && self.serves == Op::Write && self.waiting.is_empty();
        if takes {
            command.set_holds_buffer(true);
            self.active += 1;
        }
        takes
    }

    /// Whether commands wait for the buffer.
    #[inline(always)]
    pub fn somebody_waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Whether a command has to wait for the buffer; if so, [`HalfDuplex::take_next`] tells when it
    /// is taken up.
    #[inline(never)]
    pub fn keeps_waiting(
        &mut self,
        env: &mut Env,
        host: &mut Host,
        (buffer, reads): (&mut WriteBuffer, &mut Reads),
        id: CommandId,
    ) -> bool {
        let command = host.command_mut(id);
        let op = command.op;
        let needs = match op {
            Op::Read => self.is_sequential(command.offset_bytes, command.end_byte()),
            Op::Write => true,
            Op::Trim | Op::Flush => false,
        };
        command.set_holds_buffer(needs);
        if !needs || self.waiting.is_empty() && self.admit(env, buffer, reads, op) {
            return false;
        }
        self.waiting.push_back(id);
        true
    }

    /// Gives a command of a direction the buffer, if it may have it now.
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
            env.counters.turnarounds += 1;
            if op == Op::Write {
                reads.forget_all();
            }
        }
        self.active += 1;
        true
    }

    /// What the firmware takes for a turnaround beside the command that it takes up now.
    #[inline]
    pub fn take_turnaround(&mut self) -> Nanos {
        std::mem::take(&mut self.owed)
    }

    /// A command that held the buffer has ended.
    pub fn ended(&mut self) {
        self.active -= 1;
    }

    /// Takes the next command that waits, if it may have the buffer now.
    pub fn take_next(
        &mut self,
        env: &mut Env,
        host: &Host,
        (buffer, reads): (&mut WriteBuffer, &mut Reads),
    ) -> Option<CommandId> {
        let next = *self.waiting.front()?;
        let op = host.command(next).op;
        if !self.admit(env, buffer, reads, op) {
            return None;
        }
        self.waiting.pop_front()
    }

    /// Nothing is in the buffer any more.
    pub fn power_cut(&mut self) {
        *self = HalfDuplex::new();
    }
}
