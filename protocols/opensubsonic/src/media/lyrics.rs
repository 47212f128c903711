//! Lyrics, by the id of a song or by its artist and title.

use ledge_core::http::ApiError;
use ledge_core::http::recordings::{Lyrics, LyricsLine, LyricsRequest, Recordings};
use ledge_core::id::FileId;
use ledge_core::paging::Window;
use ledge_core::search::{self, parts};
use ledge_core::store::file::recording::{self, RecordedPart};
use rusqlite::Connection;

use crate::envelope::{Outcome, reply};
use crate::failure::Failure;
use crate::ids::Id;
use crate::mapping;
use crate::media::stream::visible_song;
use crate::node::{Node, Value};
use crate::params::Call;

/// Language of all lyrics: no tag states it.
const UNDETERMINED: &str = "und";

/// Number of songs with a title that are compared with the artist.
const MAX_CANDIDATES: u32 = 20;

/// Handles `getLyricsBySongId`.
pub(crate) async fn lyrics_by_song_id(call: Call) -> Outcome {
    let Id::Song(file) = call.id("id")? else {
        return Err(Failure::not_found());
    };
    let visible = call.visible;
    let read = move |conn: &Connection| recording::parts(conn, visible, &[file]);
    let songs = call.app.db.read(read).await?;
    let song = songs.into_iter().next().ok_or_else(Failure::not_found)?;
    let names = mapping::names(&song).ok_or_else(Failure::not_found)?;
    let lyrics = lyrics(&call, &song).await?;
    let structured = |lyrics: &Lyrics| {
        let lines: Vec<Node> = lyrics.lines.iter().map(line).collect();
        Node::new()
            .with("lang", UNDETERMINED)
            .with("synced", lyrics.is_synced)
            .with_some("displayArtist", names.artist.clone())
            .with("displayTitle", names.title.as_str())
            .with("line", lines)
    };
    let structured: Vec<Node> = lyrics.iter().map(structured).collect();
    reply(
        "lyricsList",
        Node::new().with("structuredLyrics", structured),
    )
}

fn line(line: &LyricsLine) -> Node {
    Node::new()
        .with_some("start", line.start)
        .with("value", Value::Content(line.text.clone()))
}

/// Handles `getLyrics`. The text is empty if no song has this artist and title.
pub(crate) async fn lyrics_by_name(call: Call) -> Outcome {
    let (artist, title) = (call.text("artist"), call.text("title"));
    let Some(title) = title.filter(|title| !title.is_empty()) else {
        return reply("lyrics", without_text());
    };
    let wanted = artist.map(search::fold);
    for song in candidates(&call, title).await? {
        let Some(names) = mapping::names(&song) else {
            continue;
        };
        let is_title = search::fold(&names.title) == search::fold(title);
        let by = names
            .artist
            .as_deref()
            .map(search::fold)
            .unwrap_or_default();
        let is_artist = wanted.as_ref().is_none_or(|wanted| by.contains(wanted));
        if !is_title || !is_artist {
            continue;
        }
        let Some(lyrics) = lyrics(&call, &song).await?.into_iter().next() else {
            continue;
        };
        let lines: Vec<String> = lyrics.lines.into_iter().map(|line| line.text).collect();
        let node = Node::new()
            .with_some("artist", names.artist)
            .with("title", names.title)
            .with("value", Value::Content(lines.join("\n")));
        return reply("lyrics", node);
    }
    reply("lyrics", without_text())
}

/// Returns the element of no lyrics. Its text is required.
fn without_text() -> Node {
    Node::new().with("value", Value::Content(String::new()))
}

async fn candidates(call: &Call, title: &str) -> Result<Vec<RecordedPart>, Failure> {
    let (visible, title) = (call.visible, title.to_owned());
    let read = move |conn: &Connection| {
        let window = Window {
            offset: 0,
            limit: MAX_CANDIDATES,
        };
        let files: Vec<FileId> = parts::find(conn, visible, None, &title, window)?;
        recording::parts(conn, visible, &files)
    };
    Ok(call.app.db.read(read).await?)
}

/// Reads the lyrics of a song. A file that cannot be read has none.
async fn lyrics(call: &Call, song: &RecordedPart) -> Result<Vec<Lyrics>, Failure> {
    let recordings = Recordings::of_kind(&song.item.kind).ok_or_else(Failure::not_found)?;
    let request = LyricsRequest {
        app: call.app.clone(),
        file: visible_song(call, song.id).await?,
    };
    match (recordings.lyrics)(request).await {
        Ok(lyrics) => Ok(lyrics),
        Err(ApiError::Invalid { .. } | ApiError::NotFound(_)) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}
