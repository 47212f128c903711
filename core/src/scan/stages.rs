//! The stages of a run and the threads they work on.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError};

use super::apply::{self, Applied, Context, Ledger};
use super::batch::{self, Batch, Part, Size};
use super::change::PreparedFolder;
use super::disk::Disk;
use super::room::Share;
use super::rules::Rules;
use super::run::{Run, Stop, Task, lock, raise};
use super::scope::{Area, Folders, Plan, Scope};
use super::seen::Seen;
use super::walk::{self, Pending};
use super::{finish, prepare};
use crate::App;
use crate::background::stand_back;
use crate::cores;
use crate::cover;
use crate::enrich;
use crate::id::{JobId, LibraryId};
use crate::store::scan_run::{self, Counters, End};
use crate::store::{StoreError, StoreResult, folder};

/// Changed folders that wait between stages.
const WAITING: usize = 64;
/// What was prepared is written after this time also where it does not fill a transaction.
const PATIENCE: Duration = Duration::from_millis(250);
/// Threads that read files.
const MAX_READERS: usize = 4;

/// How often what turned out to be another than the walk saw is looked at again: once for
/// content whose file was not free yet, once for what then lies where that file was.
const RECHECKS: usize = 2;

/// Begins the error of a scan for which the disk has no space.
pub(super) const DISK_FULL: &str =
    "The disk is full. Free some space on the disk of the database, then scan again.";

/// A scan that is asked for.
#[derive(Debug, Clone)]
pub struct Scan {
    /// The library.
    pub library: LibraryId,
    /// The job that does it.
    pub job: Option<JobId>,
    /// Whether to believe that more than half of the library is gone.
    pub accept_missing: bool,
    /// What to look at.
    pub scope: Scope,
}

/// Scans a library on this thread and a few others; `control` is asked often whether to stop, and
/// `disk` makes the eyes for the library's root. `None` if there is no such library.
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
    let is_to_be_enriched = end == End::Done
        && app.settings.enrich_after_scans
        && app.providers.iter().next().is_some();
    app.db.bulk_blocking(move |tx| {
        scan_run::record(tx, id, &written)?;
        scan_run::end(tx, id, &result, now)?;
        if is_to_be_enriched {
            enrich::after_scan(tx, library, now)?;
        }
        cover::request(tx, now)
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
    let seen = Seen::default();
    match run.disk.list(b"", &|_| false) {
        Ok(listing) => seen.saw_root(listing.is_mount),
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
        run: run.id,
        now: run.app.clock.now(),
    };
    let (pending, area) = beginning(run, &seen, folders);
    let mut ledger = Ledger::default();
    catalogue(run, &context, &seen, &pending, &mut ledger)?;
    for _ in 0..RECHECKS {
        let paths = paths_to_recheck(run, &seen, &mut ledger)?;
        if paths.is_empty() || run.should_stop() {
            break;
        }
        let pending = Pending::recheck(paths);
        catalogue(run, &context, &seen, &pending, &mut ledger)?;
    }
    if let Some(error) = run.failure() {
        return Err(error);
    }
    if run.is_broken() || (run.control)().is_some() {
        return Ok(End::Cancelled);
    }
    if seen.odd().is_unlisted(b"") {
        return Ok(End::Failed(
            "The library's folder could not be listed. Nothing was marked as missing.".to_owned(),
        ));
    }
    let total = run.tally.scanned.load(Ordering::Relaxed);
    run.tally.total.store(total, Ordering::Relaxed);
    run.tally.is_complete.store(true, Ordering::Relaxed);
    finish::finish(run, &context, &seen, &area, &ledger.departures)
}

/// Where to walk, and what of the library the run answers for.
fn beginning(run: &Run<'_>, seen: &Seen, folders: Option<&Folders>) -> (Pending, Area) {
    let plan = folders.and_then(|folders| Plan::of(run.disk.as_ref(), folders));
    let Some(plan) = plan else {
        return (Pending::root(), Area::Whole);
    };
    for (path, error) in plan.troubles {
        run.error(&path, &error);
        seen.could_not_list(&path);
    }
    (Pending::starts(plan.starts), Area::Of(plan.folders))
}

fn paths_to_recheck(run: &Run<'_>, seen: &Seen, ledger: &mut Ledger) -> StoreResult<Vec<Vec<u8>>> {
    let connection = run.app.db.connect_reader()?;
    let mut paths = Vec::new();
    for id in seen.take_distrusted() {
        ledger.trust(id);
        paths.extend(folder::path_unscoped(&connection, id)?);
    }
    paths.sort_unstable();
    Ok(paths)
}

/// Walks, prepares and applies side by side.
fn catalogue(
    run: &Run<'_>,
    context: &Context,
    seen: &Seen,
    pending: &Pending,
    ledger: &mut Ledger,
) -> StoreResult<()> {
    let (to_prepare, changed) = crossbeam_channel::bounded(WAITING);
    let (to_apply, prepared) = crossbeam_channel::bounded(WAITING);
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for _ in 0..walk::WALKERS {
            let to_prepare = to_prepare.clone();
            threads.push(scope.spawn(move || {
                stand_back();
                break_on_error(run, walk::walk(run, pending, seen, &to_prepare));
            }));
        }
        for _ in 0..cores().clamp(2, MAX_READERS) {
            let (changed, to_apply) = (changed.clone(), to_apply.clone());
            threads.push(scope.spawn(move || {
                stand_back();
                break_on_error(run, prepare::prepare(run, seen, &changed, &to_apply));
            }));
        }
        drop((to_prepare, changed, to_apply));
        let result = write(run, context, seen, &prepared, ledger);
        // Those who still send learn that nobody takes any more.
        drop(prepared);
        if result.is_err() {
            run.break_off(None);
        }
        join(run, threads);
        result
    })
}

