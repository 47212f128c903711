//! Ranges of dates in a time zone, as requests name them.

use std::time::Duration;

use super::MAX_HOURS;
use super::zone::{Date, Zone, days_between, parse_date, plus_days};
use crate::error::{StoreError, StoreResult};
use crate::time::Timestamp;

/// Largest number of days of a range.
const MAX_DAYS: i64 = 3660;
/// Number of days of a range without a start.
const DEFAULT_DAYS: i64 = 30;

/// Parameters of a range.
#[derive(Debug, Clone, Default)]
pub struct RangeParams {
    /// First date as `2026-11-20`.
    pub from: Option<String>,
    /// Last date as `2026-11-20`.
    pub to: Option<String>,
    /// IANA name of the time zone; UTC if absent.
    pub tz: Option<String>,
}

impl RangeParams {
    /// Returns the time zone.
    ///
    /// # Errors
    ///
    /// Returns `Invalid` for an unknown name.
    pub fn zone(&self) -> StoreResult<Zone> {
        let Some(name) = &self.tz else {
            return Ok(Zone::default());
        };
        let message = "`tz` is not the name of a time zone, such as `Europe/Berlin`.";
        Zone::named(name).ok_or_else(|| invalid("tz", message))
    }

    fn dates(&self) -> StoreResult<(Option<Date>, Option<Date>)> {
        let from = date("from", self.from.as_deref())?;
        let to = date("to", self.to.as_deref())?;
        if matches!((from, to), (Some(from), Some(to)) if to < from) {
            return Err(invalid("to", "`to` is not before `from`."));
        }
        Ok((from, to))
    }
}

fn invalid(field: &'static str, message: &str) -> StoreError {
    StoreError::Invalid {
        field,
        message: message.to_owned(),
    }
}

fn date(field: &'static str, text: Option<&str>) -> StoreResult<Option<Date>> {
    let Some(text) = text else { return Ok(None) };
    let message = format!("`{field}` is a date in the form 2026-11-20.");
    match parse_date(text) {
        Some(date) if is_usual(date) => Ok(Some(date)),
        _ => Err(invalid(field, &message)),
    }
}

/// Returns `true` for dates that exist in every time zone, with their neighbours.
fn is_usual(date: Date) -> bool {
    (1..=9998).contains(&date.year())
}

/// Dates of a range, both inclusive.
#[derive(Debug, Clone)]
pub struct DateRange {
    pub(super) from: Date,
    pub(super) to: Date,
    pub(super) zone: Zone,
    /// First point in time of the range.
    pub(super) start: Timestamp,
    /// First point in time after the range.
    pub(super) end: Timestamp,
}

impl DateRange {
    /// Parses a range. The default is the last 30 days until today.
    ///
    /// # Errors
    ///
    /// Returns `Invalid` for a malformed date, an unknown time zone, an end before the start, and
    /// more than 3,660 days.
    pub fn parse(params: &RangeParams, now: Timestamp) -> StoreResult<Self> {
        let zone = params.zone()?;
        let (from, to) = params.dates()?;
        let to = to.unwrap_or_else(|| zone.date(now));
        let default = || plus_days(to, 1 - DEFAULT_DAYS).filter(|date| is_usual(*date));
        let from = from.or_else(default).unwrap_or(to);
        if to < from {
            return Err(invalid("from", "`from` is not after `to` or today."));
        }
        if days_between(from, to) >= MAX_DAYS {
            return Err(invalid("from", "A range has at most 3660 days."));
        }
        Self::of_dates(from, to, zone).ok_or_else(|| invalid("from", "`from` is out of range."))
    }

    /// Returns the range of a year from 1 to 9998.
    pub fn of_year(year: i16, zone: Zone) -> Option<Self> {
        let from = Date::new(year, 1, 1).ok().filter(|from| is_usual(*from))?;
        Self::of_dates(from, Date::new(year, 12, 31).ok()?, zone)
    }

    fn of_dates(from: Date, to: Date, zone: Zone) -> Option<Self> {
        Some(Self {
            start: zone.midnight(from)?,
            end: zone.midnight(plus_days(to, 1)?)?,
            from,
            to,
            zone,
        })
    }

    /// Returns the earliest start of a session that can touch the range.
    pub(super) fn first_start(&self) -> Timestamp {
        first_start(self.start)
    }

    pub(super) fn contains(&self, date: Date) -> bool {
        (self.from..=self.to).contains(&date)
    }
}

fn first_start(start: Timestamp) -> Timestamp {
    start.minus(Duration::from_hours(MAX_HOURS))
}

/// Range of a list of sessions, with optional ends.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Earliest start of a session that can touch the range.
    pub(super) after: Timestamp,
    pub(super) start: Timestamp,
    pub(super) end: Timestamp,
}

impl Bounds {
    /// Parses a range. An absent end is open.
    ///
    /// # Errors
    ///
    /// Returns `Invalid` for a malformed date, an unknown time zone, and an end before the start.
    pub fn parse(params: &RangeParams) -> StoreResult<Self> {
        let zone = params.zone()?;
        let (from, to) = params.dates()?;
        let after = to.and_then(|to| plus_days(to, 1));
        let midnight = |date| zone.midnight(date);
        let start = from.and_then(midnight);
        let start = start.unwrap_or(Timestamp::from_micros(i64::MIN));
        let end = after.and_then(midnight);
        Ok(Self {
            after: first_start(start),
            start,
            end: end.unwrap_or(Timestamp::from_micros(i64::MAX)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(from: Option<&str>, to: Option<&str>, tz: &str) -> Result<String, &'static str> {
        let params = RangeParams {
            from: from.map(str::to_owned),
            to: to.map(str::to_owned),
            tz: Some(tz.to_owned()),
        };
        let now = "2026-11-20T23:30:00Z".parse().expect("a time");
        match DateRange::parse(&params, now) {
            Ok(range) => Ok(format!("{}..{}", range.from, range.to)),
            Err(StoreError::Invalid { field, .. }) => Err(field),
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn default_is_the_last_30_local_days() {
        let last = |tz| parse(None, None, tz);
        assert_eq!(last("UTC"), Ok("2026-10-22..2026-11-20".to_owned()));
        assert_eq!(last("Asia/Tokyo"), Ok("2026-10-23..2026-11-21".to_owned()));
    }

    #[test]
    fn range_has_at_most_3660_days() {
        let since = |from| parse(Some(from), Some("2026-11-20"), "UTC");
        assert_eq!(since("2016-11-13"), Ok("2016-11-13..2026-11-20".to_owned()));
        assert_eq!(since("2016-11-12"), Err("from"));
    }

    #[test]
    fn invalid_parameter_is_named() {
        assert_eq!(parse(Some("2026-11-21"), None, "UTC"), Err("from"));
        assert_eq!(
            parse(Some("2026-11-02"), Some("2026-11-01"), "UTC"),
            Err("to")
        );
        assert_eq!(parse(Some("yesterday"), None, "UTC"), Err("from"));
        assert_eq!(parse(Some("0000-01-01"), None, "UTC"), Err("from"));
        assert_eq!(parse(None, Some("9999-12-31"), "UTC"), Err("to"));
        assert_eq!(parse(None, None, "Moon/Crater"), Err("tz"));
    }
}
