//! Numbers of an import.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::users::MappedUser;
use crate::id::BatchId;

/// Result of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Summary {
    /// Id of the source.
    pub source: String,
    /// Version of the source's data, if it stores one.
    pub version: Option<String>,
    /// `true` if nothing was written.
    pub dry_run: bool,
    /// Batch for the undo; null if nothing changed.
    pub batch: Option<BatchId>,
    /// Users of the source.
    pub users: Vec<MappedUser>,
    /// Number of rows whose user and file are known.
    pub matched: u64,
    /// Number of rows without a user or a file in Ledge.
    pub unmatched: u64,
    /// Numbers of stored values.
    pub taken: Taken,
    /// Numbers of values that were not stored.
    pub skipped: Skipped,
}

/// Numbers of stored values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Taken {
    /// Positions.
    pub progress: u64,
    /// Finished files or items.
    pub finished: u64,
    /// Favourites.
    pub favourites: u64,
    /// Ratings.
    pub ratings: u64,
    /// Created and updated playlists.
    pub playlists: u64,
    /// Created and updated collections.
    pub collections: u64,
    /// Raised numbers of views.
    pub plays: u64,
    /// Bookmarks.
    pub bookmarks: u64,
    /// Sessions.
    pub sessions: u64,
    /// States of players. Results of earlier versions lack the number.
    #[serde(default)]
    pub saves: u64,
}

/// Numbers of values that were not stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Skipped {
    /// Ledge has a value of the same time or newer.
    pub newer_here: u64,
    /// Ledge has the same value.
    pub unchanged: u64,
    /// The list was changed in Ledge after its import.
    pub changed_here: u64,
    /// Ledge cannot store the value.
    pub unsupported: u64,
}

impl Summary {
    pub(super) fn new(source: &str, version: Option<String>, dry_run: bool) -> Self {
        Self {
            source: source.to_owned(),
            version,
            dry_run,
            ..Self::default()
        }
    }
}
