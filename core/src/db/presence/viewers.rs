//! Whether what a viewer has begun and loves is as it was: sets of it are kept for as long as it is,
//! or until more has changed than is worth looking up.
//!
//! The writer's connection tells of each change while it is made, and afterwards that it is over. In
//! between nobody can say what a reader will see. No other process writes these rows.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;

use crate::id::{ItemId, UserId};

/// What changes the sets: which items a viewer has a place in, whether it is at the end, and which
/// are favourites. Rows that go with their user or item are told of, too.
const TRIGGERS: &str = "
    CREATE TEMP TRIGGER viewer_begins AFTER INSERT ON main.item_progress
    BEGIN SELECT viewer_changes(new.user_id, new.item_id); END;
    CREATE TEMP TRIGGER viewer_ends AFTER UPDATE OF finished ON main.item_progress
    WHEN old.finished <> new.finished
    BEGIN SELECT viewer_changes(new.user_id, new.item_id); END;
    CREATE TEMP TRIGGER viewer_forgets AFTER DELETE ON main.item_progress
    BEGIN SELECT viewer_changes(old.user_id, old.item_id); END;
    CREATE TEMP TRIGGER viewer_loves AFTER INSERT ON main.favourite
    BEGIN SELECT viewer_changes(new.user_id, new.item_id); END;
    CREATE TEMP TRIGGER viewer_parts AFTER DELETE ON main.favourite
    BEGIN SELECT viewer_changes(old.user_id, old.item_id); END;";

/// So many of a viewer's last changes are known one by one.
const FEW: usize = if cfg!(test) { 4 } else { 64 };

/// The viewers; clones share them.
#[derive(Debug, Clone, Default)]
pub(in crate::db) struct Viewers(Arc<Mutex<Changes>>);

#[derive(Debug, Default)]
struct Changes {
    /// How many transactions have changed something.
    clock: u64,
    /// What changed of each viewer.
    past: HashMap<i64, Past>,
    /// What is being changed: items by viewer, of very many only the first.
    now: HashMap<i64, Vec<ItemId>>,
}

/// A viewer's changes, as the clock counts.
#[derive(Debug, Default)]
struct Past {
    last: u64,
    /// Up to then it is not known which items changed.
    unknown: u64,
    items: Vec<(u64, ItemId)>,
}

impl Past {
    fn add(&mut self, clock: u64, items: &[ItemId]) {
        self.last = clock;
        if items.len() > FEW {
            self.unknown = clock;
            self.items.clear();
            return;
        }
        self.items.extend(items.iter().map(|item| (clock, *item)));
        let surplus = self.items.len().saturating_sub(FEW);
        if let Some((clock, _)) = self.items.drain(..surplus).next_back() {
            self.unknown = clock;
        }
    }
}

impl Viewers {
    /// Watches the changes that this connection makes.
    pub(in crate::db) fn watch(&self, connection: &Connection) -> rusqlite::Result<()> {
        let viewers = self.clone();
        let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_INNOCUOUS;
        connection.create_scalar_function("viewer_changes", 2, flags, move |ctx| {
            viewers.note(ctx.get(0)?, ctx.get(1)?);
            Ok(0)
        })?;
        connection.execute_batch(TRIGGERS)
    }

    fn note(&self, viewer: i64, item: ItemId) {
        let changes = &mut *self.changes();
        let items = changes.now.entry(viewer).or_default();
        if items.len() <= FEW && !items.contains(&item) {
            items.push(item);
        }
    }

    /// The transaction has ended, whether it was committed or not.
    pub(super) fn settle(&self) {
        let changes = &mut *self.changes();
        if changes.now.is_empty() {
            return;
        }
        changes.clock += 1;
        for (viewer, items) in changes.now.drain() {
            let past = changes.past.entry(viewer).or_default();
            past.add(changes.clock, &items);
        }
    }

    /// The moment, to ask about later.
    pub(super) fn clock(&self) -> u64 {
        self.changes().clock
    }

    /// A number that stands for what the viewer has, and has had since `clock`; `None` where that
    /// has changed or is being changed.
    pub(super) fn unchanged_since(&self, clock: u64, viewer: UserId) -> Option<u64> {
        let changes = self.changes();
        let last = changes.past.get(&viewer.0).map_or(0, |past| past.last);
        (last <= clock && !changes.now.contains_key(&viewer.0)).then_some(last)
    }

    /// The items of which something has changed for the viewer since this state of theirs; `None`
    /// where those were too many. One may be named twice.
    pub(super) fn changed_since(&self, state: u64, viewer: UserId) -> Option<Vec<ItemId>> {
        let changes = self.changes();
        let Some(past) = changes.past.get(&viewer.0) else {
            return Some(Vec::new());
        };
        let since = past.items.iter().filter(|(clock, _)| *clock > state);
        (past.unknown <= state).then(|| since.map(|(_, item)| *item).collect())
    }

    fn changes(&self) -> MutexGuard<'_, Changes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
