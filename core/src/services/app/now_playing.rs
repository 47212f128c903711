//! Players of all users and the files that they play, in memory only.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::id::{FileId, UserId};
use crate::time::Timestamp;

/// Limit of the players of a user. A further player replaces the one with the oldest report.
const MAX_PLAYERS: usize = 16;
/// Number of users from which expired players are removed.
const MAX_USERS: usize = 1_000;
/// Time for which a player without a known end is listed.
const UNKNOWN_END: Duration = Duration::from_mins(10);
/// Limit of the time for which a player is listed without a further report.
const MAX_LISTED: Duration = Duration::from_hours(12);
/// Shortest time between two writes of progress by one player.
const BETWEEN_WRITES: Duration = Duration::from_secs(10);

/// State of a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlayerState {
    /// The player begins to play the file.
    Starting,
    /// The player plays.
    Playing,
    /// The player pauses.
    Paused,
    /// The player has ended. It is not listed.
    Stopped,
}

/// Report of a player.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Name of the player; reports with the same name are from the same player.
    pub device: String,
    /// File that it plays.
    pub file: FileId,
    /// State of the player.
    pub state: PlayerState,
    /// Position in milliseconds.
    pub position: i64,
    /// Speed, where 1 is normal.
    pub rate: f64,
    /// Length of the file in milliseconds.
    pub duration: Option<i64>,
    /// `true` if the position is far enough for a play of the file.
    pub is_play: bool,
}

/// A player with its last report.
#[derive(Debug, Clone, PartialEq)]
pub struct Player {
    /// Last report.
    pub report: Report,
    /// Time at which the playback of the file began.
    pub started_at: Timestamp,
    /// Time of the last report.
    pub reported_at: Timestamp,
    expires_at: Timestamp,
    is_counted: bool,
    written_at: Option<Timestamp>,
}

/// Work that a report causes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// `true` if the file has been played now. A playback counts once.
    pub play: bool,
    /// `true` if the progress should be written. This is at most every ten seconds, and at the end.
    pub progress: bool,
}

/// Players of all users; clones share them.
#[derive(Debug, Clone, Default)]
pub struct NowPlaying(Arc<Mutex<HashMap<UserId, Vec<Player>>>>);

impl NowPlaying {
    /// Stores the report of a user's player.
    pub fn report(&self, user: UserId, report: Report, now: Timestamp) -> Due {
        let mut users = self.users();
        if users.len() >= MAX_USERS {
            users.retain(|_, players| players.iter().any(|player| player.expires_at > now));
        }
        let players = users.entry(user).or_default();
        let before = players
            .iter()
            .position(|player| player.report.device == report.device);
        let before = before.map(|at| players.remove(at));
        let before = before.filter(|player| player.continues(&report));
        let was_counted = before.as_ref().is_some_and(|player| player.is_counted);
        let written_at = before.as_ref().and_then(|player| player.written_at);
        let due = Due {
            play: report.is_play && !was_counted,
            progress: report.state == PlayerState::Stopped
                || report.state != PlayerState::Starting
                    && written_at.is_none_or(|at| now.since(at) >= BETWEEN_WRITES),
        };
        let player = Player {
            started_at: before.map_or(now, |player| player.started_at),
            reported_at: now,
            expires_at: now.plus(report.remaining()),
            is_counted: was_counted || due.play,
            written_at: if due.progress { Some(now) } else { written_at },
            report,
        };
        if players.len() >= MAX_PLAYERS {
            players.remove(0);
        }
        // The newest report is the last one.
        players.push(player);
        due
    }

    /// Returns the players of a user that have not stopped, the newest report first.
    pub fn list(&self, user: UserId, now: Timestamp) -> Vec<Player> {
        let users = self.users();
        let players = users.get(&user).into_iter().flatten().rev();
        let is_listed = |player: &&Player| {
            player.report.state != PlayerState::Stopped && player.expires_at > now
        };
        players.filter(is_listed).cloned().collect()
    }

