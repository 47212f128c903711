//! Pages of items, at any depth, in any order.
//!
//! Each visible library and kind is one range of the index that the order follows; SQLite merges
//! the ranges, so that a page near either end costs what it shows. In the middle of a long list a
//! pivot is guessed from a sample of keys and everything before it is counted in the index, which
//! is several times cheaper than stepping over it.

use std::collections::BTreeMap;

use rusqlite::types::Value;
use rusqlite::{Connection, ToSql};

use super::card::{self, ItemCard};
use super::filter::{Arm, Filter};
use super::order::{Direction, Sort};
use super::shuffle::Shuffle;
use crate::access::Visible;
use crate::clock::random_below;
use crate::http::page::{Page, Window};
use crate::id::ItemId;
use crate::store::StoreResult;

/// Stepping over so many rows is cheaper than looking for a pivot.
const STEPS: u64 = 6_000;
/// Keys in the sample: its quantiles are off by about a hundredth.
const SAMPLE: usize = 2_000;
/// SQLite joins at most 500 queries.
const MAX_ARMS: usize = 400;

/// The visible items that pass the filter, in order, and how many there are.
pub fn page(
    conn: &Connection,
    visible: Visible,
    filter: &Filter,
    sort: Sort,
    direction: Direction,
    window: Window,
) -> StoreResult<Page<ItemCard>> {
    let arms = filter.arms(conn, visible)?;
    let list = List {
        conn,
        visible,
        filter,
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
    let cards = card::by_ids(conn, visible, &ids)?;
    Ok(Page::new(cards, total, window))
}

/// How many of the visible items that pass the filter file under each initial.
pub(super) fn count_initials(
    conn: &Connection,
    visible: Visible,
    filter: &Filter,
) -> StoreResult<BTreeMap<String, u64>> {
    let arms = filter.arms(conn, visible)?;
    if arms.is_empty() {
        return Ok(BTreeMap::new());
    }
    let list = List {
        conn,
        visible,
        filter,
        arms: &arms,
        sort: Sort::Title,
        direction: Direction::Asc,
    };
    let sql = format!(
        "SELECT initial, count(*) FROM item WHERE id IN ({}) GROUP BY initial",
        list.unordered()
    );
    let mut statement = conn.prepare_cached(&sql)?;
    list.bind(&mut statement)?;
    let mut rows = statement.raw_query();
    let mut counts = BTreeMap::new();
    while let Some(row) = rows.next()? {
        counts.insert(row.get(0)?, row.get(1)?);
    }
    Ok(counts)
}

struct List<'a> {
    conn: &'a Connection,
    visible: Visible,
    filter: &'a Filter,
    arms: &'a [Arm],
    sort: Sort,
    direction: Direction,
}

