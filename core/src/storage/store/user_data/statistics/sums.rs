//! Sums of sessions, and the keys by which they are grouped.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::pieces::Piece;
use super::zone::Date;

/// Sums of sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = UsageSums)]
pub struct Sums {
    /// Time in seconds.
    pub seconds: i64,
    /// Number of pages or sections.
    pub pages: i64,
    /// Number of sessions. A session across midnight counts on both days.
    pub sessions: i64,
    /// Number of items that became finished.
    pub finished: i64,
}

impl Sums {
    pub(super) fn add(&mut self, piece: &Piece) {
        self.seconds += piece.seconds;
        self.pages += piece.pages;
        self.sessions += i64::from(piece.opens_day);
        self.finished += i64::from(piece.finished);
    }
}

/// Sums of a whole range.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = UsageTotals)]
pub struct Totals {
    /// Sums of the range.
    #[serde(flatten)]
    pub sums: Sums,
    /// Number of days with a session.
    pub days: i64,
}

/// Grouping of sums.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = UsageGrouping)]
pub enum By {
    /// By date, such as `2026-11-20`.
    #[default]
    Day,
    /// By ISO week, such as `2026-W47`.
    Week,
    /// By month, such as `2026-11`.
    Month,
    /// By year, such as `2026`.
    Year,
    /// By hour of the day, from 0 to 23.
    Hour,
    /// By kind.
    Kind,
    /// By author.
    Author,
    /// By genre.
    Genre,
    /// By item.
    Item,
}

/// Key of a group.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = UsageKey)]
pub enum Key {
    /// An hour, or the id of an item, a person or a genre.
    Number(i64),
    /// A period or a kind.
    Text(String),
}

impl By {
    /// Returns `true` for groups without titles and names.
    pub fn is_impersonal(self) -> bool {
        !matches!(self, Self::Author | Self::Genre | Self::Item)
    }

    /// Returns the key of a piece of a session of this kind. Returns `None` for groups that depend
    /// on the item.
    pub(super) fn key(self, piece: &Piece, kind: &str) -> Option<Key> {
        Some(match self {
            Self::Day => Key::Text(piece.date.to_string()),
            Self::Week => Key::Text(week(piece.date)),
            Self::Month => Key::Text(format!(
                "{:04}-{:02}",
                piece.date.year(),
                piece.date.month()
            )),
            Self::Year => Key::Text(format!("{:04}", piece.date.year())),
            Self::Hour => Key::Number(piece.hour.into()),
            Self::Kind => Key::Text(kind.to_owned()),
            Self::Author | Self::Genre | Self::Item => return None,
        })
    }
}

fn week(date: Date) -> String {
    let week = date.iso_week_date();
    format!("{:04}-W{:02}", week.year(), week.week())
}

/// Sums of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = UsageEntry)]
pub struct Entry {
    /// Key of the group: a period, an hour, a kind or an id.
    pub key: Key,
    /// Name of the group: the key of a period, or the name of a kind, a person, a genre or an item.
    pub name: String,
    /// Sums of the group.
    #[serde(flatten)]
    pub sums: Sums,
}

/// Sorts entries by their time, the longest first.
pub(super) fn sort_by_time<T>(entries: &mut [T], entry: impl Fn(&T) -> &Entry) {
    entries.sort_by(|a, b| {
        let rank = |entry: &Entry| (Reverse(entry.sums.seconds), Reverse(entry.sums.pages));
        let (a, b) = (entry(a), entry(b));
        let by_name = || a.name.cmp(&b.name).then_with(|| a.key.cmp(&b.key));
        rank(a).cmp(&rank(b)).then_with(by_name)
    });
}
