//! Stages of a run and their threads.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError};

use super::apply::{self, Applied, Context, MoveTracker};
use super::finish;
use super::rules::Rules;
use super::run::{Run, Stop, Task, raise};
use super::walk::{self, Pending};
use crate::App;
use crate::app::ScanEnd;
use crate::error::{StoreError, StoreResult};
use crate::fs::disk::Disk;
use crate::id::{JobId, LibraryId};
use crate::process::available_parallelism;
use crate::process::lower_priority;
use crate::scan::apply::batch::{self, Batch, Part, Size};
use crate::scan::diff::folder_change::PreparedFolder;
use crate::scan::read;
use crate::scan::run::file_budget::Permit;
use crate::scan::walk::scope::{Area, Folders, Plan, Scope};
use crate::scan::walk::visited_folders::VisitedFolders;
use crate::store::file::folder;
use crate::store::library::scan_run::{self, Counters, End};

/// Maximum number of changed folders that wait between stages. With fewer folders than a transaction
/// has, the writer would wait for the other stages. `file_budget` limits their memory.
const WAITING: usize = 1_024;
/// Prepared data is written after this time even if it does not fill a transaction.
const MAX_WAIT: Duration = Duration::from_millis(250);
/// Maximum number of threads that read files.
const MAX_READERS: usize = 4;

/// Number of additional passes over folders that differ from what the walk saw. The first pass
/// handles content whose stored file was not free yet, the second handles new content at that
/// file's old path.
const RECHECKS: usize = 2;

/// First sentences of the error of a scan that failed because the disk is full.
pub(super) const DISK_FULL: &str =
    "The disk is full. Free some space on the disk of the database, then scan again.";

/// Parameters of a scan.
#[derive(Debug, Clone)]
pub struct Scan {
    /// Library to scan.
    pub library: LibraryId,
    /// Job that runs the scan.
    pub job: Option<JobId>,
    /// `true` if the loss of more than half of the library is accepted.
    pub accept_missing: bool,
    /// Folders to scan.
    pub scope: Scope,
}

/// Scans a library on this thread and some others. `control` is called often and returns a reason
/// to stop. `disk` opens the library's root. Returns `None` if the library does not exist.
pub fn scan(
    app: &App,
    scan: &Scan,
    disk: &dyn Fn(&std::path::Path) -> Arc<dyn Disk>,
    control: &(dyn Fn() -> Option<Stop> + Sync),
) -> StoreResult<Option<(End, Counters)>> {
    let library = scan.library;
    let target = app
        .db
        .read_blocking(move |conn| scan_run::target_unscoped(conn, library))?;
    let Some(target) = target else {
        return Ok(None);
    };
    let (job, now) = (scan.job, app.clock.now());
    let is_whole = scan.scope.folders.is_none();
    let id = app
        .db
        .bulk_blocking(move |tx| scan_run::begin(tx, library, job, is_whole, now))?;
    app.events.scan(library);
    let task = Task {
        app,
        disk: disk(&target.root),
        control,
        library,
        rules: Rules::of(&app.registry, target.kinds.as_deref()),
        root: target.root,
        accept_missing: scan.accept_missing,
        growing: scan.scope.growing.clone(),
    };
    let run = Run::new(task, id);
    let end = match stages(&run, scan.scope.folders.as_ref()) {
        Err(StoreError::DiskFull) => End::Failed(disk_is_full(&run)),
        end => end?,
    };
    let (counters, now, result) = (run.counters(), app.clock.now(), end.clone());
    let written = counters.clone();
    let hooks = app.clone();
    let ended = ScanEnd {
        library,
        is_complete: end == End::Done,
    };
    app.db.bulk_blocking(move |tx| {
        scan_run::record(tx, id, &written)?;
        scan_run::end(tx, id, &result, now)?;
        hooks
            .after_scan
            .iter()
            .try_for_each(|hook| hook(&hooks, tx, ended))
    })?;
    app.jobs.wake();
    app.events.scan(library);
    Ok(Some((end, counters)))
}

