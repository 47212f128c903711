//! Values of one item: progress, favourites, ratings, views, bookmarks, sessions and saves.

use rusqlite::Transaction;

use super::{Import, ItemRows, Outcome, Row, Value, bookmark, save, session, undated, views};
use crate::error::StoreResult;
use crate::id::{ItemId, UserId};
use crate::store::catalogue::batch::personal;
use crate::store::catalogue::batch::value::{Change, ChangedField};
use crate::store::user_data::progress::import::{Comparison, ProgressImport};
use crate::time::Timestamp;

/// Applies the rows of an item. Appends the outcomes, and returns the changes.
pub(super) fn apply(
    import: &Import,
    tx: &Transaction<'_>,
    rows: &ItemRows,
    outcomes: &mut Vec<(i64, Outcome)>,
) -> StoreResult<Vec<Change>> {
    let mut changes = Vec::new();
    for rows_of_user in rows.rows.chunk_by(|a, b| a.user == b.user) {
        let Some(first) = rows_of_user.first() else {
            continue;
        };
        let owner = (first.user, rows.item);
        let mut progress = ProgressImport::new(tx, owner, import.now);
        let mut bookmarks = bookmark::Bookmarks::new(tx, owner, import.dry_run);
        for row in rows_of_user {
            let outcome = match &row.value {
                // They are applied together, because they compete for one slot.
                Value::Save(_) => continue,
                Value::Progress { file, place } => {
                    comparison(progress.apply(*file, place, import.dry_run)?)
                }
                Value::Bookmark { .. } => bookmarks.apply(row, import.now, &mut changes)?,
                _ => single(import, tx, (owner, row), &mut changes)?,
            };
            outcomes.push((row.n, outcome));
        }
        let results = (&mut *outcomes, &mut changes);
        save::apply(import, tx, owner, rows_of_user, results)?;
        if let Some(marked) = progress.finish()? {
            let values = (&marked.old, &marked.new);
            changes.push(Change::new(Some(owner.0), ChangedField::Progress, values));
        }
    }
    Ok(changes)
}

fn comparison(comparison: Comparison) -> Outcome {
    match comparison {
        Comparison::Newer => Outcome::Taken,
        Comparison::Same => Outcome::Unchanged,
        Comparison::Older => Outcome::NewerHere,
        Comparison::Gone => Outcome::Unsupported,
    }
}

/// Applies a value that depends on no other value of the item.
fn single(
    import: &Import,
    tx: &Transaction<'_>,
    (owner, row): ((UserId, ItemId), &Row),
    changes: &mut Vec<Change>,
) -> StoreResult<Outcome> {
    match row.value {
        Value::Favourite(since) => favourite(import, tx, owner, since, changes),
        Value::Rating(rating, at) => rate(import, tx, owner, (rating, at), changes),
        Value::Views(n, at) => views::raise(import, tx, owner, (n, at), changes),
        Value::Session(start, length) => session::add(import, tx, owner, (start, length), changes),
        Value::Progress { .. } | Value::Bookmark { .. } | Value::Save(_) => {
            Ok(Outcome::Unsupported)
        }
    }
}

fn favourite(
    import: &Import,
    tx: &Transaction<'_>,
    owner: (UserId, ItemId),
    since: Option<Timestamp>,
    changes: &mut Vec<Change>,
) -> StoreResult<Outcome> {
    let old = personal::favourite(tx, owner)?;
    if old.is_some() {
        return Ok(Outcome::Unchanged);
    }
    if !import.dry_run {
        let new = Some(since.unwrap_or(import.now).min(import.now));
        personal::write_favourite(tx, owner, new)?;
        let field = ChangedField::Favourite;
        changes.push(Change::new(Some(owner.0), field, (&old, &new)));
    }
    Ok(Outcome::Taken)
}

fn rate(
    import: &Import,
    tx: &Transaction<'_>,
    owner: (UserId, ItemId),
    (rating, at): (u8, Option<Timestamp>),
    changes: &mut Vec<Change>,
) -> StoreResult<Outcome> {
    let at = at.unwrap_or_else(undated).min(import.now);
    let old = personal::rating(tx, owner)?;
    match old {
        Some((stored, _)) if stored == rating => return Ok(Outcome::Unchanged),
        Some((_, rated_at)) if rated_at >= at => return Ok(Outcome::NewerHere),
        _ => {}
    }
    if !import.dry_run {
        let new = Some((rating, at));
        personal::write_rating(tx, owner, new)?;
        let field = ChangedField::Rating;
        changes.push(Change::new(Some(owner.0), field, (&old, &new)));
    }
    Ok(Outcome::Taken)
}
