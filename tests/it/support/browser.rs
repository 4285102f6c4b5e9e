//! A headless Chromium, driven through the WebDriver protocol.

use std::fs;
use std::fs::File;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use serde_json::json;
use tempfile::TempDir;

use super::http::exchange;
use super::process::Process;
use super::wait::PATIENCE;
use super::wait::eventually;

/// How long one command may take: the first starts a browser.
const COMMAND: Duration = Duration::from_secs(120);
/// What WebDriver calls an element's identity.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A browser with one window. Ends when it is dropped.
pub(crate) struct Browser {
    driver: SocketAddr,
    session: String,
    _process: Process,
    _home: TempDir,
}

impl Browser {
    /// Starts one; `None`, said on stderr, where it is not installed.
    pub(crate) fn start() -> Option<Self> {
        if !super::have(&["chromium", "chromedriver"]) {
            return None;
        }
        let home = tempfile::Builder::new()
            .prefix("tidemark-browser-")
            .tempdir()
            .expect("a folder");
        let log = home.path().join("log");
        let mut command = Process::command("chromedriver", home.path());
        let file = File::create(&log).expect("a file");
        command
            .arg("--port=0")
            .stdout(file.try_clone().expect("a file"))
            .stderr(file);
        let process = Process::spawn(&mut command);
        let port = eventually("chromedriver says where it listens", PATIENCE, || {
            let said = fs::read_to_string(&log).ok()?;
            let (_, rest) = said.split_once("successfully on port ")?;
            rest.split_once('.')?.0.parse::<u16>().ok()
        });
        let driver = SocketAddr::from(([127, 0, 0, 1], port));
        let session = session(driver, home.path());
        let browser = Self {
            driver,
            session,
            _process: process,
            _home: home,
        };
        // A page of the default size is nobody's.
        browser.resize(1280, 900);
        Some(browser)
    }

    /// Sends a command of the session.
    fn command(&self, method: &str, path: &str, body: &Value) -> Value {
        self.attempt(method, path, body)
            .unwrap_or_else(|error| panic!("{method} {path}: {error}"))
    }

    fn attempt(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        send(self.driver, method, &format!("/session/{}{path}", self.session), body)
    }

    fn cdp(&self, command: &str, parameters: &Value) -> Value {
        let body = json!({"cmd": command, "params": parameters});
        self.command("POST", "/goog/cdp/execute", &body)
    }

    /// Goes to an address; returns when the page is loaded.
    pub(crate) fn go(&self, address: &str) {
        self.command("POST", "/url", &json!({"url": address}));
    }

    /// Where it is.
    pub(crate) fn address(&self) -> String {
        text(&self.command("GET", "/url", &Value::Null))
    }

