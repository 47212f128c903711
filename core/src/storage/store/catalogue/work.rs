//! Works: items that are forms of one title.

pub mod handover;
pub mod link;
mod timeline;

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension as _, Transaction, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::{Visible, VisibleItem};
use crate::error::{StoreError, StoreResult};
use crate::id::{ItemId, WorkId};
use crate::store::item::{ItemCard, cards};

/// A title with its forms.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Work {
    /// Id of the work.
    pub id: WorkId,
    /// Visible forms, by kind and id.
    pub items: Vec<ItemCard>,
}

/// Form of a work on a shelf.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct OtherForm {
    /// Id of the item.
    pub item_id: ItemId,
    /// Media kind of the item.
    pub kind: String,
    /// Subkind of the item, as its kind defines it.
    pub subkind: Option<String>,
}

/// Visible forms of the work of an item.
pub(crate) const FORMS: &str = "
    SELECT other.work_id, item.id, item.kind, item.subkind
      FROM work_item AS own
      JOIN work_item AS other ON other.work_id = own.work_id
      JOIN item ON item.id = other.item_id
      JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
     WHERE own.item_id = :item";

const MEMBERS: &str = "
    SELECT other.item_id
      FROM work_item AS own
      JOIN work_item AS other ON other.work_id = own.work_id
     WHERE own.item_id = :item";

/// Returns the work of a visible item, or `None` if the item is its only visible form.
pub fn of_item(conn: &Connection, visible: Visible, item: ItemId) -> StoreResult<Option<Work>> {
    let forms = forms(conn, visible, item)?;
    let Some((id, _)) = forms.first().filter(|_| forms.len() > 1) else {
        return Ok(None);
    };
    let items: Vec<ItemId> = forms.iter().map(|(_, form)| form.item_id).collect();
    let items = cards(conn, visible, &items, None)?;
    Ok(Some(Work { id: *id, items }))
}

/// Returns the other visible forms of an item's work.
pub fn other_forms(
    conn: &Connection,
    visible: Visible,
    item: ItemId,
) -> StoreResult<Vec<OtherForm>> {
    let forms = forms(conn, visible, item)?.into_iter();
    let forms = forms.map(|(_, form)| form);
    Ok(forms.filter(|form| form.item_id != item).collect())
}

/// Returns the visible forms of an item's work, by kind and id.
fn forms(
    conn: &Connection,
    visible: Visible,
    item: ItemId,
) -> StoreResult<Vec<(WorkId, OtherForm)>> {
    let mut statement = conn.prepare_cached(FORMS)?;
    let rows = statement.query_map(
        named_params! { ":viewer": visible.user(), ":item": item },
        |row| {
            let form = OtherForm {
                item_id: row.get(1)?,
                kind: row.get(2)?,
                subkind: row.get(3)?,
            };
            Ok((row.get(0)?, form))
        },
    )?;
    let mut forms: Vec<(WorkId, OtherForm)> = rows.collect::<Result<_, _>>()?;
    forms.sort_by(|(_, one), (_, other)| {
        (&one.kind, one.item_id).cmp(&(&other.kind, other.item_id))
    });
    Ok(forms)
}

/// Makes items forms of one work, and merges the works that they belong to.
///
/// # Errors
///
/// Returns `Invalid` on `items` if an item is absent or not visible.
pub fn create(tx: &Transaction<'_>, visible: Visible, items: &[ItemId]) -> StoreResult<Work> {
    for item in items {
        if visible.item(tx, *item)?.is_none() {
            return Err(StoreError::Invalid {
                field: "items",
                message: format!("There is no item {item}."),
            });
        }
    }
    for item in items {
        let mut delete = tx.prepare_cached(
            "DELETE FROM work_rejected WHERE item_id = :item AND other_id = :other",
        )?;
        for other in items {
            delete.execute(named_params! { ":item": item, ":other": other })?;
        }
    }
    let id = join(tx, items)?;
    let work = match items.first() {
        Some(item) => of_item(tx, visible, *item)?,
        None => None,
    };
    Ok(work.unwrap_or(Work {
        id,
        items: Vec::new(),
    }))
}

/// Joins items and the works that they belong to. The lowest id remains.
fn join(tx: &Transaction<'_>, items: &[ItemId]) -> StoreResult<WorkId> {
    let mut works = BTreeSet::new();
    for item in items {
        works.extend(id_of_unscoped(tx, *item)?);
    }
    let mut works = works.into_iter();
    let id = if let Some(id) = works.next() {
        id
    } else {
        tx.execute("INSERT INTO work DEFAULT VALUES", [])?;
        WorkId(tx.last_insert_rowid())
    };
    for other in works {
        tx.prepare_cached("UPDATE work_item SET work_id = :id WHERE work_id = :other")?
            .execute(named_params! { ":id": id, ":other": other })?;
        tx.prepare_cached("DELETE FROM work WHERE id = :other")?
            .execute(named_params! { ":other": other })?;
    }
    let mut insert = tx.prepare_cached(
        "INSERT INTO work_item (item_id, work_id) VALUES (:item, :id) ON CONFLICT DO NOTHING",
    )?;
    for item in items {
        insert.execute(named_params! { ":item": item, ":id": id })?;
    }
    Ok(id)
}

/// Removes an item from a work. It is never linked automatically to the other forms again. Returns
/// `false` if the item does not belong to the work.
pub fn remove(tx: &Transaction<'_>, work: WorkId, item: VisibleItem) -> StoreResult<bool> {
    let Some(item) = item.again(tx)? else {
        return Ok(false);
    };
    if id_of_unscoped(tx, item.id())? != Some(work) {
        return Ok(false);
    }
    let mut reject = tx.prepare_cached(
        "INSERT INTO work_rejected (item_id, other_id) VALUES (:item, :other)
             ON CONFLICT DO NOTHING",
    )?;
    for other in members_unscoped(tx, item.id())? {
        if other != item.id() {
            reject.execute(named_params! { ":item": item.id(), ":other": other })?;
            reject.execute(named_params! { ":item": other, ":other": item.id() })?;
        }
    }
    // A trigger deletes a work with only one item.
    tx.prepare_cached("DELETE FROM work_item WHERE item_id = :item")?
        .execute(named_params! { ":item": item.id() })?;
    Ok(true)
}

fn id_of_unscoped(conn: &Connection, item: ItemId) -> StoreResult<Option<WorkId>> {
    let mut statement =
        conn.prepare_cached("SELECT work_id FROM work_item WHERE item_id = :item")?;
    Ok(statement
        .query_row(named_params! { ":item": item }, |row| row.get(0))
        .optional()?)
}

/// Returns the items of the work of an item, or only the item if it has none.
fn members_unscoped(conn: &Connection, item: ItemId) -> StoreResult<Vec<ItemId>> {
    let mut statement = conn.prepare_cached(MEMBERS)?;
    let rows = statement.query_map(named_params! { ":item": item }, |row| row.get(0))?;
    let members: Vec<ItemId> = rows.collect::<Result<_, _>>()?;
    Ok(if members.is_empty() {
        vec![item]
    } else {
        members
    })
}
