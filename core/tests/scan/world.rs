//! Test library in a temporary folder, with a simulated disk.

mod eyes;
mod kinds;
mod questions;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ledge_core::app::{JobQueue, NowPlaying, Watches};
use ledge_core::db::Db;
use ledge_core::error::StoreResult;
use ledge_core::events::Events;
use ledge_core::fs::disk::{Disk, LocalDisk};
use ledge_core::id::LibraryId;
use ledge_core::net::Providers;
use ledge_core::registry::Registry;
use ledge_core::scan::{self, Scan, Scope, Stop};
use ledge_core::store::library::scan_run::{Counters, End};
use ledge_core::time::{Clock, ManualClock, Timestamp};
use ledge_core::{App, Context, Settings};

use eyes::TrickDisk;
use kinds::{BETTER_PAPER, ENGINE, READ, REEL};

pub(crate) use eyes::Eyes;
pub(crate) use kinds::registry;

/// One library and its server.
pub(crate) struct World {
    folder: tempfile::TempDir,
    pub(crate) app: App,
    pub(crate) hand: ManualClock,
    pub(crate) library: LibraryId,
    pub(crate) eyes: Eyes,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("media")).expect("a root");
        let db = Db::open(&folder.path().join("ledge.db")).expect("a database");
        let start: Timestamp = "2026-11-21T09:00:00Z".parse().expect("a time");
        let (clock, hand) = Clock::manual(start);
        let app = App::new(Context {
            db,
            registry: Arc::new(registry()),
            providers: Providers::default(),
            clock,
            jobs: JobQueue::default(),
            events: Events::default(),
            watches: Watches::default(),
            now_playing: NowPlaying::default(),
            after_scan: &[ledge_core::cover::after_scan],
            settings: Arc::new(Settings {
                ffprobe: None,
                read_time_limit: Duration::from_secs(5),
                data: folder.path().to_owned(),
                backups: None,
            }),
        });
        let mut world = Self {
            folder,
            app,
            hand,
            library: LibraryId(0),
            eyes: Eyes::default(),
        };
        world.sql(
            "INSERT INTO user (username, username_key, password_hash, role, created_at)
                   VALUES ('u', 'u', '', 'user', '2026-01-01T00:00:00.000000Z')",
        );
        world.library = world.add_library("media");
        world
    }

    pub(crate) fn add_library(&self, root: &str) -> LibraryId {
        let path = self.root_of(root);
        let sql = "INSERT INTO library (name, name_key, path, created_at)
                   VALUES (?1, ?1, CAST(?2 AS BLOB), '2026-01-01T00:00:00.000000Z')";
        let root = root.to_owned();
        self.app
            .db
            .write_blocking(move |tx| {
                tx.execute(sql, [root, path.to_str().expect("text").to_owned()])?;
                Ok(LibraryId(tx.last_insert_rowid()))
            })
            .expect("a library")
    }

    pub(crate) fn root_of(&self, root: &str) -> PathBuf {
        fs::canonicalize(self.folder.path())
            .expect("a path")
            .join(root)
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.root_of("media")
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub(crate) fn write(&self, path: &str, body: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, body).expect("a file");
    }

    pub(crate) fn rename(&self, from: &str, to: &str) {
        let to = self.path(to);
        fs::create_dir_all(to.parent().expect("a parent")).expect("folders");
        fs::rename(self.path(from), to).expect("a rename");
    }

    pub(crate) fn remove(&self, path: &str) {
        let path = self.path(path);
        if path.is_dir() {
            fs::remove_dir_all(path).expect("a removal");
        } else {
            fs::remove_file(path).expect("a removal");
        }
    }

    pub(crate) fn scan(&self) -> Counters {
        let (end, counters) = self.scan_with(false, &|| None);
        assert_eq!(end, End::Done);
        counters
    }

    /// Returns the error text of a failed scan.
    pub(crate) fn failing_scan(&self) -> String {
        match self.scan_with(false, &|| None) {
            (End::Failed(why), _) => why,
            (end, _) => panic!("the scan ended as {end:?}"),
        }
    }

    pub(crate) fn scan_with(
        &self,
        accept_missing: bool,
        control: &(dyn Fn() -> Option<Stop> + Sync),
    ) -> (End, Counters) {
        self.hand.advance(Duration::from_mins(1));
        let disk = |root: &Path| self.disk(root);
        scan::scan(&self.app, &self.wanted(accept_missing), &disk, control)
            .expect("a scan")
            .expect("a library")
    }

    /// Runs a scan of a part of the library.
    pub(crate) fn scan_scope(&self, scope: Scope) -> (End, Counters) {
        self.hand.advance(Duration::from_mins(1));
        let disk = |root: &Path| self.disk(root);
        let wanted = Scan {
            scope,
            ..self.wanted(false)
        };
        scan::scan(&self.app, &wanted, &disk, &|| None)
            .expect("a scan")
            .expect("a library")
    }

    /// Runs a scan that may fail.
    pub(crate) fn try_scan(&self) -> StoreResult<Option<(End, Counters)>> {
        let disk = |root: &Path| self.disk(root);
        scan::scan(&self.app, &self.wanted(false), &disk, &|| None)
    }

    fn disk(&self, root: &Path) -> Arc<dyn Disk> {
        Arc::new(TrickDisk {
            real: LocalDisk::new(root),
            eyes: self.eyes.clone(),
        })
    }

    fn wanted(&self, accept_missing: bool) -> Scan {
        Scan {
            library: self.library,
            job: None,
            accept_missing,
            scope: Scope::default(),
        }
    }

    /// Returns the same library under a restarted server.
    pub(crate) fn restarted(self) -> Self {
        self.app.db.close();
        let app = App::new(Context {
            db: Db::open(&self.folder.path().join("ledge.db")).expect("a database"),
            jobs: JobQueue::default(),
            ..Context::clone(&self.app)
        });
        Self { app, ..self }
    }

    /// Returns the same library under a server with newer readers.
    pub(crate) fn improved(self) -> Self {
        let kinds = vec![&BETTER_PAPER, &REEL];
        let registry = Registry::of(kinds, vec![&ENGINE], vec![]).expect("sound kinds");
        let app = App::new(Context {
            registry: Arc::new(registry),
            ..Context::clone(&self.app)
        });
        Self { app, ..self }
    }

    /// Returns the number of reads of this file so far.
    pub(crate) fn reads(&self, path: &str) -> usize {
        let path = self.path(path);
        let read = READ.lock().expect("no panic");
        read.iter().filter(|read| **read == path).count()
    }

    pub(crate) fn errors(&self) -> Vec<String> {
        let text = self.one("SELECT errors FROM scan_run ORDER BY id DESC LIMIT 1");
        serde_json::from_str(&text).expect("an array")
    }
}
