//! Claims: stored files whose content was found at another path take that path.

use std::collections::BTreeSet;

use super::Apply;
use crate::id::{FileId, FolderId};
use crate::scan::batch::Part;
use crate::scan::change::PreparedFile;
use crate::scan::name;
use crate::store::{StoreResult, file, folder};

impl Apply<'_, '_> {
    /// Every claimed file leaves its path before any takes its new one, so that files which
    /// swapped their names never meet.
    pub(super) fn settle_claims(
        &mut self,
        folders: &[FolderId],
        parts: &mut [Part],
    ) -> StoreResult<()> {
        for (folder, part) in folders.iter().zip(parts.iter_mut()) {
            for group in &mut part.groups {
                let mut kept = Vec::with_capacity(group.files.len());
                for file in std::mem::take(&mut group.files) {
                    match file.claim {
                        Some(claim) if !self.leave(&file, claim)? => {
                            self.done.distrusted.push(*folder);
                            self.done.released.push(claim);
                        }
                        _ => kept.push(file),
                    }
                }
                group.files = kept;
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

    /// `false` where the claimed file is not as the claimer saw it: it was purged, or what now
    /// lies at its old path was written to it. What was not read anew would take on the facts of
    /// that; it is left out and looked at again.
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
        self.park(&stored)?;
        if file.was_read() {
            // Something new lies at its old path and was taken for it: to be looked at again.
            self.done.distrusted.push(stored.folder);
        }
        folder::set_listing(self.tx, stored.folder, None)?;
        Ok(true)
    }

    fn take(&mut self, folder: FolderId, file: &PreparedFile, claim: FileId) -> StoreResult<()> {
        if let Some(displaced) = file::named(self.tx, folder, &file.name)? {
            self.park(&displaced)?;
            self.done.displaced.push((displaced.id, folder));
            self.reworded.insert(displaced.item);
        }
        self.in_transit.insert(claim);
        file::rename(self.tx, claim, folder, &file.name)
    }

    fn park(&self, stored: &file::StoredFile) -> StoreResult<()> {
        let name = name::parked(stored.id, &stored.name);
        file::rename(self.tx, stored.id, stored.folder, &name)
    }

    /// Notes that a file went from one item to another.
    pub(super) fn depart(
        &mut self,
        file: FileId,
        from: crate::id::ItemId,
        to: crate::id::ItemId,
    ) -> StoreResult<()> {
        crate::store::user_state::follow_file(self.tx, file, to)?;
        self.done.ledger.departures.note(from, to);
        let both = BTreeSet::from([from, to]);
        self.touched.extend(&both);
        self.regrouped.extend(&both);
        self.reworded.extend(&both);
        self.probed.extend(&both);
        self.refaced.extend(&both);
        self.left.insert(from);
        Ok(())
    }
}
