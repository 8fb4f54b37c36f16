//! `stend review`: an edition on a target and its rivals, and the report.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::Instant;

use stend_method::{Edition, ReviewOptions, run_review};
use stend_record::review::{Review, Rival, TestResult};
use stend_report::Finding;

use crate::args::ReviewArgs;
use crate::failure::Failure;
use crate::open::{Opened, is_simulated, open};
use crate::print;
use crate::progress::Progress;

pub fn run(args: &ReviewArgs) -> Result<(), Failure> {
    let edition = Edition::load(&args.edition)?;
    let folder = folder(args);
    let earlier = earlier(&folder)?;
    let target = open(&args.target, &args.real)?;
    let rivals = open_rivals(args)?;
    writable(&folder)?;

    let reproduce = reproduce(args);
    let options = |resume: Option<Review>| ReviewOptions {
        tests: args.tests.clone(),
        seed: args.seed,
        duration_scale: args.duration_scale,
        threads: threads(args),
        reproduce: reproduce.clone(),
        resume,
        save: None,
    };
    let mut review = one(target, &edition, &options(earlier), Some(&folder))?;
    let mut all_complete = review.complete;
    for rival in rivals {
        let other = one(rival, &edition, &options(None), None)?;
        all_complete &= other.complete;
        review.rivals.push(Rival {
            target: other.target,
            tests: other.tests,
        });
        save(&review, &folder)?;
    }
    let page = save(&review, &folder)?;
    tell(args, &review, &page)?;
    if all_complete {
        return Ok(());
    }
    for failed in &review.failed {
        eprintln!("error: {}: {}", failed.id, failed.error);
    }
    Err(Failure::Incomplete)
}

/// The whole edition on one target. With `folder`, what is finished is kept there.
fn one(
    target: Opened,
    edition: &Edition,
    options: &ReviewOptions<'_>,
    folder: Option<&Path>,
) -> Result<Review, Failure> {
    let requests = target.request_count();
    let target = target.into_target();
    let progress = Progress::new(&target.info().title);
    let began = Instant::now();
    let trouble: Mutex<Option<Failure>> = Mutex::new(None);
    let keep = |partial: &Review| {
        let Some(folder) = folder else {
            return Ok(());
        };
        save(partial, folder).map(drop).map_err(|error| {
            let text = error.to_string();
            *trouble.lock().expect("no thread panics while it saves") = Some(error);
            text
        })
    };
    let options = ReviewOptions {
        save: Some(&keep),
        ..options.clone()
    };
    let review = run_review(target, edition, &options, &|event| progress.show(&event));
    progress.finish();
    let review = review?;
    if let Some(trouble) = trouble.into_inner().expect("no thread panicked") {
        return Err(trouble);
    }
    if let Some(requests) = requests {
        let requests = requests.load(Ordering::Relaxed) as f64;
        let wall = began.elapsed().as_secs_f64();
        eprintln!(
            "{}: {:.1} million requests simulated in {wall:.1} s, {:.2} million a second",
            review.target.title,
            requests / 1e6,
            requests / 1e6 / wall
        );
    }
    Ok(review)
}

fn threads(args: &ReviewArgs) -> usize {
    let processors = || std::thread::available_parallelism().map_or(1, |n| n.get());
    args.threads.unwrap_or_else(processors)
}

fn open_rivals(args: &ReviewArgs) -> Result<Vec<Opened>, Failure> {
    let mut rivals = Vec::new();
    for name in &args.against {
        let opened = if is_simulated(name) {
            open(name, &args.real)?
        } else if Path::new(name).is_file() {
            let real = crate::args::RealArgs {
                size: args.real.size,
                destroy: None,
            };
            open(name, &real)?
        } else {
            return Err(Failure::Input(format!(
                "--against {name}: a rival is a drive model, a model file or a file that exists; \
                 review a block device on its own"
            )));
        };
        rivals.push(opened);
    }
    Ok(rivals)
}

