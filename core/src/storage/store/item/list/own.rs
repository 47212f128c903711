//! Lists by the viewer's ratings and by the time of the viewer's latest progress.
//!
//! The viewer's rows order a part of the list; the rest follows by title. Each rating is a list by
//! title, filtered by a set of ids. Times differ from item to item, so an index of the viewer's rows
//! is walked from the nearer end; items of one time are sorted by title. A page among the first
//! rows reads no others.

use rusqlite::named_params;

use super::id_filter::IdFilter;
use super::{Direction, ItemId, List, Order, StoreResult};
use crate::access::Visible;
use crate::db::id_set::{self, IdSet};
use crate::store::user_data::progress;

pub(super) const RATED: &str = "
    SELECT id_set(item_id)
      FROM rating INDEXED BY rating_by_value
     WHERE user_id = :viewer
     GROUP BY rating
     ORDER BY rating";

pub(super) const PLAYED: &str = "
    SELECT id_set(item_id)
      FROM item_progress INDEXED BY item_progress_by_state
     WHERE user_id = :viewer AND finished IN (0, 1)";

pub(super) const BY_TITLE: &str = "
    SELECT item.id
      FROM json_each(:ids) AS wanted
     CROSS JOIN item ON item.id = wanted.value
     ORDER BY item.sort_title, item.id";

/// Number of the viewer's rows in which a page by time is looked for before the others are counted.
const FIRST_ROWS: i64 = 2_000;

/// Range of positions in a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Range {
    pub(super) offset: u64,
    pub(super) limit: u64,
}

impl Range {
    fn end(self) -> u64 {
        self.offset + self.limit
    }

    /// Returns the part of the range inside a section of the list, relative to the section.
    fn within(self, start: u64, length: u64) -> Self {
        let from = self.offset.max(start);
        let to = self.end().min(start + length);
        Self {
            offset: from.saturating_sub(start),
            limit: to.saturating_sub(from),
        }
    }
}

