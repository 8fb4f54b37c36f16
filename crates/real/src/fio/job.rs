//! Translates the job file of a test into one for fio, which never reaches outside the range under
//! test.
//!
//! fio does what a job says, and a job can say `filename=/dev/sda`, `exec_prerun=…` or `unlink=1`;
//! an `offset` without a `size` makes fio lengthen a file. Therefore only options that are known to
//! affect nothing but the target are allowed, and every section's range is checked.

use std::collections::BTreeMap;

use stend_language::{Text, recorded};
use stend_load::jobfile::units::extent;
use stend_load::jobfile::{self, Extent, code_of, option_of};

use stend_load::target::TargetError;

use crate::fio::sectors;

/// First part of the names of fio's sample logs, in the folder where fio runs.
pub(crate) const LOG_PREFIX: &str = "stend";

/// File that a job with a log of every request creates when it begins, in the same folder.
pub(crate) const STARTED: &str = "started";

/// Maximum number of jobs in fio (`REAL_MAX_JOBS` in its `os/os.h`).
const FIO_JOBS_MAX: u64 = 4096;

/// Mechanism by which fio submits its requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    /// Queues shared with the kernel: least overhead.
    IoUring,
    /// The older asynchronous calls.
    Libaio,
    /// `pread` and `pwrite`: one request at a time per thread.
    Psync,
}

impl Engine {
    /// All engines, in order of preference.
    pub(crate) const ALL: [Engine; 3] = [Engine::IoUring, Engine::Libaio, Engine::Psync];

    /// fio's name of the engine.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Engine::IoUring => "io_uring",
            Engine::Libaio => "libaio",
            Engine::Psync => "psync",
        }
    }

    /// Description in the environment's table.
    pub(crate) fn description(self) -> Text {
        match self {
            Engine::IoUring => "io_uring, direct=1".into(),
            Engine::Libaio => recorded!("place-value-libaio"),
            Engine::Psync => recorded!("place-value-psync"),
        }
    }
}

/// A job with at most this range has a log of histograms; a longer one has it only if it ends after
/// a time: fio keeps 15 KB per interval in memory until the end.
const HISTOGRAMS_RANGE_BYTES: u64 = 2_000_000_000_000;

/// Options that affect nothing but the target. Source: fio's HOWTO, 3.33.
const ALLOWED: &str = "\
    rw readwrite percentage_random rw_sequencer rwmixread rwmixwrite bs blocksize \
    bsrange blocksize_range bssplit bs_unaligned blocksize_unaligned bs_is_seq_rand \
    blockalign ba iodepth iodepth_batch iodepth_batch_submit iodepth_batch_complete \
    iodepth_batch_complete_min iodepth_batch_complete_max iodepth_low io_submit_mode \
    numjobs thread ioengine direct runtime time_based ramp_time size offset \
    offset_increment io_size io_limit number_ios loops rate rate_min rate_iops \
    rate_iops_min rate_process rate_ignore_thinktime thinktime thinktime_spin \
    thinktime_blocks thinktime_blocks_type thinktime_iotime stonewall wait_for_previous \
    wait_for startdelay start_delay group_reporting new_group exitall exitall_on_error \
    max_latency latency_target latency_window latency_percentile latency_run norandommap \
    softrandommap random_generator random_distribution randseed randrepeat allrandrepeat \
    sync fsync fdatasync end_fsync fsync_on_close invalidate refill_buffers \
    scramble_buffers zero_buffers buffer_compress_percentage buffer_compress_chunk \
    dedupe_percentage percentile_list clat_percentiles lat_percentiles slat_percentiles \
    disable_lat disable_clat disable_slat write_bw_log write_iops_log write_lat_log \
    log_avg_msec log_max_value log_offset per_job_logs bwavgtime iopsavgtime \
    cpus_allowed cpus_allowed_policy description name timeout overwrite fallocate \
    create_serialize create_fsync fadvise_hint hipri hipri_percentage fixedbufs \
    registerfiles nonvectored force_async nowait uncached sqthread_poll gtod_reduce \
    clocksource nice mem_align unit_base significant_figures continue_on_error \
    flow flow_id flow_sleep verify do_verify verify_pattern verify_interval verify_fatal";

