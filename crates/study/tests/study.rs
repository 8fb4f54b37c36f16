//! Studies of the demonstration drive, reduced in size.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use stend_experiment::Event;
use stend_lab::{Kind, Lab, LabError, Program, Table};
use stend_load::{JobFile, RunOptions};
use stend_model::{Model, Setting};
use stend_record::study::{Cell, Study, StudyRow};
use stend_simulated::SimulatedTarget;
use stend_study::{
    Context, Definition, Done, FORMATS, Options, Plan, Session, StudyError, check_series, run,
};

/// Two thousand random writes.
const JOB: &str = "[w]\nrw=randwrite\nbs=4k\niodepth={depth}\nsize=8m\n";

fn plan(text: &str) -> Arc<Plan> {
    Arc::new(Plan::new(definition(text).unwrap()).unwrap())
}

fn definition(text: &str) -> Result<Definition, String> {
    let head = "schema = \"stend.study/1\"\nname = \"s\"\n";
    let text = format!("{head}{text}");
    Definition::parse(&text, "s.toml", Path::new("")).map_err(|error| error.to_string())
}

/// Returns the fault of a study.
fn wrong(text: &str) -> String {
    match definition(text) {
        Err(said) => said,
        Ok(definition) => Plan::new(definition).expect_err(text).to_string(),
    }
}

fn options(threads: usize) -> Options {
    Options {
        threads,
        interrupt: Arc::default(),
        series: None,
        watch: None,
    }
}

fn all(plan: &Plan) -> Vec<u64> {
    plan.rows().iter().map(|row| row.number).collect()
}

/// Carries a plan out; returns the rows, and for each state the number of rows it was prepared for.
fn carried_out(plan: &Plan, numbers: &[u64], threads: usize) -> (Vec<Done>, Vec<String>) {
    let (done, states) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let report = |event: &Event<'_, StudyRow>| {
        if let Event::Working { doing, .. } = event {
            states.lock().push((*doing).to_owned());
        }
    };
    run(plan, numbers, &options(threads), &done, &report).unwrap();
    (done.into_inner(), states.into_inner())
}

fn study(plan: &Plan, threads: usize) -> Study {
    let (done, _) = carried_out(plan, &all(plan), threads);
    plan.study(done.into_iter().map(|done| done.result).collect())
}

fn of_depths(more: &str) -> String {
    format!(
        "models = [\"demo-8gb\"]\nprepare = [\"fill\", {{ idle_s = 5 }}]\n{more}\n\
         [[factor]]\nkey = \"gc.depth\"\nvalues = [1, 4]\n\
         [[factor]]\nkey = \"job.depth\"\nvalues = [1, 8, 32]\n\
         [[job]]\nname = \"w\"\ntext = \"\"\"{JOB}\"\"\"\nsample_ms = 10\n"
    )
}

#[test]
fn a_row_is_what_the_same_job_yields_alone() {
    let study = study(&plan(&of_depths("seeds = [7]")), 2);
    assert_eq!(study.factors, ["gc.depth", "job.depth"]);
    let row = &study.rows[4];
    assert_eq!(row.factors, [Cell::Whole(4), Cell::Whole(8)]);
    let model = Model::shipped("demo-8gb").unwrap();
    let model = model.with(&[("gc.depth", Setting::Whole(4))]).unwrap();
    let mut target = SimulatedTarget::new(model);
    let mut go = |text: &str, seed: u64| {
        let file = JobFile::parse(text).unwrap();
        let options = RunOptions {
            seed,
            ..RunOptions::default()
        };
        target.run_file(&file, &options).unwrap()
    };
    go(&stend_load::target::fill_job(8_000_000_000), 1);
    stend_load::target::Target::idle(&mut target, 5.0).unwrap();
    let file = JobFile::parse(&JOB.replace("{depth}", "8")).unwrap();
    let options = RunOptions {
        seed: 7,
        ..RunOptions::default()
    };
    let result = target.run_file(&file, &options).unwrap();
    let writes = &result.jobs[0].directions[1].latency;
    let outcome = |name: &str| row.outcome(name).unwrap();
    assert_eq!(outcome("latency_p99_ns"), writes.percentile_ns(99.0) as f64);
    assert_eq!(outcome("latency_max_ns"), writes.max_ns() as f64);
    assert_eq!(
        outcome("iops"),
        2048.0 / result.jobs[0].runtime.as_secs_f64()
    );
}

