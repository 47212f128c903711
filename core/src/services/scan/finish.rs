//! Finish phase after a complete walk: unseen files are marked as missing, unless they may only be
//! temporarily unavailable.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rusqlite::Connection;

use super::apply::{Context, Departures};
use super::identity;
use super::run::{Run, raise};
use crate::db::AdaptiveBatch;
use crate::error::StoreResult;
use crate::id::{FileId, FolderId};
use crate::scan::walk::scope::Area;
use crate::scan::walk::visited_folders::{Anomalies, Boundary, VisitedFolders};
use crate::store::file::folder::Digest;
use crate::store::file::{folder, media_profile, totals};
use crate::store::library::scan_run::{self, End, acceptance};
use crate::store::user_data::progress;
use crate::store::{catalogue, file};
use crate::{path, search};

/// Number of files that are marked in one transaction.
const CHUNK: usize = 500;
/// Number of folders that are read at once.
const FOLDERS: usize = 1_000;
/// Libraries with fewer present files may lose all of them: a later scan finds them again quickly.
const GUARDED_FROM: u64 = 100;

/// Changes that the end of a run is about to make.
#[derive(Debug, Default)]
struct Losses {
    /// Files that become missing.
    files: Vec<FileId>,
    /// Stored folders that were not seen. If they come back, their content is examined again.
    unseen: Vec<FolderId>,
    /// Folders whose stored files may only be temporarily unavailable.
    spared: BTreeSet<FolderId>,
    /// Number of present files in those folders, by the path of the mount boundary above them.
    behind: BTreeMap<Vec<u8>, u64>,
}

impl Losses {
    /// Adds the unseen files of a folder with this path. Files that may only be temporarily
    /// unavailable are spared.
    fn add(
        &mut self,
        run: &Run<'_>,
        odd: &Anomalies,
        (folder, path): (FolderId, &[u8]),
        files: Vec<FileId>,
    ) {
        if files.is_empty() {
            return;
        }
        if odd.is_unlisted(path) {
            self.spared.insert(folder);
        } else if let Some(boundary) = odd.boundary(path).filter(|_| !run.accept_missing) {
            self.spared.insert(folder);
            *self.behind.entry(boundary.path.clone()).or_default() += files.len() as u64;
        } else {
            self.files.extend(files);
        }
    }
}

/// Marks missing files, if the walk is a reliable proof that they are gone.
pub(super) fn finish(
    run: &Run<'_>,
    context: &Context,
    seen: &VisitedFolders,
    area: &Area,
    departures: &Departures,
) -> StoreResult<End> {
    let connection = run.app.db.connect_reader()?;
    let mut odd = seen.anomalies();
    let Some(target) = scan_run::target_unscoped(&connection, run.library)? else {
        return Ok(End::Cancelled);
    };
    note_vanished_mounts(run, &connection, seen, area, &mut odd)?;
    let mut losses = losses(run, &connection, seen, area, &odd)?;
    if !losses.files.is_empty() || !losses.behind.is_empty() {
        if let Err(why) = vanished_meanwhile(run, seen, &mut odd) {
            return Ok(End::Failed(why));
        }
        note_changes_above(run, &connection, area, &mut odd)?;
        losses = self::losses(run, &connection, seen, area, &odd)?;
    }
    for (boundary, files) in &losses.behind {
        let what = format!(
            "another file system began or ended here since the last scan; {files} files that \
             cannot be seen now stay as they are"
        );
        run.error(boundary, &what);
    }
    if let Some(why) = refusal(run, &connection, seen, target.root_is_mount, &losses)? {
        return Ok(End::Failed(why));
    }
    drop(connection);
    if (run.control)().is_some() {
        return Ok(End::Cancelled);
    }
    mark(run, context, &losses, departures)?;
    keep_listings(run, context, &odd, &losses)?;
    keep_boundaries(run, context, &odd, &losses, seen)?;
    Ok(End::Done)
}

/// Adds mount points that disappeared together with their mount as boundaries.
fn note_vanished_mounts(
    run: &Run<'_>,
    connection: &Connection,
    seen: &VisitedFolders,
    area: &Area,
    odd: &mut Anomalies,
) -> StoreResult<()> {
    for (id, path) in folder::mounts_unscoped(connection, run.library)? {
        if !path.is_empty() && area.contains(&path) && !seen.has_seen(id) && !odd.is_unlisted(&path)
        {
            odd.boundaries.push(Boundary {
                id,
                path,
                is_mount: false,
            });
        }
    }
    Ok(())
}

