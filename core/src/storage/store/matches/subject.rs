//! Data of an item for provider queries: values of its files and its users, but never values of
//! another provider.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, named_params};
use serde_json::Value;

use crate::error::StoreResult;
use crate::id::{FolderId, ItemId, LibraryId};
use crate::registry::naming::{Credit, Series};
use crate::registry::provider::{ExternalId, ItemFolder, KnownPart, Query};
use crate::registry::{MediaKind, Registry};
use crate::store::catalogue::field::{Sourced, source};
use crate::store::catalogue::{self, StoredItem, person, series};
use crate::store::cover::queue::{self, Subject as CoverSubject};

/// Limit of an item's files that are considered for local metadata.
const MAX_FILES: usize = 32;
/// Limit of an item's folders that are considered for local metadata.
const MAX_FOLDERS: usize = 8;
/// Limit of an item's files that are compared with episodes and tracks.
const MAX_PARTS: usize = 500;
/// Facts that contain the item's id in an external database of the same name.
const ID_FACTS: &[&str] = &[
    "anidb",
    "anilist",
    "asin",
    "comicvine",
    "imdb",
    "musicbrainz_artist",
    "musicbrainz_recording",
    "musicbrainz_release",
    "musicbrainz_release_group",
    "tmdb",
    "tvdb",
    "tvmaze",
    "wikidata",
];

/// An item to query providers about.
#[derive(Debug, Clone)]
pub struct Subject {
    /// Id of the item.
    pub item: ItemId,
    /// Id of the item's library.
    pub library: LibraryId,
    /// Kind of the item.
    pub kind: &'static MediaKind,
    /// Known values that the query is built from.
    pub question: Query,
}

/// Reads the data of an item. Returns `None` if it is gone, or its kind is not part of this build.
pub fn of_unscoped(
    connection: &Connection,
    registry: &Registry,
    item: ItemId,
) -> StoreResult<Option<Subject>> {
    let Some(stored) = catalogue::get_unscoped(connection, item)? else {
        return Ok(None);
    };
    let Some(kind) = registry.kind(&stored.kind) else {
        return Ok(None);
    };
    let Some(cover_subject) = queue::subject_unscoped(connection, item, MAX_FILES)? else {
        return Ok(None);
    };
    Ok(Some(Subject {
        item,
        library: cover_subject.library,
        kind,
        question: question(connection, kind, stored, &cover_subject)?,
    }))
}

/// Replaces a provider's value by the scanned value: a provider's value is not evidence for a new
/// query.
fn own<T>(value: T, source: i64, scanned: Option<Sourced<T>>) -> Option<T> {
    if source == source::PROVIDER {
        scanned.map(|scanned| scanned.value)
    } else {
        Some(value)
    }
}

fn question(
    connection: &Connection,
    kind: &MediaKind,
    stored: StoredItem,
    cover_subject: &CoverSubject,
) -> StoreResult<Query> {
    let StoredItem {
        id, title, year, ..
    } = stored;
    let scanned = stored.scanned_values;
    let facts: Value = serde_json::from_str(&stored.facts).unwrap_or_default();
    let fact = |name: &str| facts.get(name).and_then(Value::as_str).map(str::to_owned);
    let stored_title = own(title.value.clone(), title.source, scanned.title)
        .filter(|title| !title.is_empty())
        .unwrap_or(title.value);
    let credits = person::of_item(connection, id)?;
    let credits = own(credits, stored.authors_source, scanned.credits).unwrap_or_default();
    let (series_id, index) = stored.series.value;
    let name = match series_id {
        Some(id) => series::name_unscoped(connection, id)?,
        None => None,
    };
    let series = name.map(|name| Series { name, index });
    let year = own(year.value, year.source, scanned.year).flatten();
    Ok(Query {
        kind: stored.kind,
        title: (kind.search_title)(&stored_title),
        stored_title,
        subtitle: fact("subtitle"),
        authors: authors(credits),
        year: year.and_then(|year| year.try_into().ok()),
        isbns: isbns(&facts),
        series: own(series, stored.series.source, scanned.series).flatten(),
        platform: fact("platform"),
        language: fact("language"),
        rules: (kind.match_rules)(stored.subkind.as_deref()),
        subkind: stored.subkind,
        external_ids: external_ids(&facts),
        parts: parts(connection, id)?,
        languages: Vec::new(),
        folders: folders(connection, cover_subject)?,
    })
}

fn authors(credits: Vec<Credit>) -> Vec<String> {
    let authors = credits
        .into_iter()
        .filter(|credit| credit.role == person::AUTHOR);
    authors.map(|credit| credit.name).collect()
}

/// Returns the ISBNs of 10 or 13 digits; the fact may be one text or a list.
fn isbns(facts: &Value) -> Vec<String> {
    let texts = match facts.get("isbn") {
        Some(Value::String(one)) => vec![one.as_str()],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let digits = |text: &str| -> String {
        let valid = text
            .chars()
            .filter(|c| c.is_ascii_digit() || matches!(c, 'x' | 'X'));
        valid.map(|c| c.to_ascii_uppercase()).collect()
    };
    let numbers = texts.into_iter().map(digits);
    numbers
        .filter(|number| matches!(number.len(), 10 | 13))
        .collect()
}

/// Returns the ids in external databases. A fact may be one text, a number or a list.
fn external_ids(facts: &Value) -> Vec<ExternalId> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let ids = ID_FACTS.iter().filter_map(|name| {
        let value = match facts.get(*name)? {
            Value::Array(several) => text(several.first()?),
            one => text(one),
        };
        let id = value.filter(|id| !id.is_empty())?;
        Some(ExternalId::new(name, id))
    });
    ids.collect()
}

/// Returns the present files of an item in order, with their numbers, titles and lengths.
fn parts(connection: &Connection, item: ItemId) -> StoreResult<Vec<KnownPart>> {
    let mut statement = connection.prepare_cached(
        "SELECT season, coalesce(episode, sequence), title, duration
           FROM file
          WHERE item_id = :item AND missing = 0
          ORDER BY sequence, id
          LIMIT :most",
    )?;
    let of = named_params! { ":item": item, ":most": MAX_PARTS };
    let rows = statement.query_map(of, |row| {
        Ok(KnownPart {
            season: row.get(0)?,
            number: row.get(1)?,
            title: row.get(2)?,
            seconds: row.get(3)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn folders(connection: &Connection, cover_subject: &CoverSubject) -> StoreResult<Vec<ItemFolder>> {
    let mut folders: Vec<(FolderId, ItemFolder)> = Vec::new();
    for file in &cover_subject.files {
        let stem = Path::new(OsStr::from_bytes(&file.name)).with_extension("");
        if let Some((_, place)) = folders.iter_mut().find(|(id, _)| *id == file.folder_id) {
            place.stems.push(stem);
        } else if folders.len() < MAX_FOLDERS {
            let place = ItemFolder {
                root: cover_subject.root.clone(),
                folder: PathBuf::from(OsStr::from_bytes(&file.folder)),
                stems: vec![stem],
                is_alone: queue::is_alone_unscoped(connection, cover_subject, file.folder_id)?,
            };
            folders.push((file.folder_id, place));
        }
    }
    Ok(folders.into_iter().map(|(_, place)| place).collect())
}

/// Returns the library of an item, or `None` if the item is gone.
pub fn library_unscoped(connection: &Connection, item: ItemId) -> StoreResult<Option<LibraryId>> {
    let mut statement =
        connection.prepare_cached("SELECT library_id FROM item WHERE id = :item")?;
    let library = statement.query_row(named_params! { ":item": item }, |row| row.get(0));
    Ok(library.optional()?)
}
