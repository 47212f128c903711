//! Items by ranges of a column. Each range is read from an index that begins with library and kind.
//!
//! If a range has more than half of the items, the other items are read, and the selection is their
//! complement.

use rusqlite::{Connection, ToSql, named_params};

use crate::access::Visible;
use crate::db::id_set::{self, IdSet};
use crate::error::StoreResult;
use crate::store::file::totals::UNKNOWN;
use crate::store::item::list::selection::Selection;

/// Number of items that are read to estimate the share of a range. The estimate decides only
/// between two ways to the same result.
const SAMPLE: i64 = 200;

/// Column of `item` whose index begins with library and kind.
pub(super) struct Column {
    name: &'static str,
    index: &'static str,
    /// Value of items for which the column is unknown.
    unknown: Option<i64>,
}

pub(super) const YEAR: Column = Column {
    name: "sort_year",
    index: "item_by_year",
    unknown: Some(0),
};
pub(super) const DURATION: Column = Column {
    name: "sort_duration",
    index: "item_by_duration",
    unknown: Some(UNKNOWN),
};
pub(super) const PAGES: Column = Column {
    name: "sort_pages",
    index: "item_by_pages",
    unknown: Some(UNKNOWN),
};
pub(super) const SIZE: Column = Column {
    name: "sort_size",
    index: "item_by_size",
    unknown: Some(UNKNOWN),
};
pub(super) const ADDED: Column = Column {
    name: "added_at",
    index: "item_by_added",
    unknown: None,
};

impl Column {
    /// Selects the visible items with known values from `low` to `high`. The selection may also have
    /// invisible items.
    pub(super) fn select(
        &self,
        conn: &Connection,
        visible: Visible,
        low: &dyn ToSql,
        high: &dyn ToSql,
    ) -> StoreResult<Selection> {
        if self.has_most(conn, low, high)? {
            let outside = self.outside(conn, visible, low, high)?;
            return Ok(Selection::of(outside).negated());
        }
        self.inside(conn, visible, low, high).map(Selection::of)
    }

    fn inside(
        &self,
        conn: &Connection,
        visible: Visible,
        low: &dyn ToSql,
        high: &dyn ToSql,
    ) -> StoreResult<IdSet> {
        let viewer = visible.user();
        let mut parameters: Vec<(&str, &dyn ToSql)> =
            vec![(":viewer", &viewer), (":low", low), (":high", high)];
        if let Some(unknown) = &self.unknown {
            parameters.push((":unknown", unknown));
        }
        let mut inside = IdSet::default();
        for sql in self.inside_sql() {
            inside.unite(&id_set::query(conn, &sql, parameters.as_slice())?);
        }
        Ok(inside)
    }

    /// Returns the visible items with a lower, a higher or no value.
    fn outside(
        &self,
        conn: &Connection,
        visible: Visible,
        low: &dyn ToSql,
        high: &dyn ToSql,
    ) -> StoreResult<IdSet> {
        let mut outside = IdSet::default();
        for (comparison, end) in [("<", low), (">", high), ("IS", &self.unknown)] {
            let parameters = named_params! { ":viewer": visible.user(), ":end": end };
            let sql = self.sql(&format!("item.{} {comparison} :end", self.name));
            outside.unite(&id_set::query(conn, &sql, parameters)?);
        }
        Ok(outside)
    }

    /// Estimates if more than half of all items have values from `low` to `high`.
    fn has_most(&self, conn: &Connection, low: &dyn ToSql, high: &dyn ToSql) -> StoreResult<bool> {
        let parameters = named_params! {
            ":low": low, ":high": high, ":unknown": self.unknown, ":size": SAMPLE,
        };
        let mut statement = conn.prepare_cached(&self.sample_sql())?;
        Ok(statement.query_row(parameters, |row| row.get(0))?)
    }

    /// Returns the statements of the items in a range. Items with an unknown value are not read,
    /// because they may be most of an index.
    fn inside_sql(&self) -> Vec<String> {
        let ranges: &[&str] = match self.unknown {
            None => &[":low AND :high"],
            Some(_) => &[
                ":low AND min(:high, :unknown - 1)",
                "max(:low, :unknown + 1) AND :high",
            ],
        };
        let sql = |range| self.sql(&format!("item.{} BETWEEN {range}", self.name));
        ranges.iter().map(sql).collect()
    }

