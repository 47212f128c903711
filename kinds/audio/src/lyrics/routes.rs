//! Lyrics of a recording, as a route and for other programs.

use std::ffi::OsString;
use std::io::Read;
use std::time::Duration;

use axum::extract::State;
use futures_util::future::BoxFuture;
use ledge_core::App;
use ledge_core::access::VisibleFile;
use ledge_core::fs::open_blocking;
use ledge_core::http::recordings;
use ledge_core::http::{ApiError, ApiJson, ApiResult, ErrorBody, inside};
use ledge_core::paging::Items;
use ledge_core::store::file::location::FileLocation;
use ledge_formats::ReadResult;
use serde::Serialize;
use utoipa::ToSchema;

use super::lines::{self, Line};
use crate::{read, text};

/// Maximum size of an `.lrc` file, in bytes.
const MAX_SIDECAR_SIZE: u64 = 1 << 20;

/// Lyrics of a recording from one source.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct Lyrics {
    /// Source: `sidecar` is an `.lrc` file with the recording's name, `file` is the recording
    /// itself.
    source: &'static str,
    /// `true` if the lines have times.
    synced: bool,
    /// Lines in playing order.
    lines: Vec<Line>,
}

/// Lists the lyrics of a recording. Synced lyrics come first; within each group, a sidecar file
/// precedes the recording's tags.
#[utoipa::path(
    get,
    path = "/kinds/audio/files/{id}/lyrics",
    tag = "audio",
    params(("id" = i64, Path, description = "The file's id")),
    responses(
        (status = 200, description = "Lyrics, best first; empty if there are none",
            body = Items<Lyrics>),
        (status = 404, description = "The recording does not exist, or its file is missing", body = ErrorBody),
        (status = 422, description = "The file cannot be read", body = ErrorBody),
    )
)]
pub(crate) async fn list_lyrics(
    file: VisibleFile,
    State(app): State<App>,
) -> ApiResult<ApiJson<Items<Lyrics>>> {
    let items = read_all(&app, file).await?;
    Ok(ApiJson(Items { items }))
}

async fn read_all(app: &App, file: VisibleFile) -> ApiResult<Vec<Lyrics>> {
    let location = inside::locate(app, file, crate::KIND.id).await?;
    let time_limit = app.settings.read_time_limit;
    let items = inside::read("file", move || all_lyrics(&location, time_limit)).await?;
    items.ok_or(ApiError::NotFound("file"))
}

/// Reads the lyrics of a part for other programs.
pub(crate) fn of_part(
    request: recordings::LyricsRequest,
) -> BoxFuture<'static, ApiResult<Vec<recordings::Lyrics>>> {
    Box::pin(async move {
        let lyrics = read_all(&request.app, request.file).await?;
        Ok(lyrics.into_iter().map(Lyrics::for_programs).collect())
    })
}

impl Lyrics {
    fn for_programs(self) -> recordings::Lyrics {
        let line = |line: Line| recordings::LyricsLine {
            start: line.start.map(milliseconds),
            text: line.text,
        };
        recordings::Lyrics {
            is_synced: self.synced,
            lines: self.lines.into_iter().map(line).collect(),
        }
    }
}

fn milliseconds(seconds: f64) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "the conversion saturates")]
    let milliseconds = (seconds * 1_000.0).round() as i64;
    milliseconds
}

/// Reads the lyrics of a recording. Returns `None` if its file is missing.
fn all_lyrics(location: &FileLocation, time_limit: Duration) -> ReadResult<Option<Vec<Lyrics>>> {
    let Some(media) = open_blocking(&location.root, &location.relative())? else {
        return Ok(None);
    };
    let name = location.name_text().to_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let mut source = read::open(media.file, time_limit)?;
    let sidecar_text = sidecar_text(location)?.map(|text| ("sidecar", text));
    // A sidecar file remains usable if the recording is damaged.
    let embedded = match lines::embedded(&mut source, extension) {
        Err(_) if sidecar_text.is_some() => Vec::new(),
        embedded => embedded?,
    };
    let texts = sidecar_text
        .into_iter()
        .chain(embedded.into_iter().map(|text| ("file", text)));
    let mut found: Vec<Lyrics> = texts
        .map(|(source, text)| {
            let lines = lines::parse(&text);
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

/// Reads the `.lrc` file with the recording's name. It is opened with the same checks as the
/// recording.
fn sidecar_text(location: &FileLocation) -> ReadResult<Option<String>> {
    for extension in ["lrc", "LRC"] {
        let relative = location.folder.join(sidecar(location, extension));
        let Some(found) = open_blocking(&location.root, &relative)? else {
            continue;
        };
        let mut bytes = Vec::new();
        found.file.take(MAX_SIDECAR_SIZE).read_to_end(&mut bytes)?;
        return Ok(Some(text::decode(&bytes)));
    }
    Ok(None)
}

fn sidecar(location: &FileLocation, extension: &str) -> OsString {
    std::path::Path::new(&location.name)
        .with_extension(extension)
        .into_os_string()
}
