//! Elements of songs, albums and artists by their ids. Absent and invisible ones are left out.

use ledge_core::http::recordings::Recordings;
use ledge_core::id::{FileId, ItemId, PersonId};
use ledge_core::store::file::recording::{self, RecordedItem, RecordedPerson};

use crate::failure::Failure;
use crate::mapping;
use crate::node::Node;
use crate::params::Call;

/// Returns the elements of these songs in this order. A repeated id yields a repeated element.
pub(crate) async fn songs(call: &Call, ids: Vec<FileId>) -> Result<Vec<Node>, Failure> {
    let visible = call.visible;
    let read = move |conn: &_| recording::parts(conn, visible, &ids);
    let songs = call.app.db.read(read).await?;
    let songs = songs.iter();
    let nodes = songs.filter_map(|song| mapping::child(&call.app.registry, song));
    Ok(nodes.collect())
}

/// Returns the elements of these albums in this order.
pub(crate) async fn albums(call: &Call, ids: Vec<ItemId>) -> Result<Vec<Node>, Failure> {
    albums_as(call, ids, mapping::album).await
}

/// Returns the elements of these albums in this order, each in the form of `element`.
pub(crate) async fn albums_as(
    call: &Call,
    ids: Vec<ItemId>,
    element: fn(&RecordedItem) -> Option<Node>,
) -> Result<Vec<Node>, Failure> {
    let visible = call.visible;
    let read = move |conn: &_| recording::items(conn, visible, &ids);
    let albums = call.app.db.read(read).await?;
    Ok(albums.iter().filter_map(element).collect())
}

/// Returns the elements of these artists in this order, each in the form of `element`.
pub(crate) async fn artists(
    call: &Call,
    ids: Vec<PersonId>,
    element: fn(&RecordedPerson) -> Node,
) -> Result<Vec<Node>, Failure> {
    let visible = call.visible;
    let read = move |conn: &_| recording::people(conn, visible, &Recordings::kinds(), &ids);
    let artists = call.app.db.read(read).await?;
    Ok(artists.iter().map(element).collect())
}
