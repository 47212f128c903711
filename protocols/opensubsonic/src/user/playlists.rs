//! Playlists: the user's own, and public ones of other users for reading.

use ledge_core::access::Visible;
use ledge_core::error::StoreResult;
use ledge_core::http::recordings::Recordings;
use ledge_core::id::{FileId, PlaylistId};
use ledge_core::paging::Window;
use ledge_core::store::account::user::username_key;
use ledge_core::store::file::recording::{self, RecordedPart};
use ledge_core::store::user_data::lists::playlist::parts::{self, PartChange, PartTotal, Removal};
use ledge_core::store::user_data::lists::playlist::{
    self, Additions, OwnPlaylist, Playlist, Playlists, ReadablePlaylist,
};
use ledge_core::store::user_data::lists::user_list::overview::{self, ListFilter};
use ledge_core::store::user_data::lists::user_list::{self, ListPatch, NewList};
use ledge_core::version::ExpectedVersion;
use rusqlite::Connection;

use super::{Written, are_known, comment, songs, username, write};
use crate::envelope::{Outcome, empty, reply};
use crate::failure::Failure;
use crate::ids::{self, Id};
use crate::mapping;
use crate::node::Node;
use crate::params::{Call, MAX_IDS};

/// Limit of the playlists in a response.
const MAX_LISTS: u32 = 10_000;
/// Limit of a name in characters.
const MAX_NAME: usize = 200;

/// Handles `getPlaylists`.
pub(crate) async fn playlists(call: Call) -> Outcome {
    if let Some(other) = call.text("username")
        && username_key(other) != username_key(&username(&call).await?)
    {
        return Err(Failure::not_allowed());
    }
    let visible = call.visible;
    let window = Window {
        offset: 0,
        limit: MAX_LISTS,
    };
    let read = move |conn: &Connection| {
        let page = overview::page::<Playlists>(conn, visible, &ListFilter::default(), window)?;
        let ids: Vec<PlaylistId> = page.items.iter().map(|list| list.id).collect();
        let totals = parts::totals(conn, visible, &ids, &Recordings::kinds())?;
        Ok((page.items, totals))
    };
    let (lists, totals) = call.app.db.read(read).await?;
    let total = |list: &Playlist| totals.get(&list.id).copied().unwrap_or_default();
    let lists = lists.iter().map(|list| node(list, total(list)));
    let lists: Vec<Node> = lists.collect();
    reply("playlists", Node::new().with("playlist", lists))
}

/// Handles `getPlaylist`.
pub(crate) async fn playlist(call: Call) -> Outcome {
    let id = id(&call, "id")?;
    respond(&call, id).await
}

/// Handles `createPlaylist`. With an id, it replaces the songs of that playlist.
pub(crate) async fn create_playlist(call: Call) -> Outcome {
    let songs = songs(&call, "songId")?;
    let name = call.text("name").map(check_name).transpose()?;
    if call.text("playlistId").is_some() {
        let id = id(&call, "playlistId")?;
        let patch = ListPatch {
            name,
            ..ListPatch::default()
        };
        update(&call, id, patch, Removal::All, songs).await?;
        return respond(&call, id).await;
    }
    let new = NewList {
        name: name.ok_or_else(|| Failure::parameter("name"))?,
        description: None,
        public: false,
    };
    let (visible, now) = (call.visible, call.app.clock.now());
    let registry = call.app.registry.clone();
    let created = write(&call, move |tx| {
        if !are_known(tx, visible, &songs)? {
            return Ok(Err(Failure::not_found()));
        }
        let additions = Additions {
            items: Vec::new(),
            files: songs,
        };
        let created = playlist::create(tx, &registry, visible, &new, &additions, now)?;
        Ok(created.ok_or_else(Failure::not_found))
    });
    let created = created.await?;
    respond(&call, created.id).await
}

/// Handles `updatePlaylist`.
pub(crate) async fn update_playlist(call: Call) -> Outcome {
    let id = id(&call, "playlistId")?;
    let patch = ListPatch {
        name: call.text("name").map(check_name).transpose()?,
        description: match call.text("comment") {
            Some(_) => Some(comment(&call)?),
            None => None,
        },
        public: call.flag("public")?,
    };
    let indexes = call.params.all("songIndexToRemove").take(MAX_IDS + 1);
    let index = |text: &str| {
        let index = text.parse::<usize>();
        index.map_err(|_| Failure::parameter("songIndexToRemove"))
    };
    let indexes: Vec<usize> = indexes.map(index).collect::<Result<_, _>>()?;
    if indexes.len() > MAX_IDS {
        return Err(Failure::parameter("songIndexToRemove"));
    }
    let songs = songs(&call, "songIdToAdd")?;
    update(&call, id, patch, Removal::Indexes(indexes), songs).await?;
    empty()
}

