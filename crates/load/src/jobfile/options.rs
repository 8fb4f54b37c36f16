//! The options that are honoured: one table, from which errors, documentation and tests
//! are made.

use stend_base::Nanos;

use Set::{Extent as ExtentOf, Flag, Log, Millis, Number, Own, SomeExtent, Text, Time};

use super::spec::{BLOCK_BYTES, BlockSizes, Distribution, Generator, Rate, Rw, Spec};
use super::units::{self, Extent};

/// One honoured option.
#[derive(Clone, Copy)]
pub struct OptionDef {
    /// fio's name of it.
    pub name: &'static str,
    /// Another name of it; empty without one.
    pub alias: &'static str,
    /// Values that are allowed, for errors and documentation.
    pub allowed: &'static str,
    set: Set,
}

/// What an option sets, and to which values.
#[derive(Clone, Copy)]
enum Set {
    Flag(fn(&mut Spec) -> &mut bool),
    /// A number from the first to the second.
    Number(u32, u32, fn(&mut Spec) -> &mut u32),
    /// A number of milliseconds, from the first up.
    Millis(u32, fn(&mut Spec) -> &mut Nanos),
    /// A time, in this unit unless it has one.
    Time(Nanos, fn(&mut Spec) -> &mut Nanos),
    Extent(fn(&mut Spec) -> &mut Extent),
    /// An extent; 0 bytes are none.
    SomeExtent(fn(&mut Spec) -> &mut Option<Extent>),
    Text(fn(&mut Spec) -> &mut Option<String>),
    /// A text that may be empty.
    Log(fn(&mut Spec) -> &mut Option<String>),
    /// Nothing: it has this value.
    Only(&'static str),
    Own(fn(&mut Spec, &Arg<'_>) -> Result<(), String>),
}

impl OptionDef {
    const fn also(self, alias: &'static str) -> OptionDef {
        OptionDef { alias, ..self }
    }

    /// Applies the option, with the value as written.
    pub fn apply(&self, spec: &mut Spec, value: Option<&str>) -> Result<(), String> {
        let arg = Arg {
            text: value,
            kb_base: spec.kb_base,
        };
        self.set
            .apply(spec, &arg)
            .map_err(|problem| format!("{problem}; allowed: {}", self.allowed))
    }
}

impl Set {
    fn apply(&self, spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
        match *self {
            Set::Flag(field) => *field(spec) = arg.flag()?,
            Set::Number(low, high, field) => *field(spec) = arg.within(low, high)?,
            Set::Millis(low, field) => {
                *field(spec) = Nanos::from_millis(arg.within(low, u32::MAX)?.into());
            }
            Set::Time(unit, field) => *field(spec) = units::time(arg.text()?, unit)?,
            Set::Extent(field) => *field(spec) = arg.extent()?,
            Set::SomeExtent(field) => {
                let extent = arg.extent()?;
                *field(spec) = (extent != Extent::Bytes(0)).then_some(extent);
            }
            Set::Text(field) => *field(spec) = Some(arg.text()?.to_string()),
            Set::Log(field) => *field(spec) = Some(arg.text.unwrap_or_default().to_string()),
            Set::Only(value) => arg.one_of(&[(value, ())])?,
            Set::Own(set) => set(spec, arg)?,
        }
        Ok(())
    }
}

/// Finds an honoured option by its name or another name of it.
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

    /// `option` alone is true, as are 1 and what fio prints for it.
    fn flag(&self) -> Result<bool, String> {
        match self.text {
            None | Some("" | "1") => Ok(true),
            Some("0") => Ok(false),
            Some(other) => Err(format!("`{other}` is neither 0 nor 1")),
        }
    }

    /// What one of the known words stands for.
    fn one_of<T: Copy>(&self, known: &[(&str, T)]) -> Result<T, String> {
        let text = self.text()?;
        let found = known.iter().find(|(word, _)| *word == text);
        found
            .map(|(_, value)| *value)
            .ok_or_else(|| format!("`{text}` cannot be simulated"))
    }

    /// Values of the three directions. A direction without a value has that of the one
    /// before it; one that a comma leaves empty, or that follows a final comma, has none.
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

const FLAG: &str = "nothing, 0 or 1";
const EXTENT: &str = "bytes with k, m, g, t, or a percentage of the target such as 20%";
const TIME: &str = "a whole number with us, ms, s (default), m, h, d";

const SECOND: Nanos = Nanos::from_secs(1);
const MICROSECOND: Nanos = Nanos::from_micros(1);
const LOG: &str = "nothing, or what the file's name begins with";
const WRITES: &str = "a number of writes, 0 for none";

const fn option(name: &'static str, allowed: &'static str, set: Set) -> OptionDef {
    OptionDef {
        name,
        alias: "",
        allowed,
        set,
    }
}

const fn only(name: &'static str, value: &'static str) -> OptionDef {
    option(name, value, Set::Only(value))
}

/// All honoured options.
pub static OPTIONS: &[OptionDef] = &[
    option("name", "text", Text(|s| &mut s.name)),
    option("description", "text", Text(|s| &mut s.description)),
    option(
        "rw",
        "read, write, trim, randread, randwrite, randtrim, rw (readwrite), randrw",
        Own(set_rw),
    )
    .also("readwrite"),
    option(
        "bs",
        "multiples of 512 bytes, as read[,write[,trim]]",
        Own(set_bs),
    )
    .also("blocksize"),
    option(
        "bsrange",
        "4k-64k, as read[,write[,trim]]",
        Own(set_bsrange),
    )
    .also("blocksize_range"),
    option(
        "bssplit",
        "4k/50:64k/50, as read[,write[,trim]], percentages up to 100",
        Own(|s, a| set_blocks(s, a, |text| split(text, a.kb_base))),
    ),
    option(
        "blockalign",
        "multiples of 512 bytes, as read[,write[,trim]]",
        Own(set_blockalign),
    )
    .also("ba"),
    option(
        "iodepth",
        "1 to 65536",
        Number(1, 65_536, |s| &mut s.iodepth),
    ),
    option("numjobs", "1 to 4096", Number(1, 4_096, |s| &mut s.numjobs)),
    option(
        "rwmixread",
        "0 to 100",
        Number(0, 100, |s| &mut s.read_percent),
    ),
    option(
        "rwmixwrite",
        "0 to 100",
        Own(|s, a| set(&mut s.read_percent, 100 - a.within(0, 100)?)),
    ),
    option("runtime", TIME, Own(set_runtime)).also("timeout"),
    option("ramp_time", TIME, Time(SECOND, |s| &mut s.ramp)),
    option("time_based", FLAG, Flag(|s| &mut s.time_based)),
    option("size", EXTENT, SomeExtent(|s| &mut s.size)),
    option("offset", EXTENT, ExtentOf(|s| &mut s.offset)).also("fileoffset"),
    option(
        "offset_increment",
        EXTENT,
        ExtentOf(|s| &mut s.offset_increment),
    ),
    option("io_size", EXTENT, SomeExtent(|s| &mut s.io_size)).also("io_limit"),
    option(
        "rate_iops",
        "requests a second, as read[,write[,trim]]",
        Own(|s, a| set_rate(s, a, Rate::Requests)),
    ),
    option(
        "rate",
        "bytes a second, as read[,write[,trim]]",
        Own(|s, a| set_rate(s, a, Rate::Bytes)),
    ),
    option(
        "thinktime",
        "a whole number with us (default), ms, s, m, h, d",
        Time(MICROSECOND, |s| &mut s.thinktime),
    ),
    option(
        "thinktime_blocks",
        "1 or more",
        Number(1, u32::MAX, |s| &mut s.thinktime_blocks),
    ),
    only("thinktime_blocks_type", "complete"),
    option("stonewall", FLAG, Flag(|s| &mut s.stonewall)).also("wait_for_previous"),
    option("new_group", FLAG, Flag(|s| &mut s.new_group)),
    option(
        "startdelay",
        "a time or a range of times, 5s or 1s-5s",
        Own(set_startdelay),
    )
    .also("start_delay"),
    option("group_reporting", FLAG, Flag(|s| &mut s.group_reporting)),
    option("norandommap", FLAG, Flag(|s| &mut s.norandommap)),
    option(
        "random_generator",
        "tausworthe, tausworthe64, lfsr",
        Own(set_generator),
    ),
    option(
        "randseed",
        "a whole number",
        Own(|s, a| set(&mut s.seed, Some(units::bytes(a.text()?, a.kb_base)?))),
    ),
    option(
        "random_distribution",
        "random, uniform, zipf:theta, pareto:h",
        Own(set_distribution),
    ),
    option("write_bw_log", LOG, Log(|s| &mut s.bw_log)),
    option("write_iops_log", LOG, Log(|s| &mut s.iops_log)),
    option("write_lat_log", LOG, Log(|s| &mut s.lat_log)),
    option(
        "log_avg_msec",
        "milliseconds, 0 for every request",
        Millis(0, |s| &mut s.log_interval),
    ),
    option("log_max_value", FLAG, Flag(|s| &mut s.log_max_value)),
    option("log_offset", FLAG, Flag(|s| &mut s.log_offset)),
    only("per_job_logs", "1"),
    option("bwavgtime", "milliseconds", Millis(1, |s| &mut s.bw_window)),
    option(
        "iopsavgtime",
        "milliseconds",
        Millis(1, |s| &mut s.iops_window),
    ),
    option(
        "percentile_list",
        "up to 20 numbers above 0 and up to 100, 50:99:99.9",
        Own(set_percentiles),
    ),
    option("clat_percentiles", FLAG, Flag(|s| &mut s.clat_percentiles)),
    option("lat_percentiles", FLAG, Flag(|s| &mut s.lat_percentiles)),
    option("fsync", WRITES, Number(0, u32::MAX, |s| &mut s.fsync_every)),
    option(
        "fdatasync",
        WRITES,
        Number(0, u32::MAX, |s| &mut s.fdatasync_every),
    ),
    option("sync", "none (0), sync (1), dsync", Own(set_sync)),
    option("end_fsync", FLAG, Flag(|s| &mut s.end_fsync)),
    option(
        "continue_on_error",
        "none, read, write, io, verify, all, 0, 1",
        Own(set_continue_on_error),
    ),
    option("kb_base", "1000 or 1024", Own(set_kb_base)),
    option("nrfiles", "1: the target is one file", Set::Only("1")),
    only("loops", "1"),
    only("percentage_random", "100"),
    only("rate_process", "linear"),
    only("zonemode", "none"),
];

fn set<T>(slot: &mut T, value: T) -> Result<(), String> {
    *slot = value;
    Ok(())
}

fn set_rw(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    set(&mut spec.rw, arg.one_of(&Rw::NAMES)?)
}

fn set_runtime(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    let time = units::time(arg.text()?, SECOND)?;
    set(&mut spec.runtime, (time > Nanos::ZERO).then_some(time))
}

/// `O_SYNC` and `O_DSYNC` differ in what a file system writes besides the data.
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

/// fio's rules: what the percentages leave is shared evenly among the sizes without one,
/// or, if all have one, given to the last size.
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
    if let Some(last) = out.last_mut() {
        last.1 += 100 - total;
    }
    out.retain(|w| w.1 > 0);
    Ok(BlockSizes::Split(out))
}

fn set_blockalign(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    let each = arg.each(|text| sectors(text, arg.kb_base))?;
    spec.block_align_bytes = Some(each.map(|bytes| bytes.unwrap_or(BLOCK_BYTES)));
    Ok(())
}

fn set_rate(spec: &mut Spec, arg: &Arg<'_>, kind: fn(u64) -> Rate) -> Result<(), String> {
    let each = arg.each(|text| units::bytes(text, arg.kb_base))?;
    spec.rate = each.map(|rate| rate.filter(|number| *number > 0).map(kind));
    Ok(())
}

fn set_startdelay(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    let text = arg.text()?;
    spec.start_delay = match units::time(text, SECOND) {
        Ok(time) => (time, time),
        Err(_) => units::range(text, |t| units::time(t, SECOND))?,
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
        _ => return Err(format!("`{text}` cannot be simulated")),
    };
    match spec.distribution {
        Distribution::Zipf { theta } if !(theta > 0.0 && theta <= 10.0) => {
            Err(format!("theta {theta} is not above 0 and up to 10"))
        }
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
