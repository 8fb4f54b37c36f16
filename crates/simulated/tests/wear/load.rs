//! Loads on a simulated drive, and the flash writes that they cause.

use stend_base::{Completion, Device, Nanos, Op, Request, Rng, SimTime, Status};
use stend_drive::{Counters, SimDrive};
use stend_model::spec::PAGE_BYTES;

/// Number of requests outstanding.
const DEPTH: u64 = 16;

/// Sends `count` requests of `pages` pages to the pages that `next` returns, or fewer, once `each`
/// has returned false for one that has ended.
fn send(
    drive: &mut SimDrive,
    (op, pages, count): (Op, u64, u64),
    mut next: impl FnMut() -> u64,
    mut each: impl FnMut(&Completion) -> bool,
) {
    let mut submit = |drive: &mut SimDrive, tag: u32| {
        drive.submit(Request {
            tag,
            op,
            offset_bytes: next() * PAGE_BYTES,
            len_bytes: pages * PAGE_BYTES,
            ..Request::default()
        });
    };
    let (mut sent, mut outstanding, mut goes_on) = (count.min(DEPTH), count.min(DEPTH), true);
    (0..sent).for_each(|tag| submit(drive, tag as u32));
    while outstanding > 0 {
        let done = drive.advance(SimTime::NEVER);
        let done =
            done.unwrap_or_else(|| panic!("it stands still: {}", drive.inspect().diagnosis()));
        outstanding -= 1;
        goes_on &= each(&done);
        if goes_on && sent < count {
            submit(drive, done.tag);
            sent += 1;
            outstanding += 1;
        }
    }
}

/// Runs `count` requests of `pages` pages; returns the time taken and the number of failed
/// requests.
pub fn run(drive: &mut SimDrive, job: (Op, u64, u64), next: impl FnMut() -> u64) -> (Nanos, u64) {
    let (start, mut failed) = (drive.now(), 0);
    send(drive, job, next, |done| {
        failed += u64::from(done.status != Status::Ok);
        true
    });
    (drive.now().since(start), failed)
}

/// Writes requests of `pages` pages until one is refused.
pub fn write_to_the_end(drive: &mut SimDrive, pages: u64, next: impl FnMut() -> u64) {
    let job = (Op::Write, pages, u64::MAX);
    send(drive, job, next, |done| done.status == Status::Ok);
}

/// Returns pages in ascending order, for requests of `pages`, from `first` on.
pub fn ascending(first: u64, pages: u64) -> impl FnMut() -> u64 {
    let mut at = first;
    move || {
        at += pages;
        at - pages
    }
}

/// Returns pages in ascending order below `all`, for requests of `pages`, starting again at the
/// end.
pub fn around(all: u64, pages: u64) -> impl FnMut() -> u64 {
    let mut at = 0;
    move || {
        let now = at;
        at = if at + 2 * pages > all { 0 } else { at + pages };
        now
    }
}

/// Returns random pages below `all` at which requests of `pages` may begin.
pub fn random(all: u64, pages: u64, stream: &str) -> impl FnMut() -> u64 + use<> {
    let mut rng = Rng::stream(1, stream);
    move || rng.below(all / pages) * pages
}

/// Writes the first `bytes` in ascending order, 128 KiB at a time.
pub fn fill(drive: &mut SimDrive, bytes: u64) {
    let count = bytes / PAGE_BYTES / 32;
    let (_, failed) = run(drive, (Op::Write, 32, count), ascending(0, 32));
    assert_eq!(failed, 0);
}

/// Lets the drive rest.
pub fn rest(drive: &mut SimDrive, seconds: u64) {
    let limit = drive.now() + Nanos::from_secs(seconds);
    assert!(drive.advance(limit).is_none());
}

/// Bytes programmed in the native mode per byte of the host, by the work since `before`: on-chip
/// copies and data that comes over the channel, with its parity.
pub fn native_for_each_byte(drive: &SimDrive, before: &Counters, bits_a_cell: u64) -> f64 {
    let now = drive.counters();
    let mp_pages =
        (now.folds - before.folds) * bits_a_cell + (now.native_programs - before.native_programs);
    let bytes = mp_pages * u64::from(drive.spec().pages_per_mp_page) * PAGE_BYTES;
    bytes as f64 / (now.host_bytes_written - before.host_bytes_written) as f64
}
