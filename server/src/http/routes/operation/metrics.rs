//! Metrics for monitoring, protected by their own token.

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use ledge_core::App;
use ledge_core::http::{ApiError, ApiResult, ErrorBody};
use ledge_core::store::library::totals;

use crate::serve::metrics::{Metrics, Reader};

/// Media type of the Prometheus text format.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Returns the metrics of the server in the Prometheus text format.
///
/// Requires `Authorization: Bearer` with the token of `LEDGE_METRICS_TOKEN`.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "system",
    responses(
        (status = 200, description = "The metrics", body = String, content_type = "text/plain"),
        (status = 401, description = "Wrong or missing token", body = ErrorBody),
        (status = 404, description = "No token is configured", body = ErrorBody),
    )
)]
pub(crate) async fn get_metrics(
    State(app): State<App>,
    Extension(metrics): Extension<Metrics>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    match metrics.reader(bearer(&headers)) {
        Reader::Nobody => return Err(ApiError::NotFound("path")),
        Reader::Stranger => {
            return Err(ApiError::Unauthenticated(
                "This endpoint requires the metrics token.",
            ));
        }
        Reader::Admitted => {}
    }
    let totals = app.db.read(totals::count).await?;
    let text = metrics.text(&totals);
    Ok(([(header::CONTENT_TYPE, TEXT)], text).into_response())
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| token.trim_start())
}
