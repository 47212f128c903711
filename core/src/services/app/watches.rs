//! State of the watch on libraries' folders, for status pages.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::id::LibraryId;

/// State of the watch of a library's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Watch {
    /// The watch is off, or is about to begin.
    Off,
    /// Changes are noticed.
    On,
    /// Changes are noticed except in some folders; the sentence names them and the reason.
    Partly(String),
    /// Changes cannot be noticed; the sentence gives the reason and the remedy.
    Unavailable(String),
}

/// Watch states of all libraries; clones share them. Nothing is watched until the server reports
/// it.
#[derive(Debug, Clone, Default)]
pub struct Watches {
    states: Arc<Mutex<HashMap<LibraryId, Watch>>>,
}

impl Watches {
    /// Returns the watch state of a library.
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
