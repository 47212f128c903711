//! Query plans of the statements of the shelves.

use super::*;
use crate::home::{
    arms, continue_file, continue_shelf, explore, most_viewed, recently_added, suggestions, up_next,
};

fn plan(conn: &Connection, sql: &str) -> Vec<String> {
    let mut statement = conn
        .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
        .expect("a statement");
    let rows = statement
        .raw_query()
        .mapped(|row| row.get::<_, String>(3))
        .collect::<Result<_, _>>();
    rows.expect("a plan")
}

/// Small row sets of the statement itself, which a plan may scan.
const SMALL: [&str; 3] = ["SCAN arm", "SCAN near", "SCAN seed VIRTUAL TABLE"];

#[test]
fn shelf_statements_use_indexes_and_do_not_sort() {
    let world = World::new();
    for (sql, index) in [
        (arms::ARMS, "item_present"),
        (continue_shelf::NEWEST, "item_progress_on_shelf"),
        (continue_shelf::PROGRESS, "SEARCH shelf USING PRIMARY KEY"),
        (continue_file::FILE, "SEARCH file USING INTEGER PRIMARY KEY"),
        (continue_file::PARTS, "SEARCH file USING INDEX file_by_item"),
        (
            continue_file::CHAPTERS,
            "SEARCH file_chapter USING PRIMARY KEY (file_id=?)",
        ),
        (
            continue_file::CHAPTER,
            "SEARCH file_chapter USING PRIMARY KEY (file_id=?)",
        ),
        (most_viewed::MOST, "COVERING INDEX item_view_by_count"),
        (recently_added::NEWEST, "COVERING INDEX item_by_added"),
        (up_next::SERIES, "SEARCH item USING INTEGER PRIMARY KEY"),
        (explore::WALK, "COVERING INDEX item_present"),
        (explore::SUBTRACT, "COVERING INDEX item_present"),
        (explore::SUBTRACT, "COVERING INDEX item_progress_by_state"),
        (
            suggestions::CONSUMED,
            "COVERING INDEX item_progress_by_time",
        ),
        (suggestions::TRAITS, "SEARCH credit USING PRIMARY KEY"),
        (
            suggestions::BY_AUTHOR,
            "COVERING INDEX item_person_by_person",
        ),
        (suggestions::NEWEST, "COVERING INDEX item_by_added"),
        (suggestions::ANYWHERE, "COVERING INDEX item_present"),
        (suggestions::SUBTRACT, "COVERING INDEX item_present"),
        (
            suggestions::SUBTRACT,
            "item_progress USING PRIMARY KEY (user_id=? AND item_id>? AND item_id<?)",
        ),
    ] {
        let steps = plan(&world.conn, sql);
        assert!(
            steps.iter().any(|step| step.contains(index)),
            "{sql}\n{steps:#?}"
        );
        for step in &steps {
            let small = SMALL.iter().any(|small| step.starts_with(small));
            assert!(small || !step.contains("SCAN"), "{step}\n{sql}\n{steps:#?}");
            // Sorting the few authors of a handful of items is acceptable.
            let few = sql == suggestions::TRAITS && step.contains("ORDER BY");
            assert!(
                few || !step.contains("TEMP B-TREE"),
                "{step}\n{sql}\n{steps:#?}"
            );
        }
    }
}
