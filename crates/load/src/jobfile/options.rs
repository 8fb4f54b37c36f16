//! The options that are honoured: one table, from which errors, documentation and tests are made.

use std::borrow::Cow;
use std::mem::discriminant;

use stend_base::Nanos;

use Set::{
    Bool, Extent as ExtentOf, Flag, Log, Millis, Number, Only, Own, SomeExtent, SomeTime, Text,
    Time,
};

use super::engine;
use super::spec::{BLOCK_BYTES, BlockSizes, Distribution, Generator, Rate, RateProcess, Rw, Spec};
use super::units::{self, Extent};
use super::zoned;

/// One honoured option.
#[derive(Clone, Copy)]
pub struct OptionDef {
    /// Its name in fio.
    pub name: &'static str,
    /// Alternative name; empty if there is none.
    pub alias: &'static str,
    set: Set,
}

/// Field that an option sets, and the allowed values.
#[derive(Clone, Copy)]
enum Set {
    Flag(fn(&mut Spec) -> &mut bool),
    /// 0 or 1.
    Bool(fn(&mut Spec) -> &mut bool),
    /// A number in the range from the first to the second.
    Number(u32, u32, fn(&mut Spec) -> &mut u32),
    /// A number of milliseconds; 0 where that is the first.
    Millis(u32, fn(&mut Spec) -> &mut Nanos),
    /// A time, in this unit unless it has one.
    Time(Nanos, fn(&mut Spec) -> &mut Nanos),
    /// A time; 0 means none.
    SomeTime(fn(&mut Spec) -> &mut Option<Nanos>),
    Extent(fn(&mut Spec) -> &mut Extent),
    /// An extent; 0 bytes mean none.
    SomeExtent(fn(&mut Spec) -> &mut Option<Extent>),
    Text(fn(&mut Spec) -> &mut Option<String>),
    /// A text that may be empty.
    Log(fn(&mut Spec) -> &mut Option<String>),
    /// Sets nothing; only this value is allowed.
    Only(&'static str),
    /// Set by a function, with a description of the allowed values.
    Own(fn(&mut Spec, &Arg<'_>) -> Result<(), String>, &'static str),
}

impl OptionDef {
    const fn also(self, alias: &'static str) -> OptionDef {
        OptionDef { alias, ..self }
    }

    /// Its name, with the value if only one is allowed.
    pub fn told(&self) -> Cow<'static, str> {
        match self.set {
            Set::Only(value) => Cow::Owned(format!("{}={value}", self.name)),
            _ => Cow::Borrowed(self.name),
        }
    }

    /// Applies the option, with the value as written.
    pub fn apply(&self, spec: &mut Spec, value: Option<&str>) -> Result<(), String> {
        let arg = Arg {
            text: value,
            kb_base: spec.kb_base,
        };
        self.set
            .apply(spec, &arg)
            .map_err(|problem| format!("{problem}; allowed: {}", self.set.allowed()))
    }
}

impl Set {
    /// Allowed values, for errors.
    fn allowed(&self) -> Cow<'static, str> {
        Cow::Borrowed(match *self {
            Set::Flag(_) => "nothing, 0 or 1",
            Set::Bool(_) => "0 or 1",
            Set::Number(0, u32::MAX, _) => "a whole number, 0 for none",
            Set::Number(1, u32::MAX, _) => "1 or more",
            Set::Number(low, high, _) => return Cow::Owned(format!("{low} to {high}")),
            Set::Millis(0, _) => "milliseconds, 0 for every request",
            Set::Millis(..) => "milliseconds",
            Set::Time(MICROSECOND, _) => "a whole number with us (default), ms, s, m, h, d",
            Set::Time(..) | Set::SomeTime(_) => "a whole number with us, ms, s (default), m, h, d",
            Set::Extent(_) | Set::SomeExtent(_) => {
                "bytes with k, m, g, t, or a percentage of the target such as 20%"
            }
            Set::Text(_) => "text",
            Set::Log(_) => "nothing, or what the file's name begins with",
            Set::Only(allowed) | Set::Own(_, allowed) => allowed,
        })
    }

