//! Evaluation of rules for a reader.

use rusqlite::{Connection, named_params};

use super::{Condition, Group, Member, NumberField, Range, Rule, Test, TextTest, TimeField, named};
use crate::access::Visible;
use crate::db::id_set::{self, IdSet};
use crate::db::item_index::{IndexSnapshot, ItemBucket};
use crate::error::StoreResult;
use crate::id::ItemId;
use crate::paging::Window;
use crate::playback::Offer;
use crate::registry::Registry;
use crate::store::item::list::selection::Selection;
use crate::store::item::list::{self, criteria};
use crate::store::item::{Filter, Order, Sort};
use crate::time::Timestamp;

/// Year 0 means that the year is unknown.
const YEARS: &str = "
    SELECT id_set(item.id)
      FROM library_grant AS g
     CROSS JOIN (SELECT DISTINCT library_id, kind FROM item_count) AS c
        ON c.library_id = g.library_id
     CROSS JOIN item INDEXED BY item_by_year
        ON item.library_id = c.library_id AND item.kind = c.kind
       AND item.sort_year BETWEEN :low AND :high AND item.sort_year <> 0
     WHERE g.user_id = :viewer";

/// The largest number means that the value is unknown.
macro_rules! totals {
    ($column:literal) => {
        concat!(
            "SELECT id_set(item.id)
               FROM library_grant AS g
              CROSS JOIN (SELECT DISTINCT library_id, kind FROM item_count) AS c
                 ON c.library_id = g.library_id
              CROSS JOIN item INDEXED BY item_by_",
            $column,
            "   ON item.library_id = c.library_id AND item.kind = c.kind
                AND item.sort_",
            $column,
            " BETWEEN :low AND :high
                AND item.sort_",
            $column,
            " <> 9223372036854775807
              WHERE g.user_id = :viewer"
        )
    };
}

const RATINGS: &str = "
    SELECT id_set(item_id)
      FROM rating INDEXED BY rating_by_value
     WHERE user_id = :viewer AND rating BETWEEN :low AND :high";

const ADDED: &str = "
    SELECT id_set(item.id)
      FROM library_grant AS g
     CROSS JOIN (SELECT DISTINCT library_id, kind FROM item_count) AS c
        ON c.library_id = g.library_id
     CROSS JOIN item INDEXED BY item_by_added
        ON item.library_id = c.library_id AND item.kind = c.kind
       AND item.added_at BETWEEN :first AND :last
     WHERE g.user_id = :viewer";

const FINISHED: &str = "
    SELECT id_set(p.item_id)
      FROM library_grant AS g
     CROSS JOIN item_progress AS p INDEXED BY item_progress_by_time
        ON p.user_id = g.user_id AND p.library_id = g.library_id
       AND p.updated_at BETWEEN :first AND :last
     WHERE g.user_id = :viewer AND p.finished = 1";

/// Number of microseconds of a day.
const DAY: i64 = 86_400_000_000;

/// Reader of a rule. The rule applies the grants, ratings, states and favourites of the reader.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    /// Connection in a read transaction.
    pub conn: &'a Connection,
    /// Kinds and engines.
    pub registry: &'a Registry,
    /// Index of all items.
    pub view: &'a IndexSnapshot,
    /// Libraries that the reader sees.
    pub visible: Visible,
    /// Current time.
    pub now: Timestamp,
}

