//! Drives drawn at random.

use stend_base::{Nanos, Rng};
use stend_drive::sim::Fault;
use stend_model::Spec;
use stend_model::nand::reliability::{ErrorModel, Rber, Retention};
use stend_model::nand::{Abilities, CellTiming, Credits, Scheduling, Suspend};
use stend_model::spec::*;

use super::{PAGE, ahci, cached, media, nvme, plain};

/// A drive drawn at random: geometry, cell bits, cache, parity, policies, buffer, idle work.
pub fn draw_spec(rng: &mut Rng) -> Spec {
    let mut spec = draw_geometry(rng);
    spec.controller.cores = 1 + rng.below(3) as u32;
    spec.controller.core_write = rng.below(u64::from(spec.controller.cores)) as u32;
    spec.controller.core_background = rng.below(u64::from(spec.controller.cores)) as u32;
    spec.buffer.write_pages = spec.pages_per_mp_page * (2 + rng.below(20) as u32);
    spec.buffer.read_ahead_pages = rng.below(3) as u32 * 32;
    spec.gc.policy = if rng.ratio(1, 4) {
        Policy::Fifo
    } else {
        Policy::Greedy
    };
    let deepest = if rng.ratio(1, 4) { 1024 } else { 16 };
    spec.gc.depth = 1 + rng.below(deepest) as u32;
    spec.host.queue_depth = 1 + rng.below(32) as u32;
    spec.idle.duty_percent = 1 + rng.below(100) as u32;
    spec.idle.target_superblocks = rng.below(30) as u32;
    spec.gc.reserve_superblocks = 3 + rng.below(2) as u32;
    spec.gc.start_superblocks = spec.gc.reserve_superblocks + 1 + rng.below(3) as u32;
    spec.idle.enabled = rng.ratio(3, 4);
    spec.trim.enabled = rng.ratio(7, 8);
    spec.trim.reaches_cache = rng.ratio(1, 2);
    spec.user_bytes = draw_capacity(rng, &spec);
    if rng.ratio(1, 2) {
        spec.abilities = draw_abilities(rng);
    }
    draw_cells(&mut apart(rng, "cells"), &mut spec);
    // A stripe must lie on that many dies to survive the loss of one of them.
    let stripe = spec.parity_data.map_or(u32::MAX, |data| data + 1);
    if stripe <= spec.dies && rng.ratio(1, 2) {
        spec.media = Some(media());
    }
    // Drawn from separate streams, so that drives without them stay unchanged.
    draw_policy(&mut apart(rng, "policy"), &mut spec);
    draw_bypass(&mut apart(rng, "past the cache"), &mut spec);
    draw_fold_dies(&mut apart(rng, "dies that fold"), &mut spec);
    draw_scheduling(&mut apart(rng, "scheduling"), &mut spec);
    draw_variation(&mut apart(rng, "variation"), &mut spec);
    spec
}

/// Draws differences among operations that are alike by design.
fn draw_variation(rng: &mut Rng, spec: &mut Spec) {
    if rng.ratio(1, 2) {
        let mut percent = || rng.below(50) as u32;
        spec.variation = Some(VariationSpec {
            read_word_line_percent: percent(),
            program_word_line_percent: percent(),
            read_die_percent: percent(),
            program_die_percent: percent(),
            command_percent: percent(),
            seed: 1,
        });
    }
}

/// Draws the order in which a die does its work.
fn draw_scheduling(rng: &mut Rng, spec: &mut Spec) {
    if rng.ratio(2, 3) {
        spec.scheduling = Scheduling::Credits(Credits {
            program_after: 1 + rng.below(20) as u32,
            background_after: 1 + rng.below(40) as u32,
        });
    }
}

/// A separate stream of random numbers, which does not advance this one.
fn apart(rng: &Rng, name: &str) -> Rng {
    Rng::stream(rng.clone().next_u64(), name)
}

