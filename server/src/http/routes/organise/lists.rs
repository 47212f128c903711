//! Lists that users own: the parts that playlists and collections share.

pub(crate) mod access;
pub(crate) mod cover;
pub(crate) mod request;

use axum::http::StatusCode;
use ledge_core::http::Versioned;
use ledge_core::store::item::Direction;
use ledge_core::store::user_data::lists::user_list::Added;
use ledge_core::store::user_data::lists::user_list::overview::{ListFilter, ListSort};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Criteria and order of a page of lists.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListsQuery {
    /// Only the user's own lists, or only those of other users.
    own: Option<bool>,
    /// Only names that contain this text, without regard to case and accents.
    q: Option<String>,
    /// Sort key; the default is `name`.
    #[param(inline)]
    sort: Option<ListSort>,
    /// Direction; the default is `asc`.
    #[param(inline)]
    order: Option<Direction>,
}

impl ListsQuery {
    pub(crate) fn filter(self) -> ListFilter {
        ListFilter {
            own: self.own,
            query: self.q.unwrap_or_default(),
            sort: self.sort.unwrap_or_default(),
            direction: self.order.unwrap_or_default(),
        }
    }
}

/// Result of an addition.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AddedEntries {
    /// Number of added entries.
    added: usize,
    /// Number of files or items that were left out, because the list contains them already.
    skipped: usize,
    /// Number of visible entries of the list.
    entry_count: u64,
    /// Version of the list.
    version: i64,
}

impl AddedEntries {
    /// Creates the response to an addition.
    pub(crate) fn response(added: Added) -> (StatusCode, Versioned<Self>) {
        let version = added.version;
        let body = Self {
            added: added.added,
            skipped: added.skipped,
            entry_count: added.entry_count,
            version,
        };
        (StatusCode::CREATED, Versioned { version, body })
    }
}
