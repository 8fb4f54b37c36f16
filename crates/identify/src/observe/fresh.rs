//! Probes of the empty drive.

use stend_load::target::TargetError;

use super::sizes::{BURST_BYTES, MAP_PARTS, first_bytes};
use super::{sample_ms, time};
use crate::observed::{Mixed, Observed, ReadMap, Rested};
use crate::probing::{PAGE_BYTES, Probe, Probing};

pub(super) fn unwritten(probing: &mut Probing<'_>, seen: &mut Observed) -> Result<(), TargetError> {
    if !probing.trims() {
        return Ok(());
    }
    probing.trim()?;
    probing.rest(5.0)?;
    let whole = Probe::reads().within(0, probing.capacity_bytes);
    seen.unwritten_reads = Some(probing.run(&whole.for_ms(200))?.reads);
    Ok(())
}

pub(super) fn new_data(probing: &mut Probing<'_>, seen: &mut Observed) -> Result<(), TargetError> {
    let bytes = first_bytes(probing);
    probing.run(&Probe::new("write", PAGE_BYTES, 32).within(0, bytes))?;
    // Data that is still in the buffer is not read from the flash.
    probing.rest(0.05)?;
    let reads = Probe::reads().within(0, bytes);
    seen.new_reads = Some(probing.run(&reads.for_ms(300))?.reads);
    Ok(())
}

pub(super) fn mixed(probing: &mut Probing<'_>, seen: &mut Observed) -> Result<(), TargetError> {
    let bytes = first_bytes(probing);
    let of = |rw| Probe::new(rw, 128 * 1024, 8).within(0, bytes);
    seen.mixed = Some(probing.aside(|copy| {
        let reads = copy.run(&of("read"))?.read_bytes_per_s;
        let writes = copy.run(&of("write"))?.write_bytes_per_s;
        let both = copy.run(&of("rw").bytes(bytes))?;
        Ok(Mixed {
            reads,
            writes,
            both: both.read_bytes_per_s + both.write_bytes_per_s,
            bytes: Some(bytes),
        })
    })?);
    Ok(())
}

/// The smallest part of a map of reads, bytes.
const PART_BYTES_MIN: u64 = 2 << 20;

/// Number of reads in each part.
const PART_READS: u64 = 24;

pub(super) fn burst(probing: &mut Probing<'_>, seen: &mut Observed) -> Result<(), TargetError> {
    let first = first_bytes(probing);
    let bytes = BURST_BYTES.min(probing.capacity_bytes / 16);
    seen.burst = Some(probing.aside(|copy| {
        copy.rest(2.0)?;
        copy.curve(&Probe::ascending("write").within(first, bytes), 1)
    })?);
    Ok(())
}

/// Sixteenths of the capacity that are written, one after another, as long as all of the data is
/// read like new data.
const WRITTEN_SIXTEENTHS: [u64; 6] = [1, 4, 8, 10, 12, 16];

/// Rest after which the same places are read again, s.
const MAP_REST_S: f64 = 300.0;

pub(super) fn map(probing: &mut Probing<'_>, seen: &mut Observed) -> Result<(), TargetError> {
    let new_ns = seen.new_reads.map_or(0.0, |reads| reads.mean_ns);
    for sixteenths in WRITTEN_SIXTEENTHS {
        let written_bytes = probing.capacity_bytes / 16 * sixteenths;
        let copies = probing.copies();
        let (map, rested) = probing.aside(|copy| {
            let map = read_map(copy, written_bytes)?;
            if !copies {
                return Ok((map, None));
            }
            copy.rest(MAP_REST_S)?;
            let rested = read_parts(copy, written_bytes)?;
            Ok((map, Some(rested)))
        })?;
        let alike = map
            .parts
            .iter()
            .filter(|part| part.mean_ns < 1.1 * new_ns)
            .count();
        let all = alike > map.parts.len() * 9 / 10;
        seen.maps.push(map);
        seen.rested_map = rested;
        if !all || !probing.copies() {
            break;
        }
    }
    Ok(())
}

/// Writes `written_bytes` bytes in ascending order, and reads in each part of them.
pub(super) fn read_map(copy: &mut Probing<'_>, written_bytes: u64) -> Result<ReadMap, TargetError> {
    copy.run(&Probe::ascending("write").within(0, written_bytes))?;
    copy.rest(0.05)?;
    read_parts(copy, written_bytes)
}

/// Reads in each part of the first `written_bytes` bytes.
pub(super) fn read_parts(
    copy: &mut Probing<'_>,
    written_bytes: u64,
) -> Result<ReadMap, TargetError> {
    // Parts of a small cache are few, so that it is not emptied meanwhile.
    let parts = MAP_PARTS.min(written_bytes / PART_BYTES_MIN);
    let parts = parts.min(time::map_parts(copy)).max(1);
    let part = written_bytes / parts;
    let sections: Vec<Probe> = (0..parts)
        .map(|index| {
            let reads = Probe::reads().within(index * part, part);
            reads.bytes(PART_READS * PAGE_BYTES).option("stonewall", 1)
        })
        .collect();
    let parts = copy.run_all(&sections)?;
    Ok(ReadMap {
        written_bytes,
        parts: parts.iter().map(|done| done.reads).collect(),
    })
}

/// Rests after which the drive is written again, s; true if a page is read meanwhile.
const RESTS: [(f64, bool); 4] = [(0.0, false), (30.0, false), (300.0, false), (300.0, true)];

pub(super) fn emptying(probing: &mut Probing<'_>, seen: &mut Observed) -> Result<(), TargetError> {
    let (bytes, capacity_bytes) = (probing.capacity_bytes / 8, probing.capacity_bytes);
    for (rest_s, awake) in RESTS {
        let curve = probing.aside(|copy| {
            copy.run(&Probe::ascending("write").within(0, bytes))?;
            copy.rest_or_wake(rest_s, awake)?;
            let next = Probe::ascending("write").within(bytes, bytes.min(capacity_bytes - bytes));
            copy.curve(&next, sample_ms(bytes))
        })?;
        let rested = Rested { rest_s, curve };
        match awake {
            true => seen.emptied_awake = Some(rested),
            false => seen.emptied.push(rested),
        }
    }
    Ok(())
}

pub(super) fn fill(probing: &mut Probing<'_>, seen: &mut Observed) -> Result<(), TargetError> {
    let capacity_bytes = probing.capacity_bytes;
    let first = first_bytes(probing);
    let rest = Probe::ascending("write").within(first, capacity_bytes - first);
    probing.keep();
    seen.fill = Some(probing.curve(&rest, sample_ms(capacity_bytes))?);
    let latest = capacity_bytes / 1024;
    let reads = Probe::reads().within(capacity_bytes - latest, latest);
    let quiet_ns = seen
        .new_reads
        .map_or(u64::MAX, |reads| QUIET_RATIO * reads.p1_ns);
    for _ in 0..QUIET_TRIES {
        let latest = probing.run(&reads.clone().for_ms(500))?.reads;
        seen.latest_reads = Some(latest);
        seen.latest_tries += 1;
        if latest.p1_ns < quiet_ns || probing.left_s() < time::QUIET_LEFT_S {
            break;
        }
    }
    Ok(())
}

/// The drive is quiet if its quickest reads take at most this multiple of those of new data.
const QUIET_RATIO: u64 = 2;

/// Number of checks that the drive is quiet, half a second each.
const QUIET_TRIES: u32 = 40;
