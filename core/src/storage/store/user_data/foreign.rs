//! Positions as other programs sent them: of a file, or of a document that matches no visible file.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, named_params};

use crate::access::VisibleFile;
use crate::error::StoreResult;
use crate::id::UserId;
use crate::time::Timestamp;

/// Limit of documents per user that match no file.
pub const MAX_DOCUMENTS: usize = 10_000;

/// Position of another program.
#[derive(Debug, Clone, PartialEq)]
pub struct ForeignProgress {
    /// Id of the protocol.
    pub protocol: String,
    /// Form of the value: a scheme, or a document of the protocol.
    pub scheme: String,
    /// Position as the program sent it.
    pub value: String,
    /// Fraction of the file, from 0 to 1.
    pub fraction: f64,
    /// Name of the device.
    pub device: String,
    /// Id of the device.
    pub device_id: Option<String>,
    /// Time of the progress.
    pub at: Timestamp,
}

fn foreign(row: &Row<'_>) -> rusqlite::Result<ForeignProgress> {
    Ok(ForeignProgress {
        protocol: row.get("protocol")?,
        scheme: row.get("scheme")?,
        value: row.get("value")?,
        fraction: row.get("fraction")?,
        device: row.get("device")?,
        device_id: row.get("device_id")?,
        at: row.get("at")?,
    })
}

/// Returns the user's last foreign position in a file. It is current if its time equals the time of
/// the progress.
pub fn of_file(conn: &Connection, file: VisibleFile) -> StoreResult<Option<ForeignProgress>> {
    let mut statement = conn.prepare_cached(
        "SELECT protocol, scheme, value, fraction, device, device_id, at
           FROM foreign_progress
          WHERE file_id = :file AND user_id = :user",
    )?;
    let parameters = named_params! { ":file": file.id(), ":user": file.viewer() };
    Ok(statement.query_row(parameters, foreign).optional()?)
}

/// Replaces the user's foreign position in a file.
pub fn set_of_file(
    tx: &Transaction<'_>,
    file: VisibleFile,
    new: &ForeignProgress,
) -> StoreResult<()> {
    tx.prepare_cached(
        "INSERT INTO foreign_progress
                (user_id, file_id, protocol, scheme, value, fraction, device, device_id, at)
         VALUES (:user, :file, :protocol, :scheme, :value, :fraction, :device, :device_id, :at)
             ON CONFLICT (file_id, user_id) WHERE file_id IS NOT NULL
             DO UPDATE SET protocol = excluded.protocol, scheme = excluded.scheme,
                           value = excluded.value, fraction = excluded.fraction,
                           device = excluded.device, device_id = excluded.device_id,
                           at = excluded.at",
    )?
    .execute(named_params! {
        ":user": file.viewer(),
        ":file": file.id(),
        ":protocol": new.protocol,
        ":scheme": new.scheme,
        ":value": new.value,
        ":fraction": new.fraction,
        ":device": new.device,
        ":device_id": new.device_id,
        ":at": new.at,
    })?;
    Ok(())
}

/// Returns the user's position in a document that matches no file.
pub fn of_document(
    conn: &Connection,
    user: UserId,
    document: &str,
) -> StoreResult<Option<ForeignProgress>> {
    let mut statement = conn.prepare_cached(
        "SELECT protocol, scheme, value, fraction, device, device_id, at
           FROM foreign_progress
          WHERE document = :document AND user_id = :user",
    )?;
    let parameters = named_params! { ":document": document, ":user": user };
    Ok(statement.query_row(parameters, foreign).optional()?)
}

