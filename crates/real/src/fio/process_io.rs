//! Bytes that a program has read and written so far, as the kernel counts them for each process.
//!
//! Reading the count disturbs neither the program nor the drive, so a measured load does not
//! change. fio's own totals (`--status-interval`) would disturb it: fio wakes its threads to sum up
//! their times, and computes a whole report beside them.

use std::fs;

use rustix::process::Pid;

/// Bytes that a process has moved to and from storage; `None` if the kernel does not report it, or
/// counts nothing, as on file systems without a block device.
pub(crate) fn bytes(program: Pid) -> Option<u64> {
    let path = format!("/proc/{}/io", program.as_raw_nonzero());
    parse(&fs::read_to_string(path).ok()?).filter(|bytes| *bytes > 0)
}

/// Sum of the read and written bytes in `/proc/PID/io`.
fn parse(text: &str) -> Option<u64> {
    let of = |key: &str| -> Option<u64> {
        let line = text.lines().find_map(|line| line.strip_prefix(key))?;
        line.trim().parse().ok()
    };
    of("read_bytes:")?.checked_add(of("write_bytes:")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_count_is_of_what_reached_storage() {
        let text = "rchar: 9\nwchar: 8\nsyscr: 7\nsyscw: 6\nread_bytes: 4096\n\
                    write_bytes: 8192\ncancelled_write_bytes: 5\n";
        assert_eq!(parse(text), Some(12_288));
        assert_eq!(parse("read_bytes: 4096\n"), None);
        assert_eq!(parse("read_bytes: x\nwrite_bytes: 1\n"), None);
    }
}
