//! Folder watches of libraries. A changed folder is scanned after its changes have settled.

mod changes;
mod library_watcher;
mod mounts;
mod notices;
mod tree_watcher;
mod watch_error;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ledge_core::App;
use ledge_core::app::Watch;
use ledge_core::error::StoreResult;
use ledge_core::id::LibraryId;
use ledge_core::scan::{self, Scope};
use ledge_core::store::{job, library};
use rusqlite::Connection;

use crate::http::routes::library::scans;
use library_watcher::{LibraryWatcher, WatcherState};
use notices::{Inotify, Notices};
use tree_watcher::System;

/// Interval of the checks for settled changes and for changed libraries.
const PAUSE: Duration = Duration::from_millis(500);

/// Watch threads of all libraries.
struct Guard {
    system: Arc<System>,
    watchers: HashMap<LibraryId, LibraryWatcher>,
    /// Dismissed threads that may still wait for an unresponsive folder. No new thread is started
    /// for their roots.
    leaving: Vec<LibraryWatcher>,
}

/// Watches every library as long as the future is polled.
pub(super) async fn run(app: App) {
    let system = System {
        notices: Box::new(|| Ok(Box::new(Inotify::open()?) as Box<dyn Notices>)),
        mounts: Box::new(mounts::of),
    };
    let mut guard = Guard::new(system);
    loop {
        if let Err(error) = guard.update(&app).await {
            tracing::warn!(%error, "the watches of the libraries' folders could not be updated");
        }
        tokio::time::sleep(PAUSE).await;
    }
}

impl Guard {
    fn new(system: System) -> Self {
        Self {
            system: Arc::new(system),
            watchers: HashMap::new(),
            leaving: Vec::new(),
        }
    }

    /// Starts and dismisses threads, publishes their status, and requests scans of settled changes.
    async fn update(&mut self, app: &App) -> StoreResult<()> {
        let roots = app.db.read(library::roots_unscoped).await?;
        self.dismiss_others(app, &roots);
        for (library, root) in &roots {
            self.start(app, *library, root);
        }
        for (library, library_watcher) in &self.watchers {
            publish_state(app, *library, library_watcher);
            let now = Instant::now();
            let Some(scope) = library_watcher.settled(now) else {
                continue;
            };
            // While a scan runs, the request is repeated: that scan may have passed the changed
            // folder already.
            if request(app, *library, &scope).await? {
                library_watcher.forget(&scope, now);
            }
        }
        Ok(())
    }

    /// Dismisses the threads of deleted libraries and of libraries with another root.
    fn dismiss_others(&mut self, app: &App, roots: &[(LibraryId, PathBuf)]) {
        let leaving = self.watchers.extract_if(|id, library_watcher| {
            let mut roots = roots.iter();
            !roots.any(|(library, root)| library == id && root == library_watcher.root())
        });
        for (library, library_watcher) in leaving {
            app.watches.forget(library);
            library_watcher.dismiss();
            self.leaving.push(library_watcher);
        }
        self.leaving
            .retain(|library_watcher| !library_watcher.is_gone());
    }

    fn start(&mut self, app: &App, library: LibraryId, root: &Path) {
        if self.watchers.contains_key(&library)
            || self
                .leaving
                .iter()
                .any(|library_watcher| library_watcher.root() == root)
        {
            return;
        }
        match LibraryWatcher::start(root, self.system.clone()) {
            Ok(library_watcher) => drop(self.watchers.insert(library, library_watcher)),
            Err(error) => {
                let why = format!("{error}.");
                app.watches.set(library, Watch::Unavailable(why));
            }
        }
    }
}

/// Publishes the watch status of a library, and logs a changed status.
fn publish_state(app: &App, library: LibraryId, library_watcher: &LibraryWatcher) {
    let watch = match library_watcher.watcher_state(Instant::now()) {
        WatcherState::Starting => return,
        WatcherState::Watching(None) => Watch::On,
        WatcherState::Watching(Some(gaps)) => Watch::Partly(gaps),
        WatcherState::Unavailable(why) => Watch::Unavailable(why),
    };
    if !app.watches.set(library, watch.clone()) {
        return;
    }
    if let Watch::Partly(why) | Watch::Unavailable(why) = watch {
        // Debug format, because a folder name may contain a line break.
        let root = library_watcher.root();
        tracing::warn!(%library, ?root, why, "a library's folder is not watched, or not all of it");
    }
}

/// Queues a scan of changed folders. Returns `false` while another scan runs.
async fn request(app: &App, library: LibraryId, scope: &Scope) -> StoreResult<bool> {
    let is_running = move |conn: &Connection| scan::is_running(conn, library);
    // A read does not delay the running scan; a write would precede its writes.
    if app.db.read(is_running).await? {
        return Ok(false);
    }
    let (now, scope) = (app.clock.now(), scope.clone());
    let queued = app.db.write_background(move |tx| {
        if !library::exists(tx, library)? {
            return Ok(None);
        }
        match scan::request_some(tx, library, &scope, now)? {
            Some(id) => job::get(tx, id),
            None => Ok(None),
        }
    });
    let job = queued.await?;
    let is_queued = job.is_some();
    if is_queued {
        scans::announce(app, job);
    }
    Ok(is_queued)
}

#[cfg(test)]
mod fake;
#[cfg(test)]
mod tests;
