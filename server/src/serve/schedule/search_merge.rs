//! Maintenance of the search index: after an upgrade, after scans, and periodically for edits.

use std::time::Duration;

use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use ledge_core::App;
use ledge_core::error::StoreResult;
use ledge_core::events::Event;
use ledge_core::job_kind::SCAN;
use ledge_core::search::{merge::merge_segments_blocking, upgrade};
use ledge_core::store::job::JobStatus;

/// Pause after the start, in favour of more urgent work.
const FIRST_PAUSE: Duration = Duration::from_mins(2);
/// Maximum time between two runs.
const PAUSE: Duration = Duration::from_hours(1);
/// Pause after a scan. Scans of several libraries follow one another immediately.
const AFTER_SCAN: Duration = Duration::from_secs(2);

/// Runs the maintenance as long as the future is polled.
pub(crate) async fn run(app: App) {
    let mut events = app.events.subscribe();
    let upgraded = app.clone();
    maintain(move || upgrade::complete_blocking(&upgraded.db, || !upgraded.jobs.is_stopping()))
        .await;
    let mut pause = FIRST_PAUSE;
    loop {
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = scan_ended(&mut events) => tokio::time::sleep(AFTER_SCAN).await,
        }
        pause = PAUSE;
        let app = app.clone();
        maintain(move || merge_segments_blocking(&app.db, || !app.jobs.is_stopping())).await;
    }
}

/// Runs blocking work and logs its errors.
async fn maintain<T: Send + 'static>(work: impl FnOnce() -> StoreResult<T> + Send + 'static) {
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => tracing::warn!(%error, "the search index could not be maintained"),
        Err(error) => tracing::error!(%error, "the maintenance of the search index panicked"),
    }
}

/// Returns when a scan has ended. Lost events are ignored: they come from a scan that is running, and
/// a merge during it would rewrite the index again and again. The periodic run covers a lost end.
async fn scan_ended(events: &mut Receiver<Event>) {
    loop {
        match events.recv().await {
            Ok(Event::Job(job)) if job.kind == SCAN && job.status == JobStatus::Done => return,
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}
