//! Libraries: registration, changes, purge and deletion.

pub(crate) mod request;
pub(crate) mod view;

use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use futures_util::future::join_all;
use ledge_core::App;
use ledge_core::access::Visible;
use ledge_core::http::{ApiError, ApiJson, ApiResult, CurrentUser, ErrorBody, Id};
use ledge_core::id::LibraryId;
use ledge_core::paging::Items;
use ledge_core::store::library::{self, purge};
use serde::Serialize;
use utoipa::ToSchema;

use super::scans;
use crate::serve::folder;
use request::{CreateLibrary, UpdateLibrary};
use view::LibraryView;

const NOT_FOUND: ApiError = ApiError::NotFound("library");

/// Library of the path, for administrators, who manage it without a grant. It is extracted before
/// the body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ManagedLibrary(pub(crate) LibraryId);

impl FromRequestParts<App> for ManagedLibrary {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Self::Rejection> {
        let user = CurrentUser::from_request_parts(parts, app).await?;
        if !user.admin {
            return Err(NOT_FOUND);
        }
        let id = library_id(parts, app).await?;
        let exists = app.db.read(move |conn| library::exists(conn, id)).await?;
        exists.then_some(Self(id)).ok_or(NOT_FOUND)
    }
}

/// Library of the path, if it is granted or the user is an administrator. It does not imply access
/// to its items.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownLibrary(pub(crate) LibraryId);

impl FromRequestParts<App> for KnownLibrary {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Self::Rejection> {
        let user = CurrentUser::from_request_parts(parts, app).await?;
        if user.admin {
            let ManagedLibrary(id) = ManagedLibrary::from_request_parts(parts, app).await?;
            return Ok(Self(id));
        }
        let id = library_id(parts, app).await?;
        let visible = Visible::of(user.id);
        let library = app.db.read(move |conn| visible.library(conn, id)).await?;
        library.map(|library| Self(library.id())).ok_or(NOT_FOUND)
    }
}

async fn library_id(parts: &mut Parts, app: &App) -> ApiResult<LibraryId> {
    let id = Id::from_request_parts(parts, app).await;
    id.map(|id| LibraryId(id.0)).map_err(|_| NOT_FOUND)
}

/// Lists the visible libraries by name. Administrators see all libraries.
#[utoipa::path(
    get,
    path = "/libraries",
    tag = "libraries",
    responses(
        (status = 200, description = "The libraries", body = Items<LibraryView>),
    )
)]
pub(crate) async fn list_libraries(
    user: CurrentUser,
    State(app): State<App>,
) -> ApiResult<ApiJson<Items<LibraryView>>> {
    let (id, admin) = (user.id, user.admin);
    let libraries = app
        .db
        .read(move |conn| {
            if admin {
                library::list_unscoped(conn, id)
            } else {
                library::list(conn, Visible::of(id))
            }
        })
        .await?;
    let views = libraries.into_iter().map(|row| view::of(&app, &user, row));
    let items = join_all(views).await;
    Ok(ApiJson(Items { items }))
}

/// Registers a folder as a library and grants it to the requesting user.
#[utoipa::path(
    post,
    path = "/libraries",
    tag = "libraries",
    request_body = CreateLibrary,
    responses(
        (status = 201, description = "Registered", body = LibraryView),
        (status = 409, description = "The name or the folder is taken", body = ErrorBody),
    )
)]
pub(crate) async fn create_library(
    user: CurrentUser,
    State(app): State<App>,
    ApiJson(body): ApiJson<CreateLibrary>,
) -> ApiResult<(StatusCode, ApiJson<LibraryView>)> {
    let new = body.check(&app.registry).await?;
    let now = app.clock.now();
    let creator = user.id;
    let id = app
        .db
        .write(move |tx| library::create(tx, &new, creator, now))
        .await?;
    let view = show(&app, &user, id).await?;
    Ok((StatusCode::CREATED, view))
}

/// Returns a library.
#[utoipa::path(
    get,
    path = "/libraries/{id}",
    tag = "libraries",
    params(("id" = i64, Path, description = "The library's id")),
    responses(
        (status = 200, description = "The library", body = LibraryView),
        (status = 404, description = "No such library", body = ErrorBody),
    )
)]
pub(crate) async fn get_library(
    KnownLibrary(id): KnownLibrary,
    user: CurrentUser,
    State(app): State<App>,
) -> ApiResult<ApiJson<LibraryView>> {
    show(&app, &user, id).await
}

