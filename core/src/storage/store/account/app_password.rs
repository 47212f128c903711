//! App passwords: secrets that open the protocols of other programs on behalf of a user. The table
//! contains only hashes, and the nonce from which the server's key derives the secret.

mod scope;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::{StoreError, StoreResult};
use crate::id::{AppPasswordId, UserId};
use crate::store::account::user::username_key;
use crate::time::Timestamp;

pub use scope::{Scope, Scopes};

/// Limit of app passwords per user.
pub const MAX_PASSWORDS: usize = 32;

/// SHA-256 of a secret, or of its MD5 in hexadecimal digits.
pub type SecretHash = [u8; 32];

/// Random input of a secret.
pub type Nonce = [u8; 16];

/// An app password without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct AppPassword {
    /// Id of the app password.
    pub id: AppPasswordId,
    /// Name that the user chose.
    pub name: String,
    /// Scopes that the app may use.
    #[schema(value_type = Vec<Scope>)]
    pub scopes: Scopes,
    /// `true` if a page that an app fetches becomes the progress position.
    pub pages_move_place: bool,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last use, with a resolution of one minute.
    pub last_used_at: Option<Timestamp>,
    /// Address of the last use.
    pub last_address: Option<String>,
    /// Name of the last app.
    pub last_client: Option<String>,
    /// Id of the last protocol.
    pub last_protocol: Option<String>,
}

/// What the table stores of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredSecret {
    /// Random input.
    pub nonce: Nonce,
    /// SHA-256 of the secret.
    pub secret_hash: SecretHash,
    /// SHA-256 of the MD5 of the secret, in hexadecimal digits.
    pub md5_hash: SecretHash,
}

/// Values of a new app password.
#[derive(Debug, Clone)]
pub struct NewAppPassword {
    /// Name.
    pub name: String,
    /// Scopes.
    pub scopes: Scopes,
    /// `true` if a fetched page becomes the progress position.
    pub pages_move_place: bool,
    /// The secret.
    pub secret: StoredSecret,
}

/// Changes of an app password; `None` keeps a value.
#[derive(Debug, Clone, Default)]
pub struct AppPasswordPatch {
    /// New name.
    pub name: Option<String>,
    /// `true` if a fetched page becomes the progress position.
    pub pages_move_place: Option<bool>,
}

/// Account and rights of an app password. Its user is not disabled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Id of the app password.
    pub id: AppPasswordId,
    /// Id of the user.
    pub user: UserId,
    /// `true` if the user is an administrator.
    pub admin: bool,
    /// Key of the username.
    pub username_key: String,
    /// Scopes.
    pub scopes: Scopes,
    /// `true` if a fetched page becomes the progress position.
    pub pages_move_place: bool,
    /// Time of the last use.
    pub last_used_at: Option<Timestamp>,
    /// The secret.
    pub secret: StoredSecret,
}

/// Use of an app password.
#[derive(Debug, Clone)]
pub struct Use {
    /// Address of the client.
    pub address: String,
    /// Name of the app.
    pub client: Option<String>,
    /// Id of the protocol.
    pub protocol: &'static str,
    /// Time of the use.
    pub now: Timestamp,
}

const COLUMNS: &str = "id, name, scopes, pages_move_place, created_at, last_used_at, last_address,
     last_client, last_protocol";

