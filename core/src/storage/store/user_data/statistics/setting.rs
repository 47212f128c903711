//! Settings of a user.

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::StoreResult;
use crate::id::UserId;

/// Settings of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct UserSettings {
    /// `true` if the server stores sessions for the statistics.
    pub statistics: bool,
}

const STATISTICS: &str = "SELECT statistics FROM user_setting WHERE user_id = :user";

/// Returns the settings of a user. The default is that sessions are stored.
pub fn get(conn: &Connection, user: UserId) -> StoreResult<UserSettings> {
    let statistics = records_sessions(conn, user)?;
    Ok(UserSettings { statistics })
}

/// Returns `true` if the server stores sessions of this user.
pub(crate) fn records_sessions(conn: &Connection, user: UserId) -> StoreResult<bool> {
    let mut statement = conn.prepare_cached(STATISTICS)?;
    let stored = statement.query_row(named_params! { ":user": user }, |row| row.get(0));
    Ok(stored.optional()?.unwrap_or(true))
}

/// Stores the settings of a user.
pub fn set(tx: &Transaction<'_>, user: UserId, settings: UserSettings) -> StoreResult<()> {
    tx.prepare_cached(
        "INSERT INTO user_setting (user_id, statistics) VALUES (:user, :statistics)
             ON CONFLICT (user_id) DO UPDATE SET statistics = excluded.statistics",
    )?
    .execute(named_params! { ":user": user, ":statistics": settings.statistics })?;
    Ok(())
}
