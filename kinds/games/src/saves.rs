//! Routes of saves: the current save of each slot, and its earlier versions.

mod response;
mod slot;
mod upload;

use axum::Extension;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use ledge_core::App;
use ledge_core::http::content::conditional::{Validators, Verdict};
use ledge_core::http::{ApiError, ApiJson, ApiQuery, ApiResult, ErrorBody, KindRouter};
use ledge_core::paging::Items;
use ledge_core::store::user_data::save::{self, NewSave, Save, SaveVersion, Written};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::routes::api_docs::{Conditional, Conditions, Unacceptable};
use slot::{Game, GameSlot, GameVersion};
use upload::{Upload, Uploads};

/// Returns the routes with their shared upload limits.
pub(crate) fn router() -> KindRouter {
    OpenApiRouter::new()
        .routes(routes!(list_saves))
        .routes(routes!(get_save, put_save, delete_save))
        .routes(routes!(list_save_versions))
        .routes(routes!(get_save_version))
        .layer(Extension(Uploads::default()))
}

/// Bytes of a save, as written by the emulator.
#[derive(Debug, ToSchema)]
#[schema(value_type = String, format = Binary)]
#[expect(dead_code, reason = "it is used in the API description only")]
pub struct SaveBytes(Bytes);

/// Path parameters of a slot.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "it is used in the API description only")]
struct SlotPath {
    /// Id of the game
    id: i64,
    /// Name of the slot
    #[param(pattern = "^[a-z0-9][a-z0-9_-]{0,31}$", example = "auto")]
    slot: String,
}

/// Lists the slots of a game that contain a save.
#[utoipa::path(
    get,
    path = "/items/{id}/saves",
    tag = "games",
    params(("id" = i64, Path, description = "Id of the game")),
    responses(
        (status = 200, description = "This user's saves, by slot", body = Items<Save>),
        (status = 404, description = "No such game", body = ErrorBody),
    )
)]
async fn list_saves(Game(item): Game, State(app): State<App>) -> ApiResult<ApiJson<Items<Save>>> {
    let items = app.db.read(move |conn| save::list(conn, item)).await?;
    Ok(ApiJson(Items { items }))
}

/// Returns the save in a slot.
#[utoipa::path(
    get,
    path = "/items/{id}/saves/{slot}",
    tag = "games",
    params(
        SlotPath,
        Conditions,
    ),
    responses(
        (status = 200, description = "Bytes of the save", body = SaveBytes,
            content_type = "application/octet-stream",
            headers(("ETag" = String, description = "SHA-256 of the bytes"))),
        (status = 404, description = "No such game, or nothing in the slot", body = ErrorBody),
        Conditional,
    )
)]
async fn get_save(
    GameSlot(slot): GameSlot,
    State(app): State<App>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let state = app.db.read(move |conn| save::current(conn, &slot)).await?;
    response::bytes(&app, state.ok_or(ApiError::NotFound("save"))?, &headers).await
}

/// Metadata of an uploaded save.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct SaveQuery {
    /// Core that wrote the state; other cores should not load it
    #[param(
        max_length = 64,
        pattern = "^[A-Za-z0-9._-]{0,64}$",
        example = "snes9x"
    )]
    core: Option<String>,
}

/// Validated core parameter. It is checked before the body is read.
struct Core(Option<String>);

impl FromRequestParts<App> for Core {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> ApiResult<Self> {
        let ApiQuery(query) = ApiQuery::<SaveQuery>::from_request_parts(parts, app).await?;
        let Some(core) = query.core.filter(|core| !core.is_empty()) else {
            return Ok(Self(None));
        };
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        if core.len() > 64 || !core.bytes().all(is_name) {
            return Err(ApiError::invalid(
                "core",
                "`core` is up to 64 letters, digits, dots, hyphens and underscores.",
            ));
        }
        Ok(Self(Some(core)))
    }
}