/// Engines that only read and write the named file.
const ENGINES: &[&str] = &[
    "io_uring", "libaio", "psync", "sync", "pvsync", "pvsync2", "posixaio",
];

/// Settings that the target adds to a job.
///
/// `allow_file_create=0`: fio would replace a missing node by a file, in memory.
///
/// `randrepeat=0` accompanies the seed: without it, fio before 3.34 ignores `randseed` for the
/// order of blocks (axboe/fio #1391, #1502).
#[derive(Clone, Debug)]
pub(crate) struct JobContext<'a> {
    /// The file or device, under a name that [`is_plain`].
    pub(crate) path: &'a str,
    /// Bytes under test, from the beginning.
    pub(crate) range_bytes: u64,
    /// Size of the target's sectors, bytes; 1 if it is not known.
    pub(crate) sector_bytes: u64,
    /// Engine, unless the job names one.
    pub(crate) engine: Engine,
    /// Seed for patterns that the job does not seed.
    pub(crate) seed: u64,
    /// Sampling interval, ms; 0 for none.
    pub(crate) sample_ms: u32,
    /// Log the latency of every request.
    pub(crate) every_request: bool,
    /// Accept only jobs that only read.
    pub(crate) read_only: bool,
}

impl JobContext<'_> {
    /// True if stend keeps logs of its own.
    fn logs(&self) -> bool {
        self.sample_ms > 0 || self.every_request
    }
}

/// Options of a section about the range that it reads and writes, in bytes.
#[derive(Clone, Copy, Debug, Default)]
struct SectionRange {
    size: Option<u64>,
    offset: Option<u64>,
    offset_increment: Option<u64>,
    numjobs: Option<u64>,
}

/// Faults of options that a later option of the same meaning mends, by that meaning.
type Mendable = BTreeMap<&'static str, BadJob>;

/// The section that is being parsed.
struct Section {
    name: String,
    line: usize,
    is_global: bool,
    range: SectionRange,
    /// Sizes that are no whole sectors.
    partial: Mendable,
}

/// A fault in a job file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadJob {
    /// Line of the text, from 1; `None` if the fault is not in a single line.
    pub(crate) line: Option<usize>,
    /// Name of the section, if the section as a whole is wrong.
    section: Option<String>,
    /// The fault, and the allowed values.
    what: String,
}

impl BadJob {
    /// The error for the user, with its place in the user's own files if `text` contains it.
    pub(crate) fn told(&self, text: Option<&jobfile::Text>) -> TargetError {
        let what = &self.what;
        let place = text
            .zip(self.line)
            .and_then(|(text, line)| text.place_of_line(line));
        TargetError::Input(match (place, self.line, &self.section) {
            (Some(place), ..) => format!("{place}: {what}"),
            (None, Some(line), Some(section)) => {
                format!("job file, line {line}: [{section}]: {what}")
            }
            (None, Some(line), None) => format!("job file, line {line}: {what}"),
            (None, None, _) => what.clone(),
        })
    }
}

impl From<BadJob> for TargetError {
    fn from(bad: BadJob) -> TargetError {
        bad.told(None)
    }
}

/// Range larger than that of any target, so that every section's range fits.
const ANY_RANGE_BYTES: u64 = 1 << 62;

