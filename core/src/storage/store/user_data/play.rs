//! Plays of files: at most one per second, user and file.

use std::time::Duration;

use rusqlite::{OptionalExtension, Transaction, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::statistics::record;
use super::view;
use crate::access::{Visible, VisibleFile, VisibleItem};
use crate::error::{StoreError, StoreResult};
use crate::time::Timestamp;

/// Age of the oldest play that is accepted.
const MAX_AGE: Duration = Duration::from_hours(366 * 24);
/// Tolerated difference of a client's clock. Later plays are refused.
const SLACK: Duration = Duration::from_mins(1);
/// A play counts as a view of its item only if the item had none in this time.
const BETWEEN_VIEWS: Duration = Duration::from_mins(1);
/// Age up to which a play opens a session, as a view does.
const CURRENT: Duration = Duration::from_mins(5);
const SECOND: i64 = 1_000_000;

/// Plays of a file by a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct Plays {
    /// Number of plays.
    pub plays: i64,
    /// Time of the last play.
    pub played_at: Timestamp,
}

/// Checks the time of a play. A time up to a minute in the future becomes the current time.
///
/// # Errors
///
/// Returns `Invalid` on `played_at` for a later time, and for a time more than a year ago.
pub fn check_time(played_at: Timestamp, now: Timestamp) -> StoreResult<Timestamp> {
    if played_at > now.plus(SLACK) || played_at < now.minus(MAX_AGE) {
        return Err(StoreError::Invalid {
            field: "played_at",
            message: "`played_at` is within the last year.".to_owned(),
        });
    }
    Ok(played_at.min(now))
}

/// Counts a play of a file, and a view of its item unless it had one in the last minute. A second
/// play in the same second changes nothing. Returns `None` if the file is gone.
///
/// # Errors
///
/// Returns `Invalid` on `played_at` as [`check_time`] does.
pub fn add(
    tx: &Transaction<'_>,
    file: VisibleFile,
    played_at: Timestamp,
    now: Timestamp,
) -> StoreResult<Option<Plays>> {
    let played_at = check_time(played_at, now)?;
    let Some(file) = file.again(tx)? else {
        return Ok(None);
    };
    let second = Timestamp::from_micros(played_at.as_micros().div_euclid(SECOND) * SECOND);
    let added = tx
        .prepare_cached(
            "INSERT INTO file_play (user_id, file_id, played_at)
             VALUES (:viewer, :file, :second)
                 ON CONFLICT DO NOTHING",
        )?
        .execute(named_params! {
            ":viewer": file.viewer(),
            ":file": file.id(),
            ":second": second,
        })?;
    if added > 0
        && let Some(item) = Visible::of(file.viewer()).item(tx, file.item())?
    {
        add_view(tx, item, played_at, now)?;
    }
    let plays = tx
        .prepare_cached(
            "SELECT n, played_at
               FROM file_play_total
              WHERE user_id = :viewer AND file_id = :file",
        )?
        .query_row(
            named_params! { ":viewer": file.viewer(), ":file": file.id() },
            |row| {
                Ok(Plays {
                    plays: row.get(0)?,
                    played_at: row.get(1)?,
                })
            },
        )?;
    Ok(Some(plays))
}

/// Counts a view at the time of a play, unless the last view is less than a minute away.
fn add_view(
    tx: &Transaction<'_>,
    item: VisibleItem,
    played_at: Timestamp,
    now: Timestamp,
) -> StoreResult<()> {
    let last: Option<Timestamp> = tx
        .prepare_cached(
            "SELECT viewed_at FROM item_view WHERE user_id = :viewer AND item_id = :item",
        )?
        .query_row(
            named_params! { ":viewer": item.viewer(), ":item": item.id() },
            |row| row.get(0),
        )
        .optional()?;
    let distance = last.map(|last| played_at.since(last).max(last.since(played_at)));
    if distance.is_some_and(|distance| distance < BETWEEN_VIEWS) {
        return Ok(());
    }
    // A session begins with the current time, so that earlier plays open none.
    if now.since(played_at) < CURRENT {
        record::add_view(tx, item, played_at)?;
    } else {
        view::add(tx, item, played_at)?;
    }
    Ok(())
}
