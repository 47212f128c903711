//! Undo: values, sources, locks, positions, and values that were changed since.

use std::fs;

use ledge_tests::server::scan;
use serde_json::{Value, json};

use super::{BOOKS, Books, batch, edit, tags, undo};
use crate::http::conventions::{id_of, library_of, refused, write};
use crate::organise::shelf::shelf;

/// Returns a value without the ids of series, people, genres and tags, which may be created again.
fn without_ids(value: &Value) -> Value {
    match value {
        Value::Array(values) => values.iter().map(without_ids).collect(),
        Value::Object(members) => {
            let is_kept = |name: &str| !["id", "genre_ids", "series_id"].contains(&name);
            let members = members.iter().filter(|(name, _)| is_kept(name));
            let members = members.map(|(name, value)| (name.clone(), without_ids(value)));
            members.collect::<serde_json::Map<_, _>>().into()
        }
        value => value.clone(),
    }
}

#[test]
fn undo_restores_fields_with_source_and_lock() {
    let books = Books::new();
    let admin = &books.admin;
    let path = format!("/items/{}", books.ids[0]);
    let before = json!({
        "year": 1816, "genres": ["Satire"], "series": {"name": "Novels", "index": 2},
    });
    admin.patch(&path, &before).expect(200);
    let before: Vec<Value> = (0..4).map(|n| books.item(admin, n)).collect();
    let set = json!({
        "authors": ["A. Lady"], "series": {"name": "Others"}, "genres_add": ["Drama"],
        "language": "de", "year": 1900, "shared_tags_add": ["School"],
    });
    let id = batch(admin, &books.ids, &set, 4);
    assert_ne!(books.item(admin, 1), before[1]);
    assert_eq!(undo(admin, id), (4, 0));
    for (n, before) in before.iter().enumerate() {
        assert_eq!(without_ids(&books.item(admin, n)), without_ids(before));
    }
    for query in ["lady", "school"] {
        let found = admin.get(&format!("/search?q={query}")).expect(200).json();
        assert_eq!(found["total"], 0, "{query}");
    }
    let found = admin.get("/search?q=shelley").expect(200).json();
    assert_eq!(found["total"], 2);
    assert_eq!(undo(admin, id), (0, 0));
}

#[test]
fn undo_restores_own_data_with_old_positions() {
    let (server, admin, library) = library_of(&[
        ("Sun/01 - One.mp3", "1"),
        ("Sun/02 - Two.mp3", "2"),
        ("Sun/03 - Three.mp3", "3"),
    ]);
    let (id, mia) = server.user(&admin, "mia");
    let grant = format!("/libraries/{library}/grants/{id}");
    admin.send("PUT", &grant, &[], None).expect(204);
    let item = id_of(&mia.get("/items").expect(200).json()["items"][0]);
    let path = format!("/items/{item}");
    let files = mia.get(&path).expect(200).json()["files"].clone();
    assert_eq!(files.as_array().expect("files").len(), 3);
    for (n, position) in [(0, 40), (1, 7)] {
        let place = json!({"file_id": files[n]["id"], "position": position, "locator": "x"});
        mia.put(&format!("{path}/progress"), &place).expect(200);
    }
    mia.put(&format!("{path}/rating"), &json!({"rating": 4}))
        .expect(204);
    mia.put(&format!("{path}/tags"), &json!({"tags": ["kept", "gone"]}))
        .expect(200);
    let places = || mia.get(&format!("{path}/progress")).expect(200).json();
    let now = || (without_ids(&mia.get(&path).expect(200).json()), places());
    let before = now();
    let set = json!({
        "finished": true, "favourite": true, "rating": 9, "tags_add": ["new"],
        "tags_remove": ["gone"],
    });
    let finished = batch(&mia, &[item], &set, 1);
    let after = mia.get(&path).expect(200).json();
    assert_eq!(after["progress"]["item_finished"], true);
    assert_eq!(tags(&after), ["kept", "new"]);
    let is_finished = |place: &Value| place["finished"] == true;
    assert!(
        places()["items"]
            .as_array()
            .expect("places")
            .iter()
            .all(is_finished)
    );
    assert_eq!(places()["items"].as_array().expect("places").len(), 3);
    assert_eq!(undo(&mia, finished), (1, 0));
    assert_eq!(now(), before);
    // The same applies to a reset.
    let reset = batch(&mia, &[item], &json!({"finished": false}), 1);
    assert_eq!(places()["items"], json!([]));
    assert_eq!(undo(&mia, reset), (1, 0));
    assert_eq!(now(), before);
}

