//! Progress of a user in an item, its history, favourites and views.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use ledge_core::App;
use ledge_core::access::{Visible, VisibleItem};
use ledge_core::http::{ApiError, ApiJson, ApiQuery, ApiResult, ErrorBody, PageQuery, parse_id};
use ledge_core::id::{FileId, ProgressHistoryId};
use ledge_core::paging::{Items, Page};
use ledge_core::store::user_data::progress::history::{HistoryQuery, ProgressHistoryEntry};
use ledge_core::store::user_data::progress::log::Begun;
use ledge_core::store::user_data::progress::{FilePlace, FileProgress, NewProgress, history, log};
use ledge_core::store::user_data::statistics::record;
use ledge_core::store::user_data::{mark, progress};
use ledge_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::http::routes::media::playback::EnginesQuery;

const NO_ITEM: ApiError = ApiError::NotFound("item");

/// Progress to save.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "file_id": 1, "position": 42, "finished": false, "recorded_at": "2026-11-20T17:26:00.000000Z" }))]
pub(crate) struct ProgressBody {
    /// Id of the file; optional if the item has only one.
    file_id: Option<FileId>,
    /// Position in the file's unit, at most its extent.
    #[schema(minimum = 0)]
    position: i64,
    /// `true` if the file is finished. The server does not derive this from the position.
    #[serde(default)]
    finished: bool,
    /// Opaque text that the reader stores with the position.
    #[schema(max_length = 1024)]
    locator: Option<String>,
    /// Relative position inside the section or page of `position`.
    #[schema(minimum = 0, maximum = 1)]
    within: Option<f64>,
    /// Time at which the position was reached, for devices that were offline. An absent or future
    /// time counts as now. A time before that of the stored progress changes nothing.
    recorded_at: Option<Timestamp>,
}

/// Lists the user's progress in the item's files, the newest first.
#[utoipa::path(
    get, path = "/items/{id}/progress", tag = "progress",
    params(("id" = i64, Path, description = "The item's id")),
    responses(
        (status = 200, description = "The progress of each file", body = Items<FilePlace>),
    ),
)]
pub(crate) async fn list_places(
    item: VisibleItem,
    State(app): State<App>,
) -> ApiResult<ApiJson<Items<FilePlace>>> {
    let items = app
        .db
        .read_inline(move |conn| progress::of_item(conn, item))
        .await?;
    Ok(ApiJson(Items { items }))
}

/// Saves progress. Progress that is older than the stored progress is not applied. The response
/// then contains the stored progress with `applied: false`, and the late one is in the history.
#[utoipa::path(
    put, path = "/items/{id}/progress", tag = "progress",
    params(("id" = i64, Path, description = "The item's id")),
    request_body = ProgressBody,
    responses(
        (status = 200, description = "The stored progress", body = FileProgress),
    ),
)]
pub(crate) async fn save_place(
    item: VisibleItem,
    State(app): State<App>,
    ApiJson(body): ApiJson<ProgressBody>,
) -> ApiResult<ApiJson<FileProgress>> {
    let now = app.clock.now();
    let new = NewProgress {
        file: body.file_id,
        position: body.position,
        finished: body.finished,
        locator: body.locator,
        within: body.within,
        recorded_at: body.recorded_at,
    };
    let registry = app.registry.clone();
    let saved = app
        .db
        .write(move |tx| record::save_progress(tx, &registry, item, &new, now))
        .await?;
    saved.map(ApiJson).ok_or(NO_ITEM)
}

/// Resets the user's progress in the item and moves it to the history. The item is unstarted again.
#[utoipa::path(
    delete, path = "/items/{id}/progress", tag = "progress",
    params(("id" = i64, Path, description = "The item's id")),
    responses(
        (status = 204, description = "Done"),
    ),
)]
pub(crate) async fn clear_places(
    item: VisibleItem,
    State(app): State<App>,
) -> ApiResult<StatusCode> {
    let now = app.clock.now();
    let is_there = app
        .db
        .write(move |tx| progress::clear(tx, item, now))
        .await?;
    is_there.then_some(StatusCode::NO_CONTENT).ok_or(NO_ITEM)
}

/// Criteria of the progress history.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct HistoryQueryParams {
    /// `true` for progress that arrived too late to be applied, `false` for overwritten progress.
    late: Option<bool>,
    /// Only entries before the entry with this id, for the next page.
    before: Option<i64>,
}

