//! Reviews that are killed (SIGKILL) at random moments, again and again, until they complete. After
//! each kill the lab is intact and can be opened, `review.json` can be parsed, and finished tests
//! are unchanged; the result is that of an undisturbed review.
//!
//! `STEND_KILLS=10000 STEND_KILL_SEED=S cargo test -p stend --test main kills:: -- --nocapture`
//! makes this number of kills in all, at moments that follow from the seed.

use crate::common;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{
    fails, folder, have, ids, json, list, ok, program, run, saved, small_model, stend, words,
};
use rusqlite::Connection;
use serde_json::Value;
use stend_base::Rng;

/// Default number of kills.
const KILLS: u64 = 20;

/// Number of consecutive kills without a finished test, after which a review fails as endless.
const BARREN_MAX: u32 = 200;

/// A review to be killed.
struct Subject {
    name: &'static str,
    args: &'static [&'static str],
    /// Per cent of all kills.
    share: u64,
    /// Number of its runs in the lab.
    runs: usize,
    real: bool,
}

/// A simulated drive: the same bytes, whatever the number of kills.
const SIMULATED: Subject = Subject {
    name: "simulated",
    args: &[
        "review",
        "./small.toml",
        "--edition",
        "./short.toml",
        "--out",
        "out",
    ],
    share: 60,
    runs: 1,
    real: false,
};

/// A shipped model; most of its tests take longer.
const SHIPPED: Subject = Subject {
    name: "shipped",
    args: &[
        "review",
        "demo-8gb",
        "--duration-scale",
        "0.01",
        "--tests",
        "sequential,random,depth-scaling",
        "--out",
        "out",
    ],
    share: 4,
    runs: 1,
    real: false,
};

/// A simulated drive with a rival, which has its own run.
const WITH_RIVAL: Subject = Subject {
    name: "with a rival",
    args: &[
        "review",
        "./small.toml",
        "--against",
        "./other.toml",
        "--edition",
        "./short.toml",
        "--tests",
        "beginning,whole,trace",
        "--out",
        "out",
    ],
    share: 30,
    runs: 2,
    real: false,
};

/// A file, tested through fio.
const REAL: Subject = Subject {
    name: "a file",
    args: &[
        "review",
        "drive.bin",
        "--size",
        "16MiB",
        "--edition",
        "./short.toml",
        "--out",
        "out",
        // A killed run leaves a file that is not known to be stend's own.
        "--destroy",
        "drive.bin",
    ],
    share: 6,
    runs: 1,
    real: true,
};

/// The folder of a review, with its input files.
struct Place {
    _folder: tempfile::TempDir,
    dir: PathBuf,
    subject: &'static Subject,
}

impl Place {
    fn new(subject: &'static Subject) -> Place {
        let folder = folder();
        let dir = folder.path().to_owned();
        for (name, text) in [
            ("short.toml", include_str!("common/short.toml")),
            ("tiny-start.toml", include_str!("common/tiny-start.toml")),
        ] {
            fs::write(dir.join(name), text).unwrap();
        }
        small_model(&dir, "small");
        small_model(&dir, "other");
        fs::create_dir(dir.join("tmp")).unwrap();
        Place {
            _folder: folder,
            dir,
            subject,
        }
    }

    /// Folder of the report.
    fn out(&self) -> PathBuf {
        self.dir.join("out")
    }

