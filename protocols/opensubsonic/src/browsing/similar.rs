//! Similar songs, and the songs that a user plays most.

use std::cmp::Reverse;
use std::collections::HashSet;

use ledge_core::error::StoreResult;
use ledge_core::http::recordings::Recordings;
use ledge_core::id::{GenreId, ItemId, PersonId};
use ledge_core::paging::Window;
use ledge_core::rng::random_below;
use ledge_core::store::catalogue::genre as genres_of;
use ledge_core::store::file::recording::walk::Scope;
use ledge_core::store::file::recording::{self, RecordedPart, author, genre};
use ledge_core::store::item::{self, Filter, Order, Sort};
use ledge_core::text;
use rusqlite::Connection;

use crate::browsing::info;
use crate::envelope::{Outcome, reply};
use crate::failure::Failure;
use crate::ids::Id;
use crate::mapping;
use crate::node::Node;
use crate::params::{Call, MAX_RESULTS, scope};

/// Number of songs if the request names none.
const DEFAULT: u32 = 50;
/// Number of albums of the same genres.
const ALBUMS: u32 = 40;
/// Number of songs that are compared.
const MAX_SONGS: u32 = 1_000;

/// Handles `getSimilarSongs`.
pub(crate) async fn similar_songs(call: Call) -> Outcome {
    similar_as(&call, "similarSongs").await
}

/// Handles `getSimilarSongs2`.
pub(crate) async fn similar_songs2(call: Call) -> Outcome {
    similar_as(&call, "similarSongs2").await
}

async fn similar_as(call: &Call, name: &'static str) -> Outcome {
    let count = call.count("count", DEFAULT, MAX_RESULTS)?;
    let seed = match call.id("id")? {
        Id::Artist(person) => Seed::Artist(person),
        id => Seed::Item(info::item_of(call, id).await?),
    };
    let visible = call.visible;
    let kinds = Recordings::kinds();
    let read = move |conn: &Connection, view: &_| {
        let scope = scope(visible, None, &kinds);
        let (mut items, genres) = seed.items(conn, scope)?;
        if !genres.is_empty() {
            let filter = Filter {
                kinds: kinds.clone(),
                genres,
                missing: Some(false),
                ..Filter::default()
            };
            let order = Order {
                sort: Sort::Random,
                seed: random_below(u64::MAX),
                ..Order::default()
            };
            let window = Window {
                offset: 0,
                limit: ALBUMS,
            };
            let (found, _) = item::page_ids(conn, view, visible, &filter, order, window)?;
            items.extend(found);
        }
        let mut known = HashSet::new();
        items.retain(|item| known.insert(*item));
        songs(conn, scope, &items)
    };
    let songs = call.app.db.read_with_index(read).await?;
    reply(name, Node::new().with("song", nodes(call, &songs, count)))
}

/// Object to which the songs are similar.
#[derive(Clone, Copy)]
enum Seed {
    Artist(PersonId),
    Item(ItemId),
}

impl Seed {
    /// Returns the items of the same artists, and the genres.
    fn items(
        self,
        conn: &Connection,
        scope: Scope<'_>,
    ) -> StoreResult<(Vec<ItemId>, Vec<GenreId>)> {
        let people = match self {
            Self::Artist(person) => vec![person],
            Self::Item(item) => {
                let items = recording::items(conn, scope.visible, &[item])?;
                let people = items.iter().flat_map(|item| &item.credits.people);
                let authors = people.filter(|credit| credit.role == "author");
                authors.map(|credit| credit.id).collect()
            }
        };
        let mut items = Vec::new();
        for person in people {
            items.extend(author::items_of_person(conn, scope, person)?);
        }
        let first = match self {
            Self::Item(item) => Some(item),
            Self::Artist(_) => items.first().copied(),
        };
        let genres = match first {
            Some(item) => genres_of::of_item(conn, item)?,
            None => Vec::new(),
        };
        Ok((items, genres.into_iter().map(|(id, _)| id).collect()))
    }
}

/// Handles `getTopSongs`, by the id or the name of an artist.
pub(crate) async fn top_songs(call: Call) -> Outcome {
    let count = call.count("count", DEFAULT, MAX_RESULTS)?;
    let person = match (call.text("artistId"), call.text("artist")) {
        (Some(id), _) => match Id::parse(id)? {
            Id::Artist(person) => Some(person),
            _ => return Err(Failure::not_found()),
        },
        (None, Some(name)) => person_named(&call, name).await?,
        (None, None) => return Err(Failure::parameter("artist")),
    };
    let visible = call.visible;
    let kinds = Recordings::kinds();
    let read = move |conn: &Connection| {
        let scope = scope(visible, None, &kinds);
        let items = match person {
            Some(person) => author::items_of_person(conn, scope, person)?,
            None => Vec::new(),
        };
        songs(conn, scope, &items)
    };
    let songs = call.app.db.read(read).await?;
    reply(
        "topSongs",
        Node::new().with("song", nodes(&call, &songs, count)),
    )
}

async fn person_named(call: &Call, name: &str) -> Result<Option<PersonId>, Failure> {
    let key = text::fold(name);
    let read = move |conn: &Connection| author::named_unscoped(conn, &key);
    Ok(call.app.db.read(read).await?)
}

/// Returns songs of these items: those that the user plays most, then in the order of the albums.
fn songs(conn: &Connection, scope: Scope<'_>, items: &[ItemId]) -> StoreResult<Vec<RecordedPart>> {
    // Every item has a song, so that further items add none.
    let items = items.get(..MAX_SONGS as usize).unwrap_or(items);
    let parts = genre::parts_of_items(conn, scope, items, MAX_SONGS)?;
    let mut songs = recording::parts(conn, scope.visible, &parts)?;
    songs.sort_by_key(|song| Reverse(song.personal.plays));
    Ok(songs)
}

fn nodes(call: &Call, songs: &[RecordedPart], count: u32) -> Vec<Node> {
    let songs = songs.iter().take(count as usize);
    songs
        .filter_map(|song| mapping::child(&call.app.registry, song))
        .collect()
}
