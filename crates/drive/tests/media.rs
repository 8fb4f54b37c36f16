//! Errors of the flash: the cost of read retries, data saved by parity, lost data.

use crate::tests::common;

use common::*;
use stend_base::{Device, Nanos, Op};
use stend_drive::SimDrive;
use stend_model::Spec;
use stend_model::nand::reliability::Rber;

const YEAR: Nanos = Nanos::from_secs(365 * 86_400);

/// A filled drive of 4 dies on 2 channels with parity 3+1.
fn spec() -> Spec {
    let mut spec = plain(64, 16, 8_000);
    spec.parity_data = Some(3);
    spec.media = Some(media());
    spec
}

fn filled(spec: &Spec) -> SimDrive {
    let mut drive = SimDrive::new(spec);
    drive.keep_content(true);
    fill(&mut drive);
    alone(&mut drive, request(0, Op::Flush, 0, 0));
    rest(&mut drive, Nanos::from_millis(5));
    drive
}

/// Reads every page alone. Returns the latencies.
fn read_all(drive: &mut SimDrive) -> Vec<Nanos> {
    let pages = drive.capacity_bytes() / PAGE;
    (0..pages)
        .map(|page| alone(drive, request(0, Op::Read, page, 1)))
        .collect()
}

#[test]
fn cells_without_errors_cost_nothing() {
    let mut with = filled(&spec());
    let mut without = filled(&Spec {
        media: None,
        ..spec()
    });
    assert_eq!(read_all(&mut with), read_all(&mut without));
    assert_eq!(with.trace_hash(), without.trace_hash());
}

#[test]
fn each_pass_costs_a_sensing_and_its_own_time() {
    let plain_read = alone(&mut filled(&spec()), request(0, Op::Read, 5, 1));
    for (rber, passes) in [(1_000, 1), (1_001, 2), (2_001, 3)] {
        let mut spec = spec();
        spec.media.as_mut().expect("it has cells").data_area.fresh = Rber(rber);
        let mut drive = filled(&spec);
        let before = drive.counters().read_retries;
        let time = alone(&mut drive, request(0, Op::Read, 5, 1));
        let again = Nanos((spec.data.timing.read[0].0 + 7_000) * (passes - 1));
        assert_eq!(time, plain_read + again, "{passes} passes");
        assert_eq!(drive.counters().read_retries - before, passes - 1);
    }
}

#[test]
fn data_ages_without_power_until_it_is_refreshed() {
    let mut spec = spec();
    spec.media
        .as_mut()
        .expect("it has cells")
        .data_area
        .year_fresh = Rber(3_000);
    let mut drive = filled(&spec);
    let fresh = read_all(&mut drive);
    drive.service().rest_without_power(Nanos(YEAR.0 / 2));
    let old = read_all(&mut drive);
    let again = Nanos(spec.data.timing.read[0].0 + 7_000);
    assert!(old.iter().zip(&fresh).all(|(o, f)| *o == *f + again));
    assert!(
        drive
            .inspect()
            .rber_max()
            .is_some_and(|r| (1_500..1_510).contains(&r))
    );
    fill(&mut drive);
    rest(&mut drive, Nanos::from_secs(2));
    let before = drive.counters().read_retries;
    read_all(&mut drive);
    // One superblock was open all the time: its age counts from its beginning.
    assert!(drive.counters().read_retries - before <= 48 * 4);
}

#[test]
fn reads_disturb_their_block() {
    let mut spec = spec();
    // Every 100 reads add the errors that one more pass corrects.
    spec.media
        .as_mut()
        .expect("it has cells")
        .data_area
        .reads_100k = Rber(1_000_000);
    let mut drive = filled(&spec);
    let retries: Vec<u64> = (0..3)
        .map(|_| {
            let before = drive.counters().read_retries;
            for _ in 0..99 {
                alone(&mut drive, request(0, Op::Read, 5, 1));
            }
            drive.counters().read_retries - before
        })
        .collect();
    assert_eq!(retries[0], 0, "{retries:?}");
    assert!(retries[1] > 90 && retries[2] > retries[1], "{retries:?}");
}