#[test]
fn values_that_were_changed_since_are_skipped() {
    let books = Books::new();
    let admin = &books.admin;
    let set = json!({"year": 1900, "rating": 5});
    let id = batch(admin, &books.ids[..3], &set, 3);
    let path = |n: usize| format!("/items/{}", books.ids[n]);
    admin.patch(&path(0), &json!({"year": 1901})).expect(200);
    admin
        .put(&format!("{}/rating", path(0)), &json!({"rating": 6}))
        .expect(204);
    admin
        .put(&format!("{}/rating", path(1)), &json!({"rating": 7}))
        .expect(204);
    // The first item keeps both values, the second item keeps its rating.
    assert_eq!(undo(admin, id), (2, 2));
    let values = |n: usize| {
        let item = books.item(admin, n);
        (item["year"].clone(), item["rating"].clone())
    };
    assert_eq!(values(0), (json!(1901), json!(6)));
    assert_eq!(values(1), (Value::Null, json!(7)));
    assert_eq!(values(2), (Value::Null, Value::Null));
    assert_eq!(undo(admin, id), (0, 0));
}

#[test]
fn progress_and_favourites_that_were_changed_since_are_skipped() {
    let books = Books::new();
    let admin = &books.admin;
    let set = json!({"finished": true, "favourite": true});
    let id = batch(admin, &books.ids[..2], &set, 2);
    let path = format!("/items/{}", books.ids[0]);
    admin
        .put(&format!("{path}/progress"), &json!({"position": 3}))
        .expect(200);
    admin.delete(&format!("{path}/favourite")).expect(204);
    assert_eq!(undo(admin, id), (1, 1));
    assert_eq!(books.item(admin, 0)["progress"]["position"], 3);
    assert_eq!(books.item(admin, 1)["progress"], Value::Null);
    assert_eq!(books.item(admin, 1)["favourite"], false);
}

#[test]
fn tags_that_were_added_since_stay() {
    let books = Books::new();
    let admin = &books.admin;
    let id = batch(admin, &books.ids[..2], &json!({"tags_add": ["a"]}), 2);
    let path = format!("/items/{}/tags", books.ids[0]);
    admin.put(&path, &json!({"tags": ["a", "b"]})).expect(200);
    assert_eq!(undo(admin, id), (2, 0));
    assert_eq!(tags(&books.item(admin, 0)), ["b"]);
    let id = batch(admin, &books.ids[..1], &json!({"tags_remove": ["b"]}), 1);
    assert_eq!(admin.get("/tags").expect(200).json()["total"], 0);
    assert_eq!(undo(admin, id), (1, 0));
    assert_eq!(tags(&books.item(admin, 0)), ["b"]);
}

#[test]
fn edit_of_one_item_is_a_batch_too() {
    let books = Books::new();
    let admin = &books.admin;
    let path = format!("/items/{}", books.ids[0]);
    let before = books.item(admin, 0);
    let edit = json!({
        "title": "Emma, a Novel", "description": "A book.", "authors": ["A. Lady"],
        "series": {"name": "Novels", "index": 3}, "year": 1815,
    });
    admin.patch(&path, &edit).expect(200);
    admin
        .patch(&path, &json!({"unlock": ["year", "title"]}))
        .expect(200);
    let list = admin.get("/edits").expect(200).json();
    assert_eq!(list["total"], 2);
    let [unlock, edit] = [0, 1].map(|n| list["items"][n].clone());
    assert_eq!(unlock["fields"], json!(["title", "year"]));
    let fields = json!(["title", "year", "authors", "description", "series"]);
    assert_eq!(edit["fields"], fields);
    assert_eq!(undo(admin, id_of(&unlock)), (1, 0));
    let edited = books.item(admin, 0);
    assert_eq!(
        (&edited["title"], &edited["year"]),
        (&json!("Emma, a Novel"), &json!(1815))
    );
    assert_eq!(edited["sources"]["title"], "person");
    assert_eq!(undo(admin, id_of(&edit)), (1, 0));
    assert_eq!(without_ids(&books.item(admin, 0)), without_ids(&before));
    // An edit without effect creates no batch.
    admin.patch(&path, &json!({})).expect(200);
    assert_eq!(admin.get("/edits").expect(200).json()["total"], 2);
}

#[test]
fn undone_spelling_returns_for_all_items() {
    let books = Books::new();
    let admin = &books.admin;
    let id = batch(
        admin,
        &books.ids[..1],
        &json!({"authors": ["JANE AUSTEN"]}),
        1,
    );
    assert_eq!(books.item(admin, 3)["authors"], "JANE AUSTEN");
    assert_eq!(undo(admin, id), (1, 0));
    for n in [0, 3] {
        assert_eq!(books.item(admin, n)["authors"], "Jane Austen");
    }
}

