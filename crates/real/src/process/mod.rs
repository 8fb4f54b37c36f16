//! Programs that stend starts, and folders that it removes at its end.

pub(crate) mod running;
pub(crate) mod tools;