    fn users(&self) -> MutexGuard<'_, HashMap<UserId, Vec<Player>>> {
        // No panic can leave the map half written.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Player {
    /// Returns `true` if the report belongs to the same playback.
    fn continues(&self, report: &Report) -> bool {
        let is_again = self.report.state == PlayerState::Stopped
            && report.state != PlayerState::Stopped
            && report.position < self.report.position;
        self.report.file == report.file && report.state != PlayerState::Starting && !is_again
    }
}

impl Report {
    /// Returns the time until the end of the file, and a minute.
    fn remaining(&self) -> Duration {
        let is_playing = matches!(self.state, PlayerState::Starting | PlayerState::Playing);
        let Some(duration) = self.duration.filter(|_| is_playing) else {
            return UNKNOWN_END;
        };
        let rest = duration.saturating_sub(self.position);
        let rest = Duration::from_millis(u64::try_from(rest).unwrap_or(0));
        rest.saturating_add(Duration::from_mins(1)).min(MAX_LISTED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USER: UserId = UserId(1);

    fn report(device: &str, state: PlayerState, position: i64) -> Report {
        Report {
            device: device.to_owned(),
            file: FileId(7),
            state,
            position,
            rate: 1.0,
            duration: Some(100_000),
            is_play: position >= 50_000,
        }
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    #[test]
    fn playback_counts_once_until_it_starts_again() {
        use PlayerState::{Playing, Starting, Stopped};
        let players = NowPlaying::default();
        let plays = |state, position, seconds| {
            let due = players.report(USER, report("a", state, position), at(seconds));
            due.play
        };
        let steps = [
            (Starting, 0, false),
            (Playing, 49_999, false),
            (Playing, 50_000, true),
            (Playing, 60_000, false),
            (Stopped, 99_000, false),
            (Stopped, 99_000, false),
            (Playing, 50_000, true),
            (Starting, 90_000, true),
        ];
        for (n, (state, position, expected)) in (0..).zip(steps) {
            assert_eq!(plays(state, position, n), expected, "step {n}");
        }
    }

    #[test]
    fn progress_is_due_every_ten_seconds_and_at_the_end() {
        use PlayerState::{Playing, Stopped};
        let players = NowPlaying::default();
        let due = |state, seconds| {
            let due = players.report(USER, report("a", state, 1), at(seconds));
            due.progress
        };
        let steps = [
            (Playing, 0, true),
            (Playing, 9, false),
            (Playing, 10, true),
            (Stopped, 11, true),
        ];
        for (state, seconds, expected) in steps {
            assert_eq!(due(state, seconds), expected, "at {seconds}");
        }
    }

    #[test]
    fn list_contains_own_current_players_only() {
        use PlayerState::{Paused, Playing, Stopped};
        let players = NowPlaying::default();
        players.report(USER, report("a", Playing, 0), at(0));
        players.report(UserId(2), report("b", Playing, 0), at(0));
        players.report(USER, report("c", Stopped, 0), at(0));
        players.report(USER, report("d", Paused, 0), at(0));
        let devices = |seconds| {
            let list = players.list(USER, at(seconds));
            let devices: Vec<String> = list.into_iter().map(|one| one.report.device).collect();
            devices.join(" ")
        };
        assert_eq!(devices(1), "d a");
        assert_eq!(devices(159), "d a");
        assert_eq!(devices(160), "d");
        assert_eq!(devices(600), "");
    }

    #[test]
    fn number_of_players_is_bounded() {
        let players = NowPlaying::default();
        for n in 0..100 {
            players.report(USER, report(&n.to_string(), PlayerState::Playing, 0), at(n));
        }
        let list = players.list(USER, at(100));
        assert_eq!(list.len(), MAX_PLAYERS);
        assert_eq!(
            list.first().map(|one| one.report.device.as_str()),
            Some("99")
        );
    }
}
