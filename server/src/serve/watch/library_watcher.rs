//! Thread that watches one library's folder. An unresponsive folder blocks only its own thread.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ledge_core::scan::Scope;

use super::changes::{Change, Changes};
use super::tree_watcher::{System, TreeWatcher};
use super::watch_error::WatchError;

/// Time without a heartbeat after which the folder counts as unresponsive.
const MAX_WAIT: Duration = Duration::from_mins(1);
/// Timeout of a wait for notifications; then the thread checks if it was dismissed.
const PAUSE: Duration = Duration::from_millis(500);
/// Interval of the checks of the root: no notification reports its replacement or new mounts.
const ROUND: Duration = Duration::from_secs(10);

/// Watch status of a library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WatcherState {
    /// The folders are being registered.
    Starting,
    /// Watching; the value is a message about unwatched folders, if there are any.
    Watching(Option<String>),
    /// Not watching; the value is the reason.
    Unavailable(String),
}

/// Handle of one library's thread. The thread ends some time after the handle was dropped.
pub(super) struct LibraryWatcher {
    root: PathBuf,
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

struct Shared {
    is_dismissed: AtomicBool,
    state: Mutex<State>,
}

struct State {
    /// Time of the last heartbeat of the thread.
    heartbeat: Instant,
    status: WatcherState,
    changes: Changes,
}

impl LibraryWatcher {
    /// Starts a thread. It first reports a change of anything.
    pub(super) fn start(root: &Path, system: Arc<System>) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            is_dismissed: AtomicBool::new(false),
            state: Mutex::new(State {
                heartbeat: Instant::now(),
                status: WatcherState::Starting,
                changes: Changes::default(),
            }),
        });
        let (own, path) = (shared.clone(), root.to_owned());
        let thread = std::thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || watch_until_dismissed(&own, &path, &system))?;
        Ok(Self {
            root: root.to_owned(),
            shared,
            thread,
        })
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the watch status.
    pub(super) fn watcher_state(&self, now: Instant) -> WatcherState {
        let state = self.shared.state();
        if now.saturating_duration_since(state.heartbeat) > MAX_WAIT {
            return WatcherState::Unavailable("The folder does not respond.".to_owned());
        }
        state.status.clone()
    }

    /// Returns the scope of settled changes, until it is forgotten.
    pub(super) fn settled(&self, now: Instant) -> Option<Scope> {
        self.shared.state().changes.settled(now)
    }

    /// Removes the changes of a scope that settled at `then`, because their scan is queued.
    pub(super) fn forget(&self, scope: &Scope, then: Instant) {
        self.shared.state().changes.forget(scope, then);
    }

    /// Requests the end of the thread.
    pub(super) fn dismiss(&self) {
        self.shared.is_dismissed.store(true, Ordering::Relaxed);
    }

    /// Returns `true` if the thread has ended.
    pub(super) fn is_gone(&self) -> bool {
        self.thread.is_finished()
    }
}

impl Drop for LibraryWatcher {
    fn drop(&mut self) {
        self.dismiss();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // Each statement leaves the state consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn heartbeat(&self) {
        self.state().heartbeat = Instant::now();
    }

    fn set_watcher_state(&self, status: WatcherState) {
        self.state().status = status;
    }

    fn note(&self, changes: Vec<Change>) {
        if changes.is_empty() {
            return;
        }
        let (mut state, now) = (self.state(), Instant::now());
        for change in changes {
            state.changes.note(change, now);
        }
    }

    fn is_dismissed(&self) -> bool {
        self.is_dismissed.load(Ordering::Relaxed)
    }

    fn sleep(&self, pause: Duration) {
        let end = Instant::now() + pause;
        while !self.is_dismissed() && Instant::now() < end {
            self.heartbeat();
            std::thread::sleep(PAUSE.min(pause));
        }
    }
}

fn watch_until_dismissed(shared: &Shared, root: &Path, system: &System) {
    while !shared.is_dismissed() {
        let watch_error = match watch(shared, root, system) {
            Ok(()) => return,
            Err(watch_error) => watch_error,
        };
        tracing::debug!(?root, ?watch_error, "a watch ended");
        if let Some(why) = watch_error.why() {
            shared.set_watcher_state(WatcherState::Unavailable(why));
        }
        shared.sleep(watch_error.pause());
    }
}

/// Watches until the thread is dismissed or the watch fails.
fn watch(shared: &Shared, root: &Path, system: &System) -> Result<(), WatchError> {
    let heartbeat = || shared.heartbeat();
    heartbeat();
    let mut tree_watcher = TreeWatcher::open(root, system, &heartbeat)?;
    // Changes before the start are unknown, including those while the server was down.
    shared.note(vec![Change::Anything]);
    shared.set_watcher_state(WatcherState::Watching(tree_watcher.gaps()));
    let mut next_round = Instant::now() + ROUND;
    while !shared.is_dismissed() {
        heartbeat();
        let changes = tree_watcher.next_changes(PAUSE, &heartbeat)?;
        if !changes.is_empty() {
            shared.note(changes);
            shared.set_watcher_state(WatcherState::Watching(tree_watcher.gaps()));
        }
        if next_round <= Instant::now() {
            tree_watcher.check(system)?;
            next_round = Instant::now() + ROUND;
        }
    }
    Ok(())
}
