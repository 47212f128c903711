//! Playlists: creation, changes, lists, versions and limits.

mod cover;
mod entries;
mod files;
mod m3u8;
mod sharing;

use std::sync::Barrier;

use serde_json::{Value, json};

use super::shelf::{change, entries, shelf, version};
use crate::http::conventions::{has_keys, id_of, invalid, is_time, page, refused};

const KEYS: &str =
    "id name description public owner own entry_count duration cover version created_at updated_at";

#[test]
fn playlist_is_created_read_changed_and_deleted() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let body = json!({
        "name": "  Evening \u{2014} 1 ", "description": "Two\nlines", "public": true,
        "files": shelf.ids("Two One"),
    });
    let made = admin.post("/playlists", &body).expect(201);
    assert_eq!(made.header("etag"), "\"1\"");
    let made = made.json();
    has_keys(&made, KEYS);
    is_time(&made["created_at"]);
    has_keys(&made["owner"], "id username");
    for (key, value) in [
        ("name", json!("Evening \u{2014} 1")),
        ("description", json!("Two\nlines")),
        ("public", json!(true)),
        ("own", json!(true)),
        ("entry_count", json!(2)),
        ("duration", json!(0)),
        ("cover", Value::Null),
        ("version", json!(1)),
        ("updated_at", made["created_at"].clone()),
    ] {
        assert_eq!(made[key], value, "{key}");
    }
    assert_eq!(made["owner"]["username"], "admin");
    let path = format!("/playlists/{}", id_of(&made));
    assert_eq!(shelf.words(admin, &path), "Two One");
    assert_eq!(admin.get(&path).expect(200).json(), made);

    let changed = admin.patch(&path, &json!({"description": null, "name": "Morning"}));
    assert_eq!(changed.header("etag"), "\"2\"");
    let changed = changed.expect(200).json();
    assert_eq!(changed["name"], "Morning");
    assert_eq!(changed["description"], Value::Null);
    assert_eq!(changed["public"], true);
    assert!(changed["updated_at"].as_str() > made["updated_at"].as_str());
    // A change that changes nothing keeps the version.
    for same in [json!({}), json!({"name": " Morning ", "public": true})] {
        assert_eq!(admin.patch(&path, &same).expect(200).json(), changed);
    }
    admin.delete(&path).expect(204);
    for answer in [
        admin.get(&path),
        admin.delete(&path),
        admin.patch(&path, &json!({})),
    ] {
        refused(&answer, 404, "not_found");
    }
    assert_eq!(page(&admin.get("/playlists")), [] as [Value; 0]);
}

#[test]
fn playlist_with_only_a_name_is_private_and_empty() {
    let shelf = shelf();
    let made = shelf
        .admin
        .post("/playlists", &json!({"name": "x"}))
        .expect(201);
    let made = made.json();
    assert_eq!(made["public"], false);
    assert_eq!(
        (&made["description"], &made["entry_count"]),
        (&Value::Null, &json!(0))
    );
    let path = format!("/playlists/{}", id_of(&made));
    assert_eq!(
        page(&shelf.admin.get(&format!("{path}/entries"))),
        [] as [Value; 0]
    );
}

#[test]
fn items_precede_files_of_new_playlist() {
    let shelf = shelf();
    let body = json!({
        "name": "x", "items": [shelf.item("Lantern"), shelf.item("Album")],
        "files": [shelf.file("Six")],
    });
    let made = shelf.admin.post("/playlists", &body).expect(201).json();
    let path = format!("/playlists/{}", id_of(&made));
    assert_eq!(
        shelf.words(&shelf.admin, &path),
        "Lantern One Two Three Six"
    );
}

