//! The optional tables of a drive file: what they come to, and what is said of mistakes.

use stend_base::Nanos;
use stend_drive::Model;
use stend_drive::spec::Throttle;

const DEMO: &str = include_str!("../../../drives/demo-8gb.toml");

const TABLES: &str = r#"
[energy]
read_nj = { value = 10000, source = "assumed: test" }
program_nj = { value = 150000, source = "assumed: test" }
erase_nj = { value = 400000, source = "assumed: test" }
slc_read_nj = { value = 6000, source = "assumed: test" }
slc_program_nj = { value = 60000, source = "assumed: test" }
slc_erase_nj = { value = 300000, source = "assumed: test" }
bus_byte_pj = { value = 30, source = "assumed: test" }
core_busy_mw = { value = 400, source = "assumed: test" }
core_idle_mw = { value = 150, source = "assumed: test" }
link_active_mw = { value = 300, source = "assumed: test" }
link_idle_mw = { value = 120, source = "assumed: test" }
dram_mw = { value = 100, source = "assumed: test" }

[[idle_states]]
name = { value = "slumber", source = "assumed: test" }
delay_ms = { value = 100, source = "assumed: test" }
power_mw = { value = 50, source = "assumed: test" }
entry_us = { value = 10, source = "assumed: test" }
exit_us = { value = 9000, source = "assumed: test" }
waits_for_idle_work = { value = true, source = "assumed: test" }

[[idle_states]]
name = { value = "DevSleep", source = "assumed: test" }
delay_ms = { value = 5000, source = "assumed: test" }
power_mw = { value = 3, source = "assumed: test" }
entry_us = { value = 700, source = "assumed: test" }
exit_us = { value = 20000, source = "assumed: test" }
waits_for_idle_work = { value = false, source = "assumed: test" }

[thermal]
ambient_c = { value = 25.5, source = "assumed: test" }
resistance_k_per_w = { value = 12.5, source = "assumed: test" }
capacity_j_per_k = { value = 30.0, source = "assumed: test" }
step_ms = { value = 50, source = "assumed: test" }
warning_c = { value = 70.0, source = "assumed: test" }
critical_c = { value = 80.0, source = "assumed: test" }
throttle = { value = "stepwise", source = "assumed: test" }
period_us = { value = 2000, source = "assumed: test" }
steps_c = { value = [70.0, 75.0], source = "assumed: test" }
steps_percent = { value = [50.0, 12.5], source = "assumed: test" }
hysteresis_k = { value = 5.0, source = "assumed: test" }
limit_c = { value = 70.0, source = "assumed: test" }
band_k = { value = 4.0, source = "assumed: test" }
least_percent = { value = 2.0, source = "assumed: test" }

[health]
protocol = { value = "ata", source = "assumed: test" }
rated_cycles = { value = 1000, source = "assumed: test" }
end_of_life_cycles = { value = 3000, source = "assumed: test" }
slc_end_of_life_cycles = { value = 50000, source = "assumed: test" }
spare_superblocks = { value = 4, source = "assumed: test" }
spare_threshold_percent = { value = 10, source = "assumed: test" }

[[health.attributes]]
id = { value = 241, source = "assumed: test" }
name = { value = "Total_LBAs_Written", source = "assumed: test" }
raw = { value = "host_written_sectors", source = "assumed: test" }
value = { value = "full", source = "assumed: test" }
thresh = { value = 0, source = "assumed: test" }
flags = { value = 50, source = "assumed: test" }
"#;

#[test]
fn figures_come_to_whole_numbers() {
    let model = Model::parse(&format!("{DEMO}{TABLES}"), "m.toml");
    let spec = model.unwrap_or_else(|error| panic!("{error}")).spec();
    let energy = spec.energy.expect("it has the table");
    // Two planes; nJ as pJ.
    assert_eq!(energy.read_pj, [12_000_000, 20_000_000]);
    assert_eq!(energy.program_pj, [120_000_000, 300_000_000]);
    assert_eq!(energy.erase_pj, [600_000_000, 800_000_000]);
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
    let gradual = TABLES.replace("\"stepwise\"", "\"gradual\"");
    let model = Model::parse(&format!("{DEMO}{gradual}"), "m.toml").expect("it is right");
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
    let spec = Model::parse(DEMO, "m.toml")
        .expect("the shipped model")
        .spec();
    assert!(spec.energy.is_none() && spec.idle_states.is_empty());
    assert!(spec.thermal.is_none() && spec.health.is_none());
}

#[test]
fn mistakes_are_told_with_line_and_key() {
    for (from, to, key, part) in [
        (
            "core_busy_mw = { value = 400",
            "core_busy_mw = { value = 149",
            "energy.core_busy_mw",
            "at least energy.core_idle_mw = 150",
        ),
        (
            "link_idle_mw = { value = 120",
            "link_idle_mw = { value = 301",
            "energy.link_active_mw",
            "at least",
        ),
        (
            "program_nj = { value = 150000",
            "program_nj = { value = 2000000000",
            "energy.program_nj",
            "1000000000",
        ),
        (
            "delay_ms = { value = 5000",
            "delay_ms = { value = 100",
            "idle_states.delay_ms",
            "after 100 ms",
        ),
        (
            "exit_us = { value = 9000",
            "exit_s = { value = 9000",
            "idle_states.exit_s",
            "exit_us",
        ),
        (
            "throttle = { value = \"stepwise\"",
            "throttle = { value = \"steps\"",
            "thermal.throttle",
            "stepwise, gradual",
        ),
        (
            "hysteresis_k = { value = 5.0, source = \"assumed: test\" }",
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
        (
            "[50.0, 12.5]",
            "[50.0, 0.0]",
            "thermal.steps_percent",
            "0.1 to 100",
        ),
        (
            "\"host_written_sectors\"",
            "\"lbas\"",
            "health.attributes.raw",
            "host_written_gib",
        ),
        (
            "value = \"full\"",
            "value = \"most\"",
            "health.attributes.value",
            "life_left",
        ),
        (
            "protocol = { value = \"ata\"",
            "protocol = { value = \"scsi\"",
            "health.protocol",
            "ata, nvme",
        ),
        (
            "spare_superblocks = { value = 4",
            "spare_superblocks = { value = 400",
            "capacity.user_bytes",
            "spare keep 413 superblocks",
        ),
        (
            "rated_cycles = { value = 1000, source = \"assumed: test\"",
            "rated_cycles = { value = 1000, source = \"\"",
            "health.rated_cycles",
            "source",
        ),
    ] {
        assert!(TABLES.contains(from), "{from}");
        let text = format!("{DEMO}{}", TABLES.replacen(from, to, 1));
        let error = Model::parse(&text, "m.toml").expect_err(to).to_string();
        let line = error
            .strip_prefix("m.toml:")
            .and_then(|e| e.split_once(": "));
        let (line, rest) = line.unwrap_or_else(|| panic!("{error}"));
        assert!(line.parse::<usize>().is_ok_and(|n| n > 1), "{error}");
        assert!(rest.starts_with(&format!("{key}: ")), "{error}");
        assert!(rest.contains(part), "{error}");
    }
    // Heat needs an account of energy.
    let (_, heat) = TABLES.split_once("[thermal]").expect("it is there");
    let error = Model::parse(&format!("{DEMO}[thermal]{heat}"), "m.toml");
    let error = error.expect_err("it lacks [energy]").to_string();
    assert!(
        error.contains("thermal.step_ms") && error.contains("[energy]"),
        "{error}"
    );
}
