//! Scheduled backups: one an interval after the newest one.

use std::path::Path;
use std::time::Duration;

use ledge_core::app::BackupSettings;
use ledge_core::db::backup::folder::{self, BackupFile};
use ledge_core::error::StoreResult;
use ledge_core::time::Timestamp;
use ledge_core::{App, backup};

use crate::http::routes::library::scans;
use crate::serve::folder::within;

/// Longest pause between checks.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);
/// Shortest pause between checks.
const SHORTEST_PAUSE: Duration = Duration::from_secs(1);
/// Number of checks per interval.
const CHECKS: u32 = 60;
/// Longest pause after a failed backup.
const LONGEST_RETRY: Duration = Duration::from_hours(1);
/// Timeout of the backup folder.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// Queues due backups as long as the future is polled.
pub(crate) async fn run(app: App, settings: BackupSettings, interval: Duration) {
    let pause = (interval / CHECKS).clamp(SHORTEST_PAUSE, LONGEST_PAUSE);
    loop {
        if let Err(error) = request_due(&app, &settings, interval).await {
            tracing::warn!(%error, "a scheduled backup could not be queued");
        }
        tokio::time::sleep(pause).await;
    }
}

async fn request_due(app: &App, settings: &BackupSettings, interval: Duration) -> StoreResult<()> {
    let now = app.clock.now();
    let Some(backups) = list(&settings.folder).await else {
        // The attempt reports the problem.
        return request(app, interval, now).await;
    };
    let newest = newest(&backups);
    if newest.is_none_or(|newest| is_over(newest, interval, now)) {
        request(app, interval, now).await?;
    }
    Ok(())
}

/// Queues a backup, unless an attempt is unfinished or has just failed.
async fn request(app: &App, interval: Duration, now: Timestamp) -> StoreResult<()> {
    let retry = interval.min(LONGEST_RETRY);
    let queued = app.db.write_background(move |tx| {
        let last = backup::newest_job(tx)?;
        let may_begin = last.is_none_or(|last| {
            last.finished_at
                .is_some_and(|ended| is_over(ended, retry, now))
        });
        if !may_begin {
            return Ok(None);
        }
        let id = backup::request(tx, now)?;
        ledge_core::store::job::get(tx, id)
    });
    if let Some(job) = queued.await? {
        scans::announce(app, Some(job));
    }
    Ok(())
}

/// Returns `true` if a duration has passed since a time. A time in the future is wrong.
fn is_over(since: Timestamp, duration: Duration, now: Timestamp) -> bool {
    since > now || now.since(since) >= duration
}

/// Returns the backups in a folder, or `None` if it cannot be read in time.
pub(crate) async fn list(folder: &Path) -> Option<Vec<BackupFile>> {
    let folder = folder.to_owned();
    within(MAX_WAIT, move || folder::list(&folder)).await?.ok()
}

/// Returns the time of the newest complete backup.
pub(crate) fn newest(backups: &[BackupFile]) -> Option<Timestamp> {
    let mut complete = backups.iter().filter(|backup| backup.checked);
    complete.next().map(|backup| backup.created_at)
}

/// Returns `true` if the newest backup is older than twice the interval. Without any backup, the
/// time since the start of the server counts.
pub(crate) fn is_late(
    newest: Option<Timestamp>,
    interval: Duration,
    uptime: Duration,
    now: Timestamp,
) -> bool {
    let age = newest.map_or(uptime, |newest| now.since(newest));
    age > 2 * interval
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backup_is_late_after_two_intervals() {
        let now: Timestamp = "2026-11-20T12:00:00Z".parse().expect("a time");
        let (day, hour) = (Duration::from_hours(24), Duration::from_hours(1));
        let late = |age: Duration| is_late(Some(now.minus(age)), day, Duration::ZERO, now);
        assert!(!late(2 * day));
        assert!(late(2 * day + hour));
        assert!(!is_late(None, day, 2 * day, now));
        assert!(is_late(None, day, 2 * day + hour, now));
    }
}
