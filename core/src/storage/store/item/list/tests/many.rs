//! Tests of a viewer with very many libraries: every list equals the result of plain SQL.

use super::*;
use crate::paging::Window;
use crate::store::item;

const LIBRARIES: i64 = 126;
const ITEMS: i64 = 15_120;
const LIMIT: u32 = 20;

/// Creates 504 partitions of thirty items each, with many equal keys, and a library that is not
/// granted. Every third item plays. The viewer has started every seventh item, and every fifth is a
/// favourite.
fn world() -> Connection {
    let mut conn = Connection::open_in_memory().expect("a database");
    migrate::migrate(&mut conn).expect("a schema");
    crate::db::id_set::register(&conn).expect("a function");
    conn.execute_batch(&format!(
        "PRAGMA foreign_keys = OFF;
         INSERT INTO media_profile VALUES (1, 'tin', 'red', NULL), (2, 'sack', 'red', NULL);
         WITH RECURSIVE n (n) AS (VALUES (0) UNION ALL SELECT n + 1 FROM n WHERE n < {ITEMS} + 99)
         INSERT INTO item (library_id, kind, group_key, title, sort_title, initial, added_at, year,
                           authors, sort_authors, sort_series, series_index, missing, profile_id,
                           subkind, sort_duration, sort_pages, sort_size, sort_released)
         SELECT iif(n < {ITEMS}, n % {LIBRARIES} + 1, 999),
                substr('paperreel', 1, 5 + n / {LIBRARIES} % 4), n,
                n * 7919 % 4001, printf('%04d', n * 7919 % 4001), char(65 + n * 7919 % 4001 / 200),
                printf('2026-01-01T00:00:%02d.000000Z', n * 31 % 60), iif(n % 4, 1900 + n * 13 % 80, NULL), '', n * 17 % 211,
                iif(n % 2, '', n % 19), iif(n % 3, NULL, n % 5 / 2.0), n % 11 = 0,
                iif(n % 3 = 0, 1, iif(n % 3 = 1, 2, NULL)), iif(n % 4, substr('loosebound', 1 + n % 2 * 5, 5), NULL),
                iif(n % 3, n * 7 % 50, {UNKNOWN}), iif(n % 19, {UNKNOWN}, n), n * 31 % 997,
                iif(n % 2, 20000000, {UNKNOWN})
           FROM n;
         INSERT INTO library_grant (user_id, library_id)
         SELECT DISTINCT 1, library_id FROM item WHERE library_id <> 999;
         INSERT INTO item_progress (user_id, item_id, library_id, file_id, finished, updated_at)
         SELECT 1, id, library_id, id, id % 2, '' FROM item WHERE id % 7 = 0;
         INSERT INTO item_progress (user_id, item_id, library_id, file_id, finished, updated_at)
         SELECT 2, id, library_id, id, 0, '' FROM item WHERE id % 9 = 0;
         INSERT INTO favourite (user_id, item_id, created_at)
         SELECT 1, id, '' FROM item WHERE id % 5 = 0;",
    ))
    .expect("rows");
    conn
}

