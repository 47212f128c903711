//! Files of an item, with their chapters, streams and the viewer's progress.

use std::collections::BTreeMap;

use rusqlite::{Connection, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::{FileId, ItemId};
use crate::path;
use crate::registry::{OCTET_STREAM, Registry, Unit};
use crate::store::catalogue::column_reader::ColumnReader;
use crate::store::item::card::ItemCard;
use crate::store::user_data::progress::{self, FilePlace};
use crate::time::Timestamp;

/// Viewer of files whose format no registered kind supports.
const DOWNLOAD: &str = "download";

/// One file of an item.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct FileDetail {
    /// Id of the file.
    pub id: FileId,
    /// File name.
    pub name: String,
    /// Path below the library's root.
    pub path: String,
    /// Size in bytes.
    pub size: i64,
    /// Modification time of the content.
    pub mtime: Timestamp,
    /// Media type of the served content.
    pub mime: String,
    /// Name of the viewer that opens the file.
    pub viewer: String,
    /// `true` if the last scan did not find the file.
    pub missing: bool,
    /// Time since which the file is missing.
    pub missing_since: Option<Timestamp>,
    /// Container format, as a short name.
    pub container: Option<String>,
    /// Video codec as named by ffprobe.
    pub vcodec: Option<String>,
    /// Audio codec as named by ffprobe.
    pub acodec: Option<String>,
    /// Width of the picture in pixels.
    pub width: Option<i64>,
    /// Height of the picture in pixels.
    pub height: Option<i64>,
    /// Length in seconds.
    pub duration: Option<f64>,
    /// Time at which the file was probed.
    pub probed_at: Option<Timestamp>,
    /// Unit of positions in the file.
    pub unit: Unit,
    /// Length in that unit.
    pub extent: Option<i64>,
    /// 1, 2, … for files played one after another; null for alternatives.
    pub part: Option<i64>,
    /// Season of an episode.
    pub season: Option<i64>,
    /// Number of an episode.
    pub episode: Option<i64>,
    /// Number of the last episode, if the file has several.
    pub last_episode: Option<i64>,
    /// Title of the part.
    pub title: Option<String>,
    /// Chapters in order.
    pub chapters: Vec<Chapter>,
    /// Streams in order, attached pictures left out.
    pub streams: Vec<Stream>,
    /// Progress of the viewer in the file.
    pub progress: Option<FilePlace>,
    /// `true` if the file is one of the viewer's favourites.
    pub favourite: bool,
    /// Rating of the viewer, from 1 to 10.
    pub rating: Option<u8>,
    /// Number of plays by the viewer.
    pub plays: i64,
    /// Time of the viewer's last play.
    pub played_at: Option<Timestamp>,
    /// URL of the file's bytes.
    pub content_url: String,
}

/// Chapter of a file.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Chapter {
    /// Title of the chapter.
    pub title: String,
    /// Start in the unit of the file.
    pub start: f64,
}

/// A stream of a media file.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Stream {
    /// `video`, `audio` or `subtitle`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Codec as named by ffprobe.
    pub codec: Option<String>,
    /// Language tag, as stored in the file.
    pub language: Option<String>,
    /// Title of the stream.
    pub title: Option<String>,
    /// `true` if the stream is shown for every language.
    pub forced: bool,
    /// `true` if the stream is the default choice.
    pub default: bool,
}

/// Returns `true` if the sequence numbers alone prove the page order. Computing the sort key of a
/// name costs as much as reading a file's row.
fn is_in_page_order(files: &[(Option<i64>, FileDetail)]) -> bool {
    let mut pairs = files.iter().zip(files.iter().skip(1));
    pairs.all(|((a, _), (b, _))| a.is_some() && (b.is_none() || a < b))
}

/// Returns the sort key of a file on its item's page: parts first. Equal numbers and alternatives
/// are in natural order of their paths.
pub(crate) fn page_order(sequence: Option<i64>, path: &str, file: FileId) -> impl Ord + use<> {
    let key = crate::text::name_sort_key(path);
    (sequence.is_none(), sequence, key, file)
}

const FILES: &str = "
    SELECT file.sequence,
           EXISTS (SELECT 1 FROM file_chapter AS c WHERE c.file_id = file.id) AS has_chapters,
           EXISTS (SELECT 1 FROM file_stream AS s WHERE s.file_id = file.id) AS has_streams,
           file.id, file.name, folder.path, file.size, file.mtime_ns, file.missing,
           file.missing_since, file.container, file.vcodec, file.acodec, file.width,
           file.height, file.duration, file.probed_at, file.extent, file.season,
           file.episode, file.last_episode, file.title,
           EXISTS (SELECT 1 FROM file_favourite AS f
                    WHERE f.user_id = :viewer AND f.file_id = file.id) AS favourite,
           (SELECT r.rating FROM file_rating AS r
             WHERE r.user_id = :viewer AND r.file_id = file.id) AS rating,
           ifnull(played.n, 0), played.played_at,
           place.position, place.finished, place.locator, place.updated_at, place.within
      FROM file
      JOIN folder ON folder.id = file.folder_id
      LEFT JOIN file_play_total AS played
        ON played.user_id = :viewer AND played.file_id = file.id
      LEFT JOIN progress AS place ON place.user_id = :viewer AND place.file_id = file.id
     WHERE file.item_id = :item";

