//! Data of a user about items, files and people.

use std::collections::HashMap;
use std::hash::Hash;

use rusqlite::{Connection, Row, named_params};

use super::list;
use crate::error::StoreResult;
use crate::id::{FileId, ItemId, PersonId, UserId};
use crate::time::Timestamp;

/// Data of a user about one item, file or person.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PersonalState {
    /// Time at which it became a favourite.
    pub favourite_at: Option<Timestamp>,
    /// Rating from 1 to 10.
    pub rating: Option<u8>,
    /// Number of plays or views.
    pub plays: i64,
    /// Time of the last one.
    pub played_at: Option<Timestamp>,
}

/// Reads the user's data about these items. Items without data are absent.
pub fn of_items(
    conn: &Connection,
    user: UserId,
    items: &[ItemId],
) -> StoreResult<HashMap<ItemId, PersonalState>> {
    let mut statement = conn.prepare_cached(
        "SELECT wanted.value, f.created_at, r.rating, ifnull(v.n, 0), v.viewed_at
           FROM json_each(:ids) AS wanted
           LEFT JOIN favourite AS f ON f.user_id = :viewer AND f.item_id = wanted.value
           LEFT JOIN rating AS r ON r.user_id = :viewer AND r.item_id = wanted.value
           LEFT JOIN item_view AS v ON v.user_id = :viewer AND v.item_id = wanted.value
          WHERE f.created_at IS NOT NULL OR r.rating IS NOT NULL OR v.n IS NOT NULL",
    )?;
    let rows = statement.query_map(
        named_params! { ":ids": list(items), ":viewer": user },
        state::<ItemId>,
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Reads the user's data about these files. Files without data are absent.
pub fn of_files(
    conn: &Connection,
    user: UserId,
    files: &[FileId],
) -> StoreResult<HashMap<FileId, PersonalState>> {
    let mut statement = conn.prepare_cached(
        "SELECT wanted.value, f.created_at, r.rating, ifnull(p.n, 0), p.played_at
           FROM json_each(:ids) AS wanted
           LEFT JOIN file_favourite AS f ON f.user_id = :viewer AND f.file_id = wanted.value
           LEFT JOIN file_rating AS r ON r.user_id = :viewer AND r.file_id = wanted.value
           LEFT JOIN file_play_total AS p ON p.user_id = :viewer AND p.file_id = wanted.value
          WHERE f.created_at IS NOT NULL OR r.rating IS NOT NULL OR p.n IS NOT NULL",
    )?;
    let rows = statement.query_map(
        named_params! { ":ids": list(files), ":viewer": user },
        state::<FileId>,
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Reads the user's data about these people. People without data are absent.
pub fn of_people(
    conn: &Connection,
    user: UserId,
    people: &[PersonId],
) -> StoreResult<HashMap<PersonId, PersonalState>> {
    let mut statement = conn.prepare_cached(
        "SELECT wanted.value, f.created_at, r.rating, 0, NULL
           FROM json_each(:ids) AS wanted
           LEFT JOIN person_favourite AS f ON f.user_id = :viewer AND f.person_id = wanted.value
           LEFT JOIN person_rating AS r ON r.user_id = :viewer AND r.person_id = wanted.value
          WHERE f.created_at IS NOT NULL OR r.rating IS NOT NULL",
    )?;
    let rows = statement.query_map(
        named_params! { ":ids": list(people), ":viewer": user },
        state::<PersonId>,
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Reads a row of id, favourite, rating, plays and last play.
fn state<Id: rusqlite::types::FromSql + Eq + Hash>(
    row: &Row<'_>,
) -> rusqlite::Result<(Id, PersonalState)> {
    Ok((
        row.get(0)?,
        PersonalState {
            favourite_at: row.get(1)?,
            rating: row.get(2)?,
            plays: row.get(3)?,
            played_at: row.get(4)?,
        },
    ))
}
