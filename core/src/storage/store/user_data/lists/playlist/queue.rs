//! The saved queue of a user: the files to play, and the position in the current one.

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::TO_ITEM;
use super::additions::{self, Additions};
use super::entry::{self, Entry};
use crate::access::Visible;
use crate::error::{StoreError, StoreResult};
use crate::id::{EntryId, FileId};
use crate::paging::Window;
use crate::registry::Registry;
use crate::store::user_data::lists::ordered_list::{EntryTable, OrderedList, Sequence};
use crate::time::Timestamp;
use crate::version::ExpectedVersion;

/// Entries of queues. The id of a list is the id of its user.
pub(crate) const ENTRIES: EntryTable = EntryTable {
    name: "play_queue_entry",
    key: "id",
    by_position: "play_queue_entry_by_position",
    member: "file_id",
    to_item: TO_ITEM,
};

/// Page of a queue.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Queue {
    /// Visible entries of this page.
    pub items: Vec<Entry>,
    /// Number of visible entries.
    pub total: u64,
    /// Number of skipped entries.
    pub offset: u64,
    /// Page size of the request.
    pub limit: u32,
    /// Index of the current entry; null if it is not visible, or the queue is empty.
    pub current: Option<usize>,
    /// Position in the current entry, in seconds.
    pub position: i64,
    /// Version of the queue, as in `ETag`; 0 if it was never saved.
    pub version: i64,
    /// Time of the last change; null if the queue was never saved.
    pub updated_at: Option<Timestamp>,
}

/// Content of a queue; a file may occur several times.
#[derive(Debug, Clone)]
pub struct NewQueue {
    /// Files in order.
    pub files: Vec<FileId>,
    /// Index of the current entry.
    pub current: usize,
    /// Position in the current entry.
    pub position: QueuePosition,
    /// Name of the program that saves the queue; `None` for the web interface.
    pub changed_by: Option<String>,
}

/// Position in the current entry of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueuePosition {
    /// Whole seconds, as the web interface uses them.
    pub seconds: i64,
    /// Milliseconds after them, from 0 to 999.
    pub millis: i64,
}

impl QueuePosition {
    /// Creates a position at a whole second.
    pub fn at_second(seconds: i64) -> Self {
        Self { seconds, millis: 0 }
    }

    /// Creates a position from milliseconds, which are 0 or more.
    pub fn from_millis(millis: i64) -> Self {
        Self {
            seconds: millis / 1000,
            millis: millis % 1000,
        }
    }

    /// Returns the position in milliseconds.
    pub fn as_millis(self) -> i64 {
        self.seconds
            .saturating_mul(1000)
            .saturating_add(self.millis)
    }
}

/// Changes to a queue; `None` keeps a value.
#[derive(Debug, Clone, Copy, Default)]
pub struct QueuePatch {
    /// Index of the current entry.
    pub current: Option<usize>,
    /// Position in the current entry, in seconds.
    pub position: Option<i64>,
}

/// State of a queue without its entries. The default applies to a queue that was never saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct State {
    current: Option<EntryId>,
    position: QueuePosition,
    version: i64,
    updated_at: Option<Timestamp>,
}

/// Reads a page of the user's queue.
pub fn get(conn: &Connection, user: Visible, window: Window) -> StoreResult<Queue> {
    let (state, list) = (state(conn, user)?, entries(user));
    let visible: Vec<EntryId> = list.sequence(conn)?.visible().collect();
    let current = visible.iter().position(|id| Some(*id) == state.current);
    Ok(Queue {
        items: entry::read(conn, list, window)?,
        total: visible.len() as u64,
        offset: window.offset,
        limit: window.limit,
        current,
        position: state.position.seconds,
        version: state.version,
        updated_at: state.updated_at,
    })
}

/// Replaces all entries of the user's queue, including hidden ones.
///
/// # Errors
///
/// Returns `Invalid` on `files` or `current` for unacceptable values, and `Stale` for another
/// version.
pub fn replace(
    tx: &Transaction<'_>,
    registry: &Registry,
    user: Visible,
    new: &NewQueue,
    expected: &ExpectedVersion,
    now: Timestamp,
) -> StoreResult<()> {
    let additions = Additions {
        items: Vec::new(),
        files: new.files.clone(),
    };
    let members = additions::members(tx, registry, user, &additions)?;
    if new.current >= members.len() {
        return Err(beyond_end(new.current));
    }
    expected.check(state(tx, user)?.version)?;
    let list = entries(user);
    delete_entries(tx, user)?;
    // The entries need the row of the queue, and the row needs its current entry.
    save(tx, user, None, new.position, now)?;
    list.insert(tx, Sequence::default(), None, &members, now)?;
    let current = list.sequence(tx)?.visible().nth(new.current);
    tx.prepare_cached(
        "UPDATE play_queue
            SET current_entry_id = :current, changed_by = :program
          WHERE user_id = :user",
    )?
    .execute(named_params! {
        ":current": current,
        ":program": new.changed_by,
        ":user": user.user(),
    })?;
    Ok(())
}

