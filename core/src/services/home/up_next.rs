//! *Up next*: the next item of each series of which the viewer has finished an item and started
//! none.
//!
//! Candidates are the series of the viewer's latest progress, and the series of the newest items.
//! Both sets are bounded, and so are the items that are read of one series. A started item is in
//! *Continue*, so its series is not a candidate.

use std::cmp::Reverse;
use std::collections::HashSet;

use rusqlite::{Connection, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::arms::Arms;
use super::recently_added::NEWEST;
use super::suggestions::CONSUMED;
use super::{OnShelf, SHELF};
use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::{ItemId, LibraryId, SeriesId};
use crate::store::catalogue::series;
use crate::store::catalogue::series::items::{Member, members, next};
use crate::store::item::ItemCard;
use crate::time::Timestamp;

/// Number of items with the latest progress whose series are candidates.
const CONSUMED_ITEMS: usize = 200;
/// Number of newest items whose series are candidates.
const NEW_ITEMS: usize = 100;
/// Limit of candidates from each of both sets.
const CANDIDATES: usize = 40;
/// Limit of the items of one series that are read.
const MEMBERS: u32 = 500;

/// The next item of a series.
#[derive(Debug, Serialize, ToSchema)]
pub struct UpNextCard {
    /// Card of the item.
    pub item: ItemCard,
    /// The series.
    pub series: SeriesName,
}

/// Id and name of a series.
#[derive(Debug, Serialize, ToSchema)]
pub struct SeriesName {
    /// Id of the series.
    pub id: SeriesId,
    /// Name of the series.
    pub name: String,
}

pub(super) struct Entry {
    pub(super) item: ItemId,
    series: SeriesName,
}

impl OnShelf for Entry {
    fn item(&self) -> ItemId {
        self.item
    }
}

impl Entry {
    pub(super) fn card(self, item: ItemCard) -> UpNextCard {
        UpNextCard {
            item,
            series: self.series,
        }
    }
}

/// Next item of a series, before the name of the series is read.
struct Candidate {
    item: ItemId,
    series: SeriesId,
    /// Time at which the item was added, if that is after the last finish.
    added_since: Option<Timestamp>,
    /// Time of the last finish in the series.
    finished_at: Timestamp,
}

pub(super) fn find(
    conn: &Connection,
    visible: Visible,
    libraries: &[LibraryId],
    arms: &Arms,
) -> StoreResult<Vec<Entry>> {
    let mut candidates = Vec::new();
    for series in candidate_series(conn, visible, libraries, arms)? {
        let members = members(conn, visible, series, MEMBERS)?;
        candidates.extend(candidate(series, &members));
    }
    candidates.sort_by_key(|one| Reverse((one.added_since, one.finished_at, one.item)));
    let mut entries = Vec::new();
    for candidate in candidates.into_iter().take(SHELF) {
        if let Some(name) = series::name_unscoped(conn, candidate.series)? {
            entries.push(Entry {
                item: candidate.item,
                series: SeriesName {
                    id: candidate.series,
                    name,
                },
            });
        }
    }
    Ok(entries)
}

/// Returns the next item of a series, or `None` if no item is finished, one is started, or none is
/// left.
fn candidate(series: SeriesId, members: &[Member]) -> Option<Candidate> {
    if members.iter().any(Member::is_started) {
        return None;
    }
    let finished_at = members.iter().filter_map(Member::finished_at).max()?;
    let next = next(members)?;
    Some(Candidate {
        item: next.id,
        series,
        added_since: Some(next.added_at).filter(|added| *added > finished_at),
        finished_at,
    })
}

/// Returns the distinct series of the latest progress, then those of the newest items.
fn candidate_series(
    conn: &Connection,
    visible: Visible,
    libraries: &[LibraryId],
    arms: &Arms,
) -> StoreResult<Vec<SeriesId>> {
    let consumed = consumed(conn, visible, libraries)?;
    if consumed.is_empty() {
        return Ok(Vec::new());
    }
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    for items in [consumed, newest(conn, arms)?] {
        let series = series_of(conn, &items)?.into_iter();
        let new = series.filter(|series| seen.insert(*series));
        all.extend(new.take(CANDIDATES));
    }
    Ok(all)
}

/// Returns the visible items with the latest progress, the newest first.
fn consumed(
    conn: &Connection,
    visible: Visible,
    libraries: &[LibraryId],
) -> StoreResult<Vec<ItemId>> {
    let mut statement = conn.prepare_cached(CONSUMED)?;
    let mut keys: Vec<(String, ItemId)> = Vec::new();
    for library in libraries {
        let rows = statement.query_map(
            named_params! {
                ":viewer": visible.user(), ":library": library, ":limit": CONSUMED_ITEMS,
            },
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        for row in rows {
            keys.push(row?);
        }
    }
    Ok(first(keys, CONSUMED_ITEMS))
}

/// Returns the newest visible items, the newest first.
fn newest(conn: &Connection, arms: &Arms) -> StoreResult<Vec<ItemId>> {
    let mut statement = conn.prepare_cached(NEWEST)?;
    let mut keys: Vec<(String, ItemId)> = Vec::new();
    for arm in arms.0.iter().flat_map(|kind| &kind.arms) {
        let rows = statement.query_map(
            named_params! { ":library": arm.library, ":kind": arm.kind, ":limit": NEW_ITEMS },
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        for row in rows {
            keys.push(row?);
        }
    }
    Ok(first(keys, NEW_ITEMS))
}

/// Returns the items with the greatest keys, in descending order.
fn first(mut keys: Vec<(String, ItemId)>, limit: usize) -> Vec<ItemId> {
    keys.sort_unstable_by(|a, b| b.cmp(a));
    keys.truncate(limit);
    keys.into_iter().map(|(_, item)| item).collect()
}

/// Series of these items, in their order.
pub(super) const SERIES: &str = "
    SELECT item.series_id
      FROM json_each(:items) AS seed
     CROSS JOIN item ON item.id = seed.value
     WHERE item.series_id IS NOT NULL";

fn series_of(conn: &Connection, items: &[ItemId]) -> StoreResult<Vec<SeriesId>> {
    let items = serde_json::to_string(items).expect("integers are JSON");
    let mut statement = conn.prepare_cached(SERIES)?;
    let rows = statement.query_map(named_params! { ":items": items }, |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
