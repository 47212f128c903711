//! Content data of a file: fingerprint, extent, codecs, streams and chapters.

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use super::Fingerprint;
use crate::access::VisibleFile;
use crate::error::StoreResult;
use crate::id::FileId;
use crate::registry::reading::{Chapter, Inspection, Probe, Stream};
use crate::time::Timestamp;

/// Returns the length in the file's unit, or `None` if it is unknown.
pub fn length(conn: &Connection, file: VisibleFile) -> StoreResult<Option<i64>> {
    let mut statement = conn.prepare_cached("SELECT extent FROM file WHERE id = :file")?;
    let extent = statement
        .query_row(named_params! { ":file": file.id() }, |row| row.get(0))
        .optional()?;
    Ok(extent.flatten())
}

/// Writes the fingerprint and the whole-content hash of the bytes that were read, replacing the old
/// ones.
pub fn set_fingerprint(
    tx: &Transaction<'_>,
    id: FileId,
    fingerprint: Option<&Fingerprint>,
    full_hash: Option<&[u8; 32]>,
) -> StoreResult<()> {
    tx.prepare_cached(
        "UPDATE file
            SET full_hash = CASE WHEN fingerprint IS :fingerprint
                                 THEN coalesce(:full_hash, full_hash)
                                 ELSE :full_hash END,
                fingerprint = :fingerprint
          WHERE id = :id
            AND (fingerprint IS NOT :fingerprint OR :full_hash IS NOT NULL)",
    )?
    .execute(named_params! { ":id": id, ":fingerprint": fingerprint, ":full_hash": full_hash })?;
    Ok(())
}

/// Clears the hash of the whole content, because later reads covered only head and tail.
pub fn clear_full_hash(tx: &Transaction<'_>, id: FileId) -> StoreResult<()> {
    tx.prepare_cached("UPDATE file SET full_hash = NULL WHERE id = :id AND full_hash IS NOT NULL")?
        .execute(named_params! { ":id": id })?;
    Ok(())
}

/// Results of reading a file. Both parts are `None` if the file was not opened or could not be
/// read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Findings<'a> {
    /// Metadata from the kind's reader.
    pub inspection: Option<&'a Inspection>,
    /// Streams and duration from `ffprobe`.
    pub probe: Option<&'a Probe>,
    /// Signature of the readers and the sidecar files that were used.
    pub read_signature: Option<i64>,
}

impl Findings<'_> {
    /// Returns the length of the file in the unit of its format.
    pub fn extent(self) -> Option<i64> {
        extent(self.inspection, self.probe)
    }
}

/// The findings as columns of a file, with its streams and chapters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Columns<'a> {
    pub(super) extent: Option<i64>,
    pub(super) title: Option<&'a str>,
    pub(super) kind_data: Option<&'a str>,
    pub(super) read_signature: Option<i64>,
    pub(super) container: Option<&'a str>,
    pub(super) vcodec: Option<&'a str>,
    pub(super) acodec: Option<&'a str>,
    pub(super) width: Option<i64>,
    pub(super) height: Option<i64>,
    pub(super) duration: Option<f64>,
    pub(super) inspected_at: Option<Timestamp>,
    pub(super) probed_at: Option<Timestamp>,
    pub(super) streams: &'a [Stream],
    pub(super) chapters: &'a [Chapter],
}

impl<'a> Columns<'a> {
    pub(super) fn of(findings: Findings<'a>, now: Timestamp) -> Self {
        let Findings {
            inspection,
            probe,
            read_signature,
        } = findings;
        let container = probe.and_then(|probe| probe.container.as_deref());
        let own = inspection.map(|inspection| inspection.chapters.as_slice());
        let probed = probe.map(|probe| probe.chapters.as_slice());
        Self {
            extent: findings.extent(),
            title: inspection.and_then(|inspection| inspection.part_title.as_deref()),
            kind_data: inspection.and_then(|inspection| inspection.kind_data.as_deref()),
            read_signature,
            container,
            vcodec: probe.and_then(|probe| probe.vcodec.as_deref()),
            acodec: probe.and_then(|probe| probe.acodec.as_deref()),
            width: probe.and_then(|probe| probe.width),
            height: probe.and_then(|probe| probe.height),
            duration: probe.and_then(|probe| probe.duration),
            inspected_at: (inspection.is_some() || probe.is_some()).then_some(now),
            // Without a container the file counts as not probed.
            probed_at: container.map(|_| now),
            streams: probe.map_or(&[][..], |probe| probe.streams.as_slice()),
            chapters: own
                .filter(|chapters| !chapters.is_empty())
                .or(probed)
                .unwrap_or_default(),
        }
    }
}

