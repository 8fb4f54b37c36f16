//! The optional tables of a drive file: the resulting figures, and messages about mistakes.

use crate::testing::figures;

use stend_base::Nanos;
use stend_model::Model;
use stend_model::spec::Throttle;

const DEMO: &str = include_str!("../../../drives/demo-8gb.toml");

const TABLES: &str = r#"
[energy]
read_nj = 10000
program_nj = 150000
erase_nj = 400000
slc_read_nj = 6000
slc_program_nj = 60000
slc_erase_nj = 300000
bus_byte_pj = 30
core_busy_mw = 400
core_idle_mw = 150
link_active_mw = 300
link_idle_mw = 120
dram_mw = 100

[[idle_states]]
name = "slumber"
delay_ms = 100
power_mw = 50
entry_us = 10
exit_us = 9000
waits_for_idle_work = true

[[idle_states]]
name = "DevSleep"
delay_ms = 5000
power_mw = 3
entry_us = 700
exit_us = 20000
waits_for_idle_work = false

[thermal]
ambient_c = 25.5
resistance_k_per_w = 12.5
capacity_j_per_k = 30.0
step_ms = 50
warning_c = 70.0
critical_c = 80.0
throttle = "stepwise"
period_us = 2000
steps_c = [70.0, 75.0]
steps_percent = [50.0, 12.5]
hysteresis_k = 5.0
limit_c = 70.0
band_k = 4.0
least_percent = 2.0

[health]
protocol = "ata"
rated_cycles = 1000
end_of_life_cycles = 3000
slc_end_of_life_cycles = 50000
spare_superblocks = 4
spare_threshold_percent = 10

[[health.attributes]]
id = 241
name = "Total_LBAs_Written"
raw = "host_written_sectors"
value = "full"
thresh = 0
flags = 50
"#;

/// The demonstration drive with these tables, or its errors.
fn parse(tables: &str) -> Result<Model, String> {
    let model = Model::parse(&format!("{DEMO}{}", figures(tables)), "m.toml");
    model.map_err(|error| error.to_string())
}

#[test]
fn figures_come_to_whole_numbers() {
    let spec = parse(TABLES).expect("it is sound").spec();
    let energy = spec.energy.expect("it has the table");
    // Two planes; nJ as pJ.
    assert_eq!(energy.read_pj, [6_000_000, 10_000_000], "of one plane");
    assert_eq!(energy.program_pj, [120_000_000, 300_000_000]);
    assert_eq!(energy.erase_pj, [600_000_000, 800_000_000]);
    let apart = format!("{TABLES}\n[nand_commands]\nmulti_plane = false\n");
    let apart = parse(&apart).expect("it is sound").spec();
    let apart = apart.energy.expect("it has the table");
    assert_eq!(apart.read_pj, energy.read_pj);
    assert_eq!(apart.program_pj, [60_000_000, 150_000_000]);
    assert_eq!(apart.erase_pj, [300_000_000, 400_000_000]);
    let [slumber, devsleep] = &spec.idle_states[..] else {
        panic!("{:?}", spec.idle_states);
    };
    assert_eq!(slumber.exit, Nanos::from_millis(9));
    assert!(slumber.waits_for_idle_work && !devsleep.waits_for_idle_work);
    assert_eq!(devsleep.delay, Nanos::from_secs(5));
    let thermal = spec.thermal.expect("it has the table");
    assert_eq!(thermal.ambient_mc, 25_500);
    assert_eq!(thermal.resistance_mk_per_w, 12_500);
    assert_eq!(thermal.capacity_mj_per_k, 30_000);
    let steps = Throttle::Stepwise {
        steps: vec![(70_000, 500_000), (75_000, 125_000)],
        hysteresis_mk: 5_000,
    };
    assert_eq!(thermal.throttle, steps);
    let model = parse(&TABLES.replace("\"stepwise\"", "\"gradual\"")).expect("it is sound");
    let expected = Throttle::Gradual {
        limit_mc: 70_000,
        band_mk: 4_000,
        least_ppm: 20_000,
    };
    assert_eq!(model.spec().thermal.expect("it has one").throttle, expected);
    let health = spec.health.expect("it has the table");
    assert_eq!(health.end_of_life_cycles, [50_000, 3_000]);
    assert_eq!(health.rated_cycles, [u32::MAX, 1_000]);
}

