//! One transaction: its tasks, its commit, and what is told of it before anybody is answered.

use std::path::PathBuf;
use std::time::Instant;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::task::{Outcome, Task};
use crate::db::checkpoint::Log;
use crate::db::presence::{Presence, Watch};
use crate::db::space;
use crate::store::{StoreError, StoreResult};

/// How the body of a transaction and its commit are done, as regards others. What the threads that
/// read are told of it is always done as they are: they may wait for its locks.
pub(super) trait Manner {
    fn work<T>(&self, work: impl FnOnce() -> T) -> T;
}

/// At once: somebody waits for it.
pub(super) struct Urgent;

impl Manner for Urgent {
    fn work<T>(&self, work: impl FnOnce() -> T) -> T {
        work()
    }
}

/// The connection, and what is told of each transaction.
pub(super) struct Published {
    pub(super) connection: Connection,
    /// Path of the database.
    pub(super) path: PathBuf,
    pub(super) watch: Watch,
    pub(super) presence: Presence,
    pub(super) log: Log,
}

impl Published {
    /// Runs the tasks in one transaction and tells each what came of it.
    pub(super) fn commit(&mut self, synchronous: &str, tasks: Vec<Task>, manner: &impl Manner) {
        let (start, writes) = (Instant::now(), tasks.len());
        let mut outcomes = Vec::with_capacity(tasks.len());
        let committed = match begin(&mut self.connection, synchronous) {
            Ok(tx) => {
                let announce = || self.presence.announce(self.watch.so_far());
                run_in(tx, tasks, &mut outcomes, announce, manner)
            }
            // Dropped, the tasks would look like those of a database that was closed.
            Err(error) => {
                let error = space::explain_at(&self.path, error);
                let refused = tasks.into_iter().map(|task| task(Err(error.again())).0);
                outcomes.extend(refused);
                Err(error)
            }
        };
        let committed = committed.map_err(|error| space::explain_at(&self.path, error));
        if let Err(error) = &committed {
            tracing::error!(%error, "a write could not be committed");
        }
        self.log.committed();
        // Before the answers: who wrote reads what they wrote.
        self.presence.publish(&self.connection, self.watch.take());
        tracing::debug!(synchronous, writes, took = ?start.elapsed(), "committed");
        for outcome in outcomes {
            outcome(committed.as_ref().map_err(StoreError::again).copied());
        }
    }
}

fn begin<'a>(connection: &'a mut Connection, synchronous: &str) -> StoreResult<Transaction<'a>> {
    connection.pragma_update(None, "synchronous", synchronous)?;
    Ok(connection.transaction_with_behavior(TransactionBehavior::Immediate)?)
}

fn run_in(
    mut tx: Transaction<'_>,
    tasks: Vec<Task>,
    outcomes: &mut Vec<Outcome>,
    before_commit: impl FnOnce(),
    manner: &impl Manner,
) -> StoreResult<()> {
    let mut failure: Option<StoreError> = None;
    for task in tasks {
        // SQLite may have rolled back the whole batch: then no later task may run on its own.
        let open = match &failure {
            None => Ok(&mut tx),
            Some(error) => Err(error.again()),
        };
        let (outcome, failed) = manner.work(|| task(open));
        outcomes.push(outcome);
        failure = failure.or(failed);
    }
    match failure {
        None => {
            before_commit();
            Ok(manner.work(|| tx.commit())?)
        }
        Some(error) if tx.is_autocommit() => Err(error),
        Some(_) => Ok(tx.rollback()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::writer::task::task;

    /// What is told of a commit beforehand is told while nobody sees it yet.
    #[test]
    fn a_commit_is_announced_before_it_is_made() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ledge.db");
        let mut connection = crate::db::open::writable(&path).expect("a database");
        connection
            .execute_batch("CREATE TABLE heap (id INTEGER PRIMARY KEY)")
            .expect("a table");
        let other = crate::db::open::unread(&path).expect("a reader");
        let seen = || {
            let count = other.query_row("SELECT count(*) FROM heap", [], |row| row.get(0));
            count.expect("a number")
        };
        let insert = task(
            |tx| Ok(tx.execute("INSERT INTO heap VALUES (1)", [])?),
            |_| {},
        );
        let tx = connection.transaction().expect("a transaction");
        let mut before: Option<u32> = None;
        let announce = || before = Some(seen());
        run_in(tx, vec![insert], &mut Vec::new(), announce, &Urgent).expect("a commit");
        assert_eq!((before, seen()), (Some(0), 1));
    }

    /// SQLite rolls back the whole batch where a statement finds no space: the writes before and
    /// after it were not kept either.
    #[test]
    fn every_write_of_a_batch_gets_the_reason_if_one_finds_the_disk_full() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ledge.db");
        let mut connection = crate::db::open::writable(&path).expect("a database");
        connection
            .execute_batch("CREATE TABLE heap (stuff BLOB); PRAGMA max_page_count = 4")
            .expect("a table");
        let (sender, results) = std::sync::mpsc::channel();
        let insert = |bytes: i64| {
            let sender = sender.clone();
            task(
                move |tx| Ok(tx.execute("INSERT INTO heap VALUES (zeroblob(?1))", [bytes])?),
                move |result| sender.send(result).expect("a receiver"),
            )
        };
        let tasks = vec![insert(10), insert(1 << 20), insert(10)];
        let mut outcomes = Vec::new();
        let tx = connection.transaction().expect("a transaction");
        let committed = run_in(tx, tasks, &mut outcomes, || {}, &Urgent);
        for outcome in outcomes {
            outcome(committed.as_ref().map_err(StoreError::again).copied());
        }
        let results: Vec<_> = results.try_iter().collect();
        assert_eq!(results.len(), 3);
        for result in results {
            assert!(matches!(result, Err(StoreError::DiskFull)), "{result:?}");
        }
        let tx = connection.transaction().expect("a transaction");
        run_in(tx, vec![insert(10)], &mut Vec::new(), || {}, &Urgent).expect("a commit");
    }
}
