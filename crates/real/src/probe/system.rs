//! Information from the kernel: `/proc`, `/sys` and udev's database.
//!
//! The parsers receive text, and the readers a root directory, so that recorded systems can be
//! examined as well as the running one.

use std::fmt;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Root directory of `/proc`, `/sys` and `/run`.
#[derive(Clone, Debug)]
pub(crate) struct SystemRoot(PathBuf);

/// The number of a device node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DeviceNumber {
    pub(crate) major: u32,
    pub(crate) minor: u32,
}

/// One line of `/proc/self/mountinfo`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    /// Device of the file system; btrfs and others invent one with major 0.
    pub(crate) number: DeviceNumber,
    /// Where it is mounted.
    pub(crate) mount_point: PathBuf,
    /// Type, `ext4`.
    pub(crate) fs_type: String,
    /// Source of the mount, `/dev/sda1`.
    pub(crate) source: String,
    /// Options of the mount and of the file system.
    pub(crate) options: Vec<String>,
}

impl fmt::Display for DeviceNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.major, self.minor)
    }
}

impl DeviceNumber {
    /// Parses `8:1`.
    pub(crate) fn parse(text: &str) -> Option<DeviceNumber> {
        let (major, minor) = text.trim().split_once(':')?;
        Some(DeviceNumber {
            major: major.parse().ok()?,
            minor: minor.parse().ok()?,
        })
    }

    /// Converts `st_rdev` or `st_dev`.
    pub(crate) fn from_raw(raw: u64) -> DeviceNumber {
        DeviceNumber {
            major: rustix::fs::major(raw),
            minor: rustix::fs::minor(raw),
        }
    }
}

impl Mount {
    /// The block device of the file system. If the number is invented, the source names the node.
    pub(crate) fn device_number(&self) -> Option<DeviceNumber> {
        if self.number.major != 0 {
            return Some(self.number);
        }
        let node = Path::new(&self.source).metadata().ok()?;
        (node.rdev() != 0).then(|| DeviceNumber::from_raw(node.rdev()))
    }
}

impl SystemRoot {
    /// The running system.
    pub(crate) fn running() -> SystemRoot {
        SystemRoot(PathBuf::from("/"))
    }

    /// A recorded system.
    #[cfg(test)]
    pub(crate) fn recorded(root: &Path) -> SystemRoot {
        SystemRoot(root.to_path_buf())
    }

    /// A path below the root; `below` has no leading slash.
    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.0.join(below)
    }

    /// Content of a file below the root, trimmed.
    pub(crate) fn text(&self, below: &str) -> Option<String> {
        read_trimmed(&self.path(below))
    }

    /// All mounts in this process's name space.
    pub(crate) fn mounts(&self) -> Vec<Mount> {
        parse_mountinfo(&self.text("proc/self/mountinfo").unwrap_or_default())
    }

    /// Devices and files used for swap.
    pub(crate) fn swaps(&self) -> Vec<PathBuf> {
        parse_swaps(&self.text("proc/swaps").unwrap_or_default())
    }

    /// Loop devices in use, by kernel name, each with its backing file.
    pub(crate) fn loops(&self) -> Vec<(String, PathBuf)> {
        let block = self.path("sys/block");
        let with_file = |name: String| {
            let file = read_trimmed(&block.join(&name).join("loop/backing_file"))?;
            Some((name, PathBuf::from(file)))
        };
        names_in(&block).into_iter().filter_map(with_file).collect()
    }
}

/// Content of a file, trimmed; `None` if it is unreadable or empty.
pub(crate) fn read_trimmed(path: &Path) -> Option<String> {
    let bytes = fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (!text.is_empty()).then(|| text.to_owned())
}

/// Names in a directory, sorted; none if it does not exist.
pub(crate) fn names_in(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Lines of `/proc/self/mountinfo`, in the kernel's order. Format: proc(5).
pub(crate) fn parse_mountinfo(text: &str) -> Vec<Mount> {
    text.lines().filter_map(parse_mount).collect()
}

fn parse_mount(line: &str) -> Option<Mount> {
    // The number of optional fields before " - " varies, hence the split there.
    let (left, right) = line.split_once(" - ")?;
    let left: Vec<&str> = left.split(' ').collect();
    let mut right = right.split(' ');
    let fs_type = right.next()?.to_owned();
    let source = unescape(right.next()?);
    let mut options: Vec<String> = Vec::new();
    let both = [left.get(5)?, right.next().unwrap_or_default()];
    for option in both.iter().flat_map(|list| list.split(',')) {
        if !option.is_empty() && !options.iter().any(|known| known == option) {
            options.push(option.to_owned());
        }
    }
    Some(Mount {
        number: DeviceNumber::parse(left.get(2)?)?,
        mount_point: PathBuf::from(unescape(left.get(4)?)),
        fs_type,
        source,
        options,
    })
}

/// First column of `/proc/swaps`, without its heading.
pub(crate) fn parse_swaps(text: &str) -> Vec<PathBuf> {
    text.lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().next())
        .map(|name| PathBuf::from(unescape(name)))
        .collect()
}

