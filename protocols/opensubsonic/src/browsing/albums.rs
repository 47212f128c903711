//! One album with its songs, and one song.

use ledge_core::http::recordings::Recordings;
use ledge_core::id::ItemId;
use ledge_core::store::file::recording::{self, RecordedItem, genre};
use rusqlite::Connection;

use crate::elements;
use crate::envelope::{Outcome, reply};
use crate::failure::Failure;
use crate::ids::Id;
use crate::mapping;
use crate::node::Node;
use crate::params::{Call, scope};

/// Limit of the songs of an album.
const MAX_SONGS: u32 = 10_000;

/// Handles `getAlbum`.
pub(crate) async fn album(call: Call) -> Outcome {
    let Id::Album(item) = call.id("id")? else {
        return Err(Failure::not_found());
    };
    let (album, songs) = with_songs(&call, item).await?;
    let node = mapping::album(&album).ok_or_else(Failure::not_found)?;
    reply("album", node.with("song", songs))
}

/// Returns an album and the elements of its songs in order.
pub(crate) async fn with_songs(
    call: &Call,
    item: ItemId,
) -> Result<(RecordedItem, Vec<Node>), Failure> {
    let visible = call.visible;
    let kinds = Recordings::kinds();
    let read = move |conn: &Connection| {
        let album = recording::items(conn, visible, &[item])?.into_iter().next();
        let scope = scope(visible, None, &kinds);
        let parts = genre::parts_of_items(conn, scope, &[item], MAX_SONGS)?;
        let songs = recording::parts(conn, visible, &parts)?;
        Ok(album.map(|album| (album, songs)))
    };
    let found = call.app.db.read(read).await?;
    let (album, songs) = found.ok_or_else(Failure::not_found)?;
    if mapping::form(&album).is_none() {
        return Err(Failure::not_found());
    }
    let songs = songs.iter();
    let nodes = songs.filter_map(|song| mapping::child(&call.app.registry, song));
    Ok((album, nodes.collect()))
}

/// Handles `getSong`.
pub(crate) async fn song(call: Call) -> Outcome {
    let Id::Song(file) = call.id("id")? else {
        return Err(Failure::not_found());
    };
    let songs = elements::songs(&call, vec![file]).await?;
    let song = songs.into_iter().next().ok_or_else(Failure::not_found)?;
    reply("song", song)
}
