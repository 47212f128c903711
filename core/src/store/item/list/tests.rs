//! The plans that SQLite makes for each order.

use super::*;
use crate::db::migrate;
use crate::id::{LibraryId, PersonId, SeriesId, UserId};
use crate::store::item::State;

fn plan(conn: &Connection, sql: &str) -> String {
    let mut statement = conn
        .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
        .expect("a statement");
    let rows = statement
        .raw_query()
        .mapped(|row| row.get::<_, String>(3))
        .collect::<Result<Vec<_>, _>>();
    rows.expect("a plan").join("\n")
}

#[test]
fn every_order_merges_index_ranges_and_sorts_nothing() {
    let mut conn = Connection::open_in_memory().expect("a database");
    migrate::migrate(&mut conn).expect("a schema");
    let arm = |library, kind: &str| Arm {
        library: LibraryId(library),
        kind: kind.to_owned(),
        count: 1,
    };
    let arms = [arm(1, "paper"), arm(1, "sound"), arm(2, "paper")];
    let filters = [
        Filter::default(),
        Filter {
            missing: Some(false),
            ..Filter::default()
        },
    ];
    for filter in &filters {
        for sort in [
            Sort::Title,
            Sort::Added,
            Sort::Year,
            Sort::Author,
            Sort::Series,
        ] {
            for direction in [Direction::Asc, Direction::Desc] {
                let list = List {
                    conn: &conn,
                    visible: Visible::of(UserId(1)),
                    filter,
                    arms: &arms,
                    sort,
                    direction,
                };
                for sql in [
                    list.merged_sql(direction, false),
                    list.merged_sql(direction, true),
                    list.count_sql(0),
                ] {
                    let plan = plan(&conn, &sql);
                    let covering = format!("COVERING INDEX {} (", sort.index());
                    assert!(plan.contains(&covering), "{sql}\n{plan}");
                    assert!(!plan.contains("TEMP B-TREE"), "{sql}\n{plan}");
                    assert!(!plan.contains("SCAN item"), "{sql}\n{plan}");
                }
            }
        }
    }
}

/// Each of them alone, and one of several at once.
fn filters() -> Vec<Filter> {
    let none = Filter::default;
    let with = |change: &dyn Fn(&mut Filter)| {
        let mut filter = none();
        change(&mut filter);
        filter
    };
    let author = Some(PersonId(1));
    vec![
        none(),
        with(&|filter| filter.kind = Some("paper".to_owned())),
        with(&|filter| filter.library = Some(LibraryId(1))),
        with(&|filter| filter.author = author),
        with(&|filter| filter.series = Some(SeriesId(1))),
        with(&|filter| filter.favourite = Some(true)),
        with(&|filter| filter.favourite = Some(false)),
        with(&|filter| filter.missing = Some(true)),
        with(&|filter| filter.missing = Some(false)),
        with(&|filter| filter.state = Some(State::Unstarted)),
        with(&|filter| filter.state = Some(State::Started)),
        with(&|filter| filter.state = Some(State::Finished)),
        with(&|filter| {
            filter.author = author;
            filter.favourite = Some(true);
            filter.state = Some(State::Unstarted);
            filter.kind = Some("paper".to_owned());
            filter.missing = Some(false);
        }),
    ]
}

#[test]
fn no_filter_has_a_table_read_from_end_to_end() {
    let mut conn = Connection::open_in_memory().expect("a database");
    migrate::migrate(&mut conn).expect("a schema");
    let arms = [1, 2].map(|library| Arm {
        library: LibraryId(library),
        kind: "paper".to_owned(),
        count: 1,
    });
    for filter in filters() {
        for sort in [
            Sort::Title,
            Sort::Added,
            Sort::Year,
            Sort::Author,
            Sort::Series,
        ] {
            for direction in [Direction::Asc, Direction::Desc] {
                let list = List {
                    conn: &conn,
                    visible: Visible::of(UserId(1)),
                    filter: &filter,
                    arms: &arms,
                    sort,
                    direction,
                };
                let page = if filter.selection().is_some() {
                    list.sorted_sql()
                } else {
                    list.merged_sql(direction, false)
                };
                for sql in [page, format!("SELECT count(*) FROM ({})", list.unordered())] {
                    let plan = plan(&conn, &sql);
                    // Results of the statement's own parts stand in brackets.
                    let reads_all = plan
                        .lines()
                        .any(|line| line.starts_with("SCAN ") && !line.starts_with("SCAN ("));
                    assert!(!reads_all, "{filter:?}\n{sql}\n{plan}");
                }
            }
        }
    }
}
