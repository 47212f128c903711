//! Request of the job that computes digests of files, after each change of the catalogue.

use std::time::Duration;

use ledge_core::App;
use ledge_core::http::publications::digests;

/// Time between two checks for commits.
const PAUSE: Duration = Duration::from_secs(2);

/// Queues the job when there is work for it, as long as the future is polled.
pub(crate) async fn run(app: App) {
    let mut seen = None;
    loop {
        // Commits are found without a query, so that an idle server reads nothing.
        let version = app.db.version();
        if (version.is_none() || version != seen) && request(&app).await {
            seen = version;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Returns `false` if the request must be repeated without another commit.
async fn request(app: &App) -> bool {
    let app = app.clone();
    match tokio::task::spawn_blocking(move || digests::request_blocking(&app)).await {
        Ok(Ok(is_done)) => return is_done,
        Ok(Err(error)) => tracing::warn!(%error, "the digests of files could not be requested"),
        Err(error) => tracing::error!(%error, "the request of digests panicked"),
    }
    true
}
