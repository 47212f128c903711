//! Playlists of requests, with their access checks.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use ledge_core::App;
use ledge_core::access::Visible;
use ledge_core::http::{ApiError, ApiResult, parse_id};
use ledge_core::id::PlaylistId;
use ledge_core::store::user_data::playlist::{self, OwnPlaylist, ReadablePlaylist};

/// Response to a playlist that is absent or not readable.
pub(super) const NO_PLAYLIST: ApiError = ApiError::NotFound("playlist");

/// Suffix of the path of an exported playlist. The router cannot match a part of a segment.
const M3U8: &str = ".m3u8";

/// A playlist that the user can read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Readable(pub(super) ReadablePlaylist);

/// A playlist of the user. Another user's public playlist is refused.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Own(pub(super) OwnPlaylist);

/// A playlist that the user can read, and the requested format.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Requested {
    pub(super) playlist: ReadablePlaylist,
    pub(super) format: Format,
}

/// Format of a playlist, according to the suffix of its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Json,
    M3u8,
}

async fn segment(parts: &mut Parts, app: &App) -> ApiResult<String> {
    let path = Path::<String>::from_request_parts(parts, app).await;
    let Path(segment) = path.map_err(|_| NO_PLAYLIST)?;
    Ok(segment)
}

async fn find(parts: &mut Parts, app: &App, id: &str) -> ApiResult<ReadablePlaylist> {
    let visible = Visible::from_request_parts(parts, app).await?;
    let id = parse_id(id).map(PlaylistId).ok_or(NO_PLAYLIST)?;
    let found = app
        .db
        .read_inline(move |conn| playlist::find(conn, visible, id))
        .await?;
    found.ok_or(NO_PLAYLIST)
}

impl FromRequestParts<App> for Readable {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Self::Rejection> {
        let id = segment(parts, app).await?;
        find(parts, app, &id).await.map(Self)
    }
}

impl FromRequestParts<App> for Own {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Self::Rejection> {
        let Readable(playlist) = Readable::from_request_parts(parts, app).await?;
        let refusal = "Only the owner can change a playlist.";
        let own = playlist.own();
        own.map(Self)
            .ok_or_else(|| ApiError::Forbidden(refusal.to_owned()))
    }
}

impl FromRequestParts<App> for Requested {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Self::Rejection> {
        let segment = segment(parts, app).await?;
        let (id, format) = match segment.strip_suffix(M3U8) {
            Some(id) => (id, Format::M3u8),
            None => (segment.as_str(), Format::Json),
        };
        let playlist = find(parts, app, id).await?;
        Ok(Self { playlist, format })
    }
}
