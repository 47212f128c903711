//! What a user read, listened to, watched and played, over all items.

use rusqlite::{Connection, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::Visible;
use crate::db::presence::View;
use crate::http::page::{Page, Window};
use crate::id::{FileId, ItemId, LibraryId};
use crate::playback::Offer;
use crate::store::StoreResult;
use crate::store::item::{self, CardProgress, ItemCard, Own};

/// An item that a user began, finished or not.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Begun {
    /// The item.
    pub item: ItemCard,
    /// The file with the newest place.
    pub file_id: FileId,
    /// That place.
    pub progress: CardProgress,
}

/// SQLite joins at most 500 queries.
const MAX_ARMS: usize = 400;

/// What the user began in the visible libraries, newest first.
pub fn page(
    conn: &Connection,
    view: Option<&View>,
    visible: Visible,
    engines: Option<&Offer>,
    window: Window,
) -> StoreResult<Page<Begun>> {
    let total = total(conn, view, visible)?;
    let libraries = visible.libraries(conn)?;
    let mut statement = conn.prepare_cached(&ids_sql(&libraries))?;
    let rows = statement.query_map(
        named_params! {
            ":viewer": visible.user(),
            ":limit": window.limit,
            ":offset": window.offset,
        },
        |row| row.get(1),
    )?;
    let ids: Vec<ItemId> = rows.collect::<Result<_, _>>()?;
    let begun = |item: ItemCard| {
        let progress = item.progress.clone()?;
        Some(Begun {
            file_id: progress.file_id,
            progress,
            item,
        })
    };
    let cards = item::cards(conn, view, visible, &ids, engines)?;
    let items = cards.into_iter().filter_map(begun).collect();
    Ok(Page::new(items, total, window))
}

/// How many items there are in all.
fn total(conn: &Connection, view: Option<&View>, visible: Visible) -> StoreResult<u64> {
    // Asked first, so that the transaction is of the moment for which the sets hold. Which items
    // are still there is told as of now, which may be a moment later.
    let groups = view.map(|view| view.groups(conn, visible, |_| Some(0)));
    let Some(groups) = groups.transpose()? else {
        return counted(conn, visible);
    };
    match Own::of(conn, view, visible, usize::MAX)? {
        Some(own) => Ok(groups.count(own.begun())),
        None => counted(conn, visible),
    }
}

fn counted(conn: &Connection, visible: Visible) -> StoreResult<u64> {
    let mut statement = conn.prepare_cached(COUNT)?;
    let viewer = named_params! { ":viewer": visible.user() };
    Ok(statement.query_row(viewer, |row| row.get(0))?)
}

/// A range of the index for each library: to look the grant up for each item would cost thrice.
const COUNT: &str = "
    SELECT count(*)
      FROM library_grant AS g
     CROSS JOIN item_progress AS p INDEXED BY item_progress_by_time
        ON p.user_id = :viewer AND p.library_id = g.library_id
     WHERE g.user_id = :viewer";

/// The newest items: each library is one range of the index, and SQLite merges the ranges.
fn ids_sql(libraries: &[LibraryId]) -> String {
    let arms: Vec<String> = if (1..=MAX_ARMS).contains(&libraries.len()) {
        let is = |id: &LibraryId| arm(&format!("= {id}"));
        libraries.iter().map(is).collect()
    } else {
        let granted = "IN (SELECT library_id FROM library_grant WHERE user_id = :viewer)";
        vec![arm(granted)]
    };
    format!(
        "{} ORDER BY 1 DESC, 2 DESC LIMIT :limit OFFSET :offset",
        arms.join(" UNION ALL ")
    )
}

fn arm(libraries: &str) -> String {
    format!(
        "SELECT updated_at, item_id
           FROM item_progress INDEXED BY item_progress_by_time
          WHERE user_id = :viewer AND library_id {libraries}"
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::plan;
    use super::*;

    #[test]
    fn the_libraries_are_merged_and_nothing_is_sorted() {
        let plan = plan(&ids_sql(&[1, 2, 3].map(LibraryId)));
        assert!(
            plan.contains("COVERING INDEX item_progress_by_time ("),
            "{plan}"
        );
        assert!(
            !plan.contains("TEMP B-TREE") && !plan.contains("SCAN"),
            "{plan}"
        );
        let count = super::super::tests::plan(COUNT);
        assert!(!count.contains("SCAN"), "{count}");
        let range = "COVERING INDEX item_progress_by_time (user_id=? AND library_id=?)";
        assert!(count.contains(range), "{count}");
    }
}
