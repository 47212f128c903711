//! What a viewer's own rows, a person or a series choose, as a set of ids in memory: a hundred
//! thousand places are counted and told from the rest without looking an item up for each.

use std::sync::Arc;

use rusqlite::Connection;

use crate::access::Visible;
use crate::db::id_set::IdSet;
use crate::db::id_set::kept::Key;
use crate::db::presence::{Groups, Place, View};
use crate::id::{ItemId, PersonId, SeriesId};
use crate::store::StoreResult;
use crate::store::item::filter::{Filter, State};
use crate::store::item::own::{self, BEGUN, FAVOURITES, Own};

const OF_PERSON: &str = "
    SELECT item_id
      FROM item_person
     WHERE person_id = :of";

const OF_SERIES: &str = "
    SELECT id
      FROM item
     WHERE series_id = :of";

const STARTED: &str = "
    SELECT item_id
      FROM item_progress INDEXED BY item_progress_by_state
     WHERE user_id = :of AND finished = 0";

const FINISHED: &str = "
    SELECT item_id
      FROM item_progress INDEXED BY item_progress_by_state
     WHERE user_id = :of AND finished = 1";

#[cfg(test)]
pub(super) const STATEMENTS: [&str; 6] =
    [OF_PERSON, OF_SERIES, FAVOURITES, STARTED, FINISHED, BEGUN];

/// The items of a list, of those that are visible and pass the rest of the filter.
pub(super) struct Chosen {
    ids: IdSet,
    count: u64,
    /// Whether the list is what is *not* among the ids.
    is_rest: bool,
}

impl Chosen {
    /// `None` where the filter chooses nothing, or asks for engines: what plays is not known here.
    pub(super) fn of(
        conn: &Connection,
        view: &View,
        visible: Visible,
        filter: &Filter,
    ) -> StoreResult<Option<Self>> {
        let choices = choices(visible, filter);
        if choices.is_empty() || filter.engines.is_some() {
            return Ok(None);
        }
        let mut only: Option<IdSet> = None;
        let mut never = IdSet::default();
        for choice in choices {
            let ids = choice.ids(conn, view, visible)?;
            match &mut only {
                _ if !choice.is_wanted => never.unite(&ids),
                None => only = Some(Arc::unwrap_or_clone(ids)),
                Some(only) => only.intersect(&ids),
            }
        }
        let is_rest = only.is_none();
        let mut ids = match only {
            Some(mut only) => {
                only.subtract(&never);
                only
            }
            None => never,
        };
        let groups = groups(conn, view, visible, filter)?;
        ids.retain(|id| groups.of(id).is_some());
        Ok(Some(Self {
            count: ids.len(),
            ids,
            is_rest,
        }))
    }

    /// Whether a visible item that passes the rest of the filter belongs to the list.
    pub(super) fn has(&self, id: ItemId) -> bool {
        self.ids.contains(id) != self.is_rest
    }

    /// How many of these belong to the list.
    pub(super) fn count(&self, among: &IdSet) -> u64 {
        let common = among.common(&self.ids);
        if self.is_rest {
            among.len() - common
        } else {
            common
        }
    }

    /// How many items the list has, of so many that are visible and pass the rest of the filter.
    pub(super) fn total(&self, all: u64) -> u64 {
        if self.is_rest {
            all.saturating_sub(self.count)
        } else {
            self.count
        }
    }

    /// The items, unless they are what is left of all.
    pub(super) fn ids(&self) -> Option<impl Iterator<Item = ItemId> + '_> {
        (!self.is_rest).then(|| self.ids.descending())
    }
}

/// One of the sets that a list is made of.
struct Choice {
    sql: &'static str,
    /// Whose they are: a user, a person or a series.
    of: i64,
    /// Whether the list is of these, or of all but these.
    is_wanted: bool,
    /// Whether they are the viewer's own rows.
    is_own: bool,
}

impl Choice {
    /// The ids, kept from an earlier request where nothing has changed for the viewer.
    fn ids(&self, conn: &Connection, view: &View, visible: Visible) -> StoreResult<Arc<IdSet>> {
        if let Some(ids) = self.of_own(conn, view, visible)? {
            return Ok(ids);
        }
        let state = || view.viewers_state(visible.user());
        let Some(before) = state().filter(|_| self.is_own) else {
            return Ok(Arc::new(own::ids(conn, self.sql, self.of)?));
        };
        let key = Key {
            state: before.to_le_bytes().to_vec(),
            sql: self.sql,
            query: self.of.to_string(),
        };
        view.kept().get_while(
            key,
            |_| own::ids(conn, self.sql, self.of),
            || state() == Some(before),
        )
    }

    /// The same out of what is kept for every list of this viewer.
    fn of_own(
        &self,
        conn: &Connection,
        view: &View,
        visible: Visible,
    ) -> StoreResult<Option<Arc<IdSet>>> {
        let set: fn(&Own<'_>) -> Arc<IdSet> = match self.sql {
            BEGUN => |own| Arc::clone(own.begun()),
            FAVOURITES => |own| Arc::clone(own.loved()),
            _ => return Ok(None),
        };
        let own = Own::of(conn, Some(view), visible, usize::MAX)?;
        Ok(own.as_ref().map(set))
    }
}

fn choices(visible: Visible, filter: &Filter) -> Vec<Choice> {
    let viewer = visible.user().0;
    let own = |sql, is_wanted| Choice {
        sql,
        of: viewer,
        is_wanted,
        is_own: true,
    };
    let of = |sql, of| Choice {
        sql,
        of,
        is_wanted: true,
        is_own: false,
    };
    let state = filter.state.map(|state| match state {
        State::Started => own(STARTED, true),
        State::Finished => own(FINISHED, true),
        State::Unstarted => own(BEGUN, false),
    });
    let choices = [
        filter.author.map(|PersonId(id)| of(OF_PERSON, id)),
        filter.series.map(|SeriesId(id)| of(OF_SERIES, id)),
        filter.favourite.map(|is_wanted| own(FAVOURITES, is_wanted)),
        state,
    ];
    choices.into_iter().flatten().collect()
}

/// The visible items that pass what places tell of the filter.
pub(super) fn groups<'a>(
    conn: &Connection,
    view: &'a View,
    visible: Visible,
    filter: &Filter,
) -> StoreResult<Groups<'a>> {
    view.groups(conn, visible, |place| passes(filter, place))
}

fn passes(filter: &Filter, place: &Place) -> Option<usize> {
    let passes = filter
        .library
        .is_none_or(|library| library == place.library)
        && filter
            .kind
            .as_deref()
            .is_none_or(|kind| kind == &*place.kind)
        && filter.has_subkind(place.subkind.as_deref())
        && filter
            .missing
            .is_none_or(|missing| missing == place.missing);
    passes.then_some(0)
}
