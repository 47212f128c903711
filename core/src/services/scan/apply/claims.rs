//! Claims: a stored file whose content was found at another path moves to that path.

use std::collections::BTreeSet;

use super::Apply;
use crate::error::StoreResult;
use crate::id::{FileId, FolderId};
use crate::path;
use crate::scan::apply::batch::Part;
use crate::scan::diff::folder_change::PreparedFile;
use crate::store::file::{self, folder};

impl Apply<'_, '_> {
    /// Moves all claimed files to their new paths. Every claimed file first leaves its old path, so
    /// that files with swapped names do not collide.
    pub(super) fn settle_claims(
        &mut self,
        folders: &[FolderId],
        parts: &mut [Part],
    ) -> StoreResult<()> {
        for (folder, part) in folders.iter().zip(parts.iter_mut()) {
            for group in &mut part.groups {
                let mut remaining = Vec::with_capacity(group.files.len());
                for file in std::mem::take(&mut group.files) {
                    match file.claim {
                        Some(claim) if !self.leave(&file, claim)? => {
                            self.done.distrusted.push(*folder);
                            self.done.released.push(claim);
                        }
                        _ => remaining.push(file),
                    }
                }
                group.files = remaining;
            }
        }
        for (folder, part) in folders.iter().zip(parts.iter()) {
            let files = part.groups.iter().flat_map(|group| &group.files);
            for file in files {
                if let Some(claim) = file.claim {
                    self.take(*folder, file, claim)?;
                }
            }
        }
        Ok(())
    }

    /// Moves a claimed file away from its old path. Returns `false` if the row differs from the one
    /// that was claimed: it was purged, or its old path received new content. A file that was not
    /// read would then inherit wrong facts, so it is left out and examined again.
    fn leave(&mut self, file: &PreparedFile, claim: FileId) -> StoreResult<bool> {
        let Some(stored) = file::get_unscoped(self.tx, claim)? else {
            return Ok(false);
        };
        let seen = file
            .reading
            .as_ref()
            .and_then(|reading| reading.fingerprint);
        if !file.was_read() && stored.fingerprint != seen {
            return Ok(false);
        }
        self.write_tombstone(&stored)?;
        if file.was_read() {
            // The old path has new content, which was mistaken for this file. The folder must be
            // examined again.
            self.done.distrusted.push(stored.folder);
        }
        folder::set_listing(self.tx, stored.folder, None)?;
        Ok(true)
    }

    fn take(&mut self, folder: FolderId, file: &PreparedFile, claim: FileId) -> StoreResult<()> {
        if let Some(displaced) = file::named(self.tx, folder, &file.name)? {
            self.write_tombstone(&displaced)?;
            self.done.displaced.push((displaced.id, folder));
            self.text_changed.insert(displaced.item);
        }
        self.in_transit.insert(claim);
        file::rename(self.tx, claim, folder, &file.name)
    }

    fn write_tombstone(&self, stored: &file::StoredFile) -> StoreResult<()> {
        let name = path::tombstone(stored.id, &stored.name);
        file::rename(self.tx, stored.id, stored.folder, &name)
    }

    /// Records that a file moved from one item to another.
    pub(super) fn depart(
        &mut self,
        file: FileId,
        from: crate::id::ItemId,
        to: crate::id::ItemId,
    ) -> StoreResult<()> {
        crate::store::account::user_state::follow_file(self.tx, file, to)?;
        self.done.move_tracker.departures.note(from, to);
        let both = BTreeSet::from([from, to]);
        self.touched.extend(&both);
        self.regrouped.extend(&both);
        self.text_changed.extend(&both);
        self.probed.extend(&both);
        self.cover_changed.extend(&both);
        self.left.insert(from);
        Ok(())
    }
}
