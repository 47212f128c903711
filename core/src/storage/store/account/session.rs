//! Sessions. The table stores only the SHA-256 of a token.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use crate::error::StoreResult;
use crate::id::UserId;
use crate::store::account::ticket;
use crate::time::Timestamp;

/// Lifetime of a session after its last renewal.
pub const LIFETIME: Duration = Duration::from_hours(30 * 24);
/// Minimum interval between renewals, which limits them to one write per minute.
pub const RENEWAL_INTERVAL: Duration = Duration::from_mins(1);

/// SHA-256 of a token.
pub type TokenHash = [u8; 32];

/// A valid session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Session {
    /// Id of the user.
    pub user: UserId,
    /// `true` if the user is an administrator.
    pub admin: bool,
    /// Time of the last renewal.
    pub renewed_at: Timestamp,
    /// Expiry without a further renewal.
    pub expires_at: Timestamp,
}

impl Session {
    /// Returns `true` if the renewal interval has passed.
    pub fn wants_renewal(&self, now: Timestamp) -> bool {
        now.since(self.renewed_at) >= RENEWAL_INTERVAL
    }
}

/// Creates a session and returns its expiry. Expired sessions are deleted.
pub fn create(
    tx: &Transaction<'_>,
    token: &TokenHash,
    user: UserId,
    now: Timestamp,
) -> StoreResult<Timestamp> {
    let expires_at = now.plus(LIFETIME);
    tx.execute(
        "DELETE FROM session WHERE expires_at <= :now",
        named_params! { ":now": now },
    )?;
    tx.execute(
        "INSERT INTO session (token_hash, user_id, created_at, renewed_at, expires_at)
         VALUES (:token, :user, :now, :now, :expires_at)",
        named_params! { ":token": token, ":user": user, ":now": now, ":expires_at": expires_at },
    )?;
    saw(tx, user, now)?;
    Ok(expires_at)
}

/// Returns the session of a token, if it has not expired and its user is not disabled.
pub fn find(
    connection: &Connection,
    token: &TokenHash,
    now: Timestamp,
) -> StoreResult<Option<Session>> {
    let mut statement = connection.prepare_cached(
        "SELECT session.user_id, user.role = 'admin', session.renewed_at, session.expires_at
           FROM session
           JOIN user ON user.id = session.user_id
          WHERE session.token_hash = :token
            AND session.expires_at > :now
            AND user.disabled = 0",
    )?;
    let session = statement
        .query_row(named_params! { ":token": token, ":now": now }, |row| {
            Ok(Session {
                user: row.get(0)?,
                admin: row.get(1)?,
                renewed_at: row.get(2)?,
                expires_at: row.get(3)?,
            })
        })
        .optional()?;
    Ok(session)
}

/// Extends a session from now on. Further renewals within the interval do nothing.
pub fn renew(tx: &Transaction<'_>, token: &TokenHash, now: Timestamp) -> StoreResult<()> {
    let user = tx
        .query_row(
            "UPDATE session
                SET renewed_at = :now, expires_at = :expires_at
              WHERE token_hash = :token AND renewed_at <= :due
          RETURNING user_id",
            named_params! {
                ":token": token,
                ":now": now,
                ":expires_at": now.plus(LIFETIME),
                ":due": now.minus(RENEWAL_INTERVAL),
            },
            |row| row.get(0),
        )
        .optional()?;
    match user {
        Some(user) => saw(tx, user, now),
        None => Ok(()),
    }
}

/// Deletes one session.
pub fn delete(tx: &Transaction<'_>, token: &TokenHash) -> StoreResult<()> {
    tx.execute(
        "DELETE FROM session WHERE token_hash = :token",
        named_params! { ":token": token },
    )?;
    Ok(())
}

/// Deletes a user's sessions except `keep`.
pub fn delete_of_user(
    tx: &Transaction<'_>,
    user: UserId,
    keep: Option<&TokenHash>,
) -> StoreResult<()> {
    // Tickets of the kept session are deleted as well.
    ticket::delete_of_user(tx, user)?;
    tx.execute(
        "DELETE FROM session
          WHERE user_id = :user AND (:keep IS NULL OR token_hash <> :keep)",
        named_params! { ":user": user, ":keep": keep },
    )?;
    Ok(())
}

fn saw(tx: &Transaction<'_>, user: UserId, now: Timestamp) -> StoreResult<()> {
    tx.execute(
        "UPDATE user SET last_seen_at = :now WHERE id = :user",
        named_params! { ":user": user, ":now": now },
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;
    use crate::db::migrate::migrate;
    use crate::store::account::user;
    use crate::store::account::user::{NewUser, Role};

    const TOKEN: TokenHash = [7; 32];

    fn database() -> (Connection, UserId) {
        let mut connection = Connection::open_in_memory().expect("a database");
        migrate(&mut connection).expect("a schema");
        let tx = connection.transaction().expect("a transaction");
        let new = NewUser {
            username: "mia".to_owned(),
            password_hash: "hash".to_owned(),
            role: Role::User,
        };
        let id = user::create(&tx, &new, at(0)).expect("a user").id;
        create(&tx, &TOKEN, id, at(0)).expect("a session");
        tx.commit().expect("a commit");
        (connection, id)
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(1_800_000_000_000_000 + seconds * 1_000_000)
    }

    fn lasts(connection: &Connection, now: Timestamp) -> bool {
        find(connection, &TOKEN, now).expect("an answer").is_some()
    }

    #[test]
    fn session_ends_thirty_days_after_its_last_renewal() {
        const DAY: i64 = 86_400;
        let (mut connection, _) = database();
        assert!(lasts(&connection, at(30 * DAY - 1)));
        assert!(!lasts(&connection, at(30 * DAY)));
        let tx = connection.transaction().expect("a transaction");
        renew(&tx, &TOKEN, at(10 * DAY)).expect("renewed");
        tx.commit().expect("a commit");
        assert!(lasts(&connection, at(40 * DAY - 1)));
        assert!(!lasts(&connection, at(40 * DAY)));
    }

    #[test]
    fn second_renewal_within_a_minute_writes_nothing() {
        let (mut connection, _) = database();
        let tx = connection.transaction().expect("a transaction");
        renew(&tx, &TOKEN, at(60)).expect("renewed");
        renew(&tx, &TOKEN, at(119)).expect("passed over");
        tx.commit().expect("a commit");
        let session = find(&connection, &TOKEN, at(120)).expect("an answer");
        assert_eq!(session.expect("a session").renewed_at, at(60));
    }

    #[test]
    fn disabled_user_has_no_session() {
        let (connection, id) = database();
        connection
            .execute("UPDATE user SET disabled = 1 WHERE id = ?1", [id])
            .expect("disabled");
        assert!(!lasts(&connection, at(1)));
    }

    #[test]
    fn deletion_of_other_sessions_keeps_the_current_one() {
        let (mut connection, id) = database();
        let other = [8; 32];
        let tx = connection.transaction().expect("a transaction");
        create(&tx, &other, id, at(0)).expect("a session");
        delete_of_user(&tx, id, Some(&TOKEN)).expect("ended");
        tx.commit().expect("a commit");
        assert!(lasts(&connection, at(1)));
        assert_eq!(find(&connection, &other, at(1)).expect("an answer"), None);
        let tx = connection.transaction().expect("a transaction");
        delete_of_user(&tx, id, None).expect("ended");
        tx.commit().expect("a commit");
        assert!(!lasts(&connection, at(1)));
    }
}
