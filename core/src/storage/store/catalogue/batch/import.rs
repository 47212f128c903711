//! Imports of other programs' data. An import is one batch of several transactions, each with the
//! rows of some items, or with one list.

mod bookmark;
mod list;
mod save;
mod session;
mod value;
mod views;

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};
use serde::{Deserialize, Serialize};

use super::recorder::{Action, NewBatch, Recorder};
use crate::error::StoreResult;
use crate::id::{BatchId, FileId, ItemId, LibraryId, UserId};
use crate::store::user_data::progress::mark::SavedPlace;
use crate::store::user_data::save::NewSave;
use crate::time::Timestamp;

pub(super) use bookmark::restore as restore_bookmark;
pub(super) use list::restore as restore_list;
pub(super) use save::restore as restore_save;
pub(super) use session::restore as restore_session;
pub(super) use views::restore as restore_views;

/// Value of another program for a user and an item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// Progress in a file.
    Progress {
        /// The file.
        file: FileId,
        /// Position in the file's unit, with the time of the source.
        place: SavedPlace,
    },
    /// Favourite since this time; `None` for an unknown time.
    Favourite(Option<Timestamp>),
    /// Rating from 1 to 10, with its time.
    Rating(u8, Option<Timestamp>),
    /// Number of views, and the time of the last one.
    Views(i64, Option<Timestamp>),
    /// A bookmark.
    Bookmark {
        /// The file.
        file: FileId,
        /// Position in the file's unit.
        position: i64,
        /// Note of the user.
        note: Option<String>,
        /// Time of creation.
        at: Option<Timestamp>,
    },
    /// Start and length of a session.
    Session(Timestamp, Duration),
    /// State of a player.
    Save(Box<ImportedSave>),
}

/// State of a player, with a copy of its bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImportedSave {
    /// Name of the slot.
    pub slot: String,
    /// The state.
    pub new: NewSave,
    /// File that contains the bytes until the end of the import.
    pub path: PathBuf,
}

/// One value of a user for an item.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Number by which the caller knows the row.
    pub n: i64,
    /// The user.
    pub user: UserId,
    /// The value.
    pub value: Value,
}

/// All rows of one item.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemRows {
    /// The item.
    pub item: ItemId,
    /// Rows by user; rows of one field are consecutive.
    pub rows: Vec<Row>,
}

/// Kind of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ListKind {
    /// Ordered files.
    Playlist,
    /// Ordered items.
    Collection,
}

/// A list with its entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListRows {
    /// Kind of the list.
    pub kind: ListKind,
    /// Id of the source program.
    pub source: String,
    /// Id of the list in the source program.
    pub key: String,
    /// Owner of the list.
    pub owner: UserId,
    /// Name of the list.
    pub name: String,
    /// Description, if there is one.
    pub description: Option<String>,
    /// `true` if every user can read the list.
    pub public: bool,
    /// Files or items in order, with their libraries.
    pub members: Vec<(i64, LibraryId)>,
}

/// Result of one row or list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Ledge has the same value.
    Unchanged,
    /// The value cannot be stored.
    Unsupported,
    /// Ledge has a newer value.
    NewerHere,
    /// The list was changed in Ledge.
    ChangedHere,
    /// The value was stored.
    Taken,
}

/// State of an import between its transactions.
#[derive(Debug, Clone)]
pub struct Import {
    /// User who started the import; `None` for the command line.
    pub user: Option<UserId>,
    /// Names of the imported fields.
    pub fields: Vec<String>,
    /// Time of the import.
    pub now: Timestamp,
    /// `true` if nothing is written.
    pub dry_run: bool,
    /// The batch; `None` before the first change.
    pub batch: Option<BatchId>,
    /// Number of lists that a dry run would create, by owner.
    new_lists: HashMap<(UserId, ListKind), i64>,
}

/// Time of values without a date.
pub fn undated() -> Timestamp {
    // 2000-01-01T00:00:00Z.
    Timestamp::from_micros(946_684_800_000_000)
}

impl Import {
    /// Starts an import without a batch.
    pub fn new(user: Option<UserId>, fields: Vec<String>, now: Timestamp, dry_run: bool) -> Self {
        Self {
            user,
            fields,
            now,
            dry_run,
            batch: None,
            new_lists: HashMap::new(),
        }
    }

    fn recorder<'a, 'tx>(&self, tx: &'a Transaction<'tx>) -> Recorder<'a, 'tx> {
        let new = NewBatch {
            user: self.user,
            action: Action::Import,
            fields: self.fields.clone(),
            now: self.now,
        };
        Recorder::resume(tx, new, self.batch)
    }

    /// Applies the rows of some items. Returns the number and the outcome of each row.
    pub fn apply_items(
        &mut self,
        tx: &Transaction<'_>,
        items: &[ItemRows],
    ) -> StoreResult<Vec<(i64, Outcome)>> {
        let mut outcomes = Vec::new();
        let mut recorder = self.recorder(tx);
        for rows in items {
            let Some(library) = library_of(tx, rows.item)? else {
                // The item was deleted after it was matched.
                outcomes.extend(rows.rows.iter().map(|row| (row.n, Outcome::Unsupported)));
                continue;
            };
            let changes = value::apply(self, tx, rows, &mut outcomes)?;
            recorder.record_unscoped((rows.item, library), &changes)?;
        }
        self.batch = recorder.finish()?.batch;
        Ok(outcomes)
    }

    /// Creates or updates a list.
    pub fn apply_list(&mut self, tx: &Transaction<'_>, rows: &ListRows) -> StoreResult<Outcome> {
        let mut recorder = self.recorder(tx);
        let (outcome, change) = list::apply(self, tx, rows)?;
        if let Some(change) = change {
            recorder.record_other(&change)?;
        }
        self.batch = recorder.finish()?.batch;
        Ok(outcome)
    }
}

fn library_of(conn: &Connection, item: ItemId) -> StoreResult<Option<LibraryId>> {
    let mut statement = conn.prepare_cached("SELECT library_id FROM item WHERE id = :item")?;
    let found = statement.query_row(named_params! { ":item": item }, |row| row.get(0));
    Ok(found.optional()?)
}
