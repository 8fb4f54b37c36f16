//! Probes of the full drive after a rest.

use stend_load::target::TargetError;

use super::fresh::{read_map, read_parts};
use super::{sample_ms, time};
use crate::observed::{Observed, Rested};
use crate::probing::{LONG_BYTES, PAGE_BYTES, Probe, Probing};

/// Rests before a drive counts as settled, of `REST_S` seconds each; a real drive gets fewer.
const REST_S: f64 = 60.0;
const RESTS: u32 = 240;
const REAL_RESTS: u32 = 2;

/// Lets the drive rest, and wakes it now and then, because a sleeping drive does no work.
fn settle(probing: &mut Probing<'_>) -> Result<f64, TargetError> {
    let rests = if probing.copies() { RESTS } else { REAL_RESTS };
    let rest_s = REST_S.min(time::rest(probing) / f64::from(rests));
    for _ in 0..rests {
        probing.rest(rest_s)?;
        let read = Probe::reads().within(0, probing.capacity_bytes);
        probing.run(&read.bytes(PAGE_BYTES))?;
    }
    Ok(f64::from(rests) * rest_s)
}

/// Number of repetitions of a measurement, which show the variation of the target's times.
const REPEATS: u32 = 3;

/// Number of parts in which the full drive is read.
const PARTS: u64 = 64;

/// Number of reads in each part.
const PART_READS: u64 = 48;

/// Medians that differ by less than this ratio belong to one kind of flash.
const SAME_RATIO: f64 = 1.06;

/// Longest range of the drive with uniform read times, excluding the first part, which was written
/// in short requests: (offset, length).
fn alike(medians_ns: &[u64], part_bytes: u64) -> (u64, u64) {
    let mut longest = (1, 1);
    let mut begin = 1;
    for end in 2..=medians_ns.len() {
        let within = &medians_ns[begin..end];
        let (low, high) = (within.iter().min(), within.iter().max());
        if *high.unwrap_or(&0) as f64 > SAME_RATIO * *low.unwrap_or(&0) as f64 {
            begin = end - 1;
        }
        if end - begin > longest.1 {
            longest = (begin, end - begin);
        }
    }
    (longest.0 as u64 * part_bytes, longest.1 as u64 * part_bytes)
}

pub(super) fn reads(probing: &mut Probing<'_>, seen: &mut Observed) -> Result<(), TargetError> {
    seen.settled_s = settle(probing)?;
    // Multiples of whole requests: a logical page that crossed two flash pages would be read twice.
    let part = probing.capacity_bytes / PARTS / LONG_BYTES * LONG_BYTES;
    let sections: Vec<Probe> = (0..PARTS)
        .map(|index| {
            let reads = Probe::reads().within(index * part, part.min(SPAN_BYTES));
            reads.bytes(PART_READS * PAGE_BYTES).option("stonewall", 1)
        })
        .collect();
    let parts = probing.run_all(&sections)?;
    let medians: Vec<u64> = parts.iter().map(|done| done.reads.p50_ns).collect();
    let (offset, len) = alike(&medians, part);
    seen.alike = Some((offset, len));
    seen.settled_parts = parts.iter().map(|done| done.reads).collect();
    let near = Probe::reads().within(offset, len.min(64 << 20));
    for _ in 0..REPEATS {
        seen.repeats
            .push(probing.run(&near.clone().for_ms(100))?.reads);
    }
    seen.settled_reads = Some(probing.run(&near.for_ms(300))?.reads);
    let ascending = Probe::new("read", PAGE_BYTES, 1)
        .within(offset, len)
        .for_ms(100);
    seen.ascending_reads = Some(probing.run(&ascending)?.reads);
    Ok(())
}

/// Bytes of the smallest span.
const SPAN_BYTES: u64 = 4 << 20;

