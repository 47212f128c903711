//! Entries of playlists.

use axum::extract::State;
use axum::http::StatusCode;
use ledge_core::App;
use ledge_core::http::{ApiError, ApiJson, ApiQuery, ApiResult, ErrorBody, PageQuery, Versioned};
use ledge_core::id::EntryId;
use ledge_core::paging::Page;
use ledge_core::store::user_data::lists::playlist::entry::{self, Entry};
use ledge_core::store::user_data::lists::playlist::{self, Playlist, Playlists};
use ledge_core::store::user_data::lists::user_list;
use ledge_core::version::ExpectedVersion;
use serde::Deserialize;
use utoipa::IntoParams;

use super::request::AddEntries;
use super::versioned;
use crate::http::routes::id_list;
use crate::http::routes::organise::lists::AddedEntries;
use crate::http::routes::organise::lists::access::{Own, Readable, no_list};
use crate::http::routes::organise::lists::request::MoveEntries;

/// Lists the visible entries of a playlist in order.
#[utoipa::path(
    get, path = "/playlists/{id}/entries", tag = "playlists",
    params(("id" = i64, Path, description = "The playlist's id"), PageQuery),
    responses(
        (status = 200, description = "The entries", body = Page<Entry>),
    ),
)]
pub(crate) async fn list_playlist_entries(
    Readable(list): Readable<Playlists>,
    State(app): State<App>,
    ApiQuery(page): ApiQuery<PageQuery>,
) -> ApiResult<Versioned<Page<Entry>>> {
    let window = page.window()?;
    let read = app
        .db
        .read(move |conn| {
            let version = user_list::version(conn, list)?;
            Ok((version, entry::page(conn, list, window)?))
        })
        .await?;
    let (version, body) = read;
    let version = version.ok_or_else(no_list::<Playlists>)?;
    Ok(Versioned { version, body })
}

/// Adds files to a playlist of the user.
#[utoipa::path(
    post, path = "/playlists/{id}/entries", tag = "playlists",
    params(
        ("id" = i64, Path, description = "The playlist's id"),
        ("If-Match" = Option<String>, Header, description = "Expected version"),
    ),
    request_body = AddEntries,
    responses(
        (status = 201, description = "Added", body = AddedEntries),
        (status = 412, description = "The playlist has another version", body = ErrorBody),
    ),
)]
pub(crate) async fn add_playlist_entries(
    Own(list): Own<Playlists>,
    State(app): State<App>,
    expected: ExpectedVersion,
    ApiJson(body): ApiJson<AddEntries>,
) -> ApiResult<(StatusCode, Versioned<AddedEntries>)> {
    let insertion = body.check()?;
    let (now, registry) = (app.clock.now(), app.registry.clone());
    let added = app
        .db
        .write(move |tx| playlist::add(tx, &registry, list, &insertion, &expected, now))
        .await?;
    let added = added.ok_or_else(no_list::<Playlists>)?;
    Ok(AddedEntries::response(added))
}

/// Moves entries of a playlist of the user.
#[utoipa::path(
    patch, path = "/playlists/{id}/entries", tag = "playlists",
    params(
        ("id" = i64, Path, description = "The playlist's id"),
        ("If-Match" = Option<String>, Header, description = "Expected version"),
    ),
    request_body = MoveEntries,
    responses(
        (status = 200, description = "Moved", body = Playlist),
        (status = 412, description = "The playlist has another version", body = ErrorBody),
    ),
)]
pub(crate) async fn move_playlist_entries(
    Own(list): Own<Playlists>,
    State(app): State<App>,
    expected: ExpectedVersion,
    ApiJson(body): ApiJson<MoveEntries>,
) -> ApiResult<Versioned<Playlist>> {
    let (moves, now) = (body.check()?, app.clock.now());
    let changed = app
        .db
        .write(move |tx| user_list::rearrange(tx, list, &moves, &expected, now))
        .await?;
    versioned(changed)
}

/// Entries to delete.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct EntriesQuery {
    /// Ids of 1 to 1,000 entries, separated by commas. Ids that no longer exist are ignored.
    #[param(required = true)]
    id: Option<String>,
}

/// Deletes entries of a playlist of the user.
#[utoipa::path(
    delete, path = "/playlists/{id}/entries", tag = "playlists",
    params(
        ("id" = i64, Path, description = "The playlist's id"),
        EntriesQuery,
        ("If-Match" = Option<String>, Header, description = "Expected version"),
    ),
    responses(
        (status = 200, description = "Deleted", body = Playlist),
        (status = 412, description = "The playlist has another version", body = ErrorBody),
    ),
)]
pub(crate) async fn delete_playlist_entries(
    Own(list): Own<Playlists>,
    State(app): State<App>,
    expected: ExpectedVersion,
    ApiQuery(query): ApiQuery<EntriesQuery>,
) -> ApiResult<Versioned<Playlist>> {
    let ids = query.id.as_deref();
    let ids = ids.ok_or_else(|| ApiError::invalid("id", "Name the entries in `id`."))?;
    let ids = id_list::parse("id", ids, id_list::MAX_IDS, EntryId)?;
    let now = app.clock.now();
    let changed = app
        .db
        .write(move |tx| user_list::remove(tx, list, &ids, &expected, now))
        .await?;
    versioned(changed)
}
