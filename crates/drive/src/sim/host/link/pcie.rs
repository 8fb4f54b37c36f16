//! PCIe: two directions that do not disturb each other, each with one packet stream,
//! first come first served; on it AHCI or NVMe.
//!
//! Time on the link follows from the line rate, the line code, and the packets: a
//! transaction-layer packet (TLP) carries up to the largest payload, behind a header of
//! 16 bytes (requests with 64-bit addresses) or 12 (completions), 4 bytes of framing and
//! sequence number, and 4 of CRC (PCI Express Base Specification 3.0, chapters 2 to 4).
//!
//! What a command does (NVM Express 1.2, chapter 4; AHCI 1.3.1, chapter 4):
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

use super::{Link, Load, Transfer};
use crate::sim::{SimDrive, kind};
use crate::spec::{PcieSpec, Protocol};

/// Index of the direction from the host; its events come before those of the other.
const DOWN: u32 = 0;
/// Index of the direction to the host.
const UP: u32 = 1;
/// Index of the host's memory.
const MEMORY: u32 = 2;

/// Both directions, and the host's memory.
pub(in crate::sim) const THINGS: u32 = 3;

/// Framing, sequence number and CRC of a packet, bytes: 1 + 2 + 4 + 1 with 8b/10b,
/// 4 + 4 with 128b/130b.
const PACKET_BYTES: u64 = 8;
/// Header of a memory request with a 64-bit address, bytes.
const REQUEST_BYTES: u64 = 16 + PACKET_BYTES;
/// Header of a completion with data, bytes.
const COMPLETION_BYTES: u64 = 12 + PACKET_BYTES;
/// Largest read request, bytes: what a device uses unless it is told otherwise.
const READ_REQUEST_MAX: u32 = 512;

/// A step of a command on the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Step {
    Doorbell,
    /// A read request for a part of the command, and this part.
    EntryRequest,
    Entry,
    /// The second part of AHCI's command.
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

/// A step of a command with its bytes of payload, or those that a read request asks for, as one
/// number: what is put into memory piece by piece and read from there as a whole at once, a
/// processor must wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Packets(u64);

impl Packets {
    /// No packets: there are never so many commands.
    const NONE: Packets = Packets(u64::MAX);

    #[inline]
    fn new(command: u32, bytes: u32, step: Step) -> Packets {
        debug_assert!(command < 1 << 28);
        Packets(u64::from(command) << 36 | u64::from(bytes) << 4 | step as u64)
    }

    #[inline]
    fn command(self) -> u32 {
        (self.0 >> 36) as u32
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
    /// [`Packets::NONE`] where nothing is sent.
    current: Packets,
    waiting: VecDeque<Packets>,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Pcie {
    directions: [Direction; 2],
    /// Read requests that the host's memory works on, as what it will send.
    memory: VecDeque<(SimTime, Packets)>,
    spec: PcieSpec,
    busy_ns: u64,
    /// By step: the bytes that were sent last, and their time. A load mostly has one length, and
    /// working the time out takes divisions.
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
        let of = |payload: u32| u64::from(payload_bytes.div_ceil(payload));
        match step {
            Step::Doorbell | Step::ReadData => {
                bytes + of(self.spec.max_payload_bytes) * REQUEST_BYTES
            }
            Step::EntryRequest | Step::TableRequest | Step::WriteRequest => {
                of(READ_REQUEST_MAX) * REQUEST_BYTES
            }
            Step::Entry | Step::Table | Step::WriteData => {
                bytes + of(self.spec.max_payload_bytes) * COMPLETION_BYTES
            }
            // Two packets: what ended, and the interrupt.
            Step::Report => bytes + 4 + 2 * REQUEST_BYTES,
        }
    }

    #[inline]
    fn time(&mut self, bytes: u32, step: Step) -> Nanos {
        let (known_bytes, time) = self.known[step as usize];
        // No step has none.
        match known_bytes == bytes {
            true => time,
            false => self.time_anew(bytes, step),
        }
    }

    #[inline(never)]
    fn time_anew(&mut self, bytes: u32, step: Step) -> Nanos {
        let fs = self.link_bytes(bytes, step) * self.spec.lane_fs_per_byte;
        let time = Nanos((fs >> self.spec.lane_bits) / 1_000_000);
        self.known[step as usize] = (bytes, time);
        time
    }
}

impl SimDrive {
    fn pcie(&mut self) -> &mut Pcie {
        match &mut self.link {
            Link::Pcie(pcie) => pcie,
            Link::Sata(_) => unreachable!("the drive has no PCIe link"),
        }
    }

    fn pcie_queue(&mut self, command: u32, bytes: u32, step: Step) {
        let direction = match step {
            Step::Doorbell | Step::Entry | Step::Table | Step::WriteData => DOWN,
            _ => UP,
        };
        let packets = Packets::new(command, bytes, step);
        let this = &mut self.pcie().directions[direction as usize];
        if this.current == Packets::NONE {
            self.pcie_start(direction, packets);
        } else {
            this.waiting.push_back(packets);
        }
    }

