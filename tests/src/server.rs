//! Real executable on a separate port and database.

use std::io::Read;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::Client;

/// Password of the administrator in every test.
pub const PASSWORD: &str = "correct horse battery";

/// Log file of servers with a configured log level.
const LOG: &str = "log";

/// Running server. Dropping it kills the process and deletes its temporary folder.
#[derive(Debug)]
pub struct Server {
    child: Child,
    folder: PathBuf,
    temporary: Option<tempfile::TempDir>,
    client: Client,
    port: u16,
    program: PathBuf,
    settings: Vec<(String, String)>,
}

impl Server {
    /// Starts the executable that includes the example kind.
    pub fn start() -> Self {
        Self::with(&program("ledge-example"), &[])
    }

    /// Starts a program with additional environment variables.
    ///
    /// # Panics
    ///
    /// Panics if it does not respond.
    pub fn with(program: &Path, settings: &[(&str, &str)]) -> Self {
        let temporary = tempfile::tempdir().expect("a folder");
        let folder = temporary.path().to_owned();
        let mut server = Self::in_folder(program, &folder, settings);
        server.temporary = Some(temporary);
        server
    }

    /// Starts a program on a persistent database: `ledge.db` in this folder.
    ///
    /// # Panics
    ///
    /// Panics if it does not respond.
    pub fn in_folder(program: &Path, folder: &Path, settings: &[(&str, &str)]) -> Self {
        let port = free_port();
        let settings: Vec<(String, String)> = settings
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let mut server = Self {
            child: launch(program, folder, port, &settings),
            client: Client::new(&format!("http://127.0.0.1:{port}")),
            folder: folder.to_owned(),
            temporary: None,
            port,
            program: program.to_owned(),
            settings,
        };
        server.wait_until_ready();
        server
    }

    /// Returns the folder for the database and other files of a test.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the log so far, if `LEDGE_LOG` was among its settings.
    ///
    /// # Panics
    ///
    /// Panics if it was not.
    pub fn log(&self) -> String {
        let bytes = std::fs::read(self.folder.join(LOG)).expect("a log");
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Returns the path of the database.
    pub fn database(&self) -> PathBuf {
        self.folder.join("ledge.db")
    }

    /// Returns the port of the server.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Returns a client that is not signed in.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Returns a client that is signed in as the administrator.
    pub fn admin(&self) -> Client {
        self.client.sign_in("admin", PASSWORD)
    }

    /// Creates a user and signs in. Returns the id and the client.
    pub fn user(&self, admin: &Client, name: &str) -> (i64, Client) {
        let body = json!({"username": name, "password": PASSWORD});
        let user = admin.post("/users", &body).expect(201).json();
        let id = user["id"].as_i64().expect("an id");
        (id, self.client.sign_in(name, PASSWORD))
    }

    /// Kills the process without a clean stop.
    pub fn kill(&mut self) {
        self.child.kill().expect("a running process");
        self.child.wait().expect("its end");
    }

    /// Asks the process to stop and waits for it. Returns its exit code.
    pub fn terminate(&mut self) -> Option<i32> {
        self.ask_to_end();
        self.child.wait().expect("its end").code()
    }

    /// Asks the process to stop without waiting.
    pub fn ask_to_end(&self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("a signal");
    }

    /// Starts the same program on the same database again. A running process is stopped first.
    pub fn restart(&mut self) {
        if self.child.try_wait().expect("a status").is_none() {
            self.terminate();
        }
        self.child = launch(&self.program, &self.folder, self.port, &self.settings);
        self.wait_until_ready();
    }

    /// Starts another program on the same database.
    pub fn restart_as(&mut self, program: &Path) {
        program.clone_into(&mut self.program);
        self.restart();
    }

    fn wait_until_ready(&mut self) {
        let deadline = Instant::now() + Duration::from_secs(30);
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().expect("a status") {
                let mut text = String::new();
                if let Some(mut errors) = self.child.stderr.take() {
                    // The output is only part of an error message.
                    let _ = errors.read_to_string(&mut text);
                }
                panic!("the server ended with {status}: {text}");
            }
            let is_up = std::net::TcpStream::connect(("127.0.0.1", self.port)).is_ok();
            // An open port is not sufficient: the server must respond.
            if is_up && self.client.try_send("GET", "/version", &[], None).is_ok() {
                return;
            }
            std::thread::park_timeout(Duration::from_millis(5));
        }
        panic!("the server does not answer");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn launch(program: &Path, folder: &Path, port: u16, settings: &[(String, String)]) -> Child {
    let mut command = Command::new(program);
    command
        .arg("serve")
        .env("LEDGE_LISTEN", format!("127.0.0.1:{port}"))
        .env("LEDGE_DATABASE", folder.join("ledge.db"))
        .env("LEDGE_ADMIN_PASSWORD", PASSWORD)
        .env(
            "LEDGE_LOG",
            std::env::var("LEDGE_LOG").unwrap_or_else(|_| "warn".to_owned()),
        )
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    // Tests must not reach public servers: these URLs have no server.
    for name in [
        "OPENLIBRARY",
        "OPENLIBRARY_COVERS",
        "GOOGLEBOOKS",
        "IGDB",
        "IGDB_TOKEN",
        "MUSICBRAINZ",
        "COVERARTARCHIVE",
        "AUDNEXUS",
        "WIKIDATA",
    ] {
        command.env(format!("LEDGE_{name}_URL"), "http://127.0.0.1:9");
    }
    for (name, value) in settings {
        command.env(name, value);
        if name == "LEDGE_LOG" {
            // A test that sets the log level reads the log.
            let log = std::fs::File::create(folder.join(LOG)).expect("a log");
            command.stderr(log);
        }
    }
    command
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()))
}

