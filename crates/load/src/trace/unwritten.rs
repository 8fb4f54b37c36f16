//! Reads of space without data, which cost a drive next to nothing.

use std::ops::Range;

use stend_base::Op;
use stend_config::FileError;

use super::{Fit, Trace, TraceRequest, fit};

/// Bytes of a page: space counts as written in whole pages.
pub const PAGE_BYTES: u64 = 4096;

/// Number of reads with a part that was written neither before the replay nor by an earlier request
/// of the trace, on a target of `capacity_bytes`. `was_written` returns true if a page, by its
/// number, held data before.
///
/// # Errors
/// [`FileError`] for the first line that is wrong or does not fit.
pub fn unwritten_reads(
    trace: &dyn Trace,
    (capacity_bytes, how): (u64, Fit),
    was_written: &dyn Fn(u64) -> bool,
) -> Result<u64, FileError> {
    let mut written = Pages::new(capacity_bytes);
    let mut reads = 0;
    for request in trace.requests()? {
        let request = request?;
        let request =
            fit(request, capacity_bytes, how).map_err(|problem| request.error(trace, problem))?;
        let mut pages = pages(&request);
        match request.op {
            Op::Write => pages.for_each(|page| written.add(page)),
            Op::Read => {
                let holds = |page| written.has(page) || was_written(page);
                reads += u64::from(!pages.all(holds));
            }
            Op::Trim | Op::Flush => {}
        }
    }
    Ok(reads)
}

fn pages(request: &TraceRequest) -> Range<u64> {
    let end = request.offset_bytes + request.len_bytes;
    request.offset_bytes / PAGE_BYTES..end.div_ceil(PAGE_BYTES)
}

/// A set of pages, one bit each.
struct Pages(Vec<u64>);

impl Pages {
    fn new(capacity_bytes: u64) -> Pages {
        let words = capacity_bytes.div_ceil(PAGE_BYTES).div_ceil(64);
        Pages(vec![0; words as usize])
    }

    fn add(&mut self, page: u64) {
        self.0[(page / 64) as usize] |= 1 << (page % 64);
    }

    fn has(&self, page: u64) -> bool {
        self.0[(page / 64) as usize] & (1 << (page % 64)) != 0
    }
}
