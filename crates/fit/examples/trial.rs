//! Compares shipped drives with their twins, made from parts with wrong figures: the table in
//! docs/twin.md.
//!
//! ```text
//! trial="cargo run --release -p stend-fit --features optimiser --example trial"
//! $trial                                      # all drives
//! $trial -- intel-ssd-750-400gb --details
//! ```
//!
//! The inputs of a twin are the drive's review and the parts of its flash and controller; firmware
//! and host are not named. Every time, size and depth in the tables [`ALTERED`] of these parts is
//! multiplied by a factor within [`FACTORS`], uniform by its logarithm, that follows from [`SEED`],
//! the drive and the figure's name.

#![allow(clippy::disallowed_methods, reason = "it reports durations")]

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;
use std::{env, fs};

use stend_fit::Outcome;
use stend_fit::fitting::errors as fit_errors;
use stend_fit::twin::draft::Draft;
use stend_fit::twin::errors::{Errors, errors};
use stend_fit::twin::fitting::{Found, Progress, Search};
use stend_fit::twin::parts::Part;
use stend_fit::twin::rows::{HELD_OUT, HoldoutRule, Rows, rows};
use stend_fit::twin::told::Told;
use stend_identify::{infer, observed_in};
use stend_method::{Edition, ReviewOptions, run_review};
use stend_model::Model;
use stend_record::load::Load;
use stend_record::review::Review;
use stend_simulated::SimulatedTarget;
use toml::{Table, Value};

/// Drives of different kinds: with and without SLC caches, SATA and NVMe, of several makers.
const DRIVES: [&str; 7] = [
    "samsung-850-evo-250gb",
    "toshiba-q300-240gb",
    "crucial-mx100-256gb",
    "adata-sp550-240gb",
    "kingston-hyperx-savage-240gb",
    "intel-ssd-750-400gb",
    "sandisk-ultra-ii-240gb",
];

/// Edition of the reviews.
const EDITION: &str = "2018";

/// Tests of the edition that are run.
const TESTS: [&str; 7] = [
    "sequential",
    "random",
    "depth-scaling",
    "block-scaling",
    "mixed-sequential",
    "mixed-random",
    "crystaldiskmark",
];

/// Factor for the edition's durations.
const DURATION_SCALE: f64 = 0.1;

/// Tables whose figures are altered.
const ALTERED: [&str; 5] = ["controller", "gc", "nand", "nand_commands", "slc_cache"];

/// Endings of the names of times, sizes and depths.
const KINDS: [&str; 6] = [
    "_ns",
    "_us",
    "_percent",
    "_mib",
    "blocks_per_plane",
    "depth",
];

/// Smallest and largest factor.
const FACTORS: [f64; 2] = [0.6, 1.6];

/// Seed of the factors.
const SEED: u64 = 1;

/// Maximum number of evaluations of a search: fewer than in `stend twin`, so that all take half an
/// hour.
const EVALUATIONS: usize = 64;

type Fallible<T> = Result<T, Box<dyn Error>>;

fn main() -> Fallible<()> {
    let mut names: Vec<String> = Vec::new();
    let (mut details, mut keep, mut evaluations) = (false, None, EVALUATIONS);
    let mut args = env::args().skip(1);
    while let Some(arg) = args.next() {
        match &*arg {
            "--details" => details = true,
            "--keep" => keep = args.next().map(PathBuf::from),
            "--evaluations" => evaluations = args.next().unwrap_or_default().parse()?,
            _ => names.push(arg),
        }
    }
    if names.is_empty() {
        names = DRIVES.map(str::to_owned).to_vec();
    }
    println!("| drive | free | fit | used | unused | worst unused figure | time |");
    println!("|---|---|---|---|---|---|---|");
    for name in &names {
        let original = original(name, keep.as_ref())?;
        let begin = Instant::now();
        let twin = twin(name, &original, evaluations)?;
        println!("{}", line(name, &twin, begin.elapsed().as_secs()));
        if details {
            tell(&twin);
        }
    }
    Ok(())
}

