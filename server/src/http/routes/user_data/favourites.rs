//! Favourites of a user among files and people. Those among items are a filter of their lists.

use axum::extract::State;
use axum::http::StatusCode;
use ledge_core::App;
use ledge_core::access::{Visible, VisibleFile, VisiblePerson};
use ledge_core::http::{ApiError, ApiJson, ApiQuery, ApiResult, PageQuery};
use ledge_core::paging::Page;
use ledge_core::store::user_data::favourite::{self, FavouriteFile, FavouritePerson};
use ledge_core::store::user_data::mark;

const NO_FILE: ApiError = ApiError::NotFound("file");
const NO_PERSON: ApiError = ApiError::NotFound("person");

/// Adds a file to the user's favourites. Repeated requests succeed.
#[utoipa::path(
    put, path = "/files/{id}/favourite", tag = "files",
    params(("id" = i64, Path, description = "The file's id")),
    responses(
        (status = 204, description = "Done"),
    ),
)]
pub(crate) async fn add_favourite_file(
    file: VisibleFile,
    State(app): State<App>,
) -> ApiResult<StatusCode> {
    let now = app.clock.now();
    let write = app.db.write(move |tx| mark::add_favourite(tx, file, now));
    write
        .await?
        .then_some(StatusCode::NO_CONTENT)
        .ok_or(NO_FILE)
}

/// Removes a file from the user's favourites. Repeated requests succeed.
#[utoipa::path(
    delete, path = "/files/{id}/favourite", tag = "files",
    params(("id" = i64, Path, description = "The file's id")),
    responses(
        (status = 204, description = "Done"),
    ),
)]
pub(crate) async fn remove_favourite_file(
    file: VisibleFile,
    State(app): State<App>,
) -> ApiResult<StatusCode> {
    let write = app.db.write(move |tx| mark::remove_favourite(tx, file));
    write
        .await?
        .then_some(StatusCode::NO_CONTENT)
        .ok_or(NO_FILE)
}

/// Adds a person to the user's favourites. Repeated requests succeed.
#[utoipa::path(
    put, path = "/people/{id}/favourite", tag = "items",
    params(("id" = i64, Path, description = "The person's id")),
    responses(
        (status = 204, description = "Done"),
    ),
)]
pub(crate) async fn add_favourite_person(
    person: VisiblePerson,
    State(app): State<App>,
) -> ApiResult<StatusCode> {
    let now = app.clock.now();
    let write = app.db.write(move |tx| mark::add_favourite(tx, person, now));
    write
        .await?
        .then_some(StatusCode::NO_CONTENT)
        .ok_or(NO_PERSON)
}

/// Removes a person from the user's favourites. Repeated requests succeed.
#[utoipa::path(
    delete, path = "/people/{id}/favourite", tag = "items",
    params(("id" = i64, Path, description = "The person's id")),
    responses(
        (status = 204, description = "Done"),
    ),
)]
pub(crate) async fn remove_favourite_person(
    person: VisiblePerson,
    State(app): State<App>,
) -> ApiResult<StatusCode> {
    let write = app.db.write(move |tx| mark::remove_favourite(tx, person));
    write
        .await?
        .then_some(StatusCode::NO_CONTENT)
        .ok_or(NO_PERSON)
}

/// Lists the visible files among the user's favourites, the newest first.
#[utoipa::path(
    get, path = "/favourites/files", tag = "files",
    params(PageQuery),
    responses(
        (status = 200, description = "The files", body = Page<FavouriteFile>),
    ),
)]
pub(crate) async fn list_favourite_files(
    visible: Visible,
    State(app): State<App>,
    ApiQuery(page): ApiQuery<PageQuery>,
) -> ApiResult<ApiJson<Page<FavouriteFile>>> {
    let window = page.window()?;
    let read = move |conn: &_| favourite::files(conn, visible, window);
    Ok(ApiJson(app.db.read(read).await?))
}

/// Lists the people with visible items among the user's favourites, the newest first.
#[utoipa::path(
    get, path = "/favourites/people", tag = "items",
    params(PageQuery),
    responses(
        (status = 200, description = "The people", body = Page<FavouritePerson>),
    ),
)]
pub(crate) async fn list_favourite_people(
    visible: Visible,
    State(app): State<App>,
    ApiQuery(page): ApiQuery<PageQuery>,
) -> ApiResult<ApiJson<Page<FavouritePerson>>> {
    let window = page.window()?;
    let read = move |conn: &_| favourite::people(conn, visible, window);
    Ok(ApiJson(app.db.read(read).await?))
}
