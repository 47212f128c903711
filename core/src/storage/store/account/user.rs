//! User accounts and the rules between them.

mod name;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, named_params};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::error::{StoreError, StoreResult};
use crate::id::{LibraryId, UserId};
use crate::store::account::{app_password, session};
use crate::store::catalogue::column_reader::ColumnReader;
use crate::time::Timestamp;

pub use name::{MAX_USERNAME, username_key, valid_username};

/// A user, as the API returns it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct User {
    /// Id of the user.
    pub id: UserId,
    /// Username in its original spelling.
    pub username: String,
    /// Role of the user.
    pub role: Role,
    /// `true` if the user cannot log in.
    pub disabled: bool,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last activity, with a resolution of one minute.
    pub last_seen_at: Option<Timestamp>,
}

/// Role of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Administrator of the server.
    Admin,
    /// User who sees the granted libraries.
    #[default]
    User,
}

impl Role {
    /// Returns the value for the database and the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::User => "user",
        }
    }
}

/// Values of a new account.
#[derive(Debug, Clone)]
pub struct NewUser {
    /// Username; see [`valid_username`].
    pub username: String,
    /// Password hash in PHC format.
    pub password_hash: String,
    /// Role of the user.
    pub role: Role,
}

/// Changes to an account; `None` keeps a value.
#[derive(Debug, Clone, Default)]
pub struct UserPatch {
    /// New username.
    pub username: Option<String>,
    /// New role.
    pub role: Option<Role>,
    /// `true` disables the account, `false` enables it.
    pub disabled: Option<bool>,
}

/// Stored credentials that a login is verified with.
#[derive(Debug, Clone)]
pub struct Credentials {
    /// Id of the user.
    pub id: UserId,
    /// Password hash in PHC format.
    pub password_hash: String,
    /// `true` if the account is disabled.
    pub disabled: bool,
}

impl Credentials {
    /// Returns `true` if these credentials, read later, are valid for the user that `verified`
    /// identified.
    pub fn is_valid_for(&self, verified: &Self) -> bool {
        self.id == verified.id && self.password_hash == verified.password_hash && !self.disabled
    }
}

const COLUMNS: &str = "id, username, role, disabled, created_at, last_seen_at";

fn user(row: &Row<'_>) -> rusqlite::Result<User> {
    let mut row = ColumnReader::of(row);
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

/// Returns all users, ordered by name.
pub fn list(connection: &Connection) -> StoreResult<Vec<User>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS}
           FROM user
          ORDER BY username_key"
    ))?;
    let rows = statement.query_map([], user)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Reads one user.
pub fn get(connection: &Connection, id: UserId) -> StoreResult<Option<User>> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {COLUMNS} FROM user WHERE id = :id"))?;
    Ok(statement
        .query_row(named_params! { ":id": id }, user)
        .optional()?)
}

/// Returns the id of a username, in any case and composition.
pub fn id_of(connection: &Connection, username: &str) -> StoreResult<Option<UserId>> {
    let mut statement =
        connection.prepare_cached("SELECT id FROM user WHERE username_key = :key")?;
    let key = username_key(username);
    Ok(statement
        .query_row(named_params! { ":key": key }, |row| row.get(0))
        .optional()?)
}

/// Returns the stored credentials of a username.
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

/// Returns username and password hash of a user, for a change of the password.
pub fn password_of(connection: &Connection, id: UserId) -> StoreResult<Option<(String, String)>> {
    let mut statement =
        connection.prepare_cached("SELECT username, password_hash FROM user WHERE id = :id")?;
    Ok(statement
        .query_row(named_params! { ":id": id }, |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?)
}

/// Returns `true` if an enabled administrator exists.
pub fn has_enabled_administrator(connection: &Connection) -> StoreResult<bool> {
    Ok(connection.query_row(
        "SELECT EXISTS (SELECT 1 FROM user WHERE role = 'admin' AND disabled = 0)",
        [],
        |row| row.get(0),
    )?)
}

/// Creates an account.
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

/// Updates an account. Returns `None` if it is absent. Disabling it ends all its sessions.
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
    require_administrator(tx)?;
    if user.disabled {
        session::delete_of_user(tx, id, None)?;
    }
    Ok(Some(user))
}

/// Logins that a change of the password does not end.
#[derive(Debug, Clone, Copy, Default)]
pub struct Kept<'a> {
    /// A session.
    pub session: Option<&'a session::TokenHash>,
    /// `true` for the app passwords.
    pub app_passwords: bool,
}

/// Sets a password, and ends the user's sessions and app passwords except the kept ones. Returns
/// `false` if the user is absent.
pub fn set_password(
    tx: &Transaction<'_>,
    id: UserId,
    password_hash: &str,
    kept: Kept<'_>,
) -> StoreResult<bool> {
    let changed = tx.execute(
        "UPDATE user SET password_hash = :password_hash WHERE id = :id",
        named_params! { ":id": id, ":password_hash": password_hash },
    )?;
    session::delete_of_user(tx, id, kept.session)?;
    if !kept.app_passwords {
        app_password::delete_of_user(tx, id)?;
    }
    Ok(changed > 0)
}

/// Deletes an account with all its data. Returns `false` if it is absent.
pub fn delete(tx: &Transaction<'_>, id: UserId) -> StoreResult<bool> {
    let deleted = tx.execute(
        "DELETE FROM user WHERE id = :id",
        named_params! { ":id": id },
    )?;
    if deleted > 0 {
        require_administrator(tx)?;
    }
    Ok(deleted > 0)
}

/// Returns the libraries granted to a user, ordered by id.
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

/// Replaces a user's grants. Returns `false` if the user is absent.
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

/// Converts a violated unique constraint to a conflict about the username.
fn named<T>(result: StoreResult<T>, username: &str) -> StoreResult<T> {
    result.map_err(|error| {
        if error.is_unique_violation() {
            StoreError::Conflict(format!("There is a user named {username} already."))
        } else {
            error
        }
    })
}

/// Rejects the change if no enabled administrator is left; the caller's transaction is rolled back.
fn require_administrator(tx: &Transaction<'_>) -> StoreResult<()> {
    if has_enabled_administrator(tx)? {
        return Ok(());
    }
    Err(StoreError::Conflict(
        "This is the last enabled administrator; make another one first.".to_owned(),
    ))
}

#[cfg(test)]
mod tests;
