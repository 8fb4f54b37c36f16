//! Conversions of keys to the figures of a simulation, which declarations of tables name.

use crate::nand::reliability::Rber;
use stend_base::Nanos;

use super::key::Field;

pub(super) fn value<T: Clone>(field: &Field<T>) -> T {
    field.value.clone()
}

pub(super) fn given<T: Clone>(field: &Option<Field<T>>) -> Option<T> {
    field.as_ref().map(value)
}

/// The value of a key; zero, or another default, if it is absent.
pub(super) fn or_default<T: Clone + Default>(field: &Option<Field<T>>) -> T {
    given(field).unwrap_or_default()
}

/// Cycles of a key; `u32::MAX`, which means never, if it is absent.
pub(super) fn cycles(field: &Option<Field<u32>>) -> u32 {
    given(field).unwrap_or(u32::MAX)
}

pub(super) fn nanos(field: &Field<u64>) -> Nanos {
    Nanos(field.value)
}

pub(super) fn nanos_or_zero(field: &Option<Field<u64>>) -> Nanos {
    Nanos(or_default(field))
}

pub(super) fn of_micros(us: f64) -> Nanos {
    Nanos((us * 1000.0).round() as u64)
}

pub(super) fn micros(field: &Field<f64>) -> Nanos {
    of_micros(field.value)
}

pub(super) fn list_of_micros(field: &Field<Vec<f64>>) -> Vec<Nanos> {
    field.value.iter().copied().map(of_micros).collect()
}

pub(super) fn whole_micros(field: &Field<u64>) -> Nanos {
    Nanos::from_micros(field.value)
}

pub(super) fn given_micros(field: &Option<Field<u64>>) -> Option<Nanos> {
    field.as_ref().map(whole_micros)
}

pub(super) fn millis(field: &Field<u64>) -> Nanos {
    Nanos::from_millis(field.value)
}

/// Logical pages of a figure in KiB.
pub(super) fn pages(kib: &Field<u32>) -> u32 {
    kib.value / 4
}

pub(super) fn ps_per_byte(mb_per_s: u32) -> u64 {
    1_000_000 / u64::from(mb_per_s)
}

pub(super) fn rber(ppb: f64) -> Rber {
    Rber((ppb * 1_000.0).round() as u64)
}

pub(super) fn of_milli(value: f64) -> i64 {
    (value * 1e3).round() as i64
}

/// A figure in thousandths.
pub(super) fn milli(field: &Field<f64>) -> i64 {
    of_milli(field.value)
}

pub(super) fn unsigned_milli(field: &Field<f64>) -> u64 {
    milli(field).unsigned_abs()
}

pub(super) fn share_ppm(percent: f64) -> u32 {
    (percent * 1e4).round() as u32
}
