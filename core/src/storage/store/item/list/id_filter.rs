//! Id sets of the viewer's rows, a person or a series. With them, a list of 100,000 items is
//! counted and filtered in memory, without a look-up per item.

use crate::error::StoreResult;
use rusqlite::{Connection, named_params};

use crate::access::Visible;
use crate::db::id_set::{self, IdSet};
use crate::db::item_index::{Groups, IndexSnapshot, ProfileView};
use crate::id::{ItemId, PersonId, SeriesId};
use crate::store::item::filter::{Filter, State};
use crate::store::item::playable::PlayableFilter;

const OF_PERSON: &str = "
    SELECT id_set(item_id)
      FROM item_person
     WHERE person_id = :of";

const OF_SERIES: &str = "
    SELECT id_set(id)
      FROM item
     WHERE series_id = :of";

const STARTED: &str = "
    SELECT id_set(item_id)
      FROM item_progress INDEXED BY item_progress_by_state
     WHERE user_id = :of AND finished = 0";

const FINISHED: &str = "
    SELECT id_set(item_id)
      FROM item_progress INDEXED BY item_progress_by_state
     WHERE user_id = :of AND finished = 1";

const BEGUN: &str = "
    SELECT id_set(item_id)
      FROM item_progress INDEXED BY item_progress_by_state
     WHERE user_id = :of AND finished IN (0, 1)";

const FAVOURITES: &str = "
    SELECT id_set(item_id)
      FROM favourite
     WHERE user_id = :of";

#[cfg(test)]
pub(super) const STATEMENTS: [&str; 6] =
    [OF_PERSON, OF_SERIES, FAVOURITES, STARTED, FINISHED, BEGUN];

/// Test of items in memory: visible, in the filter's partitions, and playable.
pub(in crate::storage::store::item) struct Membership<'a> {
    groups: Groups<'a>,
    profiles: &'a ProfileView,
    playable: Option<&'a PlayableFilter>,
}

impl<'a> Membership<'a> {
    /// Reads the grants in the transaction of `conn`.
    pub(in crate::storage::store::item) fn new(
        conn: &Connection,
        view: &'a IndexSnapshot,
        visible: Visible,
        filter: &Filter,
        playable: Option<&'a PlayableFilter>,
    ) -> StoreResult<Self> {
        let group = |bucket: &_| filter.has_bucket(bucket).then_some(0);
        Ok(Self {
            groups: view.groups(conn, visible, group)?,
            profiles: view.profiles(),
            playable,
        })
    }

    /// Returns `true` if the item belongs to the list, except for its id filter.
    pub(super) fn has(&self, id: ItemId) -> bool {
        self.groups.of(id).is_some()
            && self
                .playable
                .is_none_or(|playable| playable.has(id, self.profiles.of(id)))
    }
}

/// Criteria of a filter as one set of ids, which contains only items of the filter's partitions.
pub(in crate::storage::store::item) struct IdFilter {
    ids: IdSet,
    /// `true` if the list is the complement of the ids.
    is_complement: bool,
}

impl IdFilter {
    /// Reads the ids. Returns `None` if the filter has no such criterion.
    pub(in crate::storage::store::item) fn read(
        conn: &Connection,
        visible: Visible,
        filter: &Filter,
        membership: &Membership<'_>,
    ) -> StoreResult<Option<Self>> {
        let criteria = criteria(visible, filter);
        if criteria.is_empty() {
            return Ok(None);
        }
        let mut included: Option<IdSet> = None;
        let mut excluded = IdSet::default();
        for criterion in criteria {
            let of = named_params! { ":of": criterion.of };
            let ids = id_set::query(conn, criterion.sql, of)?;
            match &mut included {
                _ if !criterion.is_wanted => excluded.unite(&ids),
                None => included = Some(ids),
                Some(included) => included.intersect(&ids),
            }
        }
        let is_complement = included.is_none();
        let mut ids = match included {
            Some(mut included) => {
                included.subtract(&excluded);
                included
            }
            None => excluded,
        };
        ids.retain(|id| membership.has(id));
        Ok(Some(Self { ids, is_complement }))
    }

    /// Returns `true` if an item of the partitions belongs to the list.
    pub(super) fn has(&self, id: ItemId) -> bool {
        self.ids.contains(id) != self.is_complement
    }

    /// Counts the items of `among` that belong to the list.
    pub(super) fn count(&self, among: &IdSet) -> u64 {
        let common = among.common(&self.ids);
        if self.is_complement {
            among.len() - common
        } else {
            common
        }
    }

    /// Returns the total of the list. `all` is the number of items without this filter.
    pub(super) fn total(&self, all: u64) -> u64 {
        if self.is_complement {
            all.saturating_sub(self.ids.len())
        } else {
            self.ids.len()
        }
    }

    /// Returns the items, or `None` if the list is the complement.
    pub(in crate::storage::store::item) fn ids(&self) -> Option<&IdSet> {
        (!self.is_complement).then_some(&self.ids)
    }

    /// Returns the items that the list excludes, if it is the complement.
    pub(in crate::storage::store::item) fn exclusions(&self) -> &IdSet {
        &self.ids
    }
}

/// One criterion that selects items by their ids.
struct Criterion {
    /// Statement that selects the ids of `:of` as one `id_set`.
    sql: &'static str,
    /// Id of the owner: a user, a person or a series.
    of: i64,
    /// `true` if the list contains these items, `false` if it excludes them.
    is_wanted: bool,
}

fn criteria(visible: Visible, filter: &Filter) -> Vec<Criterion> {
    let of = |sql, of, is_wanted| Criterion { sql, of, is_wanted };
    let viewer = visible.user().0;
    let state = filter.state.map(|state| match state {
        State::Started => of(STARTED, viewer, true),
        State::Finished => of(FINISHED, viewer, true),
        State::Unstarted => of(BEGUN, viewer, false),
    });
    let favourite = |is_wanted| of(FAVOURITES, viewer, is_wanted);
    let criteria = [
        filter.author.map(|PersonId(id)| of(OF_PERSON, id, true)),
        filter.series.map(|SeriesId(id)| of(OF_SERIES, id, true)),
        filter.favourite.map(favourite),
        state,
    ];
    criteria.into_iter().flatten().collect()
}
