//! Writes that are undone, to find the changes that they would make.

use rusqlite::Transaction;

use crate::error::StoreResult;

/// Runs `work` and undoes its writes. Returns its value. After an error, the caller must roll back
/// the transaction, as each write of [`Db`](crate::db::Db) does.
pub fn rehearse<T>(
    tx: &Transaction<'_>,
    work: impl FnOnce(&Transaction<'_>) -> StoreResult<T>,
) -> StoreResult<T> {
    tx.execute_batch("SAVEPOINT rehearsal")?;
    let value = work(tx)?;
    tx.execute_batch("ROLLBACK TO rehearsal; RELEASE rehearsal")?;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn writes_of_rehearsal_are_visible_inside_and_undone_after() {
        let mut conn = Connection::open_in_memory().expect("a database");
        let sql = "CREATE TABLE word (text TEXT); INSERT INTO word VALUES ('kept')";
        conn.execute_batch(sql).expect("a table");
        let tx = conn.transaction().expect("a transaction");
        let words = |tx: &Transaction<'_>| -> i64 {
            let count = tx.query_row("SELECT count(*) FROM word", [], |row| row.get(0));
            count.expect("a number")
        };
        tx.execute("INSERT INTO word VALUES ('own')", [])
            .expect("a row");
        let inside = rehearse(&tx, |tx| {
            tx.execute("INSERT INTO word VALUES ('undone')", [])?;
            Ok(words(tx))
        });
        assert_eq!(inside.expect("a number"), 3);
        // Earlier writes of the transaction stay.
        assert_eq!(words(&tx), 2);
        tx.commit().expect("a commit");
    }
}
