//! Items of recordings.

use std::collections::HashMap;

use rusqlite::{Connection, named_params};

use super::{Credits, PersonalState, credits, list, personal};
use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::{ItemId, LibraryId};
use crate::store::catalogue::column_reader::ColumnReader;
use crate::store::file::totals::UNKNOWN;
use crate::time::Timestamp;

/// Present item with its people, its genres and the user's data.
#[derive(Debug, Clone)]
pub struct RecordedItem {
    /// Id of the item.
    pub id: ItemId,
    /// Id of its library.
    pub library: LibraryId,
    /// Id of its kind.
    pub kind: String,
    /// Subkind, if its kind assigns one.
    pub subkind: Option<String>,
    /// Title.
    pub title: String,
    /// Author line; empty if no author is known.
    pub authors: String,
    /// Year of the release.
    pub year: Option<i64>,
    /// Date of the release as YYYYMMDD, where an unknown month or day is 00.
    pub released: Option<i64>,
    /// Hash of the cover.
    pub cover: Option<String>,
    /// Time at which its newest file was added.
    pub added_at: Timestamp,
    /// Length of its present files in seconds.
    pub duration: f64,
    /// Number of its present files.
    pub files: i64,
    /// People and genres.
    pub credits: Credits,
    /// Data of the user.
    pub personal: PersonalState,
}

const ITEMS: &str = "
    SELECT wanted.key, item.id, item.library_id, item.kind, item.subkind, item.title,
           item.authors, item.year, item.sort_released, cover.hash, item.added_at,
           (SELECT total(duration) FROM file
             WHERE file.item_id = item.id AND file.missing = 0) AS duration,
           (SELECT count(*) FROM file
             WHERE file.item_id = item.id AND file.missing = 0) AS files
      FROM json_each(:ids) AS wanted
      CROSS JOIN item ON item.id = wanted.value
      JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
      LEFT JOIN cover ON cover.id = item.cover_id
     WHERE item.missing = 0";

/// Reads these items in this order, without the missing and the invisible ones.
pub fn items(
    conn: &Connection,
    visible: Visible,
    ids: &[ItemId],
) -> StoreResult<Vec<RecordedItem>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut statement = conn.prepare_cached(ITEMS)?;
    let wanted = list(ids);
    let mut rows = statement.query(named_params! { ":viewer": visible.user(), ":ids": wanted })?;
    let mut items: Vec<(usize, RecordedItem)> = Vec::with_capacity(ids.len());
    while let Some(row) = rows.next()? {
        let mut row = ColumnReader::of(row);
        items.push((row.take()?, item(&mut row)?));
    }
    items.sort_by_key(|(place, _)| *place);
    let mut items: Vec<RecordedItem> = items.into_iter().map(|(_, item)| item).collect();
    let found: Vec<ItemId> = items.iter().map(|item| item.id).collect();
    let mut credits: HashMap<ItemId, Credits> = credits(conn, &list(&found))?;
    let states = personal::of_items(conn, visible.user(), &found)?;
    for item in &mut items {
        item.credits = credits.remove(&item.id).unwrap_or_default();
        item.personal = states.get(&item.id).copied().unwrap_or_default();
    }
    Ok(items)
}

fn item(row: &mut ColumnReader<'_, '_>) -> rusqlite::Result<RecordedItem> {
    Ok(RecordedItem {
        id: row.take()?,
        library: row.take()?,
        kind: row.take()?,
        subkind: row.take()?,
        title: row.take()?,
        authors: row.take()?,
        year: row.take()?,
        released: Some(row.take()?).filter(|date| *date != UNKNOWN),
        cover: row.take()?,
        added_at: row.take()?,
        duration: row.take()?,
        files: row.take()?,
        credits: Credits::default(),
        personal: PersonalState::default(),
    })
}
