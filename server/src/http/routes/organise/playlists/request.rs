//! Request bodies of playlists and their validation.

use ledge_core::http::{ApiError, ApiResult};
use ledge_core::id::{EntryId, FileId, ItemId};
use ledge_core::store::user_data::playlist::{
    Additions, Insertion, Move, NewPlaylist, PlaylistPatch,
};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::http::patch_field::present;
use crate::http::routes::id_list;
use crate::http::routes::text::line;

/// Limit of a name in characters.
const MAX_NAME: usize = 200;
/// Limit of a description in characters.
const MAX_DESCRIPTION: usize = 5_000;

/// A new playlist.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "name": "Evening", "files": [1] }))]
pub(crate) struct CreatePlaylist {
    /// Name, 1 to 200 characters without control characters.
    #[schema(min_length = 1, max_length = 200)]
    name: String,
    /// Description.
    #[schema(max_length = 5_000)]
    description: Option<String>,
    /// `true` if every user can read the playlist; the default is `false`.
    #[serde(default)]
    public: bool,
    /// Items whose parts are the first entries.
    #[schema(min_items = 1, max_items = 1_000)]
    items: Option<Vec<ItemId>>,
    /// Files that follow the parts of the items.
    #[schema(min_items = 1, max_items = 1_000)]
    files: Option<Vec<FileId>>,
}

impl CreatePlaylist {
    /// Validates the new playlist.
    pub(crate) fn check(self) -> ApiResult<NewPlaylist> {
        Ok(NewPlaylist {
            name: line("name", &self.name, MAX_NAME)?,
            description: description(self.description)?,
            public: self.public,
            additions: additions(self.items.as_deref(), self.files.as_deref())?,
        })
    }
}

/// Changes to a playlist; an omitted field stays, and null clears the description.
#[expect(
    clippy::option_option,
    reason = "absence, null and a text have different meanings"
)]
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "name": "Morning", "public": true }))]
pub(crate) struct UpdatePlaylist {
    /// Name, 1 to 200 characters without control characters.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = false, min_length = 1, max_length = 200)]
    name: Option<String>,
    /// Description.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 5_000)]
    description: Option<Option<String>>,
    /// `true` if every user can read the playlist.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = bool, required = false)]
    public: Option<bool>,
}

impl UpdatePlaylist {
    /// Validates the changes.
    pub(crate) fn check(self) -> ApiResult<PlaylistPatch> {
        Ok(PlaylistPatch {
            name: self
                .name
                .map(|name| line("name", &name, MAX_NAME))
                .transpose()?,
            description: self.description.map(description).transpose()?,
            public: self.public,
        })
    }
}

/// Files to add: those of items, or named ones.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "items": [1], "at": 0, "skip_existing": true }))]
pub(crate) struct AddEntries {
    /// Items whose parts are added in order. An item without parts adds its first file.
    #[schema(min_items = 1, max_items = 1_000)]
    items: Option<Vec<ItemId>>,
    /// Files, instead of items.
    #[schema(min_items = 1, max_items = 1_000)]
    files: Option<Vec<FileId>>,
    /// Index of the entry before which they are inserted; the default is the end.
    #[schema(minimum = 0)]
    at: Option<usize>,
    /// `true` if files that the playlist contains already are left out; the default is `false`.
    #[serde(default)]
    skip_existing: bool,
}

impl AddEntries {
    /// Validates the addition.
    pub(crate) fn check(self) -> ApiResult<Insertion> {
        match (&self.items, &self.files) {
            (None, None) => Err(ApiError::invalid("items", "Name `items` or `files`.")),
            (Some(_), Some(_)) => {
                let message = "Name either `items` or `files`.";
                Err(ApiError::invalid("files", message))
            }
            (items, files) => Ok(Insertion {
                additions: additions(items.as_deref(), files.as_deref())?,
                at: self.at,
                skip_existing: self.skip_existing,
            }),
        }
    }
}

/// Moves of entries, which are applied in order.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "move": [{ "id": 1, "to": 0 }] }))]
pub(crate) struct MoveEntries {
    /// The moves.
    #[schema(min_items = 1, max_items = 1_000)]
    r#move: Vec<MoveEntry>,
}

/// Move of one entry.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MoveEntry {
    /// Id of the entry.
    id: EntryId,
    /// Index of the entry after the move.
    #[schema(minimum = 0)]
    to: usize,
}

impl MoveEntries {
    /// Validates the number of moves.
    pub(crate) fn check(self) -> ApiResult<Vec<Move>> {
        id_list::check_length("move", &self.r#move)?;
        let moves = self.r#move.into_iter();
        Ok(moves.map(|MoveEntry { id, to }| Move { id, to }).collect())
    }
}

/// Validates the ids of items and files.
fn additions(items: Option<&[ItemId]>, files: Option<&[FileId]>) -> ApiResult<Additions> {
    let items = items.map(|ids| id_list::distinct("items", ids));
    let files = files.map(|ids| id_list::distinct("files", ids));
    Ok(Additions {
        items: items.transpose()?.unwrap_or_default(),
        files: files.transpose()?.unwrap_or_default(),
    })
}

/// Rejects a description beyond the limit.
fn description(text: Option<String>) -> ApiResult<Option<String>> {
    let is_long = |text: &String| text.chars().count() > MAX_DESCRIPTION;
    if text.as_ref().is_some_and(is_long) {
        let message = "`description` has at most 5,000 characters.";
        return Err(ApiError::invalid("description", message));
    }
    Ok(text)
}
