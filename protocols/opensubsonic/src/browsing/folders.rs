//! Music folders, which are the libraries with recordings, and directories.

use ledge_core::access::Visible;
use ledge_core::error::StoreResult;
use ledge_core::http::parse_id;
use ledge_core::http::recordings::Recordings;
use ledge_core::id::LibraryId;
use ledge_core::store::file::recording::author::{self, Author};
use ledge_core::store::library::{self, Library};
use rusqlite::Connection;

use crate::browsing::{albums, artists};
use crate::envelope::{Outcome, reply};
use crate::failure::Failure;
use crate::ids::{self, Id};
use crate::node::Node;
use crate::params::{Call, scope};

/// Handles `getMusicFolders`.
pub(crate) async fn music_folders(call: Call) -> Outcome {
    let visible = call.visible;
    let read = move |conn: &_| libraries(conn, visible);
    let libraries = call.app.db.read(read).await?;
    let folder = |library: &Library| {
        Node::new()
            .with("id", library.id.0)
            .with("name", library.name.as_str())
    };
    let folders: Vec<Node> = libraries.iter().map(folder).collect();
    reply("musicFolders", Node::new().with("musicFolder", folders))
}

/// Returns the visible libraries that contain recordings, ordered by name.
pub(crate) fn libraries(conn: &Connection, visible: Visible) -> StoreResult<Vec<Library>> {
    let kinds = Recordings::kinds();
    let mut libraries = library::list(conn, visible)?;
    libraries.retain(|library| kinds.iter().any(|kind| library.counts.contains_key(*kind)));
    Ok(libraries)
}

/// Handles `getMusicDirectory`: of a library, an artist or an album.
pub(crate) async fn directory(call: Call) -> Outcome {
    let id = call.required("id")?;
    if let Some(library) = parse_id(id) {
        return library_directory(&call, LibraryId(library)).await;
    }
    match Id::parse(id)? {
        Id::Artist(person) => {
            let (artist, albums) = artists::with_albums(&call, person).await?;
            let albums: Vec<Node> = albums
                .iter()
                .filter_map(crate::mapping::directory)
                .collect();
            let node = Node::new()
                .with("id", ids::artist(artist.id))
                .with("name", artist.name)
                .with("child", albums);
            reply("directory", node)
        }
        Id::Album(item) => {
            let (album, songs) = albums::with_songs(&call, item).await?;
            let artist = album
                .credits
                .people
                .iter()
                .find(|credit| credit.role == "author");
            let node = Node::new()
                .with("id", ids::album(album.id))
                .with_some("parent", artist.map(|artist| ids::artist(artist.id)))
                .with("name", album.title)
                .with("child", songs);
            reply("directory", node)
        }
        Id::Song(_) | Id::Playlist(_) => Err(Failure::not_found()),
    }
}

async fn library_directory(call: &Call, id: LibraryId) -> Outcome {
    let visible = call.visible;
    let kinds = Recordings::kinds();
    let read = move |conn: &Connection| {
        let libraries = libraries(conn, visible)?;
        let library = libraries.into_iter().find(|library| library.id == id);
        let authors = author::authors(conn, scope(visible, Some(id), &kinds))?;
        Ok(library.map(|library| (library.name, authors)))
    };
    let found = call.app.db.read(read).await?;
    let (name, mut authors) = found.ok_or_else(Failure::not_found)?;
    authors.sort_by_cached_key(|author| artists::sort_key(&author.name));
    let child = |author: &Author| {
        Node::new()
            .with("id", ids::artist(author.id))
            .with("parent", id.to_string())
            .with("isDir", true)
            .with("title", author.name.as_str())
    };
    let children: Vec<Node> = authors.iter().map(child).collect();
    let node = Node::new()
        .with("id", id.to_string())
        .with("name", name)
        .with("child", children);
    reply("directory", node)
}
