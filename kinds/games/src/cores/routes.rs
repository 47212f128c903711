//! The routes of cores and BIOS files: who plays reads them, an administrator adds them.

mod name;
mod rows;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use ledge_core::App;
use ledge_core::http::{
    Administrator, ApiError, ApiQuery, ApiResult, CurrentUser, ErrorBody, Items,
};
use ledge_core::registry::{KindRouter, OCTET_STREAM};
use serde::Deserialize;
use utoipa::{IntoParams, IntoResponses, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{self, blocking};
use super::folder::{Folder, Place};
use super::upload;
use crate::described::{Conditional, Conditions, Unacceptable};

use name::Name;
use rows::{AddedFile, CoreRow};

/// The routes.
pub(crate) fn router() -> KindRouter {
    OpenApiRouter::new()
        .routes(routes!(list_cores))
        .routes(routes!(get_core_file, put_core_file, delete_core_file))
        .routes(routes!(get_bios, put_bios, delete_bios))
}

/// The bytes of a core or BIOS file.
#[derive(Debug, ToSchema)]
#[schema(value_type = String, format = Binary)]
#[expect(dead_code, reason = "it stands in the description only")]
pub(crate) struct CoreBytes(Bytes);

/// What comes of adding a file.
#[derive(Debug, IntoResponses)]
#[expect(dead_code, reason = "it stands in the description only")]
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

/// What comes of taking one away.
#[derive(Debug, IntoResponses)]
#[expect(dead_code, reason = "it stands in the description only")]
enum Removed {
    /// It is gone
    #[response(status = 204)]
    Gone,
    /// Not an administrator
    #[response(status = 403)]
    Forbidden(ErrorBody),
    /// Not added
    #[response(status = 404)]
    Absent(ErrorBody),
}

/// The cores, and where this server has them from. Those in the data folder come first.
#[utoipa::path(
    get,
    path = "/kinds/games/cores",
    tag = "games",
    responses((status = 200, description = "The cores", body = Items<CoreRow>))
)]
async fn list_cores(_user: CurrentUser, State(app): State<App>) -> ApiResult<Json<Items<CoreRow>>> {
    let folder = Folder::of(&app);
    let list = move || {
        let rows = super::all().iter().map(|core| CoreRow::of(core, &folder));
        Ok(rows.collect())
    };
    let items = blocking(list).await?;
    Ok(Json(Items { items }))
}

/// Which state of a file is meant.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct VersionQuery {
    /// The state that the address in the list names; with it the answer may be kept for good
    #[param(example = "45abc-18a6f")]
    v: Option<String>,
}

/// A file of a core that was added, unencoded.
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
            headers(("ETag" = String, description = "The state of the file"))),
        (status = 404, description = "Not added", body = ErrorBody),
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
    let found = Folder::of(&app).core_file(&name);
    let (place, part) = found.ok_or(ApiError::NotFound("file"))?;
    answer::file(place, part.mime(), query.v.as_deref(), &headers).await
}

/// Adds a file of a core, or replaces it. It is a core here once script and WebAssembly are there.
/// Its script runs in the browser of everybody who plays: add what you trust.
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
    let found = Folder::of(&app).core_file(&name);
    let (place, _) = found.ok_or_else(|| {
        ApiError::invalid(
            "file",
            "The name is that of a core with .js, .wasm or .txt.",
        )
    })?;
    if bytes.is_empty() {
        return Err(ApiError::invalid("file", "The file is empty."));
    }
    store(place, name, bytes).await
}

/// Takes a file of a core away that was added. Where the core is embedded, that one is used again.
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
    let found = Folder::of(&app).core_file(&name);
    remove(found.map(|(place, _)| place)).await
}

/// A BIOS file.
#[utoipa::path(
    get,
    path = "/kinds/games/bios/{name}",
    tag = "games",
    params(
        ("name" = String, Path, description = "The name a core looks for",
            example = "disksys.rom"),
        VersionQuery,
        Conditions,
    ),
    responses(
        (status = 200, description = "The file", body = CoreBytes,
            content_type = "application/octet-stream",
            headers(("ETag" = String, description = "The state of the file"))),
        (status = 404, description = "Not added", body = ErrorBody),
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
    let place = Folder::of(&app).bios_file(&name);
    let place = place.ok_or(ApiError::NotFound("file"))?;
    answer::file(place, OCTET_STREAM, query.v.as_deref(), &headers).await
}

/// Adds a BIOS file, or replaces it. Versions other than the usual one are taken, too.
///
/// For administrators.
#[utoipa::path(
    put,
    path = "/kinds/games/bios/{name}",
    tag = "games",
    params(("name" = String, Path, description = "The name a core looks for",
        example = "disksys.rom")),
    request_body(content = CoreBytes, content_type = "application/octet-stream",
        description = "Up to 32 MiB"),
    responses(
        Stored,
        Unacceptable,
        (status = 422, description = "No core looks for such a file, or it is empty",
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
    let place = Folder::of(&app).bios_file(&name);
    let place =
        place.ok_or_else(|| ApiError::invalid("name", "No core looks for a file of this name."))?;
    if bytes.is_empty() {
        return Err(ApiError::invalid("name", "The file is empty."));
    }
    store(place, name, bytes).await
}

/// Takes a BIOS file away.
///
/// For administrators.
#[utoipa::path(
    delete,
    path = "/kinds/games/bios/{name}",
    tag = "games",
    params(("name" = String, Path, description = "The name a core looks for",
        example = "disksys.rom")),
    responses(Removed)
)]
async fn delete_bios(
    _admin: Administrator,
    State(app): State<App>,
    Name(name): Name,
) -> ApiResult<StatusCode> {
    remove(Folder::of(&app).bios_file(&name)).await
}

async fn store(place: Place, name: String, bytes: Bytes) -> ApiResult<Response> {
    let size = bytes.len() as u64;
    let is_new = blocking(move || place.write(&bytes)).await?;
    let status = if is_new {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    Ok((status, Json(AddedFile { name, size })).into_response())
}

async fn remove(place: Option<Place>) -> ApiResult<StatusCode> {
    let place = place.ok_or(ApiError::NotFound("file"))?;
    if blocking(move || place.remove()).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(ApiError::NotFound("file"))
    }
}