/// Checks a job file without a target; its ranges only if the size under test is known, its blocks
/// only if the size of the sectors is. Returns a job file like the one that fio will receive.
pub(crate) fn check(
    text: &str,
    range_bytes: Option<u64>,
    sector_bytes: Option<u64>,
) -> Result<String, BadJob> {
    let context = JobContext {
        path: "/target",
        range_bytes: range_bytes.unwrap_or(ANY_RANGE_BYTES),
        sector_bytes: sector_bytes.unwrap_or(1),
        engine: Engine::Psync,
        seed: 0,
        sample_ms: 0,
        every_request: false,
        read_only: false,
    };
    compose(text, &context)
}

/// fio's complaint about a job file, with the line of the option that fio names.
pub(crate) fn refused_by_fio(text: &str, said: &str) -> BadJob {
    let named = said
        .lines()
        .find_map(|line| line.split_once("failed parsing ").map(|(_, option)| option));
    let is_named = |raw: &str| named.is_some_and(|option| code_of(raw) == option.trim());
    let what = match said.lines().next() {
        Some(first) if !first.trim().is_empty() => format!(
            "fio refuses it: {}",
            first.trim().trim_start_matches("fio: ")
        ),
        _ => "fio refuses it and does not say why".to_owned(),
    };
    BadJob {
        line: text.lines().position(is_named).map(|index| index + 1),
        section: None,
        what,
    }
}

/// Returns the job file for fio, or the fault in the given one.
pub(crate) fn compose(text: &str, context: &JobContext<'_>) -> Result<String, BadJob> {
    let mut out = head(context, text);
    let mut global = (SectionRange::default(), Mendable::default());
    let mut section: Option<Section> = None;
    let mut jobs = 0;
    for (index, raw) in text.lines().enumerate() {
        let line = index + 1;
        let code = code_of(raw);
        if let Some(name) = section_name(code) {
            close(section.take(), &mut global, context, &mut out)?;
            // fio treats every section whose name begins like this as global (`init.c`).
            let is_global = name.starts_with("global");
            jobs += usize::from(!is_global);
            section = Some(Section {
                name: name.to_owned(),
                line,
                is_global,
                range: global.0,
                partial: global.1.clone(),
            });
            out.push_str(raw);
        } else if code.is_empty() {
            out.push_str(raw);
        } else {
            let section = section
                .as_mut()
                .ok_or_else(|| bad(line, format_args!("`{code}` is before the first [section]")))?;
            out.push_str(&option(code, line, section, context)?);
        }
        out.push('\n');
    }
    close(section, &mut global, context, &mut out)?;
    if jobs == 0 {
        return Err(BadJob {
            line: None,
            section: None,
            what: "the job file has no job: a [section] with a name of its own is missing"
                .to_owned(),
        });
    }
    Ok(out)
}

fn bad(line: usize, what: impl std::fmt::Display) -> BadJob {
    BadJob {
        line: Some(line),
        section: None,
        what: what.to_string(),
    }
}

fn bad_section(section: &Section, what: impl std::fmt::Display) -> BadJob {
    BadJob {
        section: Some(section.name.clone()),
        ..bad(section.line, what)
    }
}

fn head(context: &JobContext<'_>, job: &str) -> String {
    let has_runtime = job.contains("runtime=");
    let verifies = job.contains("verify=");
    let mut text = format!(
        "; added by stend: where and how\n[global]\nfilename={}\nallow_file_create=0\n\
         ioengine={}\ndirect=1\nthread\nsize={}\nrandrepeat=0\nrandseed={}\n",
        context.path,
        context.engine.name(),
        context.range_bytes,
        fio_seed(context.seed),
    );
    if context.read_only {
        // Otherwise, to drop a device's pages, the kernel would first write back pages that other
        // programs changed.
        text.push_str("invalidate=0\n");
    }
    if verifies {
        // Otherwise fio writes a file with its state into the present folder.
        text.push_str("verify_state_save=0\n");
    }
    if context.sample_ms > 0 {
        let ms = context.sample_ms;
        // The averaging time equals the logging interval: otherwise an interval's mean would
        // exclude standstills, of which fio records nothing.
        text.push_str(&format!(
            "write_bw_log={LOG_PREFIX}\nwrite_iops_log={LOG_PREFIX}\nper_job_logs=1\n\
             log_avg_msec={ms}\nbwavgtime={ms}\niopsavgtime={ms}\nlog_unix_epoch=1\n"
        ));
        if context.range_bytes <= HISTOGRAMS_RANGE_BYTES || has_runtime {
            text.push_str(&format!(
                "write_hist_log={LOG_PREFIX}\nlog_hist_msec={ms}\n"
            ));
        }
    }
    if context.every_request {
        text.push_str(&format!(
            "write_lat_log={LOG_PREFIX}\nper_job_logs=1\nlog_avg_msec=0\nlog_unix_epoch=1\n\
             exec_prerun=touch {STARTED}\n"
        ));
    }
    text.push_str("; the test's own job file\n");
    text
}

