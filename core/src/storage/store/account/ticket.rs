//! Tickets: each gives an external player access to one file on behalf of a session. The table
//! stores only the SHA-256 of a ticket.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use crate::access::VisibleFile;
use crate::error::StoreResult;
use crate::id::{FileId, UserId};
use crate::store::account::session::TokenHash;
use crate::time::Timestamp;

/// Lifetime of a ticket.
pub const LIFETIME: Duration = Duration::from_hours(6);

/// Limit of valid tickets per session; the oldest ones are deleted. It leaves room for the files of
/// two of the longest playlists.
const MOST: usize = 20_000;

/// User and session of a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// Id of the user.
    pub user: UserId,
    /// `true` if the user is an administrator.
    pub admin: bool,
    /// Session that issued the ticket; the ticket ends with it.
    pub session: TokenHash,
}

/// Outcome of a request for a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Issued {
    /// The ticket is valid until this time.
    Until(Timestamp),
    /// The session has ended in the meantime.
    SignedOut,
    /// The file is absent or no longer visible.
    Absent,
}

/// Stores a ticket and returns its expiry. Expired tickets are deleted.
pub fn create(
    tx: &Transaction<'_>,
    ticket: &TokenHash,
    file: VisibleFile,
    session: &TokenHash,
    now: Timestamp,
) -> StoreResult<Issued> {
    if !is_signed_in(tx, session, now)? {
        return Ok(Issued::SignedOut);
    }
    let Some(file) = file.again(tx)? else {
        return Ok(Issued::Absent);
    };
    let expires_at = insert(tx, &[(*ticket, file.id())], session, now)?;
    Ok(Issued::Until(expires_at))
}

/// Stores tickets for files that the caller reads as visible ones in the same transaction. Returns
/// `false` if the session has ended in the meantime.
pub fn create_all(
    tx: &Transaction<'_>,
    tickets: &[(TokenHash, FileId)],
    session: &TokenHash,
    now: Timestamp,
) -> StoreResult<bool> {
    if !is_signed_in(tx, session, now)? {
        return Ok(false);
    }
    insert(tx, tickets, session, now)?;
    Ok(true)
}

fn is_signed_in(conn: &Connection, session: &TokenHash, now: Timestamp) -> StoreResult<bool> {
    let mut statement = conn.prepare_cached(
        "SELECT 1 FROM session WHERE token_hash = :session AND expires_at > :now",
    )?;
    Ok(statement.exists(named_params! { ":session": session, ":now": now })?)
}

/// Inserts tickets, and deletes expired ones and those beyond the limit.
fn insert(
    tx: &Transaction<'_>,
    tickets: &[(TokenHash, FileId)],
    session: &TokenHash,
    now: Timestamp,
) -> StoreResult<Timestamp> {
    let expires_at = now.plus(LIFETIME);
    tx.execute(
        "DELETE FROM file_ticket WHERE expires_at <= :now",
        named_params! { ":now": now },
    )?;
    delete_oldest(tx, session, MOST.saturating_sub(tickets.len()))?;
    let mut insert = tx.prepare_cached(
        "INSERT INTO file_ticket (token_hash, file_id, session_hash, expires_at)
         VALUES (:ticket, :file, :session, :expires_at)",
    )?;
    for (ticket, file) in tickets {
        insert.execute(named_params! {
            ":ticket": ticket,
            ":file": file,
            ":session": session,
            ":expires_at": expires_at,
        })?;
    }
    Ok(expires_at)
}

/// Deletes the oldest tickets of a session, so that `kept` remain.
fn delete_oldest(tx: &Transaction<'_>, session: &TokenHash, kept: usize) -> StoreResult<()> {
    let count: usize = tx
        .prepare_cached("SELECT count(*) FROM file_ticket WHERE session_hash = :session")?
        .query_row(named_params! { ":session": session }, |row| row.get(0))?;
    let excess = count.saturating_sub(kept);
    if excess == 0 {
        return Ok(());
    }
    tx.execute(
        "DELETE FROM file_ticket
          WHERE token_hash IN (SELECT token_hash
                                 FROM file_ticket
                                WHERE session_hash = :session
                                ORDER BY expires_at
                                LIMIT :excess)",
        named_params! { ":session": session, ":excess": excess },
    )?;
    Ok(())
}

/// Returns the owner of a ticket for this file, if ticket and session are valid and the user is not
/// disabled. The caller checks the grant of the file.
pub fn find(
    conn: &Connection,
    ticket: &TokenHash,
    file: FileId,
    now: Timestamp,
) -> StoreResult<Option<Owner>> {
    let mut statement = conn.prepare_cached(
        "SELECT user.id, user.role = 'admin', session.token_hash
           FROM file_ticket AS t
           JOIN session ON session.token_hash = t.session_hash
           JOIN user ON user.id = session.user_id
          WHERE t.token_hash = :ticket
            AND t.file_id = :file
            AND t.expires_at > :now
            AND session.expires_at > :now
            AND user.disabled = 0",
    )?;
    let owner = statement
        .query_row(
            named_params! { ":ticket": ticket, ":file": file, ":now": now },
            |row| {
                Ok(Owner {
                    user: row.get(0)?,
                    admin: row.get(1)?,
                    session: row.get(2)?,
                })
            },
        )
        .optional()?;
    Ok(owner)
}

/// Deletes all tickets of a user.
pub fn delete_of_user(tx: &Transaction<'_>, user: UserId) -> StoreResult<()> {
    tx.execute(
        "DELETE FROM file_ticket
          WHERE session_hash IN (SELECT token_hash FROM session WHERE user_id = :user)",
        named_params! { ":user": user },
    )?;
    Ok(())
}

#[cfg(test)]
mod tests;
