//! Numbers of views. An import raises them to the number of the source.

use rusqlite::{OptionalExtension, Transaction, named_params};

use super::{Import, Outcome, undated};
use crate::error::StoreResult;
use crate::id::{ItemId, UserId};
use crate::store::catalogue::batch::snapshot::parse;
use crate::store::catalogue::batch::value::{Change, ChangedField};
use crate::time::Timestamp;

/// Number of views and the time of the last one; `None` without views.
type Views = Option<(i64, Timestamp)>;

/// Raises the number of views.
pub(super) fn raise(
    import: &Import,
    tx: &Transaction<'_>,
    owner: (UserId, ItemId),
    (n, at): (i64, Option<Timestamp>),
    changes: &mut Vec<Change>,
) -> StoreResult<Outcome> {
    let old = read(tx, owner)?;
    if n < 1 || old.is_some_and(|(stored, _)| stored >= n) {
        return Ok(Outcome::Unchanged);
    }
    if !import.dry_run {
        let at = at.unwrap_or_else(undated).min(import.now);
        let new: Views = Some((n, old.map_or(at, |(_, viewed_at)| viewed_at.max(at))));
        write(tx, owner, new)?;
        let field = ChangedField::Views;
        changes.push(Change::new(Some(owner.0), field, (&old, &new)));
    }
    Ok(Outcome::Taken)
}

/// Restores the earlier number. Returns `false` if it was changed since.
pub(in crate::storage::store::catalogue::batch) fn restore(
    tx: &Transaction<'_>,
    owner: (UserId, ItemId),
    change: &Change,
) -> StoreResult<bool> {
    let (Some(old), Some(new)) = (parse::<Views>(&change.old), parse::<Views>(&change.new)) else {
        return Ok(false);
    };
    if read(tx, owner)? != new {
        return Ok(false);
    }
    write(tx, owner, old)?;
    Ok(true)
}

fn read(tx: &Transaction<'_>, (user, item): (UserId, ItemId)) -> StoreResult<Views> {
    let mut statement = tx.prepare_cached(
        "SELECT n, viewed_at FROM item_view WHERE user_id = :user AND item_id = :item",
    )?;
    let found = statement.query_row(named_params! { ":user": user, ":item": item }, |row| {
        Ok((row.get(0)?, row.get(1)?))
    });
    Ok(found.optional()?)
}

fn write(tx: &Transaction<'_>, (user, item): (UserId, ItemId), views: Views) -> StoreResult<()> {
    let Some((n, viewed_at)) = views else {
        tx.prepare_cached("DELETE FROM item_view WHERE user_id = :user AND item_id = :item")?
            .execute(named_params! { ":user": user, ":item": item })?;
        return Ok(());
    };
    tx.prepare_cached(
        "INSERT INTO item_view (user_id, item_id, library_id, n, viewed_at)
         SELECT :user, :item, item.library_id, :n, :viewed_at
           FROM item
          WHERE item.id = :item
             ON CONFLICT (user_id, item_id)
             DO UPDATE SET n = excluded.n, viewed_at = excluded.viewed_at",
    )?
    .execute(named_params! {
        ":user": user,
        ":item": item,
        ":n": n,
        ":viewed_at": viewed_at,
    })?;
    Ok(())
}
