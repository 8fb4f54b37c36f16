//! SATA: half duplex, one transfer at a time, first come first served.
//!
//! A transfer pays for each Data FIS of up to 8 KiB (Serial ATA 3.x, 10.5.12) beside
//! its bytes; the first transfer of a command pays for its register, DMA-setup and
//! set-device-bits FIS as well.

use std::collections::VecDeque;

use stend_base::{Lane, Nanos};

use super::{Link, Transfer};
use crate::sim::{SimDrive, kind};
use crate::spec::HostSpec;

/// The link.
pub(in crate::sim) const THINGS: u32 = 1;

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Sata {
    current: Option<Transfer>,
    waiting: VecDeque<Transfer>,
    ps_per_byte: u64,
    frame_bytes: u32,
    frame_overhead: Nanos,
    busy_ns: u64,
}

impl Sata {
    pub fn new(host: &HostSpec) -> Sata {
        Sata {
            current: None,
            waiting: VecDeque::with_capacity(64),
            ps_per_byte: host.link_ps_per_byte,
            frame_bytes: host.frame_bytes,
            frame_overhead: host.frame_overhead,
            busy_ns: 0,
        }
    }

    pub fn power_cut(&mut self) {
        self.current = None;
        self.waiting.clear();
    }

    pub fn is_busy(&self) -> bool {
        self.current.is_some()
    }

    pub fn busy_ns(&self) -> u64 {
        self.busy_ns
    }

    fn time(&self, bytes: u32) -> Nanos {
        let frames = bytes.div_ceil(self.frame_bytes);
        Nanos(u64::from(bytes) * self.ps_per_byte / 1000) + self.frame_overhead * u64::from(frames)
    }
}

impl SimDrive {
    fn sata(&mut self) -> &mut Sata {
        match &mut self.link {
            Link::Sata(sata) => sata,
            Link::Pcie(_) => unreachable!("the drive has no SATA link"),
        }
    }

    #[inline(always)]
    pub(in crate::sim) fn sata_send(&mut self, transfer: Transfer) {
        let sata = self.sata();
        if sata.current.is_some() {
            sata.waiting.push_back(transfer);
        } else {
            self.sata_start(transfer);
        }
    }

    #[inline(always)]
    fn sata_start(&mut self, transfer: Transfer) {
        let overhead = match self.commands.first_transfer(transfer.command) {
            true => self.env.spec.host.command_overhead,
            false => Nanos::ZERO,
        };
        let sata = self.sata();
        let time = sata.time(transfer.bytes) + overhead;
        sata.busy_ns += time.0;
        sata.current = Some(transfer);
        let at = self.env.queue.now() + time;
        self.env.queue.schedule(Lane::Link, at, kind::LINK, 0);
    }

    #[inline(always)]
    pub(in crate::sim) fn sata_done(&mut self) {
        let sata = self.sata();
        let done = sata.current.take().expect("a transfer was under way");
        if let Some(next) = sata.waiting.pop_front() {
            self.sata_start(next);
        }
        self.link_delivers(done);
    }
}
