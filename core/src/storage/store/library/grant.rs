//! Grants: access of users to libraries.

use rusqlite::{Connection, Transaction, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::StoreResult;
use crate::id::{LibraryId, UserId};

/// A user who may read a library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Grant {
    /// Id of the user.
    pub user_id: UserId,
    /// Name of the user.
    pub username: String,
}

/// Returns the users with access to a library, ordered by name. It serves administrators, who
/// manage libraries without a grant.
pub fn of_library_unscoped(connection: &Connection, library: LibraryId) -> StoreResult<Vec<Grant>> {
    let mut statement = connection.prepare_cached(
        "SELECT user.id, user.username
           FROM library_grant AS g
           JOIN user ON user.id = g.user_id
          WHERE g.library_id = :library
          ORDER BY user.username_key",
    )?;
    let rows = statement.query_map(named_params! { ":library": library }, |row| {
        Ok(Grant {
            user_id: row.get(0)?,
            username: row.get(1)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Grants a library to a user; repeated calls succeed. Returns `false` if either does not exist.
pub fn grant(tx: &Transaction<'_>, user: UserId, library: LibraryId) -> StoreResult<bool> {
    if !both_exist(tx, user, library)? {
        return Ok(false);
    }
    tx.prepare_cached(
        "INSERT INTO library_grant (user_id, library_id)
         VALUES (:user, :library)
             ON CONFLICT DO NOTHING",
    )?
    .execute(named_params! { ":user": user, ":library": library })?;
    Ok(true)
}

/// Revokes a user's grant; repeated calls succeed. Returns `false` if either does not exist.
pub fn revoke(tx: &Transaction<'_>, user: UserId, library: LibraryId) -> StoreResult<bool> {
    if !both_exist(tx, user, library)? {
        return Ok(false);
    }
    tx.prepare_cached(
        "DELETE FROM library_grant
          WHERE user_id = :user AND library_id = :library",
    )?
    .execute(named_params! { ":user": user, ":library": library })?;
    Ok(true)
}

fn both_exist(tx: &Transaction<'_>, user: UserId, library: LibraryId) -> StoreResult<bool> {
    let mut statement = tx.prepare_cached(
        "SELECT 1
          WHERE EXISTS (SELECT 1 FROM user WHERE id = :user)
            AND EXISTS (SELECT 1 FROM library WHERE id = :library)",
    )?;
    Ok(statement.exists(named_params! { ":user": user, ":library": library })?)
}