fn break_on_error(run: &Run<'_>, result: StoreResult<()>) {
    if let Err(error) = result {
        run.break_off(Some(error));
    }
}

/// A stage that panicked has the whole run fail: what it held in hand is not catalogued.
fn join(run: &Run<'_>, threads: Vec<ScopedJoinHandle<'_, ()>>) {
    for thread in threads {
        if thread.join().is_err() {
            run.break_off(Some(StoreError::Panicked));
        }
    }
}

/// Writes what was prepared, until all other stages have ended.
fn write(
    run: &Run<'_>,
    context: &Context,
    seen: &Seen,
    prepared: &Receiver<(PreparedFolder, Share)>,
    ledger: &mut Ledger,
) -> StoreResult<()> {
    let mut batch = Batch::default();
    let small = Cell::new(Size::SMALL);
    let mut commit = |parts: Vec<Part>| {
        let weight = batch::weight(&parts);
        commit(run, context, seen, parts, ledger)?;
        // Folders without files tell nothing of how long files take.
        if weight > 0 {
            small.set(small.get().after(weight, run.app.db.last_bulk()));
        }
        Ok(())
    };
    loop {
        if run.should_stop() {
            run.break_off(None);
            return Ok(());
        }
        match prepared.recv_timeout(PATIENCE) {
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
    if run.has_company() {
        small
    } else {
        Size::LARGE
    }
}

fn commit(
    run: &Run<'_>,
    context: &Context,
    seen: &Seen,
    parts: Vec<Part>,
    ledger: &mut Ledger,
) -> StoreResult<()> {
    if run.should_stop() {
        run.break_off(None);
        return Ok(());
    }
    let counters = run.counters();
    let (context, before) = (
        Context {
            now: run.app.clock.now(),
            ..context.clone()
        },
        std::mem::take(ledger),
    );
    let applied = run
        .app
        .db
        .aside_blocking(move |tx| apply::apply(tx, &context, parts, before, counters))?;
    run.app.events.scan(run.library);
    take_in(run, seen, applied, ledger);
    Ok(())
}

fn take_in(run: &Run<'_>, seen: &Seen, applied: Applied, ledger: &mut Ledger) {
    *ledger = applied.ledger;
    if applied.is_void {
        run.break_off(None);
    }
    raise(&run.tally.added, applied.added);
    raise(&run.tally.updated, applied.updated);
    raise(&run.tally.moved, applied.moved);
    raise(&run.tally.restored, applied.restored);
    for folder in applied.folders {
        seen.saw(folder);
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
    let mut claimed = lock(&run.claimed);
    for file in applied.released {
        claimed.remove(&file);
    }
}
