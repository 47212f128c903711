//! Loads the bucket of every item at start, concurrently with the first requests.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;

use super::{ItemBucket, ItemIndex, State};
use crate::db::open;
use crate::error::{StoreError, StoreResult};
use crate::id::LibraryId;

/// Reads every item in the order of an index that covers the six columns.
const EVERY_ITEM: &str = "SELECT id, library_id, kind, missing, profile_id, subkind FROM item";

/// Loader thread.
#[derive(Debug, Clone)]
pub(in crate::storage::db) struct Loader {
    item_index: ItemIndex,
    stop: Arc<AtomicBool>,
    thread: Arc<Mutex<Option<JoinHandle<()>>>>,
}

impl Loader {
    /// Starts to load. The writer may run at the same time; its published items take precedence.
    pub(in crate::storage::db) fn start(path: &Path, item_index: ItemIndex) -> StoreResult<Self> {
        let connection = open::unread(path)?;
        let stop = Arc::new(AtomicBool::new(false));
        let (own, stopped) = (item_index.clone(), Arc::clone(&stop));
        let thread = thread::Builder::new()
            .name("db-index".to_owned())
            .spawn(move || run(&own, &connection, &stopped))
            .map_err(|error| StoreError::Refused(format!("No thread: {error}.")))?;
        Ok(Self {
            item_index,
            stop,
            thread: Arc::new(Mutex::new(Some(thread))),
        })
    }

    /// Stops the loading and ends all waits for it.
    pub(in crate::storage::db) fn close(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.item_index.end_loading(State::Closed);
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(thread) = thread {
            // The thread has logged its panic, and no caller waits for it any more.
            let _ = thread.join();
        }
    }
}

fn run(item_index: &ItemIndex, connection: &Connection, stop: &AtomicBool) {
    // Callers must not wait for a thread that panicked.
    let _end = EndOfLoading(item_index);
    match load(item_index, connection, stop) {
        Ok(()) => item_index.end_loading(State::Ready),
        // The server stops, and waiting callers receive an error.
        Err(StoreError::Closed) => {}
        Err(error) => tracing::error!(%error, "the catalogue could not be read: searches fail"),
    }
}

struct EndOfLoading<'a>(&'a ItemIndex);

impl Drop for EndOfLoading<'_> {
    fn drop(&mut self) {
        self.0.end_loading(State::Failed);
    }
}

pub(super) fn load(
    item_index: &ItemIndex,
    connection: &Connection,
    stop: &AtomicBool,
) -> StoreResult<()> {
    let mut statement = connection.prepare(EVERY_ITEM)?;
    let mut rows = statement.query([])?;
    // Neighbours in the index usually share their bucket.
    let mut last: Option<(ItemBucket, u16)> = None;
    while let Some(row) = rows.next()? {
        if stop.load(Ordering::Relaxed) {
            return Err(StoreError::Closed);
        }
        let library = LibraryId(row.get(1)?);
        let kind = row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?;
        let missing: bool = row.get(3)?;
        let subkind = row
            .get_ref(5)?
            .as_str_or_null()
            .map_err(rusqlite::Error::from)?;
        let same = last.as_ref().filter(|(bucket, _)| {
            (
                bucket.library,
                &*bucket.kind,
                bucket.missing,
                bucket.subkind.as_deref(),
            ) == (library, kind, missing, subkind)
        });
        let number = if let Some((_, number)) = same {
            *number
        } else {
            let bucket = ItemBucket {
                library,
                kind: kind.into(),
                subkind: subkind.map(Into::into),
                missing,
            };
            let number = item_index.number(bucket.clone());
            last = Some((bucket, number));
            number
        };
        item_index.set_unless_known(row.get(0)?, number, row.get(4)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::migrate;

    #[test]
    fn loading_reads_an_index_and_no_item() {
        let mut conn = Connection::open_in_memory().expect("a database");
        migrate::migrate(&mut conn).expect("a schema");
        let plan: String = conn
            .query_row(&format!("EXPLAIN QUERY PLAN {EVERY_ITEM}"), [], |row| {
                row.get(3)
            })
            .expect("a plan");
        assert!(plan.contains("USING COVERING INDEX"), "{plan}");
    }
}
