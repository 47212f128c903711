//! Edits of many items, the list of edits, and their undo.

mod filter;
mod request;
mod set;

use std::sync::Arc;

use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use ledge_core::App;
use ledge_core::access::Visible;
use ledge_core::http::{
    ApiError, ApiJson, ApiQuery, ApiResult, CurrentUser, ErrorBody, Id, PageQuery,
};
use ledge_core::id::BatchId;
use ledge_core::paging::Page;
use ledge_core::store::catalogue::batch::bulk::{self, Preview};
use ledge_core::store::catalogue::batch::list::{self, EditBatch, Viewer};
use ledge_core::store::catalogue::batch::undo::{self, Outcome, Undone};
use serde::Serialize;
use utoipa::ToSchema;

use request::EditItems;

const NO_BATCH: ApiError = ApiError::NotFound("edit");

/// Result of a bulk edit, or of its preview.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum BulkResult {
    /// Result of the edit.
    Edited(BulkEdited),
    /// Result of the preview.
    Preview(Preview),
}

/// Result of a bulk edit.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BulkEdited {
    /// Id of the batch for the undo; null if nothing changed.
    batch: Option<BatchId>,
    /// Number of changed items.
    changed: u64,
}

/// Edits many items as one batch. All users set their own data; administrators also set shared
/// fields. If an item is not visible or cannot have a value, nothing is written.
#[utoipa::path(
    patch, path = "/items", tag = "items",
    request_body = EditItems,
    responses(
        (status = 200, description = "Edited, or the preview", body = BulkResult),
        (status = 403, description = "Shared fields are for administrators", body = ErrorBody),
        (status = 412, description = "The filter selects another number of items now", body = ErrorBody),
    ),
)]
pub(crate) async fn edit_items(
    user: CurrentUser,
    State(app): State<App>,
    ApiJson(body): ApiJson<EditItems>,
) -> ApiResult<ApiJson<BulkResult>> {
    let is_preview = body.is_preview();
    let request = body.check(&user, &app.registry)?;
    let visible = Visible::of(user.id);
    if is_preview {
        let preview = app
            .db
            .read_with_index(move |conn, view| {
                bulk::preview(conn, view, visible, &request.selection)
            })
            .await?;
        return Ok(ApiJson(BulkResult::Preview(preview)));
    }
    let now = app.clock.now();
    let request = Arc::new(request);
    let checked = request.clone();
    app.db
        .read_with_index(move |conn, view| bulk::check(conn, view, visible, checked.selection()))
        .await?;
    let recorded = app
        .db
        .write_large_with_index(move |tx, view| {
            bulk::apply(tx, view, visible, request.selection(), &request.set, now)
        })
        .await?;
    Ok(ApiJson(BulkResult::Edited(BulkEdited {
        batch: recorded.batch,
        changed: recorded.changed,
    })))
}

/// Lists the user's edits, the newest first. Administrators also see the edits of shared fields by
/// other users, and all imports. Edits are kept for 90 days.
#[utoipa::path(
    get, path = "/edits", tag = "items",
    params(PageQuery),
    responses(
        (status = 200, description = "The edits", body = Page<EditBatch>),
    ),
)]
pub(crate) async fn list_edits(
    user: CurrentUser,
    State(app): State<App>,
    ApiQuery(page): ApiQuery<PageQuery>,
) -> ApiResult<ApiJson<Page<EditBatch>>> {
    let (window, now) = (page.window()?, app.clock.now());
    let viewer = viewer(&user);
    let page = app
        .db
        .read(move |conn| list::page(conn, viewer, window, now))
        .await?;
    Ok(ApiJson(page))
}

fn viewer(user: &CurrentUser) -> Viewer {
    Viewer {
        visible: Visible::of(user.id),
        is_admin: user.admin,
    }
}

/// Batch that a request names. A segment that is not an integer is answered like an absent batch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AskedBatch(BatchId);

impl FromRequestParts<App> for AskedBatch {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Self::Rejection> {
        let id = Id::from_request_parts(parts, app).await;
        id.map(|Id(id)| Self(BatchId(id))).map_err(|_| NO_BATCH)
    }
}

/// Undoes an edit: each field returns to its earlier value, source and lock, if it still has the
/// value that the edit wrote. Repeated requests change nothing.
#[utoipa::path(
    post, path = "/edits/{batch}/undo", tag = "items",
    params(("batch" = i64, Path, description = "The edit's id")),
    responses(
        (status = 200, description = "Numbers of items", body = Undone),
        (status = 403, description = "Shared fields are for administrators", body = ErrorBody),
        (status = 404, description = "No such edit", body = ErrorBody),
    ),
)]
pub(crate) async fn undo_edit(
    user: CurrentUser,
    AskedBatch(batch): AskedBatch,
    State(app): State<App>,
) -> ApiResult<ApiJson<Undone>> {
    let (viewer, now) = (viewer(&user), app.clock.now());
    let outcome = app
        .db
        .write_large(move |tx| undo::undo(tx, viewer, batch, now))
        .await?;
    match outcome {
        Outcome::Undone(undone) => Ok(ApiJson(undone)),
        Outcome::Absent => Err(NO_BATCH),
        Outcome::Forbidden => Err(ApiError::Forbidden(
            "Only an administrator can undo an edit of shared fields.".to_owned(),
        )),
    }
}
