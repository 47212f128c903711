//! Division of a session at every full hour of a time zone, and thereby at midnight.

use super::StoredSession;
use super::zone::{Date, Zone};
use crate::time::Timestamp;

/// Microseconds of a quarter of an hour.
pub(super) const QUARTER: i64 = 900_000_000;

/// Part of a session within one hour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) date: Date,
    /// Hour of the day, from 0 to 23.
    pub(super) hour: i8,
    pub(super) seconds: i64,
    pub(super) pages: i64,
    /// `true` if the item became finished in this piece.
    pub(super) finished: bool,
    /// `true` for the first piece of a session on a date.
    pub(super) opens_day: bool,
    start: Timestamp,
}

impl StoredSession {
    /// Returns the seconds of a session until a point in time, rounded down. Differences of them
    /// add up to the seconds of the session.
    fn seconds_until(&self, at: Timestamp) -> i64 {
        (at.as_micros() - self.started_at.as_micros()).div_euclid(1_000_000)
    }

    /// Returns the pieces of the session in the order of time, at least one.
    pub(super) fn pieces(&self, zone: &Zone) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::with_capacity(2);
        let mut start = self.started_at;
        loop {
            let local = zone.hour(start);
            let end = local.next.min(self.last_at);
            pieces.push(Piece {
                date: local.date,
                hour: local.hour,
                seconds: self.seconds_until(end) - self.seconds_until(start),
                pages: 0,
                finished: false,
                opens_day: pieces.last().is_none_or(|last| last.date != local.date),
                start,
            });
            if end >= self.last_at {
                break;
            }
            start = end;
        }
        for (quarter, pages) in &self.steps {
            let at = Timestamp::from_micros(quarter.saturating_mul(QUARTER));
            if let Some(piece) = piece_at(&mut pieces, at) {
                piece.pages += pages;
            }
        }
        let finished = self.finished_at.and_then(|at| piece_at(&mut pieces, at));
        if let Some(piece) = finished {
            piece.finished = true;
        }
        pieces
    }
}

/// Returns the piece that contains a point in time. Earlier times belong to the first piece: a
/// quarter can begin before its session.
fn piece_at(pieces: &mut [Piece], at: Timestamp) -> Option<&mut Piece> {
    let after = pieces.partition_point(|piece| piece.start <= at);
    pieces.get_mut(after.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().expect("a time")
    }

    fn session(from: &str, to: &str) -> StoredSession {
        StoredSession {
            item: None,
            kind: "paper".to_owned(),
            started_at: at(from),
            last_at: at(to),
            steps: Vec::new(),
            finished_at: None,
        }
    }

    fn shown(session: &StoredSession, zone: &str) -> Vec<String> {
        let zone = Zone::named(zone).expect("a zone");
        let show = |piece: &Piece| {
            let Piece {
                date,
                hour,
                seconds,
                pages,
                ..
            } = piece;
            format!("{date} {hour} {seconds} {pages}")
        };
        session.pieces(&zone).iter().map(show).collect()
    }

    #[test]
    fn session_is_divided_at_midnight_of_the_zone() {
        let evening = session("2026-11-20T22:59:00.7Z", "2026-11-20T23:00:30.2Z");
        assert_eq!(
            shown(&evening, "Europe/Berlin"),
            ["2026-11-20 23 59 0", "2026-11-21 0 30 0"]
        );
        assert_eq!(
            shown(&evening, "UTC"),
            ["2026-11-20 22 59 0", "2026-11-20 23 30 0"]
        );
        assert_eq!(shown(&evening, "Asia/Kolkata"), ["2026-11-21 4 89 0"]);
    }

    #[test]
    fn session_that_ends_at_midnight_has_no_piece_of_the_next_day() {
        let evening = session("2026-11-20T23:50:00Z", "2026-11-21T00:00:00Z");
        assert_eq!(shown(&evening, "UTC"), ["2026-11-20 23 600 0"]);
        let moment = session("2026-11-21T00:00:00Z", "2026-11-21T00:00:00Z");
        assert_eq!(shown(&moment, "UTC"), ["2026-11-21 0 0 0"]);
    }

    #[test]
    fn pages_and_end_belong_to_their_hour() {
        let mut night = session("2026-11-20T23:52:00Z", "2026-11-21T00:20:00Z");
        let quarter = |text| at(text).as_micros() / QUARTER;
        night.steps = vec![
            (quarter("2026-11-20T23:45:00Z"), 3),
            (quarter("2026-11-21T00:00:00Z"), 4),
            (quarter("2026-11-21T00:15:00Z"), 1),
        ];
        night.finished_at = Some(night.last_at);
        assert_eq!(
            shown(&night, "UTC"),
            ["2026-11-20 23 480 3", "2026-11-21 0 1200 5"]
        );
        let pieces = night.pieces(&Zone::default());
        assert_eq!(
            pieces
                .iter()
                .map(|piece| piece.finished)
                .collect::<Vec<_>>(),
            [false, true]
        );
    }
}
