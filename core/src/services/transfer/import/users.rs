//! Mapping of the source's users to users of Ledge.

use std::collections::HashMap;

use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::rows::SourceUser;
use super::{ImportResult, refuse};
use crate::id::UserId;
use crate::store::account::user::{self, username_key};

/// Limit of users of a source.
const MAX_USERS: usize = 100_000;

/// Mapping that the administrator enters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UserMapping {
    /// Name or id of the user in the other program.
    pub theirs: String,
    /// Username in Ledge; null or an empty text skips the user.
    #[serde(default)]
    pub ours: Option<String>,
}

/// User of the source and the user of Ledge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MappedUser {
    /// Name in the other program.
    pub theirs: String,
    /// Username in Ledge; null if the data of this user is not imported.
    pub ours: Option<String>,
}

/// Destination of a user's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Destination {
    /// A user of Ledge.
    User(UserId),
    /// The administrator skips the user.
    Skipped,
    /// No user of Ledge has the name.
    Unmapped,
}

/// Mapped users of a source.
#[derive(Debug, Default)]
pub(super) struct Users {
    by_id: HashMap<String, (String, Destination)>,
    /// Mapping for the summary.
    pub(super) mapped: Vec<MappedUser>,
}

impl Users {
    /// Maps the users of a source by the entered mapping, otherwise by equal names.
    pub(super) fn new(
        conn: &Connection,
        theirs: Vec<SourceUser>,
        mapping: &[UserMapping],
    ) -> ImportResult<Self> {
        if theirs.len() > MAX_USERS {
            return refuse(format!("The source has more than {MAX_USERS} users."));
        }
        for entry in mapping {
            if !theirs.iter().any(|user| is_named(user, &entry.theirs)) {
                return refuse(format!(
                    "There is no user `{}` in the source, which has: {}.",
                    entry.theirs,
                    names(&theirs)
                ));
            }
        }
        let mut users = Self::default();
        for user in theirs {
            let (ours, destination) = destination(conn, &user, mapping)?;
            users.mapped.push(MappedUser {
                theirs: user.name.clone(),
                ours,
            });
            users.by_id.insert(user.id, (user.name, destination));
        }
        users.mapped.sort_by(|a, b| a.theirs.cmp(&b.theirs));
        Ok(users)
    }

    /// Returns the name of a user and the destination of the user's rows.
    pub(super) fn get(&self, id: &str) -> (String, Destination) {
        let found = self.by_id.get(id).cloned();
        found.unwrap_or_else(|| (id.to_owned(), Destination::Unmapped))
    }
}

fn names(users: &[SourceUser]) -> String {
    let names: Vec<&str> = users.iter().map(|user| &*user.name).take(20).collect();
    names.join(", ")
}

fn is_named(user: &SourceUser, name: &str) -> bool {
    let key = username_key(name);
    user.id == name
        || username_key(&user.name) == key
        || user.aliases.iter().any(|alias| username_key(alias) == key)
}

fn destination(
    conn: &Connection,
    theirs: &SourceUser,
    mapping: &[UserMapping],
) -> ImportResult<(Option<String>, Destination)> {
    let entered = mapping.iter().find(|entry| is_named(theirs, &entry.theirs));
    if let Some(entry) = entered {
        let Some(ours) = entry.ours.as_deref().filter(|ours| !ours.is_empty()) else {
            return Ok((None, Destination::Skipped));
        };
        let Some(id) = user::id_of(conn, ours)? else {
            return refuse(format!("There is no user `{ours}` in Ledge."));
        };
        return Ok((username(conn, id)?, Destination::User(id)));
    }
    if theirs.is_nameless {
        return Ok((None, Destination::Unmapped));
    }
    for name in std::iter::once(&theirs.name).chain(&theirs.aliases) {
        if let Some(id) = user::id_of(conn, name)? {
            return Ok((username(conn, id)?, Destination::User(id)));
        }
    }
    Ok((None, Destination::Unmapped))
}

fn username(conn: &Connection, id: UserId) -> ImportResult<Option<String>> {
    Ok(user::get(conn, id)?.map(|user| user.username))
}
