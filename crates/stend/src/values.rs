//! Parsers of values on the command line. The error of each is a message with the fault or the
//! allowed values.

use std::num::NonZero;
use std::str::FromStr;
use std::time::Duration;

use stend_load::trace::replay::DEPTH_MAX;
use stend_method::{DURATION_SCALE_MAX, SteadyLoad};
use stend_model::Setting;
use stend_serve::clock::Pace;
use stend_serve::server::IDLE_S_MAX;

/// Bytes of `8G`, `8GiB`, `8GB`, `4096`.
///
/// A single letter is binary, in either case, as in fio by default (HOWTO, "Parameter types": `4k`
/// is 4096). Longer suffixes are those of IEC 80000-13 and of the SI. In fio they differ: its
/// `kb_base=1024` swaps the meanings of `GB` and `GiB`.
pub fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 = digits
        .trim()
        .parse()
        .map_err(|_| format!("`{text}` does not begin with a whole number"))?;
    let factor: u64 = match &text[digits.len()..] {
        "" | "B" => 1,
        "KiB" | "K" | "k" => 1 << 10,
        "MiB" | "M" | "m" => 1 << 20,
        "GiB" | "G" | "g" => 1 << 30,
        "TiB" | "T" | "t" => 1 << 40,
        "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "TB" => 1_000_000_000_000,
        other => {
            return Err(format!(
                "the suffix `{other}` is not known; use K, M, G, T, or KiB, MiB, GiB, TiB \
                 (binary), or KB, MB, GB, TB (decimal)"
            ));
        }
    };
    number
        .checked_mul(factor)
        .ok_or_else(|| format!("`{text}` is more than 64 bits can hold"))
}

/// Bytes that a drive is rated to be written: a size that is not 0.
pub fn rating(text: &str) -> Result<u64, String> {
    match size(text)? {
        0 => Err(format!("`{text}`: a drive is rated for more than nothing")),
        bytes => Ok(bytes),
    }
}

/// A time that is not 0: `90s`, `20m`, `2h`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let parsed = text.parse::<jiff::SignedDuration>().ok();
    let time = parsed.and_then(|time| Duration::try_from(time).ok());
    time.filter(|time| !time.is_zero())
        .ok_or_else(|| format!("`{text}` is not a duration, such as 90s, 20m or 2h"))
}

/// A factor for durations, above 0 and at most [`DURATION_SCALE_MAX`].
pub fn duration_scale(text: &str) -> Result<f64, String> {
    factor(text, DURATION_SCALE_MAX).ok_or_else(|| {
        format!(
            "a duration scale must be above 0 and at most {DURATION_SCALE_MAX}, such as 0.1 for a \
             tenth of every duration"
        )
    })
}

/// A number above 0 and at most `most`.
fn factor(text: &str, most: f64) -> Option<f64> {
    let number = text.parse().ok();
    number.filter(|number| *number > 0.0 && *number <= most)
}

/// A share of a trace, above 0 and at most 1.
pub fn beginning(text: &str) -> Result<f64, String> {
    factor(text, 1.0).ok_or_else(|| {
        "it must be above 0 and at most 1, such as 0.1 for the first tenth of the trace".into()
    })
}

/// Maximum number of outstanding requests of a trace, from 1 to [`DEPTH_MAX`].
pub fn depth(text: &str) -> Result<u32, String> {
    let depth = text.parse().ok();
    depth
        .filter(|depth| (1..=DEPTH_MAX).contains(depth))
        .ok_or_else(|| format!("from 1 to {DEPTH_MAX} requests can be outstanding"))
}

/// A range of sizes, from the least to the most: `250GB..512GB`, `500GB..`, `..256GB`.
pub fn size_range(text: &str) -> Result<(u64, u64), String> {
    let expected = || format!("`{text}` is not MIN..MAX, such as 250GB..512GB, 500GB.. or ..256GB");
    let (least, most) = text.split_once("..").ok_or_else(expected)?;
    let bound = |text: &str, without: u64| match text.trim() {
        "" => Ok(without),
        text => size(text),
    };
    let range = (bound(least, 0)?, bound(most, u64::MAX)?);
    match range.0 <= range.1 {
        true => Ok(range),
        false => Err(format!("`{text}`: MIN is above MAX")),
    }
}

/// A range of years: `2014`, `2012..2015`, `2012..`, `..2015`.
pub fn years(text: &str) -> Result<(u32, u32), String> {
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    let bound = |text: &str, without: u32| match text.trim() {
        "" => Some(without),
        text => text.parse().ok(),
    };
    match bound(from, 0).zip(bound(to, u32::MAX)) {
        Some((from, to)) if from > to => Err(format!(
            "`{text}`: FROM is after TO; years are given as in 2014..2016"
        )),
        Some(years) if !text.trim().is_empty() => Ok(years),
        _ => Err(format!(
            "`{text}` is neither a year nor FROM..TO, such as 2014..2016 or 2016.."
        )),
    }
}

