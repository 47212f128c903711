//! Users: accounts and the rules between them.

mod name;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, named_params};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::clock::Timestamp;
use crate::id::{LibraryId, UserId};
use crate::store::in_order::InOrder;
use crate::store::{StoreError, StoreResult, session};

pub use name::{MAX_USERNAME, username_key, valid_username};

/// A user as the API shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct User {
    /// Its id.
    pub id: UserId,
    /// The name, as it was given.
    pub username: String,
    /// What the user may do.
    pub role: Role,
    /// Whether the user is kept out.
    pub disabled: bool,
    /// When the account was made.
    pub created_at: Timestamp,
    /// When the user was last here, to the minute.
    pub last_seen_at: Option<Timestamp>,
}

/// What a user may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Manages the server.
    Admin,
    /// Reads what was granted.
    #[default]
    User,
}

impl Role {
    /// The word in the database and the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::User => "user",
        }
    }
}

/// An account to be made.
#[derive(Debug, Clone)]
pub struct NewUser {
    /// The name; see [`valid_username`].
    pub username: String,
    /// The password's hash, in PHC form.
    pub password_hash: String,
    /// What the user may do.
    pub role: Role,
}

/// What to change about an account; `None` leaves it.
#[derive(Debug, Clone, Default)]
pub struct UserPatch {
    /// Another name.
    pub username: Option<String>,
    /// Another role.
    pub role: Option<Role>,
    /// Keep out, or let in again.
    pub disabled: Option<bool>,
}

/// What a login is checked against.
#[derive(Debug, Clone)]
pub struct Credentials {
    /// Whose they are.
    pub id: UserId,
    /// The password's hash, in PHC form.
    pub password_hash: String,
    /// Whether the user is kept out.
    pub disabled: bool,
}

impl Credentials {
    /// Whether these, read later, still let in whom `verified` let in.
    pub fn still_admits(&self, verified: &Self) -> bool {
        self.id == verified.id && self.password_hash == verified.password_hash && !self.disabled
    }
}

const COLUMNS: &str = "id, username, role, disabled, created_at, last_seen_at";

fn user(row: &Row<'_>) -> rusqlite::Result<User> {
    let mut row = InOrder::of(row);
    Ok(User {
        id: row.take()?,
        username: row.take()?,
        role: if row.take::<String>()? == Role::Admin.as_str() {
            Role::Admin
        } else {
            Role::User
        },
        disabled: row.take()?,
        created_at: row.take()?,
        last_seen_at: row.take()?,
    })
}

/// All users, by name.
pub fn list(connection: &Connection) -> StoreResult<Vec<User>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS}
           FROM user
          ORDER BY username_key"
    ))?;
    let rows = statement.query_map([], user)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// One user.
pub fn get(connection: &Connection, id: UserId) -> StoreResult<Option<User>> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {COLUMNS} FROM user WHERE id = :id"))?;
    Ok(statement
        .query_row(named_params! { ":id": id }, user)
        .optional()?)
}

/// The id behind a name, however its letters are written.
pub fn id_of(connection: &Connection, username: &str) -> StoreResult<Option<UserId>> {
    let mut statement =
        connection.prepare_cached("SELECT id FROM user WHERE username_key = :key")?;
    let key = username_key(username);
    Ok(statement
        .query_row(named_params! { ":key": key }, |row| row.get(0))
        .optional()?)
}

/// What a login under this name is checked against.
pub fn credentials(connection: &Connection, username: &str) -> StoreResult<Option<Credentials>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, password_hash, disabled
           FROM user
          WHERE username_key = :key",
    )?;
    let key = username_key(username);
    let found = statement
        .query_row(named_params! { ":key": key }, |row| {
            Ok(Credentials {
                id: row.get(0)?,
                password_hash: row.get(1)?,
                disabled: row.get(2)?,
            })
        })
        .optional()?;
    Ok(found)
}

