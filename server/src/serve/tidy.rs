//! Tidying the search index now and then.

use std::time::Duration;

use ledge_core::App;
use ledge_core::search::tidy::tidy_blocking;

/// After the start others come first.
const FIRST_PAUSE: Duration = Duration::from_mins(2);
/// So often at most: each time may read and write the whole index.
const PAUSE: Duration = Duration::from_hours(1);

/// Tidies, for as long as it is polled.
pub(super) async fn run(app: App) {
    let mut pause = FIRST_PAUSE;
    loop {
        tokio::time::sleep(pause).await;
        pause = PAUSE;
        let app = app.clone();
        let tidy = move || tidy_blocking(&app.db, || !app.jobs.is_stopping());
        match tokio::task::spawn_blocking(tidy).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::warn!(%error, "the search index could not be tidied"),
            Err(error) => tracing::error!(%error, "tidying the search index ended early"),
        }
    }
}
