//! Cover images of items.

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use ledge_core::App;
use ledge_core::access::VisibleItem;
use ledge_core::http::content::{Validators, Verdict};
use ledge_core::http::{ApiError, ApiQuery, ApiResult, ErrorBody};
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
    let mut response = answer(image, headers)?;
    let caching = if is_named {
        "private, max-age=31536000, immutable"
    } else {
        "private, no-cache"
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    Ok(response)
}

fn answer(image: CoverImage, headers: &HeaderMap) -> ApiResult<Response> {
    let validators = Validators {
        etag: format!("\"{}-{}\"", image.hash, image.size),
        modified: None,
    };
    let mut response = match validators.judge(headers) {
        Verdict::Failed => return Err(ApiError::PreconditionFailed),
        Verdict::NotModified => StatusCode::NOT_MODIFIED.into_response(),
        Verdict::Proceed => {
            let mime = HeaderValue::try_from(image.mime).map_err(ApiError::internal)?;
            ([(header::CONTENT_TYPE, mime)], Body::from(image.body)).into_response()
        }
    };
    validators.write(response.headers_mut());
    Ok(response)
}
