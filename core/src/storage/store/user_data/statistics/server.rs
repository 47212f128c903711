//! Sums of the sessions of all users, without titles and names.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::Connection;
use serde::Serialize;
use utoipa::ToSchema;

use super::range::DateRange;
use super::sums::{By, Entry, Key, Sums, Totals, sort_by_time};
use super::{overview, visit_sessions};
use crate::error::{StoreError, StoreResult};
use crate::id::UserId;
use crate::registry::Registry;

/// Sums of all users' sessions.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ServerUsageOverview)]
pub struct ServerOverview {
    /// First date.
    #[schema(format = Date)]
    pub from: String,
    /// Last date.
    #[schema(format = Date)]
    pub to: String,
    /// Grouping of the items.
    pub by: By,
    /// Sums of the range.
    pub totals: ServerTotals,
    /// Groups with a session: periods in ascending order, kinds by time.
    pub items: Vec<ServerEntry>,
}

/// Sums of a whole range, with the number of users.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ServerUsageTotals)]
pub struct ServerTotals {
    /// Sums of the range.
    #[serde(flatten)]
    pub totals: Totals,
    /// Number of users with a session.
    pub users: i64,
}

/// Sums of a group, with the number of users.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ServerUsageEntry)]
pub struct ServerEntry {
    /// Sums of the group.
    #[serde(flatten)]
    pub entry: Entry,
    /// Number of users with a session.
    pub users: i64,
}

#[derive(Default)]
struct Group {
    sums: Sums,
    users: BTreeSet<UserId>,
}

/// Returns the sums of all users' sessions in a range.
///
/// # Errors
///
/// Returns `Invalid` on `by` for groups with titles or names.
pub fn overview_unscoped(
    conn: &Connection,
    registry: &Registry,
    range: &DateRange,
    by: By,
) -> StoreResult<ServerOverview> {
    if !by.is_impersonal() {
        return Err(StoreError::Invalid {
            field: "by",
            message: "`by` is a period, `hour` or `kind`.".to_owned(),
        });
    }
    let mut total = Group::default();
    let mut days = BTreeSet::new();
    let mut groups: BTreeMap<Key, Group> = BTreeMap::new();
    for user in users(conn)? {
        visit_sessions(conn, user, range, |session| {
            for piece in session.pieces(&range.zone) {
                let key = by.key(&piece, &session.kind);
                let Some(key) = key.filter(|_| range.contains(piece.date)) else {
                    continue;
                };
                days.insert(piece.date);
                for group in [&mut total, groups.entry(key).or_default()] {
                    group.sums.add(&piece);
                    group.users.insert(user);
                }
            }
        })?;
    }
    Ok(ServerOverview {
        from: range.from.to_string(),
        to: range.to.to_string(),
        by,
        totals: ServerTotals {
            totals: Totals {
                sums: total.sums,
                days: count(days.len()),
            },
            users: count(total.users.len()),
        },
        items: entries(registry, groups, by),
    })
}

fn entries(registry: &Registry, groups: BTreeMap<Key, Group>, by: By) -> Vec<ServerEntry> {
    let entry = |(key, group): (Key, Group)| ServerEntry {
        entry: Entry {
            name: overview::name(registry, &key, by),
            key,
            sums: group.sums,
        },
        users: count(group.users.len()),
    };
    let mut entries: Vec<ServerEntry> = groups.into_iter().map(entry).collect();
    if by == By::Kind {
        sort_by_time(&mut entries, |entry| &entry.entry);
    }
    entries
}

fn users(conn: &Connection) -> StoreResult<Vec<UserId>> {
    let mut statement = conn.prepare_cached("SELECT id FROM user")?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn count(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
