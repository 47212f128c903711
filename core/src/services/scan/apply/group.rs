//! Writes one group: finds, moves or creates its item, then writes the item's fields and files.

use super::Apply;
use crate::error::StoreResult;
use crate::id::{FolderId, ItemId};
use crate::path;
use crate::scan::apply::fields;
use crate::scan::diff::folder_change::{PreparedFile, PreparedGroup};
use crate::scan::identity;
use crate::store::catalogue::{self, StoredItem};
use crate::store::file::{self, Assignment, StoredFile, content};

/// File of the group with its row, if it has one.
pub(super) struct Resolved<'a> {
    pub(super) file: &'a PreparedFile,
    pub(super) row: Option<StoredFile>,
}

/// Returns `true` if the codecs of at least one file are known: from this scan, or from its earlier
/// path.
pub(super) fn has_codecs(group: &PreparedGroup) -> bool {
    let probe = |file: &PreparedFile| file.reading.as_ref()?.probe.as_ref()?.container.clone();
    group
        .files
        .iter()
        .any(|file| probe(file).is_some() || file.claim.is_some())
}

impl Apply<'_, '_> {
    pub(super) fn group(
        &mut self,
        (folder, path): (FolderId, &[u8]),
        group: &PreparedGroup,
    ) -> StoreResult<()> {
        let mut resolved = Vec::with_capacity(group.files.len());
        for file in &group.files {
            resolved.extend(self.resolve(folder, file)?);
        }
        if resolved.is_empty() {
            return Ok(());
        }
        let item = match self.item_of(group, &resolved)? {
            Some(item) => {
                self.resized.insert(item);
                // This also applies if another group of this batch has just created the item: the
                // item's first file may be in this group.
                if has_codecs(group) || group.kind.is_probed() {
                    self.probed.insert(item);
                }
                item
            }
            None => self.new_item(path, group, &resolved)?,
        };
        for Resolved { file, row } in resolved {
            match row {
                Some(row) => self.known_file(item, file, &row)?,
                None => self.new_file(folder, item, file)?,
            }
        }
        Ok(())
    }

