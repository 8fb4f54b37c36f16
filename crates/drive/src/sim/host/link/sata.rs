//! SATA: half duplex, one transfer at a time, first come first served.
//!
//! A transfer costs the time of its bytes and an overhead for each Data FIS of up to 8 KiB (Serial
//! ATA 3.x, 10.5.12). The first transfer of a command also includes its register, DMA-setup and
//! set-device-bits FIS. Before each Data FIS of a write except the first of a command, the drive
//! sends a DMA Activate FIS (10.5.7), for which the link turns around twice; the first is activated
//! by the DMA-setup FIS (auto-activate). So long writes are slower than long reads.

use std::collections::VecDeque;

use stend_base::{Lane, Nanos};
use stend_model::spec::HostSpec;

use super::{LinkDone, Load, Transfer};
use crate::sim::env::Env;
use crate::sim::host::command::Commands;
use crate::sim::ids::CommandId;
use crate::sim::kind;

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim::host) struct Sata {
    current: Option<Transfer>,
    waiting: VecDeque<Transfer>,
    ps_per_byte: u64,
    frame_bytes: u32,
    frame_overhead: Nanos,
    dma_activate: Nanos,
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
            dma_activate: host.dma_activate,
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

    /// Duration of a transfer. `first`: it is the first transfer of its command.
    fn time(&self, transfer: Transfer, first: bool) -> Nanos {
        let frames = match transfer.bytes <= self.frame_bytes {
            // Most transfers: it saves a division.
            true => 1,
            false => u64::from(transfer.bytes.div_ceil(self.frame_bytes)),
        };
        let bytes = Nanos(u64::from(transfer.bytes) * self.ps_per_byte / 1000);
        let activated = match transfer.load {
            Load::ReadData => 0,
            Load::WriteData => frames - u64::from(first),
        };
        bytes + self.frame_overhead * frames + self.dma_activate * activated
    }

    /// Queues a transfer.
    #[inline(always)]
    pub(super) fn send(
        &mut self,
        env: &mut Env,
        commands: &mut Commands,
        command: CommandId,
        bytes: u32,
        load: Load,
    ) {
        let transfer = Transfer {
            command,
            bytes,
            load,
        };
        if self.current.is_some() {
            self.waiting.push_back(transfer);
        } else {
            self.start(env, commands, transfer);
        }
    }

    #[inline(always)]
    fn start(&mut self, env: &mut Env, commands: &mut Commands, transfer: Transfer) {
        let first = commands.first_transfer(transfer.command);
        let overhead = match first {
            true => env.spec.host.command_overhead,
            false => Nanos::ZERO,
        };
        let time = self.time(transfer, first) + overhead;
        self.busy_ns += time.0;
        self.current = Some(transfer);
        let at = env.queue.now() + time;
        env.queue.schedule(Lane::Link, at, kind::LINK, 0);
    }

    /// Ends the transfer under way and begins the next.
    #[inline(always)]
    pub fn done(&mut self, env: &mut Env, commands: &mut Commands) -> LinkDone {
        let done = self.current.take().expect("a transfer was under way");
        if let Some(next) = self.waiting.pop_front() {
            self.start(env, commands, next);
        }
        done.done()
    }
}
