//! Block devices as targets: refusals and their reasons, on real loop devices.

use crate::common;

use std::fs;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use common::{
    Loop, MIB, Mounted, Undo, destroy, have_root_and, holding, refused, sh, sized, try_sh,
};
use stend_load::target::{JobRequest, Target, TargetError};
use stend_real::{OpenOptions, open, trim};
use stend_record::review::TargetKind;

const TOKEN: &str = "loop:disk.img";
const NEEDED: &[&str] = &["fio", "losetup", "blkid", "blkdiscard"];

fn job(text: &str) -> JobRequest<'_> {
    JobRequest {
        text,
        seed: 1,
        sample_ms: 0,
    }
}

/// Returns the reason for which a device with the right token is refused; it must be unchanged.
fn refusal(device: &Loop) -> String {
    // The test's own writes to the device could reach the image at any time.
    sh("blockdev", &["--flushbufs", device.node()]);
    let before = fs::read(device.image()).unwrap();
    let text = refused(open(&device.node, &destroy(TOKEN)));
    assert!(
        fs::read(device.image()).unwrap() == before,
        "touched: {text}"
    );
    text
}

#[test]
fn an_empty_device_is_tested_on_its_token_alone() {
    if !have_root_and(NEEDED) {
        return;
    }
    let device = Loop::new(16 * MIB);
    for options in [OpenOptions::default(), destroy("yes"), destroy("loop:disk")] {
        let options = OpenOptions {
            planned_write_bytes: Some(3_000_000_000_000),
            ..options
        };
        let text = refused(open(&device.node, &options));
        for part in [
            "--destroy loop:disk.img",
            "16.8 MB (16.0 MiB)",
            "3000.0 GB",
            "disk.img",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
    assert_eq!(device.image_used_bytes(), 0, "nothing was written");
    let mut target = open(&device.node, &destroy(TOKEN)).unwrap();
    let info = target.info();
    assert_eq!(info.kind, TargetKind::BlockDevice);
    assert_eq!(info.capacity_bytes, 16 * MIB);
    let outcome = target.run(&job("[w]\nrw=write\nbs=1m\n")).unwrap();
    assert_eq!(outcome.fio.jobs[0].write.io_bytes, 16 * MIB);
    assert!(outcome.job_text.contains(device.node()));
    drop(target);
    sh("sync", &[]);
    assert!(device.image_used_bytes() >= 16 * MIB);
}

#[test]
fn nobody_can_mount_or_format_a_device_under_test() {
    if !have_root_and(&[NEEDED, &["mkfs.ext4"]].concat()) {
        return;
    }
    let device = Loop::new(16 * MIB);
    let mut target = open(&device.node, &destroy(TOKEN)).unwrap();
    let format = || try_sh("mkfs.ext4", &["-q", "-F", device.node()]);
    assert!(!format().status.success());
    let again = refused(open(&device.node, &destroy(TOKEN)));
    assert!(again.contains("another program"), "{again}");
    target.run(&job("[r]\nrw=read\nbs=1m\n")).unwrap();
    drop(target);
    // A child that another test is starting holds this process's files until it runs its own
    // program, which takes a while on a busy machine.
    let free = (0..300).any(|_| {
        let formatted = format().status.success();
        if !formatted {
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        formatted
    });
    assert!(free, "{:?}", format());
}

#[test]
fn trim_and_a_part_of_a_device() {
    if !have_root_and(NEEDED) {
        return;
    }
    let device = Loop::new(16 * MIB);
    fs::write(device.image(), vec![7; 16 * MIB as usize]).unwrap();
    sh("blockdev", &["--flushbufs", device.node()]);
    let options = OpenOptions {
        size_bytes: Some(4 * MIB),
        ..destroy(TOKEN)
    };
    let mut target = open(&device.node, &options).unwrap();
    assert_eq!(target.info().capacity_bytes, 4 * MIB);
    assert!(target.trim_supported());
    let outcome = target.run(&job("[w]\nrw=write\nbs=1m\n")).unwrap();
    assert_eq!(outcome.fio.jobs[0].write.io_bytes, 4 * MIB);
    target.trim_all().unwrap();
    drop(target);
    let content = fs::read(device.image()).unwrap();
    let (inside, outside) = content.split_at(4 * MIB as usize);
    assert!(inside.iter().all(|&byte| byte == 0), "TRIMmed");
    assert!(outside.iter().all(|&byte| byte == 7), "not to be touched");
    let larger = OpenOptions {
        size_bytes: Some(17 * MIB),
        ..destroy(TOKEN)
    };
    assert!(matches!(
        open(&device.node, &larger),
        Err(TargetError::Input(_))
    ));
}

#[test]
fn a_device_that_takes_no_trim_says_so() {
    if !have_root_and(&[NEEDED, &["mount", "umount"]].concat()) {
        return;
    }
    let device = Loop::without_trim(16 * MIB);
    let mut target = open(&device.node, &destroy(TOKEN)).unwrap();
    assert!(!target.trim_supported());
    let facts = target.info().facts;
    let shown = facts.iter().find(|fact| fact.id == "trim-by-the-device");
    assert!(
        shown
            .unwrap()
            .value
            .in_english()
            .starts_with("not supported"),
        "{shown:?}"
    );
    target.run(&job("[w]\nrw=write\nbs=1m\n")).unwrap();
    match target.trim_all() {
        Err(TargetError::Failed(text)) => assert!(text.contains("takes no TRIM"), "{text}"),
        other => panic!("{other:?}"),
    }
    let other = Loop::new(16 * MIB);
    let target = open(&other.node, &destroy(TOKEN)).unwrap();
    let facts = target.info().facts;
    let shown = facts.iter().find(|fact| fact.id == "trim-by-the-device");
    assert!(
        shown.unwrap().value.in_english().starts_with("supported"),
        "{shown:?}"
    );
}

#[test]
fn a_file_system_mounted_or_not() {
    if !have_root_and(&[NEEDED, &["mkfs.ext4", "mount"]].concat()) {
        return;
    }
    let device = Loop::new(16 * MIB);
    sh("mkfs.ext4", &["-q", "-L", "photos", device.node()]);
    let text = refusal(&device);
    assert!(
        text.contains("ext4 (filesystem) with the label \"photos\""),
        "{text}"
    );
    assert!(!text.contains("mounted"), "{text}");
    let mounted = Mounted::new(&[device.node()]);
    let text = refused(open(&device.node, &destroy(TOKEN)));
    let place = format!(
        "{} is mounted at {} (ext4)",
        device.node(),
        mounted.path().display()
    );
    assert!(text.contains(&place), "{text}");
    assert!(text.contains("another program or the kernel"), "{text}");
}

/// ext4 with `data=journal` accepts direct I/O, and serves it from the machine's memory.
#[test]
fn a_file_system_that_only_seems_to_do_direct_io_is_refused() {
    if !have_root_and(&[NEEDED, &["mkfs.ext4", "mount"]].concat()) {
        return;
    }
    let device = Loop::new(64 * MIB);
    sh("mkfs.ext4", &["-q", device.node()]);
    let options = OpenOptions {
        size_bytes: Some(8 * MIB),
        ..OpenOptions::default()
    };
    for (mode, direct) in [("data=journal", false), ("data=ordered", true)] {
        let mounted = Mounted::new(&["-o", mode, device.node()]);
        let file = mounted.path().join("target.bin");
        let opened = open(&file, &options).map(drop);
        match direct {
            true => opened.unwrap(),
            false => {
                let said = opened.unwrap_err().to_string();
                assert!(said.contains("does not do direct I/O"), "{said}");
                assert!(!file.exists());
            }
        }
    }
}

#[test]
fn links_to_a_device_lead_to_the_same_refusal() {
    if !have_root_and(&[NEEDED, &["mkfs.ext4"]].concat()) {
        return;
    }
    let device = Loop::new(16 * MIB);
    sh("mkfs.ext4", &["-q", device.node()]);
    let dir = tempfile::tempdir().unwrap();
    let link = dir.path().join("harmless.bin");
    std::os::unix::fs::symlink(&device.node, &link).unwrap();
    let text = refused(open(&link, &sized(MIB)));
    assert!(
        text.contains(device.node()) && text.contains("ext4"),
        "{text}"
    );
}

#[test]
fn swap_space() {
    if !have_root_and(&[NEEDED, &["mkswap", "swapon"]].concat()) {
        return;
    }
    let device = Loop::new(16 * MIB);
    sh("mkswap", &[device.node()]);
    assert!(refusal(&device).contains("swap"));
    sh("swapon", &[device.node()]);
    let _undo = Undo("swapoff", vec![device.node().to_owned()]);
    let text = refused(open(&device.node, &destroy(TOKEN)));
    assert!(
        text.contains(&format!("swapoff {}", device.node())),
        "{text}"
    );
}

/// A DOS partition table with one entry: 8 MiB, starting at 1 MiB.
fn partition_table() -> Vec<u8> {
    let mut sector = vec![0u8; 512];
    sector[446 + 4] = 0x83;
    sector[446 + 8..][..4].copy_from_slice(&2048u32.to_le_bytes());
    sector[446 + 12..][..4].copy_from_slice(&16384u32.to_le_bytes());
    sector[510..].copy_from_slice(&[0x55, 0xaa]);
    sector
}

#[test]
fn a_partition_table() {
    if !have_root_and(NEEDED) {
        return;
    }
    let device = Loop::new(16 * MIB);
    fs::write(&device.node, partition_table()).unwrap();
    let text = refusal(&device);
    assert!(text.contains("a partition table (dos)"), "{text}");
}

#[test]
fn a_partition_table_of_the_other_kind() {
    if !have_root_and(&[NEEDED, &["sfdisk"]].concat()) {
        return;
    }
    let device = Loop::new(16 * MIB);
    let image = device.image();
    sh(
        "sh",
        &[
            "-c",
            "echo ',8MiB' | sfdisk -q --label gpt \"$0\"",
            image.to_str().unwrap(),
        ],
    );
    let text = refusal(&device);
    assert!(text.contains("a partition table (gpt)"), "{text}");
}

/// Members are held only while they are assembled into a device; their signature is always found.
#[test]
fn members_of_lvm_encryption_and_raid() {
    if !have_root_and(NEEDED) {
        return;
    }
    for (at, magic, name) in [
        (0, &b"LUKS\xba\xbe\0\x01"[..], "crypto_LUKS"),
        (512, &LVM, "LVM2_member"),
        (4096, &MD, "linux_raid_member"),
    ] {
        let device = Loop::new(16 * MIB);
        let mut content = vec![0; 16 * MIB as usize];
        content[at..at + magic.len()].copy_from_slice(magic);
        // Written by another process: a child that another test is starting would have the device
        // open for writing like this process, and that would cause the refusal.
        let file = device.image().with_extension("content");
        fs::write(&file, content).unwrap();
        let (from, to) = (
            format!("if={}", file.display()),
            format!("of={}", device.node()),
        );
        sh("dd", &[&from, &to, "bs=1M", "conv=fsync", "status=none"]);
        fs::remove_file(&file).unwrap();
        let text = refusal(&device);
        assert!(text.contains(name), "{name}: {text}");
    }
}

/// The label of an LVM2 physical volume in sector 1: identifier, number of the sector, checksum of
/// the rest of the sector, offset of the header, type. Source: LVM2, `lib/format_text/layout.h`.
const LVM: [u8; 32] = *b"LABELONE\x01\0\0\0\0\0\0\0\x73\xac\xa8\x28\x20\0\0\0LVM2 001";

/// A superblock of md, version 1.2, at 4 KiB: magic, version, and its own place. Source: Linux,
/// `include/uapi/linux/raid/md_p.h`.
const MD: [u8; 152] = {
    let mut block = [0; 152];
    (block[0], block[1], block[2], block[3]) = (0xfc, 0x4e, 0x2b, 0xa9);
    block[4] = 1;
    block[144] = 8;
    block
};

#[test]
fn partitions_and_what_is_on_them() {
    if !have_root_and(&[NEEDED, &["addpart", "delpart", "mkfs.ext4", "mount"]].concat()) {
        return;
    }
    let device = Loop::new(16 * MIB);
    sh("addpart", &[device.node(), "1", "2048", "16384"]);
    let _undo = Undo("delpart", vec![device.node().to_owned(), "1".to_owned()]);
    let part = format!("{}p1", device.node());
    if !Path::new(&part).exists() {
        println!("skipped: nobody makes {part} here");
        return;
    }
    let text = refusal(&device);
    assert!(
        text.contains(&format!("it has the partition {part} (8388608 bytes)")),
        "{text}"
    );
    sh("mkfs.ext4", &["-q", &part]);
    let mounted = Mounted::new(&[&part]);
    let text = refused(open(&device.node, &destroy(TOKEN)));
    let place = format!("{part} is mounted at {}", mounted.path().display());
    assert!(text.contains(&place), "{text}");
    drop(mounted);
    sh("wipefs", &["-a", &part]);
    let target = open(Path::new(&part), &destroy(TOKEN)).unwrap();
    assert_eq!(target.info().capacity_bytes, 8 * MIB);
}

#[test]
fn read_only_and_opened_by_another() {
    if !have_root_and(&[NEEDED, &["blockdev"]].concat()) {
        return;
    }
    let device = Loop::new(16 * MIB);
    sh("blockdev", &["--setro", device.node()]);
    assert!(refusal(&device).contains("it is read-only"));
    sh("blockdev", &["--setrw", device.node()]);
    let exclusive = fs::OpenOptions::new()
        .read(true)
        .custom_flags(rustix::fs::OFlags::EXCL.bits().cast_signed())
        .open(&device.node)
        .unwrap();
    assert!(refusal(&device).contains("another program or the kernel"));
    drop(exclusive);
    open(&device.node, &destroy(TOKEN)).unwrap();
}

#[test]
fn a_loop_device_over_the_device() {
    if !have_root_and(NEEDED) {
        return;
    }
    let device = Loop::new(16 * MIB);
    let above = sh("losetup", &["--find", "--show", device.node()]);
    let _undo = Undo("losetup", vec!["--detach".to_owned(), above.clone()]);
    assert!(refusal(&device).contains(&format!("the backing of {above}")));
}

/// A file system mounted from one device is written through the other.
#[test]
fn a_second_loop_device_of_the_same_file() {
    if !have_root_and(NEEDED) {
        return;
    }
    let device = Loop::new(16 * MIB);
    let image = device.image().to_str().unwrap().to_owned();
    let args = ["--offset", "1048576", "--find", "--show", &image];
    let other = sh("losetup", &args);
    let undo = Undo("losetup", vec!["--detach".to_owned(), other.clone()]);
    let text = refusal(&device);
    assert!(
        text.contains(&format!("{other} is of its backing file")),
        "{text}"
    );
    assert!(text.contains("disk.img too"), "{text}");
    let text = trim(&device.node, 0, None, &destroy(TOKEN))
        .unwrap_err()
        .to_string();
    assert!(text.contains(&other), "{text}");
    drop(undo);
    // Refused too while others write to the file itself.
    let mut child = holding(&device.image(), ">>");
    let text = refusal(&device);
    assert!(
        text.contains(&format!("open for writing in sh (process {})", child.id())),
        "{text}"
    );
    child.kill().unwrap();
    child.wait().unwrap();
    drop(open(&device.node, &destroy(TOKEN)).unwrap());
}

/// A file system mounted from a device is written through a loop device over it.
#[test]
fn a_loop_device_over_a_device_in_use() {
    if !have_root_and(&[NEEDED, &["mkfs.ext4", "mount"]].concat()) {
        return;
    }
    let device = Loop::new(16 * MIB);
    let above = sh("losetup", &["--find", "--show", device.node()]);
    let _undo = Undo("losetup", vec!["--detach".to_owned(), above.clone()]);
    let node = Path::new(&above);
    let named = destroy(&format!(
        "loop:{}",
        device.node().trim_start_matches("/dev/")
    ));
    drop(open(node, &named).unwrap());
    sh("mkfs.ext4", &["-q", device.node()]);
    let mounted = Mounted::new(&[device.node()]);
    let text = refused(open(node, &named));
    let place = format!(
        "{} is mounted at {}",
        device.node(),
        mounted.path().display()
    );
    assert!(text.contains(&place), "{text}");
}

#[test]
fn a_device_mapper_device_over_the_device() {
    if !have_root_and(&[NEEDED, &["dmsetup"]].concat()) {
        return;
    }
    let device = Loop::new(16 * MIB);
    let name = format!("stend-test-{}", std::process::id());
    let table = format!("0 2048 linear {} 0", device.node());
    // The kernel of a container or a small virtual machine often has no device mapper, which no
    // package can add: skipped even if tools are required.
    if !try_sh("dmsetup", &["create", &name, "--table", &table])
        .status
        .success()
    {
        println!("skipped: this kernel has no device mapper");
        return;
    }
    let _undo = Undo("dmsetup", vec!["remove".to_owned(), name]);
    let text = refusal(&device);
    assert!(text.contains("is held by dm-"), "{text}");
}

#[test]
fn the_disk_of_the_root_file_system() {
    if !have_root_and(NEEDED) {
        return;
    }
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    let source = mounts
        .lines()
        .filter(|line| line.split(' ').nth(4) == Some("/"))
        .filter_map(|line| line.split_once(" - ")?.1.split(' ').nth(1))
        .next_back()
        .unwrap_or_default();
    if !source.starts_with("/dev/") || !Path::new(source).exists() {
        println!("skipped: the root file system stands on no device that can be seen");
        return;
    }
    let text = refused(open(Path::new(source), &OpenOptions::default()));
    assert!(text.contains("root file system"), "{text}");
    assert!(text.contains("mounted at /"), "{text}");
}
