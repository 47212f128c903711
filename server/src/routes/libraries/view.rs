//! A library as the API shows it.

use std::collections::BTreeMap;

use ledge_core::App;
use ledge_core::clock::Timestamp;
use ledge_core::http::CurrentUser;
use ledge_core::id::LibraryId;
use ledge_core::store::library::Library;
use ledge_core::watch::Watch;
use serde::Serialize;
use utoipa::ToSchema;

use crate::folder;

/// A library.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Library)]
pub(crate) struct LibraryView {
    /// Its id.
    id: LibraryId,
    /// Its name.
    name: String,
    /// Its folder on the server; null for those who do not administer it.
    path: Option<String>,
    /// The kinds it is limited to; null for all.
    kinds: Option<Vec<String>>,
    /// When it was registered.
    created_at: Timestamp,
    /// Whether one may read its items.
    granted: bool,
    /// Whether its folder can be read now.
    available: bool,
    /// Whether changes in its folder are noticed at once.
    watch: WatchState,
    /// Why not, or in which folders not, for those who administer it.
    watch_error: Option<String>,
    /// Present items by kind.
    counts: BTreeMap<String, u64>,
    /// Missing items.
    missing: u64,
}

/// Whether a library's folder is watched.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WatchState {
    /// Changes are noticed and scanned; not in the folders that `watch_error` names.
    On,
    /// Nobody asked for it.
    Off,
    /// It was asked for, but cannot be.
    Unavailable,
}

/// The library as `user` may see it. Every kind has a count, those without items too.
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
