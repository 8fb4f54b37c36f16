//! Checks that a job sends only requests of whole sectors. The kernel answers others with "Invalid
//! argument", from which a user learns neither the option nor the remedy.

use stend_load::jobfile::units::bytes;

/// Checks an option of a job for a target with sectors of this size. Returns what the option sets,
/// and the fault with its remedy; `None` for other options.
pub(crate) fn check(
    name: &str,
    value: Option<&str>,
    sector_bytes: u64,
) -> Option<(&'static str, Result<(), String>)> {
    let value = value.unwrap_or_default();
    let (meaning, sizes): (_, Vec<&str>) = match name {
        "bs" | "blocksize" => ("bs", value.split(',').collect()),
        "ba" | "blockalign" => ("blockalign", value.split(',').collect()),
        "bsrange" | "blocksize_range" => ("bsrange", value.split([',', '-']).collect()),
        "bssplit" => {
            let entries = value.split([',', ':']);
            let sizes = entries.filter_map(|entry| entry.split('/').next());
            ("bssplit", sizes.collect())
        }
        "offset" => ("offset", vec![value]),
        "offset_increment" => ("offset_increment", vec![value]),
        // What lies between two sequential requests; of random ones it is a count.
        "rw" | "readwrite" => {
            let skips = value.split(':').skip(1);
            let skips = skips.filter(|_| !value.starts_with("rand"));
            (
                "rw",
                skips.map(|skip| skip.trim_start_matches('-')).collect(),
            )
        }
        _ => return None,
    };
    // fio itself reports what is no size.
    let mut sizes = sizes.into_iter().map(str::trim);
    let odd = sizes.find(|size| {
        let size = bytes(size, 1024);
        size.is_ok_and(|size| !size.is_multiple_of(sector_bytes))
    });
    let checked = match odd {
        None => Ok(()),
        Some(size) => Err(format!(
            "the target has sectors of {sector_bytes} bytes and takes only whole ones, and {size} \
             is no multiple of that: choose one, such as {}",
            short(sector_bytes)
        )),
    };
    Some((meaning, checked))
}

/// Formats a size as fio reads it: `4k`.
fn short(bytes: u64) -> String {
    match bytes.is_multiple_of(1024) {
        true => format!("{}k", bytes / 1024),
        false => bytes.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_sectors_are_taken() {
        for (name, value) in [
            ("bs", "4k"),
            ("bs", "4096,8k,"),
            ("blocksize", "1m"),
            ("bsrange", "4k-64k,8k-16k"),
            ("bssplit", "4k/60:64k/40,4k/100"),
            ("bssplit", "4k:8k"),
            ("offset", "25%"),
            ("offset", "1m"),
            ("ba", "4k"),
            ("iodepth", "512"),
            ("rw", "write"),
            ("rw", "write:-8k"),
            ("rw", "randread:8"),
            ("bs", "many"),
        ] {
            for sector_bytes in [512, 4096] {
                let checked = check(name, Some(value), sector_bytes);
                let is_whole = checked.is_none_or(|(_, checked)| checked.is_ok());
                assert!(is_whole, "{name}={value}");
            }
        }
        assert_eq!(check("bs", Some("512"), 512), Some(("bs", Ok(()))));
    }

    #[test]
    fn parts_of_sectors_are_named() {
        for (name, value, size) in [
            ("bs", "512", "512"),
            ("bs", "4k,1k", "1k"),
            ("bsrange", "4k-6k", "6k"),
            ("bssplit", "4k/60:512/40", "512"),
            ("bssplit", "4k:512", "512"),
            ("offset", "512", "512"),
            ("blockalign", "2k", "2k"),
            ("rw", "write:1k", "1k"),
        ] {
            let (_, checked) = check(name, Some(value), 4096).unwrap();
            let told = checked.unwrap_err();
            let named = format!("sectors of 4096 bytes and takes only whole ones, and {size} is");
            assert!(told.contains(&named) && told.contains("4k"), "{told}");
        }
    }
}
