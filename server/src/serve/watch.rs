//! Watching libraries' folders: what changes is scanned once it has come to rest.

mod changes;
mod eyes;

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use ledge_core::App;
use ledge_core::id::LibraryId;
use ledge_core::scan;
use ledge_core::store::{StoreResult, job, library};
use ledge_core::watch::Watch;

use crate::folder;
use crate::routes::scans;
use eyes::{Eyes, Node};

/// How often what has come to rest and what libraries there are is looked at.
const PAUSE: Duration = Duration::from_millis(500);
/// How long a folder may take to be watched with all below it.
const PATIENCE: Duration = Duration::from_mins(1);
/// What cannot be watched is tried again this often, and what is watched looked after.
const ROUND: Duration = Duration::from_secs(30);

/// A library and how it is watched.
struct Watched {
    root: PathBuf,
    /// `None` while it cannot be.
    eyes: Option<Eyes>,
    next_round: Instant,
    /// Whether changes may have gone unnoticed since the last scan.
    was_blind: bool,
}

/// Watches every library for as long as it is polled.
pub(super) async fn run(app: App) {
    let mut watched = HashMap::new();
    loop {
        if let Err(error) = look(&app, &mut watched).await {
            tracing::warn!(%error, "the libraries' folders could not be looked after");
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn look(app: &App, watched: &mut HashMap<LibraryId, Watched>) -> StoreResult<()> {
    let roots = app.db.read(library::roots_unscoped).await?;
    let mut moved = Vec::new();
    watched.retain(|id, watch| {
        let stays = roots
            .iter()
            .any(|(library, root)| library == id && *root == watch.root);
        if !stays {
            app.watches.forget(*id);
            moved.push(*id);
        }
        stays
    });
    for (library, root) in roots {
        let watch = watched.entry(library).or_insert_with(|| Watched {
            root,
            eyes: None,
            next_round: Instant::now(),
            was_blind: moved.contains(&library),
        });
        watch.look_after(app, library).await;
        let is_settled = watch.eyes.as_ref().is_some_and(Eyes::take_settled);
        if is_settled && !request(app, library).await? {
            // One scan at a time: what it may have missed is scanned after it.
            watch.eyes.iter().for_each(Eyes::put_back);
        }
    }
    Ok(())
}

impl Watched {
    /// Begins to watch, finds out whether it still does, and says so where that changes.
    async fn look_after(&mut self, app: &App, library: LibraryId) {
        let now = Instant::now();
        let lost = self.eyes.as_ref().and_then(Eyes::lost);
        if lost.is_none() && now < self.next_round {
            return;
        }
        self.next_round = now + ROUND;
        if let Some(why) = lost {
            self.go_blind(app, library, &why);
            return;
        }
        let root = self.root.clone();
        if let Some(eyes) = &self.eyes {
            let node = folder::within(PATIENCE, move || Node::of(&root)).await;
            if node.flatten() != Some(eyes.node()) {
                let why = "The folder is gone, or another one lies in its place.";
                self.go_blind(app, library, why);
            }
            return;
        }
        let opened = folder::within(PATIENCE, move || Eyes::open(&root)).await;
        match opened.unwrap_or_else(|| Err("The folder does not answer.".to_owned())) {
            Ok(eyes) => {
                if self.was_blind {
                    eyes.put_back();
                }
                self.was_blind = false;
                self.eyes = Some(eyes);
                app.watches.set(library, Watch::On);
            }
            Err(why) => self.go_blind(app, library, &why),
        }
    }

    fn go_blind(&mut self, app: &App, library: LibraryId, why: &str) {
        self.eyes = None;
        self.was_blind = true;
        if app.watches.set(library, Watch::Unavailable(why.to_owned())) {
            let root = self.root.display();
            tracing::warn!(%library, %root, why, "a library's folder is not watched");
        }
    }
}

/// Queues a scan; `false` while one waits or runs.
async fn request(app: &App, library: LibraryId) -> StoreResult<bool> {
    let now = app.clock.now();
    let queued = app.db.write(move |tx| {
        let is_busy = job::unfinished(tx, scan::HANDLER_KIND, library.0)?.is_some();
        if is_busy || !library::exists(tx, library)? {
            return Ok(None);
        }
        let id = scan::request(tx, library, false, now)?;
        job::get(tx, id)
    });
    let job = queued.await?;
    let is_queued = job.is_some();
    if is_queued {
        scans::announce(app, job);
    }
    Ok(is_queued)
}
