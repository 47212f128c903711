//! Users who see batches and undo them.

use ledge_tests::Client;
use serde_json::{Value, json};

use super::{Books, batch, undo};
use crate::http::conventions::{has_keys, id_of, is_time, page, refused};

/// Returns the ids of the batches that a user sees.
fn seen(client: &Client) -> Vec<i64> {
    page(&client.get("/edits").expect(200))
        .iter()
        .map(id_of)
        .collect()
}

/// Tries to undo a batch.
fn refuse_undo(client: &Client, batch: i64, status: u16, code: &str) {
    let path = format!("/edits/{batch}/undo");
    refused(&client.send("POST", &path, &[], None), status, code);
}

/// Creates a further administrator with a grant.
fn other_admin(books: &Books) -> (i64, Client) {
    let (id, _) = books.user("max");
    set_role(books, id, "admin");
    (id, sign_in(books, "max"))
}

fn set_role(books: &Books, user: i64, role: &str) {
    let path = format!("/users/{user}");
    books
        .admin
        .patch(&path, &json!({ "role": role }))
        .expect(200);
}

fn sign_in(books: &Books, name: &str) -> Client {
    let client = books.server.client();
    client.sign_in(name, ledge_tests::server::PASSWORD)
}

#[test]
fn batch_of_user_is_visible_to_nobody_else() {
    let books = Books::new();
    let ((mia_id, mia), (_, ben)) = (books.user("mia"), books.user("ben"));
    let id = batch(&mia, &books.ids[..2], &json!({"rating": 7}), 2);
    assert_eq!(
        (seen(&mia), seen(&ben), seen(&books.admin)),
        (vec![id], vec![], vec![])
    );
    for client in [&ben, &books.admin] {
        refuse_undo(client, id, 404, "not_found");
    }
    refuse_undo(&mia, id + 1, 404, "not_found");
    let path = "/edits/x/undo";
    refused(&mia.send("POST", path, &[], None), 404, "not_found");
    let list = mia.get("/edits").expect(200).json();
    let listed = &list["items"][0];
    has_keys(listed, "id user at action fields changed undone_at");
    assert_eq!(listed["user"], json!({"id": mia_id, "username": "mia"}));
    is_time(&listed["at"]);
    assert_eq!(listed["action"], "edit");
    assert_eq!(listed["fields"], json!(["rating"]));
    assert_eq!(
        (&listed["changed"], &listed["undone_at"]),
        (&json!(2), &Value::Null)
    );
    assert_eq!(undo(&mia, id), (2, 0));
    is_time(&mia.get("/edits").expect(200).json()["items"][0]["undone_at"]);
}

#[test]
fn administrators_see_shared_fields_of_all_batches() {
    let books = Books::new();
    let (_, max) = other_admin(&books);
    let (_, mia) = books.user("mia");
    let shared = batch(&books.admin, &books.ids, &json!({"year": 1815}), 4);
    let own = batch(&books.admin, &books.ids, &json!({"rating": 3}), 4);
    // The year is not new, so that only own data changes.
    let set = json!({"year": 1815, "favourite": true});
    let mixed = batch(&books.admin, &books.ids, &set, 4);
    assert_eq!(seen(&books.admin), [mixed, own, shared]);
    assert_eq!((seen(&max), seen(&mia)), (vec![shared], vec![]));
    let set = json!({"year": 1816, "favourite": false});
    let mixed = batch(&books.admin, &books.ids[..2], &set, 2);
    let listed = max.get("/edits").expect(200).json()["items"][0].clone();
    assert_eq!(
        (id_of(&listed), &listed["fields"]),
        (mixed, &json!(["year"]))
    );
    // The undo by another administrator does not change data of the user.
    assert_eq!(undo(&max, mixed), (2, 0));
    let item = books.item(&books.admin, 0);
    assert_eq!(
        (&item["year"], &item["favourite"]),
        (&json!(1815), &json!(false))
    );
    assert_eq!(undo(&books.admin, mixed), (2, 0));
    assert_eq!(books.item(&books.admin, 0)["favourite"], true);
    refuse_undo(&mia, shared, 404, "not_found");
    refuse_undo(&max, own, 404, "not_found");
}

#[test]
fn batch_counts_and_restores_visible_items_only() {
    let books = Books::new();
    let (max_id, max) = other_admin(&books);
    let id = batch(&books.admin, &books.ids, &json!({"year": 1815}), 4);
    assert_eq!(
        max.get("/edits").expect(200).json()["items"][0]["changed"],
        4
    );
    books.grant(max_id, false);
    assert_eq!(max.get("/edits").expect(200).json()["total"], 0);
    refuse_undo(&max, id, 404, "not_found");
    books.grant(max_id, true);
    assert_eq!(undo(&max, id), (4, 0));
    // The own batch is hidden without the grant, and reappears with it.
    let (mia_id, mia) = books.user("mia");
    let id = batch(&mia, &books.ids, &json!({"rating": 2}), 4);
    books.grant(mia_id, false);
    assert_eq!(seen(&mia), Vec::<i64>::new());
    refuse_undo(&mia, id, 404, "not_found");
    books.grant(mia_id, true);
    assert_eq!(seen(&mia), [id]);
    assert_eq!(undo(&mia, id), (4, 0));
}

#[test]
fn former_administrator_cannot_undo_shared_fields() {
    let books = Books::new();
    let (max_id, max) = other_admin(&books);
    let id = batch(&max, &books.ids, &json!({"year": 1815}), 4);
    set_role(&books, max_id, "user");
    let max = sign_in(&books, "max");
    assert_eq!(seen(&max), [id]);
    refuse_undo(&max, id, 403, "forbidden");
    assert_eq!(books.item(&books.admin, 0)["year"], 1815);
}

#[test]
fn batch_stays_without_user_after_deletion() {
    let books = Books::new();
    let (max_id, max) = other_admin(&books);
    let set = json!({"year": 1815, "rating": 9});
    let id = batch(&max, &books.ids, &set, 4);
    books.admin.delete(&format!("/users/{max_id}")).expect(204);
    let listed = books.admin.get("/edits").expect(200).json()["items"][0].clone();
    assert_eq!((id_of(&listed), &listed["user"]), (id, &Value::Null));
    assert_eq!(listed["fields"], json!(["year"]));
    assert_eq!(undo(&books.admin, id), (4, 0));
    assert_eq!(books.item(&books.admin, 0)["year"], Value::Null);
}
