//! Pages of item lists, at any offset and in any order.
//!
//! Each visible library and kind is one partition: a range of the index that the order follows. A
//! list is the partitions, reduced by the playable profiles, by a subkind that the index does not
//! begin with, and by a set of ids. The code chooses among these strategies:
//!
//! | list and page                                                  | strategy               |
//! |----------------------------------------------------------------|------------------------|
//! | the ids are known, and sorting them costs less than the walk   | sort all of them       |
//! | fewer than `STEPS` index entries to the page, from either end | merge the index ranges |
//! | further from both ends                                         | count up to a pivot key, then merge |
//! | descending, items without a value last                         | the same, then repair the ties |
//! | random order                                                   | walk the shuffle, or sort the known ids |
//! | by the viewer's ratings or times                               | walk the viewer's rows, then the rest by title |

pub(crate) mod criteria;
pub(super) mod id_filter;
mod key;
mod kind_ranges;
mod merge;
mod own;
mod pivot;
mod random;
pub(crate) mod selection;
mod shuffle;
#[cfg(test)]
mod tests;
mod unknown_last;

use std::borrow::Cow;

use rusqlite::{Connection, Statement};

use super::bind::bind;
use super::card::{self, ItemCard};
use super::filter::{Filter, Partition};
use super::playable::PlayableFilter;
use super::sort::{Direction, Order, Sort, UNKNOWN};
use crate::access::Visible;
use crate::db::id_set::{self, IdSet};
use crate::db::item_index::IndexSnapshot;
use crate::error::StoreResult;
use crate::id::{ItemId, LibraryId};
use crate::paging::{Page, Window};
use criteria::KnownIds;
use id_filter::{IdFilter, Membership};
use merge::MOST;
use own::Range;
use selection::Selection;

/// Number of index entries up to which stepping is cheaper than a pivot search.
const STEPS: u64 = 6_000;
/// Number of playable items up to which all of them may be sorted.
const RARE: u64 = 20_000;
/// Limit of partitions per merging statement. SQLite joins at most 500 queries and plans many
/// slowly.
const MAX_PARTITIONS: usize = 100;

/// Returns a page of the visible items that match the filter, and their total.
pub fn page(
    conn: &Connection,
    view: &IndexSnapshot,
    visible: Visible,
    filter: &Filter,
    order: Order,
    window: Window,
) -> StoreResult<Page<ItemCard>> {
    let (ids, total) = ids(conn, view, visible, filter, None, order, window)?;
    let cards = card::cards(conn, visible, &ids, filter.engines.as_ref())?;
    Ok(Page::new(cards, total, window))
}

/// Returns the ids of a page of the visible items that match the filter, and their total.
pub fn page_ids(
    conn: &Connection,
    view: &IndexSnapshot,
    visible: Visible,
    filter: &Filter,
    order: Order,
    window: Window,
) -> StoreResult<(Vec<ItemId>, u64)> {
    ids(conn, view, visible, filter, None, order, window)
}

/// Returns a page of the visible items that match the filter and belong to the selection, and their
/// total.
pub(crate) fn ids(
    conn: &Connection,
    view: &IndexSnapshot,
    visible: Visible,
    filter: &Filter,
    selection: Option<Selection>,
    order: Order,
    window: Window,
) -> StoreResult<(Vec<ItemId>, u64)> {
    let playable = PlayableFilter::read(conn, visible, filter)?;
    let membership = Membership::new(conn, view, visible, filter, playable.as_ref())?;
    let mut id_filter = IdFilter::read(conn, visible, filter, selection, &membership)?;
    let partitions_of = |filter: &Filter| match &playable {
        Some(playable) => playable.partitions(conn, visible, filter),
        None => filter.partitions(conn, visible),
    };
    let mut indexed = Cow::Borrowed(filter);
    let mut partitions = partitions_of(filter)?;
    if !filter.subkinds.is_empty() && !order.sort.spec().has_subkind_index() {
        let ranges = kind_ranges::partitions(conn, visible, filter, partitions)?;
        partitions = if let Some(ranges) = ranges {
            ranges
        } else {
            id_filter = Some(IdFilter::listed(id_filter, view, &membership));
            indexed.to_mut().subkinds.clear();
            partitions_of(&indexed)?
        };
    }
    let list = List {
        conn,
        filter: &indexed,
        playable: playable.as_ref(),
        membership: &membership,
        id_filter: id_filter.as_ref(),
        partitions: &partitions,
        order,
        is_known: false,
        max_rows: MOST,
    };
    let total = list.total();
    let ids = if window.offset >= total || window.limit == 0 {
        Vec::new()
    } else {
        list.ids(visible, total, window)?
    };
    Ok((ids, total))
}

/// Returns the ids of all visible items that match the filter.
pub fn all_ids(
    conn: &Connection,
    view: &IndexSnapshot,
    visible: Visible,
    filter: &Filter,
) -> StoreResult<IdSet> {
    all_ids_with(conn, view, visible, filter, &KnownIds::default())
}