#[test]
fn invalid_field_is_named() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let path = shelf.playlist(admin, "One");
    for (field, value) in [
        ("name", json!("")),
        ("name", json!(" \t ")),
        ("name", json!("x".repeat(201))),
        ("name", json!("a\nb")),
        ("name", json!("a\u{0}b")),
        ("name", json!("a\u{85}b")),
        ("name", Value::Null),
        ("name", json!(7)),
        ("description", json!("x".repeat(5_001))),
        ("description", json!(7)),
        ("public", json!("yes")),
        ("public", Value::Null),
        ("owner", json!(1)),
        ("version", json!(7)),
    ] {
        let mut body = json!({"name": "x"});
        body[field] = value.clone();
        invalid(&admin.post("/playlists", &body), field);
        invalid(&admin.patch(&path, &json!({ field: value })), field);
    }
    invalid(&admin.post("/playlists", &json!({})), "name");
    for (field, value) in [
        ("files", json!([])),
        ("files", json!([987_654_321])),
        ("files", json!([shelf.file("Emma")])),
        ("files", json!(["1"])),
        ("files", json!((1..=1_001).collect::<Vec<_>>())),
        ("items", json!([])),
        ("items", json!([shelf.item("Emma")])),
        ("items", json!([987_654_321])),
    ] {
        let body = json!({"name": "x", field: value});
        invalid(&admin.post("/playlists", &body), field);
    }
    assert_eq!(page(&admin.get("/playlists")).len(), 1);
    let longest = json!({"name": "ü".repeat(200), "description": "ü".repeat(5_000)});
    admin.post("/playlists", &longest).expect(201);
}

#[test]
fn list_is_sorted_filtered_and_paged() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let (_, other) = shelf.user("mia");
    let create = |owner: &ledge_tests::Client, name: &str, public: bool| {
        let body = json!({"name": name, "public": public, "files": [shelf.file("One")]});
        id_of(&owner.post("/playlists", &body).expect(201).json())
    };
    let ten = create(admin, "Road 10", false);
    let nine = create(admin, "road 9", false);
    let cafe = create(admin, "Café", true);
    let public = create(&other, "Road 1", true);
    create(&other, "Road 0", false);
    admin
        .patch(&format!("/playlists/{ten}"), &json!({"public": true}))
        .expect(200);
    let list = |query: &str| -> Vec<i64> {
        let page = page(&admin.get(&format!("/playlists?{query}")));
        page.iter().map(id_of).collect()
    };
    assert_eq!(list(""), [cafe, public, nine, ten]);
    assert_eq!(list("sort=name&order=desc"), [ten, nine, public, cafe]);
    assert_eq!(list("sort=created"), [ten, nine, cafe, public]);
    assert_eq!(list("sort=updated&order=desc"), [ten, public, cafe, nine]);
    assert_eq!(list("own=true"), [cafe, nine, ten]);
    assert_eq!(list("own=false"), [public]);
    assert_eq!(list("q=ROAD"), [public, nine, ten]);
    assert_eq!(list("q=afe"), [cafe]);
    assert_eq!(list("q=road%201&own=true"), [ten]);
    assert_eq!(list("q=%25"), [] as [i64; 0]);
    assert_eq!(list("limit=2&offset=1"), [public, nine]);
    let part = admin.get("/playlists?limit=1&offset=9").expect(200).json();
    assert_eq!((&part["total"], &part["items"]), (&json!(4), &json!([])));
    for (field, query) in [
        ("sort", "sort=size"),
        ("order", "order=up"),
        ("own", "own=1"),
        ("limit", "limit=0"),
        ("limit", "limit=501"),
        ("offset", "offset=-1"),
    ] {
        invalid(&admin.get(&format!("/playlists?{query}")), field);
    }
    let shown = page(&admin.get("/playlists"));
    let single = admin.get(&format!("/playlists/{cafe}")).expect(200).json();
    assert_eq!(shown[0], single);
}

/// Changes of a playlist with an entry: method, path, body and status of success.
fn changes(path: &str, file: i64, entry: &Value) -> Vec<(&'static str, String, Value, u16)> {
    let entries = format!("{path}/entries");
    let step = json!({"move": [{"id": entry, "to": 1}]});
    let gone = format!("{entries}?id={entry}");
    vec![
        ("GET", path.to_owned(), Value::Null, 200),
        ("PATCH", path.to_owned(), json!({"name": "New"}), 200),
        ("POST", entries.clone(), json!({"files": [file]}), 201),
        ("PATCH", entries, step, 200),
        ("DELETE", gone, Value::Null, 200),
        ("DELETE", path.to_owned(), Value::Null, 204),
    ]
}

