//! Drives that are written and read back.

use crate::tests::common;

use stend_base::{Completion, Device, Op, Request, SimTime};
use stend_drive::SimDrive;
use stend_drive::state::{self, MAGIC, StateError, VERSION};
use stend_model::{Model, Setting};

/// A drive of 200 MB, small enough to be read again with damage at every place.
fn small() -> Model {
    let change = [
        (
            "user_bytes = { value = 8000000000",
            "user_bytes = { value = 200003584",
        ),
        (
            "blocks_per_plane = { value = 860",
            "blocks_per_plane = { value = 40",
        ),
        (
            "blocks_per_plane = { value = 110",
            "blocks_per_plane = { value = 16",
        ),
    ];
    let mut text = include_str!("../../../drives/demo-8gb.toml").to_string();
    for (from, to) in change {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    Model::parse(&text, "small.toml").unwrap()
}

/// A sixteenth of a shipped model, with more spare space: a full-size one takes seconds to write
/// and to read.
fn sixteenth(name: &str) -> Model {
    let model = Model::shipped(name).unwrap();
    let bytes = model.capacity.user_bytes.value / 16 / 4096 * 4096;
    let blocks = model.nand.blocks_per_plane.value.div_ceil(8);
    model
        .with(&[
            ("capacity.user_bytes", Setting::Whole(bytes as i64)),
            ("nand.blocks_per_plane", Setting::Whole(blocks.into())),
        ])
        .unwrap()
}

/// Random requests, eight at a time, and sometimes a TRIM. Returns all completions.
fn load(drive: &mut SimDrive, seed: u64, requests: u32) -> Vec<Completion> {
    let mut random = stend_base::Rng::stream(seed, "load");
    let pages = drive.capacity_bytes() / 4096;
    let mut seen = Vec::new();
    let mut outstanding = 0;
    for tag in 0..requests {
        let op = match random.below(20) {
            0 => Op::Trim,
            1..8 => Op::Read,
            _ => Op::Write,
        };
        let len = 1 + random.below(64);
        let first = random.below(pages - len);
        drive.submit(Request {
            tag,
            op,
            offset_bytes: first * 4096,
            len_bytes: len * 4096,
            ..Request::default()
        });
        outstanding += 1;
        if outstanding == 8 {
            seen.push(drive.advance(SimTime::NEVER).unwrap());
            outstanding -= 1;
        }
    }
    while outstanding > 0 {
        seen.push(drive.advance(SimTime::NEVER).unwrap());
        outstanding -= 1;
    }
    seen
}

fn bytes(model: &Model, drive: &SimDrive) -> Vec<u8> {
    let mut bytes = Vec::new();
    state::write(model, drive, &mut bytes).unwrap();
    bytes
}

fn refused(bytes: &[u8]) -> StateError {
    match state::read(bytes, "it") {
        Err(error) => error,
        Ok(_) => panic!("{} bytes were taken for a state", bytes.len()),
    }
}

/// Shipped models, one or more of each kind: caches, L2Ps on flash, links, heat.
const KINDS: [&str; 9] = [
    "demo-8gb",
    "samsung-850-pro-256gb",
    "sandisk-ultra-ii-240gb",
    "sandisk-ultra-ii-480gb",
    "crucial-mx200-250gb",
    "intel-ssd-750-400gb",
    "samsung-sm951-ahci-256gb",
    "toshiba-q300-pro-256gb",
    "wd-blue-3d-500gb",
];

#[test]
fn a_drive_that_was_saved_goes_on_as_if_it_had_not_been() {
    let shipped = KINDS.map(sixteenth).into_iter();
    for (model, requests) in shipped
        .map(|model| (model, 1_000))
        .chain([(small(), 4_000)])
    {
        let mut drive = SimDrive::new(&model.spec());
        load(&mut drive, 1, requests);
        let (read, mut kept) = state::read(&bytes(&model, &drive)[..], "it").unwrap();
        assert_eq!(
            (&read.name, read.fingerprint),
            (&model.name, model.fingerprint)
        );
        assert_eq!(kept.trace_hash(), drive.trace_hash());
        let seen = load(&mut drive, 2, requests);
        assert_eq!(load(&mut kept, 2, requests), seen, "{}", model.name);
        assert_eq!(kept.trace_hash(), drive.trace_hash());
        assert_eq!(kept.counters(), drive.counters());
        // The stored bytes depend on the drive alone, not on how it was made.
        assert_eq!(bytes(&model, &kept), bytes(&model, &drive));
    }
}

#[test]
fn a_drive_is_saved_in_the_middle_of_its_work() {
    let model = small();
    let mut drive = SimDrive::new(&model.spec());
    for tag in 0..24 {
        drive.submit(Request {
            tag,
            op: Op::Write,
            offset_bytes: u64::from(tag) << 20,
            len_bytes: 1 << 20,
            ..Request::default()
        });
    }
    drive.advance(SimTime(1_000_000));
    let (_, mut kept) = state::read(&bytes(&model, &drive)[..], "it").unwrap();
    let rest = |drive: &mut SimDrive| {
        let rest: Vec<Completion> =
            std::iter::from_fn(|| drive.advance(SimTime(10_000_000_000))).collect();
        (rest, drive.trace_hash())
    };
    let expected = rest(&mut drive);
    assert!(expected.0.len() > 10, "most of it was still under way");
    assert_eq!(rest(&mut kept), expected);
}

#[test]
fn what_the_user_has_set_is_saved() {
    let model = small();
    let mut drive = SimDrive::new(&model.spec());
    let bytes_less = drive.capacity_bytes() - (4 << 20);
    drive.service().set_user_bytes(bytes_less).unwrap();
    drive.service().set_write_cache(false);
    let (_, kept) = state::read(&bytes(&model, &drive)[..], "it").unwrap();
    assert_eq!(kept.capacity_bytes(), bytes_less);
    assert_eq!(kept.native_bytes(), model.spec().user_bytes);
    assert!(!kept.spec().host.write_cache);
}

#[test]
fn damage_is_found_wherever_it_is() {
    let model = small();
    let mut drive = SimDrive::new(&model.spec());
    load(&mut drive, 1, 300);
    let good = bytes(&model, &drive);
    let places = |step| {
        (0..24)
            .chain((24..good.len()).step_by(step))
            .chain(good.len() - 40..good.len())
    };
    for len in places(127) {
        let error = refused(&good[..len]);
        match len {
            0 => assert!(matches!(error, StateError::Foreign), "{len}: {error}"),
            _ => assert!(matches!(error, StateError::Damaged(_)), "{len}: {error}"),
        }
    }
    for place in places(251) {
        let mut bad = good.clone();
        bad[place] ^= 0x10;
        let error = refused(&bad);
        match place {
            0..12 => assert!(matches!(error, StateError::Foreign), "{place}: {error}"),
            12..16 => assert!(
                matches!(error, StateError::Version { .. }),
                "{place}: {error}"
            ),
            _ => assert!(matches!(error, StateError::Damaged(_)), "{place}: {error}"),
        }
    }
    let longer = [&good[..], b"x"].concat();
    assert!(matches!(refused(&longer), StateError::Damaged(_)));
}

#[test]
fn other_files_and_other_formats_are_told_apart() {
    assert!(matches!(
        refused(b"[global]\nrw=read\n"),
        StateError::Foreign
    ));
    let newer = [&MAGIC[..], &(VERSION + 1).to_le_bytes(), b"whatever"].concat();
    let error = refused(&newer);
    assert!(matches!(error, StateError::Version { found } if found == VERSION + 1));
    assert!(state::is_state(MAGIC));
    assert!(state::is_state(b"stend"));
    assert!(!state::is_state(b""));
    assert!(!state::is_state(b"stend.review/1"));
}

/// Fails when the stored structures change: then raise [`VERSION`] and update the pair here.
#[test]
fn every_format_has_a_version_of_its_own() {
    let drive = SimDrive::new(&common::plain(12, 8, 1024));
    let bytes = postcard::to_stdvec(&drive).unwrap();
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    assert_eq!((VERSION, hash), (29, 13986395282917769733));
}

#[test]
fn a_model_that_does_not_fit_the_drive_is_noticed() {
    let model = small();
    let drive = SimDrive::new(&common::plain(12, 8, 1024));
    let error = refused(&bytes(&model, &drive));
    assert!(matches!(error, StateError::Model(_)), "{error}");
}
