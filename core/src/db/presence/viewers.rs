//! Whether what a viewer has begun and loves is as it was: sets of it are kept for as long as it is.
//!
//! The writer's connection tells of each change while it is made, and afterwards that it is over. In
//! between nobody can say what a reader will see, and sets are made anew.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;

use crate::id::UserId;

/// What changes the sets: which items a viewer has a place in, whether it is at the end, and which
/// are favourites. Rows that go with their user or item are told of, too.
const TRIGGERS: &str = "
    CREATE TEMP TRIGGER viewer_begins AFTER INSERT ON main.item_progress
    BEGIN SELECT viewer_changes(new.user_id); END;
    CREATE TEMP TRIGGER viewer_ends AFTER UPDATE OF finished ON main.item_progress
    WHEN old.finished <> new.finished
    BEGIN SELECT viewer_changes(new.user_id); END;
    CREATE TEMP TRIGGER viewer_forgets AFTER DELETE ON main.item_progress
    BEGIN SELECT viewer_changes(old.user_id); END;
    CREATE TEMP TRIGGER viewer_loves AFTER INSERT ON main.favourite
    BEGIN SELECT viewer_changes(new.user_id); END;
    CREATE TEMP TRIGGER viewer_parts AFTER DELETE ON main.favourite
    BEGIN SELECT viewer_changes(old.user_id); END;";

/// The viewers; clones share them.
#[derive(Debug, Clone, Default)]
pub(in crate::db) struct Viewers(Arc<Mutex<Changes>>);

#[derive(Debug, Default)]
struct Changes {
    /// How many transactions have changed something.
    clock: u64,
    /// The last one that changed something of a viewer.
    last: HashMap<i64, u64>,
    /// Of whom something is being changed.
    now: Vec<i64>,
}

impl Viewers {
    /// Watches the changes that this connection makes.
    pub(in crate::db) fn watch(&self, connection: &Connection) -> rusqlite::Result<()> {
        let viewers = self.clone();
        let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_INNOCUOUS;
        connection.create_scalar_function("viewer_changes", 1, flags, move |ctx| {
            viewers.note(ctx.get(0)?);
            Ok(0)
        })?;
        connection.execute_batch(TRIGGERS)
    }

    fn note(&self, viewer: i64) {
        let now = &mut self.changes().now;
        // Mostly the same one many times.
        if now.last() != Some(&viewer) && !now.contains(&viewer) {
            now.push(viewer);
        }
    }

    /// The transaction has ended, whether it was committed or not.
    pub(super) fn settle(&self) {
        let changes = &mut *self.changes();
        if changes.now.is_empty() {
            return;
        }
        changes.clock += 1;
        let viewers = changes.now.drain(..);
        changes
            .last
            .extend(viewers.map(|viewer| (viewer, changes.clock)));
    }

    /// The moment, to ask about later.
    pub(super) fn clock(&self) -> u64 {
        self.changes().clock
    }

    /// A number that stands for what the viewer has, and has had since `clock`; `None` where that
    /// has changed or is being changed.
    pub(super) fn unchanged_since(&self, clock: u64, viewer: UserId) -> Option<u64> {
        let changes = self.changes();
        let last = changes.last.get(&viewer.0).copied().unwrap_or(0);
        (last <= clock && !changes.now.contains(&viewer.0)).then_some(last)
    }

    fn changes(&self) -> MutexGuard<'_, Changes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
