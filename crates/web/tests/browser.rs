//! The pages in headless Chromium. Skipped without Chromium, unless `STEND_REQUIRE_TOOLS=1`.

use std::thread::JoinHandle;

use stend_lab::Lab;
use stend_lab::progress::{self, LiveCurve, Progress};
use stend_record::review::TargetKind;
use stend_web::{Server, Stop};
use tempfile::TempDir;

use crate::accessibility::{assert_contrast, assert_no_barrier, assert_reached_by_tab};
use crate::chromium::Browser;
use crate::common::{
    NOW_UNIX_MS, job_result, multiply, program, record, replay_result, review, save, smart, study,
};

/// A lab with two runs, served.
struct Served {
    address: String,
    lab: Lab,
    stop: Stop,
    thread: Option<JoinHandle<()>>,
    folder: TempDir,
}

impl Served {
    fn start() -> Served {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lab.db");
        let mut lab = Lab::open(&path).expect("a lab");
        let simulated = review("SanDisk Ultra II 240 GB", TargetKind::Simulated, "2014");
        let mut real = review("Samsung 850 EVO 500 GB", TargetKind::BlockDevice, "2014");
        real.smart = Some(smart());
        save(&mut lab, &simulated);
        save(&mut lab, &real);
        let job = Some("[mixed]\nrw=randrw\nrwmixread=75\nbs=4k\niodepth=32\n");
        record(&mut lab, &simulated, "mixed.fio", job, &job_result());
        record(&mut lab, &real, "office.csv", None, &replay_result());
        study(&mut lab, "slc-cache", "demo-8gb", NOW_UNIX_MS);
        let server = Server::bind(path, 0, program(), |_| 2).expect("a port");
        let (address, stop) = (server.address(), server.stopper());
        let mut served = Served {
            address,
            lab,
            stop,
            thread: None,
            folder,
        };
        served.run(server);
        served
    }

    fn run(&mut self, server: Server) {
        self.stop = server.stopper();
        self.thread = Some(std::thread::spawn(move || server.run().expect("it serves")));
    }

    fn end(&mut self) {
        self.stop.stop();
        let thread = self.thread.take().expect("it runs");
        thread.join().expect("it ends");
    }

    /// Starts another server at the same address.
    fn start_again(&mut self) {
        let port = self.address.trim_end_matches('/').rsplit(':').next();
        let port = port.and_then(|port| port.parse().ok()).expect("a port");
        let path = self.folder.path().join("lab.db");
        let server = Server::bind(path, port, program(), |_| 2).expect("the port");
        self.run(server);
    }

    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || std::thread::panicking());
        }
    }
}

/// Checks a page: wide, dark, and on a phone, where nothing may extend beyond the sides. It must
/// have no accessibility faults.
fn look_at(browser: &mut Browser, name: &str) {
    let width = "document.readyState === 'complete' && innerWidth";
    browser.wait_in_frames(&format!("{width} > 390"));
    browser.picture(name);
    assert_no_barrier(browser, name);
    assert_reached_by_tab(browser, name);
    browser.dark(true);
    // A report in its frame is as dark as the page around it.
    let dark = "getComputedStyle(document.body).backgroundColor";
    let paper = browser.value(dark);
    browser.wait_in_frames(&format!("{dark} === {paper}"));
    browser.picture(&format!("{name}-dark"));
    assert_contrast(browser, name);
    browser.dark(false);
    browser.size(390, 844, true);
    browser.wait_in_frames(&format!("{width} <= 390"));
    // Charts are redrawn a moment later.
    browser.wait(
        "[...document.querySelectorAll('.chart .main-svg')].every((one) => \
         one.getBoundingClientRect().right <= window.innerWidth)",
    );
    browser.picture(&format!("{name}-phone"));
    browser.value("document.querySelectorAll('details').forEach((one) => one.open = true)");
    assert!(!browser.scrolls_sideways(), "{name} is wider than a phone");
    browser.size(1280, 900, false);
}