#[test]
fn states_are_shared_and_threads_change_nothing() {
    let plan = plan(&of_depths("seeds = [1, 2]"));
    assert_eq!(plan.rows().len(), 12);
    let (one, states) = carried_out(&plan, &all(&plan), 1);
    // Filling uses no random numbers, and does not depend on the depth of a job.
    assert_eq!(states, ["demo-8gb: preparing a state for 6 rows"; 2]);
    let (three, _) = carried_out(&plan, &all(&plan), 3);
    let sorted = |mut done: Vec<Done>| {
        done.sort_by_key(|done| done.result.number);
        done
    };
    assert_eq!(sorted(one), sorted(three));
}

#[test]
fn a_job_that_prepares_has_the_seed_of_the_row_or_one_for_all() {
    let prepare = "models = [\"demo-8gb\"]\nseeds = [1, 2]\n\
                   prepare = [{ job = \"[p]\\nrw=randwrite\\nsize=8m\\n\" }]\n";
    let job = "[[job]]\nname = \"w\"\ntext = \"[w]\\nrw=randwrite\\nsize=1m\"\n";
    assert_eq!(plan(&format!("{prepare}{job}")).groups().len(), 2);
    assert_eq!(
        plan(&format!("{prepare}prepare_seed = 3\n{job}"))
            .groups()
            .len(),
        1
    );
}

#[test]
fn a_variant_that_fails_is_a_row_with_its_error() {
    let text = "models = [\"demo-8gb\"]\n\
                [[factor]]\nkey = \"nand.dies\"\nvalues = [2, 4, 5]\n\
                [[job]]\nname = \"w\"\ntext = \"[w]\\nrw=randwrite\\nsize=1m\"\n\
                [[job]]\nname = \"large\"\ntext = \"[w]\\nrw=write\\nsize=9g\"\n";
    let study = study(&plan(text), 2);
    let error = |row: &StudyRow| row.error.clone().unwrap_or_default();
    let errors: Vec<String> = study.rows.iter().map(error).collect();
    assert!(errors[0].contains("does not fit"), "{errors:?}");
    assert_eq!(errors[2], "");
    assert!(
        errors[3].contains("reaches beyond the end of the target"),
        "{errors:?}"
    );
    assert!(errors[4].contains("nand.dies"), "{errors:?}");
    assert!(study.rows[2].outcome("iops").is_some());
    assert!(study.rows[0].outcomes.is_empty());
}

fn context(program: &str) -> Context {
    Context {
        program: Program {
            id: program.to_owned(),
            version: "0",
            commit: None,
            now_unix_ms: || 0,
        },
        folder: "f".into(),
    }
}

#[test]
fn an_interrupted_study_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let lab = folder.path().join("lab.db");
    let plan = plan(&of_depths(""));
    let options = options(1);
    let session = Session::open(Arc::clone(&plan), Some(&lab), false, context("a")).unwrap();
    let stop = |event: &Event<'_, StudyRow>| {
        if matches!(event, Event::Finished { finished: 2, .. }) {
            options.interrupt.store(true, Ordering::Relaxed);
        }
    };
    let ended = session.run(&options, &|_| true, &stop);
    assert!(matches!(ended, Err(StudyError::Interrupted(_))));
    drop(session);
    let again = |program, fresh| {
        let session =
            Session::open(Arc::clone(&plan), Some(&lab), fresh, context(program)).unwrap();
        let known = session.known_rows().len();
        session.run(&self::options(2), &|_| true, &|_| ()).unwrap();
        (known, session.study())
    };
    let whole = study(&plan, 2);
    for (program, fresh, known) in [
        ("a", false, 2),
        ("a", false, 6),
        ("b", false, 0),
        ("b", true, 0),
    ] {
        assert_eq!(
            again(program, fresh),
            (known, whole.clone()),
            "{program} {fresh}"
        );
    }
    let lab = Lab::look(&lab).unwrap().unwrap();
    let studies = stend_lab::studies::list(&lab).unwrap();
    assert_eq!(studies.len(), 1);
    assert_eq!((studies[0].rows_done, studies[0].rows_planned), (6, 6));
    // The lab has the whole study, which is read back without its plan.
    let id = stend_lab::studies::StudyId(studies[0].study);
    let stored = stend_lab::studies::get(&lab, id, 9).unwrap().unwrap();
    let definition: Definition = serde_json::from_str(&stored.definition).unwrap();
    assert_eq!(definition.study(stored.rows).unwrap(), whole);
}

