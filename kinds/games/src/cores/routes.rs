//! Routes of cores and BIOS files: players read them, administrators add them.

mod name;
mod rows;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use ledge_core::App;
use ledge_core::http::{
    Administrator, ApiError, ApiJson, ApiQuery, ApiResult, CurrentUser, ErrorBody, KindRouter,
};
use ledge_core::paging::Items;
use ledge_core::registry::OCTET_STREAM;
use serde::Deserialize;
use utoipa::{IntoParams, IntoResponses, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::folder::{DataFile, Folder};
use super::response::{self, blocking};
use super::upload;
use crate::routes::api_docs::{Conditional, Conditions, Unacceptable};

use name::Name;
use rows::{AddedFile, CoreRow};

/// Returns the routes.
pub(crate) fn router() -> KindRouter {
    OpenApiRouter::new()
        .routes(routes!(list_cores))
        .routes(routes!(get_core_file, put_core_file, delete_core_file))
        .routes(routes!(get_bios, put_bios, delete_bios))
}

/// Bytes of a core or BIOS file.
#[derive(Debug, ToSchema)]
#[schema(value_type = String, format = Binary)]
#[expect(dead_code, reason = "it is used in the API description only")]
pub(crate) struct CoreBytes(Bytes);

/// Responses to adding a file.
#[derive(Debug, IntoResponses)]
#[expect(dead_code, reason = "it is used in the API description only")]
enum Stored {
    /// Replaced
    #[response(status = 200)]
    Replaced(AddedFile),
    /// Added
    #[response(status = 201)]
    Added(AddedFile),
    /// Not an administrator
    #[response(status = 403)]
    Forbidden(ErrorBody),
    /// Over 32 MiB
    #[response(status = 413)]
    Large(ErrorBody),
}

/// Responses to removing a file.
#[derive(Debug, IntoResponses)]
#[expect(dead_code, reason = "it is used in the API description only")]
enum Removed {
    /// Removed
    #[response(status = 204)]
    Gone,
    /// Not an administrator
    #[response(status = 403)]
    Forbidden(ErrorBody),
    /// No such file was added
    #[response(status = 404)]
    Absent(ErrorBody),
}

/// Lists the cores with their state on this server. Files in the data folder take precedence over
/// embedded ones.
#[utoipa::path(
    get,
    path = "/kinds/games/cores",
    tag = "games",
    responses((status = 200, description = "The cores", body = Items<CoreRow>))
)]
async fn list_cores(
    _user: CurrentUser,
    State(app): State<App>,
) -> ApiResult<ApiJson<Items<CoreRow>>> {
    let folder = Folder::from_app(&app);
    let list = move || {
        let rows = super::all().iter().map(|core| CoreRow::new(core, &folder));
        Ok(rows.collect())
    };
    let items = blocking(list).await?;
    Ok(ApiJson(Items { items }))
}

/// Version of a file, from its URL in the list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct VersionQuery {
    /// Version in the URL of the list; with the current version, the response may be cached
    /// permanently
    #[param(example = "45abc-18a6f")]
    v: Option<String>,
}

/// Returns an added file of a core, without content encoding.
#[utoipa::path(
    get,
    path = "/kinds/games/cores/{file}",
    tag = "games",
    params(
        ("file" = String, Path, description = "`ID.js`, `ID.wasm`, or `ID.txt` for its licence",
            example = "mgba.wasm"),
        VersionQuery,
        Conditions,
    ),
    responses(
        (status = 200, description = "The file", body = CoreBytes, content_type = "*/*",
            headers(("ETag" = String, description = "Entity tag of this version"))),
        (status = 404, description = "No such file was added", body = ErrorBody),
        Conditional,
    )
)]
async fn get_core_file(
    _user: CurrentUser,
    State(app): State<App>,
    Name(name): Name,
    ApiQuery(query): ApiQuery<VersionQuery>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let found = Folder::from_app(&app).core_file(&name);
    let (data_file, part) = found.ok_or(ApiError::NotFound("file"))?;
    response::file(data_file, part.mime(), query.v.as_deref(), &headers).await
}