    /// Starts the review; its output goes to a file.
    fn start(&self) -> Child {
        let said = File::create(self.dir.join("said")).unwrap();
        program(&self.dir, self.subject.args)
            .env("TMPDIR", self.dir.join("tmp"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(said)
            .spawn()
            .unwrap()
    }

    fn said(&self) -> String {
        fs::read_to_string(self.dir.join("said")).unwrap()
    }

    /// Runs the review to its end.
    fn finish(&self) {
        let status = self.start().wait().unwrap();
        assert!(status.success(), "{status}: {}", self.said());
    }

    /// Waits until no fio of a killed review is running.
    fn wait_for_fio(&self) {
        if !self.subject.real {
            return;
        }
        let began = Instant::now();
        while runs_with(self.dir.join("tmp").to_str().unwrap()) {
            let patient = began.elapsed() < Duration::from_secs(30);
            assert!(patient, "fio goes on after its review was killed");
            sleep(Duration::from_millis(5));
        }
    }
}

/// True if a process has this text in its command line.
fn runs_with(text: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap();
    let lines = processes.filter_map(|entry| fs::read(entry.ok()?.path().join("cmdline")).ok());
    lines
        .map(|line| String::from_utf8_lossy(&line).into_owned())
        .any(|line| line.contains(text))
}

/// Finished tests of a review.
#[derive(Default)]
struct Kept {
    /// In `review.json`: JSON by target and id.
    in_folder: BTreeMap<(String, String), String>,
    /// In the lab: SHA-256 by run and id.
    in_lab: BTreeMap<(i64, String), String>,
    complete: bool,
}

impl Kept {
    /// Reads the state after a kill. The lab is read from a copy, so that the next command finds it
    /// unchanged.
    fn of(place: &Place) -> Kept {
        let mut kept = Kept::default();
        let copy = place.dir.join("copy");
        let _ = fs::remove_dir_all(&copy);
        fs::create_dir(&copy).unwrap();
        for entry in fs::read_dir(place.dir.join(".lab")).into_iter().flatten() {
            let file = entry.unwrap();
            fs::copy(file.path(), copy.join(file.file_name())).unwrap();
        }
        if copy.join("lab.db").exists() {
            kept.look_at_lab(place);
        }
        let path = place.out().join("review.json");
        if path.exists() {
            let review = saved(&place.out());
            kept.complete |= review["complete"] == true;
            kept.add(&review);
            let rivals = review["rivals"].as_array();
            rivals.iter().for_each(|rivals| {
                rivals.iter().for_each(|rival| kept.add(rival));
            });
        }
        kept
    }

    fn add(&mut self, of: &Value) {
        let title = of["target"]["title"].as_str().unwrap();
        for test in list(&of["tests"]) {
            let key = (
                title.to_owned(),
                test["id"].as_str().expect("an id").to_owned(),
            );
            self.in_folder.insert(key, test.to_string());
        }
    }

    fn look_at_lab(&mut self, place: &Place) {
        let args = ["lab", "list", "--json", "--lab", "copy/lab.db"];
        let listed = run(&mut stend(&place.dir, &args));
        // The process was killed before the lab contained anything.
        if listed.code == Some(3) && listed.stderr.contains("there is no lab yet") {
            return;
        }
        assert_eq!(listed.code, Some(0), "{}", listed.stderr);
        let runs = json(&listed.stdout);
        let runs = list(&runs);
        assert!(runs.len() <= place.subject.runs, "{runs:#?}");
        let complete = runs.iter().filter(|run| run["state"] == "complete");
        self.complete |= complete.count() == place.subject.runs;
        let lab = Connection::open(place.dir.join("copy/lab.db")).unwrap();
        let whole: String = lab
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .unwrap();
        assert_eq!(whole, "ok");
        if runs.is_empty() {
            return;
        }
        let mut dangling = lab.prepare("PRAGMA foreign_key_check").unwrap();
        assert!(!dangling.exists([]).unwrap());
        let mut tests = lab.prepare("SELECT run, test, sha256 FROM tests").unwrap();
        let rows = tests.query_map([], |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?)));
        self.in_lab = rows.unwrap().collect::<Result<_, _>>().unwrap();
    }

    /// Number of finished tests.
    fn len(&self) -> usize {
        self.in_folder.len().max(self.in_lab.len())
    }

    /// Checks that earlier finished tests are unchanged.
    fn follows(&self, before: &Kept) {
        for (test, was) in &before.in_folder {
            assert_eq!(self.in_folder.get(test), Some(was), "{test:?}");
        }
        for (test, was) in &before.in_lab {
            assert_eq!(self.in_lab.get(test), Some(was), "{test:?}");
        }
    }
}

/// An undisturbed review.
struct Whole {
    place: Place,
    time: Duration,
}

impl Whole {
    fn of(subject: &'static Subject) -> Whole {
        let place = Place::new(subject);
        let began = Instant::now();
        place.finish();
        Whole {
            time: began.elapsed(),
            place,
        }
    }

    /// Checks that a killed review has the same result.
    fn is_that_of(&self, place: &Place, kept: &Kept) {
        let [ours, theirs] = [&self.place, place].map(|place| saved(&place.out()));
        assert_eq!(theirs["complete"], true);
        assert_eq!(ids(&theirs), ids(&ours));
        Kept::of(place).follows(kept);
        let listed = json(&ok(&place.dir, &["lab", "list", "--json"]).stdout);
        let states: Vec<&Value> = list(&listed).iter().map(|run| &run["state"]).collect();
        assert_eq!(states, vec!["complete"; place.subject.runs]);
        let shown = ok(&place.dir, &["lab", "show", "1", "--json"]).stdout;
        assert_eq!(json(&shown), theirs);
        if place.subject.real {
            assert_eq!(conditions(&theirs), conditions(&ours));
            let page = fs::read_to_string(place.out().join("index.html")).unwrap();
            let told = page.contains("the run was stopped after");
            assert_eq!(told, list(&listed)[0]["breaks"] != 0, "{listed}");
            let names = |review: &Value| -> Vec<Value> {
                let environment = list(&review["environment"]).iter();
                environment.map(|fact| fact["id"].clone()).collect()
            };
            assert_eq!(names(&theirs), names(&ours));
            let told = |review: &Value| host_limit(review).matches(" IOPS").count();
            assert_eq!(told(&theirs), told(&ours), "{}", host_limit(&theirs));
        } else {
            for name in ["review.json", "index.html"] {
                let read = |place: &Place| fs::read(place.out().join(name)).unwrap();
                assert!(read(place) == read(&self.place), "{name} is another");
            }
        }
        let page = fs::read_to_string(place.out().join("index.html")).unwrap();
        assert!(!page.contains(">INCOMPLETE"), "the page is an older one");
    }
}

