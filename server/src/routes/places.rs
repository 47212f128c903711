//! Where a user is in an item, where they were before, and what they marked and opened.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use ledge_core::App;
use ledge_core::access::{Visible, VisibleItem};
use ledge_core::clock::Timestamp;
use ledge_core::http::{
    ApiError, ApiJson, ApiQuery, ApiResult, ErrorBody, Items, Page, PageQuery, parse_id,
};
use ledge_core::id::{FileId, PastPlaceId};
use ledge_core::store::progress::history::{self, Past, PastPlace};
use ledge_core::store::progress::log::{self, Begun};
use ledge_core::store::progress::{self, FilePlace, NewPlace, SavedPlace};
use ledge_core::store::{favourite, view};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::playback::EnginesQuery;

const NO_ITEM: ApiError = ApiError::NotFound("item");

/// A place that was reached.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "file_id": 1, "position": 42, "finished": false, "recorded_at": "2026-11-20T17:26:00.000000Z" }))]
pub(crate) struct PlaceBody {
    /// The file; may be left out where the item has one.
    file_id: Option<FileId>,
    /// The place, in the file's unit; not beyond its extent.
    #[schema(minimum = 0)]
    position: i64,
    /// Whether the file is finished; the server never decides that by itself.
    #[serde(default)]
    finished: bool,
    /// What the reader keeps beside the place.
    #[schema(max_length = 1024)]
    locator: Option<String>,
    /// When the place was reached, for devices that were offline: left out, or later than now, it
    /// is now. Older than the stored place, it changes nothing.
    recorded_at: Option<Timestamp>,
}

/// The user's places in the item's files, newest first.
#[utoipa::path(
    get, path = "/items/{id}/progress", tag = "progress",
    params(("id" = i64, Path, description = "The item's id")),
    responses(
        (status = 200, description = "The places", body = Items<FilePlace>),
    ),
)]
pub(crate) async fn list_places(
    item: VisibleItem,
    State(app): State<App>,
) -> ApiResult<ApiJson<Items<FilePlace>>> {
    let items = app
        .db
        .read_few(move |conn| progress::of_item(conn, item))
        .await?;
    Ok(ApiJson(Items { items }))
}

/// Keeps a place. One that was reached before the stored one changes nothing: the answer is the
/// stored one with `applied: false`, and the late one can be found in the history.
#[utoipa::path(
    put, path = "/items/{id}/progress", tag = "progress",
    params(("id" = i64, Path, description = "The item's id")),
    request_body = PlaceBody,
    responses(
        (status = 200, description = "What is stored now", body = SavedPlace),
    ),
)]
pub(crate) async fn save_place(
    item: VisibleItem,
    State(app): State<App>,
    ApiJson(body): ApiJson<PlaceBody>,
) -> ApiResult<ApiJson<SavedPlace>> {
    let now = app.clock.now();
    let new = NewPlace {
        file: body.file_id,
        position: body.position,
        finished: body.finished,
        locator: body.locator,
        recorded_at: body.recorded_at,
    };
    let saved = app
        .db
        .write(move |tx| progress::save(tx, item, &new, now))
        .await?;
    saved.map(ApiJson).ok_or(NO_ITEM)
}

/// Takes the user's places in the item away, into the history: it is unstarted again.
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

/// Which past places are asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PastQuery {
    /// Those that came too late to count, instead of those that were overwritten.
    late: Option<bool>,
    /// Only those before this one, to go further back.
    before: Option<i64>,
}

/// The last 50 overwritten places, newest first.
#[utoipa::path(
    get, path = "/items/{id}/progress/history", tag = "progress",
    params(("id" = i64, Path, description = "The item's id"), PastQuery),
    responses(
        (status = 200, description = "The past places", body = Items<PastPlace>),
    ),
)]
pub(crate) async fn list_past_places(
    item: VisibleItem,
    State(app): State<App>,
    ApiQuery(query): ApiQuery<PastQuery>,
) -> ApiResult<ApiJson<Items<PastPlace>>> {
    let past = Past {
        late: query.late.unwrap_or(false),
        before: query.before.map(PastPlaceId),
    };
    let items = app
        .db
        .read(move |conn| history::of_item(conn, item, past))
        .await?;
    Ok(ApiJson(Items { items }))
}

/// Puts a past place back; the present one goes to the history.
#[utoipa::path(
    post, path = "/items/{id}/progress/history/{entry}/restore", tag = "progress",
    params(("id" = i64, Path, description = "The item's id"), ("entry" = i64, Path, description = "The past place's id")),
    responses(
        (status = 200, description = "What is stored now", body = SavedPlace),
        (status = 404, description = "No such item or entry", body = ErrorBody),
    ),
)]
pub(crate) async fn restore_place(
    item: VisibleItem,
    State(app): State<App>,
    Path(path): Path<(String, String)>,
) -> ApiResult<ApiJson<SavedPlace>> {
    let entry = parse_id(&path.1).map(PastPlaceId).ok_or(NO_ITEM)?;
    let now = app.clock.now();
    let restored = app
        .db
        .write(move |tx| history::restore(tx, item, entry, now))
        .await?;
    restored.map(ApiJson).ok_or(NO_ITEM)
}

/// What the user began, finished or not, newest first.
#[utoipa::path(
    get, path = "/history", tag = "progress",
    params(EnginesQuery, PageQuery),
    responses(
        (status = 200, description = "What was begun", body = Page<Begun>),
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
        .read_with_places(move |conn, view| {
            log::page(conn, view, visible, engines.as_ref(), window)
        })
        .await?;
    Ok(ApiJson(page))
}

/// Marks an item as a favourite; twice is as good as once.
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
        .write(move |tx| favourite::add(tx, item, now))
        .await?;
    is_there.then_some(StatusCode::NO_CONTENT).ok_or(NO_ITEM)
}

/// Takes the mark of a favourite away; twice is as good as once.
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
    let is_there = app.db.write(move |tx| favourite::remove(tx, item)).await?;
    is_there.then_some(StatusCode::NO_CONTENT).ok_or(NO_ITEM)
}

/// How often the user opened an item.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Views {
    /// How often, this time included.
    views: i64,
}

/// Counts that a reader or player opened the item; looking at its page does not count.
#[utoipa::path(
    post, path = "/items/{id}/view", tag = "items",
    params(("id" = i64, Path, description = "The item's id")),
    responses(
        (status = 200, description = "How often it was opened", body = Views),
    ),
)]
pub(crate) async fn count_view(
    item: VisibleItem,
    State(app): State<App>,
) -> ApiResult<ApiJson<Views>> {
    let now = app.clock.now();
    let views = app.db.write(move |tx| view::add(tx, item, now)).await?;
    views.map(|views| ApiJson(Views { views })).ok_or(NO_ITEM)
}
