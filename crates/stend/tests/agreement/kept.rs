//! fio's jobs, answers and logs, saved by a script that replaces fio.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::{fake_fio, json, list};

/// Creates a script that replaces fio. It saves every job, its answer and its logs, each in its own
/// folder in `answers`, and the time of the target's last change, s.
pub fn keeping_fio(dir: &Path) -> PathBuf {
    let answers = dir.join("answers");
    fs::create_dir(&answers).unwrap();
    fake_fio(
        dir,
        &format!(
            "for arg; do case \"$arg\" in --output=*) answer=\"${{arg#--output=}}\" ;; esac; done\n\
             fio \"$@\"; code=$?\n\
             to={answers}/$(ls {answers} | wc -l)\n\
             mkdir $to && cp \"$job\" $to/job && cp \"$answer\" $to/json\n\
             stat --format %.9Z {target} > $to/changed 2> /dev/null\n\
             for log in stend_*.log trace.log; do test -e $log && cp $log $to/; done\n\
             exit $code",
            answers = answers.display(),
            target = dir.join("drive.bin").display(),
        ),
    )
}

/// Job and answer of one run of fio.
pub struct Answer {
    folder: PathBuf,
    /// The job file.
    pub text: String,
    json: Value,
}

impl Answer {
    /// The jobs of the answer.
    pub fn jobs(&self) -> &[Value] {
        list(&self.json["jobs"])
    }

    /// The only job.
    pub fn job(&self) -> &Value {
        let [job] = self.jobs() else {
            panic!("reported apart: {}", self.text)
        };
        job
    }

    /// Reads a file of the run.
    pub fn file(&self, name: &str) -> String {
        let path = self.folder.join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Rows of a log of histograms: the time, and a count for each bin.
    pub fn histograms(&self, name: &str) -> Vec<(u64, Vec<u64>)> {
        let rows = self.log(name);
        rows.into_iter()
            .map(|row| (row[0], row[3..].to_vec()))
            .collect()
    }

    /// Rows of a log.
    pub fn log(&self, name: &str) -> Vec<Vec<u64>> {
        let text = self.file(name);
        let row = |line: &str| {
            let numbers = line.split(',').map(|field| field.trim().parse().unwrap());
            numbers.collect()
        };
        text.lines().map(row).collect()
    }
}

/// All runs of fio, in chronological order.
pub struct Kept(Vec<Answer>);

impl Kept {
    pub fn read(dir: &Path) -> Kept {
        let answers = dir.join("answers");
        let count = fs::read_dir(&answers).unwrap().count();
        let read = |number: usize| {
            let folder = answers.join(number.to_string());
            let text = |name| fs::read_to_string(folder.join(name)).unwrap();
            let answer = text("json");
            // fio's remarks about the job precede the document.
            let document = answer.find('{').map_or("", |at| &answer[at..]);
            Answer {
                text: text("job"),
                json: json(document),
                folder,
            }
        };
        Kept((0..count).map(read).collect())
    }

    pub fn all(&self) -> &[Answer] {
        &self.0
    }

    /// Runs of a displayed job that differ only in the seed.
    pub fn repeats_of(&self, job: &Value) -> Vec<&Answer> {
        let seedless = |text: &str| -> Vec<String> {
            let lines = text.lines().filter(|line| !line.starts_with("randseed="));
            lines.map(str::to_owned).collect()
        };
        let wanted = seedless(shown(job));
        let alike = |answer: &&Answer| seedless(&answer.text) == wanted;
        self.0.iter().filter(alike).collect()
    }

    /// Runs of a displayed job whose text has remarks before or after it.
    pub fn all_of(&self, job: &Value) -> Vec<&Answer> {
        let text = shown(job);
        let held = |answer: &&Answer| text.contains(&answer.text);
        self.0.iter().filter(held).collect()
    }

    /// The only run of a displayed job.
    pub fn of(&self, job: &Value) -> &Answer {
        let text = shown(job);
        let mut found = self.0.iter().filter(|answer| answer.text == text);
        let answer = found.next().expect("the job that is shown was run");
        assert!(found.next().is_none(), "twice: {text}");
        answer
    }
}

fn shown(job: &Value) -> &str {
    job["text"].as_str().unwrap()
}
