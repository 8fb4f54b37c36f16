//! A random order in which every block occurs exactly once, without a map of the blocks.
//!
//! fio keeps a bitmap of the touched blocks. Here the same kind of order, every block once and then
//! a new order, is made by a keyed bijection: a Feistel network of four rounds over pairs (l, r)
//! with l < a and r < b, where b = ⌈√n⌉ and a = ⌈n / b⌉, so that a · b exceeds n by less than b. A
//! pair whose number l · b + r is not below n passes the network again ("cycle walking", Black and
//! Rogaway, "Ciphers with Arbitrary Finite Domains", 2002); the share of such pairs is below 1 /
//! √n. Memory: 7 words.

use stend_base::Rng;

/// A keyed bijection of the numbers below `len`.
#[derive(Clone, Debug)]
pub struct Permutation {
    len: u64,
    left: u64,
    right: u64,
    keys: [u64; 4],
}

impl Permutation {
    /// A permutation of the numbers below `len`, drawn from `rng`.
    ///
    /// # Panics
    /// If `len` is 0 or above 2^52.
    pub fn new(len: u64, rng: &mut Rng) -> Permutation {
        assert!(
            (1..=1 << 52).contains(&len),
            "{len} blocks cannot be permuted"
        );
        let mut right = len.isqrt();
        if right * right < len {
            right += 1;
        }
        Permutation {
            len,
            left: len.div_ceil(right),
            right,
            keys: std::array::from_fn(|_| rng.next_u64()),
        }
    }

    /// Count of the numbers.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Never true: there is at least one number.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number to which `index` (below [`Permutation::len`]) is mapped.
    pub fn apply(&self, index: u64) -> u64 {
        debug_assert!(index < self.len);
        self.pair(index / self.right, index % self.right)
    }

    #[inline]
    fn pair(&self, mut l: u64, mut r: u64) -> u64 {
        loop {
            l = add(l, mixed(r, self.keys[0], self.left), self.left);
            r = add(r, mixed(l, self.keys[1], self.right), self.right);
            l = add(l, mixed(r, self.keys[2], self.left), self.left);
            r = add(r, mixed(l, self.keys[3], self.right), self.right);
            let number = l * self.right + r;
            if number < self.len {
                return number;
            }
        }
    }
}

#[inline]
fn add(a: u64, b: u64, modulus: u64) -> u64 {
    let sum = a + b;
    if sum >= modulus { sum - modulus } else { sum }
}

/// A number below `bound` that depends on every bit of `value` and `key`. The network is a
/// bijection for any such function; this one (two multiplications, as in SplitMix64's finaliser)
/// makes it look random.
#[inline]
fn mixed(value: u64, key: u64, bound: u64) -> u64 {
    let mut hash = (value ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    ((u128::from(hash) * u128::from(bound)) >> 64) as u64
}

/// Passes over all blocks, each in a new random order.
#[derive(Clone, Debug)]
pub struct RandomPasses {
    order: Permutation,
    rng: Rng,
    next: u64,
    // `next` as a pair, stored so that no request costs a division.
    l: u64,
    r: u64,
}

impl RandomPasses {
    /// Passes over the numbers below `len`.
    ///
    /// # Panics
    /// If `len` is 0 or above 2^52.
    pub fn new(len: u64, mut rng: Rng) -> RandomPasses {
        RandomPasses {
            order: Permutation::new(len, &mut rng),
            rng,
            next: 0,
            l: 0,
            r: 0,
        }
    }

    /// The next number; `None` once at the end of every pass.
    #[inline]
    pub fn next_index(&mut self) -> Option<u64> {
        if self.next == self.order.len {
            self.order = Permutation::new(self.order.len, &mut self.rng);
            (self.next, self.l, self.r) = (0, 0, 0);
            return None;
        }
        let index = self.order.pair(self.l, self.r);
        self.next += 1;
        self.r += 1;
        if self.r == self.order.right {
            self.r = 0;
            self.l += 1;
        }
        Some(index)
    }
}
