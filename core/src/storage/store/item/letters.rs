//! Offsets of the first letters in a list sorted by title.

use std::collections::BTreeMap;

use rusqlite::{Connection, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::filter::Filter;
use super::list::id_filter::{IdFilter, Membership};
use super::playable::PlayableFilter;
use crate::access::Visible;
use crate::db::id_set::IdSet;
use crate::db::item_index::IndexSnapshot;
use crate::error::StoreResult;

/// A letter and the offset of its first item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Letter {
    /// `A` to `Z`, a letter of another script, or `#` for any other character.
    pub letter: String,
    /// Offset in the list sorted by title.
    pub offset: u64,
}

/// Returns the letters of the visible items that match the filter, in title order.
pub fn letters(
    conn: &Connection,
    view: &IndexSnapshot,
    visible: Visible,
    filter: &Filter,
) -> StoreResult<Vec<Letter>> {
    let mut offset = 0;
    let letters = counts(conn, view, visible, filter)?.into_iter();
    let letters = letters.map(|(letter, count)| {
        let begins = Letter { letter, offset };
        offset += count;
        begins
    });
    Ok(letters.collect())
}

/// Counts the items of the list by initial: the items of an id set, or all items of the partitions
/// without those of a set.
fn counts(
    conn: &Connection,
    view: &IndexSnapshot,
    visible: Visible,
    filter: &Filter,
) -> StoreResult<BTreeMap<String, u64>> {
    let playable = PlayableFilter::read(conn, visible, filter)?;
    let membership = Membership::new(conn, view, visible, filter, playable.as_ref())?;
    let id_filter = IdFilter::read(conn, visible, filter, None, &membership)?;
    if let Some(ids) = id_filter.as_ref().and_then(IdFilter::ids) {
        return by_initial(conn, ids);
    }
    let mut counts = match &playable {
        Some(playable) => playable.initials(conn, visible, filter)?,
        None => stored(conn, visible, filter)?,
    };
    if let Some(id_filter) = &id_filter {
        for (initial, n) in by_initial(conn, id_filter.exclusions())? {
            counts
                .entry(initial)
                .and_modify(|count| *count = count.saturating_sub(n));
        }
    }
    counts.retain(|_, count| *count > 0);
    Ok(counts)
}

fn by_initial(conn: &Connection, ids: &IdSet) -> StoreResult<BTreeMap<String, u64>> {
    let mut statement = conn.prepare_cached("SELECT initial FROM item WHERE id = :id")?;
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for id in ids.descending() {
        let mut rows = statement.query(named_params! { ":id": id })?;
        let Some(row) = rows.next()? else { continue };
        let initial = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
        match counts.get_mut(initial) {
            Some(count) => *count += 1,
            None => drop(counts.insert(initial.to_owned(), 1)),
        }
    }
    Ok(counts)
}

/// Returns the stored counts of the partitions by initial.
fn stored(
    conn: &Connection,
    visible: Visible,
    filter: &Filter,
) -> StoreResult<BTreeMap<String, u64>> {
    let mut statement = conn.prepare_cached(
        "SELECT c.initial, sum(c.n)
           FROM library_grant AS g
           JOIN item_count AS c ON c.library_id = g.library_id
          WHERE g.user_id = :viewer
            AND (:library IS NULL OR c.library_id = :library)
            AND (:kind IS NULL OR c.kind = :kind)
            AND (:kinds IS NULL OR c.kind IN (SELECT value FROM json_each(:kinds)))
            AND (:subkinds IS NULL OR c.subkind IN (SELECT value FROM json_each(:subkinds)))
            AND (:missing IS NULL OR c.missing = :missing)
          GROUP BY c.initial
         HAVING sum(c.n) > 0",
    )?;
    let rows = statement.query_map(
        named_params! {
            ":viewer": visible.user(),
            ":library": filter.library,
            ":kind": filter.kind,
            ":kinds": filter.kind_list(),
            ":subkinds": filter.subkind_list(),
            ":missing": filter.missing,
        },
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}
