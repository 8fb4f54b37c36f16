//! From a checked model to the numbers a simulation runs on.

use stend_base::Nanos;
use stend_nand::reliability::{Ecc, ErrorModel, Rber};
use stend_nand::{Abilities, CellTiming, Suspend};

use super::key::Field;
use super::rules::named;
use super::schema::Model;
use super::tables::controller::ASSIGNMENTS;
use super::tables::gc::{POLICIES, Victim};
use super::tables::health::HealthTable;
use super::tables::host::{GENERATIONS, Host};
use super::tables::media::Media;
use super::tables::nand::{NandCommands, planes_together};
use super::tables::power::{EnergyTable, IdleStateTable, Kind, THROTTLES, ThermalTable};
use super::tables::power_loss::{PAIRED_PAGES, PowerLoss};
use super::tables::slc_cache::{FOLD_BY, SlcCache, WHEN_FULL, takes_gc};
use super::tables::trim::Trim;
use super::tables::{blocks::Blocks, gc};
use crate::spec::*;

pub(super) fn spec(model: &Model) -> Spec {
    let nand = &model.nand;
    let cache = model.slc_cache.as_ref().filter(|c| c.enabled.value);
    let parity = model.parity.as_ref().filter(|p| p.enabled.value);
    let apart = nand.planes.value / planes_together(model);
    let page_kib = planes_together(model) * nand.page_kib.value;
    let mut spec = Spec {
        user_bytes: model.capacity.user_bytes.value,
        dies: nand.dies.value,
        channels: nand.channels.value,
        pages_per_mp_page: page_kib / 4,
        bus_ps_per_byte: ps_per_byte(nand.bus_mb_per_s.value),
        bus_overhead: nanos(&nand.bus_overhead_ns),
        data: PoolSpec {
            superblocks: nand.blocks_per_plane.value * apart,
            rows: nand.pages_per_block.value,
            timing: CellTiming {
                read: nand.read_us.value.iter().copied().map(micros).collect(),
                program: nand.program_us.value.iter().copied().map(micros).collect(),
                erase: micros(nand.erase_us.value),
            },
        },
        cache: cache.map(|c| slc_cache(c, nand.dies.value, apart, page_kib)),
        abilities: model
            .nand_commands
            .as_ref()
            .map(abilities)
            .unwrap_or_default(),
        one_shot: one_shot(model),
        parity_data: parity.map(|p| p.data_pages.value),
        host: host(&model.host),
        controller: controller(model),
        l2p_cache: l2p_cache(model),
        buffer: BufferSpec {
            write_pages: model.dram.write_buffer_kib.value / 4,
            read_ahead_pages: model.dram.read_ahead_kib.value / 4,
            coalesces: model.dram.coalesce_writes.value,
            half_duplex: model.dram.half_duplex.value,
            turnaround: nanos(&model.dram.turnaround_ns),
            plp: model.dram.plp.value,
        },
        gc: gc(model),
        idle: IdleSpec {
            enabled: model.idle.enabled.value,
            delay: Nanos::from_millis(model.idle.delay_ms.value),
            slice: Nanos::from_millis(model.idle.slice_ms.value),
            duty_percent: model.idle.duty_percent.value,
            target_superblocks: model.idle.target_superblocks.value,
        },
        trim: trim(&model.trim, &model.host),
        media: model.media.as_ref().map(media),
        streams: streams(model),
        wear: wear(model),
        energy: model.energy.as_ref().map(|e| energy(e, nand.planes.value)),
        idle_states: model.idle_states.iter().map(idle_state).collect(),
        thermal: model.thermal.as_ref().map(thermal),
        health: model.health.as_ref().map(health),
        blocks: model
            .blocks
            .as_ref()
            .filter(|b| b.enabled.value)
            .map(blocks),
        power_loss: power_loss(model),
    };
    if let Some(cache) = cache {
        starts_by_free(cache, page_kib, &mut spec);
    }
    spec
}

fn micros(us: f64) -> Nanos {
    Nanos((us * 1000.0).round() as u64)
}

fn nanos(field: &Field<u64>) -> Nanos {
    Nanos(field.value)
}

/// Nothing where the key is absent.
fn nanos_or_zero(field: &Option<Field<u64>>) -> Nanos {
    field.as_ref().map_or(Nanos::ZERO, nanos)
}