/// Review of a shipped drive: stored in a folder, if one is named, and read from there.
fn original(name: &str, keep: Option<&PathBuf>) -> Fallible<Review> {
    let file = keep.map(|folder| folder.join(format!("{name}.json")));
    if let Some(file) = file.as_ref().filter(|file| file.exists()) {
        return Ok(serde_json::from_str(&fs::read_to_string(file)?)?);
    }
    let model = Model::shipped(name).ok_or_else(|| format!("no shipped drive {name}"))?;
    let review = review(model)?;
    if let Some(file) = file {
        fs::write(file, serde_json::to_string(&review)?)?;
    }
    Ok(review)
}

fn review(model: Model) -> Fallible<Review> {
    let options = ReviewOptions {
        tests: Some(TESTS.map(str::to_owned).to_vec()),
        duration_scale: DURATION_SCALE,
        threads: 2,
        ..ReviewOptions::default()
    };
    let target = Box::new(SimulatedTarget::new(model));
    Ok(run_review(
        target,
        &Edition::load(EDITION)?,
        &options,
        &|_| {},
    )?)
}

/// A twin and its original.
struct Twin {
    rows: Rows,
    found: Found,
    errors: Errors,
}

fn twin(name: &str, original: &Review, evaluations: usize) -> Fallible<Twin> {
    let edition = Edition::load(EDITION)?;
    let names = HELD_OUT.map(str::to_owned);
    let held_out = HoldoutRule::of(&names, original)?;
    let shown = original.tests.iter();
    let shown = shown.filter(|test| held_out.why(test).is_none());
    let shown = Review {
        tests: shown.cloned().collect(),
        ..original.clone()
    };
    let told = Told::of(Some(&infer(name, &observed_in(&shown))));
    let rows = rows(original, &edition, &held_out, "twin")?;
    let parts = parts(name)?;
    let draft = Draft {
        name: "twin",
        review: original,
        parts: &parts,
        told: &told,
        sustained: rows.sustained(),
        counts: &|test: &str, _: &Load| rows.used.contains(test),
    };
    let drafts = draft.texts()?;
    let search = Search {
        name: "twin",
        drafts: &drafts,
        rows: &rows,
        review: &format!("of {name}"),
        evaluations,
        seed: 1,
        threads: Some(2),
    };
    let begin = Instant::now();
    let mut tell = |progress: &Progress| {
        let (what, rms) = match progress {
            Progress::Step(step, rms) => (format!("step {step}"), *rms),
            Progress::Generation(generation) => (
                format!("generation {}", generation.number),
                generation.cost_best.sqrt(),
            ),
        };
        let seconds = begin.elapsed().as_secs();
        eprintln!("{name}: {what}: {:.2} %, {seconds} s", rms * 100.0);
    };
    let found = search.run(&mut tell)?;
    let model = Model::parse(&found.text, "twin.toml")?;
    let errors = errors(original, &review(model)?, &rows.used);
    Ok(Twin {
        rows,
        found,
        errors,
    })
}

/// Parts of a drive's flash and controller, with wrong figures.
fn parts(name: &str) -> Fallible<Vec<Part>> {
    let drives = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../drives");
    let file: Table = fs::read_to_string(drives.join(format!("{name}.toml")))?.parse()?;
    let included = file["include"].as_array().ok_or("no parts")?;
    let included = included.iter().filter_map(|part| part.as_str());
    let known =
        included.filter(|part| part.starts_with("nand/") || part.starts_with("controllers/"));
    let part = |part: &str| {
        let mut tables: Table = fs::read_to_string(drives.join(part))?.parse()?;
        for table in ALTERED {
            let figures = tables.get_mut(table).and_then(Value::as_table_mut);
            for (key, figure) in figures.into_iter().flatten() {
                if let Some(figure) = figure.as_table_mut() {
                    alter(figure, (name, table, key));
                }
            }
        }
        Ok(Part::parse(part, &tables.to_string())?)
    };
    let mut parts: Vec<Part> = known.map(part).collect::<Fallible<_>>()?;
    // A drive with dies of two sizes: the number of dies is in the drive's own file, not in the
    // part.
    let own = file.get("nand").and_then(Value::as_table);
    if let Some(own) = own.filter(|own| own.contains_key("generation")) {
        let mut text = "schema = \"stend.part/2\"\n[nand]\n".to_owned();
        for key in ["generation", "dies"] {
            let value = &own[key]["value"];
            text += &format!("{key} = {{ value = {value}, source = \"a look inside\" }}\n");
        }
        parts.push(Part::parse("board.toml", &text)?);
    }
    Ok(parts)
}

