//! The database: one writer thread and a few reader threads behind channels.
//!
//! What may take long never runs on an async thread, no connection is held while somebody waits, and
//! a caller that goes away or panics takes nothing with it.

pub mod backup;
mod change;
mod checkpoint;
mod courtesy;
mod few;
pub mod id_set;
pub mod lock;
pub mod migrate;
pub mod open;
mod partial;
pub mod place;
mod portion;
pub mod presence;
mod readers;
mod rest;
pub mod restore;
mod space;
pub mod verify;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use rusqlite::{Connection, Transaction};

pub use change::Version;
pub use portion::Portion;
use rest::{Rest, Step};

use crate::store::{StoreError, StoreResult};

/// Once nobody has asked for anything for so long, the threads give back their pages.
const IDLE: Duration = Duration::from_secs(10);

/// How many reads run side by side.
const READERS: usize = 4;

/// The application's handle on its database; clones share the same threads.
#[derive(Debug, Clone)]
pub struct Db {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    readers: readers::Readers,
    few: few::Few,
    versions: change::Versions,
    company: courtesy::Company,
    rest: Rest,
    writer: writer::Writer,
    presence: presence::Presence,
    loader: presence::Loader,
}

/// How long others go before a write that nobody waits for.
const ASIDE: Duration = Duration::from_millis(500);

impl Db {
    /// Opens the database at `path`, brings its schema up to date and starts the threads.
    pub fn open(path: &Path) -> StoreResult<Self> {
        let mut connection = open::writable(path)?;
        migrate::migrate(&mut connection)?;
        // The pages of a database that was just made are read by others.
        connection.execute_batch("PRAGMA shrink_memory")?;
        let readers = readers::Readers::start(path, READERS)?;
        let few = few::Few::of(path)?;
        let versions = change::Versions::of(path);
        let viewers = presence::Viewers::default();
        viewers.watch(&connection)?;
        let presence = presence::Presence::of(path, viewers);
        let company = courtesy::Company::default();
        let writer = writer::Writer::start(connection, path, presence.clone(), company.clone())?;
        let loader = presence::Loader::start(path, presence.clone())?;
        Ok(Self {
            shared: Arc::new(Shared {
                path: path.to_owned(),
                readers,
                few,
                versions,
                company,
                rest: Rest::default(),
                writer,
                presence,
                loader,
            }),
        })
    }

    /// What was committed so far, to hold against what it is later; `None` where it cannot be told
    /// without waiting.
    pub fn version(&self) -> Option<Version> {
        self.shared.versions.now()
    }

    /// Where the database lies.
    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// Has the threads give back the memory of their pages where nobody has asked for anything of
    /// late, once. True at the next call: what they have freed can be returned to the system.
    pub(crate) fn rest(&self) -> bool {
        match self.shared.rest.step(IDLE) {
            Step::Nothing => false,
            Step::Free => {
                self.shared.readers.rest();
                self.shared.writer.rest();
                false
            }
            Step::Return => true,
        }
    }

    /// Takes note that something goes on for which threads keep pages: what somebody asks for, or
    /// much that is written.
    fn note_use(&self) {
        self.shared.rest.note();
    }

