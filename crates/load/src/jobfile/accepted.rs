//! Options that concern the host that runs fio, or the content of the data, and have no meaning for
//! a simulated drive: accepted, without effect in virtual time.

use std::borrow::Cow;

use Values::{Bool, Flag, Number, Text, Words};

use super::units;

/// Values of an accepted option: those that fio 3.33 allows (`fio --cmdhelp=OPTION`).
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// 0 or 1.
    Bool,
    /// 0, 1, or the option alone.
    Flag,
    /// A whole number, with units as in sizes, from the first to the second.
    Number(i64, i64),
    /// One of these words; a colon and more may follow.
    Words(&'static [&'static str]),
    /// Any text.
    Text,
}

impl Values {
    /// Checks a value as written; an error names the allowed values.
    pub(super) fn check(self, value: Option<&str>, kb_base: u32) -> Result<(), String> {
        let text = value.unwrap_or_default();
        let is_allowed = match self {
            Values::Text => true,
            Values::Flag if text.is_empty() => true,
            Values::Bool | Values::Flag => number(text, kb_base).is_some_and(|n| n == 0 || n == 1),
            Values::Number(low, high) => {
                number(text, kb_base).is_some_and(|n| (low..=high).contains(&n))
            }
            Values::Words(words) => words.contains(&text.split(':').next().unwrap_or_default()),
        };
        if is_allowed {
            return Ok(());
        }
        let fault = match text {
            "" => Cow::Borrowed("a value is missing"),
            text => Cow::Owned(format!("fio does not allow `{text}`")),
        };
        let allowed = match self {
            Values::Text => "any text".to_owned(),
            Values::Bool => "0 or 1".to_owned(),
            Values::Flag => "nothing, 0 or 1".to_owned(),
            Values::Number(0, high) if high >= i64::from(u32::MAX) => "a whole number".to_owned(),
            Values::Number(low, high) => format!("{low} to {high}"),
            Values::Words(words) => words.join(", "),
        };
        Err(format!("{fault}; allowed: {allowed}"))
    }
}

fn number(text: &str, kb_base: u32) -> Option<i64> {
    let (digits, sign) = match text.strip_prefix('-') {
        Some(digits) => (digits, -1),
        None => (text, 1),
    };
    let digits = digits.strip_suffix('%').unwrap_or(digits);
    let magnitude = i64::try_from(units::bytes(digits, kb_base).ok()?).ok()?;
    Some(sign * magnitude)
}

/// Finds an accepted option.
pub(super) fn find(key: &str) -> Option<Values> {
    let found = ACCEPTED.iter().find(|(name, _)| *name == key);
    found.map(|(_, values)| *values)
}

const SIZE: Values = Number(0, i64::MAX);
const MEMORY: Values = Words(&["malloc", "shm", "shmhuge", "mmap", "mmapshared", "mmaphuge"]);

/// Their names and values. They are listed one by one, so that no option that would change a result
/// is ever ignored silently.
///
/// `randrepeat` and `allrandrepeat` are here because a simulated run always repeats: for another
/// sequence choose another root seed or `randseed`. Options on the content of the data are here
/// because no simulated drive uses the content.
pub static ACCEPTED: &[(&str, Values)] = &[
    // Choice of the file, and its opening or creation.
    ("filename_format", Text),
    ("unique_filename", Bool),
    ("directory", Text),
    ("opendir", Text),
    ("lockfile", Words(&["none", "exclusive", "readwrite"])),
    ("create_serialize", Bool),
    ("create_fsync", Bool),
    ("create_on_open", Bool),
    ("allow_file_create", Bool),
    ("allow_mounted_write", Bool),
    (
        "fallocate",
        Words(&["none", "native", "posix", "keep", "truncate", "0", "1"]),
    ),
    ("overwrite", Bool),
    ("unlink", Bool),
    ("unlink_each_loop", Bool),
    ("openfiles", SIZE),
    (
        "file_service_type",
        Words(&[
            "random",
            "zipf",
            "pareto",
            "normal",
            "gauss",
            "roundrobin",
            "sequential",
        ]),
    ),
    // Submission of requests by the host.
    ("direct", Bool),
    ("buffered", Bool),
    ("invalidate", Bool),
    ("fadvise_hint", Words(&["0", "1", "random", "sequential"])),
    ("ioscheduler", Text),
    ("userspace_reap", Flag),
    ("nowait", Bool),
    ("hipri", Flag),
    ("hipri_percentage", Number(0, 100)),
    ("fixedbufs", Flag),
    ("registerfiles", Flag),
    ("nonvectored", SIZE),
    ("uncached", SIZE),
    ("force_async", SIZE),
    ("sqthread_poll", Flag),
    ("sqthread_poll_cpu", SIZE),
    // Threads, processors and memory of the host.
    ("thread", Flag),
    ("nice", Number(-20, 19)),
    ("cpumask", SIZE),
    ("cpus_allowed", Text),
    ("cpus_allowed_policy", Words(&["shared", "split"])),
    ("numa_cpu_nodes", Text),
    (
        "numa_mem_policy",
        Words(&["default", "prefer", "bind", "interleave", "local"]),
    ),
    ("mem", MEMORY),
    ("iomem", MEMORY),
    ("iomem_align", SIZE),
    ("mem_align", SIZE),
    ("hugepage-size", SIZE),
    ("lockmem", SIZE),
    ("cgroup", Text),
    ("cgroup_weight", Number(100, 1000)),
    ("cgroup_nodelete", Bool),
    ("uid", SIZE),
    ("gid", SIZE),
    // Content of the data.
    ("zero_buffers", Flag),
    ("refill_buffers", Flag),
    ("scramble_buffers", Bool),
    ("buffer_pattern", Text),
    ("buffer_compress_percentage", Number(0, 100)),
    ("buffer_compress_chunk", SIZE),
    ("dedupe_percentage", Number(0, 100)),
    ("dedupe_mode", Words(&["repeat", "working_set"])),
    ("dedupe_working_set_percentage", Number(0, 100)),
    ("dedupe_global", Bool),
    ("verify_pattern", Text),
    ("verify_interval", SIZE),
    ("verify_offset", SIZE),
    ("verify_fatal", Bool),
    ("verify_dump", Bool),
    ("verify_async", SIZE),
    ("verify_async_cpus", Text),
    ("verify_state_save", Bool),
    ("verifysort", Bool),
    ("verifysort_nr", SIZE),
    // Clocks, randomness and reports of the host.
    ("randrepeat", Bool),
    ("allrandrepeat", Bool),
    ("softrandommap", Bool),
    (
        "clocksource",
        Words(&["gettimeofday", "clock_gettime", "cpu"]),
    ),
    ("gtod_reduce", Bool),
    ("gtod_cpu", SIZE),
    ("disk_util", Bool),
    ("disable_slat", Bool),
    ("log_entries", Number(1024, 1048576)),
    ("log_compression", Number(1024, 536870912)),
    ("log_compression_cpus", Text),
    ("log_store_compressed", Bool),
    ("significant_figures", Number(1, 10)),
    ("unit_base", Words(&["0", "1", "8"])),
    ("error_dump", Bool),
    ("ignore_error", Text),
    ("exitall_on_error", Flag),
    ("flow_watermark", SIZE),
];