/// A row of another study is not run again; one that depends on more is.
#[test]
fn rows_are_known_by_what_they_are_made_of() {
    let folder = tempfile::tempdir().unwrap();
    let lab = folder.path().join("lab.db");
    let run = |text: &str| {
        let plan = plan(text);
        let session = Session::open(Arc::clone(&plan), Some(&lab), false, context("a")).unwrap();
        let known = session.known_rows().len();
        session.run(&options(2), &|_| true, &|_| ()).unwrap();
        (known, session.study().rows.len())
    };
    let text = of_depths("");
    assert_eq!(run(&text), (0, 6));
    assert_eq!(run(&text.replace("[1, 8, 32]", "[1, 8, 16, 32]")), (6, 8));
    assert_eq!(run(&text.replace("idle_s = 5", "idle_s = 6")), (0, 6));
    assert_eq!(
        run(&of_depths("settings = { gc.policy = \"fifo\" }")),
        (0, 6)
    );
    assert_eq!(run(&of_depths("seeds = [2]")), (0, 6));
    assert_eq!(run(&of_depths("title = \"T\"")), (6, 6));
}

/// An interrupt in the middle of a long job ends it.
#[test]
fn an_interrupt_ends_what_is_under_way() {
    let plan = plan(
        "models = [\"demo-8gb\"]\n[[job]]\nname = \"w\"\n\
         text = \"[w]\\nrw=randread\\ntime_based=1\\nruntime=10000000\"\n",
    );
    let options = options(1);
    let flag: Arc<AtomicBool> = Arc::clone(&options.interrupt);
    let done: Mutex<Vec<Done>> = Mutex::default();
    let ended = std::thread::scope(|scope| {
        let working = scope.spawn(|| run(&plan, &[0], &options, &done, &|_| ()));
        std::thread::yield_now();
        flag.store(true, Ordering::Relaxed);
        working.join().unwrap()
    });
    assert!(matches!(ended, Err(StudyError::Interrupted(_))));
    assert_eq!(done.into_inner(), [], "no row is made of it");
}

#[test]
fn an_outcome_that_no_row_has_is_a_column() {
    let text = "models = [\"demo-8gb\"]\n[[job]]\nname = \"w\"\n\
                text = \"[w]\\nrw=randwrite\\nsize=1m\"\noutcomes = [\"iops\", \"energy_j\"]\n";
    let study = study(&plan(text), 1);
    assert_eq!(study.outcomes, ["iops", "energy_j"]);
    assert_eq!(study.rows[0].outcome("energy_j"), None);
}

#[test]
fn tests_of_editions_have_their_key_figures() {
    let text = "models = [\"demo-8gb\"]\nduration_scale = 0.01\nseeds = [1, 2]\n\
                [[test]]\nedition = \"2014\"\nid = \"sequential\"\n";
    let plan = plan(text);
    let study = study(&plan, 2);
    assert_eq!(study.rows.len(), 2);
    assert_eq!(study.rows[0].error, None);
    let named = |end: &str| study.outcomes.iter().any(|name| name.ends_with(end));
    assert!(named("_bytes_per_s"), "{:?}", study.outcomes);
    assert_eq!(study.duration_scale, 0.01);
}

#[test]
fn a_random_design_covers_its_factors() {
    for design in ["latin-hypercube", "sobol"] {
        let of_seed = |seed: u32| {
            plan(&format!(
                "models = [\"demo-8gb\"]\ndesign = \"{design}\"\nsamples = 16\n\
                 design_seed = {seed}\n\
                 [[factor]]\nkey = \"nand.erase_us\"\nfrom = 1000\nto = 9000\n\
                 [[factor]]\nkey = \"gc.policy\"\nvalues = [\"greedy\", \"fifo\"]\n\
                 [[factor]]\nkey = \"dram.read_ahead_kib\"\nfrom = 4\nto = 4096\n\
                 scale = \"log\"\nmultiple_of = 4\n\
                 [[job]]\nname = \"w\"\ntext = \"[w]\\nrw=write\\nsize=1m\"\n"
            ))
        };
        let rows = of_seed(1).rows().to_vec();
        // One value in each sixteenth of the range.
        let mut parts: Vec<u32> = rows
            .iter()
            .map(|row| ((row.factors[0].number().unwrap() - 1000.0) / 500.0) as u32)
            .collect();
        parts.sort_unstable();
        assert_eq!(parts, (0..16).collect::<Vec<u32>>(), "{design}");
        let greedy = rows
            .iter()
            .filter(|row| row.factors[1] == Cell::Text("greedy".into()));
        assert_eq!(greedy.count(), 8, "{design}");
        // By ratios, half of the values are below the geometric mean.
        let kib = rows.iter().map(|row| row.factors[2].number().unwrap());
        assert_eq!(
            kib.clone().filter(|kib| *kib < 128.0).count(),
            8,
            "{design}"
        );
        assert!(kib.clone().all(|kib| kib % 4.0 == 0.0));
        let cells = |seed| -> Vec<Vec<Cell>> {
            of_seed(seed)
                .rows()
                .iter()
                .map(|row| row.factors.clone())
                .collect()
        };
        assert_eq!(cells(1), cells(1));
        assert_ne!(cells(1), cells(2));
    }
}

