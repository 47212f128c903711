//! The saved queue, which the web interface shares.

use ledge_core::http::recordings::Recordings;
use ledge_core::id::FileId;
use ledge_core::store::user_data::lists::playlist::queue::{
    self, NewQueue, PartQueue, QueuePosition,
};
use ledge_core::store::user_data::statistics::record;
use ledge_core::version::ExpectedVersion;
use rusqlite::Connection;

use super::{
    PartPlace, are_known, find_song, is_book, millis, program, song, songs, username, write,
};
use crate::elements;
use crate::envelope::{Outcome, empty, reply};
use crate::failure::Failure;
use crate::ids;
use crate::node::{Node, Value};
use crate::params::Call;

/// Program of a queue that the web interface saved.
const WEB: &str = "Ledge";

/// Handles `getPlayQueue`.
pub(crate) async fn play_queue(call: Call) -> Outcome {
    respond(&call, "playQueue", |queue, index| {
        let file = queue.files.get(index)?;
        Some(("current", ids::song(*file).into()))
    })
    .await
}

/// Handles `getPlayQueueByIndex`.
pub(crate) async fn play_queue_by_index(call: Call) -> Outcome {
    respond(&call, "playQueueByIndex", |_, index| {
        Some(("currentIndex", index.into()))
    })
    .await
}

/// Returns the queue, or nothing if it was never saved.
async fn respond(
    call: &Call,
    name: &'static str,
    current: fn(&PartQueue, usize) -> Option<(&'static str, Value)>,
) -> Outcome {
    let visible = call.visible;
    let read = move |conn: &Connection| queue::parts(conn, visible, &Recordings::kinds());
    let queue = call.app.db.read(read).await?;
    let Some(changed) = queue.updated_at else {
        return empty();
    };
    let mut node = Node::new()
        .with("username", username(call).await?)
        .with("changed", changed)
        .with("changedBy", queue.changed_by.as_deref().unwrap_or(WEB))
        .with("position", queue.position.as_millis());
    if let Some((field, value)) = queue.current.and_then(|index| current(&queue, index)) {
        node = node.with(field, value);
    }
    let songs = elements::songs(call, queue.files).await?;
    reply(name, node.with("entry", songs))
}

/// Handles `savePlayQueue`.
pub(crate) async fn save_play_queue(call: Call) -> Outcome {
    let songs = songs(&call, "id")?;
    let index = match call.text("current") {
        Some(_) => {
            let current = song(call.id("current")?)?;
            songs.iter().position(|song| *song == current)
        }
        None => Some(0),
    };
    save(&call, songs, index, "current").await
}

/// Handles `savePlayQueueByIndex`.
pub(crate) async fn save_play_queue_by_index(call: Call) -> Outcome {
    let songs = songs(&call, "id")?;
    let index = call.integer("currentIndex")?;
    let index = index.and_then(|index| usize::try_from(index).ok());
    save(&call, songs, index, "currentIndex").await
}

/// Saves the queue. Without songs, it becomes empty. In a book, the position is progress, too.
async fn save(call: &Call, files: Vec<FileId>, index: Option<usize>, name: &str) -> Outcome {
    let position = millis(call, "position")?.unwrap_or(0);
    let (visible, now) = (call.visible, call.app.clock.now());
    let expected = ExpectedVersion::default();
    if files.is_empty() {
        write(call, move |tx| {
            queue::clear(tx, visible, &expected, now)?;
            Ok(Ok(()))
        })
        .await?;
        return empty();
    }
    let current = index.and_then(|index| Some((index, *files.get(index)?)));
    let (index, current) = current.ok_or_else(|| Failure::parameter(name))?;
    let registry = call.app.registry.clone();
    let new = NewQueue {
        files,
        current: index,
        position: QueuePosition::from_millis(position),
        changed_by: Some(program(call)),
    };
    write(call, move |tx| {
        if !are_known(tx, visible, &new.files)? {
            return Ok(Err(Failure::not_found()));
        }
        queue::replace(tx, &registry, visible, &new, &expected, now)?;
        let part = match find_song(tx, visible, current)? {
            Ok(part) => part,
            Err(failure) => return Ok(Err(failure)),
        };
        if is_book(&part.kind, part.subkind.as_deref()) {
            let progress = PartPlace::new(&part, position).progress(current);
            record::save_progress(tx, &registry, part.item, &progress, now)?;
        }
        Ok(Ok(()))
    })
    .await?;
    empty()
}
