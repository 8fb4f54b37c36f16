//! Blocks that go bad one by one, observed by a host that writes until the drive refuses.

use stend_base::{Device, Op, Request, Rng, SimTime, Status};
use stend_drive::SimDrive;
use stend_model::{Model, SHIPPED};

/// The demonstration drive with 40 blocks per plane instead of 860, so that its life is short.
/// Lives of blocks vary by `spread_percent`; each die has `spare_blocks`.
fn drive(spread_percent: u32, spare_blocks: u32) -> SimDrive {
    let demo = SHIPPED.iter().find(|s| s.name == "demo-8gb");
    let mut text = demo.expect("it is shipped").text.to_string();
    for (from, to) in [
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
    ] {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    text += "\n[blocks]\n";
    for (key, value) in [
        ("enabled", "true".to_string()),
        ("life_cycles", "60".to_string()),
        ("life_spread_percent", spread_percent.to_string()),
        ("spare_blocks_per_die", spare_blocks.to_string()),
        ("seed", "2".to_string()),
    ] {
        text += &format!("{key} = {{ value = {value}, source = \"assumed: for a test\" }}\n");
    }
    let model = Model::parse(&text, "small.toml").expect("it fits the model");
    SimDrive::new(&model.spec())
}

/// Writes random 64 KiB, one request after another, until one is refused, and checks that
/// everything can still be read. Returns GB written (10^9 bytes).
fn written_until_refused(mut drive: SimDrive) -> f64 {
    let mut rng = Rng::stream(7, "blocks");
    let blocks = drive.capacity_bytes() >> 16;
    let mut send = |op: Op, rng: &mut Rng| {
        drive.submit(Request {
            op,
            offset_bytes: rng.below(blocks) << 16,
            len_bytes: 1 << 16,
            ..Request::default()
        });
        drive.advance(SimTime::NEVER).expect("it ends").status
    };
    let mut written = 0_u64;
    while send(Op::Write, &mut rng) == Status::Ok {
        written += 1 << 16;
    }
    assert_eq!(send(Op::Write, &mut rng), Status::WriteProtected);
    for _ in 0..1_000 {
        assert_eq!(send(Op::Read, &mut rng), Status::Ok);
    }
    written as f64 / 1e9
}

#[test]
fn unequal_blocks_end_a_drive_early_and_spare_ones_put_it_off() {
    let life = |spread, spares| written_until_refused(drive(spread, spares));
    let equal = life(0, 0);
    // A die with n spare blocks ends with the n + 1st failure among its 40 blocks of the data area,
    // because spare blocks are fresh; the drive ends with the first of its four dies. For normal
    // deviates, these order statistics are 2.67, 1.47 and 0.70 below zero (Blom's approximation),
    // and lives are e^(0.15 z) of the median.
    for (spares, share) in [(0, 0.67), (4, 0.80), (12, 0.90)] {
        let got = life(15, spares) / equal;
        println!("{spares} spare blocks a die: {got} of {equal} GB");
        assert!((got - share).abs() < 0.04, "{spares}: {got}");
    }
    // Spare blocks hardly help equal blocks, because these all fail together.
    let equal_spared = life(0, 4);
    assert!(equal_spared < 1.1 * equal, "{equal_spared}");
}
