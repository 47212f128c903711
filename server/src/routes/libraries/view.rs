//! A library as the API shows it.

use std::collections::BTreeMap;

use ledge_core::App;
use ledge_core::clock::Timestamp;
use ledge_core::http::CurrentUser;
use ledge_core::id::LibraryId;
use ledge_core::store::library::Library;
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
    /// Present items by kind.
    counts: BTreeMap<String, u64>,
    /// Missing items.
    missing: u64,
}

/// The library as `user` may see it. Every kind has a count, those without items too.
pub(crate) async fn of(app: &App, user: &CurrentUser, library: Library) -> LibraryView {
    let available = folder::is_available(&library.path).await;
    let mut counts = library.counts;
    for kind in app.registry.kinds() {
        counts.entry(kind.id.to_owned()).or_insert(0);
    }
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
        counts,
        missing: library.missing,
    }
}
