//! Stars and ratings of songs, albums and artists.

use ledge_core::access::{Visible, VisibleFile, VisibleItem, VisiblePerson};
use ledge_core::error::StoreResult;
use ledge_core::http::recordings::Recordings;
use ledge_core::store::file::recording;
use ledge_core::store::user_data::mark::{self, Subject};
use ledge_core::time::Timestamp;
use rusqlite::{Connection, Transaction};

use super::write;
use crate::envelope::{Outcome, empty};
use crate::failure::Failure;
use crate::ids::Id;
use crate::params::{Call, MAX_IDS};

/// Object with a star or a rating.
#[derive(Debug, Clone, Copy)]
enum Marked {
    Item(VisibleItem),
    File(VisibleFile),
    /// Only song of an album. The album has its star and its rating.
    Single(VisibleItem, VisibleFile),
    Person(VisiblePerson),
}

/// Change of an object.
#[derive(Debug, Clone, Copy)]
enum Change {
    Star,
    Unstar,
    /// Rating from 1 to 10; `None` clears it.
    Rate(Option<u8>),
}

/// Handles `star`.
pub(crate) async fn star(call: Call) -> Outcome {
    change(&call, wanted(&call)?, Change::Star).await
}

/// Handles `unstar`.
pub(crate) async fn unstar(call: Call) -> Outcome {
    change(&call, wanted(&call)?, Change::Unstar).await
}

/// Handles `setRating`.
pub(crate) async fn set_rating(call: Call) -> Outcome {
    let id = call.id("id")?;
    let stars = call.required_integer("rating")?;
    let stars = u8::try_from(stars).ok().filter(|stars| *stars <= 5);
    let stars = stars.ok_or_else(|| Failure::parameter("rating"))?;
    let rating = (stars > 0).then_some(stars * 2);
    change(&call, vec![id], Change::Rate(rating)).await
}

/// Returns the objects of a request. `id` may name any of them.
fn wanted(call: &Call) -> Result<Vec<Id>, Failure> {
    let mut ids = call.ids("id")?;
    let albums = call.ids("albumId")?;
    let artists = call.ids("artistId")?;
    let are_albums = albums.iter().all(|id| matches!(id, Id::Album(_)));
    let are_artists = artists.iter().all(|id| matches!(id, Id::Artist(_)));
    if !are_albums || !are_artists {
        return Err(Failure::not_found());
    }
    ids.extend(albums);
    ids.extend(artists);
    if ids.is_empty() || ids.len() > MAX_IDS {
        return Err(Failure::parameter("id"));
    }
    Ok(ids)
}

/// Changes all objects. If one is unknown, nothing changes.
async fn change(call: &Call, ids: Vec<Id>, change: Change) -> Outcome {
    let (visible, now) = (call.visible, call.app.clock.now());
    write(call, move |tx| {
        let mut marked = Vec::with_capacity(ids.len());
        for id in ids {
            match find(tx, visible, id)? {
                Some(found) => marked.push(found),
                None => return Ok(Err(Failure::not_found())),
            }
        }
        for one in marked {
            apply(tx, one, change, now)?;
        }
        Ok(Ok(()))
    })
    .await?;
    empty()
}

fn find(conn: &Connection, visible: Visible, id: Id) -> StoreResult<Option<Marked>> {
    let kinds = Recordings::kinds();
    Ok(match id {
        Id::Song(id) => recording::find_part(conn, visible, &kinds, id)?.map(|part| {
            if part.is_only {
                Marked::Single(part.item, part.file)
            } else {
                Marked::File(part.file)
            }
        }),
        Id::Album(id) => recording::find_item(conn, visible, &kinds, id)?.map(Marked::Item),
        Id::Artist(id) => recording::find_person(conn, visible, &kinds, id)?.map(Marked::Person),
        Id::Playlist(_) => None,
    })
}

fn apply(tx: &Transaction<'_>, one: Marked, change: Change, now: Timestamp) -> StoreResult<()> {
    match one {
        Marked::Item(item) => change.apply(tx, item, now),
        Marked::File(file) => change.apply(tx, file, now),
        Marked::Person(person) => change.apply(tx, person, now),
        Marked::Single(item, file) => {
            // The file may have a mark from a time when the album had several songs.
            if matches!(change, Change::Unstar | Change::Rate(None)) {
                change.apply(tx, file, now)?;
            }
            change.apply(tx, item, now)
        }
    }
}

impl Change {
    fn apply(self, tx: &Transaction<'_>, subject: impl Subject, now: Timestamp) -> StoreResult<()> {
        match self {
            Self::Star => mark::add_favourite(tx, subject, now)?,
            Self::Unstar => mark::remove_favourite(tx, subject)?,
            Self::Rate(Some(rating)) => mark::rate(tx, subject, rating, now)?,
            Self::Rate(None) => mark::remove_rating(tx, subject)?,
        };
        Ok(())
    }
}
