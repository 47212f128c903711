//! The file that a viewer continues with: its part number, its current chapter, and the remaining
//! extent.

use rusqlite::{Connection, OptionalExtension, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::StoreResult;
use crate::id::{FileId, ItemId};
use crate::path;
use crate::registry::{Registry, Unit};

/// Tolerance in units of the position. A seek ends slightly before its target, so a position this
/// close before a chapter counts as in it.
const SEEK_TOLERANCE: f64 = 0.05;

/// The file to continue with.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContinueFile {
    /// Id of the file.
    pub id: FileId,
    /// Name of the file. Bytes that are not UTF-8 become `\xNN`.
    pub name: String,
    /// Title of the part; null if neither its name nor its content contains one.
    pub title: Option<String>,
    /// Unit of its positions.
    pub unit: Unit,
    /// Length of the file in that unit; null if it is unknown.
    pub extent: Option<i64>,
    /// Season of an episode; 0 for specials.
    pub season: Option<i64>,
    /// Number of an episode within its season.
    pub episode: Option<i64>,
    /// Number among the present parts of the item, from 1; null for alternatives and episodes.
    pub part: Option<i64>,
    /// Count of the present parts; null if `part` is null.
    pub parts: Option<i64>,
    /// Chapter at the position; null if no chapters are known.
    pub chapter: Option<ContinueChapter>,
    /// Remaining extent of the file, in its unit.
    pub left: Option<i64>,
    /// Remaining extent of the item, in the file's unit: this file and the parts after it. Null if
    /// a length is unknown, and for episodes.
    pub item_left: Option<i64>,
}

/// Chapter at a position.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContinueChapter {
    /// Number in the whole item, from 1. A part without chapters counts as one chapter.
    pub number: i64,
    /// Count of chapters of the item, counted in the same way.
    pub count: i64,
    /// Title of the chapter; empty if only its number is known.
    pub title: String,
}

/// Columns of a file that are needed to count parts and chapters.
struct Part {
    id: FileId,
    extent: Option<i64>,
    chapters: i64,
}

pub(super) const FILE: &str = "
    SELECT name, title, extent, season, episode, sequence IS NOT NULL AS is_part
      FROM file
     WHERE id = :file";

pub(super) const PARTS: &str = "
    SELECT file.id, file.extent,
           (SELECT count(*) FROM file_chapter AS c WHERE c.file_id = file.id) AS chapters
      FROM file
     WHERE file.item_id = :item AND file.sequence IS NOT NULL AND file.missing = 0
     ORDER BY file.sequence, file.id";

pub(super) const CHAPTERS: &str = "
    SELECT count(*)
      FROM file_chapter
     WHERE file_id = :file";

pub(super) const CHAPTER: &str = "
    SELECT position, title
      FROM file_chapter
     WHERE file_id = :file AND start <= :start
     ORDER BY position DESC
     LIMIT 1";

impl ContinueFile {
    pub(super) fn read(
        conn: &Connection,
        registry: &Registry,
        kind: &str,
        (item, id): (ItemId, FileId),
        position: i64,
    ) -> StoreResult<Self> {
        let mut statement = conn.prepare_cached(FILE)?;
        let (is_part, mut file) = statement.query_row(named_params! { ":file": id }, |row| {
            let name: Vec<u8> = row.get("name")?;
            let file = Self {
                id,
                name: path::display(&name),
                title: row.get("title")?,
                unit: Unit::None,
                extent: row.get("extent")?,
                season: row.get("season")?,
                episode: row.get("episode")?,
                part: None,
                parts: None,
                chapter: None,
                left: None,
                item_left: None,
            };
            Ok((row.get::<_, bool>("is_part")?, file))
        })?;
        let format = registry.format_of(kind, &file.name);
        file.unit = format.map_or(Unit::None, |format| format.unit);
        file.left = file
            .extent
            .map(|extent| extent.saturating_sub(position).max(0));
        // A series continues with one episode, so the remaining extent of its other episodes is not
        // relevant.
        if is_part && file.season.is_none() && file.episode.is_none() {
            file.count_parts(conn, item, position)?;
        } else {
            file.item_left = file.left.filter(|_| file.season.is_none());
            let mut statement = conn.prepare_cached(CHAPTERS)?;
            let count = statement.query_row(named_params! { ":file": id }, |row| row.get(0))?;
            file.chapter = chapter(conn, id, (0, count, count), position)?;
        }
        Ok(file)
    }

    fn count_parts(&mut self, conn: &Connection, item: ItemId, position: i64) -> StoreResult<()> {
        let mut statement = conn.prepare_cached(PARTS)?;
        let rows = statement.query_map(named_params! { ":item": item }, |row| {
            Ok(Part {
                id: row.get(0)?,
                extent: row.get(1)?,
                chapters: row.get(2)?,
            })
        })?;
        let parts: Vec<Part> = rows.collect::<Result<_, _>>()?;
        let Some(at) = parts.iter().position(|part| part.id == self.id) else {
            return Ok(());
        };
        let (before, rest) = parts.split_at(at);
        let marks = |parts: &[Part]| parts.iter().map(|part| part.chapters.max(1)).sum::<i64>();
        self.part = i64::try_from(at + 1).ok();
        self.parts = i64::try_from(parts.len()).ok();
        let later = rest.get(1..).unwrap_or_default();
        let later: Option<i64> = later.iter().map(|part| part.extent).sum();
        self.item_left = self.left.zip(later).map(|(left, later)| left + later);
        let own = rest.first().map_or(0, |part| part.chapters);
        let counts = (marks(before), own, marks(&parts));
        self.chapter = chapter(conn, self.id, counts, position)?;
        Ok(())
    }
}

/// Reads the chapter at a position of a file. The triple contains the count of chapters before the
/// file, within it, and in all parts.
#[expect(clippy::cast_precision_loss, reason = "positions stay far below 2^52")]
fn chapter(
    conn: &Connection,
    file: FileId,
    (before, own, count): (i64, i64, i64),
    position: i64,
) -> StoreResult<Option<ContinueChapter>> {
    if count <= 1 {
        return Ok(None);
    }
    if own == 0 {
        return Ok(Some(ContinueChapter {
            number: before + 1,
            count,
            title: String::new(),
        }));
    }
    let start = position as f64 + SEEK_TOLERANCE;
    let found = conn
        .prepare_cached(CHAPTER)?
        .query_row(named_params! { ":file": file, ":start": start }, |row| {
            Ok(ContinueChapter {
                number: before + row.get::<_, i64>(0)? + 1,
                count,
                title: row.get(1)?,
            })
        })
        .optional()?;
    Ok(found)
}