/// Name and password hash of a user, for a change of the password.
pub fn password_of(connection: &Connection, id: UserId) -> StoreResult<Option<(String, String)>> {
    let mut statement =
        connection.prepare_cached("SELECT username, password_hash FROM user WHERE id = :id")?;
    Ok(statement
        .query_row(named_params! { ":id": id }, |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?)
}

/// Whether anybody is left who can manage the server.
pub fn has_enabled_administrator(connection: &Connection) -> StoreResult<bool> {
    Ok(connection.query_row(
        "SELECT EXISTS (SELECT 1 FROM user WHERE role = 'admin' AND disabled = 0)",
        [],
        |row| row.get(0),
    )?)
}

/// Makes an account.
pub fn create(tx: &Transaction<'_>, new: &NewUser, now: Timestamp) -> StoreResult<User> {
    let username = valid_username(&new.username)?;
    let inserted = tx
        .execute(
            "INSERT INTO user (username, username_key, password_hash, role, created_at)
             VALUES (:username, :key, :password_hash, :role, :now)",
            named_params! {
                ":username": username,
                ":key": username_key(&username),
                ":password_hash": new.password_hash,
                ":role": new.role.as_str(),
                ":now": now,
            },
        )
        .map_err(StoreError::from);
    named(inserted, &username)?;
    Ok(User {
        id: UserId(tx.last_insert_rowid()),
        username,
        role: new.role,
        disabled: false,
        created_at: now,
        last_seen_at: None,
    })
}

/// Changes an account; `None` if there is no such user. Who is kept out loses every session.
pub fn update(tx: &Transaction<'_>, id: UserId, patch: &UserPatch) -> StoreResult<Option<User>> {
    let Some(mut user) = get(tx, id)? else {
        return Ok(None);
    };
    if let Some(username) = &patch.username {
        user.username = valid_username(username)?;
    }
    user.role = patch.role.unwrap_or(user.role);
    user.disabled = patch.disabled.unwrap_or(user.disabled);
    let updated = tx
        .execute(
            "UPDATE user
                SET username = :username, username_key = :key, role = :role, disabled = :disabled
              WHERE id = :id",
            named_params! {
                ":id": id,
                ":username": user.username,
                ":key": username_key(&user.username),
                ":role": user.role.as_str(),
                ":disabled": user.disabled,
            },
        )
        .map_err(StoreError::from);
    named(updated, &user.username)?;
    refuse_leaderless(tx)?;
    if user.disabled {
        session::delete_of_user(tx, id, None)?;
    }
    Ok(Some(user))
}

/// Sets a password; `false` if there is no such user. Ends the user's sessions but one.
pub fn set_password(
    tx: &Transaction<'_>,
    id: UserId,
    password_hash: &str,
    keep: Option<&session::TokenHash>,
) -> StoreResult<bool> {
    let changed = tx.execute(
        "UPDATE user SET password_hash = :password_hash WHERE id = :id",
        named_params! { ":id": id, ":password_hash": password_hash },
    )?;
    session::delete_of_user(tx, id, keep)?;
    Ok(changed > 0)
}

/// Deletes an account with everything that belongs to it; `false` if there is no such user.
pub fn delete(tx: &Transaction<'_>, id: UserId) -> StoreResult<bool> {
    let deleted = tx.execute(
        "DELETE FROM user WHERE id = :id",
        named_params! { ":id": id },
    )?;
    if deleted > 0 {
        refuse_leaderless(tx)?;
    }
    Ok(deleted > 0)
}

/// The libraries granted to a user, by id.
pub fn libraries(connection: &Connection, id: UserId) -> StoreResult<Vec<LibraryId>> {
    let mut statement = connection.prepare_cached(
        "SELECT library_id
           FROM library_grant
          WHERE user_id = :user
          ORDER BY library_id",
    )?;
    let rows = statement.query_map(named_params! { ":user": id }, |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Makes a user's grants exactly these; `false` if there is no such user.
pub fn set_libraries(
    tx: &Transaction<'_>,
    id: UserId,
    libraries: &[LibraryId],
) -> StoreResult<bool> {
    if get(tx, id)?.is_none() {
        return Ok(false);
    }
    tx.execute(
        "DELETE FROM library_grant WHERE user_id = :user",
        named_params! { ":user": id },
    )?;
    let mut insert = tx.prepare_cached(
        "INSERT OR IGNORE INTO library_grant (user_id, library_id)
         SELECT :user, id FROM library WHERE id = :library",
    )?;
    let mut exists = tx.prepare_cached("SELECT 1 FROM library WHERE id = :library")?;
    for library in libraries {
        if !exists.exists(named_params! { ":library": library })? {
            return Err(StoreError::Invalid {
                field: "library_ids",
                message: format!("There is no library {library}."),
            });
        }
        insert.execute(named_params! { ":user": id, ":library": library })?;
    }
    Ok(true)
}

/// Tells a taken name from every other failure.
fn named<T>(result: StoreResult<T>, username: &str) -> StoreResult<T> {
    result.map_err(|error| {
        if error.is_unique_violation() {
            StoreError::Conflict(format!("There is a user named {username} already."))
        } else {
            error
        }
    })
}

/// The transaction's work is undone when this refuses.
fn refuse_leaderless(tx: &Transaction<'_>) -> StoreResult<()> {
    if has_enabled_administrator(tx)? {
        return Ok(());
    }
    Err(StoreError::Conflict(
        "This is the last enabled administrator; make another one first.".to_owned(),
    ))
}

#[cfg(test)]
mod tests;
