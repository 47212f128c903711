//! People for their pages: name, roles, ids and the marks of a viewer.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::VisiblePerson;
use crate::error::StoreResult;
use crate::id::PersonId;
use crate::registry::Registry;
use crate::store::catalogue::person;
use crate::store::cover::picture;

/// A person with the roles in the items that the viewer sees.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PersonDetail {
    /// Id of the person.
    pub id: PersonId,
    /// Name of the person.
    pub name: String,
    /// URL of a portrait; null if none is known.
    pub portrait: Option<String>,
    /// Number of visible items by role and kind, the most frequent first.
    pub roles: Vec<RoleCount>,
    /// Ids of the person in external databases, by database.
    pub external_ids: BTreeMap<String, String>,
    /// `true` if the person is a favourite of the viewer.
    pub favourite: bool,
    /// Rating of the viewer, from 1 to 10; null if there is none.
    pub rating: Option<u8>,
}

/// Number of items of a kind in which a person has a role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RoleCount {
    /// Name of the role, such as `director`.
    pub role: String,
    /// Id of the kind.
    pub kind: String,
    /// Number of items.
    pub items: i64,
}

/// Returns a person, or `None` if it is gone.
pub fn detail(
    conn: &Connection,
    registry: &Registry,
    person: VisiblePerson,
) -> StoreResult<Option<PersonDetail>> {
    let mut statement = conn.prepare_cached(
        "SELECT name,
                EXISTS (SELECT 1 FROM picture
                         WHERE picture.person_id = person.id AND picture.failures < :most),
                EXISTS (SELECT 1 FROM person_favourite AS f
                         WHERE f.user_id = :viewer AND f.person_id = person.id),
                (SELECT rating FROM person_rating AS r
                  WHERE r.user_id = :viewer AND r.person_id = person.id)
           FROM person
          WHERE id = :person",
    )?;
    let id = person.id();
    let of = named_params! {
        ":person": id, ":viewer": person.viewer(), ":most": picture::MAX_FAILURES,
    };
    let found = statement.query_row(of, |row| {
        let has_portrait: bool = row.get(1)?;
        Ok(PersonDetail {
            id,
            name: row.get(0)?,
            portrait: has_portrait.then(|| format!("/api/v1/people/{id}/picture")),
            roles: Vec::new(),
            external_ids: BTreeMap::new(),
            favourite: row.get(2)?,
            rating: row.get(3)?,
        })
    });
    let Some(mut detail) = found.optional()? else {
        return Ok(None);
    };
    detail.roles = roles(conn, registry, person)?;
    detail.external_ids = external_ids(conn, id)?;
    Ok(Some(detail))
}

/// Counts the visible items by role and kind. The author line of an item has the role that the kind
/// names for it.
fn roles(
    conn: &Connection,
    registry: &Registry,
    person: VisiblePerson,
) -> StoreResult<Vec<RoleCount>> {
    let mut statement = conn.prepare_cached(
        "SELECT link.role, item.kind, item.subkind, count(DISTINCT item.id)
           FROM item_person AS link
           JOIN item ON item.id = link.item_id
           JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
          WHERE link.person_id = :person
          GROUP BY link.role, item.kind, item.subkind",
    )?;
    let mut rows = statement.query(named_params! {
        ":person": person.id(), ":viewer": person.viewer(),
    })?;
    let mut counts: BTreeMap<(String, String), i64> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let (mut role, kind): (String, String) = (row.get(0)?, row.get(1)?);
        let subkind: Option<String> = row.get(2)?;
        if role == person::AUTHOR
            && let Some(kind) = registry.kind(&kind)
        {
            (kind.author_role)(subkind.as_deref()).clone_into(&mut role);
        }
        *counts.entry((role, kind)).or_default() += row.get::<_, i64>(3)?;
    }
    let counts = counts.into_iter();
    let mut counts: Vec<RoleCount> = counts
        .map(|((role, kind), items)| RoleCount { role, kind, items })
        .collect();
    counts.sort_by_key(|count| Reverse(count.items));
    Ok(counts)
}

fn external_ids(conn: &Connection, person: PersonId) -> StoreResult<BTreeMap<String, String>> {
    let mut statement = conn.prepare_cached(
        "SELECT database, external_id FROM person_identity WHERE person_id = :person",
    )?;
    let rows = statement.query_map(named_params! { ":person": person }, |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