/// A drive of random geometry, with or without an SLC cache and parity.
fn draw_geometry(rng: &mut Rng) -> Spec {
    let with_cache = rng.ratio(1, 2);
    let bits = 1 + rng.below(4) as u32;
    let word_lines = 4 + rng.below(5) as u32;
    let superblocks = 24 + rng.below(30) as u32;
    let mut spec = plain(superblocks, word_lines * bits, 64);
    spec.dies = 1 + rng.below(12) as u32;
    spec.channels = 1 + rng.below(u64::from(spec.dies)) as u32;
    spec.pages_per_mp_page = 1 << rng.below(6);
    spec.pages_per_flash_page = (spec.pages_per_mp_page / 4).max(1);
    spec.data.timing.read = vec![Nanos::from_micros(50); bits as usize];
    spec.data.timing.program = vec![Nanos::from_micros(500); bits as usize];
    spec.parity_data = rng.ratio(1, 2).then(|| 1 + rng.below(8) as u32);
    if with_cache {
        let template = cached(superblocks, 16, 64).cache.expect("it has a cache");
        spec.gc.slc_reserve_superblocks = 4;
        let pool = PoolSpec {
            superblocks: 16 + rng.below(12) as u32,
            rows: word_lines,
            ..template.pool
        };
        spec.cache = Some(CacheSpec {
            pool,
            fold_start_mp_pages: rng.below(100),
            fold_dies_background: rng.below(3) as u32,
            fold_pause: Nanos::from_micros(rng.below(3) * 500),
            ..template
        });
    }
    spec
}

/// For some caches emptied by on-chip copy, limits the dies that fold at once.
fn draw_fold_dies(rng: &mut Rng, spec: &mut Spec) {
    let on_chip = |cache: &&mut CacheSpec| cache.emptying == Emptying::OnChip;
    if let Some(cache) = spec.cache.as_mut().filter(on_chip)
        && rng.ratio(1, 2)
    {
        let all = u64::from(cache.pool.superblocks + cache.dynamic_superblocks);
        let mp_pages = all * u64::from(cache.pool.rows) * u64::from(spec.dies);
        cache.fold_limit = FoldLimit::Dies {
            most: 1 + rng.below(u64::from(spec.dies)) as u32,
            idle_free_mp_pages: rng.ratio(1, 2).then(|| rng.below(mp_pages + 1)),
        };
    }
}

/// For some drives with an SLC cache, adds requests that bypass it, and a limit for emptying it
/// through the controller.
fn draw_bypass(rng: &mut Rng, spec: &mut Spec) {
    let without = spec.clone();
    let Some(cache) = &mut spec.cache else {
        return;
    };
    if cache.emptying == Emptying::Controller && rng.ratio(1, 2) {
        cache.fold_limit = FoldLimit::MpPages(1 + rng.below(6) as u32);
    }
    if rng.ratio(1, 2) {
        cache.bypass_from_bytes = Some((1 + rng.below(40)) * PAGE);
        let least = spec.buffer_programs_min() * spec.program_pages();
        spec.buffer.write_pages = spec.buffer.write_pages.max(least);
        fit(spec, without);
    }
}

/// For some drives, chooses a policy that needs more than the valid count of each superblock.
fn draw_policy(rng: &mut Rng, spec: &mut Spec) {
    spec.gc.policy = match rng.below(6) {
        0 => Policy::CostBenefit,
        1 => Policy::DChoices {
            choices: 1 + rng.below(12) as u32,
        },
        _ => spec.gc.policy,
    };
    if spec.cache.is_none() && rng.ratio(1, 2) {
        draw_streams(rng, spec);
    }
    if rng.ratio(1, 3) {
        draw_wear(rng, spec);
    }
}

fn draw_wear(rng: &mut Rng, spec: &mut Spec) {
    spec.wear = Some(WearSpec {
        dynamic: rng.ratio(1, 2),
        static_spread: rng.below(4) as u32,
        static_interval: 1 + rng.below(4) as u32,
    });
    leave_room(spec);
}

