//! Watching libraries' folders: what changes is scanned once it has come to rest, a folder at a
//! time.

mod changes;
mod eyes;
mod lost;
mod mounts;
mod notices;
mod sentry;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ledge_core::App;
use ledge_core::id::LibraryId;
use ledge_core::scan::{self, Scope};
use ledge_core::store::{StoreResult, job, library};
use ledge_core::watch::Watch;
use rusqlite::Connection;

use crate::routes::scans;
use eyes::System;
use notices::{Inotify, Notices};
use sentry::{Sentry, Standing};

/// How often what has come to rest and what libraries there are is looked at.
const PAUSE: Duration = Duration::from_millis(500);

/// Who watches which library.
struct Guard {
    system: Arc<System>,
    sentries: HashMap<LibraryId, Sentry>,
    /// Those who were dismissed and may still wait for a folder that does not answer. Nobody else
    /// is sent there meanwhile.
    leaving: Vec<Sentry>,
}

/// Watches every library for as long as it is polled.
pub(super) async fn run(app: App) {
    let system = System {
        notices: Box::new(|| Ok(Box::new(Inotify::open()?) as Box<dyn Notices>)),
        mounts: Box::new(mounts::of),
    };
    let mut guard = Guard::new(system);
    loop {
        if let Err(error) = guard.look(&app).await {
            tracing::warn!(%error, "the libraries' folders could not be looked after");
        }
        tokio::time::sleep(PAUSE).await;
    }
}

impl Guard {
    fn new(system: System) -> Self {
        Self {
            system: Arc::new(system),
            sentries: HashMap::new(),
            leaving: Vec::new(),
        }
    }

    /// Posts and dismisses, says how libraries are watched, and has scanned what changed.
    async fn look(&mut self, app: &App) -> StoreResult<()> {
        let roots = app.db.read_aside(library::roots_unscoped).await?;
        self.dismiss_others(app, &roots);
        for (library, root) in &roots {
            self.post(app, *library, root);
        }
        for (library, sentry) in &self.sentries {
            tell(app, *library, sentry);
            let now = Instant::now();
            let Some(scope) = sentry.settled(now) else {
                continue;
            };
            // While a scan runs it is asked again: what changed may be behind that one already.
            if request(app, *library, &scope).await? {
                sentry.forget(&scope, now);
            }
        }
        Ok(())
    }

    /// Libraries that are gone, and those that have another root now.
    fn dismiss_others(&mut self, app: &App, roots: &[(LibraryId, PathBuf)]) {
        let leaving = self.sentries.extract_if(|id, sentry| {
            let mut roots = roots.iter();
            !roots.any(|(library, root)| library == id && root == sentry.root())
        });
        for (library, sentry) in leaving {
            app.watches.forget(library);
            sentry.dismiss();
            self.leaving.push(sentry);
        }
        self.leaving.retain(|sentry| !sentry.is_gone());
    }

    fn post(&mut self, app: &App, library: LibraryId, root: &Path) {
        if self.sentries.contains_key(&library)
            || self.leaving.iter().any(|sentry| sentry.root() == root)
        {
            return;
        }
        match Sentry::post(root, self.system.clone()) {
            Ok(sentry) => drop(self.sentries.insert(library, sentry)),
            Err(error) => {
                let why = format!("{error}.");
                app.watches.set(library, Watch::Unavailable(why));
            }
        }
    }
}

/// Says how a library is watched, and logs where that is news.
fn tell(app: &App, library: LibraryId, sentry: &Sentry) {
    let watch = match sentry.standing(Instant::now()) {
        Standing::Beginning => return,
        Standing::Watching(None) => Watch::On,
        Standing::Watching(Some(gaps)) => Watch::Partly(gaps),
        Standing::Blind(why) => Watch::Unavailable(why),
    };
    if !app.watches.set(library, watch.clone()) {
        return;
    }
    if let Watch::Partly(why) | Watch::Unavailable(why) = watch {
        // Quoted: a folder may be called by two lines.
        let root = sentry.root();
        tracing::warn!(%library, ?root, why, "a library's folder is not watched, or not all of it");
    }
}

/// Queues a scan of what changed; `false` while one runs.
async fn request(app: &App, library: LibraryId, scope: &Scope) -> StoreResult<bool> {
    let is_running = move |conn: &Connection| scan::is_running(conn, library);
    // A look costs the scan nothing, where a write comes before its own.
    if app.db.read_aside(is_running).await? {
        return Ok(false);
    }
    let (now, scope) = (app.clock.now(), scope.clone());
    let queued = app.db.write_aside(move |tx| {
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
