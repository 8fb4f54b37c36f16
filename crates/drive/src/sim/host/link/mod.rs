//! The link between host and controller: it moves transfers and reports their ends. The kind of
//! link determines the cost of a transfer, and whether both directions share the medium.

mod pcie;
mod sata;

use stend_model::spec::HostSpec;

use super::command::Commands;
use crate::sim::env::Env;
use crate::sim::ids::CommandId;
use pcie::Pcie;
use sata::Sata;

/// Direction and kind of a transfer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Load {
    /// Data of a read, to the host.
    #[default]
    ReadData,
    /// Data of a write, from the host.
    WriteData,
}

/// Data of one command on its way over the link.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
struct Transfer {
    command: CommandId,
    bytes: u32,
    load: Load,
}

impl Transfer {
    /// Result of the ended transfer.
    #[inline(always)]
    fn done(self) -> LinkDone {
        let Transfer { command, bytes, .. } = self;
        match self.load {
            Load::ReadData => LinkDone::ReadSent { command, bytes },
            Load::WriteData => LinkDone::WriteReceived { command, bytes },
        }
    }
}

/// Result of a step on the link.
#[derive(Clone, Copy, Debug)]
pub(in crate::sim) enum LinkDone {
    /// A step of a command that needs no action of the drive.
    Nothing,
    /// The controller has fetched a command.
    Fetched(CommandId),
    /// Data of a read has reached the host.
    ReadSent { command: CommandId, bytes: u32 },
    /// Data of a write has reached the controller.
    WriteReceived { command: CommandId, bytes: u32 },
    /// The end of a command has been reported to the host.
    Reported(CommandId),
}

/// The link of a drive.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) enum Link {
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

    /// Drops everything on its way.
    pub fn power_cut(&mut self) {
        match self {
            Link::Sata(sata) => sata.power_cut(),
            Link::Pcie(pcie) => pcie.power_cut(),
        }
    }

    /// True if anything is on its way.
    pub fn is_busy(&self) -> bool {
        match self {
            Link::Sata(sata) => sata.is_busy(),
            Link::Pcie(pcie) => pcie.is_busy(),
        }
    }

    /// Busy time, summed over directions that do not share a medium, ns.
    pub fn busy_ns(&self) -> u64 {
        match self {
            Link::Sata(sata) => sata.busy_ns(),
            Link::Pcie(pcie) => pcie.busy_ns(),
        }
    }

    /// Queues data of a read.
    #[inline(always)]
    pub fn send_read(
        &mut self,
        env: &mut Env,
        commands: &mut Commands,
        command: CommandId,
        bytes: u32,
    ) {
        match self {
            Link::Sata(sata) => sata.send(env, commands, command, bytes, Load::ReadData),
            Link::Pcie(pcie) => pcie.send_read(env, command, bytes),
        }
    }

    /// Queues data of a write.
    #[inline(always)]
    pub fn request_write(
        &mut self,
        env: &mut Env,
        commands: &mut Commands,
        command: CommandId,
        bytes: u32,
    ) {
        match self {
            Link::Sata(sata) => sata.send(env, commands, command, bytes, Load::WriteData),
            Link::Pcie(pcie) => pcie.request_write(env, command, bytes),
        }
    }

    /// Handles the end of a link operation.
    #[inline(always)]
    pub fn done(&mut self, env: &mut Env, commands: &mut Commands, source: u32) -> LinkDone {
        match self {
            Link::Sata(sata) => sata.done(env, commands),
            Link::Pcie(pcie) => pcie.done(env, source),
        }
    }

    /// Fetches a command that the host has announced. Returns true if the controller has it at
    /// once.
    #[inline(always)]
    pub fn fetch(&mut self, env: &mut Env, command: CommandId) -> bool {
        match self {
            // The register FIS is part of the time of a submission.
            Link::Sata(_) => true,
            Link::Pcie(pcie) => {
                pcie.fetch(env, command);
                false
            }
        }
    }

    /// Reports the end of a command to the host. Returns true if the host learns it at once.
    #[inline(always)]
    pub fn report(&mut self, env: &mut Env, command: CommandId) -> bool {
        match self {
            // The set-device-bits FIS is part of the time of the command's transfer.
            Link::Sata(_) => true,
            Link::Pcie(pcie) => {
                pcie.report(env, command);
                false
            }
        }
    }
}
