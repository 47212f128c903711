//! Retention and pages of batches, batches of imports, and enrichment of many items.

use ledge_tests::Server;
use serde_json::{Value, json};

use super::{Books, batch, undo};
use crate::http::conventions::{id_of, invalid, page, refused};

fn change_rows(server: &Server, statements: &str) {
    let database = ledge_core::db::open::existing(&server.database()).expect("a database");
    database.execute_batch(statements).expect("a change");
}

fn rows(server: &Server, sql: &str) -> i64 {
    let database = ledge_core::db::open::existing(&server.database()).expect("a database");
    let count = database.query_row(sql, [], |row| row.get(0));
    count.expect("a number")
}

/// Returns a time before now in the format of the database.
fn days_ago(days: u64) -> String {
    let now = ledge_core::time::Clock::system().now();
    now.minus(std::time::Duration::from_secs(days * 24 * 3600))
        .to_string()
}

#[test]
fn batches_are_kept_for_ninety_days() {
    let books = Books::new();
    let admin = &books.admin;
    let [old, kept] = [3, 4].map(|rating| batch(admin, &books.ids, &json!({"rating": rating}), 4));
    let set_age = |id: i64, days: u64| {
        let at = days_ago(days);
        let sql = format!("UPDATE edit_batch SET created_at = '{at}' WHERE id = {id}");
        change_rows(&books.server, &sql);
    };
    set_age(old, 91);
    set_age(kept, 89);
    let listed: Vec<i64> = page(&admin.get("/edits")).iter().map(id_of).collect();
    assert_eq!(listed, [kept]);
    let path = format!("/edits/{old}/undo");
    refused(&admin.send("POST", &path, &[], None), 404, "not_found");
    assert_eq!(undo(admin, kept), (4, 0));
}

#[test]
fn expired_batches_are_deleted_at_start() {
    let mut books = Books::new();
    batch(&books.admin, &books.ids, &json!({"rating": 3}), 4);
    let at = days_ago(91);
    change_rows(
        &books.server,
        &format!("UPDATE edit_batch SET created_at = '{at}'"),
    );
    books.server.restart();
    ledge_tests::server::until("the deletion", || {
        (rows(&books.server, "SELECT count(*) FROM edit_value") == 0).then_some(())
    });
}

#[test]
fn pages_of_batches_are_newest_first() {
    let books = Books::new();
    let admin = &books.admin;
    let ids: Vec<i64> = (1..=5)
        .map(|rating| batch(admin, &books.ids[..1], &json!({"rating": rating}), 1))
        .collect();
    let list = admin.get("/edits?offset=1&limit=2").expect(200).json();
    assert_eq!((&list["total"], &list["limit"]), (&json!(5), &json!(2)));
    let listed: Vec<i64> = page(&admin.get("/edits?offset=1&limit=2"))
        .iter()
        .map(id_of)
        .collect();
    assert_eq!(listed, [ids[3], ids[2]]);
    for query in ["limit=0", "limit=501", "offset=-1"] {
        admin.get(&format!("/edits?{query}")).expect(422);
    }
}

#[test]
fn import_is_undone_for_all_users_by_administrators() {
    let books = Books::new();
    let (mia_id, mia) = books.user("mia");
    let item = books.ids[0];
    let path = format!("/items/{item}/rating");
    mia.put(&path, &json!({"rating": 8})).expect(204);
    let at = days_ago(0);
    let sql = format!(
        "INSERT INTO edit_batch (id, user_id, action, fields, is_shared, created_at)
         VALUES (7, NULL, 'import', '[\"ratings\"]', 1, '{at}');
         INSERT INTO edit_batch_total (batch_id, library_id, n, n_shared)
         VALUES (7, {}, 1, 0);
         INSERT INTO edit_value (batch_id, item_id, user_id, field, old_value, new_value)
         VALUES (7, {item}, {mia_id}, 'rating', 'null', '[8,\"{at}\"]');",
        books.library
    );
    change_rows(&books.server, &sql);
    assert_eq!(mia.get("/edits").expect(200).json()["total"], 0);
    refused(
        &mia.send("POST", "/edits/7/undo", &[], None),
        404,
        "not_found",
    );
    let listed = books.admin.get("/edits").expect(200).json()["items"][0].clone();
    assert_eq!((id_of(&listed), &listed["action"]), (7, &json!("import")));
    assert_eq!(listed["fields"], json!(["ratings"]));
    assert_eq!(undo(&books.admin, 7), (1, 0));
    assert_eq!(books.item(&mia, 0)["rating"], Value::Null);
}

#[test]
fn enrichment_of_many_items_is_one_job() {
    let books = Books::new();
    let (_, mia) = books.user("mia");
    let body = json!({"ids": books.ids, "force": true});
    refused(&mia.post("/items/enrich", &body), 403, "forbidden");
    for ids in [json!([]), json!([books.ids[0], 9_999])] {
        invalid(
            &books.admin.post("/items/enrich", &json!({"ids": ids})),
            "ids",
        );
    }
    let queued = books.admin.post("/items/enrich", &body).expect(202).json();
    let id = queued["job_id"].as_i64().expect("a job");
    let job = ledge_tests::server::until("the job", || {
        let jobs = page(&books.admin.get("/jobs"));
        let job = jobs.into_iter().find(|job| job["id"] == id)?;
        (job["status"] == "done").then_some(job)
    });
    assert_eq!(job["kind"], "enrich_items");
    assert_eq!(
        (&job["result"]["total"], &job["result"]["seen"]),
        (&json!(4), &json!(4))
    );
}