#[test]
fn parity_rebuilds_a_die() {
    let spec = spec();
    let mut drive = filled(&spec);
    let fresh = read_all(&mut drive);
    drive.service().fail_die(1);
    let before = drive.counters();
    let rebuilt = read_all(&mut drive);
    let c = drive.counters();
    assert_eq!((c.lost_pages, c.failed_reads), (0, 0));
    let slow = rebuilt.iter().zip(&fresh).filter(|(r, f)| r > f).count() as u64;
    assert_eq!(c.rebuilt_pages - before.rebuilt_pages, slow);
    // A quarter of the pages lie on the die; of its pages a quarter hold parity.
    assert!((1_950..2_050).contains(&slow), "{slow}");
    // Three pages more: two on the other channel, one after the other, and one on its own channel.
    let page = u64::from(spec.pages_per_mp_page) * PAGE * spec.bus_ps_per_byte / 1_000;
    let page = Nanos(page) + spec.bus_overhead;
    let most = spec.data.timing.read[0] + page * 2;
    for (rebuilt, fresh) in rebuilt.iter().zip(&fresh) {
        let more = rebuilt.0 - fresh.0;
        assert!(more == 0 || more == most.0, "{more} {most:?}");
    }
}

#[test]
fn without_parity_the_data_of_a_failed_die_is_lost() {
    let mut spec = spec();
    spec.parity_data = None;
    let mut drive = filled(&spec);
    drive.service().fail_die(1);
    read_all(&mut drive);
    let c = drive.counters();
    assert_eq!(c.failed_reads, 2_000, "a quarter of the pages");
    assert_eq!(c.lost_pages, 500);
    // Reading again has the same result; no other page is read instead.
    read_all(&mut drive);
    assert_eq!(drive.counters().failed_reads, 4_000);
    assert_eq!(drive.counters().lost_pages, 500);
}

#[test]
fn parity_does_not_rebuild_two_dies() {
    let mut drive = filled(&spec());
    drive.service().fail_die(1);
    drive.service().fail_die(2);
    read_all(&mut drive);
    let c = drive.counters();
    assert!((3_900..4_100).contains(&c.failed_reads), "{c:?}");
    assert_eq!(c.rebuilt_pages, 0);
}

#[test]
fn idle_time_refreshes_old_data() {
    let refreshed = |refresh: Option<Rber>| {
        let mut spec = spec();
        let media = spec.media.as_mut().expect("it has cells");
        media.data_area.year_fresh = Rber(3_000);
        media.refresh = refresh;
        let mut drive = filled(&spec);
        drive.service().rest_without_power(Nanos(YEAR.0 / 2));
        alone(&mut drive, request(0, Op::Read, 0, 1));
        let before = drive.counters();
        rest(&mut drive, Nanos::from_secs(60));
        let c = drive.counters();
        let pages = c.pages_refreshed - before.pages_refreshed;
        let core = c.core_busy_ns - before.core_busy_ns;
        assert_eq!(core, pages * spec.controller.gc_page.0);
        for page in 0..8_000 {
            assert!(drive.content(page).is_some(), "page {page} is gone");
        }
        let before = drive.counters().read_retries;
        read_all(&mut drive);
        (pages, drive.counters().read_retries - before)
    };
    // All pages except those in superblocks that are not full yet, one of each stream.
    let (pages, retries) = refreshed(Some(Rber(1_000)));
    assert_eq!(pages, 8_000 - retries);
    assert!(retries <= 2 * 48 * 4, "{retries}");
    assert_eq!(refreshed(None), (0, 8_000));
    // Data that is not old enough is not moved.
    assert_eq!(refreshed(Some(Rber(2_000))).0, 0);
}

