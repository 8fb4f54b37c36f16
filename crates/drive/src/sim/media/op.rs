//! Purpose of an operation of the flash.

use crate::sim::ids::{CommandId, DieId, MpPage, SuperblockId};

/// Purpose of an operation beside data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) enum Upkeep {
    RecoveryRead = 0,
    JournalPage = 1,
    CheckpointPage = 2,
    JournalErase = 3,
    PartialParity = 4,
}

impl Upkeep {
    pub const ALL: [Upkeep; 5] = [
        Upkeep::RecoveryRead,
        Upkeep::JournalPage,
        Upkeep::CheckpointPage,
        Upkeep::JournalErase,
        Upkeep::PartialParity,
    ];
}

/// Purpose of a NAND operation; stored with it as a 64-bit cookie.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) enum NandOp {
    /// Part of a host read: command, and bytes for the link.
    HostRead { command: CommandId, bytes: u32 },
    /// Part of a read-ahead: its entry.
    ReadAhead { entry: u32 },
    /// A read that a program waits for: the old content of a page that is only partly written, or a
    /// page of the L2P.
    Merge { program: u32 },
    /// A program of data.
    Program { program: u32 },
    /// A program of parity, by its first multi-plane page.
    Parity { mp_page: MpPage },
    /// A read of GC: the multi-plane page.
    Gc { mp_page: MpPage },
    /// On-chip copy of a word line on one die: its number within the superblock.
    Fold { within: u32 },
    /// Erase of a superblock's blocks on one die.
    Erase {
        superblock: SuperblockId,
        die: DieId,
    },
    /// A page that no pass corrects: entry of its rebuild.
    Unreadable { rebuild: u32 },
    /// Read of another page of its stripe: entry of the rebuild.
    Rebuild { rebuild: u32 },
    /// Read of a page of the L2P on flash: entry of the job that waits for it.
    L2pRead { waiting: u32 },
    /// Write-back of pages of the L2P, or the erase of their block.
    L2pWritten,
    /// Operation beside data: journal, checkpoints, recovery.
    Upkeep { what: Upkeep },
    /// A patrol read of a block of this superblock.
    Patrol { superblock: SuperblockId },
}

impl NandOp {
    /// The operation as one 64-bit number.
    #[inline]
    pub fn pack(self) -> u64 {
        let (code, a, b) = match self {
            NandOp::HostRead { command, bytes } => (0, command.0, bytes),
            NandOp::ReadAhead { entry } => (1, entry, 0),
            NandOp::Merge { program } => (2, program, 0),
            NandOp::Program { program } => (3, program, 0),
            NandOp::Parity { mp_page } => (4, mp_page.0, 0),
            NandOp::Gc { mp_page } => (5, mp_page.0, 0),
            NandOp::Fold { within } => (6, within, 0),
            NandOp::Erase { superblock, die } => (7, superblock.0, die.0),
            NandOp::Unreadable { rebuild } => (8, rebuild, 0),
            NandOp::Rebuild { rebuild } => (9, rebuild, 0),
            NandOp::L2pRead { waiting } => (10, waiting, 0),
            NandOp::L2pWritten => (11, 0, 0),
            NandOp::Upkeep { what } => (12, what as u32, 0),
            NandOp::Patrol { superblock } => (13, superblock.0, 0),
        };
        debug_assert!(b < 1 << 24);
        u64::from(a) | u64::from(b) << 32 | code << 56
    }

    /// The operation that was packed.
    #[inline]
    pub fn unpack(cookie: u64) -> NandOp {
        let a = cookie as u32;
        let b = (cookie >> 32) as u32 & 0xff_ffff;
        match cookie >> 56 {
            0 => NandOp::HostRead {
                command: CommandId(a),
                bytes: b,
            },
            1 => NandOp::ReadAhead { entry: a },
            2 => NandOp::Merge { program: a },
            3 => NandOp::Program { program: a },
            4 => NandOp::Parity { mp_page: MpPage(a) },
            5 => NandOp::Gc { mp_page: MpPage(a) },
            6 => NandOp::Fold { within: a },
            7 => NandOp::Erase {
                superblock: SuperblockId(a),
                die: DieId(b),
            },
            8 => NandOp::Unreadable { rebuild: a },
            9 => NandOp::Rebuild { rebuild: a },
            10 => NandOp::L2pRead { waiting: a },
            11 => NandOp::L2pWritten,
            12 => NandOp::Upkeep {
                what: Upkeep::ALL[a as usize],
            },
            13 => NandOp::Patrol {
                superblock: SuperblockId(a),
            },
            code => unreachable!("no purpose has the code {code}"),
        }
    }
}
