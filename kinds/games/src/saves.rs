//! The routes of saves: what a player saved, and the states before it.

mod answer;
mod slot;
mod upload;

use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use bytes::Bytes;
use ledge_core::App;
use ledge_core::content::conditional::{Validators, Verdict};
use ledge_core::http::{ApiError, ApiQuery, ApiResult, ErrorBody, Items};
use ledge_core::registry::KindRouter;
use ledge_core::store::save::{self, NewSave, Save, SaveVersion, Written};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::described::{Conditional, Conditions, Unacceptable};
use slot::{Game, GameSlot, GameVersion};
use upload::{Upload, Uploads};

/// The routes, and what they share.
pub(crate) fn router() -> KindRouter {
    OpenApiRouter::new()
        .routes(routes!(list_saves))
        .routes(routes!(get_save, put_save, delete_save))
        .routes(routes!(list_save_versions))
        .routes(routes!(get_save_version))
        .layer(Extension(Uploads::default()))
}

/// The bytes of a save as the emulator wrote them.
#[derive(Debug, ToSchema)]
#[schema(value_type = String, format = Binary)]
#[expect(dead_code, reason = "it stands in the description only")]
pub struct SaveBytes(Bytes);

/// Where a slot is.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "it stands in the description only")]
struct SlotPath {
    /// The game's id
    id: i64,
    /// The slot's name
    #[param(pattern = "^[a-z0-9][a-z0-9_-]{0,31}$", example = "auto")]
    slot: String,
}

/// The slots of a game that hold a save.
#[utoipa::path(
    get,
    path = "/items/{id}/saves",
    tag = "games",
    params(("id" = i64, Path, description = "The game's id")),
    responses(
        (status = 200, description = "This user's saves, by slot", body = Items<Save>),
        (status = 404, description = "No such game", body = ErrorBody),
    )
)]
async fn list_saves(Game(item): Game, State(app): State<App>) -> ApiResult<Json<Items<Save>>> {
    let items = app.db.read(move |conn| save::list(conn, item)).await?;
    Ok(Json(Items { items }))
}

/// The save in a slot.
#[utoipa::path(
    get,
    path = "/items/{id}/saves/{slot}",
    tag = "games",
    params(
        SlotPath,
        Conditions,
    ),
    responses(
        (status = 200, description = "The bytes", body = SaveBytes,
            content_type = "application/octet-stream",
            headers(("ETag" = String, description = "The SHA-256"))),
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
    answer::bytes(&app, state.ok_or(ApiError::NotFound("save"))?, &headers).await
}

/// What goes with a save.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct SaveQuery {
    /// The core that wrote the state: no other should load it.
    #[param(
        max_length = 64,
        pattern = "^[A-Za-z0-9._-]{0,64}$",
        example = "snes9x"
    )]
    core: Option<String>,
}

/// The core that is named, checked before anything of the body is read.
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

/// Saves to a slot. What was in it becomes a version, unless it is the same.
#[utoipa::path(
    put,
    path = "/items/{id}/saves/{slot}",
    tag = "games",
    params(
        SlotPath,
        SaveQuery,
        ("If-Match" = Option<String>, Header, description = "The state that is replaced"),
        ("If-None-Match" = Option<String>, Header, example = "*",
            description = "`*`: only into an empty slot"),
    ),
    request_body(
        content = SaveBytes,
        content_type = "application/octet-stream",
        description = "Up to 16 MiB",
    ),
    responses(
        (status = 200, description = "Saved over another state", body = Save),
        (status = 201, description = "Saved to an empty slot", body = Save),
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
        save::put(tx, &slot, &new, body, |state| expects(&headers, state))
    });
    match write.await? {
        Written::Created(save) => Ok((StatusCode::CREATED, Json(save)).into_response()),
        Written::Replaced(save) => Ok(Json(save).into_response()),
        Written::Unexpected => Err(ApiError::PreconditionFailed),
        Written::Absent => Err(ApiError::NotFound("item")),
    }
}

/// Empties a slot. What was in it stays among its versions.
#[utoipa::path(
    delete,
    path = "/items/{id}/saves/{slot}",
    tag = "games",
    params(
        SlotPath,
        ("If-Match" = Option<String>, Header, description = "The state that is deleted"),
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
        .write(move |tx| save::delete(tx, &slot, |state| expects(&headers, state)));
    match delete.await? {
        Written::Unexpected => Err(ApiError::PreconditionFailed),
        Written::Absent => Err(ApiError::NotFound("save")),
        Written::Created(()) | Written::Replaced(()) => Ok(StatusCode::NO_CONTENT),
    }
}

/// What a slot held before.
#[utoipa::path(
    get,
    path = "/items/{id}/saves/{slot}/versions",
    tag = "games",
    params(
        SlotPath,
    ),
    responses(
        (status = 200, description = "The last 10 replaced states, 64 MiB of them at most, newest first",
            body = Items<SaveVersion>),
        (status = 404, description = "No such game, or never saved to", body = ErrorBody),
    )
)]
async fn list_save_versions(
    GameSlot(slot): GameSlot,
    State(app): State<App>,
) -> ApiResult<Json<Items<SaveVersion>>> {
    let versions = app.db.read(move |conn| save::versions(conn, &slot)).await?;
    let items = versions.ok_or(ApiError::NotFound("save"))?;
    Ok(Json(Items { items }))
}

/// A state that a slot held before.
#[utoipa::path(
    get,
    path = "/items/{id}/saves/{slot}/versions/{n}",
    tag = "games",
    params(
        SlotPath,
        ("n" = i64, Path, description = "The version's number", minimum = 1),
        Conditions,
    ),
    responses(
        (status = 200, description = "The bytes", body = SaveBytes,
            content_type = "application/octet-stream",
            headers(("ETag" = String, description = "The SHA-256"))),
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
    answer::bytes(&app, state.ok_or(ApiError::NotFound("version"))?, &headers).await
}

/// Whether a request's preconditions let it change what is in a slot.
fn expects(headers: &HeaderMap, sha256: Option<&str>) -> bool {
    match sha256 {
        Some(sha256) => validators(sha256).judge(headers) == Verdict::Proceed,
        None => !headers.contains_key(axum::http::header::IF_MATCH),
    }
}

fn validators(sha256: &str) -> Validators {
    Validators::tagged(&format!("\"{sha256}\""))
}
