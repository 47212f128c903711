//! Credits of people whom a provider identifies.

use std::collections::{HashMap, HashSet};

use rusqlite::{OptionalExtension, Transaction, named_params};

use super::person_detail;
use super::write::Match;
use crate::error::StoreResult;
use crate::id::{ItemId, PersonId};
use crate::image::StoredPicture;
use crate::registry::naming::Credit;
use crate::registry::provider::{Candidate, ExternalId, PersonCredit};
use crate::store::catalogue::{person, series};
use crate::store::cover::picture;

/// Maximum number of credits of an item.
const MOST: usize = 100;

/// Credits of an item after a match: the authors of `candidate`, its other people, and those of
/// `existing` in roles that the candidate lacks. With `keeps_authors`, the existing authors stay.
pub(super) fn merged(
    existing: &[Credit],
    candidate: &Candidate,
    keeps_authors: bool,
) -> Vec<PersonCredit> {
    let plain = |credit: &Credit| PersonCredit {
        name: credit.name.clone(),
        role: credit.role.clone(),
        ..PersonCredit::default()
    };
    let is_author = |role: &str| role == person::AUTHOR;
    let people = &candidate.details.people;
    let offered = candidate.authors.iter().map(plain).chain(people.clone());
    let mut offered: Vec<PersonCredit> = offered.collect();
    let has_authors = offered.iter().any(|credit| is_author(&credit.role));
    if keeps_authors || !has_authors {
        offered.retain(|credit| !is_author(&credit.role));
        let authors = existing.iter().filter(|credit| is_author(&credit.role));
        offered.splice(0..0, authors.map(plain).collect::<Vec<_>>());
    }
    let roles: HashSet<String> = offered.iter().map(|credit| credit.role.clone()).collect();
    let others = existing
        .iter()
        .filter(|credit| !roles.contains(&credit.role) && !is_author(&credit.role));
    offered.extend(others.map(plain));
    // Authors precede: their names form the author line.
    offered.sort_by_key(|credit| !is_author(&credit.role));
    distinct(offered)
}

/// Merges repeated credits of one person in one role. The first one with a character, with ids or
/// with a picture provides them.
fn distinct(credits: Vec<PersonCredit>) -> Vec<PersonCredit> {
    let mut kept: Vec<((String, String), PersonCredit)> = Vec::new();
    for credit in credits {
        let key = (series::key(&credit.name), credit.role.clone());
        if key.0.is_empty() {
            continue;
        }
        let same = |(other, known): &&mut ((String, String), PersonCredit)| {
            let are_equal =
                known.ids.is_empty() || credit.ids.is_empty() || known.ids == credit.ids;
            *other == key && are_equal
        };
        let has_room = kept.len() < MOST;
        match kept.iter_mut().find(same) {
            Some((_, known)) => {
                known.character = known.character.take().or(credit.character);
                known.picture = known.picture.take().or(credit.picture);
                if known.ids.is_empty() {
                    known.ids = credit.ids;
                }
            }
            None if has_room => kept.push((key, credit)),
            None => {}
        }
    }
    kept.into_iter().map(|(_, credit)| credit).collect()
}