impl List<'_> {
    fn total(&self) -> StoreResult<u64> {
        if self.arms.is_empty() {
            return Ok(0);
        }
        if self.filter.is_whole_arms() {
            return Ok(self.arms.iter().map(|arm| arm.count).sum());
        }
        self.query_one(&format!("SELECT count(*) FROM ({})", self.unordered()))
    }

    fn ids(&self, total: u64, window: Window) -> StoreResult<Vec<ItemId>> {
        let limit = u64::from(window.limit).min(total - window.offset);
        if let Sort::Random { seed } = self.sort {
            return self.shuffled(seed, total, window.offset, limit);
        }
        if self.filter.selection().is_some() || self.arms.len() > MAX_ARMS {
            return self.sorted(window.offset, limit);
        }
        let behind = total - window.offset - limit;
        if window.offset.min(behind) > STEPS
            && self.filter.is_whole_arms()
            && let Some(ids) = self.past_pivot(total, window.offset, limit)?
        {
            return Ok(ids);
        }
        if behind < window.offset {
            // Nearer to the end: walk from there.
            let mut ids = self.merged(self.direction.reversed(), None, behind, limit)?;
            ids.reverse();
            return Ok(ids);
        }
        self.merged(self.direction, None, window.offset, limit)
    }

    /// Merges the arms' index ranges, from `start` on where there is one.
    fn merged(
        &self,
        direction: Direction,
        start: Option<&[Value]>,
        offset: u64,
        limit: u64,
    ) -> StoreResult<Vec<ItemId>> {
        let sql = self.merged_sql(direction, start.is_some());
        let mut statement = self.conn.prepare_cached(&sql)?;
        self.bind(&mut statement)?;
        bind_key(&mut statement, start.unwrap_or_default())?;
        bind(&mut statement, ":limit", &limit)?;
        bind(&mut statement, ":offset", &offset)?;
        let id_column = self.sort.columns().len();
        let mut rows = statement.raw_query();
        let mut ids = Vec::with_capacity(usize::try_from(limit).unwrap_or(0));
        while let Some(row) = rows.next()? {
            ids.push(row.get(id_column)?);
        }
        Ok(ids)
    }

    fn merged_sql(&self, direction: Direction, from_key: bool) -> String {
        let columns = self.sort.columns();
        let from = if from_key {
            let sign = match direction {
                Direction::Asc => ">=",
                Direction::Desc => "<=",
            };
            format!(
                " AND {} {sign} {}",
                tuple(columns),
                placeholders(columns.len())
            )
        } else {
            String::new()
        };
        let selected = format!("{}, id", columns.join(", "));
        let arms: Vec<String> = (0..self.arms.len())
            .map(|n| format!("{}{from}", self.arm_query(n, &selected)))
            .collect();
        let terms: Vec<String> = (1..=columns.len() + 1)
            .map(|n| format!("{n} {}", direction.sql()))
            .collect();
        format!(
            "{} ORDER BY {} LIMIT :limit OFFSET :offset",
            arms.join(" UNION ALL "),
            terms.join(", "),
        )
    }

    /// A page deep in the list: counts up to a pivot near it and walks the rest. `None` where no
    /// pivot is near enough, as with keys that are nearly all the same.
    fn past_pivot(&self, total: u64, offset: u64, limit: u64) -> StoreResult<Option<Vec<ItemId>>> {
        let mut sample = self.sample()?;
        if sample.len() < SAMPLE / 20 {
            return Ok(None);
        }
        sample.sort_by(|a, b| compare(a, b));
        if self.direction == Direction::Desc {
            sample.reverse();
        }
        // Three standard deviations before the quantile, so that the pivot seldom lies behind it.
        let count = sample.len() as u64;
        let place = offset * count / total;
        let margin = 3 * (place * (count - place) / count).isqrt();
        let Some(pivot) = sample.get(usize::try_from(place.saturating_sub(margin)).unwrap_or(0))
        else {
            return Ok(None);
        };
        let before = self.count_before(pivot)?;
        match offset.checked_sub(before) {
            Some(rest) if rest < total / 8 => self
                .merged(self.direction, Some(pivot), rest, limit)
                .map(Some),
            _ => Ok(None),
        }
    }

    /// Keys of random items among the arms.
    fn sample(&self) -> StoreResult<Vec<Vec<Value>>> {
        let max: u64 = self
            .conn
            .prepare_cached("SELECT ifnull(max(id), 0) FROM item")?
            .query_row([], |row| row.get(0))?;
        let columns = self.sort.columns();
        let mut statement = self.conn.prepare_cached(&format!(
            "SELECT {}, library_id, kind FROM item WHERE id = ?1",
            columns.join(", ")
        ))?;
        let mut keys = Vec::with_capacity(SAMPLE);
        for _ in 0..SAMPLE {
            let mut rows = statement.query([random_below(max) + 1])?;
            let Some(row) = rows.next()? else { continue };
            let library = row.get(columns.len())?;
            let kind: String = row.get(columns.len() + 1)?;
            if self
                .arms
                .iter()
                .any(|arm| arm.library == library && arm.kind == kind)
            {
                keys.push(
                    (0..columns.len())
                        .map(|n| row.get(n))
                        .collect::<Result<_, _>>()?,
                );
            }
        }
        Ok(keys)
    }

    /// How many items stand before `pivot`, counted in the index.
    fn count_before(&self, pivot: &[Value]) -> StoreResult<u64> {
        let mut total = 0;
        for n in 0..self.arms.len() {
            let mut statement = self.conn.prepare_cached(&self.count_sql(n))?;
            self.bind(&mut statement)?;
            bind_key(&mut statement, pivot)?;
            let mut rows = statement.raw_query();
            if let Some(row) = rows.next()? {
                total += row.get::<_, u64>(0)?;
            }
        }
        Ok(total)
    }

    fn count_sql(&self, arm: usize) -> String {
        let columns = self.sort.columns();
        let sign = match self.direction {
            Direction::Asc => "<",
            Direction::Desc => ">",
        };
        format!(
            "{} AND {} {sign} {}",
            self.arm_query(arm, "count(*)"),
            tuple(columns),
            placeholders(columns.len()),
        )
    }

    /// A page of a short selection, sorted as a whole.
    fn sorted(&self, offset: u64, limit: u64) -> StoreResult<Vec<ItemId>> {
        let terms: Vec<String> = self
            .sort
            .columns()
            .iter()
            .chain(&["id"])
            .map(|column| format!("{column} {}", self.direction.sql()))
            .collect();
        let sql = format!(
            "SELECT id FROM item WHERE id IN ({}) ORDER BY {} LIMIT :limit OFFSET :offset",
            self.unordered(),
            terms.join(", "),
        );
        self.query_ids(&sql, offset, limit)
    }

    /// A page of the shuffle: walked from its beginning while that is near, else cut out of all.
    fn shuffled(&self, seed: u64, total: u64, offset: u64, limit: u64) -> StoreResult<Vec<ItemId>> {
        let max: u64 = self
            .conn
            .prepare_cached("SELECT ifnull(max(id), 0) FROM item")?
            .query_row([], |row| row.get(0))?;
        let shuffle = Shuffle::new(max, seed);
        let reversed = self.direction == Direction::Desc;
        let places_a_hit = shuffle.len() / total.max(1);
        if self.filter.is_whole_arms()
            && (offset + limit).saturating_mul(places_a_hit.max(1)) < STEPS
        {
            return self.walk(shuffle, reversed, offset, limit);
        }
        let mut ids: Vec<ItemId> = self.query_ids(&self.unordered(), 0, 0)?;
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
        Ok(rest)
    }

    fn walk(
        &self,
        shuffle: Shuffle,
        reversed: bool,
        offset: u64,
        limit: u64,
    ) -> StoreResult<Vec<ItemId>> {
        let mut statement = self
            .conn
            .prepare_cached("SELECT library_id, kind, missing FROM item WHERE id = ?1")?;
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
            let belongs = self
                .arms
                .iter()
                .any(|arm| arm.library == library && arm.kind == kind)
                && self.filter.missing.is_none_or(|wanted| wanted == missing);
            if !belongs {
                continue;
            }
            if passed >= offset {
                ids.push(ItemId(i64::try_from(id).unwrap_or(0)));
                if ids.len() as u64 >= limit {
                    break;
                }
            }
            passed += 1;
        }
        Ok(ids)
    }

    /// The ids of the whole list, in no order.
    fn unordered(&self) -> String {
        if let Some(selection) = self.filter.selection() {
            // The grants are asked by the arms' libraries, which were asked in this transaction.
            let libraries: Vec<String> = self
                .arms
                .iter()
                .map(|arm| arm.library.to_string())
                .collect();
            let kind = if self.filter.kind.is_some() {
                " AND kind = :kind"
            } else {
                ""
            };
            return format!(
                "SELECT id FROM item
                  WHERE id IN ({selection}) AND library_id IN ({}){kind}{}",
                libraries.join(", "),
                self.filter.condition(),
            );
        }
        let arms: Vec<String> = (0..self.arms.len())
            .map(|n| self.arm_query(n, "id"))
            .collect();
        arms.join(" UNION ALL ")
    }

    fn arm_query(&self, n: usize, columns: &str) -> String {
        format!(
            "SELECT {columns} FROM item INDEXED BY {}
              WHERE library_id = :library{n} AND kind = :kind{n}{}",
            self.sort.index(),
            self.filter.condition(),
        )
    }

    fn bind(&self, statement: &mut rusqlite::Statement<'_>) -> StoreResult<()> {
        for (n, arm) in self.arms.iter().enumerate() {
            bind(statement, &format!(":library{n}"), &arm.library)?;
            bind(statement, &format!(":kind{n}"), &arm.kind)?;
        }
        bind(statement, ":viewer", &self.visible.user())?;
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

/// Binds a parameter, where the statement has it.
fn bind(statement: &mut rusqlite::Statement<'_>, name: &str, value: &dyn ToSql) -> StoreResult<()> {
    if let Some(index) = statement.parameter_index(name)? {
        statement.raw_bind_parameter(index, value)?;
    }
    Ok(())
}

fn bind_key(statement: &mut rusqlite::Statement<'_>, key: &[Value]) -> StoreResult<()> {
    for (n, value) in key.iter().enumerate() {
        bind(statement, &format!(":key{n}"), value)?;
    }
    Ok(())
}

fn tuple(columns: &[&str]) -> String {
    format!("({})", columns.join(", "))
}

fn placeholders(count: usize) -> String {
    let names: Vec<String> = (0..count).map(|n| format!(":key{n}")).collect();
    format!("({})", names.join(", "))
}

/// Keys as SQLite compares them: these columns hold numbers, or texts in binary order.
fn compare(a: &[Value], b: &[Value]) -> std::cmp::Ordering {
    use std::cmp::Ordering;
    a.iter()
        .zip(b)
        .map(|pair| match pair {
            (Value::Integer(a), Value::Integer(b)) => a.cmp(b),
            (Value::Real(a), Value::Real(b)) => a.total_cmp(b),
            (Value::Text(a), Value::Text(b)) => a.cmp(b),
            _ => Ordering::Equal,
        })
        .find(|ordering| ordering.is_ne())
        .unwrap_or(Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::migrate;
    use crate::id::{LibraryId, UserId};

    fn plan(conn: &Connection, sql: &str) -> String {
        let mut statement = conn
            .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
            .expect("a statement");
        let rows = statement
            .raw_query()
            .mapped(|row| row.get::<_, String>(3))
            .collect::<Result<Vec<_>, _>>();
        rows.expect("a plan").join("\n")
    }

    #[test]
    fn every_order_merges_index_ranges_and_sorts_nothing() {
        let mut conn = Connection::open_in_memory().expect("a database");
        migrate::migrate(&mut conn).expect("a schema");
        let arm = |library, kind: &str| Arm {
            library: LibraryId(library),
            kind: kind.to_owned(),
            count: 1,
        };
        let arms = [arm(1, "paper"), arm(1, "sound"), arm(2, "paper")];
        let filters = [
            Filter::default(),
            Filter {
                missing: Some(false),
                ..Filter::default()
            },
        ];
        for filter in &filters {
            for sort in [
                Sort::Title,
                Sort::Added,
                Sort::Year,
                Sort::Author,
                Sort::Series,
            ] {
                for direction in [Direction::Asc, Direction::Desc] {
                    let list = List {
                        conn: &conn,
                        visible: Visible::of(UserId(1)),
                        filter,
                        arms: &arms,
                        sort,
                        direction,
                    };
                    for sql in [
                        list.merged_sql(direction, false),
                        list.merged_sql(direction, true),
                        list.count_sql(0),
                    ] {
                        let plan = plan(&conn, &sql);
                        let covering = format!("COVERING INDEX {} (", sort.index());
                        assert!(plan.contains(&covering), "{sql}\n{plan}");
                        assert!(!plan.contains("TEMP B-TREE"), "{sql}\n{plan}");
                        assert!(!plan.contains("SCAN item"), "{sql}\n{plan}");
                    }
                }
            }
        }
    }
}