    fn apply(&self, spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
        match *self {
            Set::Flag(field) => *field(spec) = arg.flag()?,
            Set::Bool(field) => *field(spec) = arg.one_of(&[("0", false), ("1", true)])?,
            Set::Number(low, high, field) => *field(spec) = arg.within(low, high)?,
            Set::Millis(low, field) => {
                *field(spec) = Nanos::from_millis(arg.within(low, u32::MAX)?.into());
            }
            Set::Time(unit, field) => *field(spec) = units::time(arg.text()?, unit)?,
            Set::SomeTime(field) => {
                let time = units::time(arg.text()?, SECOND)?;
                *field(spec) = (time > Nanos::ZERO).then_some(time);
            }
            Set::Extent(field) => *field(spec) = arg.extent()?,
            Set::SomeExtent(field) => {
                let extent = arg.extent()?;
                *field(spec) = (extent != Extent::Bytes(0)).then_some(extent);
            }
            Set::Text(field) => *field(spec) = Some(arg.text()?.to_string()),
            Set::Log(field) => *field(spec) = Some(arg.text.unwrap_or_default().to_string()),
            Set::Only(value) => arg.one_of(&[(value, ())])?,
            Set::Own(set, _) => set(spec, arg)?,
        }
        Ok(())
    }
}

/// Finds an honoured option by its name or alternative name.
pub fn find(key: &str) -> Option<&'static OptionDef> {
    OPTIONS
        .iter()
        .find(|def| def.name == key || (def.alias == key && !key.is_empty()))
}

struct Arg<'a> {
    text: Option<&'a str>,
    kb_base: u32,
}

impl Arg<'_> {
    fn text(&self) -> Result<&str, String> {
        match self.text {
            Some("") | None => Err("a value is missing".to_string()),
            Some(text) => Ok(text),
        }
    }

    fn extent(&self) -> Result<Extent, String> {
        units::extent(self.text()?, self.kb_base)
    }

    fn within(&self, low: u32, high: u32) -> Result<u32, String> {
        let text = self.text()?;
        match u32::try_from(units::bytes(text, self.kb_base)?) {
            Ok(number) if (low..=high).contains(&number) => Ok(number),
            _ => Err(format!("`{text}` is not from {low} to {high}")),
        }
    }

    /// A flag: `option` alone is true, as are 1 and the empty text that fio prints for it.
    fn flag(&self) -> Result<bool, String> {
        match self.text {
            None | Some("" | "1") => Ok(true),
            Some("0") => Ok(false),
            Some(other) => Err(format!("`{other}` is neither 0 nor 1")),
        }
    }

    /// The value of one of the known words.
    fn one_of<T: Copy>(&self, known: &[(&str, T)]) -> Result<T, String> {
        let text = self.text()?;
        let found = known.iter().find(|(word, _)| *word == text);
        found
            .map(|(_, value)| *value)
            .ok_or_else(|| format!("`{text}` cannot be simulated"))
    }

    /// Values of the three directions. A direction without a value has that of the one before it;
    /// one that is empty between commas, or follows a final comma, has none.
    fn each<T: Clone>(
        &self,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<[Option<T>; 3], String> {
        let parts: Vec<&str> = self.text()?.split(',').map(str::trim).collect();
        if parts.len() > 3 {
            return Err("there are more than three values".to_string());
        }
        let mut out = [None, None, None];
        for (index, slot) in out.iter_mut().enumerate() {
            let part = parts[index.min(parts.len() - 1)];
            if !part.is_empty() {
                *slot = Some(read(part)?);
            }
        }
        if out.iter().all(Option::is_none) {
            return Err("a value is missing".to_string());
        }
        Ok(out)
    }
}

const SECOND: Nanos = Nanos::from_secs(1);
const MICROSECOND: Nanos = Nanos::from_micros(1);

