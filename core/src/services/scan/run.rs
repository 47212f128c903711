//! State of one run: its target, its counters and its stop condition.

pub(super) mod file_budget;
pub(super) mod job;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::identity::IdentityFinder;
use crate::error::{StoreError, StoreResult};
use crate::fs::disk::Disk;
use crate::id::{LibraryId, RunId};
use crate::scan::rules::Rules;
use crate::store::library::scan_run::{self, Counters};
use crate::{App, path};
use file_budget::FileBudget;

/// Minimum interval between writes of the counters while a run finds no changes.
const RECORD_EVERY: Duration = Duration::from_millis(250);

/// Reason of a stop before the end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// A user cancelled the scan, or the library was deleted or has another root.
    Cancelled,
    /// The server is stopping.
    ServerStopping,
}

/// State that all stages of a run share.
pub(super) struct Run<'a> {
    pub(super) app: &'a App,
    pub(super) disk: Arc<dyn Disk>,
    pub(super) control: &'a (dyn Fn() -> Option<Stop> + Sync),
    pub(super) library: LibraryId,
    /// Root folder as stored at the start. A run must not write if the library has another root
    /// now.
    pub(super) root: PathBuf,
    /// Name of the root folder, as kinds receive it.
    pub(super) root_name: String,
    pub(super) rules: Rules,
    pub(super) id: RunId,
    pub(super) accept_missing: bool,
    /// Files that are still being written. Their stored values stay.
    pub(super) growing: BTreeSet<Vec<u8>>,
    pub(super) tally: Tally,
    /// Limit for the files between the stages.
    pub(super) file_budget: FileBudget,
    /// Separate limit for parts of large folders, because such a folder uses up the other limit.
    pub(super) part_budget: FileBudget,
    broken: AtomicBool,
    failure: Mutex<Option<StoreError>>,
    errors: Mutex<(Vec<String>, u64)>,
    recorded: Mutex<Instant>,
    /// Number of user-facing writes before the run, including the request for the scan.
    uses_before: u64,
    /// Assigns content to stored files.
    pub(super) identity: IdentityFinder,
}

/// Counters that every stage may increment.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) scanned: AtomicU64,
    pub(super) added: AtomicU64,
    pub(super) updated: AtomicU64,
    pub(super) moved: AtomicU64,
    pub(super) missing: AtomicU64,
    pub(super) restored: AtomicU64,
    /// Number of files, valid once the walk is complete.
    pub(super) total: AtomicU64,
    pub(super) is_complete: AtomicBool,
}

pub(super) fn raise(counter: &AtomicU64, by: u64) {
    counter.fetch_add(by, Ordering::Relaxed);
}

/// Input of a run.
pub(super) struct Task<'a> {
    pub(super) app: &'a App,
    pub(super) disk: Arc<dyn Disk>,
    pub(super) control: &'a (dyn Fn() -> Option<Stop> + Sync),
    pub(super) library: LibraryId,
    pub(super) root: PathBuf,
    pub(super) rules: Rules,
    pub(super) accept_missing: bool,
    pub(super) growing: BTreeSet<Vec<u8>>,
}

impl<'a> Run<'a> {
    pub(super) fn new(task: Task<'a>, id: RunId) -> Self {
        use std::os::unix::ffi::OsStrExt;
        let root_name = task
            .root
            .file_name()
            .map(|root| path::display(root.as_bytes()))
            .unwrap_or_default();
        let identity = IdentityFinder::new(task.disk.clone(), task.library);
        Self {
            app: task.app,
            disk: task.disk,
            control: task.control,
            library: task.library,
            root: task.root,
            root_name,
            rules: task.rules,
            id,
            accept_missing: task.accept_missing,
            growing: task.growing,
            tally: Tally::default(),
            file_budget: FileBudget::default(),
            part_budget: FileBudget::default(),
            broken: AtomicBool::new(false),
            failure: Mutex::default(),
            errors: Mutex::default(),
            recorded: Mutex::new(Instant::now()),
            uses_before: task.app.db.uses(),
            identity,
        }
    }

    /// Returns `true` if users write during this run, so that its transactions must be short.
    pub(super) fn has_concurrent_writes(&self) -> bool {
        let db = &self.app.db;
        db.is_in_use() && db.uses() != self.uses_before
    }

    /// Returns `true` if the run was cancelled or another stage failed.
    pub(super) fn should_stop(&self) -> bool {
        self.broken.load(Ordering::Relaxed) || (self.control)().is_some()
    }

    /// Stops all stages, because the run cannot continue.
    pub(super) fn abort(&self, error: Option<StoreError>) {
        self.broken.store(true, Ordering::Relaxed);
        if let Some(error) = error {
            lock(&self.failure).get_or_insert(error);
        }
    }

    /// Takes the error that stopped the run, if there is one.
    pub(super) fn failure(&self) -> Option<StoreError> {
        lock(&self.failure).take()
    }

    /// Returns `true` if a stage ended before its work was complete.
    pub(super) fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }

    /// Records an error with its path below the root.
    pub(super) fn error(&self, path: &[u8], what: &dyn std::fmt::Display) {
        let line = path::error_line(path, what);
        let mut errors = lock(&self.errors);
        // A folder may be examined twice.
        if errors.0.contains(&line) {
            return;
        }
        if errors.0.len() < scan_run::MAX_ERRORS {
            errors.0.push(line);
        } else {
            errors.1 += 1;
        }
    }

    /// Returns the current counters.
    pub(super) fn counters(&self) -> Counters {
        let errors = lock(&self.errors);
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let tally = &self.tally;
        Counters {
            scanned: read(&tally.scanned),
            total: tally
                .is_complete
                .load(Ordering::Relaxed)
                .then(|| read(&tally.total)),
            added: read(&tally.added),
            updated: read(&tally.updated),
            moved: read(&tally.moved),
            missing: read(&tally.missing),
            restored: read(&tally.restored),
            errors: errors.0.clone(),
            errors_overflow: errors.1,
        }
    }

    /// Writes the counters, at most once per [`RECORD_EVERY`].
    pub(super) fn record_sometimes(&self) -> StoreResult<()> {
        {
            let mut recorded = lock(&self.recorded);
            if recorded.elapsed() < RECORD_EVERY {
                return Ok(());
            }
            *recorded = Instant::now();
        }
        let (counters, id) = (self.counters(), self.id);
        self.app
            .db
            .bulk_blocking(move |tx| scan_run::record(tx, id, &counters))?;
        self.app.events.scan(self.library);
        Ok(())
    }
}

/// Locks a mutex and ignores poisoning: the guarded data is consistent after every statement.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