    /// Runs `work` on a reader thread, in one read transaction: all it sees is of one moment.
    pub async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.shared.company.note();
        self.note_use();
        self.read_aside(work).await
    }

    /// Like [`Db::read`], for what the server looks at of its own accord: nobody waits for it.
    pub async fn read_aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let (answer, mut result) = tokio::sync::oneshot::channel();
        let may_wait = self.shared.readers.submit(work, |value| {
            // Nobody waits any more: the answer is dropped with its request.
            let _ = answer.send(value);
        })?;
        if may_wait && let Ok(result) = tokio::time::timeout(readers::PATIENCE, &mut result).await {
            return result.map_err(|_| StoreError::Closed)?;
        }
        if may_wait {
            self.shared.readers.hurry();
        }
        result.await.map_err(|_| StoreError::Closed)?
    }

    /// Like [`Db::read`], for a few rows that are found by their keys: made on this thread unless
    /// it may take long, which costs a fraction of having it made by another. `work` is called a
    /// second time where it did turn out to be much.
    pub async fn read_few<T: Send + 'static>(
        &self,
        work: impl Fn(&Connection) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let few = &self.shared.few;
        if !few.is_quick() {
            let few = few.clone();
            return self.read(move |conn| few.timed(|| work(conn))).await;
        }
        self.shared.company.note();
        self.note_use();
        match few.read(&work) {
            Some(result) => result,
            None => self.read(work).await,
        }
    }

    /// Like [`Db::read_few`], with every item's place at hand unless it is just after the start and
    /// not all of them are known.
    pub async fn read_few_with_places<T: Send + 'static>(
        &self,
        work: impl Fn(&Connection, Option<&presence::View>) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let presence = self.shared.presence.clone();
        self.read_few(move |conn| work(conn, presence.view_of_all().as_ref()))
            .await
    }

    /// Like [`Db::read`], with every item's place at hand. Just after the start it waits until
    /// all are known.
    pub async fn read_with_presence<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, &presence::View) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.shared.presence.ready().await?;
        let presence = self.shared.presence.clone();
        self.read(move |conn| work(conn, &presence.view())).await
    }

    /// Like [`Db::read`], with every item's place at hand unless it is just after the start and
    /// not all of them are known.
    pub async fn read_with_places<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, Option<&presence::View>) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let presence = self.shared.presence.clone();
        self.read(move |conn| work(conn, presence.view_of_all().as_ref()))
            .await
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
        if let Ok(value) = result.recv_timeout(readers::PATIENCE) {
            return value;
        }
        self.shared.readers.hurry();
        result.recv().map_err(|_| StoreError::Closed)?
    }

    /// Runs `work` in a transaction that is on the disk before this returns. An error rolls back
    /// what `work` did, and nothing else. Writes that wait at the same time share one commit.
    pub async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.shared.writer.note_use();
        self.note_use();
        self.write_aside(work).await
    }

    /// Like [`Db::write`], for what the server does of its own accord: no use of the database by
    /// somebody.
    pub async fn write_aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let (answer, result) = tokio::sync::oneshot::channel();
        self.shared.writer.submit_durable(work, |value| {
            let _ = answer.send(value);
        })?;
        result.await.map_err(|_| StoreError::Closed)?
    }

    /// Like [`Db::write`], for threads that may block. It is mostly jobs that keep their books so,
    /// and no use of the database by somebody.
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

    /// Runs `work` in a transaction of its own that survives a crash of the process, though the
    /// last ones may be lost in a power cut (`synchronous=NORMAL`): for what a rescan restores.
    /// Waits behind every durable write.
    pub fn bulk_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.bulk(false, work)
    }

    /// Like [`Db::bulk_blocking`], for what nobody waits for: who reads goes first, too, where the
    /// system lets them; about a second at most, as no other process can write meanwhile. To be
    /// called by threads that do not stand back themselves.
    pub fn aside_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.bulk(true, work)
    }

    fn bulk<T: Send + 'static>(
        &self,
        stands_back: bool,
        work: impl FnOnce(&Transaction<'_>) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let (answer, result) = std::sync::mpsc::sync_channel(1);
        let answer = move |value| {
            let _ = answer.send(value);
        };
        self.note_use();
        self.shared.writer.submit_bulk(stands_back, work, answer)?;
        loop {
            match result.recv_timeout(ASIDE) {
                Ok(value) => return value,
                // It may be what went before that stands back.
                Err(RecvTimeoutError::Timeout) => self.shared.writer.hurry_after(ASIDE),
                Err(RecvTimeoutError::Disconnected) => return Err(StoreError::Closed),
            }
        }
    }

    /// Whether somebody writes beside the scans, so that bulk writes should be short: each durable
    /// write waits for the bulk write that is under way. Only what is asked for by
    /// [`Db::write`] counts.
    pub fn is_in_use(&self) -> bool {
        self.shared.writer.is_in_use()
    }

    /// How many writes somebody asked for so far: whether it is in use by somebody else than
    /// whoever asked for something before, tells another number than then.
    pub fn uses(&self) -> u64 {
        self.shared.writer.uses()
    }

    /// How long the last bulk write took, which is how long a durable one may have waited for it.
    pub fn last_bulk(&self) -> Duration {
        self.shared.writer.last_bulk()
    }

    /// A read-only connection of the caller's own, for long walks beside the reader threads.
    pub fn connect_reader(&self) -> StoreResult<Connection> {
        open::read_only(&self.shared.path)
    }

    /// Finishes what is queued, folds the write-ahead log into the one file, and stops the
    /// threads. Later calls answer [`StoreError::Closed`].
    pub fn close(&self) {
        self.shared.loader.close();
        self.shared.presence.close();
        self.shared.readers.close();
        self.shared.few.close();
        self.shared.versions.close();
        self.shared.writer.close();
    }
}

