//! Sizes and intervals for a drive with a fraction of its capacity ([`crate::Edition::scaled`]).

/// Regions and files are multiples of this, bytes.
const ALIGN_BYTES: u64 = 1 << 20;

/// Scales a size in bytes.
pub(crate) fn bytes(bytes: &mut u64, by: u32) {
    *bytes = (*bytes / u64::from(by) / ALIGN_BYTES * ALIGN_BYTES).max(ALIGN_BYTES);
}

/// Scales a region, if there is one.
pub(crate) fn region(region_bytes: &mut Option<u64>, by: u32) {
    region_bytes.iter_mut().for_each(|size| bytes(size, by));
}

/// Scales an interval in ms.
pub(crate) fn interval(ms: &mut u32, by: u32) {
    *ms = (*ms / by).max(1);
}
