//! Playlists: lists, single ones, and their changes.

mod access;
pub(crate) mod cover;
pub(crate) mod entries;
pub(crate) mod m3u8;
mod request;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use ledge_core::App;
use ledge_core::access::Visible;
use ledge_core::http::{
    ApiJson, ApiQuery, ApiResult, CurrentUser, ErrorBody, PageQuery, Versioned,
};
use ledge_core::paging::Page;
use ledge_core::store::item::Direction;
use ledge_core::store::user_data::playlist::list::{self, PlaylistFilter, PlaylistSort};
use ledge_core::store::user_data::playlist::{self, Playlist};
use ledge_core::version::ExpectedVersion;
use serde::Deserialize;
use utoipa::IntoParams;

use access::{Format, NO_PLAYLIST, Own, Requested};
use request::{CreatePlaylist, UpdatePlaylist};

use crate::http::routes::media::links::BaseUrl;

/// Criteria and order of a list of playlists.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PlaylistsQuery {
    /// Only the user's own playlists, or only those of other users.
    own: Option<bool>,
    /// Only names that contain this text, without regard to case and accents.
    q: Option<String>,
    /// Sort key; the default is `name`.
    #[param(inline)]
    sort: Option<PlaylistSort>,
    /// Direction; the default is `asc`.
    #[param(inline)]
    order: Option<Direction>,
}

impl PlaylistsQuery {
    fn filter(self) -> PlaylistFilter {
        PlaylistFilter {
            own: self.own,
            query: self.q.unwrap_or_default(),
            sort: self.sort.unwrap_or_default(),
            direction: self.order.unwrap_or_default(),
        }
    }
}

/// Lists the user's playlists and the public ones.
#[utoipa::path(
    get, path = "/playlists", tag = "playlists",
    params(PlaylistsQuery, PageQuery),
    responses(
        (status = 200, description = "The playlists", body = Page<Playlist>),
    ),
)]
pub(crate) async fn list_playlists(
    visible: Visible,
    State(app): State<App>,
    ApiQuery(query): ApiQuery<PlaylistsQuery>,
    ApiQuery(page): ApiQuery<PageQuery>,
) -> ApiResult<ApiJson<Page<Playlist>>> {
    let (filter, window) = (query.filter(), page.window()?);
    let page = app
        .db
        .read(move |conn| list::page(conn, visible, &filter, window))
        .await?;
    Ok(ApiJson(page))
}

/// Creates a playlist.
#[utoipa::path(
    post, path = "/playlists", tag = "playlists",
    request_body = CreatePlaylist,
    responses(
        (status = 201, description = "Created", body = Playlist),
        (status = 409, description = "The user has too many playlists", body = ErrorBody),
    ),
)]
pub(crate) async fn create_playlist(
    visible: Visible,
    State(app): State<App>,
    ApiJson(body): ApiJson<CreatePlaylist>,
) -> ApiResult<(StatusCode, Versioned<Playlist>)> {
    let new = body.check()?;
    let (now, registry) = (app.clock.now(), app.registry.clone());
    let created = app
        .db
        .write(move |tx| playlist::create(tx, &registry, visible, &new, now))
        .await?;
    Ok((StatusCode::CREATED, versioned(created)?))
}

/// Returns a playlist.
#[utoipa::path(
    get, path = "/playlists/{id}", tag = "playlists",
    params(
        ("id" = i64, Path, description = "The playlist's id"),
        ("If-Match" = Option<String>, Header, description = "Expected version"),
    ),
    responses(
        (status = 200, description = "The playlist", body = Playlist),
        (status = 412, description = "The playlist has another version", body = ErrorBody),
    ),
)]
pub(crate) async fn get_playlist(
    requested: Requested,
    State(app): State<App>,
    expected: ExpectedVersion,
    user: CurrentUser,
    base: BaseUrl,
) -> ApiResult<Response> {
    let list = requested.playlist;
    if requested.format == Format::M3u8 {
        return m3u8::export(&app, list, user, base).await;
    }
    let found = app.db.read(move |conn| playlist::get(conn, list)).await?;
    let found = versioned(found)?;
    expected.check(found.version)?;
    Ok(found.into_response())
}

/// Changes a playlist of the user.
#[utoipa::path(
    patch, path = "/playlists/{id}", tag = "playlists",
    params(
        ("id" = i64, Path, description = "The playlist's id"),
        ("If-Match" = Option<String>, Header, description = "Expected version"),
    ),
    request_body = UpdatePlaylist,
    responses(
        (status = 200, description = "Changed", body = Playlist),
        (status = 412, description = "The playlist has another version", body = ErrorBody),
    ),
)]
pub(crate) async fn update_playlist(
    Own(list): Own,
    State(app): State<App>,
    expected: ExpectedVersion,
    ApiJson(body): ApiJson<UpdatePlaylist>,
) -> ApiResult<Versioned<Playlist>> {
    let (patch, now) = (body.check()?, app.clock.now());
    let changed = app
        .db
        .write(move |tx| playlist::update(tx, list, patch, &expected, now))
        .await?;
    versioned(changed)
}

/// Deletes a playlist of the user. The files stay.
#[utoipa::path(
    delete, path = "/playlists/{id}", tag = "playlists",
    params(
        ("id" = i64, Path, description = "The playlist's id"),
        ("If-Match" = Option<String>, Header, description = "Expected version"),
    ),
    responses(
        (status = 204, description = "Deleted"),
        (status = 412, description = "The playlist has another version", body = ErrorBody),
    ),
)]
pub(crate) async fn delete_playlist(
    Own(list): Own,
    State(app): State<App>,
    expected: ExpectedVersion,
) -> ApiResult<StatusCode> {
    let deleted = app
        .db
        .write(move |tx| playlist::delete(tx, list, &expected))
        .await?;
    deleted.then_some(StatusCode::NO_CONTENT).ok_or(NO_PLAYLIST)
}

/// Returns a playlist with its version, or 404 if it has been deleted in the meantime.
fn versioned(playlist: Option<Playlist>) -> ApiResult<Versioned<Playlist>> {
    let body = playlist.ok_or(NO_PLAYLIST)?;
    Ok(Versioned {
        version: body.version,
        body,
    })
}