fn value<T: Clone>(field: &Option<Field<T>>) -> Option<T> {
    field.as_ref().map(|field| field.value.clone())
}

fn ps_per_byte(mb_per_s: u32) -> u64 {
    1_000_000 / u64::from(mb_per_s)
}

fn one_shot(model: &Model) -> Option<Nanos> {
    value(&model.nand_commands.as_ref()?.one_shot_program_us).map(micros)
}

fn abilities(commands: &NandCommands) -> Abilities {
    let program = value(&commands.program_suspend_us).map(micros);
    let erase = value(&commands.erase_suspend_us).map(micros);
    Abilities {
        cache_read: commands.cache_read.value,
        cache_program: commands.cache_program.value,
        suspend: (program.is_some() || erase.is_some()).then(|| Suspend {
            program,
            erase,
            resume: micros(commands.resume_us.value),
            reads_max: commands.suspend_reads_max.value,
        }),
    }
}

/// A cache on dies whose planes make `apart` superblocks each, with multi-plane pages of
/// `page_kib`.
fn slc_cache(cache: &SlcCache, dies: u32, apart: u32, page_kib: u32) -> CacheSpec {
    let superblocks = cache.blocks_per_plane.value * apart;
    let dynamic_superblocks = value(&cache.dynamic_blocks_per_plane).unwrap_or(0) * apart;
    let all = u64::from(superblocks + dynamic_superblocks);
    let pages = all * u64::from(cache.pages_per_block.value) * u64::from(dies);
    let start = value(&cache.fold_start_percent).unwrap_or(0.0);
    CacheSpec {
        pool: PoolSpec {
            superblocks,
            rows: cache.pages_per_block.value,
            timing: CellTiming {
                read: vec![micros(cache.read_us.value)],
                program: vec![micros(cache.program_us.value)],
                erase: micros(cache.erase_us.value),
            },
        },
        dynamic_superblocks,
        bypass_from_bytes: value(&cache.bypass_from_kib).map(|kib| u64::from(kib) * 1024),
        emptying: named(&FOLD_BY, &cache.fold_by),
        when_full: named(&WHEN_FULL, &cache.when_full),
        takes_gc: takes_gc(cache),
        frees_per_page: cache.frees_per_page.value,
        fold_start_mp_pages: (pages as f64 * start / 100.0) as u64,
        fold_dies_background: cache.fold_dies_background.value,
        fold_pause: Nanos::from_micros(cache.fold_pause_us.value),
        fold_limit: fold_limit(cache, page_kib),
    }
}

fn fold_limit(cache: &SlcCache, page_kib: u32) -> FoldLimit {
    if named(&FOLD_BY, &cache.fold_by) == Emptying::Controller {
        let background = value(&cache.fold_pages_background);
        return background.map_or(FoldLimit::None, FoldLimit::MpPages);
    }
    let (dies, free) = (value(&cache.fold_dies_max), value(&cache.idle_free_mib));
    if dies.is_none() && free.is_none() {
        return FoldLimit::None;
    }
    FoldLimit::Dies {
        most: dies.unwrap_or(u32::MAX),
        idle_free_mp_pages: free.map(|mib| u64::from(mib) * 1024 / u64::from(page_kib)),
    }
}

/// Where folding begins by what is free for the host, beside what the drive keeps for itself.
fn starts_by_free(cache: &SlcCache, page_kib: u32, spec: &mut Spec) {
    let Some(free_mib) = value(&cache.fold_start_free_mib) else {
        return;
    };
    let kept = crate::sim::cache_superblocks_kept(spec);
    let dies = spec.dies;
    if let Some(cache) = &mut spec.cache {
        let pages = |superblocks: u32| {
            u64::from(superblocks) * u64::from(cache.pool.rows) * u64::from(dies)
        };
        let free = u64::from(free_mib) * 1024 / u64::from(page_kib);
        cache.fold_start_mp_pages =
            pages(cache.pool.superblocks).saturating_sub(pages(kept) + free);
    }
}

/// A queue is full with one entry empty, which tells full from empty (NVM Express 1.2,
/// 4.1.2).
const ENTRY_KEPT_EMPTY: u32 = 1;