/// Checks the folders above the scanned area, which a run limited to some folders has not seen. If
/// one of them cannot be listed, or has gained or lost a mount, files below it may only be
/// temporarily unavailable.
fn note_changes_above(
    run: &Run<'_>,
    connection: &Connection,
    area: &Area,
    odd: &mut Anomalies,
) -> StoreResult<()> {
    for path in area.above() {
        let stored = folder::at_unscoped(connection, run.library, &path)?;
        let was_mount = stored.is_some_and(|folder| folder.is_mount);
        let is_as_before = match run.disk.list(&path, &|_| false) {
            Ok(listing) => listing.is_mount == was_mount,
            Err(error) => !was_mount && identity::is_gone(&error),
        };
        if !is_as_before {
            run.error(
                &path,
                &"it cannot be listed, or another file system begins or ends here",
            );
            odd.unlisted.insert(path);
        }
    }
    Ok(())
}

fn losses(
    run: &Run<'_>,
    connection: &Connection,
    seen: &VisitedFolders,
    area: &Area,
    odd: &Anomalies,
) -> StoreResult<Losses> {
    let mut losses = Losses::default();
    let claimed = run.identity.claimed().clone();
    let mut by_folder: BTreeMap<FolderId, Vec<FileId>> = BTreeMap::new();
    for (file, folder) in &odd.absent {
        if !claimed.contains(file) {
            by_folder.entry(*folder).or_default().push(*file);
        }
    }
    for (folder, files) in by_folder {
        let path = folder::path_unscoped(connection, folder)?.unwrap_or_default();
        losses.add(run, odd, (folder, &path), files);
    }
    each_folder(run, connection, area, |folders| {
        for (folder, path) in folders {
            if seen.has_seen(folder) {
                continue;
            }
            let mut files = file::present_in_folder_unscoped(connection, folder)?;
            files.retain(|file| !claimed.contains(file));
            losses.add(run, odd, (folder, &path), files);
            let is_hidden = !run.accept_missing && odd.boundary(&path).is_some();
            if !is_hidden && !losses.spared.contains(&folder) {
                losses.unseen.push(folder);
            }
        }
        Ok(())
    })?;
    Ok(losses)
}

/// Calls `visit` with the stored folders of an area, some at a time.
fn each_folder(
    run: &Run<'_>,
    connection: &Connection,
    area: &Area,
    mut visit: impl FnMut(Vec<(FolderId, Vec<u8>)>) -> StoreResult<()>,
) -> StoreResult<()> {
    match area {
        Area::Whole => {
            let mut after = FolderId(0);
            loop {
                let folders = folder::after_unscoped(connection, run.library, after, FOLDERS)?;
                let Some((last, _)) = folders.last() else {
                    break;
                };
                after = *last;
                visit(folders)?;
            }
        }
        Area::Of(folders) => {
            for path in &folders.alone {
                let folder = folder::at_unscoped(connection, run.library, path)?;
                visit(
                    folder
                        .map(|folder| (folder.id, path.clone()))
                        .into_iter()
                        .collect(),
                )?;
            }
            for path in &folders.trees {
                visit(folder::tree_unscoped(connection, run.library, path)?)?;
            }
        }
    }
    Ok(())
}

/// Checks that all mounts of the walk still exist, because a file system may go away during the
/// walk.
fn vanished_meanwhile(
    run: &Run<'_>,
    seen: &VisitedFolders,
    odd: &mut Anomalies,
) -> Result<(), String> {
    let began = |path: &[u8]| {
        run.disk
            .list(path, &|_| false)
            .map(|listing| listing.is_mount)
    };
    match began(b"") {
        Err(error) => {
            return Err(format!(
                "The library's folder cannot be read any more: {error}. Nothing was marked as \
                 missing."
            ));
        }
        Ok(is_mount) if is_mount != seen.root_is_mount() => {
            return Err(
                "The library's folder lost or changed its file system during the scan. Nothing \
                 was marked as missing."
                    .to_owned(),
            );
        }
        Ok(_) => {}
    }
    for path in odd.mounts.clone() {
        if !path.is_empty() && !began(&path).unwrap_or(false) {
            run.error(&path, &"its file system went away during the scan");
            odd.unlisted.insert(path);
        }
    }
    Ok(())
}

/// Returns the reason why nothing may be marked, if there is one.
fn refusal(
    run: &Run<'_>,
    connection: &Connection,
    seen: &VisitedFolders,
    root_was_mount: Option<bool>,
    losses: &Losses,
) -> StoreResult<Option<String>> {
    if losses.files.is_empty() || run.accept_missing {
        return Ok(None);
    }
    if root_was_mount == Some(true) && !seen.root_is_mount() {
        return Ok(Some(format!(
            "No file system is mounted at the library's folder any more, and {} files are not \
             there. Nothing was marked as missing. Mount it again, or scan with accept_missing.",
            losses.files.len()
        )));
    }
    let counts = acceptance::file_counts_unscoped(connection, run.library)?;
    let news = run.tally.added.load(Ordering::Relaxed) + run.tally.restored.load(Ordering::Relaxed);
    // A disk that fails gradually must not pass in scans that each lose less than half.
    let earlier = counts.lost_since;
    let before = counts.present.saturating_sub(news) + earlier;
    let lost = losses.files.len() as u64 + earlier;
    if before < GUARDED_FROM || lost * 2 <= before {
        return Ok(None);
    }
    let part = match earlier {
        0 => String::new(),
        earlier => format!(", {earlier} of them since the last scan of the whole library"),
    };
    Ok(Some(format!(
        "{lost} of {before} files are not there any more{part}. That is more than half, so nothing \
         was marked as missing. If they are really gone, scan with accept_missing."
    )))
}

