//! Cover images of items.

pub(crate) mod choice;
pub(crate) mod pictures;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use ledge_core::App;
use ledge_core::access::VisibleItem;
use ledge_core::http::{ApiError, ApiQuery, ApiResult, ErrorBody, picture};
use ledge_core::image::Size;
use ledge_core::store::cover::{self, CoverImage};
use serde::Deserialize;
use utoipa::IntoParams;

/// Requested image.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct CoverQuery {
    /// Size: 240, 480 or 960 pixels wide, but not larger than the picture.
    #[serde(default)]
    #[param(inline, required = false)]
    size: Size,
    /// Version that `cover.url` contains; a response with this version may be cached for a year.
    v: Option<String>,
}

impl CoverQuery {
    /// Returns the requested size.
    pub(super) fn size(&self) -> Size {
        self.size
    }
}

/// Returns the cover image of an item.
#[utoipa::path(
    method(get, head),
    path = "/items/{id}/cover",
    tag = "items",
    params(
        ("id" = i64, Path, description = "The item's id"),
        CoverQuery,
        ("If-None-Match" = Option<String>, Header, description = "Known ETag or date"),
    ),
    responses(
        (status = 200, description = "The image", content_type = "image/jpeg"),
        (status = 304, description = "Not modified"),
        (status = 404, description = "No such item, or it has no cover", body = ErrorBody),
        (status = 412, description = "The precondition failed", body = ErrorBody),
    )
)]
pub(crate) async fn get_cover(
    item: VisibleItem,
    State(app): State<App>,
    ApiQuery(query): ApiQuery<CoverQuery>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let size = query.size;
    let image = app
        .db
        .read(move |conn| cover::image(conn, item, size))
        .await?;
    // An item without a cover gets the same response as an invisible one.
    let image = image.ok_or(ApiError::NotFound("item"))?;
    versioned(image, &query, &headers)
}

/// Returns an image, which may be cached for a year if the request names its version.
pub(super) fn versioned(
    image: CoverImage,
    query: &CoverQuery,
    headers: &HeaderMap,
) -> ApiResult<Response> {
    let is_named = query.v.as_deref() == Some(&image.hash);
    picture::respond(image, is_named, headers)
}