#[test]
fn reviews_are_found_and_compared() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let served = Served::start();
    browser.open(&served.address);
    assert_eq!(
        browser.value("document.querySelectorAll('tbody tr').length"),
        2
    );
    look_at(&mut browser, "list");
    // At least two runs are needed for a comparison.
    assert_eq!(
        browser.value("document.querySelector('button.compare').disabled"),
        true
    );
    browser.value("document.querySelectorAll('input[name=run]').forEach((box) => box.click())");
    assert_eq!(
        browser.value("document.querySelector('button.compare').disabled"),
        false
    );
    browser.value("document.querySelector('button.compare').click()");
    browser.wait("location.pathname === '/compare'");
    browser.wait("document.readyState === 'complete'");
    browser.assert_quiet(&served.address);
    look_at(&mut browser, "compare");
    assert_eq!(browser.frames(), 1, "the report");
    // A user who goes back finds the selection, and can compare it.
    browser.value("history.back()");
    browser.wait("document.querySelectorAll('input[name=run]:checked').length === 2");
    browser.wait("!document.querySelector('button.compare').disabled");
    browser.value("history.forward()");
    browser.wait("location.pathname === '/compare'");
    // The frame has its own origin: neither page can access the other.
    let inside = "document.querySelector('iframe').contentDocument === null";
    browser.wait(inside);
    browser.open(&served.at("compare/report?run=1&run=2"));
    browser.wait("document.documentElement.dataset.charts === 'drawn'");
    assert_eq!(browser.value("self.origin"), "null");
    browser.open(&served.at("runs/1"));
    browser.value("document.querySelector('.back').click()");
    browser.wait("location.pathname === '/' && document.querySelectorAll('tbody tr').length === 2");
    browser.assert_quiet(&served.address);
}

/// Returns a script that checks the boxes of runs, like a user who clicks.
fn choose(runs: &str) -> String {
    format!(
        "for (const run of [{runs}]) \
         document.querySelector(`input[name=run][value='${{run}}']`).click()"
    )
}

#[test]
fn a_choice_is_kept_over_pages_and_searches() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let served = Served::start();
    multiply(&served.folder.path().join("lab.db"), 60);
    let button = "document.querySelector('button.compare')";
    let loaded = format!("document.readyState === 'complete' && {button} !== null");
    let chosen = "[...document.querySelectorAll('.chosen input:checked')].map((box) => box.value)\
                  .sort().join()";
    browser.open(&served.address);
    browser.value(&choose("1, 2"));
    browser.value("document.querySelector('.pager button').click()");
    browser.wait(&format!("location.search.includes('from=50') && {loaded}"));
    assert_eq!(browser.value(chosen), "1,2");
    browser.value(&choose("60"));
    // A user who reloads the page finds the same choice.
    browser.value("location.reload()");
    browser.wait(&format!("{button}?.innerText === 'Compare the 3 chosen'"));
    look_at(&mut browser, "list-chosen");
    browser.value("document.querySelector('[name=text]').value = 'EVO'");
    browser.value("document.querySelector('form.search .buttons button').click()");
    browser.wait(&format!("location.search.includes('text=EVO') && {loaded}"));
    assert_eq!(browser.value(chosen), "1,60", "run 2 is in the list");
    let boxes = "document.querySelectorAll('input[name=run]:checked').length";
    assert_eq!(browser.value(boxes), 3);
    browser.value("document.querySelector('form.search a[data-carries]').click()");
    browser.wait(&format!("!location.search.includes('text') && {loaded}"));
    assert_eq!(browser.value(boxes), 3);
    browser.value(&choose("3, 4, 5, 6"));
    let limit = "document.querySelector('.limit').innerText";
    let limit = browser.value(limit);
    let limit = limit.as_str().expect("a text");
    assert!(
        limit.starts_with("At most 6 runs can be compared, and 7 are chosen"),
        "{limit}"
    );
    assert_eq!(browser.value(&format!("{button}.disabled")), true);
    look_at(&mut browser, "list-too-many");
    browser.value(&choose("3, 4, 5, 6"));
    assert_eq!(
        browser.value("document.querySelector('.limit').innerText"),
        ""
    );
    browser.value(&format!("{button}.click()"));
    browser.wait("location.pathname === '/compare' && document.readyState === 'complete'");
    // A drive of the comparison becomes its reference, and the list still has the choice.
    browser.value("document.querySelector('select[name=reference]').value = '2'");
    browser.value("document.querySelector('form.reference button').click()");
    browser.wait("location.search.startsWith('?run=2') && document.readyState === 'complete'");
    let first = "document.querySelector('select[name=reference]').value";
    assert_eq!(browser.value(first), "2");
    browser.value("document.querySelector('.back').click()");
    browser.wait(&format!("location.pathname === '/' && {loaded}"));
    browser.wait(&format!("{boxes} === 3"));
    browser.assert_quiet(&served.address);
}