const RW: &str = "read, write, trim, randread, randwrite, randtrim, rw (readwrite), randrw, \
                  trimwrite, randtrimwrite; after a colon, ascending jobs have the bytes to skip \
                  after each request (read:8k, read:-8k), random jobs the number of requests from \
                  each place (randread:8)";
const ZONE: &str = "multiples of 512 bytes";
const SIZES: &str = "multiples of 512 bytes, as read[,write[,trim]]";

const fn option(name: &'static str, set: Set) -> OptionDef {
    OptionDef {
        name,
        alias: "",
        set,
    }
}

/// All honoured options.
pub static OPTIONS: &[OptionDef] = &[
    option("name", Text(|s| &mut s.name)),
    option("description", Text(|s| &mut s.description)),
    option("rw", Own(set_rw, RW)).also("readwrite"),
    option("bs", Own(set_bs, SIZES)).also("blocksize"),
    option(
        "bsrange",
        Own(set_bsrange, "4k-64k, as read[,write[,trim]]"),
    )
    .also("blocksize_range"),
    option(
        "bssplit",
        Own(
            set_bssplit,
            "4k/50:64k/50, as read[,write[,trim]], percentages up to 100",
        ),
    ),
    option("blockalign", Own(set_blockalign, SIZES)).also("ba"),
    option("ioengine", Own(set_engine, engine::ALLOWED)),
    option("iodepth", Number(1, 65_536, |s| &mut s.iodepth)),
    option("numjobs", Number(1, 4_096, |s| &mut s.numjobs)),
    option("rwmixread", Number(0, 100, |s| &mut s.read_percent)),
    option("rwmixwrite", Own(set_write_percent, "0 to 100")),
    option("runtime", SomeTime(|s| &mut s.runtime)).also("timeout"),
    option("ramp_time", Time(SECOND, |s| &mut s.ramp)),
    option("time_based", Flag(|s| &mut s.time_based)),
    option("size", SomeExtent(|s| &mut s.size)),
    option("offset", ExtentOf(|s| &mut s.offset)).also("fileoffset"),
    option("offset_increment", ExtentOf(|s| &mut s.offset_increment)),
    option("io_size", SomeExtent(|s| &mut s.io_size)).also("io_limit"),
    option(
        "rate_iops",
        Own(set_rate_iops, "requests a second, as read[,write[,trim]]"),
    ),
    option(
        "rate",
        Own(set_rate_bytes, "bytes a second, as read[,write[,trim]]"),
    ),
    option("rate_process", Own(set_rate_process, "linear, poisson")),
    option("thinktime", Time(MICROSECOND, |s| &mut s.thinktime)),
    option(
        "thinktime_blocks",
        Number(1, u32::MAX, |s| &mut s.thinktime_blocks),
    ),
    option(
        "thinktime_blocks_type",
        Own(set_think_type, "complete, issue"),
    ),
    option("stonewall", Flag(|s| &mut s.stonewall)).also("wait_for_previous"),
    option("new_group", Flag(|s| &mut s.new_group)),
    option(
        "startdelay",
        Own(
            set_startdelay,
            "a time or a range of times, 5s or 1s-5s, in us, ms, s (default), m, h, d",
        ),
    )
    .also("start_delay"),
    option("group_reporting", Flag(|s| &mut s.group_reporting)),
    option("norandommap", Flag(|s| &mut s.norandommap)),
    option(
        "random_generator",
        Own(set_generator, "tausworthe, tausworthe64, lfsr"),
    ),
    option("randseed", Own(set_seed, "a whole number")),
    option(
        "random_distribution",
        Own(
            set_distribution,
            "random, uniform, zipf:theta, pareto:h, zoned:60/10:40/90, zoned_abs:60/1g:40/3g",
        ),
    ),
    option("write_bw_log", Log(|s| &mut s.bw_log)),
    option("write_iops_log", Log(|s| &mut s.iops_log)),
    option("write_lat_log", Log(|s| &mut s.lat_log)),
    option("log_avg_msec", Millis(0, |s| &mut s.log_interval)),
    option("log_max_value", Flag(|s| &mut s.log_max_value)),
    option("log_offset", Flag(|s| &mut s.log_offset)),
    option("per_job_logs", Flag(|s| &mut s.per_job_logs)),
    option("disable_lat", Flag(|s| &mut s.disabled.lat)),
    option("disable_clat", Flag(|s| &mut s.disabled.clat)),
    option("disable_bw_measurement", Flag(|s| &mut s.disabled.bw)).also("disable_bw"),
    option("bwavgtime", Millis(1, |s| &mut s.bw_window)),
    option("iopsavgtime", Millis(1, |s| &mut s.iops_window)),
    option(
        "percentile_list",
        Own(
            set_percentiles,
            "up to 20 numbers above 0 and up to 100, 50:99:99.9",
        ),
    ),
    option("clat_percentiles", Flag(|s| &mut s.clat_percentiles)),
    option("lat_percentiles", Flag(|s| &mut s.lat_percentiles)),
    option("fsync", Number(0, u32::MAX, |s| &mut s.fsync_every)),
    option("fdatasync", Number(0, u32::MAX, |s| &mut s.fdatasync_every)),
    option("sync", Own(set_sync, "none (0), sync (1), dsync")),
    option("end_fsync", Flag(|s| &mut s.end_fsync)),
    option(
        "continue_on_error",
        Own(
            set_continue_on_error,
            "none, read, write, io, verify, all, 0, 1",
        ),
    ),
    option("kb_base", Own(set_kb_base, "1000 or 1024")),
    option("filename", Own(set_filename, "any text")),
    option("nrfiles", Own(set_nrfiles, "1: the target is one file")),
    option("filesize", Own(set_filesize, "bytes with k, m, g, t")),
    option("number_ios", Number(0, u32::MAX, |s| &mut s.number_ios)),
    option("loops", Number(1, 65_536, |s| &mut s.loops)),
    option("iodepth_batch", Number(1, 65_536, |s| &mut s.submit_batch))
        .also("iodepth_batch_submit"),
    option(
        "iodepth_batch_complete_min",
        Number(0, 65_536, |s| &mut s.complete_batch),
    )
    .also("iodepth_batch_complete"),
    option(
        "iodepth_batch_complete_max",
        Number(0, 65_536, |s| &mut s.complete_batch_max),
    ),
    option("iodepth_low", Number(0, 65_536, |s| &mut s.iodepth_low)),
    option("verify", Own(set_verify, VERIFY)),
    option("do_verify", Bool(|s| &mut s.do_verify)),
    option("verify_backlog", Only("0")),
    option("verify_only", Only("0")),
    option("experimental_verify", Only("0")),
    option("verify_state_load", Only("0")),
    option("prio", Only("0")),
    option("prioclass", Only("0")),
    option("slat_percentiles", Only("0")),
    option("unified_rw_reporting", Own(set_unified, "none (0)")),
    option("thinktime_spin", Only("0")),
    option("exitall", Flag(|s| &mut s.exitall)),
    option("wait_for", Text(|s| &mut s.wait_for)),
    option("flow", Number(0, 1000, |s| &mut s.flow.weight)),
    option("flow_id", Number(0, u32::MAX, |s| &mut s.flow.id)),
    option("flow_sleep", Own(set_flow_sleep, "microseconds")),
    option(
        "percentage_random",
        Own(set_random_percent, "0 to 100, as read[,write[,trim]]"),
    ),
    option("zonemode", Own(set_zonemode, "none, strided")),
    option("zonesize", Own(set_zonesize, ZONE)),
    option("zonerange", Own(set_zonerange, ZONE)),
    option("zoneskip", Own(set_zoneskip, ZONE)),
];