/// Handles `deletePlaylist`.
pub(crate) async fn delete_playlist(call: Call) -> Outcome {
    let (id, visible) = (id(&call, "id")?, call.visible);
    write(&call, move |tx| {
        let list = match find_own(tx, visible, id)? {
            Ok(list) => list,
            Err(failure) => return Ok(Err(failure)),
        };
        user_list::delete(tx, list, &ExpectedVersion::default())?;
        Ok(Ok(()))
    })
    .await?;
    empty()
}

/// Changes a playlist of the user. If a song is unknown, nothing changes.
async fn update(
    call: &Call,
    id: PlaylistId,
    patch: ListPatch,
    removal: Removal,
    files: Vec<FileId>,
) -> Result<(), Failure> {
    let (visible, now) = (call.visible, call.app.clock.now());
    let registry = call.app.registry.clone();
    let change = PartChange {
        patch,
        removal,
        files,
    };
    write(call, move |tx| {
        let list = match find_own(tx, visible, id)? {
            Ok(list) => list,
            Err(failure) => return Ok(Err(failure)),
        };
        if !are_known(tx, visible, &change.files)? {
            return Ok(Err(Failure::not_found()));
        }
        parts::change(tx, &registry, list, &Recordings::kinds(), &change, now)?;
        Ok(Ok(()))
    })
    .await
}

fn id(call: &Call, name: &str) -> Result<PlaylistId, Failure> {
    match call.id(name)? {
        Id::Playlist(id) => Ok(id),
        _ => Err(Failure::not_found()),
    }
}

fn check_name(name: &str) -> Result<String, Failure> {
    let name = name.trim();
    let is_sound = !name.is_empty() && !name.chars().any(char::is_control);
    if !is_sound || name.chars().count() > MAX_NAME {
        return Err(Failure::parameter("name"));
    }
    Ok(name.to_owned())
}

fn find(
    conn: &Connection,
    visible: Visible,
    id: PlaylistId,
) -> StoreResult<Option<ReadablePlaylist>> {
    user_list::find::<Playlists>(conn, visible, id.0)
}

/// Returns a playlist of the user. Public ones of other users are not writable.
fn find_own(conn: &Connection, visible: Visible, id: PlaylistId) -> Written<OwnPlaylist> {
    let Some(list) = find(conn, visible, id)? else {
        return Ok(Err(Failure::not_found()));
    };
    Ok(list.own().ok_or_else(Failure::not_allowed))
}

/// Returns a playlist with its songs.
async fn respond(call: &Call, id: PlaylistId) -> Outcome {
    let visible = call.visible;
    let read = move |conn: &Connection| {
        let Some(readable) = find(conn, visible, id)? else {
            return Ok(None);
        };
        let Some(list) = user_list::get(conn, readable)? else {
            return Ok(None);
        };
        let entries = parts::parts(conn, readable, &Recordings::kinds())?;
        let files: Vec<FileId> = entries.into_iter().map(|(_, file)| file).collect();
        Ok(Some((list, recording::parts(conn, visible, &files)?)))
    };
    let found: Option<(Playlist, Vec<RecordedPart>)> = call.app.db.read(read).await?;
    let (list, parts) = found.ok_or_else(Failure::not_found)?;
    let songs: Vec<Node> = parts
        .iter()
        .filter_map(|part| mapping::child(&call.app.registry, part))
        .collect();
    let durations = parts.iter().filter_map(|part| part.duration);
    let total = PartTotal {
        files: songs.len() as u64,
        duration: durations.map(mapping::seconds).sum(),
    };
    let node = node(&list, total);
    reply("playlist", node.with("entry", songs))
}

fn node(list: &Playlist, total: PartTotal) -> Node {
    let cover = list.cover.is_some();
    Node::new()
        .with("id", ids::playlist(list.id))
        .with("name", list.name.as_str())
        .with_some("comment", list.description.as_deref())
        .with("owner", list.owner.username.as_str())
        .with("public", list.public)
        .with("songCount", i64::try_from(total.files).unwrap_or(i64::MAX))
        .with("duration", total.duration)
        .with("created", list.created_at)
        .with("changed", list.updated_at)
        .with_some(
            "coverArt",
            cover.then(|| ids::playlist_cover(list.id, list.version)),
        )
        .plus("readonly", !list.own)
}
