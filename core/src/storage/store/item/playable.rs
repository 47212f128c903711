//! Lists of the items that a client's engines play.
//!
//! Each item has the media profile of its first file. The playable profiles are determined once per
//! request, and an index of items by profile gives totals and letters. If the viewer continues with another
//! file of a different profile, the viewer's row of the item contains that profile. Only these
//! exceptions are read.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row, named_params};

use super::filter::{Filter, Partition};
use crate::access::Visible;
use crate::db::id_set::{self, IdSet};
use crate::db::item_index::LAST_PROFILE;
use crate::error::StoreResult;
use crate::id::{ItemId, LibraryId};
use crate::playback::{Candidate, Codecs, Offer};
use crate::store::file::media_profile;

/// Items that a viewer continues with a file of another profile.
const GONE_ON_WITH: &str = "
    SELECT item.id, item.library_id, item.kind, item.initial, item.profile_id, p.continue_profile_id,
           item.subkind
      FROM library_grant AS g
     CROSS JOIN item_progress AS p INDEXED BY item_progress_by_continue_profile
        ON p.user_id = g.user_id AND p.library_id = g.library_id
       AND p.continue_profile_id IS NOT NULL
     CROSS JOIN item ON item.id = p.item_id AND item.missing = 0
     WHERE g.user_id = :viewer
       AND (:library IS NULL OR g.library_id = :library)
       AND (:kind IS NULL OR item.kind = :kind)
       AND (:kinds IS NULL OR item.kind IN (SELECT value FROM json_each(:kinds)))
       AND (:subkinds IS NULL OR item.subkind IN (SELECT value FROM json_each(:subkinds)))";

/// Counts the items of a partition with a profile, by initial.
const INITIALS: &str = "
    SELECT initial, count(*)
      FROM item INDEXED BY item_of_profile
     WHERE profile_id = :profile
       AND library_id = :library
       AND kind = :kind
       AND (:subkind IS NULL OR subkind = :subkind)
     GROUP BY initial";

/// Counts the items of a partition with a profile.
const TOTAL: &str = "
    SELECT count(*)
      FROM item INDEXED BY item_of_profile
     WHERE profile_id = :profile
       AND library_id = :library
       AND kind = :kind
       AND (:subkind IS NULL OR subkind = :subkind)";

const IDS: &str = "
    SELECT id_set(id)
      FROM item INDEXED BY item_of_profile
     WHERE profile_id = :profile";

/// Playable profiles and exceptions for the engines of a filter.
pub(super) struct PlayableFilter {
    /// Profiles that one of the engines plays, in ascending order.
    profiles: Vec<i64>,
    /// Items of another profile whose file to continue with plays.
    gained: BTreeMap<ItemId, Exception>,
    /// Items of a playable profile whose file to continue with does not play.
    lost: BTreeMap<ItemId, Exception>,
}

/// Partition and initial of an exceptional item.
struct Exception {
    library: LibraryId,
    kind: String,
    subkind: Option<String>,
    initial: String,
}

