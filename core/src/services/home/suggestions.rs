//! *Suggestions*: unstarted items by the authors of recently consumed items, then items of the same
//! kinds, then new items.
//!
//! All rules start from progress in libraries that are visible now. Progress in other libraries
//! influences neither the choice nor a reason.

mod seeds;
mod unstarted;

use std::collections::HashSet;

use rusqlite::Connection;
use serde::Serialize;
use utoipa::ToSchema;

use super::arms::{Arms, interleave};
use super::{OnShelf, SHELF};
use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::{ItemId, LibraryId};
use crate::store::item::ItemCard;

use seeds::Seeds;
use unstarted::Unstarted;

pub(super) use seeds::CONSUMED;
#[cfg(test)]
pub(super) use unstarted::{ANYWHERE, SUBTRACT};
#[cfg(test)]
pub(super) use {seeds::TRAITS, unstarted::BY_AUTHOR, unstarted::NEWEST};

/// A suggested item and the reason.
#[derive(Debug, Serialize, ToSchema)]
pub struct SuggestionCard {
    /// Card of the item.
    pub item: ItemCard,
    /// Reason as an English sentence.
    pub reason: String,
    /// Reason as a machine code.
    pub reason_code: ReasonCode,
    /// Name of the author or id of the kind; null for `recent`.
    pub reason_arg: Option<String>,
}

/// Reason for a suggestion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReasonCode {
    /// The item is by an author of a recently consumed item.
    Author,
    /// The item is of the kind of a recently consumed item.
    Kind,
    /// The item is new in a library.
    Recent,
}

#[derive(Clone)]
struct Reason {
    text: String,
    code: ReasonCode,
    argument: Option<String>,
}

impl Reason {
    fn author(name: &str) -> Self {
        Self {
            text: format!("More by {name}"),
            code: ReasonCode::Author,
            argument: Some(name.to_owned()),
        }
    }

    fn kind(id: &str, label_plural: &str) -> Self {
        Self {
            text: format!("More {label_plural}"),
            code: ReasonCode::Kind,
            argument: Some(id.to_owned()),
        }
    }

    fn recent() -> Self {
        Self {
            text: "Recently added".to_owned(),
            code: ReasonCode::Recent,
            argument: None,
        }
    }
}

pub(super) struct Entry {
    pub(super) item: ItemId,
    reason: Reason,
}

impl OnShelf for Entry {
    fn item(&self) -> ItemId {
        self.item
    }
}

impl Entry {
    pub(super) fn card(self, item: ItemCard) -> SuggestionCard {
        SuggestionCard {
            item,
            reason: self.reason.text,
            reason_code: self.reason.code,
            reason_arg: self.reason.argument,
        }
    }
}

pub(super) fn find(
    conn: &Connection,
    visible: Visible,
    libraries: &[LibraryId],
    arms: &Arms,
) -> StoreResult<Vec<Entry>> {
    let seeds = Seeds::of(conn, visible, libraries)?;
    let mut unstarted = Unstarted::new(conn, visible, arms);
    let mut shelf = Shelf::default();
    let mut lists = Vec::new();
    for (person, name) in &seeds.authors {
        let reason = Reason::author(name);
        lists.push(reasoned(unstarted.by_author(*person)?, &reason));
    }
    shelf.add(lists);
    if shelf.is_full() {
        return Ok(shelf.entries);
    }
    let mut lists = Vec::new();
    for kind in seeds.kinds.iter().filter_map(|kind| arms.kind(kind)) {
        let reason = Reason::kind(kind.kind.id, kind.kind.label_plural);
        lists.push(reasoned(unstarted.of_kind(kind)?, &reason));
    }
    shelf.add(lists);
    if !shelf.is_full() {
        shelf.add(vec![reasoned(unstarted.newest()?, &Reason::recent())]);
    }
    Ok(shelf.entries)
}

fn reasoned(ids: Vec<ItemId>, reason: &Reason) -> Vec<Entry> {
    let entry = |item| Entry {
        item,
        reason: reason.clone(),
    };
    ids.into_iter().map(entry).collect()
}

/// The suggestions collected so far, without duplicates.
#[derive(Default)]
struct Shelf {
    entries: Vec<Entry>,
    items: HashSet<ItemId>,
}

impl Shelf {
    fn is_full(&self) -> bool {
        self.entries.len() >= SHELF
    }

    /// Interleaves the lists until the shelf is full.
    fn add(&mut self, lists: Vec<Vec<Entry>>) {
        for entry in interleave(lists) {
            if !self.is_full() && self.items.insert(entry.item) {
                self.entries.push(entry);
            }
        }
    }
}
