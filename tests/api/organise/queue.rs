//! The saved queue: one per user, restored on every device.

use serde_json::{Value, json};

use super::shelf::{change, entries, shelf, version};
use crate::http::conventions::{has_keys, id_of, invalid, is_time, page, refused};

const KEYS: &str = "items total offset limit current position version updated_at";

#[test]
fn queue_that_was_never_saved_is_empty() {
    let shelf = shelf();
    let answer = shelf.admin.get("/queue").expect(200);
    assert_eq!(answer.header("etag"), "\"0\"");
    let empty = json!({
        "items": [], "total": 0, "offset": 0, "limit": 60, "current": null, "position": 0,
        "version": 0, "updated_at": null,
    });
    assert_eq!(answer.json(), empty);
    let deleted = shelf.admin.delete("/queue").expect(204);
    assert_eq!(deleted.header("etag"), "\"0\"");
    assert_eq!(shelf.admin.get("/queue").json(), empty);
}

/// Asserts some values of a queue.
#[track_caller]
fn has(queue: &Value, values: &Value) {
    for (key, value) in values.as_object().expect("an object") {
        assert_eq!(&queue[key], value, "{key}");
    }
}

#[test]
fn queue_is_replaced_and_read_in_pages() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let body = json!({"files": shelf.ids("Two One Two"), "current": 2, "position": 42});
    let saved = admin.put("/queue", &body).expect(200);
    assert_eq!(saved.header("etag"), "\"1\"");
    let saved = saved.json();
    has_keys(&saved, KEYS);
    is_time(&saved["updated_at"]);
    has(
        &saved,
        &json!({"total": 3, "current": 2, "position": 42, "version": 1}),
    );
    let first = &saved["items"][0];
    has_keys(
        first,
        "id index item file_id title duration missing added_at",
    );
    assert_eq!(shelf.words(admin, "/queue"), "Two One Two");
    assert_eq!(admin.get("/queue").json(), saved);
    let part = admin.get("/queue?offset=1&limit=1").expect(200).json();
    let only = json!([saved["items"][1]]);
    has(
        &part,
        &json!({"items": only, "total": 3, "offset": 1, "limit": 1, "current": 2}),
    );
    // Omitted values of a new queue are 0.
    let replaced = admin.put("/queue", &json!({"files": shelf.ids("Six")}));
    let replaced = replaced.expect(200).json();
    has(
        &replaced,
        &json!({"total": 1, "current": 0, "position": 0, "version": 2}),
    );
}

#[test]
fn position_is_updated() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let saved = admin.put("/queue", &json!({"files": shelf.ids("Two One")}));
    let saved = saved.expect(200).json();
    let update = |body: &Value| admin.patch("/queue", body).expect(200).json();
    let moved = update(&json!({"current": 1, "position": 7}));
    let items = &saved["items"];
    has(
        &moved,
        &json!({"items": items, "current": 1, "position": 7, "version": 2}),
    );
    let moved = update(&json!({"position": 8}));
    has(&moved, &json!({"current": 1, "position": 8, "version": 3}));
    // Another entry starts at its beginning.
    let other = update(&json!({"current": 0}));
    has(&other, &json!({"current": 0, "position": 0, "version": 4}));
    let moved = update(&json!({"current": 1, "position": 8}));
    // An update that changes nothing keeps the version.
    for same in [json!({}), json!({"position": 8}), json!({"current": 1})] {
        assert_eq!(update(&same), moved);
    }
}

#[test]
fn deletion_empties_queue_and_increases_version() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let body = json!({"files": shelf.ids("Two One"), "current": 1, "position": 7});
    admin.put("/queue", &body).expect(200);
    let deleted = admin.delete("/queue").expect(204);
    assert_eq!(deleted.header("etag"), "\"2\"");
    let empty = admin.get("/queue").json();
    has(
        &empty,
        &json!({"items": [], "total": 0, "current": null, "position": 0, "version": 2}),
    );
    assert_eq!(admin.delete("/queue").expect(204).header("etag"), "\"2\"");
}

#[test]
fn unacceptable_values_are_refused_and_change_nothing() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let good = json!({"files": shelf.ids("One Two"), "current": 1});
    let saved = admin.put("/queue", &good).expect(200).json();
    for (field, value) in [
        ("files", json!([])),
        ("files", Value::Null),
        ("files", json!([shelf.file("One"), 987_654_321])),
        ("files", json!([shelf.file("Emma")])),
        ("files", json!(vec![shelf.file("One"); 1_001])),
        ("current", json!(2)),
        ("current", json!(-1)),
        ("position", json!(-1)),
        ("position", json!("0")),
        ("items", json!([1])),
    ] {
        let mut body = good.clone();
        body[field] = value.clone();
        invalid(&admin.put("/queue", &body), field);
        if field != "files" {
            invalid(&admin.patch("/queue", &json!({ field: value })), field);
        }
    }
    invalid(&admin.put("/queue", &json!({})), "files");
    invalid(&admin.get("/queue?limit=0"), "limit");
    assert_eq!(admin.get("/queue").json(), saved);
    let most = json!({"files": vec![shelf.file("One"); 1_000], "current": 999});
    let most = admin.put("/queue", &most).expect(200).json();
    assert_eq!(
        (&most["total"], &most["current"]),
        (&json!(1_000), &json!(999))
    );
    assert_eq!(entries(admin, "/queue").len(), 500);
}