fn host(host: &Host) -> HostSpec {
    let kept_empty = if host.is_nvme() { ENTRY_KEPT_EMPTY } else { 0 };
    HostSpec {
        submit: nanos(&host.submit_ns),
        complete: nanos(&host.complete_ns),
        queue_depth: host.queue_slots.value - kept_empty,
        link_ps_per_byte: value(&host.link_mb_per_s).map_or(0, ps_per_byte),
        frame_bytes: value(&host.frame_bytes).unwrap_or(0),
        frame_overhead: nanos_or_zero(&host.frame_overhead_ns),
        command_overhead: nanos_or_zero(&host.command_overhead_ns),
        pcie: pcie(host),
        driver: driver(host),
        write_cache: host.write_cache.value,
        flush_queued: host.flush_queued.value,
    }
}

fn pcie(host: &Host) -> Option<PcieSpec> {
    let nvme = host.is_nvme();
    Some(PcieSpec {
        protocol: if nvme { Protocol::Nvme } else { Protocol::Ahci },
        lane_fs_per_byte: named(&GENERATIONS, host.pcie_generation.as_ref()?),
        lane_bits: value(&host.pcie_lanes)?.trailing_zeros(),
        max_payload_bytes: value(&host.max_payload_bytes)?,
        memory_read: nanos_or_zero(&host.memory_read_ns),
        queues: value(&host.queues).unwrap_or(1),
    })
}

fn driver(host: &Host) -> Option<DriverSpec> {
    let accesses = value(&host.register_accesses).unwrap_or(0);
    let registers = nanos_or_zero(&host.register_access_ns);
    let driver = DriverSpec {
        cpus: value(&host.cpus)?,
        submit: nanos(&host.driver_submit_ns),
        complete: nanos(&host.driver_complete_ns),
        queue_lock: nanos(&host.queue_lock_ns),
        submit_registers: registers * u64::from(accesses / 2),
        complete_registers: registers * u64::from(accesses.div_ceil(2)),
    };
    let costs = [
        driver.submit,
        driver.complete,
        driver.queue_lock,
        driver.submit_registers,
        driver.complete_registers,
    ];
    costs.iter().any(|&t| t > Nanos::ZERO).then_some(driver)
}

fn controller(model: &Model) -> ControllerSpec {
    let controller = &model.controller;
    let cores = controller.cores.value;
    let divided = named(&ASSIGNMENTS, &controller.assignment);
    let core = |wanted: u32| if divided { wanted.min(cores - 1) } else { 0 };
    ControllerSpec {
        cores,
        core_read: core(0),
        core_write: core(1),
        core_background: core(2),
        read_command: nanos(&controller.read_command_ns),
        write_command: nanos(&controller.write_command_ns),
        read_page: nanos(&controller.read_page_ns),
        write_page: nanos(&controller.write_page_ns),
        l2p_segments: controller.l2p_segments.value,
        l2p_segment_pages: controller.l2p_segment_kib.value / 4,
        read_l2p_miss: nanos(&controller.read_l2p_miss_ns),
        write_l2p_miss: nanos(&controller.write_l2p_miss_ns),
        gc_page: nanos(&controller.gc_page_ns),
        fold_page: nanos(&controller.fold_page_ns),
    }
}

fn l2p_cache(model: &Model) -> Option<L2pCacheSpec> {
    let cache = model.l2p_cache.as_ref()?;
    Some(L2pCacheSpec {
        read: micros(cache.read_us.value),
        program: micros(cache.program_us.value),
        erase: micros(cache.erase_us.value),
        programs_per_erase: cache.pages_per_block.value,
    })
}

fn gc(model: &Model) -> GcSpec {
    let gc = &model.gc;
    GcSpec {
        policy: match named(&POLICIES, &gc.policy) {
            Victim::Greedy => Policy::Greedy,
            Victim::Fifo => Policy::Fifo,
            Victim::CostBenefit => Policy::CostBenefit,
            Victim::DChoices => Policy::DChoices {
                choices: value(&gc.choices).unwrap_or(1),
            },
        },
        start_superblocks: gc.start_superblocks.value,
        reserve_superblocks: gc.reserve_superblocks.value,
        slc_reserve_superblocks: gc.slc_reserve_superblocks.value,
        depth: gc.depth.value,
    }
}