/// Draws as many streams as the buffer can serve and as leave room for data.
fn draw_streams(rng: &mut Rng, spec: &mut Spec) {
    let mp_pages = spec.buffer.write_pages / spec.program_pages();
    spec.streams = Some(StreamsSpec {
        host_streams: 1 + rng.below(4.min(u64::from(mp_pages) - 1)) as u32,
        gc_streams: 1 + rng.below(4) as u32,
        heat_group_pages: 1 << rng.below(5),
        heat_window_percent: 10 << rng.below(7),
        classify: Nanos(rng.below(2) * 500),
    });
    leave_room(spec);
}

/// Reduces the host's data to the amount that the model checker allows; a drive too small for that
/// loses streams and wear levelling.
fn leave_room(spec: &mut Spec) {
    let mut without = spec.clone();
    (without.streams, without.wear) = (None, None);
    fit(spec, without);
}

/// Reduces the host's data to the amount that the model checker allows; a drive too small for that
/// becomes the one `without` the mechanism.
fn fit(spec: &mut Spec, without: Spec) {
    match stend_model::geometry::layout::user_pages_max(spec).expect("a small drive") {
        0 => *spec = without,
        most => spec.user_bytes = spec.user_bytes.min(most * PAGE),
    }
}

/// For some drives, adds word lines programmed at once, other SLC caches, and an L2P on flash.
fn draw_cells(rng: &mut Rng, spec: &mut Spec) {
    let without = spec.clone();
    let bits = spec.data.timing.program.len() as u32;
    if bits > 1 && rng.ratio(1, 3) {
        spec.one_shot = Some(Nanos::from_micros(900));
        let together = spec.pages_per_mp_page * bits;
        spec.buffer.write_pages = spec.buffer.write_pages.max(2 * together);
    }
    if let Some(cache) = &mut spec.cache {
        if bits > 1 && rng.ratio(1, 2) {
            cache.dynamic_superblocks = bits + 2 + rng.below(12) as u32;
            if rng.ratio(1, 2) {
                cache.pool.superblocks = 0;
            }
        }
        if rng.ratio(1, 2) {
            cache.emptying = Emptying::Controller;
        }
        if rng.ratio(1, 2) {
            cache.when_full = WhenFull::Bypass;
        }
        if cache.is_either() {
            let together = spec.pages_per_mp_page * bits;
            spec.buffer.write_pages = spec.buffer.write_pages.max(3 * together);
        }
        cache.takes_gc =
            cache.emptying == Emptying::OnChip && !cache.is_either() && rng.ratio(1, 2);
        cache.frees_per_page = cache.takes_gc
            || cache.when_full != WhenFull::Wait
            || cache.dynamic_superblocks > 0
            || rng.ratio(1, 2);
        if !cache.takes_gc {
            spec.gc.slc_reserve_superblocks = 0;
            if cache.pool.superblocks > 0 && cache.emptying == Emptying::Controller {
                cache.pool.superblocks = 4 + rng.below(12) as u32;
            }
        }
    }
    if rng.ratio(1, 4) {
        spec.l2p_cache = Some(L2pCacheSpec {
            read: Nanos::from_micros(60),
            program: Nanos::from_micros(500),
            erase: Nanos::from_micros(3_000),
            programs_per_erase: 16,
        });
        spec.controller.l2p_segments = 1 + rng.below(64) as u32;
        spec.controller.l2p_segment_pages = 1 << rng.below(11);
    }
    if stend_model::geometry::layout::user_pages_max(spec) == Some(0) {
        // Too small for that: the model checker would reject it.
        *spec = without;
    }
    leave_room(spec);
}

fn draw_abilities(rng: &mut Rng) -> Abilities {
    Abilities {
        cache_read: rng.ratio(1, 2),
        cache_program: rng.ratio(1, 2),
        suspend: rng.ratio(1, 2).then(|| Suspend {
            program: rng.ratio(3, 4).then(|| Nanos::from_micros(20)),
            erase: rng.ratio(3, 4).then(|| Nanos::from_micros(50)),
            resume: Nanos::from_micros(rng.below(20)),
            reads_max: 1 + rng.below(8) as u32,
        }),
    }
}

