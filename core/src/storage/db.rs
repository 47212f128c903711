//! Database access: one writer thread and some reader threads behind channels.
//!
//! Slow work never runs on an async thread, and no connection is held during an await. A caller
//! that is cancelled or panics does not affect the threads.

pub mod backup;
mod change;
pub mod id_set;
mod inline_reader;
pub mod item_index;
pub mod lock;
pub mod migrate;
pub mod open;
pub mod place;
mod readers;
mod space;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, Transaction};

pub use backup::{restore, verify};
pub use change::Version;
pub use writer::adaptive_batch::AdaptiveBatch;
pub use writer::rehearsal::rehearse;

use crate::error::{StoreError, StoreResult};

/// Number of reader threads.
const READERS: usize = 4;

/// Handle of the database. Clones share the same threads.
#[derive(Debug, Clone)]
pub struct Db {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    readers: readers::Readers,
    inline_reader: inline_reader::InlineReader,
    versions: change::Versions,
    writer: writer::Writer,
    item_index: item_index::ItemIndex,
    loader: item_index::Loader,
}

impl Db {
    /// Opens the database at `path`, migrates its schema and starts the threads.
    pub fn open(path: &Path) -> StoreResult<Self> {
        let mut connection = open::writable(path)?;
        migrate::migrate(&mut connection)?;
        // An edit by a filter evaluates the filter in its own transaction.
        id_set::register(&connection)?;
        // The pages of a new database were cached by this connection, but other connections read
        // them.
        connection.execute_batch("PRAGMA shrink_memory")?;
        let readers = readers::Readers::start(path, READERS)?;
        let inline_reader = inline_reader::InlineReader::of(path)?;
        let versions = change::Versions::of(path);
        let item_index = item_index::ItemIndex::new();
        let writer = writer::Writer::start(connection, path, item_index.clone())?;
        let loader = item_index::Loader::start(path, item_index.clone())?;
        Ok(Self {
            shared: Arc::new(Shared {
                path: path.to_owned(),
                readers,
                inline_reader,
                versions,
                writer,
                item_index,
                loader,
            }),
        })
    }

    /// Returns the current commit version, for comparison with a later one. Returns `None` if it
    /// cannot be read without waiting.
    pub fn version(&self) -> Option<Version> {
        self.shared.versions.now()
    }