    /// Returns the current row of a file, which may differ from the row that the walk saw. A row
    /// that has moved to another path in the meantime is not taken back. Returns `None` if the file
    /// must be skipped.
    fn resolve<'a>(
        &mut self,
        folder: FolderId,
        file: &'a PreparedFile,
    ) -> StoreResult<Option<Resolved<'a>>> {
        let known = file.claim.or(file.stored.as_ref().map(|stored| stored.id));
        let Some(id) = known else {
            let row = if self.new_folders.contains(&folder) {
                None
            } else {
                file::named(self.tx, folder, &file.name)?
            };
            return Ok(Some(Resolved { file, row }));
        };
        let row = file::get_unscoped(self.tx, id)?;
        let is_here = |row: &StoredFile| row.folder == folder && row.name == file.name;
        if row.as_ref().is_some_and(is_here) {
            return Ok(Some(Resolved { file, row }));
        }
        if file.claim.is_none() && file.reading.is_some() {
            // The file that was here has moved, and the content here is new.
            let row = file::named(self.tx, folder, &file.name)?;
            return Ok(Some(Resolved { file, row }));
        }
        self.done.distrusted.push(folder);
        Ok(None)
    }

    /// Returns the item of the group after updating it, or `None` if the group is a new item.
    fn item_of(
        &mut self,
        group: &PreparedGroup,
        resolved: &[Resolved<'_>],
    ) -> StoreResult<Option<ItemId>> {
        let known =
            catalogue::keyed_unscoped(self.tx, self.context.library, group.kind.id, &group.key)?;
        let rows: Vec<&StoredFile> = resolved
            .iter()
            .filter_map(|file| file.row.as_ref())
            .collect();
        let stored = match known {
            Some(item) if rows.is_empty() && self.has_left(item.id)? => {
                // All files of the item moved elsewhere in this batch. The item gets its new key
                // there.
                catalogue::rekey(self.tx, item.id, &format!("\0{}", item.id))?;
                None
            }
            Some(item) if self.holds(&item, &rows)? => Some(item),
            // The item with this key has no file here any more. If the files here belong to another
            // item, that item moves here, as in a swap of names.
            Some(item) => match self.moved_item(group, &rows, Some(item.id))? {
                None => Some(item),
                moved => moved,
            },
            None => self.moved_item(group, &rows, None)?,
        };
        let Some(item) = stored else {
            return Ok(None);
        };
        let fields = fields::fields(group, Some(&item));
        if catalogue::update(self.tx, &item, &fields)? {
            self.text_changed.insert(item.id);
        }
        Ok(Some(item.id))
    }

    /// Returns `true` if every file of the item has moved to another group of this batch.
    fn has_left(&self, item: ItemId) -> StoreResult<bool> {
        let files = file::of_item_unscoped(self.tx, item)?;
        let has_left = |file: &StoredFile| file.missing || self.in_transit.contains(&file.id);
        Ok(files
            .iter()
            .any(|(file, _)| self.in_transit.contains(&file.id))
            && files.iter().all(|(file, _)| has_left(file)))
    }

    /// Returns `true` if the item with the group's key still has a file in the group, or if no
    /// other files have replaced its files.
    fn holds(&self, item: &StoredItem, rows: &[&StoredFile]) -> StoreResult<bool> {
        let is_here = rows.is_empty() || rows.iter().any(|row| row.item == item.id);
        Ok(is_here || self.has_other_files(item.id, rows)?)
    }

    /// Returns the item that owns most of the group's files, if the item has moved here. That is
    /// the case if no file of it exists on the disk outside the group. The item gets the group's
    /// key. `holder`, the previous item of the key, gets a placeholder key until its files are
    /// found again.
    fn moved_item(
        &mut self,
        group: &PreparedGroup,
        rows: &[&StoredFile],
        holder: Option<ItemId>,
    ) -> StoreResult<Option<StoredItem>> {
        let mut items: Vec<ItemId> = rows.iter().map(|row| row.item).collect();
        items.sort_unstable();
        items.dedup();
        let weight = |item: &ItemId| rows.iter().filter(|row| row.item == *item).count();
        items.sort_by_key(|item| std::cmp::Reverse(weight(item)));
        for item in items {
            let Some(stored) = catalogue::get_unscoped(self.tx, item)? else {
                continue;
            };
            if stored.kind == group.kind.id && !self.has_other_files(item, rows)? {
                if let Some(holder) = holder {
                    catalogue::rekey(self.tx, holder, &format!("\0{holder}"))?;
                }
                catalogue::rekey(self.tx, item, &group.key)?;
                self.text_changed.insert(item);
                return Ok(Some(StoredItem {
                    key: group.key.clone(),
                    ..stored
                }));
            }
        }
        Ok(None)
    }

    /// Returns `true` if a file of the item exists on the disk, is not one of `rows`, and has not
    /// just moved to another group of the batch.
    fn has_other_files(&self, item: ItemId, rows: &[&StoredFile]) -> StoreResult<bool> {
        for (file, folder) in file::of_item_unscoped(self.tx, item)? {
            let is_elsewhere = !file.missing
                && !path::is_tombstone(&file.name)
                && !self.in_transit.contains(&file.id)
                && !rows.iter().any(|row| row.id == file.id);
            if !is_elsewhere {
                continue;
            }
            let stat = self.context.disk.stat(&path::join(&folder, &file.name));
            if !stat.is_err_and(|error| identity::is_gone(&error)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn known_file(
        &mut self,
        item: ItemId,
        file: &PreparedFile,
        row: &StoredFile,
    ) -> StoreResult<()> {
        self.in_transit.remove(&row.id);
        let is_new_content = file.claim.is_none()
            && (row.size, row.mtime_ns) != (file.stat.size, file.stat.mtime_ns);
        if let Some(reading) = &file.reading {
            let full_hash = reading.full_hash.as_ref();
            content::set_fingerprint(self.tx, row.id, reading.fingerprint.as_ref(), full_hash)?;
            if is_new_content && full_hash.is_none() {
                content::clear_full_hash(self.tx, row.id)?;
            }
            if file.was_read() {
                content::set_findings(self.tx, row.id, reading.findings(), self.context.now)?;
                // Its duration and its cover may have changed.
                self.regrouped.insert(item);
                self.cover_changed.insert(item);
                let is_read_again =
                    row.fingerprint.is_some() && row.read_signature != reading.read_signature;
                let is_another = is_new_content || (file.claim.is_none() && is_read_again);
                self.done.updated += u64::from(is_another);
            }
        } else if is_new_content {
            // Either only the modification time changed, or content outside the fingerprinted
            // parts.
            content::clear_full_hash(self.tx, row.id)?;
        }
        if file.claim.is_some() {
            self.done.moved += 1;
            self.text_changed.insert(item);
        } else if row.missing {
            self.done.restored += 1;
        }
        file::set_present(self.tx, row.id, (file.stat.size, file.stat.mtime_ns))?;
        let place = Assignment {
            item,
            member: &file.member,
        };
        if file::assign(self.tx, row.id, place)? {
            self.touched.insert(item);
            self.regrouped.insert(item);
            self.text_changed.insert(item);
            self.cover_changed.insert(item);
        }
        if row.missing {
            self.touched.insert(item);
            self.regrouped.insert(item);
            self.cover_changed.insert(item);
        }
        if row.item != item {
            self.depart(row.id, row.item, item)?;
        }
        Ok(())
    }
}
