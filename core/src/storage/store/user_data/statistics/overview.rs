//! Sums of a user's sessions in a range, in total and by group.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::Connection;
use serde::Serialize;
use utoipa::ToSchema;

use super::names::{self, ItemSums};
use super::range::DateRange;
use super::sums::{By, Entry, Key, Sums, Totals, sort_by_time};
use super::visit_sessions;
use crate::access::Visible;
use crate::error::StoreResult;
use crate::registry::Registry;

/// Largest number of authors, genres or items.
const MAX_NAMES: usize = 1000;

/// Sums of a user's sessions.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = UsageOverview)]
pub struct Overview {
    /// First date.
    #[schema(format = Date)]
    pub from: String,
    /// Last date.
    #[schema(format = Date)]
    pub to: String,
    /// Grouping of the items.
    pub by: By,
    /// Sums of the range. They include the time of items that are no longer visible.
    pub totals: Totals,
    /// Groups with a session: periods in ascending order, others by time. Names: at most 1,000.
    pub items: Vec<Entry>,
}

/// Returns the sums of a user's sessions in a range.
pub fn overview(
    conn: &Connection,
    registry: &Registry,
    visible: Visible,
    range: &DateRange,
    by: By,
) -> StoreResult<Overview> {
    let mut totals = Sums::default();
    let mut days = BTreeSet::new();
    let mut groups: BTreeMap<Key, Sums> = BTreeMap::new();
    let mut items = ItemSums::new();
    visit_sessions(conn, visible.user(), range, |session| {
        for piece in session.pieces(&range.zone) {
            if !range.contains(piece.date) {
                continue;
            }
            totals.add(&piece);
            days.insert(piece.date);
            if let Some(key) = by.key(&piece, &session.kind) {
                groups.entry(key).or_default().add(&piece);
            } else if let Some(item) = session.item {
                items.entry(item).or_default().add(&piece);
            }
        }
    })?;
    let entries = match by {
        By::Author => by_name(conn, visible, &items, names::AUTHORS)?,
        By::Genre => by_name(conn, visible, &items, names::GENRES)?,
        By::Item => by_name(conn, visible, &items, names::TITLES)?,
        by => entries(registry, groups, by),
    };
    Ok(Overview {
        from: range.from.to_string(),
        to: range.to.to_string(),
        by,
        totals: Totals {
            sums: totals,
            days: i64::try_from(days.len()).unwrap_or(i64::MAX),
        },
        items: entries,
    })
}

fn by_name(
    conn: &Connection,
    visible: Visible,
    items: &ItemSums,
    sql: &str,
) -> StoreResult<Vec<Entry>> {
    let named = names::by_name(conn, visible, items, sql)?.into_iter();
    Ok(named.take(MAX_NAMES).map(|named| named.entry).collect())
}

/// Returns the entries of groups that do not depend on items.
pub(super) fn entries(registry: &Registry, groups: BTreeMap<Key, Sums>, by: By) -> Vec<Entry> {
    let entry = |(key, sums): (Key, Sums)| Entry {
        name: name(registry, &key, by),
        key,
        sums,
    };
    let mut entries: Vec<Entry> = groups.into_iter().map(entry).collect();
    if by == By::Kind {
        sort_by_time(&mut entries, |entry| entry);
    }
    entries
}

/// Returns the name of a period or of a kind. A kind that is not registered is named by its id.
pub(super) fn name(registry: &Registry, key: &Key, by: By) -> String {
    match key {
        Key::Number(number) => number.to_string(),
        Key::Text(kind) if by == By::Kind => {
            let kind_label = registry.kind(kind).map(|kind| kind.label_plural);
            kind_label.unwrap_or(kind).to_owned()
        }
        Key::Text(period) => period.clone(),
    }
}
