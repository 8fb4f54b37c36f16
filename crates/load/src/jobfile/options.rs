//! The options that are honoured: one table, from which errors, documentation and tests
//! are made.

use stend_base::Nanos;

use super::spec::{
    BLOCK_BYTES, BlockSizes, Direction, Distribution, Generator, Mix, Rate, Rw, Spec,
};
use super::units::{self, Extent};

/// One honoured option.
pub struct OptionDef {
    /// fio's name of it.
    pub name: &'static str,
    /// Other names of it.
    pub aliases: &'static [&'static str],
    /// Values that are allowed, for errors and documentation.
    pub allowed: &'static str,
    set: fn(&mut Spec, &Arg<'_>) -> Result<(), String>,
}

impl OptionDef {
    /// Applies the option, with the value as written.
    pub fn apply(&self, spec: &mut Spec, value: Option<&str>) -> Result<(), String> {
        let arg = Arg {
            text: value,
            kb_base: spec.kb_base,
        };
        (self.set)(spec, &arg).map_err(|problem| format!("{problem}; allowed: {}", self.allowed))
    }
}

/// Finds an honoured option by its name or another name of it.
pub fn find(key: &str) -> Option<&'static OptionDef> {
    OPTIONS
        .iter()
        .find(|def| def.name == key || def.aliases.contains(&key))
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

    fn bytes(&self) -> Result<u64, String> {
        units::bytes(self.text()?, self.kb_base)
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

    fn time(&self, default_unit: Nanos) -> Result<Nanos, String> {
        units::time(self.text()?, default_unit)
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

macro_rules! option {
    ($name:literal, $aliases:expr, $allowed:expr, $set:expr) => {
        OptionDef {
            name: $name,
            aliases: &$aliases,
            allowed: $allowed,
            set: $set,
        }
    };
}

/// All honoured options.
pub static OPTIONS: &[OptionDef] = &[
    option!("name", [], "text", |s, a| set(
        &mut s.name,
        Some(a.text()?.to_string())
    )),
    option!("description", [], "text", |s, a| {
        set(&mut s.description, Some(a.text()?.to_string()))
    }),
    option!(
        "rw",
        ["readwrite"],
        "read, write, trim, randread, randwrite, randtrim, rw (readwrite), randrw",
        set_rw
    ),
    option!(
        "bs",
        ["blocksize"],
        "multiples of 512 bytes, as read[,write[,trim]]",
        set_bs
    ),
    option!(
        "bsrange",
        ["blocksize_range"],
        "4k-64k, as read[,write[,trim]]",
        set_bsrange
    ),
    option!(
        "bssplit",
        [],
        "4k/50:64k/50, as read[,write[,trim]], percentages up to 100",
        set_bssplit
    ),
    option!(
        "blockalign",
        ["ba"],
        "multiples of 512 bytes, as read[,write[,trim]]",
        set_blockalign
    ),
    option!("iodepth", [], "1 to 65536", |s, a| set(
        &mut s.iodepth,
        a.within(1, 65_536)?
    )),
    option!("numjobs", [], "1 to 4096", |s, a| set(
        &mut s.numjobs,
        a.within(1, 4_096)?
    )),
    option!("rwmixread", [], "0 to 100", |s, a| set(
        &mut s.read_percent,
        a.within(0, 100)?
    )),
    option!("rwmixwrite", [], "0 to 100", |s, a| set(
        &mut s.read_percent,
        100 - a.within(0, 100)?
    )),
    option!("runtime", ["timeout"], TIME, |s, a| {
        let time = a.time(SECOND)?;
        set(&mut s.runtime, (time > Nanos::ZERO).then_some(time))
    }),
    option!("ramp_time", [], TIME, |s, a| set(
        &mut s.ramp,
        a.time(SECOND)?
    )),
    option!("time_based", [], FLAG, |s, a| set(
        &mut s.time_based,
        a.flag()?
    )),
    option!("size", [], EXTENT, |s, a| {
        let extent = a.extent()?;
        set(&mut s.size, (extent != Extent::Bytes(0)).then_some(extent))
    }),
    option!("offset", ["fileoffset"], EXTENT, |s, a| set(
        &mut s.offset,
        a.extent()?
    )),
    option!("offset_increment", [], EXTENT, |s, a| set(
        &mut s.offset_increment,
        a.extent()?
    )),
    option!("io_size", ["io_limit"], EXTENT, |s, a| {
        let extent = a.extent()?;
        set(
            &mut s.io_size,
            (extent != Extent::Bytes(0)).then_some(extent),
        )
    }),
    option!(
        "rate_iops",
        [],
        "requests a second, as read[,write[,trim]]",
        |s, a| { set_rate(s, a, Rate::Requests) }
    ),
    option!(
        "rate",
        [],
        "bytes a second, as read[,write[,trim]]",
        |s, a| set_rate(s, a, Rate::Bytes)
    ),
    option!(
        "thinktime",
        [],
        "a whole number with us (default), ms, s, m, h, d",
        |s, a| { set(&mut s.thinktime, a.time(Nanos::from_micros(1))?) }
    ),
    option!("thinktime_blocks", [], "1 or more", |s, a| {
        set(&mut s.thinktime_blocks, a.within(1, u32::MAX)?)
    }),
    option!("thinktime_blocks_type", [], "complete", |_, a| only(
        a,
        &["complete"]
    )),
    option!("stonewall", ["wait_for_previous"], FLAG, |s, a| set(
        &mut s.stonewall,
        a.flag()?
    )),
    option!("new_group", [], FLAG, |s, a| set(
        &mut s.new_group,
        a.flag()?
    )),
    option!(
        "startdelay",
        ["start_delay"],
        "a time or a range of times, 5s or 1s-5s",
        set_startdelay
    ),
    option!("group_reporting", [], FLAG, |s, a| set(
        &mut s.group_reporting,
        a.flag()?
    )),
    option!("norandommap", [], FLAG, |s, a| set(
        &mut s.norandommap,
        a.flag()?
    )),
    option!(
        "random_generator",
        [],
        "tausworthe, tausworthe64, lfsr",
        set_generator
    ),
    option!("randseed", [], "a whole number", |s, a| set(
        &mut s.seed,
        Some(a.bytes()?)
    )),
    option!(
        "random_distribution",
        [],
        "random, uniform, zipf:theta, pareto:h",
        set_distribution
    ),
    option!(
        "write_bw_log",
        [],
        "nothing, or what the file's name begins with",
        |s, a| { set(&mut s.bw_log, Some(a.text.unwrap_or_default().to_string())) }
    ),
    option!(
        "write_iops_log",
        [],
        "nothing, or what the file's name begins with",
        |s, a| {
            set(
                &mut s.iops_log,
                Some(a.text.unwrap_or_default().to_string()),
            )
        }
    ),
    option!(
        "write_lat_log",
        [],
        "nothing, or what the file's name begins with",
        |s, a| { set(&mut s.lat_log, Some(a.text.unwrap_or_default().to_string())) }
    ),
    option!(
        "log_avg_msec",
        [],
        "milliseconds, 0 for every request",
        |s, a| {
            set(
                &mut s.log_interval,
                Nanos::from_millis(u64::from(a.within(0, u32::MAX)?)),
            )
        }
    ),
    option!("log_max_value", [], FLAG, |s, a| set(
        &mut s.log_max_value,
        a.flag()?
    )),
    option!("log_offset", [], FLAG, |s, a| set(
        &mut s.log_offset,
        a.flag()?
    )),
    option!("per_job_logs", [], "1", |_, a| only(a, &["1"])),
    option!("bwavgtime", [], "milliseconds", |s, a| {
        set(
            &mut s.bw_window,
            Nanos::from_millis(u64::from(a.within(1, u32::MAX)?)),
        )
    }),
    option!("iopsavgtime", [], "milliseconds", |s, a| {
        set(
            &mut s.iops_window,
            Nanos::from_millis(u64::from(a.within(1, u32::MAX)?)),
        )
    }),
    option!(
        "percentile_list",
        [],
        "up to 20 numbers above 0 and up to 100, 50:99:99.9",
        set_percentiles
    ),
    option!("clat_percentiles", [], "0 or 1", |s, a| set(
        &mut s.clat_percentiles,
        a.flag()?
    )),
    option!("lat_percentiles", [], "0 or 1", |s, a| set(
        &mut s.lat_percentiles,
        a.flag()?
    )),
    option!("fsync", [], "a number of writes, 0 for none", |s, a| {
        set(&mut s.fsync_every, a.within(0, u32::MAX)?)
    }),
    option!("fdatasync", [], "a number of writes, 0 for none", |s, a| {
        set(&mut s.fdatasync_every, a.within(0, u32::MAX)?)
    }),
    option!("sync", [], "none (0), sync (1), dsync", set_sync),
    option!("end_fsync", [], "0 or 1", |s, a| set(
        &mut s.end_fsync,
        a.flag()?
    )),
    option!(
        "continue_on_error",
        [],
        "none, read, write, io, verify, all, 0, 1",
        |s, a| set(
            &mut s.continue_on_error,
            match a.text {
                Some("none" | "verify" | "0") => [false, false],
                Some("read") => [true, false],
                Some("write") => [false, true],
                None | Some("" | "io" | "all" | "1") => [true, true],
                Some(other) => return Err(format!("`{other}` is not known")),
            }
        )
    ),
    option!("kb_base", [], "1000 or 1024", |s, a| {
        only(a, &["1000", "1024"])?;
        set(
            &mut s.kb_base,
            if a.text == Some("1000") { 1000 } else { 1024 },
        )
    }),
    option!("nrfiles", [], "1: the target is one file", |_, a| only(
        a,
        &["1"]
    )),
    option!("loops", [], "1", |_, a| only(a, &["1"])),
    option!("percentage_random", [], "100", |_, a| only(a, &["100"])),
    option!("rate_process", [], "linear", |_, a| only(a, &["linear"])),
    option!("zonemode", [], "none", |_, a| only(a, &["none"])),
];

const SECOND: Nanos = Nanos::from_secs(1);

fn set<T>(slot: &mut T, value: T) -> Result<(), String> {
    *slot = value;
    Ok(())
}

fn only(arg: &Arg<'_>, allowed: &[&str]) -> Result<(), String> {
    let text = arg.text()?;
    if allowed.contains(&text) {
        return Ok(());
    }
    Err(format!("`{text}` cannot be simulated"))
}

fn set_rw(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    use Direction::{Read, Trim, Write};
    let (mix, random) = match arg.text()? {
        "read" => (Mix::Only(Read), false),
        "write" => (Mix::Only(Write), false),
        "trim" => (Mix::Only(Trim), false),
        "randread" => (Mix::Only(Read), true),
        "randwrite" => (Mix::Only(Write), true),
        "randtrim" => (Mix::Only(Trim), true),
        "rw" | "readwrite" => (Mix::ReadWrite, false),
        "randrw" => (Mix::ReadWrite, true),
        other => return Err(format!("`{other}` cannot be simulated")),
    };
    set(&mut spec.rw, Rw { mix, random })
}

/// `O_SYNC` and `O_DSYNC` differ in what a file system writes besides the data.
fn set_sync(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    let sync = match arg.text()? {
        "none" | "0" => false,
        "sync" | "1" | "dsync" => true,
        other => return Err(format!("`{other}` cannot be simulated")),
    };
    set(&mut spec.sync, sync)
}

fn sectors(bytes: u64, text: &str) -> Result<u64, String> {
    if bytes == 0 || !bytes.is_multiple_of(512) || bytes > 1 << 40 {
        return Err(format!(
            "`{text}` is not a multiple of 512 bytes up to 1 TiB"
        ));
    }
    Ok(bytes)
}

fn set_bs(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    let sizes = arg.each(|text| sectors(units::bytes(text, arg.kb_base)?, text))?;
    spec.block_sizes = sizes.map(|bytes| BlockSizes::Fixed(bytes.unwrap_or(BLOCK_BYTES)));
    Ok(())
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

fn set_bsrange(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    set_blocks(spec, arg, |text| {
        let (min, max) = units::range(text, |t| sectors(units::bytes(t, arg.kb_base)?, t))?;
        Ok(if min == max {
            BlockSizes::Fixed(min)
        } else {
            BlockSizes::Range { min, max }
        })
    })
}

fn set_bssplit(spec: &mut Spec, arg: &Arg<'_>) -> Result<(), String> {
    set_blocks(spec, arg, |text| split(text, arg.kb_base))
}

/// fio's rules: what the percentages leave is shared evenly among the sizes without one,
/// or, if all have one, given to the last size.
fn split(text: &str, kb_base: u32) -> Result<BlockSizes, String> {
    let mut weights: Vec<(u64, Option<u32>)> = Vec::new();
    for part in text.split(':') {
        let (size, percent) = part.split_once('/').unwrap_or((part, ""));
        let bytes = sectors(units::bytes(size, kb_base)?, size)?;
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
    let each = arg.each(|text| sectors(units::bytes(text, arg.kb_base)?, text))?;
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
    spec.generator = match arg.text()? {
        "tausworthe" | "tausworthe64" => Generator::Random,
        "lfsr" => Generator::Lfsr,
        other => return Err(format!("`{other}` is not a generator")),
    };
    Ok(())
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