impl Reader<'_> {
    /// Returns a page of the items that a rule selects, and their total. `order` replaces the order
    /// of the rule.
    pub(crate) fn page(
        &self,
        rule: &Rule,
        order: Option<Order>,
        window: Window,
    ) -> StoreResult<(Vec<ItemId>, u64)> {
        let own_order = self.order_of(rule);
        let selection = self.group(&rule.group)?;
        let Some(limit) = rule.limit else {
            return self.list(rule, selection, order.unwrap_or(own_order), window);
        };
        let first = Window {
            offset: 0,
            limit: u32::try_from(limit).unwrap_or(u32::MAX),
        };
        let Some(order) = order.filter(|order| *order != own_order) else {
            let end = (window.offset + u64::from(window.limit)).min(limit);
            let rest = end.saturating_sub(window.offset);
            let window = Window {
                limit: u32::try_from(rest).unwrap_or(u32::MAX),
                ..window
            };
            let (ids, total) = self.list(rule, selection, own_order, window)?;
            return Ok((ids, total.min(limit)));
        };
        let (ids, _) = self.list(rule, selection, own_order, first)?;
        let selection = Selection::of(ids.into_iter().collect());
        self.list(rule, selection, order, window)
    }

    /// Returns the order of a rule. A random order is the same for one day.
    fn order_of(&self, rule: &Rule) -> Order {
        let day = self.now.as_micros().div_euclid(DAY).cast_unsigned();
        Order {
            sort: rule.sort,
            direction: rule.direction,
            seed: if rule.sort == Sort::Random { day } else { 0 },
        }
    }

    fn list(
        &self,
        rule: &Rule,
        selection: Selection,
        order: Order,
        window: Window,
    ) -> StoreResult<(Vec<ItemId>, u64)> {
        let filter = Filter {
            missing: (!rule.asks_for_missing()).then_some(false),
            ..Filter::default()
        };
        list::ids(
            self.conn,
            self.view,
            self.visible,
            &filter,
            Some(selection),
            order,
            window,
        )
    }

    /// Evaluates the members. Tests of single titles come last, because they are faster if few items
    /// remain.
    fn group(&self, group: &Group) -> StoreResult<Selection> {
        let (first, last): (Vec<&Member>, Vec<&Member>) = group
            .members
            .iter()
            .partition(|member| !member.reads_titles());
        let mut selection = if group.is_all {
            Selection::everything()
        } else {
            Selection::of(IdSet::default())
        };
        for member in first.into_iter().chain(last) {
            let among = selection.ids().filter(|_| group.is_all);
            let one = match member {
                Member::Group(group) => self.group(group)?,
                Member::Condition(condition) => self.condition(condition, among)?,
            };
            selection = if group.is_all {
                selection.and(one)
            } else {
                selection.or(one)
            };
        }
        Ok(selection)
    }

    fn condition(&self, condition: &Condition, among: Option<&IdSet>) -> StoreResult<Selection> {
        let selection = self.test(&condition.test, among)?;
        Ok(if condition.is_negated {
            selection.negated()
        } else {
            selection
        })
    }

    fn test(&self, test: &Test, among: Option<&IdSet>) -> StoreResult<Selection> {
        let ids = match test {
            Test::Text(field, test) => named::ids(self.conn, self.visible, *field, test, among)?,
            Test::Kind(kinds) => {
                self.in_buckets(|bucket| kinds.iter().any(|kind| **kind == *bucket.kind))?
            }
            Test::Subkind(subkinds) => self.in_buckets(|bucket| {
                let own = bucket.subkind.as_deref();
                own.is_some_and(|own| subkinds.iter().any(|subkind| subkind == own))
            })?,
            Test::Library(ids) => self.in_buckets(|bucket| ids.contains(&bucket.library))?,
            Test::Missing(missing) => self.in_buckets(|bucket| bucket.missing == *missing)?,
            Test::Number(field, range) => self.numbers(*field, *range)?,
            Test::Time(field, times) => self.times(*field, times.bounds(self.now))?,
            Test::Plays(engines) => self.plays(engines)?,
            Test::State(states) => {
                let mut selection = Selection::of(IdSet::default());
                for state in states {
                    selection = selection.or(self.filtered(&Filter {
                        state: Some(*state),
                        ..Filter::default()
                    })?);
                }
                return Ok(selection);
            }
            Test::Favourite(favourite) => {
                return self.filtered(&Filter {
                    favourite: Some(*favourite),
                    ..Filter::default()
                });
            }
        };
        Ok(Selection::of(ids))
    }

    /// Selects by the criteria of item lists.
    fn filtered(&self, filter: &Filter) -> StoreResult<Selection> {
        let selection = criteria::selection(self.conn, self.visible, filter)?;
        Ok(selection.unwrap_or_else(Selection::everything))
    }

    /// Returns the visible items of the buckets.
    fn in_buckets(&self, is_in: impl Fn(&ItemBucket) -> bool) -> StoreResult<IdSet> {
        let group = |bucket: &ItemBucket| is_in(bucket).then_some(0);
        let groups = self.view.groups(self.conn, self.visible, group)?;
        let ids = self.view.ids();
        Ok(ids.filter(|id| groups.of(*id).is_some()).collect())
    }

    fn numbers(&self, field: NumberField, Range { low, high }: Range) -> StoreResult<IdSet> {
        let sql = match field {
            NumberField::Year => YEARS,
            NumberField::Rating => RATINGS,
            NumberField::Duration => totals!("duration"),
            NumberField::Pages => totals!("pages"),
            NumberField::Size => totals!("size"),
        };
        let viewer = self.visible.user();
        let parameters = named_params! { ":viewer": viewer, ":low": low, ":high": high };
        id_set::query(self.conn, sql, parameters)
    }

    fn times(&self, field: TimeField, (first, last): (Timestamp, Timestamp)) -> StoreResult<IdSet> {
        let sql = match field {
            TimeField::AddedAt => ADDED,
            TimeField::FinishedAt => FINISHED,
        };
        let viewer = self.visible.user();
        let parameters = named_params! { ":viewer": viewer, ":first": first, ":last": last };
        id_set::query(self.conn, sql, parameters)
    }

    fn plays(&self, engines: &[String]) -> StoreResult<IdSet> {
        let engines = engines.iter().map(String::as_str);
        let filter = Filter {
            engines: Some(Offer::of(self.registry, engines)),
            ..Filter::default()
        };
        list::all_ids(self.conn, self.view, self.visible, &filter)
    }
}

impl Member {
    /// Returns `true` if the member compares the title of each item.
    fn reads_titles(&self) -> bool {
        match self {
            Self::Condition(condition) => matches!(
                condition.test,
                Test::Text(super::TextField::Title, TextTest::Contains(_))
            ),
            Self::Group(group) => group.members.iter().any(Self::reads_titles),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::user_data::progress::tests::plan;

    #[test]
    fn ranges_are_read_from_covering_indexes() {
        for (sql, index) in [
            (
                YEARS,
                "COVERING INDEX item_by_year (library_id=? AND kind=? AND sort_year>? AND sort_year<?)",
            ),
            (
                RATINGS,
                "COVERING INDEX rating_by_value (user_id=? AND rating>? AND rating<?)",
            ),
            (
                ADDED,
                "COVERING INDEX item_by_added (library_id=? AND kind=? AND added_at>? AND added_at<?)",
            ),
            (
                FINISHED,
                "INDEX item_progress_by_time (user_id=? AND library_id=? AND updated_at>? AND updated_at<?)",
            ),
        ] {
            let plan = plan(sql);
            assert!(plan.contains(index), "{plan}");
        }
    }
}
