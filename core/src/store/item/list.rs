//! Pages of items, at any depth, in any order.
//!
//! Each visible library and kind is one range of the index that the order follows; SQLite merges
//! the ranges, so that a page near either end costs what it shows. In the middle of a long list, what
//! lies before the page is counted in memory by levels of the order. Until those are there a pivot
//! is guessed from a sample of keys and everything before it is counted in the index, which is
//! several times cheaper than stepping over it. What the viewer has begun or loves is a set of ids
//! in memory, by which the ranges are sieved.

mod chosen;
mod leveled;
mod merge;
mod pivot;
mod shuffle;
mod shuffled;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::bind::bind;
use super::card::{self, ItemCard};
use super::filter::{Arm, Filter};
use super::left_out;
use super::order::{Direction, Sort};
use super::playing::Playing;
use crate::access::Visible;
use crate::db::presence::View;
use crate::http::page::{Page, Window};
use crate::id::{ItemId, LibraryId};
use crate::store::StoreResult;
use chosen::Chosen;

/// Stepping over so many rows is cheaper than looking for a pivot.
const STEPS: u64 = 6_000;
/// So few items that play are found by their profiles and sorted, rather than looked for.
const RARE: u64 = 20_000;
/// Arms that one statement merges: SQLite joins at most 500 queries, and takes long to plan many.
const MAX_ARMS: usize = 100;

/// The visible items that pass the filter, in order, and how many there are. With every item's
/// place at hand, what a viewer has begun, their favourites and the shuffle come from memory.
pub fn page(
    conn: &Connection,
    view: Option<&View>,
    visible: Visible,
    filter: &Filter,
    sort: Sort,
    direction: Direction,
    window: Window,
) -> StoreResult<Page<ItemCard>> {
    let playing = Playing::of(conn, visible, filter)?;
    let arms = arms(conn, visible, filter, playing.as_ref())?;
    let chosen = match view {
        Some(view) => Chosen::of(conn, view, visible, filter)?,
        None => None,
    };
    let list = List {
        conn,
        view,
        visible,
        filter,
        playing: playing.as_ref(),
        chosen: chosen.as_ref(),
        arms: &arms,
        sort,
        direction,
    };
    let total = list.total()?;
    let ids = if window.offset >= total {
        Vec::new()
    } else {
        list.ids(total, window)?
    };
    let cards = card::cards(conn, view, visible, &ids, filter.engines.as_ref())?;
    Ok(Page::new(cards, total, window))
}

/// What a page is expected to cost, in tenths of a microsecond.
struct Cost;

impl Cost {
    /// So many items looked up and sorted.
    fn sorted(items: u64) -> u64 {
        items.saturating_mul(40)
    }

    /// So many entries of an index passed: merged, or counted once a sample is drawn.
    fn walked(steps: u64) -> u64 {
        steps.saturating_mul(3).min(steps.saturating_add(40_000))
    }
}

/// The arms, with counts of what belongs to the list as far as counts can tell.
fn arms(
    conn: &Connection,
    visible: Visible,
    filter: &Filter,
    playing: Option<&Playing>,
) -> StoreResult<Vec<Arm>> {
    match playing {
        Some(playing) => playing.arms(conn, visible, filter),
        None => filter.arms(conn, visible),
    }
}

/// How many of the visible items that pass the filter file under each initial.
pub(super) fn count_initials(
    conn: &Connection,
    visible: Visible,
    filter: &Filter,
) -> StoreResult<BTreeMap<String, u64>> {
    let playing = Playing::of(conn, visible, filter)?;
    let arms = arms(conn, visible, filter, playing.as_ref())?;
    if arms.is_empty() {
        return Ok(BTreeMap::new());
    }
    let list = List {
        conn,
        view: None,
        visible,
        filter,
        playing: playing.as_ref(),
        chosen: None,
        arms: &arms,
        sort: Sort::Title,
        direction: Direction::Asc,
    };
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for (part, initials) in list.unordered("initial") {
        let mut statement = conn.prepare_cached(&initials)?;
        part.bind(&mut statement)?;
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next()? {
            let initial = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
            match counts.get_mut(initial) {
                Some(count) => *count += 1,
                None => drop(counts.insert(initial.to_owned(), 1)),
            }
        }
    }
    Ok(counts)
}

#[derive(Clone, Copy)]
struct List<'a> {
    conn: &'a Connection,
    /// Every item's place, where all are known.
    view: Option<&'a View>,
    visible: Visible,
    filter: &'a Filter,
    playing: Option<&'a Playing>,
    /// What the filter's choices come to, where that is told from memory.
    chosen: Option<&'a Chosen>,
    /// By library and kind.
    arms: &'a [Arm],
    sort: Sort,
    direction: Direction,
}