/// Returns the error of a run that a full disk has ended.
fn disk_is_full(run: &Run<'_>) -> String {
    let marked = match run.tally.missing.load(Ordering::Relaxed) {
        0 => "Nothing was marked as missing.".to_owned(),
        marked => format!("{marked} files were marked as missing before."),
    };
    format!("{DISK_FULL} {marked}")
}

fn stages(run: &Run<'_>, folders: Option<&Folders>) -> StoreResult<End> {
    let seen = VisitedFolders::default();
    match run.disk.list(b"", &|_| false) {
        Ok(listing) => seen.mark_root_visited(listing.is_mount),
        Err(error) => {
            return Ok(End::Failed(format!(
                "The library's folder cannot be read: {error}. Nothing was marked as missing."
            )));
        }
    }
    let context = Context {
        library: run.library,
        root: run.root.clone(),
        disk: run.disk.clone(),
        registry: run.app.registry.clone(),
        run: run.id,
        now: run.app.clock.now(),
    };
    let (pending, area) = beginning(run, &seen, folders);
    let mut move_tracker = MoveTracker::default();
    catalogue(run, &context, &seen, &pending, &mut move_tracker)?;
    for _ in 0..RECHECKS {
        let paths = paths_to_recheck(run, &seen, &mut move_tracker)?;
        if paths.is_empty() || run.should_stop() {
            break;
        }
        let pending = Pending::recheck(paths);
        catalogue(run, &context, &seen, &pending, &mut move_tracker)?;
    }
    if let Some(error) = run.failure() {
        return Err(error);
    }
    if run.is_broken() || (run.control)().is_some() {
        return Ok(End::Cancelled);
    }
    if seen.anomalies().is_unlisted(b"") {
        return Ok(End::Failed(
            "The library's folder could not be listed. Nothing was marked as missing.".to_owned(),
        ));
    }
    let total = run.tally.scanned.load(Ordering::Relaxed);
    run.tally.total.store(total, Ordering::Relaxed);
    run.tally.is_complete.store(true, Ordering::Relaxed);
    finish::finish(run, &context, &seen, &area, &move_tracker.departures)
}

/// Returns the folders to walk and the area that the run covers.
fn beginning(run: &Run<'_>, seen: &VisitedFolders, folders: Option<&Folders>) -> (Pending, Area) {
    let plan = folders.and_then(|folders| Plan::of(run.disk.as_ref(), folders));
    let Some(plan) = plan else {
        return (Pending::root(), Area::Whole);
    };
    for (path, error) in plan.failures {
        run.error(&path, &error);
        seen.could_not_list(&path);
    }
    (Pending::starts(plan.starts), Area::Of(plan.folders))
}

fn paths_to_recheck(
    run: &Run<'_>,
    seen: &VisitedFolders,
    move_tracker: &mut MoveTracker,
) -> StoreResult<Vec<Vec<u8>>> {
    let connection = run.app.db.connect_reader()?;
    let mut paths = Vec::new();
    for id in seen.take_distrusted() {
        move_tracker.trust(id);
        paths.extend(folder::path_unscoped(&connection, id)?);
    }
    paths.sort_unstable();
    Ok(paths)
}

/// Runs the walk, prepare and apply stages concurrently.
fn catalogue(
    run: &Run<'_>,
    context: &Context,
    seen: &VisitedFolders,
    pending: &Pending,
    move_tracker: &mut MoveTracker,
) -> StoreResult<()> {
    let (to_prepare, changed) = crossbeam_channel::bounded(WAITING);
    let (to_apply, prepared) = crossbeam_channel::bounded(WAITING);
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for _ in 0..walk::WALKERS {
            let to_prepare = to_prepare.clone();
            threads.push(scope.spawn(move || {
                lower_priority();
                break_on_error(run, walk::walk(run, pending, seen, &to_prepare));
            }));
        }
        for _ in 0..available_parallelism().clamp(2, MAX_READERS) {
            let (changed, to_apply) = (changed.clone(), to_apply.clone());
            threads.push(scope.spawn(move || {
                lower_priority();
                break_on_error(run, read::prepare(run, seen, &changed, &to_apply));
            }));
        }
        drop((to_prepare, changed, to_apply));
        let result = write(run, context, seen, &prepared, move_tracker);
        // Dropping the receiver makes pending sends fail, so that the senders end.
        drop(prepared);
        if result.is_err() {
            run.abort(None);
        }
        join(run, threads);
        result
    })
}