    #[inline(never)]
    fn pcie_start(&mut self, direction: u32, packets: Packets) {
        let pcie = self.pcie();
        let time = pcie.time(packets.bytes(), packets.step());
        pcie.busy_ns += time.0;
        pcie.directions[direction as usize].current = packets;
        let at = self.env.queue.now() + time;
        // But for data, what is sent takes some tens of nanoseconds.
        if matches!(packets.step(), Step::ReadData | Step::WriteData) {
            self.env
                .queue
                .schedule(Lane::Link, at, kind::LINK, direction);
        } else {
            self.env
                .queue
                .schedule_soon(Lane::Link, at, kind::LINK, direction);
        }
    }

    pub(in crate::sim) fn pcie_send_data(&mut self, transfer: Transfer) {
        let step = match transfer.load {
            Load::ReadData => Step::ReadData,
            Load::WriteData => Step::WriteRequest,
        };
        self.pcie_queue(transfer.command, transfer.bytes, step);
    }

    /// The host has rung the doorbell of a command.
    pub(in crate::sim) fn pcie_fetch(&mut self, command: u32) {
        self.pcie_queue(command, 4, Step::Doorbell);
    }

    pub(in crate::sim) fn pcie_report(&mut self, command: u32) {
        let bytes = match self.pcie().spec.protocol {
            Protocol::Nvme => 16,
            Protocol::Ahci => 8,
        };
        self.pcie_queue(command, bytes, Step::Report);
    }

    pub(in crate::sim) fn pcie_done(&mut self, thing: u32) {
        if thing == MEMORY {
            return self.memory_answers();
        }
        let direction = &mut self.pcie().directions[thing as usize];
        let done = std::mem::replace(&mut direction.current, Packets::NONE);
        debug_assert_ne!(done, Packets::NONE, "packets were under way");
        if let Some(next) = direction.waiting.pop_front() {
            self.pcie_start(thing, next);
        }
        self.pcie_step_done(done);
    }

    fn pcie_step_done(&mut self, done: Packets) {
        let (command, bytes) = (done.command(), done.bytes());
        let protocol = self.pcie().spec.protocol;
        match (done.step(), protocol) {
            (Step::Doorbell, Protocol::Nvme) => self.pcie_queue(command, 64, Step::EntryRequest),
            (Step::Doorbell, Protocol::Ahci) => self.pcie_queue(command, 32, Step::EntryRequest),
            (Step::Entry, Protocol::Ahci) => self.pcie_queue(command, 144, Step::TableRequest),
            (Step::Entry, Protocol::Nvme) | (Step::Table, _) => self.command_fetched(command),
            (Step::EntryRequest, _) => self.memory_asked(command, bytes, Step::Entry),
            (Step::TableRequest, _) => self.memory_asked(command, bytes, Step::Table),
            (Step::WriteRequest, _) => self.memory_asked(command, bytes, Step::WriteData),
            (Step::ReadData, _) => self.pcie_delivers(command, bytes, Load::ReadData),
            (Step::WriteData, _) => self.pcie_delivers(command, bytes, Load::WriteData),
            (Step::Report, _) => self.command_reported(command),
        }
    }

    fn pcie_delivers(&mut self, command: u32, bytes: u32, load: Load) {
        self.link_delivers(Transfer {
            command,
            bytes,
            load,
        });
    }

    /// A read request has reached the host.
    fn memory_asked(&mut self, command: u32, bytes: u32, step: Step) {
        let now = self.env.queue.now();
        let pcie = self.pcie();
        let at = now + pcie.spec.memory_read;
        let first = pcie.memory.is_empty();
        let answer = Packets::new(command, bytes, step);
        pcie.memory.push_back((at, answer));
        if first {
            self.env.queue.schedule(Lane::Link, at, kind::LINK, MEMORY);
        }
    }

    fn memory_answers(&mut self) {
        let memory = &mut self.pcie().memory;
        let (_, answer) = memory.pop_front().expect("the memory was asked");
        if let Some(&(at, _)) = memory.front() {
            self.env.queue.schedule(Lane::Link, at, kind::LINK, MEMORY);
        }
        self.pcie_queue(answer.command(), answer.bytes(), answer.step());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_keep_what_they_are() {
        for step in Step::ALL {
            for (command, bytes) in [(0, 0), (1, 2), ((1 << 28) - 1, u32::MAX)] {
                let packets = Packets::new(command, bytes, step);
                assert_ne!(packets, Packets::NONE);
                let kept = (packets.command(), packets.bytes(), packets.step());
                assert_eq!(kept, (command, bytes, step));
            }
        }
    }
}
