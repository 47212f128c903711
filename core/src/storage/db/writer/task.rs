//! Write tasks: the work inside a transaction, and the result that waits for the commit.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rusqlite::Transaction;

use crate::db::space;
use crate::error::{StoreError, StoreResult};

/// Result of a write. It is sent to the caller once the commit has succeeded or failed.
pub(super) type Outcome = Box<dyn FnOnce(StoreResult<()>) + Send>;
/// Work inside a transaction, or the handling of a failed start. Returns the outcome, and an error
/// if the transaction cannot be committed.
pub(super) type Task =
    Box<dyn FnOnce(StoreResult<&mut Transaction<'_>>) -> (Outcome, Option<StoreError>) + Send>;

/// Wraps work so that it runs in a savepoint and its result waits for the commit.
pub(super) fn task<T: Send + 'static>(
    work: impl FnOnce(&Transaction<'_>) -> StoreResult<T> + Send + 'static,
    answer: impl FnOnce(StoreResult<T>) + Send + 'static,
) -> Task {
    Box::new(move |tx| {
        let mut failure = None;
        let result = tx.and_then(|tx| {
            let result = in_savepoint(tx, work).map_err(|error| space::explain(tx, error));
            if let Err(error) = &result
                && tx.is_autocommit()
            {
                failure = Some(error.again());
            }
            result
        });
        (outcome(result, answer), failure)
    })
}

/// Wraps work that has a transaction of its own, so that an error rolls back the whole transaction.
/// A savepoint around many writes would slow each of them down.
pub(super) fn whole<T: Send + 'static>(
    work: impl FnOnce(&Transaction<'_>) -> StoreResult<T> + Send + 'static,
    answer: impl FnOnce(StoreResult<T>) + Send + 'static,
) -> Task {
    Box::new(move |tx| {
        let result = tx.and_then(|tx| {
            let result =
                catch_unwind(AssertUnwindSafe(|| work(tx))).unwrap_or(Err(StoreError::Panicked));
            result.map_err(|error| space::explain(tx, error))
        });
        let failure = result.as_ref().err().map(StoreError::again);
        (outcome(result, answer), failure)
    })
}

fn outcome<T: Send + 'static>(
    result: StoreResult<T>,
    answer: impl FnOnce(StoreResult<T>) + Send + 'static,
) -> Outcome {
    Box::new(move |committed| answer(result.and_then(|value| committed.map(|()| value))))
}

fn in_savepoint<T>(
    tx: &mut Transaction<'_>,
    work: impl FnOnce(&Transaction<'_>) -> StoreResult<T>,
) -> StoreResult<T> {
    tx.execute_batch("SAVEPOINT task")?;
    // Changes of a panicked task are rolled back with the savepoint.
    let result = catch_unwind(AssertUnwindSafe(|| work(tx))).unwrap_or(Err(StoreError::Panicked));
    match result {
        Ok(value) => {
            tx.execute_batch("RELEASE task")?;
            Ok(value)
        }
        Err(error) => {
            // A full disk may have made SQLite roll back the whole batch, including this savepoint.
            if !tx.is_autocommit() {
                tx.execute_batch("ROLLBACK TO task; RELEASE task")?;
            }
            Err(error)
        }
    }
}
