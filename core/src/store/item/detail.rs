//! The whole of one item: its card, its people, its files.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rusqlite::{Connection, OptionalExtension, Row, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::bind::bind;
use super::card::{self, ItemCard};
use super::own::Own;
use super::sources::{self, Sources};
use crate::access::{Visible, VisibleItem};
use crate::clock::Timestamp;
use crate::db::presence::View;
use crate::id::{FileId, ItemId, PersonId, SeriesId};
use crate::registry::{OCTET_STREAM, Registry, Unit};
use crate::scan::name;
use crate::store::StoreResult;
use crate::store::edit::Field;
use crate::store::in_order::InOrder;
use crate::store::progress::{self, FilePlace};

/// The viewer of files whose format no linked kind knows.
const DOWNLOAD: &str = "download";

/// An item with everything known about it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ItemDetail {
    /// What lists show.
    #[serde(flatten)]
    pub card: ItemCard,
    /// What it is about, as plain text.
    pub description: Option<String>,
    /// Everybody credited, in order.
    pub people: Vec<PersonCredit>,
    /// The series it belongs to; its name and the number in it stand among the facts.
    pub series_id: Option<SeriesId>,
    /// Its ids at metadata providers.
    pub provider_ids: BTreeMap<String, String>,
    /// Since when it is missing.
    pub missing_since: Option<Timestamp>,
    /// How often the viewer opened it.
    pub views: i64,
    /// The file the viewer goes on with; null where nothing was begun, or nothing is left.
    pub continue_file_id: Option<FileId>,
    /// Its files: parts in order, then alternatives by name.
    pub files: Vec<FileDetail>,
    /// Where its fields come from.
    pub sources: Sources,
    /// The fields that a person wrote: no scan and no provider changes them.
    pub locked: Vec<Field>,
    /// What its kind found in names and files.
    #[schema(value_type = Object)]
    pub facts: serde_json::Value,
}

/// A person credited with an item.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PersonCredit {
    /// The person's id.
    pub id: PersonId,
    /// Their name.
    pub name: String,
    /// What they did.
    pub role: String,
}

/// One file of an item.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct FileDetail {
    /// Its id.
    pub id: FileId,
    /// Its name.
    pub name: String,
    /// Its path below the library's root.
    pub path: String,
    /// Size in bytes.
    pub size: i64,
    /// When its content last changed.
    pub mtime: Timestamp,
    /// Media type it is served as.
    pub mime: String,
    /// What opens it.
    pub viewer: String,
    /// Whether the last scan did not find it.
    pub missing: bool,
    /// Since when.
    pub missing_since: Option<Timestamp>,
    /// Container, in one word.
    pub container: Option<String>,
    /// Video codec, in ffprobe's name.
    pub vcodec: Option<String>,
    /// Audio codec, in ffprobe's name.
    pub acodec: Option<String>,
    /// Width of the picture in pixels.
    pub width: Option<i64>,
    /// Height of the picture in pixels.
    pub height: Option<i64>,
    /// Length in seconds.
    pub duration: Option<f64>,
    /// When it was probed.
    pub probed_at: Option<Timestamp>,
    /// What positions in it count.
    pub unit: Unit,
    /// Length in that unit.
    pub extent: Option<i64>,
    /// 1, 2, … for files played one after another; null for alternatives.
    pub part: Option<i64>,
    /// Season of an episode.
    pub season: Option<i64>,
    /// Number of an episode.
    pub episode: Option<i64>,
    /// Title of the part.
    pub title: Option<String>,
    /// Chapters in order.
    pub chapters: Vec<Chapter>,
    /// Streams in order, attached pictures left out.
    pub streams: Vec<Stream>,
    /// Where the viewer is in it.
    pub progress: Option<FilePlace>,
    /// Where its bytes are served.
    pub content_url: String,
}

/// A chapter.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Chapter {
    /// Its title.
    pub title: String,
    /// Where it starts, in seconds.
    pub start: f64,
}

/// A stream of a media file.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Stream {
    /// `video`, `audio` or `subtitle`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Codec in ffprobe's name.
    pub codec: Option<String>,
    /// Language tag.
    pub language: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// Shown whatever the language.
    pub forced: bool,
    /// Chosen where nothing else is.
    pub default: bool,
}

/// The item's kind.
pub fn kind(conn: &Connection, item: VisibleItem) -> StoreResult<Option<String>> {
    let kind = conn
        .prepare_cached("SELECT kind FROM item WHERE id = :item")?
        .query_row(named_params! { ":item": item.id() }, |row| row.get(0))
        .optional()?;
    Ok(kind)
}

