//! The model of a file system compared with the requests that Linux sent to a drive.
//!
//! `data/ext4.json` is the record of work on sets of 256 MiB on a new ext4 of 4 GiB over a loop
//! device with a readahead of 128 KiB: sums of the block requests that the kernel issued. It is
//! recorded again by
//!
//! ```text
//! cargo test -p stend-real --test main ext4_record -- --ignored --nocapture
//! ```

use std::collections::BTreeMap;

use serde::Deserialize;
use stend_base::{Nanos, Op};
use stend_load::files::summary::{Direction, Summary};
use stend_load::files::{FileOp, FileSet, Host, Operation, run};
use stend_load::testing::ConstantDevice;

#[derive(Deserialize)]
struct Record {
    kernel: String,
    #[serde(flatten)]
    work: BTreeMap<String, Summary>,
}

fn recorded() -> Record {
    serde_json::from_str(include_str!("data/ext4.json")).unwrap()
}

fn modelled(op: FileOp, set: &str) -> Summary {
    let files = FileSet::shipped(set).unwrap().files(256 << 20, 7).unwrap();
    let capacity_bytes = 4 << 30;
    let operation = Operation::new(op, &files, capacity_bytes).unwrap();
    let mut device = ConstantDevice::new(capacity_bytes, Nanos(100_000)).logging();
    run(
        &mut device,
        &operation.work,
        operation.journal,
        &Host::default(),
    )
    .unwrap();
    let mut summary = Summary::default();
    for (_, request) in device.requests() {
        summary.add(request.op, request.offset_bytes, request.len_bytes);
    }
    summary
}

/// Asserts that `own` lies within this share of `seen`.
fn near(what: &str, own: u64, seen: u64, share: f64) {
    let ratio = own as f64 / seen as f64;
    assert!((ratio - 1.0).abs() <= share, "{what}: {own} against {seen}");
}

/// Asserts that the shares of bytes by class differ by at most two points; the two classes above
/// 128 KiB, which depend on the number of segments of a request, are one.
fn alike(what: &str, own: &Direction, seen: &Direction) {
    let shares = |d: &Direction| {
        [0, 1, 2, 3, 4].map(|class| match class {
            4 => d.share(4) + d.share(5),
            class => d.share(class),
        })
    };
    for (class, (own, seen)) in shares(own).into_iter().zip(shares(seen)).enumerate() {
        assert!(
            (own - seen).abs() <= 0.02,
            "{what}, class {class}: {own} against {seen}"
        );
    }
}

#[test]
fn the_model_asks_for_what_ext4_asked_for() {
    let record = recorded();
    assert!(record.kernel.starts_with("Linux"));
    assert_eq!(record.work.len(), 5);
    for (name, seen) in &record.work {
        let (op, set) = name.split_once(' ').unwrap();
        let op = [FileOp::Copy, FileOp::Archive, FileOp::Unarchive]
            .into_iter()
            .find(|known| known.name() == op)
            .unwrap();
        let own = modelled(op, set);
        println!("{name}\n  own  {own:?}\n  seen {seen:?}");
        near(
            &format!("{name}: bytes read"),
            own.reads.bytes,
            seen.reads.bytes,
            0.02,
        );
        near(
            &format!("{name}: bytes written"),
            own.writes.bytes,
            seen.writes.bytes,
            0.02,
        );
        near(
            &format!("{name}: reads"),
            own.reads.requests,
            seen.reads.requests,
            0.03,
        );
        near(
            &format!("{name}: writes"),
            own.writes.requests,
            seen.writes.requests,
            0.2,
        );
        alike(&format!("{name}: reads"), &own.reads, &seen.reads);
        alike(&format!("{name}: writes"), &own.writes, &seen.writes);
        for (what, own, seen) in [
            ("reads", &own.reads, &seen.reads),
            ("writes", &own.writes, &seen.writes),
        ] {
            let (own, seen) = (own.sequential_share(), seen.sequential_share());
            assert!(
                (own - seen).abs() <= 0.15,
                "{name}: sequential {what}: {own} against {seen}"
            );
        }
        // A commit at the end, and those during the run on the slower device: two flushes each.
        assert_eq!((own.flushes, seen.flushes % 2), (2, 0), "{name}");
        assert!((2..=20).contains(&seen.flushes), "{name}: {}", seen.flushes);
    }
}

/// The summary distinguishes requests by the compared properties.
#[test]
fn a_summary_counts_what_it_says() {
    let mut summary = Summary::default();
    for (op, offset, len) in [
        (Op::Read, 0, 4096),
        (Op::Read, 4096, 131_072),
        (Op::Write, 0, 1 << 20),
        (Op::Write, 8 << 20, 1280 << 10),
        (Op::Flush, 0, 0),
        (Op::Read, 135_168, 8192),
    ] {
        summary.add(op, offset, len);
    }
    assert_eq!(summary.reads.bytes_by_class, [4096, 8192, 0, 131_072, 0, 0]);
    assert_eq!((summary.reads.requests, summary.reads.sequential), (3, 2));
    assert_eq!(summary.writes.bytes_by_class[4..], [1 << 20, 1280 << 10]);
    assert_eq!((summary.writes.sequential, summary.flushes), (0, 1));
}
