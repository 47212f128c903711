//! Genres of items, and the genres and the language that an item's facts state.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};
use serde_json::Value;

use crate::error::StoreResult;
use crate::id::{GenreId, ItemId};
use crate::store::catalogue::StoredItem;
use crate::store::catalogue::field::{Sourced, source};
use crate::text::{self, language};

/// Limit of genres per item.
pub const MAX_GENRES: usize = 50;
/// Limit of a genre's name in characters.
pub const MAX_NAME: usize = 200;

/// Facts that contain genres. The formats of files use both names.
const GENRE_FACTS: [&str; 2] = ["genres", "subjects"];

/// Returns the genres of an item's facts, each once. A value may contain several names, separated by
/// `;` or NUL.
pub fn in_facts(facts: &Facts) -> Vec<String> {
    let values = GENRE_FACTS.iter().filter_map(|name| facts.get(*name));
    let texts = values.flat_map(|value| match value {
        Value::Array(values) => values.iter().filter_map(Value::as_str).collect(),
        value => Vec::from_iter(value.as_str()),
    });
    distinct(texts.flat_map(|text| text.split([';', '\0'])))
}

/// Returns the primary subtag of the language in an item's facts.
pub fn language_in_facts(facts: &Facts) -> Option<String> {
    let tag = facts.get("language")?.as_str()?;
    language::primary_subtag(tag.split('-').next()?)
}

/// Facts of an item by name.
pub type Facts = BTreeMap<String, Value>;

/// Returns a field that the facts contain. Its source is the file if the facts of the files alone
/// have the same value.
pub fn sourced<T: PartialEq + Default>(
    facts: &Facts,
    file_facts: &Facts,
    read: impl Fn(&Facts) -> T,
) -> Sourced<T> {
    let value = read(facts);
    let is_of_file = value != T::default() && value == read(file_facts);
    let source = if is_of_file {
        source::FILE
    } else {
        source::NAME
    };
    Sourced { value, source }
}

/// Returns the genres in the facts of an item.
pub fn of_facts(item: &StoredItem) -> Sourced<Vec<String>> {
    let facts = |text: &str| serde_json::from_str(text).unwrap_or_default();
    sourced(&facts(&item.facts), &facts(&item.file_facts), in_facts)
}

/// Returns the usable names without repetitions. Names that differ only in case or accents are equal.
pub fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut keys = BTreeSet::new();
    names
        .map(str::trim)
        .filter(|name| is_usable(name) && keys.insert(text::fold(name)))
        .map(str::to_owned)
        .take(MAX_GENRES)
        .collect()
}

fn is_usable(name: &str) -> bool {
    !text::fold(name).is_empty()
        && name.chars().count() <= MAX_NAME
        && !name.chars().any(char::is_control)
}

/// Returns the names of an item's genres in order.
pub fn names_of_item(conn: &Connection, item: ItemId) -> StoreResult<Vec<String>> {
    let genres = of_item(conn, item)?.into_iter();
    Ok(genres.map(|(_, name)| name).collect())
}