#[test]
fn a_grid_has_the_ends_of_its_ranges() {
    let cells = |range: &str| -> Vec<Cell> {
        let plan = plan(&format!(
            "models = [\"demo-8gb\"]\n[[factor]]\nname = \"rest\"\nkey = \"idle.delay_ms\"\n\
             {range}\n[[job]]\nname = \"w\"\ntext = \"[w]\\nrw=write\\nsize=1m\"\n"
        ));
        let rows = plan.rows().iter();
        rows.map(|row| row.factors[0].clone()).collect()
    };
    assert_eq!(
        cells("from = 10\nto = 10000\nsteps = 4\nscale = \"log\""),
        [10, 100, 1000, 10000].map(Cell::Whole)
    );
    // Only multiples within the range.
    assert_eq!(
        cells("from = 41\nto = 111\nsteps = 3\nmultiple_of = 20"),
        [60, 80, 100].map(Cell::Whole)
    );
}

#[test]
fn values_may_be_tables_of_figures() {
    let text = "models = [\"demo-8gb\"]\n[[factor]]\nname = \"cache\"\n\
                values = [{}, { slc_cache.enabled = false, \"gc.slc_reserve_superblocks\" = 0 }]\n\
                labels = [\"static\", \"none\"]\n\
                [[job]]\nname = \"w\"\ntext = \"[w]\\nrw=write\\nsize=64m\"\n\
                outcomes = [\"slc_programs\"]\n";
    let study = study(&plan(text), 1);
    let programs = study
        .rows
        .iter()
        .map(|row| row.outcome("slc_programs").unwrap());
    let programs: Vec<f64> = programs.collect();
    assert!(programs[0] > 0.0 && programs[1] == 0.0, "{programs:?}");
    assert_eq!(study.rows[1].factors, [Cell::Text("none".to_owned())]);
}

const MODELS: &str = "models = [\"demo-8gb\"]\n";

const WRITE: &str = "[[job]]\nname = \"w\"\ntext = \"[w]\\nrw=write\\nsize=1m\"\n";

fn assert_wrong(cases: &[(String, &str)]) {
    for (text, part) in cases {
        let said = wrong(text);
        assert!(said.contains(part), "{text}\nsays: {said}\nnot: {part}");
    }
}

#[test]
fn what_is_wrong_with_a_study_is_told_with_its_place() {
    let (models, job) = (MODELS, WRITE);
    assert_wrong(&[
        (String::new(), "missing field `models`"),
        (models.to_owned(), "[[job]] or [[test]]"),
        (
            format!("models = []\n{job}"),
            "s.toml:3: models: a study has at least one model",
        ),
        (
            format!("models = [\"demo-8g\"]\n{job}"),
            "did you mean `demo-8gb`",
        ),
        (format!("models = [\"no.toml\"]\n{job}"), "no.toml"),
        (format!("{models}seeds = []\n{job}"), "s.toml:4: seeds: "),
        (
            format!("{models}seeds = [1, 2, 1]\n{job}"),
            "seeds[2]: 1 a second time",
        ),
        (
            format!("{models}duration_scale = nan\n{job}"),
            "duration_scale: NaN: it must be above 0",
        ),
        (format!("{models}duration_scale = 0\n{job}"), "at most 100"),
        (format!("{models}sed = 1\n{job}"), "unknown field `sed`"),
        (
            format!("{models}prepare = [\"fil\"]\n{job}"),
            "expected \"fill\", \"trim\"",
        ),
        (
            format!("{models}prepare = [{{ idle_s = -1 }}]\n{job}"),
            "a rest of -1 s",
        ),
        (
            format!("{models}samples = 3\n{job}"),
            "`samples` is for `sobol`",
        ),
        (
            format!("{models}design = \"sobol\"\n{job}"),
            "needs `samples`",
        ),
        (
            format!("{models}design = \"sobol\"\nsamples = 4\n{job}"),
            "at least one [[factor]]",
        ),
    ]);
}

