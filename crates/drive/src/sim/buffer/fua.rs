//! Writes with FUA, which wait for the programs that hold their data.

use crate::sim::ids::CommandId;
use crate::sim::slab::Slab;

/// A command that waits for a program.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Waiter {
    command: CommandId,
    next: u32,
}

/// Commands that wait for programs: a list for each program that has any.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Waiters(Slab<Waiter>);

/// The first of a list of commands; beyond the largest index, an empty list.
#[derive(Clone, Copy, Debug)]
pub(in crate::sim) struct WaiterList(pub(super) u32);

impl Waiters {
    /// Puts a command at the head of a list. Returns the new list.
    pub fn add(&mut self, command: CommandId, next: u32) -> u32 {
        self.0.insert(Waiter { command, next })
    }

    /// Takes the first of a list, which is not empty.
    pub fn take(&mut self, list: &mut WaiterList) -> CommandId {
        self.0.remove(list.0);
        let Waiter { command, next } = self.0[list.0];
        list.0 = next;
        command
    }
}