fn folder(args: &ReviewArgs) -> PathBuf {
    if let Some(out) = &args.out {
        return out.clone();
    }
    let stem = Path::new(&args.target)
        .file_stem()
        .map_or_else(|| "target".to_string(), |s| s.to_string_lossy().to_string());
    PathBuf::from(format!("review-{stem}"))
}

/// A review in this folder that was not finished: the command goes on from it.
fn earlier(folder: &Path) -> Result<Option<Review>, Failure> {
    let path = folder.join("review.json");
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(Failure::Io(format!(
                "cannot read {}: {error}",
                path.display()
            )));
        }
    };
    let review: Review = serde_json::from_str(&text).map_err(|error| {
        Failure::Input(format!(
            "{} is not a review ({error}); choose another folder with --out, or move it away",
            path.display()
        ))
    })?;
    Ok((!review.complete).then_some(review))
}

/// Finds out before hours of measuring that the report cannot be written.
fn writable(folder: &Path) -> Result<(), Failure> {
    let probe = folder.join(".stend-writable");
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&probe, b""))
        .and_then(|()| std::fs::remove_file(&probe))
        .map_err(|error| {
            Failure::Io(format!(
                "the report cannot be written to {}: {error}; choose another folder with --out",
                folder.display()
            ))
        })
}

fn save(review: &Review, folder: &Path) -> Result<PathBuf, Failure> {
    let findings: Vec<Finding> = stend_analysis::findings(review)
        .into_iter()
        .map(|(title, text)| Finding { title, text })
        .collect();
    Ok(stend_report::write_folder(review, &findings, folder)?)
}

/// The command that makes the same review again.
fn reproduce(args: &ReviewArgs) -> String {
    let mut command = format!("stend review {}", args.target);
    command += &format!(" --edition {} --seed {}", args.edition, args.seed);
    if let Some(tests) = &args.tests {
        command += &format!(" --tests {}", tests.join(","));
    }
    if !args.against.is_empty() {
        command += &format!(" --against {}", args.against.join(","));
    }
    if args.duration_scale != 1.0 {
        command += &format!(" --duration-scale {}", args.duration_scale);
    }
    if let Some(size) = args.real.size {
        command += &format!(" --size {size}");
    }
    command
}

fn tell(args: &ReviewArgs, review: &Review, page: &Path) -> Result<(), Failure> {
    if args.json {
        let json = serde_json::to_string(review)
            .map_err(|error| Failure::Io(format!("cannot write the review as JSON: {error}")))?;
        eprintln!("report: {}", page.display());
        return print(&(json + "\n"));
    }
    let mut text = format!("{}, edition {}\n", review.target.title, review.edition);
    if review.duration_scale != 1.0 {
        text += &format!(
            "SHORTENED RUN: every duration × {}\n",
            review.duration_scale
        );
    }
    for test in &review.tests {
        text += &test_lines(test);
    }
    for (title, finding) in stend_analysis::findings(review) {
        text += &format!("\n{title}: {finding}\n");
    }
    text += &format!("\nreport: {}\n", page.display());
    print(&text)
}

fn test_lines(test: &TestResult) -> String {
    let mut text = format!("\n{}\n", test.title);
    for point in test.points.iter().flatten() {
        text += &format!(
            "  {:<6} {:>4} KiB, depth {:>2} × {}, {:>3} % reads: {:>9.0} IOPS {:>7.1} MB/s, \
             p99 {:>8.1} µs\n",
            format!("{:?}", point.op).to_lowercase(),
            point.block_bytes as f64 / 1024.0,
            point.queue_depth,
            point.threads,
            point.read_percent,
            point.iops,
            point.bw_bytes_per_s / 1e6,
            point.latency_ns.p99 as f64 / 1e3
        );
    }
    for series in test.series.iter().flatten() {
        let last = series.samples.last();
        text += &format!(
            "  {}: {} samples, {:.1} GB written\n",
            series.name,
            series.samples.len(),
            last.map_or(0.0, |s| s.written_bytes as f64 / 1e9)
        );
    }
    text
}