/// Draws interface, processors, write cache and TRIM, for every other drive, from a stream of their
/// own, so that the other drives stay unchanged. Returns true if it did.
pub fn draw_host(rng: &mut Rng, spec: &mut Spec) -> bool {
    if rng.ratio(1, 2) {
        return false;
    }
    let pcie = [None, Some(nvme()), Some(ahci())];
    spec.host.pcie = pcie[rng.below(3) as usize].clone();
    let many = match &mut spec.host.pcie {
        Some(pcie) if pcie.protocol == Protocol::Nvme => {
            pcie.queues = 1 + rng.below(8) as u32;
            true
        }
        _ => false,
    };
    spec.host.driver = rng.ratio(1, 2).then(|| DriverSpec {
        cpus: 1 + rng.below(4) as u32,
        submit: Nanos(rng.below(3) * 1_000),
        complete: Nanos(rng.below(3) * 1_000),
        queue_lock: Nanos(rng.below(3) * 500),
        submit_registers: Nanos(rng.below(2) * 700),
        complete_registers: Nanos(rng.below(2) * 700),
    });
    spec.host.write_cache = rng.ratio(7, 8);
    spec.host.flush_queued = many || rng.ratio(1, 2);
    spec.trim.queued = many || rng.ratio(1, 2);
    spec.trim.per_range = Nanos(rng.below(3) * 1_000);
    spec.trim.work = rng.ratio(3, 4).then(|| TrimWorkSpec {
        chunk_pages: 1 + rng.below(200) as u32,
        per_page: Nanos(rng.below(3) * 20_000),
        lazy: rng.ratio(2, 3),
        deterministic: rng.ratio(3, 4),
        pause: None,
    });
    let erases = rng.ratio(1, 2);
    spec.trim.erase_pause = erases.then(|| Nanos::from_micros(rng.below(3) * 2_000));
    if let Some(work) = &mut spec.trim.work {
        let mut rng = apart(rng, "rest after pieces");
        work.pause = rng
            .ratio(1, 3)
            .then(|| Nanos::from_micros(rng.below(4) * 1_000));
    }
    true
}

/// Draws idle states, heat and throttling for some drives; the others stay unchanged.
pub fn draw_power(rng: &mut Rng, spec: &mut Spec) {
    if rng.ratio(2, 3) {
        return;
    }
    spec.energy = Some(EnergySpec {
        read_pj: [10_000_000, 20_000_000],
        program_pj: [50_000_000, 300_000_000],
        erase_pj: [900_000_000; 2],
        bus_pj_per_byte: 30,
        core_busy_mw: 500,
        core_idle_mw: 200,
        link_active_mw: 400,
        link_idle_mw: 100,
        dram_mw: 100,
    });
    let mut delay = Nanos::ZERO;
    for number in 0..rng.below(3) {
        delay += Nanos::from_millis(1 + rng.below(60));
        spec.idle_states.push(IdleStateSpec {
            name: format!("state {number}"),
            delay,
            power_mw: rng.below(50),
            entry: Nanos::from_micros(rng.below(2_000)),
            exit: Nanos::from_micros(rng.below(20_000)),
            waits_for_idle_work: rng.ratio(1, 2),
        });
    }
    spec.thermal = rng.ratio(1, 2).then(|| ThermalSpec {
        ambient_mc: 30_000,
        resistance_mk_per_w: 30_000,
        capacity_mj_per_k: 1 + rng.below(50),
        step: Nanos::from_millis(1 + rng.below(30)),
        warning_mc: 60_000,
        critical_mc: 70_000,
        period: Nanos::from_micros(100 + rng.below(5_000)),
        throttle: if rng.ratio(1, 2) {
            Throttle::Stepwise {
                steps: vec![(50_000, 300_000), (55_000, 50_000)],
                hysteresis_mk: rng.below(8_000) as i64,
            }
        } else {
            Throttle::Gradual {
                limit_mc: 55_000,
                band_mk: 1_000 + rng.below(9_000) as i64,
                least_ppm: 20_000,
            }
        },
    });
}