/// Sectors that a range entry of ATA's DATA SET MANAGEMENT can name (ACS-3), and of
/// NVMe's Dataset Management (NVM Express 1.2).
const ATA_RANGE_SECTORS: u64 = 65_535;
const NVME_RANGE_SECTORS: u64 = 4_294_967_295;

fn trim(trim: &Trim, host: &Host) -> TrimSpec {
    let sectors = match host.is_nvme() {
        true => NVME_RANGE_SECTORS,
        false => ATA_RANGE_SECTORS,
    };
    let promise = trim.deterministic.as_ref().map(|p| p.value.as_str());
    TrimSpec {
        enabled: trim.enabled.value,
        command: nanos(&trim.command_ns),
        per_1024_pages: nanos(&trim.per_1024_pages_ns),
        reaches_cache: trim.reaches_cache.value,
        queued: trim.queued.value,
        per_range: nanos(&trim.per_range_ns),
        range_bytes_max: sectors * 512,
        work: value(&trim.chunk_kib).map(|kib| TrimWorkSpec {
            chunk_pages: kib / 4,
            per_page: nanos(&trim.per_page_ns),
            lazy: trim.lazy.value,
            deterministic: promise != Some("none"),
            pause: value(&trim.chunk_pause_us).map(Nanos::from_micros),
        }),
        erase_pause: value(&trim.erase_pause_us).map(Nanos::from_micros),
    }
}

fn rber(ppb: f64) -> Rber {
    Rber((ppb * 1_000.0).round() as u64)
}

fn media(media: &Media) -> MediaSpec {
    let cells = |area: usize| {
        // One entry serves both areas.
        let rate = |field: &Field<Vec<f64>>| rber(field.value[area.min(field.value.len() - 1)]);
        let cycles = &media.rated_cycles.value;
        ErrorModel {
            fresh: rate(&media.rber_fresh_ppb),
            worn: rate(&media.rber_worn_ppb),
            year_fresh: rate(&media.rber_year_fresh_ppb),
            year_worn: rate(&media.rber_year_worn_ppb),
            reads_100k: rate(&media.rber_reads_100k_ppb),
            rated_cycles: cycles[area.min(cycles.len() - 1)],
            spread_percent: media.page_spread_percent.value,
        }
    };
    MediaSpec {
        main: cells(0),
        cache: cells(1),
        ecc: Ecc {
            passes: media
                .pass_rber_ppb
                .value
                .iter()
                .copied()
                .map(rber)
                .collect(),
            retry: micros(media.retry_us.value),
        },
        refresh: value(&media.refresh_rber_ppb).map(rber),
        seed: media.seed.value,
    }
}

fn streams(model: &Model) -> Option<StreamsSpec> {
    gc::enabled(model).map(|s| StreamsSpec {
        host_streams: s.host_streams.value,
        gc_streams: s.gc_streams.value,
        heat_group_pages: s.heat_group_kib.value / (PAGE_BYTES / 1024) as u32,
        heat_window_percent: s.heat_window_percent.value,
        classify: nanos(&s.classify_ns),
    })
}

fn wear(model: &Model) -> Option<WearSpec> {
    let wear = model.wear_levelling.as_ref().filter(|w| w.enabled.value)?;
    Some(WearSpec {
        dynamic: wear.dynamic.value,
        static_spread: wear.static_spread.value,
        static_interval: wear.static_interval.value,
    })
}

fn energy(energy: &EnergyTable, planes: u32) -> EnergySpec {
    // Planes work together: what is given for a page is taken by each.
    let of_die = |slc: &Field<u64>, native: &Field<u64>| {
        [slc, native].map(|nj| nj.value * 1_000 * u64::from(planes))
    };
    EnergySpec {
        read_pj: of_die(&energy.slc_read_nj, &energy.read_nj),
        program_pj: of_die(&energy.slc_program_nj, &energy.program_nj),
        erase_pj: of_die(&energy.slc_erase_nj, &energy.erase_nj),
        bus_pj_per_byte: energy.bus_byte_pj.value,
        core_busy_mw: energy.core_busy_mw.value,
        core_idle_mw: energy.core_idle_mw.value,
        link_active_mw: energy.link_active_mw.value,
        link_idle_mw: energy.link_idle_mw.value,
        dram_mw: energy.dram_mw.value,
    }
}

