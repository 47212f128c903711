//! Scans that nobody asks for: each library's when its last one began long enough ago.

use std::collections::HashSet;
use std::time::Duration;

use ledge_core::App;
use ledge_core::id::LibraryId;
use ledge_core::scan;
use ledge_core::store::{StoreResult, job, scan_run};

use crate::folder;
use crate::routes::scans;

/// Looks are at most this far apart. Each begins one scan at most, so that libraries take turns
/// after a long time in which the server did not run.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);
/// And at least this far.
const SHORTEST_PAUSE: Duration = Duration::from_secs(1);
/// Looks within an interval.
const LOOKS: u32 = 60;

/// Begins scans that are due, for as long as it is polled.
pub(super) async fn run(app: App, interval: Duration) {
    let pause = (interval / LOOKS).clamp(SHORTEST_PAUSE, LONGEST_PAUSE);
    let mut absent = HashSet::new();
    loop {
        tokio::time::sleep(pause).await;
        if let Err(error) = look(&app, interval, &mut absent).await {
            tracing::warn!(%error, "a scheduled scan could not be queued");
        }
    }
}

/// Queues the scan that has been due longest; `absent` are the libraries whose folder could not
/// be read at the last look, so that the log says it once.
async fn look(
    app: &App,
    interval: Duration,
    absent: &mut HashSet<LibraryId>,
) -> StoreResult<Option<LibraryId>> {
    let now = app.clock.now();
    let before = now.minus(interval);
    let due = app
        .db
        .read_aside(move |conn| scan_run::due_unscoped(conn, before, now))
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
        let queued = app.db.write_aside(move |tx| {
            // Deleted, or scanned on request, since it was read.
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
    use crate::test_app::TestApp;

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
        look(&test.app, DAY, &mut HashSet::new())
            .await
            .expect("a look")
    }

    /// What a scan leaves behind that begins and ends now.
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
    async fn a_library_is_scanned_an_interval_after_its_last_scan_began() {
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
    async fn a_library_that_was_never_scanned_has_its_turn_too() {
        let test = TestApp::new();
        let folder = tempfile::tempdir().expect("a folder");
        let library = library(&test, "Books", folder.path().to_owned());
        assert_eq!(begun(&test).await, None);
        test.clock.advance(DAY);
        assert_eq!(begun(&test).await, Some(library));
        assert_eq!(test.app.db.uses(), 0, "nobody asked for it");
    }

    #[tokio::test]
    async fn a_clock_that_was_set_back_holds_up_no_scan() {
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
    async fn one_look_begins_one_scan_the_longest_due_first() {
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
    async fn a_folder_that_cannot_be_read_is_passed_over_until_it_can() {
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
