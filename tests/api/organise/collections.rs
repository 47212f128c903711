//! Manual collections: creation, changes, order, versions, sharing and limits.

mod rules;
mod smart;

use ledge_tests::Client;
use ledge_tests::server::all_items;
use serde_json::{Value, json};

use super::shelf::{Shelf, change, shelf, version};
use crate::http::conventions::{has_keys, id_of, invalid, is_time, page, refused};

const KEYS: &str = "id name description public owner own kind item_count rule cover version \
                    created_at updated_at";

/// Creates a collection of the items with these titles, and returns its path.
#[track_caller]
fn collection(shelf: &Shelf, owner: &Client, titles: &[&str]) -> String {
    let made = owner.post("/collections", &json!({"name": "List"}));
    let path = format!("/collections/{}", id_of(&made.expect(201).json()));
    if !titles.is_empty() {
        let ids: Vec<i64> = titles.iter().map(|title| shelf.item(title)).collect();
        let body = json!({ "items": ids });
        owner.post(&format!("{path}/items"), &body).expect(201);
    }
    path
}

/// Returns the titles of the items of a collection.
#[track_caller]
fn titles(reader: &Client, path: &str) -> String {
    let items = all_items(reader, path);
    let titles = items.iter().map(|item| item["title"].as_str());
    titles
        .collect::<Option<Vec<_>>>()
        .expect("titles")
        .join(" ")
}

#[test]
fn collection_is_created_read_changed_and_deleted() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let body = json!({
        "name": " Evening ", "description": "Two\nlines", "public": true,
        "items": [shelf.item("Lantern"), shelf.item("Emma"), shelf.item("Lantern")],
    });
    let made = admin.post("/collections", &body).expect(201);
    assert_eq!(made.header("etag"), "\"1\"");
    let made = made.json();
    has_keys(&made, KEYS);
    is_time(&made["created_at"]);
    for (key, value) in [
        ("name", json!("Evening")),
        ("description", json!("Two\nlines")),
        ("public", json!(true)),
        ("own", json!(true)),
        ("kind", json!("manual")),
        ("item_count", json!(2)),
        ("rule", Value::Null),
        ("cover", Value::Null),
        ("version", json!(1)),
    ] {
        assert_eq!(made[key], value, "{key}");
    }
    assert_eq!(made["owner"]["username"], "admin");
    let path = format!("/collections/{}", id_of(&made));
    assert_eq!(admin.get(&path).expect(200).json(), made);
    assert_eq!(page(&admin.get("/collections")), [made]);
    assert_eq!(titles(admin, &format!("{path}/items")), "Lantern Emma");
    let changed = admin.patch(&path, &json!({"description": null, "name": "Morning"}));
    assert_eq!(changed.header("etag"), "\"2\"");
    let changed = changed.expect(200).json();
    assert_eq!(
        (&changed["name"], &changed["description"]),
        (&json!("Morning"), &Value::Null)
    );
    assert_eq!(admin.patch(&path, &json!({})).expect(200).json(), changed);
    admin.delete(&path).expect(204);
    for answer in [
        admin.get(&path),
        admin.delete(&path),
        admin.get(&format!("{path}/items")),
    ] {
        refused(&answer, 404, "not_found");
    }
    admin
        .get(&format!("/items/{}", shelf.item("Emma")))
        .expect(200);
}

