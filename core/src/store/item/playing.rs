//! Lists of what a client's engines play.
//!
//! An item bears the profile of its first file. Which profiles play is worked out once per
//! request; counts by profile tell totals and letters. Where the viewer goes on with another file
//! than the first and it has another profile, their row of the item says so: such items are the
//! exceptions, and they alone are read.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row, named_params};

use super::filter::{Arm, Filter};
use crate::access::Visible;
use crate::id::{ItemId, LibraryId};
use crate::playback::{Candidate, Codecs, Offer};
use crate::store::{StoreResult, media_profile};

/// Items that a viewer goes on with in a file of another profile.
const GONE_ON_WITH: &str = "
    SELECT item.id, item.library_id, item.kind, item.initial, item.profile_id, p.off_profile
      FROM library_grant AS g
     CROSS JOIN item_progress AS p INDEXED BY item_progress_off_profile
        ON p.user_id = g.user_id AND p.library_id = g.library_id
       AND p.off_profile IS NOT NULL
     CROSS JOIN item ON item.id = p.item_id AND item.missing = 0
     WHERE g.user_id = :viewer
       AND (:library IS NULL OR g.library_id = :library)
       AND (:kind IS NULL OR item.kind = :kind)
       AND (:subkind IS NULL OR item.subkind = :subkind)";

/// How many items of the profiles the arms have, by initial.
const COUNTS: &str = "
    SELECT c.initial, c.n
      FROM library_grant AS g
      JOIN item_profile_count AS c ON c.library_id = g.library_id
     WHERE g.user_id = :viewer
       AND (:library IS NULL OR c.library_id = :library)
       AND (:kind IS NULL OR c.kind = :kind)
       AND (:subkind IS NULL OR c.subkind = :subkind)
       AND c.profile_id IN (SELECT value FROM json_each(:profiles))";

/// The same, whatever the initial.
const TOTALS: &str = "
    SELECT c.library_id, c.kind, c.n
      FROM library_grant AS g
      JOIN item_profile_total AS c ON c.library_id = g.library_id
     WHERE g.user_id = :viewer
       AND (:library IS NULL OR c.library_id = :library)
       AND (:kind IS NULL OR c.kind = :kind)
       AND (:subkind IS NULL OR c.subkind = :subkind)
       AND c.profile_id IN (SELECT value FROM json_each(:profiles))";

/// What the engines of a filter come to.
pub(super) struct Playing {
    /// Profiles that one of the engines plays, in order.
    profiles: Vec<i64>,
    /// Items of another profile whose file to continue with plays.
    gained: BTreeMap<ItemId, Place>,
    /// Items of such a profile whose file to continue with does not.
    lost: BTreeMap<ItemId, Place>,
}

/// Where an item that does not go by its profile is counted.
struct Place {
    library: LibraryId,
    kind: String,
    initial: String,
}

impl Playing {
    /// `None` where the filter asks for no engines.
    pub(super) fn of(
        conn: &Connection,
        visible: Visible,
        filter: &Filter,
    ) -> StoreResult<Option<Self>> {
        let Some(offer) = &filter.engines else {
            return Ok(None);
        };
        let profiles = media_profile::all(conn)?;
        let plays = |(id, codecs): &(i64, Codecs)| is_played(offer, codecs).then_some(*id);
        let mut profiles: Vec<i64> = profiles.iter().filter_map(plays).collect();
        profiles.sort_unstable();
        let mut playing = Self {
            profiles,
            gained: BTreeMap::new(),
            lost: BTreeMap::new(),
        };
        if filter.missing != Some(true) {
            playing.find_exceptions(conn, visible, filter)?;
        }
        Ok(Some(playing))
    }

    fn find_exceptions(
        &mut self,
        conn: &Connection,
        visible: Visible,
        filter: &Filter,
    ) -> StoreResult<()> {
        let mut statement = conn.prepare_cached(GONE_ON_WITH)?;
        let mut rows = statement.query(named_params! {
            ":viewer": visible.user(),
            ":library": filter.library,
            ":kind": filter.kind,
            ":subkind": filter.subkind,
        })?;
        while let Some(row) = rows.next()? {
            let profile: Option<i64> = row.get(4)?;
            let by_profile = profile.is_some_and(|profile| self.plays(profile));
            let by_file = self.plays(row.get(5)?);
            if by_file == by_profile {
                continue;
            }
            let side = if by_file {
                &mut self.gained
            } else {
                &mut self.lost
            };
            side.insert(
                row.get(0)?,
                Place {
                    library: row.get(1)?,
                    kind: row.get(2)?,
                    initial: row.get(3)?,
                },
            );
        }
        Ok(())
    }

