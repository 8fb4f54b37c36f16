//! Zones that each receive a share of the draws (fio's `zoned` and `zoned_abs`); within a zone, all
//! blocks are equally likely.

use stend_base::Rng;

use crate::jobfile::{AccessZone, Extent};

/// Blocks of a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    first: u64,
    len: u64,
}

/// Draws of blocks by zones.
#[derive(Clone, Debug)]
pub struct Zoned {
    /// Zone of each percent of the draws.
    by_percent: Vec<Range>,
    rng: Rng,
}

impl Zoned {
    /// Draws below `len` blocks of `block_bytes`, by zones whose shares add up to 100; `len` is
    /// above 0. As in fio, bounds are rounded down to whole blocks, and a zone below a block is the
    /// block at its beginning.
    pub fn new(len: u64, block_bytes: u64, zones: &[AccessZone], rng: Rng) -> Zoned {
        let mut by_percent = Vec::with_capacity(100);
        let (mut percent, mut bytes) = (0, 0u64);
        for zone in zones {
            let range = match zone.size {
                Extent::Percent(size) => {
                    let share = |percent: u32| {
                        (u128::from(len) * u128::from(percent) / 100).min(u128::from(len)) as u64
                    };
                    let first = share(percent);
                    percent += size;
                    Range {
                        first,
                        len: share(size),
                    }
                }
                Extent::Bytes(size) => {
                    let first = bytes / block_bytes;
                    bytes = bytes.saturating_add(size);
                    Range {
                        first,
                        len: bytes / block_bytes - first,
                    }
                }
            };
            let first = range.first.min(len - 1);
            let range = Range {
                first,
                len: range.len.clamp(1, len - first),
            };
            by_percent.extend((0..zone.percent).map(|_| range));
        }
        Zoned { by_percent, rng }
    }

    /// Bytes up to the end of the last zone, if the zones have sizes in bytes.
    pub fn end_bytes(zones: &[AccessZone]) -> u64 {
        let bytes = |zone: &AccessZone| match zone.size {
            Extent::Bytes(bytes) => bytes,
            Extent::Percent(_) => 0,
        };
        zones.iter().map(bytes).fold(0, u64::saturating_add)
    }

    /// The next block.
    #[inline]
    pub fn next_index(&mut self) -> u64 {
        let percent = self.rng.below(self.by_percent.len() as u64);
        let range = self.by_percent[percent as usize];
        range.first + self.rng.below(range.len)
    }
}
