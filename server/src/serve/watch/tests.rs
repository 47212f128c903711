//! Who is posted where, and what is asked for.

use std::fs;
use std::sync::mpsc;

use ledge_core::http::page::Window;
use ledge_core::id::{JobId, UserId};
use ledge_core::store::job::{self, JobFilter};
use ledge_core::store::library::{self, LibraryChange, NewLibrary};
use ledge_core::watch::Watch;
use rusqlite::Transaction;
use rustix::io::Errno;
use serde_json::{Value, json};

use super::fake::Tricks;
use super::*;
use crate::test_app::TestApp;

/// Longer than any folder may take to answer.
const LONG: Duration = Duration::from_mins(2);

struct World {
    test: TestApp,
    folder: tempfile::TempDir,
    tricks: Tricks,
    guard: Guard,
}

impl World {
    fn new() -> Self {
        let tricks = Tricks::default();
        Self {
            test: TestApp::new(),
            folder: tempfile::tempdir().expect("a folder"),
            guard: Guard::new(tricks.system()),
            tricks,
        }
    }

    fn root(&self, name: &str) -> PathBuf {
        let folder = fs::canonicalize(self.folder.path()).expect("a path");
        folder.join(name)
    }

    /// A library with a folder `a` in it.
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

    /// Looks until something has come of it.
    async fn until<T>(&mut self, what: &str, condition: impl Fn(&Self) -> Option<T>) -> T {
        let start = Instant::now();
        loop {
            self.guard.look(&self.test.app).await.expect("a look");
            if let Some(come) = condition(self) {
                return come;
            }
            assert!(start.elapsed() < LONG, "it never came: {what}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The scan of a library that waits, and what it is to look at.
    fn waiting(&self, library: LibraryId) -> Option<(JobId, Value)> {
        let read = move |conn: &Connection| {
            let job = job::unfinished(conn, scan::HANDLER_KIND, library.0)?;
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

    /// Waits for the first scan of a library, and ends it.
    async fn settle(&mut self, library: LibraryId) {
        let (job, wanted) = self
            .until("the first scan", |world| world.waiting(library))
            .await;
        assert_eq!(
            wanted.get("folders"),
            None,
            "what happened before nobody saw"
        );
        self.finish(job);
    }
}

#[tokio::test]
async fn a_folder_that_does_not_answer_keeps_one_thread_and_no_other_library_waiting() {
    let mut world = World::new();
    let (stuck, well) = (world.library("stuck"), world.library("well"));
    let root = world.root("stuck");
    let (release, hanging) = mpsc::channel();
    world.tricks.state().hanging = Some((root.clone(), hanging));
    world.settle(well).await;
    fs::write(world.root("well").join("a/new.epub"), "new").expect("a file");
    world
        .until("the other library's scan", |world| world.waiting(well))
        .await;
    assert_eq!(world.test.app.watches.of(well), Watch::On);
    let sentry = world.guard.sentries.get(&stuck).expect("a sentry");
    let told = sentry.standing(Instant::now() + LONG);
    assert_eq!(
        told,
        Standing::Blind("The folder does not answer.".to_owned())
    );

    world.move_to(stuck, "elsewhere");
    world
        .until("the new root's sentry", |world| {
            let sentry = world.guard.sentries.get(&stuck)?;
            (sentry.root() != root).then_some(())
        })
        .await;
    world.move_to(stuck, "stuck");
    for _ in 0..10 {
        world.guard.look(&world.test.app).await.expect("a look");
    }
    assert_eq!(
        world.tricks.times_asked(&root),
        1,
        "nobody is sent after the first"
    );
    drop(release);
    world.settle(stuck).await;
    assert_eq!(world.tricks.times_asked(&root), 2);
}

#[tokio::test]
async fn a_change_has_its_folder_scanned_and_nothing_else() {
    let mut world = World::new();
    let library = world.library("books");
    world.settle(library).await;
    fs::write(world.root("books").join("a/new.epub"), "new").expect("a file");
    let (_, wanted) = world.until("a scan", |world| world.waiting(library)).await;
    assert_eq!(
        wanted,
        json!({"folders": ["a"], "trees": [], "growing": []})
    );
    assert_eq!(world.test.app.db.uses(), 0, "nobody asked for it");
}

#[tokio::test]
async fn a_note_about_the_folders_below_has_them_scanned_too() {
    let mut world = World::new();
    let library = world.library("shows");
    world.settle(library).await;
    let note = world.root("shows").join("a/TVShow.nfo");
    let wanted = json!({"folders": [], "trees": ["a"], "growing": []});
    fs::write(&note, "<tvshow/>").expect("a note");
    let (job, told) = world.until("a scan", |world| world.waiting(library)).await;
    assert_eq!(told, wanted);
    world.finish(job);
    fs::remove_file(&note).expect("no note");
    let (_, told) = world.until("a scan", |world| world.waiting(library)).await;
    assert_eq!(told, wanted);
}

#[tokio::test]
async fn what_changes_while_a_scan_runs_is_scanned_after_it() {
    let mut world = World::new();
    let library = world.library("books");
    let (job, _) = world.until("a scan", |world| world.waiting(library)).await;
    let claim = |tx: &Transaction<'_>| Ok(tx.execute("UPDATE job SET status = 'running'", [])?);
    world.test.app.db.write_blocking(claim).expect("a claim");
    fs::create_dir(world.root("books").join("b")).expect("a folder");
    world
        .until("the change", |world| {
            let sentry = world.guard.sentries.get(&library)?;
            sentry.settled(Instant::now() + Duration::from_secs(3))
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
async fn where_more_happened_than_the_system_keeps_all_is_watched_and_scanned_anew() {
    let mut world = World::new();
    let library = world.library("books");
    world.settle(library).await;
    world.tricks.state().overflows = true;
    let (job, wanted) = world.until("a scan", |world| world.waiting(library)).await;
    assert_eq!(wanted.get("folders"), None);
    world.finish(job);
    assert_eq!(world.tricks.times_asked(&world.root("books").join("a")), 2);
    fs::write(world.root("books").join("a/new.epub"), "new").expect("a file");
    world
        .until("the next change", |world| world.waiting(library))
        .await;
}

#[tokio::test]
async fn what_is_not_watched_is_said_with_its_reason() {
    let mut world = World::new();
    let (full, partial) = (world.library("full"), world.library("partial"));
    world
        .tricks
        .refuse(&world.root("full").join("a"), Errno::NOSPC);
    world
        .tricks
        .refuse(&world.root("partial").join("a"), Errno::ACCESS);
    let told = world
        .until("the limit", |world| {
            let Watch::Unavailable(why) = world.test.app.watches.of(full) else {
                return None;
            };
            Some(why)
        })
        .await;
    assert!(told.contains("fs.inotify.max_user_watches"), "{told}");
    let told = world
        .until("the gap", |world| {
            let Watch::Partly(why) = world.test.app.watches.of(partial) else {
                return None;
            };
            Some(why)
        })
        .await;
    assert!(told.contains("a: the server may not read it"), "{told}");
}