#[test]
fn a_run_is_given_a_label() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let served = Served::start();
    for path in ["runs/1", "jobs/1"] {
        browser.open(&served.at(path));
        browser.tab_to("details.marks > summary");
        browser.type_key("Enter");
        browser.tab_to("input[name=label]");
        browser.write("j3");
        browser.type_key("Enter");
        browser.wait("document.querySelector('.banner')?.innerText.includes('number of the lab')");
        // The rejection of the form is on the console.
        browser.console.clear();
        browser.open(&served.at(path));
        browser.tab_to("details.marks > summary");
        browser.type_key("Enter");
        browser.tab_to("input[name=label]");
        browser.write("cold");
        browser.tab_to("input[name=note]");
        browser.write("in a fridge, 5 °C");
        browser.type_key("Enter");
        browser.wait("document.querySelector('.marked')?.innerText === 'cold in a fridge, 5 °C'");
        look_at(&mut browser, &format!("{}-marked", &path[..3]));
        browser.assert_quiet(&served.address);
    }
    browser.open(&served.address);
    browser.wait("document.querySelector('small.label').innerText === 'cold'");
    look_at(&mut browser, "list-marked");
}

#[test]
fn everything_can_be_done_by_keyboard() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let served = Served::start();
    browser.open(&served.address);
    browser.type_key("Tab");
    let skip = "document.activeElement.className === 'skip'";
    assert_eq!(
        browser.value(skip),
        true,
        "the first is the way past the navigation"
    );
    browser.tab_to("input[name=text]");
    browser.write("ultra");
    browser.type_key("Enter");
    browser.wait("location.search.includes('text=ultra') && document.readyState === 'complete'");
    assert_eq!(
        browser.value("document.querySelectorAll('tbody tr').length"),
        1
    );
    browser.open(&served.address);
    for run in [2, 1] {
        browser.tab_to(&format!("input[name=run][value='{run}']"));
        browser.type_key(" ");
    }
    browser.value("document.activeElement.blur()");
    browser.tab_to("button.compare");
    browser.type_key("Enter");
    browser.wait("location.pathname === '/compare' && document.readyState === 'complete'");
    browser.open(&served.at("what-if?drive=demo-8gb"));
    browser.tab_to("input[type=range][data-for='slc_cache.blocks_per_plane']");
    for _ in 0..3 {
        browser.type_key("ArrowLeft");
    }
    browser.wait("document.querySelector('#check').innerText.includes('SLC cache')");
    let changed = "document.querySelectorAll('.input.changed').length";
    assert_eq!(browser.value(changed), 1);
    browser.tab_to("button.go");
    browser.type_key("Enter");
    browser.wait("location.pathname === '/what-if/1'");
    browser.wait("document.querySelector('form button, [data-over]') !== null");
    browser.assert_quiet(&served.address);
}