/// Replaces all earlier findings of a file.
pub fn set_findings(
    tx: &Transaction<'_>,
    id: FileId,
    findings: Findings<'_>,
    now: Timestamp,
) -> StoreResult<()> {
    let found = Columns::of(findings, now);
    tx.prepare_cached(
        "UPDATE file
            SET extent = :extent, title_in_file = :title, kind_data = :kind_data,
                read_signature = :read_signature,
                title = coalesce(:title, title),
                container = :container, vcodec = :vcodec, acodec = :acodec,
                width = :width, height = :height, duration = :duration,
                inspected_at = :inspected_at, probed_at = :probed_at
          WHERE id = :id",
    )?
    .execute(named_params! {
        ":id": id,
        ":extent": found.extent,
        ":title": found.title,
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
    tx.prepare_cached("DELETE FROM file_stream WHERE file_id = :id")?
        .execute(named_params! { ":id": id })?;
    add_streams(tx, id, found.streams)?;
    tx.prepare_cached("DELETE FROM file_chapter WHERE file_id = :id")?
        .execute(named_params! { ":id": id })?;
    add_chapters(tx, id, found.chapters)
}

/// Returns the kind's private data from the file's content.
pub fn said_unscoped(connection: &Connection, id: FileId) -> StoreResult<Option<String>> {
    let mut statement = connection.prepare_cached("SELECT kind_data FROM file WHERE id = :id")?;
    let kind_data = statement.query_row(named_params! { ":id": id }, |row| row.get(0));
    Ok(kind_data.optional()?.flatten())
}

/// Returns the file's extent. The kind's reader takes precedence; otherwise it is the probed
/// duration in seconds, rounded up.
fn extent(inspection: Option<&Inspection>, probe: Option<&Probe>) -> Option<i64> {
    let inspected = inspection.and_then(|inspection| inspection.extent);
    #[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
    let seconds = || {
        probe?
            .duration
            .filter(|seconds| seconds.is_finite() && *seconds >= 0.0)
            .map(|seconds| seconds.ceil() as i64)
    };
    inspected.or_else(seconds)
}

/// Inserts the streams of a file that has no streams yet.
pub(super) fn add_streams(tx: &Transaction<'_>, id: FileId, streams: &[Stream]) -> StoreResult<()> {
    for (position, stream) in streams.iter().enumerate() {
        tx.prepare_cached(
            "INSERT INTO file_stream (file_id, position, type, codec, language, title, forced,
                                      is_default)
             VALUES (:id, :position, :type, :codec, :language, :title, :forced, :is_default)",
        )?
        .execute(named_params! {
            ":id": id,
            ":position": position,
            ":type": stream.kind.to_string(),
            ":codec": stream.codec,
            ":language": stream.language,
            ":title": stream.title,
            ":forced": stream.forced,
            ":is_default": stream.default,
        })?;
    }
    Ok(())
}

/// Inserts the chapters of a file that has no chapters yet.
pub(super) fn add_chapters(
    tx: &Transaction<'_>,
    id: FileId,
    chapters: &[Chapter],
) -> StoreResult<()> {
    let sound = chapters.iter().filter(|chapter| chapter.start.is_finite());
    for (position, chapter) in sound.enumerate() {
        tx.prepare_cached(
            "INSERT INTO file_chapter (file_id, position, title, start)
             VALUES (:id, :position, :title, :start)",
        )?
        .execute(named_params! {
            ":id": id,
            ":position": position,
            ":title": chapter.title,
            ":start": chapter.start,
        })?;
    }
    Ok(())
}
