//! Time. Only this module reads the wall clock, so that tests control it. [`Timestamp`] is the only writer of stored times.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use jiff::fmt::temporal::Pieces;
use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};

/// A point in time, to the microsecond.
///
/// Written as `2026-11-20T17:26:00.000000Z`: UTC, fixed width, so that texts sort like times.
/// Parsed with any fraction. The last hours of the year 9999, which [`jiff`] leaves out so that all
/// it has exist in every time zone, are the last that it knows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(jiff::Timestamp);

impl Timestamp {
    /// From microseconds since 1970-01-01T00:00:00Z; times outside the years 1 to 9999 are
    /// moved to the nearest that is inside.
    pub fn from_micros(micros: i64) -> Self {
        const FIRST: i64 = -62_135_596_800_000_000;
        const LAST: i64 = 253_402_207_199_999_999;
        let inside = micros.clamp(FIRST, LAST);
        Self(jiff::Timestamp::from_microsecond(inside).expect("clamped into the range"))
    }

    /// From nanoseconds since 1970, as file systems give them; the rest below a microsecond is cut.
    pub fn from_nanos(nanos: i64) -> Self {
        Self::from_micros(nanos.div_euclid(1000))
    }

    /// Microseconds since 1970.
    pub fn as_micros(self) -> i64 {
        self.0.as_microsecond()
    }

    /// The time `duration` later.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        let micros = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
        Self::from_micros(self.as_micros().saturating_add(micros))
    }

    /// The time `duration` earlier.
    #[must_use]
    pub fn minus(self, duration: Duration) -> Self {
        let micros = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
        Self::from_micros(self.as_micros().saturating_sub(micros))
    }

    /// Returns the duration since `earlier`, or zero if `earlier` is later.
    pub fn since(self, earlier: Self) -> Duration {
        let micros = self.as_micros().saturating_sub(earlier.as_micros());
        Duration::from_micros(u64::try_from(micros).unwrap_or(0))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6}", self.0)
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::str::FromStr for Timestamp {
    type Err = NotATime;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Ok(exact) = text.parse::<jiff::Timestamp>() else {
            return at_the_end(text).ok_or(NotATime);
        };
        Ok(Self::from_micros(
            exact
                .as_nanosecond()
                .div_euclid(1000)
                .try_into()
                .unwrap_or(0),
        ))
    }
}

/// Error of a text that is not a point in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a time like 2026-11-20T17:26:00Z")]
pub struct NotATime;

/// A valid time of the year 9999 that is outside the supported range.
fn at_the_end(text: &str) -> Option<Timestamp> {
    let pieces = Pieces::parse(text).ok()?;
    let is_whole = pieces.time().is_some() && pieces.to_numeric_offset().is_some();
    let is_last = is_whole && pieces.date().year() == 9999;
    is_last.then(|| Timestamp::from_micros(i64::MAX))
}

impl serde::Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Timestamp {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl utoipa::PartialSchema for Timestamp {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::schema::Type::String)
            .format(Some(utoipa::openapi::SchemaFormat::KnownFormat(
                utoipa::openapi::KnownFormat::DateTime,
            )))
            .description(Some("UTC, fixed width, microseconds"))
            .examples(["2026-11-20T17:26:00.000000Z"])
            .build()
            .into()
    }
}

impl utoipa::ToSchema for Timestamp {}

impl ToSql for Timestamp {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.to_string().into())
    }
}

impl FromSql for Timestamp {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value
            .as_str()?
            .parse()
            .map_err(|error| FromSqlError::Other(Box::new(error)))
    }
}

/// Source of the application's time.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// The system's clock.
    pub fn system() -> Self {
        #[expect(
            clippy::disallowed_methods,
            reason = "the one place that reads the clock"
        )]
        Self(Arc::new(|| {
            Timestamp::from_micros(jiff::Timestamp::now().as_microsecond())
        }))
    }

    /// Clock of a test, which keeps its time until the test sets it.
    pub fn manual(start: Timestamp) -> (Self, ManualClock) {
        let hand = ManualClock(Arc::new(AtomicI64::new(start.as_micros())));
        let read = hand.clone();
        let clock = Self(Arc::new(move || {
            Timestamp::from_micros(read.0.load(Ordering::SeqCst))
        }));
        (clock, hand)
    }

    /// The time now.
    pub fn now(&self) -> Timestamp {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.now())
    }
}

/// The hand of a clock made by [`Clock::manual`].
#[derive(Debug, Clone)]
pub struct ManualClock(Arc<AtomicI64>);

impl ManualClock {
    /// Sets the clock back, as an administrator or a time server may.
    pub fn set_back(&self, duration: Duration) {
        let micros = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
        self.0.fetch_sub(micros, Ordering::SeqCst);
    }

    /// Moves the clock forward.
    pub fn advance(&self, duration: Duration) {
        let micros = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
        self.0.fetch_add(micros, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn any_fraction_is_read_and_six_digits_are_written() {
        for (text, written) in [
            ("2026-11-20T17:26:00Z", "2026-11-20T17:26:00.000000Z"),
            ("2026-11-20T17:26:00.5Z", "2026-11-20T17:26:00.500000Z"),
            (
                "2026-11-20T17:26:00.123456789Z",
                "2026-11-20T17:26:00.123456Z",
            ),
            ("2026-11-20T18:26:00+01:00", "2026-11-20T17:26:00.000000Z"),
        ] {
            let parsed: Timestamp = text.parse().expect(text);
            assert_eq!(parsed.to_string(), written);
        }
    }

    #[test]
    fn the_year_9999_is_read_to_its_end_and_what_is_no_time_is_not() {
        let last = "9999-12-30T21:59:59.999999Z";
        for text in ["9999-12-31T23:59:59.999999Z", "9999-12-31T00:00:00-23:00"] {
            let parsed: Timestamp = text.parse().expect(text);
            assert_eq!(parsed.to_string(), last);
        }
        for text in [
            "9999-12-31",
            "9999-12-31T23:59:59",
            "9999-12-32T00:00:00Z",
            "soon",
            "",
        ] {
            assert_eq!(text.parse::<Timestamp>(), Err(NotATime), "{text}");
        }
    }

    proptest! {
        #[test]
        fn texts_sort_like_times(a in any::<i64>(), b in any::<i64>()) {
            let (a, b) = (Timestamp::from_micros(a), Timestamp::from_micros(b));
            prop_assert_eq!(a.cmp(&b), a.to_string().cmp(&b.to_string()));
            prop_assert_eq!(a.to_string().parse::<Timestamp>().ok(), Some(a));
        }
    }
}
