//! Concurrent work of users and jobs: progress, saves, edits, favourites, scans, backups. Each
//! writer has its own objects, and records acknowledged and pending writes.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use ledge_tests::server::{program, scanned_library};
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use crate::{Rng, rest, say};

/// Number of games in the library, divided among the writers.
const GAMES: u64 = 64;

/// Possible values of an object: the last acknowledged one, and the ones sent since.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    /// Last acknowledged value, or `None` before the first acknowledgement.
    stored: Option<Value>,
    sent: Vec<Value>,
}

/// Known values of a writer, by the path that reads them.
pub(crate) type Ledger = HashMap<String, Known>;

/// Object type of a writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Task {
    Places,
    Saves,
    Edits,
    Favourites,
}

const TASKS: [Task; 4] = [Task::Places, Task::Saves, Task::Edits, Task::Favourites];

/// Server with a library and its items.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) server: Server,
    pub(crate) admin: Client,
    pub(crate) library: i64,
    pub(crate) items: Vec<(i64, i64)>,
    _media: tempfile::TempDir,
}

impl World {
    pub(crate) fn new(settings: &[(&str, &str)]) -> Self {
        let media = tempfile::tempdir().expect("a folder");
        for n in 0..GAMES {
            let game = [b"NES\x1a".as_slice(), &[0; 12], &n.to_be_bytes()].concat();
            std::fs::write(media.path().join(format!("Game {n}.nes")), game).expect("a file");
        }
        let server = Server::with(&program("ledge"), settings);
        let admin = server.admin();
        let (library, _) = scanned_library(&admin, "Games", media.path());
        let found = admin.get("/items?kind=games&limit=500").expect(200).json();
        let items = found["items"].as_array().expect("items");
        let items: Vec<(i64, i64)> = items
            .iter()
            .map(|item| {
                let id = item["id"].as_i64().expect("an id");
                let whole = admin.get(&format!("/items/{id}")).expect(200).json();
                (id, whole["files"][0]["id"].as_i64().expect("a file"))
            })
            .collect();
        assert_eq!(items.len() as u64, GAMES, "every game is found");
        Self {
            server,
            admin,
            library,
            items,
            _media: media,
        }
    }
}

/// Running writers.
#[derive(Debug)]
pub(crate) struct Crew {
    stop: Arc<AtomicBool>,
    writers: Vec<JoinHandle<(Ledger, u64)>>,
    others: Vec<JoinHandle<u64>>,
}

impl Crew {
    /// Starts all writers, each with its known values.
    pub(crate) fn begin(world: &World, ledgers: Vec<Ledger>, seed: u64) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let mut ledgers = ledgers.into_iter();
        let writers = TASKS.iter().enumerate().map(|(n, task)| {
            let own: Vec<(i64, i64)> = world.items.iter().skip(n).step_by(4).copied().collect();
            let (client, stop, task) = (world.admin.clone(), stop.clone(), *task);
            let mut ledger = ledgers.next().unwrap_or_default();
            let mut rng = Rng(seed ^ (n as u64) << 32);
            std::thread::spawn(move || {
                let mut count = 0;
                while !stop.load(Ordering::Relaxed) {
                    count += u64::from(write(task, &client, &own, &mut ledger, &mut rng));
                }
                (ledger, count)
            })
        });
        let writers = writers.collect();
        let others = vec![
            scans(&world.admin, world.library, &stop),
            backups(&world.server, &stop),
        ];
        Self {
            stop,
            writers,
            others,
        }
    }

    /// Stops all writers. Returns their known values, the number of acknowledged writes, and the
    /// numbers of scans and backups.
    pub(crate) fn end(self) -> (Vec<Ledger>, u64, Vec<u64>) {
        self.stop.store(true, Ordering::Relaxed);
        let mut all = 0;
        let ledgers = self
            .writers
            .into_iter()
            .map(|writer| {
                let (ledger, count) = writer.join().expect("a writer");
                all += count;
                ledger
            })
            .collect();
        let others = self.others.into_iter();
        (
            ledgers,
            all,
            others
                .map(|other| other.join().expect("its count"))
                .collect(),
        )
    }
}

