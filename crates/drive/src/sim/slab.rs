//! Entries in a table whose places are used again.

use std::ops::{Index, IndexMut};

/// Entries by index; the place of a removed entry is used for the next one.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Slab<T> {
    entries: Vec<T>,
    free: Vec<u32>,
}

impl<T> Slab<T> {
    /// A table with room for `entries` before it grows.
    pub fn with_capacity(entries: usize) -> Slab<T> {
        Slab {
            entries: Vec::with_capacity(entries),
            free: Vec::with_capacity(entries),
        }
    }

    /// Adds an entry. Returns its index.
    #[inline(always)]
    pub fn insert(&mut self, entry: T) -> u32 {
        match self.free.pop() {
            Some(index) => {
                self.entries[index as usize] = entry;
                index
            }
            None => {
                self.entries.push(entry);
                (self.entries.len() - 1) as u32
            }
        }
    }

    /// Frees an entry; its content can be read until its place is used again.
    #[inline(always)]
    pub fn remove(&mut self, index: u32) {
        self.free.push(index);
    }

    /// True if any entry is in use.
    #[inline(always)]
    pub fn any(&self) -> bool {
        self.free.len() < self.entries.len()
    }

    /// All entries, also those that are no longer in use.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.entries.iter()
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.free.clear();
    }
}

impl<T> Default for Slab<T> {
    fn default() -> Slab<T> {
        Slab::with_capacity(0)
    }
}

impl<T> Index<u32> for Slab<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, index: u32) -> &T {
        &self.entries[index as usize]
    }
}

impl<T> IndexMut<u32> for Slab<T> {
    #[inline(always)]
    fn index_mut(&mut self, index: u32) -> &mut T {
        &mut self.entries[index as usize]
    }
}