impl PlayableFilter {
    /// Reads the profiles and exceptions. Returns `None` if the filter names no engines.
    pub(super) fn read(
        conn: &Connection,
        visible: Visible,
        filter: &Filter,
    ) -> StoreResult<Option<Self>> {
        let Some(offer) = &filter.engines else {
            return Ok(None);
        };
        let profiles = media_profile::all(conn)?;
        let is_played =
            |(id, codecs): &&(i64, Codecs)| *id <= LAST_PROFILE && is_played(offer, codecs);
        let mut profiles: Vec<i64> = profiles
            .iter()
            .filter(is_played)
            .map(|(id, _)| *id)
            .collect();
        profiles.sort_unstable();
        let mut playable = Self {
            profiles,
            gained: BTreeMap::new(),
            lost: BTreeMap::new(),
        };
        if filter.missing != Some(true) {
            playable.find_exceptions(conn, visible, filter)?;
        }
        Ok(Some(playable))
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
            ":kinds": filter.kind_list(),
            ":subkinds": filter.subkind_list(),
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
                Exception {
                    library: row.get(1)?,
                    kind: row.get(2)?,
                    subkind: row.get(6)?,
                    initial: row.get(3)?,
                },
            );
        }
        Ok(())
    }

    /// Returns the condition on `item`; every browse index contains its columns.
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

    /// Reads the ids of all items that may play, including invisible ones and the exceptions.
    pub(super) fn ids_unscoped(&self, conn: &Connection) -> StoreResult<IdSet> {
        let mut ids = IdSet::default();
        for profile in &self.profiles {
            ids.unite(&id_set::query(
                conn,
                IDS,
                named_params! { ":profile": profile },
            )?);
        }
        self.gained.keys().for_each(|id| ids.insert(*id));
        Ok(ids)
    }

    fn profile_list(&self) -> String {
        let ids: Vec<String> = self.profiles.iter().map(i64::to_string).collect();
        ids.join(", ")
    }

    /// Returns the parameters of the condition.
    pub(super) fn parameters(&self) -> [(&'static str, String); 2] {
        let ids = |side: &BTreeMap<ItemId, Exception>| {
            let ids: Vec<&ItemId> = side.keys().collect();
            serde_json::to_string(&ids).expect("integers are JSON")
        };
        [(":gained", ids(&self.gained)), (":lost", ids(&self.lost))]
    }

    fn plays(&self, profile: i64) -> bool {
        self.profiles.binary_search(&profile).is_ok()
    }

    /// Returns `true` if an item of this profile belongs to the list.
    pub(super) fn has(&self, item: ItemId, profile: Option<i64>) -> bool {
        let by_profile = profile.is_some_and(|profile| self.plays(profile));
        (by_profile && !self.lost.contains_key(&item)) || self.gained.contains_key(&item)
    }

    /// Returns the partitions with their counts of playable items.
    pub(super) fn partitions(
        &self,
        conn: &Connection,
        visible: Visible,
        filter: &Filter,
    ) -> StoreResult<Vec<Partition>> {
        let mut partitions = filter.partitions(conn, visible)?;
        for partition in &mut partitions {
            let is_in = |exception: &&Exception| {
                exception.library == partition.library
                    && exception.kind == partition.kind
                    && (partition.subkind.is_none() || exception.subkind == partition.subkind)
            };
            let gained = self.gained.values().filter(is_in).count() as u64;
            let lost = self.lost.values().filter(is_in).count() as u64;
            let mut count = gained;
            self.count(conn, filter, partition, TOTAL, |row| {
                count += row.get::<_, u64>(0)?;
                Ok(())
            })?;
            partition.count = count.saturating_sub(lost);
        }
        partitions.retain(|partition| partition.count > 0);
        Ok(partitions)
    }

    /// Counts the playable items of the partitions by initial.
    pub(super) fn initials(
        &self,
        conn: &Connection,
        visible: Visible,
        filter: &Filter,
    ) -> StoreResult<BTreeMap<String, u64>> {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for partition in filter.partitions(conn, visible)? {
            self.count(conn, filter, &partition, INITIALS, |row| {
                *counts.entry(row.get(0)?).or_default() += row.get::<_, u64>(1)?;
                Ok(())
            })?;
        }
        for exception in self.gained.values() {
            *counts.entry(exception.initial.clone()).or_default() += 1;
        }
        for exception in self.lost.values() {
            let initial = exception.initial.clone();
            counts
                .entry(initial)
                .and_modify(|n| *n = n.saturating_sub(1));
        }
        counts.retain(|_, count| *count > 0);
        Ok(counts)
    }

    /// Calls `add` for each row of the statement, for each playable profile in the partition.
    fn count(
        &self,
        conn: &Connection,
        filter: &Filter,
        partition: &Partition,
        sql: &str,
        mut add: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
    ) -> StoreResult<()> {
        // Missing items have no profile.
        if filter.missing == Some(true) {
            return Ok(());
        }
        let mut statement = conn.prepare_cached(sql)?;
        for profile in &self.profiles {
            let mut rows = statement.query(named_params! {
                ":profile": profile,
                ":library": partition.library,
                ":kind": partition.kind,
                ":subkind": partition.subkind,
            })?;
            while let Some(row) = rows.next()? {
                add(row)?;
            }
        }
        Ok(())
    }
}

/// Returns `true` if an engine plays these codecs. Only present files of probed kinds have codecs,
/// so the first kind and `missing: false` apply.
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

    #[test]
    fn exceptions_read_only_items_continued_in_another_profile() {
        let plan = crate::store::user_data::progress::tests::plan(GONE_ON_WITH);
        let mut scans = plan.lines().filter(|line| line.contains("SCAN"));
        // A filter names few subkinds.
        assert!(scans.all(|scan| scan.contains("SCAN json_each")), "{plan}");
        let index = "COVERING INDEX item_progress_by_continue_profile (user_id=? AND library_id=?)";
        assert!(plan.contains(index), "{plan}");
    }

    #[test]
    fn ids_are_read_from_profile_index() {
        let plan = crate::store::user_data::progress::tests::plan(IDS);
        assert!(
            plan.contains("COVERING INDEX item_of_profile (profile_id=?)"),
            "{plan}"
        );
    }

    #[test]
    fn items_are_counted_in_profile_index_without_sorting() {
        for sql in [INITIALS, TOTAL] {
            let plan = crate::store::user_data::progress::tests::plan(sql);
            let index = "COVERING INDEX item_of_profile (profile_id=? AND library_id=? AND kind=?)";
            assert!(plan.contains(index), "{plan}");
            assert!(!plan.contains("TEMP B-TREE"), "{plan}");
        }
    }
}
