//! Playlists: lists, single ones, and their changes.

pub(crate) mod entries;
pub(crate) mod m3u8;
mod request;

use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use ledge_core::App;
use ledge_core::access::Visible;
use ledge_core::http::{
    ApiError, ApiJson, ApiQuery, ApiResult, CurrentSession, ErrorBody, PageQuery, Versioned,
};
use ledge_core::paging::Page;
use ledge_core::store::user_data::lists::playlist::{self, Playlist, Playlists, ReadablePlaylist};
use ledge_core::store::user_data::lists::user_list::{self, cover, overview};
use ledge_core::version::ExpectedVersion;

use request::CreatePlaylist;

use super::lists::ListsQuery;
use super::lists::access::{self, Own, Readable, no_list};
use super::lists::cover::{MosaicQuery, mosaic_of};
use super::lists::request::UpdateList;
use crate::http::routes::media::links::BaseUrl;

/// Suffix of the path of an exported playlist. The router cannot match a part of a segment.
const M3U8: &str = ".m3u8";

/// A playlist that the user can read, and the requested format.
#[derive(Debug)]
pub(crate) struct Requested {
    playlist: ReadablePlaylist,
    format: Format,
}

/// Format of a playlist, according to the suffix of its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Json,
    M3u8,
}

impl FromRequestParts<App> for Requested {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Self::Rejection> {
        let segment = access::segment::<Playlists>(parts, app).await?;
        let (id, format) = match segment.strip_suffix(M3U8) {
            Some(id) => (id, Format::M3u8),
            None => (segment.as_str(), Format::Json),
        };
        let playlist = access::find(parts, app, id).await?;
        Ok(Self { playlist, format })
    }
}

/// Lists the user's playlists and the public ones.
#[utoipa::path(
    get, path = "/playlists", tag = "playlists",
    params(ListsQuery, PageQuery),
    responses(
        (status = 200, description = "The playlists", body = Page<Playlist>),
    ),
)]
pub(crate) async fn list_playlists(
    visible: Visible,
    State(app): State<App>,
    ApiQuery(query): ApiQuery<ListsQuery>,
    ApiQuery(page): ApiQuery<PageQuery>,
) -> ApiResult<ApiJson<Page<Playlist>>> {
    let (filter, window) = (query.filter(), page.window()?);
    let page = app
        .db
        .read(move |conn| overview::page::<Playlists>(conn, visible, &filter, window))
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
    let (new, additions) = body.check()?;
    let (now, registry) = (app.clock.now(), app.registry.clone());
    let created = app
        .db
        .write(move |tx| playlist::create(tx, &registry, visible, &new, &additions, now))
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
    session: CurrentSession,
    base: BaseUrl,
) -> ApiResult<Response> {
    let list = requested.playlist;
    if requested.format == Format::M3u8 {
        return m3u8::export(&app, list, session, base).await;
    }
    let found = app.db.read(move |conn| user_list::get(conn, list)).await?;
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
    request_body = UpdateList,
    responses(
        (status = 200, description = "Changed", body = Playlist),
        (status = 412, description = "The playlist has another version", body = ErrorBody),
    ),
)]
pub(crate) async fn update_playlist(
    Own(list): Own<Playlists>,
    State(app): State<App>,
    expected: ExpectedVersion,
    ApiJson(body): ApiJson<UpdateList>,
) -> ApiResult<Versioned<Playlist>> {
    let (patch, now) = (body.check()?, app.clock.now());
    let changed = app
        .db
        .write(move |tx| playlist::update(tx, list, &patch, &expected, now))
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
    Own(list): Own<Playlists>,
    State(app): State<App>,
    expected: ExpectedVersion,
) -> ApiResult<StatusCode> {
    let deleted = app
        .db
        .write(move |tx| user_list::delete(tx, list, &expected))
        .await?;
    deleted
        .then_some(StatusCode::NO_CONTENT)
        .ok_or_else(no_list::<Playlists>)
}

/// Returns a playlist with its version, or 404 if it has been deleted in the meantime.
fn versioned(playlist: Option<Playlist>) -> ApiResult<Versioned<Playlist>> {
    let body = playlist.ok_or_else(no_list::<Playlists>)?;
    Ok(Versioned {
        version: body.version,
        body,
    })
}

/// Returns a mosaic of the first four distinct covers that the user sees in a playlist.
#[utoipa::path(
    method(get, head),
    path = "/playlists/{id}/cover",
    tag = "playlists",
    params(
        ("id" = i64, Path, description = "The playlist's id"),
        MosaicQuery,
        ("If-None-Match" = Option<String>, Header, description = "Known ETag"),
    ),
    responses(
        (status = 200, description = "The image", content_type = "image/jpeg"),
        (status = 304, description = "Not modified"),
        (status = 404, description = "No such playlist, or it has no cover", body = ErrorBody),
        (status = 412, description = "The precondition failed", body = ErrorBody),
    )
)]
pub(crate) async fn get_playlist_cover(
    Readable(list): Readable<Playlists>,
    State(app): State<App>,
    ApiQuery(query): ApiQuery<MosaicQuery>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let tiles = app.db.read(move |conn| cover::tiles(conn, list)).await?;
    let tiles = tiles.ok_or_else(no_list::<Playlists>)?;
    mosaic_of(&app, tiles, &query, &headers).await
}
