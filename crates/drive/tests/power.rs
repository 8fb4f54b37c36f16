//! Energy and idle states: to the nanosecond and to the picojoule.

use crate::tests::common;

use common::*;
use stend_base::{Device, Nanos, Op, Rng};
use stend_drive::SimDrive;
use stend_model::Spec;
use stend_model::geometry::layout::Layout;
use stend_model::spec::*;

fn energy() -> EnergySpec {
    EnergySpec {
        read_pj: [3_000_000, 7_000_000],
        program_pj: [41_000_000, 150_000_000],
        erase_pj: [90_000_000, 110_000_000],
        bus_pj_per_byte: 13,
        core_busy_mw: 400,
        core_idle_mw: 120,
        link_active_mw: 350,
        link_idle_mw: 170,
        dram_mw: 90,
    }
}

fn state(name: &str, delay_ms: u64, power_mw: u64, entry_us: u64, exit_us: u64) -> IdleStateSpec {
    IdleStateSpec {
        name: name.to_string(),
        delay: Nanos::from_millis(delay_ms),
        power_mw,
        entry: Nanos::from_micros(entry_us),
        exit: Nanos::from_micros(exit_us),
        waits_for_idle_work: true,
    }
}

fn sleeper(states: Vec<IdleStateSpec>) -> Spec {
    let mut spec = plain(64, 16, 8_000);
    spec.energy = Some(energy());
    spec.idle_states = states;
    spec
}

fn two_states() -> Vec<IdleStateSpec> {
    vec![
        state("slumber", 20, 60, 30, 9_000),
        state("devsleep", 200, 5, 700, 21_000),
    ]
}

/// Latency of a read after a silence of this duration.
fn after(spec: &Spec, silence: Nanos) -> Nanos {
    let mut drive = SimDrive::new(spec);
    alone(&mut drive, request(0, Op::Write, 5, 1));
    alone(&mut drive, request(0, Op::Flush, 0, 0));
    rest(&mut drive, silence);
    alone(&mut drive, request(0, Op::Read, 5, 1))
}

#[test]
fn the_first_command_pays_the_way_out_and_not_a_nanosecond_more() {
    let (awake, sleepy) = (sleeper(Vec::new()), sleeper(two_states()));
    let submit = sleepy.host.submit;
    let cost = |silence: Nanos| after(&sleepy, silence) - after(&awake, silence);
    let ms = Nanos::from_millis;
    // The silence ends with the call; the command finds the drive entering the state.
    assert_eq!(cost(ms(20) - Nanos(1)), Nanos::ZERO);
    let (out, way_in) = (ms(9), Nanos::from_micros(30));
    assert_eq!(cost(ms(20)), out + way_in - submit);
    assert_eq!(cost(ms(20) + way_in - submit - Nanos(1)), out + Nanos(1));
    assert_eq!(cost(ms(20) + way_in - submit), out);
    assert_eq!(cost(ms(200) - Nanos(1)), out);
    let deep = ms(21);
    assert_eq!(cost(ms(200)), deep + Nanos::from_micros(700) - submit);
    assert_eq!(cost(Nanos::from_secs(3600)), deep);
}

#[test]
fn only_the_first_command_pays() {
    let (awake, sleepy) = (sleeper(Vec::new()), sleeper(two_states()));
    let burst_after = |spec: &Spec| {
        let mut drive = SimDrive::new(spec);
        fill(&mut drive);
        rest(&mut drive, Nanos::from_secs(100));
        let next = random(&drive, 3);
        burst(&mut drive, Op::Read, 1, 32, 500, next)
    };
    // All requests that arrived together wait together.
    let cost = burst_after(&sleepy) - burst_after(&awake);
    assert!(
        (Nanos::from_millis(21)..Nanos::from_micros(21_200)).contains(&cost),
        "{cost:?}"
    );
}

#[test]
fn idle_work_is_finished_first_or_given_up() {
    let folded = |waits: bool| {
        let mut spec = cached(120, 60, 10_000);
        spec.energy = Some(energy());
        spec.idle.delay = Nanos::from_millis(100);
        spec.idle.target_superblocks = 0;
        spec.idle_states = vec![state("devsleep", 300, 5, 700, 21_000)];
        spec.idle_states[0].waits_for_idle_work = waits;
        let mut drive = SimDrive::new(&spec);
        let next = random(&drive, 3);
        burst(&mut drive, Op::Write, 1, 32, 5_000, next);
        let before = drive.counters().pages_folded;
        rest(&mut drive, Nanos::from_millis(310));
        let soon = drive.inspect().idle_state().is_some();
        rest(&mut drive, Nanos::from_secs(20));
        assert_eq!(drive.inspect().idle_state(), Some("devsleep"));
        let asleep = drive
            .inspect()
            .energy()
            .expect("it keeps account")
            .asleep_pj
            / 5;
        (soon, drive.counters().pages_folded - before, asleep)
    };
    let (soon, all, late) = folded(true);
    let (forced_soon, some, early) = folded(false);
    assert!(!soon && forced_soon, "{soon} {forced_soon}");
    assert!(some > 0 && all > 2 * some, "{all} against {some}");
    assert!(early > late, "asleep for {late} ns, forced {early} ns");
}