/// Returns the path of a program of this workspace, next to the running one.
///
/// # Panics
///
/// Panics if it was not built.
pub fn program(name: &str) -> PathBuf {
    let own = std::env::current_exe().expect("a path");
    let found = own
        .ancestors()
        .skip(1)
        .take(2)
        .map(|folder| folder.join(name))
        .find(|path| path.exists());
    found.unwrap_or_else(|| panic!("{name} was not built: run `cargo build --workspace` first"))
}

/// Returns a free port below the range of outgoing connections, so that none of these takes it
/// before the server starts. Each call returns another port.
fn free_port() -> u16 {
    const FIRST: u32 = 10_000;
    const COUNT: u32 = 20_000;
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let start = std::process::id().wrapping_mul(257);
    let mut ports = (0..COUNT).filter_map(|_| {
        let offset = start.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % COUNT;
        let port = u16::try_from(FIRST + offset).ok()?;
        TcpListener::bind(("127.0.0.1", port)).ok().map(|_| port)
    });
    ports.next().expect("a port")
}

/// Waits for a condition that the server brings about.
///
/// # Panics
///
/// Panics after a minute.
#[track_caller]
pub fn until<T>(what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_mins(1);
    while Instant::now() < deadline {
        if let Some(value) = condition() {
            return value;
        }
        std::thread::park_timeout(Duration::from_millis(10));
    }
    panic!("timeout while waiting for {what}");
}

/// Returns `true` if no job is queued or running.
#[track_caller]
pub fn is_idle(admin: &Client) -> bool {
    let jobs = admin.get("/jobs").expect(200).json();
    let jobs = jobs["items"].as_array().expect("items").clone();
    jobs.iter()
        .all(|job| !["queued", "running"].contains(&job["status"].as_str().expect("a status")))
}

/// Registers and scans a library. Returns its id and the scan's status.
#[track_caller]
pub fn scanned_library(admin: &Client, name: &str, path: &Path) -> (i64, Value) {
    let body = json!({"name": name, "path": path});
    let library = admin.post("/libraries", &body).expect(201).json();
    let id = library["id"].as_i64().expect("an id");
    (id, scan(admin, id))
}

/// Scans a library and waits for the end. Returns the status.
#[track_caller]
pub fn scan(admin: &Client, library: i64) -> Value {
    let queued = admin.send("POST", &format!("/libraries/{library}/scan"), &[], None);
    ended(admin, library, &queued.expect(202).json()["job_id"])
}

/// Scans with a request body, such as `{"accept_missing": true}`.
#[track_caller]
pub fn scan_with(admin: &Client, library: i64, body: &Value) -> Value {
    let queued = admin
        .post(&format!("/libraries/{library}/scan"), body)
        .expect(202);
    ended(admin, library, &queued.json()["job_id"])
}

/// Returns the status of this job's run, once it has ended.
#[track_caller]
fn ended(admin: &Client, library: i64, job: &Value) -> Value {
    until("the scan's end", || {
        let status = admin
            .get(&format!("/libraries/{library}/scan/status"))
            .expect(200)
            .json();
        let over = !matches!(
            status["status"].as_str(),
            Some("queued" | "running" | "never")
        );
        (over && status["job_id"] == *job).then_some(status)
    })
}

/// Returns all items of a list, page by page.
#[track_caller]
pub fn all_items(client: &Client, path: &str) -> Vec<Value> {
    let mut items = Vec::new();
    loop {
        let sign = if path.contains('?') { '&' } else { '?' };
        let page = client
            .get(&format!("{path}{sign}limit=500&offset={}", items.len()))
            .expect(200);
        let page = page.json();
        let part = page["items"].as_array().expect("items").clone();
        if part.is_empty() {
            return items;
        }
        items.extend(part);
    }
}
