//! The folders of the server, for choosing the root of a library.

use ledge_core::http::{ApiJson, ApiQuery, ApiResult, ErrorBody};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::folder::listing::{self, DirectoryListing};

/// Which folder to look into.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DirectoryQuery {
    /// Its absolute path; the root of the file system if left out.
    #[param(pattern = "^(/|$)")]
    path: Option<String>,
    /// Whether to show folders whose names begin with a dot.
    #[serde(default)]
    hidden: bool,
}

/// The folders inside a folder of the server.
#[utoipa::path(
    get,
    path = "/directories",
    tag = "libraries",
    params(DirectoryQuery),
    responses(
        (status = 200, description = "The folders", body = DirectoryListing),
        (status = 422, description = "Not a readable folder", body = ErrorBody),
    )
)]
pub(crate) async fn list_directories(
    ApiQuery(query): ApiQuery<DirectoryQuery>,
) -> ApiResult<ApiJson<DirectoryListing>> {
    let path = query.path.filter(|path| !path.is_empty());
    let path = path.unwrap_or_else(|| "/".to_owned());
    listing::list(path, query.hidden).await.map(ApiJson)
}
