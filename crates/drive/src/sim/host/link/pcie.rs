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

#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Packets {
    command: u32,
    /// Bytes of payload, or that a read request asks for.
    bytes: u32,
    step: Step,
}

#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
struct Direction {
    current: Option<Packets>,
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
            current: None,
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
            direction.current = None;
            direction.waiting.clear();
        }
        self.memory.clear();
    }

    pub fn is_busy(&self) -> bool {
        !self.memory.is_empty() || self.directions.iter().any(|d| d.current.is_some())
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
        let packets = Packets {
            command,
            bytes,
            step,
        };
        let this = &mut self.pcie().directions[direction as usize];
        if this.current.is_some() {
            this.waiting.push_back(packets);
        } else {
            self.pcie_start(direction, command, bytes, step);
        }
    }

    /// What is sent comes as numbers, not as [`Packets`]: those would be put into memory piece by
    /// piece and read from there as a whole at once, which a processor must wait for.
    #[inline(never)]
    fn pcie_start(&mut self, direction: u32, command: u32, bytes: u32, step: Step) {
        let packets = Packets {
            command,
            bytes,
            step,
        };
        let pcie = self.pcie();
        let time = pcie.time(bytes, step);
        pcie.busy_ns += time.0;
        pcie.directions[direction as usize].current = Some(packets);
        let at = self.queue.now() + time;
        self.queue.schedule(Lane::Link, at, kind::LINK, direction);
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
        let done = direction.current.take().expect("packets were under way");
        if let Some(next) = direction.waiting.pop_front() {
            self.pcie_start(thing, next.command, next.bytes, next.step);
        }
        self.pcie_step_done(done);
    }

    fn pcie_step_done(&mut self, done: Packets) {
        let Packets { command, bytes, .. } = done;
        let protocol = self.pcie().spec.protocol;
        match (done.step, protocol) {
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
        let now = self.queue.now();
        let pcie = self.pcie();
        let at = now + pcie.spec.memory_read;
        let first = pcie.memory.is_empty();
        let answer = Packets {
            command,
            bytes,
            step,
        };
        pcie.memory.push_back((at, answer));
        if first {
            self.queue.schedule(Lane::Link, at, kind::LINK, MEMORY);
        }
    }

    fn memory_answers(&mut self) {
        let memory = &mut self.pcie().memory;
        let (_, answer) = memory.pop_front().expect("the memory was asked");
        if let Some(&(at, _)) = memory.front() {
            self.queue.schedule(Lane::Link, at, kind::LINK, MEMORY);
        }
        self.pcie_queue(answer.command, answer.bytes, answer.step);
    }
}