/// Adds or replaces a file of a core. The added core is used once both script and WebAssembly
/// exist. Its script runs in the browser of every player, so add only cores that you trust.
///
/// For administrators.
#[utoipa::path(
    put,
    path = "/kinds/games/cores/{file}",
    tag = "games",
    params(("file" = String, Path, description = "`ID.js`, `ID.wasm`, or `ID.txt` for its licence",
        example = "mgba.wasm")),
    request_body(content = CoreBytes, content_type = "application/octet-stream",
        description = "Up to 32 MiB"),
    responses(
        Stored,
        Unacceptable,
        (status = 422, description = "No core has such a file, or it is empty",
            body = ErrorBody),
    )
)]
async fn put_core_file(
    _admin: Administrator,
    State(app): State<App>,
    Name(name): Name,
    headers: HeaderMap,
    body: Body,
) -> ApiResult<Response> {
    let bytes = upload::receive(&headers, body).await?;
    let found = Folder::from_app(&app).core_file(&name);
    let (data_file, _) = found.ok_or_else(|| {
        ApiError::invalid(
            "file",
            "The name must be a core's name with .js, .wasm or .txt.",
        )
    })?;
    if bytes.is_empty() {
        return Err(ApiError::invalid("file", "The file is empty."));
    }
    store(data_file, name, bytes).await
}

/// Removes an added file of a core. If the core is embedded, the embedded version is used again.
///
/// For administrators.
#[utoipa::path(
    delete,
    path = "/kinds/games/cores/{file}",
    tag = "games",
    params(("file" = String, Path, description = "`ID.js`, `ID.wasm`, or `ID.txt`",
        example = "mgba.wasm")),
    responses(Removed)
)]
async fn delete_core_file(
    _admin: Administrator,
    State(app): State<App>,
    Name(name): Name,
) -> ApiResult<StatusCode> {
    let found = Folder::from_app(&app).core_file(&name);
    remove(found.map(|(data_file, _)| data_file)).await
}

/// Returns an added BIOS file.
#[utoipa::path(
    get,
    path = "/kinds/games/bios/{name}",
    tag = "games",
    params(
        ("name" = String, Path, description = "File name that a core looks for",
            example = "disksys.rom"),
        VersionQuery,
        Conditions,
    ),
    responses(
        (status = 200, description = "The file", body = CoreBytes,
            content_type = "application/octet-stream",
            headers(("ETag" = String, description = "Entity tag of this version"))),
        (status = 404, description = "No such file was added", body = ErrorBody),
        Conditional,
    )
)]
async fn get_bios(
    _user: CurrentUser,
    State(app): State<App>,
    Name(name): Name,
    ApiQuery(query): ApiQuery<VersionQuery>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let data_file = Folder::from_app(&app).bios_file(&name);
    let data_file = data_file.ok_or(ApiError::NotFound("file"))?;
    response::file(data_file, OCTET_STREAM, query.v.as_deref(), &headers).await
}

/// Adds or replaces a BIOS file. Versions other than the usual one are accepted as well.
///
/// For administrators.
#[utoipa::path(
    put,
    path = "/kinds/games/bios/{name}",
    tag = "games",
    params(("name" = String, Path, description = "File name that a core looks for",
        example = "disksys.rom")),
    request_body(content = CoreBytes, content_type = "application/octet-stream",
        description = "Up to 32 MiB"),
    responses(
        Stored,
        Unacceptable,
        (status = 422, description = "No core looks for this file, or it is empty",
            body = ErrorBody),
    )
)]
async fn put_bios(
    _admin: Administrator,
    State(app): State<App>,
    Name(name): Name,
    headers: HeaderMap,
    body: Body,
) -> ApiResult<Response> {
    let bytes = upload::receive(&headers, body).await?;
    let data_file = Folder::from_app(&app).bios_file(&name);
    let data_file = data_file
        .ok_or_else(|| ApiError::invalid("name", "No core looks for a file of this name."))?;
    if bytes.is_empty() {
        return Err(ApiError::invalid("name", "The file is empty."));
    }
    store(data_file, name, bytes).await
}

/// Removes a BIOS file.
///
/// For administrators.
#[utoipa::path(
    delete,
    path = "/kinds/games/bios/{name}",
    tag = "games",
    params(("name" = String, Path, description = "File name that a core looks for",
        example = "disksys.rom")),
    responses(Removed)
)]
async fn delete_bios(
    _admin: Administrator,
    State(app): State<App>,
    Name(name): Name,
) -> ApiResult<StatusCode> {
    remove(Folder::from_app(&app).bios_file(&name)).await
}

async fn store(data_file: DataFile, name: String, bytes: Bytes) -> ApiResult<Response> {
    let size = bytes.len() as u64;
    let is_new = blocking(move || data_file.write(&bytes)).await?;
    let status = if is_new {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    Ok((status, ApiJson(AddedFile { name, size })).into_response())
}

async fn remove(data_file: Option<DataFile>) -> ApiResult<StatusCode> {
    let data_file = data_file.ok_or(ApiError::NotFound("file"))?;
    if blocking(move || data_file.remove()).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(ApiError::NotFound("file"))
    }
}