/// Replaces an item's credits. Returns `true` if the people or their roles changed.
pub(super) fn set(
    tx: &Transaction<'_>,
    item: ItemId,
    wanted: &Match<'_>,
    credits: &[PersonCredit],
) -> StoreResult<bool> {
    let before = of_item(tx, item)?;
    let portraits = wanted.pictures.portraits.iter();
    let portraits: HashMap<String, &StoredPicture> = portraits
        .map(|(name, portrait)| (series::key(name), portrait))
        .collect();
    let mut rows = Vec::with_capacity(credits.len());
    for credit in credits {
        let person = identify(tx, &credit.name, &credit.ids)?;
        if let Some(url) = &credit.picture {
            picture::want_portrait(tx, person, (wanted.provider, url))?;
        }
        if let Some(portrait) = portraits.get(&series::key(&credit.name)) {
            picture::set_portrait(tx, person, wanted.provider, portrait)?;
        }
        rows.push((person, credit.role.clone(), credit.character.clone()));
    }
    if before == rows {
        return Ok(false);
    }
    tx.prepare_cached("DELETE FROM item_person WHERE item_id = :item")?
        .execute(named_params! { ":item": item })?;
    let mut insert = tx.prepare_cached(
        "INSERT INTO item_person (item_id, position, person_id, role, character)
         VALUES (:item, :position, :person, :role, :character)",
    )?;
    for (position, (person, role, character)) in rows.iter().enumerate() {
        insert.execute(named_params! {
            ":item": item,
            ":position": position,
            ":person": person,
            ":role": role,
            ":character": character,
        })?;
    }
    let left: Vec<PersonId> = before.into_iter().map(|(person, _, _)| person).collect();
    person::forget_unused(tx, &left)?;
    person::set_line(tx, item)?;
    Ok(true)
}

type CreditRow = (PersonId, String, Option<String>);

fn of_item(tx: &Transaction<'_>, item: ItemId) -> StoreResult<Vec<CreditRow>> {
    let mut statement = tx.prepare_cached(
        "SELECT person_id, role, character
           FROM item_person
          WHERE item_id = :item
          ORDER BY position",
    )?;
    let rows = statement.query_map(named_params! { ":item": item }, |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the person with one of these ids; without ids, the person with this name. A person
/// of this name with another id in the same database is another person.
fn identify(tx: &Transaction<'_>, name: &str, ids: &[ExternalId]) -> StoreResult<PersonId> {
    let mut known = None;
    for id in ids {
        known = known.or(with_id(tx, id)?);
    }
    let person = match (known, ids.first()) {
        (Some(person), _) => person,
        (None, Some(first)) => {
            let named = person::ensure(tx, name)?;
            if has_other_id(tx, named, first)? {
                separate(tx, name, first)?
            } else {
                named
            }
        }
        (None, None) => return person::ensure(tx, name),
    };
    let mut insert = tx.prepare_cached(
        "INSERT OR IGNORE INTO person_identity (database, external_id, person_id)
         VALUES (:database, :id, :person)",
    )?;
    let mut added = 0;
    for id in ids {
        added += insert.execute(named_params! {
            ":database": id.database, ":id": id.id, ":person": person,
        })?;
    }
    if added > 0 {
        person_detail::set_due(tx, person)?;
    }
    Ok(person)
}

fn with_id(tx: &Transaction<'_>, id: &ExternalId) -> StoreResult<Option<PersonId>> {
    let mut statement = tx.prepare_cached(
        "SELECT person_id
           FROM person_identity
          WHERE database = :database AND external_id = :id",
    )?;
    let of = named_params! { ":database": id.database, ":id": id.id };
    Ok(statement.query_row(of, |row| row.get(0)).optional()?)
}

fn has_other_id(tx: &Transaction<'_>, person: PersonId, id: &ExternalId) -> StoreResult<bool> {
    let mut statement = tx.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM person_identity
                         WHERE person_id = :person AND database = :database
                           AND external_id <> :id)",
    )?;
    let of = named_params! { ":person": person, ":database": id.database, ":id": id.id };
    Ok(statement.query_row(of, |row| row.get(0))?)
}

/// Inserts another person with the name of an existing one. The key contains the id, so that names
/// from files never lead to this row.
fn separate(tx: &Transaction<'_>, name: &str, id: &ExternalId) -> StoreResult<PersonId> {
    let key = format!("{}\u{1f}{}:{}", series::key(name), id.database, id.id);
    let person = tx
        .prepare_cached(
            "INSERT INTO person (name, name_key)
             VALUES (:name, :key)
                 ON CONFLICT (name_key) DO UPDATE SET name = :name
          RETURNING id",
        )?
        .query_row(named_params! { ":name": name, ":key": key }, |row| {
            row.get(0)
        })?;
    Ok(person)
}