#[test]
fn a_sleeping_drive_wakes_for_its_own_work() {
    let mut spec = cached(120, 60, 10_000);
    spec.idle.delay = Nanos::from_millis(5_000);
    spec.idle.target_superblocks = 0;
    spec.idle_states = two_states();
    let mut drive = SimDrive::new(&spec);
    let next = random(&drive, 3);
    burst(&mut drive, Op::Write, 1, 32, 5_000, next);
    // Above its watermark the cache is folded in any case.
    rest(&mut drive, Nanos::from_millis(4_999));
    assert_eq!(drive.inspect().idle_state(), Some("devsleep"));
    let before = drive.counters().pages_folded;
    rest(&mut drive, Nanos::from_millis(2));
    assert_eq!(drive.inspect().idle_state(), None);
    rest(&mut drive, Nanos::from_secs(60));
    assert_eq!(drive.inspect().idle_state(), Some("devsleep"));
    assert!(drive.counters().pages_folded > before + 100);
}

#[test]
fn energy_is_the_sum_of_what_was_done() {
    let mut spec = cached(64, 24, 10_000);
    spec.energy = Some(energy());
    spec.idle_states = two_states();
    spec.pages_per_flash_page = 2;
    let mut drive = SimDrive::new(&spec);
    let next = random(&drive, 11);
    burst(&mut drive, Op::Write, 1, 32, 40_000, next);
    let next = random(&drive, 12);
    burst(&mut drive, Op::Read, 1, 32, 5_000, next);
    rest(&mut drive, Nanos::from_secs(60));
    let (e, c) = (
        drive.inspect().energy().expect("it keeps account"),
        drive.counters(),
    );
    // By mode, nothing is omitted and nothing counted twice.
    assert_eq!(c.nand_reads, c.slc_reads + c.native_reads);
    assert_eq!(c.nand_programs, c.slc_programs + c.native_programs);
    assert!(c.slc_reads > 500 && c.native_reads > 1_000, "{c:?}");
    assert!(c.slc_erases > 0 && c.erases > c.slc_erases, "{c:?}");
    let spec = energy();
    let pj = |a: u64, b: u64| u128::from(a) * u128::from(b);
    // Two planes; a read that moves several pages may not need both.
    let sensed = [c.slc_flash_pages_sensed, c.native_flash_pages_sensed];
    for (sensed, reads) in sensed.into_iter().zip([c.slc_reads, c.native_reads]) {
        assert!((reads..2 * reads).contains(&sensed), "{c:?}");
    }
    assert_eq!(
        e.nand_read_pj,
        pj(3_000_000, sensed[0]) + pj(7_000_000, sensed[1])
    );
    assert_eq!(e.nand_program_pj, pj(41_000_000, c.nand_programs));
    // Three pages of the cache, sensed by both planes, become one word line of three pages.
    assert_eq!(e.nand_copy_pj, pj(3 * 156_000_000, c.folds));
    assert_eq!(
        e.nand_erase_pj,
        pj(90_000_000, c.slc_erases) + pj(110_000_000, c.erases - c.slc_erases)
    );
    let host = c.pages_relocated + c.pages_folded;
    assert!(host > 0 && c.channel_bytes > 45_000 * PAGE, "{c:?}");
    assert_eq!(e.channels_pj, pj(13, c.channel_bytes));
    let asleep_ns = drive.now().0 - (e.dram_pj / u128::from(spec.dram_mw)) as u64;
    assert!(asleep_ns > 30_000_000_000, "{asleep_ns}");
    let awake = drive.now().0 - asleep_ns;
    assert_eq!(e.cores_pj, pj(120, awake) + pj(280, c.core_busy_ns));
    assert_eq!(e.link_pj, pj(170, awake) + pj(180, c.link_busy_ns));
    let parts = e.nand_pj() + e.channels_pj + e.cores_pj + e.link_pj + e.dram_pj + e.asleep_pj;
    assert_eq!(e.total_pj(), parts);
}

