//! Criteria of a filter as id sets. With them, a list of 100,000 items is counted and filtered in
//! memory, without a look-up per item.

use rusqlite::Connection;

use super::criteria;
use super::selection::Selection;
use crate::access::Visible;
use crate::db::id_set::IdSet;
use crate::db::item_index::{Groups, IndexSnapshot, ProfileView};
use crate::error::StoreResult;
use crate::id::ItemId;
use crate::store::item::filter::Filter;
use crate::store::item::playable::PlayableFilter;

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
    pub(in crate::storage::store::item) fn has(&self, id: ItemId) -> bool {
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
    /// Reads the ids. Returns `None` if the filter has no such criterion, and there is no further
    /// selection.
    pub(in crate::storage::store::item) fn read(
        conn: &Connection,
        visible: Visible,
        filter: &Filter,
        further: Option<Selection>,
        membership: &Membership<'_>,
    ) -> StoreResult<Option<Self>> {
        let selection = match (criteria::selection(conn, visible, filter)?, further) {
            (Some(own), Some(further)) => own.and(further),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => return Ok(None),
        };
        Ok(Some(Self::of(selection, membership)))
    }

    /// Creates a filter of a selection.
    pub(super) fn of(selection: Selection, membership: &Membership<'_>) -> Self {
        let (mut ids, is_complement) = selection.into_parts();
        ids.retain(|id| membership.has(id));
        Self { ids, is_complement }
    }

    /// Creates a filter of these items of the partitions.
    pub(super) fn only(ids: IdSet) -> Self {
        Self {
            ids,
            is_complement: false,
        }
    }

    /// Creates a filter of all items of the partitions except these.
    pub(super) fn all_but(ids: IdSet) -> Self {
        Self {
            ids,
            is_complement: true,
        }
    }

    /// Returns the filter without these items.
    pub(super) fn without(&self, items: &IdSet) -> Self {
        let mut ids = self.ids.clone();
        if self.is_complement {
            ids.unite(items);
        } else {
            ids.subtract(items);
        }
        Self { ids, ..*self }
    }

    /// Returns the filter as a set of all items of the list, for lists whose index has larger
    /// partitions than the list.
    pub(super) fn listed(
        filter: Option<Self>,
        view: &IndexSnapshot,
        membership: &Membership<'_>,
    ) -> Self {
        match filter {
            Some(filter) if !filter.is_complement => filter,
            filter => {
                let is_excluded =
                    |id: &ItemId| filter.as_ref().is_some_and(|filter| !filter.has(*id));
                let ids = view.ids().filter(|id| membership.has(*id));
                Self::only(ids.filter(|id| !is_excluded(id)).collect())
            }
        }
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