#[test]
fn a_review_under_way_grows() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let mut served = Served::start();
    let mut told = Progress {
        title: "SanDisk Ultra II 240 GB".to_owned(),
        edition: "2014".to_owned(),
        doing: "degradation: fresh: 4 KiB random write, queue depth 32".to_owned(),
        share_done: 0.31,
        left_words: "about 3 min left".to_owned(),
        log: vec!["Random read and write done".to_owned()],
        simulated: true,
        begun_unix_ms: NOW_UNIX_MS - 60_000,
        seen_unix_ms: NOW_UNIX_MS,
        ..Progress::default()
    };
    let curve = |points: u32| LiveCurve {
        name: "degradation, fresh: 4 KiB random write, queue depth 32".to_owned(),
        t_s: (1..=points).map(|n| f64::from(n) * 10.0).collect(),
        iops: (1..=points)
            .map(|n| 80_000.0 / (1.0 + f64::from(n / 40)))
            .collect(),
        preliminary: false,
    };
    let id = progress::begin(&mut served.lab, &told).expect("it begins");
    told.curve = Some(curve(100));
    progress::update(&mut served.lab, id, &told).expect("it is told");
    browser.open(&served.at("live/1"));
    browser.wait("document.querySelectorAll('.chart .scatterlayer .trace').length === 1");
    let points = "document.querySelector('.chart').data[0].x.length";
    assert_eq!(browser.value(points), 100);
    told.curve = Some(curve(300));
    told.share_done = 0.58;
    progress::update(&mut served.lab, id, &told).expect("it is told");
    browser.wait(&format!("{points} === 300"));
    browser.wait("document.querySelector('progress').value === 58");
    look_at(&mut browser, "live");
    told.ended = true;
    progress::update(&mut served.lab, id, &told).expect("it is told");
    browser.wait("document.querySelector('[data-over]') !== null");
    browser.open(&served.at("live"));
    look_at(&mut browser, "live-list");
    browser.assert_quiet(&served.address);
}

/// Returns a script that changes a figure like a user who types.
fn set_to(key: &str, value: &str) -> String {
    format!(
        "(() => {{ const one = document.getElementById('{key}'); one.value = '{value}'; \
         one.dispatchEvent(new Event('input', {{bubbles: true}})); }})()"
    )
}

#[test]
fn a_drive_of_ones_own_is_changed() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let served = Served::start();
    browser.open(&served.at("what-if?drive=demo-8gb"));
    // A user's own file, chosen in the browser, becomes the drive.
    let mine = include_str!("../../../drives/demo-8gb.toml");
    let mine = mine.replace("Demonstration drive, 8 GB", "My own drive");
    let choose = format!(
        "(() => {{ const files = new DataTransfer(); files.items.add(new File([{}], 'mine.toml')); \
         const input = document.querySelector('input[type=file]'); input.files = files.files; \
         input.dispatchEvent(new Event('change')); \
         document.querySelector('details.fold').open = true; }})()",
        serde_json::json!(mine)
    );
    browser.value(&choose);
    browser.wait("document.getElementById('own-model').value.includes('My own drive')");
    look_at(&mut browser, "what-if-own-file");
    browser.value("document.querySelector('form.own button').click()");
    browser.wait("document.querySelector('.inputs h2')?.innerText.startsWith('My own drive')");
    look_at(&mut browser, "what-if-own");
    browser.value(&set_to("slc_cache.blocks_per_plane", "60"));
    browser.wait("document.querySelector('#check').innerText.includes('SLC cache')");
    browser.assert_quiet(&served.address);
}

