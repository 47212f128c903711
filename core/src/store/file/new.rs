//! A file that a scan meets for the first time: stored with all that was found in it, in one go.

use rusqlite::{Transaction, named_params};

use super::content::{self, Columns, Findings};
use super::{Fingerprint, Place};
use crate::clock::Timestamp;
use crate::id::{FileId, FolderId};
use crate::store::StoreResult;

/// A file that is not stored yet.
#[derive(Debug, Clone, Copy)]
pub struct NewFile<'a> {
    /// The folder it lies in.
    pub folder: FolderId,
    /// Its name there.
    pub name: &'a [u8],
    /// Its size in bytes.
    pub size: i64,
    /// Nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Its fingerprint.
    pub fingerprint: Option<&'a Fingerprint>,
    /// Hash of its whole content, where it was needed.
    pub full_hash: Option<&'a [u8; 32]>,
    /// What was found in it.
    pub findings: Findings<'a>,
}

/// Stores a new file.
pub fn insert(
    tx: &Transaction<'_>,
    new: NewFile<'_>,
    place: Place<'_>,
    now: Timestamp,
) -> StoreResult<FileId> {
    let found = Columns::of(new.findings, now);
    let title = found.title.or(place.member.title.as_deref());
    tx.prepare_cached(
        "INSERT INTO file (item_id, folder_id, name, size, mtime_ns, fingerprint, full_hash,
                           sequence, season, episode, title, added_at,
                           extent, title_in_file, said, mark, container, vcodec, acodec,
                           width, height, duration, inspected_at, probed_at)
         VALUES (:item, :folder, :name, :size, :mtime_ns, :fingerprint, :full_hash,
                 :sequence, :season, :episode, :title, :now,
                 :extent, :title_in_file, :said, :mark, :container, :vcodec, :acodec,
                 :width, :height, :duration, :inspected_at, :probed_at)",
    )?
    .execute(named_params! {
        ":item": place.item,
        ":folder": new.folder,
        ":name": new.name,
        ":size": new.size,
        ":mtime_ns": new.mtime_ns,
        ":fingerprint": new.fingerprint,
        ":full_hash": new.full_hash,
        ":sequence": place.member.sequence,
        ":season": place.member.season,
        ":episode": place.member.episode,
        ":title": title,
        ":now": now,
        ":extent": found.extent,
        ":title_in_file": found.title,
        ":said": found.said,
        ":mark": found.mark,
        ":container": found.container,
        ":vcodec": found.vcodec,
        ":acodec": found.acodec,
        ":width": found.width,
        ":height": found.height,
        ":duration": found.duration,
        ":inspected_at": found.inspected_at,
        ":probed_at": found.probed_at,
    })?;
    let id = FileId(tx.last_insert_rowid());
    content::add_streams(tx, id, found.streams)?;
    content::add_chapters(tx, id, found.chapters)?;
    Ok(id)
}
