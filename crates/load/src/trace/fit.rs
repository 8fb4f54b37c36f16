//! Checks of a trace against a target.

use stend_base::{Nanos, Op};
use stend_config::FileError;

use super::{SECTOR_BYTES, Trace, TraceRequest, op_index, op_name};

/// Treatment of a request that is not whole sectors within the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fit {
    /// Such a request is an error.
    #[default]
    Refuse,
    /// Such a request is widened to whole sectors, and its offset is taken modulo the target's
    /// size; a request that would cross the end is moved so that it ends there.
    Wrap,
}

/// Contents of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Reads, writes, TRIMs, flushes.
    pub requests: [u64; 4],
    /// Bytes of each kind, as in the trace.
    pub bytes: [u64; 4],
    /// Writes with FUA.
    pub fua: u64,
    /// Time at which the last request was issued.
    pub duration: Nanos,
    /// Time at which the first read or write was issued, and the number of requests up to it, with
    /// itself.
    pub first_data: Option<(Nanos, u64)>,
    /// The end of the last byte that is accessed.
    pub end_bytes: u64,
    /// Requests whose time is before that of an earlier one; they are treated as if of that one's
    /// time.
    pub out_of_order: u64,
    /// Requests that were moved or widened to fit the target.
    pub changed: u64,
}

/// The request as it fits a target of `capacity_bytes`.
///
/// # Errors
/// The reason why it does not fit, and the remedy.
#[inline]
pub fn fit(request: TraceRequest, capacity_bytes: u64, fit: Fit) -> Result<TraceRequest, String> {
    fit_sectors(request, (capacity_bytes, SECTOR_BYTES), fit)
}

/// The request as it fits a target of a capacity in bytes, with sectors of a size in bytes.
///
/// # Errors
/// As [`fit`].
#[inline]
pub fn fit_sectors(
    request: TraceRequest,
    (capacity_bytes, sector_bytes): (u64, u64),
    fit: Fit,
) -> Result<TraceRequest, String> {
    let aligned = (request.offset_bytes | request.len_bytes).is_multiple_of(sector_bytes);
    let inside = request
        .offset_bytes
        .checked_add(request.len_bytes)
        .is_some_and(|end| end <= capacity_bytes);
    if (aligned && inside) || request.op == Op::Flush {
        return Ok(request);
    }
    adapt(request, (capacity_bytes, sector_bytes), fit, aligned)
}

#[cold]
fn adapt(
    mut request: TraceRequest,
    (capacity_bytes, sector_bytes): (u64, u64),
    fit: Fit,
    aligned: bool,
) -> Result<TraceRequest, String> {
    let what = format!(
        "the {} of {} bytes at {}",
        op_name(request.op),
        request.len_bytes,
        request.offset_bytes
    );
    let lower = |bytes: u64| bytes - bytes % sector_bytes;
    let size = lower(capacity_bytes);
    if fit == Fit::Refuse {
        return Err(if aligned {
            format!(
                "{what} is beyond the {capacity_bytes} bytes of the target: take a larger \
                 target, or --fit wrap, which takes offsets modulo its size"
            )
        } else {
            format!(
                "{what} does not consist of whole sectors of {sector_bytes} bytes: --fit wrap \
                 widens it to whole ones"
            )
        });
    }
    let skew = request.offset_bytes % sector_bytes;
    let len = request
        .len_bytes
        .checked_add(skew)
        .and_then(|bytes| bytes.checked_next_multiple_of(sector_bytes));
    match len {
        Some(len) if len <= size => request.len_bytes = len,
        _ => {
            return Err(format!(
                "{what} is longer than the target of {capacity_bytes} bytes: take a larger \
                 target"
            ));
        }
    }
    let offset = (request.offset_bytes - skew) % size;
    request.offset_bytes = offset.min(size - request.len_bytes);
    Ok(request)
}

/// Reads a trace to its end and returns its summary. With a target's size and a [`Fit`], also
/// checks that all of it fits.
///
/// # Errors
/// [`FileError`] for the first line that is wrong or does not fit.
pub fn summary(trace: &dyn Trace, target: Option<(u64, Fit)>) -> Result<Summary, FileError> {
    let mut sum = Summary::default();
    for request in trace.requests()? {
        let request = request?;
        let wrong = |problem: String| request.error(trace, problem);
        let kind = op_index(request.op);
        sum.requests[kind] += 1;
        sum.bytes[kind] = sum.bytes[kind]
            .checked_add(request.len_bytes)
            .ok_or_else(|| wrong("the bytes of all requests exceed 64 bits".to_string()))?;
        sum.fua += u64::from(request.fua);
        sum.out_of_order += u64::from(request.at < sum.duration);
        sum.duration = sum.duration.max(request.at);
        if sum.first_data.is_none() && matches!(request.op, Op::Read | Op::Write) {
            sum.first_data = Some((sum.duration, sum.requests.iter().sum()));
        }
        let end = request.offset_bytes.saturating_add(request.len_bytes);
        sum.end_bytes = sum.end_bytes.max(end);
        if let Some((capacity_bytes, how)) = target {
            let fitted = fit(request, capacity_bytes, how).map_err(wrong)?;
            sum.changed += u64::from(fitted != request);
        }
    }
    Ok(sum)
}
