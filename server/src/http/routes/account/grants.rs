//! Access of users to a library, for administrators.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use ledge_core::App;
use ledge_core::http::{ApiError, ApiJson, ApiResult, ErrorBody, parse_id};
use ledge_core::id::UserId;
use ledge_core::paging::Items;
use ledge_core::store::library::grant::{self, Grant};

use crate::http::routes::library::libraries::ManagedLibrary;

/// Lists the users with access to a library.
#[utoipa::path(
    get,
    path = "/libraries/{id}/grants",
    tag = "libraries",
    params(("id" = i64, Path, description = "The library's id")),
    responses(
        (status = 200, description = "The users, by name", body = Items<Grant>),
        (status = 404, description = "No such library", body = ErrorBody),
    )
)]
pub(crate) async fn list_grants(
    ManagedLibrary(id): ManagedLibrary,
    State(app): State<App>,
) -> ApiResult<ApiJson<Items<Grant>>> {
    let grants = app
        .db
        .read(move |conn| grant::of_library_unscoped(conn, id));
    let items = grants.await?;
    Ok(ApiJson(Items { items }))
}

/// Grants a library to a user. Repeated requests succeed.
#[utoipa::path(
    put,
    path = "/libraries/{id}/grants/{user_id}",
    tag = "libraries",
    params(
        ("id" = i64, Path, description = "The library's id"),
        ("user_id" = i64, Path, description = "The user's id"),
    ),
    responses(
        (status = 204, description = "Granted"),
        (status = 404, description = "No such library or user", body = ErrorBody),
    )
)]
pub(crate) async fn grant_library(
    ManagedLibrary(id): ManagedLibrary,
    State(app): State<App>,
    Path(path): Path<(String, String)>,
) -> ApiResult<StatusCode> {
    let user = user_id(&path.1)?;
    let granted = app.db.write(move |tx| grant::grant(tx, user, id)).await?;
    done(granted)
}

/// Revokes a user's access to a library. Repeated requests succeed.
#[utoipa::path(
    delete,
    path = "/libraries/{id}/grants/{user_id}",
    tag = "libraries",
    params(
        ("id" = i64, Path, description = "The library's id"),
        ("user_id" = i64, Path, description = "The user's id"),
    ),
    responses(
        (status = 204, description = "Revoked"),
        (status = 404, description = "No such library or user", body = ErrorBody),
    )
)]
pub(crate) async fn revoke_library(
    ManagedLibrary(id): ManagedLibrary,
    State(app): State<App>,
    Path(path): Path<(String, String)>,
) -> ApiResult<StatusCode> {
    let user = user_id(&path.1)?;
    let revoked = app.db.write(move |tx| grant::revoke(tx, user, id)).await?;
    done(revoked)
}

const NO_USER: ApiError = ApiError::NotFound("user");

fn user_id(segment: &str) -> ApiResult<UserId> {
    parse_id(segment).map(UserId).ok_or(NO_USER)
}

fn done(both_exist: bool) -> ApiResult<StatusCode> {
    if both_exist {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(NO_USER)
    }
}
