//! Time zones of the embedded IANA database, and local dates and hours in them.

use jiff::ToSpan as _;
pub use jiff::civil::Date;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::time::Timestamp;

/// Microseconds of an hour.
const HOUR: i64 = 3_600_000_000;

/// Time zone.
#[derive(Debug, Clone, PartialEq)]
pub struct Zone(TimeZone);

impl Default for Zone {
    fn default() -> Self {
        Self(TimeZone::UTC)
    }
}

/// Local date and hour of a point in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LocalHour {
    pub(super) date: Date,
    /// Hour of the day, from 0 to 23.
    pub(super) hour: i8,
    /// First point in time of the next local hour.
    pub(super) next: Timestamp,
}

impl Zone {
    /// Returns the zone with this IANA name, such as `Europe/Berlin`. Upper and lower case are
    /// equal.
    pub fn named(name: &str) -> Option<Self> {
        TimeZone::get(name).ok().map(Self)
    }

    /// Returns the local date of a point in time.
    pub(super) fn date(&self, at: Timestamp) -> Date {
        self.local(at).date()
    }

    pub(super) fn hour(&self, at: Timestamp) -> LocalHour {
        let local = self.local(at);
        let minutes = i64::from(local.minute());
        let seconds = minutes * 60 + i64::from(local.second());
        let passed = seconds * 1_000_000 + i64::from(local.subsec_nanosecond() / 1000);
        LocalHour {
            date: local.date(),
            hour: local.hour(),
            next: Timestamp::from_micros(at.as_micros() - passed + HOUR),
        }
    }

    /// Returns the first point in time of a date. Returns `None` for dates at the ends of the
    /// calendar, which do not exist in every zone.
    pub(super) fn midnight(&self, date: Date) -> Option<Timestamp> {
        let zoned = date.to_zoned(self.0.clone()).ok()?;
        Some(Timestamp::from_micros(zoned.timestamp().as_microsecond()))
    }

    fn local(&self, at: Timestamp) -> DateTime {
        let at = jiff::Timestamp::from_microsecond(at.as_micros());
        self.0
            .to_datetime(at.expect("both types have the same range"))
    }
}

/// Parses a date in the form `2026-11-20`.
pub(super) fn parse_date(text: &str) -> Option<Date> {
    let mut parts = text.split('-').map(|part| {
        let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| part.parse::<i16>().ok()).flatten()
    });
    let date = (parts.next()??, parts.next()??, parts.next()??);
    let is_fixed = text.len() == 10 && parts.next().is_none();
    let (month, day) = (i8::try_from(date.1).ok()?, i8::try_from(date.2).ok()?);
    is_fixed
        .then(|| Date::new(date.0, month, day).ok())
        .flatten()
}

/// Returns the date `days` later, or earlier for a negative number.
pub(super) fn plus_days(date: Date, days: i64) -> Option<Date> {
    date.checked_add(days.days()).ok()
}

/// Returns the number of days from `from` to `to`.
pub(super) fn days_between(from: Date, to: Date) -> i64 {
    to.duration_since(from).as_hours() / 24
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().expect("a time")
    }

    #[test]
    fn hours_and_dates_are_local() {
        let zone = Zone::named("Asia/Kathmandu").expect("a zone");
        let local = zone.hour(at("2026-11-20T18:20:30Z"));
        assert_eq!(
            (local.date.to_string().as_str(), local.hour),
            ("2026-11-21", 0)
        );
        assert_eq!(local.next, at("2026-11-20T19:15:00Z"));
        assert_eq!(Zone::named("Europe/Nowhere"), None);
        assert_eq!(
            zone.midnight(parse_date("2026-11-21").expect("a date")),
            Some(at("2026-11-20T18:15:00Z"))
        );
    }

    #[test]
    fn day_without_midnight_begins_at_its_first_hour() {
        // In 2018, summer time began at midnight there.
        let zone = Zone::named("America/Sao_Paulo").expect("a zone");
        let date = parse_date("2018-11-04").expect("a date");
        assert_eq!(zone.midnight(date), Some(at("2018-11-04T03:00:00Z")));
    }

    #[test]
    fn date_has_one_spelling() {
        assert!(parse_date("2026-02-28").is_some());
        for text in [
            "2026-02-29",
            "2026-2-28",
            "20260228",
            "2026-02-28T00",
            "+026-02-28",
            "",
        ] {
            assert_eq!(parse_date(text), None, "{text}");
        }
    }
}
