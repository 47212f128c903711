//! Times of other programs: texts with `T` or a space and any fraction, or numbers since 1970. A time
//! without a zone is UTC.

use crate::time::Timestamp;

/// Numbers from here on are milliseconds. As seconds, they would be after the year 5000.
const MILLISECONDS: f64 = 1e11;

/// Parses a time. Times before 1970 count as absent, because programs use them for unknown times.
pub fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(number) = text.parse::<f64>() {
        return from_number(number);
    }
    let (date, rest) = text.split_at_checked(10)?;
    let rest = rest.trim_start_matches(['T', 't', ' ']);
    let rest = rest.split(" UTC").next().unwrap_or_default();
    let (clock, zone) = split_zone(rest);
    let clock = if clock.is_empty() { "00:00:00" } else { clock };
    let clock = match clock.len() {
        5 => format!("{clock}:00"),
        _ => clock.to_owned(),
    };
    let time: Timestamp = format!("{date}T{clock}{}", zone_of(zone)).parse().ok()?;
    (time.as_micros() > 0).then_some(time)
}

/// Splits a time of day from its zone.
fn split_zone(text: &str) -> (&str, &str) {
    let at = text.find(['Z', 'z', '+', '-', ' ']).unwrap_or(text.len());
    let (clock, zone) = text.split_at(at);
    (clock.trim(), zone.trim())
}

/// Returns the zone as RFC 3339 writes it: `Z` or `+01:00`.
fn zone_of(zone: &str) -> String {
    let digits: String = zone.chars().filter(char::is_ascii_digit).collect();
    match (zone.chars().next(), digits.len()) {
        (Some(sign @ ('+' | '-')), 4) => {
            let (hours, minutes) = digits.split_at(2);
            format!("{sign}{hours}:{minutes}")
        }
        (Some(sign @ ('+' | '-')), 2) => format!("{sign}{digits}:00"),
        _ => "Z".to_owned(),
    }
}

/// Returns the time of seconds or milliseconds since 1970.
pub fn from_number(number: f64) -> Option<Timestamp> {
    let seconds = if number.abs() >= MILLISECONDS {
        number / 1e3
    } else {
        number
    };
    let micros = super::columns::whole(seconds * 1e6)?;
    (micros > 0).then(|| Timestamp::from_micros(micros))
}

#[cfg(test)]
mod tests {
    use super::{from_number, parse};

    #[test]
    fn every_notation_is_the_same_time() {
        let expected = "2024-03-01T12:30:00.250000Z";
        for text in [
            "2024-03-01T12:30:00.25Z",
            "2024-03-01 12:30:00.250",
            "2024-03-01 12:30:00.250 +00:00",
            "2024-03-01 12:30:00.25+00:00",
            "2024-03-01 13:30:00.250000000+01:00",
            "2024-03-01 14:30:00.25 +0200 CEST",
            "2024-03-01 12:30:00.25 +0000 UTC",
            "2024-03-01T12:30:00.2500000",
            "1709296200250",
        ] {
            let time = parse(text).map(|time| time.to_string());
            assert_eq!(time.as_deref(), Some(expected), "{text}");
        }
        let whole = from_number(1_709_296_200.0).map(|time| time.to_string());
        assert_eq!(whole.as_deref(), Some("2024-03-01T12:30:00.000000Z"));
        let day = parse("2024-03-01").map(|time| time.to_string());
        assert_eq!(day.as_deref(), Some("2024-03-01T00:00:00.000000Z"));
    }

    #[test]
    fn unknown_and_damaged_times_are_absent() {
        for text in [
            "",
            "0",
            "0001-01-01T00:00:00Z",
            "0001-01-01 00:00:00",
            "soon",
            "2024-13-01",
            "2024-03-01Tnoon",
            "é2024-03-01",
            "NaN",
            "inf",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
