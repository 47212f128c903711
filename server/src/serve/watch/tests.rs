//! Tests of watch threads and requested scans.

use std::fs;
use std::sync::mpsc;

use ledge_core::app::Watch;
use ledge_core::id::{JobId, UserId};
use ledge_core::job_kind;
use ledge_core::paging::Window;
use ledge_core::store::job::{self, JobFilter};
use ledge_core::store::library::{self, LibraryChange, NewLibrary};
use rusqlite::Transaction;
use rustix::io::Errno;
use serde_json::{Value, json};

use super::fake::FakeControls;
use super::*;
use crate::http::test_app::TestApp;

/// Timeout that exceeds every limit of an unresponsive folder.
const LONG: Duration = Duration::from_mins(2);

struct World {
    test: TestApp,
    folder: tempfile::TempDir,
    controls: FakeControls,
    guard: Guard,
}

impl World {
    fn new() -> Self {
        let controls = FakeControls::default();
        Self {
            test: TestApp::new(),
            folder: tempfile::tempdir().expect("a folder"),
            guard: Guard::new(controls.system()),
            controls,
        }
    }

    fn root(&self, name: &str) -> PathBuf {
        let folder = fs::canonicalize(self.folder.path()).expect("a path");
        folder.join(name)
    }

    /// Creates a library that contains a folder `a`.
    fn library(&self, name: &str) -> LibraryId {
        fs::create_dir_all(self.root(name).join("a")).expect("folders");
        let new = NewLibrary {
            name: name.to_owned(),
            path: self.root(name),
            kinds: None,
            grants: Vec::new(),
        };
        let now = self.test.app.clock.now();
        let create = move |tx: &Transaction<'_>| library::create(tx, &new, UserId(1), now);
        self.test.app.db.write_blocking(create).expect("a library")
    }

    fn move_to(&self, library: LibraryId, name: &str) {
        let change = LibraryChange {
            path: Some(self.root(name)),
            ..LibraryChange::default()
        };
        let update = move |tx: &Transaction<'_>| library::update(tx, library, &change);
        assert!(self.test.app.db.write_blocking(update).expect("an update"));
    }

