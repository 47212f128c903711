//! The plans that SQLite makes for each order.

use super::*;
use crate::db::migrate;
use crate::id::{LibraryId, UserId};

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
