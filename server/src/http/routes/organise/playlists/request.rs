//! Request bodies of playlists and their validation.

use ledge_core::http::{ApiError, ApiResult};
use ledge_core::id::{FileId, ItemId};
use ledge_core::store::user_data::lists::playlist::{Additions, Insertion};
use ledge_core::store::user_data::lists::user_list::NewList;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::http::routes::id_list;
use crate::http::routes::organise::lists::request::{description, name};

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
    pub(crate) fn check(self) -> ApiResult<(NewList, Additions)> {
        let new = NewList {
            name: name(&self.name)?,
            description: description(self.description)?,
            public: self.public,
        };
        let additions = additions(self.items.as_deref(), self.files.as_deref())?;
        Ok((new, additions))
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

/// Validates the ids of items and files.
fn additions(items: Option<&[ItemId]>, files: Option<&[FileId]>) -> ApiResult<Additions> {
    let items = items.map(|ids| id_list::distinct("items", ids));
    let files = files.map(|ids| id_list::distinct("files", ids));
    Ok(Additions {
        items: items.transpose()?.unwrap_or_default(),
        files: files.transpose()?.unwrap_or_default(),
    })
}
