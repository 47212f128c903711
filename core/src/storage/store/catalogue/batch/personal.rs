//! Changes of a user's own favourites, ratings and progress.

use rusqlite::{OptionalExtension, Transaction, named_params};

use super::snapshot::parse;
use super::value::{Change, ChangedField};
use crate::access::VisibleItem;
use crate::error::StoreResult;
use crate::id::{ItemId, UserId};
use crate::store::user_data::progress::mark;
use crate::time::Timestamp;

/// Time at which an item became a favourite.
pub(super) type Favourite = Option<Timestamp>;
/// A rating and its time.
pub(super) type Rating = Option<(u8, Timestamp)>;

/// Makes an item a favourite, or removes it. Returns the change, or `None` if there is none.
pub(super) fn set_favourite(
    tx: &Transaction<'_>,
    item: VisibleItem,
    wanted: bool,
    now: Timestamp,
) -> StoreResult<Option<Change>> {
    let owner = (item.viewer(), item.id());
    let old = favourite(tx, owner)?;
    if old.is_some() == wanted {
        return Ok(None);
    }
    let new = wanted.then_some(now);
    write_favourite(tx, owner, new)?;
    let change = Change::new(Some(item.viewer()), ChangedField::Favourite, (&old, &new));
    Ok(Some(change))
}

/// Restores a favourite. Returns `false` if the item was changed since.
pub(super) fn restore_favourite(
    tx: &Transaction<'_>,
    owner: (UserId, ItemId),
    change: &Change,
) -> StoreResult<bool> {
    let (old, new) = (
        parse::<Favourite>(&change.old),
        parse::<Favourite>(&change.new),
    );
    let (Some(old), Some(new)) = (old, new) else {
        return Ok(false);
    };
    if favourite(tx, owner)?.is_some() != new.is_some() {
        return Ok(false);
    }
    write_favourite(tx, owner, old)?;
    Ok(true)
}

/// Returns the time since which an item is a favourite of the user.
pub(super) fn favourite(
    tx: &Transaction<'_>,
    (user, item): (UserId, ItemId),
) -> StoreResult<Favourite> {
    let mut statement = tx.prepare_cached(
        "SELECT created_at FROM favourite WHERE user_id = :user AND item_id = :item",
    )?;
    let found = statement
        .query_row(named_params! { ":user": user, ":item": item }, |row| {
            row.get(0)
        })
        .optional()?;
    Ok(found)
}

/// Makes an item a favourite since this time, or removes it.
pub(super) fn write_favourite(
    tx: &Transaction<'_>,
    (user, item): (UserId, ItemId),
    since: Favourite,
) -> StoreResult<()> {
    tx.prepare_cached("DELETE FROM favourite WHERE user_id = :user AND item_id = :item")?
        .execute(named_params! { ":user": user, ":item": item })?;
    if let Some(since) = since {
        tx.prepare_cached(
            "INSERT INTO favourite (user_id, item_id, created_at) VALUES (:user, :item, :since)",
        )?
        .execute(named_params! { ":user": user, ":item": item, ":since": since })?;
    }
    Ok(())
}

/// Rates an item, or removes the rating. Returns the change, or `None` if there is none.
pub(super) fn set_rating(
    tx: &Transaction<'_>,
    item: VisibleItem,
    wanted: Option<u8>,
    now: Timestamp,
) -> StoreResult<Option<Change>> {
    let owner = (item.viewer(), item.id());
    let old = rating(tx, owner)?;
    if old.map(|(rating, _)| rating) == wanted {
        return Ok(None);
    }
    let new = wanted.map(|rating| (rating, now));
    write_rating(tx, owner, new)?;
    let change = Change::new(Some(item.viewer()), ChangedField::Rating, (&old, &new));
    Ok(Some(change))
}

/// Restores a rating. Returns `false` if the item was rated since.
pub(super) fn restore_rating(
    tx: &Transaction<'_>,
    owner: (UserId, ItemId),
    change: &Change,
) -> StoreResult<bool> {
    let (old, new) = (parse::<Rating>(&change.old), parse::<Rating>(&change.new));
    let (Some(old), Some(new)) = (old, new) else {
        return Ok(false);
    };
    let value = |rating: Rating| rating.map(|(rating, _)| rating);
    if value(rating(tx, owner)?) != value(new) {
        return Ok(false);
    }
    write_rating(tx, owner, old)?;
    Ok(true)
}

/// Returns the rating of the user with its time.
pub(super) fn rating(tx: &Transaction<'_>, (user, item): (UserId, ItemId)) -> StoreResult<Rating> {
    let mut statement = tx.prepare_cached(
        "SELECT rating, rated_at FROM rating WHERE user_id = :user AND item_id = :item",
    )?;
    let found = statement
        .query_row(named_params! { ":user": user, ":item": item }, |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    Ok(found)
}

/// Writes a rating with its time, or removes it.
pub(super) fn write_rating(
    tx: &Transaction<'_>,
    (user, item): (UserId, ItemId),
    value: Rating,
) -> StoreResult<()> {
    tx.prepare_cached("DELETE FROM rating WHERE user_id = :user AND item_id = :item")?
        .execute(named_params! { ":user": user, ":item": item })?;
    if let Some((rating, rated_at)) = value {
        tx.prepare_cached(
            "INSERT INTO rating (user_id, item_id, rating, rated_at)
             VALUES (:user, :item, :rating, :rated_at)",
        )?
        .execute(named_params! {
            ":user": user,
            ":item": item,
            ":rating": rating,
            ":rated_at": rated_at,
        })?;
    }
    Ok(())
}

/// Finishes all files of an item, or resets its progress. Returns the change, or `None` if there is
/// none.
pub(super) fn set_finished(
    tx: &Transaction<'_>,
    item: VisibleItem,
    wanted: bool,
    now: Timestamp,
) -> StoreResult<Option<Change>> {
    let owner = (item.viewer(), item.id());
    let marked = if wanted {
        mark::finish(tx, owner, now)?
    } else {
        mark::reset(tx, owner, now)?
    };
    let changed = !marked.new.is_empty();
    let values = (&marked.old, &marked.new);
    let field = ChangedField::Progress;
    Ok(changed.then(|| Change::new(Some(item.viewer()), field, values)))
}

/// Restores the progress in the files of an item. Returns `false` if one of them has other progress
/// now.
pub(super) fn restore_progress(
    tx: &Transaction<'_>,
    user: UserId,
    change: &Change,
    now: Timestamp,
) -> StoreResult<bool> {
    let (Some(old), Some(new)) = (parse(&change.old), parse(&change.new)) else {
        return Ok(false);
    };
    mark::restore(tx, user, &mark::Marked { old, new }, now)
}