/// Reads one page alone, again and again, for a second. Returns all latencies.
fn read_for_a_second(drive: &mut SimDrive) -> Vec<Nanos> {
    let begin = drive.now();
    std::iter::from_fn(|| {
        let goes_on = drive.now() < begin + Nanos::from_secs(1);
        goes_on.then(|| alone(drive, request(0, Op::Read, 5, 1)))
    })
    .collect()
}

#[test]
fn patrol_reads_delay_reads_of_their_die() {
    let interval = Nanos::from_millis(1);
    let mut spec = spec();
    let read = read_for_a_second(&mut filled(&spec));
    spec.media.as_mut().expect("it has cells").patrol_interval = Some(interval);
    let mut drive = filled(&spec);
    let before = drive.counters().patrol_reads;
    let patrolled = read_for_a_second(&mut drive);
    // The interval ends within a read, whose command is the last to begin before the patrol.
    let patrol_reads = drive.counters().patrol_reads - before;
    assert!((850..=1_000).contains(&patrol_reads), "{patrol_reads}");
    // Half of the patrol reads are on its channel, and half of these on its die: each delays it
    // once.
    let delayed: Vec<_> = patrolled.iter().filter(|&&t| t > read[0]).collect();
    let expected = patrol_reads as usize / 2;
    let found = delayed.len();
    assert!(found.abs_diff(expected) <= 2, "{found} of {expected}");
    assert!(read.iter().all(|&time| time == read[0]));
    // The whole multi-plane page is sensed and leaves the die.
    let page = u64::from(spec.pages_per_mp_page) * PAGE * spec.bus_ps_per_byte / 1_000;
    let most = spec.data.timing.read[0] + Nanos(page) + spec.bus_overhead;
    assert!(delayed.iter().all(|&&time| time <= read[0] + most));
}

#[test]
fn patrol_reads_find_what_reads_disturb() {
    let disturbed = |patrol_interval| {
        let mut spec = spec();
        let media = spec.media.as_mut().expect("it has cells");
        media.data_area.reads_100k = Rber(40_000);
        (media.refresh, media.patrol_interval) = (Some(Rber(800)), patrol_interval);
        let mut drive = filled(&spec);
        for _ in 0..4 {
            read_for_a_second(&mut drive);
        }
        let counters = drive.counters();
        (counters.pages_refreshed, counters.read_retries)
    };
    let (refreshed, retries) = disturbed(Some(Nanos::from_micros(100)));
    // Its superblock, of 48 multi-plane pages of data, is refreshed each time it has been read
    // 2,000 times.
    assert!((48 * 4..=48 * 4 * 40).contains(&refreshed), "{refreshed}");
    assert_eq!(retries, 0);
    // The host is never silent: without patrol reads nothing is searched for.
    let (refreshed, retries) = disturbed(None);
    assert_eq!(refreshed, 0);
    assert!(retries > 10_000, "{retries}");
}

#[test]
fn a_die_without_parity_gives_an_uber_of_its_share_of_the_sectors() {
    let mut spec = spec();
    spec.parity_data = None;
    let mut drive = filled(&spec);
    assert_eq!(drive.health().uber, None, "nothing was read");
    read_all(&mut drive);
    assert_eq!(drive.health().uber, Some(0.0));
    drive.service().fail_die(1);
    read_all(&mut drive);
    // Of 16,000 pages read, a quarter of the second 8,000 were lost, 8 sectors each.
    let health = drive.health();
    assert_eq!(health.uncorrectable_sectors, 2_000 * 8);
    assert_eq!(health.uber, Some(0.125 / 4096.0));
    // Only requested sectors count, in commands for parts of pages.
    let lost = (0..8_000).find(|&page| fails(&mut drive, page, 0, 8));
    let before = drive.health().uncorrectable_sectors;
    assert!(fails(&mut drive, lost.expect("a quarter is lost"), 3, 2));
    assert_eq!(drive.health().uncorrectable_sectors, before + 2);
}

