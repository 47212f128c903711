//! Search, and the walk along the whole library that a search for nothing is.

use ledge_core::access::Visible;
use ledge_core::db::item_index::IndexSnapshot;
use ledge_core::error::StoreResult;
use ledge_core::http::recordings::Recordings;
use ledge_core::id::{FileId, ItemId, LibraryId, PersonId};
use ledge_core::paging::Window;
use ledge_core::search::{self, parts};
use ledge_core::store::file::recording::author;
use ledge_core::store::file::recording::walk::Noun;
use rusqlite::Connection;

use crate::elements;
use crate::envelope::{Outcome, reply};
use crate::failure::Failure;
use crate::lists::cursor::Walk;
use crate::mapping::{self, Elements};
use crate::node::Node;
use crate::params::{Call, MAX_RESULTS, scope};

/// Number of results of a type if the request names none.
const DEFAULT: u32 = 20;

/// Number of matching albums and artists that are found.
const MAX_MATCHES: usize = 2_000;

/// Parts of the result that a request asks for.
struct Windows {
    artists: Window,
    albums: Window,
    songs: Window,
}

/// Results of a search.
struct Found {
    artists: Vec<PersonId>,
    albums: Vec<ItemId>,
    songs: Vec<FileId>,
}

/// Handles `search2`.
pub(crate) async fn search2(call: Call) -> Outcome {
    respond(&call, "searchResult2", mapping::FOLDERS).await
}

/// Handles `search3`.
pub(crate) async fn search3(call: Call) -> Outcome {
    respond(&call, "searchResult3", mapping::TAGS).await
}

async fn respond(call: &Call, name: &'static str, form: Elements) -> Outcome {
    let window = |offset: &str, count: &str| -> Result<Window, Failure> {
        Ok(Window {
            offset: call.offset(offset)?,
            limit: call.count(count, DEFAULT, MAX_RESULTS)?,
        })
    };
    let windows = Windows {
        artists: window("artistOffset", "artistCount")?,
        albums: window("albumOffset", "albumCount")?,
        songs: window("songOffset", "songCount")?,
    };
    let library = call.library()?;
    let query = call.text("query").unwrap_or_default();
    let found = if query.is_empty() || query == "\"\"" {
        everything(call, library, windows).await?
    } else {
        matches(call, library, query.to_owned(), windows).await?
    };
    let node = Node::new()
        .with(
            "artist",
            elements::artists(call, found.artists, form.artist).await?,
        )
        .with(
            "album",
            elements::albums_as(call, found.albums, form.album).await?,
        )
        .with("song", elements::songs(call, found.songs).await?);
    reply(name, node)
}

/// Returns a part of the whole library in the order of the ids, which is stable across requests.
async fn everything(
    call: &Call,
    library: Option<LibraryId>,
    windows: Windows,
) -> Result<Found, Failure> {
    let walk = |noun, window| {
        let walk = Walk {
            user: call.user.id,
            app: call
                .text("c")
                .unwrap_or_default()
                .chars()
                .take(64)
                .collect(),
            library,
            noun,
        };
        walk.page(&call.app.db, window)
    };
    let artists = walk(Noun::Author, windows.artists).await?;
    let albums = walk(Noun::Item, windows.albums).await?;
    let songs = walk(Noun::Part, windows.songs).await?;
    Ok(Found {
        artists: artists.into_iter().map(PersonId).collect(),
        albums: albums.into_iter().map(ItemId).collect(),
        songs: songs.into_iter().map(FileId).collect(),
    })
}

async fn matches(
    call: &Call,
    library: Option<LibraryId>,
    query: String,
    windows: Windows,
) -> Result<Found, Failure> {
    let visible = call.visible;
    let read = move |conn: &Connection, view: &IndexSnapshot| {
        Ok(Found {
            artists: artists(conn, visible, library, &query, windows.artists)?,
            albums: albums(conn, view, visible, library, &query, windows.albums)?,
            songs: parts::find(conn, visible, library, &query, windows.songs)?,
        })
    };
    Ok(call.app.db.read_with_index(read).await?)
}

/// Returns the artists whose names contain all words.
fn artists(
    conn: &Connection,
    visible: Visible,
    library: Option<LibraryId>,
    query: &str,
    window: Window,
) -> StoreResult<Vec<PersonId>> {
    if window.limit == 0 {
        return Ok(Vec::new());
    }
    let query = search::fold(query);
    let words: Vec<&str> = query
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let kinds = Recordings::kinds();
    let found = author::containing(conn, scope(visible, library, &kinds), &words)?;
    let mut authors: Vec<(PersonId, String)> = found.into_iter().collect();
    authors.sort_unstable_by(|(id, name), (other_id, other)| {
        let key = |name: &str| (name != query, !name.starts_with(&query));
        (key(name), name, id).cmp(&(key(other), other, other_id))
    });
    Ok(part(authors.into_iter().map(|(id, _)| id), window))
}

fn albums(
    conn: &Connection,
    view: &IndexSnapshot,
    visible: Visible,
    library: Option<LibraryId>,
    query: &str,
    window: Window,
) -> StoreResult<Vec<ItemId>> {
    if window.limit == 0 {
        return Ok(Vec::new());
    }
    let kinds = Recordings::kinds();
    let wanted = search::Query {
        text: query,
        kind: None,
        limit: MAX_MATCHES,
        fuzzy: true,
    };
    let found = search::find(conn, view, visible, &kinds, &wanted)?;
    let groups = found.groups.into_iter();
    let groups = groups.filter(|group| kinds.contains(&group.kind.as_str()));
    let items = groups.flat_map(|group| group.items);
    let is_wanted = |item: &ItemId| {
        let bucket = view.bucket(*item);
        library.is_none_or(|library| bucket.is_some_and(|bucket| bucket.library == library))
    };
    Ok(part(items.filter(is_wanted), window))
}

fn part<T>(all: impl Iterator<Item = T>, window: Window) -> Vec<T> {
    let skipped = usize::try_from(window.offset).unwrap_or(usize::MAX);
    all.skip(skipped).take(window.limit as usize).collect()
}