#[test]
fn items_are_added_once_moved_and_removed() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let [lantern, emma, album] = ["Lantern", "Emma", "Album"].map(|title| shelf.item(title));
    let path = collection(&shelf, admin, &["Lantern"]);
    let items = format!("{path}/items");
    let body = json!({"items": [emma, lantern], "at": 0});
    let added = admin.post(&items, &body).expect(201);
    assert_eq!(added.header("etag"), "\"3\"");
    assert_eq!(
        added.json(),
        json!({"added": 1, "skipped": 1, "entry_count": 2, "version": 3})
    );
    let same = admin.post(&items, &body).expect(201).json();
    assert_eq!((&same["added"], &same["version"]), (&json!(0), &json!(3)));
    admin.post(&items, &json!({"items": [album]})).expect(201);
    assert_eq!(titles(admin, &items), "Emma Lantern Album");
    let step = json!({"move": [{"id": album, "to": 0}, {"id": emma, "to": 2}]});
    let moved = admin.patch(&items, &step).expect(200).json();
    has_keys(&moved, KEYS);
    assert_eq!(titles(admin, &items), "Album Lantern Emma");
    assert_eq!(
        titles(admin, &format!("{items}?sort=title")),
        "Album Emma Lantern"
    );
    assert_eq!(
        titles(admin, &format!("{items}?sort=title&order=desc")),
        "Lantern Emma Album"
    );
    let part = admin.get(&format!("{items}?offset=1&limit=1"));
    let part = part.expect(200).json();
    assert_eq!(
        (&part["total"], &part["items"][0]["title"]),
        (&json!(3), &json!("Lantern"))
    );
    let left = admin.delete(&format!("{items}?id={album},987654321"));
    assert_eq!(left.expect(200).json()["item_count"], 2);
    assert_eq!(titles(admin, &items), "Lantern Emma");
}

#[test]
fn invalid_field_is_named() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let path = collection(&shelf, admin, &["Emma"]);
    let items = format!("{path}/items");
    for (field, value) in [
        ("name", json!("")),
        ("name", json!("x".repeat(201))),
        ("name", json!("a\nb")),
        ("description", json!("x".repeat(5_001))),
        ("public", json!("yes")),
        ("item_count", json!(1)),
    ] {
        let mut body = json!({"name": "x"});
        body[field] = value.clone();
        invalid(&admin.post("/collections", &body), field);
        invalid(&admin.patch(&path, &json!({ field: value })), field);
    }
    for value in [
        json!([]),
        json!([987_654_321]),
        json!(["1"]),
        json!((1..=1_001).collect::<Vec<_>>()),
    ] {
        let body = json!({"name": "x", "items": value});
        invalid(&admin.post("/collections", &body), "items");
        invalid(&admin.post(&items, &json!({ "items": value })), "items");
    }
    invalid(&admin.post(&items, &json!({})), "items");
    let body = json!({"items": [shelf.item("Album")], "at": 2});
    invalid(&admin.post(&items, &body), "at");
    let step = json!({"move": [{"id": shelf.item("Album"), "to": 0}]});
    invalid(&admin.patch(&items, &step), "move");
    invalid(&admin.patch(&items, &json!({"move": []})), "move");
    invalid(&admin.delete(&items), "id");
    invalid(&admin.delete(&format!("{items}?id=x")), "id");
    invalid(&admin.get(&format!("{items}?sort=size_of")), "sort");
    invalid(&admin.patch(&path, &json!({"kind": "smart"})), "kind");
    let rule = json!({"rule": {"all": []}});
    invalid(&admin.patch(&path, &rule), "rule");
    assert_eq!(page(&admin.get("/collections")).len(), 1);
}

#[test]
fn stale_version_is_refused_and_changes_nothing() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let path = collection(&shelf, admin, &["Emma", "Lantern"]);
    let items = format!("{path}/items");
    let emma = shelf.item("Emma");
    let before = admin.get(&path).expect(200).json();
    let old = format!("\"{}\"", version(admin, &path) - 1);
    let steps = json!({"move": [{"id": emma, "to": 1}]});
    for (method, path, body) in [
        ("PATCH", path.clone(), json!({"name": "x"})),
        (
            "POST",
            items.clone(),
            json!({"items": [shelf.item("Album")]}),
        ),
        ("PATCH", items.clone(), steps),
        ("DELETE", format!("{items}?id={emma}"), Value::Null),
        ("DELETE", path.clone(), Value::Null),
        ("GET", path.clone(), Value::Null),
    ] {
        let answer = change(admin, (method, &path), &old, &body);
        refused(&answer, 412, "precondition_failed");
    }
    assert_eq!(admin.get(&path).expect(200).json(), before);
    let tag = format!("\"{}\"", version(admin, &path));
    let renamed = change(admin, ("PATCH", &path), &tag, &json!({"name": "x"}));
    assert_eq!(renamed.expect(200).json()["name"], "x");
}

