//! Tasks at intervals. Scheduled scans: each library is scanned an interval after the start of its
//! last scan.

pub(crate) mod backups;
pub(super) mod digests;
pub(super) mod search_merge;
pub(super) mod works;

use std::collections::HashSet;
use std::time::Duration;

use ledge_core::error::StoreResult;
use ledge_core::id::LibraryId;
use ledge_core::store::job;
use ledge_core::store::library::scan_run;
use ledge_core::{App, scan};

use crate::http::routes::library::scans;
use crate::serve::folder;

/// Longest pause between checks. Each check starts at most one scan, so that libraries take turns
/// after a long downtime.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);
/// Shortest pause between checks.
const SHORTEST_PAUSE: Duration = Duration::from_secs(1);
/// Number of checks per interval.
const LOOKS: u32 = 60;

/// Starts due scans as long as the future is polled.
pub(super) async fn run(app: App, interval: Duration) {
    let pause = (interval / LOOKS).clamp(SHORTEST_PAUSE, LONGEST_PAUSE);
    let mut absent = HashSet::new();
    loop {
        tokio::time::sleep(pause).await;
        if let Err(error) = enqueue_due(&app, interval, &mut absent).await {
            tracing::warn!(%error, "a scheduled scan could not be queued");
        }
    }
}

/// Queues the scan that has been due longest. `absent` contains the libraries whose folder was
/// unreadable at the last check, so that each is logged once.
async fn enqueue_due(
    app: &App,
    interval: Duration,
    absent: &mut HashSet<LibraryId>,
) -> StoreResult<Option<LibraryId>> {
    let now = app.clock.now();
    let before = now.minus(interval);
    let due = app
        .db
        .read(move |conn| scan_run::due_unscoped(conn, before, now))
        .await?;
    absent.retain(|library| due.iter().any(|(id, _)| id == library));
    for (library, root) in due {
        if !folder::is_available(&root).await {
            if absent.insert(library) {
                tracing::info!(%library, "the scheduled scan waits: the folder cannot be read");
            }
            continue;
        }
        absent.remove(&library);
        let queued = app.db.write_background(move |tx| {
            // The library may have been deleted or scanned on request since the read.
            let due = scan_run::due_unscoped(tx, before, now)?;
            if !due.iter().any(|(id, _)| *id == library) {
                return Ok(None);
            }
            let id = scan::request(tx, library, false, now)?;
            job::get(tx, id)
        });
        if let Some(job) = queued.await? {
            scans::announce(app, Some(job));
            return Ok(Some(library));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use ledge_core::id::UserId;
    use ledge_core::store::library::{self, NewLibrary};

    use super::*;
    use crate::http::test_app::TestApp;

    const DAY: Duration = Duration::from_hours(24);

    fn library(test: &TestApp, name: &str, path: PathBuf) -> LibraryId {
        let new = NewLibrary {
            name: name.to_owned(),
            path,
            kinds: None,
            grants: Vec::new(),
        };
        let now = test.app.clock.now();
        let create =
            move |tx: &rusqlite::Transaction<'_>| library::create(tx, &new, UserId(1), now);
        test.app.db.write_blocking(create).expect("a library")
    }

    async fn begun(test: &TestApp) -> Option<LibraryId> {
        enqueue_due(&test.app, DAY, &mut HashSet::new())
            .await
            .expect("a look")
    }

    /// Inserts the rows of a scan that begins and ends now.
    fn scanned(test: &TestApp, library: LibraryId) {
        let now = test.app.clock.now();
        let scanned = move |tx: &rusqlite::Transaction<'_>| {
            let job = scan::request(tx, library, false, now)?;
            let run = scan_run::begin(tx, library, Some(job), true, now)?;
            scan_run::end(tx, run, &scan_run::End::Done, now)?;
            job::finish(tx, job, &serde_json::Value::Null, now)
        };
        test.app.db.write_blocking(scanned).expect("a scan");
    }

    #[tokio::test]
    async fn library_is_scanned_an_interval_after_its_last_scan_began() {
        let test = TestApp::new();
        let folder = tempfile::tempdir().expect("a folder");
        let library = library(&test, "Books", folder.path().to_owned());
        scanned(&test, library);
        test.clock.advance(Duration::from_secs(24 * 3600 - 1));
        assert_eq!(begun(&test).await, None);
        test.clock.advance(Duration::from_secs(1));
        assert_eq!(begun(&test).await, Some(library));
        assert_eq!(begun(&test).await, None, "it is queued already");
        scanned(&test, library);
        assert_eq!(begun(&test).await, None, "it has just been scanned");
    }

    #[tokio::test]
    async fn library_without_any_scan_becomes_due() {
        let test = TestApp::new();
        let folder = tempfile::tempdir().expect("a folder");
        let library = library(&test, "Books", folder.path().to_owned());
        assert_eq!(begun(&test).await, None);
        test.clock.advance(DAY);
        assert_eq!(begun(&test).await, Some(library));
        assert_eq!(
            test.app.db.uses(),
            0,
            "background writes are not user-facing"
        );
    }

    #[tokio::test]
    async fn clock_that_was_set_back_delays_no_scan() {
        let test = TestApp::new();
        let folder = tempfile::tempdir().expect("a folder");
        let library = library(&test, "Books", folder.path().to_owned());
        scanned(&test, library);
        test.clock.set_back(365 * DAY);
        assert_eq!(begun(&test).await, Some(library));
        scanned(&test, library);
        assert_eq!(begun(&test).await, None, "it has just been scanned");
    }

    #[tokio::test]
    async fn check_starts_one_scan_and_the_longest_due_first() {
        let test = TestApp::new();
        let folder = tempfile::tempdir().expect("a folder");
        let mut libraries = Vec::new();
        for name in ["a", "b"] {
            let path = folder.path().join(name);
            std::fs::create_dir(&path).expect("a folder");
            libraries.push(library(&test, name, path));
        }
        for library in libraries.iter().rev() {
            scanned(&test, *library);
            test.clock.advance(Duration::from_secs(1));
        }
        test.clock.advance(DAY);
        assert_eq!(begun(&test).await, Some(libraries[1]));
        assert_eq!(begun(&test).await, Some(libraries[0]));
    }

    #[tokio::test]
    async fn unreadable_folder_is_skipped_until_it_is_readable() {
        let test = TestApp::new();
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("media");
        let library = library(&test, "Books", path.clone());
        test.clock.advance(DAY);
        assert_eq!(begun(&test).await, None);
        std::fs::create_dir(&path).expect("a folder");
        assert_eq!(begun(&test).await, Some(library));
    }
}
