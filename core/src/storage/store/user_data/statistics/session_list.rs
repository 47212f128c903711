//! Stored sessions as a list.

use rusqlite::{Connection, Row, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::range::Bounds;
use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::ItemId;
use crate::paging::{Page, Window};
use crate::time::Timestamp;

/// Session of a user.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = UsageSession)]
pub struct Session {
    /// Time of the first write or view.
    pub start: Timestamp,
    /// Time of the last one.
    pub end: Timestamp,
    /// Kind of the item.
    #[schema(format = "kind")]
    pub kind: String,
    /// Id of the item; null if it is purged or not visible.
    pub item_id: Option<ItemId>,
    /// Title of the item; null if it is purged or not visible.
    pub title: Option<String>,
    /// Time in seconds.
    pub seconds: i64,
    /// Number of pages or sections.
    pub pages: i64,
    /// `true` if the item became finished in this session.
    pub finished: bool,
}

impl Session {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let (start, end): (Timestamp, Timestamp) = (row.get(0)?, row.get(1)?);
        let title: Option<String> = row.get(6)?;
        let item: Option<ItemId> = row.get(3)?;
        Ok(Self {
            start,
            end,
            kind: row.get(2)?,
            item_id: item.filter(|_| title.is_some()),
            title,
            seconds: (end.as_micros() - start.as_micros()).div_euclid(1_000_000),
            pages: row.get(4)?,
            finished: row.get(5)?,
        })
    }
}

/// The title is NULL if the item is not visible.
const PAGE: &str = "
    SELECT started_at, last_at, kind, item_id, pages, finished_at IS NOT NULL,
           (SELECT item.title
              FROM item
              JOIN library_grant AS g
                ON g.user_id = :viewer AND g.library_id = item.library_id
             WHERE item.id = usage_session.item_id)
      FROM usage_session
     WHERE user_id = :viewer AND started_at >= :after AND started_at < :end AND last_at >= :start
     ORDER BY started_at DESC, id DESC
     LIMIT :limit OFFSET :offset";

const COUNT: &str = "
    SELECT count(*)
      FROM usage_session
     WHERE user_id = :viewer AND started_at >= :after AND started_at < :end AND last_at >= :start";

/// Returns a page of a user's sessions that touch a range, the newest first.
pub fn page(
    conn: &Connection,
    visible: Visible,
    bounds: Bounds,
    window: Window,
) -> StoreResult<Page<Session>> {
    let total = conn.prepare_cached(COUNT)?.query_row(
        named_params! {
            ":viewer": visible.user(),
            ":after": bounds.after,
            ":start": bounds.start,
            ":end": bounds.end,
        },
        |row| row.get(0),
    )?;
    let mut statement = conn.prepare_cached(PAGE)?;
    let rows = statement.query_map(
        named_params! {
            ":viewer": visible.user(),
            ":after": bounds.after,
            ":start": bounds.start,
            ":end": bounds.end,
            ":limit": window.limit,
            ":offset": window.offset,
        },
        Session::read,
    )?;
    let items = rows.collect::<Result<_, _>>()?;
    Ok(Page::new(items, total, window))
}

/// Returns all sessions of a user that touch a range, the oldest first.
pub fn all(conn: &Connection, visible: Visible, bounds: Bounds) -> StoreResult<Vec<Session>> {
    let window = Window {
        offset: 0,
        limit: u32::MAX,
    };
    let mut sessions = page(conn, visible, bounds, window)?.items;
    sessions.reverse();
    Ok(sessions)
}
