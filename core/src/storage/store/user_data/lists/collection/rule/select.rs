//! Evaluation of rules for a reader.

use rusqlite::{Connection, ToSql, named_params};

use super::ranges::{ADDED, Column, DURATION, PAGES, SIZE, YEAR};
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

const RATINGS: &str = "
    SELECT id_set(item_id)
      FROM rating INDEXED BY rating_by_value
     WHERE user_id = :viewer AND rating BETWEEN :low AND :high";

/// Reads the time of the latest progress, because no later progress follows the end of an item.
const FINISHED: &str = "
    SELECT id_set(p.item_id)
      FROM library_grant AS g
     CROSS JOIN item_progress AS p INDEXED BY item_progress_by_time
        ON p.user_id = g.user_id AND p.library_id = g.library_id
       AND p.updated_at BETWEEN :low AND :high
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
            let end = window.offset.saturating_add(window.limit.into()).min(limit);
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
            Test::Number(field, range) => return self.numbers(*field, *range),
            Test::Time(field, times) => return self.times(*field, times.bounds(self.now)),
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

    fn numbers(&self, field: NumberField, Range { low, high }: Range) -> StoreResult<Selection> {
        match field {
            NumberField::Year => self.range(&YEAR, low, high),
            NumberField::Duration => self.range(&DURATION, low, high),
            NumberField::Pages => self.range(&PAGES, low, high),
            NumberField::Size => self.range(&SIZE, low, high),
            NumberField::Rating => self.own_range(RATINGS, low, high),
        }
    }

    fn times(
        &self,
        field: TimeField,
        (first, last): (Timestamp, Timestamp),
    ) -> StoreResult<Selection> {
        match field {
            TimeField::AddedAt => self.range(&ADDED, first, last),
            TimeField::FinishedAt => self.own_range(FINISHED, first, last),
        }
    }

    /// Selects the visible items with values of a column from `low` to `high`.
    fn range<T: ToSql>(&self, column: &Column, low: T, high: T) -> StoreResult<Selection> {
        column.select(self.conn, self.visible, &low, &high)
    }

    /// Selects the items for which the reader's rows have values from `low` to `high`.
    fn own_range<T: ToSql>(&self, sql: &str, low: T, high: T) -> StoreResult<Selection> {
        let viewer = self.visible.user();
        let parameters = named_params! { ":viewer": viewer, ":low": low, ":high": high };
        Ok(Selection::of(id_set::query(self.conn, sql, parameters)?))
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
    fn ranges_of_the_reader_are_read_from_indexes() {
        for (sql, index) in [
            (
                RATINGS,
                "COVERING INDEX rating_by_value (user_id=? AND rating>? AND rating<?)",
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