/// Changes name, kinds or folder of a library.
///
/// After a change of the folder, the next scan recognises the same items. A running scan of the old
/// folder is cancelled.
#[utoipa::path(
    patch,
    path = "/libraries/{id}",
    tag = "libraries",
    params(("id" = i64, Path, description = "The library's id")),
    request_body = UpdateLibrary,
    responses(
        (status = 200, description = "The changed library", body = LibraryView),
        (status = 404, description = "No such library", body = ErrorBody),
        (status = 409, description = "The name or the folder is taken", body = ErrorBody),
    )
)]
pub(crate) async fn update_library(
    ManagedLibrary(id): ManagedLibrary,
    user: CurrentUser,
    State(app): State<App>,
    ApiJson(body): ApiJson<UpdateLibrary>,
) -> ApiResult<ApiJson<LibraryView>> {
    let change = body.check(&app.registry).await?;
    let wanted = change.clone();
    let root = app.db.read(move |conn| {
        // A rejected change must not cancel the scan.
        library::refuse_conflicts(conn, id, &wanted)?;
        library::root_unscoped(conn, id)
    });
    let root = root.await?;
    if change.path.is_some() && change.path != root {
        scans::cancel(&app, id).await?;
    }
    let updated = app
        .db
        .write(move |tx| library::update(tx, id, &change))
        .await?;
    if updated {
        show(&app, &user, id).await
    } else {
        Err(NOT_FOUND)
    }
}

/// Deletes a library and its data in the database. No file on disk is changed.
#[utoipa::path(
    delete,
    path = "/libraries/{id}",
    tag = "libraries",
    params(("id" = i64, Path, description = "The library's id")),
    responses(
        (status = 204, description = "Deleted"),
        (status = 404, description = "No such library", body = ErrorBody),
    )
)]
pub(crate) async fn delete_library(
    ManagedLibrary(id): ManagedLibrary,
    State(app): State<App>,
) -> ApiResult<StatusCode> {
    scans::cancel(&app, id).await?;
    // The deletion continues if the client disconnects.
    let delete = move || library::delete::delete_blocking(&app.db, id);
    let deleted = tokio::task::spawn_blocking(delete).await;
    if deleted.map_err(ApiError::internal)?? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(NOT_FOUND)
    }
}

/// Result of a purge.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Purged {
    deleted: usize,
}

/// Deletes the missing items of a library with all their data.
#[utoipa::path(
    post,
    path = "/libraries/{id}/purge",
    tag = "libraries",
    params(("id" = i64, Path, description = "The library's id")),
    responses(
        (status = 200, description = "The number of deleted items", body = Purged),
        (status = 404, description = "No such library", body = ErrorBody),
        (status = 409, description = "The folder cannot be read, or the last scan was not accepted", body = ErrorBody),
    )
)]
pub(crate) async fn purge_library(
    ManagedLibrary(id): ManagedLibrary,
    State(app): State<App>,
) -> ApiResult<ApiJson<Purged>> {
    let root = app.db.read(move |conn| library::root_unscoped(conn, id));
    let root = root.await?.ok_or(NOT_FOUND)?;
    let offline = || {
        let message = "The library's folder cannot be read, so what is missing may be there still.";
        ApiError::Conflict(message.to_owned())
    };
    if !folder::is_available(&root).await {
        return Err(offline());
    }
    let purge = move || purge::purge_blocking(&app.db, id, || folder::is_readable(&root));
    let purged = tokio::task::spawn_blocking(purge).await;
    let deleted = purged.map_err(ApiError::internal)??.ok_or_else(offline)?;
    Ok(ApiJson(Purged { deleted }))
}

async fn show(app: &App, user: &CurrentUser, id: LibraryId) -> ApiResult<ApiJson<LibraryView>> {
    let viewer = user.id;
    let row = app
        .db
        .read(move |conn| library::get_unscoped(conn, id, viewer))
        .await?;
    let row = row.ok_or(NOT_FOUND)?;
    Ok(ApiJson(view::of(app, user, row).await))
}

#[cfg(test)]
mod tests;