/// Replaces the user's position in a document that matches no file. The oldest documents beyond
/// [`MAX_DOCUMENTS`] are deleted.
pub fn set_of_document(
    tx: &Transaction<'_>,
    user: UserId,
    document: &str,
    new: &ForeignProgress,
) -> StoreResult<()> {
    tx.prepare_cached(
        "INSERT INTO foreign_progress
                (user_id, document, protocol, scheme, value, fraction, device, device_id, at)
         VALUES (:user, :document, :protocol, :scheme, :value, :fraction, :device, :device_id, :at)
             ON CONFLICT (document, user_id) WHERE document IS NOT NULL
             DO UPDATE SET protocol = excluded.protocol, scheme = excluded.scheme,
                           value = excluded.value, fraction = excluded.fraction,
                           device = excluded.device, device_id = excluded.device_id,
                           at = excluded.at",
    )?
    .execute(named_params! {
        ":user": user,
        ":document": document,
        ":protocol": new.protocol,
        ":scheme": new.scheme,
        ":value": new.value,
        ":fraction": new.fraction,
        ":device": new.device,
        ":device_id": new.device_id,
        ":at": new.at,
    })?;
    drop_oldest(tx, user, MAX_DOCUMENTS)
}

fn drop_oldest(tx: &Transaction<'_>, user: UserId, kept: usize) -> StoreResult<()> {
    tx.prepare_cached(
        "DELETE FROM foreign_progress
          WHERE id IN (SELECT id
                         FROM foreign_progress
                        WHERE user_id = :user AND document IS NOT NULL
                        ORDER BY at DESC, id DESC
                        LIMIT -1 OFFSET :kept)",
    )?
    .execute(named_params! { ":user": user, ":kept": kept })?;
    Ok(())
}

/// Deletes the user's position in a document.
pub fn delete_of_document(tx: &Transaction<'_>, user: UserId, document: &str) -> StoreResult<()> {
    tx.prepare_cached(
        "DELETE FROM foreign_progress WHERE document = :document AND user_id = :user",
    )?
    .execute(named_params! { ":document": document, ":user": user })?;
    Ok(())
}

/// Returns up to `limit` documents that may match a file now, with their users.
pub fn adoptions_unscoped(conn: &Connection, limit: usize) -> StoreResult<Vec<(UserId, String)>> {
    let mut statement = conn.prepare_cached(
        "SELECT user_id, document
           FROM adoption_queue
          WHERE user_id > 0
          ORDER BY user_id, document
          LIMIT :limit",
    )?;
    let rows = statement.query_map(named_params! { ":limit": limit }, |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Removes a document from the queue of [`adoptions_unscoped`].
pub fn end_adoption(tx: &Transaction<'_>, user: UserId, document: &str) -> StoreResult<()> {
    tx.prepare_cached("DELETE FROM adoption_queue WHERE user_id = :user AND document = :document")?
        .execute(named_params! { ":user": user, ":document": document })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Db;

    #[test]
    fn oldest_documents_of_a_user_are_dropped() {
        let folder = tempfile::tempdir().expect("a folder");
        let db = Db::open(&folder.path().join("ledge.db")).expect("a database");
        db.write_blocking(|tx| {
            tx.execute_batch(
                "INSERT INTO user (id, username, username_key, password_hash, role, created_at)
                 VALUES (1, 'a', 'a', '', 'user', ''), (2, 'b', 'b', '', 'user', '');",
            )?;
            let (first, second) = (UserId(1), UserId(2));
            for (user, document, micros) in [
                (first, "x", 1),
                (second, "x", 0),
                (first, "y", 2),
                (first, "z", 3),
                (first, "x", 4),
            ] {
                let new = ForeignProgress {
                    protocol: "p".to_owned(),
                    scheme: "fraction".to_owned(),
                    value: micros.to_string(),
                    fraction: 0.5,
                    device: "d".to_owned(),
                    device_id: None,
                    at: Timestamp::from_micros(micros),
                };
                set_of_document(tx, user, document, &new)?;
            }
            drop_oldest(tx, first, 2)?;
            let value = |user, document| {
                let row = of_document(tx, user, document).expect("an answer");
                row.map(|row| row.value)
            };
            assert_eq!(value(first, "x").as_deref(), Some("4"));
            assert_eq!(value(first, "y"), None);
            assert_eq!(value(first, "z").as_deref(), Some("3"));
            assert_eq!(value(second, "x").as_deref(), Some("0"));
            Ok(())
        })
        .expect("a write");
    }
}
