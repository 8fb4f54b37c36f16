//! Memory of large tables that are no longer used, kept for the next ones.
//!
//! Each point of a review runs on its own copy of a prepared drive, and points that write much need
//! tables of their own ([`super::shared_table`]). The kernel zeroes memory that is new to the
//! process page by page before it is written, which takes several times as long as the copying.
//! Nothing here changes a result.

use parking_lot::Mutex;

use crate::table::memory;

/// Tables of fewer entries are not worth keeping: 1 MiB.
const ENTRIES_MIN: usize = 1 << 18;
/// Maximum of kept memory, 4 GiB: four copies of a drive of 500 GB. Memory that fits no request is
/// freed before new memory is allocated, so that keeping it does not raise the peak use.
const ENTRIES_KEPT_MAX: usize = 1 << 30;

/// Tables without content, the latest last.
struct Shelf {
    tables: Vec<Vec<u32>>,
    entries_max: usize,
}

static SHELF: Mutex<Shelf> = Mutex::new(Shelf {
    tables: Vec::new(),
    entries_max: ENTRIES_KEPT_MAX,
});

impl Shelf {
    fn put(&mut self, mut table: Vec<u32>) {
        table.clear();
        self.tables.push(table);
        let mut entries: usize = self.tables.iter().map(Vec::capacity).sum();
        while entries > self.entries_max {
            entries -= self.tables.remove(0).capacity();
        }
    }

    /// The smallest table with room for `len` entries, and for no more than twice as many: memory
    /// that stays unused was in use before. Without one, the oldest tables are freed to make room
    /// for `len` entries.
    fn take(&mut self, len: usize) -> Option<Vec<u32>> {
        let tables = self.tables.iter().enumerate();
        let fitting = tables.filter(|(_, table)| (len..=2 * len).contains(&table.capacity()));
        if let Some((place, _)) = fitting.min_by_key(|(_, table)| table.capacity()) {
            return Some(self.tables.remove(place));
        }
        let mut freed = 0;
        while freed < len && !self.tables.is_empty() {
            freed += self.tables.remove(0).capacity();
        }
        None
    }
}

/// A copy of a table.
pub(super) fn copy(of: &[u32]) -> Vec<u32> {
    let mut table = room(of.len());
    table.extend_from_slice(of);
    table
}

/// A table of `len` equal entries.
pub(super) fn table(value: u32, len: usize) -> Vec<u32> {
    let mut table = room(len);
    table.resize(len, value);
    table
}

fn room(len: usize) -> Vec<u32> {
    let mut shelf = SHELF.lock();
    let kept = (len >= ENTRIES_MIN).then(|| shelf.take(len)).flatten();
    drop(shelf);
    kept.unwrap_or_else(|| memory::room(len))
}

/// Keeps the memory of a table.
pub(super) fn give_back(table: Vec<u32>) {
    if table.capacity() >= ENTRIES_MIN {
        let mut shelf = SHELF.lock();
        shelf.put(table);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shelf() -> Shelf {
        Shelf {
            tables: Vec::new(),
            entries_max: 3000,
        }
    }

    #[test]
    fn a_table_is_used_again_where_it_fits_and_holds_nothing() {
        let mut shelf = shelf();
        shelf.put(vec![7; 1000]);
        let table = shelf.take(500).expect("it fits");
        assert!(table.is_empty() && table.capacity() >= 1000);
        assert!(shelf.take(500).is_none(), "it is no longer there");
    }

    #[test]
    fn the_smallest_that_fits_is_taken() {
        let mut shelf = shelf();
        for len in [1000, 900, 800] {
            shelf.put(Vec::with_capacity(len));
        }
        // The next request needs the larger table.
        for (len, capacity) in [(850, 900), (700, 800), (950, 1000)] {
            let table = shelf.take(len).expect("it fits");
            assert_eq!(table.capacity(), capacity);
        }
    }

    #[test]
    fn what_fits_nobody_makes_way() {
        let mut shelf = shelf();
        for len in [1000, 900, 800] {
            shelf.put(Vec::with_capacity(len));
        }
        assert!(shelf.take(399).is_none(), "more than half would lie idle");
        assert_eq!(shelf.tables.len(), 2);
        assert!(shelf.take(1001).is_none());
        assert!(shelf.tables.is_empty());
    }

    #[test]
    fn the_oldest_go_when_there_are_too_many() {
        let mut shelf = shelf();
        for len in [1000, 1200, 1400] {
            shelf.put(Vec::with_capacity(len));
        }
        let kept: Vec<usize> = shelf.tables.iter().map(Vec::capacity).collect();
        assert_eq!(kept, [1200, 1400]);
        shelf.put(Vec::with_capacity(9000));
        assert!(shelf.tables.is_empty());
    }

    #[test]
    fn what_was_kept_does_not_show() {
        give_back(vec![7; ENTRIES_MIN]);
        assert_eq!(table(3, ENTRIES_MIN - 9), vec![3; ENTRIES_MIN - 9]);
        give_back(vec![7; ENTRIES_MIN]);
        let of: Vec<u32> = (0..ENTRIES_MIN as u32).collect();
        assert_eq!(copy(&of), of);
    }
}
