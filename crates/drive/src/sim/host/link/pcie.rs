//! PCIe, under AHCI or NVMe: two independent directions, each with one stream of packets, first
//! come first served.
//!
//! Time on the link follows from the line rate, the line code and the packets. A transaction-layer
//! packet (TLP) carries up to the maximum payload, after a header of 16 bytes (requests with 64-bit
//! addresses) or 12 (completions), with 4 bytes of framing and sequence number and 4 of CRC (PCI
//! Express Base Specification 3.0, chapters 2 to 4).
//!
//! The packets of a command (NVM Express 1.2, chapter 4; AHCI 1.3.1, chapter 4):
//!
//! | | to the drive | to the host |
//! |---|---|---|
//! | doorbell | 4 bytes | |
//! | NVMe: submission entry | 64 bytes, after host memory | its read request |
//! | AHCI: command header | 32 bytes, after host memory | its read request |
//! | AHCI: command table, one data region | 144 bytes, after host memory | its read request |
//! | data of a read | | posted |
//! | data of a write | after host memory | its read requests of up to 512 bytes |
//! | NVMe: completion entry, MSI-X | | 16 bytes, 4 bytes |
//! | AHCI: set-device-bits FIS, MSI | | 8 bytes, 4 bytes |

use std::collections::VecDeque;

use stend_base::{Lane, Nanos, SimTime};
use stend_model::spec::{PcieSpec, Protocol};

use super::LinkDone;
use crate::sim::env::Env;
use crate::sim::ids::CommandId;
use crate::sim::kind;

/// Index of the direction from the host; its events come before those of the other.
const DOWN: u32 = 0;
/// Index of the direction to the host.
const UP: u32 = 1;
/// Index of the host's memory.
const MEMORY: u32 = 2;

const _: () = assert!(MEMORY + 1 == kind::PCIE_LINKS);

/// Framing, sequence number and CRC of a packet, bytes: 1 + 2 + 4 + 1 with 8b/10b,
/// 4 + 4 with 128b/130b.
const PACKET_BYTES: u64 = 8;
/// Header of a memory request with a 64-bit address, bytes.
const REQUEST_BYTES: u64 = 16 + PACKET_BYTES;
/// Header of a completion with data, bytes.
const COMPLETION_BYTES: u64 = 12 + PACKET_BYTES;
/// Largest read request, bytes: the default of a device.
const READ_REQUEST_MAX: u32 = 512;

/// A step of a command on the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Step {
    Doorbell,
    /// Request to read a part of the command, and this part.
    EntryRequest,
    Entry,
    /// Second part of AHCI's command.
    TableRequest,
    Table,
    ReadData,
    WriteRequest,
    WriteData,
    /// Completion entry or FIS, and the interrupt's message.
    Report,
}

const STEPS: usize = Step::Report as usize + 1;

impl Step {
    const ALL: [Step; STEPS] = [
        Step::Doorbell,
        Step::EntryRequest,
        Step::Entry,
        Step::TableRequest,
        Step::Table,
        Step::ReadData,
        Step::WriteRequest,
        Step::WriteData,
        Step::Report,
    ];
}

/// A step of a command, with its bytes of payload or the bytes that it requests. It is one 64-bit
/// number, so that a load soon after its store needs one store only (store-to-load forwarding
/// stalls otherwise).
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Packets(u64);

impl Packets {
    /// No packets: no command has this number.
    const NONE: Packets = Packets(u64::MAX);

    #[inline]
    fn new(command: CommandId, bytes: u32, step: Step) -> Packets {
        debug_assert!(command.0 < 1 << 28);
        Packets(u64::from(command.0) << 36 | u64::from(bytes) << 4 | step as u64)
    }

    #[inline]
    fn command(self) -> CommandId {
        CommandId((self.0 >> 36) as u32)
    }

    #[inline]
    fn bytes(self) -> u32 {
        (self.0 >> 4) as u32
    }

