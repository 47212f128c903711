//! Minimum speed of uploads, so that slow clients do not occupy permits.

use std::time::Duration;

use tokio::time::Instant;

/// Limits of one upload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limits {
    /// Longest wait for a permit.
    pub(super) wait: Duration,
    /// Time for the first bytes.
    pub(super) grace: Duration,
    /// Longest pause of an upload that was fast enough before.
    pub(super) stall: Duration,
    /// Time limit for the whole upload.
    pub(super) total: Duration,
    /// Required bytes per second.
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

/// Deadline for the next bytes. Received bytes extend it at the required rate. The extension is
/// limited to the stall time, so that a fast start does not allow a slow end.
#[derive(Debug)]
pub(super) struct Deadline {
    limits: Limits,
    end: Instant,
    due: Instant,
}

impl Deadline {
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

    /// Extends the deadline by received bytes.
    pub(super) fn extend(&mut self, bytes: usize, now: Instant) {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let bought = Duration::from_secs(1) * bytes / self.limits.rate;
        self.due = (self.due + bought).min(now + self.limits.stall);
    }
}
