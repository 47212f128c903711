//! Data of the user: stars, ratings, plays, playlists, the queue and bookmarks.

pub(crate) mod bookmarks;
pub(crate) mod marks;
pub(crate) mod playlists;
pub(crate) mod plays;
pub(crate) mod queue;

use ledge_core::access::Visible;
use ledge_core::error::StoreResult;
use ledge_core::http::recordings::{Form, Recordings};
use ledge_core::id::FileId;
use ledge_core::store::account::user;
use ledge_core::store::file::recording::{self, KnownPart};
use ledge_core::store::user_data::progress::NewProgress;
use rusqlite::{Connection, Transaction};

use crate::failure::Failure;
use crate::ids::Id;
use crate::params::Call;

/// Limit of the name of a program in characters.
const MAX_PROGRAM: usize = 64;
/// Program without a name.
const UNNAMED: &str = "OpenSubsonic";

/// Result of a write. A refusal is returned before anything is written.
type Written<T> = StoreResult<Result<T, Failure>>;

/// Runs a write.
async fn write<T: Send + 'static>(
    call: &Call,
    run: impl FnOnce(&Transaction<'_>) -> Written<T> + Send + 'static,
) -> Result<T, Failure> {
    call.app.db.write(run).await?
}

/// Returns the name of the user.
async fn username(call: &Call) -> Result<String, Failure> {
    let id = call.user.id;
    let found = call.app.db.read(move |conn| user::get(conn, id)).await?;
    found
        .map(|user| user.username)
        .ok_or_else(Failure::not_found)
}

/// Returns the name of the program that sends the request.
fn program(call: &Call) -> String {
    let name = call.text("c").unwrap_or_default().chars();
    let name = name.filter(|c| !c.is_control()).take(MAX_PROGRAM);
    let name: String = name.collect();
    let name = name.trim();
    if name.is_empty() { UNNAMED } else { name }.to_owned()
}

/// Returns the songs of a parameter.
fn songs(call: &Call, name: &str) -> Result<Vec<FileId>, Failure> {
    let ids = call.ids(name)?.into_iter();
    ids.map(song).collect()
}

fn song(id: Id) -> Result<FileId, Failure> {
    match id {
        Id::Song(id) => Ok(id),
        _ => Err(Failure::not_found()),
    }
}

/// Returns a song, or the error of an absent object.
fn find_song(conn: &Connection, visible: Visible, id: FileId) -> Written<KnownPart> {
    let part = recording::find_part(conn, visible, &Recordings::kinds(), id)?;
    Ok(part.ok_or_else(Failure::not_found))
}

/// Returns `true` if all songs are visible and present.
fn are_known(conn: &Connection, visible: Visible, songs: &[FileId]) -> StoreResult<bool> {
    let kinds = Recordings::kinds();
    for id in songs {
        if recording::find_part(conn, visible, &kinds, *id)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns `true` for items whose parts are resumed where the user stopped.
fn is_book(kind: &str, subkind: Option<&str>) -> bool {
    Recordings::of_kind(kind).is_some_and(|kind| (kind.form)(subkind) == Form::Book)
}

/// Position in a file, at most its end.
#[derive(Debug, Clone, Copy)]
struct PartPlace {
    millis: i64,
}

impl PartPlace {
    fn new(part: &KnownPart, millis: i64) -> Self {
        let end = part.extent.map(|seconds| seconds.saturating_mul(1000));
        Self {
            millis: end.map_or(millis, |end| millis.min(end)),
        }
    }

    /// Returns the progress at this position. The rest of a second is its part within the second.
    fn progress(self, file: FileId) -> NewProgress {
        let rest = u16::try_from(self.millis % 1000).unwrap_or(0);
        NewProgress {
            file: Some(file),
            position: self.millis / 1000,
            within: (rest > 0).then(|| f64::from(rest) / 1000.0),
            ..NewProgress::default()
        }
    }
}

/// Returns a position in milliseconds that is 0 or more.
fn millis(call: &Call, name: &str) -> Result<Option<i64>, Failure> {
    match call.integer(name)? {
        Some(position) if position < 0 => Err(Failure::parameter(name)),
        position => Ok(position),
    }
}

/// Removes control characters other than line breaks and tabs from a comment. An empty comment is
/// absent.
fn comment(call: &Call) -> Result<Option<String>, Failure> {
    const MAX_COMMENT: usize = 5_000;
    let text = call.text("comment").unwrap_or_default().chars();
    let text: String = text
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
        .collect();
    if text.chars().count() > MAX_COMMENT {
        return Err(Failure::parameter("comment"));
    }
    Ok(Some(text).filter(|text| !text.is_empty()))
}
