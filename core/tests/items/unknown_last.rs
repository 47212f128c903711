//! Orders in which items without a value come last, compared with plain SQL.

use ledge_core::id::{ItemId, LibraryId};
use ledge_core::paging::Window;
use ledge_core::store::item::{Direction, Filter, Sort, State};

use super::{READER, Shelf, ask, order, read, shelf};

pub(super) const SORTS: [Sort; 6] = [
    Sort::Rating,
    Sort::LastPlayed,
    Sort::Duration,
    Sort::Pages,
    Sort::Size,
    Sort::Released,
];

/// Values with few and with many ties, and with few and with many unknown ones. The other user's
/// rows, and rows of invisible items, must have no effect.
const VALUES: &str = "
    UPDATE item
       SET sort_duration = iif(id % 3, id * 7919 % 50, 9223372036854775807),
           sort_pages = iif(id % 10, 9223372036854775807, id * 31 % 700),
           sort_size = id * 104729 % 1000003,
           sort_released = CASE WHEN id % 2 THEN 20000000
                                WHEN id % 5 THEN 9223372036854775807
                                ELSE 19990101 END,
           subkind = CASE WHEN id % 4 THEN 'loose' WHEN id % 8 THEN 'bound' END;
    INSERT INTO folder (id, library_id, path) VALUES (1, 1, x'');
    INSERT INTO file (id, item_id, folder_id, name, size, mtime_ns, added_at)
    SELECT id, id, 1, CAST(id AS BLOB), 0, 0, '' FROM item;
    INSERT INTO item_progress (user_id, item_id, library_id, file_id, finished, updated_at)
    SELECT 1, id, library_id, id, id % 4 = 0,
           printf('2026-01-01T00:00:%02d.%06dZ', id * 31 % 40, iif(id % 5, id, 0))
      FROM item WHERE id % 6 < 2;
    INSERT INTO item_progress (user_id, item_id, library_id, file_id, updated_at)
    SELECT 2, id, library_id, id, '2027' FROM item WHERE id % 9 = 0;
    INSERT INTO rating (user_id, item_id, rating, rated_at)
    SELECT 1, id, 1 + id * 7 % 10, '' FROM item WHERE id % 5 = 0;
    INSERT INTO rating (user_id, item_id, rating, rated_at)
    SELECT 2, id, 5, '' FROM item WHERE id % 7 = 0;";

fn valued(items: usize) -> Shelf {
    let shelf = shelf(items);
    let write = |tx: &rusqlite::Transaction<'_>| Ok(tx.execute_batch(VALUES)?);
    shelf.db.write_blocking(write).expect("values");
    shelf
}

/// Returns filters, each with the equivalent condition.
fn filters() -> Vec<(Filter, &'static str)> {
    let all = Filter::default;
    let subkinds = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
    vec![
        (all(), "1"),
        (
            Filter {
                kind: Some("paper".to_owned()),
                missing: Some(false),
                ..all()
            },
            "kind = 'paper' AND missing = 0",
        ),
        (
            Filter {
                library: Some(LibraryId(3)),
                ..all()
            },
            "0",
        ),
        (
            Filter {
                subkinds: subkinds(&["bound"]),
                ..all()
            },
            "subkind = 'bound'",
        ),
        (
            Filter {
                subkinds: subkinds(&["bound", "loose"]),
                state: Some(State::Unstarted),
                library: Some(LibraryId(2)),
                ..all()
            },
            "subkind IS NOT NULL AND id % 6 >= 2 AND library_id = 2",
        ),
        (
            Filter {
                state: Some(State::Started),
                ..all()
            },
            "id % 6 < 2 AND id % 4 <> 0",
        ),
        (
            Filter {
                state: Some(State::Unstarted),
                missing: Some(true),
                ..all()
            },
            "id % 6 >= 2 AND missing = 1",
        ),
        (
            Filter {
                rating_min: Some(9),
                ..all()
            },
            "id % 5 = 0 AND 1 + id * 7 % 10 >= 9",
        ),
    ]
}

fn truth(shelf: &Shelf, condition: &str, sort: Sort, direction: Direction) -> Vec<ItemId> {
    let value = match sort {
        Sort::Rating => {
            "(SELECT rating FROM rating WHERE user_id = 1 AND item_id = item.id)".to_owned()
        }
        Sort::LastPlayed => {
            "(SELECT updated_at FROM item_progress WHERE user_id = 1 AND item_id = item.id)"
                .to_owned()
        }
        Sort::Duration | Sort::Pages | Sort::Size | Sort::Released => {
            let column = format!("{sort:?}").to_lowercase();
            format!("nullif(sort_{column}, 9223372036854775807)")
        }
        _ => unreachable!("not compared this way"),
    };
    let direction = match direction {
        Direction::Asc => "ASC",
        Direction::Desc => "DESC",
    };
    let sql = format!(
        "SELECT id FROM item
          WHERE library_id IN (1, 2, 4) AND {condition}
          ORDER BY {value} IS NULL, {value} {direction}, sort_title, id"
    );
    read(&shelf.db, move |conn, _| {
        let mut statement = conn.prepare(&sql)?;
        let ids = statement.query_map([], |row| row.get(0))?;
        Ok(ids.collect::<Result<_, _>>()?)
    })
}

#[track_caller]
fn assert_pages(shelf: &Shelf, limit: u32, offsets: impl Fn(u64) -> Vec<u64>) {
    for (filter, condition) in filters() {
        for sort in SORTS {
            for direction in [Direction::Asc, Direction::Desc] {
                let truth = truth(shelf, condition, sort, direction);
                for offset in offsets(truth.len() as u64) {
                    let window = Window { offset, limit };
                    let order = order(sort, direction);
                    let (ids, total) = ask(&shelf.db, READER, &filter, order, window);
                    assert_eq!(total, truth.len() as u64, "{filter:?} {sort:?}");
                    let skipped = truth.iter().skip(usize::try_from(offset).expect("small"));
                    let expected: Vec<ItemId> = skipped.take(limit as usize).copied().collect();
                    assert_eq!(
                        ids, expected,
                        "{filter:?} {sort:?} {direction:?} at {offset}"
                    );
                }
            }
        }
    }
}

#[test]
fn every_page_equals_sorted_list() {
    let shelf = valued(1500);
    assert_pages(&shelf, 97, |total| (0..=total).step_by(97).collect());
}

#[test]
fn pages_in_the_middle_of_a_long_list_equal_sorted_list() {
    // The list is long enough that pages in the middle use a pivot.
    let shelf = valued(24_000);
    assert_pages(&shelf, 60, |total| {
        (0..=10).map(|tenth| total * tenth / 10).collect()
    });
}
