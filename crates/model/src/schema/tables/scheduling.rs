//! `[scheduling]`: which of the work that waits for a die is next.

use crate::nand::{Credits, Scheduling as Policy};

use super::super::key::{Field, table};
use super::super::rules::OneOf;

table! {
    /// Which of the work that waits for a die is next. Reads of the host go before its programs,
    /// and these before garbage collection, folding and erases. Without the table, any number may
    /// pass, as with `"strict"`.
    pub struct Scheduling = "scheduling" {
        /// `"credits"`: as many operations as the two keys below say may pass waiting work of a
        /// lower class, which is next then. `"strict"`: any number may.
        policy: Field<String> = CREDITS.to_owned(), OneOf(&POLICIES);
        /// Reads of the host that may pass a waiting program of its data.
        program_after: Field<u32> = PROGRAM_AFTER, 1..=100_000;
        /// Reads and programs of the host that may pass waiting work of the drive itself.
        background_after: Field<u32> = BACKGROUND_AFTER, 1..=100_000;
    }
}

const CREDITS: &str = "credits";
const PROGRAM_AFTER: u32 = 16;
const BACKGROUND_AFTER: u32 = 32;

/// Policies, by name.
const POLICIES: [(&str, ()); 2] = [(CREDITS, ()), ("strict", ())];

impl Scheduling {
    /// The figures of a simulation.
    pub(in crate::schema) fn spec(&self) -> Policy {
        match self.policy.value == CREDITS {
            false => Policy::Strict,
            true => Policy::Credits(Credits {
                program_after: self.program_after.value,
                background_after: self.background_after.value,
            }),
        }
    }
}
