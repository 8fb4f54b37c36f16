//! Probes of the full drive that keep it busy.

use stend_contract::TargetError;

use crate::observed::{Flush, Observed};
use crate::probing::{PAGE_BYTES, Probe, Probing};

pub(super) fn long_reads(
    probing: &mut Probing<'_>,
    seen: &mut Observed,
) -> Result<(), TargetError> {
    let ms = if probing.copies() { 600_000 } else { 60_000 };
    let reads = Probe::ascending("read")
        .within(0, probing.capacity_bytes)
        .for_ms(ms);
    seen.long_reads = probing.aside(|copy| copy.read_curve(&reads, 1000))?;
    Ok(())
}

/// Writes between two flushes.
const EVERY: [u32; 5] = [1, 4, 16, 64, 256];

/// Flushes of each kind.
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