#[test]
fn private_collection_is_absent_and_public_one_is_read_only() {
    let shelf = shelf();
    let (_, mia) = shelf.user("mia");
    let path = collection(&shelf, &mia, &["Emma", "Lantern"]);
    let (items, emma) = (format!("{path}/items"), shelf.item("Emma"));
    let admin = &shelf.admin;
    let step = json!({"move": [{"id": emma, "to": 1}]});
    let add = json!({"items": [shelf.item("Album")]});
    let attempts = || {
        [
            admin.patch(&path, &json!({"name": ""})),
            admin.delete(&path),
            admin.post(&items, &add),
            admin.patch(&items, &step),
            admin.delete(&format!("{items}?id={emma}")),
        ]
    };
    for below in ["", "/items", "/cover"] {
        let answer = admin.get(&format!("{path}{below}"));
        refused(&answer, 404, "not_found");
        let absent = admin.get(&format!("/collections/987654321{below}"));
        assert_eq!(answer.body, absent.body);
    }
    for answer in attempts() {
        refused(&answer, 404, "not_found");
    }
    assert_eq!(page(&admin.get("/collections")), [] as [Value; 0]);
    mia.patch(&path, &json!({"public": true})).expect(200);
    assert_eq!(titles(admin, &items), "Emma Lantern");
    assert_eq!(page(&admin.get("/collections?own=false")).len(), 1);
    for answer in attempts() {
        refused(&answer, 403, "forbidden");
    }
    assert_eq!(titles(&mia, &items), "Emma Lantern");
}

#[test]
fn reader_sees_granted_items_only() {
    let shelf = shelf();
    let (_, mia) = shelf.user("mia");
    let (tom_id, tom) = shelf.user("tom");
    let path = collection(&shelf, &mia, &["Box", "Emma", "Lantern"]);
    mia.patch(&path, &json!({"public": true})).expect(200);
    let items = format!("{path}/items");
    shelf.grant(shelf.attic, tom_id, false);
    assert_eq!(tom.get(&path).expect(200).json()["item_count"], 2);
    assert_eq!(titles(&tom, &items), "Emma Lantern");
    assert_eq!(titles(&tom, &format!("{items}?sort=title")), "Emma Lantern");
    let box_ = shelf.item("Box");
    invalid(
        &tom.post("/collections", &json!({"name": "x", "items": [box_]})),
        "items",
    );
    shelf.grant(shelf.media, tom_id, false);
    refused(&tom.get(&path), 404, "not_found");
    refused(&tom.get(&items), 404, "not_found");
    assert_eq!(page(&tom.get("/collections")), [] as [Value; 0]);
    shelf.grant(shelf.attic, tom_id, true);
    assert_eq!(titles(&tom, &items), "Box");
}

#[test]
fn missing_items_stay_and_purged_ones_go() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let path = collection(&shelf, admin, &["Emma", "Lantern"]);
    let before = version(admin, &path);
    shelf.lose(shelf.media, "media/Emma.epub");
    let items = all_items(admin, &format!("{path}/items"));
    assert_eq!(
        (&items[0]["missing"], &items[1]["missing"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(version(admin, &path), before);
    let purge = format!("/libraries/{}/purge", shelf.media);
    admin.post(&purge, &json!({})).expect(200);
    assert_eq!(titles(admin, &format!("{path}/items")), "Lantern");
    assert_eq!(version(admin, &path), before + 1);
}

#[test]
fn list_is_sorted_filtered_and_paged() {
    let shelf = shelf();
    let admin = &shelf.admin;
    for name in ["Road 10", "road 9", "Café"] {
        admin
            .post("/collections", &json!({ "name": name }))
            .expect(201);
    }
    let names = |query: &str| -> Vec<String> {
        let page = page(&admin.get(&format!("/collections?{query}")));
        let names = page.iter().map(|one| one["name"].as_str());
        names.map(|name| name.expect("a name").to_owned()).collect()
    };
    assert_eq!(names(""), ["Café", "road 9", "Road 10"]);
    assert_eq!(
        names("sort=created&order=desc"),
        ["Café", "road 9", "Road 10"]
    );
    assert_eq!(names("q=ROAD&limit=1&offset=1"), ["Road 10"]);
    assert_eq!(names("own=false"), [] as [String; 0]);
    invalid(&admin.get("/collections?sort=size"), "sort");
}
