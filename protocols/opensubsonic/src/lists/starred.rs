//! Starred songs, albums and artists.

use std::collections::HashSet;

use ledge_core::access::Visible;
use ledge_core::db::item_index::IndexSnapshot;
use ledge_core::error::StoreResult;
use ledge_core::http::recordings::Recordings;
use ledge_core::id::{FileId, ItemId, LibraryId, PersonId};
use ledge_core::paging::Window;
use ledge_core::store::file::recording::{self, RecordedItem, genre};
use ledge_core::store::item::{self, Filter, Order};
use ledge_core::store::user_data::favourite;
use rusqlite::Connection;

use crate::elements;
use crate::envelope::{Outcome, reply};
use crate::failure::Failure;
use crate::mapping::{self, Elements};
use crate::node::Node;
use crate::params::{Call, scope};

/// Limit of the starred objects of one type.
const MAX_STARRED: u32 = 10_000;

/// Starred objects of a user.
struct Starred {
    albums: Vec<RecordedItem>,
    songs: Vec<FileId>,
    artists: Vec<PersonId>,
}

/// Handles `getStarred`.
pub(crate) async fn starred(call: Call) -> Outcome {
    respond(&call, "starred", mapping::FOLDERS).await
}

/// Handles `getStarred2`.
pub(crate) async fn starred2(call: Call) -> Outcome {
    respond(&call, "starred2", mapping::TAGS).await
}

async fn respond(call: &Call, name: &'static str, form: Elements) -> Outcome {
    let (visible, library) = (call.visible, call.library()?);
    let read = move |conn: &Connection, view: &IndexSnapshot| {
        let albums = starred_albums(conn, view, visible, library)?;
        let albums = recording::items(conn, visible, &albums)?;
        Ok(Starred {
            songs: starred_songs(conn, visible, library, &albums)?,
            artists: starred_artists(conn, visible, library)?,
            albums,
        })
    };
    let starred = call
        .app
        .db
        .read_with_index(read)
        .await
        .map_err(Failure::from)?;
    let albums: Vec<Node> = starred.albums.iter().filter_map(form.album).collect();
    let node = Node::new()
        .with(
            "artist",
            elements::artists(call, starred.artists, form.artist).await?,
        )
        .with("album", albums)
        .with("song", elements::songs(call, starred.songs).await?);
    reply(name, node)
}

fn starred_albums(
    conn: &Connection,
    view: &IndexSnapshot,
    visible: Visible,
    library: Option<LibraryId>,
) -> StoreResult<Vec<ItemId>> {
    let filter = Filter {
        kinds: Recordings::kinds(),
        library,
        favourite: Some(true),
        missing: Some(false),
        ..Filter::default()
    };
    let window = Window {
        offset: 0,
        limit: MAX_STARRED,
    };
    let (items, _) = item::page_ids(conn, view, visible, &filter, Order::default(), window)?;
    Ok(items)
}

/// Returns the starred songs. The star of an album with one song is the star of the song.
fn starred_songs(
    conn: &Connection,
    visible: Visible,
    library: Option<LibraryId>,
    albums: &[RecordedItem],
) -> StoreResult<Vec<FileId>> {
    let kinds = Recordings::kinds();
    let stars = favourite::file_ids(conn, visible, library, &kinds, MAX_STARRED)?;
    let single = albums.iter().filter(|album| album.files == 1);
    let single: Vec<ItemId> = single.map(|album| album.id).collect();
    let scope = scope(visible, library, &kinds);
    let mut songs = genre::parts_of_items(conn, scope, &single, MAX_STARRED)?;
    let known: HashSet<FileId> = songs.iter().copied().collect();
    songs.extend(stars.into_iter().filter(|song| !known.contains(song)));
    Ok(songs)
}

/// Returns the starred artists.
fn starred_artists(
    conn: &Connection,
    visible: Visible,
    library: Option<LibraryId>,
) -> StoreResult<Vec<PersonId>> {
    favourite::person_ids(conn, visible, library, MAX_STARRED)
}
