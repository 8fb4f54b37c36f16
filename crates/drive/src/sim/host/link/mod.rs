//! The way of commands and data between host and controller.
//!
//! A link moves transfers and says when one has ended. What a transfer costs, and whether
//! both directions share the medium, is the affair of the kind of link.

mod pcie;
mod sata;

use crate::sim::SimDrive;
use crate::spec::HostSpec;
use pcie::Pcie;
use sata::Sata;

/// What crosses the link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Load {
    /// Data of a read, to the host.
    #[default]
    ReadData,
    /// Data of a write, from the host.
    WriteData,
}

/// Data of one command on its way over the link.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Transfer {
    pub command: u32,
    pub bytes: u32,
    pub load: Load,
}

/// The link of a drive.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) enum Link {
    Sata(Sata),
    Pcie(Pcie),
}

impl Link {
    pub fn new(host: &HostSpec) -> Link {
        match &host.pcie {
            None => Link::Sata(Sata::new(host)),
            Some(pcie) => Link::Pcie(Pcie::new(pcie)),
        }
    }

    /// Things of the link that await events of their own.
    pub fn things(host: &HostSpec) -> u32 {
        match host.pcie {
            None => sata::THINGS,
            Some(_) => pcie::THINGS,
        }
    }

    /// Nothing is on its way any more.
    pub fn power_cut(&mut self) {
        match self {
            Link::Sata(sata) => sata.power_cut(),
            Link::Pcie(pcie) => pcie.power_cut(),
        }
    }

    /// Whether anything is on its way.
    pub fn is_busy(&self) -> bool {
        match self {
            Link::Sata(sata) => sata.is_busy(),
            Link::Pcie(pcie) => pcie.is_busy(),
        }
    }

    /// Time that its media were taken, summed over directions.
    pub fn busy_ns(&self) -> u64 {
        match self {
            Link::Sata(sata) => sata.busy_ns(),
            Link::Pcie(pcie) => pcie.busy_ns(),
        }
    }
}

impl SimDrive {
    /// Queues a transfer of data.
    #[inline(always)]
    pub(in crate::sim) fn link_send(&mut self, transfer: Transfer) {
        match self.link {
            Link::Sata(_) => self.sata_send(transfer),
            Link::Pcie(_) => self.pcie_send_data(transfer),
        }
    }

    /// A thing of the link has ended what it did.
    #[inline(always)]
    pub(in crate::sim) fn link_done(&mut self, thing: u32) {
        match self.link {
            Link::Sata(_) => self.sata_done(),
            Link::Pcie(_) => self.pcie_done(thing),
        }
    }

    /// The data of a transfer has arrived.
    #[inline(always)]
    fn link_delivers(&mut self, done: Transfer) {
        match done.load {
            Load::ReadData => self.read_sent(done.command, done.bytes),
            Load::WriteData => self.write_received(done.command, done.bytes),
        }
    }

    /// Brings a command of which the drive has been told to the controller.
    #[inline(always)]
    pub(in crate::sim) fn link_fetches(&mut self, command: u32) {
        match self.link {
            // The register FIS is part of the way to the controller.
            Link::Sata(_) => self.command_fetched(command),
            Link::Pcie(_) => self.pcie_fetch(command),
        }
    }

    /// Tells the host that a command has ended.
    #[inline(always)]
    pub(in crate::sim) fn link_reports(&mut self, command: u32) {
        match self.link {
            // The set-device-bits FIS is part of the cost of the command's transfer.
            Link::Sata(_) => self.command_reported(command),
            Link::Pcie(_) => self.pcie_report(command),
        }
    }
}
