//! Wear and the safety of data: the effect of each mechanism, and its absence without the
//! mechanism. The pictures and figures of `docs/wear.md` are drawn from the same runs:
//! `STEND_BLESS=1 cargo test -p stend-simulated --test wear page` rewrites them.

#![allow(missing_docs)]

mod cache;
mod cells;
mod load;
mod old_data;
mod page;
mod parity;
mod small;
mod spare;
mod svg;
mod warranty;