fn break_on_error(run: &Run<'_>, result: StoreResult<()>) {
    if let Err(error) = result {
        run.abort(Some(error));
    }
}

/// Joins the stage threads. A panic fails the whole run, because the data in that stage was not
/// catalogued.
fn join(run: &Run<'_>, threads: Vec<ScopedJoinHandle<'_, ()>>) {
    for thread in threads {
        if thread.join().is_err() {
            run.abort(Some(StoreError::Panicked));
        }
    }
}

/// Writes prepared folders until all other stages have ended.
fn write(
    run: &Run<'_>,
    context: &Context,
    seen: &VisitedFolders,
    prepared: &Receiver<(PreparedFolder, Permit)>,
    move_tracker: &mut MoveTracker,
) -> StoreResult<()> {
    let mut batch = Batch::default();
    let small = Cell::new(Size::SMALL);
    let mut commit = |parts: Vec<Part>| {
        let weight = batch::weight(&parts);
        commit(run, context, seen, parts, move_tracker)?;
        // Folders without files give no measurement of the time per file.
        if weight > 0 {
            small.set(small.get().after(weight, run.app.db.last_bulk()));
        }
        Ok(())
    };
    loop {
        if run.should_stop() {
            run.abort(None);
            return Ok(());
        }
        match prepared.recv_timeout(MAX_WAIT) {
            Ok((folder, _share)) => batch.add(folder, size(run, small.get()), &mut commit)?,
            Err(RecvTimeoutError::Timeout) if batch.is_empty() => run.record_sometimes()?,
            Err(RecvTimeoutError::Timeout) => commit(batch.take())?,
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    if batch.is_empty() || run.should_stop() {
        return Ok(());
    }
    commit(batch.take())
}

fn size(run: &Run<'_>, small: Size) -> Size {
    if run.has_concurrent_writes() {
        small
    } else {
        Size::LARGE
    }
}

fn commit(
    run: &Run<'_>,
    context: &Context,
    seen: &VisitedFolders,
    parts: Vec<Part>,
    move_tracker: &mut MoveTracker,
) -> StoreResult<()> {
    if run.should_stop() {
        run.abort(None);
        return Ok(());
    }
    let counters = run.counters();
    let (context, before) = (
        Context {
            now: run.app.clock.now(),
            ..context.clone()
        },
        std::mem::take(move_tracker),
    );
    let applied = run
        .app
        .db
        .bulk_blocking(move |tx| apply::apply(tx, &context, parts, before, counters))?;
    run.app.events.scan(run.library);
    record_applied(run, seen, applied, move_tracker);
    Ok(())
}

fn record_applied(
    run: &Run<'_>,
    seen: &VisitedFolders,
    applied: Applied,
    move_tracker: &mut MoveTracker,
) {
    *move_tracker = applied.move_tracker;
    if applied.is_void {
        run.abort(None);
    }
    raise(&run.tally.added, applied.added);
    raise(&run.tally.updated, applied.updated);
    raise(&run.tally.moved, applied.moved);
    raise(&run.tally.restored, applied.restored);
    for folder in applied.folders {
        seen.mark_visited(folder);
    }
    for (file, folder) in applied.displaced {
        seen.displaced(file, folder);
    }
    for (folder, listing) in applied.listed {
        seen.listed(folder, listing);
    }
    for folder in applied.distrusted {
        seen.distrust(folder);
    }
    let mut claimed = run.identity.claimed();
    for file in applied.released {
        claimed.remove(&file);
    }
}
