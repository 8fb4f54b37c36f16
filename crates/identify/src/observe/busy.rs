//! Probes of the full drive that keep it busy.

use stend_load::target::{Deletion, TargetError};

use super::time;
use crate::observed::{Flush, Observed};
use crate::probing::{PAGE_BYTES, Probe, Probing};

pub(super) fn long_reads(
    probing: &mut Probing<'_>,
    seen: &mut Observed,
) -> Result<(), TargetError> {
    let ms = match probing.copies() {
        true => 600_000,
        false => time::long_reads_ms(probing),
    };
    let reads = Probe::ascending("read")
        .within(0, probing.capacity_bytes)
        .for_ms(ms);
    seen.long_reads = probing.aside(|copy| copy.read_curve(&reads, 1000))?;
    Ok(())
}

/// Numbers of writes between two flushes.
const EVERY: [u32; 5] = [1, 4, 16, 64, 256];

/// Number of flushes of each kind.
const FLUSHES: u64 = 40;

pub(super) fn durable(probing: &mut Probing<'_>, seen: &mut Observed) -> Result<(), TargetError> {
    let whole = probing.capacity_bytes;
    let (flushes, short) = probing.aside(|copy| {
        let mut flushes = Vec::new();
        for every in EVERY {
            let bytes = PAGE_BYTES * u64::from(every) * FLUSHES;
            let writes = Probe::new("randwrite", PAGE_BYTES, 1).within(0, whole);
            let done = copy.run(&writes.bytes(bytes).option("fsync", every))?;
            flushes.extend(done.flush_ns.map(|flush_ns| Flush {
                every,
                flush_ns,
                write_ns: done.writes.mean_ns,
            }));
        }
        let of = |bytes| {
            Probe::new("randwrite", bytes, 4)
                .within(0, whole)
                .bytes(2000 * bytes)
        };
        let long = copy.run(&of(PAGE_BYTES))?.writes.per_s;
        let short = copy.run(&of(512))?.writes.per_s;
        Ok((flushes, (short, long)))
    })?;
    (seen.flushes, seen.short_writes) = (flushes, Some(short));
    Ok(())
}

/// Bytes to be trimmed, and bytes per command, as a file system trims a file.
const TRIM_BYTES: u64 = 1 << 30;
const TRIM_COMMAND_BYTES: u64 = 64 << 20;

pub(super) fn trim_time(probing: &mut Probing<'_>, seen: &mut Observed) -> Result<(), TargetError> {
    if !probing.trims() {
        return Ok(());
    }
    let len_bytes = (probing.capacity_bytes / 8).min(TRIM_BYTES);
    let len_bytes = len_bytes / TRIM_COMMAND_BYTES * TRIM_COMMAND_BYTES;
    if len_bytes == 0 {
        return Ok(());
    }
    let deletion = Deletion {
        at_s: 1,
        offset_bytes: 0,
        len_bytes,
        command_bytes: TRIM_COMMAND_BYTES,
    };
    let beyond = Probe::reads()
        .within(len_bytes, probing.capacity_bytes - len_bytes)
        .for_ms(4000);
    let took = probing.aside(|copy| copy.trim_beside(&beyond, &deletion))?;
    seen.trim_time = took.map(|took| (len_bytes, took));
    Ok(())
}