/// Multiplies a figure, or all entries of a list, by its factor; its range is widened to contain
/// the result.
fn alter(figure: &mut Table, (name, table, key): (&str, &str, &str)) {
    if !KINDS.iter().any(|end| key.ends_with(end)) {
        return;
    }
    let factor = factor(&format!("{SEED} {name} {table}.{key}"));
    let times = |value: &Value| match value {
        Value::Integer(whole) => Value::from((*whole as f64 * factor).round() as i64),
        Value::Float(value) => Value::from(value * factor),
        other => other.clone(),
    };
    let values: Vec<Value> = match &figure["value"] {
        Value::Array(list) => list.iter().map(times).collect(),
        one => vec![times(one)],
    };
    if let Some(Value::Array(range)) = figure.get_mut("free") {
        let of = |value: &Value| number(value).unwrap_or(f64::NAN);
        for value in &values {
            if of(value) < of(&range[0]) {
                range[0] = value.clone();
            } else if of(value) > of(&range[1]) {
                range[1] = value.clone();
            }
        }
    }
    eprintln!("{name}: {table}.{key} times {factor:.2}");
    figure["value"] = match figure["value"].is_array() {
        true => Value::from(values),
        false => values[0].clone(),
    };
}

fn number(value: &Value) -> Option<f64> {
    let whole = value.as_integer().map(|whole| whole as f64);
    value.as_float().or(whole)
}

/// Factor for a name.
fn factor(name: &str) -> f64 {
    // FNV-1a, followed by the mixing of SplitMix64.
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mixed = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let share = (mixed ^ (mixed >> 31)) as f64 / u64::MAX as f64;
    FACTORS[0] * (FACTORS[1] / FACTORS[0]).powf(share)
}

fn line(name: &str, twin: &Twin, seconds: u64) -> String {
    let [before, after] =
        [&twin.found.before, &twin.found.fit.after].map(|e| fit_errors(e).1 * 100.0);
    let percent =
        |share: Option<f64>| share.map_or("-".to_owned(), |s| format!("{:.1} %", s * 100.0));
    let unused = twin.errors.tests.iter().filter(|test| !test.used);
    let worst = unused.max_by(|a, b| a.error_worst.total_cmp(&b.error_worst));
    let worst = worst.map_or(String::new(), |test| {
        let error = test.error_worst * 100.0;
        format!("{}: {}, {error:.0} %", test.test, test.worst)
    });
    format!(
        "| {name} | {} | {before:.1} → {after:.1} % | {} | {} | {worst} | {seconds} s |",
        twin.found.fit.parameters.len(),
        percent(twin.errors.error_median_used),
        percent(twin.errors.error_median_unused),
    )
}

/// Prints the results for each free figure, each row, and each test.
fn tell(twin: &Twin) {
    for fitted in &twin.found.fit.parameters {
        let figure = &fitted.parameter.figure;
        let determined = match fitted.determined {
            true => "",
            false => ", not determined",
        };
        eprintln!(
            "  {}.{} in {:?}: {} -> {}{determined}; a tenth changes {:.1} %",
            figure.table,
            figure.key,
            figure.bounds,
            figure.value,
            fitted.value,
            fitted.sensitivity.change_per_tenth * 100.0
        );
    }
    let error = |outcome: &Outcome| outcome.answer().map_or(f64::NAN, |a| a.error * 100.0);
    let found = &twin.found;
    for ((row, before), (_, after)) in found.before.rows.iter().zip(&found.fit.after.rows) {
        let row = &twin.rows.measured.rows[*row];
        let [before, after] = [before, after].map(error);
        eprintln!("  {}: {before:.1} -> {after:.1} %", row.what);
    }
    for test in &twin.errors.tests {
        eprintln!(
            "  {} ({}): median {:.1} %, worst {:.1} %, {}",
            test.test,
            if test.used { "used" } else { "unused" },
            test.error_median * 100.0,
            test.error_worst * 100.0,
            test.worst
        );
    }
}
