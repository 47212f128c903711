//! Folders of the server, for the choice of a library's root.

use ledge_core::http::{ApiJson, ApiQuery, ApiResult, ErrorBody};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::serve::folder::listing::{self, DirectoryListing};

/// Requested folder.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DirectoryQuery {
    /// Absolute path of the folder; the default is the root of the file system.
    #[param(pattern = "^(/|$)")]
    path: Option<String>,
    /// Includes folders whose names begin with a dot.
    #[serde(default)]
    hidden: bool,
}

/// Lists the subfolders of a folder of the server.
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
