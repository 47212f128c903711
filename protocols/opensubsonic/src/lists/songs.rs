//! Lists of songs: random ones, and those of a genre.

use ledge_core::db::item_index::IndexSnapshot;
use ledge_core::error::StoreResult;
use ledge_core::http::recordings::Recordings;
use ledge_core::id::FileId;
use ledge_core::paging::Window;
use ledge_core::rng::random_below;
use ledge_core::store::file::recording::walk::Scope;
use ledge_core::store::file::recording::{genre, walk};
use ledge_core::store::item::{self, Filter, Order, Sort};
use rusqlite::Connection;

use crate::elements;
use crate::envelope::{Outcome, reply};
use crate::failure::Failure;
use crate::node::Node;
use crate::params::{Call, MAX_RESULTS, scope};

/// Number of songs if the request names none.
const DEFAULT: u32 = 10;

/// Limit of the songs from which random ones of a genre or of some years are drawn.
const MAX_DRAWN: u32 = 10_000;

/// Criteria of random songs.
struct Draw {
    count: u32,
    genre: Option<String>,
    from: Option<i64>,
    to: Option<i64>,
}

/// Handles `getRandomSongs`.
pub(crate) async fn random_songs(call: Call) -> Outcome {
    let draw = Draw {
        count: call.count("size", DEFAULT, MAX_RESULTS)?,
        genre: call.text("genre").map(str::to_owned),
        from: call.integer("fromYear")?,
        to: call.integer("toYear")?,
    };
    let (visible, library) = (call.visible, call.library()?);
    let kinds = Recordings::kinds();
    let read = move |conn: &Connection, view: &IndexSnapshot| {
        draw.songs(conn, view, scope(visible, library, &kinds))
    };
    let files = call.app.db.read_with_index(read).await?;
    let songs = elements::songs(&call, files).await?;
    reply("randomSongs", Node::new().with("song", songs))
}

impl Draw {
    fn songs(
        &self,
        conn: &Connection,
        view: &IndexSnapshot,
        scope: Scope<'_>,
    ) -> StoreResult<Vec<FileId>> {
        if self.genre.is_none() && self.from.is_none() && self.to.is_none() {
            let mut files = walk::random(conn, scope, self.count)?;
            shuffle(&mut files);
            return Ok(files);
        }
        let mut filter = Filter {
            kinds: scope.kinds.to_vec(),
            library: scope.library,
            missing: Some(false),
            ..Filter::default()
        };
        if let Some(name) = &self.genre {
            let Some(genre) = genre::id_of(conn, name)? else {
                return Ok(Vec::new());
            };
            filter.genres = vec![genre];
        }
        if self.from.is_some() || self.to.is_some() {
            let (from, to) = (self.from.unwrap_or(i64::MIN), self.to.unwrap_or(i64::MAX));
            filter.years = Some(from.min(to)..=to.max(from));
        }
        let order = Order {
            sort: Sort::Random,
            seed: random_below(u64::MAX),
            ..Order::default()
        };
        let window = Window {
            offset: 0,
            limit: MAX_RESULTS,
        };
        let (items, _) = item::page_ids(conn, view, scope.visible, &filter, order, window)?;
        let mut files = genre::parts_of_items(conn, scope, &items, MAX_DRAWN)?;
        shuffle(&mut files);
        files.truncate(self.count as usize);
        Ok(files)
    }
}

/// Puts the elements into a random order (Fisher and Yates).
fn shuffle<T>(elements: &mut [T]) {
    for at in (1..elements.len()).rev() {
        let other = usize::try_from(random_below(at as u64 + 1)).unwrap_or(at);
        elements.swap(at, other);
    }
}

/// Handles `getSongsByGenre`.
pub(crate) async fn songs_by_genre(call: Call) -> Outcome {
    let name = call.required("genre")?.to_owned();
    let window = Window {
        offset: call.offset("offset")?,
        limit: call.count("count", DEFAULT, MAX_RESULTS)?,
    };
    let (visible, library) = (call.visible, call.library()?);
    let kinds = Recordings::kinds();
    let read = move |conn: &Connection| match genre::id_of(conn, &name)? {
        Some(genre) => genre::parts_of_genre(conn, scope(visible, library, &kinds), genre, window),
        None => Ok(Vec::new()),
    };
    let files: Result<Vec<FileId>, Failure> = call.app.db.read(read).await.map_err(Failure::from);
    let songs = elements::songs(&call, files?).await?;
    reply("songsByGenre", Node::new().with("song", songs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffle_keeps_all_elements() {
        let mut elements: Vec<u32> = (0..100).collect();
        shuffle(&mut elements);
        elements.sort_unstable();
        assert_eq!(elements, (0..100).collect::<Vec<u32>>());
    }
}