/// For some drives, adds blocks that go bad one by one; never so many that the drive becomes
/// read-only.
pub fn draw_blocks(rng: &mut Rng, spec: &mut Spec) {
    if rng.ratio(2, 3) {
        return;
    }
    let mut life = || 1 + rng.below(30) as u32;
    spec.blocks = Some(BlocksSpec {
        life_cycles: [life(), life()],
        life_spread_percent: rng.below(30) as u32,
        die_spread_percent: rng.below(2) as u32 * 8,
        spare_blocks: 20_000,
        factory_bad_ppm: rng.below(40_000) as u32,
        seed: rng.next_u64(),
        program_failure_ppb: rng.below(2) as u32 * 3_000_000,
    });
}

/// Draws a capacity between half of what fits and all that the model checker allows.
fn draw_capacity(rng: &mut Rng, spec: &Spec) -> u64 {
    let capacity = stend_model::geometry::layout::capacity(spec).expect("a small drive");
    let kept = u64::from(spec.gc.start_superblocks) + 3;
    let most = capacity.data_pages - kept * capacity.data_superblock_pages;
    (most / 2 + rng.below(most / 2 + 1)).max(1) * PAGE
}

/// A random drive whose power can be cut, and true if its requests may overlap: requests take
/// effect in the order of completion if one sender waits for them.
pub fn draw_for_cuts(seed: u64, rng: &mut Rng) -> (Spec, bool) {
    let mut spec = draw_spec(rng);
    let overlapping = seed % 4 == 3;
    if !overlapping {
        draw_host(&mut Rng::stream(seed, "host of cuts"), &mut spec);
    }
    draw_power(&mut Rng::stream(seed, "power of cuts"), &mut spec);
    draw_power_loss(rng, &mut spec);
    draw_media(&mut Rng::stream(seed, "media of drives"), &mut spec);
    draw_buffer(&mut Rng::stream(seed, "buffer of cuts"), &mut spec);
    draw_end(&mut Rng::stream(seed, "end of life"), &mut spec);
    draw_mortal_blocks(&mut Rng::stream(seed, "blocks of cuts"), &mut spec);
    draw_takes_gc(&mut Rng::stream(seed, "collected data"), &mut spec);
    draw_ageing(&mut Rng::stream(seed, "ageing"), &mut spec);
    assert_eq!(power_loss_excludes(&spec), None);
    (spec, overlapping)
}

/// For some caches of the data area, or bypassed ones, sends relocated data to their own
/// superblocks.
fn draw_takes_gc(rng: &mut Rng, spec: &mut Spec) {
    let without = spec.clone();
    let Some(cache) = &mut spec.cache else {
        return;
    };
    let on_chip = cache.emptying == Emptying::OnChip && cache.pool.superblocks >= 16;
    if !on_chip || !cache.opens_data() || rng.ratio(1, 2) {
        return;
    }
    (cache.takes_gc, cache.frees_per_page) = (true, true);
    spec.gc.slc_reserve_superblocks = 4;
    fit(spec, without);
}

/// For some drives whose flash has errors, adds cells that wear, lose data and are disturbed: most
/// pages are read again, few are lost.
fn draw_ageing(rng: &mut Rng, spec: &mut Spec) {
    let Some(media) = spec.media.as_mut().filter(|m| m.data_area.fresh.0 == 0) else {
        return;
    };
    if rng.ratio(1, 2) {
        return;
    }
    for cells in [&mut media.data_area, &mut media.slc_cache] {
        *cells = ErrorModel {
            fresh: Rber(600 + rng.below(600)),
            worn: Rber(rng.below(800)),
            retention: Retention::Linear,
            year_fresh: Rber(200 + rng.below(600)),
            year_worn: Rber(rng.below(600)),
            reads_100k: Rber(rng.below(2) * 20_000),
            rated_cycles: 10,
            spread_percent: 5 + rng.below(15) as u32,
        };
    }
    media.refresh = rng.ratio(2, 3).then(|| Rber(900 + rng.below(1_000)));
    media.patrol_interval = rng
        .ratio(1, 2)
        .then(|| Nanos::from_micros(1 + rng.below(2_000)));
    if rng.ratio(1, 2) {
        media.data_area.retention = Retention::SquareRoot;
        media.remembers_pass = rng.ratio(1, 2);
        media.word_line_percent = rng.below(20) as u32;
        let bits = spec.data.timing.pages_per_word_line();
        media.page_type_percent = (0..bits).map(|_| 90 + rng.below(20) as u32).collect();
    }
}

