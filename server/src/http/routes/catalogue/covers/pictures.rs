//! Pictures other than covers: of items, of seasons and episodes, and of people.

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use ledge_core::App;
use ledge_core::access::{VisibleItem, VisiblePerson};
use ledge_core::enrich;
use ledge_core::http::{ApiError, ApiQuery, ApiResult, ErrorBody};
use ledge_core::store::cover::picture::{self, PictureKey, Role};
use tokio::sync::Semaphore;

use super::{CoverQuery, versioned};

/// Portraits that are fetched at the same time. Each fetch occupies a thread during a request to a
/// provider.
static FETCHES: Semaphore = Semaphore::const_new(2);

/// Returns the background or the logo of an item.
#[utoipa::path(
    method(get, head),
    path = "/items/{id}/pictures/{role}",
    tag = "items",
    params(
        ("id" = i64, Path, description = "The item's id"),
        ("role" = String, Path, description = "`backdrop` or `logo`"),
        CoverQuery,
        ("If-None-Match" = Option<String>, Header, description = "Known ETag or date"),
    ),
    responses(
        (status = 200, description = "The image", content_type = "image/jpeg"),
        (status = 304, description = "Not modified"),
        (status = 404, description = "No such item, or it has no such picture", body = ErrorBody),
        (status = 412, description = "The precondition failed", body = ErrorBody),
    )
)]
pub(crate) async fn get_item_picture(
    item: VisibleItem,
    path: Path<(String, String)>,
    State(app): State<App>,
    ApiQuery(query): ApiQuery<CoverQuery>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let Path((_, role)) = path;
    let role = match role.as_str() {
        "backdrop" => Role::Backdrop,
        "logo" => Role::Logo,
        _ => return Err(ApiError::NotFound("item")),
    };
    of_item(&app, item, PictureKey::whole(role), &query, &headers).await
}

/// Returns the poster of a season.
#[utoipa::path(
    method(get, head),
    path = "/items/{id}/season-posters/{season}",
    tag = "items",
    params(
        ("id" = i64, Path, description = "The item's id"),
        ("season" = i64, Path, minimum = 0, description = "Number of the season; 0 for specials"),
        CoverQuery,
        ("If-None-Match" = Option<String>, Header, description = "Known ETag or date"),
    ),
    responses(
        (status = 200, description = "The image", content_type = "image/jpeg"),
        (status = 304, description = "Not modified"),
        (status = 404, description = "No such item, or the season has no poster",
         body = ErrorBody),
        (status = 412, description = "The precondition failed", body = ErrorBody),
    )
)]
pub(crate) async fn get_season_poster(
    item: VisibleItem,
    path: Path<(String, String)>,
    State(app): State<App>,
    ApiQuery(query): ApiQuery<CoverQuery>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let Path((_, season)) = path;
    let Ok(season) = season.parse() else {
        return Err(ApiError::NotFound("item"));
    };
    of_item(&app, item, PictureKey::season(season), &query, &headers).await
}

/// Returns the picture of an episode.
#[utoipa::path(
    method(get, head),
    path = "/items/{id}/stills/{season}/{number}",
    tag = "items",
    params(
        ("id" = i64, Path, description = "The item's id"),
        ("season" = i64, Path, minimum = 0, description = "Number of the season; 0 for specials"),
        ("number" = i64, Path, minimum = 0, description = "Number of the episode within its season"),
        CoverQuery,
        ("If-None-Match" = Option<String>, Header, description = "Known ETag or date"),
    ),
    responses(
        (status = 200, description = "The image", content_type = "image/jpeg"),
        (status = 304, description = "Not modified"),
        (status = 404, description = "No such item, or the episode has no picture",
         body = ErrorBody),
        (status = 412, description = "The precondition failed", body = ErrorBody),
    )
)]
pub(crate) async fn get_still(
    item: VisibleItem,
    path: Path<(String, String, String)>,
    State(app): State<App>,
    ApiQuery(query): ApiQuery<CoverQuery>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let Path((_, season, number)) = path;
    let (Ok(season), Ok(number)) = (season.parse(), number.parse()) else {
        return Err(ApiError::NotFound("item"));
    };
    of_item(
        &app,
        item,
        PictureKey::still(season, number),
        &query,
        &headers,
    )
    .await
}

async fn of_item(
    app: &App,
    item: VisibleItem,
    key: PictureKey,
    query: &CoverQuery,
    headers: &HeaderMap,
) -> ApiResult<Response> {
    let size = query.size();
    let image = app
        .db
        .read(move |conn| picture::image_of_item(conn, item, key, size))
        .await?;
    // An item without the picture gets the same response as an invisible one.
    versioned(image.ok_or(ApiError::NotFound("item"))?, query, headers)
}

/// Returns the portrait of a person. The first request fetches it from the provider that named it.
#[utoipa::path(
    method(get, head),
    path = "/people/{id}/picture",
    tag = "items",
    params(
        ("id" = i64, Path, description = "The person's id"),
        CoverQuery,
        ("If-None-Match" = Option<String>, Header, description = "Known ETag or date"),
    ),
    responses(
        (status = 200, description = "The image", content_type = "image/jpeg"),
        (status = 304, description = "Not modified"),
        (status = 404, description = "No such person, or no portrait", body = ErrorBody),
        (status = 412, description = "The precondition failed", body = ErrorBody),
    )
)]
pub(crate) async fn get_portrait(
    person: VisiblePerson,
    State(app): State<App>,
    ApiQuery(query): ApiQuery<CoverQuery>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let size = query.size();
    let read = move |app: App| async move {
        let read = app
            .db
            .read(move |conn| picture::portrait(conn, person, size));
        read.await
    };
    let mut image = read(app.clone()).await?;
    if image.is_none() {
        let _permit = FETCHES.acquire().await.map_err(ApiError::internal)?;
        let fetching = app.clone();
        let fetch = move || enrich::fetch_portrait(&fetching, person);
        let fetched = tokio::task::spawn_blocking(fetch).await;
        fetched.map_err(ApiError::internal)??;
        image = read(app).await?;
    }
    versioned(image.ok_or(ApiError::NotFound("person"))?, &query, &headers)
}
