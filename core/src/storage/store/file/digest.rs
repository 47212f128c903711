//! Digests by which other programs name a file, and the queue of files without them.

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use super::location::{self, FileLocation};
use crate::access::{Visible, VisibleFile};
use crate::error::StoreResult;
use crate::id::{FileId, LibraryId};

/// An MD5 digest.
pub type Md5 = [u8; 16];

/// Digests of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digests {
    /// MD5 of the name.
    pub name: Md5,
    /// Partial MD5 of the content.
    pub content: Md5,
}

/// A queued file. Its row number changes when the file is queued again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedFile {
    /// Row number in the queue.
    pub row: i64,
    /// Location of the file.
    pub location: FileLocation,
}

/// Returns `true` if a file may need digests, or if a stored document may match a file.
pub fn is_pending_unscoped(conn: &Connection) -> StoreResult<bool> {
    let mut statement = conn.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM digest_queue WHERE is_failed = 0 AND id > 0)
             OR EXISTS (SELECT 1 FROM adoption_queue WHERE user_id > 0)",
    )?;
    let is_queued: bool = statement.query_row((), |row| row.get(0))?;
    Ok(is_queued || has_new_unscoped(conn)?)
}

/// Returns `true` if a file was added that [`queue_new`] has not read.
pub fn has_new_unscoped(conn: &Connection) -> StoreResult<bool> {
    let mut statement = conn.prepare_cached(
        "SELECT 1
           FROM queue_position
           JOIN file ON file.id > last_id
          WHERE queue = 'digest'
          LIMIT 1",
    )?;
    Ok(statement.exists(())?)
}

/// Returns the number of files that may need digests: queued ones that have not failed, and new
/// ones. Ids of deleted new files count too.
pub fn waiting_unscoped(conn: &Connection) -> StoreResult<i64> {
    let mut statement = conn.prepare_cached(
        "SELECT (SELECT count(*) FROM digest_queue WHERE is_failed = 0)
              + max(0, (SELECT ifnull(max(id), 0) FROM file) - last_id)
           FROM queue_position
          WHERE queue = 'digest'",
    )?;
    Ok(statement.query_row((), |row| row.get(0))?)
}

/// Reads up to `rows` new files, and queues those of these kinds.
pub fn queue_new(tx: &Transaction<'_>, kinds: &[&str], rows: usize) -> StoreResult<()> {
    let last: Option<FileId> = tx
        .prepare_cached(
            "SELECT max(id)
               FROM (SELECT file.id
                       FROM queue_position
                       JOIN file ON file.id > last_id
                      WHERE queue = 'digest'
                      ORDER BY file.id
                      LIMIT :rows)",
        )?
        .query_row(named_params! { ":rows": rows }, |row| row.get(0))?;
    let Some(last) = last else {
        return Ok(());
    };
    let kinds = serde_json::to_string(kinds).expect("texts are JSON");
    tx.prepare_cached(
        "INSERT OR REPLACE INTO digest_queue (file_id)
         SELECT file.id
           FROM queue_position
           JOIN file ON file.id > last_id AND file.id <= :last
           JOIN item ON item.id = file.item_id
          WHERE queue = 'digest' AND item.kind IN (SELECT value FROM json_each(:kinds))
          ORDER BY file.id",
    )?
    .execute(named_params! { ":last": last, ":kinds": kinds })?;
    tx.prepare_cached("UPDATE queue_position SET last_id = :last WHERE queue = 'digest'")?
        .execute(named_params! { ":last": last })?;
    Ok(())
}

