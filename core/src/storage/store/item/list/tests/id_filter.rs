//! Tests of lists with in-memory id sets: they equal the results of plain SQL.

use super::*;
use crate::db::id_set;
use crate::id::{GenreId, TagId};
use crate::paging::Window;

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
                           authors, sort_authors, sort_series, series_index, missing,
                           sort_duration, sort_pages, sort_size, sort_released)
         SELECT n % 4 + 1, iif(n % 3, 'paper', 'reel'), n, n, printf('%05d', n * 7919 % 20011), 'A',
                printf('2026-01-01T00:%02d:%02d.000000Z', n * 37 % 60, n * 31 % 60),
                iif(n % 4, 1900 + n * 13 % 80, NULL), '', n * 17 % 211,
                iif(n % 2, '', n % 19), iif(n % 3, NULL, n % 5 / 2.0), n % 11 = 0,
                iif(n % 3, n * 7 % 50, {UNKNOWN}), iif(n % 19, {UNKNOWN}, n), n * 31 % 9973,
                iif(n % 2, 20000000, {UNKNOWN})
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
         UPDATE item SET series_id = 3 WHERE id % 401 = 0;
         INSERT INTO genre (id, name, name_key) VALUES (1, 'A', 'a'), (2, 'B', 'b');
         INSERT INTO item_genre (item_id, position, genre_id)
         SELECT id, 0, 1 FROM item WHERE id % 3 = 0;
         INSERT INTO item_genre (item_id, position, genre_id)
         SELECT id, 1, 2 FROM item WHERE id % 29 = 0;
         UPDATE item SET language = iif(id % 2, 'en', 'de') WHERE id % 7 <> 0;
         INSERT INTO tag (id, user_id, name, name_key)
         VALUES (1, 1, 'A', 'a'), (2, NULL, 'B', 'b'), (3, 2, 'C', 'c');
         INSERT INTO item_tag (tag_id, item_id) SELECT id % 3 + 1, id FROM item WHERE id % 13 = 0;
         INSERT INTO rating (user_id, item_id, rating, rated_at)
         SELECT 1 + id % 2, id, 1 + id % 9, '' FROM item WHERE id % 5 = 0;"
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

/// Returns filters by what items have in common, each with the equivalent condition on `item`.
fn classified() -> Vec<(Filter, &'static str)> {
    vec![
        (
            Filter {
                genres: vec![GenreId(1), GenreId(2)],
                ..Filter::default()
            },
            "(id % 3 = 0 OR id % 29 = 0)",
        ),
        (
            Filter {
                genres: vec![GenreId(2)],
                languages: vec!["en".to_owned(), "fr".to_owned()],
                state: Some(State::Unstarted),
                ..Filter::default()
            },
            "id % 29 = 0 AND id % 2 = 1 AND id % 7 <> 0 AND id * 7919 % 100 >= 45",
        ),
        (
            Filter {
                tags: vec![TagId(1), TagId(2), TagId(3)],
                ..Filter::default()
            },
            "id % 13 = 0 AND id % 3 <> 2",
        ),
        (
            Filter {
                years: Some(1910..=i64::MAX),
                decade: Some(1920),
                ..Filter::default()
            },
            "year BETWEEN 1920 AND 1929",
        ),
        (
            Filter {
                years: Some(i64::MIN..=1905),
                kind: Some("reel".to_owned()),
                ..Filter::default()
            },
            "year <= 1905 AND kind = 'reel'",
        ),
        (
            Filter {
                rating_min: Some(6),
                ..Filter::default()
            },
            "id % 10 = 0 AND id % 9 >= 5",
        ),
    ]
}

fn truth(conn: &Connection, condition: &str, order: Order) -> Vec<ItemId> {
    let terms = match order.sort {
        Sort::Random => "id".to_owned(),
        _ => terms(order),
    };
    let sql = format!("SELECT id FROM item WHERE library_id <> 3 AND {condition} ORDER BY {terms}");
    let mut statement = conn.prepare(&sql).expect("a statement");
    let ids = statement.query_map([], |row| row.get(0)).expect("rows");
    let mut ids: Vec<ItemId> = ids.collect::<Result<_, _>>().expect("ids");
    if order.sort == Sort::Random {
        let shuffle = shuffle::Shuffle::new(ITEMS.unsigned_abs(), order.seed);
        ids.sort_by_key(|id| shuffle.place(id.0.unsigned_abs()));
        if order.direction == Direction::Desc {
            ids.reverse();
        }
    }
    ids
}

#[test]
fn lists_evaluated_in_memory_equal_plain_sql() {
    let conn = world();
    let view = IndexSnapshot::of(&conn);
    for (filter, condition) in filters().into_iter().chain(classified()) {
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
    for sql in super::super::criteria::STATEMENTS {
        let plan = crate::store::user_data::progress::tests::plan(sql);
        let scans = plan.lines().filter(|line| line.contains("SCAN"));
        // The wanted values and the libraries' kinds are few.
        let few = ["wanted VIRTUAL TABLE", "item_count", "SCAN c"];
        for scan in scans {
            assert!(
                few.iter().any(|table| scan.contains(table)),
                "{sql}\n{plan}"
            );
        }
    }
}

/// All times are equal, so the first rows of the viewer are only a part of the first group.
#[test]
fn group_that_is_longer_than_the_first_rows_is_sorted_as_a_whole() {
    let conn = world();
    let view = IndexSnapshot::of(&conn);
    let sql = "SELECT id FROM item WHERE library_id <> 3
                ORDER BY id * 7919 % 100 >= 45, sort_title, id";
    let mut statement = conn.prepare(sql).expect("a statement");
    let ids = statement.query_map([], |row| row.get(0)).expect("rows");
    let truth: Vec<ItemId> = ids.collect::<Result<_, _>>().expect("ids");
    for direction in [Direction::Asc, Direction::Desc] {
        for offset in [0, 1_990, 7_000] {
            let order = Order {
                sort: Sort::LastPlayed,
                direction,
                seed: 0,
            };
            let window = Window { offset, limit: 20 };
            let visible = Visible::of(UserId(1));
            let page = page(&conn, &view, visible, &Filter::default(), order, window);
            let items = page.expect("a page").items;
            let found: Vec<ItemId> = items.iter().map(|card| card.id).collect();
            let expected = truth.iter().skip(usize::try_from(offset).expect("small"));
            let expected: Vec<ItemId> = expected.take(20).copied().collect();
            assert_eq!(found, expected, "{direction:?} {offset}");
        }
    }
}