/// Lists the last 50 entries of the progress history, the newest first.
#[utoipa::path(
    get, path = "/items/{id}/progress/history", tag = "progress",
    params(("id" = i64, Path, description = "The item's id"), HistoryQueryParams),
    responses(
        (status = 200, description = "The history entries", body = Items<ProgressHistoryEntry>),
    ),
)]
pub(crate) async fn list_past_places(
    item: VisibleItem,
    State(app): State<App>,
    ApiQuery(query): ApiQuery<HistoryQueryParams>,
) -> ApiResult<ApiJson<Items<ProgressHistoryEntry>>> {
    let past = HistoryQuery {
        is_stale: query.late.unwrap_or(false),
        before: query.before.map(ProgressHistoryId),
    };
    let items = app
        .db
        .read(move |conn| history::of_item(conn, item, past))
        .await?;
    Ok(ApiJson(Items { items }))
}

/// Restores an entry of the history; the current progress moves to the history.
#[utoipa::path(
    post, path = "/items/{id}/progress/history/{entry}/restore", tag = "progress",
    params(("id" = i64, Path, description = "The item's id"), ("entry" = i64, Path, description = "The history entry's id")),
    responses(
        (status = 200, description = "The stored progress", body = FileProgress),
        (status = 404, description = "No such item or entry", body = ErrorBody),
    ),
)]
pub(crate) async fn restore_place(
    item: VisibleItem,
    State(app): State<App>,
    Path(path): Path<(String, String)>,
) -> ApiResult<ApiJson<FileProgress>> {
    let entry = parse_id(&path.1).map(ProgressHistoryId).ok_or(NO_ITEM)?;
    let now = app.clock.now();
    let restored = app
        .db
        .write(move |tx| history::restore(tx, item, entry, now))
        .await?;
    restored.map(ApiJson).ok_or(NO_ITEM)
}

/// Lists the items that the user has started or finished, the newest first.
#[utoipa::path(
    get, path = "/history", tag = "progress",
    params(EnginesQuery, PageQuery),
    responses(
        (status = 200, description = "The started items", body = Page<Begun>),
    ),
)]
pub(crate) async fn list_begun(
    visible: Visible,
    State(app): State<App>,
    ApiQuery(query): ApiQuery<EnginesQuery>,
    ApiQuery(page): ApiQuery<PageQuery>,
) -> ApiResult<ApiJson<Page<Begun>>> {
    let engines = query.offer(&app.registry)?;
    let window = page.window()?;
    let page = app
        .db
        .read(move |conn| log::page(conn, visible, engines.as_ref(), window))
        .await?;
    Ok(ApiJson(page))
}

/// Adds an item to the user's favourites. Repeated requests succeed.
#[utoipa::path(
    put, path = "/items/{id}/favourite", tag = "items",
    params(("id" = i64, Path, description = "The item's id")),
    responses(
        (status = 204, description = "Done"),
    ),
)]
pub(crate) async fn add_favourite(
    item: VisibleItem,
    State(app): State<App>,
) -> ApiResult<StatusCode> {
    let now = app.clock.now();
    let is_there = app
        .db
        .write(move |tx| mark::add_favourite(tx, item, now))
        .await?;
    is_there.then_some(StatusCode::NO_CONTENT).ok_or(NO_ITEM)
}

/// Removes an item from the user's favourites. Repeated requests succeed.
#[utoipa::path(
    delete, path = "/items/{id}/favourite", tag = "items",
    params(("id" = i64, Path, description = "The item's id")),
    responses(
        (status = 204, description = "Done"),
    ),
)]
pub(crate) async fn remove_favourite(
    item: VisibleItem,
    State(app): State<App>,
) -> ApiResult<StatusCode> {
    let is_there = app
        .db
        .write(move |tx| mark::remove_favourite(tx, item))
        .await?;
    is_there.then_some(StatusCode::NO_CONTENT).ok_or(NO_ITEM)
}

/// Count of views of an item.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Views {
    /// Number of times that the user opened the item, including this one.
    views: i64,
}

/// Counts that the user opened the item in a reader or player. A visit of its page does not count.
#[utoipa::path(
    post, path = "/items/{id}/view", tag = "items",
    params(("id" = i64, Path, description = "The item's id")),
    responses(
        (status = 200, description = "The count of views", body = Views),
    ),
)]
pub(crate) async fn count_view(
    item: VisibleItem,
    State(app): State<App>,
) -> ApiResult<ApiJson<Views>> {
    let now = app.clock.now();
    let views = app
        .db
        .write(move |tx| record::add_view(tx, item, now))
        .await?;
    views.map(|views| ApiJson(Views { views })).ok_or(NO_ITEM)
}