    /// The condition on a row of `item`, all of it in every browse index.
    pub(super) fn condition(&self) -> String {
        let profiles = format!("profile_id IN ({})", self.profile_list());
        if self.gained.is_empty() && self.lost.is_empty() {
            return format!(" AND {profiles}");
        }
        format!(
            " AND ({profiles} AND id NOT IN (SELECT value FROM json_each(:lost))
                OR id IN (SELECT value FROM json_each(:gained)))"
        )
    }

    /// The ids of all items that may play, in no order.
    pub(super) fn selection(&self) -> String {
        format!(
            "SELECT id FROM item INDEXED BY item_of_profile WHERE profile_id IN ({})
              UNION
             SELECT value FROM json_each(:gained)",
            self.profile_list()
        )
    }

    fn profile_list(&self) -> String {
        let ids: Vec<String> = self.profiles.iter().map(i64::to_string).collect();
        ids.join(", ")
    }

    /// The parameters of the condition.
    pub(super) fn parameters(&self) -> [(&'static str, String); 2] {
        let ids = |side: &BTreeMap<ItemId, Place>| {
            let ids: Vec<&ItemId> = side.keys().collect();
            serde_json::to_string(&ids).expect("integers are JSON")
        };
        [(":gained", ids(&self.gained)), (":lost", ids(&self.lost))]
    }

    fn plays(&self, profile: i64) -> bool {
        self.profiles.binary_search(&profile).is_ok()
    }

    /// Whether an item of this profile belongs to the list.
    pub(super) fn has(&self, item: ItemId, profile: Option<i64>) -> bool {
        let by_profile = profile.is_some_and(|profile| self.plays(profile));
        (by_profile && !self.lost.contains_key(&item)) || self.gained.contains_key(&item)
    }

    /// The arms with items that play, and how many.
    pub(super) fn arms(
        &self,
        conn: &Connection,
        visible: Visible,
        filter: &Filter,
    ) -> StoreResult<Vec<Arm>> {
        let mut counts: BTreeMap<(LibraryId, String), u64> = BTreeMap::new();
        self.count(conn, visible, filter, TOTALS, |row| {
            *counts.entry((row.get(0)?, row.get(1)?)).or_default() += row.get::<_, u64>(2)?;
            Ok(())
        })?;
        for place in self.gained.values() {
            let arm = (place.library, place.kind.clone());
            *counts.entry(arm).or_default() += 1;
        }
        for place in self.lost.values() {
            let arm = (place.library, place.kind.clone());
            counts.entry(arm).and_modify(|n| *n = n.saturating_sub(1));
        }
        let arms = counts.into_iter().filter(|(_, count)| *count > 0);
        Ok(arms
            .map(|((library, kind), count)| Arm {
                library,
                kind,
                count,
            })
            .collect())
    }

    /// How many of the arms' items file under each initial.
    pub(super) fn initials(
        &self,
        conn: &Connection,
        visible: Visible,
        filter: &Filter,
    ) -> StoreResult<BTreeMap<String, u64>> {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        self.count(conn, visible, filter, COUNTS, |row| {
            *counts.entry(row.get(0)?).or_default() += row.get::<_, u64>(1)?;
            Ok(())
        })?;
        for place in self.gained.values() {
            *counts.entry(place.initial.clone()).or_default() += 1;
        }
        for place in self.lost.values() {
            let initial = place.initial.clone();
            counts
                .entry(initial)
                .and_modify(|n| *n = n.saturating_sub(1));
        }
        counts.retain(|_, count| *count > 0);
        Ok(counts)
    }

    fn count(
        &self,
        conn: &Connection,
        visible: Visible,
        filter: &Filter,
        sql: &str,
        mut add: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
    ) -> StoreResult<()> {
        if filter.missing == Some(true) {
            return Ok(());
        }
        let mut statement = conn.prepare_cached(sql)?;
        let mut rows = statement.query(named_params! {
            ":viewer": visible.user(),
            ":library": filter.library,
            ":kind": filter.kind,
            ":subkind": filter.subkind,
            ":profiles": serde_json::to_string(&self.profiles).expect("integers are JSON"),
        })?;
        while let Some(row) = rows.next()? {
            add(row)?;
        }
        Ok(())
    }
}

/// Whether an engine plays what has these codecs: whatever bears codecs is of a kind that is
/// probed, and only what is there bears them.
fn is_played(offer: &Offer, codecs: &Codecs) -> bool {
    offer.kinds().first().is_some_and(|kind| {
        offer
            .resolve(Candidate {
                kind,
                missing: false,
                codecs,
            })
            .is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::progress::tests::assert_searches;

    #[test]
    fn only_what_is_gone_on_with_in_another_profile_is_read() {
        assert_searches(GONE_ON_WITH);
        let plan = crate::store::progress::tests::plan(GONE_ON_WITH);
        let index = "COVERING INDEX item_progress_off_profile (user_id=? AND library_id=?)";
        assert!(plan.contains(index), "{plan}");
    }

    #[test]
    fn counts_are_read_of_granted_libraries_alone() {
        for sql in [COUNTS, TOTALS] {
            let plan = crate::store::progress::tests::plan(sql);
            assert!(!plan.contains("SCAN c"), "{plan}");
            assert!(!plan.contains("SCAN g"), "{plan}");
        }
    }
}
