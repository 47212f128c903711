//! Covers of lists: the first distinct covers of the visible entries.

use rusqlite::{Connection, OptionalExtension, Row, named_params};

use super::{ReadableList, UserList};
use crate::error::StoreResult;
use crate::id::{CoverId, ItemId};
use crate::image::Size;
use crate::store::user_data::lists::ordered_list::EntryTable;

/// Number of covers in a mosaic.
const TILES: usize = 4;

/// Covers of a mosaic in order. There is at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tiles {
    covers: Vec<(CoverId, String)>,
}

impl Tiles {
    /// Returns a hash of the covers. Mosaics with the same hash are equal.
    pub fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for (_, hash) in &self.covers {
            hasher.update(hash.as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }
}

/// Returns the first distinct covers of the visible entries, or `None` if no entry has a cover.
pub fn tiles<L: UserList>(conn: &Connection, list: ReadableList<L>) -> StoreResult<Option<Tiles>> {
    let mut statement = conn.prepare_cached(&covers_sql::<L>())?;
    let mut rows =
        statement.query(named_params! { ":list": list.id(), ":viewer": list.visible().user() })?;
    let mut covers = Vec::with_capacity(TILES);
    while covers.len() < TILES
        && let Some(row) = rows.next()?
    {
        push(&mut covers, row)?;
    }
    Ok((!covers.is_empty()).then_some(Tiles { covers }))
}

/// Returns the first distinct covers of these items in their order, or `None` if no item has one.
pub(crate) fn tiles_of_items(conn: &Connection, items: &[ItemId]) -> StoreResult<Option<Tiles>> {
    let mut statement = conn.prepare_cached(
        "SELECT cover.id, cover.hash
           FROM item
           JOIN cover ON cover.id = item.cover_id
          WHERE item.id = :item",
    )?;
    let mut covers = Vec::with_capacity(TILES);
    for item in items {
        let mut rows = statement.query(named_params! { ":item": item })?;
        if let Some(row) = rows.next()? {
            push(&mut covers, row)?;
        }
        if covers.len() == TILES {
            break;
        }
    }
    Ok((!covers.is_empty()).then_some(Tiles { covers }))
}

/// Adds the cover of a row if it is another one.
fn push(covers: &mut Vec<(CoverId, String)>, row: &Row<'_>) -> rusqlite::Result<()> {
    let id: CoverId = row.get(0)?;
    if covers.iter().all(|(other, _)| *other != id) {
        covers.push((id, row.get(1)?));
    }
    Ok(())
}

/// Returns the statement of the covers. Its rows are read one by one, so the order must not be the
/// result of a sort.
pub(super) fn covers_sql<L: UserList>() -> String {
    let EntryTable {
        name,
        key,
        by_position,
        to_item,
        ..
    } = L::TABLES.entries;
    format!(
        "SELECT cover.id, cover.hash
           FROM {name} AS entry INDEXED BY {by_position}
           {to_item}
          CROSS JOIN cover ON cover.id = item.cover_id
          WHERE entry.list_id = :list
            AND entry.library_id IN (SELECT library_id
                                       FROM library_grant
                                      WHERE user_id = :viewer)
          ORDER BY entry.position, entry.{key}"
    )
}

/// Returns the encoded images of the covers, each with the largest size that does not exceed `size`.
/// A cover that was replaced in the meantime is left out.
pub fn images(conn: &Connection, tiles: &Tiles, size: Size) -> StoreResult<Vec<Vec<u8>>> {
    let mut statement = conn
        .prepare_cached("SELECT body FROM cover_image WHERE cover_id = :cover AND size = :size")?;
    let mut images = Vec::with_capacity(TILES);
    for (cover, _) in &tiles.covers {
        for size in Size::ALL.into_iter().rev().filter(|other| *other <= size) {
            let parameters = named_params! { ":cover": cover, ":size": size.as_str() };
            let body = statement.query_row(parameters, |row| row.get(0));
            if let Some(body) = body.optional()? {
                images.push(body);
                break;
            }
        }
    }
    Ok(images)
}
