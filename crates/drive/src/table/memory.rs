//! Hints to the processor and the kernel about large tables. This is the only unsafe code of the
//! crate; no result depends on it.
//!
//! A random request touches one random place of a table of hundreds of megabytes: without
//! these hints, waiting for that one load takes three quarters of the simulation's time.
#![allow(unsafe_code)]

/// Prefetches `table[index]` into the processor's cache; no effect if there is no such entry.
#[inline]
pub(crate) fn prefetch<T>(table: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(entry) = table.get(index) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing and cannot fault; besides, the address is that of a live
        // entry.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(entry).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (table, index);
}

/// A table of `len` equal entries, on huge pages where the kernel grants them.
pub(crate) fn table<T: Copy>(value: T, len: usize) -> Vec<T> {
    let mut table = room(len);
    table.resize(len, value);
    table
}

/// A copy of a table, on huge pages where the kernel grants them.
pub(crate) fn copy<T: Copy>(of: &[T]) -> Vec<T> {
    let mut table = room(of.len());
    table.extend_from_slice(of);
    table
}

/// An empty table with room for `len` entries, on huge pages where the kernel grants them.
pub(crate) fn room<T>(len: usize) -> Vec<T> {
    let table = Vec::with_capacity(len);
    ask_for_huge_pages(&table);
    table
}

/// Requests huge pages before the memory is first touched, since that is when the kernel chooses.
fn ask_for_huge_pages<T>(table: &Vec<T>) {
    const HUGE: usize = 2 << 20;
    let begin = (table.as_ptr() as usize).next_multiple_of(HUGE);
    let end = (table.as_ptr() as usize + table.capacity() * size_of::<T>()) / HUGE * HUGE;
    #[cfg(target_os = "linux")]
    if begin < end {
        // SAFETY: the range lies within memory that the vector owns, and this advice
        // changes neither its content nor who may touch it. A refusal has no effect.
        let _ = unsafe {
            rustix::mm::madvise(
                begin as *mut std::ffi::c_void,
                end - begin,
                rustix::mm::Advice::LinuxHugepage,
            )
        };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (begin, end);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_hold_what_was_asked_for() {
        for len in [0, 1, 1000, 3 << 20] {
            let mut made = table(7u32, len);
            assert_eq!(made.len(), len);
            assert!(made.iter().all(|&v| v == 7));
            if let Some(last) = made.last_mut() {
                *last = 8;
            }
            assert_eq!(copy(&made), made);
            prefetch(&made, 0);
            prefetch(&made, len);
        }
    }
}