/// Frees the pages that a connection keeps: the system has most of them, too.
fn give_back_pages(connection: &Connection) {
    // What is kept does no harm.
    if let Err(error) = connection.execute_batch("PRAGMA shrink_memory") {
        tracing::debug!(%error, "a connection that rests keeps its pages");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_what_somebody_asks_for_is_use() {
        let folder = tempfile::tempdir().expect("a folder");
        let db = Db::open(&folder.path().join("ledge.db")).expect("a database");
        let before = db.uses();
        db.bulk_blocking(|_| Ok(())).expect("a scan's write");
        db.write_blocking(|_| Ok(())).expect("a job's write");
        assert!(!db.is_in_use() && db.uses() == before);
        db.write(|_| Ok(())).await.expect("somebody's write");
        assert!(db.is_in_use() && db.uses() == before + 1);
    }

    /// On a machine that is busy with other things, it might else hardly go on.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_write_aside_comes_forward_after_a_while_and_another_never_stands_back() {
        use crate::background::tests::{OTHER, back, policy};
        let folder = tempfile::tempdir().expect("a folder");
        let db = Db::open(&folder.path().join("ledge.db")).expect("a database");
        let patient = |_: &Transaction<'_>| {
            let first = policy();
            let deadline = std::time::Instant::now() + Duration::from_secs(20);
            while policy() != OTHER && std::time::Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(10));
            }
            Ok((first, policy()))
        };
        let (first, last) = db.aside_blocking(patient).expect("a write");
        assert_eq!((first.as_str(), last.as_str()), (back(), OTHER));
        let urgent = db.bulk_blocking(|_| Ok(policy())).expect("a write");
        assert_eq!(urgent, OTHER);
    }

    /// Tidying the search index fills the writer's cache when nobody has asked for a long time.
    #[tokio::test]
    async fn threads_rest_after_bulk_writes_and_not_after_the_servers_own_looks() {
        let folder = tempfile::tempdir().expect("a folder");
        let db = Db::open(&folder.path().join("ledge.db")).expect("a database");
        let step = || db.shared.rest.step(Duration::ZERO);
        db.bulk_blocking(|_| Ok(())).expect("a write");
        assert_eq!(
            [step(), step(), step()],
            [Step::Free, Step::Return, Step::Nothing]
        );
        db.read_aside(|_| Ok(())).await.expect("the server's read");
        assert_eq!(step(), Step::Nothing);
        let deadline = std::time::Instant::now() + Duration::from_secs(20);
        // One within the same millisecond is not told from the last.
        while step() != Step::Free {
            assert!(std::time::Instant::now() < deadline, "it is never time");
            db.bulk_blocking(|_| Ok(())).expect("a write");
        }
    }

    #[tokio::test]
    async fn what_is_done_aside_is_neither_use_nor_company() {
        let folder = tempfile::tempdir().expect("a folder");
        let db = Db::open(&folder.path().join("ledge.db")).expect("a database");
        let company = &db.shared.company;
        let before = db.uses();
        db.write_aside(|_| Ok(()))
            .await
            .expect("the server's write");
        db.read_aside(|_| Ok(())).await.expect("the server's read");
        assert!(!db.is_in_use() && db.uses() == before && !company.take());
        db.write(|_| Ok(())).await.expect("somebody's write");
        assert!(db.is_in_use() && db.uses() == before + 1);
        db.read(|_| Ok(())).await.expect("somebody's read");
        assert!(company.take());
    }
}