/// All conditions except notes about interruptions.
fn conditions(review: &Value) -> Vec<&Value> {
    let all = list(&review["conditions"]).iter();
    all.filter(|condition| condition["id"] != "interrupted")
        .collect()
}

fn host_limit(review: &Value) -> &str {
    let facts = list(&review["environment"]).iter();
    let mut limit = facts.filter(|fact| fact["id"] == "host-limit");
    limit.next().map_or("", |fact| words(&fact["value"]))
}

/// Counts of kills and reviews.
#[derive(Debug, Default)]
struct Tried {
    /// Kills while the review ran.
    kills: u64,
    /// Kills after its end.
    too_late: u64,
    /// Kills before a test was finished.
    before_first: u64,
    /// Completed reviews.
    reviews: u64,
}

/// Runs one review, killing it until it completes.
fn kill_until_its_end(whole: &Whole, rng: &mut Rng, tried: &mut Tried) {
    let place = Place::new(whole.place.subject);
    let mut kept = Kept::default();
    let mut barren = 0;
    while !kept.complete {
        let mut child = place.start();
        // One kill in four comes early, while files are opened. The range grows while no test
        // finishes.
        let most = match rng.ratio(1, 4) {
            true => whole.time / 6,
            false => whole.time + whole.time / 8 * barren,
        };
        sleep(most.mul_f64(rng.unit_f64()));
        if child.try_wait().unwrap().is_none() {
            child.kill().unwrap();
        }
        let status = child.wait().unwrap();
        match status.code() {
            None => tried.kills += 1,
            Some(0) => tried.too_late += 1,
            Some(_) => panic!("{status}: {}", place.said()),
        }
        place.wait_for_fio();
        let now = Kept::of(&place);
        assert!(now.complete || !status.success(), "{}", place.said());
        now.follows(&kept);
        tried.before_first += u64::from(now.len() == 0);
        barren = if now.len() > kept.len() {
            0
        } else {
            barren + 1
        };
        assert!(barren < BARREN_MAX, "nothing is finished any more");
        kept = now;
    }
    finish_folder(&place);
    whole.is_that_of(&place, &kept);
    tried.reviews += 1;
}

/// If the kill came between lab and folder, checks that the same command completes the folder.
fn finish_folder(place: &Place) {
    if place.out().join("review.json").exists() && saved(&place.out())["complete"] == true {
        return;
    }
    if place.subject.real {
        let said = fails(&place.dir, place.subject.args, 3, &["finished review of"]);
        assert!(said.contains("lacks finished tests"), "{said}");
    } else {
        place.finish();
    }
}

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{name} is a number")),
    )
}

/// Prints the seed that repeats the same moments.
struct Replay(u64);

impl Drop for Replay {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the same moments again: STEND_KILL_SEED={}", self.0);
        }
    }
}

fn kill_again_and_again(subject: &'static Subject) {
    let clock = || {
        let now = std::time::SystemTime::now();
        let since = now.duration_since(std::time::UNIX_EPOCH);
        since.unwrap().as_nanos() as u64
    };
    let seed = number("STEND_KILL_SEED").unwrap_or_else(clock);
    let _replay = Replay(seed);
    let kills = (number("STEND_KILLS").unwrap_or(KILLS) * subject.share).div_ceil(100);
    let mut rng = Rng::stream(seed, subject.name);
    let mut whole = Whole::of(subject);
    let mut tried = Tried::default();
    while tried.kills < kills {
        kill_until_its_end(&whole, &mut rng, &mut tried);
        if tried.reviews % 50 == 0 {
            println!("{}: {tried:?}", subject.name);
            // Measured again at the machine's present speed.
            whole = Whole::of(subject);
        }
    }
    println!("{}: seed {seed}, {tried:?}", subject.name);
}

#[test]
fn a_simulated_review_comes_to_the_same_end() {
    kill_again_and_again(&SIMULATED);
}

#[test]
fn a_review_of_a_shipped_model_comes_to_the_same_end() {
    kill_again_and_again(&SHIPPED);
}

#[test]
fn a_review_with_a_rival_comes_to_the_same_end() {
    kill_again_and_again(&WITH_RIVAL);
}

#[test]
fn a_review_of_a_file_comes_to_its_end() {
    if have(&["fio", "setpriv"]) {
        kill_again_and_again(&REAL);
    }
}
