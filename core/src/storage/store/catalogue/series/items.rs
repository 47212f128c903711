//! Visible items of a series by number and year, the absent numbers, and the item to read next.

use rusqlite::{Connection, OptionalExtension, Row, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::{Visible, VisibleSeries};
use crate::error::StoreResult;
use crate::id::{ItemId, SeriesId};
use crate::paging::{Page, Window};
use crate::playback::Offer;
use crate::store::item::{ItemCard, cards};
use crate::time::Timestamp;

/// Limit of the absent numbers of a series.
const MAX_GAPS: usize = 100;
/// Largest number that counts for gaps. Greater numbers do not count volumes.
const MAX_NUMBER: f64 = 1e9;

/// A series with visible items.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SeriesDetail {
    /// Id of the series.
    pub id: SeriesId,
    /// Name of the series.
    pub name: String,
    /// Id of the kind of its items.
    pub kind: String,
    /// Number of visible items, including missing ones.
    pub items: usize,
    /// Whole numbers without an item between the first and the last number. At most the first 100.
    pub gaps: Vec<i64>,
    /// Item to continue with: the started item with the newest progress, otherwise the first
    /// unfinished item after the last finished one, otherwise the first unfinished item. Missing
    /// items are omitted.
    pub next: Option<ItemCard>,
}

/// An item in the list of its series.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SeriesCard {
    /// Fields of the item's card.
    #[serde(flatten)]
    pub card: ItemCard,
    /// Number of the item in the series; null if it is unknown.
    pub series_index: Option<f64>,
}

/// Item of a series, with the viewer's state.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    pub(crate) id: ItemId,
    pub(crate) index: Option<f64>,
    pub(crate) missing: bool,
    pub(crate) added_at: Timestamp,
    /// `true` if the item is finished, `false` if it is started, and the time of the latest
    /// progress.
    pub(crate) state: Option<(bool, Timestamp)>,
}

impl Member {
    /// Returns `true` if the item is started and not finished.
    pub(crate) fn is_started(&self) -> bool {
        matches!(self.state, Some((false, _)))
    }

    /// Returns the time at which the item was finished.
    pub(crate) fn finished_at(&self) -> Option<Timestamp> {
        self.state
            .filter(|(finished, _)| *finished)
            .map(|(_, at)| at)
    }

    fn is_open(&self) -> bool {
        !self.missing && self.finished_at().is_none()
    }
}

const NAME: &str = "SELECT name, kind FROM series WHERE id = :series";