#[test]
fn without_the_tables_there_is_nothing() {
    let spec = parse("").expect("the shipped model").spec();
    assert!(spec.energy.is_none() && spec.idle_states.is_empty());
    assert!(spec.thermal.is_none() && spec.health.is_none());
}

/// A line of [`TABLES`], its replacement, the key of the error, and a part of the message.
const MISTAKES: [(&str, &str, &str, &str); 14] = [
    (
        "core_busy_mw = 400",
        "core_busy_mw = 149",
        "energy.core_busy_mw",
        "at least energy.core_idle_mw = 150",
    ),
    (
        "link_idle_mw = 120",
        "link_idle_mw = 301",
        "energy.link_active_mw",
        "at least",
    ),
    (
        "= 150000",
        "= 2000000000",
        "energy.program_nj",
        "1000000000",
    ),
    ("= 5000", "= 100", "idle_states.delay_ms", "after 100 ms"),
    ("exit_us", "exit_s", "idle_states.exit_s", "exit_us"),
    ("stepwise", "steps", "thermal.throttle", "stepwise, gradual"),
    (
        "hysteresis_k = 5.0\n",
        "",
        "thermal.throttle",
        "thermal.hysteresis_k",
    ),
    ("[70.0, 75.0]", "[70.0, 70.0]", "thermal.steps_c", "rise"),
    (
        "[70.0, 75.0]",
        "[70.0]",
        "thermal.steps_c",
        "1 temperatures for 2 shares",
    ),
    ("12.5]", "0.0]", "thermal.steps_percent", "0.1 to 100"),
    (
        "host_written_sectors",
        "lbas",
        "health.attributes.raw",
        "host_written_gib",
    ),
    ("full", "most", "health.attributes.value", "life_left"),
    ("\"ata\"", "\"scsi\"", "health.protocol", "ata, nvme"),
    (
        "spare_superblocks = 4",
        "spare_superblocks = 400",
        "capacity.user_bytes",
        "spare keep 413 superblocks",
    ),
];

/// Asserts that there is one error, with a line, for this key, that contains this text.
#[track_caller]
fn assert_refused(model: Result<Model, String>, key: &str, part: &str) {
    let error = model.expect_err(key);
    let after_file = error.strip_prefix("m.toml:");
    let (line, rest) = after_file
        .and_then(|error| error.split_once(": "))
        .unwrap_or_else(|| panic!("{error}"));
    assert!(line.parse::<usize>().is_ok_and(|n| n > 1), "{error}");
    assert!(rest.starts_with(&format!("{key}: ")), "{error}");
    assert!(rest.contains(part), "{error}");
}

#[test]
fn mistakes_are_told_with_line_and_key() {
    for (from, to, key, part) in MISTAKES {
        assert!(TABLES.contains(from), "{from}");
        assert_refused(parse(&TABLES.replacen(from, to, 1)), key, part);
    }
    let sourceless = figures(TABLES).replacen(
        "rated_cycles = { value = 1000, source = \"assumed\"",
        "rated_cycles = { value = 1000, source = \"\"",
        1,
    );
    let model = Model::parse(&format!("{DEMO}{sourceless}"), "m.toml");
    let model = model.map_err(|error| error.to_string());
    assert_refused(model, "health.rated_cycles", "source");
    // Heat needs energy.
    let (_, heat) = TABLES.split_once("[thermal]").expect("it is there");
    let model = parse(&format!("[thermal]{heat}"));
    assert_refused(model, "thermal.step_ms", "[energy]");
}
