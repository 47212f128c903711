//! Visible items of sessions with their titles, authors and genres.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, named_params};

use super::sums::{Entry, Key, Sums, sort_by_time};
use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::ItemId;

/// Sums by item.
pub(super) type ItemSums = HashMap<ItemId, Sums>;

/// Name with the sums of its items.
pub(super) struct Named {
    pub(super) entry: Entry,
    /// Number of items.
    pub(super) items: i64,
}

pub(super) const TITLES: &str = "
    SELECT item.id, item.id, item.title
      FROM json_each(:ids) AS wanted
     CROSS JOIN item ON item.id = wanted.value
      JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id";

pub(super) const AUTHORS: &str = "
    SELECT item.id, person.id, person.name
      FROM json_each(:ids) AS wanted
     CROSS JOIN item ON item.id = wanted.value
      JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
      JOIN item_person AS credit ON credit.item_id = item.id AND credit.role = 'author'
      JOIN person ON person.id = credit.person_id";

pub(super) const GENRES: &str = "
    SELECT item.id, genre.id, genre.name
      FROM json_each(:ids) AS wanted
     CROSS JOIN item ON item.id = wanted.value
      JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
      JOIN item_genre AS link ON link.item_id = item.id
      JOIN genre ON genre.id = link.genre_id";

/// Adds the sums of visible items to the names that `sql` returns for them: [`TITLES`], [`AUTHORS`]
/// or [`GENRES`]. The names are sorted by time.
pub(super) fn by_name(
    conn: &Connection,
    visible: Visible,
    items: &ItemSums,
    sql: &str,
) -> StoreResult<Vec<Named>> {
    let ids: Vec<&ItemId> = items.keys().collect();
    let ids = serde_json::to_string(&ids).expect("integers are JSON");
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(named_params! { ":ids": ids, ":viewer": visible.user() })?;
    let mut named: HashMap<i64, Named> = HashMap::new();
    let mut seen: HashSet<(ItemId, i64)> = HashSet::new();
    while let Some(row) = rows.next()? {
        let (item, key): (ItemId, i64) = (row.get(0)?, row.get(1)?);
        let Some(sums) = items.get(&item).filter(|_| seen.insert((item, key))) else {
            continue;
        };
        let name: String = row.get(2)?;
        let named = named.entry(key).or_insert_with(|| Named {
            entry: Entry {
                key: Key::Number(key),
                name,
                sums: Sums::default(),
            },
            items: 0,
        });
        named.items += 1;
        named.entry.sums.seconds += sums.seconds;
        named.entry.sums.pages += sums.pages;
        named.entry.sums.sessions += sums.sessions;
        named.entry.sums.finished += sums.finished;
    }
    let mut named: Vec<Named> = named.into_values().collect();
    sort_by_time(&mut named, |named| &named.entry);
    Ok(named)
}
