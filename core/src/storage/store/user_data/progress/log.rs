//! Log of the items that a user has started, over all libraries.

use rusqlite::{Connection, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::{FileId, ItemId, LibraryId};
use crate::paging::{Page, Window};
use crate::playback::Offer;
use crate::store::item::{self, CardProgress, Direction, ItemCard};

/// An item that a user has started or finished.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Begun {
    /// Card of the item.
    pub item: ItemCard,
    /// Id of the file with the latest progress.
    pub file_id: FileId,
    /// Latest progress.
    pub progress: CardProgress,
}

/// Limit of merged queries; SQLite joins at most 500.
const MAX_ARMS: usize = 400;

/// Returns a page of the items that the user has started in visible libraries, the newest first.
pub fn page(
    conn: &Connection,
    visible: Visible,
    engines: Option<&Offer>,
    window: Window,
) -> StoreResult<Page<Begun>> {
    let total = total(conn, visible)?;
    let libraries = visible.libraries(conn)?;
    let mut statement = conn.prepare_cached(&by_time_sql(&libraries, Direction::Desc))?;
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
    let cards = item::cards(conn, visible, &ids, engines)?;
    let items = cards.into_iter().filter_map(begun).collect();
    Ok(Page::new(items, total, window))
}

/// Returns the total number of started items.
fn total(conn: &Connection, visible: Visible) -> StoreResult<u64> {
    let mut statement = conn.prepare_cached(COUNT)?;
    let viewer = named_params! { ":viewer": visible.user() };
    Ok(statement.query_row(viewer, |row| row.get(0))?)
}

/// One index range per library, which is three times cheaper than a grant look-up per item.
const COUNT: &str = "
    SELECT count(*)
      FROM library_grant AS g
     CROSS JOIN item_progress AS p INDEXED BY item_progress_by_time
        ON p.user_id = :viewer AND p.library_id = g.library_id
     WHERE g.user_id = :viewer";

/// Returns SQL for the times and ids of the user's items in these libraries, in the order of time:
/// one index range per library, merged by SQLite.
pub(crate) fn by_time_sql(libraries: &[LibraryId], direction: Direction) -> String {
    let arms: Vec<String> = if (1..=MAX_ARMS).contains(&libraries.len()) {
        let is = |id: &LibraryId| arm(&format!("= {id}"));
        libraries.iter().map(is).collect()
    } else {
        let granted = "IN (SELECT library_id FROM library_grant WHERE user_id = :viewer)";
        vec![arm(granted)]
    };
    format!(
        "{} ORDER BY 1 {direction}, 2 {direction} LIMIT :limit OFFSET :offset",
        arms.join(" UNION ALL "),
        direction = direction.sql(),
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
    fn log_query_merges_libraries_without_sorting() {
        for direction in [Direction::Asc, Direction::Desc] {
            let plan = plan(&by_time_sql(&[1, 2, 3].map(LibraryId), direction));
            assert!(
                plan.contains("COVERING INDEX item_progress_by_time ("),
                "{plan}"
            );
            assert!(
                !plan.contains("TEMP B-TREE") && !plan.contains("SCAN"),
                "{plan}"
            );
        }
        let count = super::super::tests::plan(COUNT);
        assert!(!count.contains("SCAN"), "{count}");
        let range = "COVERING INDEX item_progress_by_time (user_id=? AND library_id=?)";
        assert!(count.contains(range), "{count}");
    }
}
