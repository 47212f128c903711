//! Genres.

use ledge_core::http::recordings::Recordings;
use ledge_core::store::file::recording::genre::{self, Genre};

use crate::envelope::{Outcome, reply};
use crate::node::{Node, Value};
use crate::params::{Call, scope};

/// Handles `getGenres`.
pub(crate) async fn genres(call: Call) -> Outcome {
    let visible = call.visible;
    let kinds = Recordings::kinds();
    let read = move |conn: &_| genre::genres(conn, scope(visible, None, &kinds));
    let genres = call.app.db.read(read).await?;
    let node = |genre: Genre| {
        Node::new()
            .with("songCount", genre.parts)
            .with("albumCount", genre.items)
            .with("value", Value::Content(genre.name))
    };
    let genres: Vec<Node> = genres.into_iter().map(node).collect();
    reply("genres", Node::new().with("genre", genres))
}