/// A drive in which a fault shows, drawn at random from those of [`draw_for_cuts`].
pub fn draw_for_fault(fault: Fault, seed: u64, rng: &mut Rng) -> (Spec, bool) {
    let drawn = |nth: u64| {
        let seed = seed + 7_919 * nth;
        let mut of_drive = Rng::stream(seed, "power cuts");
        (draw_for_cuts(seed, &mut of_drive), of_drive)
    };
    let found = (0..).map(drawn).find(|d| shows(fault, &d.0.0, d.0.1));
    let ((mut spec, overlapping), of_drive) = found.expect("one in some hundreds does");
    *rng = of_drive;
    sharpen(fault, &mut spec);
    (spec, overlapping)
}

/// True if a fault may show in a drive.
fn shows(fault: Fault, spec: &Spec, overlapping: bool) -> bool {
    let capacitors = spec.power_loss.as_ref().is_none_or(|l| l.hold_up.is_some());
    let mortal = spec.health.is_some() || spec.blocks.is_some();
    let stripe = spec.parity_data.map_or(u32::MAX, |data| data + 1);
    let media = spec.media.as_ref();
    let fails = media.is_some_and(|m| m.data_area.fresh.0 > 0);
    let parity = media.is_some() && !fails && stripe <= spec.dies;
    let on_chip = |cache: &CacheSpec| cache.emptying == Emptying::OnChip;
    let of_its_own = match fault {
        Fault::EraseEarly | Fault::FlushEarly | Fault::TornRequest => true,
        Fault::Unordered => overlapping,
        Fault::ParityUnsaved => parity,
        Fault::FoldEarly => parity && spec.cache.as_ref().is_some_and(on_chip),
        Fault::LossForgotten => media.is_some_and(|m| m.data_area.fresh.0 >= 1_500),
        Fault::CoalesceTorn => spec.buffer.coalesces && !overlapping && spec.pages_per_mp_page > 1,
    };
    of_its_own && !capacitors && !mortal
}

/// Changes a drive so that a fault shows more often.
fn sharpen(fault: Fault, spec: &mut Spec) {
    let (Fault::FoldEarly | Fault::CoalesceTorn) = fault else {
        return;
    };
    if let Some(loss) = &mut spec.power_loss {
        // Related changes enter different journal pages unless something keeps them together.
        loss.journal_interval_pages = 1;
    }
    if let Some(cache) = &mut spec.cache {
        cache.fold_start_mp_pages = 8;
        cache.fold_dies_background = 1;
    }
}

/// For some drives, adds errors of the flash, also without parity, where a die loses its data; for
/// some, pages that no pass corrects.
fn draw_media(rng: &mut Rng, spec: &mut Spec) {
    let stripe = spec.parity_data.map_or(u32::MAX, |data| data + 1);
    if spec.media.is_none() && (stripe <= spec.dies || rng.ratio(1, 6)) {
        spec.media = Some(media());
    }
    let Some(media) = &mut spec.media else {
        return;
    };
    if let (true, Some(loss)) = (rng.ratio(1, 2), &mut spec.power_loss) {
        // Moved data soon counts as durable.
        loss.journal_interval_pages = 1 + rng.below(8) as u32;
    }
    if rng.ratio(1, 6) {
        // About one page in 10 needs more than the last pass.
        for cells in [&mut media.data_area, &mut media.slc_cache] {
            (cells.fresh, cells.spread_percent) = (Rber(1_500), 50);
        }
    }
}

