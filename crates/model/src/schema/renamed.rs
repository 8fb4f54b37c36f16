//! Keys of `stend.drive/1` that have other names in [`super::SCHEMA`].

use stend_config::Problem;

use super::SCHEMA;

/// Previous schema of drive files.
pub(crate) const SCHEMA_1: &str = "stend.drive/1";

/// Previous schema of parts.
pub(crate) const PART_SCHEMA_1: &str = "stend.part/1";

/// Old and new name of each key; the name of a table applies to all of its keys.
const RENAMED: &[(&str, &str)] = &[
    ("collection", "gc"),
    (
        "collection.cache_reserve_superblocks",
        "gc.slc_reserve_superblocks",
    ),
    ("controller.collect_unit_ns", "controller.gc_page_ns"),
    ("controller.fold_unit_ns", "controller.fold_page_ns"),
    ("controller.map_segment_kib", "controller.l2p_segment_kib"),
    ("controller.map_segments", "controller.l2p_segments"),
    ("controller.read_map_miss_ns", "controller.read_l2p_miss_ns"),
    ("controller.read_unit_ns", "controller.read_page_ns"),
    (
        "controller.write_map_miss_ns",
        "controller.write_l2p_miss_ns",
    ),
    ("controller.write_unit_ns", "controller.write_page_ns"),
    ("dram.one_direction", "dram.half_duplex"),
    ("dram.protected", "dram.plp"),
    ("dram.turn_ns", "dram.turnaround_ns"),
    ("gc.cache_reserve_superblocks", "gc.slc_reserve_superblocks"),
    ("map", "l2p_cache"),
    ("power_loss.replay_unit_ns", "power_loss.replay_page_ns"),
    ("slc_cache.emptied_by", "slc_cache.fold_by"),
    (
        "slc_cache.fold_slots_background",
        "slc_cache.fold_pages_background",
    ),
    ("slc_cache.paced", "slc_cache.frees_per_page"),
    ("slc_cache.takes_collected", "slc_cache.takes_gc"),
    ("streams.collect_streams", "streams.gc_streams"),
    ("trim.per_1024_units_ns", "trim.per_1024_pages_ns"),
    ("trim.piece_kib", "trim.chunk_kib"),
    ("trim.piece_pause_us", "trim.chunk_pause_us"),
];

/// The errors of a file of the previous schema: the schema itself, in this line, and the renamed
/// keys.
pub(crate) fn only(problems: Vec<Problem>, line: usize) -> Vec<Problem> {
    let message = format!(
        "this file is of {SCHEMA_1}; the schema is {SCHEMA} now: name it, and change the keys that \
         are told here"
    );
    let schema = Problem {
        file: String::new(),
        line: Some(line),
        key: Some("schema".to_owned()),
        message,
    };
    let renamed = |problem: &Problem| problem.key.as_deref().and_then(message_of).is_some();
    let renamed = problems.into_iter().filter(renamed);
    std::iter::once(schema).chain(renamed).collect()
}

/// The error of a renamed key.
pub(crate) fn message_of(old: &str) -> Option<String> {
    let (_, new) = RENAMED.iter().find(|(name, _)| *name == old)?;
    let new = match new.contains('.') {
        true => new.to_string(),
        false => format!("[{new}]"),
    };
    Some(format!(
        "unknown field; since {} it is {new}",
        super::SCHEMA
    ))
}
