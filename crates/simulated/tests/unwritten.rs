//! Reads of space without data during jobs.

use stend_load::{JobFile, RunOptions};
use stend_model::Model;
use stend_simulated::SimulatedTarget;

fn unwritten_reads(target: &mut SimulatedTarget, job: &str) -> u64 {
    let file = JobFile::parse(&format!("[j]\n{job}\n")).unwrap();
    let result = target.run_file_noting_unwritten(&file, &RunOptions::default());
    result.unwrap().1
}

#[test]
fn reads_are_noted_until_all_is_written_and_after_a_trim() {
    let mut target = SimulatedTarget::new(Model::shipped("demo-8gb").expect("it is shipped"));
    let mut run = |job: &str| unwritten_reads(&mut target, job);
    assert_eq!(run("rw=read\nbs=64k\nsize=1m"), 16);
    assert_eq!(run("rw=write\nbs=128k\nsize=50%"), 0);
    assert_eq!(run("rw=read\nbs=64k\nsize=1m"), 0);
    assert_eq!(run("rw=read\nbs=64k\nsize=1m\noffset=7g"), 16);
    assert_eq!(run("rw=write\nbs=128k"), 0);
    assert_eq!(run("rw=read\nbs=64k\nsize=1m\noffset=7g"), 0);
    // A job of the same file trims what another reads.
    let trimmed = "rw=trim\nbs=1m\nsize=1m\noffset=4g\n\
                   [r]\nstonewall\nrw=read\nbs=64k\nsize=1m\noffset=4g";
    assert_eq!(run(trimmed), 16);
    assert_eq!(run("rw=write\nbs=128k\nsize=1m\noffset=4g"), 0);
    // What was trimmed holds no data, whether it is unmapped at once or later.
    assert_eq!(run("rw=trim\nbs=1m\nsize=1m"), 0);
    assert_eq!(run("rw=read\nbs=64k\nsize=2m"), 16);
}
