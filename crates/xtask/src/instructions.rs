//! `cargo xtask instructions`: counts instructions, which, unlike times, do not depend on a busy
//! machine.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::args::InstructionsArgs;
use crate::failure::Failure;
use crate::output::{note, print};
use crate::program::{program, root, said};

const RECORD: &str = "benches/results/instructions.tsv";
const MODEL: &str = "benches/models/samsung-850-pro-scaled-8gb.toml";
const JOBS: [&str; 3] = ["random-write", "random-read-qd32", "sequential-write"];

/// Instructions by job.
type Counts = BTreeMap<String, u64>;

pub fn run(args: &InstructionsArgs) -> Result<(), Failure> {
    let valgrind = said(Command::new("valgrind").arg("--version")).ok_or_else(|| {
        Failure::ToolMissing(
            "valgrind is missing: install it (Debian: apt-get install valgrind)".to_owned(),
        )
    })?;
    let program = program(args.program.as_deref(), args.smoke)?;
    if args.smoke {
        // One job shows that counting works.
        let jobs = &JOBS[..1];
        let now = count_all(&program, jobs)?;
        let row = |job: &&str| format!("{job:<22} {:>16}\n", now[*job]);
        return print(&jobs.iter().map(row).collect::<String>());
    }
    let now = count_all(&program, &JOBS)?;
    let rustc = said(Command::new("rustc").arg("-V")).unwrap_or_default();
    let tools = format!("{rustc}, {valgrind}");
    let path = root().join(RECORD);
    if args.renew {
        let mut text = format!("# instructions of each job; {tools}\n");
        for job in JOBS {
            text += &format!("{job}\t{}\n", now[job]);
        }
        fs::write(&path, &text)
            .map_err(|error| Failure::Io(format!("cannot write {RECORD}: {error}")))?;
        return print(&text);
    }
    let record = fs::read_to_string(&path).unwrap_or_default();
    let (before_tools, before) = parse(&record);
    if before_tools.is_some_and(|before| before != tools) {
        note(&format!(
            "warning: recorded with {}; these are {tools}",
            before_tools.unwrap_or_default()
        ));
    }
    print(&table(&before, &now))
}

/// Counts jobs in parallel: a count does not depend on other programs.
fn count_all(program: &Path, jobs: &[&'static str]) -> Result<Counts, Failure> {
    let folder = tempfile::tempdir()
        .map_err(|error| Failure::Io(format!("cannot make a temporary folder: {error}")))?;
    std::thread::scope(|scope| {
        let one = |&job: &&'static str| {
            note(&format!("counting {job} …"));
            let folder = folder.path();
            (job, scope.spawn(move || count(program, job, folder)))
        };
        let counting: Vec<_> = jobs.iter().map(one).collect();
        let joined = counting.into_iter().map(|(job, thread)| {
            let count = thread.join().expect("counting does not panic")?;
            Ok((job.to_owned(), count))
        });
        joined.collect()
    })
}

fn count(program: &Path, job: &str, folder: &Path) -> Result<u64, Failure> {
    let counts = folder.join(format!("{job}.out"));
    let mut command = Command::new("valgrind");
    command
        .current_dir(root())
        // A fixed environment, because reading its variables costs instructions.
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .arg("--tool=callgrind")
        .arg(format!("--callgrind-out-file={}", counts.display()))
        .arg(program)
        .args(["run", &format!("benches/jobs/{job}.fio"), "--on", MODEL])
        .arg("--output")
        .arg(folder.join(format!("{job}.txt")));
    let output = command
        .output()
        .map_err(|error| Failure::Io(format!("cannot start valgrind: {error}")))?;
    if !output.status.success() {
        note(&String::from_utf8_lossy(&output.stderr));
        return Err(Failure::Io(format!(
            "{job} did not run under valgrind; its output is above"
        )));
    }
    let text = fs::read_to_string(&counts).unwrap_or_default();
    total(&text).ok_or_else(|| Failure::Io(format!("{job}: callgrind wrote no total")))
}

/// Total of all costs, of which only instructions are counted.
fn total(text: &str) -> Option<u64> {
    let mut totals = text.lines().filter_map(|line| {
        line.strip_prefix("totals: ")
            .or(line.strip_prefix("summary: "))
    });
    totals.next_back()?.trim().parse().ok()
}

/// Tools and counts of a record.
fn parse(record: &str) -> (Option<&str>, Counts) {
    let first = record.lines().next().unwrap_or_default();
    let tools = first
        .strip_prefix('#')
        .and_then(|line| line.split_once("; "));
    let row = |line: &str| {
        let (job, count) = line.split_once('\t')?;
        Some((job.to_owned(), count.parse().ok()?))
    };
    let counts = record.lines().filter_map(row).collect();
    (tools.map(|(_, tools)| tools), counts)
}

fn table(before: &Counts, now: &Counts) -> String {
    let row = |job: &str, was: &str, is: &str, change: &str| {
        format!("{job:<22} {was:>16} {is:>16} {change:>10}\n")
    };
    let mut text = row("job", "recorded", "now", "change, %");
    for job in JOBS {
        let (was, is) = (before.get(job).copied().unwrap_or(0), now[job]);
        text += &match was {
            0 => row(job, "-", &is.to_string(), "-"),
            _ => {
                let change = (is as f64 / was as f64 - 1.0) * 100.0;
                row(
                    job,
                    &was.to_string(),
                    &is.to_string(),
                    &format!("{change:+.2}"),
                )
            }
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_and_compared_with() {
        let (tools, before) =
            parse("# instructions of each job; rustc 1, valgrind-3\nrandom-write\t200\n");
        assert_eq!(tools, Some("rustc 1, valgrind-3"));
        let now = JOBS.map(|job| (job.to_owned(), 201)).into();
        let text = table(&before, &now);
        let row = |name: &str| {
            let line = text.lines().find(|line| line.starts_with(name)).unwrap();
            line.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(row("random-write"), ["random-write", "200", "201", "+0.50"]);
        assert_eq!(
            row("sequential-write"),
            ["sequential-write", "-", "201", "-"]
        );
        assert_eq!(parse(""), (None, Counts::new()));
    }

    #[test]
    fn the_last_total_of_callgrind_counts() {
        assert_eq!(
            total("events: Ir\nsummary: 7\nfn=(1)\ntotals: 9\n"),
            Some(9)
        );
        assert_eq!(total("summary: 7\n"), Some(7));
        assert_eq!(total("events: Ir\n"), None);
    }
}
