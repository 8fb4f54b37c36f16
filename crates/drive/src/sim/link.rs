//! The host link: SATA, half duplex, one transfer at a time, first come first served.
//!
//! A transfer pays for each Data FIS of up to 8 KiB (Serial ATA 3.x, 10.5.12) beside
//! its bytes; the first transfer of a command pays for its register, DMA-setup and
//! set-device-bits FIS as well.

use std::collections::VecDeque;

use stend_base::{Lane, Nanos};

use super::{SimDrive, kind};
use crate::spec::HostSpec;

/// Data of one command on its way over the link.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Transfer {
    pub command: u32,
    pub bytes: u32,
    pub to_host: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Link {
    current: Option<Transfer>,
    waiting: VecDeque<Transfer>,
    ps_per_byte: u64,
    frame_bytes: u32,
    frame_overhead: Nanos,
    busy_ns: u64,
}

impl Link {
    pub fn new(host: &HostSpec) -> Link {
        Link {
            current: None,
            waiting: VecDeque::with_capacity(64),
            ps_per_byte: host.link_ps_per_byte,
            frame_bytes: host.frame_bytes,
            frame_overhead: host.frame_overhead,
            busy_ns: 0,
        }
    }

    pub fn busy_ns(&self) -> u64 {
        self.busy_ns
    }

    /// Nothing is under way any more.
    pub fn power_cut(&mut self) {
        self.current = None;
        self.waiting.clear();
    }

    fn time(&self, bytes: u32) -> Nanos {
        let frames = bytes.div_ceil(self.frame_bytes);
        Nanos(u64::from(bytes) * self.ps_per_byte / 1000) + self.frame_overhead * u64::from(frames)
    }
}

impl SimDrive {
    /// Queues a transfer.
    #[inline]
    pub(super) fn link_send(&mut self, transfer: Transfer) {
        if self.link.current.is_some() {
            self.link.waiting.push_back(transfer);
        } else {
            self.link_start(transfer);
        }
    }

    fn link_start(&mut self, transfer: Transfer) {
        let mut time = self.link.time(transfer.bytes);
        if self.commands.first_transfer(transfer.command) {
            time += self.spec.host.command_overhead;
        }
        self.link.busy_ns += time.0;
        self.link.current = Some(transfer);
        let at = self.queue.now() + time;
        self.queue.schedule(Lane::Link, at, kind::LINK, 0);
    }

    pub(super) fn link_done(&mut self) {
        let done = self.link.current.take().expect("a transfer was under way");
        if let Some(next) = self.link.waiting.pop_front() {
            self.link_start(next);
        }
        if done.to_host {
            self.read_sent(done.command, done.bytes);
        } else {
            self.write_received(done.command, done.bytes);
        }
    }
}