impl List<'_> {
    /// Returns a page by the viewer's ratings.
    pub(super) fn by_rating(
        &self,
        visible: Visible,
        total: u64,
        range: Range,
    ) -> StoreResult<Vec<ItemId>> {
        let mut statement = self
            .conn
            .prepare_cached(&format!("{RATED} {}", self.order.direction.sql()))?;
        let mut rows = statement.query(named_params! { ":viewer": visible.user() })?;
        let (mut page, mut start, mut rated) = (Vec::new(), 0, IdSet::default());
        while let Some(row) = rows.next()? {
            let mut ids = id_set::of_row(row)?;
            ids.retain(|id| self.has(id));
            rated.unite(&ids);
            let length = ids.len();
            let part = range.within(start, length);
            page.extend(self.by_title(&IdFilter::only(ids), length, part)?);
            start += length;
            if start >= range.end() {
                return Ok(page);
            }
        }
        page.extend(self.rest(rated, total, range)?);
        Ok(page)
    }

    /// Returns a page by the time of the viewer's latest progress.
    pub(super) fn by_last_played(
        &self,
        visible: Visible,
        total: u64,
        range: Range,
    ) -> StoreResult<Vec<ItemId>> {
        if range.end() <= FIRST_ROWS.unsigned_abs() {
            let has = |id| self.has(id);
            let groups = self.walk_times(visible, &has, self.order.direction, range, FIRST_ROWS)?;
            let first = groups.concat();
            if first.len() as u64 == range.limit {
                return Ok(first);
            }
        }
        let mut played = id_set::query(
            self.conn,
            PLAYED,
            named_params! { ":viewer": visible.user() },
        )?;
        played.retain(|id| self.has(id));
        let mut page = self.played(visible, &played, range.within(0, played.len()))?;
        page.extend(self.rest(played, total, range)?);
        Ok(page)
    }

    /// Returns the part of the range behind the items with a value: the other items by title.
    fn rest(&self, valued: IdSet, total: u64, range: Range) -> StoreResult<Vec<ItemId>> {
        let start = valued.len();
        let length = total.saturating_sub(start);
        let others = match self.id_filter {
            Some(filter) => filter.without(&valued),
            None => IdFilter::all_but(valued),
        };
        self.by_title(&others, length, range.within(start, length))
    }

    /// Returns a part of the items of a filter, which are `total`, by title.
    fn by_title(&self, filter: &IdFilter, total: u64, part: Range) -> StoreResult<Vec<ItemId>> {
        if part.limit == 0 {
            return Ok(Vec::new());
        }
        let list = List {
            id_filter: Some(filter),
            order: Order::default(),
            ..*self
        };
        list.ordered(total, part.offset, part.limit)
    }

    /// Returns a part of the played items in the list's direction.
    fn played(&self, visible: Visible, played: &IdSet, part: Range) -> StoreResult<Vec<ItemId>> {
        if part.limit == 0 {
            return Ok(Vec::new());
        }
        let is_played = |id| played.contains(id);
        let behind = played.len() - part.end();
        let direction = self.order.direction;
        if behind >= part.offset {
            let groups = self.walk_times(visible, &is_played, direction, part, i64::MAX)?;
            return Ok(groups.concat());
        }
        // The part is nearer to the end, so the times are read backwards.
        let mirrored = Range {
            offset: behind,
            ..part
        };
        let mut groups = self.walk_times(
            visible,
            &is_played,
            direction.reversed(),
            mirrored,
            i64::MAX,
        )?;
        groups.reverse();
        Ok(groups.concat())
    }

    /// Returns a part of the played items in a direction of time, in groups of equal time. Each
    /// group is sorted by title in the list's direction of reading. A group that continues behind
    /// `max_rows` is left out.
    fn walk_times(
        &self,
        visible: Visible,
        is_played: &dyn Fn(ItemId) -> bool,
        direction: Direction,
        part: Range,
        max_rows: i64,
    ) -> StoreResult<Vec<Vec<ItemId>>> {
        let is_backwards = direction != self.order.direction;
        let libraries = visible.libraries(self.conn)?;
        let sql = progress::log::by_time_sql(&libraries, direction);
        let mut statement = self.conn.prepare_cached(&sql)?;
        let mut rows = statement.query(named_params! {
            ":viewer": visible.user(), ":limit": max_rows, ":offset": 0,
        })?;
        let (mut groups, mut start, mut left) = (Vec::new(), 0, max_rows);
        let (mut time, mut group): (String, Vec<ItemId>) = Default::default();
        loop {
            let row = rows.next()?;
            if row.is_none() && left == 0 {
                break;
            }
            left -= 1;
            let next = match row {
                Some(row) => Some(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?),
                None => None,
            };
            if next != Some(time.as_str()) {
                let length = group.len() as u64;
                let slice = part.within(start, length);
                if slice.limit > 0 {
                    groups.push(self.slice(&group, slice, is_backwards)?);
                }
                start += length;
                group.clear();
                let Some(next) = next else { break };
                if start >= part.end() {
                    break;
                }
                next.clone_into(&mut time);
            }
            let id = row.map(|row| row.get(1)).transpose()?;
            group.extend(id.filter(|id| is_played(*id)));
        }
        Ok(groups)
    }

    /// Returns a slice of a group, which is sorted by title. If the list is read backwards, the
    /// slice counts from the group's end.
    fn slice(
        &self,
        group: &[ItemId],
        slice: Range,
        is_backwards: bool,
    ) -> StoreResult<Vec<ItemId>> {
        let mut sorted = self.sorted_by_title(group)?;
        if is_backwards {
            sorted.reverse();
        }
        let skipped = usize::try_from(slice.offset).unwrap_or(usize::MAX);
        let limit = usize::try_from(slice.limit).unwrap_or(usize::MAX);
        let mut ids: Vec<ItemId> = sorted.into_iter().skip(skipped).take(limit).collect();
        if is_backwards {
            ids.reverse();
        }
        Ok(ids)
    }

    fn sorted_by_title(&self, ids: &[ItemId]) -> StoreResult<Vec<ItemId>> {
        if ids.len() < 2 {
            return Ok(ids.to_vec());
        }
        let list = serde_json::to_string(ids).expect("integers are JSON");
        let mut statement = self.conn.prepare_cached(BY_TITLE)?;
        let rows = statement.query_map(named_params! { ":ids": list }, |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
