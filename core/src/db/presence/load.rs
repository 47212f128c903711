//! Reading every item's place at start, beside the first requests.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;

use super::{Place, Presence, State};
use crate::db::open;
use crate::id::LibraryId;
use crate::store::{StoreError, StoreResult};

/// Every item, in the order of an index that has the six columns.
const EVERY_ITEM: &str = "SELECT id, library_id, kind, missing, profile_id, subkind FROM item";

/// The thread that loads.
#[derive(Debug, Clone)]
pub(in crate::db) struct Loader {
    presence: Presence,
    stop: Arc<AtomicBool>,
    thread: Arc<Mutex<Option<JoinHandle<()>>>>,
}

impl Loader {
    /// Starts to load. The writer may be at work: what it publishes stands.
    pub(in crate::db) fn start(path: &Path, presence: Presence) -> StoreResult<Self> {
        let connection = open::unread(path)?;
        let stop = Arc::new(AtomicBool::new(false));
        let (own, stopped) = (presence.clone(), Arc::clone(&stop));
        let thread = thread::Builder::new()
            .name("db-presence".to_owned())
            .spawn(move || run(&own, &connection, &stopped))
            .map_err(|error| StoreError::Refused(format!("No thread: {error}.")))?;
        Ok(Self {
            presence,
            stop,
            thread: Arc::new(Mutex::new(Some(thread))),
        })
    }

    /// Ends the loading, and the waiting for it.
    pub(in crate::db) fn close(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.presence.end_loading(State::Closed);
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(thread) = thread {
            // A panic was told by the thread itself; nobody waits for it any more.
            let _ = thread.join();
        }
    }
}

fn run(presence: &Presence, connection: &Connection, stop: &AtomicBool) {
    // Whoever waits must not wait for a thread that panicked.
    let _end = EndOfLoading(presence);
    match load(presence, connection, stop) {
        Ok(()) => presence.end_loading(State::Ready),
        // The server stops; whoever waits is told so.
        Err(StoreError::Closed) => {}
        Err(error) => tracing::error!(%error, "the catalogue could not be read: searches fail"),
    }
}

struct EndOfLoading<'a>(&'a Presence);

impl Drop for EndOfLoading<'_> {
    fn drop(&mut self) {
        self.0.end_loading(State::Failed);
    }
}

pub(super) fn load(
    presence: &Presence,
    connection: &Connection,
    stop: &AtomicBool,
) -> StoreResult<()> {
    let mut statement = connection.prepare(EVERY_ITEM)?;
    let mut rows = statement.query([])?;
    // Neighbours in the index mostly share their place.
    let mut last: Option<(Place, u16)> = None;
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
        let same = last.as_ref().filter(|(place, _)| {
            (
                place.library,
                &*place.kind,
                place.missing,
                place.subkind.as_deref(),
            ) == (library, kind, missing, subkind)
        });
        let number = if let Some((_, number)) = same {
            *number
        } else {
            let place = Place {
                library,
                kind: kind.into(),
                subkind: subkind.map(Into::into),
                missing,
            };
            let number = presence.number(place.clone());
            last = Some((place, number));
            number
        };
        presence.set_unless_known(row.get(0)?, number, row.get(4)?);
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
