//! People for their pages: name, roles, details, ids and the marks of a viewer.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::person_detail;
use crate::access::VisiblePerson;
use crate::error::StoreResult;
use crate::id::PersonId;
use crate::registry::Registry;
use crate::registry::provider::{Attribution, DetailLink};
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
    /// Biography as plain text; null if none is known.
    pub biography: Option<String>,
    /// Date of birth, or of the foundation of a group, as `YYYY`, `YYYY-MM` or `YYYY-MM-DD`.
    pub born: Option<String>,
    /// Date of death, or of the end of a group, in the same form.
    pub died: Option<String>,
    /// Place of birth, or of the foundation of a group.
    pub birthplace: Option<String>,
    /// `true` for a band, an orchestra or another group.
    pub is_group: bool,
    /// Pages about the person.
    pub links: Vec<DetailLink>,
    /// Providers of the biography, the dates, the place and the links.
    pub attribution: Vec<PersonSource>,
    /// `true` if the server requests these details from providers now. A later response contains
    /// them.
    pub is_pending: bool,
    /// Ids of the person in external databases, by database.
    pub external_ids: BTreeMap<String, String>,
    /// `true` if the person is a favourite of the viewer.
    pub favourite: bool,
    /// Rating of the viewer, from 1 to 10; null if there is none.
    pub rating: Option<u8>,
}

/// Provider of details of a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct PersonSource {
    /// Id of the provider.
    pub provider: String,
    /// Name of the provider.
    pub provider_label: String,
    /// Credit that the provider's terms require.
    pub attribution: Option<Attribution>,
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
            biography: None,
            born: None,
            died: None,
            birthplace: None,
            is_group: false,
            links: Vec::new(),
            attribution: Vec::new(),
            is_pending: false,
            external_ids: BTreeMap::new(),
            favourite: row.get(2)?,
            rating: row.get(3)?,
        })
    });
    let Some(mut detail) = found.optional()? else {
        return Ok(None);
    };
    detail.roles = roles(conn, registry, person)?;
    add_details(conn, registry, &mut detail)?;
    Ok(Some(detail))
}

/// Adds the details and the ids. Ids of matches precede those of the details.
fn add_details(
    conn: &Connection,
    registry: &Registry,
    detail: &mut PersonDetail,
) -> StoreResult<()> {
    let person_detail::StoredDetails { details, providers } =
        person_detail::stored(conn, detail.id)?;
    let ids = details.external_ids.into_iter();
    detail.external_ids = ids.map(|id| (id.database, id.id)).collect();
    detail.external_ids.extend(external_ids(conn, detail.id)?);
    detail.biography = details.biography;
    detail.born = details.born;
    detail.died = details.died;
    detail.birthplace = details.birthplace;
    detail.is_group = details.is_group;
    detail.links = details.links;
    let sources = providers.into_iter().map(|provider| {
        // The provider may no longer be part of this build.
        let descriptor = registry.providers().iter().find(|one| one.id == provider);
        PersonSource {
            provider_label: descriptor
                .map_or(provider.as_str(), |known| known.label)
                .to_owned(),
            attribution: descriptor.and_then(|known| known.people.attribution),
            provider,
        }
    });
    detail.attribution = sources.collect();
    Ok(())
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