/// Seed for fio: fio derives all its streams by multiplication, so that 0 must be avoided; and it
/// reads signed numbers.
fn fio_seed(seed: u64) -> u64 {
    match seed & (u64::MAX >> 1) {
        0 => 0x9e37_79b9,
        seed => seed,
    }
}

/// True if fio uses the name literally: it splits names at colons, cuts lines at `;` and `#`, and
/// expands `$`.
pub(crate) fn is_plain(path: &str) -> bool {
    path.chars()
        .all(|c| c.is_alphanumeric() || "-_./+@,=~ ".contains(c))
        && path.trim() == path
}

fn section_name(code: &str) -> Option<&str> {
    code.strip_prefix('[')?.strip_suffix(']')
}

/// Checks one option and returns the line for fio.
fn option(
    code: &str,
    line: usize,
    section: &mut Section,
    context: &JobContext<'_>,
) -> Result<String, BadJob> {
    if code.contains('$') {
        return Err(bad(
            line,
            format_args!("`{code}`: variables and keywords are not expanded"),
        ));
    }
    let (name, value) = option_of(code);
    if !ALLOWED.split(' ').any(|allowed| allowed == name) {
        return Err(bad(line, refusal(name)));
    }
    let wrong = |what: &str| bad(line, format_args!("`{code}`{what}"));
    if let Some((meaning, checked)) = sectors::check(name, value, context.sector_bytes) {
        section.partial.remove(meaning);
        let partial = checked.err().map(|why| wrong(&format!(": {why}")));
        section
            .partial
            .extend(partial.map(|fault| (meaning, fault)));
    }
    let range = &mut section.range;
    let kept = match name {
        "ioengine" if !value.is_some_and(|value| ENGINES.contains(&value)) => {
            let engines = ENGINES.join(", ");
            return Err(wrong(&format!(": of the engines only {engines} are taken")));
        }
        "direct" if value.is_some_and(|value| value != "1") => {
            return Err(wrong(
                ": through the page cache the memory would be measured",
            ));
        }
        "rw" | "readwrite" if context.read_only && !value.is_some_and(only_reads) => {
            return Err(wrong(
                " writes, and the target was opened with --read-only: of `rw` only read and \
                 randread are taken",
            ));
        }
        _ if context.logs() && is_log_option(name) => {
            return Err(wrong(
                ": the samples are being recorded by stend; leave it out",
            ));
        }
        "numjobs" => {
            let number: Option<u64> = value.and_then(|value| value.parse().ok());
            let number = number.ok_or_else(|| wrong(": a number is missing"))?;
            if !(1..=FIO_JOBS_MAX).contains(&number) {
                return Err(wrong(&format!(": it must be from 1 to {FIO_JOBS_MAX}")));
            }
            range.numjobs = Some(number);
            return Ok(code.to_owned());
        }
        "size" => &mut range.size,
        "offset" => &mut range.offset,
        "offset_increment" => &mut range.offset_increment,
        _ => return Ok(code.to_owned()),
    };
    let bytes = amount(value.unwrap_or_default(), context.range_bytes)
        .map_err(|why| wrong(&format!(": {why}")))?;
    *kept = Some(bytes);
    Ok(format!("{name}={bytes}"))
}

