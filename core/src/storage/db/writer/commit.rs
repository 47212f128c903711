//! One transaction: its tasks, its commit, and the notifications before its callers get their
//! results.

use std::path::PathBuf;
use std::time::Instant;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::checkpoint::Log;
use super::task::{Outcome, Task};
use crate::db::item_index::{ItemIndex, Watch};
use crate::db::space;
use crate::error::{StoreError, StoreResult};

/// Connection, and the observers of each transaction.
pub(super) struct Published {
    pub(super) connection: Connection,
    /// Path of the database.
    pub(super) path: PathBuf,
    pub(super) watch: Watch,
    pub(super) item_index: ItemIndex,
    pub(super) log: Log,
}

impl Published {
    /// Runs the tasks in one transaction and sends each its result.
    pub(super) fn commit(&mut self, synchronous: &str, tasks: Vec<Task>) {
        let (start, writes) = (Instant::now(), tasks.len());
        let mut outcomes = Vec::with_capacity(tasks.len());
        let committed = match begin(&mut self.connection, synchronous) {
            Ok(tx) => run_in(tx, tasks, &mut outcomes),
            // Dropped tasks would look like tasks of a closed database.
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
        // This precedes the results, so that a writer can read its own write.
        self.item_index
            .publish(&self.connection, &self.watch.take());
        tracing::debug!(synchronous, writes, took = ?start.elapsed(), "committed");
        for outcome in outcomes {
            outcome(committed.as_ref().map_err(StoreError::again).copied());
        }
    }

    /// Releases the memory of the page cache.
    pub(super) fn release_cache(&self) {
        if let Err(error) = self.connection.execute_batch("PRAGMA shrink_memory") {
            tracing::debug!(%error, "the page cache could not be released");
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
) -> StoreResult<()> {
    let mut failure: Option<StoreError> = None;
    for task in tasks {
        // SQLite may have rolled back the whole batch. Then no later task may run outside a
        // transaction.
        let open = match &failure {
            None => Ok(&mut tx),
            Some(error) => Err(error.again()),
        };
        let (outcome, failed) = task(open);
        outcomes.push(outcome);
        failure = failure.or(failed);
    }
    match failure {
        None => Ok(tx.commit()?),
        Some(error) if tx.is_autocommit() => Err(error),
        Some(_) => Ok(tx.rollback()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::writer::task::task;

    /// SQLite rolls back the whole batch if a statement finds the disk full. Earlier and later
    /// writes of the batch are lost too.
    #[test]
    fn every_write_of_batch_fails_if_one_finds_disk_full() {
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
        let committed = run_in(tx, tasks, &mut outcomes);
        for outcome in outcomes {
            outcome(committed.as_ref().map_err(StoreError::again).copied());
        }
        let results: Vec<_> = results.try_iter().collect();
        assert_eq!(results.len(), 3);
        for result in results {
            assert!(matches!(result, Err(StoreError::DiskFull)), "{result:?}");
        }
        let tx = connection.transaction().expect("a transaction");
        run_in(tx, vec![insert(10)], &mut Vec::new()).expect("a commit");
    }
}
