//! Headless Chromium, controlled by its DevTools protocol over pipes: JSON texts that end with a
//! zero byte, on its file descriptors 3 and 4 (`--remote-debugging-pipe`).

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine as _;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Time limit of any step, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A browser with one page.
pub struct Browser {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: String,
    /// Sessions of the frames that have their own origin.
    frames: Vec<String>,
    sent: u64,
    /// Console output of the page, and its errors.
    pub console: Vec<String>,
    /// Addresses that it requested.
    pub requests: Vec<String>,
    _profile: TempDir,
}

/// Returns Chromium's path; `None`, with a printed line, if it is missing and not required.
fn chromium() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .flat_map(|folder| ["chromium", "chromium-browser"].map(|name| folder.join(name)))
        .find(|file| file.is_file());
    if found.is_none() {
        let required = std::env::var_os("STEND_REQUIRE_TOOLS").is_some_and(|v| v == "1");
        assert!(
            !required,
            "chromium is missing and STEND_REQUIRE_TOOLS is 1"
        );
        println!("skipped: chromium is not installed (Debian: apt-get install chromium)");
    }
    found
}

impl Browser {
    /// Starts it; `None` if it is missing and not required.
    pub fn start() -> Option<Browser> {
        let chromium = chromium()?;
        let profile = tempfile::tempdir().expect("a folder");
        let mut child = Command::new("sh")
            .args([
                "-c",
                "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1",
            ])
            .arg(chromium)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run",
                // Going back must load the page again, with the form as it was left. A cached page
                // would hide state that the page loses.
                "--disable-features=BackForwardCache",
                // The browser's own requests stay local as well.
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                "--remote-debugging-pipe",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let mut browser = Browser {
            to: child.stdin.take().expect("a pipe"),
            from: BufReader::new(child.stdout.take().expect("a pipe")),
            child,
            session: String::new(),
            frames: Vec::new(),
            sent: 0,
            console: Vec::new(),
            requests: Vec::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attached = browser.call(
            "Target.attachToTarget",
            json!({"targetId": target["targetId"], "flatten": true}),
        );
        browser.session = attached["sessionId"]
            .as_str()
            .expect("a session")
            .to_owned();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser.call(
            "Target.setAutoAttach",
            json!({"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true}),
        );
        browser.size(1280, 900, false);
        Some(browser)
    }

    /// Calls a method and returns its result.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.call_in(&self.session.clone(), method, parameters)
    }

    fn call_in(&mut self, session: &str, method: &str, parameters: Value) -> Value {
        let answer = self.try_in(session, method, parameters);
        answer.unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    fn try_in(&mut self, session: &str, method: &str, parameters: Value) -> Result<Value, Value> {
        self.sent += 1;
        let mut message = json!({"id": self.sent, "method": method, "params": parameters});
        if !session.is_empty() {
            message["sessionId"] = session.into();
        }
        self.to
            .write_all(message.to_string().as_bytes())
            .expect("chromium reads");
        self.to
            .write_all(&[0])
            .and_then(|()| self.to.flush())
            .expect("chromium reads");
        loop {
            let message = self.next();
            if message["id"] == self.sent {
                return match message["error"].is_null() {
                    true => Ok(message["result"].clone()),
                    false => Err(message["error"].clone()),
                };
            }
            self.note(&message);
        }
    }

    fn next(&mut self) -> Value {
        let mut bytes = Vec::new();
        self.from
            .read_until(0, &mut bytes)
            .expect("chromium answers");
        assert_eq!(bytes.pop(), Some(0), "chromium has ended");
        serde_json::from_slice(&bytes).expect("it is JSON")
    }

    fn note(&mut self, message: &Value) {
        let of = &message["params"];
        match message["method"].as_str() {
            Some("Runtime.consoleAPICalled") => self.console.push(of["args"].to_string()),
            Some("Runtime.exceptionThrown") => {
                self.console.push(of["exceptionDetails"].to_string());
            }
            Some("Log.entryAdded") => self.console.push(of["entry"].to_string()),
            Some("Target.attachedToTarget") if of["targetInfo"]["type"] == "iframe" => {
                let session = of["sessionId"].as_str().expect("a session");
                self.frames.push(session.to_owned());
            }
            Some("Target.detachedFromTarget") => {
                self.frames.retain(|session| of["sessionId"] != **session);
            }
            Some("Network.requestWillBeSent") => {
                let url = of["request"]["url"].as_str().unwrap_or_default();
                self.requests.push(url.to_owned());
            }
            _ => {}
        }
    }

    /// Sets the size of the window, CSS pixels.
    pub fn size(&mut self, width: u32, height: u32, mobile: bool) {
        let metrics =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile});
        self.call("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// Turns dark mode on or off.
    pub fn dark(&mut self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let feature = json!({"features": [{"name": "prefers-color-scheme", "value": value}]});
        self.call("Emulation.setEmulatedMedia", feature);
    }

    /// Opens a page and waits until it is loaded.
    pub fn open(&mut self, address: &str) {
        self.call("Page.navigate", json!({"url": address}));
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'");
    }

    /// Returns the value of an expression in the page; null if the page is left in the meantime.
    pub fn value(&mut self, expression: &str) -> Value {
        self.value_in(&self.session.clone(), expression)
    }

    fn value_in(&mut self, session: &str, expression: &str) -> Value {
        let asked = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = match self.try_in(session, "Runtime.evaluate", asked) {
            Ok(answer) => answer,
            // The expression, or a link before it, has opened another page.
            Err(error) if error.to_string().contains("navigated or closed") => return Value::Null,
            Err(error) => panic!("{expression}: {error}"),
        };
        let fault = &answer["exceptionDetails"];
        assert!(fault.is_null(), "{expression}: {fault}");
        answer["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub fn wait(&mut self, expression: &str) {
        self.wait_in(&self.session.clone(), expression);
    }

    /// Waits until an expression is true in every frame with its own origin. Such frames are
    /// separate processes: they learn of a new size or colour later than the page.
    pub fn wait_in_frames(&mut self, expression: &str) {
        let began = Instant::now();
        let count = "document.querySelectorAll('iframe').length";
        while self.value(count) != self.frames.len() {
            assert!(
                began.elapsed() < PATIENCE,
                "frames of a process of their own"
            );
        }
        for frame in self.frames.clone() {
            self.wait_in(&frame, expression);
            let drawn = "new Promise((told) => requestAnimationFrame(() => \
                         requestAnimationFrame(() => told(true))))";
            self.value_in(&frame, drawn);
        }
    }

    /// Returns the number of frames with their own origin.
    pub fn frames(&self) -> usize {
        self.frames.len()
    }

    fn wait_in(&mut self, session: &str, expression: &str) {
        let began = Instant::now();
        // A page cannot be queried while it is reloaded.
        let guarded =
            format!("(() => {{ try {{ return {expression} }} catch {{ return false }} }})()");
        loop {
            if self.value_in(session, &guarded) == true {
                return;
            }
            if began.elapsed() > PATIENCE {
                let page = self.value_in(session, "document.body.innerText");
                panic!("not within {PATIENCE:?}: {expression}; the page: {page}");
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Presses a key: `Tab`, `Enter`, ` `.
    pub fn type_key(&mut self, key: &str) {
        let (code, number, text) = match key {
            "Tab" => ("Tab", 9, ""),
            "Enter" => ("Enter", 13, "\r"),
            " " => ("Space", 32, " "),
            "ArrowRight" => ("ArrowRight", 39, ""),
            "ArrowLeft" => ("ArrowLeft", 37, ""),
            other => panic!("{other}: no such key here"),
        };
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({
                "type": kind, "key": key, "code": code, "windowsVirtualKeyCode": number,
            });
            if kind == "keyDown" && !text.is_empty() {
                event["text"] = text.into();
            }
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Types a text.
    pub fn write(&mut self, text: &str) {
        self.call("Input.insertText", json!({"text": text}));
    }

    /// Presses Tab until an element is focused.
    pub fn tab_to(&mut self, selector: &str) {
        for _ in 0..400 {
            self.type_key("Tab");
            let there = format!("document.activeElement?.matches({})", json!(selector));
            if self.value(&there) == true {
                return;
            }
        }
        panic!("Tab does not lead to {selector}");
    }

    /// True if any part of the page extends beyond the window's sides.
    pub fn scrolls_sideways(&mut self) -> bool {
        let wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
        self.value(wide) == true
    }

    /// Saves a picture of the page if `STEND_SCREENSHOTS` names a folder.
    pub fn picture(&mut self, name: &str) {
        let Some(folder) = std::env::var_os("STEND_SCREENSHOTS") else {
            return;
        };
        let answer = self.call(
            "Page.captureScreenshot",
            json!({"captureBeyondViewport": false}),
        );
        let data = answer["data"].as_str().expect("a picture");
        let engine = base64::engine::general_purpose::STANDARD;
        let bytes = engine.decode(data).expect("it is base64");
        let path = PathBuf::from(folder).join(format!("{name}.png"));
        std::fs::write(path, bytes).expect("it is written");
    }

    /// Asserts that nothing was written to the console or requested from other places.
    pub fn assert_quiet(&mut self, address: &str) {
        // Pending events arrive before the answer.
        self.value("1");
        assert!(self.console.is_empty(), "{:#?}", self.console);
        let elsewhere = self.requests.iter().find(|url| {
            !url.starts_with(address) && !url.starts_with("data:") && !url.starts_with("about:")
        });
        assert_eq!(elsewhere, None);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
