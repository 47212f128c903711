//! Tests of the writer thread.

use super::*;

/// It is random which queue the thread finds closed first.
#[test]
fn writer_ends_for_any_order_of_closed_queues() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ledge.db");
    for _ in 0..64 {
        let connection = crate::db::open::writable(&path).expect("a database");
        Writer::start(connection, &path, ItemIndex::new())
            .expect("a writer")
            .close();
    }
}

/// `Closed` would make workers and clients assume that the server is stopping.
#[test]
fn write_that_cannot_begin_is_busy_and_next_one_succeeds() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ledge.db");
    let open = || crate::db::open::writable(&path).expect("a database");
    let other = open();
    let connection = open();
    connection
        .busy_timeout(std::time::Duration::ZERO)
        .expect("a busy timeout of zero");
    let writer = Writer::start(connection, &path, ItemIndex::new()).expect("a writer");
    let write = |is_bulk: bool| {
        let (answer, result) = std::sync::mpsc::sync_channel(1);
        let answer = move |value: StoreResult<()>| drop(answer.send(value));
        if is_bulk {
            writer.submit_bulk(|_| Ok(()), answer)
        } else {
            writer.submit_durable(|_| Ok(()), answer)
        }
        .expect("a place in the queue");
        result.recv().expect("an answer")
    };
    other.execute_batch("BEGIN IMMEDIATE").expect("the lock");
    assert!(matches!(write(false), Err(StoreError::Busy)));
    assert!(matches!(write(true), Err(StoreError::Busy)));
    other.execute_batch("ROLLBACK").expect("no lock");
    assert!(write(false).is_ok() && write(true).is_ok());
    writer.close();
}

/// A large write has a transaction of its own, so that its failure costs no other write.
#[test]
fn failed_large_write_is_rolled_back_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ledge.db");
    let open = || crate::db::open::writable(&path).expect("a database");
    let connection = open();
    let sql = "CREATE TABLE written (name TEXT)";
    connection.execute_batch(sql).expect("a table");
    let writer = Writer::start(connection, &path, ItemIndex::new()).expect("a writer");
    let (answers, results) = std::sync::mpsc::channel();
    let insert = |name: &'static str, is_failing: bool| {
        move |tx: &Transaction<'_>| {
            tx.execute("INSERT INTO written VALUES (?1)", [name])?;
            if is_failing {
                return Err(StoreError::Refused("No.".to_owned()));
            }
            Ok(())
        }
    };
    for (name, is_large, is_failing) in [
        ("first", false, false),
        ("failed", true, true),
        ("large", true, false),
        ("last", false, false),
    ] {
        let answers = answers.clone();
        let answer = move |result: StoreResult<()>| {
            answers.send((name, result.is_ok())).expect("a receiver");
        };
        let work = insert(name, is_failing);
        let queued = if is_large {
            writer.submit_large(work, answer)
        } else {
            writer.submit_durable(work, answer)
        };
        queued.expect("a place in the queue");
    }
    let results: Vec<_> = results.iter().take(4).collect();
    let expected = [
        ("first", true),
        ("failed", false),
        ("large", true),
        ("last", true),
    ];
    assert_eq!(results, expected);
    writer.close();
    let connection = open();
    let mut statement = connection
        .prepare("SELECT name FROM written")
        .expect("a query");
    let names = statement.query_map([], |row| row.get::<_, String>(0));
    let names: Vec<String> = names
        .expect("rows")
        .map(|name| name.expect("a name"))
        .collect();
    assert_eq!(names, ["first", "large", "last"]);
}