impl List<'_> {
    fn total(&self) -> StoreResult<u64> {
        if self.arms.is_empty() {
            return Ok(0);
        }
        if let Some(chosen) = self.chosen {
            return Ok(chosen.total(self.counted()));
        }
        if self.filter.is_whole_but_for_the_viewers() {
            let left_out =
                left_out::by_initial(self.conn, self.visible, self.filter, self.playing)?;
            return Ok(self.counted().saturating_sub(left_out.values().sum()));
        }
        let mut total = 0;
        for (part, ids) in self.unordered("id") {
            total += part.query_one(&format!("SELECT count(*) FROM ({ids})"))?;
        }
        Ok(total)
    }

    fn counted(&self) -> u64 {
        self.arms.iter().map(|arm| arm.count).sum()
    }

    fn ids(&self, total: u64, window: Window) -> StoreResult<Vec<ItemId>> {
        let limit = u64::from(window.limit).min(total - window.offset);
        if let Sort::Random { seed } = self.sort {
            return self.shuffled(seed, total, window.offset, limit);
        }
        let behind = total - window.offset - limit;
        let nearer = behind.min(window.offset) + limit;
        if self.chosen.is_none()
            && let Some(selection) = self.short_selection(nearer)?
        {
            return self.query_ids(&self.sorted_sql(&selection), window.offset, limit);
        }
        let steps = self.steps(total, nearer);
        if Cost::sorted(total) < Cost::walked(steps)
            && let Some(ids) = self.chosen.and_then(Chosen::ids)
        {
            return self.sorted(&ids.collect::<Vec<_>>(), window.offset, limit);
        }
        if steps > STEPS
            && let Some(ids) = self.by_levels(total, window.offset, limit)?
        {
            return Ok(ids);
        }
        if behind < window.offset {
            // Nearer to the end: come from there.
            let mut ids = self.walked(self.direction.reversed(), total, behind, limit)?;
            ids.reverse();
            return Ok(ids);
        }
        self.walked(self.direction, total, window.offset, limit)
    }

    /// How many entries of the order's index are passed until so many belong to the list.
    fn steps(&self, total: u64, wanted: u64) -> u64 {
        let steps = u128::from(wanted) * u128::from(self.counted()) / u128::from(total.max(1));
        u64::try_from(steps).unwrap_or(u64::MAX)
    }

    /// A page at this offset in this direction.
    fn walked(
        &self,
        direction: Direction,
        total: u64,
        offset: u64,
        limit: u64,
    ) -> StoreResult<Vec<ItemId>> {
        let may_count = self.chosen.is_some() || self.filter.is_whole_arms();
        if may_count
            && self.steps(total, offset) > STEPS
            && let Some(ids) = self.past_pivot(direction, total, offset, limit)?
        {
            return Ok(ids);
        }
        self.merged(direction, None, offset, limit)
    }

    /// A page of these items, sorted as a whole.
    fn sorted(&self, ids: &[ItemId], offset: u64, limit: u64) -> StoreResult<Vec<ItemId>> {
        let mut statement = self.conn.prepare_cached(&self.sorted_of_list_sql())?;
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

    fn sorted_of_list_sql(&self) -> String {
        format!(
            "SELECT item.id
               FROM json_each(:ids) AS wanted
              CROSS JOIN item ON item.id = wanted.value
              ORDER BY {} LIMIT :limit OFFSET :offset",
            self.order_terms(),
        )
    }

    fn order_terms(&self) -> String {
        let columns = self.sort.columns().iter().chain(&["item.id"]);
        let terms = columns.map(|column| format!("{column} {}", self.direction.sql()));
        terms.collect::<Vec<_>>().join(", ")
    }

    /// A page of a short selection, sorted as a whole.
    fn sorted_sql(&self, selection: &str) -> String {
        format!(
            "{} ORDER BY {} LIMIT :limit OFFSET :offset",
            self.selected(selection, "id"),
            self.order_terms(),
        )
    }

    /// A column of the whole list, in no order: each part with its query.
    fn unordered(&self, column: &str) -> Vec<(Self, String)> {
        if let Some(selection) = self.selection() {
            return vec![(*self, self.selected(&selection, column))];
        }
        let ranges = |part: Self| {
            let arms: Vec<String> = (0..part.arms.len())
                .map(|n| part.arm_query(n, column))
                .collect();
            (part, arms.join(" UNION ALL "))
        };
        self.parts().map(ranges).collect()
    }

    /// The list in parts of so many arms as one statement bears.
    fn parts(&self) -> impl Iterator<Item = Self> {
        let list = *self;
        let part = move |arms| Self { arms, ..list };
        self.arms.chunks(MAX_ARMS).map(part)
    }

    /// What of a selection belongs, looked up by its ids: SQLite would rather walk the libraries.
    fn selected(&self, selection: &str, column: &str) -> String {
        // The grants are asked by the arms' libraries, which were asked in this transaction.
        let mut libraries: Vec<String> = self
            .arms
            .iter()
            .map(|arm| arm.library.to_string())
            .collect();
        libraries.dedup();
        let kind = if self.filter.kind.is_some() {
            " AND kind = :kind"
        } else {
            ""
        };
        format!(
            "SELECT {column} FROM item NOT INDEXED
              WHERE id IN ({selection}) AND library_id IN ({}){kind}{}",
            libraries.join(", "),
            self.condition(),
        )
    }

    /// Whether items of this library and kind belong.
    fn has_arm(&self, library: LibraryId, kind: &str) -> bool {
        self.arms
            .binary_search_by(|arm| (arm.library, arm.kind.as_str()).cmp(&(library, kind)))
            .is_ok()
    }

    /// A query for the ids of the items that may belong, where that is a short list.
    fn selection(&self) -> Option<String> {
        let found_by_profile = self.playing.filter(|_| self.counted() <= RARE);
        self.filter
            .selection()
            .or_else(|| found_by_profile.map(Playing::selection))
    }

    /// The same, where sorting all of it is cheaper than walking the order's index until so many
    /// items of the list have come.
    fn short_selection(&self, wanted: u64) -> StoreResult<Option<String>> {
        let selection = self.filter.selection();
        if selection.is_some() || self.playing.is_none() || self.counted() > RARE {
            return Ok(selection);
        }
        let arms = self.filter.arms(self.conn, self.visible)?;
        let all: u64 = arms.iter().map(|arm| arm.count).sum();
        let steps = wanted.saturating_mul(all) / self.counted().max(1);
        let is_cheaper = Cost::sorted(self.counted()) < Cost::walked(steps);
        Ok(is_cheaper.then(|| self.selection()).flatten())
    }

    /// The condition on a row of `item` that arms, selection and choice leave open.
    fn condition(&self) -> String {
        if self.chosen.is_some() {
            return self.filter.place_condition();
        }
        let playing = self.playing.map(Playing::condition);
        self.filter.condition() + &playing.unwrap_or_default()
    }

    /// One arm, as one range of the order's index.
    fn arm_query(&self, n: usize, columns: &str) -> String {
        format!(
            "SELECT {columns} FROM item INDEXED BY {}
              WHERE library_id = :library{n} AND kind = :kind{n}{}",
            self.sort.index_for(self.filter),
            self.condition(),
        )
    }

    fn bind(&self, statement: &mut rusqlite::Statement<'_>) -> StoreResult<()> {
        for (n, arm) in self.arms.iter().enumerate() {
            bind(statement, &format!(":library{n}"), &arm.library)?;
            bind(statement, &format!(":kind{n}"), &arm.kind)?;
        }
        for (name, value) in self.playing.iter().flat_map(|playing| playing.parameters()) {
            bind(statement, name, &value)?;
        }
        bind(statement, ":viewer", &self.visible.user())?;
        bind(statement, ":subkind", &self.filter.subkind)?;
        bind(statement, ":kind", &self.filter.kind)
    }

    /// The window counts where the query asks for one.
    fn query_ids(&self, sql: &str, offset: u64, limit: u64) -> StoreResult<Vec<ItemId>> {
        let mut statement = self.conn.prepare_cached(sql)?;
        self.bind(&mut statement)?;
        bind(&mut statement, ":limit", &limit)?;
        bind(&mut statement, ":offset", &offset)?;
        let mut rows = statement.raw_query();
        let mut ids = Vec::new();
        while let Some(row) = rows.next()? {
            ids.push(row.get(0)?);
        }
        Ok(ids)
    }

    fn query_one(&self, sql: &str) -> StoreResult<u64> {
        let mut statement = self.conn.prepare_cached(sql)?;
        self.bind(&mut statement)?;
        let mut rows = statement.raw_query();
        match rows.next()? {
            Some(row) => Ok(row.get(0)?),
            None => Ok(0),
        }
    }
}
