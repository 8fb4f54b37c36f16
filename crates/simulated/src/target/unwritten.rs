//! Reads of space without data during a job.

use stend_base::{Completion, Device, Op, Request, SimTime};
use stend_drive::{LogicalPage, SimDrive};
use stend_load::trace::unwritten::PAGE_BYTES;

/// A drive that counts the reads of which a part holds no data when they are submitted.
pub(super) struct NotingUnwritten<'a> {
    drive: &'a mut SimDrive,
    /// Number of these reads.
    pub(super) reads: u64,
}

impl NotingUnwritten<'_> {
    /// The drive, before any read.
    pub(super) fn new(drive: &mut SimDrive) -> NotingUnwritten<'_> {
        NotingUnwritten { drive, reads: 0 }
    }
}

impl Device for NotingUnwritten<'_> {
    fn capacity_bytes(&self) -> u64 {
        self.drive.capacity_bytes()
    }

    fn now(&self) -> SimTime {
        self.drive.now()
    }

    #[inline]
    fn submit(&mut self, request: Request) {
        if request.op == Op::Read {
            let end = request.offset_bytes + request.len_bytes;
            let mut pages = request.offset_bytes / PAGE_BYTES..end.div_ceil(PAGE_BYTES);
            let is_unwritten =
                |page: u64| self.drive.logical_page(page as u32) == LogicalPage::Unwritten;
            self.reads += u64::from(pages.any(is_unwritten));
        }
        self.drive.submit(request);
    }

    #[inline]
    fn expect(&self, offset_bytes: u64) {
        self.drive.expect(offset_bytes);
    }

    #[inline]
    fn expect_write(&self, offset_bytes: u64) {
        self.drive.expect_write(offset_bytes);
    }

    #[inline]
    fn advance(&mut self, limit: SimTime) -> Option<Completion> {
        self.drive.advance(limit)
    }

    fn next_event_at(&self) -> SimTime {
        self.drive.next_event_at()
    }

    fn end_of_time(&self) -> SimTime {
        self.drive.end_of_time()
    }

    fn flash_written_bytes(&self) -> Option<u64> {
        self.drive.flash_written_bytes()
    }

    fn steady_bytes(&self) -> Option<u64> {
        self.drive.steady_bytes()
    }
}
