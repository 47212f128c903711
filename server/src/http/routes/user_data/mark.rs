//! Marking of files of an item as finished or unstarted.

use axum::extract::State;
use ledge_core::App;
use ledge_core::access::VisibleItem;
use ledge_core::http::{ApiError, ApiJson, ApiResult};
use ledge_core::id::FileId;
use ledge_core::store::user_data::progress::mark::{self, FileSelection};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::http::routes::id_list;

/// Files to mark, and the state. At most one of `files`, `season` and `until` is given; without
/// them, the request applies to all files.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "finished": true, "season": 1 }))]
pub(crate) struct MarkBody {
    /// `true` to finish the files, `false` to reset them.
    finished: bool,
    /// Ids of files of the item.
    #[schema(min_items = 1, max_items = 1000)]
    files: Option<Vec<FileId>>,
    /// Number of a season; 0 for specials.
    season: Option<i64>,
    /// Id of the last file: it and all files before it are marked. Specials are included only if
    /// this file is one.
    until: Option<FileId>,
}

impl MarkBody {
    fn selection(&self) -> ApiResult<FileSelection> {
        let selection = match (&self.files, self.season, self.until) {
            (None, None, None) => FileSelection::All,
            (Some(files), None, None) => FileSelection::Files(id_list::distinct("files", files)?),
            (None, Some(season), None) => FileSelection::Season(season),
            (None, None, Some(until)) => FileSelection::Until(until),
            (_, season, until) => {
                let field = match (season, until) {
                    (_, Some(_)) => "until",
                    _ => "season",
                };
                let message = "Only one of `files`, `season` and `until` is allowed.";
                return Err(ApiError::invalid(field, message));
            }
        };
        Ok(selection)
    }
}

/// Number of changed files.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Changed {
    /// Number of files whose progress changed.
    changed: usize,
}

/// Marks files of an item as finished or unstarted. Files in this state are not written again.
#[utoipa::path(
    post, path = "/items/{id}/mark", tag = "progress",
    params(("id" = i64, Path, description = "The item's id")),
    request_body = MarkBody,
    responses(
        (status = 200, description = "The number of changed files", body = Changed),
    ),
)]
pub(crate) async fn mark_files(
    item: VisibleItem,
    State(app): State<App>,
    ApiJson(body): ApiJson<MarkBody>,
) -> ApiResult<ApiJson<Changed>> {
    let selection = body.selection()?;
    let now = app.clock.now();
    let changed = app
        .db
        .write(move |tx| mark::mark(tx, item, body.finished, &selection, now))
        .await?;
    let changed = changed.ok_or(ApiError::NotFound("item"))?;
    Ok(ApiJson(Changed { changed }))
}
