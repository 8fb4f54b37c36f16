//! The changes of the mapping that a log of them holds.

const NONE: u32 = u32::MAX;

/// What has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) enum Change {
    /// `units` units from `first` on lie at as many places from `to` on, in one slot.
    Write,
    /// `units` units from `first` on have lost their address.
    Trim,
    /// The bits in `units` tell which places from `first` on were moved, one after another
    /// from `to` on.
    Gather,
    /// The same, each to the same place within the slot at `to`.
    Transplant,
    /// The bits in `units` tell which places from `first` on cannot be read any more.
    Lose,
    /// What lies in `units` units from `first` on was lost before their write was in the log.
    WriteLost,
}

/// A change, which names units or places.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Entry {
    pub change: Change,
    /// The last of its request.
    pub ends: bool,
    /// Units that the journal names for it, where these are not as many as `units` says:
    /// counted once, since that is asked for several times.
    named: u16,
    pub first: u32,
    pub units: u32,
    pub to: u32,
}

/// What was looked at last: most changes of the log lie where one shortly before does, and
/// each stream goes on by itself.
#[derive(Clone, Copy, Debug)]
pub(in crate::sim) struct Recent {
    found: [u32; 8],
    next: usize,
}

impl Default for Recent {
    fn default() -> Recent {
        Recent {
            found: [NONE; 8],
            next: 0,
        }
    }
}

impl Recent {
    #[inline]
    pub fn has(&self, number: u32) -> bool {
        self.found.contains(&number)
    }

    #[inline]
    pub fn add(&mut self, number: u32) {
        self.found[self.next] = number;
        self.next = (self.next + 1) % self.found.len();
    }
}

/// Slots, from one up to another without it, that were looked at last.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::sim) struct Spans {
    /// The one that was found last, or added.
    last: (u32, u32),
    found: [(u32, u32); 8],
    next: usize,
}

impl Spans {
    #[inline]
    pub fn has(&mut self, slot: u32) -> bool {
        (self.last.0 <= slot && slot < self.last.1) || self.find(slot)
    }

    #[inline]
    fn find(&mut self, slot: u32) -> bool {
        let mut found = self.found.iter();
        let found = found.find(|&&(first, end)| first <= slot && slot < end);
        if let Some(&found) = found {
            self.last = found;
        }
        found.is_some()
    }

    #[inline]
    pub fn add(&mut self, first: u32, end: u32) {
        self.last = (first, end);
        self.found[self.next] = self.last;
        self.next = (self.next + 1) % self.found.len();
    }
}

impl Entry {
    /// A change that is the last of its request.
    #[inline]
    pub fn new(change: Change, first: u32, units: u32, to: u32) -> Entry {
        let named = match change {
            Change::Write | Change::WriteLost => 0,
            Change::Trim => 1,
            Change::Gather | Change::Transplant | Change::Lose => units.count_ones() as u16,
        };
        Entry {
            change,
            ends: true,
            named,
            first,
            units,
            to,
        }
    }

    /// Units that the journal has to name.
    #[inline]
    pub fn named(self) -> u64 {
        match self.change {
            Change::Write | Change::WriteLost => u64::from(self.units),
            _ => u64::from(self.named),
        }
    }

    /// Places that must be programmed before it is ready: the first and how many.
    #[inline]
    pub fn places(self) -> Option<(u32, u32)> {
        // Which of the two it is cannot be foretold: that must not be a branch.
        matches!(self.change, Change::Write | Change::Gather)
            .then(|| (self.to, self.named() as u32))
    }
}
