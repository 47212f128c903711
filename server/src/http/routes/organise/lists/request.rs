//! Request bodies of lists and their validation.

use ledge_core::http::{ApiError, ApiResult};
use ledge_core::id::EntryId;
use ledge_core::store::user_data::lists::playlist::Move;
use ledge_core::store::user_data::lists::user_list::ListPatch;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::http::patch_field::present;
use crate::http::routes::id_list;
use crate::http::routes::text::line;

/// Limit of a name in characters.
const MAX_NAME: usize = 200;
/// Limit of a description in characters.
const MAX_DESCRIPTION: usize = 5_000;

/// Changes to a list; an omitted field stays, and null clears the description.
#[expect(
    clippy::option_option,
    reason = "absence, null and a text have different meanings"
)]
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "name": "Morning", "public": true }))]
pub(crate) struct UpdateList {
    /// Name, 1 to 200 characters without control characters.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = false, min_length = 1, max_length = 200)]
    name: Option<String>,
    /// Description.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 5_000)]
    description: Option<Option<String>>,
    /// `true` if every user can read the list.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = bool, required = false)]
    public: Option<bool>,
}

impl UpdateList {
    /// Validates the changes.
    pub(crate) fn check(self) -> ApiResult<ListPatch> {
        Ok(ListPatch {
            name: self.name.as_deref().map(name).transpose()?,
            description: self.description.map(description).transpose()?,
            public: self.public,
        })
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
    /// Id of the entry; in a collection, the id of the item.
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

/// Returns the trimmed name.
pub(crate) fn name(text: &str) -> ApiResult<String> {
    line("name", text, MAX_NAME)
}

/// Rejects a description beyond the limit.
pub(crate) fn description(text: Option<String>) -> ApiResult<Option<String>> {
    let is_long = |text: &String| text.chars().count() > MAX_DESCRIPTION;
    if text.as_ref().is_some_and(is_long) {
        let message = "`description` has at most 5,000 characters.";
        return Err(ApiError::invalid("description", message));
    }
    Ok(text)
}
