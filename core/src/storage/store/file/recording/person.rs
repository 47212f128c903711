//! People of recordings.

use rusqlite::{Connection, named_params};

use super::walk::Scope;
use super::{PersonalState, list, personal};
use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::PersonId;

/// Person with a credit on a present visible item of some kinds.
#[derive(Debug, Clone)]
pub struct RecordedPerson {
    /// Id of the person.
    pub id: PersonId,
    /// Name.
    pub name: String,
    /// Number of the items: those as an author, or else those with another credit.
    pub items: i64,
    /// Data of the user.
    pub personal: PersonalState,
}

const PEOPLE: &str = "
    SELECT wanted.key, person.id, person.name,
           (SELECT ifnull(sum(c.n), 0)
              FROM author_count AS c
              JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = c.library_id
             WHERE c.person_id = person.id
               AND c.kind IN (SELECT value FROM json_each(:kinds))) AS items
      FROM json_each(:ids) AS wanted
      CROSS JOIN person ON person.id = wanted.value";

/// Reads these people in this order, without people who have no credit on a present visible item of
/// these kinds.
pub fn people(
    conn: &Connection,
    visible: Visible,
    kinds: &[&'static str],
    ids: &[PersonId],
) -> StoreResult<Vec<RecordedPerson>> {
    let mut statement = conn.prepare_cached(PEOPLE)?;
    let rows = statement.query_map(
        named_params! { ":viewer": visible.user(), ":kinds": list(kinds), ":ids": list(ids) },
        |row| {
            let person = RecordedPerson {
                id: row.get(1)?,
                name: row.get(2)?,
                items: row.get(3)?,
                personal: PersonalState::default(),
            };
            Ok((row.get(0)?, person))
        },
    )?;
    let mut people: Vec<(usize, RecordedPerson)> = rows.collect::<Result<_, _>>()?;
    let scope = Scope {
        visible,
        library: None,
        kinds,
    };
    for (_, person) in people.iter_mut().filter(|(_, person)| person.items == 0) {
        person.items = credits(conn, scope, person.id)?;
    }
    people.retain(|(_, person)| person.items > 0);
    people.sort_by_key(|(place, _)| *place);
    let mut people: Vec<RecordedPerson> = people.into_iter().map(|(_, person)| person).collect();
    let states = personal::of_people(conn, visible.user(), ids)?;
    for person in &mut people {
        person.personal = states.get(&person.id).copied().unwrap_or_default();
    }
    Ok(people)
}

/// Counts the items of a person who is an author of none.
fn credits(conn: &Connection, scope: Scope<'_>, person: PersonId) -> StoreResult<i64> {
    let mut statement = conn.prepare_cached(
        "SELECT count(DISTINCT link.item_id)
           FROM item_person AS link
           JOIN item ON item.id = link.item_id
           JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
          WHERE link.person_id = :person AND item.missing = 0
            AND item.kind IN (SELECT value FROM json_each(:kinds))",
    )?;
    let count = statement.query_row(
        named_params! {
            ":viewer": scope.visible.user(),
            ":person": person,
            ":kinds": list(scope.kinds),
        },
        |row| row.get(0),
    )?;
    Ok(count)
}
