//! State of the power, and progress of the recovery.

use stend_base::{Nanos, SimTime};

use crate::sim::ids::{MpPage, SuperblockId};

/// State of the power and of the recovery.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Power {
    #[default]
    On,
    /// Off since this instant.
    Off(SimTime, Recovery),
    /// Powered up at this instant.
    Recovering(SimTime, Recovery),
}

/// Work of the next start.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Recovery {
    /// Multi-plane pages whose state must be found.
    pub(super) scan: Vec<MpPage>,
    /// Superblocks to be erased.
    pub(super) erase: Vec<SuperblockId>,
    /// Pages of partial parity to be read back.
    pub(super) parity_pages: u32,
    /// Reads not yet ended.
    pub(super) reads: u32,
    /// True if all reads have ended.
    read: bool,
}

/// The power, and the time without it.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct PowerState {
    power: Power,
    /// Time without power, up to the last start.
    off: Nanos,
}

impl PowerState {
    /// True if commands are served.
    #[inline]
    pub fn is_serving(&self) -> bool {
        self.power == Power::On
    }

    /// True if a recovery is under way.
    pub fn is_recovering(&self) -> bool {
        matches!(self.power, Power::Recovering(..))
    }

    /// True if there is power.
    pub fn is_on(&self) -> bool {
        !matches!(self.power, Power::Off(..))
    }

    /// True if a recovery has read everything.
    pub fn has_read_back(&self) -> bool {
        matches!(&self.power, Power::Recovering(_, recovery) if recovery.read)
    }

    /// Turns the power off during a recovery: it must start over, since nothing in flash has
    /// changed yet.
    pub(super) fn interrupt(&mut self, now: SimTime) {
        let Recovery { reads, read, .. } = self.recovery();
        (*reads, *read) = (0, false);
        let recovery = self.recovery().clone();
        self.turn_off(now, recovery);
    }

    /// Turns the power off.
    pub(super) fn turn_off(&mut self, now: SimTime, recovery: Recovery) {
        self.power = Power::Off(now, recovery);
    }

    /// # Panics
    /// If the power is not off.
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

    /// Serves commands from now on. Returns the duration of the recovery, and the superblocks to be
    /// erased.
    pub(super) fn serve(&mut self, now: SimTime) -> (Nanos, Vec<SuperblockId>) {
        match std::mem::replace(&mut self.power, Power::On) {
            Power::Recovering(since, recovery) => (now.since(since), recovery.erase),
            Power::On | Power::Off(..) => unreachable!("the drive is recovering"),
        }
    }

    /// Time without power, ns.
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

    /// Counts a read that has ended. Returns true if it was the last.
    pub fn read_done(&mut self) -> bool {
        self.reads -= 1;
        self.read = self.reads == 0;
        self.read
    }
}
