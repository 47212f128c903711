//! Insertion of a file that a scan finds for the first time, with all its findings.

use rusqlite::{Transaction, named_params};

use super::content::{self, Columns, Findings};
use super::{Assignment, Fingerprint};
use crate::error::StoreResult;
use crate::id::{FileId, FolderId};
use crate::time::Timestamp;

/// Values of a file that is not stored yet.
#[derive(Debug, Clone, Copy)]
pub struct NewFile<'a> {
    /// Id of the folder that contains the file.
    pub folder: FolderId,
    /// File name as bytes.
    pub name: &'a [u8],
    /// Size in bytes.
    pub size: i64,
    /// Modification time in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Fingerprint of the content.
    pub fingerprint: Option<&'a Fingerprint>,
    /// Hash of the whole content, if it was computed.
    pub full_hash: Option<&'a [u8; 32]>,
    /// Results of reading the file.
    pub findings: Findings<'a>,
}

/// Inserts a new file.
pub fn insert(
    tx: &Transaction<'_>,
    new: NewFile<'_>,
    place: Assignment<'_>,
    now: Timestamp,
) -> StoreResult<FileId> {
    let found = Columns::of(new.findings, now);
    let title = found.title.or(place.member.title.as_deref());
    tx.prepare_cached(
        "INSERT INTO file (item_id, folder_id, name, size, mtime_ns, fingerprint, full_hash,
                           sequence, season, episode, last_episode, title, added_at,
                           extent, title_in_file, kind_data, read_signature, container, vcodec,
                           acodec, width, height, duration, inspected_at, probed_at)
         VALUES (:item, :folder, :name, :size, :mtime_ns, :fingerprint, :full_hash,
                 :sequence, :season, :episode, :last_episode, :title, :now,
                 :extent, :title_in_file, :kind_data, :read_signature, :container, :vcodec,
                 :acodec, :width, :height, :duration, :inspected_at, :probed_at)",
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
        ":last_episode": place.member.last_episode,
        ":title": title,
        ":now": now,
        ":extent": found.extent,
        ":title_in_file": found.title,
        ":kind_data": found.kind_data,
        ":read_signature": found.read_signature,
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