/// Returns the ids and the names of an item's genres in order.
pub fn of_item(conn: &Connection, item: ItemId) -> StoreResult<Vec<(GenreId, String)>> {
    let mut statement = conn.prepare_cached(
        "SELECT genre.id, genre.name
           FROM item_genre AS link
           JOIN genre ON genre.id = link.genre_id
          WHERE link.item_id = :item
          ORDER BY link.position",
    )?;
    let rows = statement.query_map(named_params! { ":item": item }, |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Replaces the genres of an item. Returns `true` if they changed. Spellings do not count as a
/// difference, because a genre keeps its first stored spelling.
pub fn set(tx: &Transaction<'_>, item: ItemId, genres: &[String]) -> StoreResult<bool> {
    let keys = |names: &[String]| -> Vec<String> { names.iter().map(|n| text::fold(n)).collect() };
    if keys(&names_of_item(tx, item)?) == keys(genres) {
        return Ok(false);
    }
    let before = ids_of_items(tx, &[item])?;
    tx.prepare_cached("DELETE FROM item_genre WHERE item_id = :item")?
        .execute(named_params! { ":item": item })?;
    link(tx, item, genres)?;
    forget_unused(tx, &before)?;
    Ok(true)
}

/// Inserts the genres of an item that has none yet.
pub(crate) fn link(tx: &Transaction<'_>, item: ItemId, genres: &[String]) -> StoreResult<()> {
    let mut insert = tx.prepare_cached(
        "INSERT OR IGNORE INTO item_genre (item_id, position, genre_id)
         VALUES (:item, :position, :genre)",
    )?;
    for (position, name) in genres.iter().enumerate() {
        let genre = ensure(tx, name)?;
        insert.execute(named_params! { ":item": item, ":position": position, ":genre": genre })?;
    }
    Ok(())
}

/// Returns the genre with this name and inserts it if it is new.
fn ensure(tx: &Transaction<'_>, name: &str) -> StoreResult<GenreId> {
    let key = text::fold(name);
    let existing = tx
        .prepare_cached("SELECT id FROM genre WHERE name_key = :key")?
        .query_row(named_params! { ":key": key }, |row| row.get(0))
        .optional()?;
    if let Some(id) = existing {
        return Ok(id);
    }
    tx.prepare_cached("INSERT INTO genre (name, name_key) VALUES (:name, :key)")?
        .execute(named_params! { ":name": name, ":key": key })?;
    Ok(GenreId(tx.last_insert_rowid()))
}

/// Changes the spelling of a genre's name.
pub fn respell(tx: &Transaction<'_>, name: &str) -> StoreResult<()> {
    tx.prepare_cached("UPDATE genre SET name = :name WHERE name_key = :key AND name <> :name")?
        .execute(named_params! { ":name": name, ":key": text::fold(name) })?;
    Ok(())
}

/// Returns the genres of these items.
pub(crate) fn ids_of_items(tx: &Transaction<'_>, items: &[ItemId]) -> StoreResult<Vec<GenreId>> {
    let mut statement =
        tx.prepare_cached("SELECT genre_id FROM item_genre WHERE item_id = :item")?;
    let mut genres = BTreeSet::new();
    for item in items {
        let rows = statement.query_map(named_params! { ":item": item }, |row| row.get(0))?;
        for genre in rows {
            genres.insert(genre?);
        }
    }
    Ok(genres.into_iter().collect())
}

/// Deletes those of these genres that have no item left.
pub(crate) fn forget_unused(tx: &Transaction<'_>, genres: &[GenreId]) -> StoreResult<()> {
    let mut statement = tx.prepare_cached(
        "DELETE FROM genre
          WHERE id = :genre
            AND NOT EXISTS (SELECT 1 FROM item_genre WHERE genre_id = :genre)",
    )?;
    for genre in genres {
        statement.execute(named_params! { ":genre": genre })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn facts(value: Value) -> BTreeMap<String, Value> {
        serde_json::from_value(value).expect("an object")
    }

    #[test]
    fn genres_are_split_and_listed_once() {
        let facts = facts(json!({
            "genres": ["Rock; Pop", "ROCK", " Pop\0Jazz ", "", ";", "a\u{1}b"],
            "subjects": "Music",
        }));
        assert_eq!(in_facts(&facts), ["Rock", "Pop", "Jazz", "Music"]);
    }

    #[test]
    fn genres_of_hostile_facts_are_bounded() {
        let many: Vec<String> = (0..9_999).map(|n| format!("g{n}")).collect();
        let long = "x".repeat(MAX_NAME + 1);
        assert_eq!(
            in_facts(&facts(json!({ "genres": many }))).len(),
            MAX_GENRES
        );
        let odd = json!({ "genres": [long, 7, null, ["a"]], "subjects": { "a": "b" } });
        assert_eq!(in_facts(&facts(odd)), Vec::<String>::new());
    }

    #[test]
    fn language_is_the_primary_subtag() {
        for (stated, expected) in [
            (json!("pt-BR"), Some("pt")),
            (json!("en"), Some("en")),
            (json!(""), None),
            (json!("x'; --"), None),
            (json!(["en"]), None),
        ] {
            let found = language_in_facts(&facts(json!({ "language": stated })));
            assert_eq!(found.as_deref(), expected, "{stated}");
        }
    }
}
