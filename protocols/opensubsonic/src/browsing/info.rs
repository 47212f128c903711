//! Descriptions of artists and albums. They contain no addresses of pictures, because these would
//! need a login.

use ledge_core::access::VisibleItem;
use ledge_core::id::ItemId;
use ledge_core::store::file::recording;
use ledge_core::store::item;
use rusqlite::Connection;

use crate::browsing::artists;
use crate::envelope::{Outcome, reply};
use crate::failure::Failure;
use crate::ids::Id;
use crate::mapping;
use crate::node::{Node, Value};
use crate::params::Call;

/// Handles `getArtistInfo`.
pub(crate) async fn artist_info(call: Call) -> Outcome {
    artist_info_as(&call, "artistInfo").await
}

/// Handles `getArtistInfo2`.
pub(crate) async fn artist_info2(call: Call) -> Outcome {
    artist_info_as(&call, "artistInfo2").await
}

/// Returns the element of an artist, or of the artist of an album or a song. No source of
/// biographies exists.
async fn artist_info_as(call: &Call, name: &'static str) -> Outcome {
    match call.id("id")? {
        Id::Artist(person) => drop(artists::with_albums(call, person).await?),
        id => drop(item_of(call, id).await?),
    }
    reply(name, Node::new().with("similarArtist", Vec::<Node>::new()))
}

/// Handles `getAlbumInfo` and `getAlbumInfo2`.
pub(crate) async fn album_info(call: Call) -> Outcome {
    let item = item_of(&call, call.id("id")?).await?;
    let visible = call.visible;
    let read = move |conn: &Connection| {
        let item: Option<VisibleItem> = visible.item(conn, item)?;
        item.map_or(Ok(None), |item| item::detail::description(conn, item))
    };
    let notes = call.app.db.read(read).await?;
    let node = Node::new().with_some("notes", notes.map(Value::Element));
    reply("albumInfo", node)
}

/// Returns the item of an album or a song.
pub(crate) async fn item_of(call: &Call, id: Id) -> Result<ItemId, Failure> {
    let visible = call.visible;
    let read = move |conn: &Connection| {
        let items = match id {
            Id::Album(item) => recording::items(conn, visible, &[item])?,
            Id::Song(file) => {
                let parts = recording::parts(conn, visible, &[file])?;
                parts.into_iter().map(|part| part.item).collect()
            }
            Id::Artist(_) | Id::Playlist(_) => Vec::new(),
        };
        Ok(items.into_iter().next())
    };
    let item = call.app.db.read(read).await?;
    let item = item.filter(|item| mapping::form(item).is_some());
    Ok(item.ok_or_else(Failure::not_found)?.id)
}
