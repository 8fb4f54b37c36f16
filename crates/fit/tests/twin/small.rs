//! A small drive, an edition for it, and its review.

use stend_fit::twin::parts::Part;
use stend_method::{Edition, ReviewOptions, run_review};
use stend_model::Model;
use stend_record::review::Review;
use stend_simulated::SimulatedTarget;

const EDITION: &str = r#"
schema = "stend.edition/1"
id = "small"
title = "small"
percentiles = [50, 90, 95, 99, 99.9, 99.99, 99.999]
pause_s = 1
region_bytes = 1_073_741_824

[[state]]
id = "filled"
title = "filled"
steps = [
    "trim",
    { fill = { block_bytes = 131_072, queue_depth = 32, region_bytes = 1_073_741_824 } },
    { idle = { duration_s = 60 } },
]

[[test]]
id = "random"
title = "random"
method = "random"
[[test.sweep]]
op = "read"
state = "filled"
pattern = "random"
block_bytes = [4096]
queue_depth = [1, 32]
threads = 1
duration_s = 1
[[test.sweep]]
op = "write"
state = "filled"
pattern = "random"
block_bytes = [4096]
queue_depth = [1, 2, 4, 8, 32]
threads = 1
duration_s = 1

[[test]]
id = "mixed"
title = "mixed"
method = "mixed"
[[test.sweep]]
op = "mixed"
state = "filled"
pattern = "random"
block_bytes = [4096]
queue_depth = [4]
threads = 1
read_percent = [50]
duration_s = 1

[[test]]
id = "blocks"
title = "blocks"
method = "blocks"
[[test.sweep]]
op = "read"
state = "filled"
pattern = "random"
block_bytes = [4096, 16_384, 65_536]
queue_depth = [4]
threads = 1
duration_s = 1

[[test]]
id = "curve"
title = "curve"
method = "curve"
[test.curve]
name = "fresh"
op = "write"
state = "filled"
pattern = "random"
block_bytes = 4096
queue_depth = 32
threads = 1
duration_s = 20
sample_ms = 1000

[[test]]
id = "sync"
title = "sync"
method = "sync"
[[test.sync]]
state = "filled"
pattern = "random"
block_bytes = [4096]
threads = [1]
sync = "fsync"
every = [1]
region_bytes = 1_073_741_824
duration_s = 1
"#;

/// The reviewed drive.
pub fn model() -> Model {
    // Its dies schedule like those of products, which is assumed for a twin.
    let scheduling =
        "\n[scheduling]\npolicy = { value = \"credits\", source = \"assumed: usual\" }\n";
    let demo = Model::shipped("demo-8gb").unwrap();
    Model::parse(&(demo.text + scheduling), "small.toml").unwrap()
}

/// The edition.
pub fn edition() -> Edition {
    Edition::parse(EDITION, "small.toml").unwrap()
}

/// The review of a model.
pub fn review_of(model: Model) -> Review {
    let options = ReviewOptions {
        threads: 2,
        ..ReviewOptions::default()
    };
    let target = Box::new(SimulatedTarget::new(model));
    run_review(target, &edition(), &options, &|_| {}).unwrap()
}

/// The user's knowledge of the drive: flash and controller.
pub fn parts() -> Vec<Part> {
    let flash = r#"
        schema = "stend.part/2"
        [nand]
        generation = { value = "planar TLC", source = "s" }
        dies = { value = 4, source = "s" }
        planes = { value = 2, source = "s" }
        page_kib = { value = 16, source = "s" }
        pages_per_block = { value = 96, source = "s" }
        read_us = { value = [70.0, 70.0, 70.0], source = "s" }
        program_us = { value = [1800.0, 1800.0, 1800.0], source = "s" }
        erase_us = { value = 5000.0, source = "s" }
        bus_mb_per_s = { value = 400, source = "s" }
        bus_overhead_ns = { value = 300, source = "s" }
        [slc_cache]
        pages_per_block = { value = 32, source = "s" }
        read_us = { value = 40.0, source = "s" }
        program_us = { value = 400.0, source = "s" }
        erase_us = { value = 5000.0, source = "s" }
    "#;
    let controller = r#"
        schema = "stend.part/2"
        [nand]
        channels = { value = 2, source = "s" }
        [controller]
        name = { value = "demonstration", source = "s" }
        cores = { value = 1, source = "s" }
        assignment = { value = "shared", source = "s" }
        [dram]
        write_buffer_kib = { value = 256, source = "s" }
    "#;
    [("flash.toml", flash), ("controller.toml", controller)]
        .map(|(name, text)| Part::parse(name, text).unwrap())
        .to_vec()
}
