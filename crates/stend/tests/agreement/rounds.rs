//! Rounds: the figures of each round, and the total of written bytes.

use serde_json::Value;

use super::{close, reviewed};
use crate::common::{folder, have, list, number, test};
use crate::kept::Kept;

#[test]
fn each_round_is_fios() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let (review, kept) = reviewed(dir.path(), "steady-iops,write-saturation", &[]);
    for id in ["steady-iops", "write-saturation"] {
        same_rounds(&kept, test(&review, id));
    }
}

#[test]
fn a_steady_start_is_of_fios_rounds() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let steady = ["--until-steady", "--duration-scale", "0.01"];
    let (review, kept) = reviewed(dir.path(), "degradation", &steady);
    let [start] = &list(&test(&review, "degradation")["steady_starts"])[..] else {
        panic!("one curve, one state")
    };
    // The curve itself has a log.
    let rounds = kept.all().iter().filter(|run| {
        let text = &run.text;
        text.contains("rw=randwrite") && !text.contains("write_iops_log")
    });
    let of: Vec<&Value> = rounds.map(|run| &run.job()["write"]).collect();
    assert_eq!(number(&start["rounds"]), of.len() as f64);
    let sum = |of: &[&Value], key: &str| of.iter().map(|d| number(&d[key])).sum::<f64>();
    assert_eq!(number(&start["written_bytes"]), sum(&of, "io_bytes"));
    let last = &of[of.len() - 5..];
    let mean = sum(last, "iops") / 5.0;
    close(number(&start["iops_mean"]), mean);
    let speeds: Vec<f64> = last.iter().map(|d| number(&d["iops"])).collect();
    let greatest = speeds.iter().copied().fold(f64::MIN, f64::max);
    let least = speeds.iter().copied().fold(f64::MAX, f64::min);
    close(number(&start["spread_share"]), (greatest - least) / mean);
    // Slope of a line through five evenly spaced values, over four steps.
    let slope = (2.0 * (speeds[4] - speeds[0]) + speeds[3] - speeds[1]) / 10.0;
    close(number(&start["drift_share"]), 4.0 * slope / mean);
}

fn same_rounds(kept: &Kept, test: &Value) {
    let rounds = list(&test["rounds"]["rounds"]);
    let (loads, jobs) = (list(&test["rounds"]["loads"]), list(&test["jobs"]));
    assert_eq!(loads.len(), jobs.len());
    let mut written = 0.0;
    for (nth, job) in jobs.iter().enumerate() {
        let runs = kept.repeats_of(job);
        assert_eq!(runs.len(), rounds.len(), "{job}");
        // The displayed job is that of the first round.
        assert_eq!(job["text"], runs[0].text);
        let share = number(&loads[nth]["read_percent"]);
        for (run, round) in runs.iter().zip(rounds) {
            let job = run.job();
            let of = ["read", "write"].map(|direction| &job[direction]);
            let used = of.map(|direction| number(&direction["total_ios"]) > 0.0);
            assert_eq!(used, [share > 0.0, share < 100.0]);
            let both = |figure: fn(&Value) -> f64| of.map(figure);
            let sum = |figure| both(figure).iter().sum::<f64>();
            let figures = &round[nth];
            close(number(&figures["iops"]), sum(|d| number(&d["iops"])));
            close(
                number(&figures["bw_bytes_per_s"]),
                sum(|d| number(&d["bw_bytes"])),
            );
            let requests = sum(|d| number(&d["clat_ns"]["N"]));
            let time_ns = sum(|d| number(&d["clat_ns"]["N"]) * number(&d["clat_ns"]["mean"]));
            close(number(&figures["latency_mean_ns"]), time_ns / requests);
            let [read, write] = both(|d| number(&d["clat_ns"]["max"]));
            assert_eq!(number(&figures["latency_max_ns"]), read.max(write));
            written += number(&job["write"]["io_bytes"]);
        }
    }
    assert_eq!(number(&test["rounds"]["written_bytes"]), written);
}
