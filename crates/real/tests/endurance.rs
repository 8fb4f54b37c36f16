//! Files that are written until no bytes are left to write.

use crate::common;

use common::{MIB, have, sized};
use stend_load::target::{JobRequest, Observer, Target, WriteLimit};
use stend_real::open;

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
    // Less than the range, the whole range, and more: starting again at its beginning.
    for bytes in [3 * 131_072, 64 * MIB, 2 * 64 * MIB, 64 * MIB + 131_072] {
        for load in ["rw=write", "rw=randwrite\nnorandommap"] {
            let text = write(bytes).replace("rw=write", load);
            let ended = target
                .run_observed(&request(&text), Observer::until_refused())
                .unwrap();
            assert_eq!(ended.refused_errno, None);
            assert_eq!(ended.fio.jobs[0].write.io_bytes, bytes, "{load}");
        }
    }
}
