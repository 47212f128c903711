//! Automatic links between the forms of a title, after each change of the catalogue.

use std::time::Duration;

use ledge_core::App;
use ledge_core::store::catalogue::work::link::link_queued_blocking;

/// Time between two checks for commits.
const PAUSE: Duration = Duration::from_secs(2);

/// Links new and changed items as long as the future is polled.
pub(crate) async fn run(app: App) {
    let mut seen = None;
    loop {
        // Commits are found without a query, so that an idle server reads nothing.
        let version = app.db.version();
        if version.is_none() || version != seen {
            seen = version;
            link(&app).await;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn link(app: &App) {
    let app = app.clone();
    let link = move || link_queued_blocking(&app.db, &app.registry, || !app.jobs.is_stopping());
    match tokio::task::spawn_blocking(link).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "the forms of titles could not be linked"),
        Err(error) => tracing::error!(%error, "the links of forms panicked"),
    }
}
