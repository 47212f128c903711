//! Selections of items: a set of ids, or all items except a set. Combinations of selections need no
//! set of all items.

use crate::db::id_set::IdSet;

/// Items that criteria select. It may contain invisible items.
#[derive(Debug, Clone)]
pub(crate) struct Selection {
    ids: IdSet,
    /// `true` if the selection has all items except the ids.
    is_complement: bool,
}

impl Selection {
    /// Selects all items.
    pub(crate) fn everything() -> Self {
        Self::of(IdSet::default()).negated()
    }

    /// Selects these items.
    pub(crate) fn of(ids: IdSet) -> Self {
        Self {
            ids,
            is_complement: false,
        }
    }

    /// Selects all other items.
    #[must_use]
    pub(crate) fn negated(self) -> Self {
        Self {
            is_complement: !self.is_complement,
            ..self
        }
    }

    /// Selects the items of both selections.
    #[must_use]
    pub(crate) fn and(self, other: Self) -> Self {
        match (self.is_complement, other.is_complement) {
            (false, false) => {
                let mut ids = self.ids;
                ids.intersect(&other.ids);
                Self::of(ids)
            }
            (false, true) => self.without(&other.ids),
            (true, false) => other.without(&self.ids),
            (true, true) => {
                let mut ids = self.ids;
                ids.unite(&other.ids);
                Self::of(ids).negated()
            }
        }
    }

    /// Selects the items of either selection.
    #[must_use]
    pub(crate) fn or(self, other: Self) -> Self {
        self.negated().and(other.negated()).negated()
    }

    fn without(mut self, ids: &IdSet) -> Self {
        self.ids.subtract(ids);
        self
    }

    /// Returns the ids, and `true` if the selection has all items except them.
    pub(crate) fn into_parts(self) -> (IdSet, bool) {
        (self.ids, self.is_complement)
    }

    /// Returns the selected ids, or `None` if the selection has all items except some.
    pub(crate) fn ids(&self) -> Option<&IdSet> {
        (!self.is_complement).then_some(&self.ids)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::id::ItemId;

    fn selection() -> impl Strategy<Value = Selection> {
        let ids = prop::collection::vec(0i64..8, 0..8);
        (ids, any::<bool>()).prop_map(|(ids, is_complement)| Selection {
            ids: ids.into_iter().map(ItemId).collect(),
            is_complement,
        })
    }

    fn has(selection: &Selection, id: ItemId) -> bool {
        selection.ids.contains(id) != selection.is_complement
    }

    proptest! {
        #[test]
        fn combinations_have_items_of_both_or_either(a in selection(), b in selection()) {
            let (both, either) = (a.clone().and(b.clone()), a.clone().or(b.clone()));
            for id in (0..9).map(ItemId) {
                prop_assert_eq!(has(&both, id), has(&a, id) && has(&b, id));
                prop_assert_eq!(has(&either, id), has(&a, id) || has(&b, id));
                prop_assert_eq!(has(&a.clone().negated(), id), !has(&a, id));
            }
        }
    }

    #[test]
    fn everything_has_every_item_and_no_list_of_ids() {
        let everything = Selection::everything();
        assert!(has(&everything, ItemId(7)) && everything.ids().is_none());
    }
}