#[test]
fn a_drive_is_changed_and_seen_beside_itself() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let served = Served::start();
    browser.open(&served.at("what-if?drive=demo-8gb"));
    look_at(&mut browser, "what-if");
    // An impossible drive is reported before it is requested.
    browser.value(&set_to("nand.blocks_per_plane", "20"));
    browser
        .wait("document.querySelector('#check').innerText.includes('No drive can be like this')");
    let original = "document.getElementById('nand.blocks_per_plane').dataset.original";
    let original = browser.value(original);
    browser.value(&set_to(
        "nand.blocks_per_plane",
        original.as_str().expect("a figure"),
    ));
    browser.value(&set_to("slc_cache.blocks_per_plane", "60"));
    browser.wait("document.querySelector('#check').innerText.includes('SLC cache')");
    browser.picture("what-if-changed");
    // A user who goes back sees the drive's own figures, or the changed ones marked as changed.
    browser.open(&served.at("queue"));
    browser.value("history.back()");
    browser.wait("document.getElementById('check') !== null");
    browser.wait(
        "[...document.querySelectorAll('[data-original]')].every((one) => \
         (one.value !== one.dataset.original) === one.closest('.input').matches('.changed'))",
    );
    browser.value(&set_to("slc_cache.blocks_per_plane", "60"));
    browser.wait("document.querySelector('#check').innerText.includes('SLC cache')");
    browser.value("document.querySelector('button.go').click()");
    browser.wait("location.pathname === '/what-if/1'");
    browser.wait("document.querySelectorAll('#part .scatterlayer .trace').length > 0");
    browser.picture("what-if-running");
    assert_no_barrier(&mut browser, "what-if-running");
    browser.open(&served.at("queue"));
    look_at(&mut browser, "queue");
    browser.open(&served.at("what-if/1"));
    browser.wait("document.querySelector('[data-over]') !== null");
    browser.wait("document.body.innerText.includes('Where the two hours end')");
    // Dots and means of both drives, and the mixed loads of both.
    browser.wait("document.querySelectorAll('#part .scatterlayer .trace').length === 6");
    assert_eq!(
        browser.value("document.querySelectorAll('.loads tbody tr').length"),
        7
    );
    browser.wait("document.querySelector('.short') === null");
    look_at(&mut browser, "what-if-done");
    browser.value("window.scrollTo(0, 700)");
    browser.picture("what-if-loads");
    browser.assert_quiet(&served.address);
}

#[test]
fn a_server_that_has_ended_is_reported_until_it_is_reached_again() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let mut served = Served::start();
    browser.open(&served.at("what-if?drive=demo-8gb"));
    let reported = "document.querySelector('.banner')?.innerText.startsWith('The server is not')";
    served.end();
    browser.value(&set_to("slc_cache.blocks_per_plane", "60"));
    browser.wait(reported);
    browser.picture("what-if-not-reached");
    // Nothing is typed again: the page shows the change, and its form is accepted.
    served.start_again();
    browser.wait("document.querySelector('.banner') === null");
    browser.wait("document.querySelector('#check').innerText.includes('SLC cache')");
    browser.value("document.querySelector('button.go').click()");
    browser.wait("location.pathname === '/what-if/1' && document.querySelector('#part') !== null");
    served.end();
    browser.wait(reported);
    served.start_again();
    browser.wait("document.querySelector('.banner') === null");
    browser.wait("document.querySelectorAll('#part .scatterlayer .trace').length > 0");
}

