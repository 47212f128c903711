//! People, their roles in items, and the author line derived from them.

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use crate::error::StoreResult;
use crate::id::{ItemId, PersonId};
use crate::registry::naming::Credit;
use crate::store::catalogue::series;
use crate::text;

/// Role of the people in an item's author line.
pub const AUTHOR: &str = "author";

/// Returns the author line: the names of the authors in order, joined by commas.
pub fn author_line(credits: &[Credit]) -> String {
    let names: Vec<&str> = credits
        .iter()
        .filter(|credit| credit.role == AUTHOR)
        .map(|credit| credit.name.as_str())
        .collect();
    names.join(", ")
}

/// Replaces an item's credits and its author line. Returns `true` if they changed. The caller
/// checks the permission, writes `authors_source` and reindexes the item.
pub fn set_credits(tx: &Transaction<'_>, item: ItemId, credits: &[Credit]) -> StoreResult<bool> {
    // A person keeps the first stored spelling, so spellings do not count as a difference.
    let keys = |credits: &[Credit]| -> Vec<(String, String)> {
        let key = |credit: &Credit| (series::key(&credit.name), credit.role.clone());
        credits.iter().map(key).collect()
    };
    if keys(&of_item(tx, item)?) == keys(credits) {
        return Ok(false);
    }
    let before = ids_of_items(tx, &[item])?;
    tx.prepare_cached("DELETE FROM item_person WHERE item_id = :item")?
        .execute(named_params! { ":item": item })?;
    link(tx, item, credits)?;
    forget_unused(tx, &before)?;
    write_line(tx, item, &author_line(credits))?;
    Ok(true)
}

/// Returns the people credited in these items.
pub(crate) fn ids_of_items(tx: &Transaction<'_>, items: &[ItemId]) -> StoreResult<Vec<PersonId>> {
    let mut statement =
        tx.prepare_cached("SELECT person_id FROM item_person WHERE item_id = :item")?;
    let mut people = Vec::new();
    for item in items {
        let rows = statement.query_map(named_params! { ":item": item }, |row| row.get(0))?;
        for person in rows {
            people.push(person?);
        }
    }
    people.sort_unstable();
    people.dedup();
    Ok(people)
}

/// Deletes those of these people who have no credit left. People with a favourite or a rating stay:
/// no list contains them, and the user's data is there again when a credit returns.
pub(crate) fn forget_unused(tx: &Transaction<'_>, people: &[PersonId]) -> StoreResult<()> {
    let mut statement = tx.prepare_cached(
        "DELETE FROM person
          WHERE id = :person
            AND NOT EXISTS (SELECT 1 FROM item_person WHERE person_id = :person)
            AND NOT EXISTS (SELECT 1 FROM person_favourite WHERE person_id = :person)
            AND NOT EXISTS (SELECT 1 FROM person_rating WHERE person_id = :person)",
    )?;
    for person in people {
        statement.execute(named_params! { ":person": person })?;
    }
    Ok(())
}

/// Writes an item's author line. Returns `true` if it changed.
fn write_line(tx: &Transaction<'_>, item: ItemId, authors: &str) -> StoreResult<bool> {
    let changed = tx
        .prepare_cached(
            "UPDATE item
                SET authors = :authors, sort_authors = :sort_authors
              WHERE id = :item AND authors <> :authors",
        )?
        .execute(named_params! {
            ":item": item,
            ":authors": authors,
            ":sort_authors": text::name_sort_key(authors),
        })?;
    Ok(changed > 0)
}

/// Recomputes an item's author line from the stored names. Returns `true` if it changed.
pub fn set_line(tx: &Transaction<'_>, item: ItemId) -> StoreResult<bool> {
    write_line(tx, item, &author_line(&of_item(tx, item)?))
}

/// Changes the spelling of a person's name. Returns the items of the person; the caller reindexes
/// them.
pub fn respell(tx: &Transaction<'_>, name: &str) -> StoreResult<Vec<ItemId>> {
    let person: Option<PersonId> = tx
        .prepare_cached(
            "UPDATE person
                SET name = :name
              WHERE name_key = :key AND name <> :name
          RETURNING id",
        )?
        .query_row(
            named_params! { ":name": name, ":key": series::key(name) },
            |row| row.get(0),
        )
        .optional()?;
    let Some(person) = person else {
        return Ok(Vec::new());
    };
    let items: Vec<ItemId> = tx
        .prepare_cached(
            "SELECT DISTINCT item_id
               FROM item_person
              WHERE person_id = :person",
        )?
        .query_map(named_params! { ":person": person }, |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for item in &items {
        set_line(tx, *item)?;
    }
    Ok(items)
}

/// Inserts the credits of an item that has none yet.
pub(crate) fn link(tx: &Transaction<'_>, item: ItemId, credits: &[Credit]) -> StoreResult<()> {
    for (position, credit) in credits.iter().enumerate() {
        let person = ensure(tx, &credit.name)?;
        tx.prepare_cached(
            "INSERT INTO item_person (item_id, position, person_id, role)
             VALUES (:item, :position, :person, :role)",
        )?
        .execute(named_params! {
            ":item": item,
            ":position": position,
            ":person": person,
            ":role": credit.role,
        })?;
    }
    Ok(())
}

/// Returns an item's credits in order.
pub fn of_item(connection: &Connection, item: ItemId) -> StoreResult<Vec<Credit>> {
    let mut statement = connection.prepare_cached(
        "SELECT person.name, item_person.role
           FROM item_person
           JOIN person ON person.id = item_person.person_id
          WHERE item_person.item_id = :item
          ORDER BY item_person.position",
    )?;
    let rows = statement.query_map(named_params! { ":item": item }, |row| {
        Ok(Credit {
            name: row.get(0)?,
            role: row.get(1)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the person with this name and inserts it if it is new. Case, accents and punctuation are
/// ignored.
pub fn ensure(tx: &Transaction<'_>, name: &str) -> StoreResult<PersonId> {
    let key = series::key(name);
    let existing = tx
        .prepare_cached("SELECT id FROM person WHERE name_key = :key")?
        .query_row(named_params! { ":key": key }, |row| row.get(0))
        .optional()?;
    if let Some(id) = existing {
        return Ok(id);
    }
    tx.prepare_cached("INSERT INTO person (name, name_key) VALUES (:name, :key)")?
        .execute(named_params! { ":name": name, ":key": key })?;
    Ok(PersonId(tx.last_insert_rowid()))
}

/// Normalises credits from users and files: collapses white space, and removes duplicates and empty
/// names. At most 100 credits of 200 characters remain, in their order.
pub fn sanitize(credits: &[Credit]) -> Vec<Credit> {
    const LONGEST: usize = 200;
    const MOST: usize = 100;
    let mut seen = std::collections::HashSet::new();
    let mut sanitized = Vec::new();
    for credit in credits {
        let name: String = credit
            .name
            .split(|c: char| c.is_whitespace() || c.is_control())
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
            .chars()
            .take(LONGEST)
            .collect();
        let key = series::key(&name);
        if key.is_empty() || sanitized.len() == MOST || !seen.insert((key, credit.role.clone())) {
            continue;
        }
        sanitized.push(Credit {
            name,
            role: credit.role.clone(),
        });
    }
    sanitized
}