    /// The window's inner size, as a phone or a screen has it.
    pub(crate) fn resize(&self, width: u32, height: u32) {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500});
        self.cdp("Emulation.setDeviceMetricsOverride", &metrics);
    }

    /// What the reader prefers: `light` or `dark`.
    pub(crate) fn prefer(&self, scheme: &str) {
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.cdp("Emulation.setEmulatedMedia", &media);
    }

    /// Whether scripts of pages run.
    pub(crate) fn scripts(&self, run: bool) {
        self.cdp("Emulation.setScriptExecutionDisabled", &json!({"value": !run}));
    }

    /// What the expression is worth on the page.
    pub(crate) fn eval(&self, expression: &str) -> Value {
        let body = json!({"script": format!("return ({expression});"), "args": []});
        self.command("POST", "/execute/sync", &body)
    }

    /// Runs a script that calls `done` when it has its answer.
    pub(crate) fn eval_async(&self, script: &str) -> Value {
        let script = format!("const done = arguments[arguments.length - 1]; {script}");
        self.command("POST", "/execute/async", &json!({"script": script, "args": []}))
    }

    /// The text of the first element that matches; empty without one.
    pub(crate) fn text(&self, selector: &str) -> String {
        text(&self.eval(&format!("document.querySelector({})?.innerText ?? ''", json!(selector))))
    }

    /// The texts of all elements that match.
    pub(crate) fn texts(&self, selector: &str) -> Vec<String> {
        let all = self.eval(&format!(
            "[...document.querySelectorAll({})].map(it => it.innerText)",
            json!(selector)
        ));
        all.as_array().expect("a list").iter().map(text).collect()
    }

    /// How many elements match.
    pub(crate) fn count(&self, selector: &str) -> u64 {
        let count = self.eval(&format!("document.querySelectorAll({}).length", json!(selector)));
        count.as_u64().expect("a number")
    }

    /// Waits until the expression is true on the page, which may be another by then: what fails while one goes and the next comes is
    /// tried again.
    pub(crate) fn until(&self, expression: &str) {
        let body = json!({"script": format!("return ({expression});"), "args": []});
        eventually(expression, PATIENCE, || {
            let holds = self.attempt("POST", "/execute/sync", &body);
            (holds == Ok(Value::Bool(true))).then_some(())
        });
    }

    /// Clicks as a mouse does: what is covered or not shown cannot be clicked.
    pub(crate) fn click(&self, selector: &str) {
        let element = self.find(selector);
        self.command("POST", &format!("/element/{element}/click"), &json!({}));
    }

    /// Types into whatever has the focus.
    pub(crate) fn press(&self, keys: &str) {
        let strokes = keys
            .chars()
            .flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({"type": kind, "value": key.to_string()})));
        let keyboard = json!({"type": "key", "id": "keyboard", "actions": strokes.collect::<Vec<_>>()});
        self.command("POST", "/actions", &json!({"actions": [keyboard]}));
    }

    fn find(&self, selector: &str) -> String {
        let found = self.command("POST", "/element", &json!({"using": "css selector", "value": selector}));
        text(&found[ELEMENT])
    }

    /// The page as its server wrote it and its scripts left it.
    pub(crate) fn source(&self) -> String {
        text(&self.command("GET", "/source", &Value::Null))
    }

    /// What the console has said since the last call: errors, refused resources, broken policies.
    pub(crate) fn console(&self) -> Vec<String> {
        let lines = self.command("POST", "/se/log", &json!({"type": "browser"}));
        let lines = lines.as_array().expect("a list").iter();
        lines.map(|line| text(&line["message"])).collect()
    }

    /// Writes the page's upper part, of the window's size, as PNG.
    pub(crate) fn screenshot(&self, file: &Path) {
        let picture = text(&self.command("GET", "/screenshot", &Value::Null));
        let bytes = openssl::base64::decode_block(&picture.replace('\n', "")).expect("Base64");
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, bytes).expect("a file");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Chromium is the driver's child, not this process's: the driver ends it.
        let _ = send(
            self.driver,
            "DELETE",
            &format!("/session/{}", self.session),
            &Value::Null,
        );
    }
}

fn session(driver: SocketAddr, home: &Path) -> String {
    let arguments = [
        "--headless=new".to_owned(),
        // As root in a container there is no sandbox to be had; nothing but the tests' own pages is visited.
        "--no-sandbox".to_owned(),
        "--disable-gpu".to_owned(),
        "--disable-dev-shm-usage".to_owned(),
        "--disable-background-networking".to_owned(),
        "--hide-scrollbars".to_owned(),
        "--lang=en".to_owned(),
        // Over a pipe the browser ends when the driver does, however that ends.
        "--remote-debugging-pipe".to_owned(),
        format!("--user-data-dir={}", home.join("profile").display()),
    ];
    let wanted = json!({"capabilities": {"alwaysMatch": {
        "browserName": "chrome",
        "goog:chromeOptions": {"args": arguments},
        "goog:loggingPrefs": {"browser": "ALL"},
        "timeouts": {"script": 60_000, "pageLoad": 60_000},
    }}});
    let made = send(driver, "POST", "/session", &wanted).unwrap_or_else(|error| panic!("no browser: {error}"));
    text(&made["sessionId"])
}

fn send(driver: SocketAddr, method: &str, path: &str, body: &Value) -> Result<Value, String> {
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {driver}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let answer = exchange(driver, request.as_bytes(), COMMAND).map_err(|error| error.to_string())?;
    let mut document: Value = serde_json::from_slice(&answer.body).map_err(|error| error.to_string())?;
    match answer.status {
        200 => Ok(document["value"].take()),
        status => Err(format!("{status}: {}", document["value"]["message"])),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("a text: {value}")).to_owned()
}
