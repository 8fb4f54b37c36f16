//! Writes that have begun to take their places, found by command and by what they overlap.

use crate::sim::data::streams::StreamId;

/// Units of the logical space that share a place in the sieve, as a power of two.
const SIEVE_UNIT_BITS: u32 = 5;
/// Places of the sieve.
const SIEVE: usize = 1024;
/// A write over more places than this is counted as a long one.
const LONG: u32 = 8;

/// A write that has begun to take its places.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct PartWrite {
    pub first: u32,
    pub end: u32,
    /// Up to here it is in the log.
    pub logged: u32,
    /// Where the piece that is being admitted goes, for which there is room.
    pub stream: StreamId,
    /// Units of it that are not yet admitted.
    pub to_admit: u32,
}

/// All of them. Requests that wait are few, and rarely overlap: a sieve tells most that they
/// do not.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct PartWrites {
    /// By command; `None` where it is no such write.
    of_command: Vec<Option<PartWrite>>,
    /// How many of them have units in each place.
    sieve: Vec<u32>,
    /// How many are not in the sieve.
    long: u32,
}

impl PartWrites {
    pub fn new() -> PartWrites {
        PartWrites {
            of_command: Vec::with_capacity(64),
            sieve: vec![0; SIEVE],
            long: 0,
        }
    }

    pub fn get(&self, command: u32) -> Option<&PartWrite> {
        self.of_command.get(command as usize)?.as_ref()
    }

    #[inline]
    pub fn get_mut(&mut self, command: u32) -> Option<&mut PartWrite> {
        self.of_command.get_mut(command as usize)?.as_mut()
    }

    /// The write of units `first..end`, which has just begun.
    #[inline]
    pub fn add(&mut self, command: u32, first: u32, end: u32, stream: StreamId) -> &mut PartWrite {
        let index = command as usize;
        if index >= self.of_command.len() {
            self.of_command.resize(index + 1, None);
        }
        self.sift(first, end, 1);
        self.of_command[index].insert(PartWrite {
            first,
            end,
            logged: first,
            stream,
            to_admit: 0,
        })
    }

    /// The write of a command has ended, if there is one.
    #[inline]
    pub fn remove(&mut self, command: u32) {
        let Some(write) = self.of_command[command as usize].take() else {
            return;
        };
        self.sift(write.first, write.end, u32::MAX);
    }

    pub fn clear(&mut self) {
        self.of_command.fill(None);
        self.sieve.fill(0);
        self.long = 0;
    }

    /// Whether one of them has units of `first..end`.
    #[inline]
    pub fn overlap(&self, first: u32, end: u32) -> bool {
        let places = places(first, end);
        let may = self.long > 0
            || places.len() as u32 > LONG
            || places
                .into_iter()
                .any(|p| self.sieve[p as usize % SIEVE] > 0);
        may && self.overlap_exactly(first, end)
    }

    #[inline(never)]
    fn overlap_exactly(&self, first: u32, end: u32) -> bool {
        let mut writes = self.of_command.iter().flatten();
        writes.any(|write| write.first < end && first < write.end)
    }

    /// Adds to where the units lie in the sieve, modulo 2^32.
    #[inline]
    fn sift(&mut self, first: u32, end: u32, more: u32) {
        let places = places(first, end);
        if places.len() as u32 > LONG {
            self.long = self.long.wrapping_add(more);
            return;
        }
        for place in places {
            let count = &mut self.sieve[place as usize % SIEVE];
            *count = count.wrapping_add(more);
        }
    }
}

/// The places that units `first..end`, at least one, have in an endless sieve.
#[inline]
fn places(first: u32, end: u32) -> std::ops::Range<u32> {
    first >> SIEVE_UNIT_BITS..((end - 1) >> SIEVE_UNIT_BITS) + 1
}

#[cfg(test)]
mod tests {
    use stend_base::Rng;

    use super::*;

    /// Against a plain list.
    #[test]
    fn overlaps_are_found() {
        let mut rng = Rng::stream(1, "part writes");
        let mut writes = PartWrites::new();
        let mut plain: Vec<(u32, u32, u32)> = Vec::new();
        let mut found = 0;
        for _ in 0..20_000 {
            let (command, first) = (rng.below(12) as u32, rng.below(20_000) as u32);
            let longest = [8, 64, 600][rng.below(3) as usize];
            let end = first + 1 + rng.below(longest) as u32;
            let overlaps = plain.iter().any(|&(_, f, e)| f < end && first < e);
            assert_eq!(writes.overlap(first, end), overlaps);
            found += u32::from(overlaps);
            let known = plain.iter().position(|write| write.0 == command);
            assert_eq!(
                writes.get(command).map(|w| (w.first, w.end)),
                known.map(|nth| (plain[nth].1, plain[nth].2))
            );
            match known {
                Some(nth) => {
                    plain.remove(nth);
                    writes.remove(command);
                }
                None => {
                    plain.push((command, first, end));
                    writes.add(command, first, end, StreamId::HOST);
                }
            }
        }
        assert!(found > 100, "only {found} overlapped");
    }
}
