//! Collections: items that a user arranges, or that a rule selects.

mod content;
mod manual;
pub mod rule;

use rusqlite::Transaction;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::ordered_list::{EntryTable, Move};
use super::user_list::{
    self, Head, ListCover, ListPatch, ListTables, NewList, OwnList, Owner, ReadableList, UserList,
};
use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::{CollectionId, EntryId, ItemId};
use crate::store::catalogue::column_reader::ColumnReader;
use crate::time::Timestamp;
use crate::version::ExpectedVersion;

pub use content::{get, items, preview, tiles};
pub use manual::{Insertion, add};
pub use rule::{Reader, Rule, RuleError};

/// Kind of the lists that are collections.
#[derive(Debug)]
pub enum Collections {}

/// A collection that the viewer can read.
pub type ReadableCollection = ReadableList<Collections>;
/// A collection of the viewer.
pub type OwnCollection = OwnList<Collections>;

/// Entries of collections. An item occurs once, so its id identifies the entry.
pub(crate) const ENTRIES: EntryTable = EntryTable {
    name: "collection_item",
    key: "item_id",
    by_position: "collection_item_by_position",
    member: "item_id",
    to_item: "CROSS JOIN item ON item.id = entry.item_id",
};

impl UserList for Collections {
    type View = Collection;
    const NOUN: &'static str = "collection";
    const TABLES: ListTables<Collection> = ListTables {
        name: "collection",
        total: "collection_total",
        entries: &ENTRIES,
        readable_if_empty: "collection.rule IS NOT NULL",
        // A list of collections evaluates no rule.
        covered_if_empty: "collection.rule IS NOT NULL",
        columns: "iif(collection.rule IS NULL,
                      (SELECT ifnull(sum(t.n), 0)
                         FROM library_grant AS g
                         JOIN collection_total AS t
                           ON t.list_id = collection.id AND t.library_id = g.library_id
                        WHERE g.user_id = :viewer), NULL) AS item_count,
                  collection.rule",
        view,
    };
}

/// Kind of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CollectionKind {
    /// The owner arranges the items.
    #[default]
    Manual,
    /// A rule selects the items.
    Smart,
}

/// A collection, as its reader sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Collection {
    /// Id of the collection.
    pub id: CollectionId,
    /// Name; other collections may have the same one.
    pub name: String,
    /// Description of the owner.
    pub description: Option<String>,
    /// `true` if every user can read the collection.
    pub public: bool,
    /// Owner of the collection.
    pub owner: Owner,
    /// `true` if the viewer is the owner.
    pub own: bool,
    /// Kind of the collection, which never changes.
    pub kind: CollectionKind,
    /// Number of visible items. Null for smart collections in a list.
    pub item_count: Option<u64>,
    /// Rule of an own smart collection; null for others.
    #[schema(value_type = Option<Object>)]
    pub rule: Option<Value>,
    /// Mosaic of the first covers; null if no visible item has one. In a list, smart collections
    /// have a URL that may return 404.
    pub cover: Option<ListCover>,
    /// Version of the collection, as in `ETag`.
    pub version: i64,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the owner's last change.
    pub updated_at: Timestamp,
}

fn view(head: Head, row: &mut ColumnReader<'_, '_>) -> rusqlite::Result<Collection> {
    let item_count = row.take()?;
    let rule: Option<String> = row.take()?;
    let kind = match rule {
        Some(_) => CollectionKind::Smart,
        None => CollectionKind::Manual,
    };
    let rule = rule.filter(|_| head.own);
    Ok(Collection {
        id: CollectionId(head.id),
        cover: head.cover("collections"),
        name: head.name,
        description: head.description,
        public: head.public,
        owner: head.owner,
        own: head.own,
        kind,
        item_count,
        rule: rule.and_then(|rule| serde_json::from_str(&rule).ok()),
        version: head.version,
        created_at: head.created_at,
        updated_at: head.updated_at,
    })
}

/// Content of a new collection.
#[derive(Debug, Clone)]
pub enum NewContent {
    /// Items of a manual collection.
    Items(Vec<ItemId>),
    /// Valid rule of a smart collection.
    Rule(Value),
}

/// Creates a collection.
///
/// # Errors
///
/// Returns `Invalid` on `items` for invisible items, and `Conflict` beyond the limit of
/// collections.
pub fn create(
    tx: &Transaction<'_>,
    owner: Visible,
    new: &NewList,
    content: &NewContent,
    now: Timestamp,
) -> StoreResult<ReadableCollection> {
    let members = match content {
        NewContent::Items(items) => manual::members(tx, owner, items)?,
        NewContent::Rule(_) => Vec::new(),
    };
    let list: OwnCollection = user_list::insert(tx, owner, new, &members, now)?;
    if let NewContent::Rule(json) = content {
        rule::set(tx, list, json)?;
    }
    Ok(list.readable())
}

/// Changes the texts, the mark or the rule of a collection. Returns `false` if it has been deleted.
///
/// # Errors
///
/// Returns `Invalid` on `rule` for a manual collection, and `Stale` for another version.
pub fn update(
    tx: &Transaction<'_>,
    list: OwnCollection,
    patch: &ListPatch,
    rule: Option<&Value>,
    expected: &ExpectedVersion,
    now: Timestamp,
) -> StoreResult<bool> {
    let Some(current) = user_list::version(tx, list.readable())? else {
        return Ok(false);
    };
    if rule.is_some() {
        rule::check_has_rule(tx, list)?;
    }
    expected.check(current)?;
    let mut is_changed = user_list::update_texts(tx, list, patch)?;
    if let Some(json) = rule {
        is_changed |= rule::set(tx, list, json)?;
    }
    if is_changed {
        user_list::touch(tx, list, now)?;
    }
    Ok(true)
}

/// Moves items of a manual collection. Returns `false` if it has been deleted.
///
/// # Errors
///
/// Returns `Conflict` for a smart collection, and the errors of [`user_list::rearrange`].
pub fn rearrange(
    tx: &Transaction<'_>,
    list: OwnCollection,
    moves: &[Move],
    expected: &ExpectedVersion,
    now: Timestamp,
) -> StoreResult<bool> {
    rule::check_is_manual(tx, list)?;
    Ok(user_list::rearrange(tx, list, moves, expected, now)?.is_some())
}

/// Removes visible items from a manual collection; other ids are ignored. Returns `false` if the
/// collection has been deleted.
///
/// # Errors
///
/// Returns `Conflict` for a smart collection, and `Stale` for another version.
pub fn remove(
    tx: &Transaction<'_>,
    list: OwnCollection,
    items: &[ItemId],
    expected: &ExpectedVersion,
    now: Timestamp,
) -> StoreResult<bool> {
    rule::check_is_manual(tx, list)?;
    let entries: Vec<EntryId> = items.iter().map(|item| EntryId(item.0)).collect();
    Ok(user_list::remove(tx, list, &entries, expected, now)?.is_some())
}

#[cfg(test)]
mod tests;