    /// Returns the path of the database file.
    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// Runs `work` on a reader thread in one read transaction.
    pub async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let (answer, mut result) = tokio::sync::oneshot::channel();
        let may_wait = self.shared.readers.submit(work, |value| {
            // The caller is gone, so the result is dropped.
            let _ = answer.send(value);
        })?;
        if may_wait && let Ok(result) = tokio::time::timeout(readers::MAX_WAIT, &mut result).await {
            return result.map_err(|_| StoreError::Closed)?;
        }
        if may_wait {
            self.shared.readers.wake_one();
        }
        result.await.map_err(|_| StoreError::Closed)?
    }

    /// Like [`Db::read`], for a few rows that are found by their keys. It runs on the current
    /// thread unless that may take long, which is much cheaper than a thread switch. `work` is
    /// called a second time if the first call was aborted as too slow.
    pub async fn read_inline<T: Send + 'static>(
        &self,
        work: impl Fn(&Connection) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let inline_reader = &self.shared.inline_reader;
        if !inline_reader.is_quick() {
            let inline_reader = inline_reader.clone();
            return self
                .read(move |conn| inline_reader.timed(|| work(conn)))
                .await;
        }
        match inline_reader.read(&work) {
            Some(result) => result,
            None => self.read(work).await,
        }
    }

    /// Like [`Db::read`], with the item index. Waits while it is still loading after the start.
    pub async fn read_with_index<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, &item_index::IndexSnapshot) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.shared.item_index.ready().await?;
        let item_index = self.shared.item_index.clone();
        self.read(move |conn| work(conn, &item_index.view())).await
    }

    /// Like [`Db::read`], for threads that may block.
    pub fn read_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let (answer, result) = std::sync::mpsc::sync_channel(1);
        self.shared.readers.submit(work, move |value| {
            let _ = answer.send(value);
        })?;
        if let Ok(value) = result.recv_timeout(readers::MAX_WAIT) {
            return value;
        }
        self.shared.readers.wake_one();
        result.recv().map_err(|_| StoreError::Closed)?
    }

    /// Runs `work` in a transaction that is durable when this returns. An error rolls back only the
    /// changes of `work`. Concurrent writes share one commit.
    pub async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.shared.writer.note_use();
        self.write_background(work).await
    }

    /// Like [`Db::write`], for writes of many rows. Runs `work` in a separate transaction: inside of
    /// another one, the cost of each statement would grow with the number of changed pages.
    pub async fn write_large<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.shared.writer.note_use();
        let (answer, result) = tokio::sync::oneshot::channel();
        self.shared.writer.submit_large(work, |value| {
            let _ = answer.send(value);
        })?;
        result.await.map_err(|_| StoreError::Closed)?
    }

    /// Like [`Db::write_large`], with the item index. Waits while it is still loading after the
    /// start. The index contains the state of the last commit.
    pub async fn write_large_with_index<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>, &item_index::IndexSnapshot) -> StoreResult<T>
        + Send
        + 'static,
    ) -> StoreResult<T> {
        self.shared.item_index.ready().await?;
        let item_index = self.shared.item_index.clone();
        self.write_large(move |tx| work(tx, &item_index.view()))
            .await
    }

    /// Like [`Db::write`], for writes of the server itself. They do not count as use of the
    /// database.
    pub async fn write_background<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let (answer, result) = tokio::sync::oneshot::channel();
        self.shared.writer.submit_durable(work, |value| {
            let _ = answer.send(value);
        })?;
        result.await.map_err(|_| StoreError::Closed)?
    }

    /// Like [`Db::write`], for threads that may block. It is mostly for the state of jobs, so it
    /// does not count as use of the database.
    pub fn write_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let (answer, result) = std::sync::mpsc::sync_channel(1);
        self.shared.writer.submit_durable(work, move |value| {
            let _ = answer.send(value);
        })?;
        result.recv().map_err(|_| StoreError::Closed)?
    }

    /// Runs `work` in a separate transaction that survives a crash of the process, but possibly not
    /// a power failure (`synchronous=NORMAL`). For data that a rescan restores. Waits behind every
    /// durable write.
    pub fn bulk_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let (answer, result) = std::sync::mpsc::sync_channel(1);
        let answer = move |value| {
            let _ = answer.send(value);
        };
        self.shared.writer.submit_bulk(work, answer)?;
        result.recv().map_err(|_| StoreError::Closed)?
    }

    /// Returns `true` if users wrote recently, so that bulk writes must be short: each durable
    /// write waits for the current bulk write. Only calls of [`Db::write`] count.
    pub fn is_in_use(&self) -> bool {
        self.shared.writer.is_in_use()
    }

    /// Returns the number of user-facing writes so far. A caller compares it with an earlier value
    /// to detect writes of other users.
    pub fn uses(&self) -> u64 {
        self.shared.writer.uses()
    }

    /// Returns the duration of the last bulk write. A durable write may have waited that long.
    pub fn last_bulk(&self) -> Duration {
        self.shared.writer.last_bulk()
    }

    /// Opens a separate read-only connection, for long reads outside the reader threads.
    pub fn connect_reader(&self) -> StoreResult<Connection> {
        open::read_only(&self.shared.path)
    }

    /// Completes all queued work, checkpoints the write-ahead log into the database file, and stops
    /// the threads. Later calls return [`StoreError::Closed`].
    pub fn close(&self) {
        self.shared.loader.close();
        self.shared.readers.close();
        self.shared.inline_reader.close();
        self.shared.versions.close();
        self.shared.writer.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_user_facing_writes_count_as_use() {
        let folder = tempfile::tempdir().expect("a folder");
        let db = Db::open(&folder.path().join("ledge.db")).expect("a database");
        let before = db.uses();
        db.bulk_blocking(|_| Ok(())).expect("a scan's write");
        db.write_blocking(|_| Ok(())).expect("a job's write");
        assert!(!db.is_in_use() && db.uses() == before);
        db.write(|_| Ok(())).await.expect("a user-facing write");
        assert!(db.is_in_use() && db.uses() == before + 1);
    }

    #[tokio::test]
    async fn background_work_does_not_count_as_use() {
        let folder = tempfile::tempdir().expect("a folder");
        let db = Db::open(&folder.path().join("ledge.db")).expect("a database");
        let before = db.uses();
        db.write_background(|_| Ok(()))
            .await
            .expect("the server's write");
        db.read(|_| Ok(())).await.expect("the server's read");
        assert!(!db.is_in_use() && db.uses() == before);
        db.write(|_| Ok(())).await.expect("a user-facing write");
        assert!(db.is_in_use() && db.uses() == before + 1);
    }
}