#[test]
fn stale_version_is_refused() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let files = json!({"files": shelf.ids("One Two")});
    let put = ("PUT", "/queue");
    refused(
        &change(admin, put, "\"1\"", &files),
        412,
        "precondition_failed",
    );
    change(admin, put, "\"0\"", &files).expect(200);
    refused(
        &change(admin, put, "\"0\"", &files),
        412,
        "precondition_failed",
    );
    let step = json!({"current": 1});
    for (method, body) in [
        ("GET", &Value::Null),
        ("PATCH", &step),
        ("DELETE", &Value::Null),
    ] {
        let answer = change(admin, (method, "/queue"), "\"0\"", body);
        refused(&answer, 412, "precondition_failed");
    }
    assert_eq!(version(admin, "/queue"), 1);
    change(admin, ("GET", "/queue"), "\"1\"", &Value::Null).expect(200);
    change(admin, ("PATCH", "/queue"), "\"1\"", &step).expect(200);
    // Unacceptable values are reported before the version.
    invalid(
        &change(admin, ("PATCH", "/queue"), "\"1\"", &json!({"current": 2})),
        "current",
    );
    invalid(
        &change(admin, put, "\"1\"", &json!({"files": [0]})),
        "files",
    );
    change(admin, ("DELETE", "/queue"), "\"2\"", &Value::Null).expect(204);
    // No version is used again after the deletion.
    refused(
        &change(admin, put, "\"1\"", &files),
        412,
        "precondition_failed",
    );
    change(admin, put, "*", &files).expect(200);
}

#[test]
fn queue_belongs_to_one_user() {
    let shelf = shelf();
    let (_, mia) = shelf.user("mia");
    shelf
        .admin
        .put("/queue", &json!({"files": shelf.ids("One")}))
        .expect(200);
    assert_eq!(mia.get("/queue").json()["total"], 0);
    mia.put("/queue", &json!({"files": shelf.ids("Two Three")}))
        .expect(200);
    assert_eq!(shelf.words(&shelf.admin, "/queue"), "One");
    assert_eq!(page(&mia.get("/playlists")), [] as [Value; 0]);
    mia.delete("/queue").expect(204);
    assert_eq!(shelf.words(&shelf.admin, "/queue"), "One");
}

#[test]
fn entries_without_grant_are_hidden() {
    let shelf = shelf();
    let (id, mia) = shelf.user("mia");
    let body = json!({"files": shelf.ids("Four One Five Two"), "current": 2, "position": 9});
    let saved = mia.put("/queue", &body).expect(200).json();
    shelf.grant(shelf.attic, id, false);
    let seen = mia.get("/queue").expect(200).json();
    assert_eq!(shelf.words(&mia, "/queue"), "One Two");
    assert_eq!(
        (&seen["total"], &seen["current"]),
        (&json!(2), &Value::Null)
    );
    assert_eq!(
        (&seen["position"], &seen["version"]),
        (&json!(9), &json!(1))
    );
    assert_eq!(id_of(&seen["items"][1]), id_of(&saved["items"][3]));
    assert_eq!(seen["items"][1]["index"], 1);
    invalid(&mia.patch("/queue", &json!({"current": 2})), "current");
    invalid(
        &mia.put("/queue", &json!({"files": shelf.ids("Four")})),
        "files",
    );
    // Indexes count the visible entries.
    let moved = mia
        .patch("/queue", &json!({"current": 1}))
        .expect(200)
        .json();
    assert_eq!(moved["current"], 1);
    shelf.grant(shelf.attic, id, true);
    assert_eq!(mia.get("/queue").json()["current"], 3);
    assert_eq!(shelf.words(&mia, "/queue"), "Four One Five Two");
    // A new queue replaces hidden entries as well.
    shelf.grant(shelf.attic, id, false);
    mia.put("/queue", &json!({"files": shelf.ids("Three")}))
        .expect(200);
    shelf.grant(shelf.attic, id, true);
    assert_eq!(shelf.words(&mia, "/queue"), "Three");
}

#[test]
fn missing_file_keeps_its_entry() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let body = json!({"files": shelf.ids("One Lantern"), "current": 1});
    admin.put("/queue", &body).expect(200);
    shelf.lose(shelf.media, "media/Lantern (2001).mp4");
    let queue = admin.get("/queue").json();
    assert_eq!(
        (&queue["items"][1]["missing"], &queue["current"]),
        (&json!(true), &json!(1))
    );
    assert_eq!(queue["version"], 1);
    admin.patch("/queue", &json!({"position": 42})).expect(200);
    let purge = format!("/libraries/{}/purge", shelf.media);
    admin.send("POST", &purge, &[], None).expect(200);
    let queue = admin.get("/queue").json();
    has(
        &queue,
        &json!({"total": 1, "current": null, "position": 0, "version": 3}),
    );
}
