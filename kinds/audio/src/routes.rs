//! The routes of the audio kind: the words of a song, or of whatever else is heard.

use std::ffi::OsString;
use std::io::Read;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use ledge_core::App;
use ledge_core::access::VisibleFile;
use ledge_core::content::open_blocking;
use ledge_core::http::{ApiError, ApiResult, ErrorBody, Items, inside};
use ledge_core::registry::KindRouter;
use ledge_core::store::location::FileLocation;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::lyrics::{self, Line};
use crate::source::{ReadResult, Source};

/// Longest `.lrc` that is read.
const LONGEST: u64 = 1 << 20;

/// The kind's routes below `/api/v1`.
pub(crate) fn router() -> KindRouter {
    OpenApiRouter::new().routes(routes!(list_lyrics))
}

/// The words of a recording, from one place.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct Lyrics {
    /// `sidecar`: a `.lrc` of the same name beside the file; `file`: the file itself.
    source: &'static str,
    /// Whether the lines have times.
    synced: bool,
    /// Lines in order.
    lines: Vec<Line>,
}

/// The words of a recording: those beside the file first, and those with times before those
/// without.
#[utoipa::path(
    get,
    path = "/kinds/audio/files/{id}/lyrics",
    tag = "audio",
    params(("id" = i64, Path, description = "The file's id")),
    responses(
        (status = 200, description = "What there is, best first; empty where there is nothing",
            body = Items<Lyrics>),
        (status = 404, description = "No such recording, or gone from disk", body = ErrorBody),
        (status = 422, description = "It cannot be read", body = ErrorBody),
    )
)]
async fn list_lyrics(file: VisibleFile, State(app): State<App>) -> ApiResult<Json<Items<Lyrics>>> {
    let location = inside::locate(&app, file, crate::KIND.id).await?;
    let time_limit = app.settings.read_time_limit;
    let items = inside::read("file", move || all(&location, time_limit)).await?;
    let items = items.ok_or(ApiError::NotFound("file"))?;
    Ok(Json(Items { items }))
}

/// Whatever words there are; `None` where the recording is gone.
fn all(location: &FileLocation, time_limit: Duration) -> ReadResult<Option<Vec<Lyrics>>> {
    let Some(media) = open_blocking(&location.root, &location.relative())? else {
        return Ok(None);
    };
    let name = location.name_text().to_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let mut source = Source::new(media.file, time_limit)?;
    let beside = beside(location)?.map(|text| ("sidecar", text));
    // Words that lie beside a damaged recording are as good as ever.
    let inside = match lyrics::inside(&mut source, extension) {
        Err(_) if beside.is_some() => Vec::new(),
        inside => inside?,
    };
    let texts = beside
        .into_iter()
        .chain(inside.into_iter().map(|text| ("file", text)));
    let mut found: Vec<Lyrics> = texts
        .map(|(source, text)| {
            let lines = lyrics::lines(&text);
            Lyrics {
                source,
                synced: lines.iter().any(|line| line.start.is_some()),
                lines,
            }
        })
        .filter(|lyrics| !lyrics.lines.is_empty())
        .collect();
    found.sort_by_key(|lyrics| !lyrics.synced);
    Ok(Some(found))
}

/// The text of a `.lrc` with the recording's name, opened as carefully as the recording.
fn beside(location: &FileLocation) -> ReadResult<Option<String>> {
    for extension in ["lrc", "LRC"] {
        let relative = location.folder.join(sidecar(location, extension));
        let Some(found) = open_blocking(&location.root, &relative)? else {
            continue;
        };
        let mut bytes = Vec::new();
        found.file.take(LONGEST).read_to_end(&mut bytes)?;
        return Ok(Some(lyrics::decode(&bytes)));
    }
    Ok(None)
}

fn sidecar(location: &FileLocation, extension: &str) -> OsString {
    std::path::Path::new(&location.name)
        .with_extension(extension)
        .into_os_string()
}