#[test]
fn batch_survives_new_names_and_the_purge_of_an_item() {
    let books = Books::new();
    let admin = &books.admin;
    let id = batch(admin, &books.ids, &json!({"rating": 5}), 4);
    let media = books.server.folder().join("media");
    // One file is renamed, and another one is gone.
    let renamed = media.join("Jane Austen - Emma, a Novel.epub");
    fs::rename(media.join(BOOKS[0].0), renamed).expect("a new name");
    fs::remove_file(media.join(BOOKS[1].0)).expect("gone");
    assert_eq!(scan(admin, books.library)["status"], "done");
    let purge = format!("/libraries/{}/purge", books.library);
    admin.send("POST", &purge, &[], None).expect(200);
    assert_eq!(admin.get("/items").expect(200).json()["total"], 3);
    assert_eq!(undo(admin, id), (3, 0));
    assert_eq!(
        admin.get("/items?rating_min=1").expect(200).json()["total"],
        0
    );
}

#[test]
fn batch_follows_files_to_the_item_that_a_scan_merges() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let from = shelf.item("Box");
    let id = batch(admin, &[from], &json!({"rating": 8}), 1);
    fs::create_dir(shelf.path("attic/Chest")).expect("a folder");
    write(&shelf.path("attic"), "Chest/04 - Seven.mp3", "Seven");
    scan(admin, shelf.attic);
    let to = format!("/items/{}", shelf.item("Chest"));
    for name in ["01 - Four.mp3", "02 - Five.mp3", "03 - Six.mp3"] {
        let [old, new] = ["Box", "Chest"].map(|folder| format!("attic/{folder}/{name}"));
        fs::rename(shelf.path(&old), shelf.path(&new)).expect("moved");
    }
    assert_eq!(scan(admin, shelf.attic)["status"], "done");
    admin.get(&format!("/items/{from}")).expect(404);
    assert_eq!(admin.get(&to).expect(200).json()["rating"], 8);
    assert_eq!(undo(admin, id), (1, 0));
    assert_eq!(admin.get(&to).expect(200).json()["rating"], Value::Null);
}

#[test]
fn thousand_items_are_edited_and_undone_at_once() {
    let files: Vec<(String, String)> = (0..1_000)
        .map(|n| (format!("Author {n} - Book {n}.epub"), n.to_string()))
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, content)| (name.as_str(), content.as_str()))
        .collect();
    let (_server, admin, _) = library_of(&files);
    let ids: Vec<i64> = ledge_tests::server::all_items(&admin, "/items")
        .iter()
        .map(id_of)
        .collect();
    let set = json!({"genres_add": ["Novel"], "finished": true, "tags_add": ["all"]});
    let id = batch(&admin, &ids, &set, 1_000);
    let done = admin.get("/items?state=finished").expect(200).json();
    assert_eq!(done["total"], 1_000);
    assert_eq!(undo(&admin, id), (1_000, 0));
    for query in ["state=finished", "state=started"] {
        let list = admin.get(&format!("/items?{query}")).expect(200).json();
        assert_eq!(list["total"], 0, "{query}");
    }
    assert_eq!(admin.get("/genres").expect(200).json()["total"], 0);
    assert_eq!(admin.get("/tags").expect(200).json()["total"], 0);
    assert_eq!(
        edit(&admin, &ids, &set).expect(200).json()["changed"],
        1_000
    );
}

#[test]
fn undo_restores_spelling_of_tag() {
    let books = Books::new();
    let admin = &books.admin;
    batch(admin, &books.ids[..1], &json!({"tags_add": ["rock"]}), 1);
    let set = json!({"tags_remove": ["rock"], "tags_add": ["Rock"]});
    let id = batch(admin, &books.ids[..1], &set, 1);
    assert_eq!(tags(&books.item(admin, 0)), ["Rock"]);
    undo(admin, id);
    assert_eq!(tags(&books.item(admin, 0)), ["rock"]);
}

#[test]
fn genres_without_effect_stay_unlocked() {
    let books = Books::new();
    let admin = &books.admin;
    let body = json!({"ids": books.ids, "set": {"genres_remove": ["Absent"]}});
    let answer = admin.patch("/items", &body).expect(200).json();
    assert_eq!(answer, json!({"batch": null, "changed": 0}));
    assert_eq!(books.item(admin, 0)["locked"], json!([]));
    // An added genre replaces the spelling of a removed one.
    batch(admin, &books.ids[..1], &json!({"genres": ["drama"]}), 1);
    let set = json!({"genres_remove": ["drama"], "genres_add": ["Drama"]});
    batch(admin, &books.ids[..1], &set, 1);
    assert_eq!(books.item(admin, 0)["genres"], json!(["Drama"]));
}

#[test]
fn expected_number_applies_to_ids() {
    let books = Books::new();
    let body = json!({"ids": books.ids, "set": {"rating": 3}, "expected": 9});
    refused(
        &books.admin.patch("/items", &body),
        412,
        "precondition_failed",
    );
}
