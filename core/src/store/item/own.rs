//! What a viewer has begun and what they love, as sets of ids in memory: most items of a page are
//! among neither, and need not be looked for in the viewer's rows.

use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, named_params};

use crate::access::Visible;
use crate::db::id_set::IdSet;
use crate::db::id_set::kept::Key;
use crate::db::presence::View;
use crate::id::{ItemId, UserId};
use crate::store::StoreResult;

pub(super) const FAVOURITES: &str = "
    SELECT item_id
      FROM favourite
     WHERE user_id = :of";

pub(super) const BEGUN: &str = "
    SELECT item_id
      FROM item_progress INDEXED BY item_progress_by_state
     WHERE user_id = :of AND finished IN (0, 1)";

/// A viewer with fewer rows than this has them on a few pages, where looking is as quick as having
/// a set.
const FEW: u32 = if cfg!(test) { 2 } else { 500 };

/// Whether there are so many that sets are worth their memory; it stops counting there.
const IS_MANY: &str = "
    SELECT (SELECT count(*) FROM (
                SELECT 1
                  FROM item_progress INDEXED BY item_progress_by_state
                 WHERE user_id = :of AND finished IN (0, 1)
                 LIMIT :few)) = :few
        OR (SELECT count(*) FROM (
                SELECT 1
                  FROM favourite
                 WHERE user_id = :of
                 LIMIT :few)) = :few";

/// A viewer's items.
pub(crate) struct Own {
    begun: Arc<IdSet>,
    loved: Arc<IdSet>,
}

impl Own {
    /// `None` where there are few, and while it is not known that nothing changes them.
    pub(crate) fn of(
        conn: &Connection,
        view: Option<&View>,
        visible: Visible,
    ) -> StoreResult<Option<Self>> {
        let viewer = visible.user();
        let Some((view, state)) = view.and_then(|view| Some((view, view.viewers_state(viewer)?)))
        else {
            return Ok(None);
        };
        let known = |sql| view.kept().find_of(&key(state, sql, viewer.0));
        if let (Some(begun), Some(loved)) = (known(BEGUN), known(FAVOURITES)) {
            return Ok(Some(Self { begun, loved }));
        }
        if !are_many(conn, viewer)? {
            return Ok(None);
        }
        let set = |sql| kept(conn, view, viewer, sql, Duration::ZERO);
        let (begun, loved) = (set(BEGUN)?, set(FAVOURITES)?);
        Ok(Some(Self { begun, loved }))
    }

    /// The items that the viewer has begun, finished or not.
    pub(crate) fn begun(&self) -> &IdSet {
        &self.begun
    }

    /// Whether the viewer has any row about the item that a card shows.
    pub(super) fn has(&self, id: ItemId) -> bool {
        self.begun.contains(id) || self.loved.contains(id)
    }
}

fn are_many(conn: &Connection, viewer: UserId) -> StoreResult<bool> {
    let mut statement = conn.prepare_cached(IS_MANY)?;
    let is_many = statement.query_row(named_params! { ":of": viewer, ":few": FEW }, |row| {
        row.get(0)
    })?;
    Ok(is_many)
}

/// A set of the viewer's rows, from an earlier request where nothing has changed since. One that
/// took `worth` to make is kept.
pub(super) fn kept(
    conn: &Connection,
    view: &View,
    viewer: UserId,
    sql: &'static str,
    worth: Duration,
) -> StoreResult<Arc<IdSet>> {
    let state = || view.viewers_state(viewer);
    let Some(before) = state() else {
        return Ok(Arc::new(ids(conn, sql, viewer.0)?));
    };
    view.kept().get_while(
        key(before, sql, viewer.0),
        worth,
        |_| ids(conn, sql, viewer.0),
        || state() == Some(before),
    )
}

fn key(state: u64, sql: &'static str, viewer: i64) -> Key {
    Key {
        state: state.to_le_bytes().to_vec(),
        sql,
        query: viewer.to_string(),
    }
}

/// The ids that a statement tells of one user, person or series.
pub(super) fn ids(conn: &Connection, sql: &str, of: i64) -> StoreResult<IdSet> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(named_params! { ":of": of })?;
    let mut ids = IdSet::default();
    while let Some(row) = rows.next()? {
        ids.insert(row.get(0)?);
    }
    Ok(ids)
}

#[cfg(test)]
mod tests;