/// Decodes a blank, tab, newline and backslash, which the kernel writes as three octal digits.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let code = tail
            .get(..3)
            .filter(|_| first == b'\\')
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match code {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[3..];
            }
            None => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The mount that contains a path: the last of those with the longest mount point, because a later
/// mount covers an earlier one at the same place.
pub(crate) fn mount_of<'a>(mounts: &'a [Mount], path: &Path) -> Option<&'a Mount> {
    mounts
        .iter()
        .filter(|mount| path.starts_with(&mount.mount_point))
        .max_by_key(|mount| mount.mount_point.components().count())
}

/// A property of udev's database (`E:ID_SERIAL_SHORT=…` in `/run/udev/data/b8:0`).
pub(crate) fn udev_property(text: &str, name: &str) -> Option<String> {
    text.lines()
        .filter_map(|line| line.strip_prefix("E:")?.split_once('='))
        .find(|(key, value)| *key == name && !value.trim().is_empty())
        .map(|(_, value)| value.trim().to_owned())
}

/// The text of a SCSI "unit serial number" page (0x80): a header of four bytes, the last
/// two of which give the length. Source: SPC-4, 7.8.13.
pub(crate) fn vpd_serial(page: &[u8]) -> Option<String> {
    let (header, body) = page.split_at_checked(4)?;
    let len = usize::from(u16::from_be_bytes([header[2], header[3]]));
    let text = String::from_utf8_lossy(body.get(..len.min(body.len()))?);
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (header[1] == 0x80 && !text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTINFO: &str = "\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
30 27 8:1 / /media/my\\040disc rw,nosuid shared:5 master:1 - vfat /dev/sda1 rw,fmask=0022
31 27 0:44 /@data /data rw,noatime shared:2 - btrfs /dev/nvme0n1p3 rw,ssd,subvol=/@data
32 27 0:50 / /data rw - tmpfs tmpfs rw
broken line
";

    #[test]
    fn mountinfo_with_optional_fields_and_escapes() {
        let mounts = parse_mountinfo(MOUNTINFO);
        assert_eq!(mounts.len(), 5);
        assert_eq!(mounts[2].mount_point, Path::new("/media/my disc"));
        assert_eq!(mounts[2].number, DeviceNumber { major: 8, minor: 1 });
        assert_eq!(mounts[2].fs_type, "vfat");
        assert_eq!(mounts[3].source, "/dev/nvme0n1p3");
        assert_eq!(mounts[1].options, ["rw", "relatime", "discard"]);
    }

    #[test]
    fn the_deepest_and_latest_mount_holds_a_path() {
        let mounts = parse_mountinfo(MOUNTINFO);
        let at = |path: &str| mount_of(&mounts, Path::new(path)).unwrap().fs_type.clone();
        assert_eq!(at("/srv/x"), "ext4");
        assert_eq!(at("/media/my disc/x"), "vfat");
        assert_eq!(at("/data/x"), "tmpfs");
        assert_eq!(at("/database"), "ext4");
    }

    #[test]
    fn swaps_without_their_heading() {
        let text = "Filename\t\t\tType\t\tSize\tUsed\tPriority\n\
                    /dev/sda2    partition\t65532\t0\t-2\n/swap\\040file file 8 0 -3\n";
        assert_eq!(
            parse_swaps(text),
            [Path::new("/dev/sda2"), Path::new("/swap file")]
        );
        assert!(parse_swaps("Filename Type Size Used Priority\n").is_empty());
    }

    #[test]
    fn escapes_that_are_none_stay() {
        assert_eq!(unescape("a\\040b\\134c\\9z\\"), "a b\\c\\9z\\");
    }

    #[test]
    fn udev_properties() {
        let text = "S:disk/by-id/ata-X\nE:ID_SERIAL=Samsung_SSD_S251\nE:ID_SERIAL_SHORT=S251 \n\
                    E:ID_REVISION=\n";
        assert_eq!(
            udev_property(text, "ID_SERIAL_SHORT").as_deref(),
            Some("S251")
        );
        assert_eq!(udev_property(text, "ID_REVISION"), None);
        assert_eq!(udev_property(text, "ID_SER"), None);
    }

    #[test]
    fn vpd_page_80() {
        let mut page = vec![0, 0x80, 0, 8];
        page.extend_from_slice(b"   S251\0and more");
        assert_eq!(vpd_serial(&page).as_deref(), Some("S251"));
        page[1] = 0x83;
        assert_eq!(vpd_serial(&page), None);
        assert_eq!(vpd_serial(&[0, 0x80]), None);
        assert_eq!(vpd_serial(&[0, 0x80, 0, 4, b' ', b' ', b' ', b' ']), None);
    }
}
