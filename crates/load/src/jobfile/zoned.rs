//! Zones of `random_distribution=zoned` and `zoned_abs`: `60/10:30/20:10/70`, by direction.
//!
//! As in fio, the zones that lack a size share the rest of the region evenly; a size of `0` counts
//! as missing. A single zone without a size, which in fio is the first block alone, is an error.

use super::spec::AccessZone;
use super::units::{self, Extent};

/// Largest number of zones, as in fio (`ZONESPLIT_MAX`).
const ZONES_MAX: usize = 256;

/// Parses the zones of one direction.
pub(super) fn zones(text: &str, absolute: bool, kb_base: u32) -> Result<Vec<AccessZone>, String> {
    let parts: Vec<&str> = text.split(':').map(str::trim).collect();
    if parts.len() > ZONES_MAX {
        return Err(format!("there are more than {ZONES_MAX} zones"));
    }
    let mut parsed = Vec::new();
    for part in &parts {
        let (share, size) = part.split_once('/').unwrap_or((part, ""));
        parsed.push((percent(share)?, size.trim()));
    }
    let total: u32 = parsed.iter().map(|(share, _)| share).sum();
    if total != 100 {
        return Err(format!(
            "the shares of the requests add up to {total} instead of 100"
        ));
    }
    let zones = match absolute {
        true => bytes(&parsed, kb_base)?,
        false => percentages(&parsed)?,
    };
    let zone = |((percent, _), size)| AccessZone { percent, size };
    Ok(parsed.into_iter().zip(zones).map(zone).collect())
}

fn bytes(parsed: &[(u32, &str)], kb_base: u32) -> Result<Vec<Extent>, String> {
    let mut sizes = Vec::new();
    for (share, size) in parsed {
        let bytes = match *size {
            "" => 0,
            size => units::bytes(size, kb_base)?,
        };
        if bytes == 0 {
            return Err(format!("the zone `{share}` lacks a size in bytes"));
        }
        sizes.push(Extent::Bytes(bytes));
    }
    Ok(sizes)
}

fn percentages(parsed: &[(u32, &str)]) -> Result<Vec<Extent>, String> {
    let mut sizes = Vec::new();
    for (_, size) in parsed {
        sizes.push(match size.strip_suffix('%').unwrap_or(size) {
            "" => 0,
            size => percent(size)?,
        });
    }
    let given: u32 = sizes.iter().sum();
    let missing = sizes.iter().filter(|size| **size == 0).count();
    let Some(rest) = 100u32.checked_sub(given) else {
        return Err(format!("the sizes add up to {given} %"));
    };
    let each = rest / u32::try_from(missing.max(1)).unwrap_or(u32::MAX);
    if missing > 0 && (each == 0 || sizes.len() == 1) {
        return Err("a zone lacks a size".to_owned());
    }
    let size = |size| Extent::Percent(if size == 0 { each } else { size });
    Ok(sizes.into_iter().map(size).collect())
}

fn percent(text: &str) -> Result<u32, String> {
    match text.trim().parse() {
        Ok(percent @ 0..=100) => Ok(percent),
        _ => Err(format!("`{text}` is not a percentage")),
    }
}