/// Makes one write. Returns `true` if it was acknowledged.
fn write(
    task: Task,
    client: &Client,
    own: &[(i64, i64)],
    ledger: &mut Ledger,
    rng: &mut Rng,
) -> bool {
    let (item, file) = *rng.one_of(own);
    let number = rng.below(1_000_000);
    let (path, method, target, body, value) = match task {
        Task::Places => (
            format!("/items/{item}/progress"),
            "PUT",
            format!("/items/{item}/progress"),
            json!({"file_id": file, "position": number})
                .to_string()
                .into_bytes(),
            json!(number),
        ),
        Task::Saves => {
            let body = number.to_be_bytes().repeat(512);
            let slot = format!("/items/{item}/saves/{}", rng.below(3));
            (slot.clone(), "PUT", slot, body, json!(number))
        }
        Task::Edits => {
            let title = format!("Title {number}");
            (
                format!("/items/{item}"),
                "PATCH",
                format!("/items/{item}"),
                json!({"title": title}).to_string().into_bytes(),
                json!(title),
            )
        }
        Task::Favourites => {
            let is_one = number.is_multiple_of(2);
            (
                format!("/items/{item}"),
                if is_one { "PUT" } else { "DELETE" },
                format!("/items/{item}/favourite"),
                Vec::new(),
                json!(is_one),
            )
        }
    };
    let known = ledger.entry(path).or_insert_with(|| Known {
        stored: None,
        sent: Vec::new(),
    });
    known.sent.push(value.clone());
    let kind = if task == Task::Saves {
        "application/octet-stream"
    } else {
        "application/json"
    };
    match client.try_send(method, &target, &[("Content-Type", kind)], Some(&body)) {
        Ok(answer) if answer.status < 300 => {
            *known = Known {
                stored: Some(value),
                sent: Vec::new(),
            };
            true
        }
        Ok(answer) => {
            assert!(
                [429, 503].contains(&answer.status),
                "{method} {target}: {answer:?}"
            );
            rest(5);
            false
        }
        Err(_) => {
            rest(5);
            false
        }
    }
}

/// Returns the current value at `path` in the writers' format.
fn stored(client: &Client, task: Task, path: &str) -> Option<Value> {
    let answer = client.get(path);
    match task {
        Task::Places => {
            let rows = answer.expect(200).json();
            let place = rows["items"].as_array()?.first()?["position"].clone();
            Some(place)
        }
        Task::Saves if answer.status == 404 => None,
        Task::Saves => {
            let body = answer.expect(200).body;
            let number: [u8; 8] = body[..8].try_into().expect("eight bytes");
            assert_eq!(body, number.repeat(512), "{path}: a save is whole");
            Some(json!(u64::from_be_bytes(number)))
        }
        Task::Edits => Some(answer.expect(200).json()["title"].clone()),
        Task::Favourites => Some(answer.expect(200).json()["favourite"].clone()),
    }
}

/// Compares all acknowledged values with the stored ones, and returns their number. Pending writes
/// may or may not be stored, and are known afterwards.
pub(crate) fn compare(client: &Client, ledgers: &mut [Ledger]) -> u64 {
    let mut compared = 0;
    for (task, ledger) in TASKS.iter().zip(ledgers) {
        for (path, known) in ledger.iter_mut() {
            let found = stored(client, *task, path);
            let is_right = match (&known.stored, &found) {
                (Some(stored), Some(found)) => stored == found || known.sent.contains(found),
                // Before the first acknowledgement, any sent value or the earlier one may be
                // stored.
                (None, _) => true,
                (Some(_), None) => false,
            };
            assert!(is_right, "{path}: {found:?} is there, known was {known:?}");
            compared += u64::from(known.stored.is_some());
            if known.stored.is_some() {
                *known = Known {
                    stored: found,
                    sent: Vec::new(),
                };
            }
        }
    }
    compared
}

fn scans(admin: &Client, library: i64, stop: &Arc<AtomicBool>) -> JoinHandle<u64> {
    let (admin, stop) = (admin.clone(), stop.clone());
    std::thread::spawn(move || {
        let mut count = 0;
        while !stop.load(Ordering::Relaxed) {
            let path = format!("/libraries/{library}/scan");
            let answer = admin.try_send("POST", &path, &[], None);
            count += u64::from(answer.is_ok_and(|answer| answer.status < 300));
            rest(100);
        }
        count
    })
}

fn backups(server: &Server, stop: &Arc<AtomicBool>) -> JoinHandle<u64> {
    let (database, folder, stop) = (server.database(), server.folder().to_owned(), stop.clone());
    std::thread::spawn(move || {
        let mut count = 0;
        while !stop.load(Ordering::Relaxed) {
            let copy = folder.join(format!("copy-{count}.db"));
            if backup(&database, &copy) {
                check(&copy);
                count += 1;
            }
            // The backup may not have created the file.
            let _ = std::fs::remove_file(&copy);
            rest(200);
        }
        count
    })
}

fn backup(database: &Path, copy: &Path) -> bool {
    let output = Command::new(program("ledge"))
        .arg("backup")
        .arg(copy)
        .env("LEDGE_DATABASE", database)
        .output()
        .expect("a program");
    if !output.status.success() {
        say(&String::from_utf8_lossy(&output.stderr));
    }
    output.status.success()
}

/// Asserts that SQLite finds no problem in a database.
pub(crate) fn check(database: &Path) {
    let connection = ledge_core::db::open::writable(database).expect("the database opens");
    let answer: String = connection
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .expect("an answer");
    assert_eq!(answer, "ok", "{}", database.display());
    let broken: i64 = connection
        .query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| {
            row.get(0)
        })
        .expect("a count");
    assert_eq!(broken, 0, "{}", database.display());
}
