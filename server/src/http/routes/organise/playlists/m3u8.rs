//! Playlists for the players of other programs, in the format M3U with UTF-8.

use std::fmt::Write as _;

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use ledge_core::App;
use ledge_core::http::content::disposition::attachment;
use ledge_core::http::{ApiError, ApiResult, CurrentSession};
use ledge_core::store::account::ticket;
use ledge_core::store::user_data::lists::playlist::export::{self, Export, Track};
use ledge_core::store::user_data::lists::playlist::{Playlists, ReadablePlaylist};

use crate::http::routes::media::links::BaseUrl;
use crate::http::routes::organise::lists::access::no_list;
use crate::http::session::cookie::Token;

/// Description of the export. The router passes its requests to the handler of the playlist,
/// because it cannot match a part of a segment.
#[derive(utoipa::OpenApi)]
#[openapi(paths(get_playlist_m3u8))]
pub(crate) struct M3u8ApiDoc;

/// Exports a playlist for other players. Each entry has a link that needs no session. Missing files
/// are left out.
#[utoipa::path(
    get, path = "/playlists/{id}.m3u8", tag = "playlists",
    params(("id" = i64, Path, description = "The playlist's id")),
    responses(
        (status = 200, description = "The playlist", body = String, content_type = "audio/mpegurl"),
    ),
)]
#[expect(dead_code, reason = "only the OpenAPI document uses it")]
fn get_playlist_m3u8() {}

/// Returns the playlist with a new ticket for each file.
pub(super) async fn export(
    app: &App,
    list: ReadablePlaylist,
    session: CurrentSession,
    base: BaseUrl,
) -> ApiResult<Response> {
    let now = app.clock.now();
    let exported = app.db.write(move |tx| {
        let Some(export) = export::export(tx, list)? else {
            return Ok(None);
        };
        let tokens: Vec<Token> = export.tracks.iter().map(|_| Token::random()).collect();
        let files = export.tracks.iter().map(|track| track.file);
        let tickets: Vec<_> = tokens.iter().map(Token::hash).zip(files).collect();
        let is_signed_in = ticket::create_all(tx, &tickets, &session.0, now)?;
        Ok(Some((export, tokens, is_signed_in)))
    });
    let (export, tokens, is_signed_in) = exported.await?.ok_or_else(no_list::<Playlists>)?;
    if !is_signed_in {
        return Err(ApiError::Unauthenticated("Sign in first."));
    }
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("audio/mpegurl"),
        ),
        // The links are secrets.
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (
            header::CONTENT_DISPOSITION,
            attachment(&format!("{}.m3u8", export.name)),
        ),
    ];
    let urls = export.tracks.iter().zip(&tokens);
    let urls = urls.map(|(track, token)| base.of_file(track.file, token));
    Ok((headers, text(&export, urls)).into_response())
}

/// Returns the text of a playlist, with the URLs of its tracks.
fn text(export: &Export, urls: impl Iterator<Item = String>) -> String {
    let mut text = format!("#EXTM3U\n#PLAYLIST:{}\n", on_one_line(&export.name));
    for (track, url) in export.tracks.iter().zip(urls) {
        // -1 is the length of a track of unknown length.
        let seconds = track.duration.unwrap_or(-1);
        let label = on_one_line(&label(track));
        writeln!(text, "#EXTINF:{seconds},{label}\n{url}").expect("a string takes any text");
    }
    text
}

fn label(track: &Track) -> String {
    let Track { authors, title, .. } = track;
    if authors.is_empty() {
        return title.clone();
    }
    format!("{authors} - {title}")
}

/// Replaces control characters with spaces, because a line break would begin another entry.
fn on_one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use ledge_core::id::FileId;

    use super::*;

    fn track(duration: Option<i64>, authors: &str, title: &str) -> Track {
        Track {
            file: FileId(1),
            duration,
            authors: authors.to_owned(),
            title: title.to_owned(),
        }
    }

    #[test]
    fn every_entry_has_two_lines_without_control_characters() {
        let export = Export {
            name: "Night\u{1b}[2J".to_owned(),
            tracks: vec![
                track(Some(61), "Ann, Bob", "One\r\n#EXTINF:0,Two"),
                track(None, "", "T\u{85}h\u{0}ree"),
            ],
        };
        let urls = ["a", "b"].map(|path| format!("http://ledge/{path}"));
        assert_eq!(
            text(&export, urls.into_iter()),
            "#EXTM3U\n#PLAYLIST:Night [2J\n\
             #EXTINF:61,Ann, Bob - One  #EXTINF:0,Two\nhttp://ledge/a\n\
             #EXTINF:-1,T h ree\nhttp://ledge/b\n"
        );
    }
}