/// Returns up to `limit` queued files, the newest first.
pub fn next_unscoped(conn: &Connection, limit: usize) -> StoreResult<Vec<QueuedFile>> {
    let mut statement = conn.prepare_cached(
        "SELECT queue.id AS queue_row, file.id, item.kind, library.path AS root,
                folder.path AS folder, file.name
           FROM digest_queue AS queue
           JOIN file ON file.id = queue.file_id
           JOIN item ON item.id = file.item_id
           JOIN library ON library.id = item.library_id
           JOIN folder ON folder.id = file.folder_id
          WHERE queue.is_failed = 0
          ORDER BY queue.id DESC
          LIMIT :limit",
    )?;
    let rows = statement.query_map(named_params! { ":limit": limit }, |row| {
        Ok(QueuedFile {
            row: row.get("queue_row")?,
            location: location::location(row)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Stores the digests of a queued file, and removes it from the queue. A file that was queued again
/// in the meantime stays unchanged.
pub fn store(tx: &Transaction<'_>, queued: &QueuedFile, digests: &Digests) -> StoreResult<()> {
    if !dequeue(tx, queued.row)? {
        return Ok(());
    }
    // In an upsert, SQLite ignores the conflict clauses of triggers. A document that is queued for its
    // adoption already would be an error.
    let updated = tx
        .prepare_cached(
            "UPDATE file_digest SET name = :name, content = :content WHERE file_id = :file",
        )?
        .execute(named_params! {
            ":file": queued.location.id, ":name": digests.name, ":content": digests.content,
        })?;
    if updated == 0 {
        tx.prepare_cached(
            "INSERT INTO file_digest (file_id, name, content) VALUES (:file, :name, :content)",
        )?
        .execute(named_params! {
            ":file": queued.location.id, ":name": digests.name, ":content": digests.content,
        })?;
    }
    Ok(())
}

/// Removes a file from the queue. Returns `false` if it was queued again in the meantime.
pub fn dequeue(tx: &Transaction<'_>, row: i64) -> StoreResult<bool> {
    let removed = tx
        .prepare_cached("DELETE FROM digest_queue WHERE id = :row")?
        .execute(named_params! { ":row": row })?;
    Ok(removed > 0)
}

/// Marks a queued file as unreadable.
pub fn fail(tx: &Transaction<'_>, row: i64) -> StoreResult<()> {
    tx.prepare_cached("UPDATE digest_queue SET is_failed = 1 WHERE id = :row")?
        .execute(named_params! { ":row": row })?;
    Ok(())
}

/// Allows another attempt for the unreadable files of a library. A missing file is queued again when it
/// is present.
pub fn retry_failed(tx: &Transaction<'_>, library: LibraryId) -> StoreResult<()> {
    tx.prepare_cached(
        "UPDATE digest_queue
            SET is_failed = 0
          WHERE is_failed = 1
            AND EXISTS (SELECT 1
                          FROM file
                          JOIN item ON item.id = file.item_id
                         WHERE file.id = digest_queue.file_id AND file.missing = 0
                           AND item.library_id = :library)",
    )?
    .execute(named_params! { ":library": library })?;
    Ok(())
}

const BY_CONTENT: &str = "
    SELECT file.id
      FROM file_digest AS digest
      JOIN file ON file.id = digest.file_id
      JOIN item ON item.id = file.item_id
      JOIN library_grant AS g ON g.library_id = item.library_id AND g.user_id = :viewer
      LEFT JOIN progress AS place ON place.user_id = :viewer AND place.file_id = file.id
     WHERE digest.content = :digest
     ORDER BY iif(:by_progress, place.updated_at, '') DESC,
              file.missing, place.updated_at DESC, file.id
     LIMIT 1";

const BY_NAME: &str = "
    SELECT file.id
      FROM file_digest AS digest
      JOIN file ON file.id = digest.file_id
      JOIN item ON item.id = file.item_id
      JOIN library_grant AS g ON g.library_id = item.library_id AND g.user_id = :viewer
      LEFT JOIN progress AS place ON place.user_id = :viewer AND place.file_id = file.id
     WHERE digest.name = :digest
     ORDER BY iif(:by_progress, place.updated_at, '') DESC,
              file.missing, place.updated_at DESC, file.id
     LIMIT 1";

/// Returns the visible file with this digest of its content, otherwise of its name, in 32
/// hexadecimal digits. Of several files, present ones take precedence, then the one with the newest
/// progress, then the first.
pub fn matching(
    conn: &Connection,
    visible: Visible,
    document: &str,
) -> StoreResult<Option<VisibleFile>> {
    find(conn, visible, document, false)
}

/// Returns the file that has the newest progress of all files that [`matching`] compares. It can be
/// missing.
pub fn matching_with_newest_progress(
    conn: &Connection,
    visible: Visible,
    document: &str,
) -> StoreResult<Option<VisibleFile>> {
    find(conn, visible, document, true)
}

fn find(
    conn: &Connection,
    visible: Visible,
    document: &str,
    by_progress: bool,
) -> StoreResult<Option<VisibleFile>> {
    let Some(digest) = parse(document) else {
        return Ok(None);
    };
    for sql in [BY_CONTENT, BY_NAME] {
        let mut statement = conn.prepare_cached(sql)?;
        let parameters = named_params! {
            ":viewer": visible.user(), ":digest": digest, ":by_progress": by_progress,
        };
        let found: Option<FileId> = statement
            .query_row(parameters, |row| row.get(0))
            .optional()?;
        if let Some(file) = found {
            return visible.file(conn, file);
        }
    }
    Ok(None)
}

/// Parses 32 hexadecimal digits in lower case.
fn parse(text: &str) -> Option<Md5> {
    let is_digit = |byte: &u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte);
    if text.len() != 32 || !text.as_bytes().iter().all(is_digit) {
        return None;
    }
    Some(u128::from_str_radix(text, 16).ok()?.to_be_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::UserId;
    use crate::store::user_data::foreign;
    use crate::store::user_data::progress::tests::database;

    /// Two copies, and a position in a document that matches neither.
    const COPIES: &str = "
        INSERT INTO item (id, library_id, kind, group_key, title, sort_title, initial, added_at)
        VALUES (1, 1, 'paper', 'k', 'T', 't', 'T', '');
        INSERT INTO file (id, item_id, folder_id, name, size, mtime_ns, added_at)
        VALUES (1, 1, 1, x'61', 0, 0, ''), (2, 1, 1, x'62', 0, 0, '');
        INSERT INTO foreign_progress
               (user_id, document, protocol, scheme, value, fraction, device, at)
        VALUES (1, '07070707070707070707070707070707', 'p', 'fraction', '', 0.5, 'd', '');";

    /// Stores digests with this content for all queued files. Returns their number.
    fn store_all(tx: &Transaction<'_>, content: u8) -> usize {
        let page = next_unscoped(tx, 10).expect("a queue");
        for queued in &page {
            let digests = Digests {
                name: [0; 16],
                content: [content; 16],
            };
            store(tx, queued, &digests).expect("a write");
        }
        page.len()
    }

    #[test]
    fn changed_copies_queue_their_document_once() {
        let conn = database();
        conn.execute_batch(COPIES).expect("rows");
        let tx = conn.unchecked_transaction().expect("a transaction");
        queue_new(&tx, &["paper"], 10).expect("a write");
        assert_eq!(store_all(&tx, 6), 2);
        let queued = foreign::adoptions_unscoped(&tx, 10).expect("a queue");
        assert!(queued.is_empty(), "{queued:?}");
        // Both copies change, and match the document now.
        tx.execute_batch("UPDATE file SET mtime_ns = 2")
            .expect("a write");
        assert_eq!(store_all(&tx, 7), 2);
        let queued = foreign::adoptions_unscoped(&tx, 10).expect("a queue");
        assert_eq!(queued, [(UserId(1), "07".repeat(16))]);
        assert_eq!(waiting_unscoped(&tx).expect("a number"), 0);
    }

    #[test]
    fn unreadable_files_are_tried_again_unless_they_are_missing() {
        let conn = database();
        conn.execute_batch(COPIES).expect("rows");
        let tx = conn.unchecked_transaction().expect("a transaction");
        queue_new(&tx, &["paper"], 10).expect("a write");
        for queued in next_unscoped(&tx, 10).expect("a queue") {
            fail(&tx, queued.row).expect("a write");
        }
        tx.execute_batch("UPDATE file SET missing = 1 WHERE id = 2")
            .expect("a write");
        let waiting = || {
            let page = next_unscoped(&tx, 10).expect("a queue");
            let files = page.iter().map(|queued| queued.location.id);
            files.collect::<Vec<_>>()
        };
        retry_failed(&tx, LibraryId(7)).expect("a write");
        assert!(waiting().is_empty());
        retry_failed(&tx, LibraryId(1)).expect("a write");
        assert_eq!(waiting(), [FileId(1)]);
        tx.execute_batch("UPDATE file SET missing = 0 WHERE id = 2")
            .expect("a write");
        assert_eq!(waiting(), [FileId(2), FileId(1)]);
    }

    #[test]
    fn new_files_of_named_kinds_are_queued_once() {
        let conn = database();
        conn.execute_batch(COPIES).expect("rows");
        let tx = conn.unchecked_transaction().expect("a transaction");
        let is_pending = || is_pending_unscoped(&tx).expect("an answer");
        let waiting = || waiting_unscoped(&tx).expect("a number");
        let queue_new = |kind, rows| queue_new(&tx, &[kind], rows).expect("a write");
        assert!(is_pending() && waiting() == 2);
        queue_new("film", 1);
        assert!(is_pending() && waiting() == 1);
        queue_new("film", 1);
        assert!(!is_pending() && waiting() == 0);
        queue_new("paper", 10);
        assert!(!is_pending());
        tx.execute_batch(
            "INSERT INTO file (id, item_id, folder_id, name, size, mtime_ns, added_at)
             VALUES (9, 1, 1, x'63', 0, 0, ''), (10, 1, 1, x'64', 0, 0, '')",
        )
        .expect("rows");
        // A changed file is queued by a trigger, also before it was read as a new one.
        tx.execute_batch("UPDATE file SET mtime_ns = 2 WHERE id = 9")
            .expect("a write");
        assert!(is_pending());
        queue_new("paper", 10);
        assert!(is_pending() && waiting() == 2);
        let page = next_unscoped(&tx, 10).expect("a queue");
        let newest_first: Vec<FileId> = page.iter().map(|queued| queued.location.id).collect();
        assert_eq!(newest_first, [FileId(10), FileId(9)]);
        assert_eq!(store_all(&tx, 6), 2);
        assert!(!is_pending() && waiting() == 0);
    }

    #[test]
    fn only_digits_of_an_md5_are_parsed() {
        let digest = parse("00ff00000000000000000000000000a1").expect("a digest");
        assert_eq!((digest[0], digest[1], digest[15]), (0, 255, 0xa1));
        for wrong in [
            "",
            "00ff00000000000000000000000000a",
            "00FF00000000000000000000000000A1",
            "+0ff00000000000000000000000000a1",
            "00ff00000000000000000000000000é",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