    /// Repeats the check until `condition` returns a value.
    async fn until<T>(&mut self, what: &str, condition: impl Fn(&Self) -> Option<T>) -> T {
        let start = Instant::now();
        loop {
            self.guard.update(&self.test.app).await.expect("a look");
            if let Some(come) = condition(self) {
                return come;
            }
            assert!(start.elapsed() < LONG, "it never came: {what}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Returns the unfinished scan of a library with its payload.
    fn waiting(&self, library: LibraryId) -> Option<(JobId, Value)> {
        let read = move |conn: &Connection| {
            let job = job::unfinished(conn, job_kind::SCAN, library.0)?;
            let Some(job) = job else { return Ok(None) };
            Ok(job::payload(conn, job.id)?.map(|payload| (job.id, payload)))
        };
        self.test.app.db.read_blocking(read).expect("a job")
    }

    fn finish(&self, job: JobId) {
        let now = self.test.app.clock.now();
        let finish = move |tx: &Transaction<'_>| job::finish(tx, job, &Value::Null, now);
        self.test.app.db.write_blocking(finish).expect("an end");
    }

    fn scans(&self) -> u64 {
        let window = Window {
            offset: 0,
            limit: 1,
        };
        let read = move |conn: &Connection| Ok(job::page(conn, &JobFilter::default(), window)?.1);
        self.test.app.db.read_blocking(read).expect("a number")
    }

    /// Waits for the first scan of a library and ends it.
    async fn settle(&mut self, library: LibraryId) {
        let (job, wanted) = self
            .until("the first scan", |world| world.waiting(library))
            .await;
        assert_eq!(
            wanted.get("folders"),
            None,
            "changes before the start are unknown"
        );
        self.finish(job);
    }
}

#[tokio::test]
async fn unresponsive_folder_blocks_one_thread_and_no_other_library() {
    let mut world = World::new();
    let (stuck, well) = (world.library("stuck"), world.library("well"));
    let root = world.root("stuck");
    let (release, hanging) = mpsc::channel();
    world.controls.state().hanging = Some((root.clone(), hanging));
    world.settle(well).await;
    fs::write(world.root("well").join("a/new.epub"), "new").expect("a file");
    world
        .until("the other library's scan", |world| world.waiting(well))
        .await;
    assert_eq!(world.test.app.watches.of(well), Watch::On);
    let library_watcher = world.guard.watchers.get(&stuck).expect("a watcher");
    let actual = library_watcher.watcher_state(Instant::now() + LONG);
    assert_eq!(
        actual,
        WatcherState::Unavailable("The folder does not respond.".to_owned())
    );

    world.move_to(stuck, "elsewhere");
    world
        .until("the watcher of the new root", |world| {
            let library_watcher = world.guard.watchers.get(&stuck)?;
            (library_watcher.root() != root).then_some(())
        })
        .await;
    world.move_to(stuck, "stuck");
    for _ in 0..10 {
        world.guard.update(&world.test.app).await.expect("a look");
    }
    assert_eq!(
        world.controls.times_requested(&root),
        1,
        "no second thread is started"
    );
    drop(release);
    world.settle(stuck).await;
    assert_eq!(world.controls.times_requested(&root), 2);
}

#[tokio::test]
async fn change_requests_a_scan_of_its_folder_only() {
    let mut world = World::new();
    let library = world.library("books");
    world.settle(library).await;
    fs::write(world.root("books").join("a/new.epub"), "new").expect("a file");
    let (_, wanted) = world.until("a scan", |world| world.waiting(library)).await;
    assert_eq!(
        wanted,
        json!({"folders": ["a"], "trees": [], "growing": []})
    );
    assert_eq!(
        world.test.app.db.uses(),
        0,
        "background writes are not user-facing"
    );
}

#[tokio::test]
async fn sidecar_for_subfolders_requests_a_scan_of_them() {
    let mut world = World::new();
    let library = world.library("shows");
    world.settle(library).await;
    let note = world.root("shows").join("a/TVShow.nfo");
    let wanted = json!({"folders": [], "trees": ["a"], "growing": []});
    fs::write(&note, "<tvshow/>").expect("a note");
    let (job, actual) = world.until("a scan", |world| world.waiting(library)).await;
    assert_eq!(actual, wanted);
    world.finish(job);
    fs::remove_file(&note).expect("no note");
    let (_, actual) = world.until("a scan", |world| world.waiting(library)).await;
    assert_eq!(actual, wanted);
}

#[tokio::test]
async fn change_during_a_scan_is_scanned_afterwards() {
    let mut world = World::new();
    let library = world.library("books");
    let (job, _) = world.until("a scan", |world| world.waiting(library)).await;
    let claim = |tx: &Transaction<'_>| Ok(tx.execute("UPDATE job SET status = 'running'", [])?);
    world.test.app.db.write_blocking(claim).expect("a claim");
    fs::create_dir(world.root("books").join("b")).expect("a folder");
    world
        .until("the change", |world| {
            let library_watcher = world.guard.watchers.get(&library)?;
            library_watcher.settled(Instant::now() + Duration::from_secs(3))
        })
        .await;
    assert_eq!(world.scans(), 1);
    world.finish(job);
    let (_, wanted) = world
        .until("a second scan", |world| world.waiting(library))
        .await;
    assert_eq!(
        wanted,
        json!({"folders": [""], "trees": ["b"], "growing": []})
    );
}

#[tokio::test]
async fn queue_overflow_restarts_the_watch_and_scans_everything() {
    let mut world = World::new();
    let library = world.library("books");
    world.settle(library).await;
    world.controls.state().overflows = true;
    let (job, wanted) = world.until("a scan", |world| world.waiting(library)).await;
    assert_eq!(wanted.get("folders"), None);
    world.finish(job);
    assert_eq!(
        world
            .controls
            .times_requested(&world.root("books").join("a")),
        2
    );
    fs::write(world.root("books").join("a/new.epub"), "new").expect("a file");
    world
        .until("the next change", |world| world.waiting(library))
        .await;
}

#[tokio::test]
async fn unwatched_folder_is_reported_with_its_reason() {
    let mut world = World::new();
    let (full, partial) = (world.library("full"), world.library("partial"));
    world
        .controls
        .refuse(&world.root("full").join("a"), Errno::NOSPC);
    world
        .controls
        .refuse(&world.root("partial").join("a"), Errno::ACCESS);
    let actual = world
        .until("the limit", |world| {
            let Watch::Unavailable(why) = world.test.app.watches.of(full) else {
                return None;
            };
            Some(why)
        })
        .await;
    assert!(actual.contains("fs.inotify.max_user_watches"), "{actual}");
    let actual = world
        .until("the gap", |world| {
            let Watch::Partly(why) = world.test.app.watches.of(partial) else {
                return None;
            };
            Some(why)
        })
        .await;
    assert!(actual.contains("a: the server may not read it"), "{actual}");
}