/// A model figure and its value: `slc_cache.blocks_per_plane=6`. The model checks both.
pub fn setting(text: &str) -> Result<(String, Setting), String> {
    let expected = || format!("`{text}` is not KEY=VALUE, such as slc_cache.blocks_per_plane=6");
    let (key, value) = text.split_once('=').ok_or_else(expected)?;
    Ok((key.trim().to_owned(), value.parse()?))
}

/// A seed of random numbers.
pub fn seed(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("a seed is a whole number from 0 to {} (2^64 - 1)", u64::MAX))
}

/// The number of a run in the lab.
pub fn run(text: &str) -> Result<i64, String> {
    let unknown = |_| "not the number of a run; `stend lab list` lists the numbers".to_owned();
    text.parse().map_err(unknown)
}

/// A number of things, at least 1.
pub fn count(text: &str) -> Result<NonZero<usize>, String> {
    text.parse()
        .map_err(|_| "it must be a whole number above 0, and not too large".into())
}

/// A whole number, 0 or above.
pub fn whole<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_| "it must be a whole number, not below 0 and not too large".into())
}

/// Pace of virtual time: `max`, or virtual seconds per second.
pub fn pace(text: &str) -> Result<Pace, String> {
    match text {
        "max" => Ok(Pace::Max),
        _ => number_within(text, 0.001, 1000.0)
            .map(Pace::Speed)
            .map_err(|why| format!("{why}; or `max`")),
    }
}

/// Days without power, at most a hundred years.
pub fn days(text: &str) -> Result<f64, String> {
    number_within(text, 0.0, 36_500.0)
}

/// Seconds for which a served drive is idle, at most a year.
pub fn idle_seconds(text: &str) -> Result<f64, String> {
    number_within(text, 0.0, IDLE_S_MAX)
}

/// Temperature of a drive without power, °C.
pub fn celsius(text: &str) -> Result<f64, String> {
    number_within(text, -40.0, 125.0)
}

fn number_within(text: &str, least: f64, most: f64) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ => Err(format!("expected a number from {least} to {most}")),
    }
}

/// A time or factor from 0.001 to 1,000,000.
pub fn interval(text: &str) -> Result<f64, String> {
    let number: f64 = text
        .parse()
        .map_err(|_| format!("`{text}` is not a number"))?;
    match (0.001..=1e6).contains(&number) {
        true => Ok(number),
        false => Err(format!("{text} is not between 0.001 and 1000000")),
    }
}

/// The name of a load that writes until steady state.
pub fn steady(text: &str) -> Result<SteadyLoad, String> {
    SteadyLoad::of(text).ok_or_else(|| {
        let names = SteadyLoad::ALL.map(|load| load.name);
        format!("there is no load `{text}`; there are: {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_as_fio_and_as_the_standards_write_them() {
        for (text, bytes) in [
            ("4096", 4096),
            ("4096B", 4096),
            ("8G", 8 << 30),
            ("8g", 8 << 30),
            ("8GiB", 8 << 30),
            ("8GB", 8_000_000_000),
            ("64k", 64 << 10),
            ("64K", 64 << 10),
            ("64KB", 64_000),
            ("3M", 3 << 20),
            ("3m", 3 << 20),
            ("2T", 2 << 40),
            ("2t", 2 << 40),
            ("2TB", 2_000_000_000_000),
        ] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for bad in [
            "",
            "G",
            "GiB",
            "-1",
            "-8G",
            "1.5GiB",
            "99999999TiB",
            "99999999T",
            "8Gi",
            "8gb",
            "8P",
        ] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn figures_are_keys_with_values() {
        let set = |text| setting(text).map(|(key, value)| (key, value.to_string()));
        for (text, value) in [
            ("a.b=6", "6"),
            ("a.b=1.5", "1.5"),
            ("a.b = greedy", "greedy"),
            ("a.b=\"x\"", "x"),
            ("a.b=true", "true"),
            ("a.b=[1, 2.5]", "[1, 2.5]"),
        ] {
            assert_eq!(set(text), Ok(("a.b".to_owned(), value.to_owned())));
        }
        for bad in ["a.b", "a.b=", "a.b={ x = 1 }"] {
            assert!(setting(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn seeds_are_of_64_bits() {
        assert_eq!(seed("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(seed("0"), Ok(0));
        for bad in ["-1", "18446744073709551616", "1.5", "one", ""] {
            let error = seed(bad).unwrap_err();
            assert!(error.contains("from 0 to 18446744073709551615 (2^64 - 1)"));
        }
    }

    #[test]
    fn counts_are_above_zero() {
        assert_eq!(count("3").map(NonZero::get), Ok(3));
        for bad in ["0", "-1", "x"] {
            assert!(count(bad).is_err(), "{bad}");
        }
        assert_eq!(whole::<usize>("0"), Ok(0));
        assert!(whole::<usize>("-1").is_err());
    }
}
