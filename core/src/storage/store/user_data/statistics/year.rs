//! A user's year: calendar, streak, authors, genres, finished items.

use std::collections::{BTreeMap, HashMap};

use rusqlite::Connection;
use serde::Serialize;
use utoipa::ToSchema;

use super::names::{self, ItemSums, Named};
use super::overview::entries;
use super::range::DateRange;
use super::sums::{By, Entry, Key, Sums};
use super::visit_sessions;
use super::zone::{Date, plus_days};
use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::ItemId;
use crate::registry::Registry;
use crate::store::item::{self, ItemCard};
use crate::time::Timestamp;

/// Largest number of authors and of genres.
const MAX_NAMES: usize = 10;
/// Largest number of finished items; the newest are kept.
const MAX_FINISHED: usize = 1000;

/// A user's year.
#[derive(Debug, Serialize, ToSchema)]
pub struct YearOverview {
    /// The year.
    pub year: i16,
    /// Time in seconds.
    pub seconds: i64,
    /// Number of pages or sections.
    pub pages: i64,
    /// Sums of each kind, by time.
    pub by_kind: Vec<Entry>,
    /// Days with a session, in ascending order.
    pub calendar: Vec<CalendarDay>,
    /// Largest number of consecutive days with a session.
    pub longest_streak: i64,
    /// First date of the longest streak; null without sessions.
    #[schema(format = Date)]
    pub streak_from: Option<String>,
    /// Last date of the longest streak; null without sessions.
    #[schema(format = Date)]
    pub streak_to: Option<String>,
    /// The ten authors with the most time.
    pub authors: Vec<AuthorEntry>,
    /// The ten genres with the most time.
    pub genres: Vec<Entry>,
    /// Visible items that became finished, in the order of time.
    pub finished: Vec<Finished>,
    /// Time in seconds by hour of the day.
    #[schema(min_items = 24, max_items = 24)]
    pub hours: Vec<i64>,
}

/// Day with a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct CalendarDay {
    /// The date.
    #[schema(format = Date)]
    pub date: String,
    /// Time in seconds.
    pub seconds: i64,
    /// Number of pages or sections.
    pub pages: i64,
}

/// Sums of an author.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = UsageAuthor)]
pub struct AuthorEntry {
    /// Sums of the author.
    #[serde(flatten)]
    pub entry: Entry,
    /// Number of visible items with a session.
    pub items: i64,
}

/// Finished item.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FinishedItem)]
pub struct Finished {
    /// Card of the item.
    pub item: ItemCard,
    /// Time at which it became finished.
    pub finished_at: Timestamp,
}

/// Sums of a year while its sessions are read.
#[derive(Default)]
struct Collected {
    totals: Sums,
    kinds: BTreeMap<Key, Sums>,
    days: BTreeMap<Date, Sums>,
    items: ItemSums,
    hours: [i64; 24],
    finished: Vec<(ItemId, Timestamp)>,
}

impl Collected {
    fn read(conn: &Connection, visible: Visible, range: &DateRange) -> StoreResult<Self> {
        let mut collected = Self::default();
        visit_sessions(conn, visible.user(), range, |session| {
            for piece in session.pieces(&range.zone) {
                if !range.contains(piece.date) {
                    continue;
                }
                collected.totals.add(&piece);
                let kind = Key::Text(session.kind.clone());
                collected.kinds.entry(kind).or_default().add(&piece);
                collected.days.entry(piece.date).or_default().add(&piece);
                let hour = usize::try_from(piece.hour).unwrap_or(0);
                if let Some(seconds) = collected.hours.get_mut(hour) {
                    *seconds += piece.seconds;
                }
                let Some(item) = session.item else { continue };
                collected.items.entry(item).or_default().add(&piece);
                if let Some(at) = session.finished_at.filter(|_| piece.finished) {
                    collected.finished.push((item, at));
                }
            }
        })?;
        Ok(collected)
    }
}

