//! A page of the shuffle.

use super::chosen::{self, Chosen};
use super::shuffle::Shuffle;
use super::{Direction, ItemId, List, STEPS, StoreResult};
use crate::db::presence::View;

impl List<'_> {
    /// A page of the shuffle: walked from its beginning while that is near, else cut out of all.
    pub(super) fn shuffled(
        &self,
        seed: u64,
        total: u64,
        offset: u64,
        limit: u64,
    ) -> StoreResult<Vec<ItemId>> {
        let max: u64 = self
            .conn
            .prepare_cached("SELECT ifnull(max(id), 0) FROM item")?
            .query_row([], |row| row.get(0))?;
        let shuffle = Shuffle::new(max, seed);
        let reversed = self.direction == Direction::Desc;
        if let Some(view) = self.view.filter(|view| self.is_told_by(view)) {
            return match self.chosen.and_then(Chosen::ids) {
                Some(ids) => Ok(cut(ids.collect(), shuffle, reversed, offset, limit)),
                None => self.walk_places(view, shuffle, reversed, total, offset, limit),
            };
        }
        let places_a_hit = shuffle.len() / total.max(1);
        if self.filter.is_whole_arms()
            && (offset + limit).saturating_mul(places_a_hit.max(1)) < STEPS
        {
            return self.walk(shuffle, reversed, offset, limit);
        }
        let mut ids: Vec<ItemId> = Vec::new();
        for (part, sql) in self.unordered("id") {
            ids.extend(part.query_ids(&sql, 0, 0)?);
        }
        Ok(cut(ids, shuffle, reversed, offset, limit))
    }

    /// A page of all items' places in memory, walked from the nearer end.
    fn walk_places(
        &self,
        view: &View,
        shuffle: Shuffle,
        reversed: bool,
        total: u64,
        offset: u64,
        limit: u64,
    ) -> StoreResult<Vec<ItemId>> {
        let groups = chosen::groups(self.conn, view, self.visible, self.filter)?;
        let passes = self.belongs(view);
        let belongs = |id: &ItemId| groups.of(*id).is_some() && passes(*id);
        let behind = total - offset - limit;
        let from_behind = behind < offset;
        let first = if from_behind { behind } else { offset };
        let page = |places: &mut dyn Iterator<Item = u64>| {
            let ids = places.filter_map(|place| i64::try_from(shuffle.id(place)).ok());
            let ids = ids.map(ItemId).filter(belongs);
            let skipped = usize::try_from(first).unwrap_or(usize::MAX);
            ids.skip(skipped)
                .take(usize::try_from(limit).unwrap_or(0))
                .collect::<Vec<_>>()
        };
        let mut ids = if from_behind == reversed {
            page(&mut (0..shuffle.len()))
        } else {
            page(&mut (0..shuffle.len()).rev())
        };
        if from_behind {
            ids.reverse();
        }
        Ok(ids)
    }

    fn walk(
        &self,
        shuffle: Shuffle,
        reversed: bool,
        offset: u64,
        limit: u64,
    ) -> StoreResult<Vec<ItemId>> {
        let mut statement = self.conn.prepare_cached(
            "SELECT library_id, kind, missing, profile_id, subkind FROM item WHERE id = ?1",
        )?;
        let mut ids = Vec::new();
        let mut passed = 0;
        for step in 0..shuffle.len() {
            let place = if reversed {
                shuffle.len() - 1 - step
            } else {
                step
            };
            let id = shuffle.id(place);
            let mut rows = statement.query([id])?;
            let Some(row) = rows.next()? else { continue };
            let library = row.get(0)?;
            let kind: String = row.get(1)?;
            let missing: bool = row.get(2)?;
            let profile = row.get(3)?;
            let subkind: Option<String> = row.get(4)?;
            let item = ItemId(i64::try_from(id).unwrap_or(0));
            let belongs = self.has_arm(library, &kind)
                && self.filter.has_subkind(subkind.as_deref())
                && self.filter.missing.is_none_or(|wanted| wanted == missing)
                && self
                    .playing
                    .is_none_or(|playing| playing.has(item, profile));
            if !belongs {
                continue;
            }
            if passed >= offset {
                ids.push(item);
                if ids.len() as u64 >= limit {
                    break;
                }
            }
            passed += 1;
        }
        Ok(ids)
    }
}

/// The page of these items, cut out of all.
fn cut(
    mut ids: Vec<ItemId>,
    shuffle: Shuffle,
    reversed: bool,
    offset: u64,
    limit: u64,
) -> Vec<ItemId> {
    let place = |id: &ItemId| {
        let place = shuffle.place(u64::try_from(id.0).unwrap_or(0));
        if reversed { u64::MAX - place } else { place }
    };
    let start = usize::try_from(offset).unwrap_or(usize::MAX).min(ids.len());
    let end = start
        .saturating_add(usize::try_from(limit).unwrap_or(0))
        .min(ids.len());
    if start > 0 && start < ids.len() {
        ids.select_nth_unstable_by_key(start, place);
    }
    let mut rest = ids.split_off(start);
    if end - start < rest.len() {
        rest.select_nth_unstable_by_key(end - start, place);
        rest.truncate(end - start);
    }
    rest.sort_unstable_by_key(place);
    rest
}