#[test]
fn what_is_wrong_with_a_factor_is_told_with_its_place() {
    let factor = |body: &str| format!("{MODELS}[[factor]]\n{body}\n{WRITE}");
    assert_wrong(&[
        (
            factor("key = \"gc.polic\"\nvalues = [1]"),
            "s.toml:5: factor[0].key: `gc.polic`",
        ),
        (
            factor("key = \"gc.polic\"\nvalues = [1]"),
            "the nearest is `gc.policy`",
        ),
        (
            factor("key = \"gc.policy\"\nvalues = []"),
            "at least one value",
        ),
        (
            factor("key = \"gc.depth\"\nvalues = [nan]"),
            "NaN is not a finite number",
        ),
        (
            factor("key = \"gc.depth\"\nfrom = 1\nto = inf\nsteps = 2"),
            "is not a range",
        ),
        (
            factor("key = \"gc.depth\"\nfrom = 4\nto = 1\nsteps = 2"),
            "is not a range",
        ),
        (
            factor("key = \"gc.depth\"\nfrom = 1\nto = 4"),
            "`steps`: how many values",
        ),
        (
            factor("key = \"gc.depth\"\nfrom = 0\nto = 4\nsteps = 2\nscale = \"log\""),
            "above 0",
        ),
        (
            factor("key = \"gc.depth\"\nvalues = [4, 8, 4]"),
            "factor[0].values[2]: a second time",
        ),
        (
            factor("key = \"gc.depth\"\nfrom = 1\nto = 4\nsteps = 3"),
            "takes whole numbers, and the range yields 2.5: add `multiple_of = 1`",
        ),
        (factor("values = [1]"), "a factor has a `key`"),
        (
            factor("name = \"seed\"\nvalues = [{}]"),
            "`seed` is a column",
        ),
        (
            factor("name = \"x\"\nvalues = [{ \"gc.dept\" = 1 }]"),
            "nearest is `gc.depth`",
        ),
        (
            factor("key = \"job.depth\"\nvalues = [1]"),
            "no job contains {depth}",
        ),
    ]);
}

#[test]
fn factors_have_different_values_and_set_different_figures() {
    let factor = |body: &str| format!("{MODELS}[[factor]]\n{body}\n{WRITE}");
    assert_wrong(&[
        (
            factor("key = \"gc.depth\"\nvalues = [1]")
                + "[[factor]]\nname = \"x\"\nvalues = [{ \"gc.depth\" = 2 }]\nlabels = [\"a\"]\n",
            "factor[1]: `gc.depth` is set by the factor `gc.depth` too",
        ),
        (
            factor("key = \"gc.depth\"\nfrom = 41\nto = 59\nsteps = 2\nmultiple_of = 20"),
            "no multiple of 20 lies between 41 and 59",
        ),
        (
            factor("key = \"gc.depth\"\nfrom = 40\nto = 44\nsteps = 3\nmultiple_of = 4"),
            "fewer than 3 multiples of 4",
        ),
        (
            factor("key = \"job.bs\"\nvalues = [\"4k\", \"4q\"]").replace("size=1m", "size={bs}"),
            "factor[0].values: with {bs} = 4q",
        ),
    ]);
}

#[test]
fn a_folder_has_the_samples_of_one_study() {
    let folder = tempfile::tempdir().unwrap();
    let wants = |plan: &Arc<Plan>| {
        let session = Session::open(Arc::clone(plan), None, true, context(""));
        session.unwrap().wants_series(folder.path())
    };
    let one = plan(&format!("{MODELS}{WRITE}"));
    let other = plan(&format!("seeds = [2]\n{MODELS}{WRITE}"));
    wants(&one).unwrap();
    wants(&one).unwrap();
    let refused = |of| matches!(wants(of), Err(LabError::OtherSeries(_)));
    assert!(refused(&other));
    assert!(check_series(folder.path(), &other).is_err());
    // They are not replaced either if no file identifies their study.
    std::fs::remove_file(folder.path().join("series.json")).unwrap();
    let table = Table {
        name: "series-0".to_owned(),
        columns: [
            "t_s",
            "read_iops",
            "write_iops",
            "read_bytes",
            "written_bytes",
        ]
        .map(|name| (name.to_owned(), Kind::Real))
        .to_vec(),
        rows: Vec::new(),
    };
    table
        .write(folder.path(), *FORMATS.last().unwrap())
        .unwrap();
    assert!(refused(&one));
}