/// Updates the position of the user's queue.
///
/// # Errors
///
/// Returns `Invalid` on `current` for an index beyond the end, and `Stale` for another version.
pub fn update(
    tx: &Transaction<'_>,
    user: Visible,
    patch: QueuePatch,
    expected: &ExpectedVersion,
    now: Timestamp,
) -> StoreResult<()> {
    let before = state(tx, user)?;
    let current = match patch.current {
        None => before.current,
        Some(index) => {
            let entry = entries(user).sequence(tx)?.visible().nth(index);
            Some(entry.ok_or_else(|| beyond_end(index))?)
        }
    };
    expected.check(before.version)?;
    // Another entry starts at its beginning.
    let is_same = current == before.current;
    let position = match patch.position {
        Some(seconds) => QueuePosition::at_second(seconds),
        None if is_same => before.position,
        None => QueuePosition::default(),
    };
    if (current, position) != (before.current, before.position) {
        save(tx, user, current, position, now)?;
    }
    Ok(())
}

/// Empties the user's queue, and returns its version.
pub fn clear(
    tx: &Transaction<'_>,
    user: Visible,
    expected: &ExpectedVersion,
    now: Timestamp,
) -> StoreResult<i64> {
    let before = state(tx, user)?;
    expected.check(before.version)?;
    let is_empty = entries(user).sequence(tx)?.len() == 0;
    if is_empty && before.position == QueuePosition::default() {
        return Ok(before.version);
    }
    delete_entries(tx, user)?;
    save(tx, user, None, QueuePosition::default(), now)?;
    Ok(before.version + 1)
}

/// A queue of parts, as other programs see it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PartQueue {
    /// Files in order.
    pub files: Vec<FileId>,
    /// Index of the current file; `None` if it is not among the files.
    pub current: Option<usize>,
    /// Position in the current file.
    pub position: QueuePosition,
    /// Time of the last change; `None` if the queue was never saved.
    pub updated_at: Option<Timestamp>,
    /// Name of the program that saved the queue; `None` for the web interface.
    pub changed_by: Option<String>,
}

/// Reads the present visible files of these kinds in the user's queue.
pub fn parts(conn: &Connection, user: Visible, kinds: &[&str]) -> StoreResult<PartQueue> {
    let state = state(conn, user)?;
    let entries = part_entries(conn, user, kinds)?;
    let current = entries
        .iter()
        .position(|(id, _)| Some(*id) == state.current);
    let changed_by = conn
        .prepare_cached("SELECT changed_by FROM play_queue WHERE user_id = :user")?
        .query_row(named_params! { ":user": user.user() }, |row| row.get(0))
        .optional()?;
    Ok(PartQueue {
        files: entries.into_iter().map(|(_, file)| file).collect(),
        current,
        position: current.map(|_| state.position).unwrap_or_default(),
        updated_at: state.updated_at,
        changed_by: changed_by.flatten(),
    })
}

fn part_entries(
    conn: &Connection,
    user: Visible,
    kinds: &[&str],
) -> StoreResult<Vec<(EntryId, FileId)>> {
    let mut statement = conn.prepare_cached(
        "SELECT entry.id, entry.file_id
           FROM play_queue_entry AS entry INDEXED BY play_queue_entry_by_position
          CROSS JOIN file ON file.id = entry.file_id
          CROSS JOIN item ON item.id = file.item_id
          CROSS JOIN library_grant AS g
             ON g.user_id = :viewer AND g.library_id = item.library_id
          WHERE entry.list_id = :viewer AND file.missing = 0
            AND item.kind IN (SELECT value FROM json_each(:kinds))
          ORDER BY entry.position, entry.id",
    )?;
    let kinds = serde_json::to_string(kinds).expect("texts are JSON");
    let rows = statement.query_map(
        named_params! { ":viewer": user.user(), ":kinds": kinds },
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn entries(user: Visible) -> OrderedList {
    OrderedList {
        table: &ENTRIES,
        id: user.user().0,
        visible: user,
    }
}

fn state(conn: &Connection, user: Visible) -> StoreResult<State> {
    let mut statement = conn.prepare_cached(
        "SELECT current_entry_id, position, millis, version, updated_at
           FROM play_queue
          WHERE user_id = :user",
    )?;
    let state = statement.query_row(named_params! { ":user": user.user() }, |row| {
        Ok(State {
            current: row.get(0)?,
            position: QueuePosition {
                seconds: row.get(1)?,
                millis: row.get(2)?,
            },
            version: row.get(3)?,
            updated_at: row.get(4)?,
        })
    });
    Ok(state.optional()?.unwrap_or_default())
}

/// Writes the state of a queue, and increases its version.
fn save(
    tx: &Transaction<'_>,
    user: Visible,
    current: Option<EntryId>,
    position: QueuePosition,
    now: Timestamp,
) -> StoreResult<()> {
    tx.prepare_cached(
        "INSERT INTO play_queue (user_id, current_entry_id, position, millis, updated_at)
         VALUES (:user, :current, :position, :millis, :now)
             ON CONFLICT DO UPDATE
            SET current_entry_id = :current, position = :position, millis = :millis,
                version = version + 1, updated_at = :now, changed_by = NULL",
    )?
    .execute(named_params! {
        ":user": user.user(),
        ":current": current,
        ":position": position.seconds,
        ":millis": position.millis,
        ":now": now,
    })?;
    Ok(())
}

fn delete_entries(tx: &Transaction<'_>, user: Visible) -> StoreResult<()> {
    tx.prepare_cached("DELETE FROM play_queue_entry WHERE list_id = :user")?
        .execute(named_params! { ":user": user.user() })?;
    Ok(())
}

fn beyond_end(index: usize) -> StoreError {
    StoreError::Invalid {
        field: "current",
        message: format!("The index {index} is beyond the end of the queue."),
    }
}
