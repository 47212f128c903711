//! Where each letter begins in a list by title.

use std::collections::BTreeMap;

use rusqlite::{Connection, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::filter::Filter;
use super::playing::Playing;
use super::{left_out, list};
use crate::access::Visible;
use crate::store::StoreResult;

/// A letter and the offset of its first item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Letter {
    /// `A` to `Z`, `#` for what is no letter, other scripts' letters.
    pub letter: String,
    /// Offset in the list sorted by title.
    pub offset: u64,
}

/// The letters of the visible items that pass the filter, in the order of titles.
pub fn letters(conn: &Connection, visible: Visible, filter: &Filter) -> StoreResult<Vec<Letter>> {
    let counts = if filter.is_whole_but_for_the_viewers() {
        counts(conn, visible, filter)?
    } else {
        list::count_initials(conn, visible, filter)?
    };
    let mut offset = 0;
    let letters = counts.into_iter().map(|(letter, count)| {
        let begins = Letter { letter, offset };
        offset += count;
        begins
    });
    Ok(letters.collect())
}

/// The initials of all arms, less those of what the list leaves out.
fn counts(
    conn: &Connection,
    visible: Visible,
    filter: &Filter,
) -> StoreResult<BTreeMap<String, u64>> {
    let playing = Playing::of(conn, visible, filter)?;
    let mut counts = match &playing {
        Some(playing) => playing.initials(conn, visible, filter)?,
        None => from_counts(conn, visible, filter)?,
    };
    for (initial, n) in left_out::by_initial(conn, visible, filter, playing.as_ref())? {
        counts
            .entry(initial)
            .and_modify(|count| *count = count.saturating_sub(n));
    }
    counts.retain(|_, count| *count > 0);
    Ok(counts)
}

fn from_counts(
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
            AND (:subkind IS NULL OR c.subkind = :subkind)
            AND (:missing IS NULL OR c.missing = :missing)
          GROUP BY c.initial
         HAVING sum(c.n) > 0",
    )?;
    let rows = statement.query_map(
        named_params! {
            ":viewer": visible.user(),
            ":library": filter.library,
            ":kind": filter.kind,
            ":subkind": filter.subkind,
            ":missing": filter.missing,
        },
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}
