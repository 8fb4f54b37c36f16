//! Writes with FUA, which wait for the programs that hold their data.

use crate::sim::ids::CommandId;
use crate::sim::slab::Slab;

/// A command that waits for a program.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Waiter {
    command: CommandId,
    next: u32,
}

/// Commands that wait for programs: one list for each program with waiting commands.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Waiters(Slab<Waiter>);

/// First entry of a list of commands; an index beyond the largest means an empty list.
#[derive(Clone, Copy, Debug)]
pub(in crate::sim) struct WaiterList(pub(super) u32);

impl Waiters {
    /// Adds a command at the head of a list. Returns the new list.
    pub fn add(&mut self, command: CommandId, next: u32) -> u32 {
        self.0.insert(Waiter { command, next })
    }

    /// Removes and returns the first command of a list, which must not be empty.
    pub fn take(&mut self, list: &mut WaiterList) -> CommandId {
        self.0.remove(list.0);
        let Waiter { command, next } = self.0[list.0];
        list.0 = next;
        command
    }
}
