//! Authors of recordings.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension as _, named_params};

use super::list;
use super::walk::Scope;
use crate::error::StoreResult;
use crate::id::{ItemId, PersonId};
use crate::search::fold::of_folded;

/// Limit of the items of a person.
const MAX_ITEMS: u32 = 10_000;

/// Author of present visible items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// Id of the person.
    pub id: PersonId,
    /// Name.
    pub name: String,
    /// Number of the items.
    pub items: i64,
}

const AUTHORS: &str = "
    SELECT c.person_id, person.name, c.n
      FROM author_count AS c
      JOIN person ON person.id = c.person_id
     WHERE c.library_id = :library AND c.kind = :kind AND c.n > 0";

/// Returns all authors in no particular order.
pub fn authors(conn: &Connection, scope: Scope<'_>) -> StoreResult<Vec<Author>> {
    let mut statement = conn.prepare_cached(AUTHORS)?;
    let mut authors: HashMap<PersonId, Author> = HashMap::new();
    for library in scope.libraries(conn)? {
        for kind in scope.kinds {
            let mut rows = statement.query(named_params! { ":library": library, ":kind": kind })?;
            while let Some(row) = rows.next()? {
                let (id, items): (PersonId, i64) = (row.get(0)?, row.get(2)?);
                if let Some(author) = authors.get_mut(&id) {
                    author.items += items;
                    continue;
                }
                let name = row.get(1)?;
                authors.insert(id, Author { id, name, items });
            }
        }
    }
    Ok(authors.into_values().collect())
}

const KEYS: &str = "
    SELECT c.person_id, person.name_key
      FROM author_count AS c
      JOIN person ON person.id = c.person_id
     WHERE c.library_id = :library AND c.kind = :kind AND c.n > 0";

/// Returns the authors whose names contain all of these words, with their names, in no particular
/// order. Words and names are folded for searching. A search reads the names of all authors: it uses
/// the stored keys, and copies the matches only.
pub fn containing(
    conn: &Connection,
    scope: Scope<'_>,
    words: &[&str],
) -> StoreResult<HashMap<PersonId, String>> {
    let mut statement = conn.prepare_cached(KEYS)?;
    let mut found = HashMap::new();
    for library in scope.libraries(conn)? {
        for kind in scope.kinds {
            let mut rows = statement.query(named_params! { ":library": library, ":kind": kind })?;
            while let Some(row) = rows.next()? {
                let key = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
                let name = of_folded(key);
                if words.iter().all(|word| name.contains(word)) {
                    found.insert(row.get(0)?, name.into_owned());
                }
            }
        }
    }
    Ok(found)
}

const ITEMS: &str = "
    SELECT item.id
      FROM item_person AS link
      JOIN item ON item.id = link.item_id
      JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
     WHERE link.person_id = :person AND item.missing = 0
       AND (:role IS NULL OR link.role = :role)
       AND item.kind IN (SELECT value FROM json_each(:kinds))
     LIMIT :limit";

/// Returns present visible items of a person: those as an author, or else those with another
/// credit.
pub fn items_of_person(
    conn: &Connection,
    scope: Scope<'_>,
    person: PersonId,
) -> StoreResult<Vec<ItemId>> {
    let mut statement = conn.prepare_cached(ITEMS)?;
    let kinds = list(scope.kinds);
    for role in [Some("author"), None] {
        let rows = statement.query_map(
            named_params! {
                ":viewer": scope.visible.user(),
                ":person": person,
                ":role": role,
                ":kinds": kinds,
                ":limit": MAX_ITEMS,
            },
            |row| row.get(0),
        )?;
        let mut items: Vec<ItemId> = rows.collect::<Result<_, _>>()?;
        // A person may have several roles in an item.
        items.sort_unstable();
        items.dedup();
        if !items.is_empty() {
            return Ok(items);
        }
    }
    Ok(Vec::new())
}

/// Returns the id of the person with this folded name. The caller must check that the person has a
/// visible item.
pub fn named_unscoped(conn: &Connection, key: &str) -> StoreResult<Option<PersonId>> {
    let mut statement = conn.prepare_cached("SELECT id FROM person WHERE name_key = :key")?;
    let id = statement.query_row(named_params! { ":key": key }, |row| row.get(0));
    Ok(id.optional()?)
}

/// Returns the roles of a person in some present visible items.
pub fn roles(conn: &Connection, scope: Scope<'_>, person: PersonId) -> StoreResult<Vec<String>> {
    let mut statement = conn.prepare_cached(
        "SELECT link.role
           FROM item_person AS link
           JOIN item ON item.id = link.item_id
           JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
          WHERE link.person_id = :person AND item.missing = 0
            AND item.kind IN (SELECT value FROM json_each(:kinds))
          LIMIT :limit",
    )?;
    let rows = statement.query_map(
        named_params! {
            ":viewer": scope.visible.user(),
            ":person": person,
            ":kinds": list(scope.kinds),
            ":limit": MAX_ITEMS,
        },
        |row| row.get(0),
    )?;
    let mut roles: Vec<String> = rows.collect::<Result<_, _>>()?;
    roles.sort_unstable();
    roles.dedup();
    Ok(roles)
}
