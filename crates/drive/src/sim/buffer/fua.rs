//! Force unit access: writes that wait for the programs that hold their data.

use crate::sim::ids::CommandId;

/// A command that waits for a program.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Waiter {
    command: CommandId,
    next: u32,
}

/// Commands that wait for programs: a list for each program that has any.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Waiters {
    waiters: Vec<Waiter>,
    free: Vec<u32>,
}

/// The first of a list of commands; beyond the largest index, an empty list.
#[derive(Clone, Copy, Debug)]
pub(in crate::sim) struct WaiterList(pub(super) u32);

impl Waiters {
    /// Puts a command before a list; the new list.
    pub fn add(&mut self, command: CommandId, next: u32) -> u32 {
        let waiter = Waiter { command, next };
        if let Some(index) = self.free.pop() {
            self.waiters[index as usize] = waiter;
            return index;
        }
        self.waiters.push(waiter);
        (self.waiters.len() - 1) as u32
    }

    /// Takes the first of a list, which is not empty.
    pub fn take(&mut self, list: &mut WaiterList) -> CommandId {
        self.free.push(list.0);
        let Waiter { command, next } = self.waiters[list.0 as usize];
        list.0 = next;
        command
    }
}
