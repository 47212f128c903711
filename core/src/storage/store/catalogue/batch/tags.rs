//! Changes of single tags of items.

use std::collections::HashMap;

use rusqlite::Transaction;
use serde::{Deserialize, Serialize};

use super::snapshot::parse;
use super::value::{Change, ChangedField};
use crate::error::{StoreError, StoreResult};
use crate::id::{ItemId, TagId, UserId};
use crate::store::user_data::tag::{self, MAX_TAGS, Owner};

/// A tag that an item has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct NamedTag {
    id: TagId,
    name: String,
}

/// Tags to add to items and to remove from them.
#[derive(Debug)]
pub(super) struct TagEdit<'a> {
    owner: Owner,
    /// Field that an error names.
    field: &'static str,
    add: &'a [String],
    remove: &'a [String],
    /// Ids of the tags to add. An id is known once an item has the tag.
    added: HashMap<&'a str, TagId>,
}

impl<'a> TagEdit<'a> {
    pub(super) fn new(
        owner: Owner,
        field: &'static str,
        add: &'a [String],
        remove: &'a [String],
    ) -> Self {
        Self {
            owner,
            field,
            add,
            remove,
            added: HashMap::new(),
        }
    }

    /// Changes the tags of an item, and appends the changes to `changes`.
    ///
    /// # Errors
    ///
    /// Returns `Invalid` if the item would have too many tags.
    pub(super) fn apply(
        &mut self,
        tx: &Transaction<'_>,
        item: ItemId,
        changes: &mut Vec<Change>,
    ) -> StoreResult<()> {
        for name in self.remove {
            if let Some(id) = tag::named(tx, self.owner, name)? {
                let name = tag::name(tx, self.owner, id)?.unwrap_or_default();
                if tag::remove(tx, id, item)? {
                    changes.push(change(self.owner, NamedTag { id, name }, false));
                }
            }
        }
        let mut is_grown = false;
        for name in self.add {
            let id = match self.added.get(name.as_str()) {
                Some(id) => *id,
                None => tag::ensure(tx, self.owner, name)?,
            };
            self.added.insert(name, id);
            if tag::add(tx, id, item)? {
                is_grown = true;
                let name = name.clone();
                changes.push(change(self.owner, NamedTag { id, name }, true));
            }
        }
        if is_grown && tag::count(tx, self.owner, item)? > MAX_TAGS {
            let message = format!("An item has at most {MAX_TAGS} tags.");
            return Err(StoreError::Invalid {
                field: self.field,
                message,
            });
        }
        Ok(())
    }
}

/// Returns the change of an added or removed tag.
fn change(owner: Owner, tag: NamedTag, is_added: bool) -> Change {
    let owner = match owner {
        Owner::User(user) => Some(user),
        Owner::Everyone => None,
    };
    let (with, without) = (Some(tag), None);
    let values = if is_added {
        (&without, &with)
    } else {
        (&with, &without)
    };
    Change::new(owner, ChangedField::Tag, values)
}

/// Removes an added tag, or adds a removed one. Returns `false` if the tag was changed since.
pub(super) fn restore(
    tx: &Transaction<'_>,
    (user, item): (Option<UserId>, ItemId),
    change: &Change,
) -> StoreResult<bool> {
    let owner = user.map_or(Owner::Everyone, Owner::User);
    let (old, new) = (parse(&change.old), parse(&change.new));
    let (Some(old), Some(new)): (Option<Option<NamedTag>>, Option<Option<NamedTag>>) = (old, new)
    else {
        return Ok(false);
    };
    if let Some(added) = new {
        return tag::remove(tx, added.id, item);
    }
    let Some(removed) = old else {
        return Ok(false);
    };
    // The tag may have been deleted since, because it had no items left.
    let id = match tag::name(tx, owner, removed.id)? {
        Some(_) => removed.id,
        None => tag::ensure(tx, owner, &removed.name)?,
    };
    if tag::has(tx, id, item)? || tag::count(tx, owner, item)? >= MAX_TAGS {
        return Ok(false);
    }
    tag::add(tx, id, item)
}