/// Everything about one item, if its library is visible. With every item's place at hand, the
/// viewer's rows are only looked for where there are any, if they have many.
pub fn detail(
    conn: &Connection,
    registry: &Registry,
    view: Option<&View>,
    visible: Visible,
    item: ItemId,
) -> StoreResult<Option<ItemDetail>> {
    let sets = Own::of(conn, view, visible, 1)?;
    detail_with(conn, registry, sets.as_ref(), visible, item)
}

/// The same, where the viewer's sets are at hand or not.
pub(super) fn detail_with(
    conn: &Connection,
    registry: &Registry,
    sets: Option<&Own<'_>>,
    visible: Visible,
    item: ItemId,
) -> StoreResult<Option<ItemDetail>> {
    if let Some(sets) = sets.filter(|sets| !sets.has(item)) {
        let detail = read(conn, registry, &OF_OTHERS, visible, item)?;
        // Else something changed just before the first read of this transaction.
        if sets.holds() {
            return Ok(detail);
        }
    }
    read(conn, registry, &OF_ANY, visible, item)
}

fn read(
    conn: &Connection,
    registry: &Registry,
    sql: &Sql,
    visible: Visible,
    item: ItemId,
) -> StoreResult<Option<ItemDetail>> {
    let mut statement = conn.prepare_cached(&sql.item)?;
    let detail = statement
        .query_row(
            named_params! { ":item": item, ":viewer": visible.user() },
            of_row,
        )
        .optional()?;
    let Some((mut detail, has)) = detail else {
        return Ok(None);
    };
    detail.files = files(conn, registry, &sql.files, visible, &detail.card)?;
    if has.people {
        detail.people = people(conn, item)?;
    }
    if has.provider_ids {
        detail.provider_ids = provider_ids(conn, item)?;
    }
    Ok(Some(detail))
}

/// What other tables have of an item: each statement costs as much as several of its rows.
struct Has {
    people: bool,
    provider_ids: bool,
}

/// The statements of an item and its files.
struct Sql {
    item: String,
    files: String,
}

/// Of any item.
static OF_ANY: LazyLock<Sql> = LazyLock::new(|| Sql {
    item: item_sql(&card::COLUMNS, card::JOINS, "summary.continue_file_id"),
    files: files_sql(
        "place.position, place.finished, place.locator, place.updated_at",
        "LEFT JOIN progress AS place ON place.user_id = :viewer AND place.file_id = file.id",
    ),
});

/// Of an item that the viewer has neither begun nor marked.
static OF_OTHERS: LazyLock<Sql> = LazyLock::new(|| Sql {
    item: item_sql(&card::COLUMNS_OF_OTHERS, card::JOINS_OF_OTHERS, "NULL"),
    files: files_sql("NULL, NULL, NULL, NULL", ""),
});

fn item_sql(columns: &str, joins: &str, continue_file: &str) -> String {
    let sources = sources::COLUMNS;
    format!(
        "SELECT {columns},
                {continue_file}, item.description, item.missing_since, item.series_id,
                (SELECT n FROM item_view AS v
                  WHERE v.user_id = :viewer AND v.item_id = item.id) AS views,
                item.facts,
                (SELECT name FROM series WHERE series.id = item.series_id) AS series,
                item.series_index,
                {sources},
                EXISTS (SELECT 1 FROM item_person AS p WHERE p.item_id = item.id) AS has_people,
                EXISTS (SELECT 1 FROM item_provider AS p
                         WHERE p.item_id = item.id) AS has_provider_ids
           FROM item
           JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
           {joins}
          WHERE item.id = :item"
    )
}

/// The item itself, without what other tables have of it.
fn of_row(row: &Row<'_>) -> rusqlite::Result<(ItemDetail, Has)> {
    let mut row = InOrder::of(row);
    let card = card::card(&mut row)?;
    let continue_file_id = row.take()?;
    let (description, missing_since) = (row.take()?, row.take()?);
    let (series_id, views) = (row.take()?, row.take::<Option<i64>>()?);
    let facts = facts(&mut row)?;
    let sources = Sources::take(&mut row)?;
    let has = Has {
        people: row.take()?,
        provider_ids: row.take()?,
    };
    let detail = ItemDetail {
        card,
        description,
        people: Vec::new(),
        series_id,
        provider_ids: BTreeMap::new(),
        missing_since,
        views: views.unwrap_or(0),
        continue_file_id,
        files: Vec::new(),
        sources,
        locked: sources.locked(),
        facts,
    };
    Ok((detail, has))
}