    fn sql(&self, condition: &str) -> String {
        format!(
            "SELECT id_set(item.id)
               FROM library_grant AS g
              CROSS JOIN (SELECT DISTINCT library_id, kind FROM item_count) AS c
                 ON c.library_id = g.library_id
              CROSS JOIN item INDEXED BY {}
                 ON item.library_id = c.library_id AND item.kind = c.kind AND {condition}
              WHERE g.user_id = :viewer",
            self.index
        )
    }

    /// Returns the statement that reads items with ids at equal distances.
    fn sample_sql(&self) -> String {
        format!(
            "WITH RECURSIVE place (n) AS (
               SELECT 1 UNION ALL SELECT n + 1 FROM place WHERE n < :size)
             SELECT ifnull(2 * sum(item.{name} BETWEEN :low AND :high
                                   AND item.{name} IS NOT :unknown) > count(*), 0)
               FROM place
              CROSS JOIN item
                 ON item.id = place.n * (SELECT max(id) FROM item) / :size",
            name = self.name
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{ItemId, UserId};
    use crate::store::user_data::progress::tests::{database, plan};

    const COLUMNS: [Column; 5] = [YEAR, DURATION, PAGES, SIZE, ADDED];

    #[test]
    fn ranges_are_read_from_covering_indexes() {
        for column in COLUMNS {
            let Column { name, index, .. } = column;
            let compared = |comparison: &str| column.sql(&format!("item.{name} {comparison} :end"));
            let inside = column.inside_sql().into_iter();
            let inside = inside.map(|sql| (sql, format!("{name}>? AND {name}<?")));
            let outside = [
                (compared("<"), format!("{name}<?")),
                (compared(">"), format!("{name}>?")),
                (compared("IS"), format!("{name}=?")),
            ];
            for (sql, range) in inside.chain(outside) {
                let plan = plan(&sql);
                let range = format!("COVERING INDEX {index} (library_id=? AND kind=? AND {range})");
                assert!(plan.contains(&range), "{plan}");
            }
            let plan = plan(&column.sample_sql());
            assert!(
                plan.contains("SEARCH item USING INTEGER PRIMARY KEY"),
                "{plan}"
            );
        }
    }

    #[test]
    fn both_ways_select_the_same_items() {
        let conn = database();
        id_set::register(&conn).expect("the aggregate");
        conn.execute_batch(
            "DELETE FROM item;
             INSERT OR IGNORE INTO library_grant (user_id, library_id) VALUES (1, 1);",
        )
        .expect("a grant");
        let mut insert = conn
            .prepare(
                "INSERT INTO item (id, library_id, kind, group_key, title, sort_title, initial,
                                   added_at, year)
                 VALUES (:id, 1, 'paper', :id, 'T', 't', 'T', '', :year)",
            )
            .expect("a statement");
        // Every fifth year is unknown.
        let years = |id: i64| (id % 5 != 0).then_some(1900 + id);
        for id in 1..=100 {
            let row = named_params! { ":id": id, ":year": years(id) };
            insert.execute(row).expect("an item");
        }
        let visible = Visible::of(UserId(1));
        let mut most = 0;
        for (low, high) in [
            (f64::NEG_INFINITY, f64::INFINITY),
            (f64::NEG_INFINITY, 1910.0),
            (1910.5, f64::INFINITY),
            (1920.0, 1990.0),
            (1950.0, 1950.0),
            (-5.0, 5.0),
            (3000.0, 4000.0),
        ] {
            let inside = YEAR.inside(&conn, visible, &low, &high).expect("ids");
            let outside = YEAR.outside(&conn, visible, &low, &high).expect("ids");
            for id in 1..=100 {
                let year = years(id);
                #[expect(clippy::cast_precision_loss, reason = "years are small")]
                let is_inside = |year: i64| (low..=high).contains(&(year as f64));
                let expected = year.is_some_and(is_inside);
                let case = format!("{low} {high} {year:?}");
                assert_eq!(inside.contains(ItemId(id)), expected, "{case}");
                assert_eq!(outside.contains(ItemId(id)), !expected, "{case}");
            }
            let selection = YEAR.select(&conn, visible, &low, &high).expect("ids");
            most += u8::from(selection.ids().is_none());
        }
        assert_eq!(most, 3, "the wide ranges are selections of all other items");
    }
}
