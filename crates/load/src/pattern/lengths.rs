//! Lengths of requests: `bs`, `bsrange`, `bssplit`.

use stend_base::Rng;

use crate::jobfile::BlockSizes;

/// A source of lengths.
#[derive(Clone, Debug)]
pub struct Lengths {
    sizes: BlockSizes,
    rng: Rng,
}

impl Lengths {
    /// Lengths for the sizes of a job.
    pub fn new(sizes: BlockSizes, rng: Rng) -> Lengths {
        Lengths { sizes, rng }
    }

    /// The next length, bytes, not above `room_bytes`; `None` if not even the smallest fits. Near
    /// the end of a region, a length that does not fit is replaced by the largest that does (fio
    /// draws again until one fits).
    #[inline]
    pub fn next_bytes(&mut self, room_bytes: u64) -> Option<u64> {
        if let BlockSizes::Fixed(bytes) = self.sizes {
            return (bytes <= room_bytes).then_some(bytes);
        }
        self.drawn(room_bytes)
    }

    fn drawn(&mut self, room_bytes: u64) -> Option<u64> {
        match &self.sizes {
            BlockSizes::Fixed(bytes) => (*bytes <= room_bytes).then_some(*bytes),
            BlockSizes::Range { min, max } => {
                let bytes = min * (1 + self.rng.below(max / min));
                let fits = room_bytes - room_bytes % min;
                (fits > 0).then_some(bytes.min(fits))
            }
            BlockSizes::Split(weights) => {
                let mut draw = self.rng.below(100);
                let mut chosen = 0;
                for (bytes, percent) in weights {
                    chosen = *bytes;
                    match draw.checked_sub(u64::from(*percent)) {
                        Some(left) => draw = left,
                        None => break,
                    }
                }
                if chosen <= room_bytes {
                    return Some(chosen);
                }
                let fitting = weights.iter().map(|w| w.0).filter(|b| *b <= room_bytes);
                fitting.max()
            }
        }
    }
}