/// Reads the files of an item in page order.
pub(super) fn files(
    conn: &Connection,
    registry: &Registry,
    visible: Visible,
    card: &ItemCard,
) -> StoreResult<Vec<FileDetail>> {
    let item = card.id;
    let mut statement = conn.prepare_cached(FILES)?;
    let mut rows = statement.query(named_params! { ":item": item, ":viewer": visible.user() })?;
    let mut files: Vec<(Option<i64>, FileDetail)> = Vec::new();
    let (mut any_chapters, mut any_streams) = (false, false);
    while let Some(row) = rows.next()? {
        let mut row = ColumnReader::of(row);
        let sequence = row.take()?;
        any_chapters |= row.take::<bool>()?;
        any_streams |= row.take::<bool>()?;
        files.push((sequence, file(&mut row, registry, &card.kind)?));
    }
    let mut chapters = if any_chapters {
        chapters(conn, item)?
    } else {
        BTreeMap::new()
    };
    let mut streams = if any_streams {
        streams(conn, item)?
    } else {
        BTreeMap::new()
    };
    files.sort_by_key(|(sequence, _)| (sequence.is_none(), *sequence));
    if !is_in_page_order(&files) {
        files.sort_by_cached_key(|(sequence, file)| page_order(*sequence, &file.path, file.id));
    }
    let mut part = 0;
    let numbered = files.into_iter().map(|(sequence, mut file)| {
        if sequence.is_some() {
            part += 1;
            file.part = Some(part);
        }
        file.chapters = chapters.remove(&file.id).unwrap_or_default();
        file.streams = streams.remove(&file.id).unwrap_or_default();
        file
    });
    Ok(numbered.collect())
}

fn file(
    row: &mut ColumnReader<'_, '_>,
    registry: &Registry,
    kind: &str,
) -> rusqlite::Result<FileDetail> {
    let id: FileId = row.take()?;
    let (name, folder): (Vec<u8>, Vec<u8>) = (row.take()?, row.take()?);
    let (name, folder) = (path::display(&name), path::display(&folder));
    let format = registry.format_of(kind, &name);
    let mut file = FileDetail {
        id,
        path: crate::registry::naming::join(&folder, &name),
        name,
        size: row.take()?,
        mtime: Timestamp::from_nanos(row.take()?),
        mime: format
            .and_then(|f| f.mime)
            .unwrap_or(OCTET_STREAM)
            .to_owned(),
        viewer: format.map_or(DOWNLOAD, |f| f.viewer).to_owned(),
        missing: row.take()?,
        missing_since: row.take()?,
        container: row.take()?,
        vcodec: row.take()?,
        acodec: row.take()?,
        width: row.take()?,
        height: row.take()?,
        duration: row.take()?,
        probed_at: row.take()?,
        unit: format.map_or(Unit::None, |f| f.unit),
        extent: row.take()?,
        part: None,
        season: row.take()?,
        episode: row.take()?,
        last_episode: row.take()?,
        title: row.take()?,
        chapters: Vec::new(),
        streams: Vec::new(),
        progress: None,
        favourite: row.take()?,
        rating: row.take()?,
        plays: row.take()?,
        played_at: row.take()?,
        content_url: format!("/api/v1/files/{id}/content"),
    };
    file.progress = place(row, &file)?;
    Ok(file)
}

/// Reads the viewer's progress in a file.
fn place(row: &mut ColumnReader<'_, '_>, file: &FileDetail) -> rusqlite::Result<Option<FilePlace>> {
    let Some(position) = row.take()? else {
        return Ok(None);
    };
    let finished = row.take()?;
    Ok(Some(FilePlace {
        file_id: file.id,
        position,
        extent: file.extent,
        fraction: progress::fraction(position, file.extent, finished),
        finished,
        locator: row.take()?,
        updated_at: row.take()?,
        within: row.take()?,
    }))
}

fn chapters(conn: &Connection, item: ItemId) -> StoreResult<BTreeMap<FileId, Vec<Chapter>>> {
    let mut statement = conn.prepare_cached(
        "SELECT c.file_id, c.title, c.start
           FROM file
           JOIN file_chapter AS c ON c.file_id = file.id
          WHERE file.item_id = :item
          ORDER BY c.file_id, c.position",
    )?;
    let mut rows = statement.query(named_params! { ":item": item })?;
    let mut chapters: BTreeMap<FileId, Vec<Chapter>> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        chapters.entry(row.get(0)?).or_default().push(Chapter {
            title: row.get(1)?,
            start: row.get(2)?,
        });
    }
    Ok(chapters)
}

fn streams(conn: &Connection, item: ItemId) -> StoreResult<BTreeMap<FileId, Vec<Stream>>> {
    let mut statement = conn.prepare_cached(
        "SELECT s.file_id, s.type, s.codec, s.language, s.title, s.forced, s.is_default
           FROM file
           JOIN file_stream AS s ON s.file_id = file.id
          WHERE file.item_id = :item
          ORDER BY s.file_id, s.position",
    )?;
    let mut rows = statement.query(named_params! { ":item": item })?;
    let mut streams: BTreeMap<FileId, Vec<Stream>> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        streams.entry(row.get(0)?).or_default().push(Stream {
            kind: row.get(1)?,
            codec: row.get(2)?,
            language: row.get(3)?,
            title: row.get(4)?,
            forced: row.get(5)?,
            default: row.get(6)?,
        });
    }
    Ok(streams)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::user_data::progress::tests::assert_searches;

    #[test]
    fn file_statement_uses_keys_only() {
        assert_searches(FILES);
    }
}
