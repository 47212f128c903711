//! Tests of lists with in-memory id sets: they equal the results of plain SQL.

use super::*;
use crate::db::id_set;
use crate::paging::Window;
use crate::store::user_data::progress::tests::assert_searches;

const ITEMS: i64 = 20_000;

/// Creates four libraries, one of them not granted. The viewer has started nearly half of the items
/// and finished a fifth of these. A tenth of the items are favourites.
fn world() -> Connection {
    let mut conn = Connection::open_in_memory().expect("a database");
    migrate::migrate(&mut conn).expect("a schema");
    id_set::register(&conn).expect("a function");
    conn.execute_batch(&format!(
        "PRAGMA foreign_keys = OFF;
         WITH RECURSIVE n (n) AS (VALUES (0) UNION ALL SELECT n + 1 FROM n WHERE n < {ITEMS} - 1)
         INSERT INTO item (library_id, kind, group_key, title, sort_title, initial, added_at, year,
                           authors, sort_authors, sort_series, series_index, missing)
         SELECT n % 4 + 1, iif(n % 3, 'paper', 'reel'), n, n, printf('%05d', n * 7919 % 20011), 'A',
                printf('2026-01-01T00:%02d:%02d.000000Z', n * 37 % 60, n * 31 % 60),
                iif(n % 4, 1900 + n * 13 % 80, NULL), '', n * 17 % 211,
                iif(n % 2, '', n % 19), iif(n % 3, NULL, n % 5 / 2.0), n % 11 = 0
           FROM n;
         INSERT INTO library_grant (user_id, library_id) VALUES (1, 1), (1, 2), (1, 4), (2, 3);
         INSERT INTO item_progress (user_id, item_id, library_id, file_id, finished, updated_at)
         SELECT 1, id, library_id, id, id % 5 = 0, '' FROM item WHERE id * 7919 % 100 < 45;
         INSERT INTO item_progress (user_id, item_id, library_id, file_id, finished, updated_at)
         SELECT 2, id, library_id, id, 0, '' FROM item WHERE id % 9 = 0;
         INSERT INTO favourite (user_id, item_id, created_at)
         SELECT 1, id, '' FROM item WHERE id * 104729 % 10 = 0;
         INSERT INTO person (id, name, name_key) VALUES (7, 'A', 'a');
         INSERT INTO item_person (item_id, person_id, role, position)
         SELECT id, 7, 'author', 0 FROM item WHERE id % 23 = 0;
         UPDATE item SET series_id = 3 WHERE id % 401 = 0;"
    ))
    .expect("rows");
    conn
}

/// Returns filters, each with the equivalent condition on `item`.
fn filters() -> Vec<(Filter, &'static str)> {
    const STARTED: &str = "id * 7919 % 100 < 45 AND id % 5 <> 0";
    let of = |state, favourite| Filter {
        favourite,
        state,
        ..Filter::default()
    };
    let started = || of(Some(State::Started), None);
    let unstarted = || of(Some(State::Unstarted), None);
    vec![
        (started(), STARTED),
        (
            of(Some(State::Finished), None),
            "id * 7919 % 100 < 45 AND id % 5 = 0",
        ),
        (unstarted(), "id * 7919 % 100 >= 45"),
        (of(None, Some(true)), "id * 104729 % 10 = 0"),
        (of(None, Some(false)), "id * 104729 % 10 <> 0"),
        (
            of(Some(State::Unstarted), Some(true)),
            "id * 7919 % 100 >= 45 AND id * 104729 % 10 = 0",
        ),
        (
            of(Some(State::Unstarted), Some(false)),
            "id * 7919 % 100 >= 45 AND id * 104729 % 10 <> 0",
        ),
        (
            Filter {
                library: Some(LibraryId(2)),
                missing: Some(false),
                ..unstarted()
            },
            "id * 7919 % 100 >= 45 AND library_id = 2 AND missing = 0",
        ),
        (
            Filter {
                library: Some(LibraryId(3)),
                ..started()
            },
            "id = 0",
        ),
        (
            Filter {
                kind: Some("reel".to_owned()),
                missing: Some(true),
                ..started()
            },
            "id * 7919 % 100 < 45 AND id % 5 <> 0 AND kind = 'reel' AND missing = 1",
        ),
        (
            Filter {
                author: Some(PersonId(7)),
                ..unstarted()
            },
            "id % 23 = 0 AND id * 7919 % 100 >= 45",
        ),
        (
            Filter {
                series: Some(SeriesId(3)),
                ..Filter::default()
            },
            "id % 401 = 0",
        ),
    ]
}

fn truth(conn: &Connection, condition: &str, order: Order) -> Vec<ItemId> {
    let columns = match order.sort {
        Sort::Random => "id".to_owned(),
        sort => format!("{}, id", sort.spec().columns.join(", ")),
    };
    let sql =
        format!("SELECT id FROM item WHERE library_id <> 3 AND {condition} ORDER BY {columns}");
    let mut statement = conn.prepare(&sql).expect("a statement");
    let ids = statement.query_map([], |row| row.get(0)).expect("rows");
    let mut ids: Vec<ItemId> = ids.collect::<Result<_, _>>().expect("ids");
    if order.sort == Sort::Random {
        let shuffle = shuffle::Shuffle::new(ITEMS.unsigned_abs(), order.seed);
        ids.sort_by_key(|id| shuffle.place(id.0.unsigned_abs()));
    }
    if order.direction == Direction::Desc {
        ids.reverse();
    }
    ids
}

#[test]
fn lists_evaluated_in_memory_equal_plain_sql() {
    let conn = world();
    let view = IndexSnapshot::of(&conn);
    for (filter, condition) in filters() {
        let shuffled = [Direction::Asc, Direction::Desc].map(|direction| Order {
            sort: Sort::Random,
            direction,
            seed: 5,
        });
        for order in orders().chain(shuffled) {
            let truth = truth(&conn, condition, order);
            let total = truth.len() as u64;
            for offset in [0, total / 9, total / 2, total.saturating_sub(7)] {
                let window = Window { offset, limit: 20 };
                let visible = Visible::of(UserId(1));
                let page = page(&conn, &view, visible, &filter, order, window);
                let page = page.expect("a page");
                assert_eq!(page.total, total, "{filter:?}");
                let found: Vec<ItemId> = page.items.iter().map(|card| card.id).collect();
                let expected = truth.iter().skip(usize::try_from(offset).expect("small"));
                let expected: Vec<ItemId> = expected.take(20).copied().collect();
                assert_eq!(found, expected, "{filter:?} {order:?} {offset}");
            }
        }
    }
}

#[test]
fn id_sets_are_read_from_indexes() {
    for sql in super::super::id_filter::STATEMENTS {
        assert_searches(sql);
    }
}