/// Returns the app passwords of a user in the order of their creation.
pub fn of_user(conn: &Connection, user: UserId) -> StoreResult<Vec<AppPassword>> {
    let sql = format!("SELECT {COLUMNS} FROM app_password WHERE user_id = :user ORDER BY id");
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement.query_map(named_params! { ":user": user }, row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns an app password of a user.
pub fn get(conn: &Connection, user: UserId, id: AppPasswordId) -> StoreResult<Option<AppPassword>> {
    let sql = format!("SELECT {COLUMNS} FROM app_password WHERE id = :id AND user_id = :user");
    let mut statement = conn.prepare_cached(&sql)?;
    let found = statement.query_row(named_params! { ":id": id, ":user": user }, row);
    Ok(found.optional()?)
}

fn row(row: &Row<'_>) -> rusqlite::Result<AppPassword> {
    Ok(AppPassword {
        id: row.get(0)?,
        name: row.get(1)?,
        scopes: row.get(2)?,
        pages_move_place: row.get(3)?,
        created_at: row.get(4)?,
        last_used_at: row.get(5)?,
        last_address: row.get(6)?,
        last_client: row.get(7)?,
        last_protocol: row.get(8)?,
    })
}

/// Creates an app password.
///
/// # Errors
///
/// Returns `Conflict` if the user has [`MAX_PASSWORDS`] already.
pub fn create(
    tx: &Transaction<'_>,
    user: UserId,
    new: &NewAppPassword,
    now: Timestamp,
) -> StoreResult<AppPassword> {
    if of_user(tx, user)?.len() >= MAX_PASSWORDS {
        return Err(StoreError::Conflict(format!(
            "You have {MAX_PASSWORDS} app passwords already: delete one first."
        )));
    }
    tx.prepare_cached(
        "INSERT INTO app_password (user_id, name, scopes, pages_move_place, nonce, secret_hash,
                                   md5_hash, created_at)
         VALUES (:user, :name, :scopes, :pages_move_place, :nonce, :secret_hash, :md5_hash, :now)",
    )?
    .execute(named_params! {
        ":user": user,
        ":name": new.name,
        ":scopes": new.scopes,
        ":pages_move_place": new.pages_move_place,
        ":nonce": new.secret.nonce,
        ":secret_hash": new.secret.secret_hash,
        ":md5_hash": new.secret.md5_hash,
        ":now": now,
    })?;
    let id = AppPasswordId(tx.last_insert_rowid());
    let created = get(tx, user, id)?;
    Ok(created.expect("the row was inserted in this transaction"))
}

/// Changes an app password of a user. Returns `None` if it is absent.
pub fn update(
    tx: &Transaction<'_>,
    (user, id): (UserId, AppPasswordId),
    patch: &AppPasswordPatch,
) -> StoreResult<Option<AppPassword>> {
    tx.prepare_cached(
        "UPDATE app_password
            SET name = ifnull(:name, name),
                pages_move_place = ifnull(:pages_move_place, pages_move_place)
          WHERE id = :id AND user_id = :user",
    )?
    .execute(named_params! {
        ":id": id,
        ":user": user,
        ":name": patch.name,
        ":pages_move_place": patch.pages_move_place,
    })?;
    get(tx, user, id)
}

/// Deletes an app password of a user. Returns `false` if it is absent.
pub fn delete(tx: &Transaction<'_>, user: UserId, id: AppPasswordId) -> StoreResult<bool> {
    let deleted = tx
        .prepare_cached("DELETE FROM app_password WHERE id = :id AND user_id = :user")?
        .execute(named_params! { ":id": id, ":user": user })?;
    Ok(deleted > 0)
}

/// Deletes all app passwords of a user.
pub fn delete_of_user(tx: &Transaction<'_>, user: UserId) -> StoreResult<()> {
    tx.prepare_cached("DELETE FROM app_password WHERE user_id = :user")?
        .execute(named_params! { ":user": user })?;
    Ok(())
}

const BY_SECRET: &str = "
    SELECT p.id, p.user_id, user.role = 'admin', user.username_key, p.scopes, p.pages_move_place,
           p.last_used_at, p.nonce, p.secret_hash, p.md5_hash
      FROM app_password AS p
      JOIN user ON user.id = p.user_id
     WHERE p.secret_hash = :hash AND user.disabled = 0";

const BY_MD5: &str = "
    SELECT p.id, p.user_id, user.role = 'admin', user.username_key, p.scopes, p.pages_move_place,
           p.last_used_at, p.nonce, p.secret_hash, p.md5_hash
      FROM app_password AS p
      JOIN user ON user.id = p.user_id
     WHERE p.md5_hash = :hash AND user.disabled = 0";

const BY_NAME: &str = "
    SELECT p.id, p.user_id, user.role = 'admin', user.username_key, p.scopes, p.pages_move_place,
           p.last_used_at, p.nonce, p.secret_hash, p.md5_hash
      FROM user
      JOIN app_password AS p ON p.user_id = user.id
     WHERE user.username_key = :name AND user.disabled = 0
     ORDER BY p.id";

/// Returns the holder of a secret by its SHA-256, if the user is not disabled.
pub fn by_secret(conn: &Connection, hash: &SecretHash) -> StoreResult<Option<Holder>> {
    let mut statement = conn.prepare_cached(BY_SECRET)?;
    let found = statement.query_row(named_params! { ":hash": hash }, holder);
    Ok(found.optional()?)
}

/// Returns the holder of a secret by the SHA-256 of its MD5, if the user is not disabled.
pub fn by_md5(conn: &Connection, hash: &SecretHash) -> StoreResult<Option<Holder>> {
    let mut statement = conn.prepare_cached(BY_MD5)?;
    let found = statement.query_row(named_params! { ":hash": hash }, holder);
    Ok(found.optional()?)
}

/// Returns the app passwords of a user by name. Returns none for a disabled user.
pub fn by_username(conn: &Connection, username: &str) -> StoreResult<Vec<Holder>> {
    let mut statement = conn.prepare_cached(BY_NAME)?;
    let rows = statement.query_map(named_params! { ":name": username_key(username) }, holder)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn holder(row: &Row<'_>) -> rusqlite::Result<Holder> {
    Ok(Holder {
        id: row.get(0)?,
        user: row.get(1)?,
        admin: row.get(2)?,
        username_key: row.get(3)?,
        scopes: row.get(4)?,
        pages_move_place: row.get(5)?,
        last_used_at: row.get(6)?,
        secret: StoredSecret {
            nonce: row.get(7)?,
            secret_hash: row.get(8)?,
            md5_hash: row.get(9)?,
        },
    })
}

/// Records a use of an app password, and the activity of its user.
pub fn record_use(tx: &Transaction<'_>, id: AppPasswordId, usage: &Use) -> StoreResult<()> {
    let user: Option<UserId> = tx
        .prepare_cached(
            "UPDATE app_password
                SET last_used_at = :now, last_address = :address, last_client = :client,
                    last_protocol = :protocol
              WHERE id = :id
          RETURNING user_id",
        )?
        .query_row(
            named_params! {
                ":id": id,
                ":now": usage.now,
                ":address": usage.address,
                ":client": usage.client,
                ":protocol": usage.protocol,
            },
            |row| row.get(0),
        )
        .optional()?;
    if let Some(user) = user {
        tx.prepare_cached("UPDATE user SET last_seen_at = :now WHERE id = :user")?
            .execute(named_params! { ":user": user, ":now": usage.now })?;
    }
    Ok(())
}