/// Reads a series. Returns `None` if it is gone.
pub fn of_series(
    conn: &Connection,
    series: VisibleSeries,
    engines: Option<&Offer>,
) -> StoreResult<Option<SeriesDetail>> {
    let named = conn
        .prepare_cached(NAME)?
        .query_row(named_params! { ":series": series.id() }, |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    let Some((name, kind)) = named else {
        return Ok(None);
    };
    let visible = Visible::of(series.viewer());
    let members = members(conn, visible, series.id(), u32::MAX)?;
    let next = next(&members).map(|member| member.id);
    let next = cards(conn, visible, next.as_slice(), engines)?;
    Ok(Some(SeriesDetail {
        id: series.id(),
        name,
        kind,
        items: members.len(),
        gaps: gaps(members.iter().filter_map(|member| member.index)),
        next: next.into_iter().next(),
    }))
}

/// Returns a page of the items of a series, by number, then by year. Items without a number come
/// last.
pub fn of_series_page(
    conn: &Connection,
    series: VisibleSeries,
    engines: Option<&Offer>,
    window: Window,
) -> StoreResult<Page<SeriesCard>> {
    let visible = Visible::of(series.viewer());
    let numbered = count(conn, (visible, series.id()), COUNT_NUMBERED)?;
    let total = numbered + count(conn, (visible, series.id()), COUNT_OTHERS)?;
    let mut ids = keys(conn, (visible, series.id()), NUMBERED, window)?;
    let rest = Window {
        offset: window.offset.saturating_sub(numbered),
        limit: window.limit - u32::try_from(ids.len()).unwrap_or(window.limit),
    };
    if rest.limit > 0 {
        ids.extend(keys(conn, (visible, series.id()), OTHERS, rest)?);
    }
    let items: Vec<ItemId> = ids.iter().map(|(id, _)| *id).collect();
    let found = cards(conn, visible, &items, engines)?.into_iter();
    let with_index = |card: ItemCard| {
        let (_, series_index) = ids.iter().find(|(id, _)| *id == card.id)?;
        Some(SeriesCard {
            series_index: *series_index,
            card,
        })
    };
    Ok(Page::new(
        found.filter_map(with_index).collect(),
        total,
        window,
    ))
}

const COUNT_NUMBERED: &str = "
    SELECT count(*)
      FROM item INDEXED BY item_of_series
     WHERE series_id = :series AND series_index IS NOT NULL
       AND library_id IN (SELECT library_id FROM library_grant WHERE user_id = :viewer)";

const COUNT_OTHERS: &str = "
    SELECT count(*)
      FROM item INDEXED BY item_of_series
     WHERE series_id = :series AND series_index IS NULL
       AND library_id IN (SELECT library_id FROM library_grant WHERE user_id = :viewer)";

const NUMBERED: &str = "
    SELECT id, series_index
      FROM item INDEXED BY item_of_series
     WHERE series_id = :series AND series_index IS NOT NULL
       AND library_id IN (SELECT library_id FROM library_grant WHERE user_id = :viewer)
     ORDER BY series_index, sort_year = 0, sort_year, sort_title, id
     LIMIT :limit OFFSET :offset";

const OTHERS: &str = "
    SELECT id, series_index
      FROM item INDEXED BY item_of_series
     WHERE series_id = :series AND series_index IS NULL
       AND library_id IN (SELECT library_id FROM library_grant WHERE user_id = :viewer)
     ORDER BY sort_year = 0, sort_year, sort_title, id
     LIMIT :limit OFFSET :offset";

fn count(
    conn: &Connection,
    (visible, series): (Visible, SeriesId),
    sql: &'static str,
) -> StoreResult<u64> {
    let of = named_params! { ":series": series, ":viewer": visible.user() };
    Ok(conn.prepare_cached(sql)?.query_row(of, |row| row.get(0))?)
}

fn keys(
    conn: &Connection,
    (visible, series): (Visible, SeriesId),
    sql: &'static str,
    window: Window,
) -> StoreResult<Vec<(ItemId, Option<f64>)>> {
    let mut statement = conn.prepare_cached(sql)?;
    let rows = statement.query_map(
        named_params! {
            ":series": series,
            ":viewer": visible.user(),
            ":limit": window.limit,
            ":offset": i64::try_from(window.offset).unwrap_or(i64::MAX),
        },
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

const MEMBERS: &str = "
    SELECT item.id, item.series_index, item.missing, item.added_at, p.finished, p.updated_at
      FROM item INDEXED BY item_of_series
      LEFT JOIN item_progress AS p ON p.user_id = :viewer AND p.item_id = item.id
     WHERE item.series_id = :series
       AND item.library_id IN (SELECT library_id FROM library_grant WHERE user_id = :viewer)
     ORDER BY item.series_index, item.sort_year = 0, item.sort_year, item.sort_title, item.id
     LIMIT :limit";

/// Returns up to `limit` visible items of a series by number, then by year. Items without a number
/// come last.
pub(crate) fn members(
    conn: &Connection,
    visible: Visible,
    series: SeriesId,
    limit: u32,
) -> StoreResult<Vec<Member>> {
    let mut statement = conn.prepare_cached(MEMBERS)?;
    let of = named_params! { ":series": series, ":viewer": visible.user(), ":limit": limit };
    let rows = statement.query_map(of, member)?;
    let mut members: Vec<Member> = rows.collect::<Result<_, _>>()?;
    // In the index, items without a number come first.
    let others = members.partition_point(|member| member.index.is_none());
    members.rotate_left(others);
    Ok(members)
}

fn member(row: &Row<'_>) -> rusqlite::Result<Member> {
    let (finished, updated_at): (Option<bool>, Option<Timestamp>) = (row.get(4)?, row.get(5)?);
    Ok(Member {
        id: row.get(0)?,
        index: row.get(1)?,
        missing: row.get(2)?,
        added_at: row.get(3)?,
        state: finished.zip(updated_at),
    })
}

/// Returns the item to continue with; see [`SeriesDetail::next`].
pub(crate) fn next(members: &[Member]) -> Option<&Member> {
    let started = members
        .iter()
        .filter(|member| member.is_started() && !member.missing)
        .max_by_key(|member| member.state.map(|(_, at)| (at, member.id)));
    if started.is_some() {
        return started;
    }
    let is_finished = |member: &Member| member.finished_at().is_some();
    let after = members.iter().rposition(is_finished).map_or(0, |at| at + 1);
    let open = |members: &[Member]| members.iter().position(Member::is_open);
    let next = members.get(after..).and_then(open).map(|at| after + at);
    members.get(next.or_else(|| open(members))?)
}

/// Returns the first whole numbers that are absent between ascending numbers.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "the numbers are below `MAX_NUMBER`, which `f64` represents exactly"
)]
fn gaps(numbers: impl Iterator<Item = f64>) -> Vec<i64> {
    let mut gaps = Vec::new();
    let mut expected: Option<i64> = None;
    for number in numbers.filter(|number| number.abs() <= MAX_NUMBER) {
        let mut absent = expected.unwrap_or(number.ceil() as i64);
        while (absent as f64) < number {
            if gaps.len() == MAX_GAPS {
                return gaps;
            }
            gaps.push(absent);
            absent += 1;
        }
        let is_present = (absent as f64) <= number;
        expected = Some(absent + i64::from(is_present));
    }
    gaps
}

#[cfg(test)]
mod tests;
