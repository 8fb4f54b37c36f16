//! Safety of the user's data: targets that are in use or not named a second time are refused, and
//! a target that may be touched is held until its test has ended.

pub(crate) mod consent;
pub(crate) mod device_claim;
pub(crate) mod file_claim;
pub(crate) mod file_mark;
pub(crate) mod open_target;
pub(crate) mod opened_target;
pub(crate) mod permission;
pub(crate) mod preview;
pub(crate) mod read_only;
pub(crate) mod removal;
pub(crate) mod survey;
pub(crate) mod users;