/// Returns the ids of all visible items that match the filter, and reads only unknown ids of
/// criteria.
pub(super) fn all_ids_with(
    conn: &Connection,
    view: &IndexSnapshot,
    visible: Visible,
    filter: &Filter,
    known: &KnownIds,
) -> StoreResult<IdSet> {
    let playable = PlayableFilter::read(conn, visible, filter)?;
    let membership = Membership::new(conn, view, visible, filter, playable.as_ref())?;
    let selection = criteria::selection_with(conn, visible, filter, known)?;
    let id_filter = selection.map(|selection| IdFilter::of(selection, &membership));
    if let Some(ids) = id_filter.as_ref().and_then(IdFilter::ids) {
        return Ok(ids.clone());
    }
    let mut all: IdSet = view.ids().filter(|id| membership.has(*id)).collect();
    if let Some(id_filter) = &id_filter {
        all.subtract(id_filter.exclusions());
    }
    Ok(all)
}

/// Estimated cost of a page, in tenths of a microsecond.
struct Cost;

impl Cost {
    /// Returns the cost of looking up and sorting this number of items.
    fn sorted(items: u64) -> u64 {
        items.saturating_mul(40)
    }

    /// Returns the cost of passing this number of index entries: merged, or counted with a sample.
    fn walked(steps: u64) -> u64 {
        steps.saturating_mul(3).min(steps.saturating_add(40_000))
    }
}

#[derive(Clone, Copy)]
struct List<'a> {
    conn: &'a Connection,
    filter: &'a Filter,
    playable: Option<&'a PlayableFilter>,
    membership: &'a Membership<'a>,
    id_filter: Option<&'a IdFilter>,
    /// Sorted by library, kind and subkind.
    partitions: &'a [Partition],
    order: Order,
    /// `true` if the list contains only the items with a known value.
    is_known: bool,
    /// Limit of the index entries that a merge with an id filter reads.
    max_rows: u64,
}

