//! Files of recordings.

use std::collections::HashMap;

use rusqlite::{Connection, named_params};

use super::{RecordedItem, items, list, personal};
use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::{FileId, ItemId};
use crate::path;
use crate::registry::naming::join;
use crate::store::catalogue::column_reader::ColumnReader;
use crate::store::file::recording::PersonalState;
use crate::time::Timestamp;

/// Present file of a recording with its item.
#[derive(Debug, Clone)]
pub struct RecordedPart {
    /// Id of the file.
    pub id: FileId,
    /// Item that contains the file.
    pub item: RecordedItem,
    /// File name.
    pub name: String,
    /// Path below the library's root.
    pub path: String,
    /// Size in bytes.
    pub size: i64,
    /// Title of the part, from the file or its name.
    pub title: Option<String>,
    /// 1, 2, … for files that are played one after another.
    pub number: Option<i64>,
    /// Length in seconds.
    pub duration: Option<f64>,
    /// Time at which the file was added.
    pub added_at: Timestamp,
    /// Data that the kind stored for the file.
    pub kind_data: Option<String>,
    /// Data of the user. Favourite and rating are those of the item if this is its only file.
    pub personal: PersonalState,
}

const PARTS: &str = "
    SELECT wanted.key, file.id, file.item_id, file.name, folder.path, file.size, file.title,
           file.duration, file.added_at, file.kind_data
      FROM json_each(:ids) AS wanted
      CROSS JOIN file ON file.id = wanted.value
      JOIN folder ON folder.id = file.folder_id
      JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = folder.library_id
     WHERE file.missing = 0";

/// Reads these files in this order, without the missing and the invisible ones. A repeated id
/// yields a repeated file.
pub fn parts(
    conn: &Connection,
    visible: Visible,
    ids: &[FileId],
) -> StoreResult<Vec<RecordedPart>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let drafts = drafts(conn, visible, ids)?;
    let mut wanted: Vec<ItemId> = drafts.iter().map(|draft| draft.item).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let items = items(conn, visible, &wanted)?;
    let items: HashMap<ItemId, RecordedItem> =
        items.into_iter().map(|item| (item.id, item)).collect();
    let mut numbers = HashMap::new();
    for item in items.keys() {
        number(conn, *item, &mut numbers)?;
    }
    let states = personal::of_files(conn, visible.user(), ids)?;
    let part = |draft: Draft| {
        let item = items.get(&draft.item)?.clone();
        let own = states.get(&draft.id).copied().unwrap_or_default();
        Some(draft.finish(item, own, &numbers))
    };
    Ok(drafts.into_iter().filter_map(part).collect())
}

/// A file without its item.
struct Draft {
    id: FileId,
    item: ItemId,
    name: String,
    folder: String,
    size: i64,
    title: Option<String>,
    duration: Option<f64>,
    added_at: Timestamp,
    kind_data: Option<String>,
}

impl Draft {
    fn finish(
        self,
        item: RecordedItem,
        own: PersonalState,
        numbers: &HashMap<FileId, i64>,
    ) -> RecordedPart {
        let personal = if item.files == 1 {
            PersonalState {
                favourite_at: item.personal.favourite_at.or(own.favourite_at),
                rating: item.personal.rating.or(own.rating),
                ..own
            }
        } else {
            own
        };
        RecordedPart {
            id: self.id,
            path: join(&self.folder, &self.name),
            name: self.name,
            size: self.size,
            title: self.title,
            number: numbers.get(&self.id).copied(),
            duration: self.duration,
            added_at: self.added_at,
            kind_data: self.kind_data,
            personal,
            item,
        }
    }
}

fn drafts(conn: &Connection, visible: Visible, ids: &[FileId]) -> StoreResult<Vec<Draft>> {
    let mut statement = conn.prepare_cached(PARTS)?;
    let wanted = list(ids);
    let mut rows = statement.query(named_params! { ":viewer": visible.user(), ":ids": wanted })?;
    let mut drafts: Vec<(usize, Draft)> = Vec::with_capacity(ids.len());
    while let Some(row) = rows.next()? {
        let mut row = ColumnReader::of(row);
        drafts.push((row.take()?, draft(&mut row)?));
    }
    drafts.sort_by_key(|(place, _)| *place);
    Ok(drafts.into_iter().map(|(_, draft)| draft).collect())
}

fn draft(row: &mut ColumnReader<'_, '_>) -> rusqlite::Result<Draft> {
    Ok(Draft {
        id: row.take()?,
        item: row.take()?,
        name: path::display(&row.take::<Vec<u8>>()?),
        folder: path::display(&row.take::<Vec<u8>>()?),
        size: row.take()?,
        title: row.take()?,
        duration: row.take()?,
        added_at: row.take()?,
        kind_data: row.take()?,
    })
}

/// Numbers the parts of an item, as its page does.
fn number(conn: &Connection, item: ItemId, numbers: &mut HashMap<FileId, i64>) -> StoreResult<()> {
    let mut statement = conn.prepare_cached(
        "SELECT id FROM file WHERE item_id = :item AND sequence IS NOT NULL ORDER BY sequence, id",
    )?;
    let rows = statement.query_map(named_params! { ":item": item }, |row| row.get(0))?;
    for (id, number) in rows.zip(1..) {
        numbers.insert(id?, number);
    }
    Ok(())
}
