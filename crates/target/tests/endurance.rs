//! Jobs until a device refuses, and what targets tell of their health.

use crate::common;

use common::{MIB, have, sized};
use stend_drive::Model;
use stend_target::real::open;
use stend_target::{JobRequest, SimulatedTarget, Target, WriteLimit};

const DEMO: &str = include_str!("../../../drives/demo-8gb.toml");

fn model(cycles: u32) -> Model {
    let mut text = DEMO
        .replace(
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
        );
    text += "\n[health]\n";
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
    let ended = target.run_until_refused(&request(&text)).unwrap();
    assert_eq!(ended.errno, Some(5));
    let took = ended.job.fio.jobs[0].write.io_bytes;
    assert!(took > 3 * 64 * MIB && took < 30 * 64 * MIB, "{took}");
    let health = target.health().unwrap();
    assert_eq!(health.read_only, Some(true));
    assert_eq!(health.spare_percent, Some(0));
    assert!(health.host_written_bytes >= Some(took));
    // The same job is a failure where it is not meant to end so.
    let error = target.run(&request(&text)).unwrap_err().to_string();
    assert!(error.contains("error 5"), "{error}");
    // And what it holds can be read.
    let read = "[r]\nrw=read\nbs=128k\niodepth=32\ncontinue_on_error=read\n";
    let read = target.run_until_refused(&request(read)).unwrap();
    assert_eq!(
        (read.errno, read.job.fio.jobs[0].read.io_bytes),
        (None, 64 * MIB)
    );
}

#[test]
fn a_drive_without_an_end_says_so() {
    let target = SimulatedTarget::new(Model::shipped("demo-8gb").unwrap());
    assert_eq!(target.write_limit(), WriteLimit::NeverRefuses);
    assert_eq!(target.rated_bytes(), None);
}

#[test]
fn a_file_takes_exactly_what_is_asked_and_has_no_health() {
    if !have(&["fio"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut target = open(&dir.path().join("t.bin"), &sized(64 * MIB)).unwrap();
    assert_eq!(target.write_limit(), WriteLimit::AsStated);
    assert!(
        target
            .health()
            .unwrap_err()
            .contains("a file has no health")
    );
    // Less than the range, all of it, and more: from its beginning again.
    for bytes in [3 * 131_072, 64 * MIB, 2 * 64 * MIB, 64 * MIB + 131_072] {
        for load in ["rw=write", "rw=randwrite\nnorandommap"] {
            let text = write(bytes).replace("rw=write", load);
            let ended = target.run_until_refused(&request(&text)).unwrap();
            assert_eq!(ended.errno, None);
            assert_eq!(ended.job.fio.jobs[0].write.io_bytes, bytes, "{load}");
        }
    }
}