/// True if a read of `sectors` of a page ends with an error.
fn fails(drive: &mut SimDrive, page: u64, first: u64, sectors: u64) -> bool {
    let mut part = request(0, Op::Read, page, 1);
    part.offset_bytes += first * 512;
    part.len_bytes = sectors * 512;
    drive.submit(part);
    let done = drive.advance(stend_base::SimTime::NEVER).expect("it ends");
    done.status == stend_base::Status::MediaError
}

/// The share of pages that are worse by k spreads is 1/2^k: for pages of rate 1 and a spread of 100
/// %, one in eight is above 1 + 3.
#[test]
fn the_uber_of_pages_beyond_correction_is_their_share() {
    let mut spec = spec();
    spec.parity_data = None;
    let cells = spec.media.as_mut().expect("it has cells");
    cells.data_area.fresh = Rber(1_000);
    cells.data_area.spread_percent = 100;
    let mut drive = filled(&spec);
    read_all(&mut drive);
    let share = drive.health().uber.expect("it was read") * 4096.0;
    // 250 of 2,000 pages, within five standard deviations.
    let slack = 5.0 * (0.125 * 0.875 / 2_000.0_f64).sqrt();
    assert!((share - 0.125).abs() < slack, "{share} ± {slack}");
    // Parity rebuilds the data of one die.
    spec.parity_data = Some(3);
    spec.media = Some(media());
    let mut mended = filled(&spec);
    mended.service().fail_die(1);
    read_all(&mut mended);
    let health = mended.health();
    assert!(mended.counters().rebuilt_pages > 0);
    assert_eq!((health.uncorrectable_sectors, health.uber), (0, Some(0.0)));
}

#[test]
fn without_errors_of_the_flash_there_is_no_uber() {
    let mut drive = filled(&Spec {
        media: None,
        ..spec()
    });
    read_all(&mut drive);
    assert_eq!(drive.health().uber, None);
}

/// One superblock of old data, and no other work for GC.
#[test]
fn the_last_old_superblock_is_refreshed_too() {
    let mut spec = plain(24, 8, 128);
    let mut media = media();
    media.data_area.year_fresh = Rber(3_000);
    media.refresh = Some(Rber(1_000));
    spec.media = Some(media);
    let mut drive = filled(&spec);
    drive.service().rest_without_power(Nanos(YEAR.0 / 2));
    alone(&mut drive, request(0, Op::Read, 0, 1));
    rest(&mut drive, Nanos::from_secs(1));
    assert_eq!(drive.counters().pages_refreshed, 128);
}

/// A die fails while it copies the cache by on-chip copy: the copy is mapped between a read's
/// beginning and its end. The read fails as it does without the copy.
#[test]
fn a_read_of_a_page_that_is_moved_meanwhile_fails_too() {
    let mut spec = cached(40, 24, 4_000);
    spec.parity_data = None;
    spec.media = Some(media());
    spec.idle.enabled = false;
    // Folding continues beside reads for this time after the last write.
    spec.idle.delay = Nanos::from_secs(1_000);
    spec.cache.as_mut().expect("it has one").fold_start_mp_pages = 8;
    let mut drive = SimDrive::new(&spec);
    drive.service().losses().keep();
    for tag in 0..160 {
        alone(&mut drive, request(tag, Op::Write, 16 * u64::from(tag), 16));
    }
    drive.service().fail_die(1);
    let mut moved = 0;
    for page in (0..2_560).rev() {
        let failed = drive.counters().failed_reads;
        alone(&mut drive, request(1, Op::Read, page, 1));
        for loss in drive.service().losses().take() {
            // Nothing was left of the page in its old place.
            let elsewhere = loss.lpns.is_empty();
            moved += u32::from(elsewhere);
            assert_eq!(drive.counters().failed_reads, failed + 1, "{loss:?}");
        }
    }
    assert!(moved > 0, "no page was moved while it was read");
}