/// Writes a save to a slot. The previous save becomes a version, unless it is identical.
#[utoipa::path(
    put,
    path = "/items/{id}/saves/{slot}",
    tag = "games",
    params(
        SlotPath,
        SaveQuery,
        ("If-Match" = Option<String>, Header, description = "Entity tag of the save that is replaced"),
        ("If-None-Match" = Option<String>, Header, example = "*",
            description = "`*` writes only to an empty slot"),
    ),
    request_body(
        content = SaveBytes,
        content_type = "application/octet-stream",
        description = "Up to 16 MiB",
    ),
    responses(
        (status = 200, description = "The previous save was replaced", body = Save),
        (status = 201, description = "The slot was empty", body = Save),
        (status = 404, description = "No such game", body = ErrorBody),
        (status = 409, description = "Too many slots", body = ErrorBody),
        (status = 412, description = "Another device saved in between", body = ErrorBody),
        (status = 413, description = "Over 16 MiB", body = ErrorBody),
        Unacceptable,
        (status = 503, description = "Too many uploads at once", body = ErrorBody),
    )
)]
async fn put_save(
    GameSlot(slot): GameSlot,
    State(app): State<App>,
    Core(core): Core,
    headers: HeaderMap,
    Upload(mut upload): Upload,
) -> ApiResult<Response> {
    let new = NewSave {
        size: upload.size(),
        sha256: upload.sha256(),
        core,
        at: app.clock.now(),
    };
    let write = app.db.write(move |tx| {
        let body = upload.reader()?;
        save::put(tx, &slot, &new, body, |state| {
            allows_change(&headers, state)
        })
    });
    match write.await? {
        Written::Created(save) => Ok((StatusCode::CREATED, ApiJson(save)).into_response()),
        Written::Replaced(save) => Ok(ApiJson(save).into_response()),
        Written::Unexpected => Err(ApiError::PreconditionFailed),
        Written::Absent => Err(ApiError::NotFound("item")),
    }
}

/// Empties a slot. The save remains available as a version.
#[utoipa::path(
    delete,
    path = "/items/{id}/saves/{slot}",
    tag = "games",
    params(
        SlotPath,
        ("If-Match" = Option<String>, Header, description = "Entity tag of the save that is deleted"),
    ),
    responses(
        (status = 204, description = "The slot is empty"),
        (status = 404, description = "No such game, or nothing in the slot", body = ErrorBody),
        (status = 412, description = "Another device saved in between", body = ErrorBody),
    )
)]
async fn delete_save(
    GameSlot(slot): GameSlot,
    State(app): State<App>,
    headers: HeaderMap,
) -> ApiResult<StatusCode> {
    let delete = app
        .db
        .write(move |tx| save::delete(tx, &slot, |state| allows_change(&headers, state)));
    match delete.await? {
        Written::Unexpected => Err(ApiError::PreconditionFailed),
        Written::Absent => Err(ApiError::NotFound("save")),
        Written::Created(()) | Written::Replaced(()) => Ok(StatusCode::NO_CONTENT),
    }
}

/// Lists the earlier versions of a slot.
#[utoipa::path(
    get,
    path = "/items/{id}/saves/{slot}/versions",
    tag = "games",
    params(
        SlotPath,
    ),
    responses(
        (status = 200, description = "The last 10 replaced saves with at most 64 MiB in total, newest first",
            body = Items<SaveVersion>),
        (status = 404, description = "No such game, or the slot was never used", body = ErrorBody),
    )
)]
async fn list_save_versions(
    GameSlot(slot): GameSlot,
    State(app): State<App>,
) -> ApiResult<ApiJson<Items<SaveVersion>>> {
    let versions = app.db.read(move |conn| save::versions(conn, &slot)).await?;
    let items = versions.ok_or(ApiError::NotFound("save"))?;
    Ok(ApiJson(Items { items }))
}

/// Returns an earlier version of a slot.
#[utoipa::path(
    get,
    path = "/items/{id}/saves/{slot}/versions/{n}",
    tag = "games",
    params(
        SlotPath,
        ("n" = i64, Path, description = "Number of the version", minimum = 1),
        Conditions,
    ),
    responses(
        (status = 200, description = "Bytes of the version", body = SaveBytes,
            content_type = "application/octet-stream",
            headers(("ETag" = String, description = "SHA-256 of the bytes"))),
        (status = 404, description = "No such game or version", body = ErrorBody),
        Conditional,
    )
)]
async fn get_save_version(
    GameVersion(slot, n): GameVersion,
    State(app): State<App>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let version = move |conn: &_| save::version(conn, &slot, n);
    let state = app.db.read(version).await?;
    response::bytes(&app, state.ok_or(ApiError::NotFound("version"))?, &headers).await
}

/// Returns true if a request's preconditions allow changing the slot with this content.
fn allows_change(headers: &HeaderMap, sha256: Option<&str>) -> bool {
    match sha256 {
        Some(sha256) => validators(sha256).judge(headers) == Verdict::Proceed,
        None => !headers.contains_key(axum::http::header::IF_MATCH),
    }
}

fn validators(sha256: &str) -> Validators {
    Validators::tagged(&format!("\"{sha256}\""))
}