/// What the kind found, and the series as it stands, whoever wrote it.
fn facts(row: &mut InOrder<'_, '_>) -> rusqlite::Result<serde_json::Value> {
    let (stored, series): (String, Option<String>) = (row.take()?, row.take()?);
    let index: Option<f64> = row.take()?;
    let mut facts: serde_json::Map<_, _> = serde_json::from_str(&stored).unwrap_or_default();
    if let Some(series) = series {
        facts.insert("series".to_owned(), series.into());
        facts.insert("series_index".to_owned(), index.into());
    }
    Ok(facts.into())
}

fn people(conn: &Connection, item: ItemId) -> StoreResult<Vec<PersonCredit>> {
    let mut statement = conn.prepare_cached(
        "SELECT person.id, person.name, link.role
           FROM item_person AS link
           JOIN person ON person.id = link.person_id
          WHERE link.item_id = :item
          ORDER BY link.position",
    )?;
    let rows = statement.query_map(named_params! { ":item": item }, |row| {
        Ok(PersonCredit {
            id: row.get(0)?,
            name: row.get(1)?,
            role: row.get(2)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn provider_ids(conn: &Connection, item: ItemId) -> StoreResult<BTreeMap<String, String>> {
    let mut statement = conn
        .prepare_cached("SELECT provider, external_id FROM item_provider WHERE item_id = :item")?;
    let rows = statement.query_map(named_params! { ":item": item }, |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Whether their numbers alone tell that the files stand as they are to: a key of a name takes as
/// long as reading a file's row.
fn is_in_page_order(files: &[(Option<i64>, FileDetail)]) -> bool {
    let mut pairs = files.iter().zip(files.iter().skip(1));
    pairs.all(|((a, _), (b, _))| a.is_some() && (b.is_none() || a < b))
}

/// Where a file stands on its item's page: parts first; equal numbers, and alternatives, in
/// natural order.
pub(crate) fn page_order(sequence: Option<i64>, path: &str, file: FileId) -> impl Ord + use<> {
    let key = crate::text::name_sort_key(path);
    (sequence.is_none(), sequence, key, file)
}

fn files_sql(place: &str, join: &str) -> String {
    format!(
        "SELECT file.sequence,
                EXISTS (SELECT 1 FROM file_chapter AS c
                         WHERE c.file_id = file.id) AS has_chapters,
                EXISTS (SELECT 1 FROM file_stream AS s WHERE s.file_id = file.id) AS has_streams,
                file.id, file.name, folder.path, file.size, file.mtime_ns, file.missing,
                file.missing_since, file.container, file.vcodec, file.acodec, file.width,
                file.height, file.duration, file.probed_at, file.extent, file.season,
                file.episode, file.title,
                {place}
           FROM file
           JOIN folder ON folder.id = file.folder_id
           {join}
          WHERE file.item_id = :item"
    )
}

fn files(
    conn: &Connection,
    registry: &Registry,
    sql: &str,
    visible: Visible,
    card: &ItemCard,
) -> StoreResult<Vec<FileDetail>> {
    let item = card.id;
    let mut statement = conn.prepare_cached(sql)?;
    bind(&mut statement, ":item", &item)?;
    bind(&mut statement, ":viewer", &visible.user())?;
    let mut rows = statement.raw_query();
    let mut files: Vec<(Option<i64>, FileDetail)> = Vec::new();
    let (mut any_chapters, mut any_streams) = (false, false);
    while let Some(row) = rows.next()? {
        let mut row = InOrder::of(row);
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
    row: &mut InOrder<'_, '_>,
    registry: &Registry,
    kind: &str,
) -> rusqlite::Result<FileDetail> {
    let id: FileId = row.take()?;
    let (name, folder): (Vec<u8>, Vec<u8>) = (row.take()?, row.take()?);
    let (name, folder) = (name::display(&name), name::display(&folder));
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
        title: row.take()?,
        chapters: Vec::new(),
        streams: Vec::new(),
        progress: None,
        content_url: format!("/api/v1/files/{id}/content"),
    };
    file.progress = place(row, &file)?;
    Ok(file)
}

/// Where the viewer is in a file.
fn place(row: &mut InOrder<'_, '_>, file: &FileDetail) -> rusqlite::Result<Option<FilePlace>> {
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
        "SELECT s.file_id, s.type, s.codec, s.language, s.title, s.forced, s.chosen
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
    use crate::store::progress::tests::assert_searches;

    #[test]
    fn an_item_is_found_by_keys_alone() {
        for sql in [&OF_ANY, &OF_OTHERS] {
            assert_searches(&sql.item);
            assert_searches(&sql.files);
        }
    }
}
