//! Libraries, as the API returns them.

use std::collections::BTreeMap;

use ledge_core::App;
use ledge_core::app::Watch;
use ledge_core::http::CurrentUser;
use ledge_core::id::LibraryId;
use ledge_core::store::library::Library;
use ledge_core::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::serve::folder;

/// A library.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Library)]
pub(crate) struct LibraryView {
    /// Id of the library.
    id: LibraryId,
    /// Name of the library.
    name: String,
    /// Path of its folder on the server; null for users who are not administrators.
    path: Option<String>,
    /// Kinds to which it is limited; null for all.
    kinds: Option<Vec<String>>,
    /// Time of registration.
    created_at: Timestamp,
    /// `true` if the user may read its items.
    granted: bool,
    /// `true` if its folder can be read now.
    available: bool,
    /// State of the folder watch.
    watch: WatchState,
    /// Reason why the folder, or parts of it, are not watched; for administrators only.
    watch_error: Option<String>,
    /// Present items by kind.
    counts: BTreeMap<String, u64>,
    /// Number of missing items.
    missing: u64,
}

/// State of a folder watch.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WatchState {
    /// Changes are detected and scanned, except in the folders that `watch_error` names.
    On,
    /// Watching is disabled.
    Off,
    /// Watching is enabled, but not possible.
    Unavailable,
}

/// Creates the view of a library for a user. It contains a count for every kind, also for kinds
/// without items.
pub(crate) async fn of(app: &App, user: &CurrentUser, library: Library) -> LibraryView {
    let available = folder::is_available(&library.path).await;
    let mut counts = library.counts;
    for kind in app.registry.kinds() {
        counts.entry(kind.id.to_owned()).or_insert(0);
    }
    let (watch, watch_error) = match app.watches.of(library.id) {
        Watch::On => (WatchState::On, None),
        Watch::Partly(gaps) => (WatchState::On, Some(gaps)),
        Watch::Off => (WatchState::Off, None),
        Watch::Unavailable(why) => (WatchState::Unavailable, Some(why)),
    };
    LibraryView {
        id: library.id,
        name: library.name,
        path: user
            .admin
            .then(|| library.path.to_string_lossy().into_owned()),
        kinds: library.kinds,
        created_at: library.created_at,
        granted: library.granted,
        available,
        watch,
        watch_error: watch_error.filter(|_| user.admin),
        counts,
        missing: library.missing,
    }
}