fn set<T>(slot: &mut T, value: T) -> Result<(), String> {
    *slot = value;
    Ok(())
}

fn set_rw(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    let text = arg.text()?;
    let (name, modifier) = match text.split_once(':') {
        Some((name, modifier)) => (name, Some(modifier)),
        None => (text, None),
    };
    let named = Arg {
        text: Some(name),
        ..*arg
    };
    spec.rw = named.one_of(&Rw::NAMES)?;
    (spec.skip_bytes, spec.random_run) = (0, 1);
    match modifier {
        None => Ok(()),
        Some(run) if spec.rw.random => match run.parse() {
            Ok(run @ 1..) => set(&mut spec.random_run, run),
            _ => Err(format!("`{run}` is not a number of requests")),
        },
        Some(skip) => {
            let (digits, sign) = match skip.strip_prefix('-') {
                Some(digits) => (digits, -1),
                None => (skip, 1),
            };
            let bytes = i64::try_from(sectors(digits, arg.kb_base)?).map_err(|e| e.to_string())?;
            set(&mut spec.skip_bytes, sign * bytes)
        }
    }
}

fn set_zonemode(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    let known = [("none", false), ("strided", true)];
    set(&mut spec.zones.is_strided, arg.one_of(&known)?)
}

fn set_zonesize(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    set(
        &mut spec.zones.size_bytes,
        sectors(arg.text()?, arg.kb_base)?,
    )
}

