//! Results of tests in JSON, and the addition of measurements.

use serde_json::{Value, json};

use stend_record::figure::{FigureId, LoadParts, RepeatedFigure};
use stend_record::kinds::traces::TraceResult;
use stend_record::review::{FileWork, Ladder, Results, SyncPoint, TestResult};

fn test_with(results: Value) -> Value {
    let mut test = json!({ "id": "t", "title": "T", "method": "M", "jobs": [] });
    let (Value::Object(all), Value::Object(more)) = (&mut test, results) else {
        unreachable!("both are objects");
    };
    all.extend(more);
    test
}

fn read(results: Value) -> Result<TestResult, serde_json::Error> {
    serde_json::from_str(&test_with(results).to_string())
}

#[test]
fn results_are_keys_of_their_test() {
    let rung = json!({
        "name": "rest-30s", "idle_s": 30.0, "trim": false, "iops_start": 1.0,
        "recovered_bytes": 0, "fell": true
    });
    let ladder = Ladder {
        series: Vec::new(),
        rungs: vec![serde_json::from_value(rung.clone()).unwrap()],
    };
    let ladder = (json!({ "rungs": [rung] }), Results::Ladder(ladder));
    let work = json!([FileWork::default()]);
    let files = Results::Files(vec![FileWork::default()]);
    for (results, is) in [ladder, (json!({ "files": work }), files)] {
        let test = read(results.clone()).unwrap();
        assert_eq!(test.results, Some(is));
        assert_eq!(serde_json::to_value(&test).unwrap(), test_with(results));
    }
    let empty = read(json!({ "points": [], "series": [] })).unwrap();
    assert_eq!(empty.results, None);
}

#[test]
fn faulty_results_are_errors() {
    for (results, problem) in [
        (json!({ "points": [{}] }), "missing field `duration_s`"),
        (json!({ "rounds": 1 }), "invalid type"),
        (
            json!({ "sync": [SyncPoint::default()], "files": [FileWork::default()] }),
            "results of one kind",
        ),
    ] {
        let error = read(results).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn results_of_measurements_are_added() {
    let mut test = TestResult::default();
    for (busy_s, overall) in [(2.0, 5.0), (6.0, 2.5)] {
        let trace: TraceResult = serde_json::from_value(json!({
            "name": "t", "title": "T", "origin": "captured", "timing": "fast",
            "queue_depth": 1, "requests": 1, "read_bytes": 10, "written_bytes": 0,
            "busy_s": busy_s, "elapsed_s": busy_s, "bw_bytes_per_s": 1.0, "iops": 1.0,
            "moved_requests": 0
        }))
        .unwrap();
        test.add(Results::Traces(trace.into()));
        assert_eq!(test.overall_bw_bytes_per_s(), Some(overall));
    }
    assert_eq!(test.traces().len(), 2);
    assert!(test.points().is_empty() && test.curves_mut().is_empty());
}

#[test]
fn figures_have_an_id_with_arguments_or_the_title_of_schema_1() {
    let parts = LoadParts {
        queue_depth: Some(4),
        ..LoadParts::default()
    };
    for (json, figure) in [
        (
            json!({ "id": "point", "op": "read", "queue_depth": 4 }),
            FigureId::Point(parts),
        ),
        (json!({ "id": "all-traces" }), FigureId::AllTraces),
        (json!("Read"), FigureId::Titled("Read".to_owned())),
    ] {
        let read: FigureId = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(read, figure);
        assert_eq!(serde_json::to_value(read).unwrap(), json);
    }
    let former = json!({ "name": "Read", "unit": "iops", "values": [1.0] });
    let former: RepeatedFigure = serde_json::from_value(former).unwrap();
    assert_eq!(former.figure, FigureId::Titled("Read".to_owned()));
}
