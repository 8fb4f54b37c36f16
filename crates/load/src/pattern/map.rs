//! Blocks that a pass has touched, for requests of several lengths: as in fio, a request that would
//! reach a touched block is shortened, so that every block is touched once.

/// One bit for each block.
#[derive(Clone, Debug)]
pub struct RandomMap {
    len: u64,
    touched: Box<[u64]>,
}

impl RandomMap {
    /// A map of `len` blocks, none of them touched.
    pub fn new(len: u64) -> RandomMap {
        RandomMap {
            len,
            touched: vec![0; len.div_ceil(64) as usize].into_boxed_slice(),
        }
    }

    /// Clears the map for a new pass.
    pub fn clear(&mut self) {
        self.touched.fill(0);
    }

    fn is_touched(&self, block: u64) -> bool {
        self.touched[(block / 64) as usize] >> (block % 64) & 1 != 0
    }

    /// The first untouched block from this one on, or else from the beginning; `None` if none is
    /// left.
    pub fn next_untouched(&self, from: u64) -> Option<u64> {
        let find = |from: u64, to: u64| {
            let words = (from / 64) as usize..to.div_ceil(64) as usize;
            let untouched = words.filter_map(|word| {
                let low = from.saturating_sub(word as u64 * 64).min(63);
                let bits = !self.touched[word] >> low << low;
                (bits != 0).then(|| word as u64 * 64 + u64::from(bits.trailing_zeros()))
            });
            untouched.take(1).find(|block| *block < to)
        };
        find(from, self.len).or_else(|| find(0, from))
    }

    /// Touches up to `most` blocks from the untouched block `first` on, up to the next touched one.
    /// Returns their number.
    pub fn touch(&mut self, first: u64, most: u64) -> u64 {
        let end = (first + most).min(self.len);
        let mut block = first;
        while block < end && !self.is_touched(block) {
            self.touched[(block / 64) as usize] |= 1 << (block % 64);
            block += 1;
        }
        block - first
    }
}
