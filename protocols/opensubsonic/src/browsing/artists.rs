//! Artists: all of them by letter, and one with its albums.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{LazyLock, Mutex, PoisonError};

use ledge_core::Timestamp;
use ledge_core::http::recordings::Recordings;
use ledge_core::id::{LibraryId, PersonId, UserId};
use ledge_core::store::file::recording::author::{self, Author};
use ledge_core::store::file::recording::{self, PersonalState, RecordedItem, RecordedPerson};
use ledge_core::text;
use rusqlite::Connection;

use crate::envelope::{Outcome, reply};
use crate::failure::Failure;
use crate::ids::Id;
use crate::mapping::{self, Elements};
use crate::node::Node;
use crate::params::{Call, scope};

/// Handles `getArtists`.
pub(crate) async fn artists(call: Call) -> Outcome {
    let library = call.library()?;
    let entries = entries(&call, library).await?;
    let node = Node::new()
        .with("ignoredArticles", text::ignored_articles())
        .plus("lastModified", changed_at(&call, library, &entries))
        .with("index", by_letter(entries, mapping::TAGS));
    reply("artists", node)
}

/// Handles `getIndexes`. An app that has the current version receives no artists.
pub(crate) async fn indexes(call: Call) -> Outcome {
    let library = call.library()?;
    let known = call.integer("ifModifiedSince")?;
    let entries = entries(&call, library).await?;
    let changed_at = changed_at(&call, library, &entries);
    let is_current = known.is_some_and(|known| changed_at <= known);
    let index = if is_current {
        Vec::new()
    } else {
        by_letter(entries, mapping::FOLDERS)
    };
    let node = Node::new()
        .with("lastModified", changed_at)
        .with("ignoredArticles", text::ignored_articles())
        .with("index", index);
    reply("indexes", node)
}

/// Handles `getArtist`.
pub(crate) async fn artist(call: Call) -> Outcome {
    let Id::Artist(person) = call.id("id")? else {
        return Err(Failure::not_found());
    };
    let (artist, albums) = with_albums(&call, person).await?;
    let visible = call.visible;
    let kinds = Recordings::kinds();
    let read = move |conn: &_| author::roles(conn, scope(visible, None, &kinds), person);
    let roles = call.app.db.read(read).await?;
    let roles = roles.into_iter().map(|role| role_name(&role).to_owned());
    let albums: Vec<Node> = albums.iter().filter_map(mapping::album).collect();
    let node = mapping::artist(&artist)
        .plus("roles", roles.collect::<Vec<String>>())
        .with("album", albums);
    reply("artist", node)
}

/// Returns the name of a role in the protocol.
fn role_name(role: &str) -> &str {
    match role {
        "author" => "albumartist",
        "performer" => "artist",
        role => role,
    }
}

/// Returns an artist and its albums, the oldest one first.
pub(crate) async fn with_albums(
    call: &Call,
    person: PersonId,
) -> Result<(RecordedPerson, Vec<RecordedItem>), Failure> {
    let visible = call.visible;
    let kinds = Recordings::kinds();
    let read = move |conn: &Connection| {
        let people = recording::people(conn, visible, &kinds, &[person])?;
        let items = author::items_of_person(conn, scope(visible, None, &kinds), person)?;
        let items = recording::items(conn, visible, &items)?;
        Ok(people.into_iter().next().map(|person| (person, items)))
    };
    let found = call.app.db.read(read).await?;
    let (person, mut items) = found.ok_or_else(Failure::not_found)?;
    items.sort_by_cached_key(|item| (item.year, sort_key(&item.title), item.id));
    Ok((person, items))
}

/// Returns the key by which names are ordered.
pub(crate) fn sort_key(name: &str) -> String {
    let (_, key) = text::sort_key(name);
    key
}

/// Artist with the key by which it is ordered, and the letter of the key.
struct Entry {
    letter: String,
    key: String,
    author: Author,
}

async fn entries(call: &Call, library: Option<LibraryId>) -> Result<Vec<Entry>, Failure> {
    let visible = call.visible;
    let kinds = Recordings::kinds();
    let read = move |conn: &_| author::authors(conn, scope(visible, library, &kinds));
    let authors = call.app.db.read(read).await?.into_iter();
    let entry = |author: Author| {
        let (letter, key) = text::sort_key(&author.name);
        Entry {
            letter,
            key,
            author,
        }
    };
    let mut entries: Vec<Entry> = authors.map(entry).collect();
    entries.sort_unstable_by(|a, b| (&a.key, a.author.id).cmp(&(&b.key, b.author.id)));
    Ok(entries)
}

/// Groups the artists by their letters.
fn by_letter(entries: Vec<Entry>, elements: Elements) -> Vec<Node> {
    let mut letters: Vec<(String, Vec<Node>)> = Vec::new();
    for Entry { letter, author, .. } in entries {
        let artist = (elements.artist)(&RecordedPerson {
            id: author.id,
            name: author.name,
            items: author.items,
            personal: PersonalState::default(),
        });
        match letters.last_mut() {
            Some((last, artists)) if *last == letter => artists.push(artist),
            _ => letters.push((letter, vec![artist])),
        }
    }
    let letters = letters.into_iter();
    letters
        .map(|(letter, artists)| Node::new().with("name", letter).with("artist", artists))
        .collect()
}

/// Digest of the last list of a user, and the time of its first response.
type Seen = HashMap<(UserId, Option<LibraryId>), (u64, Timestamp)>;

/// Limit of the remembered lists. A forgotten list counts as changed, so that an app reads it again.
const MAX_SEEN: usize = 10_000;

static SEEN: LazyLock<Mutex<Seen>> = LazyLock::new(Mutex::default);

/// Returns the time in milliseconds at which the list got its current content. No stored time
/// contains every change: scans, edits and grants.
fn changed_at(call: &Call, library: Option<LibraryId>, entries: &[Entry]) -> i64 {
    let mut hasher = DefaultHasher::new();
    for Entry { author, .. } in entries {
        (author.id, &author.name, author.items).hash(&mut hasher);
    }
    let digest = hasher.finish();
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    if seen.len() >= MAX_SEEN {
        seen.clear();
    }
    let now = call.app.clock.now();
    let entry = seen.entry((call.user.id, library)).or_insert((digest, now));
    if entry.0 != digest {
        *entry = (digest, now);
    }
    entry.1.as_micros() / 1_000
}
