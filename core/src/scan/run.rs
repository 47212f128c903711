//! One run: what it works on, what it has counted, and when it must stop.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::App;
use crate::id::{FileId, LibraryId, RunId};
use crate::scan::disk::Disk;
use crate::scan::name;
use crate::scan::room::Room;
use crate::scan::rules::Rules;
use crate::store::file::Fingerprint;
use crate::store::scan_run::{self, Counters};
use crate::store::{StoreError, StoreResult};

/// Longest text of an error, in characters.
const MAX_ERROR: usize = 500;
/// The counters of a run without changes are written this often.
const RECORD_EVERY: Duration = Duration::from_millis(250);

/// Why a run stops before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Somebody asked for it, or the library is gone or has another root.
    Cancelled,
    /// The server is stopping.
    ServerStopping,
}

/// What all stages of a run share.
pub(super) struct Run<'a> {
    pub(super) app: &'a App,
    pub(super) disk: Arc<dyn Disk>,
    pub(super) control: &'a (dyn Fn() -> Option<Stop> + Sync),
    pub(super) library: LibraryId,
    /// The root as it is stored: a run for another root must not write.
    pub(super) root: PathBuf,
    /// Name of the root folder, as kinds are told it.
    pub(super) root_name: String,
    pub(super) rules: Rules,
    pub(super) id: RunId,
    pub(super) accept_missing: bool,
    /// Files that are being written: left as they are known.
    pub(super) growing: BTreeSet<Vec<u8>>,
    pub(super) tally: Tally,
    /// For the files between the stages.
    pub(super) room: Room,
    /// For those of large folders, which hold all of that room, part by part.
    pub(super) part_room: Room,
    broken: AtomicBool,
    failure: Mutex<Option<StoreError>>,
    errors: Mutex<(Vec<String>, u64)>,
    recorded: Mutex<Instant>,
    /// What was written for somebody before it began: a scan that is asked for, too.
    uses_before: u64,
    /// Bytes that may still be read for full hashes.
    full_budget: AtomicU64,
    /// Fingerprints that new content replaced in this run: what had them may yet be found.
    pub(super) replaced: Mutex<HashMap<Fingerprint, FileId>>,
    /// Stored files whose content was found at another path in this run.
    pub(super) claimed: Mutex<HashSet<FileId>>,
}

/// Counters that every stage may raise.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) scanned: AtomicU64,
    pub(super) added: AtomicU64,
    pub(super) updated: AtomicU64,
    pub(super) moved: AtomicU64,
    pub(super) missing: AtomicU64,
    pub(super) restored: AtomicU64,
    /// Set to the number of files once the walk is complete.
    pub(super) total: AtomicU64,
    pub(super) is_complete: AtomicBool,
}

pub(super) fn raise(counter: &AtomicU64, by: u64) {
    counter.fetch_add(by, Ordering::Relaxed);
}

/// What a run is made for.
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
            .map(|root| name::display(root.as_bytes()))
            .unwrap_or_default();
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
            room: Room::default(),
            part_room: Room::default(),
            broken: AtomicBool::new(false),
            failure: Mutex::default(),
            errors: Mutex::default(),
            recorded: Mutex::new(Instant::now()),
            uses_before: task.app.db.uses(),
            full_budget: AtomicU64::new(super::identity::FULL_BUDGET),
            replaced: Mutex::default(),
            claimed: Mutex::default(),
        }
    }

    /// Takes the bytes of a full hash from what the run may read for such.
    pub(super) fn may_hash(&self, size: i64) -> bool {
        let size = u64::try_from(size).unwrap_or(u64::MAX);
        let take = |left: u64| left.checked_sub(size);
        self.full_budget
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
            .is_ok()
    }

    /// Whether somebody writes beside this run, so that its transactions should be short.
    pub(super) fn has_company(&self) -> bool {
        let db = &self.app.db;
        db.is_in_use() && db.uses() != self.uses_before
    }

    /// Whether to stop, because of the outside or because another stage cannot go on.
    pub(super) fn should_stop(&self) -> bool {
        self.broken.load(Ordering::Relaxed) || (self.control)().is_some()
    }

    /// Has every stage end: the run cannot go on.
    pub(super) fn break_off(&self, error: Option<StoreError>) {
        self.broken.store(true, Ordering::Relaxed);
        if let Some(error) = error {
            lock(&self.failure).get_or_insert(error);
        }
    }

    /// The error that broke the run off, if it was one.
    pub(super) fn failure(&self) -> Option<StoreError> {
        lock(&self.failure).take()
    }

    /// Whether a stage ended before its work was done.
    pub(super) fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }

    /// Keeps an error line: where, below the root, and what.
    pub(super) fn error(&self, path: &[u8], what: &dyn std::fmt::Display) {
        let line = error_line(path, what);
        let mut errors = lock(&self.errors);
        // A folder may be looked at twice.
        if errors.0.contains(&line) {
            return;
        }
        if errors.0.len() < scan_run::MAX_ERRORS {
            errors.0.push(line);
        } else {
            errors.1 += 1;
        }
    }

    /// What was counted so far.
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

    /// Writes the counters if that was not done just now.
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

/// A line about what is wrong at a path below the root.
pub(crate) fn error_line(path: &[u8], what: &dyn std::fmt::Display) -> String {
    let place = if path.is_empty() {
        ".".to_owned()
    } else {
        name::display(path)
    };
    let text = format!("{place}: {what}");
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(MAX_ERROR).collect()
}

/// What a mutex of a run guards is whole after every statement.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
