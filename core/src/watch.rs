//! Which libraries' folders are watched for changes, and why the others are not.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::id::LibraryId;

/// Whether a library's folder is watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Watch {
    /// Nobody asked for it, or it is about to begin.
    Off,
    /// Changes are noticed.
    On,
    /// Changes are noticed, but not in all folders; the sentence says in which and why.
    Partly(String),
    /// Changes cannot be noticed; the sentence says why and what to do.
    Unavailable(String),
}

/// What is watched; clones share everything. Nothing is until somebody says so.
#[derive(Debug, Clone, Default)]
pub struct Watches {
    states: Arc<Mutex<HashMap<LibraryId, Watch>>>,
}

impl Watches {
    /// How a library is watched.
    pub fn of(&self, library: LibraryId) -> Watch {
        self.states().get(&library).cloned().unwrap_or(Watch::Off)
    }

    /// Keeps how a library is watched; whether that is news.
    pub fn set(&self, library: LibraryId, watch: Watch) -> bool {
        let before = self.states().insert(library, watch.clone());
        before != Some(watch)
    }

    /// Forgets a library that is not watched any more.
    pub fn forget(&self, library: LibraryId) {
        self.states().remove(&library);
    }

    fn states(&self) -> MutexGuard<'_, HashMap<LibraryId, Watch>> {
        // No panic can leave the map half written.
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