pub(super) fn scaling(probing: &mut Probing<'_>, seen: &mut Observed) -> Result<(), TargetError> {
    let (offset, len) = seen.alike.unwrap_or((0, probing.capacity_bytes));
    for depth in [1, 2, 4, 8, 16, 32, 64, 128] {
        let reads = Probe::deep_reads(depth);
        let done = probing.run(&reads.within(offset, len).for_ms(200))?;
        seen.depths.push((depth, done.reads));
    }
    let read_ns = seen.settled_reads.map_or(1e5, |reads| reads.mean_ns);
    let powers = (0..).map(|power| SPAN_BYTES << power);
    let mut spans: Vec<u64> = powers.take_while(|span| *span <= len).collect();
    // Nearly the same length may be left beyond the last of them.
    if spans.last().is_some_and(|last| len > last + last / 4) {
        spans.push(len);
    }
    for span in spans {
        // The L2P of a span is cached once each of its segments has been read.
        let warm_up = (span / SPAN_BYTES * 4).max(1000) as f64;
        let warm_up_ms = (warm_up * read_ns / 1e6) as u64;
        let reads = Probe::reads().within(offset, span).for_ms(200);
        let done = probing.run(&reads.option("ramp_time", format!("{warm_up_ms}ms")))?;
        seen.spans.push((span, done.reads));
    }
    Ok(())
}

/// Number of distances of pairs, and the difference between successive ones.
const PAIRS: u64 = 384;
const PAIR_STEP_BYTES: u64 = 16 * 1024;

/// Number of pairs of pages at random places; fewer for a real target.
const FAR_PAIRS: u64 = 3072;
const REAL_FAR_PAIRS: u64 = 768;

/// Fractional part of the golden ratio.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// Outstanding requests per page of a pair: enough that its die is never idle.
const PAIR_DEPTH: u32 = 4;

/// Duration of the reads of a pair, ms; on a real target, threads need time to start.
const PAIR_MS: u64 = 3;
const REAL_PAIR_MS: u64 = 30;

/// Number of pairs in one job.
const PAIRS_AT_ONCE: usize = 32;

pub(super) fn pairs(probing: &mut Probing<'_>, seen: &mut Observed) -> Result<(), TargetError> {
    let (offset, len) = seen.alike.unwrap_or((0, probing.capacity_bytes));
    let most = time::pairs_at_most(probing);
    let near: Vec<u64> = (1..=PAIRS.min(most))
        .map(|index| index * PAIR_STEP_BYTES)
        .collect();
    seen.pairs = read_pairs(probing, offset, &near)?;
    let count = if probing.copies() {
        FAR_PAIRS
    } else {
        REAL_FAR_PAIRS
    };
    let far: Vec<u64> = (1..=count.min(most))
        .map(|index| {
            // Multiples of an irrational number are evenly distributed, without a period.
            let distance = (index as f64 * GOLDEN).fract() * (len - LONG_BYTES) as f64;
            distance as u64 / PAIR_STEP_BYTES * PAIR_STEP_BYTES
        })
        .collect();
    seen.far_pairs = read_pairs(probing, offset, &far)?;
    Ok(())
}

/// Reads a page and another at each of these distances simultaneously: reads per second of both.
fn read_pairs(
    probing: &mut Probing<'_>,
    offset: u64,
    distances: &[u64],
) -> Result<Vec<(u64, f64)>, TargetError> {
    let ms = if probing.copies() {
        PAIR_MS
    } else {
        REAL_PAIR_MS
    };
    let page = |at| Probe::deep_reads(PAIR_DEPTH).page(at).for_ms(ms);
    let mut pairs = Vec::new();
    for some in distances.chunks(PAIRS_AT_ONCE) {
        let probes = some.iter().flat_map(|distance| {
            let first = page(offset).option("stonewall", 1);
            [first, page(offset + distance)]
        });
        let done = probing.run_all(&probes.collect::<Vec<_>>())?;
        let rates = done
            .chunks(2)
            .map(|pair| pair.iter().map(|done| done.reads.per_s).sum());
        pairs.extend(some.iter().copied().zip(rates));
    }
    Ok(pairs)
}

pub(super) fn full(probing: &mut Probing<'_>, seen: &mut Observed) -> Result<(), TargetError> {
    let bytes = probing.capacity_bytes / 4;
    let rest_s = seen.settled_s;
    let copies = probing.copies();
    let (curve, map) = probing.aside(|copy| {
        let again = Probe::ascending("write").within(0, bytes);
        let curve = copy.curve(&again, sample_ms(bytes))?;
        let map = match copies {
            true => None,
            false => Some(read_parts(copy, bytes)?),
        };
        Ok((curve, map))
    })?;
    seen.full = Some(Rested { rest_s, curve });
    seen.full_map = map;
    if copies {
        // More than the spare space of most drives.
        let written_bytes = probing.capacity_bytes / 8 * 3;
        seen.full_map = Some(probing.aside(|copy| read_map(copy, written_bytes))?);
    }
    Ok(())
}
