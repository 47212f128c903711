//! What a list of arms leaves out because the viewer has it: far less than the list, and counted in
//! its stead.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::bind::bind;
use super::filter::{Filter, State};
use super::playing::Playing;
use crate::access::Visible;
use crate::store::StoreResult;

/// What the viewer has begun, library by library in the order of items.
const BEGUN: &str = "
    SELECT p.item_id
      FROM library_grant AS g
     CROSS JOIN item_progress AS p INDEXED BY item_progress_by_state
        ON p.user_id = g.user_id AND p.finished IN (0, 1) AND p.library_id = g.library_id
     WHERE g.user_id = :viewer
       AND (:library IS NULL OR g.library_id = :library)";

const FAVOURITES: &str = "
    SELECT item_id
      FROM favourite
     WHERE user_id = :viewer";

/// How many items of the filter's arms are left out of its list, by their initials.
pub(super) fn by_initial(
    conn: &Connection,
    visible: Visible,
    filter: &Filter,
    playing: Option<&Playing>,
) -> StoreResult<BTreeMap<String, u64>> {
    let Some(sql) = sql(filter, playing) else {
        return Ok(BTreeMap::new());
    };
    let mut statement = conn.prepare_cached(&sql)?;
    bind(&mut statement, ":viewer", &visible.user())?;
    bind(&mut statement, ":library", &filter.library)?;
    bind(&mut statement, ":kind", &filter.kind)?;
    bind(&mut statement, ":subkind", &filter.subkind)?;
    for (name, value) in playing.iter().flat_map(|playing| playing.parameters()) {
        bind(&mut statement, name, &value)?;
    }
    let mut rows = statement.raw_query();
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        *counts.entry(row.get(0)?).or_default() += 1;
    }
    Ok(counts)
}

fn sql(filter: &Filter, playing: Option<&Playing>) -> Option<String> {
    let mut left_out = Vec::new();
    if filter.state == Some(State::Unstarted) {
        left_out.push(BEGUN);
    }
    if filter.favourite == Some(false) {
        left_out.push(FAVOURITES);
    }
    (!left_out.is_empty()).then(|| {
        format!(
            "SELECT item.initial
               FROM ({}) AS mine
              CROSS JOIN item ON item.id = mine.item_id
              CROSS JOIN library_grant AS g
                 ON g.user_id = :viewer AND g.library_id = item.library_id
              WHERE (:library IS NULL OR item.library_id = :library)
                AND (:kind IS NULL OR item.kind = :kind){}{}",
            left_out.join(" UNION "),
            filter.place_condition(),
            playing.map(Playing::condition).unwrap_or_default(),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::progress::tests::plan;

    #[test]
    fn only_what_the_viewer_has_is_read() {
        let both = |state, favourite| Filter {
            state,
            favourite,
            missing: Some(false),
            ..Filter::default()
        };
        for (filter, index) in [
            (
                both(Some(State::Unstarted), None),
                "COVERING INDEX item_progress_by_state (user_id=? AND finished=? AND library_id=?)",
            ),
            (
                both(None, Some(false)),
                "favourite USING PRIMARY KEY (user_id=?)",
            ),
            (
                both(Some(State::Unstarted), Some(false)),
                "favourite USING PRIMARY KEY (user_id=?)",
            ),
        ] {
            let sql = sql(&filter, None).expect("a statement");
            let plan = plan(&sql);
            assert!(plan.contains(index), "{sql}\n{plan}");
            assert!(
                plan.contains("SEARCH item USING INTEGER PRIMARY KEY"),
                "{sql}\n{plan}"
            );
        }
        assert_eq!(sql(&Filter::default(), None), None);
    }
}