    #[inline]
    fn step(self) -> Step {
        Step::ALL[(self.0 & 0xf) as usize]
    }
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Direction {
    /// [`Packets::NONE`] while nothing is sent.
    current: Packets,
    waiting: VecDeque<Packets>,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim::host) struct Pcie {
    directions: [Direction; 2],
    /// Answers that the host's memory prepares, each with the instant at which it is ready.
    memory: VecDeque<(SimTime, Packets)>,
    spec: PcieSpec,
    busy_ns: u64,
    /// By step: the bytes sent last, and their time. A load mostly has one length, and computing
    /// the time takes divisions.
    #[serde(skip)]
    known: Box<[(u32, Nanos); STEPS]>,
}

impl Pcie {
    pub fn new(spec: &PcieSpec) -> Pcie {
        let direction = Direction {
            current: Packets::NONE,
            waiting: VecDeque::with_capacity(64),
        };
        Pcie {
            directions: [direction.clone(), direction],
            memory: VecDeque::with_capacity(64),
            spec: spec.clone(),
            busy_ns: 0,
            known: Box::default(),
        }
    }

    pub fn power_cut(&mut self) {
        for direction in &mut self.directions {
            direction.current = Packets::NONE;
            direction.waiting.clear();
        }
        self.memory.clear();
    }

    pub fn is_busy(&self) -> bool {
        !self.memory.is_empty() || self.directions.iter().any(|d| d.current != Packets::NONE)
    }

    pub fn busy_ns(&self) -> u64 {
        self.busy_ns
    }

    /// Bytes on the link.
    fn link_bytes(&self, payload_bytes: u32, step: Step) -> u64 {
        let bytes = u64::from(payload_bytes);
        let packets = |payload: u32| u64::from(payload_bytes.div_ceil(payload));
        match step {
            Step::Doorbell | Step::ReadData => {
                bytes + packets(self.spec.max_payload_bytes) * REQUEST_BYTES
            }
            Step::EntryRequest | Step::TableRequest | Step::WriteRequest => {
                packets(READ_REQUEST_MAX) * REQUEST_BYTES
            }
            Step::Entry | Step::Table | Step::WriteData => {
                bytes + packets(self.spec.max_payload_bytes) * COMPLETION_BYTES
            }
            // Two packets: the completion entry or FIS, and the interrupt.
            Step::Report => bytes + 4 + 2 * REQUEST_BYTES,
        }
    }

    #[inline]
    fn time(&mut self, bytes: u32, step: Step) -> Nanos {
        let (known_bytes, time) = self.known[step as usize];
        // No step has 0 bytes, the initial entry.
        match known_bytes == bytes {
            true => time,
            false => self.compute_time(bytes, step),
        }
    }

    #[inline(never)]
    fn compute_time(&mut self, bytes: u32, step: Step) -> Nanos {
        let fs = self.link_bytes(bytes, step) * self.spec.lane_fs_per_byte;
        let time = Nanos((fs >> self.spec.lane_bits) / 1_000_000);
        self.known[step as usize] = (bytes, time);
        time
    }

    fn queue(&mut self, env: &mut Env, command: CommandId, bytes: u32, step: Step) {
        let direction = match step {
            Step::Doorbell | Step::Entry | Step::Table | Step::WriteData => DOWN,
            _ => UP,
        };
        let packets = Packets::new(command, bytes, step);
        let this = &mut self.directions[direction as usize];
        if this.current == Packets::NONE {
            self.start(env, direction, packets);
        } else {
            this.waiting.push_back(packets);
        }
    }

    #[inline(never)]
    fn start(&mut self, env: &mut Env, direction: u32, packets: Packets) {
        let time = self.time(packets.bytes(), packets.step());
        self.busy_ns += time.0;
        self.directions[direction as usize].current = packets;
        let at = env.queue.now() + time;
        // Everything except data takes only some tens of nanoseconds.
        if matches!(packets.step(), Step::ReadData | Step::WriteData) {
            env.queue.schedule(Lane::Link, at, kind::LINK, direction);
        } else {
            env.queue
                .schedule_soon(Lane::Link, at, kind::LINK, direction);
        }
    }