#[test]
fn stale_version_is_refused_and_changes_nothing() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let path = shelf.playlist(admin, "One Two");
    let before = admin.get(&path).expect(200).json();
    let current = version(admin, &path);
    let entry = entries(admin, &path)[0]["id"].clone();
    let weak = format!("W/\"{current}\"");
    let old = format!("\"{}\"", current - 1);
    for tag in [old.as_str(), &weak, "\"x\""] {
        for (method, path, body, _) in changes(&path, shelf.file("Six"), &entry) {
            let answer = change(admin, (method, &path), tag, &body);
            refused(&answer, 412, "precondition_failed");
        }
    }
    assert_eq!(admin.get(&path).expect(200).json(), before);
    assert_eq!(shelf.words(admin, &path), "One Two");
    // An unacceptable body is reported before the version.
    let unnamed = json!({"name": ""});
    invalid(&change(admin, ("PATCH", &path), &old, &unnamed), "name");
    let absent = json!({"files": [987_654_321]});
    let own = format!("{path}/entries");
    invalid(&change(admin, ("POST", &own), &old, &absent), "files");
}

#[test]
fn each_change_returns_the_version_of_the_next_one() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let path = shelf.playlist(admin, "One Two");
    let entry = entries(admin, &path)[0]["id"].clone();
    let mut tag = format!("\"{}\"", version(admin, &path));
    for (method, path, body, status) in changes(&path, shelf.file("Six"), &entry) {
        let answer = change(admin, (method, &path), &tag, &body).expect(status);
        if status == 204 {
            continue;
        }
        let next = answer.header("etag").to_owned();
        assert_eq!(next, format!("\"{}\"", answer.json()["version"]));
        assert_eq!(next != tag, method != "GET", "{method} {path}");
        tag = next;
    }
    refused(&admin.get(&path), 404, "not_found");
    let path = shelf.playlist(admin, "One");
    let body = json!({"name": "Any"});
    change(admin, ("PATCH", &path), "*", &body).expect(200);
    change(admin, ("DELETE", &path), "\"1\", *", &Value::Null).expect(204);
}

#[test]
fn one_of_concurrent_changes_with_same_version_succeeds() {
    const CLIENTS: usize = 8;
    let shelf = shelf();
    let path = shelf.playlist(&shelf.admin, "One");
    let tag = format!("\"{}\"", version(&shelf.admin, &path));
    let barrier = Barrier::new(CLIENTS);
    let statuses = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..CLIENTS)
            .map(|n| {
                let (barrier, path, tag, admin) = (&barrier, &path, &tag, shelf.admin.clone());
                scope.spawn(move || {
                    barrier.wait();
                    let name = json!({"name": format!("Name {n}")});
                    change(&admin, ("PATCH", path), tag, &name).status
                })
            })
            .collect();
        let joined = threads
            .into_iter()
            .map(|thread| thread.join().expect("a status"));
        joined.collect::<Vec<_>>()
    });
    let count = |status: u16| statuses.iter().filter(|other| **other == status).count();
    assert_eq!((count(200), count(412)), (1, CLIENTS - 1), "{statuses:?}");
    assert_eq!(format!("\"{}\"", version(&shelf.admin, &path)), "\"3\"");
}

#[test]
fn user_has_at_most_a_thousand_playlists() {
    let shelf = shelf();
    let (mia, client) = shelf.user("mia");
    let database = ledge_core::db::open::existing(&shelf.server.database()).expect("a database");
    database
        .execute(
            "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 999)
             INSERT INTO playlist (user_id, name, name_key, sort_name, created_at, updated_at)
             SELECT ?1, i, i, i, '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z'
               FROM n",
            [mia],
        )
        .expect("playlists");
    let body = json!({"name": "Last"});
    let last = client.post("/playlists", &body).expect(201).json();
    refused(&client.post("/playlists", &body), 409, "conflict");
    // An unacceptable value is reported before the conflict.
    invalid(
        &client.post("/playlists", &json!({"name": "x", "files": [0]})),
        "files",
    );
    // Other users are not affected.
    shelf.admin.post("/playlists", &body).expect(201);
    client
        .delete(&format!("/playlists/{}", id_of(&last)))
        .expect(204);
    client.post("/playlists", &body).expect(201);
}