/// Returns the user's sums of a year.
pub fn year(
    conn: &Connection,
    registry: &Registry,
    visible: Visible,
    range: &DateRange,
) -> StoreResult<YearOverview> {
    let collected = Collected::read(conn, visible, range)?;
    let authors = names::by_name(conn, visible, &collected.items, names::AUTHORS)?;
    let genres = names::by_name(conn, visible, &collected.items, names::GENRES)?;
    let streak = longest_streak(collected.days.keys().copied());
    let day = |(date, sums): (&Date, &Sums)| CalendarDay {
        date: date.to_string(),
        seconds: sums.seconds,
        pages: sums.pages,
    };
    let author = |named: Named| AuthorEntry {
        entry: named.entry,
        items: named.items,
    };
    Ok(YearOverview {
        year: range.from.year(),
        seconds: collected.totals.seconds,
        pages: collected.totals.pages,
        by_kind: entries(registry, collected.kinds, By::Kind),
        calendar: collected.days.iter().map(day).collect(),
        longest_streak: streak.map_or(0, |(_, _, days)| days),
        streak_from: streak.map(|(from, _, _)| from.to_string()),
        streak_to: streak.map(|(_, to, _)| to.to_string()),
        authors: authors.into_iter().take(MAX_NAMES).map(author).collect(),
        genres: genres
            .into_iter()
            .take(MAX_NAMES)
            .map(|named| named.entry)
            .collect(),
        finished: finished(conn, visible, collected.finished)?,
        hours: collected.hours.to_vec(),
    })
}

/// Returns first date, last date and length of the longest run of consecutive dates; the first one
/// of equal length.
fn longest_streak(days: impl Iterator<Item = Date>) -> Option<(Date, Date, i64)> {
    let mut longest: Option<(Date, Date, i64)> = None;
    let mut current: Option<(Date, Date, i64)> = None;
    for day in days {
        let run = match current {
            Some((from, last, n)) if plus_days(last, 1) == Some(day) => (from, day, n + 1),
            _ => (day, day, 1),
        };
        current = Some(run);
        if longest.is_none_or(|longest| run.2 > longest.2) {
            longest = Some(run);
        }
    }
    longest
}

/// Returns the cards of the visible items that became finished.
fn finished(
    conn: &Connection,
    visible: Visible,
    mut events: Vec<(ItemId, Timestamp)>,
) -> StoreResult<Vec<Finished>> {
    events.sort_by_key(|(item, at)| (*at, *item));
    let newest = events.split_off(events.len().saturating_sub(MAX_FINISHED));
    let mut ids: Vec<ItemId> = newest.iter().map(|(item, _)| *item).collect();
    ids.sort_unstable();
    ids.dedup();
    let cards = item::cards(conn, visible, &ids, None)?.into_iter();
    let cards: HashMap<ItemId, ItemCard> = cards.map(|card| (card.id, card)).collect();
    let finished = newest.into_iter().filter_map(|(item, finished_at)| {
        let item = cards.get(&item)?.clone();
        Some(Finished { item, finished_at })
    });
    Ok(finished.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::user_data::statistics::zone::parse_date;

    #[test]
    fn streak_is_the_first_longest_run_of_days() {
        let streak = |days: &[&str]| {
            let days = days.iter().map(|day| parse_date(day).expect("a date"));
            let streak = longest_streak(days);
            streak.map(|(from, to, days)| (from.to_string(), to.to_string(), days))
        };
        assert_eq!(streak(&[]), None);
        let run = |from: &str, to: &str, days| Some((from.to_owned(), to.to_owned(), days));
        assert_eq!(
            streak(&[
                "2026-02-27",
                "2026-02-28",
                "2026-03-01",
                "2026-03-03",
                "2026-03-04"
            ]),
            run("2026-02-27", "2026-03-01", 3)
        );
        assert_eq!(
            streak(&["2026-03-01", "2026-03-05"]),
            run("2026-03-01", "2026-03-01", 1)
        );
    }
}