fn set_zonerange(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    set(
        &mut spec.zones.range_bytes,
        sectors(arg.text()?, arg.kb_base)?,
    )
}

fn set_zoneskip(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    let bytes = units::bytes(arg.text()?, arg.kb_base)?;
    if !bytes.is_multiple_of(512) {
        return Err(format!("`{bytes}` is not a multiple of 512 bytes"));
    }
    set(&mut spec.zones.skip_bytes, bytes)
}

fn set_random_percent(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    let each = arg.each(|text| match text.parse::<u32>() {
        Ok(percent) if percent <= 100 => Ok(percent),
        _ => Err(format!("`{text}` is not from 0 to 100")),
    })?;
    set(
        &mut spec.random_percent,
        each.map(|percent| percent.unwrap_or(100)),
    )
}

fn set_engine(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    set(
        &mut spec.is_synchronous,
        engine::is_synchronous(arg.text()?)?,
    )
}

fn set_write_percent(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    set(&mut spec.read_percent, 100 - arg.within(0, 100)?)
}

fn set_seed(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    set(
        &mut spec.seed,
        Some(units::bytes(arg.text()?, arg.kb_base)?),
    )
}

fn set_unified(_: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    arg.one_of(&[("none", ()), ("0", ())])
}

/// Values of `verify`: no simulated drive keeps data, so that all checks are alike.
const VERIFY: &str = "0, md5, crc64, crc32, crc32c, crc32c-intel, crc16, crc7, sha1, sha256, \
     sha512, sha3-224, sha3-256, sha3-384, sha3-512, xxhash, meta, pattern, null";

fn set_verify(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    let text = arg.text()?;
    if !VERIFY.split(", ").any(|known| known == text) {
        return Err(format!("fio has no check `{text}`"));
    }
    set(&mut spec.verify, text != "0")
}

fn set_flow_sleep(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    let us = arg.within(0, u32::MAX)?;
    set(&mut spec.flow.sleep, Nanos::from_micros(us.into()))
}

fn set_filesize(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    let bytes = units::bytes(arg.text()?, arg.kb_base)?;
    set(&mut spec.filesize, (bytes > 0).then_some(bytes))
}

fn set_filename(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    let text = arg.text.filter(|text| !text.is_empty());
    set(&mut spec.filename, text.map(str::to_owned))
}

fn set_nrfiles(_: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    arg.one_of(&[("1", ())])
}

/// Sets `sync`. `O_SYNC` and `O_DSYNC` differ only in the metadata that a file system writes.
fn set_sync(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    let known = [
        ("none", false),
        ("0", false),
        ("sync", true),
        ("1", true),
        ("dsync", true),
    ];
    set(&mut spec.sync, arg.one_of(&known)?)
}

