//! Entries in a row that count up: what was written in sequence lies in sequence.
//!
//! A row mostly has the 4, 8 or 16 pages of a multi-plane page. These are handled without a branch
//! and at a length that the compiler knows, so that the processor compares or stores several
//! together.

/// True if the entries of a row count up from `first` in steps of 1, or all equal `first` where
/// `step` is 0.
#[inline(always)]
pub(super) fn counts_up(row: &[u32], first: u32, step: u32) -> bool {
    if let Ok(row) = <&[u32; 8]>::try_from(row) {
        return all_count_up(row, first, step);
    }
    if let Ok(row) = <&[u32; 4]>::try_from(row) {
        return all_count_up(row, first, step);
    }
    if let Ok(row) = <&[u32; 16]>::try_from(row) {
        return all_count_up(row, first, step);
    }
    any_count_up(row, first, step)
}

#[inline(always)]
fn all_count_up<const ENTRIES: usize>(row: &[u32; ENTRIES], first: u32, step: u32) -> bool {
    let steps = step.wrapping_neg();
    *row == std::array::from_fn(|nth| first.wrapping_add(nth as u32 & steps))
}

#[inline(never)]
fn any_count_up(row: &[u32], first: u32, step: u32) -> bool {
    let mut nth = (0u32..).zip(row);
    nth.all(|(nth, &entry)| entry == first.wrapping_add(nth * step))
}

/// Lets the entries of a row count up from `first`.
#[inline(always)]
pub(super) fn count_up(row: &mut [u32], first: u32) {
    if let Ok(row) = <&mut [u32; 8]>::try_from(&mut *row) {
        *row = std::array::from_fn(|nth| first + nth as u32);
    } else if let Ok(row) = <&mut [u32; 4]>::try_from(&mut *row) {
        *row = std::array::from_fn(|nth| first + nth as u32);
    } else if let Ok(row) = <&mut [u32; 16]>::try_from(&mut *row) {
        *row = std::array::from_fn(|nth| first + nth as u32);
    } else {
        count_up_any(row, first);
    }
}

#[inline(never)]
fn count_up_any(row: &mut [u32], first: u32) {
    for (nth, entry) in (0u32..).zip(row) {
        *entry = first + nth;
    }
}
