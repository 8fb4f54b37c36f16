//! Dies and channels alone.

mod channels;
mod overlap;
mod timing;
