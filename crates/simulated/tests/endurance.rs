//! Jobs that run until a drive refuses, and the health that the drive reports.

use stend_load::target::{JobRequest, Observer, Target, WriteLimit};
use stend_model::Model;
use stend_record::endurance::Health;
use stend_simulated::SimulatedTarget;

/// Number of bytes in a MiB.
const MIB: u64 = 1 << 20;

const DEMO: &str = include_str!("../../../drives/demo-8gb.toml");

fn small() -> String {
    DEMO.replace(
        "user_bytes = { value = 8000000000",
        "user_bytes = { value = 67108864",
    )
    .replace(
        "blocks_per_plane = { value = 860",
        "blocks_per_plane = { value = 30",
    )
    .replace(
        "blocks_per_plane = { value = 110",
        "blocks_per_plane = { value = 20",
    )
}

/// Model with these figures, and a life of `cycles` unless its blocks have their own.
fn model(cycles: u32) -> Model {
    let mut text = small() + "\n[health]\n";
    for (key, value) in [
        ("protocol", "\"nvme\"".to_owned()),
        ("rated_cycles", cycles.to_string()),
        ("end_of_life_cycles", cycles.to_string()),
        ("spare_superblocks", "0".to_owned()),
        ("spare_threshold_percent", "0".to_owned()),
        ("rated_written_tb", "150".to_owned()),
    ] {
        text += &format!("{key} = {{ value = {value}, source = \"assumed: test\" }}\n");
    }
    Model::parse(&text, "mortal.toml").unwrap_or_else(|error| panic!("{error}"))
}

/// Model whose blocks end after about `cycles`; one program in 5,000 fails.
fn of_blocks(cycles: u32) -> Model {
    let mut text = small() + "\n[blocks]\n";
    for (key, value) in [
        ("enabled", "true".to_owned()),
        ("life_cycles", cycles.to_string()),
        ("slc_life_cycles", cycles.to_string()),
        ("life_spread_percent", "15".to_owned()),
        ("spare_blocks_per_die", "12".to_owned()),
        ("program_failure_ppb", "200_000".to_owned()),
        ("seed", "7".to_owned()),
    ] {
        text += &format!("{key} = {{ value = {value}, source = \"assumed: test\" }}\n");
    }
    Model::parse(&text, "blocks.toml").unwrap_or_else(|error| panic!("{error}"))
}

fn write(io_size: u64) -> String {
    format!("[w]\nrw=write\nbs=128k\niodepth=32\nsize=64m\nio_size={io_size}\n")
}

fn request(text: &str) -> JobRequest<'_> {
    JobRequest {
        text,
        seed: 1,
        sample_ms: 0,
    }
}

#[test]
fn a_worn_out_simulated_drive_yields_what_it_took() {
    let mut target = SimulatedTarget::new(model(3));
    assert_eq!(target.write_limit(), WriteLimit::UntilRefused);
    assert_eq!(target.rated_bytes(), Some(150_000_000_000_000));
    let text = write(100 * 64 * MIB);
    let ended = target
        .run_observed(&request(&text), Observer::until_refused())
        .unwrap();
    assert_eq!(ended.refused_errno, Some(5));
    let took = ended.fio.jobs[0].write.io_bytes;
    assert!(took > 3 * 64 * MIB && took < 30 * 64 * MIB, "{took}");
    let health = target.health().unwrap();
    assert_eq!(health.read_only, Some(true));
    assert_eq!(health.spare_percent, Some(0));
    assert!(health.host_written_bytes >= Some(took));
    // The same job fails if it is not meant to end this way.
    let error = target.run(&request(&text)).unwrap_err().to_string();
    assert!(error.contains("error 5"), "{error}");
    // The data on the drive can still be read.
    let read = "[r]\nrw=read\nbs=128k\niodepth=32\ncontinue_on_error=read\n";
    let read = target
        .run_observed(&request(read), Observer::until_refused())
        .unwrap();
    assert_eq!(
        (read.refused_errno, read.fio.jobs[0].read.io_bytes),
        (None, 64 * MIB)
    );
}

#[test]
fn failed_programs_and_erases_are_told_apart_where_they_were_simulated() {
    let mut target = SimulatedTarget::new(of_blocks(40));
    let text = write(64 * MIB);
    let mut repeated = 0;
    loop {
        target.round_begins();
        if target
            .run_observed(&request(&text), Observer::until_refused())
            .unwrap()
            .refused_errno
            .is_some()
        {
            break;
        }
        let before = target.health().unwrap();
        repeated += target.repeat_round(3);
        let after = target.health().unwrap();
        // For blocks that go bad meanwhile, the cause is unknown.
        let fails = |h: &Health| (h.program_fails, h.erase_fails);
        assert_eq!(fails(&before), fails(&after));
    }
    assert!(repeated > 0);
    let health = target.health().unwrap();
    let (programs, erases) = (health.program_fails.unwrap(), health.erase_fails.unwrap());
    let bad = health.retired_blocks.unwrap();
    assert!(
        programs > 0 && erases > 0 && programs + erases <= bad,
        "{health:?}"
    );

    // If everything is simulated, the failures add up to all bad blocks.
    let mut target = SimulatedTarget::new(of_blocks(40));
    let life = write(1000 * 64 * MIB);
    assert_eq!(
        target
            .run_observed(&request(&life), Observer::until_refused())
            .unwrap()
            .refused_errno,
        Some(5)
    );
    let health = target.health().unwrap();
    let sum = health.program_fails.unwrap() + health.erase_fails.unwrap();
    assert_eq!(Some(sum), health.retired_blocks, "{health:?}");
    // Without blocks or errors of the flash in the model, their figures are missing.
    let health = SimulatedTarget::new(model(3)).health().unwrap();
    assert_eq!((health.program_fails, health.erase_fails), (None, None));
    assert_eq!((health.read_retries, health.rebuilt_pages), (None, None));
}

#[test]
fn a_drive_without_an_end_says_so() {
    let target = SimulatedTarget::new(Model::shipped("demo-8gb").unwrap());
    assert_eq!(target.write_limit(), WriteLimit::NeverRefuses);
    assert_eq!(target.rated_bytes(), None);
}
