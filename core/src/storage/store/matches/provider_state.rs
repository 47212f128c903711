//! Persistent key-value state of providers, such as tokens.

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use crate::error::StoreResult;
use crate::time::Timestamp;

/// Returns a provider's value of a key, unless it has expired.
pub fn get(
    connection: &Connection,
    provider: &str,
    key: &str,
    now: Timestamp,
) -> StoreResult<Option<String>> {
    let mut statement = connection.prepare_cached(
        "SELECT value
           FROM provider_state
          WHERE provider = :provider AND key = :key AND expires_at > :now",
    )?;
    let parameters = named_params! { ":provider": provider, ":key": key, ":now": now };
    Ok(statement
        .query_row(parameters, |row| row.get(0))
        .optional()?)
}

/// Stores a value with an expiry.
pub fn set(
    tx: &Transaction<'_>,
    provider: &str,
    (key, value): (&str, &str),
    expires_at: Timestamp,
) -> StoreResult<()> {
    tx.prepare_cached(
        "INSERT OR REPLACE INTO provider_state (provider, key, value, expires_at)
         VALUES (:provider, :key, :value, :expires_at)",
    )?
    .execute(named_params! {
        ":provider": provider, ":key": key, ":value": value, ":expires_at": expires_at,
    })?;
    Ok(())
}

/// Deletes the expired values of a provider.
pub fn remove_expired(tx: &Transaction<'_>, provider: &str, now: Timestamp) -> StoreResult<()> {
    tx.prepare_cached(
        "DELETE FROM provider_state WHERE provider = :provider AND expires_at <= :now",
    )?
    .execute(named_params! { ":provider": provider, ":now": now })?;
    Ok(())
}

/// Deletes the value of a key.
pub fn remove(tx: &Transaction<'_>, provider: &str, key: &str) -> StoreResult<()> {
    tx.prepare_cached("DELETE FROM provider_state WHERE provider = :provider AND key = :key")?
        .execute(named_params! { ":provider": provider, ":key": key })?;
    Ok(())
}