/// Returns filters, each with the equivalent condition on `item`.
fn filters() -> [(Filter, &'static str); 12] {
    const UNSTARTED: &str = "id % 7 <> 0";
    let none = Filter::default;
    let unstarted = || Filter {
        state: Some(State::Unstarted),
        ..none()
    };
    [
        (none(), "1"),
        (unstarted(), UNSTARTED),
        (
            Filter {
                favourite: Some(false),
                missing: Some(false),
                ..unstarted()
            },
            "id % 7 <> 0 AND id % 5 <> 0 AND missing = 0",
        ),
        (
            Filter {
                engines: Some(offer()),
                ..none()
            },
            "profile_id = 1",
        ),
        (
            Filter {
                engines: Some(offer()),
                kind: Some("paper".to_owned()),
                ..unstarted()
            },
            "profile_id = 1 AND kind = 'paper' AND id % 7 <> 0",
        ),
        (
            Filter {
                kind: Some("paperr".to_owned()),
                missing: Some(true),
                ..none()
            },
            "kind = 'paperr' AND missing = 1",
        ),
        (
            Filter {
                library: Some(LibraryId(8)),
                ..unstarted()
            },
            "library_id = 8 AND id % 7 <> 0",
        ),
        (
            Filter {
                favourite: Some(true),
                ..unstarted()
            },
            "id % 5 = 0 AND id % 7 <> 0",
        ),
        (
            Filter {
                state: Some(State::Finished),
                ..none()
            },
            "id % 14 = 7",
        ),
        (
            Filter {
                subkinds: vec!["bound".to_owned()],
                ..none()
            },
            "subkind = 'bound'",
        ),
        (
            Filter {
                subkinds: vec!["loose".to_owned()],
                favourite: Some(false),
                missing: Some(false),
                ..unstarted()
            },
            "subkind = 'loose' AND id % 7 <> 0 AND id % 5 <> 0 AND missing = 0",
        ),
        (
            Filter {
                subkinds: vec!["loose".to_owned()],
                kind: Some("paper".to_owned()),
                engines: Some(offer()),
                ..unstarted()
            },
            "subkind = 'loose' AND kind = 'paper' AND profile_id = 1 AND id % 7 <> 0",
        ),
    ]
}

fn truth(conn: &Connection, condition: &str, order: &str) -> Vec<ItemId> {
    let sql =
        format!("SELECT id FROM item WHERE library_id <> 999 AND {condition} ORDER BY {order}");
    let mut statement = conn.prepare(&sql).expect("a statement");
    let ids = statement.query_map([], |row| row.get(0)).expect("rows");
    ids.collect::<Result<_, _>>().expect("ids")
}

#[track_caller]
fn assert_pages(conn: &Connection, filter: &Filter, order: Order, truth: &[ItemId]) {
    let last = (truth.len() as u64).saturating_sub(u64::from(LIMIT) / 2);
    let view = IndexSnapshot::of(conn);
    for offset in [0, last / 2, last] {
        let window = Window {
            offset,
            limit: LIMIT,
        };
        let page = page(conn, &view, Visible::of(UserId(1)), filter, order, window);
        let page = page.expect("a page");
        assert_eq!(page.total, truth.len() as u64, "{filter:?}");
        let found: Vec<ItemId> = page.items.iter().map(|card| card.id).collect();
        let expected = truth.iter().skip(usize::try_from(offset).expect("small"));
        let expected: Vec<ItemId> = expected.take(LIMIT as usize).copied().collect();
        assert_eq!(found, expected, "{filter:?} {order:?} {offset}");
    }
}

#[test]
fn lists_beyond_the_statement_limit_of_partitions_are_exact() {
    let conn = world();
    for (filter, condition) in filters() {
        let partitions = filter.partitions(&conn, Visible::of(UserId(1)));
        let all = partitions.expect("partitions").len() > 500;
        let is_whole =
            filter.kind.is_none() && filter.library.is_none() && filter.subkinds.is_empty();
        assert_eq!(all, is_whole);
        let ids = truth(&conn, condition, "sort_title, id");
        assert!(ids.len() > 20, "{filter:?}");
        assert_pages(&conn, &filter, Order::default(), &ids);
        letters_begin_where_the_list_says(&conn, &filter, &ids);
        for direction in [Direction::Asc, Direction::Desc] {
            let order = Order {
                sort: Sort::Random,
                direction,
                seed: 5,
            };
            assert_pages(&conn, &filter, order, &shuffled(&conn, &ids, direction));
        }
    }
}

#[test]
fn lists_of_very_many_partitions_are_exact_in_every_order() {
    let conn = world();
    for order in orders() {
        let [(all, _), (unstarted, condition), ..] = filters();
        let ids = truth(&conn, "1", &terms(order));
        assert_pages(&conn, &all, order, &ids);
        let ids = truth(&conn, condition, &terms(order));
        assert_pages(&conn, &unstarted, order, &ids);
    }
}

#[test]
fn lists_of_subkinds_are_exact_in_every_order() {
    let conn = world();
    // One in fifty items of a library is rare, so that every strategy is used.
    conn.execute_batch(
        "UPDATE item SET subkind = 'rare' WHERE library_id = 4;
         UPDATE item SET library_id = 4 WHERE id > 9000 AND library_id <> 999",
    )
    .expect("changes");
    let of = |subkinds: &[&str]| Filter {
        subkinds: subkinds.iter().map(ToString::to_string).collect(),
        ..Filter::default()
    };
    let several = (of(&["bound", "loose"]), "subkind IN ('bound', 'loose')");
    let rare = (of(&["rare"]), "subkind = 'rare'");
    let filters = filters().into_iter().chain([several, rare]);
    for (filter, condition) in filters.filter(|(filter, _)| !filter.subkinds.is_empty()) {
        for order in orders() {
            let ids = truth(&conn, condition, &terms(order));
            assert_pages(&conn, &filter, order, &ids);
        }
    }
}

fn shuffled(conn: &Connection, ids: &[ItemId], direction: Direction) -> Vec<ItemId> {
    let max = conn.query_row("SELECT max(id) FROM item", [], |row| row.get(0));
    let shuffle = shuffle::Shuffle::new(max.expect("a number"), 5);
    let mut ids = ids.to_vec();
    ids.sort_by_key(|id| shuffle.place(u64::try_from(id.0).expect("positive")));
    if direction == Direction::Desc {
        ids.reverse();
    }
    ids
}

#[track_caller]
fn letters_begin_where_the_list_says(conn: &Connection, filter: &Filter, ids: &[ItemId]) {
    let mut expected: Vec<(String, u64)> = Vec::new();
    let mut initial = conn
        .prepare("SELECT initial FROM item WHERE id = ?1")
        .expect("a statement");
    for (offset, id) in ids.iter().enumerate() {
        let initial: String = initial.query_row([id], |row| row.get(0)).expect("a letter");
        if expected.last().is_none_or(|(last, _)| *last != initial) {
            expected.push((initial, offset as u64));
        }
    }
    let letters = item::letters(
        conn,
        &IndexSnapshot::of(conn),
        Visible::of(UserId(1)),
        filter,
    )
    .expect("letters");
    let letters: Vec<_> = letters.into_iter().map(|l| (l.letter, l.offset)).collect();
    assert_eq!(letters, expected, "{filter:?}");
}