/// Draws whether writes coalesce. A journal that is written often shows changes that it separates.
fn draw_buffer(rng: &mut Rng, spec: &mut Spec) {
    spec.buffer.coalesces = rng.ratio(1, 3);
    spec.buffer.half_duplex = rng.ratio(1, 4);
    if spec.buffer.half_duplex && rng.ratio(1, 2) {
        spec.buffer.turnaround = Nanos(rng.below(300_000));
    }
    let capacitors = spec
        .power_loss
        .as_ref()
        .is_some_and(|p| p.hold_up.is_some());
    spec.buffer.plp = capacitors && rng.ratio(1, 2);
    if let (true, Some(loss)) = (
        spec.buffer.coalesces && rng.ratio(2, 3),
        &mut spec.power_loss,
    ) {
        loss.journal_interval_pages = 1 + rng.below(8) as u32;
    }
}

/// For some drives, limits superblocks to a few cycles.
fn draw_end(rng: &mut Rng, spec: &mut Spec) {
    if rng.ratio(3, 4) {
        return;
    }
    let mut cycles = || 1 + rng.below(6) as u32;
    let end_of_life_cycles = [cycles().max(3), cycles()];
    spec.health = Some(HealthSpec {
        rated_cycles: end_of_life_cycles,
        end_of_life_cycles,
        spare_superblocks: rng.below(4) as u32,
        spare_threshold_percent: 10,
    });
    leave_room(spec);
    if stend_model::geometry::layout::user_pages_max(spec) == Some(0) {
        spec.health = None;
    }
}

/// For some drives, adds blocks that go bad one by one, with few spare ones, so that the drives
/// wear out.
fn draw_mortal_blocks(rng: &mut Rng, spec: &mut Spec) {
    if spec.health.is_some() || rng.ratio(1, 2) {
        return;
    }
    let life = match rng.ratio(2, 3) {
        true => [2 + rng.below(6) as u32, 2 + rng.below(6) as u32],
        false => [u32::MAX; 2],
    };
    let without = spec.clone();
    spec.blocks = Some(BlocksSpec {
        life_cycles: life,
        life_spread_percent: rng.below(50) as u32,
        die_spread_percent: 0,
        spare_blocks: rng.below(12) as u32,
        factory_bad_ppm: rng.below(2) as u32 * 20_000,
        seed: rng.next_u64(),
        program_failure_ppb: [0, 3_000_000, 20_000_000][rng.below(3) as usize],
    });
    if rng.ratio(1, 2) {
        spec.health = Some(HealthSpec {
            rated_cycles: [10; 2],
            end_of_life_cycles: [u32::MAX; 2],
            spare_superblocks: rng.below(3) as u32,
            spare_threshold_percent: 10,
        });
    }
    leave_room(spec);
    let none = stend_model::geometry::layout::user_pages_max(spec) == Some(0);
    if none || stend_model::geometry::factory_bad::short_die(spec).is_some() {
        *spec = without;
    }
}

/// Draws the effects of a power cut, after everything else.
fn draw_power_loss(rng: &mut Rng, spec: &mut Spec) {
    let paired_pages = match (rng.below(2), spec.one_shot) {
        (1, None) => PairedPages::Pad,
        _ => PairedPages::OneShot,
    };
    spec.power_loss = Some(PowerLossSpec {
        hold_up: rng.ratio(1, 4).then(|| Nanos::from_secs(60)),
        paired_pages,
        journal: CellTiming {
            read: vec![Nanos::from_micros(30)],
            program: vec![Nanos::from_micros(200)],
            erase: Nanos::from_micros(3000),
        },
        journal_rows: 4 + rng.below(8) as u32,
        journal_interval_pages: 1 + rng.below(4_000) as u32,
        checkpoint_pages: 1 + rng.below(30) as u32,
        flush_ignored: false,
        boot: Nanos::from_micros(rng.below(3_000)),
        replay_page: Nanos(rng.below(500)),
    });
}