    /// Queues data of a read.
    pub fn send_read(&mut self, env: &mut Env, command: CommandId, bytes: u32) {
        self.queue(env, command, bytes, Step::ReadData);
    }

    /// Requests data of a write from the host's memory.
    pub fn request_write(&mut self, env: &mut Env, command: CommandId, bytes: u32) {
        self.queue(env, command, bytes, Step::WriteRequest);
    }

    /// Sends the doorbell of a command.
    pub fn fetch(&mut self, env: &mut Env, command: CommandId) {
        self.queue(env, command, 4, Step::Doorbell);
    }

    /// Reports the end of a command.
    pub fn report(&mut self, env: &mut Env, command: CommandId) {
        let bytes = match self.spec.protocol {
            Protocol::Nvme => 16,
            Protocol::Ahci => 8,
        };
        self.queue(env, command, bytes, Step::Report);
    }

    /// Handles the end of packets sent in a direction, or of a read of the host's memory.
    pub fn done(&mut self, env: &mut Env, source: u32) -> LinkDone {
        if source == MEMORY {
            self.memory_answers(env);
            return LinkDone::Nothing;
        }
        let direction = &mut self.directions[source as usize];
        let done = std::mem::replace(&mut direction.current, Packets::NONE);
        debug_assert_ne!(done, Packets::NONE, "packets were under way");
        if let Some(next) = direction.waiting.pop_front() {
            self.start(env, source, next);
        }
        self.step_done(env, done)
    }

    fn step_done(&mut self, env: &mut Env, done: Packets) -> LinkDone {
        let (command, bytes) = (done.command(), done.bytes());
        match (done.step(), self.spec.protocol) {
            (Step::Doorbell, Protocol::Nvme) => self.queue(env, command, 64, Step::EntryRequest),
            (Step::Doorbell, Protocol::Ahci) => self.queue(env, command, 32, Step::EntryRequest),
            (Step::Entry, Protocol::Ahci) => self.queue(env, command, 144, Step::TableRequest),
            (Step::EntryRequest, _) => self.memory_reads(env, command, bytes, Step::Entry),
            (Step::TableRequest, _) => self.memory_reads(env, command, bytes, Step::Table),
            (Step::WriteRequest, _) => self.memory_reads(env, command, bytes, Step::WriteData),
            (Step::Entry, Protocol::Nvme) | (Step::Table, _) => return LinkDone::Fetched(command),
            (Step::ReadData, _) => return LinkDone::ReadSent { command, bytes },
            (Step::WriteData, _) => return LinkDone::WriteReceived { command, bytes },
            (Step::Report, _) => return LinkDone::Reported(command),
        }
        LinkDone::Nothing
    }

    /// Starts the read of the host's memory for a read request that has arrived.
    fn memory_reads(&mut self, env: &mut Env, command: CommandId, bytes: u32, step: Step) {
        let at = env.queue.now() + self.spec.memory_read;
        let first = self.memory.is_empty();
        let answer = Packets::new(command, bytes, step);
        self.memory.push_back((at, answer));
        if first {
            env.queue.schedule(Lane::Link, at, kind::LINK, MEMORY);
        }
    }

    fn memory_answers(&mut self, env: &mut Env) {
        let (_, answer) = self.memory.pop_front().expect("the memory was reading");
        if let Some(&(at, _)) = self.memory.front() {
            env.queue.schedule(Lane::Link, at, kind::LINK, MEMORY);
        }
        self.queue(env, answer.command(), answer.bytes(), answer.step());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_keep_what_they_are() {
        for step in Step::ALL {
            for (command, bytes) in [(0, 0), (1, 2), ((1 << 28) - 1, u32::MAX)] {
                let command = CommandId(command);
                let packets = Packets::new(command, bytes, step);
                assert_ne!(packets, Packets::NONE);
                let kept = (packets.command(), packets.bytes(), packets.step());
                assert_eq!(kept, (command, bytes, step));
            }
        }
    }
}
