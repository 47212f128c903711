//! How slow an upload may be: nobody holds a turn by dripping bytes.

use std::time::Duration;

use tokio::time::Instant;

/// What an upload may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limits {
    /// For how long it waits for its turn.
    pub(super) wait: Duration,
    /// How long the first bytes may take.
    pub(super) grace: Duration,
    /// For how long nothing may come, of one that was fast enough until then.
    pub(super) stall: Duration,
    /// For how long it may take.
    pub(super) total: Duration,
    /// Bytes a second that must come.
    pub(super) rate: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wait: Duration::from_secs(30),
            grace: Duration::from_secs(10),
            stall: Duration::from_secs(30),
            total: Duration::from_mins(10),
            rate: 16 << 10,
        }
    }
}

/// By when the next bytes must come. What comes buys time at the rate; time that was bought ahead
/// ends with the stall, so that a fast beginning buys no slow end.
#[derive(Debug)]
pub(super) struct Pace {
    limits: Limits,
    end: Instant,
    due: Instant,
}

impl Pace {
    pub(super) fn new(limits: Limits, now: Instant) -> Self {
        Self {
            limits,
            end: now + limits.total,
            due: now + limits.grace,
        }
    }

    pub(super) fn due(&self) -> Instant {
        self.due.min(self.end)
    }

    /// Takes note of what has come.
    pub(super) fn note(&mut self, bytes: usize, now: Instant) {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let bought = Duration::from_secs(1) * bytes / self.limits.rate;
        self.due = (self.due + bought).min(now + self.limits.stall);
    }
}
