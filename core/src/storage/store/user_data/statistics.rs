//! Statistics of use. Sessions are stored as progress writes and views arrive; totals are computed
//! from them on request.

pub mod csv;
mod names;
mod overview;
mod pieces;
pub mod range;
pub mod record;
pub mod server;
pub mod session_list;
pub mod setting;
mod sums;
pub mod year;
pub mod zone;

use rusqlite::{Connection, Row, Transaction, named_params};

use crate::error::StoreResult;
use crate::id::{ItemId, UserId};
use crate::time::Timestamp;
use range::DateRange;

pub use overview::{Overview, overview};
pub use sums::{By, Entry, Key, Sums, Totals};

/// Longest session in hours. A longer sequence continues as another session, so that a range of
/// dates is found by the start of its sessions.
pub(crate) const MAX_HOURS: u64 = 24;

/// Stored session of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
struct StoredSession {
    /// `None` after a purge of the item.
    item: Option<ItemId>,
    kind: String,
    started_at: Timestamp,
    last_at: Timestamp,
    /// Pages by quarter of an hour since 1970.
    steps: Vec<(i64, i64)>,
    /// Time at which the item became finished in this session.
    finished_at: Option<Timestamp>,
}

impl StoredSession {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let steps: Option<String> = row.get(4)?;
        Ok(Self {
            item: row.get(0)?,
            kind: row.get(1)?,
            started_at: row.get(2)?,
            last_at: row.get(3)?,
            steps: parse_steps(steps.as_deref()),
            finished_at: row.get(5)?,
        })
    }
}

/// Parses the column `page_steps`. The text comes from this program only.
fn parse_steps(text: Option<&str>) -> Vec<(i64, i64)> {
    let parsed = text.and_then(|text| serde_json::from_str(text).ok());
    parsed.unwrap_or_default()
}

/// Sessions that begin in a range, or up to the longest session before it.
const OF_USER: &str = "
    SELECT item_id, kind, started_at, last_at, page_steps, finished_at
      FROM usage_session
     WHERE user_id = :user AND started_at >= :after AND started_at < :end AND last_at >= :start
     ORDER BY started_at";

/// Calls `visit` for each session of a user that touches the range, in the order of time.
fn visit_sessions(
    conn: &Connection,
    user: UserId,
    range: &DateRange,
    mut visit: impl FnMut(&StoredSession),
) -> StoreResult<()> {
    let mut statement = conn.prepare_cached(OF_USER)?;
    let mut rows = statement.query(named_params! {
        ":user": user,
        ":after": range.first_start(),
        ":start": range.start,
        ":end": range.end,
    })?;
    while let Some(row) = rows.next()? {
        visit(&StoredSession::read(row)?);
    }
    Ok(())
}

/// Deletes all sessions of a user.
pub fn delete_all(tx: &Transaction<'_>, user: UserId) -> StoreResult<()> {
    tx.prepare_cached("DELETE FROM usage_session WHERE user_id = :user")?
        .execute(named_params! { ":user": user })?;
    Ok(())
}
