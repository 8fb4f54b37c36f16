//! A small drive, tests for it, and rows with questions about their figures.

#![allow(dead_code, reason = "every test file uses a part of it")]

use stend_experiment::Threads;
use stend_fit::compare::{Comparing, Comparison, compare};
use stend_fit::{Measured, Outcome};
use stend_model::Model;

/// File of the demonstration drive.
pub const DEMO: &str = include_str!("../../../../drives/demo-8gb.toml");

/// States and tests.
pub const JOBS: &str = r#"schema = "stend.measured/1"
[[state]]
id = "new"
title = "new"
source = "s"
used_bytes = 0
[[state]]
id = "used-1gb"
title = "1 GB written"
source = "s"
used_bytes = 1_000_000_000
steps = [{ job = "[d]\nrw=write\nbs=128k\niodepth=32\nsize={used}\n" }, { rest_s = 1 }]
[[state]]
id = "free-1gb"
title = "all but 1 GB written"
source = "s"
free_bytes = 1_000_000_000
steps = [{ job = "[d]\nrw=write\nbs=128k\niodepth=32\n" }, "trim_free", { rest_s = 1 }]
[[state]]
id = "free-10gb"
title = "all but 10 GB written"
source = "s"
free_bytes = 10_000_000_000
[[state]]
id = "write-cache-off"
title = "write cache off"
source = "s"
used_bytes = 0
steps = ["write_cache_off"]

[[test]]
id = "t"
title = "t"
source = "s"
[[test.part]]
id = "read-used"
do = { job = "[r]\nrw=randread\nbs=4k\noffset=0\nsize=64m\nio_size=4m\n" }
[[test.part]]
id = "read-free"
do = { job = "[r]\nrw=randread\nbs=4k\noffset={free}\nsize=512m\nio_size=4m\nnorandommap\n" }
[[test.part]]
id = "write"
do = { job = "[j]\nrw=randwrite\nbs=4k\niodepth=4\noffset={free}\nsize=64m\n" }
sample_ms = 10
[[test.part]]
id = "think"
do = { job = "[r]\nrw=randread\nbs=4k\nthinktime=100\noffset={free}\nsize=4m\n" }
[[test.figure]]
id = "think-lat"
metric = "reads"
part = "think"
take = "latency-mean"
[[test.figure]]
id = "think-period"
metric = "reads"
part = "think"
take = "period"
[[test.figure]]
id = "iops"
metric = "writes"
part = "write"
take = "iops"
[[test.figure]]
id = "bw"
metric = "writes"
part = "write"
take = "bandwidth"
[[test.figure]]
id = "lat"
metric = "writes"
part = "write"
take = "latency-mean"
[[test.figure]]
id = "power"
metric = "power"
part = "write"
take = "power"
[[test.figure]]
id = "step"
metric = "step"
part = "write"
take = "step-bytes"
[[test.figure]]
id = "read-used"
metric = "reads"
part = "read-used"
take = "latency-mean"
[[test.figure]]
id = "read-free"
metric = "reads"
part = "read-free"
take = "latency-mean"
"#;

/// The demonstration drive.
pub fn demo() -> Model {
    Model::shipped("demo-8gb").unwrap()
}

/// The demonstration drive with an energy table.
pub fn with_energy() -> Model {
    let keys = [
        ("read_nj", 100),
        ("program_nj", 1000),
        ("erase_nj", 1000),
        ("slc_read_nj", 100),
        ("slc_program_nj", 500),
        ("slc_erase_nj", 1000),
        ("bus_byte_pj", 10),
        ("core_busy_mw", 300),
        ("core_idle_mw", 100),
        ("link_active_mw", 150),
        ("link_idle_mw", 50),
        ("dram_mw", 200),
    ];
    let lines = keys.map(|(key, value)| format!("{key} = {{ value = {value}, source = \"s\" }}\n"));
    Model::parse(
        &format!("{DEMO}\n[energy]\n{}", lines.concat()),
        "energy.toml",
    )
    .unwrap()
}

fn published(rows: &str) -> String {
    format!(
        "schema = \"stend.measured/1\"\n[[published]]\ndrive = \"Demo\"\nmodel = \"demo-8gb\"\n\
         source = \"s\"\ntest = \"t\"\nrows = [\n{rows}\n]\n"
    )
}

/// Rows of the demonstration drive.
pub fn measured(rows: &str) -> Measured {
    Measured::parse(&[("t.toml", JOBS), ("r.toml", &published(rows))]).unwrap()
}

/// Errors in rows.
pub fn errors(rows: &str) -> String {
    let measured = Measured::parse(&[("t.toml", JOBS), ("r.toml", &published(rows))]);
    measured.unwrap_err().to_string()
}

/// Compares all rows, with the shipped models.
pub fn compared(measured: &Measured) -> Comparison {
    compared_by(Threads::default(), measured)
}

/// Compares all rows, with the shipped models, on a number of threads.
pub fn compared_by(threads: Threads, measured: &Measured) -> Comparison {
    compare(
        measured,
        &Comparing {
            model: &Model::shipped,
            only: &|_| true,
            seed: 1,
            threads,
            progress: &|_, _| (),
        },
    )
}

/// Outcome of a row.
pub fn outcome(row: &str) -> Outcome {
    compared(&measured(row)).rows.remove(0).1
}

/// Compares all rows, with models from `model`.
pub fn compared_with(measured: &Measured, model: &dyn Fn(&str) -> Option<Model>) -> Comparison {
    compare(
        measured,
        &Comparing {
            model,
            only: &|_| true,
            seed: OPTIONS_SEED,
            threads: Threads::default(),
            progress: &|_, _| (),
        },
    )
}

/// Seed of fits; figures for them are computed with the same seed.
pub const OPTIONS_SEED: u64 = 3;
