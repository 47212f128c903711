//! Covers of lists: a mosaic of the covers that the user sees.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use ledge_core::App;
use ledge_core::http::content::{Validators, Verdict};
use ledge_core::http::{ApiError, ApiResult};
use ledge_core::image::{Size, mosaic};
use ledge_core::store::user_data::lists::user_list::cover::{self, Tiles};
use serde::Deserialize;
use tokio::sync::Semaphore;
use utoipa::IntoParams;

/// Requested image.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct MosaicQuery {
    /// Size: a square of 240, 480 or 960 pixels.
    #[serde(default)]
    #[param(inline, required = false)]
    size: Size,
}

/// Returns the mosaic of these covers. They determine the entity tag, because they depend on the
/// grants of the user.
pub(crate) async fn mosaic_of(
    app: &App,
    tiles: Tiles,
    query: &MosaicQuery,
    headers: &HeaderMap,
) -> ApiResult<Response> {
    let validators = Validators::tagged(&format!("\"{}-{}\"", tiles.hash(), query.size.as_str()));
    let mut response = match validators.judge(headers) {
        Verdict::Failed => return Err(ApiError::PreconditionFailed),
        Verdict::NotModified => StatusCode::NOT_MODIFIED.into_response(),
        Verdict::Proceed => render(app, tiles, query.size).await?,
    };
    let headers = response.headers_mut();
    validators.write(headers);
    let caching = HeaderValue::from_static("private, no-cache");
    headers.insert(header::CACHE_CONTROL, caching);
    Ok(response)
}

/// Limit of two concurrent renderings, because each keeps all pixels of four covers in memory.
static RENDERING: Semaphore = Semaphore::const_new(2);

async fn render(app: &App, tiles: Tiles, size: Size) -> ApiResult<Response> {
    let _permit = RENDERING.acquire().await.map_err(ApiError::internal)?;
    let images = app
        .db
        .read(move |conn| cover::images(conn, &tiles, size))
        .await?;
    let rendered = tokio::task::spawn_blocking(move || mosaic(&images, size)).await;
    let image = rendered
        .map_err(ApiError::internal)?
        .map_err(ApiError::internal)?;
    let mime = HeaderValue::from_static(image.mime);
    Ok(([(header::CONTENT_TYPE, mime)], Body::from(image.body)).into_response())
}