#[test]
fn pages_of_reviews_are_there_in_russian() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let served = Served::start();
    browser.open(&served.address);
    browser.value(&choose("1, 2"));
    browser.value("document.querySelector('nav .language').click()");
    browser.wait("document.documentElement.lang === 'ru' && document.readyState === 'complete'");
    let button = "document.querySelector('button.compare')";
    browser.wait(&format!("{button}.innerText === 'Сравнить выбранные (2)'"));
    look_at(&mut browser, "list-russian");
    browser.value(&format!("{button}.click()"));
    browser.wait("location.pathname === '/compare' && document.documentElement.lang === 'ru'");
    browser.wait("document.readyState === 'complete'");
    browser.wait_in_frames("document.documentElement.lang === 'ru'");
    look_at(&mut browser, "compare-russian");
    browser.value("document.querySelector('.about a[href*=\"/runs/\"]').click()");
    browser.wait("location.pathname.startsWith('/runs/') && document.readyState === 'complete'");
    browser.wait_in_frames("document.documentElement.lang === 'ru'");
    look_at(&mut browser, "run-russian");
    browser.value("document.querySelector('nav .language').click()");
    browser.wait("document.documentElement.lang === 'en' && document.readyState === 'complete'");
    browser.wait_in_frames("document.documentElement.lang === 'en'");
    browser.assert_quiet(&served.address);
}

#[test]
fn all_pages_fit_a_phone_and_are_quiet() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let mut served = Served::start();
    let long = "x".repeat(80);
    let mut named = review(&long, TargetKind::BlockDevice, "2014");
    (named.label, named.target.name) = (Some(long.clone()), long);
    save(&mut served.lab, &named);
    browser.size(390, 844, true);
    for path in [
        "",
        "?text=nothing-like-this",
        "runs/1",
        "runs/3",
        "compare?run=1&run=2",
        "compare?run=3&run=2",
        "compare?run=3&run=2&lang=ru",
        "?lang=ru&run=3&run=9",
        "runs/3?lang=ru",
        "live",
        "jobs",
        "jobs/1",
        "jobs/2",
        "drives",
        "drives/models/sandisk-ultra-ii-240gb",
        "studies",
        "studies/1",
        "what-if?drive=sandisk-ultra-ii-240gb",
        "queue",
    ] {
        browser.open(&served.at(path));
        browser.value("document.querySelectorAll('details').forEach((one) => one.open = true)");
        assert!(!browser.scrolls_sideways(), "{path} is wider than a phone");
        browser.size(320, 640, true);
        browser.wait("innerWidth < 390");
        // A phone shrinks a page that is too wide.
        let beyond = "[...document.querySelectorAll('main *')].filter((one) => \
                      one.getBoundingClientRect().right > 320 && !one.closest('.scroll, pre')) \
                      .map((one) => one.outerHTML.slice(0, 80)).join('\\n')";
        let beyond = browser.value(beyond);
        assert_eq!(browser.value("innerWidth"), 320, "{path}: {beyond}");
        browser.size(390, 844, true);
    }
    browser.assert_quiet(&served.address);
    browser.size(1280, 900, false);
    for (path, name) in [
        ("?text=nothing-like-this", "list-empty"),
        ("nowhere", "trouble"),
        ("runs/1/report", "run-report"),
        ("studies/1/report", "study-report"),
        ("drives/smart?serial=S3EVNX0J500123A", "smart"),
        ("jobs", "jobs"),
        ("jobs/1", "job"),
        ("jobs/2", "replay"),
        ("runs/1", "run"),
        ("drives", "drives"),
        ("drives/models/sandisk-ultra-ii-240gb", "model"),
        ("studies", "studies"),
        ("studies/1", "study"),
        ("queue", "queue-empty"),
    ] {
        browser.open(&served.at(path));
        look_at(&mut browser, name);
    }
}

/// A page with the faults that the other tests look for: those tests must detect them.
#[test]
fn the_tests_see_errors_and_requests() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let html = "<script>missing()</script><img src='http://127.0.0.1:9/x.png'>\
                <div style='width:3000px'>wide</div>";
    browser.open(&format!("data:text/html,{html}"));
    browser.size(390, 844, true);
    assert!(browser.scrolls_sideways());
    let missing = |lines: &[String]| {
        lines
            .iter()
            .any(|line| line.contains("missing is not defined"))
    };
    assert!(missing(&browser.console), "{:?}", browser.console);
    assert!(
        browser
            .requests
            .iter()
            .any(|url| url == "http://127.0.0.1:9/x.png")
    );
}
