//! Applying: one transaction that brings items and files in line with a batch of groups.

mod claims;
mod emptied;
mod group;
mod new;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use rusqlite::Transaction;

pub(super) use emptied::Departures;

use super::batch::{Part, Pictures};
use super::disk::Disk;
use crate::clock::Timestamp;
use crate::id::{FileId, FolderId, ItemId, LibraryId, RunId};
use crate::search;
use crate::store::folder::Digest;
use crate::store::media_profile::Profiles;
use crate::store::scan_run::{self, Counters};
use crate::store::{StoreResult, catalogue, cover, folder, media_profile, progress};

/// What every transaction of a run needs to know.
#[derive(Debug, Clone)]
pub(super) struct Context {
    pub(super) library: LibraryId,
    pub(super) root: PathBuf,
    pub(super) disk: Arc<dyn Disk>,
    pub(super) run: RunId,
    pub(super) now: Timestamp,
}

impl Context {
    /// Whether the library still has the root that is being scanned.
    pub(super) fn still_holds(&self, tx: &Transaction<'_>) -> StoreResult<bool> {
        let target = scan_run::target_unscoped(tx, self.library)?;
        Ok(target.is_some_and(|target| target.root == self.root))
    }
}

/// What later transactions of a run need to know of earlier ones.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// Where the files of items went: an item that is left without any that is present goes to
    /// where most of them are.
    pub(super) departures: Departures,
    /// Folders in which a file lost its path to another.
    displaced_in: BTreeSet<FolderId>,
    /// Folders of which another thing is stored than the walk saw.
    distrusted: BTreeSet<FolderId>,
}

impl Ledger {
    /// The folder is about to be looked at again.
    pub(super) fn trust(&mut self, folder: FolderId) {
        self.distrusted.remove(&folder);
    }
}

/// What a transaction did.
#[derive(Debug, Default)]
pub(super) struct Applied {
    /// The library is gone or has another root: nothing was done.
    pub(super) is_void: bool,
    pub(super) added: u64,
    pub(super) updated: u64,
    pub(super) moved: u64,
    pub(super) restored: u64,
    /// The folders of the batch, some of them new.
    pub(super) folders: Vec<FolderId>,
    /// Files that lost their path to another.
    pub(super) displaced: Vec<(FileId, FolderId)>,
    /// Listings that hold once those files are found or marked.
    pub(super) listed: Vec<(FolderId, Digest)>,
    /// Folders of which another thing is stored than the walk saw.
    pub(super) distrusted: Vec<FolderId>,
    /// Files that did not go to the path that claimed them.
    pub(super) released: Vec<FileId>,
    pub(super) ledger: Ledger,
}

/// The work on one batch.
struct Apply<'a, 'tx> {
    tx: &'a Transaction<'tx>,
    context: &'a Context,
    done: Applied,
    /// Folders that this batch has stored: nothing lies in them but what it puts there.
    new_folders: BTreeSet<FolderId>,
    /// What was found out about combinations of codecs.
    profiles: Profiles,
    /// Files that have their new path but not their new item yet.
    in_transit: BTreeSet<FileId>,
    /// Items whose presence or time of addition may have changed.
    touched: BTreeSet<ItemId>,
    /// Items whose places of users are to be recomputed.
    regrouped: BTreeSet<ItemId>,
    /// Items that lost a file to another item.
    left: BTreeSet<ItemId>,
    /// Items whose first file may be another, or may have other codecs.
    probed: BTreeSet<ItemId>,
    /// Items whose text changed, and new ones.
    reworded: BTreeSet<ItemId>,
    created: BTreeSet<ItemId>,
    /// Items whose cover may be another now.
    refaced: BTreeSet<ItemId>,
}

/// Writes a batch and the counters that follow from it.
pub(super) fn apply(
    tx: &Transaction<'_>,
    context: &Context,
    mut parts: Vec<Part>,
    ledger: Ledger,
    mut counters: Counters,
) -> StoreResult<Applied> {
    if !context.still_holds(tx)? {
        return Ok(Applied {
            is_void: true,
            ledger,
            ..Applied::default()
        });
    }
    let mut apply = Apply {
        tx,
        context,
        done: Applied {
            ledger,
            ..Applied::default()
        },
        new_folders: BTreeSet::new(),
        profiles: Profiles::default(),
        in_transit: BTreeSet::new(),
        touched: BTreeSet::new(),
        regrouped: BTreeSet::new(),
        left: BTreeSet::new(),
        probed: BTreeSet::new(),
        reworded: BTreeSet::new(),
        created: BTreeSet::new(),
        refaced: BTreeSet::new(),
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
    /// The folder of each part.
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

    /// The listing that the stored files agree with now; where a file lost its path, that is so
    /// only once it is found or marked.
    fn keep_listing(&mut self, folder: FolderId, part: &Part) -> StoreResult<()> {
        let ledger = &mut self.done.ledger;
        ledger.distrusted.extend(&self.done.distrusted);
        ledger
            .displaced_in
            .extend(self.done.displaced.iter().map(|(_, folder)| *folder));
        let trusted = part
            .listing
            .filter(|_| !ledger.distrusted.contains(&folder));
        if ledger.displaced_in.contains(&folder) {
            self.done
                .listed
                .extend(trusted.map(|listing| (folder, listing)));
            return folder::set_listing(self.tx, folder, None);
        }
        folder::set_listing(self.tx, folder, trusted.as_ref())
    }

    /// Where pictures beside files changed, their items may have other covers.
    fn keep_pictures(&mut self, folder: FolderId, part: &Part) -> StoreResult<()> {
        if let Some(Pictures(pictures)) = part.pictures
            && folder::set_pictures(self.tx, folder, pictures.as_ref())?
        {
            cover::due::note_folder(self.tx, folder)?;
        }
        Ok(())
    }

    /// What follows for items once all groups are written.
    fn close(&mut self) -> StoreResult<()> {
        self.merge_emptied()?;
        for item in &self.touched {
            catalogue::settle(self.tx, *item, self.context.now)?;
        }
        progress::recompute_some(self.tx, &self.regrouped)?;
        for item in &self.probed {
            media_profile::settle(self.tx, *item)?;
        }
        let created: Vec<ItemId> = self.created.iter().copied().collect();
        search::add(self.tx, &created)?;
        for item in self.refaced.union(&self.created) {
            cover::due::note(self.tx, *item)?;
        }
        let reworded: Vec<ItemId> = self.reworded.difference(&self.created).copied().collect();
        search::reindex(self.tx, &reworded)
    }
}
