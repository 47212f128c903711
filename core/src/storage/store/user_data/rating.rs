//! Ratings of a user, from 1 to 10: items, files and people.

use rusqlite::{Transaction, named_params};

use crate::access::{VisibleFile, VisibleItem, VisiblePerson};
use crate::error::StoreResult;
use crate::time::Timestamp;

/// Stores the viewer's rating of an item. Returns `false` if the item is gone.
pub fn set(
    tx: &Transaction<'_>,
    item: VisibleItem,
    rating: u8,
    now: Timestamp,
) -> StoreResult<bool> {
    let Some(item) = item.again(tx)? else {
        return Ok(false);
    };
    tx.prepare_cached(
        "INSERT INTO rating (user_id, item_id, rating, rated_at)
         VALUES (:viewer, :item, :rating, :now)
             ON CONFLICT (user_id, item_id) DO UPDATE
            SET rating = excluded.rating, rated_at = excluded.rated_at",
    )?
    .execute(named_params! {
        ":viewer": item.viewer(),
        ":item": item.id(),
        ":rating": rating,
        ":now": now,
    })?;
    Ok(true)
}

/// Removes the viewer's rating of an item. Repeated calls succeed. Returns `false` if the item is
/// gone.
pub fn remove(tx: &Transaction<'_>, item: VisibleItem) -> StoreResult<bool> {
    let Some(item) = item.again(tx)? else {
        return Ok(false);
    };
    tx.prepare_cached("DELETE FROM rating WHERE user_id = :viewer AND item_id = :item")?
        .execute(named_params! { ":viewer": item.viewer(), ":item": item.id() })?;
    Ok(true)
}

/// Stores the viewer's rating of a file. Returns `false` if the file is gone.
pub fn set_file(
    tx: &Transaction<'_>,
    file: VisibleFile,
    rating: u8,
    now: Timestamp,
) -> StoreResult<bool> {
    let Some(file) = file.again(tx)? else {
        return Ok(false);
    };
    tx.prepare_cached(
        "INSERT INTO file_rating (user_id, file_id, rating, rated_at)
         VALUES (:viewer, :file, :rating, :now)
             ON CONFLICT (user_id, file_id) DO UPDATE
            SET rating = excluded.rating, rated_at = excluded.rated_at",
    )?
    .execute(named_params! {
        ":viewer": file.viewer(),
        ":file": file.id(),
        ":rating": rating,
        ":now": now,
    })?;
    Ok(true)
}

/// Removes the viewer's rating of a file. Repeated calls succeed. Returns `false` if the file is gone.
pub fn remove_file(tx: &Transaction<'_>, file: VisibleFile) -> StoreResult<bool> {
    let Some(file) = file.again(tx)? else {
        return Ok(false);
    };
    tx.prepare_cached("DELETE FROM file_rating WHERE user_id = :viewer AND file_id = :file")?
        .execute(named_params! { ":viewer": file.viewer(), ":file": file.id() })?;
    Ok(true)
}

/// Stores the viewer's rating of a person. Returns `false` if the person is gone.
pub fn set_person(
    tx: &Transaction<'_>,
    person: VisiblePerson,
    rating: u8,
    now: Timestamp,
) -> StoreResult<bool> {
    let Some(person) = person.again(tx)? else {
        return Ok(false);
    };
    tx.prepare_cached(
        "INSERT INTO person_rating (user_id, person_id, rating, rated_at)
         VALUES (:viewer, :person, :rating, :now)
             ON CONFLICT (user_id, person_id) DO UPDATE
            SET rating = excluded.rating, rated_at = excluded.rated_at",
    )?
    .execute(named_params! {
        ":viewer": person.viewer(),
        ":person": person.id(),
        ":rating": rating,
        ":now": now,
    })?;
    Ok(true)
}

/// Removes the viewer's rating of a person. Repeated calls succeed. Returns `false` if the person is gone.
pub fn remove_person(tx: &Transaction<'_>, person: VisiblePerson) -> StoreResult<bool> {
    let Some(person) = person.again(tx)? else {
        return Ok(false);
    };
    tx.prepare_cached("DELETE FROM person_rating WHERE user_id = :viewer AND person_id = :person")?
        .execute(named_params! { ":viewer": person.viewer(), ":person": person.id() })?;
    Ok(true)
}
