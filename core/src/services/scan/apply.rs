//! Apply phase: one transaction updates items and files to match a batch of groups.

pub(super) mod batch;
mod claims;
mod emptied;
mod fields;
mod group;
mod new;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use rusqlite::Transaction;

pub(super) use emptied::Departures;

use crate::error::StoreResult;
use crate::fs::disk::Disk;
use crate::id::{FileId, FolderId, ItemId, LibraryId, RunId};
use crate::registry::Registry;
use crate::scan::apply::batch::{Part, Pictures};
use crate::search;
use crate::store::file::folder::Digest;
use crate::store::file::media_profile::Profiles;
use crate::store::file::recording::search_row;
use crate::store::file::{folder, media_profile, totals};
use crate::store::library::scan_run::{self, Counters};
use crate::store::user_data::progress;
use crate::store::{catalogue, cover};
use crate::time::Timestamp;

/// Values of a run that every transaction uses.
#[derive(Debug, Clone)]
pub(super) struct Context {
    pub(super) library: LibraryId,
    pub(super) root: PathBuf,
    pub(super) disk: Arc<dyn Disk>,
    pub(super) registry: Arc<Registry>,
    pub(super) run: RunId,
    pub(super) now: Timestamp,
}

impl Context {
    /// Returns `true` if the library still has the root folder that this run scans.
    pub(super) fn has_same_root(&self, tx: &Transaction<'_>) -> StoreResult<bool> {
        let target = scan_run::target_unscoped(tx, self.library)?;
        Ok(target.is_some_and(|target| target.root == self.root))
    }
}

/// State that earlier transactions of a run pass on to later ones.
#[derive(Debug, Default)]
pub(super) struct MoveTracker {
    /// Moves of files between items. An item without present files is merged into the item that
    /// received most of its files.
    pub(super) departures: Departures,
    /// Folders in which a file lost its path to another file.
    displaced_in: BTreeSet<FolderId>,
    /// Folders whose stored files differ from the files that the walk saw.
    distrusted: BTreeSet<FolderId>,
}

impl MoveTracker {
    /// Trusts the folder again, because it is about to be listed again.
    pub(super) fn trust(&mut self, folder: FolderId) {
        self.distrusted.remove(&folder);
    }
}

/// Result of a transaction.
#[derive(Debug, Default)]
pub(super) struct Applied {
    /// The library was deleted or has another root. The transaction changed nothing.
    pub(super) is_void: bool,
    pub(super) added: u64,
    pub(super) updated: u64,
    pub(super) moved: u64,
    pub(super) restored: u64,
    /// Folder ids of the batch, including new folders.
    pub(super) folders: Vec<FolderId>,
    /// Files that lost their path to another file.
    pub(super) displaced: Vec<(FileId, FolderId)>,
    /// Listing digests that become valid once the displaced files are found or marked as missing.
    pub(super) listed: Vec<(FolderId, Digest)>,
    /// Folders whose stored files differ from the files that the walk saw.
    pub(super) distrusted: Vec<FolderId>,
    /// Claimed files that did not move to the path of their claim.
    pub(super) released: Vec<FileId>,
    pub(super) move_tracker: MoveTracker,
}

/// Work state for one batch.
struct Apply<'a, 'tx> {
    tx: &'a Transaction<'tx>,
    context: &'a Context,
    done: Applied,
    /// Folders that this batch inserted. They contain only files of this batch.
    new_folders: BTreeSet<FolderId>,
    /// Cache of the media profiles of codec combinations.
    profiles: Profiles,
    /// Files that have their new path, but not yet their new item.
    in_transit: BTreeSet<FileId>,
    /// Items whose presence or addition time may have changed.
    touched: BTreeSet<ItemId>,
    /// Items whose users' progress must be recomputed.
    regrouped: BTreeSet<ItemId>,
    /// Items that lost a file to another item.
    left: BTreeSet<ItemId>,
    /// Items whose first file, or its codecs, may have changed.
    probed: BTreeSet<ItemId>,
    /// Items whose totals may have changed.
    resized: BTreeSet<ItemId>,
    /// New items, and items whose searchable text changed.
    text_changed: BTreeSet<ItemId>,
    created: BTreeSet<ItemId>,
    /// Items whose cover may have changed.
    cover_changed: BTreeSet<ItemId>,
}