/// True for `read`, `randread`, and these with a number of requests per offset (`randread:8`).
fn only_reads(rw: &str) -> bool {
    let direction = rw.split_once(':').map_or(rw, |(direction, _)| direction);
    ["read", "randread"].contains(&direction.trim())
}

fn is_log_option(name: &str) -> bool {
    name.starts_with("write_")
        || name.starts_with("log_")
        || name == "per_job_logs"
        || name == "bwavgtime"
        || name == "iopsavgtime"
}

fn refusal(name: &str) -> String {
    let why = match name {
        "filename" | "filename_format" | "directory" | "opendir" | "nrfiles" | "openfiles"
        | "filesize" => "the test takes place on the target that --on names; leave the option out",
        "exec_prerun" | "exec_postrun" => "no job runs programs",
        "buffered" => "through the page cache the memory would be measured",
        "unlink" | "unlink_each_loop" => "no job deletes the target",
        "fill_device" | "fill_fs" | "file_append" => "no job leaves the range under test",
        "unified_rw_reporting" => "reads and writes are reported apart",
        "kb_base" => "k is 1024 here, as in fio without this option",
        _ if name.starts_with("include ") => "no other files are read in",
        _ => {
            return format!("the option `{name}` is not known to touch nothing but the target");
        }
    };
    format!("the option `{name}` is not allowed: {why}")
}

/// Parses bytes as fio does with its default `kb_base`, or a share of the range with `%`.
fn amount(text: &str, range_bytes: u64) -> Result<u64, String> {
    if text.to_ascii_lowercase().contains('i') {
        // fio 3.33 parses 1mib as 1,000,000 and 1mb as 1,048,576.
        return Err("fio reads this suffix as a decimal one; write k, m, g or t".to_owned());
    }
    Ok(match extent(text, 1024)? {
        Extent::Bytes(bytes) => bytes,
        Extent::Percent(percent) => share(percent, range_bytes),
    })
}

/// A share of the range, aligned to 1 MiB as partitions are, so that blocks stay aligned
/// to flash pages; small shares to 4 KiB.
fn share(percent: u32, range_bytes: u64) -> u64 {
    if percent == 100 {
        return range_bytes;
    }
    let exact = (u128::from(range_bytes) * u128::from(percent) / 100) as u64;
    let grain = if exact >= 1 << 20 { 1 << 20 } else { 4096 };
    exact - exact % grain
}

/// Ends a section: its options become the global ones, or its range is checked.
fn close(
    section: Option<Section>,
    global: &mut (SectionRange, Mendable),
    context: &JobContext<'_>,
    out: &mut String,
) -> Result<(), BadJob> {
    let Some(mut section) = section else {
        return Ok(());
    };
    if section.is_global {
        *global = (section.range, section.partial);
        return Ok(());
    }
    if let Some((_, partial)) = section.partial.pop_first() {
        return Err(partial);
    }
    if let Some(size) = missing_size(&section, context.range_bytes)? {
        out.push_str(&format!(
            "; added by stend: to the end of the range\nsize={size}\n"
        ));
    }
    Ok(())
}

