//! Entries of playlists and queues, with the cards of their items.

use rusqlite::{Connection, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::ReadablePlaylist;
use crate::error::StoreResult;
use crate::id::{EntryId, FileId};
use crate::paging::{Page, Window};
use crate::store::catalogue::column_reader::ColumnReader;
use crate::store::item::ItemCard;
use crate::store::item::card::{self, card};
use crate::store::user_data::lists::ordered_list::{EntryTable, OrderedList};
use crate::store::user_data::lists::user_list;
use crate::time::Timestamp;

/// A file in a playlist or queue.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Entry {
    /// Id of the entry, which a move does not change.
    pub id: EntryId,
    /// Index among the visible entries, from 0.
    pub index: u64,
    /// Card of the item that contains the file.
    pub item: ItemCard,
    /// Id of the file.
    pub file_id: FileId,
    /// Title of the part, otherwise of the item.
    pub title: String,
    /// Length of the file in seconds; null if it is unknown.
    pub duration: Option<i64>,
    /// `true` if the last scan did not find the file.
    pub missing: bool,
    /// Time at which the entry was added.
    pub added_at: Timestamp,
}

/// Returns a page of the visible entries of a playlist.
pub fn page(conn: &Connection, list: ReadablePlaylist, window: Window) -> StoreResult<Page<Entry>> {
    let total = user_list::entry_count(conn, list)?;
    let entries = read(conn, user_list::entries(list), window)?;
    Ok(Page::new(entries, total, window))
}

/// Reads the visible entries of a window.
pub(super) fn read(
    conn: &Connection,
    list: OrderedList,
    window: Window,
) -> StoreResult<Vec<Entry>> {
    let mut statement = conn.prepare_cached(&page_sql(list.table))?;
    let mut rows = statement.query(named_params! {
        ":list": list.id,
        ":viewer": list.visible.user(),
        ":limit": window.limit,
        ":offset": window.offset,
    })?;
    let mut entries: Vec<(i64, Entry)> = Vec::new();
    while let Some(row) = rows.next()? {
        let mut row = ColumnReader::of(row);
        entries.push((row.take()?, entry(&mut row)?));
    }
    // The rows mostly arrive in order. Sorting in SQLite would double the cost of the page.
    entries.sort_by_key(|(position, _)| *position);
    let indexed = entries.into_iter().zip(window.offset..);
    let indexed = indexed.map(|((_, entry), index)| Entry { index, ..entry });
    Ok(indexed.collect())
}

fn entry(row: &mut ColumnReader<'_, '_>) -> rusqlite::Result<Entry> {
    let (id, file_id, title) = (row.take()?, row.take()?, row.take::<Option<String>>()?);
    let (duration, missing, added_at) = (row.take()?, row.take()?, row.take()?);
    let item = card(row)?;
    Ok(Entry {
        id,
        index: 0,
        file_id,
        title: title.unwrap_or_else(|| item.title.clone()),
        duration,
        missing,
        added_at,
        item,
    })
}

/// Finds the page in the covering index, which skips the rows in front of it, and then reads the
/// rows of the page by their keys.
pub(super) fn page_sql(table: &EntryTable) -> String {
    let EntryTable {
        name, by_position, ..
    } = table;
    format!(
        "SELECT page.position, entry.id, entry.file_id, file.title, file.extent, file.missing,
                entry.added_at,
                {}
           FROM (SELECT id, position
                   FROM {name} INDEXED BY {by_position}
                  WHERE list_id = :list
                    AND library_id IN (SELECT library_id
                                         FROM library_grant
                                        WHERE user_id = :viewer)
                  ORDER BY position, id
                  LIMIT :limit OFFSET :offset) AS page
          CROSS JOIN {name} AS entry ON entry.id = page.id
          CROSS JOIN file ON file.id = entry.file_id
          CROSS JOIN item ON item.id = file.item_id
           {}",
        card::COLUMNS,
        card::JOINS
    )
}
