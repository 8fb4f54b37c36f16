//! Whether the drive has power, and how far its recovery has come.

use stend_base::{Nanos, SimTime};

use crate::sim::ids::{MpPage, SuperblockId};

/// Whether the drive has power and serves commands.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Power {
    On,
    /// Since this instant.
    Off(SimTime, Recovery),
    /// Powered up at this instant.
    Recovering(SimTime, Recovery),
}

/// What there is to do at the next start.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Recovery {
    /// Multi-plane pages whose state is to be found out.
    pub(super) scan: Vec<MpPage>,
    /// Superblocks to be erased.
    pub(super) erase: Vec<SuperblockId>,
    /// Pages of partial parity to be read back.
    pub(super) parity_pages: u32,
    /// Reads not yet ended.
    pub(super) reads: u32,
    /// All reads have ended.
    read: bool,
}

/// The power, and how long there was none.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct PowerState {
    power: Power,
    /// Time without power, up to the last start.
    off: Nanos,
}

impl PowerState {
    pub fn new() -> PowerState {
        PowerState {
            power: Power::On,
            off: Nanos::ZERO,
        }
    }

    /// Whether commands are served.
    #[inline]
    pub fn is_serving(&self) -> bool {
        self.power == Power::On
    }

    /// Whether a recovery is under way.
    pub fn is_recovering(&self) -> bool {
        matches!(self.power, Power::Recovering(..))
    }

    /// Whether there is power.
    pub fn is_on(&self) -> bool {
        !matches!(self.power, Power::Off(..))
    }

    /// Whether a recovery has read everything.
    pub fn has_read_back(&self) -> bool {
        matches!(&self.power, Power::Recovering(_, recovery) if recovery.read)
    }

    /// The power goes while the drive recovers: all is to be done again, since nothing in flash has
    /// changed yet.
    pub(super) fn interrupt(&mut self, now: SimTime) {
        let Recovery { reads, read, .. } = self.recovery();
        (*reads, *read) = (0, false);
        let recovery = self.recovery().clone();
        self.turn_off(now, recovery);
    }

    /// The power is off from now on.
    pub(super) fn turn_off(&mut self, now: SimTime, recovery: Recovery) {
        self.power = Power::Off(now, recovery);
    }

    /// # Panics
    /// When the power is not off.
    pub(super) fn turn_on(&mut self, now: SimTime) {
        let Power::Off(since, recovery) = &self.power else {
            panic!("the power is on");
        };
        self.off += now.since(*since);
        self.power = Power::Recovering(now, recovery.clone());
    }

    /// The recovery under way.
    pub(super) fn recovery(&mut self) -> &mut Recovery {
        match &mut self.power {
            Power::Recovering(_, recovery) => recovery,
            Power::On | Power::Off(..) => unreachable!("the drive is recovering"),
        }
    }

    /// Serves commands from now on: how long the recovery took, and what it is to erase.
    pub(super) fn serve(&mut self, now: SimTime) -> (Nanos, Vec<SuperblockId>) {
        match std::mem::replace(&mut self.power, Power::On) {
            Power::Recovering(since, recovery) => (now.since(since), recovery.erase),
            Power::On | Power::Off(..) => unreachable!("the drive is recovering"),
        }
    }

    /// How long there was no power.
    pub fn off_ns(&self, now: SimTime) -> u64 {
        match self.power {
            Power::Off(since, _) => self.off.0 + now.since(since).0,
            Power::On | Power::Recovering(..) => self.off.0,
        }
    }
}

impl Recovery {
    pub fn new(scan: Vec<MpPage>, erase: Vec<SuperblockId>) -> Recovery {
        Recovery {
            scan,
            erase,
            parity_pages: 0,
            reads: 0,
            read: false,
        }
    }

    /// A read has ended; whether it was the last.
    pub fn read_done(&mut self) -> bool {
        self.reads -= 1;
        self.read = self.reads == 0;
        self.read
    }
}
