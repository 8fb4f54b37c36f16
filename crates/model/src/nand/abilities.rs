//! Operations that a die overlaps.

use stend_base::Nanos;

/// Which operations a die overlaps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Abilities {
    /// Cache read: the cells sense while data leaves.
    pub cache_read: bool,
    /// Cache program: data arrives while the cells program.
    pub cache_program: bool,
    /// Reads of the host suspend programs and erases.
    pub suspend: Option<Suspend>,
}

/// Suspending programs and erases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Suspend {
    /// From the suspend command in a program until the die can sense; `None`: not suspended.
    pub program: Option<Nanos>,
    /// From the suspend command in an erase until the die can sense; `None`: not suspended.
    pub erase: Option<Nanos>,
    /// Time that resuming takes.
    pub resume: Nanos,
    /// Maximum number of reads that one operation lets pass, so that it ends.
    pub reads_max: u32,
}
