//! Query plans, and totals that triggers maintain.

use super::*;
use crate::id::UserId;
use crate::store::user_data::progress::tests::{database, plan};

#[test]
fn page_is_read_from_covering_index() {
    let plan = plan(&manual::page_sql());
    let index = "COVERING INDEX collection_item_by_position (list_id=?)";
    assert!(plan.contains(index), "{plan}");
    assert!(!plan.contains("TEMP B-TREE"), "{plan}");
}

#[test]
fn totals_follow_items_and_purges_increase_versions() {
    let mut conn = database();
    conn.execute_batch(
        "INSERT OR IGNORE INTO library (id, name, name_key, path, created_at)
         VALUES (2, 'other', 'other', x'6f74', '');
         INSERT OR IGNORE INTO library_grant (user_id, library_id) VALUES (1, 1), (1, 2);
         INSERT INTO item (id, library_id, kind, group_key, title, sort_title, initial, added_at)
         VALUES (1001, 1, 'paper', 'k', 'T', 't', 'T', ''),
                (1002, 1, 'paper', 'l', 'T', 't', 'T', ''),
                (1003, 2, 'paper', 'k', 'T', 't', 'T', '');",
    )
    .expect("rows");
    let tx = conn.transaction().expect("a transaction");
    let new = NewList {
        name: "List".to_owned(),
        description: None,
        public: false,
    };
    let items = NewContent::Items([1001, 1002, 1003].map(ItemId).to_vec());
    let now = Timestamp::from_micros(0);
    let user = Visible::of(UserId(1));
    let list = create(&tx, user, &new, &items, now).expect("a collection");
    let total = || {
        tx.query_row(
            "SELECT ifnull(sum(n), 0), count(*) FROM collection_total WHERE n > 0",
            [],
            |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)),
        )
        .expect("a total")
    };
    assert_eq!(total(), (3, 2));
    for (change, expected, version) in [
        ("DELETE FROM item WHERE id = 1002", (2, 2), 2),
        (
            "DELETE FROM collection_item WHERE item_id = 1003",
            (1, 1),
            2,
        ),
        ("DELETE FROM item", (0, 0), 3),
    ] {
        tx.execute_batch(change).expect(change);
        assert_eq!(total(), expected, "{change}");
        let stored = user_list::version(&tx, list).expect("an answer");
        assert_eq!(stored, Some(version), "{change}");
    }
}
