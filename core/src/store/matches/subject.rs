//! What is known of an item that providers are asked about: what its files and people say of it,
//! never what another provider said.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, named_params};
use serde_json::Value;

use crate::id::{FolderId, ItemId, LibraryId};
use crate::registry::naming::{Credit, Series};
use crate::registry::provider::{Place, Question};
use crate::registry::{MediaKind, Registry};
use crate::store::catalogue::{self, Sourced, StoredItem, source};
use crate::store::cover::due::{self, Subject as Lying};
use crate::store::{StoreResult, person, series};

/// Files of an item beside which may be looked.
const MAX_FILES: usize = 32;
/// Folders of an item that are looked at.
const MAX_PLACES: usize = 8;

/// An item that providers are asked about.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The item.
    pub item: ItemId,
    /// Its library.
    pub library: LibraryId,
    /// Its kind.
    pub kind: &'static MediaKind,
    /// What is asked.
    pub question: Question,
    /// Where its cover comes from; one of `catalogue::source`.
    pub cover_source: i64,
}

/// What is known of an item; `None` where it is gone, or its kind is not linked in.
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
    let Some(lying) = due::subject_unscoped(connection, item, MAX_FILES)? else {
        return Ok(None);
    };
    Ok(Some(Subject {
        item,
        library: lying.library,
        kind,
        question: question(connection, kind, stored, &lying)?,
        cover_source: lying.source,
    }))
}

/// A provider's own word is no evidence for what it is asked again: what lies beneath it is.
fn own<T>(value: T, stands_by: i64, beneath: Option<Sourced<T>>) -> Option<T> {
    if stands_by == source::PROVIDER {
        beneath.map(|beneath| beneath.value)
    } else {
        Some(value)
    }
}

fn question(
    connection: &Connection,
    kind: &MediaKind,
    stored: StoredItem,
    lying: &Lying,
) -> StoreResult<Question> {
    let StoredItem {
        id, title, year, ..
    } = stored;
    let beneath = stored.beneath;
    let facts: Value = serde_json::from_str(&stored.facts).unwrap_or_default();
    let fact = |name: &str| facts.get(name).and_then(Value::as_str).map(str::to_owned);
    let stored_title = own(title.value.clone(), title.source, beneath.title)
        .filter(|title| !title.is_empty())
        .unwrap_or(title.value);
    let credits = person::of_item(connection, id)?;
    let credits = own(credits, stored.authors_source, beneath.credits).unwrap_or_default();
    let (series_id, index) = stored.series.value;
    let name = match series_id {
        Some(id) => series::name_unscoped(connection, id)?,
        None => None,
    };
    let series = name.map(|name| Series { name, index });
    let year = own(year.value, year.source, beneath.year).flatten();
    Ok(Question {
        kind: stored.kind,
        title: (kind.search_title)(&stored_title),
        stored_title,
        subtitle: fact("subtitle"),
        authors: authors(credits),
        year: year.and_then(|year| year.try_into().ok()),
        isbns: isbns(&facts),
        series: own(series, stored.series.source, beneath.series).flatten(),
        platform: fact("platform"),
        language: fact("language"),
        places: places(connection, lying)?,
    })
}

fn authors(credits: Vec<Credit>) -> Vec<String> {
    let authors = credits
        .into_iter()
        .filter(|credit| credit.role == person::AUTHOR);
    authors.map(|credit| credit.name).collect()
}

/// Numbers of 10 or 13 digits; a kind may tell one or several.
fn isbns(facts: &Value) -> Vec<String> {
    let told = match facts.get("isbn") {
        Some(Value::String(one)) => vec![one.as_str()],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let digits = |text: &str| -> String {
        let kept = text
            .chars()
            .filter(|c| c.is_ascii_digit() || matches!(c, 'x' | 'X'));
        kept.map(|c| c.to_ascii_uppercase()).collect()
    };
    let numbers = told.into_iter().map(digits);
    numbers
        .filter(|number| matches!(number.len(), 10 | 13))
        .collect()
}

fn places(connection: &Connection, lying: &Lying) -> StoreResult<Vec<Place>> {
    let mut places: Vec<(FolderId, Place)> = Vec::new();
    for file in &lying.files {
        let stem = Path::new(OsStr::from_bytes(&file.name)).with_extension("");
        if let Some((_, place)) = places.iter_mut().find(|(id, _)| *id == file.folder_id) {
            place.stems.push(stem);
        } else if places.len() < MAX_PLACES {
            let place = Place {
                root: lying.root.clone(),
                folder: PathBuf::from(OsStr::from_bytes(&file.folder)),
                stems: vec![stem],
                is_alone: due::is_alone_unscoped(connection, lying, file.folder_id)?,
            };
            places.push((file.folder_id, place));
        }
    }
    Ok(places.into_iter().map(|(_, place)| place).collect())
}

/// The library of an item; `None` where it is gone.
pub fn library_unscoped(connection: &Connection, item: ItemId) -> StoreResult<Option<LibraryId>> {
    let mut statement =
        connection.prepare_cached("SELECT library_id FROM item WHERE id = :item")?;
    let library = statement.query_row(named_params! { ":item": item }, |row| row.get(0));
    Ok(library.optional()?)
}