fn idle_state(state: &IdleStateTable) -> IdleStateSpec {
    IdleStateSpec {
        name: state.name.value.clone(),
        delay: Nanos::from_millis(state.delay_ms.value),
        power_mw: state.power_mw.value,
        entry: Nanos::from_micros(state.entry_us.value),
        exit: Nanos::from_micros(state.exit_us.value),
        waits_for_idle_work: state.waits_for_idle_work.value,
    }
}

fn milli(value: f64) -> i64 {
    (value * 1e3).round() as i64
}

fn share_ppm(percent: f64) -> u32 {
    (percent * 1e4).round() as u32
}

fn thermal(t: &ThermalTable) -> ThermalSpec {
    let number = |field: &Option<Field<f64>>| value(field).unwrap_or(0.0);
    let list = |field: &Option<Field<Vec<f64>>>| value(field).unwrap_or_default().into_iter();
    ThermalSpec {
        ambient_mc: milli(t.ambient_c.value),
        resistance_mk_per_w: milli(t.resistance_k_per_w.value).unsigned_abs(),
        capacity_mj_per_k: milli(t.capacity_j_per_k.value).unsigned_abs(),
        step: Nanos::from_millis(t.step_ms.value),
        warning_mc: milli(t.warning_c.value),
        critical_mc: milli(t.critical_c.value),
        period: Nanos::from_micros(value(&t.period_us).unwrap_or(0)),
        throttle: match named(&THROTTLES, &t.throttle) {
            Kind::None => Throttle::None,
            Kind::Stepwise => Throttle::Stepwise {
                steps: list(&t.steps_c)
                    .map(milli)
                    .zip(list(&t.steps_percent).map(share_ppm))
                    .collect(),
                hysteresis_mk: milli(number(&t.hysteresis_k)),
            },
            Kind::Gradual => Throttle::Gradual {
                limit_mc: milli(number(&t.limit_c)),
                band_mk: milli(number(&t.band_k)),
                least_ppm: share_ppm(number(&t.least_percent)),
            },
        },
    }
}

/// Never, without the key.
fn cycles(field: &Option<Field<u32>>) -> u32 {
    value(field).unwrap_or(u32::MAX)
}

fn health(h: &HealthTable) -> HealthSpec {
    HealthSpec {
        rated_cycles: [cycles(&h.slc_rated_cycles), h.rated_cycles.value],
        end_of_life_cycles: [
            cycles(&h.slc_end_of_life_cycles),
            cycles(&h.end_of_life_cycles),
        ],
        spare_superblocks: h.spare_superblocks.value,
        spare_threshold_percent: h.spare_threshold_percent.value,
    }
}

fn blocks(blocks: &Blocks) -> BlocksSpec {
    BlocksSpec {
        life_cycles: [cycles(&blocks.slc_life_cycles), cycles(&blocks.life_cycles)],
        life_spread_percent: blocks.life_spread_percent.value,
        spare_blocks: blocks.spare_blocks_per_die.value,
        factory_bad_ppm: blocks.factory_bad_ppm.value,
        program_failure_ppb: blocks.program_failure_ppb.value,
        seed: blocks.seed.value,
    }
}

fn power_loss(model: &Model) -> Option<PowerLossSpec> {
    let table: &PowerLoss = model.power_loss.as_ref().filter(|p| p.enabled.value)?;
    let bits = model.nand.program_us.value.len() as u32;
    let hold_up = Nanos::from_millis(table.hold_up_ms.value);
    Some(PowerLossSpec {
        hold_up: table.capacitors.value.then_some(hold_up),
        paired_pages: named(&PAIRED_PAGES, &table.paired_pages),
        journal: CellTiming {
            read: vec![micros(table.journal_read_us.value)],
            program: vec![micros(table.journal_program_us.value)],
            erase: micros(table.journal_erase_us.value),
        },
        journal_rows: model.nand.pages_per_block.value / bits,
        journal_interval_pages: table.journal_interval_kib.value / 4,
        checkpoint_pages: table.checkpoint_pages.value,
        boot: Nanos::from_millis(table.boot_ms.value),
        replay_page: nanos(&table.replay_page_ns),
    })
}
