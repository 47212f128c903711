//! Scans: the first one, and the one that finds nothing new, beside `find`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ledge_tests::server::{scan, until};
use ledge_tests::{Client, Server};
use serde_json::json;

use crate::{Plan, figure, machine};

/// A server that has scanned the plan's libraries.
#[derive(Debug)]
pub(crate) struct Scanned {
    /// The server.
    pub(crate) server: Server,
    /// A client signed in as the administrator.
    pub(crate) admin: Client,
    _trees: Option<tempfile::TempDir>,
}

/// Makes the trees, scans them, scans them again.
pub(crate) fn measure(ledge: &Path, plan: &Plan) -> Scanned {
    let (trees, temporary) = trees(plan);
    // The tree has names and no media: `ffprobe` would only be started in vain.
    let server = Server::with(ledge, &[("LEDGE_FFPROBE", "off")]);
    let admin = server.admin();
    machine::memory("idle", server.pid());
    let libraries: Vec<i64> = trees
        .iter()
        .map(|tree| {
            let name = tree.file_name().unwrap_or_default().to_string_lossy();
            let body = json!({"name": name, "path": tree});
            admin.post("/libraries", &body).expect(201).json()["id"]
                .as_i64()
                .expect("an id")
        })
        .collect();
    first_scan(&server, &admin, &libraries);
    let floor = find(&trees);
    rescan(&server, &admin, &libraries, floor);
    Scanned {
        server,
        admin,
        _trees: temporary,
    }
}

fn first_scan(server: &Server, admin: &Client, libraries: &[i64]) {
    let cpu = machine::cpu(server.pid());
    let begin = Instant::now();
    let files: u64 = libraries
        .iter()
        .map(|id| scan(admin, *id)["added"].as_u64().unwrap_or(0))
        .sum();
    let wall = begin.elapsed().as_secs_f64();
    let items = admin.get("/items?limit=1").expect(200).json()["total"]
        .as_u64()
        .unwrap_or(0);
    let cpu = machine::cpu_since(server.pid(), cpu);
    figure(
        "first scan",
        &format!("{:.0} items/s", items as f64 / wall),
        &format!(
            "budget 6,000/s; {items} items, {files} files, {:.0} files/s, {:.0} µs CPU a file",
            files as f64 / wall,
            cpu.as_micros() as f64 / files.max(1) as f64,
        ),
    );
    machine::memory("after the first scan", server.pid());
}

fn rescan(server: &Server, admin: &Client, libraries: &[i64], floor: Duration) {
    let times: Vec<Duration> = (0..3)
        .map(|_| {
            let begin = Instant::now();
            for id in libraries {
                let status = scan(admin, *id);
                assert_eq!(status["updated"], 0, "{status}");
                assert_eq!(status["added"], 0, "{status}");
            }
            begin.elapsed()
        })
        .collect();
    let best = times.iter().min().copied().unwrap_or_default();
    figure(
        "rescan without changes / find -printf",
        &format!("{:.2}", best.as_secs_f64() / floor.as_secs_f64()),
        &format!(
            "budget 1.0; {} ms against {} ms, best of 3 each",
            best.as_millis(),
            floor.as_millis()
        ),
    );
    machine::memory("after the rescans", server.pid());
}

fn find(trees: &[PathBuf]) -> Duration {
    let times = (0..3).map(|_| {
        let begin = Instant::now();
        let status = Command::new("find")
            .args(trees)
            .args(["-printf", "%p %s %T@\n"])
            .stdout(Stdio::null())
            .status()
            .expect("find");
        assert!(status.success());
        begin.elapsed()
    });
    times.min().unwrap_or_default()
}

fn trees(plan: &Plan) -> (Vec<PathBuf>, Option<tempfile::TempDir>) {
    let temporary = plan
        .folder
        .is_none()
        .then(|| tempfile::tempdir().expect("a folder"));
    let folder = match (&plan.folder, &temporary) {
        (Some(folder), _) => folder.clone(),
        (None, Some(temporary)) => temporary.path().to_owned(),
        (None, None) => unreachable!("one of the two is there"),
    };
    let share = plan.items / plan.libraries.max(1);
    let trees: Vec<PathBuf> = (1..=plan.libraries)
        .map(|n| folder.join(format!("library-{n}-{share}")))
        .collect();
    for (seed, tree) in trees.iter().enumerate() {
        if !tree.exists() {
            make_tree(tree, share, seed);
        }
    }
    (trees, temporary)
}

fn make_tree(tree: &Path, items: u64, seed: usize) {
    let status = Command::new(ledge_tests::server::program("ledge-fixtures"))
        .arg("tree")
        .arg(tree)
        .args(["--items", &items.to_string(), "--seed", &seed.to_string()])
        .stdout(Stdio::null())
        .status()
        .expect("ledge-fixtures");
    assert!(status.success(), "the tree could not be made");
    until("the tree", || tree.exists().then_some(()));
}
