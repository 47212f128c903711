//! What a viewer has begun and what they love, as sets of ids in memory: most items of a page are
//! among neither, and need not be looked for in the viewer's rows.

use std::sync::Arc;

use rusqlite::{Connection, named_params};

use crate::access::Visible;
use crate::db::id_set::IdSet;
use crate::db::presence::{OwnSets, View};
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

/// A viewer with fewer rows than this has them on some twenty pages, where looking is as quick.
const MANY: u32 = if cfg!(test) { 2 } else { 1000 };
/// For fewer items than this no sets are made, only used.
const WORTH: usize = if cfg!(test) { 2 } else { 20 };

/// Whether there are so many; it stops counting there.
const ARE_MANY: &str = "
    SELECT (SELECT count(*) FROM (
                SELECT 1
                  FROM item_progress INDEXED BY item_progress_by_state
                 WHERE user_id = :of AND finished IN (0, 1)
                 LIMIT :many)) = :many
        OR (SELECT count(*) FROM (
                SELECT 1
                  FROM favourite
                 WHERE user_id = :of
                 LIMIT :many)) = :many";

const HAS: &str = "
    SELECT EXISTS (SELECT 1 FROM item_progress WHERE user_id = :of AND item_id = :item),
           EXISTS (SELECT 1 FROM favourite WHERE user_id = :of AND item_id = :item)";

/// A viewer's items, as they were when this was asked for.
pub(crate) struct Own<'a> {
    view: &'a View,
    viewer: UserId,
    state: u64,
    begun: Arc<IdSet>,
    loved: Arc<IdSet>,
}

impl<'a> Own<'a> {
    /// For a page of so many items. `None` where there are few, and where what the viewer has is
    /// changing right now.
    ///
    /// What the transaction reads later is of the same moment for as long as
    /// [it holds](Self::holds).
    pub(crate) fn of(
        conn: &Connection,
        view: Option<&'a View>,
        visible: Visible,
        items: usize,
    ) -> StoreResult<Option<Self>> {
        let viewer = visible.user();
        let Some((view, state)) = view.and_then(|view| Some((view, view.viewers_state(viewer)?)))
        else {
            return Ok(None);
        };
        let (sets, is_news) = match view.own_sets(viewer) {
            Some((at, sets)) if at == state => (Some(sets), false),
            // Somebody else has seen a change that came just now.
            Some((at, _)) if at > state => (None, false),
            before => (in_state(conn, view, viewer, before, items)?, true),
        };
        let Some(sets) = sets else {
            return Ok(None);
        };
        if is_news && view.viewers_state(viewer) == Some(state) {
            view.keep_own_sets(viewer, state, sets.clone());
        }
        Ok(match sets {
            OwnSets::Few => None,
            OwnSets::Sets { begun, loved } => Some(Self {
                view,
                viewer,
                state,
                begun,
                loved,
            }),
        })
    }

    /// Whether nothing of it has changed since.
    pub(super) fn holds(&self) -> bool {
        self.view.viewers_state(self.viewer) == Some(self.state)
    }

    /// The items that the viewer has begun, finished or not.
    pub(crate) fn begun(&self) -> &Arc<IdSet> {
        &self.begun
    }

    /// The viewer's favourites.
    pub(super) fn loved(&self) -> &Arc<IdSet> {
        &self.loved
    }

    /// Whether the viewer has any row about the item that a card shows.
    pub(super) fn has(&self, id: ItemId) -> bool {
        self.begun.contains(id) || self.loved.contains(id)
    }
}

/// What the viewer has now: what they had before with what has changed since, if that is known, else
/// made anew where it is worth it.
fn in_state(
    conn: &Connection,
    view: &View,
    viewer: UserId,
    before: Option<(u64, OwnSets)>,
    items: usize,
) -> StoreResult<Option<OwnSets>> {
    if let Some((at, OwnSets::Sets { begun, loved })) = before
        && let Some(changed) = view.changed_since(at, viewer)
    {
        return changed_sets(conn, viewer, (begun, loved), &changed).map(Some);
    }
    if items < WORTH || !view.has_room_for_sets(viewer) {
        return Ok(None);
    }
    if !are_many(conn, viewer)? {
        return Ok(Some(OwnSets::Few));
    }
    Ok(Some(OwnSets::Sets {
        begun: Arc::new(ids(conn, BEGUN, viewer.0)?),
        loved: Arc::new(ids(conn, FAVOURITES, viewer.0)?),
    }))
}

fn changed_sets(
    conn: &Connection,
    viewer: UserId,
    (mut begun, mut loved): (Arc<IdSet>, Arc<IdSet>),
    changed: &[ItemId],
) -> StoreResult<OwnSets> {
    let mut statement = conn.prepare_cached(HAS)?;
    for item in changed {
        let of = named_params! { ":of": viewer, ":item": item };
        let (is_begun, is_favourite) =
            statement.query_row(of, |row| Ok((row.get(0)?, row.get(1)?)))?;
        for (set, has) in [(&mut begun, is_begun), (&mut loved, is_favourite)] {
            match has {
                true if !set.contains(*item) => Arc::make_mut(set).insert(*item),
                false if set.contains(*item) => Arc::make_mut(set).remove(*item),
                _ => {}
            }
        }
    }
    Ok(OwnSets::Sets { begun, loved })
}

fn are_many(conn: &Connection, viewer: UserId) -> StoreResult<bool> {
    let mut statement = conn.prepare_cached(ARE_MANY)?;
    let is_many = statement.query_row(named_params! { ":of": viewer, ":many": MANY }, |row| {
        row.get(0)
    })?;
    Ok(is_many)
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