#[test]
fn what_is_wrong_with_a_job_or_test_is_told_with_its_place() {
    let (models, job) = (MODELS, WRITE);
    assert_wrong(&[
        (
            format!("{models}{job}{job}"),
            "job[1].name: another job or test is named w",
        ),
        (
            format!("{models}{job}outcomes = [\"iop\"]"),
            "the nearest is `iops`",
        ),
        (format!("{models}{job}sample_ms = 0"), "sample_ms"),
        (
            format!("{models}[[job]]\nname = \"w\"\n"),
            "either `text` or `file`",
        ),
        (
            format!("{models}[[job]]\nname = \"w\"\nfile = \"no.fio\"\n"),
            "no.fio",
        ),
        (
            format!("{models}[[job]]\nname = \"w\"\ntext = \"[w]\\nrx=1\"\n"),
            "rx",
        ),
        (
            format!("{models}[[test]]\nedition = \"2014\"\nid = \"no\"\n"),
            "has no test `no`",
        ),
        (
            format!("{models}[[test]]\nedition = \"20\"\nid = \"no\"\n"),
            "no such edition",
        ),
        (
            format!("{models}settings = {{ gc.dept = 1 }}\n{job}"),
            "nearest is `gc.depth`",
        ),
    ]);
}

/// A study in JSON is the same as in TOML, without references to files.
#[test]
fn a_study_is_the_same_in_json() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("w.fio"), "[w]\nrw=write\nsize=1m\n").unwrap();
    let demo = Model::shipped("demo-8gb").unwrap().text;
    std::fs::write(path("mine.toml"), demo.replace("\"demo-8gb\"", "\"mine\"")).unwrap();
    let text = "schema = \"stend.study/1\"\nname = \"s\"\nmodels = [\"mine.toml\", \"demo-8gb\"]\n\
                prepare = [{ job_file = \"w.fio\" }]\n[[job]]\nname = \"w\"\nfile = \"w.fio\"\n";
    std::fs::write(path("s.toml"), text).unwrap();
    let definition = Definition::read(&path("s.toml")).unwrap();
    let plan = Plan::new(definition).unwrap();
    assert_eq!(plan.rows()[0].model, "mine");
    let json = plan.definition().to_json();
    let again = Definition::from_json(&json, Path::new("elsewhere")).unwrap();
    let again = Plan::new(again).unwrap();
    let keys =
        |plan: &Plan| -> Vec<String> { plan.rows().iter().map(|row| row.key.clone()).collect() };
    assert_eq!(keys(&plan), keys(&again));
    let said = Definition::from_json("{\"schema\": 1}", Path::new("")).unwrap_err();
    assert!(said.to_string().starts_with("study: "), "{said}");
}

/// The samples of a row are a file; a known row without its file is carried out again.
#[test]
fn series_are_kept_if_they_are_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let lab = folder.path().join("lab.db");
    let plan = plan(&of_depths(""));
    let run = |series: bool| {
        let context = context("a");
        let mut session = Session::open(Arc::clone(&plan), Some(&lab), false, context).unwrap();
        if series {
            session.wants_series(folder.path()).unwrap();
        }
        let options = Options {
            series: series.then(|| folder.path().to_owned()),
            ..options(2)
        };
        let known = session.known_rows().len();
        session.run(&options, &|_| true, &|_| ()).unwrap();
        known
    };
    assert_eq!([run(false), run(true), run(true)], [0, 0, 6]);
    let is_series = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with("series-");
    let files = std::fs::read_dir(folder.path()).unwrap();
    let files: Vec<_> = files.map(|file| file.unwrap()).collect();
    let series: Vec<_> = files
        .iter()
        .filter(|file| is_series(&file.file_name()))
        .collect();
    assert_eq!(series.len(), 6);
    std::fs::remove_file(series[3].path()).unwrap();
    assert_eq!(run(true), 5);
    // A file that is not a series is kept.
    std::fs::write(series[3].path(), "mine").unwrap();
    let mut session = Session::open(plan.clone(), Some(&lab), false, context("a")).unwrap();
    assert!(session.wants_series(folder.path()).is_err());
}
