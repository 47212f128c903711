//! Seeds of the suggestions: kinds and authors of the most recently consumed items.

use rusqlite::{Connection, named_params};

use crate::access::Visible;
use crate::error::StoreResult;
use crate::home::{SHELF, merge_newest};
use crate::id::{ItemId, LibraryId, PersonId};
use crate::store::catalogue::person::AUTHOR;

/// Limit of authors that are followed. An anthology may have a hundred.
const AUTHORS: usize = 8;

/// Kinds and authors, the most recent first.
#[derive(Debug, Default)]
pub(super) struct Seeds {
    pub(super) kinds: Vec<String>,
    pub(super) authors: Vec<(PersonId, String)>,
}

/// Most recently consumed items of one library.
pub(in crate::services::home) const CONSUMED: &str = "
    SELECT updated_at, item_id
      FROM item_progress INDEXED BY item_progress_by_time
     WHERE user_id = :viewer AND library_id = :library
     ORDER BY updated_at DESC, item_id DESC
     LIMIT :limit";

/// Kinds and authors of these items.
pub(in crate::services::home) const TRAITS: &str = "
    SELECT item.kind, credit.person_id, person.name
      FROM json_each(:items) AS seed
     CROSS JOIN item ON item.id = seed.value
      LEFT JOIN item_person AS credit ON credit.item_id = item.id AND credit.role = :author
      LEFT JOIN person ON person.id = credit.person_id
     ORDER BY seed.key, credit.position";

impl Seeds {
    pub(super) fn of(
        conn: &Connection,
        visible: Visible,
        libraries: &[LibraryId],
    ) -> StoreResult<Self> {
        let items = consumed(conn, visible, libraries)?;
        if items.is_empty() {
            return Ok(Self::default());
        }
        let items = serde_json::to_string(&items).expect("integers are JSON");
        let mut statement = conn.prepare_cached(TRAITS)?;
        let mut rows = statement.query(named_params! { ":items": items, ":author": AUTHOR })?;
        let mut seeds = Self::default();
        while let Some(row) = rows.next()? {
            let kind: String = row.get(0)?;
            if !seeds.kinds.contains(&kind) {
                seeds.kinds.push(kind);
            }
            if let Some(person) = row.get::<_, Option<PersonId>>(1)?
                && seeds.authors.len() < AUTHORS
                && seeds.authors.iter().all(|(known, _)| *known != person)
            {
                seeds.authors.push((person, row.get(2)?));
            }
        }
        Ok(seeds)
    }
}

fn consumed(
    conn: &Connection,
    visible: Visible,
    libraries: &[LibraryId],
) -> StoreResult<Vec<ItemId>> {
    let mut statement = conn.prepare_cached(CONSUMED)?;
    let mut entries: Vec<(String, ItemId)> = Vec::new();
    for library in libraries {
        let rows = statement.query_map(
            named_params! { ":viewer": visible.user(), ":library": library, ":limit": SHELF },
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        for row in rows {
            entries.push(row?);
        }
    }
    let newest = merge_newest(entries, Clone::clone);
    Ok(newest.into_iter().map(|(_, item)| item).collect())
}