fn mark(
    run: &Run<'_>,
    context: &Context,
    losses: &Losses,
    departures: &Departures,
) -> StoreResult<()> {
    let mut batch = AdaptiveBatch::of_at_most(CHUNK);
    let mut left = losses.files.as_slice();
    while !left.is_empty() {
        let (files, rest) = left.split_at(batch.rows().min(left.len()));
        left = rest;
        let (context, files, departures) = (context.clone(), files.to_vec(), departures.clone());
        let mut counters = run.counters();
        let marked = run.app.db.bulk_blocking(move |tx| {
            if !context.has_same_root(tx)? {
                return Ok(0);
            }
            let mut items = BTreeSet::new();
            let mut marked = 0;
            for id in files {
                if let Some(item) = file::mark_missing(tx, id, context.now)? {
                    items.insert(item);
                    marked += 1;
                }
            }
            // Items that lost files to other items earlier may now have no present file.
            let mut successors = BTreeSet::new();
            for item in &items {
                successors.extend(departures.merge(tx, *item)?);
            }
            items.extend(&successors);
            for item in &items {
                catalogue::settle(tx, *item, context.now)?;
            }
            search::reindex(tx, &successors.into_iter().collect::<Vec<_>>())?;
            progress::recompute_some(tx, &items)?;
            for item in &items {
                media_profile::settle(tx, *item)?;
                totals::settle(tx, &context.registry, *item)?;
            }
            counters.missing += marked;
            scan_run::record(tx, context.run, &counters)?;
            Ok(marked)
        })?;
        run.app.events.scan(run.library);
        raise(&run.tally.missing, marked);
        batch.learn(&run.app.db);
    }
    for folders in losses.unseen.chunks(CHUNK) {
        let folders = folders.to_vec();
        run.app.db.bulk_blocking(move |tx| {
            for id in folders {
                folder::set_listing(tx, id, None)?;
                folder::delete_empty(tx, id)?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Stores the listing digests of folders whose absent files are now marked.
fn keep_listings(
    run: &Run<'_>,
    context: &Context,
    odd: &Anomalies,
    losses: &Losses,
) -> StoreResult<()> {
    let listings: Vec<(FolderId, Digest)> = odd
        .listings
        .iter()
        .filter(|(id, _)| !odd.distrusted.contains(id) && !losses.spared.contains(id))
        .map(|(id, listing)| (*id, *listing))
        .collect();
    for listings in listings.chunks(CHUNK) {
        let (context, listings) = (context.clone(), listings.to_vec());
        run.app.db.bulk_blocking(move |tx| {
            if context.has_same_root(tx)? {
                for (id, listing) in listings {
                    folder::set_listing(tx, id, Some(&listing))?;
                }
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Stores mount points, except those above files that are temporarily unavailable.
fn keep_boundaries(
    run: &Run<'_>,
    context: &Context,
    odd: &Anomalies,
    losses: &Losses,
    seen: &VisitedFolders,
) -> StoreResult<()> {
    let root_is_mount = seen.root_is_mount();
    let boundaries: Arc<[_]> = odd
        .boundaries
        .iter()
        .filter(|boundary| {
            let is_spared = |path: &Vec<u8>| path::ancestors(path).any(|p| p == boundary.path);
            let is_seen = run.accept_missing || seen.has_seen(boundary.id);
            is_seen && !losses.behind.keys().any(is_spared)
        })
        .map(|boundary| (boundary.id, boundary.is_mount))
        .collect();
    let context = context.clone();
    let is_known = scan_run::target_unscoped(&run.app.db.connect_reader()?, run.library)?
        .is_some_and(|target| target.root_is_mount == Some(root_is_mount));
    if boundaries.is_empty() && is_known {
        return Ok(());
    }
    run.app.db.bulk_blocking(move |tx| {
        if !context.has_same_root(tx)? {
            return Ok(());
        }
        for (id, is_mount) in boundaries.iter() {
            folder::set_is_mount(tx, *id, *is_mount)?;
        }
        scan_run::set_root_is_mount(tx, context.library, root_is_mount)
    })
}
