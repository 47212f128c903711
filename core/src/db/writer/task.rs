//! What is to be written: work inside a transaction, and the answer that waits for its commit.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rusqlite::Transaction;

use crate::db::space;
use crate::store::{StoreError, StoreResult};

/// What a write did, told to its caller once it is known whether it was committed.
pub(super) type Outcome = Box<dyn FnOnce(StoreResult<()>) + Send>;
/// Does the work inside a transaction, or is told why there is none. Returns the outcome, and an
/// error if the transaction cannot be committed.
pub(super) type Task =
    Box<dyn FnOnce(StoreResult<&mut Transaction<'_>>) -> (Outcome, Option<StoreError>) + Send>;

/// Wraps the work so that it runs in a savepoint and its answer waits for the commit.
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

/// Wraps work that has a transaction of its own: an error rolls back all of it. A savepoint
/// around many writes would cost each of them a walk through what was saved before.
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
    // What a panic leaves half done is rolled back with the savepoint.
    let result = catch_unwind(AssertUnwindSafe(|| work(tx))).unwrap_or(Err(StoreError::Panicked));
    match result {
        Ok(value) => {
            tx.execute_batch("RELEASE task")?;
            Ok(value)
        }
        Err(error) => {
            // A full disk may have made SQLite roll back the whole batch, this savepoint included.
            if !tx.is_autocommit() {
                tx.execute_batch("ROLLBACK TO task; RELEASE task")?;
            }
            Err(error)
        }
    }
}
