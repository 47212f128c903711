//! Bookmarks: the progress in books, and one bookmark per other song.

use ledge_core::error::StoreResult;
use ledge_core::http::recordings::Recordings;
use ledge_core::registry::Registry;
use ledge_core::store::file::recording::{self, KnownPart, RecordedPart};
use ledge_core::store::user_data::annotation::bookmark::{self, Bookmark};
use ledge_core::store::user_data::progress::{self, NewProgress};
use ledge_core::store::user_data::statistics::record;
use ledge_core::time::Timestamp;
use rusqlite::{Connection, Transaction};

use super::{PartPlace, comment, find_song, is_book, millis, song, username, write};
use crate::envelope::{Outcome, empty, reply};
use crate::failure::Failure;
use crate::mapping;
use crate::node::Node;
use crate::params::Call;

/// Fraction of a book's file from which it is finished when its bookmark is deleted.
const FINISHED: f64 = 0.95;

/// Handles `getBookmarks`.
pub(crate) async fn bookmarks(call: Call) -> Outcome {
    let visible = call.visible;
    let read = move |conn: &Connection| {
        let kinds = Recordings::kinds();
        let is_of_book = |one: &Bookmark| is_book(&one.kind, one.subkind.as_deref());
        let mut bookmarks = bookmark::of_progress(conn, visible, &kinds)?;
        bookmarks.retain(is_of_book);
        let explicit = bookmark::explicit(conn, visible, &kinds)?;
        bookmarks.extend(explicit.into_iter().filter(|one| !is_of_book(one)));
        bookmarks.sort_by_key(|one| std::cmp::Reverse(one.changed_at));
        let files: Vec<_> = bookmarks.iter().map(|one| one.file).collect();
        let parts = recording::parts(conn, visible, &files)?;
        Ok((bookmarks, parts))
    };
    let (bookmarks, parts): (Vec<Bookmark>, Vec<RecordedPart>) = call.app.db.read(read).await?;
    let username = username(&call).await?;
    // Both lists have the same order. A file without its part was removed between both reads.
    let mut parts = parts.into_iter().peekable();
    let node = |one: Bookmark| {
        let part = parts.next_if(|part| part.id == one.file)?;
        let song = mapping::child(&call.app.registry, &part)?;
        Some(node(&one, song, &username))
    };
    let nodes: Vec<Node> = bookmarks.into_iter().filter_map(node).collect();
    reply("bookmarks", Node::new().with("bookmark", nodes))
}

fn node(one: &Bookmark, song: Node, username: &str) -> Node {
    Node::new()
        .with("position", one.millis)
        .with("username", username)
        .with_some("comment", one.comment.as_deref())
        .with("created", one.created_at)
        .with("changed", one.changed_at)
        .with("entry", song)
}

/// Handles `createBookmark`.
pub(crate) async fn create_bookmark(call: Call) -> Outcome {
    let id = song(call.id("id")?)?;
    let position = millis(&call, "position")?;
    let position = position.ok_or_else(|| Failure::parameter("position"))?;
    let comment = comment(&call)?;
    let (visible, now) = (call.visible, call.app.clock.now());
    let registry = call.app.registry.clone();
    write(&call, move |tx| {
        let part = match find_song(tx, visible, id)? {
            Ok(part) => part,
            Err(failure) => return Ok(Err(failure)),
        };
        let place = PartPlace::new(&part, position);
        if is_book(&part.kind, part.subkind.as_deref()) {
            let progress = place.progress(id);
            record::save_progress(tx, &registry, part.item, &progress, now)?;
            if comment.is_none() {
                bookmark::remove(tx, part.file)?;
                return Ok(Ok(()));
            }
        }
        bookmark::set(tx, (part.item, part.file), place.millis, comment, now)?;
        Ok(Ok(()))
    })
    .await?;
    empty()
}

/// Handles `deleteBookmark`. A repeated call succeeds.
pub(crate) async fn delete_bookmark(call: Call) -> Outcome {
    let id = song(call.id("id")?)?;
    let (visible, now) = (call.visible, call.app.clock.now());
    let registry = call.app.registry.clone();
    write(&call, move |tx| {
        let part = match find_song(tx, visible, id)? {
            Ok(part) => part,
            Err(failure) => return Ok(Err(failure)),
        };
        bookmark::remove(tx, part.file)?;
        if is_book(&part.kind, part.subkind.as_deref()) {
            end(tx, &registry, &part, now)?;
        }
        Ok(Ok(()))
    })
    .await?;
    empty()
}

/// Marks a file of a book as finished if its progress is near the end, otherwise clears the
/// progress. The history keeps it.
fn end(
    tx: &Transaction<'_>,
    registry: &Registry,
    part: &KnownPart,
    now: Timestamp,
) -> StoreResult<()> {
    let places = progress::of_item(tx, part.item)?;
    let id = part.file.id();
    let Some(place) = places.into_iter().find(|place| place.file_id == id) else {
        return Ok(());
    };
    if place.finished {
        return Ok(());
    }
    if place.fraction.is_none_or(|fraction| fraction < FINISHED) {
        progress::clear_file(tx, part.file, now)?;
        return Ok(());
    }
    let finished = NewProgress {
        file: Some(id),
        position: place.position,
        finished: true,
        locator: place.locator,
        within: place.within,
        recorded_at: None,
    };
    record::save_progress(tx, registry, part.item, &finished, now)?;
    Ok(())
}
