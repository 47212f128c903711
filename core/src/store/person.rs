//! People and what they did for an item; the author line follows from it.

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use super::series;
use crate::id::{ItemId, PersonId};
use crate::registry::naming::Credit;
use crate::store::StoreResult;
use crate::text;

/// The role of those who stand in an item's author line.
pub const AUTHOR: &str = "author";

/// The author line of credits: the authors' names in their order.
pub fn author_line(credits: &[Credit]) -> String {
    let names: Vec<&str> = credits
        .iter()
        .filter(|credit| credit.role == AUTHOR)
        .map(|credit| credit.name.as_str())
        .collect();
    names.join(", ")
}

/// Gives an item exactly these credits and the author line that follows; `true` if anything
/// changed. The caller decides whether it may, writes `authors_source`, and reindexes the item.
pub fn set_credits(tx: &Transaction<'_>, item: ItemId, credits: &[Credit]) -> StoreResult<bool> {
    // A person bears the first spelling that was met: spellings do not tell people apart.
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

/// Whoever is credited with these items.
pub(super) fn ids_of_items(tx: &Transaction<'_>, items: &[ItemId]) -> StoreResult<Vec<PersonId>> {
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

/// Forgets those of these people who are credited with nothing any more.
pub(super) fn forget_unused(tx: &Transaction<'_>, people: &[PersonId]) -> StoreResult<()> {
    let mut statement = tx.prepare_cached(
        "DELETE FROM person
          WHERE id = :person
            AND NOT EXISTS (SELECT 1 FROM item_person WHERE person_id = :person)",
    )?;
    for person in people {
        statement.execute(named_params! { ":person": person })?;
    }
    Ok(())
}

/// Writes an item's author line; `true` if it was another.
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

/// Makes an item's author line follow from how its authors are spelled; `true` if it was another.
pub fn set_line(tx: &Transaction<'_>, item: ItemId) -> StoreResult<bool> {
    write_line(tx, item, &author_line(&of_item(tx, item)?))
}

/// Gives the person of this name this spelling; the items whose author line has changed with it,
/// to be reindexed.
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
              WHERE person_id = :person AND role = :author",
        )?
        .query_map(
            named_params! { ":person": person, ":author": AUTHOR },
            |row| row.get(0),
        )?
        .collect::<Result<_, _>>()?;
    let mut changed = Vec::new();
    for item in items {
        if set_line(tx, item)? {
            changed.push(item);
        }
    }
    Ok(changed)
}

/// Links the people to an item that has none yet.
pub(super) fn link(tx: &Transaction<'_>, item: ItemId, credits: &[Credit]) -> StoreResult<()> {
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

/// An item's credits in their order.
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

/// The person of this name; stored if new. Case, accents and punctuation make no difference.
pub fn ensure(tx: &Transaction<'_>, name: &str) -> StoreResult<PersonId> {
    let key = series::key(name);
    let known = tx
        .prepare_cached("SELECT id FROM person WHERE name_key = :key")?
        .query_row(named_params! { ":key": key }, |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    tx.prepare_cached("INSERT INTO person (name, name_key) VALUES (:name, :key)")?
        .execute(named_params! { ":name": name, ":key": key })?;
    Ok(PersonId(tx.last_insert_rowid()))
}

/// Credits without doubles, blanks and names that nobody has: what people and files make of the
/// field. The order stays.
pub fn tidy(credits: &[Credit]) -> Vec<Credit> {
    const LONGEST: usize = 200;
    const MOST: usize = 100;
    let mut seen = std::collections::HashSet::new();
    let mut tidy = Vec::new();
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
        if key.is_empty() || tidy.len() == MOST || !seen.insert((key, credit.role.clone())) {
            continue;
        }
        tidy.push(Credit {
            name,
            role: credit.role.clone(),
        });
    }
    tidy
}