/// Checks the range of a job. Returns the size to add if there is an offset without a size.
fn missing_size(section: &Section, range_bytes: u64) -> Result<Option<u64>, BadJob> {
    let range = &section.range;
    let offset = range.offset.unwrap_or(0);
    let increment = range.offset_increment.unwrap_or(0);
    let clones = range.numjobs.unwrap_or(1).max(1);
    let size = range.size.unwrap_or(0);
    let wrong = |what: String| Err(bad_section(section, what));
    let last_offset = increment
        .checked_mul(clones - 1)
        .and_then(|bytes| bytes.checked_add(offset));
    let Some(last_offset) = last_offset else {
        return wrong("offset_increment leads beyond every range".to_owned());
    };
    if range.size.is_none() && increment > 0 {
        return wrong("offset_increment needs a size".to_owned());
    }
    if range.size.is_some() && size == 0 {
        return wrong("size=0 leaves nothing to test".to_owned());
    }
    let fits = last_offset
        .checked_add(size)
        .is_some_and(|end| end <= range_bytes);
    if !fits || last_offset >= range_bytes {
        return wrong(format!(
            "offset {last_offset} and size {size} lead beyond the {range_bytes} bytes under test"
        ));
    }
    Ok((range.size.is_none() && offset > 0).then_some(range_bytes - offset))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::recorded::says;

    const MIB: u64 = 1 << 20;

    fn composed(text: &str, sample_ms: u32) -> Result<String, String> {
        let context = JobContext {
            path: "/srv/test.bin",
            range_bytes: 64 * MIB,
            sector_bytes: 512,
            engine: Engine::IoUring,
            seed: 7,
            sample_ms,
            every_request: false,
            read_only: false,
        };
        compose(text, &context).map_err(|bad| bad.told(None).to_string())
    }

    fn error(text: &str) -> String {
        composed(text, 0).unwrap_err()
    }

    #[test]
    fn a_later_option_mends_a_size_that_is_no_whole_sectors() {
        let check = |text: &str| super::check(text, None, Some(4096)).map(drop);
        assert_eq!(check("[global]\nbs=512\n[a]\nrw=read\nbs=4k\n"), Ok(()));
        assert_eq!(check("[a]\nrw=read\nblocksize=512\nbs=4k\n"), Ok(()));
        let fault = check("[global]\nbs=512\n[a]\nrw=read\nbs=4k\n[b]\nrw=read\n").unwrap_err();
        assert_eq!(fault.line, Some(2));
        assert!(check("[a]\nrw=write:1k\n").is_err());
    }

    #[test]
    fn the_job_stays_and_the_target_stands_before_it() {
        let job = "; a comment\n[global]\nbs = 4k\n\n[a]\nrw=randwrite # random\ntime_based\n";
        assert_eq!(
            composed(job, 0).unwrap(),
            "; added by stend: where and how\n[global]\nfilename=/srv/test.bin\n\
             allow_file_create=0\nioengine=io_uring\ndirect=1\nthread\nsize=67108864\n\
             randrepeat=0\nrandseed=7\n; the test's own job file\n\
             ; a comment\n[global]\nbs = 4k\n\n[a]\nrw=randwrite\ntime_based\n"
        );
    }

    #[test]
    fn sampling_adds_logs_and_refuses_the_jobs_own() {
        let text = composed("[a]\nrw=read\n", 500).unwrap();
        for line in [
            "write_bw_log=stend",
            "log_avg_msec=500",
            "bwavgtime=500",
            "per_job_logs=1",
        ] {
            assert!(text.lines().any(|l| l == line), "{line}\n{text}");
        }
        let own = "[a]\nrw=read\nwrite_bw_log=mine\n";
        assert!(composed(own, 0).is_ok());
        says(composed(own, 500).unwrap_err(), "recorded by stend");
    }

    #[test]
    fn nothing_that_touches_more_than_the_target() {
        for option in [
            "filename=/dev/sda",
            "directory=/",
            "exec_prerun=rm -rf /",
            "unlink=1",
            "buffered=1",
            "direct=0",
            "ioengine=external:/opt/x.so",
            "ioengine=exec",
            "mem=mmapshared:/etc/x",
            "read_iolog=/etc/passwd",
            "fill_device=1",
            "include other.fio",
            "filesize=1t",
            "ioscheduler=none",
            "size=${SIZE}",
            "bs=$pagesize",
            "kb_base=1000",
            "opendir=/",
            "allow_mounted_write=1",
            "filename_format=x",
            "  filename = /dev/sda ; harmless",
        ] {
            let text = error(&format!("[a]\nrw=write\n{option}\n"));
            assert!(text.starts_with("job file, line 3: "), "{option}: {text}");
        }
        assert!(composed("[a]\nrw=write\ndirect=1\nioengine=libaio\n", 0).is_ok());
    }

    #[test]
    fn options_outside_a_section_and_files_without_jobs() {
        says(error("rw=write\n[a]\n"), "line 1");
        says(error("[global]\nrw=write\n"), "no job");
        // fio also treats this as a global section.
        says(error("[globally]\nrw=write\n"), "no job");
    }

    #[test]
    fn ranges_never_leave_the_target() {
        let section = |options: &str| format!("[a]\nrw=write\n{options}\n");
        for fits in [
            "size=64m",
            "size=67108864",
            "offset=32m\nsize=32m",
            "size=100%",
            "offset=50%\nsize=50%",
            "size=16m\nnumjobs=4\noffset_increment=16m",
            "numjobs=4096",
            "io_size=10g",
        ] {
            assert!(composed(&section(fits), 0).is_ok(), "{fits}");
        }
        for beyond in [
            "size=64m\noffset=4k",
            "size=67108865",
            "offset=64m",
            "size=16777215t",
            "size=0",
            "size=16m\nnumjobs=5\noffset_increment=16m",
            "numjobs=0",
            "numjobs=4097",
            "numjobs=2\noffset_increment=16m",
            "size=101%",
            "size=1gib",
            "size=4*1024",
            "size=",
            "size",
            "offset=-1",
        ] {
            let text = composed(&section(beyond), 0);
            assert!(text.is_err(), "{beyond}: {text:?}");
        }
    }

    #[test]
    fn global_options_count_for_later_sections_only() {
        let text = "[a]\nrw=read\nsize=64m\n[global]\noffset=1m\n[b]\nrw=read\nsize=64m\n";
        says(error(text), "line 6: [b]");
    }

    #[test]
    fn an_offset_without_size_ends_with_the_range() {
        let text = composed("[a]\nrw=write\noffset=16m\n[b]\nrw=read\n", 0).unwrap();
        says(
            &text,
            "offset=16777216\n; added by stend: to the end of the range\nsize=50331648\n[b]",
        );
        assert_eq!(text.matches("\nsize=").count(), 2, "{text}");
    }

    #[test]
    fn shares_are_aligned() {
        assert_eq!(amount("50%", 100 * MIB + 4096), Ok(50 * MIB));
        assert_eq!(amount("1%", 10 * MIB), Ok(102_400));
        assert_eq!(amount("100%", 10 * MIB + 4096), Ok(10 * MIB + 4096));
        assert_eq!(amount("2G", 0), Ok(2048 * MIB));
    }

    #[test]
    fn what_needs_no_target_is_found_without_one() {
        assert!(check("[a]\nrw=write\noffset=50%\nsize=50%\n", None, None).is_ok());
        assert!(check("[a]\nrw=write\noffset=16m\n", None, None).is_ok());
        let line = |text: &str| check(text, None, None).unwrap_err().line;
        assert_eq!(line("[a]\nrw=write\nfilename=/dev/sda\n"), Some(3));
        assert_eq!(line("[global]\nrw=write\n"), None);
    }

    #[test]
    fn seeds_that_fio_understands() {
        assert_eq!(fio_seed(1), 1);
        assert_ne!(fio_seed(0), 0);
        assert!(i64::try_from(fio_seed(u64::MAX)).is_ok());
    }

    #[test]
    fn plain_names() {
        assert!(is_plain("/srv/my disk/a-b_c.bin"));
        for odd in ["/a:b", "/a;b", "/a#b", "/$a", "/a ", "/a\nb", "/a\"b"] {
            assert!(!is_plain(odd), "{odd}");
        }
    }
}
