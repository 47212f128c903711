//! Extractor for the last path segment. A segment that is not UTF-8 is rejected as absent.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use ledge_core::App;
use ledge_core::http::{ApiError, ApiResult};

/// Name in the last path segment.
pub(super) struct Name(pub(super) String);

impl FromRequestParts<App> for Name {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> ApiResult<Self> {
        let path = Path::<String>::from_request_parts(parts, app).await;
        let Path(name) = path.map_err(|_| ApiError::NotFound("file"))?;
        Ok(Self(name))
    }
}