fn set_continue_on_error(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    spec.continue_on_error = match arg.text {
        Some("none" | "verify" | "0") => [false, false],
        Some("read") => [true, false],
        Some("write") => [false, true],
        None | Some("" | "io" | "all" | "1") => [true, true],
        Some(other) => return Err(format!("`{other}` is not known")),
    };
    Ok(())
}

fn set_kb_base(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    set(
        &mut spec.kb_base,
        arg.one_of(&[("1000", 1000), ("1024", 1024)])?,
    )
}

/// A size of whole sectors, bytes.
fn sectors(text: &str, kb_base: u32) -> Result<u64, String> {
    let bytes = units::bytes(text, kb_base)?;
    if bytes == 0 || !bytes.is_multiple_of(512) || bytes > 1 << 40 {
        return Err(format!(
            "`{text}` is not a multiple of 512 bytes up to 1 TiB"
        ));
    }
    Ok(bytes)
}

fn set_blocks(
    spec: &mut Spec,
    arg: &Arg<'_>,
    read: impl Fn(&str) -> Result<BlockSizes, String>,
) -> Result<(), String> {
    let sizes = arg.each(read)?;
    spec.block_sizes = sizes.map(|blocks| blocks.unwrap_or(BlockSizes::Fixed(BLOCK_BYTES)));
    Ok(())
}

fn set_bs(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    set_blocks(spec, arg, |text| {
        Ok(BlockSizes::Fixed(sectors(text, arg.kb_base)?))
    })
}

fn set_bsrange(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    set_blocks(spec, arg, |text| {
        let (min, max) = units::range(text, |text| sectors(text, arg.kb_base))?;
        Ok(match min == max {
            true => BlockSizes::Fixed(min),
            false => BlockSizes::Range { min, max },
        })
    })
}

/// Parses `bssplit` by fio's rules: the remaining percentage is shared evenly among the sizes
/// without one; what is left then is added to the size with the greatest, the last of several.
fn split(text: &str, kb_base: u32) -> Result<BlockSizes, String> {
    let mut weights: Vec<(u64, Option<u32>)> = Vec::new();
    for part in text.split(':') {
        let (size, percent) = part.split_once('/').unwrap_or((part, ""));
        let bytes = sectors(size, kb_base)?;
        let percent = match percent.trim() {
            "" => None,
            number => match number.parse::<u32>() {
                Ok(percent) if percent <= 100 => Some(percent),
                _ => return Err(format!("`{number}` is not a percentage")),
            },
        };
        weights.push((bytes, percent));
    }
    if weights.len() > 64 {
        return Err("there are more than 64 sizes".to_string());
    }
    let given: u32 = weights.iter().filter_map(|w| w.1).sum();
    let Some(left) = 100u32.checked_sub(given) else {
        return Err(format!("the percentages add up to {given}"));
    };
    let open = u32::try_from(weights.iter().filter(|w| w.1.is_none()).count()).unwrap_or(0);
    let share = left.checked_div(open).unwrap_or(0);
    let mut out: Vec<(u64, u32)> = weights
        .iter()
        .map(|w| (w.0, w.1.unwrap_or(share)))
        .collect();
    let total: u32 = out.iter().map(|w| w.1).sum();
    // fio looks sizes up in the order of their percentages, and the last one gets the remainder.
    if let Some(greatest) = out.iter_mut().max_by_key(|w| w.1) {
        greatest.1 += 100 - total;
    }
    // As fio does without bs_unaligned.
    let min = out.iter().map(|w| w.0).min().unwrap_or(1);
    out.iter_mut().for_each(|w| w.0 -= w.0 % min);
    out.retain(|w| w.1 > 0);
    Ok(BlockSizes::Split(out))
}

fn set_blockalign(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    let each = arg.each(|text| sectors(text, arg.kb_base))?;
    spec.block_align_bytes = Some(each.map(|bytes| bytes.unwrap_or(BLOCK_BYTES)));
    Ok(())
}

