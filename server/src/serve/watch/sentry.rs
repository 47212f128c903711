//! One thread that watches one library's folder. A folder that does not answer keeps its own
//! thread waiting and nobody else.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ledge_core::scan::Scope;

use super::changes::{Change, Changes};
use super::eyes::{Eyes, System};
use super::lost::Lost;

/// A folder that keeps its thread waiting for longer does not answer.
const PATIENCE: Duration = Duration::from_mins(1);
/// How long the thread waits for notices before it looks whether it is still wanted.
const PAUSE: Duration = Duration::from_millis(500);
/// How often the root is looked at: no notice tells that it was replaced, or of new file systems.
const ROUND: Duration = Duration::from_secs(10);

/// How a library is watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Standing {
    /// Its folders are being counted in.
    Beginning,
    /// It is, but for some folders, if there are any.
    Watching(Option<String>),
    /// It is not.
    Blind(String),
}

/// The thread of one library, which ends some time after this was dropped.
pub(super) struct Sentry {
    root: PathBuf,
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

struct Shared {
    is_dismissed: AtomicBool,
    state: Mutex<State>,
}

struct State {
    /// When the thread was last heard of.
    beat: Instant,
    standing: Standing,
    changes: Changes,
}

impl Sentry {
    /// Begins to watch. Whatever happened before is a change.
    pub(super) fn post(root: &Path, system: Arc<System>) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            is_dismissed: AtomicBool::new(false),
            state: Mutex::new(State {
                beat: Instant::now(),
                standing: Standing::Beginning,
                changes: Changes::default(),
            }),
        });
        let (own, path) = (shared.clone(), root.to_owned());
        let thread = std::thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || keep_watch(&own, &path, &system))?;
        Ok(Self {
            root: root.to_owned(),
            shared,
            thread,
        })
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// How the library is watched.
    pub(super) fn standing(&self, now: Instant) -> Standing {
        let state = self.shared.state();
        if now.saturating_duration_since(state.beat) > PATIENCE {
            return Standing::Blind("The folder does not answer.".to_owned());
        }
        state.standing.clone()
    }

    /// What is to be scanned, if anything is; it is asked for again until it is forgotten.
    pub(super) fn settled(&self, now: Instant) -> Option<Scope> {
        self.shared.state().changes.settled(now)
    }

    /// What was settled at `then` is being scanned.
    pub(super) fn forget(&self, scope: &Scope, then: Instant) {
        self.shared.state().changes.forget(scope, then);
    }

    /// Tells the thread to end.
    pub(super) fn dismiss(&self) {
        self.shared.is_dismissed.store(true, Ordering::Relaxed);
    }

    /// Whether the thread has ended.
    pub(super) fn is_gone(&self) -> bool {
        self.thread.is_finished()
    }
}

impl Drop for Sentry {
    fn drop(&mut self) {
        self.dismiss();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // What it guards is whole after every statement.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn beat(&self) {
        self.state().beat = Instant::now();
    }

    fn stand(&self, standing: Standing) {
        self.state().standing = standing;
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
            self.beat();
            std::thread::sleep(PAUSE.min(pause));
        }
    }
}

fn keep_watch(shared: &Shared, root: &Path, system: &System) {
    while !shared.is_dismissed() {
        let lost = match watch(shared, root, system) {
            Ok(()) => return,
            Err(lost) => lost,
        };
        tracing::debug!(?root, ?lost, "a watch ended");
        if let Some(why) = lost.why() {
            shared.stand(Standing::Blind(why));
        }
        shared.sleep(lost.pause());
    }
}

/// Watches until nobody wants it any more, or it cannot.
fn watch(shared: &Shared, root: &Path, system: &System) -> Result<(), Lost> {
    let beat = || shared.beat();
    beat();
    let mut eyes = Eyes::open(root, system, &beat)?;
    // What changed while nobody watched, the server's own absence included.
    shared.note(vec![Change::Anything]);
    shared.stand(Standing::Watching(eyes.gaps()));
    let mut next_round = Instant::now() + ROUND;
    while !shared.is_dismissed() {
        beat();
        let changes = eyes.see(PAUSE, &beat)?;
        if !changes.is_empty() {
            shared.note(changes);
            shared.stand(Standing::Watching(eyes.gaps()));
        }
        if next_round <= Instant::now() {
            eyes.check(system)?;
            next_round = Instant::now() + ROUND;
        }
    }
    Ok(())
}
