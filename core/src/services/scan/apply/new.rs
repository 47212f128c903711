//! New items and files of a batch. Each is written once, with all known values.

use super::Apply;
use super::group::{Resolved, has_codecs};
use crate::error::StoreResult;
use crate::id::{FolderId, ItemId};
use crate::playback::Codecs;
use crate::registry::MediaKind;
use crate::scan::apply::fields;
use crate::scan::diff::folder_change::{PreparedFile, PreparedGroup, Reading};
use crate::store::catalogue::{self, NewItem};
use crate::store::file::totals::{self, Measured, Totals};
use crate::store::file::{self, Assignment, NewFile, first};

/// Returns the codecs of the first of an item's files.
fn first_codecs(path: &[u8], files: &[Resolved<'_>]) -> Codecs {
    let places: Vec<_> = files
        .iter()
        .map(|Resolved { file, .. }| (file.member.sequence, file.name.as_slice()))
        .collect();
    let first = first::of_new(path, &places).and_then(|at| files.get(at));
    let probe = first.and_then(|first| first.file.reading.as_ref()?.probe.as_deref());
    probe.map_or_else(Codecs::default, |probe| Codecs {
        container: probe.container.clone(),
        vcodec: probe.vcodec.clone(),
        acodec: probe.acodec.clone(),
    })
}

/// Returns the totals of an item whose files are all new.
fn totals(kind: &MediaKind, files: &[Resolved<'_>]) -> Totals {
    let measured = files.iter().map(|Resolved { file, .. }| Measured {
        sequence: file.member.sequence,
        episode: file.member.season.zip(file.member.episode),
        size: file.stat.size,
        extent: file
            .reading
            .as_deref()
            .and_then(|reading| reading.findings().extent()),
        unit: totals::unit(Some(kind), &file.name),
    });
    Totals::of(&measured.collect::<Vec<_>>())
}

impl Apply<'_, '_> {
    /// Inserts an item. If all its files are new, its media profile and totals are already known and
    /// written with it.
    pub(super) fn new_item(
        &mut self,
        path: &[u8],
        group: &PreparedGroup,
        resolved: &[Resolved<'_>],
    ) -> StoreResult<ItemId> {
        let is_all_new = resolved.iter().all(|file| file.row.is_none());
        let profile = if is_all_new {
            self.profiles
                .ensure(self.tx, first_codecs(path, resolved))?
        } else {
            None
        };
        let new = NewItem {
            library: self.context.library,
            kind: group.kind.id,
            key: &group.key,
            profile,
            totals: if is_all_new {
                totals(group.kind, resolved)
            } else {
                Totals::default()
            },
            added_at: self.context.now,
        };
        let item = catalogue::insert(self.tx, new, &fields::fields(group, None))?;
        self.created.insert(item);
        if !is_all_new {
            self.resized.insert(item);
            if has_codecs(group) {
                self.probed.insert(item);
            }
        }
        Ok(item)
    }

    pub(super) fn new_file(
        &mut self,
        folder: FolderId,
        item: ItemId,
        file: &PreparedFile,
    ) -> StoreResult<()> {
        let reading = file.reading.as_deref();
        let new = NewFile {
            folder,
            name: &file.name,
            size: file.stat.size,
            mtime_ns: file.stat.mtime_ns,
            fingerprint: reading.and_then(|reading| reading.fingerprint.as_ref()),
            full_hash: reading.and_then(|reading| reading.full_hash.as_ref()),
            findings: reading.map(Reading::findings).unwrap_or_default(),
        };
        let place = Assignment {
            item,
            member: &file.member,
        };
        file::insert(self.tx, new, place, self.context.now)?;
        self.done.added += 1;
        if !self.created.contains(&item) {
            self.touched.insert(item);
            self.regrouped.insert(item);
            self.text_changed.insert(item);
            self.cover_changed.insert(item);
        }
        Ok(())
    }
}