impl List<'_> {
    fn total(&self) -> u64 {
        let counted = self
            .partitions
            .iter()
            .map(|partition| partition.count)
            .sum();
        self.id_filter.map_or(counted, |ids| ids.total(counted))
    }

    fn ids(&self, visible: Visible, total: u64, window: Window) -> StoreResult<Vec<ItemId>> {
        let offset = window.offset;
        let limit = u64::from(window.limit).min(total - offset);
        match self.order.sort {
            Sort::Random => self.shuffled(total, offset, limit),
            Sort::Rating => self.by_rating(visible, total, Range { offset, limit }),
            Sort::LastPlayed => self.by_last_played(visible, total, Range { offset, limit }),
            _ => self.ordered(total, offset, limit),
        }
    }

    /// Returns a page in the order of an index.
    fn ordered(&self, total: u64, offset: u64, limit: u64) -> StoreResult<Vec<ItemId>> {
        let behind = total - offset - limit;
        let steps = self.steps(total, behind.min(offset) + limit);
        if Cost::sorted(total) < Cost::walked(steps)
            && let Some(ids) = self.known_ids(total)?
        {
            return self.sorted(&ids, offset, limit);
        }
        let direction = self.order.direction;
        if direction == Direction::Desc && self.order.sort.spec().has_unknown_last {
            return self.descending(total, offset, limit);
        }
        self.page_from_nearer_end(direction, total, offset, limit)
    }

    /// Returns a page in the index's order of this direction, read from the nearer end.
    fn page_from_nearer_end(
        &self,
        direction: Direction,
        total: u64,
        offset: u64,
        limit: u64,
    ) -> StoreResult<Vec<ItemId>> {
        let behind = total - offset - limit;
        if behind >= offset {
            return self.walked(direction, total, offset, limit);
        }
        let mut ids = self.walked(direction.reversed(), total, behind, limit)?;
        ids.reverse();
        Ok(ids)
    }

    /// Estimates the index entries to pass until `wanted` items of the list are found.
    fn steps(&self, total: u64, wanted: u64) -> u64 {
        let entries: u64 = self.partitions.iter().map(|partition| partition.size).sum();
        let steps = u128::from(wanted) * u128::from(entries) / u128::from(total.max(1));
        u64::try_from(steps).unwrap_or(u64::MAX)
    }

    /// Returns all items of the list if they are known without a walk: those of an id set, or those
    /// of rare profiles.
    fn known_ids(&self, total: u64) -> StoreResult<Option<Vec<ItemId>>> {
        match (self.id_filter, self.playable) {
            (Some(filter), _) => Ok(filter.ids().map(|ids| ids.descending().collect())),
            (None, Some(playable)) if total <= RARE => {
                let mut ids = playable.ids_unscoped(self.conn)?;
                ids.retain(|id| self.membership.has(id));
                Ok(Some(ids.descending().collect()))
            }
            (None, _) => Ok(None),
        }
    }

    /// Returns a page at this offset in this direction.
    fn walked(
        &self,
        direction: Direction,
        total: u64,
        offset: u64,
        limit: u64,
    ) -> StoreResult<Vec<ItemId>> {
        if self.steps(total, offset) > STEPS
            && let Some(ids) = self.past_pivot(direction, total, offset, limit)?
        {
            return Ok(ids);
        }
        self.merged(direction, self.start(direction).as_deref(), offset, limit)
    }

    /// Returns a page of these items, sorted as a whole.
    fn sorted(&self, ids: &[ItemId], offset: u64, limit: u64) -> StoreResult<Vec<ItemId>> {
        let mut statement = self.conn.prepare_cached(&self.sorted_sql())?;
        let list = serde_json::to_string(ids).expect("integers are JSON");
        bind(&mut statement, ":ids", &list)?;
        bind(&mut statement, ":limit", &limit)?;
        bind(&mut statement, ":offset", &offset)?;
        let mut rows = statement.raw_query();
        let mut ids = Vec::new();
        while let Some(row) = rows.next()? {
            ids.push(row.get(0)?);
        }
        Ok(ids)
    }

    fn sorted_sql(&self) -> String {
        let spec = self.order.sort.spec();
        let columns = spec.columns.iter().chain(&["item.id"]);
        let terms: Vec<String> = match spec.columns {
            [value, title] if spec.has_unknown_last => vec![
                format!("{value} = {UNKNOWN}"),
                format!("{value} {}", self.order.direction.sql()),
                (*title).to_owned(),
                "item.id".to_owned(),
            ],
            _ => columns
                .map(|column| format!("{column} {}", self.order.direction.sql()))
                .collect(),
        };
        format!(
            "SELECT item.id
               FROM json_each(:ids) AS wanted
              CROSS JOIN item ON item.id = wanted.value
              ORDER BY {} LIMIT :limit OFFSET :offset",
            terms.join(", "),
        )
    }

    /// Splits the list into parts that one statement can process.
    fn parts(&self) -> impl Iterator<Item = Self> {
        let list = *self;
        let part = move |partitions| Self { partitions, ..list };
        self.partitions.chunks(MAX_PARTITIONS).map(part)
    }

    /// Returns the list of each partition.
    fn ranges(&self) -> impl Iterator<Item = Self> {
        let list = *self;
        let range = move |partitions| Self { partitions, ..list };
        self.partitions.chunks(1).map(range)
    }

    /// Runs a statement about the first range, which returns the number of its items, or their id set
    /// if the list has an id filter. Returns the number of items of the list. `bind_more` binds the
    /// parameters that do not describe the range.
    fn counted(
        &self,
        sql: &str,
        bind_more: impl FnOnce(&mut Statement<'_>) -> StoreResult<()>,
    ) -> StoreResult<u64> {
        let mut statement = self.conn.prepare_cached(sql)?;
        self.bind(&mut statement)?;
        bind_more(&mut statement)?;
        let mut rows = statement.raw_query();
        let Some(row) = rows.next()? else {
            return Ok(0);
        };
        match self.id_filter {
            None => Ok(row.get(0)?),
            Some(filter) => Ok(filter.count(&id_set::of_row(row)?)),
        }
    }

    /// Returns `true` if the list includes items of this library, kind and subkind.
    fn has_partition(&self, library: LibraryId, kind: &str, subkind: Option<&str>) -> bool {
        let subkind = subkind.filter(|_| !self.filter.subkinds.is_empty());
        let key = (library, kind, subkind);
        self.partitions
            .binary_search_by(|own| {
                (own.library, own.kind.as_str(), own.subkind.as_deref()).cmp(&key)
            })
            .is_ok()
    }

    /// Returns a query for one range of the order's index, without the id filter.
    fn partition_query(&self, n: usize, columns: &str) -> String {
        let subkind = if self.filter.subkinds.is_empty() {
            String::new()
        } else {
            format!(" AND subkind = :subkind{n}")
        };
        format!(
            "SELECT {columns} FROM item INDEXED BY {}
              WHERE library_id = :library{n} AND kind = :kind{n}{subkind}{}{}",
            self.order.sort.spec().index_for(self.filter),
            self.filter.missing_condition(),
            self.playable
                .map(PlayableFilter::condition)
                .unwrap_or_default(),
        )
    }

    fn bind(&self, statement: &mut Statement<'_>) -> StoreResult<()> {
        for (n, partition) in self.partitions.iter().enumerate() {
            bind(statement, &format!(":library{n}"), &partition.library)?;
            bind(statement, &format!(":kind{n}"), &partition.kind)?;
            bind(statement, &format!(":subkind{n}"), &partition.subkind)?;
        }
        for (name, value) in self
            .playable
            .iter()
            .flat_map(|playable| playable.parameters())
        {
            bind(statement, name, &value)?;
        }
        Ok(())
    }
}