/// Writes a batch and the counters that depend on it.
pub(super) fn apply(
    tx: &Transaction<'_>,
    context: &Context,
    mut parts: Vec<Part>,
    move_tracker: MoveTracker,
    mut counters: Counters,
) -> StoreResult<Applied> {
    if !context.has_same_root(tx)? {
        return Ok(Applied {
            is_void: true,
            move_tracker,
            ..Applied::default()
        });
    }
    let mut apply = Apply {
        tx,
        context,
        done: Applied {
            move_tracker,
            ..Applied::default()
        },
        new_folders: BTreeSet::new(),
        profiles: Profiles::default(),
        in_transit: BTreeSet::new(),
        touched: BTreeSet::new(),
        regrouped: BTreeSet::new(),
        left: BTreeSet::new(),
        probed: BTreeSet::new(),
        resized: BTreeSet::new(),
        text_changed: BTreeSet::new(),
        created: BTreeSet::new(),
        cover_changed: BTreeSet::new(),
    };
    let folders = apply.folders(&parts)?;
    apply.settle_claims(&folders, &mut parts)?;
    for (id, part) in folders.iter().zip(&parts) {
        for group in &part.groups {
            apply.group((*id, part.path.as_slice()), group)?;
        }
    }
    for (id, part) in folders.iter().zip(&parts) {
        apply.keep_listing(*id, part)?;
        apply.keep_pictures(*id, part)?;
    }
    apply.close()?;
    counters.added += apply.done.added;
    counters.updated += apply.done.updated;
    counters.moved += apply.done.moved;
    counters.restored += apply.done.restored;
    scan_run::record(tx, context.run, &counters)?;
    apply.done.folders = folders;
    Ok(apply.done)
}

impl Apply<'_, '_> {
    /// Returns the folder id of each part, and inserts missing folders.
    fn folders(&mut self, parts: &[Part]) -> StoreResult<Vec<FolderId>> {
        let mut folders = Vec::with_capacity(parts.len());
        for part in parts {
            let library = self.context.library;
            let (id, is_new) = folder::ensure(self.tx, library, &part.path, part.is_mount)?;
            if is_new {
                self.new_folders.insert(id);
            }
            folders.push(id);
        }
        Ok(folders)
    }

    /// Stores the listing digest that the stored files now match. If a file lost its path, the
    /// digest is kept back until that file is found or marked as missing.
    fn keep_listing(&mut self, folder: FolderId, part: &Part) -> StoreResult<()> {
        let move_tracker = &mut self.done.move_tracker;
        move_tracker.distrusted.extend(&self.done.distrusted);
        move_tracker
            .displaced_in
            .extend(self.done.displaced.iter().map(|(_, folder)| *folder));
        let trusted = part
            .listing
            .filter(|_| !move_tracker.distrusted.contains(&folder));
        if move_tracker.displaced_in.contains(&folder) {
            self.done
                .listed
                .extend(trusted.map(|listing| (folder, listing)));
            return folder::set_listing(self.tx, folder, None);
        }
        folder::set_listing(self.tx, folder, trusted.as_ref())
    }

    /// Queues the covers of a folder's items if its picture files changed.
    fn keep_pictures(&mut self, folder: FolderId, part: &Part) -> StoreResult<()> {
        if let Some(Pictures(pictures)) = part.pictures
            && folder::set_pictures(self.tx, folder, pictures.as_ref())?
        {
            cover::queue::enqueue_folder(self.tx, folder)?;
        }
        Ok(())
    }

    /// Updates the derived data of items after all groups are written.
    fn close(&mut self) -> StoreResult<()> {
        self.merge_emptied()?;
        for item in &self.touched {
            catalogue::settle(self.tx, *item, self.context.now)?;
        }
        progress::recompute_some(self.tx, &self.regrouped)?;
        for item in &self.probed {
            media_profile::settle(self.tx, *item)?;
        }
        for item in self.resized.union(&self.touched) {
            totals::settle(self.tx, &self.context.registry, *item)?;
        }
        let with_files = [&self.created, &self.touched, &self.regrouped, &self.resized];
        let with_files: BTreeSet<ItemId> = with_files.into_iter().flatten().copied().collect();
        for item in with_files {
            search_row::settle(self.tx, &self.context.registry, item)?;
        }
        let created: Vec<ItemId> = self.created.iter().copied().collect();
        search::add(self.tx, &created)?;
        for item in self.cover_changed.union(&self.created) {
            cover::queue::enqueue(self.tx, *item)?;
        }
        let text_changed: Vec<ItemId> = self
            .text_changed
            .difference(&self.created)
            .copied()
            .collect();
        search::reindex(self.tx, &text_changed)
    }
}