/// Flash pages sensed by a read of `pages` of a filled drive of four planes of 16 KiB, and their
/// energy.
fn sensed_by(first: u64, pages: u64, read_ahead: u32) -> (u64, u128) {
    let mut spec = plain(64, 16, 32_000);
    spec.energy = Some(energy());
    (spec.pages_per_mp_page, spec.pages_per_flash_page) = (16, 4);
    spec.buffer.read_ahead_pages = read_ahead;
    let mut drive = SimDrive::new(&spec);
    fill(&mut drive);
    let of = |drive: &SimDrive| {
        let energy = drive.inspect().energy().expect("it keeps account");
        let counters = drive.counters();
        assert_eq!(counters.slc_flash_pages_sensed, 0);
        (counters.native_flash_pages_sensed, energy.nand_read_pj)
    };
    let before = of(&drive);
    alone(&mut drive, request(0, Op::Read, first, pages));
    let after = of(&drive);
    (after.0 - before.0, after.1 - before.1)
}

#[test]
fn a_read_takes_the_energy_of_the_planes_that_it_senses() {
    let one = 7_000_000;
    assert_eq!(sensed_by(5, 1, 0), (1, one), "one page");
    assert_eq!(sensed_by(4, 4, 0), (1, one), "one flash page");
    assert_eq!(sensed_by(3, 2, 0), (2, 2 * one), "over a boundary");
    assert_eq!(sensed_by(16, 16, 0), (4, 4 * one), "a multi-plane page");
    assert_eq!(sensed_by(0, 64, 0), (16, 16 * one), "four of them");
    assert_eq!(sensed_by(2, 20, 64), (6, 6 * one), "two ends");
}

#[test]
fn flash_pages_are_counted_once() {
    let mut rng = Rng::stream(1, "flash pages");
    for pages_per_flash_page in [1, 2, 4, 8, 16, 32u32] {
        let mut spec = plain(64, 16, 8_000);
        (spec.pages_per_mp_page, spec.pages_per_flash_page) = (32, pages_per_flash_page);
        let layout = Layout::new(&spec);
        assert_eq!(layout.flash_pages, 32 / pages_per_flash_page);
        for nth in 0..1_000 {
            // Few bits, many, none and all.
            let bits = [rng.next_u64() as u32, 1 << rng.below(32), 0, u32::MAX];
            let pages = bits[nth % 4];
            let is_set = |page: u32| pages >> page & 1 == 1;
            let mut flash_pages: Vec<u32> = (0..32).filter(|&page| is_set(page)).collect();
            flash_pages
                .iter_mut()
                .for_each(|page| *page /= pages_per_flash_page);
            flash_pages.dedup();
            let got = layout.flash_pages_of(pages);
            assert_eq!(got as usize, flash_pages.len(), "{pages:b}");
        }
        assert_eq!(layout.flash_pages_of(u32::MAX), layout.flash_pages);
    }
}

/// Garbage collection senses the planes with valid pages.
#[test]
fn relocation_senses_the_planes_with_valid_pages() {
    let mut spec = plain(64, 16, 12_000);
    spec.energy = Some(energy());
    spec.pages_per_flash_page = 2;
    let mut drive = SimDrive::new(&spec);
    let next = random(&drive, 3);
    burst(&mut drive, Op::Write, 1, 32, 40_000, next);
    let c = drive.counters();
    let (reads, sensed) = (c.native_reads, c.native_flash_pages_sensed);
    assert!(reads > 1_000 && c.pages_relocated > reads, "{c:?}");
    assert!((reads..2 * reads).contains(&sensed), "{c:?}");
    // With two planes of two pages each, three valid pages need both planes.
    assert!(2 * sensed >= c.pages_relocated, "{c:?}");
}

#[test]
fn a_silent_hour_takes_what_the_states_take() {
    let spec = sleeper(two_states());
    let mut drive = SimDrive::new(&spec);
    rest(&mut drive, Nanos::from_secs(3600));
    let e = drive.inspect().energy().expect("it keeps account");
    let ms = 1_000_000u128;
    // Awake until the first state, and while entering both states.
    let awake = 20 * ms + 30_000 + 700_000;
    let slumber = 180 * ms - 30_000;
    let deep = 3_600_000 * ms - 200 * ms - 700_000;
    assert_eq!(e.asleep_pj, 60 * slumber + 5 * deep);
    assert_eq!(e.cores_pj + e.link_pj + e.dram_pj, 380 * awake);
    assert_eq!(e.total_pj(), 60 * slumber + 5 * deep + 380 * awake);
}
