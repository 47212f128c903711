//! Tags: a user's own ones and the shared ones, which administrators manage.

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::{Visible, VisibleItem};
use crate::db::id_set::{self, IdSet};
use crate::db::item_index::IndexSnapshot;
use crate::error::{StoreError, StoreResult};
use crate::id::{ItemId, TagId, UserId};
use crate::text;

/// A tag that the viewer may see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Tag {
    /// Id of the tag.
    pub id: TagId,
    /// Name of the tag.
    pub name: String,
    /// `true` if all users see the tag, `false` for an own tag.
    pub shared: bool,
}

/// A tag and the number of its items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct CountedTag {
    /// The tag.
    #[serde(flatten)]
    pub tag: Tag,
    /// Number of visible items, including missing ones, as `/items` lists them.
    pub items: u64,
}

/// Limit of tags per item and owner.
pub const MAX_TAGS: usize = 50;

/// Owner of tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// One user.
    User(UserId),
    /// All users: shared tags.
    Everyone,
}

impl Owner {
    fn column(self) -> Option<UserId> {
        match self {
            Self::User(user) => Some(user),
            Self::Everyone => None,
        }
    }
}

/// Returns the shared tags of an item and those of this user, by name.
pub fn of_item(conn: &Connection, user: UserId, item: ItemId) -> StoreResult<Vec<Tag>> {
    let mut statement = conn.prepare_cached(
        "SELECT tag.id, tag.name, tag.user_id IS NULL AS shared
           FROM item_tag AS link
           JOIN tag ON tag.id = link.tag_id
          WHERE link.item_id = :item AND (tag.user_id = :viewer OR tag.user_id IS NULL)
          ORDER BY tag.name_key, shared",
    )?;
    let rows = statement.query_map(named_params! { ":item": item, ":viewer": user }, |row| {
        Ok(Tag {
            id: row.get(0)?,
            name: row.get(1)?,
            shared: row.get(2)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Replaces the tags of one owner on an item. Returns all tags of the item that the viewer sees, or
/// `None` if the item is gone.
pub fn set(
    tx: &Transaction<'_>,
    item: VisibleItem,
    owner: Owner,
    names: &[String],
) -> StoreResult<Option<Vec<Tag>>> {
    let Some(item) = item.again(tx)? else {
        return Ok(None);
    };
    let mut kept = Vec::with_capacity(names.len());
    for name in names {
        let tag = ensure(tx, owner, name)?;
        add(tx, tag, item.id())?;
        kept.push(tag);
    }
    let kept = serde_json::to_string(&kept).expect("integers are JSON");
    tx.prepare_cached(
        "DELETE FROM item_tag
          WHERE item_id = :item
            AND tag_id NOT IN (SELECT value FROM json_each(:kept))
            AND (SELECT user_id FROM tag WHERE id = tag_id) IS :owner",
    )?
    .execute(named_params! { ":item": item.id(), ":kept": kept, ":owner": owner.column() })?;
    of_item(tx, item.viewer(), item.id()).map(Some)
}

/// Adds a tag to an item. Returns `false` if the item has it already.
pub(crate) fn add(tx: &Transaction<'_>, tag: TagId, item: ItemId) -> StoreResult<bool> {
    let added = tx
        .prepare_cached("INSERT OR IGNORE INTO item_tag (tag_id, item_id) VALUES (:tag, :item)")?
        .execute(named_params! { ":tag": tag, ":item": item })?;
    Ok(added > 0)
}

/// Removes a tag from an item. Returns `false` if the item does not have it. A tag without items is
/// deleted.
pub(crate) fn remove(tx: &Transaction<'_>, tag: TagId, item: ItemId) -> StoreResult<bool> {
    let removed = tx
        .prepare_cached("DELETE FROM item_tag WHERE tag_id = :tag AND item_id = :item")?
        .execute(named_params! { ":tag": tag, ":item": item })?;
    Ok(removed > 0)
}

/// Returns `true` if an item has a tag.
pub(crate) fn has(tx: &Transaction<'_>, tag: TagId, item: ItemId) -> StoreResult<bool> {
    let mut statement =
        tx.prepare_cached("SELECT 1 FROM item_tag WHERE tag_id = :tag AND item_id = :item")?;
    Ok(statement.exists(named_params! { ":tag": tag, ":item": item })?)
}

/// Returns the number of tags that an owner has on an item.
pub(crate) fn count(tx: &Transaction<'_>, owner: Owner, item: ItemId) -> StoreResult<usize> {
    let mut statement = tx.prepare_cached(
        "SELECT count(*)
           FROM item_tag AS link
           JOIN tag ON tag.id = link.tag_id
          WHERE link.item_id = :item AND tag.user_id IS :owner",
    )?;
    let params = named_params! { ":item": item, ":owner": owner.column() };
    Ok(statement.query_row(params, |row| row.get(0))?)
}

/// Returns the name of an owner's tag, or `None` if the tag is gone.
pub(crate) fn name(tx: &Transaction<'_>, owner: Owner, id: TagId) -> StoreResult<Option<String>> {
    let mut statement =
        tx.prepare_cached("SELECT name FROM tag WHERE id = :tag AND user_id IS :owner")?;
    let params = named_params! { ":tag": id, ":owner": owner.column() };
    Ok(statement.query_row(params, |row| row.get(0)).optional()?)
}

/// Returns the owner's tag with this name and inserts it if it is new. Case and accents are ignored.
pub(crate) fn ensure(tx: &Transaction<'_>, owner: Owner, name: &str) -> StoreResult<TagId> {
    if let Some(id) = named(tx, owner, name)? {
        return Ok(id);
    }
    tx.prepare_cached("INSERT INTO tag (user_id, name, name_key) VALUES (:owner, :name, :key)")?
        .execute(named_params! {
            ":owner": owner.column(),
            ":name": name,
            ":key": text::fold(name),
        })?;
    Ok(TagId(tx.last_insert_rowid()))
}

/// Returns the owner's tag with this name.
pub(crate) fn named(conn: &Connection, owner: Owner, name: &str) -> StoreResult<Option<TagId>> {
    let mut statement = conn.prepare_cached(
        "SELECT id FROM tag WHERE ifnull(user_id, 0) = ifnull(:owner, 0) AND name_key = :key",
    )?;
    let id = statement
        .query_row(
            named_params! { ":owner": owner.column(), ":key": text::fold(name) },
            |row| row.get(0),
        )
        .optional()?;
    Ok(id)
}

/// Returns a tag that a visible item has, or `None` if it is absent, another user's, or only on
/// invisible items.
pub fn get(conn: &Connection, visible: Visible, id: TagId) -> StoreResult<Option<Tag>> {
    let mut statement = conn.prepare_cached(
        "SELECT tag.id, tag.name, tag.user_id IS NULL
           FROM tag
          WHERE tag.id = :tag AND (tag.user_id = :viewer OR tag.user_id IS NULL)
            AND EXISTS (SELECT 1
                          FROM item_tag AS link
                          JOIN item ON item.id = link.item_id
                          JOIN library_grant AS g
                            ON g.user_id = :viewer AND g.library_id = item.library_id
                         WHERE link.tag_id = tag.id)",
    )?;
    let tag = statement
        .query_row(
            named_params! { ":tag": id, ":viewer": visible.user() },
            |row| {
                Ok(Tag {
                    id: row.get(0)?,
                    name: row.get(1)?,
                    shared: row.get(2)?,
                })
            },
        )
        .optional()?;
    Ok(tag)
}

/// Renames a tag. Returns `None` if it is gone.
///
/// # Errors
///
/// Returns `Conflict` if its owner has another tag with this name.
pub fn rename(
    tx: &Transaction<'_>,
    visible: Visible,
    id: TagId,
    name: &str,
) -> StoreResult<Option<Tag>> {
    let Some(tag) = get(tx, visible, id)? else {
        return Ok(None);
    };
    let owner = if tag.shared {
        Owner::Everyone
    } else {
        Owner::User(visible.user())
    };
    if named(tx, owner, name)?.is_some_and(|other| other != id) {
        return Err(StoreError::Conflict(format!(
            "There is another tag with the name `{name}`: choose another name."
        )));
    }
    tx.prepare_cached("UPDATE tag SET name = :name, name_key = :key WHERE id = :tag")?
        .execute(named_params! { ":tag": id, ":name": name, ":key": text::fold(name) })?;
    Ok(Some(Tag {
        name: name.to_owned(),
        ..tag
    }))
}

/// Removes a tag from all visible items. A tag without items is deleted. Returns `false` if the tag
/// is gone.
pub fn delete(tx: &Transaction<'_>, visible: Visible, id: TagId) -> StoreResult<bool> {
    if get(tx, visible, id)?.is_none() {
        return Ok(false);
    }
    tx.prepare_cached(
        "DELETE FROM item_tag
          WHERE tag_id = :tag
            AND item_id IN (SELECT item.id
                              FROM item_tag AS link
                              JOIN item ON item.id = link.item_id
                              JOIN library_grant AS g
                                ON g.user_id = :viewer AND g.library_id = item.library_id
                             WHERE link.tag_id = :tag)",
    )?
    .execute(named_params! { ":tag": id, ":viewer": visible.user() })?;
    Ok(true)
}

/// Ids of the items of each of the viewer's tags, including invisible items.
const SETS: &str = "
    SELECT id_set(link.item_id), tag.id, tag.name, tag.user_id IS NULL AS shared
      FROM tag
      JOIN item_tag AS link ON link.tag_id = tag.id
     WHERE (tag.user_id = :viewer OR tag.user_id IS NULL)
       AND instr(tag.name_key, :query) > 0
     GROUP BY tag.name_key, shared, tag.id";

/// Calls `visit` with each shared tag, each of the viewer's own tags, and the ids of its items. The
/// ids include invisible items. The order is by name. `query` is a folded part of the name.
pub(crate) fn each(
    conn: &Connection,
    visible: Visible,
    query: &str,
    mut visit: impl FnMut(Tag, IdSet),
) -> StoreResult<()> {
    let mut statement = conn.prepare_cached(SETS)?;
    let mut rows = statement.query(named_params! { ":viewer": visible.user(), ":query": query })?;
    while let Some(row) = rows.next()? {
        let ids = id_set::of_row(row)?;
        let tag = Tag {
            id: row.get(1)?,
            name: row.get(2)?,
            shared: row.get(3)?,
        };
        visit(tag, ids);
    }
    Ok(())
}

/// Returns the tags of visible items, by name, optionally of one kind. `query` is a part of the name.
pub fn list(
    conn: &Connection,
    view: &IndexSnapshot,
    visible: Visible,
    kind: Option<&str>,
    query: &str,
) -> StoreResult<Vec<CountedTag>> {
    let query = text::fold(query);
    let groups = view.groups(conn, visible, |bucket| {
        kind.is_none_or(|kind| kind == &*bucket.kind).then_some(0)
    })?;
    let mut tags = Vec::new();
    each(conn, visible, &query, |tag, ids| {
        let items = ids.descending().filter(|id| groups.of(*id).is_some());
        let items = items.count() as u64;
        if items > 0 {
            tags.push(CountedTag { tag, items });
        }
    })?;
    Ok(tags)
}
