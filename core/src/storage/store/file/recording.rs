//! Items, files and people as other programs list recordings: in batches by id, present ones only.

pub mod author;
pub mod genre;
mod item;
mod lookup;
mod part;
mod person;
pub mod personal;
pub mod search_row;
pub mod viewed;
pub mod walk;

use std::collections::HashMap;

use rusqlite::{Connection, named_params};

use crate::error::StoreResult;
use crate::id::ItemId;
use crate::store::item::PersonCredit;

pub use item::{RecordedItem, items};
pub use lookup::{KnownPart, find_item, find_part, find_person};
pub use part::{RecordedPart, parts};
pub use person::{RecordedPerson, people};
pub use personal::PersonalState;
pub use walk::Scope;

/// People and genres of an item.
#[derive(Debug, Clone, Default)]
pub struct Credits {
    /// Credited people in order.
    pub people: Vec<PersonCredit>,
    /// Genres in order.
    pub genres: Vec<String>,
}

/// Reads people and genres of these items.
fn credits(conn: &Connection, items: &str) -> StoreResult<HashMap<ItemId, Credits>> {
    let mut credits: HashMap<ItemId, Credits> = HashMap::new();
    let mut statement = conn.prepare_cached(
        "SELECT link.item_id, person.id, person.name, link.role
           FROM json_each(:ids) AS wanted
           CROSS JOIN item_person AS link ON link.item_id = wanted.value
           JOIN person ON person.id = link.person_id
          ORDER BY wanted.key, link.position",
    )?;
    let mut rows = statement.query(named_params! { ":ids": items })?;
    while let Some(row) = rows.next()? {
        let people = &mut credits.entry(row.get(0)?).or_default().people;
        people.push(PersonCredit {
            id: row.get(1)?,
            name: row.get(2)?,
            role: row.get(3)?,
            character: None,
            portrait: None,
        });
    }
    let mut statement = conn.prepare_cached(
        "SELECT link.item_id, genre.name
           FROM json_each(:ids) AS wanted
           CROSS JOIN item_genre AS link ON link.item_id = wanted.value
           JOIN genre ON genre.id = link.genre_id
          ORDER BY wanted.key, link.position",
    )?;
    let mut rows = statement.query(named_params! { ":ids": items })?;
    while let Some(row) = rows.next()? {
        let genres = &mut credits.entry(row.get(0)?).or_default().genres;
        genres.push(row.get(1)?);
    }
    Ok(credits)
}

/// Formats ids as a JSON array for `json_each`.
fn list<T: serde::Serialize>(ids: &[T]) -> String {
    serde_json::to_string(ids).expect("integers are JSON")
}