fn set_bssplit(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    set_blocks(spec, arg, |text| split(text, arg.kb_base))
}

fn set_rate_iops(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    set_rate(spec, arg, Rate::Requests)
}

fn set_rate_bytes(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    set_rate(spec, arg, Rate::Bytes)
}

fn set_rate(spec: &mut Spec, arg: &Arg<'_>, kind: fn(u64) -> Rate) -> Result<(), String> {
    let each = arg.each(|text| units::bytes(text, arg.kb_base))?;
    let other = |rate: &Option<Rate>| {
        rate.as_ref()
            .is_some_and(|rate| discriminant(rate) != discriminant(&kind(1)))
    };
    if spec.rate.iter().any(other) {
        return Err("rate and rate_iops exclude each other, as in fio: leave one out".to_owned());
    }
    spec.rate = each.map(|rate| rate.filter(|number| *number > 0).map(kind));
    Ok(())
}

fn set_rate_process(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    let known = [
        ("linear", RateProcess::Linear),
        ("poisson", RateProcess::Poisson),
    ];
    set(&mut spec.rate_process, arg.one_of(&known)?)
}

fn set_think_type(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    let known = [("complete", false), ("issue", true)];
    set(&mut spec.thinktime_by_issue, arg.one_of(&known)?)
}

fn set_startdelay(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    let text = arg.text()?;
    let read = |text: &str| units::time(text, SECOND);
    spec.start_delay = match text.contains(['-', ':']) {
        true => units::range(text, read)?,
        false => read(text).map(|time| (time, time))?,
    };
    Ok(())
}

fn set_generator(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    let known = [
        ("tausworthe", Generator::Random),
        ("tausworthe64", Generator::Random),
        ("lfsr", Generator::Lfsr),
    ];
    set(&mut spec.generator, arg.one_of(&known)?)
}

fn set_distribution(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    let text = arg.text()?;
    let (kind, value) = match text.split_once(':') {
        Some((kind, value)) => (kind, Some(value)),
        None => (text, None),
    };
    let number = |default: f64| match value.map(str::parse::<f64>) {
        None => Ok(default),
        Some(Ok(number)) if number.is_finite() => Ok(number),
        Some(_) => Err(format!("`{text}` lacks a number behind the colon")),
    };
    spec.distribution = match kind {
        "random" | "uniform" if value.is_none() => Distribution::Uniform,
        "zipf" => Distribution::Zipf {
            theta: number(1.1)?,
        },
        "pareto" => Distribution::Pareto { h: number(0.2)? },
        "zoned" | "zoned_abs" => {
            let each = Arg {
                text: value,
                ..*arg
            };
            let zones = each.each(|text| zoned::zones(text, kind == "zoned_abs", arg.kb_base))?;
            spec.access_zones = zones.map(Option::unwrap_or_default);
            Distribution::Zoned
        }
        _ => return Err(format!("`{text}` cannot be simulated")),
    };
    match spec.distribution {
        Distribution::Zipf { theta } if !(theta > 0.0 && theta <= 10.0) => {
            Err(format!("theta {theta} is not above 0 and up to 10"))
        }
        Distribution::Zipf { theta: 1.0 } => Err("theta 1 is what fio refuses".to_string()),
        Distribution::Pareto { h } if !(h > 0.0 && h < 1.0) => {
            Err(format!("h {h} is not between 0 and 1"))
        }
        _ => Ok(()),
    }
}

fn set_percentiles(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    let mut list = Vec::new();
    for part in arg.text()?.split(':') {
        match part.trim().parse::<f64>() {
            Ok(number) if number > 0.0 && number <= 100.0 => list.push(number),
            _ => return Err(format!("`{part}` is not above 0 and up to 100")),
        }
    }
    if list.len() > 20 {
        return Err("there are more than 20 numbers".to_string());
    }
    list.sort_by(f64::total_cmp);
    list.dedup();
    set(&mut spec.percentiles, list)
}
